"""Where the old name is still written, by whoever did not plainly mean the tool."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from typing import NamedTuple

from toolsurface_lint.project.project import Project
from toolsurface_lint.source.files import TooLarge, read_bytes
from toolsurface_lint.source.text import LineIndex, Unreadable, decode


class Leftover(NamedTuple):
    """How often a file still has the name, and the first line that does, from 1."""

    path: str
    line: int
    times: int


def words(text: str, name: str) -> Iterator[int]:
    """Where a text has a name as a whole word."""
    before, after = (r"(?<![A-Za-z0-9_])" if name[:1].isalnum() or name[:1] == "_" else ""), r"(?![A-Za-z0-9_])"
    pattern = re.compile(before + re.escape(name) + (after if name[-1:].isalnum() or name[-1:] == "_" else ""))
    return (found.start() for found in pattern.finditer(text))


def leftovers(
    project: Project,
    name: str,
    changed: Mapping[str, bytes],
    skipped: Container[str],
    said: Container[tuple[str, ...]],
) -> list[Leftover]:
    """The files asked for that have the name after the renaming, in the order of paths.

    `changed` are the new bytes of files, `skipped` those that are left on purpose, both by displayed path; `said` are the
    paths and lines, as texts, of which something is said already.
    """
    found = []
    for path, candidate in sorted(project.candidates.items()):
        if candidate.display in skipped or candidate.skip is not None:
            continue
        try:
            data = changed.get(candidate.display)
            text = decode(read_bytes(path, project.settings.max_file_size) if data is None else data)
        except (OSError, TooLarge, Unreadable):
            continue
        index = LineIndex(text)
        lines = [index.line_at(at) for at in words(text, name)] if name in text else []
        lines = [line for line in lines if (candidate.display, str(line)) not in said]
        if lines:
            found.append(Leftover(candidate.display, lines[0], len(lines)))
    return found
