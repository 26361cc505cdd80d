"""What methods that limit a value add to its JSON Schema."""

from __future__ import annotations

import re

from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.operations import plain
from toolsurface_lint.programs.typescript.expressions import GLOBAL
from toolsurface_lint.programs.typescript.schemas.reader import kind

_SIZES = {"string": "Length", "array": "Items", "object": "Properties"}
_LEAST = frozenset(("min", "gte", "minLength", "minSize", "minimum", "minValue"))
_MOST = frozenset(("max", "lte", "maxLength", "maxSize", "maximum", "maxValue"))
_EXACT = frozenset(("length", "size"))
_BOUNDS = {"gt": "exclusiveMinimum", "lt": "exclusiveMaximum", "multipleOf": "multipleOf", "step": "multipleOf"}
_SIGNS = {
    "positive": ("exclusiveMinimum", 0), "nonnegative": ("minimum", 0), "negative": ("exclusiveMaximum", 0),
    "nonpositive": ("maximum", 0),
}  # fmt: skip
_FORMATS = {
    "email": "email", "url": "uri", "uuid": "uuid", "guid": "uuid", "datetime": "date-time", "date": "date",
    "time": "time", "duration": "duration", "ipv4": "ipv4", "ipv6": "ipv6",
}  # fmt: skip
_NO_FORMAT = frozenset((
    "ip", "cidr", "cuid", "cuid2", "ulid", "nanoid", "base64", "base64url", "jwt", "emoji", "e164", "xid", "ksuid",
    "cidrv4", "cidrv6", "lowercase", "uppercase",
))  # fmt: skip
"""What a text may look like that JSON Schema has no word for."""
_AFFIXES = {"startsWith": "^{}", "endsWith": "{}$", "includes": "{}"}


def constrain(schema: v.Mapping, name: str, call: v.Call) -> bool:
    """Add what a method says to a schema; whether it is one that limits a value."""
    value = call.first_value
    limited = kind(schema)
    size = _SIZES.get(limited, "")
    if name in _LEAST or name in _MOST:
        side = "min" if name in _LEAST else "max"
        _limit(schema, side + size if size else side + "imum", value)
    elif name in _EXACT and size:
        _limit(schema, "min" + size, value)
        _limit(schema, "max" + size, value)
    elif name in _BOUNDS:
        _limit(schema, _BOUNDS[name], value)
    elif name in _SIGNS:
        key, bound = _SIGNS[name]
        schema.set(key, v.Literal(bound, *call.at))
    elif name == "nonempty":
        schema.set("min" + (size or "Items"), v.Literal(1, *call.at))
    elif name == "int":
        schema.set("type", v.Literal("integer", *call.at))
    elif name == "regex":
        _match(schema, pattern_of(value))
    elif name in _AFFIXES:
        text = plain(value)
        if isinstance(text, str) and value is not None:
            # JSON Schema has the regular expressions of JavaScript, where a slash may be escaped and a space may not.
            escaped = re.sub(r"[.*+?^${}()|\[\]\\]", r"\\\g<0>", text)
            _match(schema, v.Literal(_AFFIXES[name].format(escaped), value.module, value.node))
    elif name in _FORMATS:
        if limited == "string":
            schema.set("format", v.Literal(_FORMATS[name], *call.at))
    else:
        return name in _NO_FORMAT
    return True


def _limit(schema: v.Mapping, key: str, value: v.Value | None) -> None:
    number = plain(value)
    if isinstance(value, v.Literal) and type(number) in (int, float) and key not in _unlimited(schema):
        schema.set(key, value)


def _unlimited(schema: v.Mapping) -> tuple[str, ...]:
    """Dates have bounds too, which are not numbers of the text that is sent."""
    return ("minLength", "maxLength") if plain(schema.get("format")) == "date-time" else ()


def _match(schema: v.Mapping, pattern: v.Value | None) -> None:
    if pattern is not None and "pattern" not in schema.entries:
        schema.set("pattern", pattern)


def pattern_of(value: v.Value | None) -> v.Value | None:
    """The pattern of a regular expression, without its flags; None if it is not known."""
    if not isinstance(value, v.Made) or value.path != f"{GLOBAL}.RegExp":
        return None
    pattern = value.arguments.first_value
    return pattern if isinstance(plain(pattern), str) else None
