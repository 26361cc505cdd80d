"""OpenAI custom tools, which take a text and no arguments: `{type: "custom", name, description, format}`, or in `custom`.

Source: PyPI openai 3.54.0, types/responses/custom_tool_param.py and types/chat/chat_completion_custom_tool_param.py.
"""

from __future__ import annotations

from toolsurface_lint.readers.tool_format import ToolFormat

FORMAT = ToolFormat(
    "openai-custom",
    86,
    lambda item: item.get("type") == "custom",
    frozenset({"description"}),
    body="custom",
    weak=True,
)
