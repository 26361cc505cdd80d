"""Definitions of tools in ways of their own, which are not read: a name with its description, in a program or in YAML.

A table of tools or of their handlers (`TOOL_HANDLERS = {"search": ...}`) knows its keys in the same way. In a program of
another language that registers tools, it is a text that may be a name.

A framework of one repository has its own classes and files of tools. What such a definition serves is not known, but that
nothing declares its name cannot be said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from toolsurface_lint.project.discovery.names import candidate_kind
from toolsurface_lint.project.project import Project, is_test
from toolsurface_lint.source import disk
from toolsurface_lint.source.files import read_bytes

MAX_SIZE = 1024 * 1024
"""Bytes of a file that is looked at. Larger ones are data, or written by programs."""

_NEAR = 400
"""Bytes behind a name within which its description begins."""

_NAMES = {
    "python": rb"""\bname["']?\s*+(?::\s*+str\s*+)?[=:]\s*+["']([A-Za-z_][\w.-]{1,63})["']""",
    "yaml": rb"""(?m)\bname["']?:[ \t]*+["']?([A-Za-z_][\w.-]{1,63})["']?[ \t]*+\r?$""",
}
_TABLE = re.compile(rb"=[ \t]*+\{")
"""Begins with plain text, which is searched for at memory speed; what is before it is looked at then."""
_NAME_OF_TABLE = re.compile(rb"[ \t]*+(?:self\.)?(\w++)[ \t]*+(?::[^=\n]{0,99})?")
_OF_TOOLS = re.compile(rb"tool|function|handler", re.IGNORECASE)
_KEY = re.compile(rb"""["']([A-Za-z_][\w.-]{1,63})["'][ \t]*+:""")


class UnreadDefinitions:
    """The names that the files of a project define without being read, found when the first name is asked about."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def __contains__(self, name: object) -> bool:
        return name in self._names

    @cached_property
    def _names(self) -> frozenset[str]:
        from toolsurface_lint.project.other_languages import names_in_other_languages

        project = self._project
        read: dict[str, set[str]] = {}
        for document in project.documents:
            names = {tool.name for tools in document.tool_lists for tool in tools}
            read.setdefault(project.absolute(document), set()).update(names)
        seen = project.nearby.seen
        if "" not in seen:
            for path in project.asked.union(project.nearby.candidates):
                seen[path] = frozenset(self._defined(path))
            seen[""] = frozenset(names_in_other_languages(project))
        return frozenset(name for path, names in seen.items() for name in names - read.get(path, set()))

    def _defined(self, path: str) -> Iterator[str]:
        language = candidate_kind(path)
        if language not in _NAMES or is_test(self._project, path) or not disk.isfile(path):
            return
        try:
            text = read_bytes(path, MAX_SIZE)
        except OSError:
            return
        if language == "python":
            yield from _keys_of_tables(text)
        end = len(text)
        for match in reversed(list(re.finditer(_NAMES[language], text)) if b"description" in text else ()):
            # Up to the next name: what follows that describes something else.
            end = min(match.end() + _NEAR, end)
            if text.find(b"description", match.end(), end) >= 0 and not _is_comment(text, match.start()):
                yield match[1].decode()
            end = match.start()


def _keys_of_tables(text: bytes) -> Iterator[str]:
    """The keys of the tables in a program that are named after tools, up to the first end of each: most are flat."""
    end = 0
    for table in _TABLE.finditer(text):
        start = text.rfind(b"\n", max(0, table.start() - _NEAR), table.start()) + 1
        name = _NAME_OF_TABLE.fullmatch(text, start, table.start()) if table.end() > end else None
        if name is not None and _OF_TOOLS.search(name[1]) is not None:
            end = text.find(b"}", table.end())
            if end < 0:
                return
            keys = _KEY.finditer(text, table.end(), end)
            yield from (key[1].decode() for key in keys if not _is_comment(text, key.start()))


def _is_comment(text: bytes, offset: int) -> bool:
    # A line is as long as its author likes: looked at is no more than what is near.
    near = max(0, offset - _NEAR)
    return text.find(b"#", max(near, text.rfind(b"\n", near, offset)), offset) >= 0
