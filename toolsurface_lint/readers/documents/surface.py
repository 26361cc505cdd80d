"""Surface documents: an object with tools and with anything that they meet."""

from __future__ import annotations

from typing import Any

from toolsurface_lint.model.document import Document
from toolsurface_lint.readers.document_reader import DocumentReader
from toolsurface_lint.readers.shape import may_be
from toolsurface_lint.source.tree import Node

_TOOLS = ("tools", "native_tools")
# What the tools meet, with the type that each has; a served list has `prompts` too, but of objects.
_PARTNERS: dict[str, tuple[type, ...]] = {
    "policy": (dict,),
    "approval_policy": (dict,),
    "system": (str,),
    "prompt": (str,),
    "prompts": (list,),
    "tool_search": (bool, dict, str, type(None)),
}
# A request to a provider has tools next to a system text too; what it holds is a conversation.
_REQUEST = ("messages", "contents", "model", "input")


def _recognises(root: Node, document: Document) -> bool:
    value = root.value
    if "surface" in document.kinds:
        return may_be(root, (*_TOOLS, *_PARTNERS))
    # No schema of a surface is published: one that is named is that of something else.
    return (
        "$schema" not in value
        and any(isinstance(value.get(key), list | dict) for key in _TOOLS)
        and any(key in value and _meets(key, value[key]) for key in _PARTNERS)
        and not any(key in value for key in _REQUEST)
        and not _names_only(value.get("tools"))
        and any(_defines(value.get(key)) for key in _TOOLS)
    )


def _meets(key: str, value: Any) -> bool:
    if key == "prompts":
        return isinstance(value, list) and bool(value) and all(isinstance(text, str) for text in value)
    return isinstance(value, _PARTNERS[key])


def _names_only(tools: object) -> bool:
    """`tools: [read, write]` grants tools by name; it defines none."""
    return isinstance(tools, list) and bool(tools) and not any(isinstance(item, dict) for item in tools)


_DEFINING = frozenset((
    "description", "parameters", "inputSchema", "input_schema", "function", "functionDeclarations", "toolSpec",
    "executor", "handler", "host_capability", "mcp_server", "_mcp_server", "annotations", "defer_loading",
))  # fmt: skip


def _defines(tools: object) -> bool:
    """Whether tools are defined there, not components picked by name: beside the name, those have keys of other things."""
    if not isinstance(tools, list):
        return isinstance(tools, dict)
    return not tools or any(
        isinstance(item, dict) and (set(item) <= {"name", "type"} or not _DEFINING.isdisjoint(item)) for item in tools
    )


def _read(root: Node, document: Document) -> None:
    from toolsurface_lint.readers.surfaces import read_surface

    surface = read_surface(root)
    name = root.string("name")
    surface.name = name.value if name is not None and name.value else document.path
    document.surfaces.append(surface)


READER = DocumentReader("surface", 20, True, _recognises, _read)
