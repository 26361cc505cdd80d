"""Files that cannot be read, or not as what they claim to be."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import DOCUMENT, check
from toolsurface_lint.model.diagnostics import ERROR, SAFE, WARNING, Edit, Finding, Fix, Rule
from toolsurface_lint.model.document import Document
from toolsurface_lint.source.text import Problem

SYNTAX_ERROR = Rule(
    code="INPUT_SYNTAX_ERROR",
    since="0.1.0",
    severity=ERROR,
    summary="A file stops being readable at this place.",
    message="{problem}",
    tags=("input",),
)

UNREADABLE = Rule(
    code="INPUT_UNREADABLE",
    since="0.1.0",
    severity=ERROR,
    summary="A file cannot be read: its encoding, its permissions, its size, or its nesting.",
    message="{problem}",
    tags=("input",),
)

DUPLICATE_KEY = Rule(
    code="INPUT_DUPLICATE_KEY",
    since="0.1.0",
    severity=WARNING,
    summary="An object repeats a key, and all values but the last are lost.",
    message="{problem}",
    tags=("input",),
    fix=SAFE,
)

NOT_STRICT_JSON = Rule(
    code="INPUT_NOT_STRICT_JSON",
    since="0.1.0",
    severity=WARNING,
    summary="A JSON file has comments or trailing commas, which its host would refuse.",
    message="{problem}",
    tags=("input",),
    fix=SAFE,
)

WRONG_KIND = Rule(
    code="INPUT_WRONG_KIND",
    since="0.1.0",
    severity=ERROR,
    summary="A file is not of the kind that the command line or the settings say it is.",
    message="{problem}",
    tags=("input",),
)

_RULES = {
    "syntax": SYNTAX_ERROR,
    "unreadable": UNREADABLE,
    "duplicate_key": DUPLICATE_KEY,
    "not_strict_json": NOT_STRICT_JSON,
    "wrong_kind": WRONG_KIND,
}


@check(DOCUMENT, SYNTAX_ERROR, UNREADABLE, DUPLICATE_KEY, NOT_STRICT_JSON, WRONG_KIND)
def check_document(document: Document) -> Iterator[Finding]:
    for problem in document.problems:
        rule = _RULES.get(problem.kind)
        if rule is None:
            continue
        related = []
        if problem.related is not None:
            related.append((problem.related_message, document.place(problem.related)))
        yield rule.at(
            document.place(problem.span), related=related, problem=problem.message, fix=cure_of(problem, document)
        )


def cure_of(problem: Problem, document: Document) -> Fix | None:
    """The fix for a problem that has a cure: safe, as everything that is read from the file stays the same."""
    if problem.cure is None:
        return None
    edits = tuple(Edit(document.place(span), text) for span, text in problem.cure.edits)
    return Fix(problem.cure.title, True, edits)
