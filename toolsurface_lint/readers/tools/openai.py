"""OpenAI function tools: nested in `function` in the chat API, flat next to `type: "function"` in the responses API.

Source: OpenAI API reference, "Create chat completion" and "Create a model response", `tools`.
"""

from __future__ import annotations

from typing import Any

from toolsurface_lint.knowledge import OPENAI_FUNCTION_KEYS
from toolsurface_lint.readers.tool_format import ToolFormat


def _recognises(item: dict[str, Any]) -> bool:
    function = item.get("function")
    if isinstance(function, dict):
        return item.get("type", "function") == "function" and not OPENAI_FUNCTION_KEYS.isdisjoint(function)
    return item.get("type") == "function" and not OPENAI_FUNCTION_KEYS.isdisjoint(item)


FORMAT = ToolFormat(
    "openai",
    10,
    _recognises,
    body="function",
    # Only the first is OpenAI's: under the others it is misplaced, and not missing.
    schemas=(("parameters",), ("input_schema",), ("inputSchema",)),
    annotations=True,
)
