"""Toucan: `messages` and `available_tools`, both JSON text, beside `question` and `target_tools`.

Sources: the repository TheAgentArk/Toucan and the card of the dataset Agent-Ark/Toucan-1.5M.
"""

from __future__ import annotations

from typing import Any

from toolsurface_lint.readers.conversations import messages_at, tools_at
from toolsurface_lint.readers.transcript_format import DatasetSchema, FoundConversation, MessageFormat
from toolsurface_lint.source.tree import Node


def _recognises(row: dict[str, Any]) -> bool:
    return "available_tools" in row and "messages" in row


def _read(root: Node, format: MessageFormat | None) -> FoundConversation | None:
    return messages_at(root.get("messages"), tools_at(root.get("available_tools")), format=format)


SCHEMA = DatasetSchema("Toucan", 10, _recognises, _read)
