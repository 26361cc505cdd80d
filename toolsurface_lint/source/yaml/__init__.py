"""YAML: plain values and exact places from the event stream of PyYAML, with a composer of our own.

Why not `yaml.safe_load`: it knows no places, turns `no`, `012` and dates into something else (YAML 1.1), recurses, and
follows aliases without a limit. Here plain scalars are resolved by the core schema of YAML 1.2; merge keys (`<<`) are
applied all the same, because the clients that read these files apply them.

PyYAML is imported with `composer`, when there is YAML to read: places in front matter that is read without it need
`offsets` and `writing` only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import NotSyntax, SourceText, Span
from toolsurface_lint.source.tree import Documents, FileTree, Path, Spans, Tree


def read_yaml(source: SourceText, start: int = 0, end: int | None = None) -> Documents:
    """The documents of a YAML stream, or of the slice of a text that begins at `start`, at the start of a line.

    Keys are strings: any other key is its text in the file. A custom tag counts as absent. Anchored values are
    shared by their aliases, never copied. Problems are of the kinds `syntax`, `unreadable` (nesting, aliases that
    expand without bound or contain themselves) and `duplicate_key`; the documents before the broken one are kept, those
    after it are not read. A document without any text, as after a last `---`, does not count.
    """
    from toolsurface_lint.source.yaml.composer import Composer

    composer = Composer(source.text, start, len(source.text) if end is None else end)
    trees: list[Tree] = []
    problems: list[Problem[Span]] = []
    begun = None
    try:
        for value, first, last in composer.documents():
            trees.append(_YamlTree(source, value, first, last))
    except NotSyntax as error:
        problems.append(error.problem)
        begun = composer.begun()
    return Documents(trees, problems + composer.duplicates, begun)


class _YamlTree(FileTree):
    """The document in the slice of a text from `start` to `end`."""

    __slots__ = ("_end", "_indents", "_start")

    def __init__(self, source: SourceText, value: Any, start: int, end: int) -> None:
        super().__init__(source, value)
        self._start = start
        self._end = end
        self._indents: dict[str, int | None] = {}

    def _read(self) -> tuple[Any, Spans]:
        from toolsurface_lint.source.yaml.composer import Composer

        text = self.source.text
        composer = Composer(text, min(self._start, len(text)), min(self._end, len(text)), exact=True)
        for value, _, _ in composer.documents():
            self._indents = composer.indents
            return value, composer.spans
        return None, Spans(0, 0)

    def _locate(self) -> Spans:
        return self._read()[1]

    def _load(self) -> Any:
        return self._read()[0]

    def _offsets(self, path: Path, raw: str) -> Sequence[int] | None:
        from toolsurface_lint.source.yaml.offsets import unescape

        return unescape(raw, self._indents.get(raw))

    def escape(self, raw: str, text: str, start: int, end: int) -> str | None:
        from toolsurface_lint.source.yaml.writing import escape

        return escape(raw, text, start, end)
