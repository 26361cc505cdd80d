"""The words of the page: outcomes, severities, counts and places, each always said in the same way."""

from __future__ import annotations

from typing import Any, NamedTuple

from toolsurface_lint import reporters
from toolsurface_lint.reporters.page.markup import Child, Markup, code, element


class Word(NamedTuple):
    """How a value is said, and in which of the tones it is painted; each tone has a shape of its own."""

    text: str
    tone: str


OUTCOMES: dict[str | None, Word] = {
    None: Word("no policy", "none"),
    "approved": Word("approved", "good"),
    "allowed": Word("allowed", "good"),
    "needs_approval": Word("needs approval", "ask"),
    "depends_on_call": Word("depends on the call", "ask"),
    "denied": Word("denied", "bad"),
    "outside_policy": Word("outside the policy", "bad"),
    "above_ceiling": Word("above the ceiling", "bad"),
}
"""What comes of all policies of a surface for a tool, and of each, from the mildest."""


def badge(word: Word) -> Markup:
    return element("span", word.text, class_=f"badge {word.tone}")


def outcome_badge(outcome: str | None) -> Markup:
    return badge(OUTCOMES[outcome])


def severity_badge(severity: str, number: int | None = None) -> Markup:
    """A severity, or how many findings there are of it."""
    return badge(Word(severity if number is None else count(number, severity), severity))


def count(number: int, noun: str) -> str:
    """How many of something there are, with the thousands of the number apart."""
    return reporters.count(number, noun, ",")


def absent(meaning: str) -> Markup:
    """A dash for an empty cell, and what it means for those who do not see it."""
    return element(
        "span", element("span", "–", aria_hidden="true"), element("span", meaning, class_="unseen"), class_="absent"
    )


def place(item: dict[str, Any]) -> Child:
    """The place of something, as a compiler writes it; nothing for plain data."""
    if item["path"] is None:
        return None
    return code(f"{item['path']}:{item['line']}:{item['column']}", class_="place")


def excerpt_line(shown: dict[str, Any] | None, tone: str = "") -> Child:
    """A line of a file with the part that is meant marked in it."""
    if shown is None:
        return None
    line, start, end = (shown[key] for key in ("text", "start", "end"))
    marked = element("mark", _untabbed(line[start:end]), class_=tone or None) if end > start else None
    return element("code", _untabbed(line[:start]), marked, _untabbed(line[end:]), class_="line")


def _untabbed(line: str) -> str:
    return line.replace("\t", "    ")
