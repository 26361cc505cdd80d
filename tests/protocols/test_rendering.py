"""Rendering: values, filters, loops, includes, every branch, and the way back to the template."""

from __future__ import annotations

from typing import Any

import pytest

from toolsurface_lint.protocols.rendering import render, render_branches, render_template
from toolsurface_lint.protocols.template_parser import parse_template
from toolsurface_lint.protocols.templates import TemplateError
from toolsurface_lint.source.text import Span

VALUES: dict[str, Any] = {
    "name": "ada lovelace",
    "n": 3,
    "half": 0.5,
    "yes": True,
    "none": None,
    "blank": "  ",
    "items": ["a", "b"],
    "empty": [],
    "user": {"name": "Ada", "tags": ["x", "y"], "two words": 1},
}


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("hi {{ missing }}", "hi {{missing}}"),
        ("hi {{ missing.name }}!", "hi !"),
        ("{{ none }}|{{ yes }}|{{ n }}|{{ half }}", "|true|3|0.5"),
        ("{{ items }} {{ user }}", "[a, b] {name: Ada, tags: [x, y], two words: 1}"),
        ("{{ user.name }} {{ user.tags[1] }} {{ user.tags[-1] }} {{ user['two words'] }}", "Ada y y 1"),
        ("{{ user.tags[9] }}{{ user.x.y }}{{ n.x }}{{ name[0] }}", "a"),
        ("{{ if blank }}1{{ elif empty }}2{{ elif none }}3{{ else }}4{{ end }}", "4"),
        ("{{ if n > 2 and n <= 3 }}in{{ end }}", "in"),
        ("{{ if name < n }}1{{ else }}2{{ end }}", "2"),
        ("{{ if yes == 1 }}1{{ else }}2{{ end }}", "2"),
        ("{{ if n != 3 or !none }}1{{ end }}", "1"),
        ("{{ missing.x or name }}", "ada lovelace"),
        (
            "{{ for x in items }}{{ loop.index }}/{{ loop.length }}{{ x }}{{ if !loop.last }},{{ end }}{{ end }}",
            "1/2a,2/2b",
        ),
        ("{{ for x in empty }}{{ x }}{{ else }}none{{ end }}", "none"),
        ("{{ for x in missing.x }}{{ x }}{{ else }}none{{ end }}", "none"),
        ("{{ for k, v in user }}{{ k }};{{ end }}", "name;tags;two words;"),
        ("{{ for i, x in items }}{{ i }}{{ x }}{{ end }}{{ x }}", "0a1b{{x}}"),
        (
            "{{ for x in items }}{{ for y in items }}{{ x }}{{ y }}{{ loop.first }} {{ end }}{{ end }}",
            "aatrue abfalse batrue bbfalse ",
        ),
        ("{{ if a }}1{{ else if yes }}2{{ end }}", "2"),
        ("a\n{{- n -}}\nb", "a3b"),
        ("{{# gone #}}{{ raw }}{{ n }}{{ endraw }}", "{{ n }}"),
        ("{{ section 'tools' }}in{{ endsection }}", "in"),
        ("{{ name | upper }}|{{ name | title }}|{{ name | capitalize }}", "ADA LOVELACE|Ada Lovelace|Ada lovelace"),
        ("{{ 'A b' | lower }}|{{ blank | trim }}|{{ items | length }}{{ none | length }}", "a b||20"),
        (
            "{{ items | first }}{{ items | last }}{{ empty | first }}{{ 'xyz' | last }}{{ items | reverse }}",
            "abz[b, a]",
        ),
        ("{{ items | join: '-' }}{{ name | join: '-' }}", "a-bada lovelace"),
        ("{{ missing.x | default: 'd' }}{{ name | default: 'd' }}", "dada lovelace"),
        ("{{ user | json }}", '{"name":"Ada","tags":["x","y"],"two words":1}'),
        ("{{ items | json: true }}", '[\n  "a",\n  "b"\n]'),
        ("{{ 'a\n\nb' | indent: 2 }}|{{ 'a' | indent: 2, true }}", "a\n\n  b|  a"),
        ("{{ 'a\nb' | lines | join: '+' }}", "a+b"),
        ("{{ '*a*' | escape_md }}{{ 'a-a' | replace: 'a', n }}", "\\*a\\*3-3"),
    ],
)
def test_render(text: str, rendered: str) -> None:
    assert render_template(text, VALUES) == rendered


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("a {{ name | nope }}", "unknown_filter"),
        ("a {{ name | join }}", "filter_arguments"),
        ("a {{ name | upper: 1 }}", "filter_arguments"),
        ("a {{ n | join: ',' }}", "filter_value"),
        ("a {{ n | length }}", "filter_value"),
        ("a {{ name | indent: 'x' }}", "filter_value"),
        ("a {{ for x in n }}{{ end }}", "not_iterable"),
        ("a {{ include n }}", "bad_include_path"),
        ("a {{ include 'p' }}", "include_not_found"),
        ("a {{ if }}", "expected_expression"),
    ],
)
def test_rendering_error(text: str, category: str) -> None:
    with pytest.raises(TemplateError) as caught:
        render_template(text, VALUES)
    assert (caught.value.problem.code, caught.value.line, caught.value.column) == (category, 1, 3)
    assert str(caught.value).startswith("1:3: ")


