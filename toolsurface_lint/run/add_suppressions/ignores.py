"""Tables of the settings that hide findings where no comment can."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence

from toolsurface_lint.model.diagnostics import INTERNAL_ERROR, Diagnostic
from toolsurface_lint.project.settings import OWN_FILE, SHARED_FILE, TABLE, FileIgnore, Settings
from toolsurface_lint.project.settings.toml import toml_value
from toolsurface_lint.run.add_suppressions.insertions import Insertion, inserted
from toolsurface_lint.run.add_suppressions.notes import NO_NOTE, Note
from toolsurface_lint.source.text import SourceText


def can_ignore(diagnostic: Diagnostic) -> bool:
    """Whether a table can hide a diagnostic at all."""
    return diagnostic.code != INTERNAL_ERROR


def settings_file(settings: Settings) -> str:
    """The absolute path of the settings file in use, or of the one that would be, which is not there yet."""
    return settings.path or os.path.join(settings.root, OWN_FILE)


def ignoring(
    diagnostics: Iterable[Diagnostic], path: str, settings: Settings, note: Note = NO_NOTE
) -> list[FileIgnore]:
    """The tables that hide diagnostics in the file at an absolute path, one for each place in its value.

    Empty for a file outside of what the settings speak of.
    """
    relative = settings.relative(path)
    if relative.startswith("../") or os.path.isabs(relative) or _unwritable(relative):
        return []
    # Letters that mean something in a glob are put in brackets.
    glob = re.sub(r"([*?\[{}])", r"[\1]", relative)
    codes: dict[str | None, set[str]] = {}
    for diagnostic in diagnostics:
        if can_ignore(diagnostic):
            codes.setdefault(_stable_pointer(diagnostic, path), set()).add(diagnostic.code)
    return [
        FileIgnore(glob, tuple(sorted(found)), pointer, note.reason or None, note.until)
        for pointer, found in sorted(codes.items(), key=lambda item: item[0] or "")
    ]


def _stable_pointer(diagnostic: Diagnostic, path: str) -> str | None:
    """The JSON pointer of a diagnostic, as far as it can be written; None in programs, which have none to speak of."""
    pointer = diagnostic.pointer
    if pointer is None or path.endswith(".py"):
        return None
    while _unwritable(pointer):
        pointer = pointer.rpartition("/")[0]
    return pointer or None


def _unwritable(text: str) -> bool:
    """Whether a text has lone surrogates, which TOML has no way to write."""
    return any("\ud800" <= character <= "\udfff" for character in text)


def add_ignores(file: str, text: str, ignores: Sequence[FileIgnore]) -> Insertion | None:
    """What to insert into the text of a settings file, so that it holds these tables too.

    At its end, or if its tables are in an array, at the end of that. None if the file has no place for them.
    """
    from toolsurface_lint.source.toml import read_toml

    shared = os.path.basename(file) == SHARED_FILE
    header = f"tool.{TABLE}.per-file-ignores" if shared else "per-file-ignores"
    path = ("tool", TABLE, "per-file-ignores") if shared else ("per-file-ignores",)
    line_end = "\r\n" if "\r\n" in text else "\n"
    tables = "\n".join("".join(f"{line}\n" for line in (f"[[{header}]]", *_pairs(ignore))) for ignore in ignores)
    before = "" if not text else "\n" if text.endswith(("\n", "\r")) else "\n\n"
    places = [Insertion(len(text), (before + tables).replace("\n", line_end))]
    trees = read_toml(SourceText("", text)).trees
    node = trees[0].root.find(*path) if trees else None
    if node is not None:
        last = node.get(len(node.value) - 1) if isinstance(node.value, list) and node.value else None
        span = node.place.span() if last is None else last.place.span()
        if span is not None:
            inline = ", ".join(f"{{ {', '.join(_pairs(ignore))} }}" for ignore in ignores)
            places.append(Insertion(span.start + 1, inline) if last is None else Insertion(span.end, f", {inline}"))
    expected = [*(node.value if node is not None and isinstance(node.value, list) else ()), *map(_table, ignores)]
    for place in places:
        read = read_toml(SourceText("", inserted(text, [place])))
        again = read.trees[0].root.find(*path) if read.trees and not read.problems else None
        if again is not None and again.value == expected:
            return place
    return None


def _table(ignore: FileIgnore) -> dict[str, object]:
    values = {**ignore._asdict(), "codes": [*ignore.codes]}
    return {key: value for key, value in values.items() if value is not None}


def _pairs(ignore: FileIgnore) -> list[str]:
    # TOML has days of its own.
    return [f"{key} = {value if key == 'until' else toml_value(value)}" for key, value in _table(ignore).items()]
