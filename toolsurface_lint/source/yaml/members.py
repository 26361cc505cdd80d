"""Members of a mapping as text."""

from __future__ import annotations

import re

from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Spans

_INDENT = re.compile(r"([ ]*)(?=[^ \t\r\n])")
_COLON = re.compile(r"[ \t]*:[ \t]*")
_SPECIAL = re.compile(r"[\r\n&*!#]")
# A comma in the next line belongs to a member of braces.
_REST_OF_LINE = re.compile(r"[ \t]*\r?\n(?![ \t\r\n]*,)")


def own_line(text: str, end: int, member: Spans) -> Span | None:
    """The line of a member that has it to itself, without a comment, with its line end; `end` is that of the document."""
    line = _INDENT.match(text, text.rfind("\n", 0, member.key_start) + 1, end)
    if line is None or line.end(1) != member.key_start:
        return None
    between = text[member.key_end : member.end]
    colon = _COLON.match(between)
    rest = _REST_OF_LINE.match(text, member.end, end)
    # Behind an anchor or a tag, more hangs on the value than itself.
    if colon is None or member.key_end + colon.end() != member.start or rest is None or _SPECIAL.search(between):
        return None
    return Span(line.start(), rest.end())
