"""Plain functions: `{name, description, parameters}`, the shape that many files share and no provider owns."""

from __future__ import annotations

from typing import Any

from toolsurface_lint.readers.tool_format import ToolFormat


def _recognises(item: dict[str, Any]) -> bool:
    return isinstance(item.get("name"), str) and isinstance(item.get("parameters"), dict)


FORMAT = ToolFormat("function", 80, _recognises, schemas=(("parameters",),), annotations=True)
