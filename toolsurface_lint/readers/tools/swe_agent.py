"""SWE-agent commands: `{signature, docstring, arguments: [{name, type, required}]}`, keyed by name in a bundle's `tools`.

Source: SWE-agent, `sweagent/tools/commands.py`.
"""

from __future__ import annotations

from typing import Any

from toolsurface_lint.model.tool import Tool
from toolsurface_lint.readers.tool_format import ToolFormat
from toolsurface_lint.readers.tools.arguments import read_arguments
from toolsurface_lint.source.tree import Node


def _recognises(item: dict[str, Any]) -> bool:
    return (
        isinstance(item.get("docstring"), str)
        and "description" not in item
        and ("arguments" in item or "signature" in item)
    )


def _finish(tool: Tool, node: Node) -> None:
    tool.description = node.string("docstring")
    read_arguments(tool, node)


FORMAT = ToolFormat("swe-agent", 58, _recognises, frozenset({"description"}), finish=_finish)
