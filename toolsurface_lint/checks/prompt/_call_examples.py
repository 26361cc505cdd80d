"""The calls that prompts show: what they pass, and whether a tool takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolsurface_lint.model.prompt import JSON_CALL, Prompt, Reference
from toolsurface_lint.model.tool import Tool

if TYPE_CHECKING:
    from toolsurface_lint.protocols.call_example import CallExample
    from toolsurface_lint.source.problem import Problem
    from toolsurface_lint.source.tree import Path

_ARGUMENT_KEYS = "arguments|args|input|parameters"


def example_of(reference: Reference, prompt: Prompt) -> CallExample | None:
    """The arguments of the call that a reference is; None if it is none, or passes none that can be read."""
    from toolsurface_lint.protocols.call_example import read_example

    text = prompt.text
    start = reference.end
    if reference.form == JSON_CALL:
        opening = text.rfind("{", 0, reference.start)
        return None if opening < 0 else read_example(text, opening, reference.call_end, within=_ARGUMENT_KEYS)
    while text[start : start + 1].isspace():
        start += 1
    return read_example(text, start, reference.call_end) if text[start : start + 1] == "(" else None


def definition_of(tool: Tool, key: str) -> dict[str, Any] | None:
    """The schema of one parameter."""
    schema = tool.schema
    if schema is None or not isinstance(schema.value, dict):
        return None
    properties = schema.value.get("properties")
    definition = (properties if isinstance(properties, dict) else schema.value).get(key)
    return definition if isinstance(definition, dict) else None


def refusal(tool: Tool, key: str, value: Any) -> Problem[Path] | None:
    """Why a parameter's schema refuses a value; None if it accepts it, or cannot be asked."""
    # Most parameters ask for a type and no more: their schema, which may have been dropped, need not be read again.
    parameter = tool.parameter(key)
    if parameter is not None and parameter.accepts(value):
        return None
    definition = definition_of(tool, key)
    schema = tool.schema
    if definition is None or schema is None:
        return None
    # In the flat form of a schema, `required` is about the parameter.
    if isinstance(definition.get("required"), bool):
        definition = {name: part for name, part in definition.items() if name != "required"}
        root = definition
    else:
        root = schema.value
    from toolsurface_lint.schemas.validation import validate

    problems = validate(definition, value, root)
    return problems[0] if problems and not problems[0].at else None
