"""Chat templates: the Jinja that shows a conversation and its tools to a model, and what its tokenizer is known to have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Node, Place

if TYPE_CHECKING:
    from toolsurface_lint.chat_templates.behaviours import Observed
    from toolsurface_lint.chat_templates.syntax import ParsedTemplate

Parse = Callable[[str], "tuple[ParsedTemplate | None, Problem[Span] | None]"]
"""Parses a template: the parsed template, or why there is none."""

DEFAULT_TEMPLATE = "default"
"""The variant that is used if nobody asks for another one."""


class Tokens(NamedTuple):
    """What is known of a tokenizer.

    `special` are the special tokens that a template is given as variables, by name: `bos_token` and the like. `added` are all
    tokens that stand for themselves wherever they are written; None if they are not known.
    """

    special: Mapping[str, str] = {}
    added: frozenset[str] | None = None


class ChatTemplate:
    """One chat template: the string at `node`.

    `name` is that of the variant, such as `tool_use`; `key` is where a file of several values holds it, empty for a file
    that is nothing else. `response` is the `response_template` beside it, with which transformers reads what the model
    answers; None if there is none. `tokens` is set by whoever knows the files beside it.
    """

    def __init__(
        self, node: Node, parse: Parse, name: str = DEFAULT_TEMPLATE, key: str = "", response: Node | None = None
    ) -> None:
        self.node = node
        self.origin = node.tree.origin
        self.name = name
        self.key = key
        self.response = response
        self.tokens = Tokens()
        self.observed: Observed | None = None
        """What rendering shows, once somebody has asked for it."""
        self._parse = parse
        self._outcome: tuple[ParsedTemplate | None, Problem[Span] | None] | None = None

    @property
    def text(self) -> str:
        value = self.node.tree.at(self.node.path).value
        return value if isinstance(value, str) else ""

    @property
    def parsed(self) -> ParsedTemplate | None:
        """Its nodes with their places; None if it does not parse."""
        return self._parsed()[0]

    @property
    def error(self) -> Problem[Span] | None:
        """Why it does not parse."""
        return self._parsed()[1]

    def _parsed(self) -> tuple[ParsedTemplate | None, Problem[Span] | None]:
        if self._outcome is None:
            self._outcome = self._parse(self.text)
        return self._outcome

    def place(self, span: Span) -> Place:
        """The place of a span of the template's text."""
        return self.node.text_place(span.start, span.end)

    def release(self) -> None:
        """Drop what can be made again."""
        self._outcome = self.observed = None
