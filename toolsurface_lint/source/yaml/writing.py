"""Writing into a scalar, in the style that it is written in."""

from __future__ import annotations

import re

from toolsurface_lint.source.yaml.scalars import plain_value

_BREAK = re.compile(r"\r\n?|\n")
_PLAIN_PART = re.compile(r"[A-Za-z0-9_./$()*~^+=-]*")
_PLAIN_END = re.compile(r":(?:[\s,\[\]{}]|\Z)|\s#")
_WORDS_OF_YAML = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})


def escape(raw: str, text: str, start: int, end: int) -> str | None:
    """A text as it is written from `start` to `end` of the scalar `raw`; None if its style has no sure way to write it."""
    if not text.isprintable():
        return None
    opener = raw[:1]
    if opener in ("|", ">"):
        return text if _indent_stays(raw, text, start, end) else None
    # White space next to a line break is folded away with it.
    if not text and (raw[start - 1].isspace() or raw[end : end + 1].isspace()) and ("\n" in raw or "\r" in raw):
        return None
    if opener == '"':
        return text.replace("\\", "\\\\").replace('"', '\\"')
    if opener == "'":
        return text.replace("'", "''")
    return text if _PLAIN_PART.fullmatch(text) and _is_plain_text(raw[:start] + text + raw[end:], raw) else None


def _indent_stays(raw: str, text: str, start: int, end: int) -> bool:
    """Whether the line of a block scalar in which something is written keeps its end, its indentation, and some text."""
    if _BREAK.search(raw, start, end):
        return False
    text_end = start
    while text_end and raw[text_end - 1].isspace() and raw[text_end - 1] not in "\r\n":
        text_end -= 1
    # With text before it, which is nearly always so, nobody has to look at the whole of a line.
    if text_end and raw[text_end - 1] not in "\r\n":
        return True
    line_start = max(raw.rfind("\n", 0, start), raw.rfind("\r", 0, start)) + 1
    line_end = _BREAK.search(raw, end)
    before = raw[line_start : line_end.start() if line_end else len(raw)]
    after = raw[line_start:start] + text + raw[end : line_end.start() if line_end else len(raw)]
    return bool(before.strip() and after.strip()) and _indent(before) == _indent(after)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _is_plain_text(scalar: str, before: str) -> bool:
    """Whether a plain scalar, made of another one, is read as a text by every reader, within brackets too."""
    if scalar[:2] != before[:2] and not (scalar[:1].isalpha() or scalar[:1] in ("_", "/", "$", "(")):
        return False
    if _PLAIN_END.search(scalar) or scalar != scalar.strip():
        return False
    # Readers of YAML 1.1 take more words for literals than those of 1.2 do.
    return scalar.lower() not in _WORDS_OF_YAML and plain_value(scalar, None) == scalar
