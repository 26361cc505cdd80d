"""What is wrong with a template although it may parse: unknown filters, traps that render silently, unwise branches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toolsurface_lint.protocols.expressions import Comparison, Expression, Literal, Path
from toolsurface_lint.protocols.rendering import FILTERS
from toolsurface_lint.protocols.template_parser import parse_template
from toolsurface_lint.protocols.templates import (
    Branch,
    Directive,
    If,
    Output,
    Template,
    TemplateError,
    Text,
    expressions,
    filters,
    paths,
)
from toolsurface_lint.source.edit_distance import edit_distance
from toolsurface_lint.source.text import Span

MAX_VARIANTS = 3
"""How many branches on model capabilities one template may have."""

_IDENTITY = frozenset({"provider", "model", "family"})


class TemplateFinding(NamedTuple):
    """One finding: `rule` is the reference's name for it, or the kind of a dead condition."""

    rule: str
    message: str
    span: Span


def lint_template(text: str, max_variants: int = MAX_VARIANTS) -> list[TemplateFinding]:
    """The reference's own lints of a template, in the order of the text.

    Rules: `template-parse`, `template-unknown-filter`, `template-provider-identity-branch`,
    `template-variant-explosion`. A template that does not parse has only the first.
    """
    try:
        template = parse_template(text)
    except TemplateError as error:
        return [TemplateFinding("template-parse", error.message, error.span)]
    found = [*unknown_filters(template), *identity_branches(template), *variant_explosion(template, max_variants)]
    return sorted(found, key=lambda finding: finding.span)


def unknown_filters(template: Template) -> Iterator[TemplateFinding]:
    """Filters that rendering would fail at, each at its name."""
    for use in filters(template):
        if use.name not in FILTERS:
            nearest = min(close_filters(use.name), key=lambda name: edit_distance(use.name, name, 2) or 0, default=None)
            hint = "" if nearest is None else f", did you mean `{nearest}`"
            message = f"there is no filter `{use.name[:40]}`{hint}"
            yield TemplateFinding("template-unknown-filter", message, use.name_span)


def close_filters(name: str) -> list[str]:
    """The filters that a name may be a slip of the pen for."""
    return [known for known in FILTERS if edit_distance(name, known, 2) is not None]


def identity_branches(template: Template) -> Iterator[TemplateFinding]:
    """Branches that ask which provider, model or family it is; each branch once."""
    for branch in template.conditions():
        identity = next((field for part in expressions(branch.condition) if (field := _identity(part))), None)
        if identity is not None:
            message = f"this branch asks for `llm.{identity}`; ask for a capability instead"
            yield TemplateFinding("template-provider-identity-branch", message, branch.directive.span)


def _identity(part: Expression) -> str | None:
    if not isinstance(part, Comparison) or part.operator not in ("==", "!="):
        return None
    for path, text in ((part.left, part.right), (part.right, part.left)):
        is_text = isinstance(text, Literal) and isinstance(text.value, str)
        if isinstance(path, Path) and is_text and len(path.steps) > 1 and path.name == "llm":
            field = path.steps[1]
            return field if isinstance(field, str) and field in _IDENTITY else None
    return None


def variant_explosion(template: Template, max_variants: int = MAX_VARIANTS) -> Iterator[TemplateFinding]:
    """More branches on capabilities than anybody can keep apart; reported at the first branch too many."""
    branches = [branch for branch in template.conditions() if _asks_capability(branch)]
    if len(branches) > max_variants:
        message = f"{len(branches)} branches on `llm.capabilities`, at most {max_variants} can be kept apart"
        yield TemplateFinding("template-variant-explosion", message, branches[max_variants].directive.span)


def _asks_capability(branch: Branch) -> bool:
    return any(path.steps[:2] == ("llm", "capabilities") and len(path.steps) > 2 for path in paths(branch.condition))


# Conditions that decide nothing

_END_WORDS = frozenset({"endif", "endfor", "endeach", "endforeach", "endwith", "endinclude", "fi", "endraw"})
_ELSE_WORDS = frozenset({"elseif", "elsif", "else_if"})
_PERCENT = re.compile(r"\{%-?\s*[A-Za-z_][^%\n]*%\}")
_SINGLE = re.compile(r"(?<!\{)\{ ?([A-Za-z_][A-Za-z0-9_]*) ?\}(?!\})")


def dead_conditions(template: Template) -> list[TemplateFinding]:
    """The traps that the language renders without an error, in the order of the text.

    `else_if`: the condition behind `else` is thrown away. `end_word`: `endif` and its like are plain names that close
    nothing. `end_with_words`: words behind `end`. `percent_tag`: `{% ... %}` is plain text. `single_braces`: a name in
    single braces that has double ones elsewhere. `constant_condition`: decided by the template itself.
    `repeated_condition`: an `elif` that asks again what an earlier branch has asked.
    """
    found: list[TemplateFinding] = []
    for node in template.walk():
        if isinstance(node, If):
            found.extend(_dead_branches(template, node))
        elif isinstance(node, Output) and node.bare and isinstance(node.expression, Path):
            found.extend(_plain_word(node.directive, node.expression.name))
    used = {name for name, _ in template.free_names()}
    raw = {directive.body for directive in template.directives if directive.kind == "raw"}
    for node in template.walk():
        if isinstance(node, Text) and node.span not in raw:
            found.extend(_foreign_syntax(template, node.span, used))
    for directive in template.directives:
        words = template.text[directive.body.start : directive.body.end]
        if directive.kind == "else" and words != "else":
            condition = words[4:].strip()[:40]
            message = f"`{{{{ {words[:40]} }}}}` is a plain `else`: `{condition}` is never asked; write `elif`"
            found.append(TemplateFinding("else_if", message, directive.span))
        elif directive.kind == "end" and words != "end":
            message = f"the words behind `end` in `{{{{ {words[:40]} }}}}` mean nothing"
            found.append(TemplateFinding("end_with_words", message, directive.span))
    return sorted(found, key=lambda finding: finding.span)


