"""Lines around a span, as they are shown."""

import pytest

from toolsurface_lint.source.excerpts import excerpt
from toolsurface_lint.source.text import SourceText, Span


def shown(text: str, start: int, end: int, room: int = 240) -> tuple[str, str]:
    """The line that is shown and the part of it that is marked."""
    found = excerpt(SourceText("a.md", text), Span(start, end), room)
    return found.text, found.text[found.start : found.end]


@pytest.mark.parametrize(
    ("text", "start", "end", "expected"),
    [
        ("one\n  two three \nfour", 6, 9, ("two three", "two")),
        ("one\r\ntwo\r\n", 5, 8, ("two", "two")),
        ("  one  ", 0, 7, ("  one  ", "  one  ")),
        ("one\ntwo", 0, 7, ("one", "one")),
        ("one", 3, 3, ("one", "")),
        ("one", 50, 60, ("one", "")),
        ("", 0, 0, ("", "")),
        ("\U0001f600 two", 2, 5, ("\U0001f600 two", "two")),
    ],
)
def test_a_short_line(text: str, start: int, end: int, expected: tuple[str, str]) -> None:
    assert shown(text, start, end) == expected


def test_a_long_line_is_cut_around_the_span() -> None:
    line = "".join(chr(ord("a") + index % 26) for index in range(1000))
    text, marked = shown(f"first\n{line}\nlast", 506, 516, room=40)
    assert marked == line[500:510]
    assert text == f"…{line[485:525]}…"
    assert shown(line, 0, 3, room=40) == (f"{line[:40]}…", "abc")
    assert shown(line, 997, 1000, room=40) == (f"…{line[979:]}", line[997:])
    assert shown(line, 0, 1000, room=40) == (f"{line[:40]}…", line[:40])
