"""Calls that a message makes in its text, by a response protocol, as calls of a transcript."""

from __future__ import annotations

from toolsurface_lint.model.transcript import Call, CallShape
from toolsurface_lint.protocols.calls import Call as TextCall
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Node, Path, Spans, Tree

_SHAPE = CallShape((), ("name",), ("arguments",))


class _TextCallTree(Tree):
    """One call as `{name, arguments}`, with the places that its parts have in the text."""

    __slots__ = ("_call", "_text")

    def __init__(self, text: Node, call: TextCall) -> None:
        super().__init__(text.tree.source, {"name": call.name, "arguments": call.arguments})
        self._text = text
        self._call = call

    def _raw(self, span: Span) -> Span:
        return self._text.tree.text_span(self._text.path, span.start, span.end)

    def spans_at(self, path: Path) -> tuple[Spans, bool]:
        call = self._call
        key = (-1, -1)
        if path[:1] == ("arguments",):
            span = self._raw(call.argument_span(path[1:]))
            written = call.key_span(path[1]) if len(path) == 2 and isinstance(path[1], str) else None
            if written is not None:
                raw = self._raw(written)
                key = (raw.start, raw.end)
        else:
            span = self._raw(call.parts.name_span if path else call.span)
        return Spans(span.start, span.end, None, key), True

    def text_span(self, path: Path, start: int, end: int) -> Span:
        spans, _ = self.spans_at(path)
        return Span(spans.start, spans.end)


def text_call(text: Node, call: TextCall) -> Call:
    """A call that was read in the string at `text`; its spans count from the beginning of that string."""
    return Call(_TextCallTree(text, call), (), _SHAPE, None, call.name, call.arguments)
