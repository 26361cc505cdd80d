"""Regular expressions of schemas, which come from the files that are linted: only those that cannot hang are run."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from toolsurface_lint.source.warnings import python_warnings


class Pattern(NamedTuple):
    """A harmless regular expression; texts longer than `limit` are not checked against it.

    At least as strict as the pattern run by Python's `re` as it stands: `$` is only the end, `\\d` and `\\w` are ASCII.
    """

    regex: re.Pattern[str]
    limit: int

    def takes(self, text: str) -> bool:
        return len(text) <= self.limit

    def matches(self, text: str) -> bool:
        return self.regex.search(text) is not None


# Each variable repetition multiplies the ways to match by the length of the text at worst.
_LIMITS = (1 << 20, 4096, 300, 60)
_LONGEST = 500
# Alternatives in groups one after the other multiply too.
_CHOICES = 100

_ATOM = (
    r"\\[dw./\\^$*+?()\[\]{}|\-]"
    r"|\[(?!\^)(?:\\[dw./\\^$*+?()\[\]{}|\-]|[^\\\[\]])+\]"
    r"|\[\^(?:\\[./\\^$*+?()\[\]{}|\-]|[^\\\[\]])+\]"
    r"|[^\\\[\](){}|^$*+?]"
)
_REPEAT = r"\*|\+|\?|\{\d{1,3}(?:,\d{0,3})?\}"


@lru_cache(maxsize=1)
def _token() -> re.Pattern[str]:
    """One token of the simple patterns; compiled when the first pattern comes along."""
    return re.compile(
        rf"(?P<atom>{_ATOM})(?P<repeat>{_REPEAT})?|(?P<open>\((?:\?:)?)(?!\?)|(?P<close>\)\??)|(?P<other>[|^$])"
    )


@lru_cache(maxsize=1 << 14)
def harmless(pattern: str) -> Pattern | None:
    """The pattern if it surely runs in little time and means the same in ECMAScript and Python, else None.

    Groups may be optional, never repeated.
    """
    if len(pattern) > _LONGEST:
        return None
    at = variable = 0
    choices = 1
    bars = [0]
    # Without an anchor, the search starts over at every character.
    loose = not pattern.startswith("^") or "|" in pattern
    match = _token().match
    while at < len(pattern):
        token = match(pattern, at)
        if token is None:
            return None
        repeat = token["repeat"]
        if token["close"] == ")?" or (repeat and not re.fullmatch(r"\{\d+\}", repeat)):
            variable += 1
        if token["open"]:
            bars.append(0)
        elif token["other"] == "|":
            bars[-1] += 1
        elif token["close"] and len(bars) > 1:
            choices *= bars.pop() + 1
        at = token.end()
    if variable + loose >= len(_LIMITS) or choices > _CHOICES:
        return None
    try:
        with python_warnings("error"):
            regex = re.compile(_token().sub(_translated, pattern), re.ASCII)
    except (re.error, Warning, OverflowError, RecursionError):
        return None
    return Pattern(regex, _LIMITS[variable + loose])


def may_match(pattern: Pattern | None, text: str) -> bool:
    """Whether a pattern matches a text, or may match it: one that is not run, as None is not, counts as matching."""
    return pattern is None or not pattern.takes(text) or pattern.matches(text)


def _translated(token: re.Match[str]) -> str:
    return r"\Z" if token["other"] == "$" else token[0]


# What Python's `re` says about mistakes that are mistakes in ECMAScript too.
_MISTAKES = (
    "unterminated character set", "missing ), unterminated subpattern", "unbalanced parenthesis", "nothing to repeat",
    "bad character range", "bad escape (end of pattern)",
)  # fmt: skip


@lru_cache(maxsize=1 << 10)
def mistake(pattern: str) -> str | None:
    """What Python's `re` says of a pattern that is not a regular expression in any flavour; None if it may be one."""
    if harmless(pattern) is not None or len(pattern) > 10_000:
        return None
    # `[]` and `[^]` are whole classes to ECMAScript and the beginning of one to Python.
    if "[]" in pattern or "[^]" in pattern:
        return None
    try:
        with python_warnings("ignore"):
            re.compile(pattern)
    except re.error as error:
        return error.msg if error.msg.startswith(_MISTAKES) else None
    except (OverflowError, RecursionError):
        return None
    return None
