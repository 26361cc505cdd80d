"""Plain definitions: dicts with a name and the schema of an object as `parameters`, which many providers take and none owns."""

from __future__ import annotations

from toolsurface_lint.programs.framework import Framework, is_object_schema
from toolsurface_lint.programs.values import Mapping


def _recognises(mapping: Mapping, made_by: str) -> Mapping | None:
    if "arguments" in mapping.entries or isinstance(mapping.get("function"), Mapping):
        return None
    # Models and jobs have a name and parameters too, but theirs are values.
    return mapping if is_object_schema(mapping.get("parameters")) else None


FRAMEWORK = Framework("python", recognises=_recognises, may_be_part=True)
