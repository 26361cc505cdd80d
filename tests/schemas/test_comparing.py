"""Two versions of a schema: what is reported is true, and silence means that nothing is refused that was accepted."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.long import examples
from toolsurface_lint.schemas.comparing import (
    ADDED,
    BOUND,
    CLOSED,
    DEFAULT,
    ENUM,
    FORMAT,
    REMOVED,
    RENAMED,
    REQUIRED,
    TYPE,
    compare_schemas,
)
from toolsurface_lint.schemas.validation import SchemaValidator

TEXT: dict[str, Any] = {"type": "string"}
NUMBER: dict[str, Any] = {"type": "integer"}


def of(*required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


def found(old: Any, new: Any) -> list[tuple[str, str]]:
    """The kinds of the differences, and where they are."""
    compared = compare_schemas(old, new)
    assert compared.undecided == ()
    return [(each.kind, "/".join(map(str, each.at))) for each in compared.differences]


@pytest.mark.parametrize(
    ("old", "new", "kind", "at"),
    [
        (of(x=TEXT), of(x=NUMBER), TYPE, "properties/x/type"),
        (of(x={"type": "number"}), of(x=NUMBER), TYPE, "properties/x/type"),
        (of(x={"type": ["string", "null"]}), of(x=TEXT), TYPE, "properties/x/type"),
        (of(x={"anyOf": [TEXT, NUMBER]}), of(x=TEXT), TYPE, "properties/x/type"),
        (of(x={"allOf": [TEXT]}), of(x=NUMBER), TYPE, "properties/x/type"),
        (of(x={}), of(x=TEXT), TYPE, "properties/x/type"),
        (of(x={"type": "boolean"}), of(x={"const": True}), ENUM, "properties/x/const"),
        (of(x={"enum": ["a", 1]}), of(x={"enum": ["a"]}), ENUM, "properties/x/enum"),
        (of(x={"enum": ["a", "bc"]}), of(x={"type": "string", "maxLength": 1}), ENUM, "properties/x"),
        (of(x=NUMBER), of(x={"type": "integer", "multipleOf": 2}), BOUND, "properties/x/multipleOf"),
        (of(x={"type": "array"}), of(x={"type": "array", "minItems": 1}), BOUND, "properties/x/minItems"),
        (of(x={"type": "array"}), of(x={"type": "array", "uniqueItems": True}), BOUND, "properties/x/uniqueItems"),
        (of(x=of(y=TEXT)), of(x=of("y", y=TEXT)), REQUIRED, "properties/x/properties/y"),
        (of(), of("x", x=TEXT), REQUIRED, "properties/x"),
        (of(x=TEXT), {"type": "object", "required": ["x"]}, REQUIRED, "required"),
        (of(user_id=TEXT), of(user=TEXT), RENAMED, "properties/user"),
        (of("q", q=TEXT), of("words", words=TEXT), RENAMED, "properties/words"),
        (of(x=TEXT, y=NUMBER), of(y=NUMBER), REMOVED, "properties"),
        (of(x=TEXT), {**of(x=TEXT), "additionalProperties": False}, CLOSED, "additionalProperties"),
        (of(x=TEXT), of(x={"type": "string", "format": "date"}), FORMAT, "properties/x/format"),
        (of(x={"type": "string", "pattern": "a"}), of(x={"type": "string", "pattern": "b"}), FORMAT, "properties/x/pattern"),
        (of(x={"type": "integer", "default": 1}), of(x={"type": "integer", "default": True}), DEFAULT, "properties/x/default"),
        (of(), of(x=TEXT), ADDED, "properties/x"),
    ],
)  # fmt: skip
def test_a_difference(old: Any, new: Any, kind: str, at: str) -> None:
    assert (kind, at) in found(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (of(x=NUMBER), of(x={"type": "number"})),
        (of(x=TEXT), of(x={"anyOf": [TEXT, {"type": "null"}]})),
        (of(x={"enum": ["a"]}), of(x={"type": "string", "minLength": 1, "pattern": "^a$"})),
        (of(x={"type": "integer", "minimum": 1}), of(x={"type": "integer", "exclusiveMinimum": 0})),
        (of(x={"type": "integer", "multipleOf": 4}), of(x={"type": "integer", "multipleOf": 2})),
        (of("x", x=TEXT), of(x=TEXT)),
        (of(x={"type": "string", "format": "date"}), of(x=TEXT)),
        ({**of(x={"$ref": "#/$defs/X"}), "$defs": {"X": TEXT}}, of(x=TEXT)),
        (of(x={"type": "array", "minItems": 0}), of(x={"type": "array", "items": {}})),
        (of(title=TEXT, default=TEXT), of(default=TEXT, title={**TEXT, "title": "Title"})),
    ],
)
def test_what_accepts_as_much(old: Any, new: Any) -> None:
    assert found(old, new) == []


@pytest.mark.parametrize(
    ("old", "new", "keyword"),
    [
        (of(x=TEXT), of(x={"anyOf": [{}]}), ""),
        (of(x={"oneOf": [of(a=TEXT), of(b=TEXT)]}), of(x={"oneOf": [of(a=TEXT), of(c=TEXT)]}), "oneOf"),
        (of(x={"not": TEXT}), of(x={"not": NUMBER}), "not"),
        (of(x={"$ref": "https://example.com/x"}), of(x=TEXT), "$ref"),
        (of(x=TEXT), of(x={"type": "string", "allOf": [{"minLength": 2}]}), "allOf"),
        (of(x={"type": "array"}), of(x={"type": "array", "contains": TEXT}), "contains"),
    ],
)
def test_what_is_not_decided(old: Any, new: Any, keyword: str) -> None:
    compared = compare_schemas(old, new)
    assert [(each.kind, each.values) for each in compared.differences] == []
    assert [(each.at, each.keyword) for each in compared.undecided] == [(("properties", "x"), keyword)]


def test_a_reference_that_leads_to_itself() -> None:
    def tree(value: Any) -> Any:
        node = of("value", value=value, inner={"$ref": "#/$defs/Node"})
        return {**of(node={"$ref": "#/$defs/Node"}), "$defs": {"Node": node}}

    assert found(tree(TEXT), tree(TEXT)) == []
    assert found(tree(TEXT), tree(NUMBER)) == [(TYPE, "$defs/Node/properties/value/type")]


def test_nesting_without_end_is_not_followed() -> None:
    def deep(inner: Any) -> Any:
        for _ in range(400):
            inner = of(x=inner)
        return inner

    compared = compare_schemas(deep(TEXT), deep(NUMBER))
    assert compared.differences == ()
    assert [each.keyword for each in compared.undecided] in (["size"], ["nesting"])


def test_alternatives_that_name_one_another_without_end() -> None:
    def doubled(leaf: Any) -> Any:
        definitions = {f"A{at}": {"anyOf": [{"$ref": f"#/$defs/A{at + 1}"}] * 2} for at in range(60)}
        return {**of(x={"$ref": "#/$defs/A0"}), "$defs": {**definitions, "A60": leaf}}

    compared = compare_schemas(doubled({"enum": []}), doubled({"enum": ["a"]}))
    assert "anyOf" in [each.keyword for each in compared.undecided]


SCALARS = [None, True, False, -1, 0, 1, 2, 3, 0.5, 2.5, "", "a", "ab", "abc"]
LISTS = [[], *([one] for one in (1, "a", None)), [1, 1], [1, 2], ["a", "ab"], [0.5, True, "a"]]
VALUES = [*SCALARS, *LISTS]
OBJECTS: list[Any] = [
    {name: value for name, value in zip("xyz", values, strict=True) if value != "absent"}
    for values in product(["absent", *VALUES], ["absent", 1, "a", None], ["absent", 1])
]

# No limits that leave nothing: an alternative that accepts no value is not lost.
_least, _most = st.integers(0, 1), st.integers(2, 4)
_simple = st.one_of(
    st.just({}),
    st.just({"type": "null"}),
    st.just({"type": "boolean"}),
    st.fixed_dictionaries({"type": st.just("string")}, optional={"minLength": _least, "maxLength": _most}),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["integer", "number"])},
        optional={"minimum": _least, "exclusiveMaximum": _most, "multipleOf": st.integers(1, 3)},
    ),
    st.fixed_dictionaries({"enum": st.lists(st.sampled_from(SCALARS), min_size=1, max_size=3, unique_by=repr)}),
    st.fixed_dictionaries({"type": st.lists(st.sampled_from(["string", "integer", "null"]), min_size=1, unique=True)}),
)
_schema = st.one_of(
    _simple,
    st.fixed_dictionaries({"type": st.just("array")}, optional={"items": _simple, "maxItems": _most, "minItems": _least}),
    st.fixed_dictionaries({"anyOf": st.lists(_simple, min_size=1, max_size=2)}),
)  # fmt: skip
_root = st.builds(
    lambda properties, required, extra: {
        "type": "object",
        "properties": properties,
        "required": required,
        **({"additionalProperties": False} if extra else {}),
    },
    st.fixed_dictionaries({}, optional={"x": _schema, "y": _simple}),
    st.lists(st.sampled_from("xy"), unique=True),
    st.booleans(),
)


@settings(max_examples=examples(150))
@given(_root, _root)
def test_silence_means_that_nothing_is_refused(old: Any, new: Any) -> None:
    compared = compare_schemas(old, new)
    # A property that is new was accepted as anything before; nobody passes what no schema names.
    if compared.undecided or {each.kind for each in compared.differences} - {FORMAT, DEFAULT}:
        return
    before, after = SchemaValidator(old), SchemaValidator(new)
    for value in OBJECTS:
        if not before.errors(value):
            assert after.errors(value) == [], value


@settings(max_examples=examples(150))
@given(_schema, _schema)
def test_what_is_said_to_be_refused_is(old: Any, new: Any) -> None:
    compared = compare_schemas(of("x", x=old), of("x", x=new))
    before, after = (SchemaValidator(of("x", x=schema)) for schema in (old, new))
    accepted = [value for value in VALUES if not before.errors({"x": value})]
    if compared.differences and accepted:
        assert any(after.errors({"x": value}) for value in [*VALUES, *_MORE] if not before.errors({"x": value}))


_MORE = [-2, -0.5, 1.5, 4, 5, 6, 7, 9, 12, "abcd", "abcde", "abcdef"]
_MORE += [[value] * times for value in (*SCALARS, *_MORE) for times in range(1, 6)]
"""Values beyond the limits that the schemas have."""
