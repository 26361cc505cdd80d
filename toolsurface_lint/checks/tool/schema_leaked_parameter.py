"""A parameter of the code around a tool, which a converter took for one of the tool's own."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import SCHEMA, check
from toolsurface_lint.checks.tool._tool_schema import ToolSchema
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.target import Target

RULE = Rule(
    code="TOOL_SCHEMA_LEAKED_PARAMETER",
    since="0.1.0",
    severity=WARNING,
    summary="The schema offers the model a parameter that only the code around the tool has.",
    message="the schema of `{name}` offers the model the parameter `{parameter}`, {what}",
    tags=("tools", "schemas"),
)

_LEAKED = {
    "ctx": (
        "which a framework fills in",
        "give it the framework's own type, such as `Context`, so that it stays out of the schema",
    ),
    "kwargs": (
        "which stands for all other arguments in Python",
        "declare the arguments by their names: all others are lost",
    ),
    "self": ("which is the object of a method in Python", "register the method of an object"),
    "cls": ("which is the class of a method in Python", "register the method of the class"),
}
"""By name: what it is, and what to do."""


@check(SCHEMA, RULE)
def check_leaked(schema: ToolSchema, target: Target) -> Iterator[Finding]:
    value = schema.value
    properties = value.get("properties") if isinstance(value, dict) else None
    if not isinstance(properties, dict):
        return
    for name, (what, help) in _LEAKED.items():
        part = properties.get(name)
        # Whoever describes it means it.
        if isinstance(part, dict) and not part.get("description"):
            yield RULE.at(
                schema.place(("properties", name), "key"),
                tool=schema.tool.name,
                field=f"parameters.{name}",
                name=schema.tool.name,
                parameter=name,
                what=what,
                help=help,
            )
