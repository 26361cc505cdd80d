"""Directives that decide nothing, and render without an error."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolsurface_lint.checks.contract import TEMPLATE, check
from toolsurface_lint.checks.template._edits import ELSE_WORDS, END_WORDS, fix_of, parses
from toolsurface_lint.model.diagnostics import UNSAFE, WARNING, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.template import PromptTemplate
from toolsurface_lint.protocols.expressions import Literal, Path
from toolsurface_lint.protocols.rendering import truthy
from toolsurface_lint.protocols.templates import Directive, If, Output, Template, Text
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span

RULE = Rule(
    code="TEMPLATE_DEAD_CONDITION",
    since="0.1.0",
    severity=WARNING,
    summary="A directive of a template decides nothing, and renders without an error.",
    message={
        "else_if": "`{{{{ {words} }}}}` is a plain `else`, so `{condition}` is never tested",
        "else_if/name": "`{{{{ {words} }}}}` is a plain name, which begins no branch",
        "end_word": "`{{{{ {words} }}}}` is a plain name, which closes nothing",
        "end_with_words": "the words after `end` in `{{{{ {words} }}}}` mean nothing",
        "percent_tag": "`{words}` is plain text in this template language",
        "single_braces": "`{words}` is plain text, not a value",
        "constant_condition/true": "the condition is always true",
        "constant_condition/false": "the condition is always false",
        "repeated_condition": "`{condition}` was tested by an earlier branch, so this one is never taken",
    },
    help={
        "else_if": "write `elif`",
        "else_if/name": "write `elif` and a condition",
        "end_word": "write `{{{{ end }}}}`",
        "single_braces": "write `{{{{ {name} }}}}`",
    },
    tags=("templates",),
    fix=UNSAFE,
)

_PERCENT = re.compile(r"\{%-?\s*[A-Za-z_][^%\n]*%\}")
_SINGLE = re.compile(r"(?<!\{)\{ ?([A-Za-z_][A-Za-z0-9_]*) ?\}(?!\})")
_ELSE_IF = re.compile(r"else[ \t]+if(?=[ \t(])")


@check(TEMPLATE, RULE)
def check_template(template: PromptTemplate, target: Target) -> Iterator[Finding]:
    for problem in dead_conditions(template.parsed) if template.parsed is not None else ():
        fix = fix_of(template, problem.edits, safe=problem.kind == "end_with_words")
        yield RULE.of(problem, template.place(problem.at), fix=fix)


def dead_conditions(template: Template) -> list[Problem[Span]]:
    """The traps that the language renders without an error, in the order of the text.

    Their edits let the template do what it says, where that is plain; for `end_with_words` it renders as before.
    """
    found: list[Problem[Span]] = []
    otherwise = set()
    for node in template.walk():
        if isinstance(node, If):
            otherwise.add(node.otherwise_directive)
            found.extend(_dead_branches(template, node))
        elif isinstance(node, Output) and node.bare and isinstance(node.expression, Path):
            name = node.expression.name
            if name in END_WORDS | ELSE_WORDS:
                kind = "end_word" if name in END_WORDS else "else_if/name"
                found.append(Problem(kind, node.directive.span, {"words": name}))
    used = {name for name, _ in template.free_names()}
    raw = {directive.body for directive in template.directives if directive.kind == "raw"}
    for node in template.walk():
        if isinstance(node, Text) and node.span not in raw:
            found.extend(_foreign_syntax(template, node.span, used))
    for directive in template.directives:
        words = template.text[slice(*directive.body)]
        if directive.kind == "else" and words != "else":
            values = {"words": words[:40], "condition": words[4:].strip()[:40]}
            edits = _elif(template.text, directive) if directive in otherwise else ()
            found.append(Problem("else_if", directive.span, values, edits=edits))
        elif directive.kind == "end" and words != "end":
            edits = ((directive.body, "end"),)
            found.append(Problem("end_with_words", directive.span, {"words": words[:40]}, edits=edits))
    return sorted(found, key=lambda problem: problem.at)


def _elif(text: str, directive: Directive) -> tuple[tuple[Span, str], ...]:
    """The edit that makes `else if` an `elif`, if the directive then parses."""
    words = _ELSE_IF.match(text, directive.body.start)
    if words is None:
        return ()
    # The whole template is not parsed again for each of them: whether it still parses shows in the directive alone.
    written = f"{text[directive.span.start : words.start()]}elif{text[words.end() : directive.span.end]}"
    return ((Span(*words.span()), "elif"),) if parses(f"{{{{ if a }}}}{written}{{{{ end }}}}") else ()


def _dead_branches(template: Template, node: If) -> Iterator[Problem[Span]]:
    asked: set[str] = set()
    for branch in node.branches:
        condition = branch.condition
        if isinstance(condition, Literal):
            kind = "constant_condition/true" if truthy(condition.value) else "constant_condition/false"
            yield Problem(kind, branch.directive.span)
            continue
        source = " ".join(template.text[slice(*condition.span)].split())
        if source in asked:
            yield Problem("repeated_condition", branch.directive.span, {"condition": source[:40]})
        asked.add(source)


def _foreign_syntax(template: Template, span: Span, used: set[str]) -> Iterator[Problem[Span]]:
    for match in _PERCENT.finditer(template.text, *span):
        yield Problem("percent_tag", Span(*match.span()), {"words": match.group()[:40]})
    for match in _SINGLE.finditer(template.text, *span):
        if match[1] in used:
            place = Span(*match.span())
            written = f"{{{{ {match[1]} }}}}"
            edits = ((place, written),) if parses(written) else ()
            yield Problem("single_braces", place, {"words": match.group(), "name": match[1]}, edits=edits)
