"""Exports of Langfuse: a trace with its `observations`, lists and lines of observations; those of type `GENERATION` are requests.

`input` and `output` are whatever an instrumentation gave, as a value or as its JSON text: messages, requests and responses
of any provider, and what OpenTelemetry's, LangChain's and the Vercel AI SDK's integrations write. LangChain's puts the
definitions of tools among the messages. Each request has the whole history: a conversation is read once (`ModelRequest`).
Source: langfuse/langfuse, `packages/shared/src/domain/observations.ts`, and its traces of 20 frameworks,
`worker/src/__tests__/chatml/framework-traces`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from toolsurface_lint.readers.requests import (
    as_tools,
    decoded,
    find_tools,
    objects_at,
    pydantic_ai_tools,
    read_answer,
    read_history,
    start_of,
)
from toolsurface_lint.readers.transcript_format import Envelope, ModelRequest, text_of
from toolsurface_lint.source.composed import ComposedTree, joined
from toolsurface_lint.source.tree import Node, Path, Tree

_TYPES = frozenset({
    "GENERATION", "SPAN", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL",
})  # fmt: skip
_TRACE = ("traceId", "trace_id")
_SESSION = ("sessionId", "session_id")


def _is_observation(value: Any) -> bool:
    return (
        type(value) is dict
        and text_of(value.get("type")) in _TYPES
        and any(type(value.get(key)) is str for key in _TRACE)
        and ("startTime" in value or "start_time" in value)
    )


def _recognises(value: dict[str, Any]) -> bool:
    observations = value.get("observations")
    return _is_observation(value) or (type(observations) is list and any(map(_is_observation, observations)))


def _read(tree: Tree, path: Path, value: dict[str, Any]) -> Iterator[ModelRequest]:
    if _is_observation(value):
        yield from _requests(Node(tree, path, value), None)
        return
    trace = value.get("trace", value)
    session = next((trace[key] for key in _SESSION if trace.get(key)), None) if type(trace) is dict else None
    found = [node for node in objects_at(Node(tree, path, value), "observations") if _is_observation(node.value)]
    for node in sorted(found, key=lambda node: start_of(node.value, "startTime", "start_time")):
        yield from _requests(node, text_of(session))


def _requests(node: Node, session: str | None) -> Iterator[ModelRequest]:
    value = node.value
    if value["type"] != "GENERATION":
        return
    session = session or next((value[key] for key in _SESSION if type(value.get(key)) is str), None)
    traces: list[Hashable] = [("langfuse", value[key]) for key in _TRACE if type(value.get(key)) is str]
    if session is not None:
        traces.append(("langfuse session", session))
    sent, tools = _without_definitions(decoded(node.get("input")))
    given = decoded(node.get("output"))
    turns = [*read_history(sent), *read_answer(given)]
    if turns:
        yield ModelRequest(tuple(traces), turns, tools or _tools(node, sent, given))


def _without_definitions(sent: Node | None) -> tuple[Node | None, Node | None]:
    """The messages without those that are definitions of tools, and these."""
    if sent is None or type(sent.value) is not list:
        return sent, None
    definitions: list[Node] = []
    others: list[Node] = []
    for item in sent.elements():
        content = item.get("content") if type(item.value) is dict and item.value.get("role") == "tool" else None
        if content is not None and type(content.value) is dict and type(content.value.get("function")) is dict:
            definitions.append(content)
        else:
            others.append(item)
    if not definitions:
        return sent, None
    return joined(sent, others), joined(sent, definitions)


def _tools(node: Node, sent: Node | None, given: Node | None) -> Node | None:
    """The definitions that were sent, wherever the integration has put them."""
    metadata = decoded(node.get("metadata"))
    attributes = None if metadata is None else decoded(metadata.get("attributes"))
    if attributes is not None:
        tools = as_tools(attributes.get("gen_ai.tool.definitions")) or pydantic_ai_tools(
            decoded(attributes.get("model_request_parameters"))
        )
        if tools is not None:
            return tools
    return find_tools(sent, metadata, given) or _extracted(node)


def _extracted(node: Node) -> Node | None:
    """The definitions that Langfuse itself has found: for each name the JSON text of its description and parameters."""
    found: list[Node] = []
    for name, member in node.members("toolDefinitions"):
        said = decoded(member)
        if said is not None and type(said.value) is dict:
            parameters = decoded(said.get("parameters"))
            value = {"type": "function", "name": name, "description": said.value.get("description")}
            parts: dict[Path, Node] = {("name",): member, ("description",): said.get("description") or member}
            if parameters is not None and type(parameters.value) is dict:
                value["parameters"] = parameters.value
                parts[("parameters",)] = parameters
            found.append(ComposedTree(member.tree, value, parts).root)
    return joined(node, found) if found else None


ENVELOPE = Envelope(26, _recognises, _read, marks=frozenset({"traceId", "trace_id", "observations"}))
