"""The surface that a conversation is held to: the one that its transcript belongs to, or the tools that it carries.

What calls need to know of it is looked up once: a log has many calls of few tools.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toolsurface_lint.model.surface import Surface
from toolsurface_lint.readers.tool_list import find_tool_lists
from toolsurface_lint.schemas.arguments import ArgumentSchema, argument_schema
from toolsurface_lint.source.tree import Node


class CalledSurface:
    """One surface as calls meet it: which need no more than a look at their arguments."""

    def __init__(self, surface: Surface) -> None:
        self.surface = surface
        self.declared = surface.by_name
        self.dispatchers = {dispatcher.tool: dispatcher for dispatcher in surface.target.dispatchers}
        self.plain: dict[str, ArgumentSchema] = {}
        """Tools for which there is nothing to check but the arguments."""
        self.accepts: dict[str, Callable[[Any], bool]] = {}
        """The quick judges of their arguments, for conversations that are plain all through."""
        if surface.policies or surface.approvals:
            return
        for name, tools in self.declared.items():
            if len(tools) == 1 and name not in self.dispatchers and (surface.tool_search or not tools[0].deferred):
                schema = argument_schema(tools[0], surface)
                if schema is not None and not schema.aliases:
                    self.plain[name] = schema
                    if schema.accepts is not None:
                        self.accepts[name] = schema.accepts


def carried_surface(node: Node, base: Surface) -> Surface:
    """The surface of a conversation that carries its tools: those, and what the settings add to them in `base`."""
    surface = Surface(base.name, document=True)
    for number, found in enumerate(find_tool_lists(node, named_tool=True)):
        for tool in found.read():
            tool.namespace = f"{base.name}#{number}"
            tool.origin = base.files[0] if base.files else ""
            surface.tools.append(tool)
        if found.unread:
            surface.open_reasons.append("a tool definition that could not be read")
    if not base.inferred and not base.document:
        declared = {tool.name for tool in surface.tools}
        surface.tools.extend(tool for tool in base.tools if tool.name not in declared)
        surface.open_reasons.extend(base.open_reasons if base.tools else ())
    surface.policies = base.policies
    surface.approvals = base.approvals
    surface.tool_search = base.tool_search
    surface.target = base.target
    surface.scope = base.scope
    return surface
