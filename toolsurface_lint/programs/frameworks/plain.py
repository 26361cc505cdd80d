"""Plain definitions: dicts with a name and the schema of an object as `parameters`, which many providers take and none owns."""

from __future__ import annotations

from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.operations import plain
from toolsurface_lint.programs.values import Mapping


def _recognises(mapping: Mapping, made_by: str) -> Mapping | None:
    parameters = mapping.get("parameters")
    if not isinstance(parameters, Mapping) or "arguments" in mapping.entries:
        return None
    # Models and jobs have a name and parameters too, but theirs are values.
    is_schema = plain(parameters.get("type")) == "object" and isinstance(parameters.get("properties"), Mapping)
    return mapping if is_schema and not isinstance(mapping.get("function"), Mapping) else None


FRAMEWORK = Framework("python", recognises=_recognises, may_be_part=True)
