"""Calls written as JSON: the body of a fenced block, a provider's list of calls, an object in prose."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from toolsurface_lint.protocols.calls import Call, CallError, Parts
from toolsurface_lint.protocols.landmarks import Landmarks
from toolsurface_lint.source.json import JsonTree
from toolsurface_lint.source.json import read_json as read_documents
from toolsurface_lint.source.json_values import scan_value
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import MAX_DEPTH, SourceText, Span
from toolsurface_lint.source.tree import Spans

_ATTEMPTS = 64
"""How many places of one text are tried as JSON in vain; each costs at most one pass over the text."""


class JsonSyntaxError(Exception):
    """Text that is not a JSON value; `offset` is where it stops being one.

    `kind` is `incomplete` where it only stops too early, `too_deep`, or one of those in `_KINDS`.
    """

    def __init__(self, kind: str, offset: int) -> None:
        super().__init__(kind)
        self.kind = kind
        self.offset = offset


_KINDS = {
    "Invalid control character": "control_character",
    "Invalid \\": "escape",
    "Expecting property name": "key",
    "Expecting ':'": "colon",
    "Expecting ','": "separator",
    "Expecting value": "value",
    "Illegal trailing comma": "trailing_comma",
}
"""What the decoder's messages begin with."""


def read_json(text: str, start: int, end: int) -> tuple[Any, int]:
    """The JSON value at `start` and the offset after it, at most `end`. Raises `JsonSyntaxError`, offsets counted in `text`."""
    body = text[start:end]
    if body.count("[") + body.count("{") > MAX_DEPTH and nesting(body) > MAX_DEPTH:
        raise JsonSyntaxError("too_deep", start)
    try:
        plain, length = scan_value(body, 0)
    except StopIteration as stop:
        raise _refused(body, start, "Expecting value", stop.value) from None
    except json.JSONDecodeError as error:
        raise _refused(body, start, error.msg, error.pos) from None
    except ValueError:
        # An integer of very many digits is only known to be a number; else it is NaN or an infinity.
        trees = read_documents(SourceText("", body)).trees
        if not trees:
            raise JsonSyntaxError("constant", start) from None
        plain, length = trees[0].value, trees[0].spans.end
    except RecursionError:
        raise JsonSyntaxError("too_deep", start) from None
    return plain, start + length


def _refused(body: str, start: int, message: str, at: int) -> JsonSyntaxError:
    rest = body[at : at + 8].rstrip()
    end = len(body.rstrip())
    stops = at >= end or message.startswith("Unterminated string")
    if stops or rest == "-" or any(word.startswith(rest) for word in ("true", "false", "null") if at + 8 > end):
        return JsonSyntaxError("incomplete", start + min(at, len(body)))
    return JsonSyntaxError(
        next((kind for said, kind in _KINDS.items() if message.startswith(said)), "other"), start + at
    )


def nesting(body: str) -> int:
    """The greatest nesting of brackets outside strings."""
    depth = deepest = 0
    for match in _BRACKETS.finditer(body):
        bracket = match.group()
        if bracket in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif bracket in "]}":
            depth -= 1
    return deepest


_BRACKETS = re.compile(r'[\[\]{}]|"(?:[^"\\]|\\.)*+(?:"|\Z)', re.DOTALL)


def json_call(
    landmarks: Landmarks, name: str, arguments: dict[str, Any], span: Span, keys: tuple[str, ...] = ()
) -> Call:
    """The call that the JSON object at `span` is; `keys` are those that may hold its arguments, the first one wins."""

    def locate() -> Parts:
        members = _members(landmarks, span)
        called = _span(members.get("name") or members.get("tool"))
        given = next((members[key] for key in keys if key in members), None)
        return Parts(called or Span(span.start, span.start), given)

    return Call(name, arguments, span, locate)


def member_span(landmarks: Landmarks, span: Span, key: str) -> Span | None:
    """The place of a member's value in the JSON object at `span`."""
    return _span(_members(landmarks, span).get(key))


