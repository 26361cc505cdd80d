"""TOML: tomli validates and gives the values, an index of our own finds the places when they are asked for.

Settings are TOML, and are read in every run: what finds places and words errors is imported where it is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from toolsurface_lint.source.text import NotSyntax, SourceText
from toolsurface_lint.source.toml.values import toml_value
from toolsurface_lint.source.tree import Documents, FileTree, Path, Spans


def read_toml(source: SourceText) -> Documents:
    """The document of a TOML text; an empty text is an empty table.

    Dates and times are strings, as they are written. The span of a table runs from the place that first names it, its
    header or its first dotted key, to the end of the last value inside; its key is the last part of its header. The
    problems are of the kinds `syntax` (a repeated key too: no host reads such a file) and `unreadable` (nesting).
    """
    try:
        value = toml_value(source.text)
    except NotSyntax as error:
        return Documents([], [error.problem], _begun(source.text, error.problem.at.start))
    return Documents([_TomlTree(source, value)], [])


def _begun(text: str, error: int) -> Any:
    """The value of what comes before the line of an error, or before its table where that line continues another one."""
    for end in (text.rfind("\n", 0, error), text.rfind("\n[", 0, error)):
        with suppress(NotSyntax):
            return toml_value(text[: end + 1])
    return None


class _TomlTree(FileTree):
    __slots__ = ()

    def _locate(self) -> Spans:
        from toolsurface_lint.source.toml.index import Index

        return Index(self.source.text).read()

    def _load(self) -> Any:
        return toml_value(self.source.text)

    def _offsets(self, path: Path, raw: str) -> Sequence[int] | None:
        from toolsurface_lint.source.toml.strings import unescape

        return unescape(raw)

    def escape(self, raw: str, text: str, start: int, end: int) -> str | None:
        from toolsurface_lint.source.toml.strings import escape

        return escape(raw, text, start, end)
