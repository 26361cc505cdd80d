"""Surfaces described in one place: the Harn specification's surface object, from a file or from a caller's data."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.model.prompt import Prompt
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.readers.documents.approval_policy import read_approval_policy
from toolsurface_lint.readers.documents.policy import read_policy
from toolsurface_lint.readers.prompts import prompts_in, read_prompt
from toolsurface_lint.readers.tool_format import (
    named,
    set_annotations,
    set_deferred,
    set_schema,
    start_tool,
    tool_formats,
)
from toolsurface_lint.readers.tool_list import is_tool_search, unread
from toolsurface_lint.readers.tools.harn import read_entry
from toolsurface_lint.source.tree import Node

_NATIVE_TAKES = frozenset({"schema", "annotations", "description"})
_SURFACE_DECLARABLE = frozenset({"annotations"})
_PROVIDERS = ("ai-sdk", "openai", "bedrock", "gemini", "anthropic", "mcp", "hosted", "openai-custom")


def read_surface(surface: Node, options: Node | None = None, *, specified: bool = False) -> Surface:
    """The surface at a node, in the Harn specification's terms (semantics 1.3 and 1.9 of Harn).

    For each key the surface is asked first, and `options` only where the key is absent; texts are taken from both.
    `specified`: exactly the shapes that the Harn specification reads, as the API does; otherwise the entries of `tools` and
    `native_tools` may be of any provider's format, as files have them.
    """
    result = Surface("default", document=True, specified=specified)
    registry = _either(surface, options, "tools")
    others: list[Node] = []
    if registry is not None:
        for entry in _registry_entries(registry):
            tool = read_entry(entry, specified=True) if specified else _read_any(entry, native=False)
            if tool is not None:
                result.tools.append(tool)
            else:
                others.append(entry)
    native = _either(surface, options, "native_tools")
    if native is not None:
        declared = {tool.name for tool in result.tools}
        for item in native.elements():
            tool = read_native(item) if specified else _read_any(item, native=True)
            if tool is None:
                others.append(item)
            # One whose name the registry already has is dropped, as in Harn.
            elif tool.name not in declared:
                result.tools.append(tool)
    if not specified:
        result.add_open_reasons(unread(others))
    policy = _either(surface, options, "policy")
    if policy is not None and policy.value is not None:
        result.policies.append(read_policy(policy))
    approval = _either(surface, options, "approval_policy")
    if approval is not None and approval.value is not None:
        result.approvals.append(read_approval_policy(approval))
    for node in (surface, options):
        if node is not None:
            result.prompts.extend(_prompts(node))
    search = _either(surface, options, "tool_search")
    result.tool_search = search is not None and search.value is not None and search.value is not False
    return result


def _registry_entries(registry: Node) -> Iterator[Node]:
    """What is in a registry: a list, an object with a list under `tools`, or one object that is a tool itself."""
    if isinstance(registry.value, dict):
        inner = registry.get("tools")
        if inner is None or not isinstance(inner.value, list | tuple):
            yield registry
            return
        registry = inner
    yield from registry.elements()


def read_native(item: Node, *, top_level_name: bool = False) -> Tool | None:
    """A provider's tool in the Harn specification's reading: chat shape, `input_schema` or `parameters`.

    `top_level_name`: only a name next to the schema counts, not one in `function` (the workflow's own scope).
    """
    if not isinstance(item.value, dict):
        return None
    function = item.get("function")
    name = None if function is None or top_level_name else function.get("name")
    if name is None:
        name = item.get("name")
    if name is not None and is_tool_search(name.value):
        return None
    tool = start_tool(item, name, "native", _NATIVE_TAKES)
    if tool is None:
        return None
    if function is not None and tool.description is None:
        tool.description = function.string("description")
    in_function = None if function is None else function.get("parameters")
    set_schema(tool, in_function or item.get("input_schema") or item.get("parameters"))
    set_annotations(tool, item.get("annotations") or (None if function is None else function.get("annotations")))
    set_deferred(tool, item, function)
    return tool


def _read_any(entry: Node, *, native: bool) -> Tool | None:
    """An entry of a surface document: of a provider's format if it plainly is one, else of the list that it is in."""
    if not isinstance(entry.value, dict) or is_tool_search(entry.value.get("name")):
        return None
    for format in tool_formats():
        if format.name in _PROVIDERS and format.fits(entry.value):
            if not native and named("harn").fits(entry.value):
                break
            tool = format.read(entry)
            if tool is not None and tool.declarable:
                tool.declarable = tool.declarable | _SURFACE_DECLARABLE
            return tool
    return read_native(entry) if native else read_entry(entry)


def _either(surface: Node, options: Node | None, key: str) -> Node | None:
    found = surface.get(key)
    return options.get(key) if found is None and options is not None else found


def _prompts(node: Node) -> Iterator[Prompt]:
    yield from prompts_in(node, ("system", "prompt"))
    for text in node.elements("prompts"):
        if isinstance(text.value, str):
            yield read_prompt(text.tree, text.path, f"prompts[{text.key}]")
