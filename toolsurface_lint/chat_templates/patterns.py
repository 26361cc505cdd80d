"""Regular expressions of others that are matched without going back: those that are pieces of text with gaps between them.

A pattern that means anything else is not run: who wrote it may have meant it to take for ever.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple


class NotRun(Exception):
    """A pattern that may take long, or means more than is followed here."""


class Found(NamedTuple):
    """A match: its half-open range, and what its named groups hold."""

    start: int
    end: int
    groups: dict[str, str]


class _Piece(NamedTuple):
    """A text; a `run` of characters of a class; or a gap of at least `least` characters, as short as possible.

    `name` is that of a named group, which is one piece; `one` is a character of the run.
    """

    text: str = ""
    run: re.Pattern[str] | None = None
    one: re.Pattern[str] | None = None
    least: int = 0
    name: str = ""


_MOST_TEXT = 8_000
"""Characters that a pattern is matched against: more than a rendered turn has."""
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_PIECE = re.compile(
    r"(?P<open>\(\?P<(?P<name>\w+)>|\(\?:|\((?!\?))|(?P<close>\)(?![*+?{]))"
    r"|(?P<one>\.|\\[dsw]|\[\^?(?:\\.|[^\\\]\[])+\])(?P<repeat>[*+]?)(?P<lazy>\??)(?![*+{])"
    r"|(?P<text>\\[^\w\s]|\\[ntr]|[^\\.^$*+?{}\[\]()|])(?![*+?{])",
    re.DOTALL,
)


class LinearPattern:
    """A pattern that is matched piece by piece, with DOTALL. Raises `NotRun` for one that cannot be."""

    def __init__(self, pattern: str) -> None:
        self._pieces = list(_joined(_pieces(pattern)))
        for piece, after in zip(self._pieces, [*self._pieces[1:], None], strict=True):
            if piece.run is None and not piece.text and (after is None or not after.text):
                raise NotRun
            # What follows a run must not be able to be a part of it.
            if piece.one is not None and after is not None and (not after.text or piece.one.match(after.text[0])):
                raise NotRun

    def search(self, text: str, start: int = 0) -> Found | None:
        """The first match at or after an offset. Raises `NotRun` for a text that is too long, or a gap that may be longer."""
        if len(text) > _MOST_TEXT:
            raise NotRun
        first = self._pieces[0].text if self._pieces else ""
        at = text.find(first, start)
        while at >= 0:
            found = self._match(text, at)
            if found is not None:
                return found
            at = text.find(first, at + 1) if at < len(text) else -1
        return None

    def _match(self, text: str, start: int) -> Found | None:
        at = start
        groups: dict[str, str] = {}
        has_gap = False
        for index, piece in enumerate(self._pieces):
            before = at
            if piece.text:
                if not text.startswith(piece.text, at):
                    if has_gap:
                        # The gap could be longer.
                        raise NotRun
                    return None
                at += len(piece.text)
            elif piece.run is not None:
                run = piece.run.match(text, at)
                if run is None:
                    if has_gap:
                        raise NotRun
                    return None
                at = run.end()
            else:
                at = text.find(self._pieces[index + 1].text, at + piece.least)
                has_gap = True
                if at < 0:
                    return None
            if piece.name:
                groups[piece.name] = text[before:at]
        return Found(start, at, groups)


def _pieces(pattern: str) -> Iterator[_Piece]:
    """The pieces of a pattern, of which texts are single characters. Raises `NotRun`."""
    at = 0
    open_groups: list[str] = []
    inside = 0
    while at < len(pattern):
        match = _PIECE.match(pattern, at)
        if match is None:
            raise NotRun
        at = match.end()
        if match["open"]:
            open_groups.append(match["name"] or "")
            inside = 0
            continue
        if match["close"]:
            if not open_groups or (open_groups[-1] and inside != 1):
                raise NotRun
            open_groups.pop()
            continue
        inside += 1
        name = open_groups[-1] if open_groups else ""
        if match["text"]:
            text = match["text"]
            yield _Piece(_ESCAPES.get(text[1:], text[-1]) if len(text) > 1 else text, name=name)
        elif match["one"] == "." and match["lazy"] and match["repeat"]:
            yield _Piece(least=int(match["repeat"] == "+"), name=name)
        elif match["one"] == "." and match["repeat"]:
            raise NotRun
        else:
            if match["lazy"]:
                raise NotRun
            repeat = f"{match['repeat']}+" if match["repeat"] else ""
            try:
                one = re.compile(match["one"], re.DOTALL)
                yield _Piece("", re.compile(match["one"] + repeat, re.DOTALL), one if repeat else None, name=name)
            except re.error:
                raise NotRun from None
    if open_groups:
        raise NotRun


def _joined(pieces: Iterator[_Piece]) -> Iterator[_Piece]:
    """The same with characters that follow one another as one text."""
    text = ""
    for piece in pieces:
        if piece.text and not piece.name:
            text += piece.text
            continue
        if text:
            yield _Piece(text)
            text = ""
        yield piece
    if text:
        yield _Piece(text)