def test_filters_are_not_asked_in_a_branch_that_is_not_taken() -> None:
    assert render_template("{{ if none }}{{ name | nope }}{{ end }}", VALUES) == ""


def test_includes() -> None:
    files = {"p": "<{{ name }}{{ extra }}>", "loop": "{{ include 'loop' }}"}
    assert render_template("{{ include 'p' }}", VALUES, files.get) == "<ada lovelace{{extra}}>"
    assert render_template("{{ include 'p' with { name: 'b', extra: n } }}", VALUES, files.get) == "<b3>"
    with pytest.raises(TemplateError) as caught:
        render_template("{{ include 'loop' }}", VALUES, files.get)
    assert caught.value.problem.code == "circular_include"
    with pytest.raises(TemplateError) as caught:
        render_template("{{ include '0' }}", {}, lambda path: "{{ include '" + str(int(path) + 1) + "' }}")
    assert caught.value.problem.code == "include_depth"


def test_the_way_back_to_the_template() -> None:
    text = "one {{ n }} two {{ if yes }}three{{ end }}"
    rendering = render(parse_template(text), VALUES)
    assert rendering.text == "one 3 two three"

    def back(found: str) -> str:
        start = rendering.text.index(found)
        return text[slice(*rendering.origin(Span(start, start + len(found))).span)]

    assert back("one") == "one"
    assert back("3") == "{{ n }}"
    assert back("two three") == "two {{ if yes }}three"
    assert back("hree") == "hree"
    assert rendering.origin(Span(6, 6)).span == Span(text.index(" two") + 1, text.index(" two") + 1)
    assert render(parse_template(""), {}).origin(Span(0, 0)).span == Span(0, 0)


def test_every_branch() -> None:
    text = "{{ if a }}A{{ end }}{{ if not a and b.c == 1 }}B{{ else }}C{{ end }}"
    renderings = list(render_branches(parse_template(text)))
    assert [(rendering.choices, rendering.text) for rendering in renderings] == [
        ({"a": True, "b.c == 1": True}, "AC"),
        ({"a": True, "b.c == 1": False}, "AC"),
        ({"a": False, "b.c == 1": True}, "B"),
        ({"a": False, "b.c == 1": False}, "C"),
    ]


def test_branches_bind_their_names() -> None:
    text = "{{ if sentinel }}{{ sentinel }}{{ else }}{{ sentinel }}{{ end }}"
    assert [rendering.text for rendering in render_branches(parse_template(text), {"sentinel": "##"})] == [
        "##",
        "{{sentinel}}",
    ]
    assert next(render_branches(parse_template(text))).text == "sentinel"


def test_loops_and_includes_in_branches() -> None:
    text = "{{ for x in xs }}{{ x }}{{ if loop.last }}.{{ end }}{{ else }}-{{ end }}{{ include 'p' }}"
    renderings = list(render_branches(parse_template(text)))
    assert {rendering.text for rendering in renderings} == {"x.", "x", "-"}
    assert {rendering.text for rendering in render_branches(parse_template(text), {"xs": [1, 2]})} == {
        "1.2.",
        "12",
        "-",
    }


def test_branches_are_bounded() -> None:
    text = "".join(f"{{{{ if a{number} }}}}{number} {{{{ end }}}}" for number in range(40))
    renderings = list(render_branches(parse_template(text)))
    assert len(renderings) == 64
    assert renderings[0].text.split() == [str(number) for number in range(40)]
    assert "5" not in renderings[6].text.split()


def test_deep_templates_render() -> None:
    text = "{{ if a }}" * 500 + "x" + "{{ end }}" * 500
    assert render_template(text, {"a": 1}) == "x"
