"""The `{{ }}` language itself: what does not parse, fails when rendered, or decides nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from toolsurface_lint.checks.contract import TEMPLATE, check
from toolsurface_lint.model.diagnostics import ERROR, UNSAFE, WARNING, Edit, Finding, Fix, Rule, renaming
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.template import PromptTemplate
from toolsurface_lint.protocols.template_lint import (
    TemplateFinding,
    close_filters,
    corrections,
    identity_branches,
    keyword_corrections,
    unknown_filters,
    variant_explosion,
)
from toolsurface_lint.protocols.templates import Template
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Place

SYNTAX = Rule(
    code="TEMPLATE_SYNTAX",
    since="0.1.0",
    severity=ERROR,
    summary="A template does not parse.",
    message="{problem}",
    tags=("templates",),
    fix=UNSAFE,
)

UNKNOWN_FILTER = Rule(
    code="TEMPLATE_UNKNOWN_FILTER",
    since="0.1.0",
    severity=ERROR,
    summary="A template uses a filter that does not exist.",
    message="{problem}",
    tags=("templates",),
    fix=UNSAFE,
)

DEAD_CONDITION = Rule(
    code="TEMPLATE_DEAD_CONDITION",
    since="0.1.0",
    severity=WARNING,
    summary="A directive of a template decides nothing, and renders without an error.",
    message="{problem}",
    tags=("templates",),
    fix=UNSAFE,
)

UNKNOWN_VARIABLE = Rule(
    code="TEMPLATE_UNKNOWN_VARIABLE",
    since="0.1.0",
    severity=WARNING,
    summary="A template uses a variable that the settings do not declare.",
    message="the template uses `{name}`, which `template-variables` does not declare",
    tags=("templates",),
    fix=UNSAFE,
)

PROVIDER_IDENTITY_BRANCH = Rule(
    code="TEMPLATE_PROVIDER_IDENTITY_BRANCH",
    since="0.1.0",
    severity=WARNING,
    summary="A branch of a template asks which provider, model or family it is for.",
    message="{problem}",
    tags=("templates",),
)

VARIANT_EXPLOSION = Rule(
    code="TEMPLATE_VARIANT_EXPLOSION",
    since="0.1.0",
    severity=WARNING,
    summary="A template has more branches on model capabilities than can be kept apart.",
    message="{problem}",
    tags=("templates",),
)

_RUNTIME_NAMES = frozenset({"llm"})
"""Names that the runtime binds by itself."""


@check(TEMPLATE, SYNTAX, UNKNOWN_FILTER, DEAD_CONDITION, UNKNOWN_VARIABLE, PROVIDER_IDENTITY_BRANCH, VARIANT_EXPLOSION)
def check_template(template: PromptTemplate, target: Target) -> Iterator[Finding]:
    parsed = template.parsed
    if parsed is None:
        error = template.error
        assert error is not None
        fix = _fix(template, keyword_corrections(str(template.node.value), error))
        yield SYNTAX.at(template.place(error.span), problem=error.message, fix=fix)
        return
    for one in unknown_filters(parsed):
        place = template.place(one.span)
        name = parsed.text[one.span.start : one.span.end]
        yield UNKNOWN_FILTER.at(place, problem=one.message, fix=renaming(place, name, close_filters(name)))
    for one, corrected in corrections(parsed):
        fix = None if corrected is None else _fix(template, [corrected], safe=one.rule == "end_with_words")
        yield DEAD_CONDITION.at(template.place(one.span), problem=one.message, fix=fix)
    yield from _findings(template, PROVIDER_IDENTITY_BRANCH, identity_branches(parsed))
    yield from _findings(template, VARIANT_EXPLOSION, variant_explosion(parsed))
    if target.template_variables is not None:
        yield from _unknown_variables(template, parsed, target.template_variables)


def _fix(template: PromptTemplate, edits: Sequence[tuple[Span, str]], *, safe: bool = False) -> Fix | None:
    """The fix that writes texts into a template; safe only if it renders the same."""
    if not edits:
        return None
    words = " and ".join(dict.fromkeys(f"`{text}`" for _, text in edits))
    return Fix(f"write {words}", safe, tuple(Edit(template.place(span), text) for span, text in edits))


def _findings(template: PromptTemplate, rule: Rule, found: Iterable[TemplateFinding]) -> Iterator[Finding]:
    for one in found:
        yield rule.at(template.place(one.span), problem=one.message)


def _unknown_variables(template: PromptTemplate, parsed: Template, declared: tuple[str, ...]) -> Iterator[Finding]:
    from toolsurface_lint.model.names import CloseNames, suggestion

    close = CloseNames(declared)
    known = {*declared, *_RUNTIME_NAMES}
    for name, span in parsed.free_names():
        if name not in known:
            near = close.find(name)
            help = suggestion(near)
            place = template.place(span)
            yield UNKNOWN_VARIABLE.at(place, field=name, help=help, fix=_variable(place, name, near), name=name)


def _variable(place: Place, name: str, near: Sequence[str]) -> Fix | None:
    """The fix for a misspelt variable, which may be the first step of a path."""
    written = place.reads() or ""
    return renaming(place.part(0, len(name)), name, near) if written.startswith(name) else None
