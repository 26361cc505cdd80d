"""Plain functions: `{name, description, parameters}`, the shape that many files share and no provider owns."""

from __future__ import annotations

from toolsurface_lint.readers.tool_format import ToolFormat

FORMAT = ToolFormat(
    "function", 80, lambda item: isinstance(item.get("parameters"), dict), schemas=(("parameters",),), annotations=True
)
