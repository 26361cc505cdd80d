"""The template language: what parses, where it does not, and the places of its parts."""

from __future__ import annotations

import pytest

from toolsurface_lint.protocols.expressions import BooleanOperation, Comparison, Filter, Literal, Path
from toolsurface_lint.protocols.template_parser import parse_template
from toolsurface_lint.protocols.templates import Block, Include, Output, TemplateError, Text, filters, paths
from toolsurface_lint.source.text import Span


def error(text: str) -> tuple[int, int, str]:
    with pytest.raises(TemplateError) as caught:
        parse_template(text)
    return caught.value.line, caught.value.column, caught.value.problem.code


@pytest.mark.parametrize(
    ("text", "line", "column", "category"),
    [
        ("{{ end }}", 1, 1, "unexpected_directive"),
        ("a\n b{{ else }}", 2, 3, "unexpected_directive"),
        ("{{ elif x }}", 1, 1, "unexpected_directive"),
        ("{{ endsection }}", 1, 1, "unexpected_directive"),
        ("{{ if a }}{{ else }}{{ else }}{{ end }}", 1, 21, "unexpected_directive"),
        ("{{ if a }}{{ else }}{{ elif b }}{{ end }}", 1, 21, "unexpected_directive"),
        ("{{ for x in xs }}{{ elif b }}{{ end }}", 1, 18, "unexpected_directive"),
        ("{{ section 'tools' }}{{ end }}", 1, 22, "unexpected_directive"),
        ("{{ end if }}", 1, 1, "unexpected_token"),
        ("{{ else if b }}", 1, 1, "unexpected_token"),
        ("x\n{{ if a }}b", 2, 1, "missing_end"),
        ("{{ if a }}b{{ else }}c", 1, 12, "missing_end"),
        ("{{ if a }}b{{ else }}c{{ end if }}", 1, 12, "missing_end"),
        ("{{ if a }}b{{ elif c }}d", 1, 1, "missing_end"),
        ("{{ if a }}\n{{ if b }}{{ end }}", 1, 1, "missing_end"),
        ("{{ for x in xs }}b", 1, 1, "missing_end"),
        ("{{ for x in xs }}b{{ else }}c", 1, 1, "missing_end"),
        ("{{ section 'tools' }}", 1, 1, "missing_end"),
        ("{{ if a }}{{ endif }}", 1, 1, "missing_end"),
        ("{{ if }}{{ end }}", 1, 1, "expected_expression"),
        ("{{ }}", 1, 1, "expected_expression"),
        ("{{}}", 1, 1, "expected_expression"),
        ("{{ include }}", 1, 1, "expected_expression"),
        ("{{ if a == }}{{ end }}", 1, 1, "expected_expression"),
        ("a\r\nb {{ name", 2, 3, "unterminated_directive"),
        ("{{ it's }} more", 1, 1, "unterminated_directive"),
        ("{{ raw", 1, 1, "unterminated_directive"),
        ("{{# note", 1, 1, "unterminated_comment"),
        ("{{#if a}}b{{/if}}", 1, 1, "unterminated_comment"),
        ("{{ raw }}x{{ end }}", 1, 1, "unterminated_raw"),
        ("{{{ x }}}", 1, 1, "unexpected_character"),
        ("{{ a + b }}", 1, 1, "unexpected_character"),
        ("{{ a ? b : c }}", 1, 1, "unexpected_character"),
        ("{{/if}}", 1, 1, "unexpected_character"),
        ("{{ if a = b }}{{ end }}", 1, 1, "unexpected_character"),
        ("{{ a & b }}", 1, 1, "unexpected_character"),
        ("{{ é.a }}", 1, 1, "unexpected_character"),
        ("{{ x | default 'y' }}", 1, 1, "unexpected_token"),
        ("{{ f(x) }}", 1, 1, "unexpected_token"),
        ("{{ a b }}", 1, 1, "unexpected_token"),
        ("{{ a == b == c }}", 1, 1, "unexpected_token"),
        ("{{ if and a }}{{ end }}", 1, 1, "unexpected_token"),
        ("{{ x | }}", 1, 1, "expected_filter_name"),
        ("{{ x | 'upper' }}", 1, 1, "expected_filter_name"),
        ("{{ (a | upper) }}", 1, 1, "expected_close_paren"),
        ("{{ (a }}", 1, 1, "expected_close_paren"),
        ("{{ a. }}", 1, 1, "expected_name"),
        ("{{ a[b] }}", 1, 1, "bad_index"),
        ("{{ a[1.5] }}", 1, 1, "bad_index"),
        ("{{ a[1 }}", 1, 1, "expected_close_bracket"),
        ("{{ a == 1.2.3 }}", 1, 1, "bad_number"),
        ("{{ for x of xs }}{{ end }}", 1, 1, "for_without_in"),
        ("{{ for in xs }}{{ end }}", 1, 1, "for_without_in"),
        ("{{ for 1 in xs }}{{ end }}", 1, 1, "bad_for_variable"),
        ("{{ for a, b, c in xs }}{{ end }}", 1, 1, "bad_for_variable"),
        ("{{ for a, in xs }}{{ end }}", 1, 1, "bad_for_variable"),
        ("{{ include 'p' with a }}", 1, 1, "bad_include_with"),
        ("{{ include 'p' with { a } }}", 1, 1, "bad_include_with"),
        ("{{ include 'p' with { 1: a } }}", 1, 1, "bad_include_with"),
        ("{{ section tools }}{{ endsection }}", 1, 1, "bad_section_name"),
        ("{{ section 'nope' }}{{ endsection }}", 1, 1, "unknown_section"),
        ("{{ section 'tools' x }}{{ endsection }}", 1, 1, "bad_section_argument"),
        ("{{ section 'tools' }}{{ endsection 'task' }}", 1, 22, "mismatched_section"),
        ("{{ if }}\n{{ name", 2, 1, "unterminated_directive"),
    ],
)
def test_error(text: str, line: int, column: int, category: str) -> None:
    assert error(text) == (line, column, category)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain {text} with } and }} and {% if a %}",
        "{{ name }}{{- name -}}{{name}}",
        "{{ a.b[0]['k'].c[-1] }}",
        "{{ if a == 'x' and not b or (c > 1 and !d) }}y{{ end }}",
        "{{ if a != !b && c || d }}{{ end }}",
        "{{ x | default: 'a', 1 | upper }}",
        "{{ include 'p' with { a: 1, b: c.d, } }}",
        "{{ include path }}",
        "{{ '}}' }}",
        '{{ "a\\"b" }}',
        "{{# anything {{ here #}}",
        "{{ raw }}{{ if }} {{ 'x }} {{- endraw -}}".replace("'", ""),
        "{{ for k, v in m }}{{ loop.index }}{{ else }}none{{ end }}",
        "{{ section 'tools' a=1 b='x y', c=d.e }}{{ endsection }}",
        "{{ section 'tools' }}{{ endsection 'tools' }}",
        "{{ endif }}{{ true }}",
        "{{ if a }}1{{ else if b }}2{{ end }}",
        "{{ if a }}1{{ end if }}",
    ],
)
def test_parses(text: str) -> None:
    template = parse_template(text)
    assert template.text == text


