"""A schema without parameters of a tool that has some: what a converter makes of a schema that it does not understand."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolsurface_lint.checks.contract import SCHEMA, TOOL_LISTS, check
from toolsurface_lint.checks.tool._tool_schema import ToolSchema, schema_of
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool, remembered
from toolsurface_lint.model.words import name_words

RULE = Rule(
    code="TOOL_SCHEMA_EMPTY",
    since="0.1.0",
    severity=WARNING,
    summary="A schema declares no parameters, but the tool has some.",
    message={
        "described": "the schema of `{name}` declares no parameters, but the description lists {names}",
        "all": "the schemas of all {count} tools are empty, also those of {names}",
    },
    help="compare it with the source: converters leave out what they do not understand, such as Zod 4 schemas",
    tags=("tools", "schemas"),
)

# Nothing in a schema of these alone says what an argument is called.
_SAYS_NOTHING = frozenset(
    ("$schema", "$id", "type", "properties", "required", "additionalProperties", "title", "description", "strict")
)
# What a framework fills in, or a text says in place of a name.
_NO_PARAMETERS = frozenset(("ctx", "context", "self", "cls", "args", "kwargs", "none", "no", "nothing", "n"))
_NEEDS_INPUT = frozenset(
    (
        *("add", "append", "assign", "buy", "comment", "convert", "delete", "edit", "execute", "find", "insert"),
        *("lookup", "merge", "move", "query", "remove", "rename", "replace", "reply", "search", "send", "set"),
        *("translate", "update", "upload", "write"),
    )
)
"""The first words of names that mean nothing without an argument."""
_FEWEST, _FEWEST_IN_NEED = 3, 2
_TAG = (
    r"(?m)^[ \t]*+(?:[-*][ \t]++)?(?:@param[ \t]++(?:\{[^{}\n]*+\}[ \t]++)?|:param[ \t]++(?:\w++[ \t]++)?)"
    r"\[?([A-Za-z_]\w*+)"
)
_HEADS = re.compile(r"\b(?:arg(?:ument)?s|param(?:eter)?s?)\b", re.IGNORECASE)


@check(SCHEMA, RULE)
def check_description(schema: ToolSchema, target: Target) -> Iterator[Finding]:
    tool = schema.tool
    # What a function accepts is in its signature, and TOOL_CODE_DOCSTRING_PARAMETER_UNKNOWN compares its docstring with it.
    if tool.code is not None or not _is_empty(schema):
        return
    names = _described(tool)
    if names:
        place = schema.place(())
        yield RULE.at(place, "described", tool=tool.name, field="parameters", name=tool.name, names=_quoted(names))


@check(TOOL_LISTS, RULE)
def check_lists(lists: list[list[Tool]], target: Target) -> Iterator[Finding]:
    """Lists of nothing but empty schemas, once each."""
    for tools in lists:
        in_need = [tool for tool in tools if _is_in_need(tool)]
        if len(tools) < _FEWEST or len(in_need) < _FEWEST_IN_NEED:
            continue
        if any(tool.format.startswith("python") or tool.schema_path is None for tool in tools):
            continue
        schemas = [schema for tool in tools if (schema := schema_of(tool)) is not None and _is_empty(schema)]
        if len(schemas) == len(tools):
            first, *others = (schema for schema in schemas if schema.tool in in_need)
            yield RULE.at(
                first.place(()),
                "all",
                tool=first.tool.name,
                field="parameters",
                related=[(f"and of `{other.tool.name}`", other.place(())) for other in others[:3]],
                count=len(tools),
                names=_quoted([tool.name for tool in in_need]),
            )


def _is_empty(schema: ToolSchema) -> bool:
    value = schema.value
    return (
        isinstance(value, dict)
        and not value.get("properties")
        and not value.get("required")
        and _SAYS_NOTHING.issuperset(value)
        # A map from any name to such values.
        and not (isinstance(value.get("additionalProperties"), dict) and value["additionalProperties"])
    )


def _described(tool: Tool) -> list[str]:
    """The parameters that a description lists, as a docstring does or with tags."""
    text = "" if tool.description is None else tool.description.value
    if _HEADS.search(text) is None:
        return []
    from toolsurface_lint.programs.python.docstrings import read_docstring

    found = [parameter.name for parameter in read_docstring(text).parameters] or re.findall(_TAG, text)
    return [name for name in dict.fromkeys(found) if name.lower() not in _NO_PARAMETERS]


@remembered
def _is_in_need(tool: Tool) -> bool:
    return _needs_input(tool.name)


def _needs_input(name: str) -> bool:
    words = name_words(name)
    return not _NEEDS_INPUT.isdisjoint(words[:1]) or "by" in words[1:-1]


def _quoted(names: list[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:3])
    return f"{shown} and {len(names) - 3} more" if len(names) > 3 else shown
