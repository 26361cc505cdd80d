"""What following a template over a conversation shows."""

from __future__ import annotations

from typing import NamedTuple

from jinja2 import nodes


class Crash(Exception):
    """Rendering fails at a node; `is_refusal` if the template says so by `raise_exception`."""

    def __init__(self, node: nodes.Node, message: str, is_refusal: bool = False) -> None:
        super().__init__(message)
        self.node = node
        self.message = message
        self.is_refusal = is_refusal

    @property
    def sentence(self) -> str:
        """As rendering names it: `raise_exception` raises jinja2's own error."""
        return f"TemplateError: {self.message}" if self.is_refusal else f"Error: {self.message}"


class Written(NamedTuple):
    """What a node has written, inside so many macros and blocks whose text is written later."""

    node: nodes.Node
    text: str
    level: int = 0


class Trace:
    """What following a template over a conversation has shown."""

    def __init__(self) -> None:
        self.text: str | None = None
        """What is rendered; None if rendering crashes, or if it was not followed to its end."""
        self.crash: Crash | None = None
        self.written: list[Written] = []
        """In the order of the run. What a macro writes is there twice: first by its own nodes, at a higher level."""
        self.encoded: list[Written] = []
        """What `tojson` has made of something."""
        self.nulls: list[nodes.Node] = []
        """The expressions that gave None where a text was written."""
        self.handlers: dict[int, nodes.If] = {}
        """The innermost branch that was taken for the role of the message at an index, and that wrote something."""
        # Keys of a dict are compared by identity; `in` a list would compare all that is below two nodes.
        self.loops: dict[type, dict[nodes.For, None]] = {}
        """The loops over messages, calls and tools that wrote something, in the order of the run."""
        self.picked: dict[nodes.Getitem, None] = {}
        """The expressions that took one call of a turn by its number, in the order of the run."""
        self.reads: dict[str, nodes.If] = {}
        """The first condition that asks for each variable of the conversation."""

    @property
    def is_followed(self) -> bool:
        """Whether the run came to its end, or to a crash."""
        return self.text is not None or self.crash is not None
