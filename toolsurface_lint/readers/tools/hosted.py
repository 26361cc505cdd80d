"""Tools that OpenAI and Gemini run themselves, each declared by its type or key alone: `{type: "web_search_preview"}`.

Source: PyPI openai 3.54.0, types/responses/tool_param.py and types/beta/assistant_tool.py; the reader of tool
lists turns those of Gemini into types.
"""

from __future__ import annotations

import re
from typing import Any

from toolsurface_lint.knowledge import GEMINI_TOOLS, words
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.readers.tool_format import ToolFormat, start_tool
from toolsurface_lint.source.tree import Node

_TYPES = words(
    "web_search file_search code_interpreter image_generation computer computer_use local_shell shell apply_patch"
).union(GEMINI_TOOLS)
_VERSION = r"(?:_preview)?(?:_20[0-9_]+)?\Z"


def _recognises(item: dict[str, Any]) -> bool:
    kind = item["type"]
    # Tasks and steps have types like these too, and say what they do.
    return len(kind) < 50 and re.sub(_VERSION, "", kind) in _TYPES and "name" not in item and "command" not in item


def _read(node: Node) -> Tool | None:
    """The tool by the name that models know it by, which no version is a part of."""
    kind = node.get("type")
    name = None if kind is None else Node(kind.tree, kind.path, re.sub(_VERSION, "", kind.value))
    return start_tool(node, name, "hosted", frozenset())


FORMAT = ToolFormat("hosted", 85, _recognises, frozenset(), name_key="type", weak=True, read_all=_read)
