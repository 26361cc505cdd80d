"""Lists of tools: where they are in a document, and which format each of their items is of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

from toolsurface_lint.knowledge import GEMINI_TOOLS
from toolsurface_lint.model.names import folded
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.unseen import Unseen, unseen_at
from toolsurface_lint.readers.tool_format import ToolFormat, forget_schema, named, tool_formats
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


def _camel(kind: str) -> str:
    first, *others = kind.split("_")
    return first + "".join(word.capitalize() for word in others)


_GROUPS = ("functionDeclarations", "function_declarations")
_GEMINI_KINDS = {
    spelling: kind
    for kind in ("function_declarations", "computer_use", "file_search", "mcp_servers", *GEMINI_TOOLS)
    for spelling in (kind, _camel(kind))
}
"""The keys of a tool of Gemini, in both spellings."""
_SCHEMA_KEYS = ("inputSchema", "input_schema", "parameters", "parametersJsonSchema")


class ToolList(NamedTuple):
    """One list of tool definitions, found and not yet read.

    `items` are the definitions, each with its format and, if they are keyed by name, its key; `others` are what else is
    in the list.
    """

    items: list[tuple[Node, ToolFormat, str | None]]
    others: list[Node]

    @property
    def is_plain(self) -> bool:
        """Whether any of the definitions is plainly one, whatever its file is called."""
        return any(not format.weak for _, format, _ in self.items)

    @property
    def searched(self) -> bool:
        """Whether the model is given a way to find those of the tools that are deferred."""
        named = (item.value.get("name") if name is None else name for item, _, name in self.items)
        return any(map(_finds_tools, named)) or any(map(_switches_search_on, self.others))

    def read(self) -> tuple[list[Tool], list[Unseen]]:
        """The tools of the list, in order, and why it may hold more."""
        tools: list[Tool] = []
        others = list(self.others)
        for item, format, name in self.items:
            tool = format.read(item) if name is None else _read_keyed(item, format, name)
            if tool is None:
                others.append(item)
            else:
                tools.append(tool)
        unseen = unread(others)
        shortened = [tool for tool in tools if tool.format == "catalogue"]
        if 0 < len(shortened) < len(tools):
            # No provider takes a list of both: it was put together from several, for readers.
            for tool in tools:
                tool.optional = True
        seen = next((tool for tool in shortened if tool.name.startswith("mcp__")), None)
        if seen is not None:
            # Under the name that a client gave it.
            unseen.append(unseen_at(seen.name_place, _SESSION))
        shown = next((tool for tool in tools if _shows_signature(tool)), None)
        if shown is not None:
            # Written for readers, from the source: what is served, and what else, is not in it.
            unseen.append(unseen_at(shown.name_place, _SIGNATURES))
            for tool in tools:
                forget_schema(tool)
        return tools, unseen


_SESSION = "a list of what one session of a client had, with tools of the MCP servers that it was connected to"
_SIGNATURES = "a list that shows the signatures of tools, and not their schemas"
_TYPE_HINT = r" \| |\b(?:Annotated|Literal|Optional|Union)\["
"""What only a type hint of Python has: `str | None`. `list[str]` may be somebody's spelling of an array."""


def _shows_signature(tool: Tool) -> bool:
    """Whether a parameter's type is a type hint of source code: nobody takes that for the name of a JSON type."""
    for parameter in tool.parameters:
        kind = parameter.type
        # Nearly all are words, such as `string`.
        if kind is not None and not kind.isalpha() and re.search(_TYPE_HINT, kind) is not None:
            return True
    return False


_UNKNOWN = "which is in no known format"
_NO_NAME = "a tool without a usable name"
_NO_TOOLS = frozenset(("tool_search", "programmatic_tool_calling"))
"""Types of entries that switch something on: the model does not call it."""
_SERVERS = ("server_label", "mcp_server_name", "server_url")


