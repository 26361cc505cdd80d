"""INTELLECT-3 and other data of prime-rl: `prompt` and `completion`, two lists of messages that are one conversation.

`tools` or `tool_defs` are a list or JSON text. A prompt may be the text of a user.
Sources: PrimeIntellect-ai/prime-rl, `src/prime_rl/trainer/sft/data.py` and docs/training.md; the card of
PrimeIntellect/INTELLECT-3-SFT.
"""

from __future__ import annotations

from typing import Any

from toolsurface_lint.readers.conversations import carried_tools, format_of, listed
from toolsurface_lint.readers.transcript_format import DatasetSchema, FoundConversation, MessageFormat
from toolsurface_lint.source.composed import joined
from toolsurface_lint.source.tree import Node


def _recognises(row: dict[str, Any]) -> bool:
    return "completion" in row and "prompt" in row and not row.get("messages")


def _read(root: Node, format: MessageFormat | None) -> FoundConversation | None:
    completion = listed(root.get("completion"))
    if completion is None:
        return None
    prompt = listed(root.get("prompt"))
    messages = completion if prompt is None else joined(completion, [*prompt.elements(), *completion.elements()])
    found = format_of(messages.value, format)
    if found is None:
        return None
    return FoundConversation(messages.tree, messages.path, messages.value, found, carried_tools(root))


SCHEMA = DatasetSchema("prompt and completion (INTELLECT-3)", 70, _recognises, _read)
