"""TOML: tomli validates and gives the values, an index of our own finds the places when they are asked for.

Settings are TOML, and are read in every run: what finds places and words errors is imported where it is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolsurface_lint.source.text import NotSyntax, SourceText
from toolsurface_lint.source.toml.values import toml_value
from toolsurface_lint.source.tree import Documents, Spans, Tree


def read_toml(source: SourceText) -> Documents:
    """The document of a TOML text; an empty text is an empty table.

    Dates and times are strings, as they are written. The span of a table runs from the place that first names it, its
    header or its first dotted key, to the end of the last value inside; its key is the last part of its header. The
    problems are of the kinds `syntax` (a repeated key too: no host reads such a file) and `unreadable` (nesting).
    """
    try:
        value = toml_value(source.text)
    except NotSyntax as error:
        return Documents([], [error.problem])
    text = _Text(source)
    return Documents([Tree(source, value, text.locate, text.unescape, text.load, text.escape)], [])


class _Text:
    """The text of a document: reads it again when its places or its value are asked for.

    The file may have changed since: what is there then is read as far as it can be.
    """

    def __init__(self, source: SourceText) -> None:
        self._source = source

    def locate(self) -> Spans:
        from toolsurface_lint.source.toml.index import Index

        try:
            return Index(self._source.text).read()
        except NotSyntax:
            return Spans(0, 0)

    def load(self) -> Any:
        try:
            return toml_value(self._source.text)
        except NotSyntax:
            return None

    @staticmethod
    def unescape(raw: str) -> Sequence[int] | None:
        from toolsurface_lint.source.toml.strings import unescape

        return unescape(raw)

    @staticmethod
    def escape(raw: str, text: str, start: int, end: int) -> str | None:
        from toolsurface_lint.source.toml.strings import escape

        return escape(raw, text, start, end)
