"""Random raw outputs: a written call reads back the same in every protocol, and any text is a response."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.long import examples
from tests.protocols.raw_outputs import Written, write_calls
from toolsurface_lint.protocols.outputs.rows import PROTOCOLS
from toolsurface_lint.protocols.recognition import parse_response, recognise_protocol
from toolsurface_lint.protocols.response import Response

KEYS = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True)
# Text without the delimiters of any protocol: the grammars that have no escapes cannot write those.
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0<>[]|｜\r"), max_size=20)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**12), 10**12), st.floats(-1e6, 1e6, allow_nan=False), TEXTS
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=6,
)
CALLS = st.lists(
    st.tuples(st.sampled_from(["look_up", "edit", "run_it"]), st.dictionaries(KEYS, VALUES, max_size=4)),
    min_size=1,
    max_size=3,
)
# Where the text does not say what type a value has, the schema of the tool does.
KINDS = {str: "string", bool: "boolean", int: "integer", float: "number", dict: "object", list: "array"}


def tools_for(calls: list[Written]) -> list[dict[str, Any]]:
    """A tool for each call, whose parameters have the types of its arguments."""
    tools = []
    for name, arguments in calls:
        properties = {key: {"type": KINDS.get(type(value), "null")} for key, value in arguments.items()}
        tools.append({"name": name, "parameters": {"type": "object", "properties": properties}})
    return tools


def distinct(calls: list[Written]) -> list[Written]:
    return list({name: (name, arguments) for name, arguments in calls}.values())


@pytest.mark.parametrize("protocol", PROTOCOLS)
@settings(max_examples=examples(15), deadline=None)
@given(calls=CALLS)
def test_a_written_call_reads_back_the_same(protocol: str, calls: list[Written]) -> None:
    calls = distinct(calls)
    text = write_calls(PROTOCOLS[protocol], calls)
    response = parse_response(text, protocol, tools=tools_for(calls))
    assert [(call.name, call.arguments) for call in response.calls] == calls
    assert [problem.kind for problem in response.violations] == []
    assert response.prose == ""
    check_places(response)


def check_places(response: Response) -> None:
    """Each value stands where its place is, and each name."""
    text = response.text
    for call in response.calls:
        assert call.name in text[slice(*call.parts.name_span)]
        for key, value in call.arguments.items():
            span = call.argument_span((key,))
            assert key in text[slice(*(call.key_span(key) or span))]
            written = text[slice(*span)].strip()
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                assert json.loads(written) == value
            elif isinstance(value, list):
                assert written.startswith("[")
                for index, item in enumerate(value):
                    if isinstance(item, int) and not isinstance(item, bool):
                        assert json.loads(text[slice(*call.argument_span((key, index)))]) == item
            elif isinstance(value, dict):
                assert written.startswith("{")


def pieces(protocol: str) -> st.SearchStrategy[str]:
    row = PROTOCOLS[protocol]
    whole = write_calls(row, [("look_up", {"a": "b", "c": [1]}), ("edit", {})])
    markers = [*row.syntax.openers, *row.leaking, *(mark for pair in row.reasoning for mark in pair)]
    cuts = [whole[start : start + size] for start in range(0, len(whole), 7) for size in (5, 12, 30)]
    return st.sampled_from(
        [*markers, *cuts, whole, '{"name": "a", "arguments": "{}"}', "prose ", "\n", '"', "\\", "{", "]"]
    )


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
@settings(max_examples=examples(60), deadline=None)
@given(data=st.data(), reasoning=st.sampled_from([None, True, False]))
def test_any_text_is_a_raw_output(protocol: str, data: st.DataObject, reasoning: bool | None) -> None:
    text = "".join(data.draw(st.lists(st.one_of(pieces(protocol), st.text(max_size=3)), max_size=12)))
    response = parse_response(text, protocol, reasoning=reasoning)
    for problem in response.violations:
        assert 0 <= problem.at.start < problem.at.end <= len(text)
    for call in response.calls:
        assert 0 <= call.span.start < call.span.end <= len(text)
        assert call.name
        assert any(block.span.start <= call.span.start < block.span.end for block in response.blocks)
        for key in call.arguments:
            place = call.argument_span((key,))
            assert call.span.start <= place.start <= place.end <= call.span.end
    ordered = sorted(call.span for call in response.calls)
    assert all(first.end <= second.start or first == second for first, second in pairwise(ordered))
    recognise_protocol(text)


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_of_a_text_that_is_cut_off_only_finished_calls_run(protocol: str) -> None:
    calls: list[Written] = [("look_up", {"a": "some text", "c": [1, {"d": "e"}]}), ("edit", {"f": "g"})]
    text = write_calls(PROTOCOLS[protocol], calls)
    for end in range(len(text)):
        response = parse_response(text[:end], protocol, tools=tools_for(calls))
        found = [(call.name, call.arguments) for call in response.calls]
        assert found == calls[: len(found)], text[:end]
