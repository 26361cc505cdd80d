"""Anthropic tools: `{name, description, input_schema}`, and the provider's own `{type: "bash_20250124", name}`.

Source: Anthropic API reference, Messages, `tools`.
"""

from __future__ import annotations

import re
from typing import Any

from toolsurface_lint.knowledge import describes_service
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.readers.tool_format import ToolFormat
from toolsurface_lint.source.tree import Node

_PROVIDER_TYPE = re.compile(r"[a-z_]+_20[0-9]{6}")


def _is_providers_own(item: dict[str, Any]) -> bool:
    kind = item.get("type")
    return isinstance(kind, str) and _PROVIDER_TYPE.fullmatch(kind) is not None


def _recognises(item: dict[str, Any]) -> bool:
    return ("input_schema" in item and not describes_service(item["name"], item)) or _is_providers_own(item)


def _finish(tool: Tool, node: Node) -> None:
    if _is_providers_own(node.value):
        tool.declarable = frozenset()


FORMAT = ToolFormat(
    "anthropic", 40, _recognises, schemas=(("input_schema",),), annotations=True, hints_only=True, finish=_finish
)