def is_tool_search(name: object) -> bool:
    """Whether a name is that of a provider's own tool for finding tools, which is not one of a surface."""
    return isinstance(name, str) and (name == "tool_search" or name.startswith("tool_search_tool_"))


def _switches_search_on(entry: Node) -> bool:
    return isinstance(entry.value, dict) and any(is_tool_search(entry.value.get(key)) for key in ("type", "name"))


def _finds_tools(name: object) -> bool:
    """Whether a tool's name says that it finds tools, as clients offer one of their own: `ToolSearch`, `search_tools`."""
    return is_tool_search(name) or (isinstance(name, str) and folded(name) in _SEARCHES)


_SEARCHES = frozenset(map(folded, ("tool_search", "tools_search", "search_tool", "search_tools")))


def unread(entries: Iterable[Node]) -> list[Unseen]:
    """Why entries of lists of tools that could not be read may stand for tools; nothing for those that do not."""
    return [unseen_at(entry.place, reason) for entry in entries if (reason := _why_unread(entry)) is not None]


def _why_unread(item: Node) -> str | None:
    value = item.value
    if isinstance(value, str):
        return f"the tool `{value}`, which is named and not defined"
    if not isinstance(value, dict):
        return None if value is None else "an entry that is not a definition"
    kind = value.get("type")
    if not isinstance(kind, str):
        kind = "function"
    if kind in _NO_TOOLS or "cachePoint" in value or is_tool_search(value.get("name")):
        return None
    if kind in ("mcp", "mcp_toolset", "mcp_servers"):
        server = next((value[key] for key in _SERVERS if isinstance(value.get(key), str)), None)
        return "the tools of a remote MCP server" if server is None else f"the tools of the MCP server `{server}`"
    if kind != "function":
        return f"a tool of the type `{kind}`, which is not known"
    body = value.get("function")
    holder = body if isinstance(body, dict) else value
    if not isinstance(holder.get("name"), str) or not holder["name"]:
        return _NO_NAME
    return f"the definition of `{holder['name']}`, {_UNKNOWN}"


_TOOLS_OF_A_ROW = ("tools", "functions", "function")
_ASKED = frozenset(("question", "query", "prompt", "instruction", "task", "answer", "answers", "ground_truth"))


def are_samples(roots: Iterable[Node]) -> bool:
    """Whether several values are the rows of a dataset: each has tools of its own beside what is asked or answered.

    Evaluations have them by the hundred, written for a program that changes them before a model sees them (the Berkeley
    Function Calling Leaderboard has the types of Python and Java in them).
    """
    rows = [root for root in roots if isinstance(root.value, dict) and not _ASKED.isdisjoint(root.value)]
    if len(rows) < 2:
        return False
    lists = (row.get(key) for row in rows for key in _TOOLS_OF_A_ROW)
    return any(
        found.is_plain
        for node in lists
        if node is not None and isinstance(node.value, list)
        for found in _find_lists(node)
    )


def lookalike(root: Node) -> Unseen | None:
    """A definition of a kind of its own at a value, or in the list that it is: one that lists parameters and has no schema."""
    entries = root.value if isinstance(root.value, list) else [root.value]
    for index, entry in enumerate(entries):
        if _lists_parameters(entry):
            place = root.tree.at((*root.path, index) if entries is root.value else root.path).place
            return unseen_at(place, f"the definition of `{entry['name']}`, {_UNKNOWN}")
    return None


def _lists_parameters(value: Any) -> bool:
    if not isinstance(value, dict) or not all(isinstance(value.get(key), str) for key in ("name", "description")):
        return False
    taken = value.get("parameters")
    # Those of an HTTP interface say where they are sent.
    return (
        isinstance(taken, list)
        and bool(taken)
        and all(_has_name(each) and "description" in each and "in" not in each for each in taken)
    )


