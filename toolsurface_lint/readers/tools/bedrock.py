"""Amazon Bedrock tools: `{toolSpec: {name, description, inputSchema: {json: {...}}}}`.

Source: Amazon Bedrock API reference, ToolSpecification and ToolInputSchema.
"""

from __future__ import annotations

from toolsurface_lint.readers.tool_format import ToolFormat

FORMAT = ToolFormat(
    "bedrock",
    20,
    lambda item: isinstance(item.get("toolSpec"), dict),
    body="toolSpec",
    # Only the first is Bedrock's: under the others it is misplaced, and not missing.
    schemas=(("inputSchema", "json"), ("inputSchema",), ("input_schema",), ("parameters",)),
)
