"""Responses in files and messages: noted when a file is read, read by their protocol when their surface is known."""

from __future__ import annotations

from toolsurface_lint.model.response import AssistantResponse, RecordedResponse
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.protocols.calls import Call as TextCall
from toolsurface_lint.protocols.calls import Parts
from toolsurface_lint.protocols.recognition import parse_response, recognise_protocol
from toolsurface_lint.readers.text_calls import text_call
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Node, Tree


def record_response(tree: Tree) -> RecordedResponse:
    """The response that a file is."""
    return RecordedResponse(tree, recognise_protocol(str(tree.value)), read_response)


def read_response(node: Node, protocol: str, surface: Surface, *, final: bool = False) -> AssistantResponse:
    """The response that the string at `node` is, by `protocol`; `final`: it is known to end its conversation.

    On a surface that may have other tools than we see, every name counts as that of a tool.
    """
    known = None if surface.open or not surface.tools else list(surface.by_name)
    sentinel = surface.target.done_sentinel
    read = parse_response(str(node.value), protocol, tools=known, done_sentinel=sentinel, final=final)
    calls = [*read.calls, *(_unknown(violation) for violation in read.violations if violation.code == "unknown_tool")]
    calls.sort(key=lambda call: call.span)
    return AssistantResponse(node, read, [text_call(node, call) for call in calls])


def _unknown(violation: Problem[Span]) -> TextCall:
    """The call of an undeclared tool that the parser has refused, as far as it goes."""
    nothing = Span(violation.at.end, violation.at.end)
    return TextCall(str(violation.values["name"]), {}, violation.at, Parts(violation.at, nothing, None))
