"""What recorded results say: their texts, the values in them, and whether they mean that the call failed."""

from __future__ import annotations

from typing import Any

from toolsurface_lint.model.patterns import wildcard_match
from toolsurface_lint.model.target import CallRule
from toolsurface_lint.model.transcript import Result


def result_text(result: Result) -> str:
    """The text of a result: one text, or those of its blocks, a line each."""
    content = result.content
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else [content]
    texts = (block.get("text") if isinstance(block, dict) else block for block in blocks)
    return "\n".join(text for text in texts if isinstance(text, str))


def result_value(result: Result) -> Any:
    """The value of a result: what an MCP server gave as structured content, an object, or JSON text; None if it has none."""
    structured = None if result.served is None else result.served.value.get("structuredContent")
    if structured is not None:
        return structured
    if isinstance(result.content, dict):
        return result.content
    text = result_text(result).strip()
    if text[:1] not in ("{", "["):
        return None
    from toolsurface_lint.source.json_values import read_value

    return read_value(text)


def means_failure(result: Result, rule: CallRule) -> bool:
    """Whether a result is one of those that the settings count as failures of the tool."""
    for sign in rule.failure_when:
        if isinstance(sign, str):
            if wildcard_match(sign, result_text(result)):
                return True
        elif _is_same(_at(result_value(result), sign.pointer), sign.value):
            return True
    return False


def _is_same(found: Any, value: Any) -> bool:
    """Whether two values are equal as those of JSON: 1.0 is 1, and `true` is not."""
    return bool(found == value) and isinstance(found, bool) == isinstance(value, bool)


def _at(value: Any, pointer: str) -> Any:
    """What a JSON pointer leads to; None, which no setting can name, if it leads nowhere."""
    for step in pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdecimal() and len(key) < 10 and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value