def find_tool_lists(root: Node, *, named_tool: bool) -> list[ToolList]:
    """The tool lists of one value: recognised only, so that asking costs little.

    `named_tool`: the file's name or the user says that it holds tools, which a list of bare names or of names and
    descriptions, or an empty one, needs, unless another list is plainly one of tools.
    """
    if isinstance(root.value, dict):
        single = _format_of(root.value)
        if single is not None and (not single.weak or named_tool):
            return [ToolList([(root, single, None)], [])]
    lists = [found for node in _candidates(root) for found in _find_lists(node)]
    if any(found.is_plain for found in lists):
        return lists
    if not lists and isinstance(root.value, dict) and (by_name := _named_lists(root, named_tool=named_tool)):
        return by_name
    if named_tool or _is_registry(root.value):
        # A list of names grants tools and defines none, whatever the file is called; an empty list may be one of tools.
        return [found for found in lists if found.items or not found.others]
    return []


def _named_lists(root: Node, *, named_tool: bool) -> list[ToolList]:
    """The lists of an object that holds several by names of its own; unless its file is named for tools, nothing else."""
    lists: list[ToolList] = []
    registry = _is_registry(root.value)
    for _, member in root.members():
        if isinstance(member.value, list | dict) and member.value:
            if (
                not named_tool
                and not registry
                and isinstance(member.value, list)
                and not any(map(_is_named, member.value))
            ):
                # The messages of a conversation, of which there are many.
                return []
            found = list(_find_lists(member))
            if not named_tool and not (found and all(map(_is_whole, found))):
                return []
            lists.extend(found)
    # The nodes of a workflow have names and parameters too, some of which look like a schema.
    if not any(map(_is_whole, lists)):
        return []
    # What has no names there is something else.
    return [found for found in lists if found.items or any(_has_name(other.value) for other in found.others)]


def _is_whole(found: ToolList) -> bool:
    """Whether a list holds definitions with schemas alone: prompts have names and arguments as well."""
    return not found.others and any(format.schemas and not format.weak for _, format, _ in found.items)


def _has_name(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("name"), str)


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
    return bool(value) and all(map(_is_described, value.values()))


def _is_described(item: Any) -> bool:
    """Whether a member of an object is a definition without a name, which is its key."""
    return isinstance(item, dict) and (
        ("description" in item and any(key in item for key in _SCHEMA_KEYS))
        or ("docstring" in item and "signature" in item)  # a command of a SWE-agent bundle
    )


def _is_toolbox(value: dict[str, Any]) -> bool:
    """Whether every member of an object is a tool of a database server, of which some take nothing."""
    toolbox = named("toolbox")
    return bool(value) and all(isinstance(item, dict) and toolbox.fits({"name": "", **item}) for item in value.values())


def _find_lists(node: Node) -> Iterator[ToolList]:
    """The list at a node, and those of its namespaces, where other tools may have the same names."""
    found = _find_list(node)
    if found is None:
        return
    namespaces = [entry for entry in found.others if _is_namespace(entry.value)]
    if found.items or not namespaces:
        others = [entry for entry in found.others if not _is_namespace(entry.value)]
        yield found._replace(others=others)
    for namespace in namespaces:
        inner = _find_list(namespace)
        if inner is not None:
            yield inner


def _is_namespace(entry: Any) -> bool:
    """Whether an entry is a group of tools that share a description (OpenAI Responses API, `tools`)."""
    return isinstance(entry, dict) and entry.get("type") == "namespace" and isinstance(entry.get("tools"), list)


