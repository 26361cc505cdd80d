"""The response protocol that a template teaches, in every branch that it renders to."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from toolsurface_lint.checks.contract import TEMPLATE, check
from toolsurface_lint.checks.response._rules import SENTENCES
from toolsurface_lint.checks.response.breaks import block_fix
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
from toolsurface_lint.source.tree import Place

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

    template: PromptTemplate
    branch: RenderedBranch
    protocol: str
    examples: list[Span]
    sentinel: str | None

    @property
    def text(self) -> str:
        return self.branch.rendering.text

    def place(self, span: Span) -> Place:
        """The place in the template that a part of this branch comes from."""
        return self.template.place_of(self.branch.rendering.origin(span))


@check(TEMPLATE, EXAMPLE_NONCONFORMING, SENTINEL_UNGUARDED, MIXED_PROTOCOLS, MISSING_RULE)
def check_template(template: PromptTemplate, target: Target) -> Iterator[Finding]:
    parsed = template.parsed
    if parsed is None:
        return
    branches = []
    for branch in rendered_branches(parsed, target.done_sentinel, template.files):
        text = branch.rendering.text
        protocol = taught_protocol(text)
        if protocol is not None and target.protocol is not None and mentions_protocol(text, target.protocol):
            protocol = target.protocol
        if protocol is not None:
            sentinel = target.done_sentinel if branch.sentinel is None else branch.sentinel
            branches.append(_Taught(template, branch, protocol, find_examples(text, protocol), sentinel))
    if not branches:
        return
    names = sentinel_names(parsed, template.files)
    seen: set[tuple[str, Place, str]] = set()
    for taught in branches:
        unguarded = list(_unguarded(taught, target.done_sentinel or DEFAULT_SENTINEL, names))
        foreign = foreign_syntax(taught.text, taught.protocol, taught.examples)
        mixed = (MIXED_PROTOCOLS.of(problem, taught.place(problem.at)) for problem in foreign)
        for finding in (*unguarded, *_examples(taught, unguarded), *mixed):
            # Most of a template is the same in all of its branches.
            key = (finding.rule.code, finding.place, finding.message)
            if key not in seen:
                seen.add(key)
                yield finding
    yield from _missing(branches)


def _examples(taught: _Taught, unguarded: list[Finding]) -> Iterator[Finding]:
    """What is wrong with the examples of a branch, apart from its unguarded sentinels."""
    by_file: dict[int, list[tuple[int, int]]] = {}
    for finding in unguarded:
        by_file.setdefault(id(finding.place.tree), []).append((finding.place.start, finding.place.end))
    covered = {file: _Covered(sorted(spans)) for file, spans in by_file.items()}
    for example in taught.examples:
        for violation in example_violations(taught.text, example, taught.protocol, taught.sentinel):
            place = taught.place(violation.at)
            file = covered.get(id(place.tree))
            if file is None or not file.meets(place.start, place.end):
                fix = block_fix(violation, taught.text, taught.place)
                yield EXAMPLE_NONCONFORMING.of(violation, place, protocol=taught.protocol, fix=fix)


class _Covered:
    """What some sorted ranges of a file cover."""

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        self._starts = [start for start, _ in spans]
        self._ends = list(accumulate((end for _, end in spans), max))

    def meets(self, start: int, end: int) -> bool:
        before = bisect_left(self._starts, end)
        return bool(before) and start < self._ends[before - 1]


def _unguarded(taught: _Taught, sentinel: str, names: frozenset[str]) -> Iterator[Finding]:
    """Where a branch without a sentinel names one; `names` are the variables that hold it."""
    for found in unguarded_sentinels(taught.text, sentinel, names) if taught.sentinel == "" else ():
        kind = "tag" if taught.text.startswith("<", found.start) else "text"
        name = min(names, default=None)
        help = None if name is None else f"put it between `{{{{ if {name} }}}}` and `{{{{ end }}}}`"
        yield SENTINEL_UNGUARDED.at(taught.place(found), kind, help=help)


def _missing(branches: list[_Taught]) -> Iterator[Finding]:
    """One finding for what no branch teaches, and one for each condition under which more is left out."""
    lacking: dict[str, list[_Taught]] = {}
    for taught in branches:
        for words in untaught(taught.text, taught.protocol, taught.examples, bool(taught.sentinel)):
            lacking.setdefault(words, []).append(taught)
    by_condition: dict[str, list[str]] = {}
    for words, where in lacking.items():
        by_condition.setdefault("" if len(where) == len(branches) else _condition(where), []).append(words)
    first = branches[0]
    place = first.place(teaching_place(first.text, first.protocol))
    for condition, missing in by_condition.items():
        left_out = ", or ".join(missing)
        yield MISSING_RULE.at(place, reason=f",{condition}, {left_out}" if condition else f" {left_out}")


def _condition(branches: list[_Taught]) -> str:
    """What the branches have in common, in words."""
    common = set.intersection(*(set(taught.branch.rendering.choices.items()) for taught in branches))
    parts = [f"`{atom}` is {'true' if chosen else 'false'}" for atom, chosen in sorted(common)]
    return f" where {' and '.join(parts)}" if parts else " in some of its branches"
