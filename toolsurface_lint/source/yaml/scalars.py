"""What a plain scalar means: the core schema of YAML 1.2."""

from __future__ import annotations

import re
from typing import Any

RESOLVED_TAGS = frozenset("tag:yaml.org,2002:" + name for name in ("int", "float", "bool", "null"))
"""The tags by which a quoted or a block scalar is read as a plain one."""

_STRING_TAGS = frozenset(("!", "tag:yaml.org,2002:str"))
_NOT_ONLY_STRING = frozenset("~nNtTfF+-.0123456789")
_LITERALS: dict[str, Any] = {
    **dict.fromkeys(("~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_NUMBER = re.compile(
    r"(?P<int>[-+]?[0-9]+)|0o(?P<octal>[0-7]+)|0x(?P<hex>[0-9a-fA-F]+)"
    r"|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
)


def plain_value(text: str, tag: str | None) -> Any:
    """The value of a plain scalar by the core schema of YAML 1.2: dates, `no` and `1_000` are strings."""
    if not text:
        return "" if tag in _STRING_TAGS else None
    if text[0] not in _NOT_ONLY_STRING or tag in _STRING_TAGS:
        return text
    if text in _LITERALS:
        return _LITERALS[text]
    number = _NUMBER.fullmatch(text)
    if number is None:
        return text
    if number["octal"]:
        return int(number["octal"], 8)
    if number["hex"]:
        return int(number["hex"], 16)
    # Python refuses to turn more than 4,300 digits into an int; such a number is only ever quoted, so a float does.
    return int(text) if number["int"] and len(text) < 4000 else float(text)
