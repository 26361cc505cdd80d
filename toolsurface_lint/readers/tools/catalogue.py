"""Catalogue entries: a bare `{name, description}`, which only its neighbours or its file's name make a tool."""

from __future__ import annotations

from toolsurface_lint.readers.tool_format import ToolFormat

_KEYS = frozenset({"name", "description", "title", "annotations", "tags", "enabled", "category"})

FORMAT = ToolFormat(
    "catalogue",
    90,
    lambda item: isinstance(item.get("description"), str) and _KEYS.issuperset(item),
    frozenset({"description"}),
    weak=True,
)
