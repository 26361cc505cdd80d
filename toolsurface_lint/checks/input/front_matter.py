"""Front matter that only lenient readers can read."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import DOCUMENT, check
from toolsurface_lint.checks.input.problems import sentence
from toolsurface_lint.model.diagnostics import SAFE, WARNING, Finding, Rule
from toolsurface_lint.model.document import Document

RULE = Rule(
    code="INPUT_FRONT_MATTER",
    since="0.1.0",
    severity=WARNING,
    summary="The front matter of a markdown file is not YAML, and strict readers lose all of it.",
    message="the front matter is not YAML: {reason}",
    tags=("input",),
    fix=SAFE,
    title="put quotes around {names}",
)


@check(DOCUMENT, RULE)
def check_document(document: Document) -> Iterator[Finding]:
    for problem in document.problems:
        if problem.code == "front_matter":
            reason = sentence(problem._replace(kind=problem.kind.partition("/")[2]))
            yield RULE.of(problem._replace(kind="", values={**problem.values, "reason": reason}), document.place)
