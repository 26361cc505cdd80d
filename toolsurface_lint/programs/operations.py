"""What operators do with known values, and what a value is as plain data."""

from __future__ import annotations

import re
from typing import Any

from toolsurface_lint.programs.flow import MAX_ITERATIONS, MAX_TEXT
from toolsurface_lint.programs.values import (
    Class,
    External,
    Function,
    Instance,
    Items,
    Literal,
    Made,
    Mapping,
    Member,
    Module,
    ModuleValue,
    Native,
    Node,
    Unknown,
    Value,
    describe,
)

_PLAIN = (str, int, float, bool, type(None))


def truth(value: Value) -> tuple[bool | None, bool]:
    """Whether a value is true, None if that is not known; and whether that hangs on the default of a setting."""
    if isinstance(value, Literal):
        return bool(value.value), value.assumed
    if isinstance(value, Items):
        return (True if value.items else False if value.complete else None), False
    if isinstance(value, Mapping):
        return (True if value.entries else False if value.complete else None), False
    if isinstance(value, External):
        return (True if value.last == "TYPE_CHECKING" else None), False
    if isinstance(value, Function | Class | Instance | ModuleValue | Native | Member):
        return True, False
    return None, False


def text_of(value: Value) -> str | None:
    """The text that a value gives in an f-string or in `str()`."""
    if isinstance(value, Literal) and isinstance(value.value, str | int | float | None):
        return str(value.value)
    if isinstance(value, Member) and value.cls.shows_value:
        return text_of(value.value)
    return None


def plain_key(value: Value) -> Any:
    """The key that a value is in a dict; None if it is not known, or None itself."""
    if isinstance(value, Member):
        value = value.value if value.cls.derives("str", "StrEnum", "int", "IntEnum") is not None else value
    if isinstance(value, Literal) and isinstance(value.value, str | int | float):
        return value.value
    if isinstance(value, Member):
        return f"{value.cls.name}.{value.name}"
    return None


def plain(value: Value) -> Any:
    """The plain scalar that a value is, an enum member with a mixed-in type included; `NOT_PLAIN` if it is none."""
    if isinstance(value, Member):
        value = value.value
    if isinstance(value, Literal) and isinstance(value.value, _PLAIN):
        return value.value
    return NOT_PLAIN


NOT_PLAIN = object()


def operate(operator: str, left: Value, right: Value, module: Module, node: Node) -> Value | None:
    """The value of a binary operation; None if it is not known."""
    if isinstance(left, Items) and isinstance(right, Items) and operator == "+":
        if len(left.items) + len(right.items) > MAX_ITERATIONS:
            return None
        joined = Items([*left.items, *right.items], module, node, left.kind)
        joined.complete = left.complete and right.complete
        joined.missing = left.missing or right.missing
        return joined
    if operator == "+" and isinstance(left, Items) is not isinstance(right, Items):
        known, other = (left, right) if isinstance(left, Items) else (right, left)
        if isinstance(known, Items) and isinstance(other, Unknown | Made):
            partly = Items(list(known.items), module, node, known.kind)
            partly.complete, partly.missing = False, describe(other)
            return partly
    if isinstance(left, Mapping) and isinstance(right, Mapping) and operator == "|":
        merged = Mapping(module, node)
        merged.entries = {**left.entries, **right.entries}
        merged.complete = left.complete and right.complete
        return merged
    if not isinstance(left, Literal):
        return None
    assumed = left.assumed
    a = left.value
    if operator == "%" and isinstance(a, str):
        text = _interpolate(a, right)
        return None if text is None else Literal(text, module, node, assumed)
    if not isinstance(right, Literal):
        return None
    b, assumed = right.value, assumed or right.assumed
    if isinstance(a, str) and isinstance(b, str) and operator == "+":
        return Literal(a + b, module, node, assumed) if len(a) + len(b) <= MAX_TEXT else None
    if isinstance(a, str) and type(b) is int and operator == "*":
        return Literal(a * b, module, node, assumed) if len(a) * b <= MAX_TEXT else None
    if type(a) in (int, float) and type(b) in (int, float) and abs(a) < 2**53 and abs(b) < 2**53:
        if operator == "+":
            return Literal(a + b, module, node, assumed)
        if operator == "-":
            return Literal(a - b, module, node, assumed)
        if operator == "*":
            return Literal(a * b, module, node, assumed)
    return None


