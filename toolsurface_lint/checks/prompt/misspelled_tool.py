"""A prompt names a tool in other letters than it is declared in."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import REFERENCE, check
from toolsurface_lint.model.diagnostics import UNSAFE, WARNING, Finding, Rule, renaming
from toolsurface_lint.model.prompt import MEDIUM, Prompt, Reference
from toolsurface_lint.model.surface import Surface

RULE = Rule(
    code="PROMPT_MISSPELLED_TOOL",
    since="0.1.0",
    severity=WARNING,
    summary="A prompt misspells the name of a tool.",
    message="the prompt writes `{name}`; the tool is declared as `{declared}`",
    help="write `{declared}`",
    tags=("prompts",),
    fix=UNSAFE,
)


@check(REFERENCE, RULE)
def check_reference(reference: Reference, prompt: Prompt, surface: Surface) -> Iterator[Finding]:
    name = reference.name
    if reference.evidence != MEDIUM or name in surface.by_name or surface.open:
        return
    near = surface.close_names(name)
    if not near:
        return
    declared = near[0]
    place = prompt.place(reference.start, reference.end)
    yield RULE.at(
        place,
        tool=declared,
        field="prompt",
        related=[(f"`{declared}` is declared here", surface.by_name[declared][0].name_place)],
        name=name,
        declared=declared,
        fix=renaming(place, name, near),
    )
