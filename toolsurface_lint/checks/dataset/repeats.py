"""Rows of a dataset that are there more than once, within a split and across two."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import DATASET, check
from toolsurface_lint.model.dataset import DatasetFacts
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule

DUPLICATE = Rule(
    code="DATASET_DUPLICATE_CONVERSATION",
    since="0.1.0",
    severity=WARNING,
    summary="Rows repeat the conversation of another row of their split.",
    message="{rows} rows repeat a conversation, the first of them that of {like}",
    help="keep one of them",
    tags=("datasets",),
)

LEAK = Rule(
    code="DATASET_SPLIT_LEAK",
    since="0.1.0",
    severity=WARNING,
    summary="Two splits share conversations, or what is asked and the calls that answer it.",
    message={
        "conversation": "{rows} conversations of `{split}` are also in `{other}`, the first of them as {like}",
        "task": "{rows} rows of `{split}` ask and call the same as rows of `{other}`, the first of them as {like}",
    },
    help="drop them from one of the two splits",
    tags=("datasets",),
)


@check(DATASET, DUPLICATE, LEAK)
def check_repeats(facts: DatasetFacts) -> Iterator[Finding]:
    if facts.duplicates is not None:
        rows, like = facts.duplicates
        yield DUPLICATE.at(rows.first, rows=f"{rows.number:,}", like=like)
    for leak in facts.leaks:
        rows, like = leak.repeated
        yield LEAK.at(rows.first, leak.kind, rows=f"{rows.number:,}", split=leak.split, other=leak.other, like=like)
