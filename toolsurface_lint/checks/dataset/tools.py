"""How a dataset keeps the tools of its rows, and how its rows name them."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import DATASET, check
from toolsurface_lint.checks.dataset import rows
from toolsurface_lint.model.dataset import DatasetFacts
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule

STRUCT = Rule(
    code="DATASET_TOOLS_STRUCT",
    since="0.1.0",
    severity=WARNING,
    summary="The tools are stored as structs, which give every schema the keys of all others.",
    message="in {rows}, schemas have properties that are null: they are those of other tools",
    help="store the tools as JSON text",
    tags=("datasets",),
)

MISSING = Rule(
    code="DATASET_TOOLS_MISSING",
    since="0.1.0",
    severity=WARNING,
    summary="Rows call tools and carry no definitions, where other rows do.",
    message="in {rows}, tools are called and none are carried, as they are in {others}",
    help="give each row its tools, or drop it",
    tags=("datasets",),
)

NAMES = Rule(
    code="DATASET_NAME_CHANGES",
    since="0.1.0",
    severity=WARNING,
    summary="The name of a tool is written in different ways within a row.",
    message={
        "call": "in {rows}, calls write names in another way than definitions: `{written}` for `{name}`",
        "result": "in {rows}, results write names in another way than calls: `{written}` for `{name}`",
    },
    help="write a name in the same way in the definition, the call and the result",
    tags=("datasets",),
)


@check(DATASET, STRUCT, MISSING, NAMES)
def check_tools(facts: DatasetFacts) -> Iterator[Finding]:
    if facts.shared_keys is not None:
        yield STRUCT.at(facts.shared_keys.first, rows=rows(facts.shared_keys.number))
    if facts.without_tools is not None and facts.with_tools:
        missing = facts.without_tools
        yield MISSING.at(missing.first, rows=rows(missing.number), others=rows(facts.with_tools))
    for change in facts.name_changes:
        number = rows(change.rows.number)
        yield NAMES.at(change.rows.first, change.where, rows=number, name=change.name, written=change.written)
