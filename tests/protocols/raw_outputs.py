"""Writes calls as models write them, by the rows of their protocols."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from toolsurface_lint.protocols.outputs.rows import OutputProtocol
from toolsurface_lint.protocols.outputs.syntax import (
    AttributeTokens,
    BareJson,
    CallNotation,
    JsonCalls,
    KeyValueTags,
    NamedJson,
    NamedTags,
    PythonicCalls,
)

Written = tuple[str, dict[str, Any]]


def write_calls(row: OutputProtocol, calls: list[Written]) -> str:
    """The text of a response that is nothing but these calls."""
    syntax = row.syntax
    if isinstance(syntax, JsonCalls):
        values = [_object(syntax, *call) for call in calls]
        pair = syntax.call[0]
        if len(calls) == 1 and pair.close:
            return pair.open + json.dumps(values[0]) + pair.close
        return pair.open + json.dumps(values) + pair.close
    if isinstance(syntax, BareJson):
        return syntax.separator.join(json.dumps({"name": name, "parameters": given}) for name, given in calls)
    if isinstance(syntax, PythonicCalls):
        written = [f"{name}({', '.join(f'{key}={value!r}' for key, value in given.items())})" for name, given in calls]
        inside = "\n".join(written) if syntax.lines else f"[{', '.join(written)}]"
        return syntax.markers.open + inside + syntax.markers.close
    if isinstance(syntax, CallNotation):
        return "".join(
            f"{syntax.call.open}call:{name}{_notation(given, syntax.quote)}{syntax.call.close}" for name, given in calls
        )
    if isinstance(syntax, AttributeTokens):
        inside = "".join(_element(f'call tool="{escape(name)}"', "call", _elements(given)) for name, given in calls)
        return _element("tools", "tools", inside)
    if isinstance(syntax, (NamedTags, KeyValueTags, NamedJson)):
        write = {NamedTags: _tags, KeyValueTags: _pairs, NamedJson: _named}[type(syntax)]
        inside = "".join(write(syntax, name, given) for name, given in calls)
        return syntax.section.open + inside + syntax.section.close
    return "<|end|>".join(
        f"<|start|>assistant<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>{json.dumps(given)}"
        for name, given in calls
    )


def _object(syntax: JsonCalls, name: str, given: dict[str, Any]) -> dict[str, Any]:
    if not syntax.name_keys:
        return {name: given}
    return {syntax.name_keys[0]: name, syntax.argument_keys[0]: given}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _tags(syntax: NamedTags, name: str, given: dict[str, Any]) -> str:
    line = "\n" if syntax.frames_lines else ""
    quote = '"' if syntax.call.open.endswith("name=") else ""
    arguments = []
    for key, value in given.items():
        said = f' {syntax.typed}="{str(isinstance(value, str)).lower()}"' if syntax.typed else ""
        opening = f"{syntax.argument.open}{quote}{key}{quote}{said}{syntax.argument.close}"
        arguments.append(f"{opening}{line}{_text(value)}{line}{syntax.argument_close}{line}")
    opening = f"{syntax.call.open}{quote}{name}{quote}{syntax.call.close}"
    return f"{opening}{line}{''.join(arguments)}{syntax.call_close}{line}"


def _pairs(syntax: KeyValueTags, name: str, given: dict[str, Any]) -> str:
    arguments = []
    for key, value in given.items():
        said = syntax.type.open + ("string" if syntax.type.open and isinstance(value, str) else "") + syntax.type.close
        arguments.append(
            f"{syntax.key.open}{key}{syntax.key.close}{said}{syntax.value.open}{_text(value)}{syntax.value.close}"
        )
    return f"{syntax.call.open}{name}{syntax.name_close}{''.join(arguments)}{syntax.call.close}"


def _named(syntax: NamedJson, name: str, given: dict[str, Any]) -> str:
    called = f"functions.{name}:0" if syntax.numbered else name
    arguments = f"{syntax.fence.open}\n{json.dumps(given)}\n{syntax.fence.close}"
    return f"{syntax.call.open}{syntax.name_open}{called}{syntax.separator}{arguments.strip()}{syntax.call.close}"


def _notation(value: Any, quote: str) -> str:
    if isinstance(value, str):
        return f"{quote}{value}{quote}"
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{_notation(item, quote)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(_notation(item, quote) for item in value) + "]"
    return json.dumps(value)


def _element(opening: str, name: str, inside: str) -> str:
    return f"<|open|>{opening}<|sep|>{inside}<|close|>{name}<|sep|>"


def _elements(given: dict[str, Any]) -> str:
    kinds = {str: "string", bool: "boolean", dict: "object", list: "array", type(None): "null"}
    return "".join(
        _element(f'argument key="{key}" type="{kinds.get(type(value), "number")}"', "argument", _text(value))
        for key, value in given.items()
    )
