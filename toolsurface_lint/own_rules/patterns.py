"""Regular expressions of rules of one's own: RE2, whose time grows with the text alone, whatever the pattern.

google-re2 is an extra (`rules`), as it has no wheels for musl; it is imported when the first pattern is compiled. Its
searches are linear, but the factor is the size of the compiled pattern where its automaton outgrows its memory: both are
bounded here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from toolsurface_lint.source.text import Span

MAX_LENGTH = 1000
"""Characters of one pattern."""
MAX_PROGRAM = 1000
"""Instructions that one pattern may be compiled to."""
MAX_PROGRAMS = 20_000
"""Instructions of all patterns of the settings together."""
MAX_MATCHES = 100
"""Matches of one pattern in one text that are looked for: each search for the next one may go to the end of the text."""

_MEMORY = 1 << 20
"""Bytes that one pattern may take, its automaton included."""
_STEPS = 1 << 28
"""Instructions times characters of one search: under two seconds where all of them are tried at each character."""
_SURROGATE = re.compile("[\ud800-\udfff]")

INSTALL = "pip install 'toolsurface-lint[rules]'"


class WrongPattern(Exception):
    """A pattern that cannot be used: why, and the offset in it, in code points."""

    def __init__(self, message: str, at: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.at = at


class TooMuch(Exception):
    """More than is looked at: whether a thing meets a condition is not decided, and the message says why."""


class Pattern:
    """One compiled pattern. Offsets are code points of the text."""

    __slots__ = ("_regex", "size", "text")

    def __init__(self, text: str, regex: Any) -> None:
        self.text = text
        self._regex = regex
        self.size: int = regex.programsize

    def matches(self, text: str) -> bool:
        """Whether the pattern matches anywhere in a text. Raises `TooMuch`."""
        return self._regex.search(self._searchable(text)) is not None

    def spans(self, text: str) -> Iterator[Span]:
        """Where the pattern matches something, the first `MAX_MATCHES` of them. Raises `TooMuch`."""
        for count, match in enumerate(self._regex.finditer(self._searchable(text))):
            if count == MAX_MATCHES:
                return
            start, end = match.span()
            if end > start:
                yield Span(start, end)

    def replaced(self, text: str, replacement: str) -> str:
        """A text with every match replaced, in which `\\1` stands for the first group. Raises `TooMuch`."""
        parts, position = [], 0
        for count, match in enumerate(self._regex.finditer(self._searchable(text))):
            start, end = match.span()
            if count == MAX_MATCHES:
                break
            parts += [text[position:start], _expanded(replacement, match)]
            position = end
        return "".join([*parts, text[position:]])

    def _searchable(self, text: str) -> str:
        if len(text) * self.size > _STEPS:
            raise TooMuch("a text is too long for the size of its pattern")
        # A lone surrogate, which JSON can write, has no UTF-8.
        return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


_GROUP = re.compile(r"\\([0-9])")


def _expanded(replacement: str, match: Any) -> str:
    return _GROUP.sub(lambda group: match[int(group[1])] or "", replacement)


def missing_group(pattern: Pattern, replacement: str) -> int | None:
    """The offset in a replacement of a group that the pattern does not have; None if it has all."""
    groups = pattern._regex.groups
    return next((found.start() for found in _GROUP.finditer(replacement) if int(found[1]) > groups), None)


@lru_cache(maxsize=1024)
def compiled(text: str) -> Pattern:
    """A pattern, ready to search with. Raises `WrongPattern`."""
    if len(text) > MAX_LENGTH:
        raise WrongPattern(f"the pattern has more than {MAX_LENGTH:,} characters", MAX_LENGTH)
    surrogate = _SURROGATE.search(text)
    if surrogate:
        raise WrongPattern("the pattern holds half of a character", surrogate.start())
    try:
        import re2
    except ImportError:
        raise WrongPattern(f"patterns need the engine RE2: {INSTALL}") from None
    options = re2.Options()
    options.max_mem = _MEMORY
    options.log_errors = False
    try:
        pattern = Pattern(text, re2.compile(text, options))
    except re2.error as error:
        raise _wrong(text, error.args[0]) from None
    if pattern.size > MAX_PROGRAM:
        raise WrongPattern(f"the pattern is too large: its repetitions are written out, {pattern.size:,} steps of them")
    return pattern


_LOOKAROUND = ("(?=", "(?!", "(?<=", "(?<!")


def _wrong(pattern: str, said: bytes | str) -> WrongPattern:
    """What is wrong with a pattern, by what RE2 says of it: a reason, and after a colon the part that it is about."""
    reason, _, part = (said.decode("utf-8", "replace") if isinstance(said, bytes) else said).partition(": ")
    at = _where(pattern, part)
    if reason == "pattern too large - compile failed":
        return WrongPattern("the pattern is too large: its repetitions are written out")
    if any(pattern.startswith(sign, at) for sign in _LOOKAROUND):
        return WrongPattern("patterns have no lookahead and no lookbehind: they are searched for in linear time", at)
    if pattern.startswith("(?P=", at) or re.match(r"\\(?:[1-9]|k)", pattern[at:]):
        return WrongPattern("patterns have no backreferences: they are searched for in linear time", at)
    if pattern.startswith("\\Z", at):
        return WrongPattern("write `\\z` for the end of the text, not `\\Z`", at)
    return WrongPattern(
        f"not a regular expression of RE2: {reason}" + (f", `{part}`" if part and part != pattern else ""), at
    )


_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\[:\w*:\]|\\.|[^\]\\])*\]|.", re.DOTALL)


def _where(pattern: str, part: str) -> int:
    """The offset at which RE2 stumbled: where the part that it shows begins as one of the pattern's own."""
    if part == "(?P" and "(?P=" in pattern:
        part = "(?P="
    if not part or part == pattern:
        return 0
    for token in _TOKEN.finditer(pattern):
        if pattern.startswith(part, token.start()):
            return token.start()
    return max(pattern.find(part), 0)
