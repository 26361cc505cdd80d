"""Tables of plain text."""

from __future__ import annotations

from collections.abc import Sequence

_LONGEST = 60


def table(header: tuple[str, ...], rows: Sequence[tuple[str | int, ...]]) -> str:
    """A table with its first column to the left and the others to the right; empty without rows."""
    if not rows:
        return ""
    texts = [header, *(tuple(map(str, row)) for row in rows)]
    texts = [(_cut(row[0]), *row[1:]) for row in texts]
    widths = [max(len(row[column]) for row in texts) for column in range(len(header))]
    lines = []
    for row in texts:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _cut(text: str) -> str:
    """The end of a long text: of a path, the part that differs."""
    return text if len(text) <= _LONGEST else f"...{text[3 - _LONGEST :]}"
