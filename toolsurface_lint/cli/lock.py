"""`toolsurface-lint lock`: write down the tools of a project as they are accepted, all of them or one."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolsurface_lint.cli.stream import CommandError, complain, write
from toolsurface_lint.model.digests import NONE, PARTS, UNKNOWN, part_values
from toolsurface_lint.model.lock import ToolKey
from toolsurface_lint.model.names import did_you_mean
from toolsurface_lint.project.discovery import PathMissing
from toolsurface_lint.project.discovery.paths import display_path
from toolsurface_lint.project.settings.loading import load_settings
from toolsurface_lint.reporters import count
from toolsurface_lint.reporters.characters import no_commands, visible
from toolsurface_lint.run.locking import Entry, Locking, read_locking
from toolsurface_lint.run.writing import NotWritten


def lock(path: str | None, *, update: str | None = None, config: str | None = None, isolated: bool = False) -> int:
    """Run the command and return its exit code. Raises `CommandError`, `PathMissing` and `SettingsError`."""
    if path is not None and not os.path.lexists(path):
        raise PathMissing(path)
    try:
        locking = read_locking(load_settings([path or os.curdir], config, isolated))
        display = display_path(locking.path)
        if locking.is_newer:
            raise CommandError(f"{display} is of a version that only another release of toolsurface-lint knows")
        if update is None:
            _write_all(locking, display)
        else:
            _write_one(locking, update, display)
    except NotWritten as error:
        raise CommandError(str(error)) from None
    return 0


def _write_all(locking: Locking, display: str) -> None:
    old, (new, kept) = locking.locked, locking.all()
    if not new and not old:
        raise CommandError(f"no tools were found below {display_path(os.path.dirname(locking.path))}")
    if old != new:
        locking.write(new, display)
    if old is not None:
        lines = [line for key in sorted({*old, *new}) for line in _changed(key, old.get(key), new.get(key))]
        write(no_commands("".join(f"{line}\n" for line in lines)))
    number = len({server for server, _ in new})
    written = f"{display} is as it was" if old == new else f"wrote {display}"
    complain(
        "; ".join(
            [f"{written}: {count(len(new), 'tool')} of {count(number, 'server')}", *_left_out(locking, new, kept)]
        )
    )


def _left_out(locking: Locking, entries: Mapping[ToolKey, Entry], kept: int) -> Iterator[str]:
    """What the lock cannot say."""
    if kept:
        yield f"{count(kept, 'tool')} of files that cannot be read {'was' if kept == 1 else 'were'} kept"
    unknown = sum(entry[part] == UNKNOWN for entry in entries.values() for part in PARTS)
    if unknown:
        yield f"{count(unknown, 'part')} that only a run shows {'is' if unknown == 1 else 'are'} not locked"
    if locking.servers.open:
        yield f"{count(len(locking.servers.open), 'server')} may have tools that were not seen"


def _changed(key: ToolKey, old: Entry | None, new: Entry | None) -> Iterator[str]:
    """One line for a tool that has changed."""
    shown = visible("/".join(key))
    if old is None or new is None:
        yield f"{'added' if old is None else 'removed'} {shown}"
    elif old != new:
        parts = [part.replace("_", " ") for part in PARTS if old[part] != new[part]]
        yield f"changed {shown}: {', '.join(parts or ['digest'])}"


def _write_one(locking: Locking, wanted: str, display: str) -> None:
    old = locking.locked
    if old is None:
        problem = "there is none" if locking.before is None else "it cannot be used"
        raise CommandError(f"{display} cannot be updated, as {problem}: `toolsurface-lint lock` writes it")
    key = _find(wanted, sorted({*old, *locking.declared}))
    before, now = old.get(key), locking.current(key) if key in locking.declared else None
    if before == now:
        complain(f"{'/'.join(key)} is as {display} has it")
        return
    write(no_commands("".join(f"{line}\n" for line in _shown(locking, key, before, now))))
    entries = {other: entry for other, entry in old.items() if other != key}
    locking.write(entries if now is None else {**entries, key: now}, display)
    complain(f"wrote {display}")


def _find(wanted: str, keys: Sequence[ToolKey]) -> ToolKey:
    """The tool that is meant by its name, or by that of its server, a slash and its name."""
    found = [key for key in keys if wanted in (key[1], "/".join(key))]
    if len(found) == 1:
        return found[0]
    if found:
        raise CommandError(f"several servers have `{wanted}`: write {' or '.join('/'.join(key) for key in found)}")
    names = [name for key in keys for name in (key[1], "/".join(key))]
    raise CommandError(f"no tool is called `{wanted}`{did_you_mean(wanted, names)}")


def _shown(locking: Locking, key: ToolKey, before: Entry | None, now: Entry | None) -> Iterator[str]:
    """The change of a tool: each part that is not as it was, with its digests and what it is now."""
    yield from _changed(key, before, now)
    if now is None:
        return
    values = part_values(locking.declared[key].tools[0])
    for part in PARTS:
        old = NONE if before is None else before[part]
        if old != now[part]:
            yield f"  {part.replace('_', ' ')}: {old} -> {now[part]}"
            if now[part] not in (NONE, UNKNOWN):
                yield from (f"    {visible(line)}" for line in _text(values[part]).split("\n"))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False, default=str)
