"""Rows of a dataset that are there more than once, within a split and across two."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import DATASET, check
from toolsurface_lint.checks.dataset import rows
from toolsurface_lint.model.dataset import DatasetFacts
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule

DUPLICATE = Rule(
    code="DATASET_DUPLICATE_CONVERSATION",
    since="0.1.0",
    severity=WARNING,
    summary="Rows repeat the conversation of another row of their split.",
    message="{rows} with the conversation of another row: the first has that of {like}",
    help="keep one of them",
    tags=("datasets",),
)

LEAK = Rule(
    code="DATASET_SPLIT_LEAK",
    since="0.1.0",
    severity=WARNING,
    summary="Two splits share conversations, or what is asked and the calls that answer it.",
    message={
        "conversation": "in {rows} of `{split}`, the conversation is also in `{other}`: in the first of them, {like}",
        "task": "in {rows} of `{split}`, question and calls are also in `{other}`: in the first of them, {like}",
    },
    help="drop them from one of the two splits",
    tags=("datasets",),
)


@check(DATASET, DUPLICATE, LEAK)
def check_repeats(facts: DatasetFacts) -> Iterator[Finding]:
    if facts.duplicates is not None:
        repeated, like = facts.duplicates
        yield DUPLICATE.at(repeated.first, rows=rows(repeated.number), like=like)
    for leak in facts.leaks:
        repeated, like = leak.repeated
        number = rows(repeated.number)
        yield LEAK.at(repeated.first, leak.kind, rows=number, split=leak.split, other=leak.other, like=like)
