"""Jinja with exact places: every token is where it says, and the text of an expression parses to that expression."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import nodes

from tests.long import examples
from toolsurface_lint.chat_templates.syntax import ChatTemplateError, parse
from toolsurface_lint.source.text import Span

TEMPLATE = """{#- Calls and results. -#}
{%- macro shown(call, sep=', ') -%}
    {{- call["function"].name ~ sep ~ (call.function.arguments | tojson(indent=2)) -}}
{%- endmacro %}
{% set ns = namespace(index=0, last=none) %}
{% for key, message in (messages[1:] | selectattr('role', 'ne', "sys" 'tem') if not (tools) else messages) %}
  {% if message.role == 'user' and (loop.first or ns.index > 2 or not message['x'] is defined) %}
<|user|>{{ message.content + '\\n' if message.content is string else (message.content)|join('', attribute='text')|trim }}
  {% elif (message.tool_calls or []) | length > 0 -%}
    {% generation %}{{ shown(message.tool_calls[0], sep=(';')) }}{% endgeneration %}
    {%- continue %}
  {% else %}{% set ns.index = ns.index + 1 %}{% break %}
  {% endif %}
{% endfor %}
{%+ raw %} {{ not a tag }} {%- endraw -%}
{{ [1, (2, 3), -4 ** 2] }}{{ {'a': (1,), "b": ()} }}{{ x is divisibleby 3 or (x is not none) }}{{ a[::2] }}{{ a.0.b() }}
{% call shown(1) %}é😀{% endcall %}{% filter trim %} a {% endfilter %}{{ 1 if a else 2 if b else 3 }}
"""


def expressions(text: str) -> list[tuple[nodes.Expr, str]]:
    """The expressions of a template that stand by themselves, each with its text."""
    parsed = parse(text)
    found = []
    for node in parsed.root.find_all(nodes.Expr):
        is_part = isinstance(node, nodes.TemplateData | nodes.Operand | nodes.Slice | nodes.NSRef)
        if not is_part and getattr(node, "ctx", "load") == "load" and getattr(node, "node", node) is not None:
            start, end = parsed.span(node)
            found.append((node, text[start:end]))
    return found


def assert_exact(text: str) -> None:
    for token in parse(text).tokens:
        assert text[token.start : token.end].replace("\r\n", "\n").replace("\r", "\n") == token.value
    for node, written in expressions(text):
        (output,) = parse("{{ " + written + " }}").root.body
        assert repr(output.nodes[0]) in (repr(node), f"Not(node={node!r})")  # type: ignore[attr-defined]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_tokens_and_expressions_are_where_they_are_written(line_end: str) -> None:
    assert_exact(TEMPLATE.replace("\n", line_end))
    assert len(expressions(TEMPLATE)) > 100


PIECES = [
    "{{ a }}", "{{- a.b -}}", "{{ (a) ~ (b|c(1)) }}", "{% if a is not b %}", "{%- if a -%}", "{% endif %}", "{%- endif -%}",
    "{# c #}", "{#- c -#}", "{% raw %}", "{% endraw %}", "{%- raw -%}", "{%- endraw -%}", "{% set x = 1 %}", "{{ 'a\r\nb' }}",
    " ", "\n", "\r\n", "\r", "\t", "x", "é😀", "\u2028", "{", "}}", "{{ ((a, b)) }}", "{{ [(a, b,)] }}", "{%+ set y = x %}",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
@settings(max_examples=examples(150), deadline=None)
def test_whatever_parses_has_exact_places(text: str) -> None:
    if (at := refused(text)) is None:
        assert_exact(text)
    else:
        assert 0 <= at.start <= at.end <= len(text)


def refused(text: str) -> Span | None:
    try:
        parse(text)
    except ChatTemplateError as error:
        return error.problem.at
    return None


def test_a_statement_is_its_opening_tag() -> None:
    text = "a {%- for x in y if (x) %}{{ x }}{% endfor %}{% if a %}{% elif (b) -%} c{% endif %}"
    parsed = parse(text)
    tags = [text[slice(*parsed.span(node))] for node in parsed.root.find_all((nodes.For, nodes.If))]
    assert tags == ["{%- for x in y if (x) %}", "{% if a %}", "{% elif (b) -%}"]


@pytest.mark.parametrize(
    ("text", "kind", "written", "reason"),
    [
        ("{{ a b }}", "syntax", "b", "expected token 'end of print statement', got 'b'"),
        ("a {{ 'b }}", "syntax", "'", 'unexpected char "\'"'),
        ("a\r\n{# b", "syntax", "{#", "Missing end of comment tag"),
        ("{{ a ) }}", "syntax", ")", "unexpected ')'"),
        ("{% for a %}", "syntax", "%}", "expected token 'in', got 'end of statement block'"),
        ("{% foo %}", "syntax", "foo", "Encountered unknown tag 'foo'."),
        ("{{ '\\N{x}' }}", "syntax", "'\\N{x}'", "unknown Unicode character name"),
        ("{{ " + 5000 * "1" + " }}", "syntax", 5000 * "1", "a number has too many digits"),
        ("{{ " + 41 * "(", "too_deep", "(", None),
        ("{{ a" + 300 * ".b" + " }}", "too_deep", ".", None),
        (300 * "{% if a %}", "too_deep", "", None),
        ("a" * 200_001, "too_long", "", None),
    ],
)
def test_what_does_not_parse_is_one_problem_at_its_place(
    text: str, kind: str, written: str, reason: str | None
) -> None:
    with pytest.raises(ChatTemplateError) as caught:
        parse(text)
    problem = caught.value.problem
    assert (problem.kind, text[slice(*problem.at)], problem.values.get("reason")) == (kind, written, reason)


def seconds(text: str) -> float:
    start = time.process_time()
    refused(text)
    return time.process_time() - start


@pytest.mark.parametrize(
    "build",
    [
        lambda n: "{{" + " 1 +" * n + " 1 }}",
        lambda n: "{{ a" + ".b" * n + " }}",
        lambda n: "{{ '" + "\\a" * 4 * n,
        lambda n: "{%     " * n,
        lambda n: "{%- raw -%}" + " " * n + "{%  " * n,
        lambda n: " \n" * n + "{%- if a -%}" + " \n" * n,
        lambda n: "{#" * n,
        lambda n: "{{ 1." + "1_" * n + " }}",
        lambda n: "\r\n" * n + "{{ a }}" * (n // 4) + "\r\n" * n,
        lambda n: "{% if a %}" + "{% elif a %}" * (n // 4) + "{% endif %}",
        lambda n: "{% generation %}" * 20 + "{{ a }}" * (n // 4) + "{% endgeneration %}" * 20,
    ],
)
def test_time_grows_with_the_length(build: Callable[[int], str]) -> None:
    small, large = build(2_000), build(16_000)
    assert min(seconds(large) for _ in range(2)) < 24 * max(min(seconds(small) for _ in range(3)), 0.002)
