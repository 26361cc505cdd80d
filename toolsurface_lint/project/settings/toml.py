"""Settings as TOML: their values, on one line each."""

from __future__ import annotations

import json
import re
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_value(value: Any) -> str:
    """Plain data as TOML: text, true or false, a whole number, an array, or an inline table."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{toml_key(key)} = {toml_value(item)}' for key, item in value.items())}}}"
    return str(value) if isinstance(value, int | float) else _text(value)


def toml_key(key: str) -> str:
    """A key as TOML: bare where it may be."""
    return key if _BARE.fullmatch(key) else _text(key)


def _text(value: str) -> str:
    # JSON escapes as TOML does, but leaves many characters that steer a terminal or hide as they are.
    text = json.dumps(value, ensure_ascii=False)
    return text if text.isprintable() else "".join(map(_visible, text))


def _visible(char: str) -> str:
    # TOML has no way to write a lone surrogate.
    if char.isprintable() or "\ud800" <= char <= "\udfff":
        return char
    return f"\\u{ord(char):04x}" if char <= "\uffff" else f"\\U{ord(char):08x}"
