"""Digests of tool definitions: equal for what means the same to a model, whatever the order of keys and the white space."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Iterable, Mapping
from typing import Any, NamedTuple

from toolsurface_lint.model.tool import Tool

PARTS = ("description", "schema", "output_schema", "annotations")
"""The parts of a definition that have a digest of their own."""
WHOLE = "sha256"
"""What the lock calls the digest of everything."""
NONE, UNKNOWN = "none", "unknown"
"""What stands for the digest of a part that is not there, and of one that only a run can tell."""

SHORT = 16
"""Hexadecimal digits of a short digest. Whoever writes both texts can make two with the same one, so none decides alone."""

_EXACT = 1 << 53
"""Up to here a float has the value of an integer exactly."""


class Digests(NamedTuple):
    """The digests of one tool: SHA-256 of each part in hexadecimal, `none` or `unknown`."""

    name: str
    parts: Mapping[str, str]

    def short(self, part: str) -> str:
        """The digest of a part as the lock writes it."""
        return self.parts[part][:SHORT]

    def whole(self, unknown: Container[str] = ()) -> str:
        """The digest of everything, as if some parts were not known."""
        parts = {part: UNKNOWN if part in unknown else self.parts[part] for part in PARTS}
        return _sha256(canonical([self.name, parts]))


def digests_of(tools: Iterable[Tool]) -> Digests:
    """The digests of a tool that some definitions declare, usually one; their order does not matter."""
    every = list(tools)
    found = [_parts(tool) for tool in every]
    return Digests(every[0].name, {part: _joined({parts[part] for parts in found}) for part in PARTS})


def _joined(digests: set[str]) -> str:
    if len(digests) == 1:
        return next(iter(digests))
    return UNKNOWN if UNKNOWN in digests else _sha256(" ".join(sorted(digests)))


def _parts(tool: Tool) -> Mapping[str, str]:
    if tool.digests is None:
        values = part_values(tool)
        tool.digests = {
            part: UNKNOWN if part in tool.gaps else NONE if values[part] is None else _sha256(canonical(values[part]))
            for part in PARTS
        }
    return tool.digests


def part_values(tool: Tool) -> dict[str, Any]:
    """The value of each part of a definition; None for what is not there."""
    schema, output = tool.schema, tool.output_schema
    return {
        "description": None if tool.description is None else tool.description.value,
        "schema": (_rest(tool) or None) if schema is None else schema.value,
        "output_schema": None if output is None else output.value,
        "annotations": _annotations(tool) or None,
    }


_ELSEWHERE = ("name", "description", "annotations", "side_effects")


def _rest(tool: Tool) -> dict[str, Any]:
    """Of a definition without a schema, what else it says: of a tool that a provider runs, how that is set up."""
    value = tool.definition.value
    return {key: member for key, member in value.items() if key not in _ELSEWHERE} if isinstance(value, dict) else {}


def _annotations(tool: Tool) -> Any:
    """The annotations as they are written, along with the declared effects where a format has them apart."""
    node = tool.hints if tool.annotations is None else tool.annotations.node
    given = None if node is None else node.value
    effects = None if tool.side_effects is None else tool.side_effects.value
    return given if effects is None else {"annotations": given, "side_effects": effects}


def canonical(value: Any) -> str:
    """A value as JSON in one form for all that are equal, as JSON Schema has it: `1` and `1.0`, any order of `required`."""
    # Not by a function that calls itself: values nest more deeply than Python lets it.
    text = json.dumps(value, default=str)
    value = json.loads(text, parse_float=_number, object_hook=_in_order)
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _number(text: str) -> float | int:
    number = float(text)
    return int(number) if abs(number) <= _EXACT and number.is_integer() else number


def _in_order(value: dict[str, Any]) -> dict[str, Any]:
    required = value.get("required")
    if isinstance(required, list) and all(isinstance(name, str) for name in required):
        value["required"] = sorted(required)
    return value


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("ascii")).hexdigest()
