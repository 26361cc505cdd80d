"""jsonschema, guarded: it checks the schemas and values that the quick paths hand over.

It is imported when it is first needed. It never opens the network, runs no regular expression that could hang, and gives
up in silence (the value passes) on what it cannot check: endless recursion, references out of the document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import cached_property, lru_cache
from typing import Any

from toolsurface_lint.schemas.accept import Acceptor, Acceptors
from toolsurface_lint.schemas.dialects import (
    DRAFT_04,
    DRAFT_06,
    DRAFT_07,
    DRAFT_2019,
    DRAFT_2020,
    LIST,
    MAP,
    ONE,
    TYPES,
    dialect_of,
)
from toolsurface_lint.schemas.patterns import harmless, may_match
from toolsurface_lint.schemas.plain import is_plainly_valid
from toolsurface_lint.schemas.references import objects
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Path


class SchemaValidator:
    """One schema, ready to check many values, by the whole of it or by a part."""

    def __init__(self, root: Any) -> None:
        self._root = root

    @cached_property
    def accept(self) -> Acceptor | None:
        """Accepts values that are right, and refuses all others and some that are right; None if it cannot be had."""
        return self._acceptors.of(self._root)

    @cached_property
    def _acceptors(self) -> Acceptors:
        return Acceptors(self._root)

    @cached_property
    def _exact(self) -> Any:
        return _validator_of(self._root)

    def errors(self, value: Any, part: Any = None) -> list[Problem[Path]]:
        """What is wrong with a value, in the schema's order; empty for valid ones and for what cannot be checked.

        The kind is the keyword, sometimes with a variant; `related` leads to it in the schema, as `schema`. `part` is one
        of its subschemas.
        """
        return self.decide(value, part) or []

    def decide(self, value: Any, part: Any = None) -> list[Problem[Path]] | None:
        """The same, but None where nothing was found and not everything could be checked."""
        accept = self.accept if part is None else self._acceptors.of(part)
        if accept is not None and accept(value):
            return []
        try:
            exact, within = self._exact, None if part is None else _without_dialects(part)
        except RecursionError:
            return None
        return _problems(exact, value, _value_problems, within)


def validate(schema: Any, value: Any, root: Any = None) -> list[Problem[Path]]:
    """What is wrong with one value; `root` is the schema that `schema` is a part of, for its references."""
    return SchemaValidator(schema).errors(value) if root is None else SchemaValidator(root).errors(value, schema)


def schema_errors(schema: Any) -> list[Problem[Path]]:
    """Why a schema is not a valid JSON Schema of its dialect; empty if it is valid, or of a dialect not known here.

    Regular expressions and URIs are not checked: jsonschema would check them by Python's rules.
    """
    if is_plainly_valid(schema):
        return []
    dialect = dialect_of(schema)
    if dialect is None:
        return []
    return _problems(_meta_validator(dialect), schema, _schema_problems) or []


MAX_STEPS = 50_000
"""How many keywords are applied, and patterns of `patternProperties` tried, on one value at most: both multiply."""


class _TooLong(Exception):
    """More than `MAX_STEPS`."""


# jsonschema's keyword functions know only the validator that they run for, so the counts are kept here.
_steps: ContextVar[list[int]] = ContextVar("_steps")
_not_run: ContextVar[list[str]] = ContextVar("_not_run")
"""The patterns that a text was not searched for."""


def _problems(
    validator: Any, value: Any, meant: Callable[[Any], Iterator[Problem[Path]]], part: Any = None
) -> list[Problem[Path]] | None:
    """What is wrong with a value by the root schema of a jsonschema validator, or by a `part` of it that is a schema.

    None if nothing is known to be wrong and not everything was checked. `meant` gives what an error of jsonschema means.
    """
    from jsonschema.exceptions import UnknownType
    from referencing.exceptions import Unresolvable

    not_run: list[str] = []
    _steps.set([0])
    _not_run.set(not_run)
    try:
        errors = list(validator.iter_errors(value) if part is None else validator.descend(value, part))
        # Several vocabularies of a meta-schema find one mistake.
        found = list({_identity(problem): problem for error in errors for problem in meant(error)}.values())
    except (RecursionError, ArithmeticError, TypeError, ValueError, AttributeError, LookupError):
        # What an invalid schema or an enormous number leads to.
        return None
    except (_TooLong, UnknownType, Unresolvable):
        return None
    return None if not_run and not found else found


def _validator_of(root: Any) -> Any:
    dialect = dialect_of(root) or DRAFT_2020
    # What jsonschema's own `unevaluatedProperties` runs through `re`, it runs unguarded.
    guarded = _guarded(dialect, any("patternProperties" in schema for schema in objects(root)))
    return guarded(_without_dialects(root), registry=_offline_registry())


@lru_cache(maxsize=8)
def _meta_validator(dialect: str) -> Any:
    base = _base(dialect)
    return base(base.META_SCHEMA, registry=_offline_registry())


def _offline_registry() -> Any:
    """No schema besides the meta-schemas that jsonschema ships, which it adds itself; nothing is fetched."""
    from referencing import Registry

    return Registry()


def _base(dialect: str) -> Any:
    import jsonschema

    return {
        DRAFT_04: jsonschema.Draft4Validator,
        DRAFT_06: jsonschema.Draft6Validator,
        DRAFT_07: jsonschema.Draft7Validator,
        DRAFT_2019: jsonschema.Draft201909Validator,
        DRAFT_2020: jsonschema.Draft202012Validator,
    }[dialect]


@lru_cache(maxsize=16)
def _guarded(dialect: str, has_patterns: bool) -> Any:
    """A jsonschema validator class whose regular expressions cannot hang and whose steps are counted."""
    import jsonschema.validators

    base = _base(dialect)
    own: dict[str, Any] = {
        "type": _type,
        "properties": _properties,
        "required": _required,
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
        "propertyNames": _property_names,
    }
    if has_patterns:
        own["unevaluatedProperties"] = lambda *_: None
    # What a dialect does not have is not a keyword in it.
    functions = {name: _counted(own.get(name, function)) for name, function in base.VALIDATORS.items()}
    extend: Any = jsonschema.validators.extend
    return extend(base, functions)


def _without_dialects(value: Any) -> Any:
    """A copy of a schema without its `$schema` keywords: at each of them jsonschema would go back to its own class."""
    if isinstance(value, dict):
        return {
            key: _without_dialects(member)
            for key, member in value.items()
            if key != "$schema" or not isinstance(member, str)
        }
    if isinstance(value, list):
        return [_without_dialects(element) for element in value]
    return value


_Keyword = Callable[[Any, Any, Any, Any], Any]


def _counted(function: _Keyword) -> _Keyword:
    def counted(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
        _count()
        return function(validator, value, instance, schema)

    return counted


def _count(steps: int = 1) -> None:
    taken = _steps.get()
    taken[0] += steps
    if taken[0] > MAX_STEPS:
        raise _TooLong


def _error(property: str | None = None) -> Any:
    from jsonschema import ValidationError

    error: Any = ValidationError("")
    error.property = property
    return error


def _type(validator: Any, types: Any, instance: Any, schema: Any) -> Iterator[Any]:
    names = [types] if isinstance(types, str) else types
    # What names no type is the schema's own mistake, and says nothing about the value.
    if isinstance(names, list) and names and not any(validator.is_type(instance, name) for name in names):
        yield _error()


def _properties(validator: Any, properties: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if not isinstance(instance, dict):
        return
    for name, part in properties.items():
        if name not in instance:
            continue
        if part is False:
            yield _error(name)
        else:
            yield from validator.descend(instance[name], part, path=name, schema_path=name)


def _required(validator: Any, names: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if isinstance(instance, dict):
        for name in names:
            # What is not a name is the schema's own mistake, and says nothing about the value.
            if isinstance(name, str) and name not in instance:
                yield _error(name)


def _pattern(validator: Any, pattern: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if not isinstance(instance, str):
        return
    safe = harmless(pattern)
    if safe is None or not safe.takes(instance):
        _not_run.get().append(pattern)
    elif not safe.matches(instance):
        yield _error()


def _pattern_properties(validator: Any, patterns: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if not isinstance(instance, dict):
        return
    for pattern, part in patterns.items():
        _count(len(instance))
        safe = harmless(pattern)
        if safe is None:
            _not_run.get().append(pattern)
            continue
        for name, member in instance.items():
            if not safe.takes(name):
                _not_run.get().append(pattern)
            elif safe.matches(name):
                yield from validator.descend(member, part, path=name, schema_path=pattern)


def _additional_properties(validator: Any, extra: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if not isinstance(instance, dict):
        return
    declared = schema.get("properties", {})
    patterns = [harmless(pattern) for pattern in schema.get("patternProperties", ())]
    for name, member in instance.items():
        _count(len(patterns))
        if name in declared or any(may_match(pattern, name) for pattern in patterns):
            continue
        if extra is False:
            yield _error(name)
        else:
            yield from validator.descend(member, extra, path=name)


def _property_names(validator: Any, part: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if not isinstance(instance, dict):
        return
    for name in instance:
        if next(validator.descend(name, part), None) is not None:
            yield _error(name)
            # One finding for each object.
            return


def _identity(problem: Problem[Path]) -> tuple[Any, ...]:
    values = problem.values
    return problem.kind, problem.at, problem.related, *(str(values.get(name)) for name in ("property", "types", "type"))


def _value_problems(error: Any) -> Iterator[Problem[Path]]:
    """What a jsonschema error means; of alternatives, the errors of the only one whose type fits."""
    if error.validator in ("anyOf", "oneOf") and error.context:
        meant = _meant(error)
        if meant:
            for inner in meant:
                inner.path.extendleft(reversed(error.path))
                inner.schema_path.extendleft(reversed(error.schema_path))
                yield from _value_problems(inner)
            return
    kind, values = _described(error)
    yield Problem(kind, tuple(error.path), values, related=(("schema", tuple(error.schema_path)),))


def _meant(error: Any) -> list[Any]:
    """The errors of the one alternative that the value is plainly meant for; none if that is not plain."""
    branches: dict[Any, list[Any]] = {}
    for inner in error.context:
        branches.setdefault(inner.schema_path[0], []).append(inner)
    fitting = [
        found for found in branches.values() if not any(inner.validator == "type" and not inner.path for inner in found)
    ]
    return fitting[0] if len(fitting) == 1 else []


_BOUNDS = frozenset(
    ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems",
     "minProperties", "maxProperties", "multipleOf")
)  # fmt: skip


def _described(error: Any) -> tuple[str, dict[str, Any]]:
    """The kind and the values of a problem with a value."""
    keyword, wanted, value = str(error.validator), error.validator_value, error.instance
    if keyword == "type":
        return keyword, {"types": wanted if isinstance(wanted, list) else [wanted], "value": value}
    if keyword == "enum":
        return (
            (keyword, {"values": wanted, "value": value}) if isinstance(wanted, list) and wanted else ("enum/empty", {})
        )
    if keyword == "const":
        return keyword, {"wanted": wanted, "value": value}
    if keyword in _BOUNDS:
        return keyword, {"bound": wanted}
    if keyword == "pattern":
        return keyword, {"pattern": wanted}
    if getattr(error, "property", None) is not None:
        return keyword, {"property": error.property}
    if keyword in ("uniqueItems", "dependentRequired"):
        return keyword, {}
    if keyword == "dependencies":
        return "dependentRequired", {}
    if keyword == "anyOf":
        if all(inner.validator == "type" and not inner.path for inner in error.context):
            stated = [inner.validator_value for inner in error.context]
            names = [name for each in stated for name in (each if isinstance(each, list) else [each])]
            return "type", {"types": list(dict.fromkeys(names)), "value": value}
        return keyword, {"value": value}
    if keyword == "oneOf":
        return "oneOf" if error.context else "oneOf/several", {}
    return ("false", {}) if keyword == "None" else ("other", {"keyword": keyword})


def _schema_problems(error: Any) -> Iterator[Problem[Path]]:
    """What an error of a meta-schema means: what is wrong with a schema; the path leads to the offending value."""
    path: Path = tuple(error.path)
    keyword, value = str(error.validator), error.instance
    key = _key(path)
    if keyword == "anyOf" and path and path[-1] == "type":
        for index, stated in enumerate(value if isinstance(value, list) else [value]):
            place = (*path, index) if isinstance(value, list) else path
            if not isinstance(stated, str):
                yield Problem("type/shape", place, {"value": stated})
            elif stated not in TYPES:
                yield Problem("type", place, {"type": stated})
        if isinstance(value, list) and TYPES.issuperset(name for name in value if isinstance(name, str)):
            yield (
                Problem("repeated", path, {"key": key, "value": _repeated(value)})
                if value
                else Problem("type/empty", path)
            )
    elif keyword == "uniqueItems":
        yield Problem("repeated", path, {"key": key, "value": _repeated(value)})
    elif keyword in ("minItems", "minProperties"):
        yield Problem("empty", path, {"key": key})
    elif keyword in ("minimum", "exclusiveMinimum"):
        yield Problem(keyword, path, {"key": key, "value": value})
    elif keyword != "type" and keyword != "anyOf":
        yield Problem("other", path, {"key": key, "value": value})
    elif path and _is_schema_place(path):
        yield Problem("shape/schema", path, {"key": key, "value": value})
    elif not path:
        yield Problem("shape/root", path, {"value": value})
    elif keyword == "anyOf":
        yield Problem("shape", path, {"key": key, "value": value})
    else:
        wanted = error.validator_value
        types = wanted if isinstance(wanted, list) else [wanted]
        yield Problem("shape/type", path, {"key": key, "types": types, "value": value})


def _key(path: Path) -> str:
    """The keyword at the end of a path, with the indexes after it: `anyOf[0]`."""
    text = ""
    for step in reversed(path):
        text = f"[{step}]{text}" if isinstance(step, int) else step + text
        if isinstance(step, str):
            break
    return text


def _repeated(values: list[Any]) -> Any:
    return next((value for index, value in enumerate(values) if value in values[:index]), None)


def _is_schema_place(path: Path) -> bool:
    """Whether the value at a path in a schema is to be a schema itself."""
    expected = "schema"
    for step in path:
        if expected == "schema":
            expected = "schema" if step in ONE else "list" if step in LIST else "map" if step in MAP else "value"
        elif expected in ("list", "map"):
            expected = "schema"
        else:
            return False
    return expected == "schema"
