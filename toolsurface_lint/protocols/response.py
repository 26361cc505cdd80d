"""What one assistant response holds: blocks, calls, prose, an answer, and what is wrong with it."""

from __future__ import annotations

from typing import NamedTuple

from toolsurface_lint.protocols.calls import Call
from toolsurface_lint.protocols.landmarks import Landmarks
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span

DEFAULT_SENTINEL = "##DONE##"
"""The completion sentinel of a runtime that is not given another."""

RUNS, LOST, VARIES = "runs", "lost", "varies"
"""What becomes of the call that a violation concerns: every runtime runs it, none does, or versions differ."""

LONG_PROSE_CHARACTERS = 800
LONG_PROSE_LINES = 12
"""Narration beyond this is not brief; both protocols ask for brief narration without saying how brief."""


class Block(NamedTuple):
    """One block: its kind (the tag's name, or `tool`), all of it, and what stands between its delimiters."""

    kind: str
    span: Span
    content: Span


class Response:
    """One assistant response: `text`, read by `protocol`.

    `blocks` are its blocks in the order of the text, `calls` are those that a runtime would make of it, `prose` the
    answer if there is one, else the narration, `reasoning` what a model that reasons has written before it, None if
    nothing, `user_response` the answer, `done` the text of the last completion marker. `violations` are the breaks of the
    protocol, `remarks` what is allowed but unwise (`code_in_prose`, `long_prose`) or a sign of a collapsed model
    (`opener_collapse`); both in the order of the text. The `code` of each is its name in the Harn specification's cases,
    its value `outcome` one of `RUNS`, `LOST` and `VARIES` where it concerns a call, and `name` the name of its tool.
    """

    __slots__ = (
        *("blocks", "calls", "done", "prose", "protocol", "reasoning", "remarks", "text", "user_response"),
        "violations",
    )

    def __init__(self, text: str, protocol: str) -> None:
        self.text = text
        self.protocol = protocol
        self.blocks: list[Block] = []
        self.calls: list[Call] = []
        self.prose = ""
        self.reasoning: str | None = None
        self.user_response: str | None = None
        self.done: str | None = None
        self.violations: list[Problem[Span]] = []
        self.remarks: list[Problem[Span]] = []

    def contents(self, kind: str) -> list[str]:
        """The texts of the blocks of one kind, without the blanks around them."""
        return [
            self.text[block.content.start : block.content.end].strip() for block in self.blocks if block.kind == kind
        ]


class ResponseParser:
    """Reads one response of a protocol; any text is one.

    `known`: the names that are tools, None where nothing is known. `sentinel`: None where it is not known, empty where
    there is none. `final`: the response is known to end its conversation.
    """

    def __init__(
        self, text: str, protocol: str, known: frozenset[str] | None, sentinel: str | None, final: bool
    ) -> None:
        self.text = text
        self.known = known
        self.sentinel = sentinel
        self.final = final
        self.landmarks = Landmarks(text)
        self.response = Response(text, protocol)

    def is_sentinel(self, content: Span) -> bool:
        """Whether the sentinel, or where it is not known the usual one, is the text of a span."""
        sentinel = DEFAULT_SENTINEL if self.sentinel is None else self.sentinel
        return bool(sentinel) and self.text[content.start : content.end] == sentinel

    def report(self, kind: str, span: Span, outcome: str = "", /, **values: object) -> None:
        self.response.violations.append(Problem(kind, span, {**values, "outcome": outcome} if outcome else values))