def _interpolate(template: str, value: Value) -> str | None:
    """`template % value` for templates that hold plain `%s` and `%d` only."""
    values = value.items if isinstance(value, Items) and value.kind == "tuple" else [value]
    texts = [text_of(element) for element in values]
    fields = re.findall(r"%(.?)", template)
    if any(field not in ("s", "d", "%") for field in fields) or None in texts:
        return None
    known = iter([text for text in texts if text is not None])
    if len([field for field in fields if field != "%"]) != len(texts):
        return None
    return _bounded(re.sub(r"%(.)", lambda match: "%" if match.group(1) == "%" else next(known), template))


def _bounded(text: str) -> str | None:
    return text if len(text) <= MAX_TEXT else None


def compare(operator: str, left: Value, right: Value, module: Module, node: Node) -> Value | None:
    """The value of a comparison; None if it is not known."""
    answer: bool | None = None
    if operator in ("is", "is not") or (
        operator in ("==", "!=") and isinstance(right, Literal) and right.value is None
    ):
        answer = _same(left, right)
        if answer is not None and operator in ("is not", "!="):
            answer = not answer
    elif operator in ("==", "!="):
        a, b = plain(left), plain(right)
        if a is not NOT_PLAIN and b is not NOT_PLAIN:
            answer = (a == b) is (operator == "==")
    elif operator in ("in", "not in"):
        answer = _holds(right, left)
        if answer is not None and operator == "not in":
            answer = not answer
    if answer is None:
        return None
    assumed = any(isinstance(value, Literal) and value.assumed for value in (left, right))
    return Literal(answer, module, node, assumed)


def _same(left: Value, right: Value) -> bool | None:
    if isinstance(left, Literal) and isinstance(right, Literal):
        return left.value is right.value or (left.value is not None and left.value == right.value)
    if isinstance(right, Literal) and right.value is None and truth(left)[0]:
        return False
    return None


def _holds(container: Value, value: Value) -> bool | None:
    wanted = plain(value)
    if wanted is NOT_PLAIN:
        return None
    if isinstance(container, Literal) and isinstance(container.value, str) and isinstance(wanted, str):
        return wanted in container.value
    if isinstance(container, Mapping):
        return wanted in container.entries if container.complete else None
    if isinstance(container, Items):
        held = [plain(item) for item in container.items]
        if any(item is not NOT_PLAIN and item == wanted for item in held):
            return True
        return False if container.complete and all(item is not NOT_PLAIN for item in held) else None
    return None


def setting(default: Value | None, module: Module, node: Node) -> Value:
    """The value of a setting that nobody has set."""
    if default is None:
        return Literal(None, module, node, True)
    return Literal(default.value, default.module, default.node, True) if isinstance(default, Literal) else default


def field_default(field: Made, is_setting: bool) -> Value:
    """What a field of a model or dataclass is when nobody gives it; for a settings class, only assumed."""
    given = field.arguments.get("default", 0)
    if given is None or (isinstance(given.value, Literal) and given.value.value is Ellipsis):
        return Unknown("a field's value", field.module, field.node)
    value = given.value
    if isinstance(value, Literal) and is_setting:
        return Literal(value.value, value.module, value.node, True)
    return value


def values_of(mapping: Mapping) -> Items:
    """The values of a dict as a list."""
    items = Items([entry.value for entry in mapping.entries.values()], mapping.module, mapping.node)
    items.complete = mapping.complete
    items.missing = "" if mapping.complete else "a dict that is filled at run time"
    return items


def plain_texts(value: Value) -> dict[str, str] | None:
    """A dict from texts to texts; None if it is not known."""
    if not isinstance(value, Mapping) or not value.complete:
        return None
    texts = {key: plain(entry.value) for key, entry in value.entries.items()}
    return texts if all(isinstance(text, str) for pair in texts.items() for text in pair) else None
