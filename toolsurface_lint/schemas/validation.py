"""jsonschema behind a guard: the judge of schemas and values about which the quick paths cannot speak.

It is imported when it is first needed. It never opens the network, runs no regular expression that could hang, and gives
up in silence (the value passes) on what it cannot judge: endless recursion, references out of the document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from toolsurface_lint.schemas.accept import compile_acceptor
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
from toolsurface_lint.schemas.patterns import Pattern, harmless
from toolsurface_lint.schemas.plain import is_plainly_valid
from toolsurface_lint.schemas.references import objects
from toolsurface_lint.schemas.wording import alternatives, listed, shown
from toolsurface_lint.source.tree import Path


class SchemaError(NamedTuple):
    """One way in which a value breaks a schema.

    `path` leads to the place in the value, `schema_path` to the keyword in the schema; `message` is a predicate about
    the value there (`must be an integer, not "5"`); `validator` is the keyword; `subject` is the name that the error is
    about where the path cannot say it: a missing or an undeclared property.
    """

    path: Path
    schema_path: Path
    message: str
    validator: str
    subject: str | None = None


class SchemaValidator:
    """One schema, ready to judge many values. `root` is the schema that it stands in, for its references."""

    __slots__ = ("_accept", "_judge", "_part", "_root", "_schema")

    def __init__(self, schema: Any, root: Any = None) -> None:
        self._schema = schema
        self._root = schema if root is None else root
        self._accept = compile_acceptor(schema, self._root)
        self._judge: _Judge | None = None
        self._part: Any = None

    def errors(self, value: Any) -> list[SchemaError]:
        """What is wrong with a value, in the schema's order; empty for valid ones and for what cannot be judged."""
        if self._accept is not None and self._accept(value):
            return []
        if self._judge is None:
            try:
                self._judge = _judge_of(self._root)
                if self._schema is not self._root:
                    self._part = _without_dialects(self._schema)
            except RecursionError:
                return []
        return self._judge.errors(value, self._part)


def validate(schema: Any, value: Any, root: Any = None) -> list[SchemaError]:
    """What is wrong with one value."""
    return SchemaValidator(schema, root).errors(value)


def schema_errors(schema: Any) -> list[SchemaError]:
    """Why a schema is no valid JSON Schema of its dialect; empty if it is valid, or of a dialect not known here.

    Regular expressions and URIs are not judged: jsonschema would hold them against Python's.
    """
    if is_plainly_valid(schema):
        return []
    dialect = dialect_of(schema)
    if dialect is None:
        return []
    return _meta_judge(dialect).errors(schema)


MAX_STEPS = 50_000
"""How many keywords are applied to one value at most: nested alternatives multiply."""


class _TooLong(Exception):
    """More than `MAX_STEPS`."""


# jsonschema's keyword functions know only the validator that they run for, so the count lies beside them.
_steps = 0


class _Judge:
    """A jsonschema validator of one root schema."""

    def __init__(self, validator: Any, tell: Callable[[Any], Iterator[SchemaError]]) -> None:
        self._validator = validator
        self._tell = tell

    def errors(self, value: Any, schema: Any = None) -> list[SchemaError]:
        """What is wrong with a value, by the root or by a schema that stands in it."""
        global _steps
        from jsonschema.exceptions import UnknownType
        from referencing.exceptions import Unresolvable

        _steps = 0
        try:
            if schema is None:
                found = list(self._validator.iter_errors(value))
            else:
                found = list(self._validator.descend(value, schema))
            # Several vocabularies of a meta-schema find one mistake.
            return list(dict.fromkeys(told for error in found for told in self._tell(error)))
        except (RecursionError, ArithmeticError, TypeError, ValueError, AttributeError, LookupError):
            # What an invalid schema or an enormous number leads to.
            return []
        except (_TooLong, UnknownType, Unresolvable):
            return []


def _judge_of(root: Any) -> _Judge:
    from referencing import Registry

    dialect = dialect_of(root) or DRAFT_2020
    # What jsonschema's own `unevaluatedProperties` runs through `re`, it runs unguarded.
    judge = _guarded(dialect, any("patternProperties" in schema for schema in objects(root)))
    registry: Any = Registry()
    return _Judge(judge(_without_dialects(root), registry=registry), _told)


