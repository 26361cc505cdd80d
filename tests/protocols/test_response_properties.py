"""Random responses: what is written in a protocol reads back the same, and a damaged delimiter never goes unnoticed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.long import examples
from toolsurface_lint.checks.response import breaks, outputs  # noqa: F401 - they fill the sentences
from toolsurface_lint.checks.response._rules import SENTENCES
from toolsurface_lint.protocols.recognition import PROTOCOLS, parse_calls, parse_response, recognise_protocol
from toolsurface_lint.protocols.response import Response
from toolsurface_lint.protocols.template_parser import parse_template
from toolsurface_lint.protocols.templates import TemplateError
from toolsurface_lint.protocols.wire import canonical_to_wire, wire_forms, wire_to_canonical

TOOLS = ("edit", "run", "look_up")
SENTINEL = "##DONE##"

KEYS = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True)
# Lone surrogates have no escape in the call syntax; a NUL is no text of a file.
LETTERS = st.characters(codec="utf-8", exclude_characters="\0")
TEXTS = st.text(LETTERS, max_size=30)
LINES = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n"), max_size=20), max_size=4)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**12), 10**12), st.floats(allow_nan=False, allow_infinity=False), TEXTS
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)
ARGUMENTS = st.dictionaries(KEYS, VALUES, max_size=4)
CALLS = st.tuples(st.sampled_from(TOOLS), ARGUMENTS)
# Words that hold no delimiter of either protocol and look like no call.
PROSE = st.lists(st.from_regex(r"[A-Za-z]{1,9}[.,!?]?", fullmatch=True), min_size=1, max_size=12).map(" ".join)


class HeredocText(str):
    """Text that is to be written as a heredoc."""


@st.composite
def heredoc_texts(draw: st.DrawFn) -> HeredocText:
    lines = draw(LINES)
    return HeredocText("\n".join(line for line in lines if not line.lstrip().startswith("EOT")))


def write_text(text: str) -> str:
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    written = "".join(escapes.get(letter, letter) for letter in text)
    # A quoted text that begins with `<<` is read as a heredoc: the syntax has no other way to write it.
    return f'"\\x3c{written[1:]}"' if written.startswith("<") else f'"{written}"'


def write_value(value: Any) -> str:
    if isinstance(value, HeredocText):
        return f"<<EOT\n{value}\nEOT"
    if isinstance(value, str):
        return write_text(value)
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key}: {write_value(member)}" for key, member in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(write_value(item) for item in value) + "]"
    return json.dumps(value)


def write_call(name: str, arguments: dict[str, Any]) -> str:
    return f"{name}({write_value(arguments)})"


class Written:
    """A response as it is meant: its parts, and its text with the places of the delimiters."""

    def __init__(self, parts: list[tuple[str, Any]], separator: str, final: bool) -> None:
        self.calls = [content for kind, content in parts if kind == "tool_call"]
        self.prose = [content for kind, content in parts if kind == "assistant_prose"]
        self.answer = "All is done." if final else None
        self.delimiters: list[tuple[int, int]] = []
        self.text = ""
        for kind, content in parts:
            body = f"\n{write_call(*content)}\n" if kind == "tool_call" else content
            self._add(kind, body, separator)
        if final:
            self._add("user_response", "All is done.", separator)
            self._add("done", SENTINEL, separator)

    def _add(self, tag: str, body: str, separator: str) -> None:
        for piece in (f"<{tag}>", body, f"</{tag}>"):
            if piece is not body:
                self.delimiters.append((len(self.text), len(self.text) + len(piece)))
            self.text += piece
        self.text += separator


PARTS = st.lists(
    st.one_of(st.tuples(st.just("tool_call"), CALLS), st.tuples(st.just("assistant_prose"), PROSE)),
    min_size=1,
    max_size=4,
)
HEREDOC_CALL = st.tuples(
    st.just("tool_call"),
    st.tuples(st.just("edit"), st.fixed_dictionaries({"content": heredoc_texts(), "path": TEXTS})),
)
TAGGED = st.builds(
    Written,
    st.lists(st.one_of(PARTS.map(lambda parts: parts[0]), HEREDOC_CALL), min_size=1, max_size=4),
    st.sampled_from(["\n", "\n\n", " ", ""]),
    st.booleans(),
)


def plain(response: Response) -> list[tuple[str, dict[str, Any]]]:
    return [(call.name, call.arguments) for call in response.calls]


@pytest.mark.slow
@settings(max_examples=examples(150), deadline=None)
@given(TAGGED)
def test_tagged_response_reads_back(written: Written) -> None:
    response = parse_response(written.text, "tagged", tools=TOOLS, done_sentinel=SENTINEL)
    assert response.violations == []
    assert plain(response) == written.calls
    assert response.contents("assistant_prose") == written.prose
    assert response.user_response == written.answer
    assert response.done == (SENTINEL if written.answer else None)
    for call in response.calls:
        assert written.text[slice(*call.parts.name_span)] == call.name
        assert written.text[call.span.end - 1] == ")"


@pytest.mark.slow
@settings(max_examples=examples(100), deadline=None)
@given(TAGGED, st.data())
def test_damaged_tag_is_a_violation(written: Written, data: st.DataObject) -> None:
    start, end = data.draw(st.sampled_from(written.delimiters))
    position = data.draw(st.integers(start, end - 1))
    damaged = written.text[:position] + written.text[position + 1 :]
    assert parse_response(damaged, "tagged", tools=TOOLS, done_sentinel=SENTINEL).violations != []


@settings(max_examples=examples(80), deadline=None)
@given(HEREDOC_CALL, st.data())
def test_damaged_heredoc_tag_is_a_violation(part: tuple[str, Any], data: st.DataObject) -> None:
    text = Written([part, ("tool_call", ("edit", {"content": HeredocText("x")}))], "\n", False).text
    opener = text.index("<<EOT")
    closer = text.index("\nEOT", opener) + 1
    position = data.draw(st.sampled_from([*range(opener, opener + 5), *range(closer, closer + 3)]))
    damaged = text[:position] + text[position + 1 :]
    assert parse_response(damaged, "tagged", tools=TOOLS).violations != []


def write_fenced(parts: list[tuple[str, Any]], final: bool) -> str:
    text = ""
    for kind, content in parts:
        if kind == "tool_call":
            name, arguments = content
            text += "```tool\n" + json.dumps({"name": name, "args": arguments}) + "\n```\n"
        else:
            text += content + "\n"
    return text + f"All is done. {SENTINEL}\n" if final else text


@pytest.mark.slow
@settings(max_examples=examples(120), deadline=None)
@given(PARTS, st.booleans())
def test_fenced_response_reads_back(parts: list[tuple[str, Any]], final: bool) -> None:
    text = write_fenced(parts, final)
    response = parse_response(text, "fenced-json", tools=TOOLS, done_sentinel=SENTINEL)
    assert response.violations == []
    assert plain(response) == [content for kind, content in parts if kind == "tool_call"]
    prose = [content for kind, content in parts if kind == "assistant_prose"]
    assert response.prose == "\n".join([*prose, f"All is done. {SENTINEL}"] if final else prose)
    for call in response.calls:
        assert json.loads(text[slice(*call.parts.name_span)]) == call.name
        assert json.loads(text[slice(*call.argument_span(()))]) == call.arguments


@pytest.mark.slow
@settings(max_examples=examples(80), deadline=None)
@given(st.lists(CALLS, min_size=1, max_size=3), st.data())
def test_damaged_fence_is_a_violation(calls: list[tuple[str, Any]], data: st.DataObject) -> None:
    text = write_fenced([("tool_call", call) for call in calls], False)
    lines = text.splitlines(keepends=True)
    places = [
        sum(map(len, lines[:number])) + offset
        for number, line in enumerate(lines)
        if line.startswith("```")
        for offset in range(len(line.rstrip("\n")))
    ]
    position = data.draw(st.sampled_from(places))
    damaged = text[:position] + text[position + 1 :]
    assert parse_response(damaged, "fenced-json", tools=TOOLS).violations != []


FRAGMENTS = st.sampled_from(
    [
        "<tool_call>",
        "</tool_call>",
        "<user_response>",
        "</user_response>",
        "<assistant_prose>",
        "<done>",
        "</done>",
        "<think>",
        "</think>",
        "<",
        "<x>",
        "run(",
        "run({",
        "edit({ a: ",
        "{",
        "}",
        "[",
        "]",
        ")",
        "<<EOF\n",
        "EOF",
        "\n",
        "\r\n",
        " ",
        '"',
        "'",
        "`",
        "```tool\n",
        "```\n",
        "```json\n",
        "~~~",
        "${",
        "//",
        "/*",
        "*/",
        "\\",
        "\\u",
        ",",
        ":",
        '{ "name": "run", "args": {} }',
        '[{"id": "call_1", "function": {"name": "run", "arguments": "{}"}}]',
        "python: ",
        SENTINEL,
        "é",
        "\U0001f600",
        "1.5",
    ]
)
ANYTHING = st.lists(st.one_of(FRAGMENTS, st.text(max_size=4)), max_size=25).map("".join)


def check_spans(response: Response) -> None:
    size = len(response.text)
    for violation in [*response.violations, *response.remarks]:
        assert 0 <= violation.at.start <= violation.at.end <= size
        if violation.code not in ("unknown_tool", "opener_collapse"):
            assert not SENTENCES[violation.kind].format(**violation.values).endswith(".")
    for call in response.calls:
        assert 0 <= call.span.start < call.span.end <= size
        arguments = call.argument_span(())
        assert call.span.start <= arguments.start <= arguments.end <= call.span.end


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
@settings(max_examples=examples(200), deadline=None)
@given(text=ANYTHING, tools=st.sampled_from([None, TOOLS]), sentinel=st.sampled_from([None, "", SENTINEL]))
def test_any_text_is_a_response(protocol: str, text: str, tools: Any, sentinel: str | None) -> None:
    check_spans(parse_response(text, protocol, tools=tools, done_sentinel=sentinel, final=True))
    recognise_protocol(text)
    found = parse_calls(text, tools)
    assert all(0 <= error.problem.at.start <= error.problem.at.end <= len(text) for error in found.errors)
    assert isinstance(found.prose, str)
    assert all(text[start:end].strip() for start, end in found.rest)


@pytest.mark.slow
@settings(max_examples=examples(60), deadline=None)
@given(TAGGED, st.data())
def test_any_prefix_is_a_response(written: Written, data: st.DataObject) -> None:
    text = written.text[: data.draw(st.integers(0, len(written.text)))]
    for protocol in PROTOCOLS:
        check_spans(parse_response(text, protocol, tools=TOOLS))


TEMPLATE_FRAGMENTS = st.sampled_from(
    [
        "{{ ",
        " }}",
        "{{-",
        "-}}",
        "{{#",
        "#}}",
        "{",
        "}",
        "{{ if a }}",
        "{{ end }}",
        "if a ",
        "elif b ",
        "else",
        "end",
        "for x in xs ",
        "include 'p' ",
        "with { a: 1 }",
        "raw ",
        "endraw ",
        "section 'tools' ",
        "endsection ",
        "a.b[0] ",
        "not ",
        "and ",
        "(",
        ")",
        "== ",
        "| upper",
        "| default: 'x'",
        "'",
        '"',
        "1.5",
        "\n",
    ]
)


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(TEMPLATE_FRAGMENTS, max_size=16).map("".join))
def test_a_template_parses_or_says_where_not(text: str) -> None:
    failure = None
    template = None
    try:
        template = parse_template(text)
    except TemplateError as error:
        failure = error
    if failure is not None:
        start = failure.problem.at.start
        assert text.startswith("{{", start)
        assert failure.line == text.count("\n", 0, start) + 1
        assert failure.column == start - text.rfind("\n", 0, start)
    for directive in template.directives if template is not None else ():
        assert text.startswith("{{", directive.span.start)
        assert text.endswith("}}", 0, directive.span.end)


@given(st.lists(st.one_of(st.sampled_from(["<tool_call>", "</tool_call>", "[", "]", "[[", "]]", "CALL", "/"]), TEXTS)))
def test_remapping_returns_text_without_wire_forms(parts: list[str]) -> None:
    text = "".join(parts)
    assert (wire_to_canonical(canonical_to_wire(text)) == text) is (not wire_forms(text))
    assert canonical_to_wire(canonical_to_wire(text)) == canonical_to_wire(text)
    assert wire_to_canonical(wire_to_canonical(text)) == wire_to_canonical(text)
