"""Which texts may hold the start of a model's server: a look that costs next to nothing, before anything is read."""

from __future__ import annotations

import re

from toolsurface_lint.source.files import open_file

MARKS = re.compile(
    r"tool[-_]call[-_]parser|auto[-_]tool[-_]choice|reasoning[-_]parser|chat[-_]template|--jinja|toolCallParser"
)
"""What a text has somewhere if it holds a launch that a rule could say anything about."""
_SIGNS = (
    "-parser",
    "_parser",
    "toolCallParser",
    "tool-choice",
    "tool_choice",
    "chat-template",
    "chat_template",
    "--jinja",
)
"""One of these is in each of them, and looked for at the speed of memory."""
_BYTES = re.compile(MARKS.pattern.encode())
_LOOKED_AT = 1 << 18
"""Bytes of a file that are searched."""


def is_marked(text: str) -> bool:
    """Whether a text holds any of them."""
    return any(sign in text for sign in _SIGNS) and MARKS.search(text) is not None


def may_serve(path: str, data: bytes | None = None) -> bool:
    """Whether the first bytes of a file hold any option that is read."""
    try:
        if data is None:
            with open_file(path, 0) as file:
                data = file.read(_LOOKED_AT)
    except OSError:
        return False
    return _BYTES.search(data[:_LOOKED_AT]) is not None
