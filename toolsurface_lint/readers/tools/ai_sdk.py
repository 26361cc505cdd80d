"""Tools of the AI SDK's models and of Codex: `{type: "function", name, description, inputSchema}`, handed on to any provider.

Source: npm @ai-sdk/provider 2.0.0, LanguageModelV2FunctionTool.
"""

from __future__ import annotations

from typing import Any

from toolsurface_lint.readers.tool_format import ToolFormat


def _recognises(item: dict[str, Any]) -> bool:
    return item.get("type") == "function" and "inputSchema" in item


FORMAT = ToolFormat("ai-sdk", 5, _recognises, schemas=(("inputSchema",),), annotations=True)
