"""What transformers reads back of a model's answer by the `response_template` of its tokenizer.

Source: transformers 5.24.0, utils/chat_parsing. A field is a region of the text between `open` and `close`, whose content is
parsed and put into the form of a message by `transform`.

Patterns are an attacker's, and may take for ever. Reading is left to the limited process (`rendering.worker`), which imports
this module alone of the package; it imports the standard library only.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple


class Refused(Exception):
    """Why transformers does not load a response template, or fails as it reads a text with it."""


class NotRun(Exception):
    """A pattern that Python's `re` does not compile, or an option that is not followed here."""


class _Field(NamedTuple):
    """`open` and `close` are regular expressions."""

    name: str
    spec: Mapping[str, Any]
    open: str | None
    close: str | None


_KEYS = frozenset(("version", "defaults", "fields", "start_anchor", "start_anchor_pattern"))
_FIELD_KEYS = frozenset(
    ("open", "open_pattern", "close", "close_pattern", "content", "content_args", "repeats", "join", "optional")
) | frozenset(("transform", "transform_each"))


class ResponseTemplate:
    """A response template that transformers loads. Raises `Refused` for any other; patterns are not compiled yet."""

    def __init__(self, spec: Any) -> None:
        if not isinstance(spec, dict):
            raise Refused("it is not an object")
        if spec.get("version", 1) != 1:
            raise Refused("its version is not 1")
        _refuse_unknown(spec, _KEYS, "")
        fields = spec.get("fields")
        if not isinstance(fields, dict) or not fields:
            raise Refused("it has no `fields`")
        anchor = _delimiter(spec, "start_anchor", "start_anchor_pattern", "")
        if anchor is None:
            raise Refused("it has no `start_anchor`")
        self._anchor = anchor
        self._fields = [_field(name, field) for name, field in fields.items()]
        if sum(field.open is None for field in self._fields) > 1:
            raise Refused("more than one field has no `open`")

    def calls(self, prompt: str, text: str) -> list[tuple[str, Any]]:
        """The names and arguments of the calls in a text that follows a prompt. Raises `Refused` and `NotRun`.

        It runs the patterns, and ends only where its process is limited.
        """
        found: list[tuple[str, Any]] = []
        for value in self._values(self._after_anchor(prompt) + text, "tool_calls"):
            for call in value if isinstance(value, list) else [value]:
                function = call.get("function") if isinstance(call, dict) else None
                if isinstance(function, dict):
                    found.append((str(function.get("name")), function.get("arguments")))
        return found

    def _after_anchor(self, prompt: str) -> str:
        return prompt[max((found.end() for found in _compiled(self._anchor).finditer(prompt)), default=0) :]

    def _values(self, text: str, name: str) -> list[Any]:
        """What the regions of a field hold: all of them if it repeats, else the last."""
        values: list[Any] = []
        at = 0
        while (opened := self._opened(text, at)) is not None:
            field, found = opened
            closed = None if field.close is None else _compiled(field.close).search(text, found.end())
            body = text[found.end() :] if closed is None else text[found.end() : closed.start()]
            at = len(text) if closed is None else closed.end()
            if field.name == name:
                groups = {**_groups(found), **(_groups(closed) if closed is not None else {})}
                value = _value(field, body, groups)
                if not field.spec.get("repeats"):
                    values.clear()
                values.append(value)
        return values

    def _opened(self, text: str, start: int) -> tuple[_Field, re.Match[str]] | None:
        """The field whose region begins next: of several at one place, that with the longest beginning."""
        found = [
            (field, match)
            for field in self._fields
            if field.open is not None and (match := _compiled(field.open).search(text, start)) is not None
        ]
        first = min(found, key=lambda each: (each[1].start(), -each[1].end()), default=None)
        return None if first is None or not first[1][0] else first


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Raises `NotRun`. transformers takes the package `regex`, which has more syntax."""
    with warnings.catch_warnings():
        # Such as one about `[[:alpha:]]`, which means something else to `regex`.
        warnings.simplefilter("error")
        try:
            return re.compile(pattern, re.DOTALL)
        except (re.error, Warning, OverflowError):
            raise NotRun from None


def _groups(match: re.Match[str]) -> dict[str, str]:
    return {name: text for name, text in match.groupdict().items() if text is not None}


def _field(name: str, spec: Any) -> _Field:
    if not isinstance(spec, dict):
        raise Refused(f"field `{name}` is not an object")
    _refuse_unknown(spec, _FIELD_KEYS, f"field `{name}`: ")
    if str(spec.get("content", "text")) not in _PARSERS:
        raise Refused(f"field `{name}`: `{_short(str(spec['content']))}` is not a content parser")
    opening = _delimiter(spec, "open", "open_pattern", name)
    # What is between the regions has no calls, wherever it ends.
    close = None if opening is None else _delimiter(spec, "close", "close_pattern", name)
    return _Field(name, spec, opening, close)


def _refuse_unknown(spec: Mapping[str, Any], known: frozenset[str], where: str) -> None:
    unknown = next((key for key in spec if key not in known), None)
    if unknown is not None:
        raise Refused(f"{where}`{_short(unknown)}` is not a key")


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}…"


def _delimiter(spec: Mapping[str, Any], key: str, pattern_key: str, name: str) -> str | None:
    where = f"field `{name}`: " if name else ""
    if key in spec and pattern_key in spec:
        raise Refused(f"{where}`{key}` and `{pattern_key}` are both given")
    if key in spec:
        texts = [spec[key]] if isinstance(spec[key], str) else spec[key]
        if not isinstance(texts, list) or not texts or not all(isinstance(text, str) and text for text in texts):
            raise Refused(f"{where}`{key}` is not a text")
        return "|".join(map(re.escape, sorted(texts, key=len, reverse=True)))
    if pattern_key in spec:
        pattern = spec[pattern_key]
        if not isinstance(pattern, str):
            raise Refused(f"{where}`{pattern_key}` is not a text")
        return pattern
    return None


def _value(field: _Field, body: str, groups: Mapping[str, str]) -> Any:
    """What a region holds, in the form that `transform` gives it."""
    arguments = field.spec.get("content_args", {})
    value = _parsed(body, field.spec.get("content", "text"), arguments if isinstance(arguments, dict) else {})
    transform = field.spec.get("transform")
    if transform is None:
        return value
    if field.spec.get("transform_each"):
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise Refused(f"field `{field.name}`: `transform_each` needs a list of objects")
        return [_transformed(transform, {**groups, **item}) for item in value]
    return _transformed(transform, {**groups, "content": value})


_PLACEHOLDER = re.compile(r"\{(\w+(?:\.\w+)*)\}")


def _transformed(transform: Any, scope: Mapping[str, Any]) -> Any:
    if isinstance(transform, dict):
        return {key: _transformed(value, scope) for key, value in transform.items()}
    if isinstance(transform, list):
        return [_transformed(value, scope) for value in transform]
    placeholder = _PLACEHOLDER.fullmatch(transform) if isinstance(transform, str) else None
    if placeholder is None:
        return transform
    value: Any = scope
    for key in placeholder[1].split("."):
        if not isinstance(value, Mapping) or key not in value:
            raise Refused(f"`{{{_short(placeholder[1])}}}` is not in what was read")
        value = value[key]
    return value


def _parsed(text: str, parser: str, arguments: Mapping[str, Any]) -> Any:
    """A region's content. Raises `Refused` where transformers fails, and `NotRun` where the parser is not followed."""
    return _PARSERS[parser](text, arguments)


