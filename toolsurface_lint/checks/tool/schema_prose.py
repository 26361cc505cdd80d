"""What the descriptions of parameters say, or do not say, against the schema next to them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from toolsurface_lint.checks.contract import DEFINITION, SCHEMA, check
from toolsurface_lint.checks.tool._tool_schema import ToolSchema, parameter_of
from toolsurface_lint.model.diagnostics import INFO, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.schemas.references import resolve
from toolsurface_lint.schemas.walk import PROPERTY, Subschema
from toolsurface_lint.source.tree import Place

PARAMETER_UNDESCRIBED = Rule(
    code="TOOL_SCHEMA_PARAMETER_UNDESCRIBED",
    since="0.1.0",
    severity=INFO,
    summary="A parameter has no description.",
    message="parameter `{parameter}` has no description",
    tags=("tools", "schemas"),
    preview=True,
)
ENUM_IN_PROSE = Rule(
    code="TOOL_SCHEMA_ENUM_IN_PROSE",
    since="0.1.0",
    severity=INFO,
    summary="A description lists the allowed values of a free string.",
    message="the description lists the allowed values of `{parameter}`, and the schema allows any string",
    tags=("tools", "schemas"),
    preview=True,
)
REQUIRED_IN_PROSE = Rule(
    code="TOOL_SCHEMA_REQUIRED_IN_PROSE",
    since="0.1.0",
    severity=INFO,
    summary="A description calls a parameter required or optional, against `required`.",
    message={
        "listed": "the description calls `{parameter}` {word}, but `required` lists it",
        "unlisted": "the description calls `{parameter}` {word}, but `required` does not list it",
    },
    tags=("tools", "schemas"),
    preview=True,
)


@check(SCHEMA, PARAMETER_UNDESCRIBED, ENUM_IN_PROSE, REQUIRED_IN_PROSE)
def check_schema(schema: ToolSchema, target: Target) -> Iterator[Finding]:
    said = said_in_docstring(schema.tool)
    for part in schema.subschemas:
        if part.role != PROPERTY or part.negated or part.conditional:
            continue
        described = _description(schema, part)
        if described is None or not described.strip():
            if part.name not in said:
                parameter = parameter_of(part) or part.name
                yield schema.finding(PARAMETER_UNDESCRIBED, part, aspect="key", parameter=parameter)
        elif isinstance(part.schema.get("description"), str):
            yield from _enum(schema, part, described)
            yield from _required(schema, part, described)


def said_in_docstring(tool: Tool) -> frozenset[str]:
    """The parameters that a function's docstring, which the model reads, describes, or is the only place to describe."""
    code = tool.code
    if code is None:
        return frozenset()
    said = {documented.name for documented in code.documented}
    if tool.format == "python-harness":
        said.update(parameter.name for parameter in code.parameters)
    return frozenset(said)


@check(DEFINITION, PARAMETER_UNDESCRIBED)
def check_arguments(tool: Tool, target: Target) -> Iterator[Finding]:
    for index, parameter in enumerate(tool.parameters if tool.format == "arguments" else ()):
        if not (tool.description_of(parameter.name) or "").strip():
            yield PARAMETER_UNDESCRIBED.at(
                Place(tool.tree, (*tool.path, "arguments", index, "name")),
                tool=tool.name,
                field=f"parameters.{parameter.name}",
                parameter=parameter.name,
            )


def _description(schema: ToolSchema, part: Subschema) -> str | None:
    """The description of a parameter, its own or that of the definition that it refers to."""
    current: Any = part.schema
    for _ in range(10):
        description = current.get("description")
        if isinstance(description, str):
            return description
        reference = current.get("$ref")
        target = resolve(schema.value, reference) if isinstance(reference, str) else None
        if target is None or not isinstance(target.value, dict):
            return None
        current = target.value
    return None


