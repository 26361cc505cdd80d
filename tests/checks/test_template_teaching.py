"""What a text teaches: its protocol, its examples, and what it leaves out."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.checks.template._examples import example_violations, find_examples
from toolsurface_lint.checks.template._teaching import (
    foreign_syntax,
    taught_protocol,
    teaching_place,
    unguarded_sentinels,
    untaught,
)
from toolsurface_lint.protocols.recognition import PROTOCOLS
from toolsurface_lint.protocols.rendering import rendered_branches
from toolsurface_lint.protocols.template_parser import parse_template

BLOCK = "<tool_call>\nf({ a: 1 })\n</tool_call>"
ANSWER = "<user_response>Yes.</user_response>"
FENCE = '```tool\n{ "name": "f", "args": {} }\n```'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Be brief.", None),
        (BLOCK, "tagged"),
        (f"<tool_call>\n...\n</tool_call>\n{ANSWER}", "tagged"),
        ('<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>', None),
        ("Write `<tool_call>` and `<user_response>`.", None),
        (FENCE, "fenced-json"),
        ("```tool\nanything\n```", None),
        ('```json\n{ "name": "f", "args": {} }\n```', None),
        ('Write ```` ```tool ````:\n```json\n{ "name": "f", "args": {} }\n```', "fenced-json"),
        (f"{FENCE}\n{FENCE}\n{BLOCK}", "fenced-json"),
        (f"{BLOCK}\n{BLOCK}\n{FENCE}", "tagged"),
        (f"{FENCE}\n{BLOCK}", "fenced-json"),
        (f"{BLOCK}\n{FENCE}", "tagged"),
    ],
)
def test_taught_protocol(text: str, expected: str | None) -> None:
    assert taught_protocol(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"So:\n\n{BLOCK}\n\nThen:\n\n{ANSWER}\n", [BLOCK, ANSWER]),
        (f"{BLOCK}\n\n{ANSWER}", [f"{BLOCK}\n\n{ANSWER}"]),
        (f"{ANSWER}\n\n{BLOCK}", [ANSWER, BLOCK]),
        (f"{ANSWER}\n{BLOCK}", [f"{ANSWER}\n{BLOCK}"]),
        (f"{BLOCK}\nwords\n{BLOCK}\n\nwords", [f"{BLOCK}\nwords\n{BLOCK}"]),
        (f"{BLOCK}\nmore about it", [BLOCK]),
        (f"Here: {BLOCK}", [f"Here: {BLOCK}"]),
        ("Write <tool_call> first and `</tool_call>` last.", []),
        ("<done> ends the run.", []),
        ("<done>x</done> ends the run.", []),
        ("Never write:\n\n" + BLOCK, []),
        ("Write:\n\n" + BLOCK, [BLOCK]),
        ("<tool_call>\nf({ a: <<T\n\nx\nT\n})\n\nwords", ["<tool_call>\nf({ a: <<T\n\nx\nT\n})"]),
        ("Yes.</user_response>\n" + BLOCK, ["Yes.</user_response>", BLOCK]),
    ],
)
def test_tagged_examples(text: str, expected: list[str]) -> None:
    assert [text[slice(*span)] for span in find_examples(text, "tagged")] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"So:\n{FENCE}\nThen:\n{FENCE}\n", [FENCE, FENCE]),
        (FENCE.replace("tool", "json"), [FENCE.replace("tool", "json")]),
        ("```json\n{ }\n```", []),
        ("```sh\nls\n```\n" + FENCE, [FENCE]),
        (f"````markdown\n{FENCE}\n````", [FENCE]),
        (FENCE[:-4] + "\n\nwords", [FENCE[:-4]]),
        ('{ "name": "f", "args": {} }\n\nwords', ['{ "name": "f", "args": {} }']),
        ('Do not write:\n{ "name": "f", "args": {} }', []),
    ],
)
def test_fenced_examples(text: str, expected: list[str]) -> None:
    assert [text[slice(*span)] for span in find_examples(text, "fenced-json")] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name({ key: value })", []),
        ("<tool>({ <key>: <value>, ... })", []),
        ("tool_name({ path: {{ path }}, mode: one of these })", []),
        ("name(...)", []),
        ("name({ ... })", []),
        ("name({ key: value }", ["missing_close_paren"]),
        ("name(key=value)", ["not_object_literal"]),
        ('{ "name": "...", "args": { ... } }', ["json_encoded_call"]),
        ("name({ a: b c: })", ["argument_syntax"]),
        ("f({ a: 1 b: 2 })", ["argument_syntax"]),
    ],
)
def test_what_a_placeholder_may_stand_for(text: str, expected: list[str]) -> None:
    block = f"<tool_call>\n{text}\n</tool_call>"
    (example,) = find_examples(block, "tagged")
    assert [violation.code for violation in example_violations(block, example, "tagged", None)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<done>{{done_sentinel}}</done> and <done>", ["<done>{{done_sentinel}}</done>"]),
        ("`<done>`\n</done>\nREADY", ["<done>", "</done>", "READY"]),
        ("There is no `<done>` here.", []),
        ("Do not write <done>.", []),
        ("Do not write {{done_sentinel}}.", ["{{done_sentinel}}"]),
        ("done", []),
    ],
)
def test_unguarded_sentinels(text: str, expected: list[str]) -> None:
    names = frozenset({"done_sentinel"})
    assert [text[slice(*span)] for span in unguarded_sentinels(text, "READY", names)] == expected


def test_branches_with_and_without_a_sentinel() -> None:
    template = parse_template("{{ if done_sentinel }}<done>{{ done_sentinel }}</done>{{ end }}{{ if a }}A{{ end }}")
    found = {(branch.rendering.text, branch.sentinel) for branch in rendered_branches(template, "READY")}
    assert found == {("<done>READY</done>A", "READY"), ("<done>READY</done>", "READY"), ("A", ""), ("", "")}
    template = parse_template("{{ done_sentinel }}")
    found = {(branch.rendering.text, branch.sentinel) for branch in rendered_branches(template)}
    assert found == {("##DONE##", "##DONE##"), ("{{done_sentinel}}", "")}
    assert [branch.sentinel for branch in rendered_branches(parse_template("a"))] == [None]


def test_a_branch_that_cannot_be_rendered_is_left_out() -> None:
    assert rendered_branches(parse_template("{{ a | nope }}")) == []


PIECES = st.sampled_from(
    [
        *(
            "<tool_call>",
            "</tool_call>",
            "<assistant_prose>",
            "</assistant_prose>",
            "<user_response>",
            "</user_response>",
        ),
        *(
            "<done>",
            "</done>",
            "<toolcall>",
            "```tool",
            "```json",
            "```",
            "~~~",
            "````",
            "`",
            "\n",
            "\n\n",
            "\r\n",
            " ",
        ),
        *(
            "f({ a: 1 })",
            "f(",
            "<<T",
            "T",
            '{ "name": "f", "args": { ... } }',
            '{ "name":',
            "...",
            "value",
            "Do not write:",
        ),
        *("- ", "words.", "never", "{{x}}", "##DONE##", "[[CALL]]"),
    ]
)


@given(st.lists(PIECES, max_size=40).map("".join), st.sampled_from(PROTOCOLS))
def test_any_text_can_be_asked(text: str, protocol: str) -> None:
    taught_protocol(text)
    assert 0 <= teaching_place(text, protocol).end <= len(text)
    examples = find_examples(text, protocol)
    assert examples == sorted(examples)
    for example, following in pairwise(examples):
        assert example.end <= following.start
    for example in examples:
        assert 0 <= example.start < example.end <= len(text)
        for violation in example_violations(text, example, protocol, None):
            assert example.start <= violation.at.start <= violation.at.end <= example.end
    for foreign in foreign_syntax(text, protocol, examples):
        assert not any(example.start <= foreign.at.start < example.end for example in examples)
    untaught(text, protocol, examples, True)
    list(unguarded_sentinels(text, "##DONE##", frozenset({"x"})))
