"""Two versions of a schema: which values the one accepts and the other does not.

Only what is certain is a difference: there are values that the old schema accepts and the new one refuses, or the same
keyword says something else. Where that cannot be decided, the place is listed as such. For the results of a tool the
question is turned around: what may come now that could not come before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from toolsurface_lint.schemas.comparable import (
    ANNOTATIONS,
    ATOMS,
    COMBINING,
    SAID,
    At,
    Values,
    bare,
    combination,
    definitions,
    few_integers,
    holds_all,
    is_atom,
    is_number,
    is_unknown,
    limit_of,
    path_of,
    properties_of,
    refers,
    renamings,
    required_of,
    spelled,
    type_names,
    values_of,
)
from toolsurface_lint.schemas.dialects import TYPES, has_type, types_of
from toolsurface_lint.schemas.references import resolve
from toolsurface_lint.schemas.validation import SchemaValidator
from toolsurface_lint.source.tree import Path

REMOVED, RENAMED, REQUIRED, ADDED = "removed", "renamed", "required", "added"
TYPE, ENUM, BOUND, CLOSED, FORMAT, DEFAULT = "type", "enum", "bound", "closed", "format", "default"
"""The kinds of differences. `REMOVED`, `RENAMED`, `REQUIRED` and `ADDED` are about a property, `CLOSED` says that other
properties were accepted, `BOUND` is about any keyword that limits a value, `FORMAT` about `format` and `pattern`.
"""

MOST_STEPS = 20_000
"""Pairs of subschemas that are compared of two schemas."""
_MOST_DEPTH = 64
_MOST_VALUES = 500

_SIZES = {
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
}
_UNFOLLOWED = (
    *("patternProperties", "propertyNames", "dependentRequired", "dependentSchemas", "dependencies"),
    *("contains", "minContains", "maxContains", "unevaluatedItems"),
)


class Difference(NamedTuple):
    """One difference: where it is in the new schema, where it was in the old one, and what fills a message."""

    kind: str
    at: Path
    was: Path
    values: Mapping[str, Any]


class Undecided(NamedTuple):
    """A place at which two schemas were not compared: `keyword` is what stands in the way, empty for a type that is not known."""

    at: Path
    was: Path
    keyword: str


class Comparison(NamedTuple):
    differences: tuple[Difference, ...]
    undecided: tuple[Undecided, ...]


def compare_schemas(old: Any, new: Any) -> Comparison:
    """What differs between two versions of the schema of an object, in the order of the new one."""
    try:
        comparer = _Comparer(old, new)
        comparer.roots()
    except RecursionError:
        return Comparison((), (Undecided((), (), "nesting"),))
    return Comparison(tuple(dict.fromkeys(comparer.found)), tuple(dict.fromkeys(comparer.undecided)))


class _Comparer:
    def __init__(self, old: Any, new: Any) -> None:
        self._old, self._new = old, new
        self.found: list[Difference] = []
        self.undecided: list[Undecided] = []
        self._validator = SchemaValidator(new)
        self._seen: set[tuple[int, int]] = set()
        self._steps = 0
        # The same reference may lead to something else.
        self._same_references = not refers(old, new) or definitions(old) == definitions(new)

    def roots(self) -> None:
        old, new = self._followed(At(self._old, ()), self._old), self._followed(At(self._new, ()), self._new)
        if self._is_object(old) and self._is_object(new):
            if not self._equal(old, new):
                self._objects(old, new)
        else:
            self._compare(old, new, 0)

    @staticmethod
    def _is_object(at: At) -> bool:
        """Whether it is a plain schema of objects; the arguments of a call are one, whatever the schema leaves unsaid."""
        schema = at.schema
        if not isinstance(schema, dict) or not COMBINING.isdisjoint(schema) or "enum" in schema or "const" in schema:
            return False
        return types_of(schema) in (None, ("object",))

    def _emit(self, kind: str, at: Path, was: Path, **values: Any) -> None:
        self.found.append(Difference(kind, at, was, Values(**values)))

    def _leave(self, old: At, new: At, keyword: str) -> None:
        self.undecided.append(Undecided(new.path, old.path, keyword))

    def _equal(self, old: At, new: At) -> bool:
        return self._same_references and spelled(old.schema, SAID) == spelled(new.schema, SAID)

    def _followed(self, at: At, root: Any) -> At:
        """What a schema that only refers to another, or is one of a single part, stands for."""
        for _ in range(_MOST_DEPTH):
            schema = at.schema
            if not isinstance(schema, dict):
                return at
            said = schema.keys() - ANNOTATIONS
            # To look for the anchor that another reference means takes the whole schema, for each of them.
            if said == {"$ref"} and isinstance(schema["$ref"], str) and schema["$ref"].startswith("#/"):
                target = resolve(root, schema["$ref"])
                if target is None:
                    return at
                at = At(target.value, path_of(schema["$ref"]) or at.path)
            elif said in ({"allOf"}, {"anyOf"}, {"oneOf"}) and not is_unknown(schema):
                (key,) = said
                if not isinstance(schema[key], list) or len(schema[key]) != 1:
                    return at
                at = at.inner(key, 0)
            else:
                return at
        return at

    def _compare(self, old: At, new: At, depth: int) -> None:
        old, new = self._followed(old, self._old), self._followed(new, self._new)
        pair = (id(old.schema), id(new.schema))
        if (isinstance(old.schema, dict) and pair in self._seen) or self._equal(old, new):
            return
        self._seen.add(pair)
        self._steps += 1
        if depth > _MOST_DEPTH or self._steps > MOST_STEPS:
            self._leave(old, new, "size")
            return
        if new.schema is True or bare(new.schema) == {} or old.schema is False:
            return
        if is_unknown(old.schema) or is_unknown(new.schema):
            self._leave(old, new, "")
            return
        values = values_of(old.schema)
        if values is not None:
            self._compare_values(values, old, new)
            return
        before, after = self._by_type(old, self._old), self._by_type(new, self._new)
        if before is None or after is None:
            if not holds_all(old.schema, new.schema) or not self._same_references:
                self._leave(old, new, combination(new.schema) or combination(old.schema))
            return
        if not before.keys() <= after.keys():
            self._emit(
                TYPE, new.keyword("type", "anyOf", "oneOf"), old.path, old=type_names(before), new=type_names(after)
            )
        pairs: dict[tuple[int, int], tuple[At, At, list[str]]] = {}
        for atom in before:
            if atom in after:
                one, other = before[atom], after[atom]
                pairs.setdefault((id(one.schema), id(other.schema)), (one, other, []))[2].append(atom)
        for one, other, atoms in pairs.values():
            self._constraints(one, other, atoms, depth)

    def _by_type(self, at: At, root: Any, depth: int = 0) -> dict[str, At] | None:
        """The one plain schema that is for the values of each type; None where several conditions meet."""
        at = self._followed(at, root)
        schema = at.schema
        self._steps += 1
        if self._steps > MOST_STEPS:
            return None
        if schema is True:
            return {atom: At({}, at.path) for name in TYPES for atom in ATOMS[name]}
        if not isinstance(schema, dict) or depth > _MOST_DEPTH or is_unknown(schema):
            return None
        if COMBINING.isdisjoint(schema):
            values = values_of(schema)
            stated = types_of(schema) or tuple(sorted(TYPES))
            if values is not None:
                stated = tuple(name for name in stated if any(has_type(value, name) for value in values))
            # A multiple of a whole number is one.
            no_fractions = isinstance(schema.get("multipleOf"), int)
            return {atom: at for name in stated for atom in ATOMS[name] if not (no_fractions and atom == "fraction")}
        said = schema.keys() - ANNOTATIONS
        if said not in ({"anyOf"}, {"oneOf"}):
            return None
        (key,) = said
        found: dict[str, At] = {}
        for index in range(len(schema[key]) if isinstance(schema[key], list) else 0):
            part = self._by_type(at.inner(key, index), root, depth + 1)
            if part is None or not part.keys().isdisjoint(found):
                return None
            found.update(part)
        return found

    def _compare_values(self, values: list[Any], old: At, new: At) -> None:
        """Of a few values, each is tried."""
        allowed = values_of(new.schema)
        if allowed is not None and "type" not in new.schema:
            known = {spelled(value, frozenset()) for value in allowed}
            refused = [value for value in values if spelled(value, frozenset()) not in known]
        elif len(values) > _MOST_VALUES:
            self._leave(old, new, "enum")
            return
        else:
            refused = values
        # The text of a value says more than its value: `1` and `1.0` are one.
        looked_at = [value for value in refused[:_MOST_VALUES] if self._validator.errors(value, new.schema)]
        refused = [*looked_at, *refused[_MOST_VALUES:]]
        if not refused:
            return
        after = self._by_type(new, self._new)
        if after is not None and len(refused) == len(values):
            names = {atom for value in values for name in TYPES if has_type(value, name) for atom in ATOMS[name]}
            if names.isdisjoint(after):
                shown = sorted({name for value in values for name in TYPES - {"number"} if has_type(value, name)})
                self._emit(TYPE, new.keyword("type", "anyOf", "oneOf"), old.path, old=shown, new=type_names(after))
                return
        self._emit(ENUM, new.keyword("enum", "const"), old.keyword("enum", "const"), gone=refused)

    def _constraints(self, old: At, new: At, atoms: list[str], depth: int) -> None:
        """Two plain schemas of values of these types."""
        values = values_of(old.schema)
        if values is not None:
            kept = [value for value in values if any(is_atom(value, atom) for atom in atoms)]
            self._compare_values(kept, old, new)
            return
        allowed = values_of(new.schema)
        if allowed is not None and {"enum", "const"} & new.schema.keys():
            if set(atoms) - {"null", "boolean"}:
                self._emit(ENUM, new.keyword("enum", "const"), old.path, allowed=allowed)
            return
        if "integer" in atoms or "fraction" in atoms:
            self._numbers(old, new, integer="fraction" not in atoms)
        for name, keywords in _SIZES.items():
            if name in atoms:
                for keyword in keywords:
                    self._bound(old, new, keyword, _number(old, keyword), _number(new, keyword))
        if "string" in atoms:
            for keyword in ("format", "pattern"):
                said = new.schema.get(keyword)
                before = old.schema.get(keyword)
                if isinstance(said, str) and said != before:
                    at, was = (*new.path, keyword), old.keyword(keyword)
                    self._emit(FORMAT, at, was, keyword=keyword, old=before, new=said)
        if "array" in atoms:
            self._arrays(old, new, depth)
        if "object" in atoms:
            self._objects(old, new, depth)

    def _bound(self, old: At, new: At, keyword: str, before: float | None, after: float | None) -> None:
        if after is None or (keyword.startswith("min") and after <= 0 and "Length" not in keyword and before is None):
            return
        if keyword == "minLength" and after <= 0:
            return
        narrower = before is None or (after > before if keyword.startswith("min") else after < before)
        if narrower:
            self._emit(BOUND, (*new.path, keyword), old.keyword(keyword), keyword=keyword, old=before, new=after)

    def _numbers(self, old: At, new: At, *, integer: bool) -> None:
        few = few_integers(old.schema) if integer else None
        if few is not None and not any(self._validator.errors(value, new.schema) for value in few):
            # Its limits together leave out what one of them alone would let through.
            return
        for end, sign in (("inimum", -1), ("aximum", 1)):
            before, after = (limit_of(at.schema, end, sign, integer) for at in (old, new))
            # A limit is the number, and whether it is left out itself.
            if after is not None and (
                before is None or (sign * after[0], not after[1]) < (sign * before[0], not before[1])
            ):
                keywords = (f"m{end}", f"exclusiveM{end}")
                written = next(key for key in keywords if isinstance(new.schema.get(key), int | float))
                stated = next((old.schema[key] for key in keywords if is_number(old.schema.get(key))), None)
                at, was = (*new.path, written), old.keyword(*keywords)
                self._emit(BOUND, at, was, keyword=written, old=stated, new=new.schema[written])
        step, before_step = new.schema.get("multipleOf"), old.schema.get("multipleOf")
        if is_number(step) and step > 0 and not (integer and step == 1) and step != before_step:
            if (
                is_number(before_step)
                and before_step > 0
                and not (isinstance(step, int) and isinstance(before_step, int))
            ):
                self._leave(old, new, "multipleOf")
            elif not before_step or before_step % step:
                at, was = (*new.path, "multipleOf"), old.keyword("multipleOf")
                self._emit(BOUND, at, was, keyword="multipleOf", old=before_step, new=step)

    def _arrays(self, old: At, new: At, depth: int) -> None:
        several = not is_number(old.schema.get("maxItems")) or old.schema["maxItems"] > 1
        if several and new.schema.get("uniqueItems") is True and old.schema.get("uniqueItems") is not True:
            at = (*new.path, "uniqueItems")
            self._emit(BOUND, at, old.path, keyword="uniqueItems", old=None, new=True)
        tuples = ("prefixItems", "additionalItems")
        is_tuple = any(isinstance(at.schema.get("items"), list) for at in (old, new))
        if is_tuple or any(old.schema.get(key) != new.schema.get(key) for key in tuples):
            if any(bare(old.schema.get(key)) != bare(new.schema.get(key)) for key in ("items", *tuples)):
                self._leave(old, new, "prefixItems" if "prefixItems" in new.schema else "items")
        elif "items" in new.schema and old.schema.get("maxItems") != 0:
            items = old.inner("items") if "items" in old.schema else At(True, old.path)
            self._compare(items, new.inner("items"), depth + 1)
        self._unfollowed(old, new)

    def _objects(self, old: At, new: At, depth: int = 0) -> None:
        before, after = properties_of(old.schema), properties_of(new.schema)
        required, needed = required_of(old.schema), required_of(new.schema)
        removed = [name for name in before if name not in after]
        added = [name for name in after if name not in before]
        renamed = renamings(before, removed, after, added, required, needed)
        for name in removed:
            if name not in renamed:
                at = new.keyword("properties")
                self._emit(REMOVED, at, (*old.path, "properties", name), name=name, required=name in required)
        back = {new_name: name for name, new_name in renamed.items()}
        for name in after:
            at, was = (*new.path, "properties", name), (*old.path, "properties", back.get(name, name))
            if name in back:
                self._emit(RENAMED, at, was, name=back[name], new=name)
            elif name in needed and name not in required:
                self._emit(REQUIRED, at, was if name in before else old.path, name=name, added=name not in before)
            elif name not in before:
                self._emit(ADDED, at, old.path, name=name)
            if back.get(name, name) in before:
                one, other = At(before[back.get(name, name)], was), At(after[name], at)
                if name not in needed:
                    # What must be passed has no use for one.
                    self._default(one, other)
                self._compare(one, other, depth + 1)
        for name in sorted(needed - required - after.keys()):
            self._emit(REQUIRED, new.keyword("required"), old.path, name=name, added=name not in before)
        extra_before, extra_after = _extra(old), _extra(new)
        if extra_after.schema is False:
            if extra_before.schema is not False:
                self._emit(CLOSED, extra_after.path, old.path)
        elif extra_before.schema is not False:
            self._compare(extra_before, extra_after, depth + 1)
        self._unfollowed(old, new)

    def _default(self, old: At, new: At) -> None:
        if isinstance(old.schema, dict) and isinstance(new.schema, dict) and "default" in old.schema:
            before, after = old.schema["default"], new.schema.get("default")
            if type(before) is not type(after) or before != after:
                at, was = new.keyword("default"), old.keyword("default")
                self._emit(DEFAULT, at, was, old=before, new=after, gone="default" not in new.schema)

    def _unfollowed(self, old: At, new: At) -> None:
        for keyword in _UNFOLLOWED:
            if keyword in new.schema and bare(old.schema.get(keyword)) != bare(new.schema[keyword]):
                self._leave(old, new, keyword)


def _number(at: At, keyword: str) -> float | None:
    value = at.schema.get(keyword)
    return value if is_number(value) else None


def _extra(at: At) -> At:
    """The schema of other properties than those that are named."""
    for keyword in ("additionalProperties", "unevaluatedProperties"):
        if keyword in at.schema:
            return at.inner(keyword)
    return At(True, at.path)
