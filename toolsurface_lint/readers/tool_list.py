"""Lists of tools: where they are in a document, and which format each of their items is of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from toolsurface_lint.model.tool import Tool
from toolsurface_lint.readers.tool_format import ToolFormat, named, tool_formats
from toolsurface_lint.source.tree import Node

_PLACES: tuple[tuple[str, ...], ...] = (
    ("tools",),
    ("native_tools",),
    ("result", "tools"),
    ("toolConfig", "tools"),
    ("tool_config", "tools"),
    ("functionDeclarations",),
    ("function_declarations",),
    ("functions",),
    ("function",),
)
_GROUPS = ("functionDeclarations", "function_declarations")
_SCHEMA_KEYS = ("inputSchema", "input_schema", "parameters", "parametersJsonSchema")


class ToolList(NamedTuple):
    """One list of tool definitions, found and not yet read.

    `items` are the definitions, each with its format and, if they are keyed by name, its key; `unread` are the items that
    look like tools and are not readable.
    """

    items: list[tuple[Node, ToolFormat, str | None]]
    unread: list[Node]

    def read(self) -> list[Tool]:
        """The tools of the list, in order; what turns out to have no usable name joins `unread`."""
        tools: list[Tool] = []
        for item, format, name in self.items:
            tool = format.read(item) if name is None else _read_keyed(item, format, name)
            if tool is None:
                self.unread.append(item)
            else:
                tools.append(tool)
        return tools


def find_tool_lists(root: Node, *, named_tool: bool) -> list[ToolList]:
    """The tool lists of one value: recognised only, so that asking costs little.

    `named_tool`: the file's name or the user says that it holds tools, which a list of bare names or of names and
    descriptions, or an empty one, needs, unless another list is plainly one of tools.
    """
    if isinstance(root.value, dict):
        single = _format_of(root.value)
        if single is not None and (not single.weak or named_tool):
            return [ToolList([(root, single, None)], [])]
    lists = [found for node in _candidates(root) if (found := _find_list(node)) is not None]
    plain = any(not format.weak for found in lists for _, format, _ in found.items)
    if plain or named_tool or _is_registry(root.value):
        return lists
    return []


def _is_registry(value: Any) -> bool:
    return isinstance(value, dict) and value.get("_type") == "tool_registry"


def _candidates(root: Node) -> Iterator[Node]:
    if isinstance(root.value, list):
        yield root
        return
    if not isinstance(root.value, dict):
        return
    for place in _PLACES:
        node = root.find(*place)
        if node is not None and isinstance(node.value, list | dict):
            yield node
    if _is_keyed(root.value):
        yield root


def _is_keyed(value: dict[str, Any]) -> bool:
    """Whether every member of an object is a definition with a schema, so that the keys are the names of tools."""
    return bool(value) and all(
        isinstance(item, dict)
        and (
            ("description" in item and any(key in item for key in _SCHEMA_KEYS))
            or ("docstring" in item and "signature" in item)  # a command of a SWE-agent bundle
        )
        for item in value.values()
    )


def _find_list(node: Node) -> ToolList | None:
    found = ToolList([], [])
    if isinstance(node.value, dict):
        if _is_keyed(node.value):
            for name, item in node.members():
                definition = {"name": name, **item.value}
                found.items.append((item, _format_of(definition) or named("function"), name))
            return found
        nested = node.get("tools")
        if nested is not None and isinstance(nested.value, list):
            return _find_list(nested)
        return None
    items = list(_items(node))
    formats = [_format_of(item.value) for item in items]
    if any(format is not None and format.name == "harn" for format in formats) or _in_registry(node):
        # Within a registry, an item without any mark of its own is an entry like the others.
        harn = named("harn")
        formats = [harn if format is None or format.name in ("function", "catalogue") else format for format in formats]
    else:
        formats = _agreed(items, formats)
    for item, format in zip(items, formats, strict=True):
        if format is not None:
            found.items.append((item, format, None))
        elif "type" not in item.value:
            found.unread.append(item)
    # A list of names grants tools and defines none, whatever the file is called; an empty list may be one of tools.
    if node.value and not found.items:
        return None
    return found


def _agreed(items: list[Node], formats: list[ToolFormat | None]) -> list[ToolFormat | None]:
    """The formats of the items of a list: where all that are plainly of one are of the same, that of the others too."""
    plain = {format for format in formats if format is not None and not format.weak}
    if len(plain) != 1:
        return formats
    (common,) = plain
    if any("inputSchema" in item.value for item in items):
        # The list is what is served: an entry without a schema is not one of a catalogue that leaves them all out.
        common = common._replace(schema_required=True)
    return [
        common if (format is not None and format in plain) or _may_join(item.value, common) else format
        for item, format in zip(items, formats, strict=True)
    ]


def _may_join(item: dict[str, Any], format: ToolFormat) -> bool:
    """Whether an item without a format of its own can be one of a list of that format: it has a name and makes no call."""
    body = item.get(format.body) if format.body is not None else None
    holder = body if isinstance(body, dict) else item
    return (
        isinstance(holder.get("name"), str) and "arguments" not in holder and item.get("type", "function") == "function"
    )


def _in_registry(node: Node) -> bool:
    return bool(node.path) and _is_registry(node.tree.at(node.path[:-1]).value)


def _items(node: Node) -> Iterator[Node]:
    """The objects of a list, groups of declarations unpacked."""
    for item in node.elements():
        if not isinstance(item.value, dict):
            continue
        for group in _GROUPS:
            declarations = item.get(group)
            if declarations is not None and isinstance(declarations.value, list):
                yield from _items(declarations)
                break
        else:
            yield item


def _format_of(item: dict[str, Any]) -> ToolFormat | None:
    return next((format for format in tool_formats() if format.fits(item)), None)


def _read_keyed(item: Node, format: ToolFormat, name: str) -> Tool | None:
    """A tool whose name is its key, unless it states another."""
    tool = format.read(Node(item.tree, item.path, {"name": name, **item.value}))
    if tool is not None and "name" not in item.value:
        tool.name_node = Node(item.tree, item.path, name)
        tool.name_place = item.key_place
    return tool
