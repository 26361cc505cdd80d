"""The quick paths against jsonschema: what they take, it takes."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from referencing import Registry

from tests.long import examples
from toolsurface_lint.schemas.accept import Acceptors
from toolsurface_lint.schemas.plain import is_plainly_valid

CLASSES = {
    None: jsonschema.Draft202012Validator,
    "https://json-schema.org/draft/2020-12/schema": jsonschema.Draft202012Validator,
    "https://json-schema.org/draft/2019-09/schema": jsonschema.Draft201909Validator,
    "http://json-schema.org/draft-07/schema#": jsonschema.Draft7Validator,
    "http://json-schema.org/draft-06/schema#": jsonschema.Draft6Validator,
}
DRAFT_04 = "http://json-schema.org/draft-04/schema#"
NAMES = st.sampled_from(["a", "b", "c", "type", "$ref"])
TYPES = st.sampled_from(["string", "number", "integer", "boolean", "object", "array", "null"])
NUMBERS = st.sampled_from([-1, 0, 1, 2, 3, 1.0, 1.5, -0.5, True, False, 10**20])
SCALARS = st.one_of(NUMBERS, st.sampled_from(["", "a", "ab", "x1", "a\n", "é", "٣"]), st.none())
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=8,
)
PATTERNS = st.sampled_from(
    ["^a", "a$", r"^\d+$", "^[a-z]{1,2}$", "(a|b)?c", r"\w", ".", "^(a+)+$", "[", "x|^a$", r"\p{L}"]
)
REFERENCES = st.sampled_from(
    ["#/$defs/a", "#/$defs/b", "#/definitions/a", "#", "#/properties/a", "https://example.com/s"]
)
SLOPPY = st.one_of(SCALARS, st.lists(SCALARS, max_size=2))


def keywords(schemas: st.SearchStrategy[Any]) -> dict[str, st.SearchStrategy[Any]]:
    """Every keyword with values that are mostly right and sometimes not."""
    several = st.lists(schemas, max_size=3)
    named = st.dictionaries(NAMES, schemas, max_size=3)
    return {
        "type": st.one_of(TYPES, st.lists(TYPES, max_size=3), st.sampled_from(["int", "any"])),
        "properties": named,
        "required": st.lists(NAMES, max_size=2),
        "additionalProperties": schemas,
        "items": st.one_of(schemas, several),
        "enum": st.lists(st.one_of(SCALARS, st.just([1]), st.just({"a": 1})), max_size=4),
        "const": VALUES,
        "anyOf": several,
        "oneOf": several,
        "allOf": several,
        "not": schemas,
        "if": schemas,
        "then": schemas,
        "minimum": NUMBERS,
        "maximum": NUMBERS,
        "exclusiveMinimum": NUMBERS,
        "exclusiveMaximum": NUMBERS,
        "multipleOf": NUMBERS,
        **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), NUMBERS),
        "uniqueItems": st.booleans(),
        "pattern": PATTERNS,
        "format": st.sampled_from(["date", "uuid"]),
        "$ref": REFERENCES,
        "$defs": named,
        "definitions": named,
        "default": VALUES,
        "description": st.sampled_from(["a", "b", 1]),
        "nullable": st.booleans(),
        "prefixItems": several,
        "patternProperties": st.dictionaries(PATTERNS, schemas, max_size=1),
        "propertyNames": schemas,
        "unevaluatedProperties": schemas,
        "$id": st.sampled_from(["a", "https://example.com/s"]),
        "dependencies": st.one_of(named, SLOPPY),
        "examples": SLOPPY,
    }


def schemas_of(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    options = keywords(inner)
    return st.lists(st.sampled_from(sorted(options)), max_size=4, unique=True).flatmap(
        lambda names: st.fixed_dictionaries({name: options[name] for name in names})
    )


SCHEMAS = st.recursive(st.one_of(st.booleans(), TYPES.map(lambda name: {"type": name})), schemas_of, max_leaves=8)
DIALECTS = st.sampled_from([*CLASSES, DRAFT_04])


def with_dialect(schema: Any, dialect: str | None) -> Any:
    return {**schema, "$schema": dialect} if isinstance(schema, dict) and dialect is not None else schema


def meta_valid(schema: Any, dialect: str | None) -> bool:
    cls = CLASSES[dialect]
    return bool(cls(cls.META_SCHEMA).is_valid(schema))


@pytest.mark.slow
@settings(max_examples=examples(500), deadline=None)
@given(SCHEMAS, DIALECTS)
def test_a_plainly_valid_schema_is_valid(schema: Any, dialect: str | None) -> None:
    schema = with_dialect(schema, dialect)
    if is_plainly_valid(schema):
        if dialect == DRAFT_04:
            assert isinstance(schema, bool)
        else:
            assert meta_valid(schema, dialect)


@pytest.mark.slow
@settings(max_examples=examples(900), deadline=None)
@given(SCHEMAS, st.lists(VALUES, min_size=3, max_size=8), DIALECTS)
def test_what_an_acceptor_takes_is_valid(schema: Any, values: list[Any], dialect: str | None) -> None:
    schema = with_dialect(schema, dialect)
    accept = Acceptors(schema).of(schema)
    if accept is None:
        return
    taken = [value for value in values if accept(value)]
    if taken:
        cls = CLASSES[None if isinstance(schema, bool) else dialect]
        assert meta_valid(schema, None if isinstance(schema, bool) else dialect)
        validator = cls(schema, registry=Registry())
        for value in taken:
            assert validator.is_valid(value), value


OBJECT = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1, "maxLength": 5},
        "count": {"type": "integer", "minimum": 1, "maximum": 9},
        "ratio": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        "mode": {"type": "string", "enum": ["r", "w"]},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2, "uniqueItems": True},
        "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        "name": {"type": ["string", "null"]},
        "id": {"type": "string", "pattern": "^[a-z]{2}-[0-9]+$"},
        "filter": {"$ref": "#/$defs/Filter"},
        "kind": {"anyOf": [{"const": "x"}, {"const": "y"}]},
    },
    "required": ["path"],
    "additionalProperties": False,
    "$defs": {"Filter": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}},
    "$schema": "http://json-schema.org/draft-07/schema#",
}

TAKEN: list[dict[str, Any]] = [
    {"path": "a"},
    {"path": "a", "count": 9, "ratio": 0.5, "mode": "w"},
    {"path": "a", "tags": []},
    {"path": "a", "tags": ["x", "y"]},
    {"path": "a", "limit": None, "name": None},
    {"path": "a", "limit": 3, "name": "n"},
    {"path": "a", "id": "ab-12"},
    {"path": "a", "filter": {"q": "x", "more": 1}},
    {"path": "a", "kind": "y"},
]
REFUSED: list[Any] = [
    None,
    [],
    {},
    {"path": ""},
    {"path": "abcdef"},
    {"path": 1},
    {"path": "a", "extra": 1},
    {"path": "a", "count": 0},
    {"path": "a", "count": 10},
    {"path": "a", "count": True},
    {"path": "a", "ratio": 0},
    {"path": "a", "ratio": 1},
    {"path": "a", "mode": "x"},
    {"path": "a", "mode": None},
    {"path": "a", "tags": ["x", "x"]},
    {"path": "a", "tags": ["x", 1]},
    {"path": "a", "tags": ["x", "y", "z"]},
    {"path": "a", "limit": "3"},
    {"path": "a", "name": 1},
    {"path": "a", "id": "ab-12\n"},
    {"path": "a", "filter": {}},
    {"path": "a", "kind": "z"},
]


@pytest.mark.parametrize("value", TAKEN, ids=json.dumps)
def test_ordinary_values_are_taken_without_jsonschema(value: Any) -> None:
    accept = Acceptors(OBJECT).of(OBJECT)
    assert accept is not None
    assert accept(value)


@pytest.mark.parametrize("value", REFUSED, ids=json.dumps)
def test_invalid_values_are_not_taken(value: Any) -> None:
    accept = Acceptors(OBJECT).of(OBJECT)
    assert accept is not None
    assert not accept(value)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "int"},
        {"oneOf": [{"type": "number"}, {"type": "integer"}]},
        {"oneOf": [{"const": "x"}, {"const": "y"}]},
        {"type": "string", "pattern": "^(a+)+$"},
        {"type": "object", "properties": {"a": {"$ref": "#"}}},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}},
        {"$ref": "#/$defs/missing"},
        {"not": {"type": "string"}},
        {"$schema": DRAFT_04, "type": "string"},
        {"$schema": "https://example.com/own", "type": "string"},
    ],
    ids=json.dumps,
)
def test_what_lies_beyond_the_subset_is_not_compiled(schema: Any) -> None:
    assert Acceptors(schema).of(schema) is None


def test_alternatives_that_multiply_are_not_compiled() -> None:
    doubled = {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)}
    schema = {"$ref": "#/$defs/d0", "$defs": {**doubled, "d40": {"type": "string"}}}
    assert Acceptors(schema).of(schema) is None


def test_a_part_of_a_schema_takes_its_references_from_the_root() -> None:
    root = {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"enum": ["x"]}}}
    accept = Acceptors(root).of(root["properties"]["a"])
    assert accept is not None
    assert accept("x")
    assert not accept("y")


@pytest.mark.parametrize("root", [{"$defs": {"A": {"type": "int"}}}, {"$schema": DRAFT_04, "$defs": {"A": {}}}])
def test_a_part_that_refers_to_what_is_not_compiled_is_not_either(root: Any) -> None:
    assert Acceptors(root).of({"$ref": "#/$defs/A"}) is None
