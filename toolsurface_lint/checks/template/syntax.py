"""Templates that do not parse."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolsurface_lint.checks.contract import TEMPLATE, check
from toolsurface_lint.checks.template._edits import ELSE_WORDS, END_WORDS, fix_of, parses
from toolsurface_lint.model.diagnostics import ERROR, UNSAFE, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.template import PromptTemplate
from toolsurface_lint.protocols.template_parser import SECTIONS
from toolsurface_lint.source.edit_distance import edit_distance
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span

RULE = Rule(
    code="TEMPLATE_SYNTAX",
    since="0.1.0",
    severity=ERROR,
    summary="A template does not parse.",
    message={
        "unterminated_directive": "this directive is never closed by `}}}}`",
        "unterminated_comment": "this comment is never closed by `#}}}}`",
        "unterminated_raw": "this `{{{{ raw }}}}` has no `{{{{ endraw }}}}`",
        "missing_end": "`{{{{ {block} }}}}` has no `{{{{ {end} }}}}`",
        "unexpected_directive": "`{{{{ {directive} }}}}` stands outside any block that it could belong to",
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
        "unterminated_string": "a text in this directive is never closed",
        "unexpected_character": "unexpected `{found}`",
        "unexpected_character/equals": "unexpected `=`",
        "unexpected_token": "unexpected `{found}`",
        "unexpected_token/expression": "expected an expression, found `{found}`",
        "expected_expression": "expected an expression",
        "expected_filter_name": "expected the name of a filter after `|`",
        "expected_name": "expected a name after `.`",
        "expected_close_paren": "expected `)`",
        "expected_close_bracket": "expected `]`",
        "bad_index": "expected a whole number or a text between `[` and `]`",
        "bad_number": "`{number}` is not a number",
    },
    help={
        "unexpected_character/equals": "write `==` to compare",
        "unknown_section": f"use one of {', '.join(SECTIONS)}",
    },
    tags=("templates",),
    fix=UNSAFE,
)


@check(TEMPLATE, RULE)
def check_template(template: PromptTemplate, target: Target) -> Iterator[Finding]:
    if template.error is not None:
        problem = template.error.problem
        fix = fix_of(template, keyword_corrections(str(template.node.value), problem))
        yield RULE.of(problem, template.place(problem.at), fix=fix)


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
