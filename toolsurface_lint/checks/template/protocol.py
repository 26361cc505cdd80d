"""The response protocol that a template teaches, in every branch that it renders to."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from toolsurface_lint.checks.contract import TEMPLATE, check
from toolsurface_lint.checks.response.breaks import SENTENCES, block_fix
from toolsurface_lint.checks.template._examples import example_violations, find_examples
from toolsurface_lint.checks.template._teaching import (
    foreign_syntax,
    mentions_protocol,
    taught_protocol,
    teaching_place,
    unguarded_sentinels,
    untaught,
)
from toolsurface_lint.model.diagnostics import ERROR, UNSAFE, WARNING, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.template import PromptTemplate
from toolsurface_lint.protocols.rendering import RenderedBranch, rendered_branches, sentinel_names
from toolsurface_lint.protocols.response import DEFAULT_SENTINEL
from toolsurface_lint.source.text import Span

EXAMPLE_NONCONFORMING = Rule(
    code="TEMPLATE_EXAMPLE_NONCONFORMING",
    since="0.1.0",
    severity=ERROR,
    summary="An example in a template breaks the protocol that the template teaches.",
    message={
        kind: f"this example breaks the `{{protocol}}` protocol: {sentence}" for kind, sentence in SENTENCES.items()
    },
    tags=("templates", "responses"),
    fix=UNSAFE,
)

SENTINEL_UNGUARDED = Rule(
    code="TEMPLATE_SENTINEL_UNGUARDED",
    since="0.1.0",
    severity=ERROR,
    summary="A template names the completion sentinel in a branch that has none.",
    message={
        "tag": "`<done>` is rendered even where there is no completion sentinel",
        "text": "the completion sentinel is rendered even where there is none",
    },
    tags=("templates", "responses"),
)

MIXED_PROTOCOLS = Rule(
    code="TEMPLATE_MIXED_PROTOCOLS",
    since="0.1.0",
    severity=ERROR,
    summary="A template teaches two call syntaxes at once.",
    message={
        kind: f"{what} is not a call of the `{{protocol}}` protocol, which this template teaches"
        for kind, what in {
            "fence": "a ```tool block",
            "json": "a call as a JSON object",
            "markup": "a call in another markup",
            "tag": "a call in `<tool_call>` tags",
            "call": "a bare call",
        }.items()
    },
    tags=("templates", "responses"),
)

MISSING_RULE = Rule(
    code="TEMPLATE_MISSING_RULE",
    since="0.1.0",
    severity=WARNING,
    summary="A template leaves out a tag or a rule of the protocol that it teaches.",
    message="the template never teaches{reason}",
    tags=("templates", "responses"),
)


class _Taught(NamedTuple):
    """One branch of a template, and the protocol that it teaches."""

    branch: RenderedBranch
    protocol: str
    examples: list[Span]
    sentinel: str | None

    @property
    def text(self) -> str:
        return self.branch.rendering.text

    def span(self, span: Span) -> Span:
        """The place in the template that a place in this branch comes from."""
        return self.branch.rendering.template_span(span)


@check(TEMPLATE, EXAMPLE_NONCONFORMING, SENTINEL_UNGUARDED, MIXED_PROTOCOLS, MISSING_RULE)
def check_template(template: PromptTemplate, target: Target) -> Iterator[Finding]:
    parsed = template.parsed
    if parsed is None:
        return
    branches = []
    for branch in rendered_branches(parsed, target.done_sentinel):
        text = branch.rendering.text
        protocol = taught_protocol(text)
        if protocol is not None and target.protocol is not None and mentions_protocol(text, target.protocol):
            protocol = target.protocol
        if protocol is not None:
            sentinel = target.done_sentinel if branch.sentinel is None else branch.sentinel
            branches.append(_Taught(branch, protocol, find_examples(text, protocol), sentinel))
    if not branches:
        return
    names = sentinel_names(parsed)
    seen: set[tuple[str, Span, str]] = set()
    for taught in branches:
        unguarded = list(_unguarded(template, taught, target, names))
        examples = _examples(template, taught, [span for _, span in unguarded])
        for finding, span in (*unguarded, *examples, *_mixed(template, taught)):
            # Most of a template is the same in all of its branches.
            key = (finding.rule.code, span, finding.message)
            if key not in seen:
                seen.add(key)
                yield finding
    yield from _missing(template, branches)


def _examples(template: PromptTemplate, taught: _Taught, reported: list[Span]) -> Iterator[tuple[Finding, Span]]:
    """What is wrong with the examples of a branch; `reported` are the places of sentinels that are reported already."""
    reported = sorted(reported)
    starts = [span.start for span in reported]
    ends = list(accumulate((span.end for span in reported), max))
    for example in taught.examples:
        for violation in example_violations(taught.text, example, taught.protocol, taught.sentinel):
            span = taught.span(violation.at)
            before = bisect_left(starts, span.end)
            if before and span.start < ends[before - 1]:
                continue
            fix = block_fix(violation, taught.text, lambda found: template.place(taught.span(found)))
            yield EXAMPLE_NONCONFORMING.of(violation, template.place(span), protocol=taught.protocol, fix=fix), span


def _unguarded(
    template: PromptTemplate, taught: _Taught, target: Target, names: frozenset[str]
) -> Iterator[tuple[Finding, Span]]:
    if taught.sentinel != "":
        return
    for found in unguarded_sentinels(taught.text, target.done_sentinel or DEFAULT_SENTINEL, names):
        span = taught.span(found)
        kind = "tag" if taught.text.startswith("<", found.start) else "text"
        name = min(names, default=None)
        help = None if name is None else f"put it between `{{{{ if {name} }}}}` and `{{{{ end }}}}`"
        yield SENTINEL_UNGUARDED.at(template.place(span), kind, help=help), span


def _mixed(template: PromptTemplate, taught: _Taught) -> Iterator[tuple[Finding, Span]]:
    for foreign in foreign_syntax(taught.text, taught.protocol, taught.examples):
        span = taught.span(foreign.at)
        yield MIXED_PROTOCOLS.of(foreign, template.place(span)), span


def _missing(template: PromptTemplate, branches: list[_Taught]) -> Iterator[Finding]:
    """One finding for what no branch teaches, and one for each condition under which more is left out."""
    lacking: dict[str, list[_Taught]] = {}
    for taught in branches:
        for words in untaught(taught.text, taught.protocol, taught.examples, bool(taught.sentinel)):
            lacking.setdefault(words, []).append(taught)
    by_condition: dict[str, list[str]] = {}
    for words, where in lacking.items():
        by_condition.setdefault("" if len(where) == len(branches) else _condition(where), []).append(words)
    first = branches[0]
    place = template.place(first.span(teaching_place(first.text, first.protocol)))
    for condition, missing in by_condition.items():
        left_out = ", or ".join(missing)
        yield MISSING_RULE.at(place, reason=f",{condition}, {left_out}" if condition else f" {left_out}")


def _condition(branches: list[_Taught]) -> str:
    """What the branches have in common, in words."""
    common = set.intersection(*(set(taught.branch.rendering.choices.items()) for taught in branches))
    parts = [f"`{atom}` is {'true' if chosen else 'false'}" for atom, chosen in sorted(common)]
    return f" where {' and '.join(parts)}" if parts else " in some of its branches"
