"""jsonschema behind its guard: what it says in our words, and what it is never allowed to do."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from toolsurface_lint.checks._schema_words import PREDICATES, spelled
from toolsurface_lint.checks.tool import schema_invalid
from toolsurface_lint.schemas import validation
from toolsurface_lint.schemas.dialects import right_type
from toolsurface_lint.schemas.patterns import harmless, mistake
from toolsurface_lint.schemas.references import leaves_document, resolve
from toolsurface_lint.schemas.validation import SchemaValidator, schema_errors, validate
from toolsurface_lint.schemas.walk import subschemas
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Path

DRAFT_04 = "http://json-schema.org/draft-04/schema#"
DRAFT_07 = "http://json-schema.org/draft-07/schema#"


def messages(problems: list[Problem[Path]], words: Any = PREDICATES) -> list[tuple[Path, str]]:
    return [(problem.at, words[problem.kind].format(**spelled(problem).values)) for problem in problems]


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        ({"type": "integer"}, "5", [((), 'must be an integer, not `"5"`')]),
        ({"type": ["string", "null"]}, 5, [((), "must be a string or null, not `5`")]),
        ({"enum": ["a", "b"]}, "c", [((), 'must be one of `"a"`, `"b"`, not `"c"`')]),
        ({"enum": []}, "c", [((), "must not be there: its `enum` has no values")]),
        (
            {"propertyNames": {"pattern": "^a"}},
            {"ab": 1, "b": 1},
            [((), "must not have the property `b`: `propertyNames` excludes its name")],
        ),
        ({"$schema": DRAFT_04, "propertyNames": {"pattern": "^a"}}, {"b": 1}, []),
        ({"const": 1}, 2, [((), "must be `1`, not `2`")]),
        ({"minimum": 1}, 0, [((), "must be at least `1`")]),
        ({"maxLength": 1}, "ab", [((), "must have at most `1` characters")]),
        ({"required": ["a", "b"]}, {}, [((), "must have the property `a`"), ((), "must have the property `b`")]),
        (
            {"properties": {"a": {}}, "additionalProperties": False},
            {"a": 1, "b": 1},
            [((), "must not have the property `b`")],
        ),
        ({"additionalProperties": {"type": "string"}}, {"b": 1}, [(("b",), "must be a string, not `1`")]),
        (
            {"patternProperties": {"^x": {"type": "string"}}},
            {"xa": 1, "a": 1},
            [(("xa",), "must be a string, not `1`")],
        ),
        ({"items": {"type": "string"}}, ["a", 1], [((1,), "must be a string, not `1`")]),
        ({"pattern": "^[a-z]+$"}, "A", [((), "must match `^[a-z]+$`")]),
        ({"uniqueItems": True}, [1, 1], [((), "must not have an item twice")]),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, 1, [((), "must be a string or null, not `1`")]),
        (
            {"anyOf": [{"type": "string", "maxLength": 1}, {"type": "null"}]},
            "ab",
            [((), "must have at most `1` characters")],
        ),
        (
            {"anyOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"type": "null"}]},
            {"a": 1},
            [(("a",), "must be a string, not `1`")],
        ),
        (
            {"oneOf": [{"type": "number"}, {"type": "integer"}]},
            1,
            [((), "must fit exactly one of the alternatives of `oneOf`, and fits several")],
        ),
        ({"properties": {"a": False}}, {"a": 1}, [((), "must not have the property `a`")]),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"type": "string"}}}, 1, [((), "must be a string, not `1`")]),
        ({"type": "integer"}, 1.0, []),
        ({"$schema": DRAFT_04, "type": "integer"}, 1.0, [((), "must be an integer, not `1.0`")]),
        ({"$schema": DRAFT_07, "items": [{"type": "string"}]}, [1], [((0,), "must be a string, not `1`")]),
        ({"format": "date"}, "no date", []),
    ],
    ids=lambda value: json.dumps(value)[:60],
)
def test_what_is_wrong_with_a_value(schema: Any, value: Any, expected: list[Any]) -> None:
    assert messages(validate(schema, value)) == expected


def test_a_problem_has_keyword_place_and_name() -> None:
    schema = {"properties": {"a": {"required": ["b"]}}}
    assert validate(schema, {"a": {}}) == [
        Problem("required", ("a",), {"property": "b"}, related=(("schema", ("properties", "a", "required")),))
    ]


def test_one_validator_checks_many_values_and_parts_of_a_root() -> None:
    root = {
        "$schema": DRAFT_07,
        "properties": {"a": {"$ref": "#/definitions/A"}},
        "definitions": {"A": {"type": "string"}},
    }
    part = root["properties"]["a"]
    validator = SchemaValidator(root)
    assert messages(validator.errors(1, part)) == [((), "must be a string, not `1`")]
    assert validator.errors("a", part) == []
    assert messages(validator.errors(None, part)) == [((), "must be a string, not `null`")]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "pattern": "^(a+)+$"},
        {"$schema": DRAFT_07, "allOf": [{"$schema": DRAFT_07, "pattern": "^(a+)+$"}]},
        {"$ref": "#/x", "x": {"pattern": "^(a+)+$"}},
        {"$schema": DRAFT_07, "$ref": "#/definitions/a", "definitions": {"a": {"pattern": "(a*)*b"}}},
    ],
    ids=json.dumps,
)
def test_patterns_that_could_hang_are_not_run(schema: Any) -> None:
    started = time.monotonic()
    assert validate(schema, "a" * 60 + "!") == []
    assert time.monotonic() - started < 30


@pytest.mark.parametrize("found", [{"additionalProperties": False}, {"required": ["missing"]}], ids=json.dumps)
def test_names_are_tried_on_patterns_as_long_as_steps_are_left(found: Any) -> None:
    def problems(size: int) -> int:
        patterns = {f"^p{number}.$": {} for number in range(size)}
        return len(validate({"patternProperties": patterns, **found}, dict.fromkeys(map(str, range(size)), 1)))

    assert problems(20) == (20 if "additionalProperties" in found else 1)
    assert problems(400) == 0


@pytest.mark.parametrize(
    "schema",
    [
        {"patternProperties": {"^(a+)+$": False}, "additionalProperties": False},
        {"allOf": [{"patternProperties": {"^(a+)+$": {}}}], "unevaluatedProperties": False},
    ],
    ids=json.dumps,
)
def test_names_are_not_tried_on_such_patterns_either(schema: Any) -> None:
    assert validate(schema, {"a" * 60 + "!": 1}) == []


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"$ref": "#"}, 1),
        ({"$ref": "https://example.com/schema.json"}, 1),
        ({"$ref": "#/nowhere"}, 1),
        ({"type": "int"}, 1),
        ({"type": []}, 1),
        ({"type": {}}, 1),
        ({"type": {"string": {}}}, 1),
        ({"type": ["string", {}]}, 1),
        ({"minimum": "1"}, 0),
        ({"pattern": "["}, "a"),
        ({"pattern": r"^\p{L}+$"}, "1"),
        ({"$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]}}, "$ref": "#/$defs/a"}, 1),
        ({"multipleOf": 1e-300}, 10**400),
    ],
    ids=lambda value: json.dumps(value)[:60],
)
def test_what_cannot_be_checked_passes(schema: Any, value: Any) -> None:
    # The network is shut for all tests.
    assert validate(schema, value) == []


@pytest.mark.slow
def test_alternatives_that_multiply_end() -> None:
    node: dict[str, Any] = {"type": "string"}
    definitions: dict[str, Any] = {"d0": node}
    for level in range(1, 40):
        definitions[f"d{level}"] = {"anyOf": [{"$ref": f"#/$defs/d{level - 1}"}, {"$ref": f"#/$defs/d{level - 1}"}]}
    assert validate({"$ref": "#/$defs/d39", "$defs": definitions}, 1) == []


def test_deep_schemas_are_checked_without_recursion() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(3000):
        schema = {"type": "array", "items": schema}
    assert schema_errors(schema) == []
    assert validate(schema, "x") == []
    assert len(subschemas(schema)) == 3001


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "int"}, [(("type",), "`int` is not a JSON Schema type")]),
        ({"type": ["string", "str"]}, [(("type", 1), "`str` is not a JSON Schema type")]),
        ({"type": ["null", "null"]}, [(("type",), '`type` names `"null"` twice')]),
        ({"type": []}, [(("type",), "`type` must name at least one type")]),
        ({"type": {"a": 1}}, [(("type",), "`type` must be the name of a type, not an object")]),
        (
            {"properties": {"type": "string"}},
            [(("properties", "type"), '`type` must be a schema, not `"string"`')],
        ),
        ({"properties": []}, [(("properties",), "`properties` must be an object, not `[]`")]),
        ({"required": True}, [(("required",), "`required` must be an array, not `true`")]),
        ({"required": ["a", "a"]}, [(("required",), '`required` names `"a"` twice')]),
        ({"anyOf": []}, [(("anyOf",), "`anyOf` must not be empty")]),
        ({"minLength": -1}, [(("minLength",), "`minLength` must be at least `0`, not `-1`")]),
        ({"multipleOf": 0}, [(("multipleOf",), "`multipleOf` must be more than `0`, not `0`")]),
        ({"items": [{}]}, [(("items",), "`items` must be a schema, not `[{}]`")]),
        ({"exclusiveMinimum": True}, [(("exclusiveMinimum",), "`exclusiveMinimum` must be a number, not `true`")]),
        ({"$schema": DRAFT_07, "items": [{}]}, []),
        ({"$schema": DRAFT_04, "minimum": 1, "exclusiveMinimum": True}, []),
        ({"$schema": "https://example.com/own", "type": "int"}, []),
        ({"pattern": r"^\p{L}(?<n>a)$"}, []),
        ({"format": 1}, [(("format",), "`format` must be a string, not `1`")]),
        ([1], [((), "the schema must be an object, not `[1]`")]),
        ({"enum": [{"a": 1}, [1], None], "dependentRequired": {"a": ["b"]}}, []),
    ],
    ids=lambda value: json.dumps(value)[:60],
)
def test_what_is_wrong_with_a_schema(schema: Any, expected: list[Any]) -> None:
    assert messages(schema_errors(schema), schema_invalid.RULE.message) == expected


def test_jsonschema_is_only_asked_where_the_quick_path_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("jsonschema was asked")

    monkeypatch.setattr(validation, "_validator_of", refuse)
    monkeypatch.setattr(validation, "_meta_validator", refuse)
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    assert schema_errors(schema) == []
    assert validate(schema, {"a": "x"}) == []
    with pytest.raises(AssertionError, match="was asked"):
        validate(schema, {})


@pytest.mark.parametrize(
    ("foreign", "right"),
    [
        ("int", "integer"), ("strng", "string"), ("dict", "object"), ("Dict[str, int]", "object"), ("STRING", "string"),
        ("list", "array"), ("string[]", "array"), ("bool", "boolean"), ("float", "number"), ("obejct", "object"),
        ("None", "null"), ("interger", "integer"), ("frobnicate", None), ("any", None), ("", None),
    ],
)  # fmt: skip
def test_the_right_type_for_a_foreign_one(foreign: str, right: str | None) -> None:
    assert right_type(foreign) == right


@pytest.mark.parametrize(
    "pattern",
    [
        "^[a-z0-9_-]{1,64}$", r"^\d{4}-\d{2}-\d{2}$", "^(asc|desc)$", "^a(b)?$", r"^[A-Z][A-Z0-9]+-\d+$", "[0-9a-z_]*",
        r"^\w+@\w+\.\w+$",
    ],
)  # fmt: skip
def test_simple_patterns_are_run(pattern: str) -> None:
    assert harmless(pattern) is not None


@pytest.mark.parametrize(
    "pattern",
    [
        "^(a+)+$", "(a|b)*", "(?=a)", r"(a)\1", r"\p{L}", "(?<n>a)", "a*a*a*a*b", "[", "a**", r"\bword", "[^\\w]", "x" * 600,
        "^" + "(a|a)" * 40 + "$", "[[:alpha:]]", "(?i)a",
    ],
)  # fmt: skip
def test_other_patterns_are_not(pattern: str) -> None:
    assert harmless(pattern) is None


def test_harmless_patterns_end_at_the_end_and_know_ascii_only() -> None:
    digits = harmless(r"^\d+$")
    assert digits is not None
    assert [digits.matches(text) for text in ("12", "12\n", "٣", "1a")] == [True, False, False, False]


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("^[a-z", "unterminated character set"), ("a)", "unbalanced parenthesis"), ("(a", "missing ), unterminated subpattern"),
        ("*a", "nothing to repeat"), ("[]a]", None), (r"\p{L}", None), ("(?<n>a)", None), ("^(a+)+$", None), ("[^]", None),
    ],
)  # fmt: skip
def test_mistakes_in_any_flavour(pattern: str, problem: str | None) -> None:
    assert mistake(pattern) == problem


def test_references_lead_to_pointers_anchors_and_identifiers() -> None:
    root = {
        "$defs": {
            "a/b": {"type": "string"},
            "c d": {"$anchor": "here", "type": "null"},
            "e": {"$id": "https://example.com/e.json", "$defs": {"f": {"const": 1}}},
        },
        "list": [{"x": 1}],
    }
    found = {
        reference: target.value if (target := resolve(root, reference)) is not None else None
        for reference in (
            "#", "#/$defs/a~1b", "#/$defs/c%20d", "#here", "https://example.com/e.json#/$defs/f", "e.json", "#/list/0/x",
            "#/list/7", "#/$defs/z", "#nowhere", "other.json#/a",
        )
    }  # fmt: skip
    assert found["#"] is root
    assert found["#/$defs/a~1b"] == {"type": "string"}
    assert found["#/$defs/c%20d"] is found["#here"] is root["$defs"]["c d"]
    assert found["https://example.com/e.json#/$defs/f"] == {"const": 1}
    assert found["e.json"] is root["$defs"]["e"]
    assert found["#/list/0/x"] == 1
    assert [found[reference] for reference in ("#/list/7", "#/$defs/z", "#nowhere", "other.json#/a")] == [None] * 4
    assert leaves_document("https://example.com/a")
    assert not leaves_document("#/a")


def test_the_walk_visits_every_subschema_once_in_order() -> None:
    schema = {
        "properties": {"a": {"items": {}}, "properties": {"not": {"type": "string"}}, "b": True},
        "anyOf": [{"allOf": [{"enum": [{"type": "x"}]}]}],
        "if": {"required": ["a"]},
        "$defs": {"C": {"default": {"properties": {"no": {}}}}},
        "additionalProperties": {},
    }
    walked = subschemas(schema)
    assert [part.path for part in walked] == [
        (),
        ("properties", "a"),
        ("properties", "a", "items"),
        ("properties", "properties"),
        ("properties", "properties", "not"),
        ("anyOf", 0),
        ("anyOf", 0, "allOf", 0),
        ("if",),
        ("$defs", "C"),
        ("additionalProperties",),
    ]
    assert [part.path for part in walked if part.negated] == [("properties", "properties", "not"), ("if",)]
    assert [part.path for part in walked if part.conditional] == [("anyOf", 0), ("anyOf", 0, "allOf", 0), ("if",)]