_QUOTED = r"""["'`“‘][^"'`“”‘’\n]{1,40}["'`”’]"""
_SEPARATOR = r"(?:\s*+[,/|]\s*+(?:or\s++|and\s++)?|\s++(?:or|and)\s++)"
_INTRODUCTION = (
    r"\b(?:one of|either|(?:valid|allowed|possible|accepted|supported|available)\s+(?:values|options|choices)|"
    r"options|choices|must be|can be)(?:\s++(?:are|is|include|the following))*+\s*+(?:[:=]\s*+)?(?:[(\[]\s*+)?"
)
_WORD = r"[A-Za-z][\w-]{0,30}"
_LISTED = (
    rf"{_INTRODUCTION}(?:{_QUOTED}(?:\s*+\([^)]{{0,60}}\))?{_SEPARATOR}){{1,30}}{_QUOTED}"
    rf"|\b(?:one of|(?:valid|allowed|possible|accepted)\s+values)(?:\s++are|\s++is)?\s*+:\s*+"
    rf"{_WORD}(?:(?:,\s*+(?:or\s++)?|\s*+\|\s*+|\s++or\s++){_WORD}){{1,30}}(?=[.)\];]|$)"
    rf"|\(\s*+{_WORD}(?:\s*+\|\s*+{_WORD}){{1,30}}\s*+\)"
    rf"|\(\s*+{_QUOTED}(?:\s*+,\s*+{_QUOTED}){{0,30}}\s*+(?:,\s*+)?(?:or|\||/)\s*+{_QUOTED}\s*+\)"
)
_EXAMPLES = r"(?:e\.?g\.?|for example|such as|examples?|like|etc\.?)\W{0,3}$"
# No list is without one of them.
_MARKS = frozenset("\"'`“‘|:")
_RESTRICTED = frozenset(("enum", "const", "pattern", "format", "$ref", "anyOf", "oneOf", "allOf"))


def _search(pattern: str, text: str) -> re.Match[str] | None:
    # Compiled when first needed: the rules of this file are off for most.
    return re.search(pattern, text, re.IGNORECASE)


def _enum(schema: ToolSchema, part: Subschema, description: str) -> Iterator[Finding]:
    if part.schema.get("type") != "string" or not _RESTRICTED.isdisjoint(part.schema):
        return
    if _MARKS.isdisjoint(description):
        return
    found = _search(_LISTED, description)
    # An object in the text: the list may be about one of its members.
    if found is None or "{" in description or _search(_EXAMPLES, description[: found.start()]) is not None:
        return
    if any(name in _siblings(part) for name in re.findall(r"[\w-]+", found[0])):
        return  # "either `content` or `file`" is about parameters.
    yield _in_description(ENUM_IN_PROSE, schema, part, found.span(), help="list them in `enum`")


def _in_description(
    rule: Rule, schema: ToolSchema, part: Subschema, span: tuple[int, int], kind: str = "", **options: Any
) -> Finding:
    """The finding of a rule at the words of a parameter's description."""
    found = schema.finding(rule, part, ("description",), kind, parameter=parameter_of(part) or part.name, **options)
    return found._replace(place=found.place.part(*span))


def _siblings(part: Subschema) -> dict[str, Any]:
    properties = part.parent.schema.get("properties") if part.parent is not None else None
    return properties if isinstance(properties, dict) else {}


# Only a word by itself: "required if ...", "required for `create`" and "required fields" speak of something else.
_REQUIRED = (
    r"[(\[]\s*(required|mandatory)\s*[)\]]|^\s*(required|mandatory)\s*(?:[.:,;]|$)"
    r"|\.\s*+(required|mandatory)\s*+(?:\.\s*+)?$"
)
_OPTIONAL = (
    r"[(\[]\s*(optional)\s*[)\]]|^\s*(optional)\b(?!\s+(?:list|fields|parameters|arguments|values|keys)\b)"
    r"|\.\s*+(optional)\s*+(?:\.\s*+)?$"
)


def _required(schema: ToolSchema, part: Subschema, description: str) -> Iterator[Finding]:
    lower = description.lower()
    if "optional" not in lower and "required" not in lower and "mandatory" not in lower:
        return
    name = part.path[-1]
    listed = part.parent.schema.get("required") if part.parent is not None else None
    is_required = isinstance(listed, list) and name in listed
    pattern = _OPTIONAL if is_required else _REQUIRED
    found = _search(pattern, description)
    if found is None:
        return
    # "(required) ... (optional)" about the members of a list is not a statement about the parameter.
    if _search(_REQUIRED if is_required else _OPTIONAL, description) is not None:
        return
    group = next(index for index, text in enumerate(found.groups(), 1) if text)
    kind = "listed" if is_required else "unlisted"
    yield _in_description(REQUIRED_IN_PROSE, schema, part, found.span(group), kind, word=found[group].lower())
