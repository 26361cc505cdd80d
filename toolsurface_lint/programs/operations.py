"""What operators do with known values, and what a value is as plain data."""

from __future__ import annotations

from typing import Any

from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.flow import MAX_ITERATIONS, MAX_TEXT


def truth(value: v.Value) -> tuple[bool | None, bool]:
    """Whether a value is true, None if that is not known; and whether that hangs on the default of a setting."""
    if isinstance(value, v.Literal):
        return bool(value.value), value.assumed
    if isinstance(value, v.Items | v.Mapping):
        held = value.items if isinstance(value, v.Items) else value.entries
        return (True if held else False if value.complete else None), False
    if isinstance(value, v.External):
        return (True if value.last == "TYPE_CHECKING" else None), False
    if isinstance(value, v.Function | v.Class | v.Instance | v.Module | v.Native | v.Member):
        return True, False
    return None, False


def text_of(value: v.Value | None) -> str | None:
    """The text that a value gives in an f-string or in `str()`; None if it is not known, or if there is none."""
    if isinstance(value, v.Literal) and isinstance(value.value, str | int | float | None):
        return str(value.value)
    if isinstance(value, v.Member) and value.cls.shows_value:
        return text_of(value.value)
    return None


def plain_key(value: v.Value) -> Any:
    """The key that a value is in a dict; None if it is not known, or None itself."""
    if isinstance(value, v.Member):
        value = value.value if value.cls.derives("str", "StrEnum", "int", "IntEnum") is not None else value
    if isinstance(value, v.Literal) and isinstance(value.value, str | int | float):
        return value.value
    if isinstance(value, v.Member):
        return f"{value.cls.name}.{value.name}"
    return None


def plain(value: v.Value | None) -> Any:
    """The plain scalar that a value is, an enum member with a mixed-in type included; `NOT_PLAIN` for anything else."""
    if isinstance(value, v.Member):
        value = value.value
    return (
        value.value if isinstance(value, v.Literal) and isinstance(value.value, str | int | float | None) else NOT_PLAIN
    )


NOT_PLAIN = object()


def operate(operator: str, left: v.Value, right: v.Value, module: v.Module, node: v.Node) -> v.Value | None:
    """The value of a binary operation; None if it is not known. What texts give is in `texts`."""
    if isinstance(left, v.Items) and isinstance(right, v.Items) and operator == "+":
        if len(left.items) + len(right.items) > MAX_ITERATIONS:
            return None
        return v.Items([*left.items, *right.items], module, node, left.kind, left.missing or right.missing)
    if operator == "+" and isinstance(left, v.Items) is not isinstance(right, v.Items):
        known, other = (left, right) if isinstance(left, v.Items) else (right, left)
        if isinstance(known, v.Items) and isinstance(other, v.Unknown | v.Made):
            return v.Items(known.items[:], module, node, known.kind, v.describe(other))
    if isinstance(left, v.Mapping) and isinstance(right, v.Mapping) and operator == "|":
        return v.Mapping(module, node, {**left.entries, **right.entries}, left.complete and right.complete)
    if not isinstance(left, v.Literal):
        return None
    a, by_setting = left.value, left.assumed
    result: str | float | None = None
    if isinstance(right, v.Literal):
        b, by_setting = right.value, by_setting or right.assumed
        if isinstance(a, str) and type(b) is int and operator == "*":
            result = a * b if len(a) * b <= MAX_TEXT else None
        elif type(a) in (int, float) and type(b) in (int, float) and abs(a) < 2**53 and abs(b) < 2**53:
            result = {"+": a + b, "-": a - b, "*": a * b}.get(operator)
    return None if result is None else v.Literal(result, module, node, by_setting)


def compare(operator: str, left: v.Value, right: v.Value, module: v.Module, node: v.Node) -> v.Value | None:
    """The value of a comparison; None if it is not known."""
    answer: bool | None = None
    if operator in ("is", "is not") or (operator in ("==", "!=") and v.is_none(right)):
        answer = _same(left, right)
    elif operator in ("==", "!="):
        a, b = plain(left), plain(right)
        if a is not NOT_PLAIN and b is not NOT_PLAIN:
            answer = a == b
    elif operator in ("in", "not in"):
        answer = _holds(right, left)
    if answer is None:
        return None
    by_setting = any(isinstance(value, v.Literal) and value.assumed for value in (left, right))
    return v.Literal(answer is not (operator in ("is not", "!=", "not in")), module, node, by_setting)


def _same(left: v.Value, right: v.Value) -> bool | None:
    if isinstance(left, v.Literal) and isinstance(right, v.Literal):
        return left.value is right.value or (left.value is not None and left.value == right.value)
    if v.is_none(right) and truth(left)[0]:
        return False
    return None


def _holds(container: v.Value, value: v.Value) -> bool | None:
    wanted = plain(value)
    if wanted is NOT_PLAIN:
        return None
    if isinstance(container, v.Literal) and isinstance(container.value, str) and isinstance(wanted, str):
        return wanted in container.value
    if isinstance(container, v.Mapping):
        return wanted in container.entries if container.complete else None
    if isinstance(container, v.Items):
        held = [plain(item) for item in container.items]
        if any(item is not NOT_PLAIN and item == wanted for item in held):
            return True
        return False if container.complete and all(item is not NOT_PLAIN for item in held) else None
    return None


def assumed(value: v.Value) -> v.Value:
    """A value as the default of a setting."""
    return v.Literal(value.value, value.module, value.node, True) if isinstance(value, v.Literal) else value


def is_passed_on(name: v.Value | None, description: v.Value | None) -> bool:
    """Whether a tool is passed on that is not known: a fallback stands for its name, and nothing known describes it."""
    return isinstance(name, v.Literal) and name.assumed and not text_of(description)


def setting(default: v.Value | None, module: v.Module, node: v.Node) -> v.Value:
    """The value of a setting that nobody has set."""
    return assumed(default or v.Literal(None, module, node))


def field_default(field: v.Made) -> v.Value | None:
    """What a field of a model or dataclass is when nobody gives it; None if it has to be given."""
    given = field.arguments.get("default", 0)
    if given is None or (isinstance(given.value, v.Literal) and given.value.value is Ellipsis):
        return None
    return None if isinstance(given.value, v.External) and given.value.last == "PydanticUndefined" else given.value


def values_of(mapping: v.Mapping) -> v.Items:
    """The values of a dict as a list."""
    values = [entry.value for entry in mapping.entries.values()]
    missing = "" if mapping.complete else "a dict that is filled at run time"
    return v.Items(values, mapping.module, mapping.node, missing=missing)


def plain_texts(value: v.Value) -> dict[str, str] | None:
    """A dict from texts to texts; None if it is not known."""
    if not isinstance(value, v.Mapping) or not value.complete:
        return None
    texts = {key: plain(entry.value) for key, entry in value.entries.items()}
    return texts if all(isinstance(text, str) for pair in texts.items() for text in pair) else None


def plain_set(value: v.Value | None) -> frozenset[str] | None:
    """The texts in a list or a set, of which there are none if it is not given; None if they are not known."""
    if value is None or v.is_none(value):
        return frozenset()
    if not isinstance(value, v.Items) or not value.complete or value.otherwise:
        return None
    texts = [plain(item) for item in value.items]
    return frozenset(texts) if all(isinstance(text, str) for text in texts) else None
