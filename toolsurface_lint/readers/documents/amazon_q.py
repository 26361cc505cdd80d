"""Agents of Amazon Q and Kiro: `tools`, which the agent has, and `allowedTools`, which need no approval.

Source: aws/amazon-q-developer-cli, docs/agent-format.md.
"""

from __future__ import annotations

from collections.abc import Callable

from toolsurface_lint.model.document import Document
from toolsurface_lint.model.patterns import NameIndex, PatternSet, has_inner_wildcard
from toolsurface_lint.model.permission import ALLOW, PermissionFile, PermissionRule
from toolsurface_lint.readers.document_reader import DocumentReader
from toolsurface_lint.readers.documents.mcp_servers import releases_of
from toolsurface_lint.readers.permissions import texts_of
from toolsurface_lint.readers.prompts import prompts_in
from toolsurface_lint.source.tree import Node

_FOLDERS = (".amazonq/cli-agents/", ".aws/amazonq/cli-agents/", ".kiro/agents/")
_SHELLS = ("execute_bash", "shell")


def _recognises(root: Node, document: Document) -> bool:
    value = root.value
    if document.language != "json":
        return False
    if any(folder in f"/{document.location}" for folder in _FOLDERS):
        return "tools" in value or "allowedTools" in value
    names = [value.get(key) for key in ("tools", "allowedTools")]
    return all(isinstance(item, list) and all(isinstance(name, str) for name in item) for item in names)


def _read(root: Node, document: Document) -> None:
    file = PermissionFile(root, "amazon-q")
    file.closed = True
    if (servers := root.get("mcpServers")) is not None:
        file.releases = releases_of(servers)
    for server, definition in root.members("mcpServers"):
        file.servers[server] = definition.key_place
    file.servers_complete = root.value.get("useLegacyMcpJson") is False
    given = [_rule(node, "tools") for node in texts_of(file, root.get("tools"), "tools")]
    has = _owned(given)
    aliases = [alias.value for _, alias in root.members("toolAliases")]
    renamed = set(aliases) if all(isinstance(alias, str) for alias in aliases) else set()
    file.rules.extend(given)
    for node in texts_of(file, root.get("allowedTools"), "allowedTools"):
        rule = _rule(node, "allowedTools")
        if rule.text == "*":
            file.add("dead/everything", node.place, "allowedTools")
            continue
        if given and "*" not in rule.text and "?" not in rule.text and rule.text not in renamed and not has(rule):
            file.add("dead/not_given", node.place, "allowedTools", rule=rule.text)
        if rule.text in _SHELLS:
            file.add("broad/name", node.place, "allowedTools", rule=rule.text)
        file.rules.append(rule)
    document.permissions.append(file)
    prompts = prompts_in(root, ("prompt",), frozenset({"amazon-q"}))
    document.prompts.extend(prompt for prompt in prompts if not prompt.text.startswith("file://"))
    document.complete = True


def _rule(node: Node, field: str) -> PermissionRule:
    rule = PermissionRule(node.value, node.place, ALLOW, field)
    if rule.text.startswith("@") and rule.text != "@builtin":
        server, slash, tool = rule.text[1:].partition("/")
        rule.tool = rule.text if slash else f"{rule.text}/*"
        if "*" not in server and "?" not in server:
            rule.server = server
            rule.server_tool = tool if tool and "*" not in tool and "?" not in tool else None
    return rule


_MOST_TRIED = 100


def _owned(given: list[PermissionRule]) -> Callable[[PermissionRule], bool]:
    """Asks whether an agent has a tool, or any tool of a server; true where too many patterns would have to be tried."""
    patterns = [rule.tool for rule in given]
    if sum(map(has_inner_wildcard, patterns)) > _MOST_TRIED:
        return lambda wanted: True
    builtin = any(rule.text == "@builtin" for rule in given)
    tools, names = PatternSet(patterns, wildcards=True), NameIndex(patterns)
    return lambda wanted: (
        (builtin and not wanted.text.startswith("@"))
        or bool(tools.matching(wanted.tool))
        or names.matched(wanted.tool, 1)[1] > 0
    )


READER = DocumentReader("permissions", 35, False, _recognises, _read)
