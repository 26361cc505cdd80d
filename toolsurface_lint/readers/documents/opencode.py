"""Configuration of OpenCode: `permission`, of the whole and of each agent; of the rules that match, the last decides.

Source: sst/opencode, documentation of permissions at 9dc1388; issue 40150 of its repository for keys without effect.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from toolsurface_lint.model.document import Document
from toolsurface_lint.model.names import slip
from toolsurface_lint.model.permission import ALLOW, ASK, DENY, GLOB, PermissionFile, PermissionRule
from toolsurface_lint.readers.document_reader import DocumentReader
from toolsurface_lint.readers.documents.mcp_servers import releases_of, server_file
from toolsurface_lint.readers.shape import shown
from toolsurface_lint.source.tree import Node

_CLIENT = "opencode"
_ACTIONS = (ALLOW, ASK, DENY)
# Tools that ask for permission under the key of another.
_GOVERNED_BY = {"write": "edit", "patch": "edit", "apply_patch": "edit", "multiedit": "edit"}


def _recognises(root: Node, document: Document) -> bool:
    name = os.path.basename(document.path)
    return name.startswith("opencode.json") or "opencode.ai/config" in str(root.value.get("$schema", ""))


def _read(root: Node, document: Document) -> None:
    from toolsurface_lint.readers.settings_keys import read_settings_keys

    document.complete = True
    keys = PermissionFile(root, _CLIENT)
    read_settings_keys(keys, root, _CLIENT)
    if keys.problems:
        document.permissions.append(keys)
    # Since version 2, servers are a member of their own there.
    servers = root.find("mcp", "servers") or root.get("mcp")
    if servers is not None:
        from toolsurface_lint.readers.server_lists import read_server_list

        file = PermissionFile(servers, _CLIENT)
        file.releases = releases_of(servers)
        document.server_files.append(server_file(document.path, servers))
        read_server_list(file, servers, _CLIENT)
        document.permissions.append(file)
    names = [] if servers is None else [name for name, _ in servers.members()]
    for group, agent, definition in _agents(root):
        tools = definition.get("tools")
        if tools is not None:
            file = PermissionFile(tools, _CLIENT)
            _read_tools(file, tools, names, f"{group}.{agent}.tools")
            document.permissions.append(file)
    for node, field in _permissions(root):
        file = PermissionFile(node, _CLIENT)
        read_permission(file, node, field)
        document.permissions.append(file)


def _permissions(root: Node) -> Iterator[tuple[Node, str]]:
    """Every `permission`: that of the whole, and of each agent, which are rule sets of their own."""
    own = root.get("permission")
    if own is not None:
        yield own, "permission"
    for group, name, agent in _agents(root):
        permission = agent.get("permission")
        if permission is not None:
            yield permission, f"{group}.{name}.permission"


def _agents(root: Node) -> Iterator[tuple[str, str, Node]]:
    """Every agent, with the member that holds it and its name."""
    for group in ("agent", "mode"):
        for name, agent in root.members(group):
            yield group, name, agent


def _read_tools(file: PermissionFile, node: Node, servers: list[str], field: str) -> None:
    """Read the switches of an agent's tools: those of a server have its name and `_` before theirs.

    Source: opencode.ai/docs/mcp-servers, 2026-11.
    """
    for name, member in node.members():
        if not isinstance(member.value, bool):
            continue
        rule = PermissionRule(name, member.key_place, ALLOW if member.value else DENY, f"{field}.{name}")
        rule.rank = len(file.rules)
        rule.server = max((each for each in servers if name.startswith(f"{each}_")), key=len, default=None)
        if rule.server is not None and "*" not in name and "?" not in name:
            rule.server_tool = name[len(rule.server) + 1 :]
        file.rules.append(rule)


def read_permission(file: PermissionFile, node: Node, field: str) -> None:
    """Read one `permission`: an action for all, or actions by tool, or by what the tool is called with."""
    if isinstance(node.value, str):
        _add(file, node, "*", None, field)
        return
    for tool, member in node.members():
        where = f"{field}.{tool}"
        governing = _GOVERNED_BY.get(tool)
        if governing is not None:
            # A second rule of that name would take the place of the first.
            governed = [_GOVERNED_BY[other] for other in node.value if other in _GOVERNED_BY]
            alone = governing not in node.value and governed.count(governing) == 1
            meant = governing if alone else None
            file.add("dead/governed", member.key_place, where, rule=tool, governing=governing, meant=meant)
            continue
        if isinstance(member.value, dict):
            for pattern, action in member.members():
                _add(file, action, tool, pattern, where)
        else:
            _add(file, member, tool, None, where)


def _add(file: PermissionFile, node: Node, tool: str, pattern: str | None, field: str) -> None:
    if node.value not in _ACTIONS:
        file.add("rejected/opencode", node.place, field, got=shown(node.value), near=slip(node.value, _ACTIONS))
        return
    rule = PermissionRule(pattern or tool, node.key_place if node.path else node.place, node.value, field)
    rule.tool = tool
    rule.specifier = None if pattern == "*" else pattern
    rule.matching = GLOB
    rule.rank = len(file.rules)
    file.rules.append(rule)
    if rule.action == ALLOW and rule.specifier is None and tool in ("*", "bash"):
        file.add("broad/name" if pattern is None else "broad/pattern", rule.place, field, rule=tool, pattern=pattern)


_NAMES = r"/opencode\.jsonc?\Z"
READER = DocumentReader("permissions", 33, False, _recognises, _read, names=_NAMES)
