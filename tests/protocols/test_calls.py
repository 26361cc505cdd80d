"""Bare calls: the value grammar, heredocs, what is a call and what is prose, and where every part stands."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from toolsurface_lint.protocols.calls import Call
from toolsurface_lint.protocols.recognition import known_names, parse_calls
from toolsurface_lint.readers.surfaces import read_surface
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import plain

TOOLS = ("write", "list_files")


def value_of(written: str) -> Any:
    found = parse_calls(f"write({{ v: {written} }})", TOOLS)
    assert found.errors == []
    (call,) = found.calls
    return call.arguments["v"]


def only_error(text: str) -> tuple[str, str]:
    """The code of the one error and the text that it points at."""
    found = parse_calls(text, TOOLS)
    assert found.calls == []
    (error,) = found.errors
    assert found.prose == text.strip()
    return error.problem.code, text[error.problem.at.start : error.problem.at.end]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("12", 12),
        ("-3", -3),
        ("007", 7),
        ("1.5", 1.5),
        ("1.", 1.0),
        ("-.5", -0.5),
        ("2e3", 2000.0),
        ("123456789012345678", 123456789012345678),
        ("12345678901234567890", 1.2345678901234567e19),
        ("true", True),
        ("false", False),
        ("null", None),
        ("undefined", None),
        ('"a"', "a"),
        ("'a\"b'", 'a"b'),
        (r'"\n\t\r\0\\\'\"\`\q"', "\n\t\r\0\\'\"`q"),
        (r'"\x41\u0042\u{1F600}"', "AB\U0001f600"),
        ('"a\\\nb"', "ab"),
        ('"a\nb"', "a\nb"),
        (r"`\n\t\r\\\`\$\q`", "\n\t\r\\`$\\q"),
        ("`a ${ `b` } c`", "a ${ `b` } c"),
        ("[]", []),
        ("[1, [2], ]", [1, [2]]),
        ("{}", {}),
        ("{ a: 1, 'b c': 2, \"d\": 3, $e: 4, }", {"a": 1, "b c": 2, "d": 3, "$e": 4}),
        ("{ a: 1, a: 2 }", {"a": 2}),
        ("/* one */ 1 // two\n", 1),
        ("<<T\nT", ""),
        ("<<T\n\nT", ""),
        ("<<T\none\ntwo\nT", "one\ntwo"),
        ("<<T\r\none\r\nT", "one"),
        ("<<t_1\nx\n  t_1", "x"),
        ("<<T\nTx\nT", "Tx"),
        ("<<T\nends with T\nT", "ends with T"),
        ("<<'T'\nx\nT", "x"),
        ('<<"T"\nx\nT', "x"),
        ('"<<T\nx\nT"', "x"),
        ('"<<T\nx\nT', "x"),
        ("[<<A\n1\nA, <<B\n2\nB]", ["1", "2"]),
        ("{ a: <<A\n1\nA, b: 2 }", {"a": "1", "b": 2}),
    ],
)
def test_value(written: str, value: Any) -> None:
    found = value_of(written)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("write({ a: +1 })", "argument_syntax", "+"),
        ("write({ a: .5 })", "argument_syntax", "."),
        ("write({ a: 0x10 })", "argument_syntax", "x"),
        ("write({ a: 1_000 })", "argument_syntax", "_"),
        ('write({ a: "b" + "c" })', "argument_syntax", "+"),
        ("write({ a: 1.2.3 })", "argument_syntax", "1.2.3"),
        ("write({ a: 1e999 })", "argument_syntax", "1e999"),
        ("write({ a: - })", "argument_syntax", "-"),
        ("write({ a: None })", "argument_syntax", "N"),
        ("write({ a: nil })", "argument_syntax", "n"),
        ("write({ a: truethy })", "argument_syntax", "t"),
        ("write({ a 1 })", "argument_syntax", "a"),
        ("write({ a = 1 })", "argument_syntax", "a"),
        ("write({ a: 1 b: 2 })", "argument_syntax", "b"),
        ("write({ , })", "argument_syntax", ","),
        ("write({ 1: 2 })", "argument_syntax", "1"),
        ("write({ ...a })", "argument_syntax", "."),
        ("write({ a: [1 2] })", "argument_syntax", "2"),
        ("write({ a: [,] })", "argument_syntax", ","),
        (r'write({ a: "\u12" })', "argument_syntax", r"\u"),
        (r'write({ a: "\ud800" })', "argument_syntax", r"\u"),
        (r'write({ a: "\xZ1" })', "argument_syntax", r"\x"),
        ('write({ "<<T\nx\nT": 1 })', "argument_syntax", '"<<T\nx\nT"'),
        ("write({ a: 1", "argument_syntax", ""),
        ("write({ a: /* 1 })", "argument_syntax", ""),
        ("write({ a: 1 }", "missing_close_paren", ""),
        ("write({ a: 1 } ]", "missing_close_paren", "]"),
        ("write({ a: 1 }, {})", "missing_close_paren", ","),
        ('write({ a: "b })', "unterminated_string", '"'),
        ("write({ a: 'b\\", "unterminated_string", "'"),
        ("write({ a: `b })", "unterminated_template", "`"),
        ("write({ a: `b ${ c", "unterminated_template", "`"),
        ("write({ a: <<\nb\n})", "heredoc_missing_tag", "<<"),
        ("write({ a: <<-T\nb\nT })", "heredoc_missing_tag", "<<"),
        ("write({ a: <<~T\nb\nT })", "heredoc_missing_tag", "<<"),
        ("write({ a: <<T \nb\nT })", "heredoc_tag_not_followed_by_newline", "<<T"),
        ('write({ a: "<<T" })', "heredoc_tag_not_followed_by_newline", "<<T"),
        ("write({ a: <<T\nb\n})", "heredoc_unterminated", "<<T"),
        ("write()", "not_object_literal", "write("),
        ('write("a")', "not_object_literal", "write("),
        ("write(a=1)", "not_object_literal", "write("),
        ("write(\n{ a: 1 })", "not_object_literal", "write("),
        ("erase({ a: 1 })", "unknown_tool", "erase"),
        ("Hint: write({ a: 1 })", "label_prefix", "Hint"),
        ("python: bash: write({ a: 1 })", "label_prefix", "bash"),
    ],
)
def test_error(text: str, code: str, place: str) -> None:
    assert only_error(text) == (code, place)


@pytest.mark.parametrize(
    "text",
    [
        "write ({ a: 1 })",
        "please write({ a: 1 })",
        "`write({ a: 1 })` is how",
        "open `code\nwrite({ a: 1 })\nclosed`",
        "erase(1)",
        "erase: undo({ a: 1 })",
        "write",
        "",
    ],
)
def test_prose(text: str) -> None:
    found = parse_calls(text, TOOLS)
    assert (found.calls, found.errors) == ([], [])
    assert found.prose == text


@pytest.mark.parametrize(
    "text",
    [
        "  write({ a: 1 })",
        "<write({ a: 1 })>",
        "\r write({ a: 1 })\r\n",
        "write( { a: 1 } )",
        "tool_code: write({ a: 1 })",
        "bash:write({ a: 1 })",
        "```js\nwrite({ a: 1 })\n```",
        "`write({ a: 1 })`",
        " `write({ a: 1 })`\n",
        "Now:\nwrite({ a: 1 })\nThen more.",
        '[{"id": "call_1", "type": "function", "function": {"name": "write", "arguments": "{\\"a\\": 1}"}}]',
        'Text before {"id": "call_1", "function": {"name": "write", "arguments": {"a": 1}}} and after.',
    ],
)
def test_call(text: str) -> None:
    found = parse_calls(text, TOOLS)
    assert found.errors == []
    assert [(call.name, call.arguments) for call in found.calls] == [("write", {"a": 1})]


def test_every_name_is_a_tool_where_none_is_known() -> None:
    found = parse_calls("anything({ a: 1 })\nother()")
    assert [call.name for call in found.calls] == ["anything"]
    assert [error.problem.code for error in found.errors] == ["not_object_literal"]


def test_the_tools_of_a_surface_are_known() -> None:
    surface = read_surface(plain({"tools": [{"name": "write"}]}))
    assert [call.name for call in parse_calls("write({ a: 1 })\nother({ a: 1 })", surface).calls] == ["write"]


def test_the_built_in_tools_are_always_known() -> None:
    assert [call.name for call in parse_calls("ledger({ a: 1 })", TOOLS).calls] == ["ledger"]


def test_a_broken_call_does_not_hide_the_next_one() -> None:
    found = parse_calls("write({ a: + })\nlist_files({})\nwrite({ b: `x\n", TOOLS)
    assert [call.name for call in found.calls] == ["list_files"]
    assert [error.problem.code for error in found.errors] == ["argument_syntax", "unterminated_template"]


def test_calls_on_one_line_after_the_first_are_not_seen_by_runtimes() -> None:
    text = "write({ a: 1 }) list_files({ b: 2 }) write({})"
    found = parse_calls(text, TOOLS)
    assert [call.name for call in found.calls] == ["write"]
    assert [text[slice(*span)] for span in found.trailing] == ["list_files({ b: 2 })", "write({})"]


def test_what_belongs_to_calls_and_what_is_rest() -> None:
    text = "Before.\n```\nshell: write({ a: 1 })\n```\nAfter.\n\n\n\nMore."
    found = parse_calls(text, TOOLS)
    assert [text[slice(*span)] for span in found.labels] == ["shell:"]
    assert [text[slice(*span)] for span in found.fences] == ["```\n", "```\n"]
    assert [text[slice(*span)] for span in found.rest] == ["Before.", "After.\n\n\n\nMore."]
    assert found.prose == "Before.\n\nAfter.\n\nMore."


def test_spans_of_every_part() -> None:
    text = 'Do:\nwrite({ path: "a", "two words": [1, { deep: <<T\nbody\nT }], })'
    (call,) = parse_calls(text, TOOLS).calls

    def shown(span: Span) -> str:
        return text[span.start : span.end]

    assert shown(call.span) == text[4:]
    assert shown(call.parts.name_span) == "write"
    assert shown(call.argument_span(())) == text[text.index("{") : -1]
    assert [shown(span) for key in call.arguments if (span := call.key_span(key))] == ["path", '"two words"']
    assert shown(call.argument_span(("path",))) == '"a"'
    assert shown(call.argument_span(("two words", 1, "deep"))) == "<<T\nbody\nT"
    assert shown(call.argument_span(("two words", 7))) == "[1, { deep: <<T\nbody\nT }]"
    assert shown(call.argument_span(("absent",))) == shown(call.argument_span(()))
    assert shown(call.key_span("two words")) == '"two words"'  # type: ignore[arg-type]
    assert call.key_span("absent") is None
    assert call.arguments["two words"][1] == {"deep": "body"}


def test_the_last_of_repeated_keys_counts() -> None:
    text = "write({ a: 1, a: 22 })"
    (call,) = parse_calls(text, TOOLS).calls
    assert text[slice(*call.argument_span(("a",)))] == "22"


def test_a_line_that_begins_with_the_tag_is_named() -> None:
    text = "write({ a: <<END\nEND of the story\nmore\nEND\n})"
    (error,) = parse_calls(text, TOOLS).errors
    assert error.problem.code == "argument_syntax"
    assert error.early == Span(17, 20)


@pytest.mark.parametrize(
    "text", ["write({ a: <<END\nx\nEND oops })", "write({ a: <<END\nx\nEND\n, + \nEND })", "write({ a: + })"]
)
def test_other_errors_name_no_early_end(text: str) -> None:
    assert parse_calls(text, TOOLS).errors[0].early is None


def test_nesting_is_limited() -> None:
    deepest = "[" * 499 + "]" * 499
    assert len(parse_calls(f"write({{ a: {deepest} }})", TOOLS).calls) == 1
    assert only_error(f"write({{ a: [{deepest}] }})")[0] == "argument_syntax"
    assert only_error("write({ a: " + "[{a:" * 100_000)[0] == "argument_syntax"


def test_calls_as_json_are_found_at_their_place() -> None:
    text = 'So: {"id": "call_1", "function": {"name": "erase", "arguments": "{"}}'
    found = parse_calls(text, TOOLS)
    assert [(error.problem.code, error.problem.at) for error in found.errors] == [("unknown_tool", Span(4, len(text)))]
    text = text.replace("erase", "write")
    assert [error.problem.code for error in parse_calls(text, TOOLS).errors] == ["argument_syntax"]


@pytest.mark.parametrize(
    ("tools", "names"),
    [
        (["a", "b"], {"a", "b"}),
        ("a", {"a"}),
        ([{"name": "a"}, {"type": "function", "function": {"name": "b"}}, {"x": 1}, 7], {"a", "b"}),
        ({"_type": "tool_registry", "tools": [{"name": "a"}]}, {"a"}),
        ({"name": "a"}, {"a"}),
        (SimpleNamespace(tools=[SimpleNamespace(name="a")]), {"a"}),
    ],
)
def test_known_names(tools: Any, names: set[str]) -> None:
    assert known_names(tools) == frozenset(names | {"ledger", "load_skill"})


def test_nothing_is_known_without_tools() -> None:
    assert known_names(None) is None


def test_a_call_shows_itself() -> None:
    (call,) = parse_calls("write({ a: 1 })").calls
    assert isinstance(call, Call)
    assert repr(call) == "Call('write', {'a': 1}, Span(start=0, end=15))"
