"""The code that is given the name of a tool when a model calls it, against the tools that the model is offered."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import PYTHON_DEFINITION, check
from toolsurface_lint.model.diagnostics import UNSAFE, WARNING, Finding, Rule, renaming
from toolsurface_lint.model.names import suggestion
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool

UNKNOWN_TOOL = Rule(
    code="TOOL_CODE_DISPATCH_UNKNOWN_TOOL",
    since="0.1.0",
    severity=WARNING,
    summary="Code that handles calls of tools has a name that no tool has.",
    message="calls of `{name}` are handled here, but no tool of that name is declared",
    tags=("tools", "python"),
    fix=UNSAFE,
)

NOT_DISPATCHED = Rule(
    code="TOOL_CODE_NOT_DISPATCHED",
    since="0.1.0",
    severity=WARNING,
    summary="A tool is offered to the model, and the code that handles the calls refuses it.",
    message="the tool `{name}` is declared, but the code that handles the calls refuses it",
    help="handle it there, or take it out of the list: every call of it fails",
    tags=("tools", "python"),
)


@check(PYTHON_DEFINITION, UNKNOWN_TOOL, NOT_DISPATCHED)
def check_dispatch(tool: Tool, target: Target) -> Iterator[Finding]:
    dispatch = tool.dispatch
    if dispatch is None:
        return
    if tool.name == dispatch.served[0]:
        meant = {*dispatch.meant.values()}
        for dead in dispatch.dead:
            if dead not in meant:
                yield UNKNOWN_TOOL.at(
                    dispatch.handled[dead],
                    tool=dead,
                    field="name",
                    related=[("the calls are handled here", dispatch.place)],
                    name=dead,
                    help="list the tool, or remove the code: it is never called",
                )
    if tool.name in dispatch.handled:
        return
    # A name that is close to that of a tool which is handled too is kept for those who still use it.
    name = dispatch.meant.get(tool.name)
    if name is not None:
        place = dispatch.handled[name]
        yield UNKNOWN_TOOL.at(
            place,
            tool=tool.name,
            field="name",
            related=[(f"`{tool.name}` is declared here", tool.name_place)],
            name=name,
            help=suggestion((tool.name,)),
            fix=renaming(place, name, (tool.name,)),
        )
    elif dispatch.refuses and not tool.optional:
        yield NOT_DISPATCHED.at(
            tool.name_place, tool=tool.name, field="name", related=[("the calls are handled here", dispatch.place)]
        )
