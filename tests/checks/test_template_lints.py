"""What is wrong with templates that may parse."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from toolsurface_lint import protocols
from toolsurface_lint.checks.template.language import SYNTAX, dead_conditions, parses
from toolsurface_lint.checks.template.runtime import check_filters, lint_template
from toolsurface_lint.model.target import Target
from toolsurface_lint.protocols.template_parser import parse_template
from toolsurface_lint.readers.templates import read_template
from toolsurface_lint.source.text import SourceText
from toolsurface_lint.source.tree import TextTree


def found(text: str) -> list[tuple[str, str]]:
    return [(problem.kind, text[slice(*problem.at)]) for problem in lint_template(text)]


def dead(text: str) -> list[tuple[str, str]]:
    return [(problem.kind, text[slice(*problem.at)]) for problem in dead_conditions(parse_template(text))]


def flags(count: int) -> str:
    return "".join(f"{{{{ if llm.capabilities.f{number} }}}}x{{{{ end }}}}" for number in range(count))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ name | upper }}", []),
        ("{{ if a }}", [("template-parse", "{{ if a }}")]),
        ("{{ name | uper | nope }}", [("template-unknown-filter", "uper"), ("template-unknown-filter", "nope")]),
        ("{{ if a | lenght > 1 }}{{ end }}", [("template-parse", "{{ if a | lenght > 1 }}")]),
        ("{{ for x in xs | sorted }}{{ end }}", [("template-unknown-filter", "sorted")]),
        ("{{ if llm.model == 'm' }}{{ end }}", [("template-provider-identity-branch", "{{ if llm.model == 'm' }}")]),
        (
            "{{ if a }}{{ elif 'x' != llm.provider and b }}{{ end }}",
            [("template-provider-identity-branch", "{{ elif 'x' != llm.provider and b }}")],
        ),
        ("{{ if llm.family == other }}{{ end }}", []),
        ("{{ if llm.model < 'm' }}{{ end }}", []),
        ("{{ if llm.context == 'm' }}{{ end }}", []),
        ("{{ if model == 'm' }}{{ end }}", []),
        (flags(3), []),
        (flags(4), [("template-variant-explosion", "{{ if llm.capabilities.f3 }}")]),
        ("{{ llm.capabilities.a }}" * 4, []),
    ],
)
def test_lint(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


def test_the_number_of_variants_can_be_set() -> None:
    assert lint_template(flags(4), max_variants=4) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ if a }}1{{ elif b }}2{{ else }}3{{ end }}", []),
        ("{{ if a }}1{{ else if b }}2{{ end }}", [("else_if", "{{ else if b }}")]),
        ("{{ if a }}1{{ elseif }}2{{ end }}", [("else_if/name", "{{ elseif }}")]),
        ("{{ if a }}1{{ endif }}{{ end }}", [("end_word", "{{ endif }}")]),
        ("{{ if a }}1{{ end if }}", [("end_with_words", "{{ end if }}")]),
        ("{% if a %}1{%- endif %}", [("percent_tag", "{% if a %}"), ("percent_tag", "{%- endif %}")]),
        ("100 {% of 7 }", []),
        ("{{ raw }}{% if a %}{{ endraw }}", []),
        ("{ a } and {a} and {b} and {{ a }}", [("single_braces", "{ a }"), ("single_braces", "{a}")]),
        ('{ "a": 1 } {{ a }}', []),
        ("{{ if true }}1{{ end }}", [("constant_condition/true", "{{ if true }}")]),
        ("{{ if a }}1{{ elif b }}2{{ elif  a }}3{{ end }}", [("repeated_condition", "{{ elif  a }}")]),
        ("{{ if a }}1{{ end }}{{ if a }}2{{ end }}", []),
    ],
)
def test_dead_conditions(text: str, expected: list[tuple[str, str]]) -> None:
    assert dead(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ if a }}1{{- else  if b -}}2{{ end }}", ["{{ if a }}1{{- elif b -}}2{{ end }}"]),
        ("{{ if a }}1{{ else if }}2{{ end }}", [None]),
        ("{{ if a }}1{{ else if b == }}2{{ end }}", [None]),
        ("{{ if a }}1{{ else b else if c }}2{{ end }}", [None]),
        ("{{ if a }}1{{ elseif }}2{{ end }}", [None]),
        ("{{ for a in b }}1{{ else if c }}2{{ end }}", [None]),
        ("{{ for a in b }}{{ if a }}1{{ end }}{{ else if c }}2{{ end }}", [None]),
        (
            "{{ for a in b }}{{ if a }}1{{ else if c }}2{{ end }}{{ end }}",
            ["{{ for a in b }}{{ if a }}1{{ elif c }}2{{ end }}{{ end }}"],
        ),
        ("{{ if a }}1{{- end if -}} 2", ["{{ if a }}1{{- end -}} 2"]),
        ("{{ if a }}1{{end '}}' }}2", ["{{ if a }}1{{end }}2"]),
        ("{{ for a in b }}1{{ end for }}", ["{{ for a in b }}1{{ end }}"]),
        ("{{ a }}{ a }{ {a} }", ["{{ a }}{{ a }}{ {a} }", "{{ a }}{ a }{ {{ a }} }"]),
        ("{{ if end }}{end}{{ end }}", [None]),
        ("{{ if raw }}{raw}{{ end }}", [None]),
        ("{{ if a }}1{{ endif }}{{ end }}", [None]),
    ],
)
def test_a_correction_leaves_a_template_that_parses(text: str, expected: list[str | None]) -> None:
    written = []
    for problem in dead_conditions(parse_template(text)):
        if not problem.edits:
            written.append(None)
            continue
        ((span, new),) = problem.edits
        written.append(text[: span.start] + new + text[span.end :])
        assert parses(text, problem.edits)
    assert written == expected


def test_a_close_filter_is_suggested() -> None:
    template = read_template(TextTree(SourceText("a.harn.prompt", "{{ a | uper }}{{ a | other }}")))
    assert [(finding.message, finding.help) for finding in check_filters(template, Target())] == [
        ("`uper` is not a filter", "did you mean `upper`?"),
        ("`other` is not a filter", None),
    ]


def test_every_error_of_the_parser_has_a_sentence() -> None:
    folder = Path(protocols.__path__[0])
    names = ("expressions", "template_parser")
    sources = "".join((folder / f"{name}.py").read_text(encoding="utf-8") for name in names)
    kinds = {*re.findall(r'(?:fail|Error)\((?:text, )?"([a-z_/]+)"', sources)}
    kinds |= {*re.findall(r'"([a-z_]+/[a-z_]+)"', sources)}
    assert kinds >= {"missing_end", "unterminated_raw", "bad_number"}
    assert isinstance(SYNTAX.message, dict)
    assert kinds | {"unexpected_character"} == SYNTAX.message.keys()
