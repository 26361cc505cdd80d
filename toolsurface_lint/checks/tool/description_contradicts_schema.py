"""A parameter's description that contradicts its schema.

The one class of defect in definitions with a measured effect: descriptions that name another type or other values than
the schema cost models 13 to 29 points of task success.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolsurface_lint.checks.contract import DEFINITION, check
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.texts import Described, described
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.source.tree import Node

RULE = Rule(
    code="TOOL_DESCRIPTION_CONTRADICTS_SCHEMA",
    since="0.1.0",
    severity=WARNING,
    summary="A parameter's description contradicts its schema.",
    message={
        "type": "the description of `{name}` says `{said}`, but its type is {types}",
        "default": "the description of `{name}` says `{said}`, but its default is `{default}`",
        "values": "the description of `{name}` says `{said}`, but its schema allows only {values}",
        "bound": "the description of `{name}` says `{said}`, but its `{key}` is {bound}",
    },
    help="make the two agree; models follow the description",
    tags=("tools",),
)


_TYPE_WORDS = frozenset(
    {
        *("string", "integer", "int", "number", "float", "boolean", "bool", "array", "list", "object", "dict"),
        *("dictionary", "comma", "comma-separated"),
    }
)
_TYPE_STEMS = ("string", "int", "number", "float", "bool", "array", "list", "object", "dict", "comma")
"""What the words have in common: to look for these first costs half as much."""
_STARTS = (
    *("(", "[", "A ", "An ", "a ", "an ", "Type", "type", "Optional ", "optional ", "Required ", "required "),
    *("Comma", "comma", "The ", " ", "\n", "\t"),
)
"""How texts begin that may begin with their type."""


@check(DEFINITION, RULE)
def check_definition(tool: Tool, target: Target) -> Iterator[Finding]:
    if tool.format == "arguments":
        return
    for part in described(tool):
        if not part.name:
            continue
        schema = _effective(part.schema)
        questions = _questions(part.text, schema)
        if questions:
            yield from _findings(tool, part, schema, questions)


def _effective(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema together with its only alternative besides null: what `Optional` becomes."""
    options = schema.get("anyOf")
    if not isinstance(options, list) or len(options) != 2:
        return schema
    others = [option for option in options if isinstance(option, dict) and option.get("type") != "null"]
    return {**others[0], **schema} if len(others) == 1 else schema


def _questions(text: str, schema: dict[str, Any]) -> list[str]:
    """What is worth asking of a description: most say nothing that a schema says too."""
    found = []
    if "ust be a" in text or (text.startswith(_STARTS) and _begins_with_type(text[:50].lower())):
        found.append("type")
    if "default" in schema and "efault" in text:
        found.append("default")
    if ("enum" in schema or "items" in schema) and any(mark in text for mark in _LIST_MARKS):
        found.append("values")
    if "minimum" in schema or "maximum" in schema or "maxLength" in schema or "maxItems" in schema:
        found.append("bounds")
    return found


def _begins_with_type(head: str) -> bool:
    for stem in _TYPE_STEMS:
        if stem in head:
            return not _TYPE_WORDS.isdisjoint(head.translate(_SPACES).split()[:4])
    return False


_SPACES = str.maketrans("()[]:.,;=", " " * 9)
_LIST_MARKS = ("ne of", "alues", "ust be", "an be", "ither", "ptions")


def _findings(tool: Tool, part: Described, schema: dict[str, Any], questions: list[str]) -> Iterator[Finding]:
    # Loaded where there is something to ask: compiling its patterns takes longer than reading most files.
    from toolsurface_lint.checks.tool._schema_claims import CLAIMS

    for question in questions:
        for claim in CLAIMS[question](part.text, schema):
            schema_key = Node(tool.tree, (*part.path, claim.key), None)
            yield RULE.at(
                part.node(tool).text_place(claim.start, claim.end),
                claim.kind,
                tool=tool.name,
                field=part.field,
                related=[("the schema says so here", schema_key.place)],
                name=part.name,
                said=claim.said,
                **claim.values,
            )