def corrections(template: Template) -> Iterator[tuple[TemplateFinding, tuple[Span, str] | None]]:
    """The dead conditions, each with what to write where, so that it does what it says; None if that is not plain.

    For `end_with_words` the template renders as before.
    """
    text = template.text
    # The template is not parsed again for each of them: whether it still parses shows in the directive and its block.
    directives = {directive.span: directive for directive in template.directives}
    otherwise = {node.otherwise_directive for node in template.walk() if isinstance(node, If)}
    for finding in dead_conditions(template):
        span, found = finding.span, None
        directive = directives.get(span)
        if finding.rule == "single_braces":
            written = f"{{{{ {text[span.start : span.end][1:-1].strip()} }}}}"
            found = (span, written) if parses(written) else None
        elif finding.rule == "else_if" and directive in otherwise:
            assert directive is not None
            words = _ELSE_IF.match(text, directive.body.start)
            if words is not None:
                written = f"{text[span.start : words.start()]}elif{text[words.end() : span.end]}"
                found = (Span(*words.span()), "elif") if parses(f"{{{{ if a }}}}{written}{{{{ end }}}}") else None
        elif finding.rule == "end_with_words":
            assert directive is not None
            found = directive.body, "end"
        yield finding, found


_ELSE_IF = re.compile(r"else[ \t]+if(?=[ \t(])")


def keyword_corrections(text: str, error: TemplateError) -> list[tuple[Span, str]]:
    """What to write where, so that a template parses: the words of other languages for `end` and `elif`, or a misspelt
    keyword at the error.

    Empty if that is not all that is wrong.
    """
    found = [(Span(*match.span(1)), "end" if match[2] else "elif") for match in _FOREIGN_WORD.finditer(text)]
    if found and parses(text, found):
        return found
    word = _FIRST_WORD.match(text, error.span.start)
    if word is None:
        return []
    found = [(Span(*word.span(1)), known) for known in _KEYWORDS if edit_distance(word[1], known, 2)]
    return found if len(found) == 1 and parses(text, found) else []


_FOREIGN_WORD = re.compile(
    rf"\{{\{{-?[ \t]*((?:(?P<end>{'|'.join(sorted(_END_WORDS - {'endraw'}))})(?=[ \t]*-?\}}\}})"
    rf"|(?:{'|'.join(sorted(_ELSE_WORDS))})(?=[ \t]+[^ \t}}-])))"
)
_FIRST_WORD = re.compile(r"\{\{-?[ \t]*([A-Za-z_]+)")
_KEYWORDS = ("include", "section")
"""The keywords that are long enough to be misspelt recognisably."""


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


def _dead_branches(template: Template, node: If) -> Iterator[TemplateFinding]:
    asked: set[str] = set()
    for branch in node.branches:
        condition = branch.condition
        if isinstance(condition, Literal):
            message = f"the condition is always {'true' if _is_true(condition) else 'false'}"
            yield TemplateFinding("constant_condition", message, branch.directive.span)
            continue
        source = " ".join(template.text[condition.span.start : condition.span.end].split())
        if source in asked:
            message = f"`{source[:40]}` was asked by an earlier branch, so this one is never taken"
            yield TemplateFinding("repeated_condition", message, branch.directive.span)
        asked.add(source)


def _is_true(literal: Literal) -> bool:
    return bool(literal.value.strip()) if isinstance(literal.value, str) else bool(literal.value)


def _plain_word(directive: Directive, name: str) -> Iterator[TemplateFinding]:
    if name in _END_WORDS:
        message = f"`{{{{ {name} }}}}` is a plain name and closes nothing; write `{{{{ end }}}}`"
        yield TemplateFinding("end_word", message, directive.span)
    elif name in _ELSE_WORDS:
        message = f"`{{{{ {name} }}}}` is a plain name and begins no branch"
        yield TemplateFinding("else_if", message, directive.span)


def _foreign_syntax(template: Template, span: Span, used: set[str]) -> Iterator[TemplateFinding]:
    for match in _PERCENT.finditer(template.text, *span):
        message = f"`{match.group()[:40]}` is plain text in this template language"
        yield TemplateFinding("percent_tag", message, Span(*match.span()))
    for match in _SINGLE.finditer(template.text, *span):
        if match[1] in used:
            message = f"`{match.group()}` is plain text; the value is `{{{{ {match[1]} }}}}`"
            yield TemplateFinding("single_braces", message, Span(*match.span()))
