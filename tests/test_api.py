"""The names of the public API: that they are there, and what they do with the data that callers hand in."""

from __future__ import annotations

import pytest

import toolsurface_lint
from toolsurface_lint import (
    TemplateError,
    canonical_to_wire,
    lint_template,
    normalise_arguments,
    parse_calls,
    parse_response,
    parse_template,
    recognise_protocol,
    render_template,
    reserves_tool_call_token,
    validate_arguments,
    wire_to_canonical,
)


def test_every_name_resolves_and_is_listed() -> None:
    for name in toolsurface_lint.__all__:
        assert getattr(toolsurface_lint, name) is not None
    assert dir(toolsurface_lint) == sorted(toolsurface_lint.__all__)
    with pytest.raises(AttributeError, match="no attribute 'parse_everything'"):
        _ = toolsurface_lint.parse_everything


def test_a_response_and_its_calls() -> None:
    text = '<tool_call>\nread({ path: "a" })\n</tool_call>\n<tool_call>\nwrite({ path: "a" })\n</tool_call>'
    assert recognise_protocol(text) == "tagged"
    response = parse_response(text, "tagged", tools=["read"])
    assert [(call.name, call.arguments) for call in response.calls] == [("read", {"path": "a"})]
    assert [(one.code, text[slice(*one.at)]) for one in response.violations] == [("unknown_tool", "write")]
    assert [call.name for call in parse_calls(text, ["read", "write"]).calls] == ["read", "write"]
    with pytest.raises(ValueError, match="unknown response protocol 'xml'"):
        parse_response(text, "xml")


def test_arguments() -> None:
    tool = {"name": "read", "parameters": {"path": {"type": "string"}, "lines": {"type": "integer", "required": False}}}
    assert validate_arguments(tool, {"lines": 1}) == ["path"]
    aliases = {"arg_schema": {"arg_aliases": {"file": "path"}}}
    assert normalise_arguments(aliases, {"file": "a"}) == {"path": "a"}


def test_templates() -> None:
    assert render_template("{{ if a }}{{ a }}{{ end }}", {"a": "x"}) == "x"
    assert [finding.kind for finding in lint_template("{{ a | nope }}")] == ["template-unknown-filter"]
    with pytest.raises(TemplateError) as caught:
        parse_template("a\n {{ end }}")
    assert (caught.value.line, caught.value.column, caught.value.problem.code) == (2, 2, "unexpected_directive")


def test_delimiters() -> None:
    assert canonical_to_wire("<tool_call>x</tool_call>") == "[[CALL]]x[[/CALL]]"
    assert wire_to_canonical("[[CALL]]x[[/CALL]]") == "<tool_call>x</tool_call>"
    assert reserves_tool_call_token("ollama", "qwen3.6:27b")
    assert not reserves_tool_call_token("ollama", "qwen3:8b")
