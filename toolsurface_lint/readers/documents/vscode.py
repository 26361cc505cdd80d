"""Settings of VS Code: which commands and tools its chat approves by itself.

Source: the documentation of VS Code on approving tools and terminal commands, 2026.
"""

from __future__ import annotations

from toolsurface_lint.model.document import Document
from toolsurface_lint.model.permission import ALLOW, DENY, PermissionFile, PermissionRule
from toolsurface_lint.readers.document_reader import DocumentReader
from toolsurface_lint.readers.shape import describe
from toolsurface_lint.source.tree import Node

_TERMINAL = "chat.tools.terminal.autoApprove"
_GLOBAL = "chat.tools.global.autoApprove"
_ANY_COMMAND = frozenset(("/.*/", "/.+/", "/^.*$/", "/^.+$/", "/^/", "/./", "/^.*/", "/.*$/", "/(.*)/"))


def _recognises(root: Node, document: Document) -> bool:
    return _TERMINAL in root.value or _GLOBAL in root.value


def _read(root: Node, document: Document) -> None:
    file = PermissionFile(root, None)
    everything = root.get(_GLOBAL)
    if everything is not None and everything.value is True:
        file.add("broad/everything", everything.place, _GLOBAL, rule=_GLOBAL)
    for command, node in root.members(_TERMINAL):
        approved = node.value.get("approve") if isinstance(node.value, dict) else node.value
        if approved is None:
            # Takes back what the defaults, or settings of a wider scope, say of it.
            continue
        if not isinstance(approved, bool):
            file.add("rejected/vs_code", node.place, _TERMINAL, rule=command, got=describe(approved))
            continue
        rule = PermissionRule(command, node.key_place, ALLOW if approved else DENY, _TERMINAL)
        rule.tool = "run_in_terminal"
        rule.specifier = command
        file.rules.append(rule)
        if approved and command in _ANY_COMMAND:
            file.add("broad/name", node.key_place, _TERMINAL, rule=command)
    document.permissions.append(file)
    document.complete = True


READER = DocumentReader("permissions", 36, False, _recognises, _read)