def test_directives_and_their_places() -> None:
    text = "{{ if a }}{{- b -}}{{# c #}}{{ else }}{{ raw }}{{ d }}{{ endraw }}{{ end }}"
    template = parse_template(text)
    assert [(directive.kind, text[slice(*directive.body)]) for directive in template.directives] == [
        ("if", "if a"),
        ("value", "b"),
        ("comment", " c "),
        ("else", "else"),
        ("raw", "{{ d }}"),
        ("end", "end"),
    ]
    assert "".join(text[slice(*directive.span)] for directive in template.directives) == text


def test_nodes_nest() -> None:
    text = "a{{ if x }}b{{ elif y }}c{{ else }}d{{ end }}{{ for k, v in m }}e{{ else }}f{{ end }}{{ include 'p' with { q: 1 } }}"
    first, condition, loop, include = parse_template(text).nodes
    assert isinstance(first, Text)
    assert text[slice(*first.span)] == "a"
    assert isinstance(condition, Block)
    directives = [text[slice(*branch.directive.span)] for branch in condition.branches]
    assert directives == ["{{ if x }}", "{{ elif y }}", "{{ else }}"]
    conditions = [branch.condition for branch in condition.branches]
    assert conditions == [Path(("x",), Span(7, 8)), Path(("y",), Span(20, 21)), None]
    bodies = [
        [text[slice(*node.span)] for node in branch.body if isinstance(node, Text)] for branch in condition.branches
    ]
    assert bodies == [["b"], ["c"], ["d"]]
    assert isinstance(loop, Block)
    assert (loop.kind, loop.names, len(loop.branches)) == ("for", ("k", "v"), 2)
    assert isinstance(include, Include)
    assert include.bindings[0][0] == "q"
    (section,) = parse_template("{{ section 'tools' }}x{{ endsection }}").nodes
    assert isinstance(section, Block)
    assert (section.kind, section.names) == ("section", ("tools",))


