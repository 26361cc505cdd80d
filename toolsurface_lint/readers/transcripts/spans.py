"""Spans of OpenTelemetry, one a line or in an export of OTLP, Tempo or Jaeger: requests to models by each convention for them.

- Generative AI: `gen_ai.input.messages`, `gen_ai.output.messages`, `gen_ai.tool.definitions`, each JSON text or a value;
  the events before them, `gen_ai.user.message` to `gen_ai.choice`; a call alone on a span `execute_tool`.
- OpenInference: `llm.input_messages.0.message.role`, `llm.output_messages`, `llm.tools.0.tool.json_schema`, flattened;
  `input.value` and `output.value` where a span has no messages.
- Google's ADK: `gcp.vertex.agent.llm_request` and `llm_response`.
- OpenLLMetry: `gen_ai.prompt.0.role`, `gen_ai.completion.0.tool_calls.0.name`, `llm.request.functions.0.name`, flattened.

Each request has the whole history: a conversation is read once (`ModelRequest`). Agents' spans, which repeat what the
requests in them say, come last. A span without recorded content has nothing to read. Sources:
open-telemetry/semantic-conventions-genai; Arize-ai/openinference, `spec/semantic_conventions.md`; traceloop/openllmetry,
`opentelemetry-semantic-conventions-ai`; the spans of Pydantic AI and of Microsoft's agent framework.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from toolsurface_lint.model.transcript import ASSISTANT, JSON_TEXT, TOOL, Call, CallShape, Contract, Result, Turn
from toolsurface_lint.readers.requests import (
    as_tools,
    decoded,
    find_tools,
    function_of,
    pydantic_ai_tools,
    read_answer,
    read_history,
)
from toolsurface_lint.readers.spans import Attributes, Span, composed, is_export, spans_of
from toolsurface_lint.readers.transcript_format import Envelope, ModelRequest, is_cut_off
from toolsurface_lint.source.composed import ComposedTree, joined
from toolsurface_lint.source.tree import Node, Path, Tree

_PREFIXES = ("gen_ai.", "llm.", "openinference.", "gcp.vertex.agent.")
_AGENTS = frozenset({"invoke_agent", "create_agent", "invoke_workflow"})
_SESSIONS = ("gen_ai.conversation.id", "session.id")


def _is_ours(span: Span) -> bool:
    attributes = span.attributes
    return attributes.begins(*_PREFIXES) or attributes.get("gen_ai") is not None or attributes.get("llm") is not None


def _recognises(value: dict[str, Any]) -> bool:
    return any(map(_is_ours, spans_of(Node(Tree(None, value), (), value))))


def _read(tree: Tree, path: Path, value: dict[str, Any]) -> Iterable[ModelRequest]:
    spans = list(spans_of(Node(tree, path, value)))
    if is_export(value):
        spans.sort(key=lambda span: (span.attributes.text("gen_ai.operation.name") in _AGENTS, span.start))
    return [request for span in spans for request in _requests(span)]


def _requests(span: Span) -> Iterator[ModelRequest]:
    attributes = span.attributes
    sessions = [name for key in _SESSIONS if (name := attributes.text(key)) is not None]
    traces = tuple(("span", name) for name in (span.trace, *sessions))
    call = _call_alone(span)
    if call is not None:
        if call:
            yield ModelRequest(traces, call, alone=True)
        return
    turns = _by_attributes(span) or _by_events(span)
    if turns:
        yield ModelRequest(traces, turns, _tools(span))


def _by_attributes(span: Span) -> list[Turn]:
    attributes, tree = span.attributes, span.node.tree
    turns = [
        *read_history(attributes.get("gen_ai.input.messages")),
        *read_answer(attributes.get("gen_ai.output.messages")),
    ]
    for sent, given in (("llm.input_messages", "llm.output_messages"), ("gen_ai.prompt", "gen_ai.completion")):
        if not turns:
            turns = [
                *read_history(composed(tree, _messages(attributes, sent))),
                *read_history(_first(composed(tree, _messages(attributes, given)))),
            ]
    if not turns:
        # Google's ADK has the request and the response of Gemini.
        turns = read_history(attributes.get("gcp.vertex.agent.llm_request"))
        turns += read_answer(attributes.get("gcp.vertex.agent.llm_response")) if turns else []
    if not turns and attributes.text("openinference.span.kind") == "LLM":
        turns = read_history(attributes.get("input.value"))
        turns += read_answer(attributes.get("output.value")) if turns else []
    return turns


def _first(node: Node | None) -> Node | None:
    """Of several choices, the first."""
    return node if node is None or len(node.value) == 1 else joined(node, [next(node.elements())])


_WRAPPERS = frozenset({"message", "tool_call", "message_content"})


def _messages(attributes: Attributes, prefix: str) -> Iterator[tuple[Path, Node]]:
    """Flattened messages in OpenAI's form."""
    for path, node in attributes.below(prefix):
        if type(path[0] if path else None) is not int:
            continue
        # Each wrapper comes after an index: `tool_calls.0.tool_call.function.name`.
        steps = [step for at, step in enumerate(path) if step not in _WRAPPERS or type(path[at - 1]) is not int]
        if steps[1:2] == ["contents"]:
            steps[1] = "content"
        yield tuple(steps), node


