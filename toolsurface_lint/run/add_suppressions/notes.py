"""The note of a suppression: why it is there, and until when."""

from __future__ import annotations

from typing import NamedTuple

from toolsurface_lint.source.directives import LINE, OWN, directives


class Note(NamedTuple):
    """What is written after the codes: a reason, and the last day as `YYYY-MM-DD`."""

    reason: str = ""
    until: str | None = None

    def __str__(self) -> str:
        return "".join(f" {part}" for part in (self.until and f"until={self.until}", self.reason) if part)


NO_NOTE = Note()


def read_note(text: str) -> Note:
    """The note that a text means, which may name a last day anywhere: `until=2027-01-31 the host is replaced`.

    Raises `ValueError` for one that a comment of some format could not hold.
    """
    found = directives(f"{OWN}: {LINE}[X] {text}")
    if not text.isprintable() or any(mark in text for mark in ("-->", "--!>", "*/", "#}", "{{", "}}")):
        raise ValueError("it must be one line that ends no comment")
    if len(found) != 1 or found[0].problem is not None:
        raise ValueError("the last day is written `until=YYYY-MM-DD`" if len(found) == 1 else "it holds a directive")
    note = Note(found[0].reason, None if found[0].until is None else found[0].until.text)
    (again,) = directives(f"{OWN}: {LINE}[X]{note}")
    # A reason is read up to some length.
    if again.reason != note.reason or len(text) > len(note.reason) + 20:
        raise ValueError("it is too long")
    return note
