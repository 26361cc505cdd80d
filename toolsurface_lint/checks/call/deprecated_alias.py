"""A call that passes an argument by an alias."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolsurface_lint.checks.contract import CALL, check
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Annotations, Tool
from toolsurface_lint.model.transcript import UNREADABLE, Call

RULE = Rule(
    code="CALL_DEPRECATED_ALIAS",
    since="0.1.0",
    severity=WARNING,
    summary="A call passes an argument by an alias instead of its canonical key.",
    message="the call of `{name}` passes `{alias}`, an alias of `{canonical}`",
    help="write `{canonical}`",
    tags=("calls",),
)


@check(CALL, RULE)
def check_call(call: Call, tool: Tool | None, surface: Surface) -> Iterable[Finding]:
    annotations = None if tool is None else surface.annotations(tool)
    if tool is None or annotations is None or not annotations.aliases or call.value is UNREADABLE:
        return ()
    return _findings(call, tool, annotations)


def _findings(call: Call, tool: Tool, annotations: Annotations) -> Iterator[Finding]:
    for key, member in call.arguments_node.members():
        canonical = annotations.aliases.get(key)
        if canonical is not None:
            yield RULE.at(
                member.key_place,
                tool=tool.name,
                field=key,
                related=[(f"tool `{tool.name}` is declared here", tool.name_place)],
                name=tool.name,
                alias=key,
                canonical=canonical,
            )
