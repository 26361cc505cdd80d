"""Configuration of Codex: the approval policy, the sandbox, and the tools of servers.

Source: openai/codex 2026-05 to 2026-08, documentation of `config.toml`.
"""

from __future__ import annotations

from toolsurface_lint.model.document import Document
from toolsurface_lint.model.permission import ALLOW, DENY, PermissionFile, PermissionRule
from toolsurface_lint.readers.document_reader import DocumentReader
from toolsurface_lint.readers.documents.mcp_servers import releases_of, server_file
from toolsurface_lint.readers.permissions import choice, texts_of
from toolsurface_lint.source.tree import Node

_APPROVALS = ("untrusted", "on-failure", "on-request", "never")
_SANDBOXES = ("read-only", "workspace-write", "danger-full-access")
_TOOL_APPROVALS = ("auto", "prompt", "approve", "writes")
_LISTS = (("enabled_tools", ALLOW), ("disabled_tools", DENY))
_TELLING = ("approval_policy", "sandbox_mode", "mcp_servers")


def _recognises(root: Node, document: Document) -> bool:
    if document.language != "toml" or not isinstance(root.value.get("mcp_servers", {}), dict):
        return False
    return _is_codex(document) or any(key in root.value for key in _TELLING)


def _is_codex(document: Document) -> bool:
    """Whether the file is Codex's own by its place, and not one of another program with the same keys."""
    return f"/{document.location}".endswith("/.codex/config.toml")


def _read(root: Node, document: Document) -> None:
    file = PermissionFile(root, "codex")
    approval, sandbox = root.get("approval_policy"), root.get("sandbox_mode")
    # A table says in detail what is asked about.
    if approval is not None and not isinstance(approval.value, dict):
        _check_word(file, approval, "approval_policy", _APPROVALS)
    _check_word(file, sandbox, "sandbox_mode", _SANDBOXES)
    if approval is not None and approval.value == "never" and root.value.get("sandbox_mode") == "danger-full-access":
        file.add("broad/unconfined", approval.place, "approval_policy")
    if _is_codex(document):
        from toolsurface_lint.readers.settings_keys import read_settings_keys

        read_settings_keys(file, root, "codex")
    servers = root.get("mcp_servers")
    if servers is not None:
        from toolsurface_lint.readers.server_lists import read_server_list

        file.releases = releases_of(servers)
        document.server_files.append(server_file(document.path, servers))
        read_server_list(file, servers, "codex")
    for server, definition in root.members("mcp_servers"):
        file.servers[server] = definition.key_place
        _read_server(file, server, definition)
    document.permissions.append(file)
    document.complete = True


def _read_server(file: PermissionFile, server: str, definition: Node) -> None:
    field = f"mcp_servers.{server}"
    for key, action in _LISTS:
        for node in texts_of(file, definition.get(key), f"{field}.{key}"):
            rule = PermissionRule(node.value, node.place, action, f"{field}.{key}")
            rule.server = server
            rule.server_tool = node.value
            rule.tool = f"mcp__{server}__{node.value}"
            file.rules.append(rule)
    _check_word(
        file, definition.get("default_tools_approval_mode"), f"{field}.default_tools_approval_mode", _TOOL_APPROVALS
    )
    for name, tool in definition.members("tools"):
        _check_word(file, tool.get("approval_mode"), f"{field}.tools.{name}.approval_mode", _TOOL_APPROVALS)


def _check_word(file: PermissionFile, node: Node | None, field: str, words: tuple[str, ...]) -> None:
    choice(file, node, field, words, "rejected/codex", key=field.rpartition(".")[2])


READER = DocumentReader("permissions", 34, False, _recognises, _read)
