"""`toolsurface-lint wire`: the delimiters of tool calls remapped, from standard input to standard output."""

from __future__ import annotations

import sys

from toolsurface_lint.cli.stream import write_bytes
from toolsurface_lint.protocols.wire import canonical_to_wire, wire_to_canonical

TO_WIRE, TO_CANONICAL = DIRECTIONS = ("to-wire", "to-canonical")


def wire(direction: str) -> int:
    """Run the command and return its exit code. Every byte that belongs to no delimiter stays as it is."""
    data = b"" if sys.stdin is None else sys.stdin.buffer.read()
    text = data.decode("utf-8", "surrogateescape")
    remapped = canonical_to_wire(text) if direction == TO_WIRE else wire_to_canonical(text)
    write_bytes(remapped.encode("utf-8", "surrogateescape"))
    return 0
