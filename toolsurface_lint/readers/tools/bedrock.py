"""Amazon Bedrock tools: `{toolSpec: {name, description, inputSchema: {json: {...}}}}`.

Source: Amazon Bedrock API reference, ToolSpecification and ToolInputSchema.
"""

from __future__ import annotations

from typing import Any

from toolsurface_lint.readers.tool_format import ToolFormat


def _recognises(item: dict[str, Any]) -> bool:
    specification = item.get("toolSpec")
    return isinstance(specification, dict) and isinstance(specification.get("name"), str)


FORMAT = ToolFormat("bedrock", 20, _recognises, body="toolSpec", schemas=(("inputSchema", "json"), ("inputSchema",)))