def _find_list(node: Node) -> ToolList | None:
    found = ToolList([], [])
    if isinstance(node.value, dict):
        nested = node.get("tools")
        if nested is not None and isinstance(nested.value, list):
            return _find_list(nested)
        toolbox = _is_toolbox(node.value)
        members = node.value.values()
        if not toolbox and not (any(map(_is_described, members)) and all(isinstance(item, dict) for item in members)):
            return None
        for name, item in node.members():
            definition = {"name": name, **item.value}
            if toolbox or _is_described(item.value):
                found.items.append((item, _format_of(definition) or named("function"), name))
            else:
                found.others.append(Node(item.tree, item.path, definition))
        return found
    items = list(_items(node))
    formats = [_format_of(item.value) for item in items]
    if any(format is not None and format.name == "harn" for format in formats) or _in_registry(node):
        # Within a registry, an item without any mark of its own is an entry like the others.
        harn = named("harn")
        formats = [
            harn
            if isinstance(item.value, dict) and (format is None or format.name in ("function", "catalogue"))
            else format
            for item, format in zip(items, formats, strict=True)
        ]
    else:
        formats = _agreed(items, formats)
    for item, format in zip(items, formats, strict=True):
        if format is not None:
            found.items.append((item, format, None))
        else:
            found.others.append(item)
    return found


def _agreed(items: list[Node], formats: list[ToolFormat | None]) -> list[ToolFormat | None]:
    """The formats of the items of a list: where all that are plainly of one are of the same, that of the others too."""
    # Each format is there once.
    plain = {id(format): format for format in formats if format is not None and not format.weak}
    if len(plain) != 1:
        return formats
    ((known, common),) = plain.items()
    if any(isinstance(item.value, dict) and "inputSchema" in item.value for item in items):
        # The list is what is served: an entry without a schema is not one of a catalogue that leaves them all out.
        common = common._replace(schema_required=True)
    return [
        common if id(format) == known or _may_join(item.value, common) else format
        for item, format in zip(items, formats, strict=True)
    ]


def _may_join(item: Any, format: ToolFormat) -> bool:
    """Whether an item without a format of its own can be one of a list of that format: it has a name and makes no call."""
    if not isinstance(item, dict):
        return False
    body = item.get(format.body) if format.body is not None else None
    holder = body if isinstance(body, dict) else item
    return (
        isinstance(holder.get("name"), str) and "arguments" not in holder and item.get("type", "function") == "function"
    )


def _in_registry(node: Node) -> bool:
    return bool(node.path) and _is_registry(node.tree.at(node.path[:-1]).value)


def _items(node: Node) -> Iterator[Node]:
    """The entries of a list; Gemini's are unpacked, which have a key for each kind of tool."""
    for item in node.elements():
        value = item.value
        if not isinstance(value, dict) or not value or _GEMINI_KINDS.keys().isdisjoint(value):
            yield item
        elif any(isinstance(value.get(key), list) for key in _GROUPS) or _GEMINI_KINDS.keys() >= value.keys():
            for key, member in item.members():
                if key in _GEMINI_KINDS:
                    yield from _of_gemini(member)
        else:
            yield item


def _of_gemini(member: Node) -> Iterator[Node]:
    """What a key of a tool of Gemini stands for: the functions that it declares, or a tool by its kind."""
    kind = _GEMINI_KINDS[str(member.key)]
    if kind in _GROUPS and isinstance(member.value, list):
        yield from _items(member)
    else:
        yield Node(member.tree, member.path, {"type": kind})


@cache
def _naming_keys() -> frozenset[str]:
    """The keys of which a definition of any format has one: what holds its name, or the name itself; those of Gemini too."""
    keys = (key for format in tool_formats() for key in (format.body, format.name_key) if key is not None)
    return frozenset((*keys, *_GEMINI_KINDS))


def _is_named(item: Any) -> bool:
    """Whether an item has a key of which a definition, or what holds some, has one."""
    return isinstance(item, dict) and not _naming_keys().isdisjoint(item)


def _format_of(item: Any) -> ToolFormat | None:
    if _is_named(item):
        for format in tool_formats():
            if format.fits(item):
                return format
    return None


def _read_keyed(item: Node, format: ToolFormat, name: str) -> Tool | None:
    """A tool whose name is its key, unless it states another."""
    tool = format.read(Node(item.tree, item.path, {"name": name, **item.value}))
    if tool is not None and "name" not in item.value:
        tool.name_node = Node(item.tree, item.path, name)
        tool.name_place = item.key_place
    return tool