def expression(text: str) -> object:
    (node,) = parse_template("{{ " + text + " }}").nodes
    assert isinstance(node, Output)
    return node.expression


def test_precedence() -> None:
    found = expression("not a == 1 or b and c | f: 'x'")
    assert isinstance(found, Filter)
    assert found.name == "f"
    assert found.arguments == (Literal("x", Span(30, 33)),)
    either = found.operand
    assert isinstance(either, BooleanOperation)
    assert either.operator == "or"
    negated, both = either.operands
    assert isinstance(negated, BooleanOperation)
    assert negated.operator == "not"
    assert isinstance(negated.operands[0], Comparison)
    assert isinstance(both, BooleanOperation)
    assert both.operator == "and"


def test_literals_and_paths() -> None:
    assert expression("'a\\n\\'b'") == Literal("a\n'b", Span(3, 11))
    assert expression("-1.5") == Literal(-1.5, Span(3, 7))
    assert expression("a.b[0]['c d'][-1]") == Path(("a", "b", 0, "c d", -1), Span(3, 20))


def test_trim_markers_take_one_line_break() -> None:
    text = "a \n\n  {{- x -}}  \n\n b"
    template = parse_template(text)
    assert [text[slice(*node.span)] for node in template.nodes if isinstance(node, Text)] == ["a \n", "\n b"]
    text = "a\r\n{{- x -}}\r\nb"
    assert [text[slice(*node.span)] for node in parse_template(text).nodes if isinstance(node, Text)] == ["a", "b"]


def test_free_names_are_those_that_a_caller_binds() -> None:
    text = (
        "{{ a }}{{ for k, v in items }}{{ v.x }}{{ loop.index }}{{ k }}{{ b | default: c }}{{ else }}{{ v }}{{ end }}"
    )
    template = parse_template(text)
    assert [name for name, _ in template.free_names()] == ["a", "items", "b", "c", "v"]
    assert all(text[slice(*span)] == name for name, span in template.free_names())


def test_walks_in_the_order_of_the_text() -> None:
    text = "{{ if a }}{{ b | f }}{{ else }}{{ c }}{{ end }}{{ d | g | h }}"
    template = parse_template(text)
    assert [use.name for use in filters(template)] == ["f", "h", "g"]
    names = [path.name for node in template.walk() if isinstance(node, Output) for path in paths(node.expression)]
    assert names == ["b", "c", "d"]
    assert [directive.kind for directive, _ in template.conditions()] == ["if"]


def test_nesting_is_limited() -> None:
    parse_template("{{ if a }}" * 500 + "{{ end }}" * 500)
    assert error("{{ if a }}" * 501 + "{{ end }}" * 501)[2] == "too_deep"
    assert error("{{ " + "(" * 10_000 + " }}")[2] == "too_deep"
    assert error("{{ " + "!" * 10_000 + "a }}")[2] == "too_deep"
    parse_template("{{ if " + " or ".join(["a"] * 5_000) + " }}{{ end }}")
