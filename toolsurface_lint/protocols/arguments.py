"""The arguments of a call against its tool: what is missing, and what goes by an old name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_SCHEMA_KEYS = ("parameters", "input_schema", "inputSchema")


def validate_arguments(tool: Mapping[str, Any] | None, arguments: Mapping[str, Any]) -> list[str]:
    """The names of the required parameters that a call leaves out, in the order of their declaration.

    `tool` is a tool dict in the flat form (`parameters` maps names to definitions) or with a JSON Schema; None, an
    unknown tool, requires nothing. Missing is what is absent or null; a parameter with a default never is.
    """
    return [name for name in _required(tool or {}) if arguments.get(name) is None]


def normalise_arguments(annotations: Mapping[str, Any] | None, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with deprecated aliases renamed; an alias stays where its canonical key is given too.

    `annotations` holds the aliases under `arg_schema.arg_aliases`.
    """
    schema = (annotations or {}).get("arg_schema")
    aliases = schema.get("arg_aliases") if isinstance(schema, Mapping) else None
    normal: dict[str, Any] = {}
    for key, value in arguments.items():
        canonical = aliases.get(key) if isinstance(aliases, Mapping) else None
        renamed = isinstance(canonical, str) and canonical not in arguments and canonical not in normal
        normal[canonical if renamed and isinstance(canonical, str) else key] = value
    return normal


def _required(tool: Mapping[str, Any]) -> list[str]:
    function = tool.get("function")
    owner = function if isinstance(function, Mapping) else tool
    schema: Mapping[str, Any] = next((owner[key] for key in _SCHEMA_KEYS if isinstance(owner.get(key), Mapping)), {})
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        listed = schema.get("required")
        names = listed if isinstance(listed, list) else []
        return [name for name in names if isinstance(name, str) and not _has_default(properties.get(name))]
    if schema.get("type") == "object" and not isinstance(schema.get("required"), Mapping):
        return []
    return [name for name, definition in schema.items() if _is_required(definition)]


def _is_required(definition: Any) -> bool:
    """Whether a parameter in the flat form is required: unless it says no, or has a default. Text is a type's name."""
    if not isinstance(definition, Mapping):
        return True
    return definition.get("required") is not False and not _has_default(definition)


def _has_default(definition: Any) -> bool:
    return isinstance(definition, Mapping) and "default" in definition
