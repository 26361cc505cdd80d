"""Responses: messages of an assistant that are held to a response protocol."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from toolsurface_lint.model.target import Target
from toolsurface_lint.model.transcript import Call
from toolsurface_lint.protocols.choosing import choose_protocol
from toolsurface_lint.protocols.response import Response
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Node, Place, Tree


class RecordedResponse:
    """A file that is one assistant response.

    `plain` is the protocol that its text plainly follows, None if that is not plain; settings have the first word. `read`
    takes the node, a protocol and the surface, and gives the `AssistantResponse`.
    """

    def __init__(self, tree: Tree, plain: str | None, read: Callable[..., AssistantResponse]) -> None:
        self.tree = tree
        self.origin = tree.origin
        self.plain = plain
        self.read = read
        self.final = False
        """Whether it is known to end its conversation."""
        self.used = ""
        """The protocol that it was read by, and"""
        self.calls = 0
        """How many calls a runtime makes of it; counted when it is checked."""

    @property
    def node(self) -> Node:
        return self.tree.root

    def protocol(self, target: Target) -> str | None:
        """What it is read by; None if nobody says it, and it is not plain."""
        return choose_protocol(target.protocol, target.model, self.plain)


class AssistantResponse(NamedTuple):
    """One response, read by its protocol: what a runtime makes of the text at `node`, and its calls as calls of a tool.

    `calls` are those that run, and those of tools that are not declared.
    """

    node: Node
    read: Response
    calls: list[Call]

    def place(self, span: Span) -> Place:
        return self.node.text_place(span.start, span.end)
