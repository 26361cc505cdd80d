"""What a parameter schema says about its parameters, whatever its dialect; lenient, never an error."""

from __future__ import annotations

from typing import Any

from toolsurface_lint.model.tool import Parameter

# Keys that the Harn specification does not take for arguments in a schema without `properties`.
_NOT_ARGUMENTS = frozenset({"type", "required", "description"})
# What a definition may say in addition to its type without asking anything of a value.
_PLAIN = frozenset({"type", "title", "description", "default", "examples"})
_PLAIN_NUMBER = _PLAIN | {"minimum", "maximum"}


def known_keys(schema: Any) -> tuple[str, ...]:
    """The argument keys that a schema knows: those of `properties`, else every key but `type`, `required`, `description`."""
    if not isinstance(schema, dict):
        return ()
    properties = schema.get("properties")
    if isinstance(properties, dict):
        return tuple(properties)
    return tuple(key for key in schema if key not in _NOT_ARGUMENTS)


def parameters(schema: Any) -> tuple[Parameter, ...]:
    """The parameters of a JSON Schema object, or of a flat map from name to definition."""
    if not isinstance(schema, dict):
        return ()
    properties = schema.get("properties")
    if isinstance(properties, dict):
        required = schema.get("required")
        needed = set(filter(_is_text, required)) if isinstance(required, list) else set()
        return tuple(_parameter(name, definition, name in needed) for name, definition in properties.items())
    if "type" in schema or "$ref" in schema or "$schema" in schema:
        return ()
    return tuple(_flat_parameter(name, definition) for name, definition in schema.items())


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _flat_parameter(name: str, definition: Any) -> Parameter:
    """A parameter of a flat map: plain text is the type of a required one, `required: false` or a default lifts it."""
    if not isinstance(definition, dict):
        return Parameter(name, True, definition if isinstance(definition, str) else None)
    return _parameter(name, definition, definition.get("required") is not False and "default" not in definition)


def _parameter(name: str, definition: Any, required: bool) -> Parameter:
    if not isinstance(definition, dict):
        return Parameter(name, required)
    enum = definition.get("enum")
    plain = _PLAIN.issuperset(definition)
    bounds: tuple[float | None, float | None] = (None, None)
    if not plain and definition.get("type") == "integer" and _PLAIN_NUMBER.issuperset(definition):
        bounds = (definition.get("minimum"), definition.get("maximum"))
        plain = all(bound is None or type(bound) in (int, float) for bound in bounds)
    return Parameter(
        name,
        required,
        _type_text(definition),
        tuple(enum) if isinstance(enum, list) else (),
        "default" in definition,
        plain,
        bounds,
    )


def _type_text(definition: dict[str, Any]) -> str | None:
    """The type of a schema as text for people: `string`, `integer|null`, the alternatives of `anyOf`; None if it has none."""
    stated = definition.get("type")
    if isinstance(stated, str):
        return stated
    if isinstance(stated, list):
        return "|".join(filter(_is_text, stated)) or None
    for combinator in ("anyOf", "oneOf"):
        options = definition.get(combinator)
        if isinstance(options, list):
            types = [option.get("type") for option in options if isinstance(option, dict)]
            return "|".join(dict.fromkeys(text for text in types if isinstance(text, str) and text)) or None
    return None
