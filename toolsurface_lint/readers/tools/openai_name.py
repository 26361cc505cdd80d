"""OpenAI function tools with a name alone: a choice of a tool is written the same, so only the file's name makes one."""

from __future__ import annotations

from typing import Any

from toolsurface_lint.readers.tools.openai import FORMAT as OPENAI


def _recognises(item: dict[str, Any]) -> bool:
    function = item.get("function", item)
    return item.get("type") == "function" and isinstance(function, dict) and "arguments" not in function


FORMAT = OPENAI._replace(order=15, recognises=_recognises, weak=True)
