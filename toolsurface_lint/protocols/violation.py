"""What is wrong in a response, and what becomes of the call that it concerns."""

from __future__ import annotations

from typing import NamedTuple

from toolsurface_lint.source.text import Span

RUNS, LOST, VARIES = "runs", "lost", "varies"
"""What becomes of the call that a violation concerns: every runtime runs it, none does, or versions differ."""

_OUTCOMES = {
    RUNS: "the call still runs",
    LOST: "nothing runs",
    VARIES: "some runtimes run the call, others drop it",
}


class Violation(NamedTuple):
    """One break of a response protocol.

    `code` is the break's name in the specification's cases (`stray_content`, `argument_syntax`, ...). `message` is
    lower case and without a full stop. `outcome` is one of `RUNS`, `LOST` and `VARIES`, empty where no call is
    concerned. `name` is the tool that a call names, where the violation is about one call.
    """

    code: str
    message: str
    span: Span
    outcome: str = ""
    name: str = ""

    @property
    def sentence(self) -> str:
        """The message and what becomes of the call."""
        return f"{self.message}; {_OUTCOMES[self.outcome]}" if self.outcome else self.message
