"""Plain functions: `{name, description, parameters}`, the shape that many files share and no provider owns."""

from __future__ import annotations

from typing import Any

from toolsurface_lint.readers.tool_format import ToolFormat

_SCHEMA_KEYS = frozenset(("type", "properties", "required", "$ref", "$schema", "anyOf", "oneOf", "allOf"))


def _recognises(item: dict[str, Any]) -> bool:
    parameters = item.get("parameters")
    if not isinstance(parameters, dict):
        return False
    # Models and jobs have a name and parameters too, but theirs are values: what a definition has is a schema, or one for
    # each parameter.
    return not _SCHEMA_KEYS.isdisjoint(parameters) or all(isinstance(value, dict) for value in parameters.values())


FORMAT = ToolFormat("function", 80, _recognises, schemas=(("parameters",),), annotations=True)
