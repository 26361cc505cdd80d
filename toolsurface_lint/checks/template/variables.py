"""Variables that the settings do not declare."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import TEMPLATE, check
from toolsurface_lint.model.diagnostics import UNSAFE, WARNING, Finding, Rule, renaming
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.template import PromptTemplate

RULE = Rule(
    code="TEMPLATE_UNKNOWN_VARIABLE",
    since="0.1.0",
    severity=WARNING,
    summary="A template uses a variable that the settings do not declare.",
    message="the template uses `{name}`, which `template-variables` does not declare",
    tags=("templates",),
    fix=UNSAFE,
)

_RUNTIME_NAMES = frozenset({"llm"})
"""Names that the runtime binds by itself."""


@check(TEMPLATE, RULE)
def check_template(template: PromptTemplate, target: Target) -> Iterator[Finding]:
    if template.parsed is None or target.template_variables is None:
        return
    from toolsurface_lint.model.names import CloseNames, suggestion

    close = CloseNames(target.template_variables)
    known = {*target.template_variables, *_RUNTIME_NAMES}
    for name, span in template.parsed.free_names():
        if name not in known:
            near = close.find(name)
            place = template.place(span)
            # The name may be the first step of a path.
            is_written = (place.reads() or "").startswith(name)
            fix = renaming(place.part(0, len(name)), name, near) if is_written else None
            yield RULE.at(place, field=name, help=suggestion(near), fix=fix, name=name)
