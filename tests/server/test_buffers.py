"""Buffers and positions by themselves: many small edits against a reference that works on code units."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from toolsurface_lint.server.buffers import Buffer
from toolsurface_lint.server.positions import Positions
from toolsurface_lint.source.text import LineIndex, Span

ENCODINGS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
TEXTS = st.text(alphabet="ab é🛠\n\r\u2028\f", max_size=30)


@given(TEXTS, st.sampled_from(sorted(ENCODINGS)), st.data())
def test_positions_and_offsets_are_inverse(text, encoding, data):
    positions = Positions(LineIndex(text), encoding)
    offset = data.draw(st.integers(0, len(text)))
    position = positions.position(offset)
    # Between the two characters of a line end there is no position.
    if text[max(offset - 1, 0) : offset + 1] != "\r\n":
        assert positions.offset(position) == offset
    codec, width = ENCODINGS[encoding]
    before = (
        text[:offset].replace("\r\n", "\n").replace("\r", "\n") if text[offset - 1 : offset + 1] != "\r\n" else None
    )
    if before is not None:
        line = before.rpartition("\n")[2]
        assert position == types.Position(before.count("\n"), len(line.encode(codec)) // width)


@given(
    TEXTS,
    st.sampled_from(sorted(ENCODINGS)),
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), TEXTS), max_size=5),
)
def test_changes_of_ranges(text, encoding, changes):
    buffer = Buffer("file:///a.md", "/a.md", text, 1)
    for first, last, new in changes:
        start, end = sorted((min(first, len(text)), min(last, len(text))))
        positions = buffer.positions(encoding)
        span = Span(start, end)
        # Only places that a client can name.
        if text[max(start - 1, 0) : start + 1] == "\r\n" or text[max(end - 1, 0) : end + 1] == "\r\n":
            continue
        if text.startswith("\ufeff"):
            continue
        buffer.change(types.TextDocumentContentChangePartial(positions.range(span), new), encoding)
        text = text[:start] + new + text[end:]
        assert buffer.text == text


@pytest.mark.parametrize(
    ("position", "offset"),
    [((0, 99), 2), ((9, 0), 6), ((1, 0), 4), ((1, 99), 6), ((0, 1), 1)],
)
def test_positions_beyond_the_text(position, offset):
    positions = Positions(LineIndex("ab\r\ncd"), "utf-16")
    assert positions.offset(types.Position(*position)) == offset


def test_a_position_within_a_character_is_behind_it():
    positions = Positions(LineIndex("🛠b"), "utf-16")
    assert positions.offset(types.Position(0, 1)) == 1


def test_a_byte_order_mark_is_no_part_of_what_is_checked():
    buffer = Buffer("file:///a.md", "/a.md", "\ufeffab", 1)
    assert buffer.source.text == "ab"
    assert buffer.data == b"\xef\xbb\xbfab"
    assert buffer.positions("utf-16").position(0) == types.Position(0, 1)
    assert buffer.positions("utf-16").offset(types.Position(0, 0)) == 0
    assert buffer.positions("utf-16").offset(types.Position(0, 2)) == 1


def test_whether_a_buffer_is_saved(tmp_path):
    path = tmp_path / "a.md"
    path.write_bytes(b"ab\r\n")
    buffer = Buffer(path.as_uri(), str(path), "ab\r\n", 1)
    assert buffer.saved
    buffer.change(types.TextDocumentContentChangeWholeDocument("abc"), "utf-16")
    assert not buffer.saved
    path.write_bytes(b"abc")
    assert not buffer.saved
    buffer.look_again()
    assert buffer.saved
    path.unlink()
    buffer.look_again()
    assert not buffer.saved
