"""What is read back of a call by a `response_template`, and what transformers refuses."""

from __future__ import annotations

from typing import Any

import pytest

from toolsurface_lint.chat_templates.response_templates import NotRun, Refused, ResponseTemplate

FUNCTION = {"function": {"name": "{content.name}", "arguments": "{content.arguments}"}}


def template(**field: Any) -> dict[str, Any]:
    return {"start_anchor": ["<a>", "<assistant>"], "fields": {"tool_calls": {"open": "<c>", "close": "</c>", **field}}}


@pytest.mark.parametrize(
    ("field", "text", "calls"),
    [
        (
            {"content": "json", "repeats": True, "transform": FUNCTION},
            '<c>{"name": "f", "arguments": {"x": 1}}</c> and <c>{"name": "g", "arguments": {}}',
            [("f", {"x": 1}), ("g", {})],
        ),
        ({"content": "json", "transform": FUNCTION}, '<c>{"name": "f", "arguments": {}}</c>', [("f", {})]),
        (
            {"content": "json", "transform": {"function": "{content}"}},
            '<c>{"name": "f", "arguments": "{}"}</c>',
            [("f", "{}")],
        ),
        (
            {
                "open_pattern": "<c=(?P<name>[^>]+)>",
                "content": "kv-lines",
                "transform": {"function": {"name": "{name}", "arguments": "{content}"}},
            },
            "<c=f>\n x: 1\n y : a:b\n</c>",
            [("f", {"x": "1", "y": "a:b"})],
        ),
        (
            {
                "content": "xml-inline",
                "content_args": {
                    "tag_pattern": "<(?P<key>[^>]+)>(?P<value>.*?);",
                    "value_parser": {"name": "json", "args": {"allow_non_json": True}},
                },
                "transform": {"function": {"name": "f", "arguments": "{content}"}},
            },
            "<c><x>1;<y>one;</c>",
            [("f", {"x": 1, "y": "one"})],
        ),
        (
            {
                "content": "python-call-list",
                "transform_each": True,
                "transform": {"function": {"name": "{name}", "arguments": "{arguments}"}},
            },
            '<c>[f(x=1, y=["a"]), g.h()]</c>',
            [("f", {"x": 1, "y": ["a"]}), ("g.h", {})],
        ),
        (
            {
                "open_pattern": r"(?:<c>|call:)+(?=(?P<name>\w+))\w+",
                "content": "json",
                "transform": {"function": {"name": "{name}", "arguments": "{content}"}},
            },
            "call:<c>f{}</c>",
            [("f", {})],
        ),
        ({"content": "json", "transform": FUNCTION}, "nothing", []),
    ],
)
def test_calls_are_read(field: dict[str, Any], text: str, calls: list[tuple[str, Any]]) -> None:
    spec = template(**field)
    if "open_pattern" in field:
        del spec["fields"]["tool_calls"]["open"]
    prompt = '<user><c>{"name": "no", "arguments": {}}</c><assistant>'
    assert ResponseTemplate(spec).calls(prompt, text) == calls


@pytest.mark.parametrize(
    "spec",
    [
        [],
        {"version": 2},
        {"fields": {}},
        {"fields": {"content": {}}},
        {**template(), "start": "x"},
        {**template(), "start_anchor_pattern": "x"},
        template(open=""),
        template(open_pattern="x"),
        template(close=["a", 3]),
        template(content="yaml"),
        template(content=[]),
        template(closing="x"),
        {"start_anchor": "x", "fields": {"a": {}, "b": {}}},
        {"start_anchor": "x", "fields": {"a": 3}},
    ],
)
def test_what_transformers_refuses(spec: Any) -> None:
    with pytest.raises(Refused):
        ResponseTemplate(spec)


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ({"content": "json"}, "<c>{no</c>"),
        ({"content": "json"}, "<c>" + "[" * 90_000),
        ({"content": "int"}, "<c>one</c>"),
        ({"content": "json", "transform": FUNCTION}, "<c>[]</c>"),
        ({"content": "python-call-list"}, "<c>[f(x=y)]</c>"),
        ({"content": "xml-inline"}, "<c></c>"),
        ({"content": "json", "transform_each": True, "transform": FUNCTION}, "<c>{}</c>"),
    ],
)
def test_texts_that_it_fails_for(field: dict[str, Any], text: str) -> None:
    with pytest.raises(Refused):
        ResponseTemplate(template(**field)).calls("<a>", text)


def test_options_that_are_not_followed() -> None:
    with pytest.raises(NotRun):
        ResponseTemplate(template(content="json", content_args={"unquoted_keys": True})).calls("<a>", "<c>{a:1}</c>")


@pytest.mark.parametrize("pattern", ["(", r"\p{Ps}", "(?<name>c)", "[[:alpha:]]", "a{99999999999}"])
def test_patterns_of_which_only_regex_may_know_the_meaning(pattern: str) -> None:
    fields = {"tool_calls": {"open_pattern": pattern}}
    with pytest.raises(NotRun):
        ResponseTemplate({"start_anchor": "<a>", "fields": fields}).calls("<a>", "c")
