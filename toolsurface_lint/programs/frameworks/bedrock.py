"""The Converse interface of Amazon Bedrock: dicts whose `inputSchema` holds the schema under `json`."""

from __future__ import annotations

from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.tool_maker import ToolMaker
from toolsurface_lint.programs.values import Mapping


def _recognises(mapping: Mapping, made_by: str) -> Mapping | None:
    schema = mapping.get("inputSchema")
    # Asked before MCP, which puts the schema itself there.
    return mapping if isinstance(schema, Mapping) and list(schema.entries) == ["json"] else None


FRAMEWORK = Framework(
    "python-bedrock",
    signs=("inputSchema",),
    recognises=_recognises,
    calls={"ToolSpecificationTypeDef": ToolMaker.make_definition},
)
