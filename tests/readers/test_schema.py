"""Parameters read from schemas, and what they accept beyond doubt."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from toolsurface_lint.readers.schema import parameters

SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-20, 20), st.floats(-20, 20), st.text(max_size=3))
NUMBERS = st.one_of(st.integers(-20, 20), st.floats(-20, 20))


def takes(definition: dict[str, Any], value: Any) -> bool:
    (parameter,) = parameters({"type": "object", "properties": {"x": definition}})
    return parameter.accepts(value)


@pytest.mark.parametrize(
    ("definition", "value"),
    [
        ({"type": "string", "description": "A path."}, "a"),
        ({"type": "integer", "minimum": 1}, 1),
        ({"type": "integer", "minimum": 1, "maximum": 2.5, "title": "Limit"}, 2),
        ({"type": "array"}, []),
    ],
)
def test_what_a_parameter_takes_beyond_doubt(definition: dict[str, Any], value: Any) -> None:
    assert takes(definition, value)


@pytest.mark.parametrize(
    ("definition", "value"),
    [
        ({"type": "integer", "minimum": 1}, 0),
        ({"type": "integer", "maximum": 1}, True),
        ({"type": "integer", "minimum": "1"}, 2),
        ({"type": "integer", "multipleOf": 2}, 3),
        ({"type": "string", "minimum": 1}, "a"),
        ({"type": "string", "enum": ["a"]}, "a"),
        ({"type": ["string", "null"]}, "a"),
        ({}, "a"),
    ],
)
def test_what_the_schema_has_to_be_asked_for(definition: dict[str, Any], value: Any) -> None:
    assert not takes(definition, value)


@given(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["string", "integer", "number", "boolean", "null"])},
        optional={"minimum": NUMBERS, "maximum": NUMBERS, "description": st.just("x"), "enum": st.just([1, "a"])},
    ),
    SCALARS,
)
def test_what_is_taken_is_valid(definition: dict[str, Any], value: Any) -> None:
    assert not takes(definition, value) or Draft202012Validator(definition).is_valid(value)
