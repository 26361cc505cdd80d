"""Snapshots: what running MCP servers served when they were asked, as `toolsurface-lint snapshot` writes it.

A snapshot is a recording: its tools are all that its servers have, and nothing in it is changed by a fix.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.model.agent import Agent
from toolsurface_lint.model.document import Document
from toolsurface_lint.model.prompt import Prompt
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.unseen import Unseen, unseen_at
from toolsurface_lint.readers.document_reader import DocumentReader
from toolsurface_lint.readers.prompts import read_prompt
from toolsurface_lint.readers.tool_format import named
from toolsurface_lint.source.tree import Node

MARK = "toolsurfaceSnapshot"
"""The key of the version of the document."""
VERSION = 1


def _recognises(root: Node, document: Document) -> bool:
    return MARK in root.value


def _read(root: Node, document: Document) -> None:
    document.recorded = True
    version, servers = root.get(MARK), root.get("servers")
    if version is None or version.value != VERSION or isinstance(version.value, bool):
        _note_unread(document, version or root, "a snapshot of a version that is not read")
    elif servers is None or not isinstance(servers.value, list):
        _note_unread(document, root, "a snapshot without a list of servers")
    else:
        for server in servers.elements():
            _read_server(server, document)


def _note_unread(document: Document, node: Node, reason: str) -> None:
    """Note that there may be tools which are not seen: a list of them that nobody knows."""
    document.tool_lists.append([])
    document.open_reasons.append(unseen_at(node.place, reason))


def _read_server(server: Node, document: Document) -> None:
    name, tools = server.string("name"), server.get("tools")
    if name is None or not name.value or tools is None or not isinstance(tools.value, list):
        _note_unread(document, server, "a server of a snapshot without a name or a list of tools")
        return
    key = f"{document.path}#{name.value}"
    served: list[Tool] = []
    # What is served has a schema; only other lists of tools leave it out.
    form = named("mcp")._replace(schema_required=True)
    unseen: list[Unseen] = []
    for item in tools.elements():
        tool = form.read(item) if isinstance(item.value, dict) else None
        if tool is None:
            unseen.append(unseen_at(item.place, "an entry of a snapshot's list of tools that is not a tool"))
            continue
        tool.optional = False
        tool.server, tool.namespace, tool.origin = str(name.value), key, document.path
        served.append(tool)
    document.tool_lists.append(served)
    prompts = list(_prompts(server))
    for prompt in prompts:
        prompt.told_to = (key,)
    document.prompts.extend(prompts)
    document.agents.append(
        Agent(key, str(name.value), "snapshot", name.place, served, [], frozenset(), unseen, serves=True)
    )
    document.open_reasons.extend(unseen)


def _prompts(server: Node) -> Iterator[Prompt]:
    """What a server says to the model that reads it, and what it says of each of its prompts."""
    texts = [server.string("instructions"), *(each.string("description") for each in server.elements("prompts"))]
    for text in texts:
        if text is not None and text.value:
            yield read_prompt(text.tree, text.path, ".".join(map(str, text.path)))


READER = DocumentReader("tools", 5, True, _recognises, _read)
