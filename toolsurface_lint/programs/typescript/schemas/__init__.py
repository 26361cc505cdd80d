"""The JSON Schema of what TypeScript programs give as the schema of a tool."""

from __future__ import annotations

from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.operations import plain


def schema_of(value: v.Value, evaluator: Evaluator) -> v.Mapping | None:
    """The schema that a value is or makes, as far as it is known; None if nothing of it is."""
    if isinstance(value, v.Mapping) and ("type" in value.entries and isinstance(plain(value.get("type")), str)):
        return value
    return None