def _members(landmarks: Landmarks, span: Span) -> dict[str, Spans]:
    items = JsonTree(SourceText("", landmarks.text), None, span.start).spans.items
    return items if isinstance(items, dict) else {}


def _span(places: Spans | None) -> Span | None:
    return None if places is None else Span(places.start, places.end)


_PROVIDER_START = re.compile(r'\[\s*\{\s*"|\{\s*"(?:id|type|function)"')
_ANY_START = re.compile(r'\{\s*"(?:name|tool|args|arguments|parameters|function|id|type)"')


def provider_calls(
    landmarks: Landmarks, known: frozenset[str] | None, start: int, end: int
) -> tuple[list[Call], list[CallError]]:
    """The calls of the first list or object in a provider's form between two offsets."""
    for value, span in _candidates(landmarks.text, _PROVIDER_START, start, end):
        items = value if isinstance(value, list) else [value]
        if not any(isinstance(item, dict) and isinstance(item.get("function"), dict) for item in items):
            continue
        found = [_provider_call(landmarks, known, item, span) for item in items]
        return [call for call in found if isinstance(call, Call)], [
            error for error in found if isinstance(error, CallError)
        ]
    return [], []


def _provider_call(
    landmarks: Landmarks, known: frozenset[str] | None, item: Any, span: Span
) -> Call | CallError | None:
    function = item.get("function") if isinstance(item, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    if not isinstance(function, dict) or not isinstance(name, str) or not name:
        return None
    if known is not None and name not in known:
        return CallError(Problem("unknown_tool", span, {"name": name}), span)
    try:
        arguments = _arguments(function.get("arguments"))
    except JsonSyntaxError:
        return CallError(Problem("argument_syntax/not_json", span, {"name": name}), span)
    return json_call(landmarks, name, arguments if isinstance(arguments, dict) else {}, span)


def _arguments(given: Any) -> Any:
    """The arguments that a call gives as they are, or as the text of JSON. Raises `JsonSyntaxError`."""
    return read_json(given, 0, len(given))[0] if isinstance(given, str) else given


def call_objects(
    landmarks: Landmarks, known: frozenset[str] | None, start: int, end: int
) -> Iterator[tuple[str, Any, Span]]:
    """The JSON objects between two offsets that are meant as calls: name, arguments, place.

    Meant is what has a name and arguments, or a `function` with a name; where the tools are known, the name of one.
    """
    for value, span in _candidates(landmarks.text, _ANY_START, start, end):
        meant = encoded_call(value)
        if meant is not None and (known is None or meant[0] in known):
            yield meant[0], meant[1], span


def encoded_call(value: Any) -> tuple[str, Any] | None:
    """The name and the arguments that an object encodes in one of the usual shapes; None if it is not a call."""
    if not isinstance(value, dict):
        return None
    inner = value.get("function")
    if isinstance(inner, dict):
        value = inner
    name = value.get("name", value.get("tool", value.get("tool_name")))
    keys = [key for key in ("args", "arguments", "parameters") if key in value]
    if not isinstance(name, str) or not name or (not keys and value is not inner):
        return None
    try:
        arguments = _arguments(value[keys[0]] if keys else {})
    except JsonSyntaxError:
        return None
    return (name, arguments) if isinstance(arguments, dict) or arguments is None else None


def _candidates(text: str, pattern: re.Pattern[str], start: int, end: int) -> Iterator[tuple[Any, Span]]:
    """The JSON values that begin where `pattern` matches, without those inside others."""
    position = start
    failures = 0
    while failures < _ATTEMPTS:
        match = pattern.search(text, position, end)
        if match is None:
            return
        try:
            # Without a copy of the rest for each candidate, which `read_json` would make.
            plain, after = scan_value(text, match.start())
        except (StopIteration, ValueError, RecursionError):
            after = end + 1
        if after > end:
            failures += 1
            position = match.start() + 1
        else:
            yield plain, Span(match.start(), after)
            position = after
