"""Responses in files and messages: noted when a file is read, read by their protocol when their surface is known."""

from __future__ import annotations

from toolsurface_lint.model.response import AssistantResponse, RecordedResponse
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.transcript import Call, CallShape
from toolsurface_lint.protocols.calls import Call as TextCall
from toolsurface_lint.protocols.calls import Parts
from toolsurface_lint.protocols.recognition import PROTOCOLS, parse_response, recognise_protocol
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Node, Path, Spans, Tree


def record_response(tree: Tree) -> RecordedResponse:
    """The response that a file is."""
    return RecordedResponse(tree, recognise_protocol(str(tree.value)), read_response)


def read_response(node: Node, protocol: str, surface: Surface, *, final: bool = False) -> AssistantResponse:
    """The response that the string at `node` is, by `protocol`; `final`: it is known to end its conversation.

    On a surface that may have other tools than we see, every name counts as that of a tool.
    """
    known = None if surface.open or not surface.tools else list(surface.by_name)
    sentinel = surface.target.done_sentinel
    text = str(node.value)
    if protocol in PROTOCOLS:
        read = parse_response(text, protocol, tools=known, done_sentinel=sentinel, final=final)
    else:
        read = parse_response(text, protocol, tools=surface.schemas)
    calls = [*read.calls, *(_unknown(violation) for violation in read.violations if violation.code == "unknown_tool")]
    calls.sort(key=lambda call: call.span)
    return AssistantResponse(node, read, [call_in_text(node, call) for call in calls])


def call_in_text(node: Node, call: TextCall) -> Call:
    """A call that a part of the string at `node` is, as a call of a tool."""
    return Call(_TextCallTree(node, call), (), _SHAPE, None, call.name, call.arguments)


def _unknown(violation: Problem[Span]) -> TextCall:
    """The call of an undeclared tool that the parser has refused, as far as it goes."""
    return TextCall(str(violation.values["name"]), {}, violation.at, Parts(violation.at, None))


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

    def full_path(self, path: Path) -> Path:
        # No pointer leads into what is no JSON.
        return self._text.tree.full_path(self._text.path)

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
