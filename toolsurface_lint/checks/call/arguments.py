"""The arguments of a call against the tool's parameter schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from json import JSONDecodeError, loads
from typing import Any

from toolsurface_lint.checks._schema_words import PREDICATES, alternatives, spelled, spelled_path
from toolsurface_lint.checks.contract import CALL, check
from toolsurface_lint.model.diagnostics import ERROR, Finding, Rule
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.transcript import FREE, OBJECT, UNREADABLE, Call
from toolsurface_lint.schemas.arguments import ArgumentSchema, argument_schema
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Path, Place

NOT_JSON = Rule(
    code="CALL_ARGUMENTS_NOT_JSON",
    since="0.1.0",
    severity=ERROR,
    summary="The arguments of a call are not a JSON object.",
    message={
        "type": "the arguments of the call of `{name}` are {found}, not a JSON object",
        "incomplete": "the arguments of the call of `{name}` end before they are complete",
        "syntax": "the arguments of the call of `{name}` are not JSON: {reason}",
        "too_deep": "the arguments of the call of `{name}` are nested too deeply, or not JSON",
    },
    tags=("calls",),
)

STRINGIFIED = Rule(
    code="CALL_ARGUMENT_STRINGIFIED",
    since="0.1.0",
    severity=ERROR,
    summary="An argument of a call is JSON in a string, where the schema asks for an object or an array.",
    message="the call of `{name}` passes {where} as JSON in a string, not as {wanted}",
    tags=("calls",),
)

INVALID = Rule(
    code="CALL_INVALID_ARGUMENTS",
    since="0.1.0",
    severity=ERROR,
    summary="An argument of a call breaks the tool's schema.",
    message={
        **{kind: f"the call of `{{name}}` breaks its schema: {{where}} {text}" for kind, text in PREDICATES.items()},
        "required": "the call of `{name}` breaks its schema: {where} is missing",
        "additionalProperties": "the call of `{name}` breaks its schema: {where} is not declared",
    },
    tags=("calls",),
)


@check(CALL, NOT_JSON, STRINGIFIED, INVALID)
def check_call(call: Call, tool: Tool | None, surface: Surface) -> Iterable[Finding]:
    value = call.value
    if value is UNREADABLE:
        return () if call.shape.encoding == FREE else (_not_json(call),)
    if tool is None:
        return ()
    schema = argument_schema(tool, surface)
    if schema is None:
        return ()
    errors = schema.errors(value)
    return _invalid(call, tool, schema, errors) if errors else ()


def _not_json(call: Call) -> Finding:
    place = call.at(call.shape.arguments)
    text = call.arguments
    if not isinstance(text, str) or call.shape.encoding == OBJECT:
        return NOT_JSON.at(place, "type", tool=call.name, found=_described(text))
    try:
        value = loads(text)
    except JSONDecodeError as error:
        cut = error.msg.startswith("Unterminated string") or error.pos >= len(text.rstrip())
        kind, reason = "incomplete" if cut else "syntax", error.msg[:1].lower() + error.msg[1:]
        position = max(len(text.rstrip()) - 1, 0) if cut else error.pos
        where = Place(call.tree, place.path, "text", position, position + 1)
        return NOT_JSON.at(where, kind, tool=call.name, reason=reason)
    except (ValueError, RecursionError):
        return NOT_JSON.at(place, "too_deep", tool=call.name)
    return NOT_JSON.at(place, "type", tool=call.name, found=_described(value))


def _described(value: Any) -> str:
    if isinstance(value, str):
        return "a string"
    if isinstance(value, list):
        return "an array"
    if isinstance(value, bool):
        return "a boolean"
    return "null" if value is None else "a number"


def _invalid(call: Call, tool: Tool, schema: ArgumentSchema, problems: list[Problem[Path]]) -> Iterator[Finding]:
    root = call.arguments_node
    in_strings = _in_strings(call, schema, problems)
    for problem in problems:
        path = schema.written(problem.at, root.value)
        node = root.tree.at(root.path + path)
        if path in in_strings and problem.kind in _OF_TYPE:
            yield STRINGIFIED.at(
                node.place,
                tool=tool.name,
                field=".".join(map(str, path)),
                related=[("the schema", schema.place(keyword)) for _, keyword in problem.related],
                name=call.name,
                where=f"`{spelled_path(path)}`",
                wanted=in_strings[path],
            )
            continue
        subject = problem.values.get("property") if problem.kind in ("required", "additionalProperties") else None
        where = spelled_path(path if subject is None else (*path, str(subject)))
        member = node.get(str(subject)) if problem.kind == "additionalProperties" else None
        yield INVALID.of(
            spelled(problem),
            node.place if member is None else member.key_place,
            tool=tool.name,
            field=".".join(map(str, path)) or None,
            related=[("the schema", schema.place(keyword)) for _, keyword in problem.related],
            name=call.name,
            where=f"`{where}`" if where else "the arguments",
        )


_OF_TYPE = frozenset(("type", "anyOf", "oneOf"))


def _in_strings(call: Call, schema: ArgumentSchema, problems: list[Problem[Path]]) -> dict[Path, str]:
    """The arguments of a wrong type that are right, or less wrong, once the JSON in them is read; each with what it is."""
    read: dict[Path, Any] = {}
    for problem in problems:
        path = schema.written(problem.at, call.value)
        text = _at(call.value, path) if path and problem.kind in _OF_TYPE else None
        if isinstance(text, str) and text.lstrip()[:1] in ("{", "[") and path not in read:
            from toolsurface_lint.source.json_values import read_value

            value = read_value(text)
            if isinstance(value, dict | list):
                read[path] = value
    if not read:
        return {}
    value = _replaced(call.value, read)
    still = {schema.written(each.at, value) for each in schema.errors(value) if each.kind in _OF_TYPE}
    return {path: alternatives([_KINDS[type(value)]]) for path, value in read.items() if path not in still}


_KINDS: dict[type, str] = {dict: "object", list: "array"}


def _at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def _replaced(value: Any, changes: dict[Path, Any]) -> Any:
    """A copy of a value with other ones at some paths; what lies on no path is shared."""
    copies: dict[Path, Any] = {(): copy(value)}
    for path, changed in changes.items():
        holder = copies[()]
        for length in range(1, len(path)):
            prefix = path[:length]
            if prefix not in copies:
                copies[prefix] = holder[path[length - 1]] = copy(holder[path[length - 1]])
            holder = copies[prefix]
        holder[path[-1]] = changed
    return copies[()]
