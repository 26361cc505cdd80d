"""What of a schema can be compared: its keywords without annotations, its values and types, its limits, its properties."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeGuard

from toolsurface_lint.model.names import close_names
from toolsurface_lint.model.words import name_words
from toolsurface_lint.schemas.dialects import TYPES, has_type, types_of
from toolsurface_lint.schemas.references import objects
from toolsurface_lint.source.tree import Path

_MOST_RENAMINGS = 400
"""Pairs of old and new properties, or of choices, that are looked at."""

ANNOTATIONS = frozenset(
    (
        *("title", "description", "$comment", "examples", "example", "default", "deprecated", "readOnly", "writeOnly"),
        *("$schema", "$id", "$defs", "definitions", "nullable", "$anchor"),
    )
)
"""Keywords that refuse no value."""
SAID = ANNOTATIONS - {"default"}
"""Those among them that are not compared."""
_NAMED = frozenset(("properties", "patternProperties", "$defs", "definitions", "dependentSchemas"))
ATOMS = {**{name: (name,) for name in TYPES}, "number": ("integer", "fraction")}
"""The types as parts that do not overlap."""
COMBINING = frozenset(("anyOf", "oneOf", "allOf", "not", "if", "$ref", "$dynamicRef", "$recursiveRef"))


class At(NamedTuple):
    """A subschema and the path to it."""

    schema: Any
    path: Path

    def inner(self, *steps: str | int) -> At:
        schema = self.schema
        for step in steps:
            schema = schema[step]
        return At(schema, (*self.path, *steps))

    def keyword(self, *names: str) -> Path:
        """The path to the first of these keywords that is written; to the schema itself if none is."""
        found = next((name for name in names if isinstance(self.schema, dict) and name in self.schema), None)
        return self.path if found is None else (*self.path, found)


class Values(Mapping[str, Any]):
    """The values of a difference, to be compared by what they say: they may hold lists."""

    def __init__(self, **values: Any) -> None:
        self._values = values

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        return hash(repr(self._values))


def refers(*schemas: Any) -> bool:
    """Whether any of some schemas has a reference."""
    return any("$ref" in schema for root in schemas for schema in objects(root))


def definitions(root: Any) -> list[str]:
    """What references of a schema may lead to, to be compared."""
    return [spelled(root.get(key)) for key in ("$defs", "definitions")] if isinstance(root, dict) else []


def bare(schema: Any, left_out: frozenset[str] = ANNOTATIONS) -> Any:
    """A schema without some keywords: those that refuse nothing."""
    if isinstance(schema, list):
        return [bare(part, left_out) for part in schema]
    if not isinstance(schema, dict):
        return schema
    kept: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _NAMED and key not in left_out and isinstance(value, dict):
            kept[key] = {name: bare(part, left_out) for name, part in value.items()}
        elif key not in left_out:
            kept[key] = value if key in ("enum", "const", "default") else bare(value, left_out)
    return kept


def spelled(schema: Any, left_out: frozenset[str] = ANNOTATIONS) -> str:
    """The same text for two schemas that are the same but for these keywords; `1` and `true` are two values."""
    return json.dumps(bare(schema, left_out), sort_keys=True, default=repr)


def is_unknown(schema: Any) -> bool:
    """Whether this stands for a type that is not known, as readers of programs write it."""
    return isinstance(schema, dict) and schema.get("anyOf") == [{}]


def combination(schema: Any) -> str:
    """The keyword by which a schema is put together from others; empty if it is not."""
    return next((key for key in schema if key in COMBINING), "") if isinstance(schema, dict) else ""


def holds_all(old: Any, new: Any) -> bool:
    """Whether the new schema is a choice that has the old one, or each of its choices, among others."""
    if not isinstance(new, dict) or new.keys() - ANNOTATIONS != {"anyOf"} or not isinstance(new["anyOf"], list):
        return False
    choices = {spelled(part) for part in new["anyOf"]}
    is_choice = isinstance(old, dict) and old.keys() - ANNOTATIONS in ({"anyOf"}, {"oneOf"})
    parts = next(iter(old[key] for key in ("anyOf", "oneOf") if key in old)) if is_choice else [old]
    few = isinstance(parts, list) and len(parts) * len(choices) <= _MOST_RENAMINGS
    return few and all(spelled(part) in choices for part in parts)


def values_of(schema: Any) -> list[Any] | None:
    """All values that a schema names one by one; None if it does not."""
    if not isinstance(schema, dict) or not COMBINING.isdisjoint(schema):
        return None
    if "const" in schema:
        return [schema["const"]]
    if isinstance(schema.get("enum"), list):
        return list(schema["enum"])
    stated = types_of(schema)
    return [True, False] if stated == ("boolean",) else [None] if stated == ("null",) else None


def is_atom(value: Any, atom: str) -> bool:
    """Whether a value is of one of the parts in `ATOMS`."""
    if atom == "fraction":
        return has_type(value, "number") and not has_type(value, "integer")
    return has_type(value, atom)


def type_names(by_type: Iterable[str]) -> list[str]:
    """The names of types, `any` for all of them."""
    names = set(by_type)
    if "fraction" in names:
        names = names - {"fraction", "integer"} | {"number"}
    return ["any"] if len(names) == len(TYPES) - 1 else sorted(names, key=lambda name: (name == "null", name))


def is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def limit_of(schema: dict[str, Any], end: str, sign: int, integer: bool) -> tuple[float, bool] | None:
    """The lower or upper limit, and whether it is left out itself; of integers, it never is."""
    plain, exclusive = schema.get(f"m{end}"), schema.get(f"exclusiveM{end}")
    stated = ((plain, exclusive is True), (exclusive, True))
    limits: list[tuple[float, bool]] = [(value, left_out) for value, left_out in stated if is_number(value)]
    if not limits:
        return None
    limit, left_out = min(limits, key=lambda each: (sign * each[0], not each[1]))
    if integer and left_out and float(limit).is_integer():
        return limit - sign, False
    return limit, left_out


def few_integers(schema: dict[str, Any], most: int = 1000) -> list[int] | None:
    """The integers that a schema accepts by its limits and steps, if it has both limits and they are close; else None."""
    low, high = limit_of(schema, "inimum", -1, True), limit_of(schema, "aximum", 1, True)
    if low is None or high is None or not -1e15 < low[0] <= high[0] < 1e15 or high[0] - low[0] > most:
        return None
    step = schema.get("multipleOf")
    return [
        value
        for value in range(int(low[0]) - 1, int(high[0]) + 2)
        if low[0] <= value <= high[0] and (not is_number(step) or step <= 0 or value % step == 0)
    ]


def properties_of(schema: dict[str, Any]) -> dict[str, Any]:
    found = schema.get("properties")
    return found if isinstance(found, dict) else {}


def required_of(schema: dict[str, Any]) -> set[str]:
    found = schema.get("required")
    return {name for name in found if isinstance(name, str)} if isinstance(found, list) else set()


def renamings(
    before: dict[str, Any],
    removed: list[str],
    after: dict[str, Any],
    added: list[str],
    required: set[str],
    needed: set[str],
) -> dict[str, str]:
    """The new names of properties that plainly have one: of the same schema, and alike in name or description."""
    if len(removed) * len(added) > _MOST_RENAMINGS:
        return {}
    alone = len(removed) == len(added) == 1
    schemas = {name: spelled(after[name]) for name in added}
    found: dict[str, list[str]] = {}
    for name in removed:
        schema = spelled(before[name])
        for other in added:
            if (name in required) != (other in needed) or schema != schemas[other]:
                continue
            if (alone and name in required) or _are_alike(name, other) or _say_the_same(before[name], after[other]):
                found.setdefault(name, []).append(other)
    taken = [other for others in found.values() for other in others]
    return {name: others[0] for name, others in found.items() if len(others) == 1 and taken.count(others[0]) == 1}


def _are_alike(name: str, other: str) -> bool:
    words, others = ({word.lower() for word in name_words(each)} for each in (name, other))
    return bool(words & others or close_names(name, (other,)) or name.startswith(other) or other.startswith(name))


def _say_the_same(one: Any, other: Any) -> bool:
    texts = [schema.get("description") if isinstance(schema, dict) else None for schema in (one, other)]
    return bool(texts[0]) and texts[0] == texts[1]


def path_of(reference: str) -> Path:
    """The path that a JSON pointer within the document means; empty if it is none."""
    if not reference.startswith("#/") or "%" in reference:
        return ()
    steps = (step.replace("~1", "/").replace("~0", "~") for step in reference[2:].split("/"))
    return tuple(int(step) if step.isdecimal() else step for step in steps)
