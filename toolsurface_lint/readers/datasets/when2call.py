"""When2Call: `question`, `tools` as a list of JSON texts, `answers` of four kinds, `correct_answer` and `target_tool`.

Only where the correct answer is the call is it one: elsewhere the tool, or an argument, is missing by intent. The rows of
preferences have `messages`, `chosen_response` and `rejected_response`; a rejected response is wrong by intent too.
Source: NVIDIA/When2Call, README and `data/test/when2call_test_llm_judge.jsonl`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolsurface_lint.model.transcript import Turn
from toolsurface_lint.readers.conversations import format_of, listed, tools_at
from toolsurface_lint.readers.datasets._rows import answer, asked, calls_of
from toolsurface_lint.readers.datasets._types import standard_tools
from toolsurface_lint.readers.transcript_format import DatasetSchema, FoundConversation, MessageFormat
from toolsurface_lint.source.composed import joined
from toolsurface_lint.source.tree import Node


def _recognises(row: dict[str, Any]) -> bool:
    return "tools" in row and (
        ("correct_answer" in row and "answers" in row) or ("chosen_response" in row and "messages" in row)
    )


def _read(root: Node, format: MessageFormat | None) -> FoundConversation | None:
    tools = tools_at(root.get("tools"))
    chosen = root.get("chosen_response")
    messages = listed(root.get("messages"))
    if chosen is not None and messages is not None:
        whole = joined(messages, [*messages.elements(), chosen])
        found = format_of(whole.value, format)
        return None if found is None else FoundConversation(whole.tree, whole.path, whole.value, found, tools)

    def turns() -> Iterator[Turn]:
        yield from asked(root, "question")
        if root.value.get("correct_answer") == "tool_call":
            yield answer(root, calls_of(root.find("answers", "tool_call")))

    return FoundConversation(root.tree, root.path, [], None, tools, turns=turns)


SCHEMA = DatasetSchema("When2Call", 25, _recognises, _read, standard_tools)
