"""ToolACE: `system` with a JSON list of functions in its prose, `conversations` with calls as `[Name With Spaces(key="x")]`.

A result is the turn of a `tool`, one for all calls of the turn before.
Source: the card and the data of Team-ACE/ToolACE.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolsurface_lint.model.transcript import ASSISTANT, TOOL, Contract, Turn
from toolsurface_lint.readers.conversations import messages_at, read_turns
from toolsurface_lint.readers.datasets._types import standard_tools
from toolsurface_lint.readers.transcript_format import DatasetSchema, FoundConversation, MessageFormat
from toolsurface_lint.readers.written_calls import written_calls
from toolsurface_lint.source.embedded import embedded_list
from toolsurface_lint.source.tree import Node

_INTRODUCED = "list of functions in JSON format"
_CONTRACT = Contract(answered=False, calls_in_text=True)


def _recognises(row: dict[str, Any]) -> bool:
    return "conversations" in row and type(row.get("system")) is str and _INTRODUCED in row["system"]


def _read(root: Node, format: MessageFormat | None) -> FoundConversation | None:
    found = messages_at(root.get("conversations"), format=format)
    system = root.string("system")
    if found is None or system is None:
        return None
    tools = embedded_list(system, system.value.find(_INTRODUCED))
    declared = _declared(tools)

    def turns() -> Iterator[Turn]:
        for turn in read_turns(found._replace(turns=None)):
            text = turn.node.string("value")
            if turn.role == ASSISTANT and not turn.calls and text is not None and text.value.lstrip()[:1] == "[":
                turn.calls = written_calls(text, declared)
                turn.contract = _CONTRACT
            elif turn.role == TOOL:
                turn.results = ()
            yield turn

    return found._replace(tools=tools, turns=turns, messages=[], format=None)


def _declared(tools: Node | None) -> Mapping[str, Sequence[str]]:
    declared: dict[str, Sequence[str]] = {}
    for tool in tools.elements() if tools is not None else ():
        name = tool.string("name")
        if name is not None and name.value:
            declared[name.value] = [key for key, _ in tool.members("parameters", "properties")]
    return declared


SCHEMA = DatasetSchema("ToolACE", 45, _recognises, _read, standard_tools)
