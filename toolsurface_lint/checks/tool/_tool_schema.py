"""A schema of a tool as the schema rules see it: read as JSON Schema, walked once for all of them."""

from __future__ import annotations

from typing import Any

from toolsurface_lint.model.diagnostics import Finding, Rule
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.schemas.dialects import LIST, MAP, ONE, PYTHON_TYPES, TYPES
from toolsurface_lint.schemas.walk import DEFINITION, ITEM, OTHER, PROPERTY, Subschema, subschemas
from toolsurface_lint.source.tree import Path, Place

JSON, OPENAPI, PYTHON = "json", "openapi", "python"
"""How a schema is written: JSON Schema; Gemini's OpenAPI subset (`OBJECT`); with Python's names (`dict`, `float`)."""

PARAMETERS, OUTPUT = "parameters", "outputSchema"
"""What a schema is of."""

OWNED = frozenset(("openai", "anthropic", "mcp", "bedrock", "gemini"))
"""The formats whose parameter schema is an object schema by their own definition."""

_COUNTS = frozenset(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"))


class ToolSchema:
    """The schema of one tool's parameters, or of its results: `field` says which, in the words of reports.

    `value` is JSON Schema whatever it was written as; paths in it are those of the original.
    """

    __slots__ = ("_by_keyword", "_subschemas", "field", "original", "path", "style", "tool", "value")

    def __init__(self, tool: Tool, path: Path, original: Any, style: str, field: str = PARAMETERS) -> None:
        self.tool = tool
        self.field = field
        self.path = path
        self.original = original
        self.style = style
        self.value = original if style == JSON else _translated(original, style)
        self._subschemas: list[Subschema] | None = None
        self._by_keyword: dict[str, list[Subschema]] | None = None

    @property
    def subschemas(self) -> list[Subschema]:
        if self._subschemas is None:
            self._subschemas = subschemas(self.value)
        return self._subschemas

    def having(self, *keywords: str) -> list[Subschema]:
        """The subschemas with one of some keywords."""
        if self._by_keyword is None:
            self._by_keyword = {}
            for part in self.subschemas:
                for key in part.schema:
                    self._by_keyword.setdefault(key, []).append(part)
        if len(keywords) == 1:
            return self._by_keyword.get(keywords[0], [])
        found = (part for keyword in keywords for part in self._by_keyword.get(keyword, ()))
        return list({id(part): part for part in found}.values())

    def as_written(self, part: Subschema) -> dict[str, Any]:
        """A subschema before it was translated."""
        written = self.original
        for step in part.path:
            written = written[step]
        return written if isinstance(written, dict) else {}

    def place(self, path: Path, aspect: str = "value") -> Place:
        """The place of a path in the schema."""
        return Place(self.tool.tree, self.path + path, aspect)

    def finding(
        self, rule: Rule, part: Subschema, path: Path = (), kind: str = "", aspect: str = "value", **options: Any
    ) -> Finding:
        """The finding of a rule at a path below a subschema; `options` are those of `Rule.at`."""
        place = self.place(part.path + path, aspect)
        return rule.at(place, kind, tool=self.tool.name, field=field_of(part, self.field), **options)


def schema_of(tool: Tool) -> ToolSchema | None:
    """The schema of a tool; None if it has none, or if its parameters are written in another way."""
    path = tool.schema_path
    if path is None:
        return None
    value = tool.tree.value
    try:
        for step in path:
            value = value[step]
    except (LookupError, TypeError):
        return None  # The file has changed since it was read.
    if tool.shape not in OWNED and not _is_schema(value, tool.format):
        return None
    style = JSON
    if tool.shape == "gemini" and path[-1] == "parameters":
        style = OPENAPI
    elif is_python_typed(tool, value):
        style = PYTHON
    return ToolSchema(tool, path, value, style)


def output_schema_of(tool: Tool) -> ToolSchema | None:
    """The schema of a tool's results; None if it has none."""
    path = tool.output_path
    if path is None:
        return None
    node = tool.tree.root.find(*path)
    return None if node is None else ToolSchema(tool, path, node.value, JSON, OUTPUT)


def is_python_typed(tool: Tool, schema: Any) -> bool:
    """Whether a schema of a format that no provider owns is written with Python's type names throughout."""
    return tool.shape not in OWNED and isinstance(schema, dict) and schema.get("type") == "dict"


def _is_schema(value: Any, format: str) -> bool:
    """Whether parameters are a JSON Schema and not a flat map from names to definitions."""
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("properties"), dict):
        return True
    stated = value.get("type")
    if isinstance(stated, str):
        # `{type: "string", path: "string"}` declares two parameters.
        return format == "function" or stated in ("object", "dict")
    return any(key in value for key in ("$ref", "$schema", "$defs")) or any(
        isinstance(value.get(key), list) for key in ("anyOf", "oneOf", "allOf")
    )


def _translated(value: Any, style: str) -> Any:
    """A copy of a schema with the types of JSON Schema."""
    if not isinstance(value, dict):
        return value
    copy: dict[str, Any] = {}
    for key, member in value.items():
        if key == "type":
            stated = _translated_type(member, style)
            if stated is None:
                continue
            copy[key] = stated
        elif key in ONE:
            copy[key] = (
                [_translated(part, style) for part in member]
                if isinstance(member, list)
                else _translated(member, style)
            )
        elif key in LIST and isinstance(member, list):
            copy[key] = [_translated(part, style) for part in member]
        elif key in MAP and isinstance(member, dict):
            copy[key] = {name: _translated(part, style) for name, part in member.items()}
        elif style == OPENAPI and key in _COUNTS and isinstance(member, str) and member.isdecimal():
            # Their JSON form has 64-bit integers as text.
            copy[key] = int(member)
        else:
            copy[key] = member
    if style == OPENAPI and value.get("nullable") is True and isinstance(copy.get("type"), str):
        copy["type"] = [copy["type"], "null"]
    return copy


def _translated_type(stated: Any, style: str) -> Any:
    if not isinstance(stated, str):
        return stated
    if style == OPENAPI:
        lower = stated.lower()
        return lower if lower in TYPES else None if lower == "type_unspecified" else stated
    return None if stated == "any" else PYTHON_TYPES.get(stated, stated)


def parameter_of(part: Subschema) -> str:
    """The dotted name of the parameter that a subschema belongs to; empty for the root and for definitions."""
    names: list[str] = []
    current: Subschema | None = part
    while current is not None:
        if current.role == PROPERTY:
            names.append(str(current.path[-1]))
        elif current.role == DEFINITION:
            break
        current = current.parent
    return ".".join(reversed(names))


def field_of(part: Subschema, field: str = PARAMETERS) -> str:
    """Where a finding lies, as in the Harn specification's reports: `parameters.options.limit`."""
    name = parameter_of(part)
    return f"{field}.{name}" if name else field


def spoken(part: Subschema) -> str:
    """What a subschema is, for a message: the parameter `limit`, an item of it, the definition `Filter`, the schema."""
    name = parameter_of(part)
    if part.role == PROPERTY and name:
        return f"`{name}`"
    if part.role == DEFINITION:
        return f"the definition `{part.path[-1]}`"
    if part.role == ITEM and name:
        return f"an item of `{name}`"
    if name:
        return f"a part of `{name}`"
    return "a part of the schema" if part.role == OTHER or part.parent is not None else "the schema"
