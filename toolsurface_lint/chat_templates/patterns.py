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
    """A text; a `run` of characters of a class; or a gap, as short as possible.

    `least` is how many characters a run or a gap has at least. `name` is that of a named group, which is one piece; `one` is
    a character of a run that may have several.
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
    r"|(?P<one>\.|\\[dswDSW]|\[\^?(?:\\.|[^\\\]\[])+\])(?P<repeat>[*+]?)(?P<lazy>\??)(?![*+{])"
    r"|(?P<text>\\[^\w\s]|\\[ntr]|[^\\.^$*+?{}\[\]()|])(?P<maybe>\??)(?![*+?{])",
    re.DOTALL,
)


class LinearPattern:
    """A pattern that is matched piece by piece, with DOTALL. Raises `NotRun` for one that cannot be."""

    def __init__(self, pattern: str) -> None:
        self._pieces = list(_joined(_pieces(pattern)))
        following = [*self._pieces[1:], None, None]
        for piece, after, last in zip(self._pieces, following, following[1:], strict=False):
            if not _is_decided(piece, after, last):
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
                text_after = self._pieces[index + 1].text if index + 1 < len(self._pieces) else ""
                if piece.one is not None and text_after and not text.startswith(text_after, at):
                    # The run gives back what the text needs; it might have to give back more.
                    at = text.rfind(text_after, before + piece.least, at + len(text_after) - 1)
                    if at < 0:
                        if has_gap:
                            raise NotRun
                        return None
                    has_gap = True
            else:
                after = self._pieces[index + 1]
                least = at + piece.least
                at = text.find(after.text or self._pieces[index + 2].text, least)
                has_gap = True
                if at < 0:
                    return None
                while after.one is not None and at > least and after.one.match(text, at - 1):
                    at -= 1
            if piece.name:
                groups[piece.name] = text[before:at]
        return Found(start, at, groups)


def _is_gap(piece: _Piece) -> bool:
    return not piece.text and piece.run is None


def _is_decided(piece: _Piece, after: _Piece | None, last: _Piece | None) -> bool:
    """Whether the two pieces behind one say where it ends."""
    if piece.text or (piece.run is not None and piece.one is None):
        return True
    is_optional = after is not None and after.one is not None and after.least == 0
    if _is_gap(piece):
        return after is not None and bool(after.text or (is_optional and last is not None and last.text))
    return after is None or bool(after.text) or _is_gap(after) or (is_optional and last is None)


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
            text = _ESCAPES.get(text[1:], text[-1]) if len(text) > 1 else text
            if match["maybe"]:
                one = re.compile(re.escape(text))
                yield _Piece("", re.compile(f"(?:{re.escape(text)})?+"), one, name=name)
            else:
                yield _Piece(text, name=name)
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
                least = int(match["repeat"] != "*")
                run = re.compile(match["one"] + repeat, re.DOTALL)
                yield _Piece("", run, one if repeat else None, least, name)
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
