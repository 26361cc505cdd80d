"""Model Context Protocol tools: `{name, title, description, inputSchema, outputSchema, annotations}`.

Source: the Model Context Protocol's schema, Tool and ToolAnnotations, every published version.
"""

from __future__ import annotations

from typing import Any

from toolsurface_lint.readers.annotations import HINTS
from toolsurface_lint.readers.tool_format import ToolFormat


def _recognises(item: dict[str, Any]) -> bool:
    if not isinstance(item.get("name"), str):
        # A snapshot of one tool may leave the name out where its file carries it; a definition without a name is not a tool.
        return False
    if "inputSchema" in item:
        return True
    annotations = item.get("annotations")
    return isinstance(annotations, dict) and any(hint in annotations for hint in HINTS) and "parameters" not in item


FORMAT = ToolFormat(
    "mcp",
    50,
    _recognises,
    frozenset({"schema", "description", "hints"}),
    schemas=(("inputSchema",),),
    # Catalogues list tools with their hints alone: the served definition, which has the schema, is elsewhere.
    schema_required=False,
    annotations=True,
    hints_only=True,
)
