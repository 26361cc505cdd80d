"""Gemini function declarations: `{name, description, parameters}` with upper-case types, or `parametersJsonSchema`.

The group `{functionDeclarations: [...]}` that holds them is unpacked by the reader of tool lists.
Source: Gemini API reference, FunctionDeclaration and Schema.
"""

from __future__ import annotations

from typing import Any

from toolsurface_lint.readers.tool_format import ToolFormat

_SCHEMAS = (("parametersJsonSchema",), ("parameters_json_schema",), ("parameters",))


def _recognises(item: dict[str, Any]) -> bool:
    if "parametersJsonSchema" in item or "parameters_json_schema" in item:
        return True
    parameters = item.get("parameters")
    return isinstance(parameters, dict) and parameters.get("type") == "OBJECT"


# A function without parameters declares none; the API has no other way to say so.
FORMAT = ToolFormat("gemini", 30, _recognises, schemas=_SCHEMAS, schema_required=False)
