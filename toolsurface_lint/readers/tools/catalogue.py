"""Catalogue entries: a bare `{name, description}`, which only its neighbours or its file's name make a tool."""

from __future__ import annotations

from typing import Any

from toolsurface_lint.readers.tool_format import ToolFormat

_KEYS = frozenset({"name", "description", "title", "annotations", "tags", "enabled", "category"})


def _recognises(item: dict[str, Any]) -> bool:
    return isinstance(item.get("name"), str) and isinstance(item.get("description"), str) and _KEYS.issuperset(item)


FORMAT = ToolFormat("catalogue", 90, _recognises, frozenset({"description"}))
