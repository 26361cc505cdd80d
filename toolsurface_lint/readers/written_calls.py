"""Calls that datasets write as `name(key=value)`, one or a list of them in brackets: `[Find Hotel(city="Ulm"), hours()]`.

Unlike the pythonic output of models, names may have spaces and slashes (ToolACE), and values may be without a key (the
multi-turn answers of the Berkeley Function Calling Leaderboard).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from toolsurface_lint.model.transcript import Call
from toolsurface_lint.protocols.calls import Call as TextCall
from toolsurface_lint.protocols.calls import Parts
from toolsurface_lint.protocols.outputs.literals import PYTHON, LiteralError, LiteralReader
from toolsurface_lint.readers.responses import call_in_text
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Node, Spans

_LONGEST = 300
"""How long a name is at most."""
_NAME = re.compile(r"[^\s()\[\]{}=,'\"][^()\[\]{}=,'\"\n]{0,299}(?=\()")
_KEY = re.compile(r"([^\W\d][\w.$-]*)\s*=(?!=)\s*")


def written_calls(node: Node, declared: Mapping[str, Sequence[str]]) -> list[Call]:
    """The calls that the whole of the string at a node is; empty if it is anything else.

    `declared` are the tools that are known, with their parameters in order: names that no pattern finds, and the keys
    of values without one.
    """
    text = node.value
    literals = LiteralReader(text, len(text), PYTHON)
    position = literals.blank(0)
    listed = text.startswith("[", position)
    position = literals.blank(position + listed)
    calls: list[TextCall] = []
    try:
        while not (listed and text.startswith("]", position)):
            call = _read(text, position, literals, declared)
            calls.append(call)
            position = literals.blank(call.span.end)
            if not listed:
                break
            if text.startswith((",", ";"), position):
                position = literals.blank(position + 1)
            elif not text.startswith("]", position):
                return []
    except LiteralError:
        return []
    if literals.blank(position + listed) < len(text):
        return []
    return [call_in_text(node, call) for call in calls]


def _declared_name(text: str, start: int, declared: Mapping[str, Sequence[str]]) -> str | None:
    """The longest declared name before a parenthesis, which it may have itself."""
    end = text.rfind("(", start, start + _LONGEST)
    while end > start:
        if text[start:end] in declared:
            return text[start:end]
        end = text.rfind("(", start, end)
    return None


def _read(text: str, start: int, literals: LiteralReader, declared: Mapping[str, Sequence[str]]) -> TextCall:
    """The call that begins at an offset. Raises `LiteralError`."""
    name = _declared_name(text, start, declared)
    if name is None:
        found = _NAME.match(text, start)
        if found is None:
            raise LiteralError("call", start)
        name = found.group()
    opening = start + len(name)
    position = literals.blank(opening + 1)
    values: dict[str, Any] = {}
    items: dict[str, Spans] = {}
    unnamed = iter(declared.get(name.strip(), ()))
    while not text.startswith(")", position):
        keyword = _KEY.match(text, position)
        value, places = literals.read(position if keyword is None else keyword.end())
        key = keyword[1] if keyword is not None else next(unnamed, None)
        if key is None:
            raise LiteralError("positional", position)
        if keyword is not None:
            places.key_start, places.key_end = keyword.span(1)
        values[key], items[key] = value, places
        position = literals.blank(places.end)
        if text.startswith(",", position):
            position = literals.blank(position + 1)
        elif not text.startswith(")", position):
            raise LiteralError("separator", position)
    span = Span(start, position + 1)
    name_span = Span(start, start + len(name.rstrip()))
    return TextCall(name.strip(), values, span, Parts(name_span, Spans(opening, position + 1, items)))
