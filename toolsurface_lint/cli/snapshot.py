"""`toolsurface-lint snapshot`: what running MCP servers serve, as one document that every other command reads."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

from toolsurface_lint.cli.check import CLEAN, FAILURE
from toolsurface_lint.cli.stream import CommandError, complain, draw, write, write_file
from toolsurface_lint.reporters import count
from toolsurface_lint.snapshot.targets import NotUsable, Target, command_target, listed_target, url_target

LIST = ".mcp.json"
_SECONDS = 60.0
_MOST_SECONDS = 3600.0


def snapshot(
    command: Sequence[str],
    *,
    url: str | None,
    all: bool,
    yes: bool,
    name: str | None,
    env: Sequence[str],
    timeout: str | None,
    output: str | None,
) -> int:
    """Run the command and return its exit code. Raises `CommandError`."""
    seconds = _read_seconds(timeout)
    _require_client()
    if sum((bool(command), url is not None, all)) != 1:
        raise CommandError("say which server: `-- COMMAND...`, `--url URL` or `--all`, and only one of them")
    if yes and not all:
        raise CommandError("`--yes` goes with `--all`: nothing else asks")
    if name is not None and all:
        raise CommandError(f"`--name` does not go with `--all`: {LIST} names its servers")
    if env and url is not None:
        raise CommandError("`--env` does not go with `--url`: a server that is not started gets no variables")
    unset = [each for each in env if each not in os.environ]
    if unset:
        raise CommandError(f"the environment has no variable `{unset[0]}`, which --env names")
    _require_replaceable(output)
    targets, failed = _listed(env) if all else ([_single(command, url, name, env)], False)
    if all and targets and not _consents(targets, yes):
        raise CommandError("nothing was started")
    entries = []
    for target in targets:
        entry = _ask(target, seconds)
        failed = failed or entry is None
        if entry is not None:
            entries.append(entry)
    if not entries:
        raise CommandError("no server answered: nothing was written")
    from toolsurface_lint.reporters.json import dump

    text = dump({"toolsurfaceSnapshot": 1, "servers": entries}, sys.maxsize) + "\n"
    if output is None:
        write(text)
    else:
        write_file(output, text)
    return FAILURE if failed else CLEAN


def _read_seconds(text: str | None) -> float:
    try:
        seconds = _SECONDS if text is None else float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= _MOST_SECONDS:
        raise CommandError(f"`--timeout` must be a number of seconds up to {_MOST_SECONDS:g}, not `{text}`")
    return seconds


def _require_client() -> None:
    try:
        from mcp import Client  # noqa: F401
    except ImportError:
        raise CommandError(
            "snapshot needs the client of MCP: install it with `pip install 'toolsurface-lint[snapshot]'`"
        ) from None
    import gc

    gc.enable()


def _require_replaceable(output: str | None) -> None:
    """Refuse a file that cannot be written before any server has been started for it."""
    from toolsurface_lint.run.writing import reason_against_replacing

    if output is None:
        return
    reason = reason_against_replacing(output)
    if reason is None and not os.path.isdir(os.path.dirname(os.path.abspath(output))):
        reason = "its folder does not exist"
    if reason is not None:
        raise CommandError(f"cannot write {output}: {reason}")


def _single(command: Sequence[str], url: str | None, name: str | None, env: Sequence[str]) -> Target:
    if url is None:
        return command_target(name, command, env)
    try:
        return url_target(name, url)
    except NotUsable as error:
        raise CommandError(str(error)) from None


def _listed(env: Sequence[str]) -> tuple[list[Target], bool]:
    """The servers of the list in this folder, and whether any of them cannot be asked, which is reported."""
    from toolsurface_lint.knowledge.server_lists import SWITCHES
    from toolsurface_lint.readers.loading import load_document
    from toolsurface_lint.source.files import MAX_FILE_SIZE

    if not os.path.isfile(LIST):
        raise CommandError(f"there is no {LIST} in this folder")
    document = load_document(LIST, LIST, "json", kind=None, max_size=MAX_FILE_SIZE)
    value = document.trees[0].value if document.trees else None
    servers = value.get("mcpServers") if isinstance(value, dict) else None
    if not isinstance(servers, dict) or not servers:
        raise CommandError(f"{LIST} has no servers under `mcpServers`")
    targets, failed = [], False
    for name, entry in servers.items():
        if isinstance(entry, dict) and any(entry.get(key) is state for key, state in SWITCHES.items()):
            complain(f"{name}: left out, since it is switched off in {LIST}")
            continue
        try:
            targets.append(listed_target(name, entry, env))
        except NotUsable as error:
            complain(f"{name}: {error}")
            failed = True
    return targets, failed


def _consents(targets: Sequence[Target], yes: bool) -> bool:
    """Show what would be started, and whether that is wanted."""
    for target in targets:
        complain(f"{target.title}: {' '.join(target.shown)}")
    if yes:
        return True
    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stderr is not None and sys.stderr.isatty()):
        raise CommandError("nothing was started: where nobody can be asked, --all needs --yes")
    draw("Start or reach these? [y/N] ")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _ask(target: Target, seconds: float) -> dict[str, Any] | None:
    """A server's entry of the document; None if it gave none, which is reported."""
    from toolsurface_lint.snapshot.conversation import ask
    from toolsurface_lint.snapshot.intake import SnapshotFailed

    line = _Line(target.title)
    try:
        answer = ask(target, seconds, line.show)
    except SnapshotFailed as error:
        line.clear()
        complain(f"{target.title}: {error}")
        for each in error.last_lines:
            complain(f"{target.title} wrote: {each}")
        return None
    finally:
        line.clear()
    name = answer.entry["name"]
    counts = ", ".join(count(len(answer.entry[f"{one}s"]), one) for one in ("tool", "prompt", "resource"))
    complain(f"{name}: {counts} (MCP {answer.entry['protocolVersion']})")
    for note in answer.notes:
        complain(f"{name}: {note}")
    return answer.entry


class _Line:
    """Shows on a terminal what is being asked, on one line that is removed at the end."""

    def __init__(self, title: str) -> None:
        from toolsurface_lint.reporters.characters import visible

        self._title = visible(title)
        self._is_on = sys.stderr is not None and sys.stderr.isatty()

    def show(self, what: str) -> None:
        if self._is_on:
            draw(f"\r\x1b[K{self._title}: {what} ...")

    def clear(self) -> None:
        if self._is_on:
            draw("\r\x1b[K")