def _text(text: str, arguments: Mapping[str, Any]) -> str:
    return text.strip() if arguments.get("strip", True) else text


def _number(text: str, arguments: Mapping[str, Any]) -> float:
    try:
        return float(_text(text, arguments))
    except ValueError:
        raise Refused(f"`{_short(text.strip())}` is not a number") from None


def _json(text: str, arguments: Mapping[str, Any]) -> Any:
    if arguments.get("string_delims") or arguments.get("unquoted_keys"):
        raise NotRun
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        if arguments.get("allow_non_json"):
            return _text(text, arguments)
        raise Refused("what it cuts out is not JSON") from None


def _tags(text: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    pattern = arguments.get("tag_pattern")
    if not isinstance(pattern, str):
        raise Refused("`xml-inline` needs a `tag_pattern`")
    if arguments.get("merge_duplicates"):
        raise NotRun
    found: dict[str, Any] = {}
    for groups in map(_groups, _compiled(pattern).finditer(text)):
        if "key" not in groups:
            raise Refused("`tag_pattern` has no group `key`")
        found[groups["key"]] = _inner(groups.get("value", ""), arguments)
    return found


def _lines(text: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for line in text.split(str(arguments.get("line_sep") or "\n")):
        key, separator, value = line.partition(str(arguments.get("kv_sep") or ":"))
        if separator:
            found[_text(key, arguments)] = _inner(_text(value, arguments), arguments)
    return found


def _inner(text: str, arguments: Mapping[str, Any]) -> Any:
    parser = arguments.get("value_parser")
    if not isinstance(parser, dict):
        return text
    name, inner = str(parser.get("name", "text")), parser.get("args", {})
    if name not in _PARSERS or not isinstance(inner, dict):
        raise Refused("`value_parser` is not a content parser")
    return _parsed(text, name, inner)


def _python_calls(text: str, arguments: Mapping[str, Any]) -> list[dict[str, Any]]:
    try:
        value = ast.parse(text.strip(), mode="eval").body
        calls = value.elts if isinstance(value, ast.List) else []
        return [
            {
                "name": ast.unparse(call.func),
                "arguments": {str(each.arg): ast.literal_eval(each.value) for each in call.keywords},
            }
            for call in calls
            if isinstance(call, ast.Call)
        ]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Refused("what it cuts out is not a list of calls") from None


_PARSERS = {
    "text": _text,
    "int": _number,
    "float": _number,
    "bool": lambda text, arguments: _text(text, arguments).lower() in ("true", "1"),
    "json": _json,
    "xml-inline": _tags,
    "kv-lines": _lines,
    "python-call-list": _python_calls,
}