@lru_cache(maxsize=8)
def _meta_judge(dialect: str) -> _Judge:
    from referencing import Registry

    base = _base(dialect)
    # jsonschema adds the meta-schemas that it ships to any registry.
    registry: Any = Registry()
    return _Judge(base(base.META_SCHEMA, registry=registry), _schema_told)


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
        "properties": _properties,
        "required": _required,
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
    }
    if has_patterns:
        own["unevaluatedProperties"] = _unjudged
    functions = {name: _counted(function) for name, function in {**base.VALIDATORS, **own}.items()}
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
        global _steps
        _steps += 1
        if _steps > MAX_STEPS:
            raise _TooLong
        return function(validator, value, instance, schema)

    return counted


def _error(message: str, subject: str | None = None) -> Any:
    from jsonschema import ValidationError

    error: Any = ValidationError(message)
    error.subject = subject
    return error


def _properties(validator: Any, properties: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if not isinstance(instance, dict):
        return
    for name, part in properties.items():
        if name not in instance:
            continue
        if part is False:
            yield _error(f"must not have the property `{name}`", name)
        else:
            yield from validator.descend(instance[name], part, path=name, schema_path=name)


def _required(validator: Any, names: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if isinstance(instance, dict):
        for name in names:
            # What is no name at all is the schema's own mistake, and says nothing of the value.
            if isinstance(name, str) and name not in instance:
                yield _error(f"must have the property `{name}`", name)


def _pattern(validator: Any, pattern: Any, instance: Any, schema: Any) -> Iterator[Any]:
    safe = harmless(pattern)
    if isinstance(instance, str) and safe is not None and safe.judges(instance) and not safe.matches(instance):
        yield _error(f"must match `{pattern}`")


def _may_match(pattern: str, name: str) -> bool:
    """Whether a pattern matches a name, or may match it: one that is not run counts as matching."""
    safe: Pattern | None = harmless(pattern)
    return safe is None or not safe.judges(name) or safe.matches(name)


def _pattern_properties(validator: Any, patterns: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if not isinstance(instance, dict):
        return
    for pattern, part in patterns.items():
        safe = harmless(pattern)
        if safe is None:
            continue
        for name, member in instance.items():
            if safe.judges(name) and safe.matches(name):
                yield from validator.descend(member, part, path=name, schema_path=pattern)


def _additional_properties(validator: Any, extra: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if not isinstance(instance, dict):
        return
    declared = schema.get("properties", {})
    patterns = schema.get("patternProperties", {})
    for name, member in instance.items():
        if name in declared or any(_may_match(pattern, name) for pattern in patterns):
            continue
        if extra is False:
            yield _error(f"must not have the property `{name}`", name)
        else:
            yield from validator.descend(member, extra, path=name)


def _unjudged(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
    return iter(())


def _told(error: Any) -> Iterator[SchemaError]:
    """A jsonschema error in our words; of alternatives, the errors of the only one whose type fits."""
    if error.validator in ("anyOf", "oneOf") and error.context:
        meant = _meant(error)
        if meant:
            for inner in meant:
                inner.path.extendleft(reversed(error.path))
                inner.schema_path.extendleft(reversed(error.schema_path))
                yield from _told(inner)
            return
    path = tuple(error.path)
    keyword = str(error.validator)
    yield SchemaError(path, tuple(error.schema_path), _message(error), keyword, getattr(error, "subject", None))


def _meant(error: Any) -> list[Any]:
    """The errors of the one alternative that the value is plainly meant for; none if that is not plain."""
    branches: dict[Any, list[Any]] = {}
    for inner in error.context:
        branches.setdefault(inner.schema_path[0], []).append(inner)
    fitting = [
        found for found in branches.values() if not any(inner.validator == "type" and not inner.path for inner in found)
    ]
    return fitting[0] if len(fitting) == 1 else []


def _schema_told(error: Any) -> Iterator[SchemaError]:
    """An error of a meta-schema: what is wrong with a schema, in our words; the path leads to the offending value."""
    path: Path = tuple(error.path)
    keyword, value = str(error.validator), error.instance
    name = str(path[-1]) if path else ""
    # Not the way through the meta-schema, which differs from one vocabulary to the next.
    schema_path: Path = (keyword,)
    if keyword == "anyOf" and name == "type":
        names = value if isinstance(value, list) else [value]
        for index, stated in enumerate(names):
            if not (isinstance(stated, str) and stated in TYPES):
                place = (*path, index) if isinstance(value, list) else path
                yield SchemaError(place, schema_path, _unknown_type(stated), "type", _named(stated))
        if isinstance(value, list) and TYPES.issuperset(filter(_is_text, value)):
            problem = "`type` must name at least one type" if not value else f"`type` names {_repeated(value)} twice"
            yield SchemaError(path, schema_path, problem, "type")
        return
    if keyword == "uniqueItems":
        yield SchemaError(path, schema_path, f"`{name}` names {_repeated(value)} twice", keyword)
    elif keyword in ("minItems", "minProperties"):
        yield SchemaError(path, schema_path, f"`{name}` must not be empty", keyword)
    elif keyword in ("minimum", "exclusiveMinimum"):
        least = "more than `0`" if keyword == "exclusiveMinimum" else "at least `0`"
        yield SchemaError(path, schema_path, f"`{name}` must be {least}, not {shown(value)}", keyword)
    elif keyword == "type" or keyword == "anyOf":
        yield SchemaError(path, schema_path, _wrong_shape(path, error), "shape")
    else:
        yield SchemaError(path, schema_path, f"`{name}` must not be {shown(value)}", keyword)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _named(stated: Any) -> str | None:
    return stated if isinstance(stated, str) else None


def _unknown_type(stated: Any) -> str:
    if isinstance(stated, str):
        return f"`{stated}` is no JSON Schema type"
    return f"`type` must be the name of a type, not {shown(stated)}"


def _repeated(values: list[Any]) -> str:
    for index, value in enumerate(values):
        if value in values[:index]:
            return f"`{value}`" if isinstance(value, str) else shown(value)
    return "a value"


def _wrong_shape(path: Path, error: Any) -> str:
    """A keyword's value is of a wrong type; where subschemas stand, the wanted one is a schema."""
    wanted = error.validator_value
    if path and _is_schema_place(path):
        noun = "a schema"
    elif error.validator == "anyOf":
        noun = "of another shape"
    elif not path:
        noun = "an object"
    else:
        noun = alternatives(wanted if isinstance(wanted, list) else [wanted])
    name = f"`{path[-1]}`" if path and isinstance(path[-1], str) else "this" if path else "the schema"
    return f"{name} must be {noun}, not {shown(error.instance)}"


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


_BOUNDS = {
    "minimum": "must be at least {}",
    "maximum": "must be at most {}",
    "exclusiveMinimum": "must be more than {}",
    "exclusiveMaximum": "must be less than {}",
    "minLength": "must have at least {} characters",
    "maxLength": "must have at most {} characters",
    "minItems": "must have at least {} items",
    "maxItems": "must have at most {} items",
    "minProperties": "must have at least {} properties",
    "maxProperties": "must have at most {} properties",
    "multipleOf": "must be a multiple of {}",
}


def _message(error: Any) -> str:
    keyword, wanted, value = error.validator, error.validator_value, error.instance
    if keyword == "type":
        names = wanted if isinstance(wanted, list) else [wanted]
        return f"must be {alternatives(names)}, not {shown(value)}"
    if keyword == "enum":
        return f"must be {listed(wanted)}, not {shown(value)}"
    if keyword == "const":
        return f"must be {shown(wanted)}, not {shown(value)}"
    if keyword in _BOUNDS:
        return _BOUNDS[keyword].format(shown(wanted))
    if keyword in ("properties", "required", "pattern") or (keyword == "additionalProperties" and wanted is False):
        return str(error.message)
    if keyword == "uniqueItems":
        return "must have no item twice"
    if keyword == "dependentRequired" or keyword == "dependencies":
        return "must have the properties that its other properties ask for"
    if keyword == "anyOf":
        if all(inner.validator == "type" and not inner.path for inner in error.context):
            stated = [inner.validator_value for inner in error.context]
            names = [name for each in stated for name in (each if isinstance(each, list) else [each])]
            return f"must be {alternatives(list(dict.fromkeys(names)))}, not {shown(value)}"
        return f"must fit one of the alternatives of `anyOf`, not {shown(value)}"
    if keyword == "oneOf":
        several = not error.context
        return f"must fit exactly one of the alternatives of `oneOf`, and {'fits several' if several else 'fits none'}"
    if keyword is None or keyword == "None":
        return "must not be there"
    return f"must meet `{keyword}`"
