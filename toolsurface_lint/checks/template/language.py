"""Templates that do not parse, and directives that decide nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from toolsurface_lint.checks.contract import TEMPLATE, check
from toolsurface_lint.model.diagnostics import ERROR, UNSAFE, WARNING, Edit, Finding, Fix, Rule
from toolsurface_lint.model.names import edit_distance
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.template import PromptTemplate
from toolsurface_lint.protocols.expressions import Literal, Path
from toolsurface_lint.protocols.rendering import Origin
from toolsurface_lint.protocols.template_parser import SECTIONS, parse_template
from toolsurface_lint.protocols.template_values import truthy
from toolsurface_lint.protocols.templates import Block, Directive, Output, Template, TemplateError, Text
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span

END_WORDS = frozenset({"endif", "endfor", "endeach", "endforeach", "endwith", "endinclude", "fi", "endraw"})
ELSE_WORDS = frozenset({"elseif", "elsif", "else_if"})
"""Words of other template languages."""

SYNTAX = Rule(
    code="TEMPLATE_SYNTAX",
    since="0.1.0",
    severity=ERROR,
    summary="A template does not parse.",
    message={
        "unterminated_directive": "this directive is never closed by `}}}}`",
        "unterminated_comment": "this comment is never closed by `#}}}}`",
        "unterminated_raw": "this `{{{{ raw }}}}` has no `{{{{ endraw }}}}`",
        "missing_end": "`{{{{ {block} }}}}` has no `{{{{ {end} }}}}`",
        "unexpected_directive": "`{{{{ {directive} }}}}` is outside any block that it could belong to",
        "unexpected_directive/words": "unexpected `{directive}`",
        "too_deep": "the expression is nested deeper than {levels} levels",
        "too_deep/blocks": "the blocks are nested deeper than {levels} levels",
        "for_without_in": "expected `for NAME in LIST`",
        "bad_for_variable": "expected one or two names between `for` and `in`",
        "bad_include_with": "expected `{{ name: value }}` after `with`",
        "bad_include_with/binding": "expected `name: value` between the braces after `with`",
        "unknown_section": "`{name}` is not a section",
        "bad_section_name": "expected the section's name in quotes",
        "bad_section_argument": "expected `name=value` after the section's name",
        "mismatched_section": "the open section is `{name}`",
        "unterminated_string": "a string in this directive is never closed",
        "unexpected_character": "unexpected `{found}`",
        "unexpected_character/equals": "unexpected `=`",
        "unexpected_token": "unexpected `{found}`",
        "unexpected_token/expression": "expected an expression, found `{found}`",
        "expected_expression": "expected an expression",
        "expected_filter_name": "expected the name of a filter after `|`",
        "expected_name": "expected a name after `.`",
        "expected_close_paren": "expected `)`",
        "expected_close_bracket": "expected `]`",
        "bad_index": "expected a whole number or a string between `[` and `]`",
        "bad_number": "`{number}` is not a number",
    },
    help={
        "unexpected_character/equals": "write `==` to compare",
        "unknown_section": f"use one of {', '.join(SECTIONS)}",
    },
    tags=("templates",),
    fix=UNSAFE,
)


@check(TEMPLATE, SYNTAX)
def check_syntax(template: PromptTemplate, target: Target) -> Iterator[Finding]:
    if template.error is not None:
        problem = template.error.problem
        fix = fix_of(template, keyword_corrections(str(template.node.value), problem))
        yield SYNTAX.of(problem, template.place(problem.at), fix=fix)
    for included in () if template.graph is None else template.graph.templates.values():
        if included.error is not None:
            problem = included.error.problem
            yield SYNTAX.of(problem, template.place_of(Origin(included, problem.at)))


def keyword_corrections(text: str, problem: Problem[Span]) -> list[tuple[Span, str]]:
    """What to write where, so that a template parses: `end` and `elif` for the words of other languages, or the right
    keyword for a misspelled one at the problem.

    Empty if that is not all that is wrong.
    """
    found = [(Span(*match.span(1)), "end" if match[2] else "elif") for match in _FOREIGN_WORD.finditer(text)]
    if found and parses(text, found):
        return found
    word = _FIRST_WORD.match(text, problem.at.start)
    if word is None:
        return []
    found = [(Span(*word.span(1)), known) for known in _KEYWORDS if edit_distance(word[1], known, 2)]
    return found if len(found) == 1 and parses(text, found) else []


_FOREIGN_WORD = re.compile(
    rf"\{{\{{-?[ \t]*((?:(?P<end>{'|'.join(sorted(END_WORDS - {'endraw'}))})(?=[ \t]*-?\}}\}})"
    rf"|(?:{'|'.join(sorted(ELSE_WORDS))})(?=[ \t]+[^ \t}}-])))"
)
_FIRST_WORD = re.compile(r"\{\{-?[ \t]*([A-Za-z_]+)")
_KEYWORDS = ("include", "section")
"""The keywords that are long enough to be recognised when they are misspelled."""


DEAD_CONDITION = Rule(
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


@check(TEMPLATE, DEAD_CONDITION)
def check_conditions(template: PromptTemplate, target: Target) -> Iterator[Finding]:
    for problem in dead_conditions(template.parsed) if template.parsed is not None else ():
        fix = fix_of(template, problem.edits, safe=problem.kind == "end_with_words")
        yield DEAD_CONDITION.of(problem, template.place(problem.at), fix=fix)


def dead_conditions(template: Template) -> list[Problem[Span]]:
    """The traps that the language renders without an error, in the order of the text.

    Their edits let the template do what it says, where that is plain; for `end_with_words` it renders as before.
    """
    found: list[Problem[Span]] = []
    otherwise: set[Directive] = set()
    for node in template.walk():
        if isinstance(node, Block) and node.kind == "if":
            otherwise.update(branch.directive for branch in node.branches if branch.condition is None)
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


def _dead_branches(template: Template, block: Block) -> Iterator[Problem[Span]]:
    asked: set[str] = set()
    for branch in block.branches:
        condition = branch.condition
        if condition is None:
            continue
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


def parses(text: str, edits: Sequence[tuple[Span, str]] = ()) -> bool:
    """Whether a template, after edits in the order of the text, parses."""
    parts = []
    at = 0
    for span, written in edits:
        parts += [text[at : span.start], written]
        at = span.end
    try:
        parse_template("".join(parts) + text[at:])
    except TemplateError:
        return False
    return True


def fix_of(template: PromptTemplate, edits: Sequence[tuple[Span, str]], *, safe: bool = False) -> Fix | None:
    """The fix that writes texts into a template, None without edits; safe only if it renders the same."""
    if not edits:
        return None
    words = " and ".join(dict.fromkeys(f"`{text}`" for _, text in edits))
    return Fix(f"write {words}", safe, tuple(Edit(template.place(span), text) for span, text in edits))