def _tools(span: Span) -> Node | None:
    attributes, tree = span.attributes, span.node.tree
    tools = as_tools(attributes.get("gen_ai.tool.definitions"))
    if tools is not None:
        return tools
    listed = composed(tree, attributes.below("llm.tools"))
    if listed is not None:
        return as_tools(joined(listed, [_definition(item) for item in listed.elements()]))
    flat = composed(tree, attributes.below("llm.request.functions"))
    if flat is not None:
        return joined(flat, [function_of(item, "parameters") for item in flat.elements()])
    made = pydantic_ai_tools(decoded(attributes.get("model_request_parameters")))
    return made or find_tools(*map(attributes.get, _REQUESTS))


_REQUESTS = ("llm.invocation_parameters", "input.value", "output.value", "gcp.vertex.agent.llm_request")


def _definition(item: Node) -> Node:
    """The definition that OpenInference has of a tool: the provider's, as JSON text."""
    return item.find("tool", "json_schema") or item.get("json_schema") or item.get("tool") or item


_EVENTS = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
    "gen_ai.choice": "assistant",
}
_DETAILS = "gen_ai.client.inference.operation.details"


def _by_events(span: Span) -> list[Turn]:
    """The messages of the events of a span, each in attributes or as JSON text; Pydantic AI has them in an attribute."""
    for event in span.event_nodes:
        if event.value.get("name") == _DETAILS:
            attributes = Attributes(event.get("attributes"))
            return [
                *read_history(attributes.get("gen_ai.input.messages")),
                *read_answer(attributes.get("gen_ai.output.messages")),
            ]
    found = [
        _event_message(name, _body(event), event)
        for event in span.event_nodes
        if type(name := event.value.get("name")) is str and name in _EVENTS
    ]
    if not found:
        kept = decoded(span.attributes.get("events") or span.attributes.get("all_messages_events"))
        for event in () if kept is None else kept.elements():
            name = event.value.get("event.name") if type(event.value) is dict else None
            if type(name) is str and name in _EVENTS:
                found.append(_event_message(name, event, event))
    return read_history(joined(span.node, found)) if found else []


def _body(event: Node) -> Node:
    """What an event says: JSON text in one attribute, or an attribute for each member."""
    attributes = Attributes(event.get("attributes"))
    body = decoded(attributes.get("gen_ai.event.content") or event.get("body"))
    if body is not None and type(body.value) is dict:
        return body
    value: dict[str, Any] = {}
    parts: dict[Path, Node] = {}
    for name in ("role", "content", "tool_calls", "id", "message", "finish_reason", "name"):
        node = attributes.get(name)
        if node is not None:
            node = node if name == "content" else decoded(node) or node
            value[name] = node.value
            parts[(name,)] = node
    return ComposedTree(event.tree, value, parts).root


def _event_message(name: str, body: Node, event: Node) -> Node:
    """The message of an event in OpenAI's form; its role is in its name, and the id of a result is `id`."""
    message = body.get("message") if name == "gen_ai.choice" else None
    inner = message if message is not None and type(message.value) is dict else body
    value: dict[str, Any] = {"role": _EVENTS[name]}
    parts: dict[Path, Node] = {("role",): event.get("name") or event}
    if name == "gen_ai.choice" and is_cut_off(body.value):
        value["finish_reason"] = body.value.get("finish_reason")
    for key, member in (("content", "content"), ("tool_calls", "tool_calls"), ("name", "name")):
        node = inner.get(member)
        if node is not None:
            value[key] = node.value
            parts[(key,)] = node
    if message is not None and type(message.value) is str:
        value["content"] = message.value
        parts[("content",)] = message
    id = inner.get("id") or inner.get("tool_call_id")
    if id is not None and name == "gen_ai.tool.message":
        value["tool_call_id"] = id.value
        parts[("tool_call_id",)] = id
    value.setdefault("content", None)
    return ComposedTree(event.tree, value, parts).root


_CALL = CallShape(("id",), ("name",), ("arguments",), JSON_TEXT)
_CONTRACT = Contract(adjacent=False)


def _call_alone(span: Span) -> list[Turn] | None:
    """The call that a span is of, and its result; None for a span of anything else."""
    attributes = span.attributes
    name = attributes.get("gen_ai.tool.name")
    if name is None or attributes.text("gen_ai.operation.name") not in ("execute_tool", None):
        return None
    arguments = attributes.get("gen_ai.tool.call.arguments") or attributes.get("tool_arguments")
    if type(name.value) is not str or arguments is None or type(arguments.value) not in (str, dict):
        return []
    parts: dict[Path, Node] = {("name",): name, ("arguments",): arguments}
    id = attributes.get("gen_ai.tool.call.id")
    if id is not None:
        parts[("id",)] = id
    result = attributes.get("gen_ai.tool.call.result") or attributes.get("tool_response")
    if result is not None:
        parts[("result",)] = result
    value = {str(path[0]): node.value for path, node in parts.items()}
    tree = ComposedTree(span.node.tree, value, parts)
    called = id.value if id is not None and type(id.value) is str else None
    call = Call(tree, (), _CALL, called, name.value, arguments.value)
    turns = [Turn(tree, (), ASSISTANT, None, _CONTRACT, calls=(call,))]
    if result is not None or span.failed:
        content = None if result is None else result.value
        where: Path = ("id",) if called is not None else ("name",)
        answer = Result(tree, (), called, name.value, where, span.failed, content)
        turns.append(Turn(tree, (), TOOL, None, _CONTRACT, results=(answer,)))
    return turns


ENVELOPE = Envelope(
    25, _recognises, _read, marks=frozenset({"resourceSpans", "resource_spans", "batches", "data", "attributes"})
)
