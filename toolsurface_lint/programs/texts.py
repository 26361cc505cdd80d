"""Texts that a program puts together: which part is written where, with a gap for each that only a run can tell.

Texts keep the values that they are made of, and are taken apart only when somebody asks for their pieces: adding to a text
again and again then costs no more than the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, count

from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.flow import MAX_TEXT
from toolsurface_lint.programs.operations import text_of
from toolsurface_lint.source.text import GAP

_GAP = v.Piece(GAP)


def is_text(value: v.Value) -> bool:
    """Whether something of a text is known, even if it is empty."""
    return isinstance(value, v.Text) or (isinstance(value, v.Literal) and isinstance(value.value, str))


def may_be_text(value: v.Value) -> bool:
    """Whether a value is a text as far as anybody knows."""
    return is_text(value) or not isinstance(value, v.Literal | v.Items | v.Mapping)


def together(parts: Iterable[v.Part], module: v.Module, node: v.Node) -> v.Literal | v.Text | None:
    """The text that parts give one after the other; None if it is too long. Any value may be a part: most are gaps."""
    kept: list[v.Part] = []
    texts: list[str] = []
    size = 0
    complete, assumed = True, False
    for part in parts:
        text = part.text if isinstance(part, v.Piece) else text_of(part)
        if text == "":
            continue
        if text is None or GAP in text:
            complete = False
        length = part.size if isinstance(part, v.Text) else 1 if text is None else len(text)
        size += length
        if size > MAX_TEXT:
            return None
        assumed = assumed or (isinstance(part, v.Literal) and part.assumed)
        kept.append(part)
        texts.append(text or "")
    if len(kept) == 1 and isinstance(kept[0], v.Literal | v.Text):
        # Else a text that is passed on again and again would be a chain.
        kept = [*kept[0].parts] or kept
    if complete:
        return v.Literal("".join(texts), module, node, assumed, kept)
    return v.Text(kept, size, module, node)


def pieces(value: v.Value) -> Iterator[v.Piece]:
    """The pieces of a text, in order, none of them empty; one gap for a value of which nothing is known."""
    waiting: list[v.Part] = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, v.Piece):
            yield part
        elif isinstance(part, v.Literal | v.Text) and part.parts:
            waiting.extend(reversed(part.parts))
        else:
            text = text_of(part)
            if text is None:
                yield _GAP
            elif text:
                yield v.Piece(text, part.module, part.node, text)


def files(value: v.Value) -> Iterator[v.FileText]:
    """What is read from files in a text."""
    waiting: list[v.Part] = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, v.FileText):
            yield part
        elif isinstance(part, v.Literal | v.Text):
            waiting.extend(reversed(part.parts))


class Pieces:
    """The pieces of one text, of which ranges can be taken; `text` has a gap for each that is not known."""

    def __init__(self, value: v.Value) -> None:
        self._pieces = list(pieces(value))
        self._starts = [0, *accumulate(len(piece.text) for piece in self._pieces)]
        self.text = "".join(piece.text for piece in self._pieces)

    def part(self, start: int, end: int) -> Iterator[v.Piece]:
        """The pieces of a range of the text."""
        at = bisect_right(self._starts, start) - 1
        while at < len(self._pieces) and self._starts[at] < end:
            piece, first = self._pieces[at], self._starts[at]
            low, high = max(start - first, 0), min(end - first, len(piece.text))
            if low < high:
                yield piece._replace(text=piece.text[low:high], start=piece.start + low)
            at += 1

    def put_in(self, places: Iterable[tuple[int, int, Sequence[v.Part]]]) -> Iterator[v.Part]:
        """The parts of the text with others in place of ranges, which are in order."""
        position = 0
        for start, end, parts in places:
            yield from self.part(position, start)
            yield from parts
            position = end
        yield from self.part(position, len(self.text))


_FIELD = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_FORM = re.compile(r"[^A-Za-z0-9_]")
"""What comes after the name of a field."""


def formatted(text: v.Value, call: v.Call) -> v.Value | None:
    """`str.format`: what a field stands for is known if it is a plain name or number; None for what is not a template."""
    # After an argument that could not be spread, nobody knows the positions.
    given: dict[str, v.Value] = {str(index): value for index, value in enumerate(() if call.open else call.values)}
    given.update({name: argument.value for name, argument in call.keywords.items()})
    automatic = count()
    written = Pieces(text)
    places: list[tuple[int, int, Sequence[v.Part]]] = []
    for match in _FIELD.finditer(written.text):
        start, end = match.span()
        if match[0] in ("{{", "}}"):
            places.append((start + 1, end, ()))
            continue
        if match[1] is None:
            return None
        # Written in a form of its own, it takes its argument too: `{!r}`, `{:>4}`.
        form = _FORM.search(match[1])
        name = match[1] if form is None else match[1][: form.start()]
        known = given.get(name or str(next(automatic)))
        places.append((start, end, (known if known is not None and form is None else _GAP,)))
    return together(written.put_in(places), *call.at)


_INTERPOLATED = re.compile(r"%(?:\(([^()]*)\))?([-#0 +]*+(?:\d++|\*)?(?:\.(?:\d++|\*))?[hlL]?([a-zA-Z%]))")


def interpolated(template: v.Value, value: v.Value, module: v.Module, node: v.Node) -> v.Value | None:
    """`template % value`; None for what is not a template."""
    written = Pieces(template)
    fields = list(_INTERPOLATED.finditer(written.text))
    if any("*" in field[2] for field in fields):
        return None
    positions = [field for field in fields if field[3] != "%" and field[1] is None]
    if isinstance(value, v.Items) and value.kind == "tuple":
        values = iter(value.items if value.complete else ())
        if value.complete and len(value.items) != len(positions):
            return None
    else:
        values = iter([value] if len(positions) == 1 else ())
    places: list[tuple[int, int, Sequence[v.Part]]] = []
    for field in fields:
        start, end = field.span()
        if field[3] == "%":
            places.append((start + 1, end, ()))
            continue
        known: v.Value | None = None
        if field[1] is None:
            known = next(values, None)
        elif isinstance(value, v.Mapping):
            known = value.get(field[1])
        # Other fields than these change how a value is written.
        places.append((start, end, (known if known is not None and field[2] in ("s", "d") else _GAP,)))
    return together(written.put_in(places), module, node)


def replaced(text: v.Value, old: str, new: v.Value, call: v.Call) -> v.Value | None:
    """`text.replace(old, new)`."""
    written = Pieces(text)
    found = re.finditer(re.escape(old), written.text)
    return together(written.put_in((*match.span(), (new,)) for match in found), *call.at)


def dedented(text: v.Literal | v.Text) -> v.Value:
    """`textwrap.dedent(text)`: what stands at the beginning of each line goes."""
    import textwrap

    written = Pieces(text)
    places: list[tuple[int, int, Sequence[v.Part]]] = []
    start = 0
    lines = zip(written.text.split("\n"), textwrap.dedent(written.text).split("\n"), strict=True)
    for line, kept in lines:
        places.append((start, start + len(line) - len(kept), ()))
        start += len(line) + 1
    assert text.module is not None
    assert text.node is not None
    return together(written.put_in(places), text.module, text.node) or text
