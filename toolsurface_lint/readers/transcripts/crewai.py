"""Events of CrewAI, as its event bus has them and as its traces write them, the event in `event_data`.

A `tool_usage_started` has `tool_name` and `tool_args`, text or an object; what came of it is in a `tool_usage_finished` or
`tool_usage_error` that names it as its `started_event_id`, in older versions by the name of the tool alone. A call that
fails is tried again by the framework. Tools are only described there, and what a model is sent is cut off, so neither is
read. The messages of a task are those of OpenAI, in `tasks_output`.
Source: crewAIInc/crewAI, `events/types/tool_usage_events.py` and `events/listeners/tracing`, and what its crews write.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolsurface_lint.model.transcript import (
    ASSISTANT,
    FREE,
    JSON_TEXT,
    TOOL,
    UNREADABLE,
    Call,
    CallShape,
    Contract,
    Result,
    Turn,
)
from toolsurface_lint.readers.transcript_format import Envelope, TranscriptEntry, text_of
from toolsurface_lint.source.tree import Path, Tree

_CONTRACT = Contract(adjacent=False, itemised=True, client_tools=None, wire=True)
_CALL = CallShape(("event_id",), ("tool_name",), ("tool_args",), JSON_TEXT)
_FREE = _CALL._replace(encoding=FREE)
_KINDS = ("tool_usage_", "crew_kickoff_", "task_", "agent_execution_", "llm_call_", "flow_", "method_execution_")
_RESULTS = {"tool_usage_finished": "output", "tool_usage_error": "error"}


def _recognises(event: dict[str, Any]) -> bool:
    kind = text_of(event.get("type"))
    if kind is None or "timestamp" not in event or not kind.startswith(_KINDS):
        return False
    return "event_id" in event or "source_fingerprint" in event


def _read(tree: Tree, path: Path, event: dict[str, Any]) -> Sequence[TranscriptEntry]:
    data = event.get("event_data")
    if type(data) is dict:
        path = (*path, "event_data")
    else:
        data = event
    name = text_of(data.get("tool_name"))
    kind = event["type"]
    if name is None:
        return ()
    if kind == "tool_usage_started":
        call = Call(tree, path, _CALL, text_of(data.get("event_id")), name, data.get("tool_args"))
        if call.value is UNREADABLE:
            # What a model wrote that is not JSON is mended before the tool gets it.
            call.shape = _FREE
        turn = Turn(tree, path, ASSISTANT, None, _CONTRACT, calls=(call,))
    elif kind in _RESULTS:
        id = text_of(data.get("started_event_id"))
        failed = kind == "tool_usage_error" or bool(data.get("failure"))
        at: Path = ("tool_name",) if id is None else ("started_event_id",)
        result = Result(tree, path, id, name if id is None else None, at, failed, data.get(_RESULTS[kind]))
        turn = Turn(tree, path, TOOL, None, _CONTRACT, results=(result,))
    else:
        return ()
    return (TranscriptEntry(("crewai", text_of(data.get("task_id"))), turn),)


ENVELOPE = Envelope(55, _recognises, _read)
