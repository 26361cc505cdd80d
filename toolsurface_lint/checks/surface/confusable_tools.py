"""Two tools of one list that a model can hardly tell apart."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import SURFACE, check
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.names import folded
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool

RULE = Rule(
    code="TOOL_SURFACE_CONFUSABLE_TOOLS",
    since="0.1.0",
    severity=WARNING,
    summary="Two tools of one list have nearly the same name, or the same description.",
    message={
        "descriptions": "`{name}` and `{other}` have the same description",
        "names": "`{name}` and `{other}` differ only in case and separators",
    },
    help={"descriptions": "say when to use which of them", "names": "rename one of them, or merge them"},
    tags=("tools",),
)


@check(SURFACE, RULE)
def check_surface(surface: Surface) -> Iterator[Finding]:
    names: dict[tuple[str, str], Tool] = {}
    descriptions: dict[tuple[str, str], Tool] = {}
    for tool in surface.active:
        if tool.optional:
            continue
        text = "" if tool.description is None else tool.description.value.strip()
        other = names.setdefault((tool.namespace, folded(tool.name)), tool)
        if other.name != tool.name:
            yield RULE.at(
                tool.name_place,
                "names",
                tool=tool.name,
                field="name",
                related=[(f"`{other.name}` is declared here", other.name_place)],
                name=other.name,
                other=tool.name,
            )
        elif text and tool.description is not None:
            other = descriptions.setdefault((tool.namespace, text), tool)
            if other.name != tool.name and other.description is not None:
                yield RULE.at(
                    tool.description.place,
                    "descriptions",
                    tool=tool.name,
                    field="description",
                    related=[(f"the description of `{other.name}`", other.description.place)],
                    name=other.name,
                    other=tool.name,
                )
