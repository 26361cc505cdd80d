"""`toolsurface-lint wire`: the delimiters of tool calls remapped, from standard input to standard output."""

from __future__ import annotations

import sys

from toolsurface_lint.cli.command_table import TO_CANONICAL, TO_WIRE
from toolsurface_lint.cli.stream import write_bytes
from toolsurface_lint.protocols.wire import canonical_to_wire, wire_to_canonical

_REMAPS = {TO_WIRE: canonical_to_wire, TO_CANONICAL: wire_to_canonical}


def wire(direction: str) -> int:
    """Run the command and return its exit code. Every byte that belongs to no delimiter stays as it is."""
    data = b"" if sys.stdin is None else sys.stdin.buffer.read()
    text = data.decode("utf-8", "surrogateescape")
    write_bytes(_REMAPS[direction](text).encode("utf-8", "surrogateescape"))
    return 0
