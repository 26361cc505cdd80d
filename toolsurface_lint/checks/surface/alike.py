"""Two tools of one list that share a name, or that a model can hardly tell apart."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolsurface_lint.checks.contract import SURFACE, check
from toolsurface_lint.model.diagnostics import ERROR, WARNING, Finding, Rule
from toolsurface_lint.model.names import folded
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool

DUPLICATE_TOOL = Rule(
    code="TOOL_SURFACE_DUPLICATE_TOOL",
    since="0.1.0",
    severity=ERROR,
    summary="Two tools of one list share a name.",
    message="the tool `{name}` is declared twice in one list",
    help="rename one of them; providers refuse the whole list, or one definition is lost",
    tags=("tools",),
)


@check(SURFACE, DUPLICATE_TOOL)
def check_duplicates(surface: Surface) -> Iterator[Finding]:
    if len(surface.by_name) == len(surface.tools):
        return
    for name, tools in surface.by_name.items():
        first: dict[tuple[str, str], Tool] = {}
        for tool in tools if len(tools) > 1 else ():
            # One of two that are registered by turns is there at a time; what a provider runs is declared by its type, once
            # for each way that it is set up.
            if tool.optional or tool.format == "hosted":
                continue
            # Files of one tool each may lie side by side as variants, where nobody says that they are one list;
            # a program says which server its tools are for.
            apart = surface.inferred and not tool.is_in_program
            earlier = first.setdefault((tool.namespace, tool.origin if apart else ""), tool)
            if earlier is not tool:
                yield DUPLICATE_TOOL.at(
                    tool.name_place, tool=name, field="name", related=[("declared here before", earlier.name_place)]
                )


_DIGITS = re.compile("[0-9]+")


def _numberless(name: str) -> str:
    """A name without its numbers: `writer_1` and `writer_2` are two of a kind, and meant to be."""
    return _DIGITS.sub("", name)


CONFUSABLE_TOOLS = Rule(
    code="TOOL_SURFACE_CONFUSABLE_TOOLS",
    since="0.1.0",
    severity=WARNING,
    summary="Two tools of one list have nearly the same name, or the same description.",
    message={
        "descriptions": "`{name}` and `{other}` have the same description",
        "names": "`{name}` and `{other}` differ only in case and separators",
    },
    help={"descriptions": "say when to use each of them", "names": "rename one of them, or merge them"},
    tags=("tools",),
)


@check(SURFACE, CONFUSABLE_TOOLS)
def check_confusable(surface: Surface) -> Iterator[Finding]:
    names: dict[tuple[str, str], Tool] = {}
    descriptions: dict[tuple[str, str], Tool] = {}
    for tool in surface.active:
        if tool.optional:
            continue
        text = "" if tool.description is None else tool.description.value.strip()
        other = names.setdefault((tool.namespace, folded(tool.name)), tool)
        if other.name != tool.name:
            if _collide(other, tool, surface):
                continue
            yield CONFUSABLE_TOOLS.at(
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
            if other is tool or other.description is None or _numberless(other.name) == _numberless(tool.name):
                continue
            # A text that sends the model away from both need not say which of them to take.
            if "deprecated" not in text.lower():
                yield CONFUSABLE_TOOLS.at(
                    tool.description.place,
                    "descriptions",
                    tool=tool.name,
                    field="description",
                    related=[(f"the description of `{other.name}`", other.description.place)],
                    name=other.name,
                    other=tool.name,
                )


def _collide(other: Tool, tool: Tool, surface: Surface) -> bool:
    """Whether two tools of one server get one name from a client, which TOOL_SURFACE_NAME_COLLISION reports."""
    if not surface.target.providers or not (tool.format.endswith("mcp") and other.format.endswith("mcp")):
        return False
    from toolsurface_lint.knowledge.client_naming import losing

    namings = [naming for _, naming in losing(surface.target.recipients("mcp"))]
    return any(each.tool.made_of(tool.name) == each.tool.made_of(other.name) for each in namings)
