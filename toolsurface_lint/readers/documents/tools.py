"""Tool definitions: a registry, a provider's list, one bare tool, tools keyed by name."""

from __future__ import annotations

import os

from toolsurface_lint.model.document import Document
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.readers.document_reader import DocumentReader
from toolsurface_lint.readers.embedded_prompts import embedded_prompts
from toolsurface_lint.readers.tool_list import ToolList, find_tool_lists
from toolsurface_lint.source.tree import Node


def _recognises(root: Node, document: Document) -> tuple[Node, list[ToolList]] | None:
    named_tool = "tool" in os.path.basename(document.path).lower() or "tools" in document.kinds
    lists = find_tool_lists(root, named_tool=named_tool)
    return (root, lists) if lists else None


def _read(recognised: tuple[Node, list[ToolList]], document: Document) -> None:
    root, lists = recognised
    before = len(document.tool_lists)
    for found in lists:
        tools, unseen = found.read()
        document.tool_lists.append(tools)
        document.open_reasons.extend(unseen)
        document.tool_search = document.tool_search or found.searched
    prompts = embedded_prompts(root) if isinstance(root.value, dict) else []
    if prompts:
        # A prompt next to a list is about this list, whatever other lists lie in the same folder.
        surface = Surface(document.path, document=True)
        surface.tools = [tool for tools in document.tool_lists[before:] for tool in tools]
        surface.prompts = prompts
        surface.tool_search = document.tool_search
        document.surfaces.append(surface)


_NAMES = r"[/_.-]tools\.(?:jsonc?|ya?ml|toml)\Z"
READER = DocumentReader("tools", 40, True, _recognises, _read, (dict, list), _NAMES)
