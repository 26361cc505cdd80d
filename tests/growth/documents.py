"""The kinds of files that are read, one small example each, with the places where something may be repeated.

In the text of a file:

    §            a place for text as it is; nothing stands there otherwise
    ¤            the same inside a string of the language: escaped
    «, ... »     a block that may be repeated, what follows `«` up to a blank being the separator (`\\n` a line's end)
    №            in a block, the number of the repetition, so that names differ; elsewhere `0`

Every example is a folder of its own: what belongs together lies together.
"""

# ruff: noqa: E501

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import NamedTuple

from tests.growth.programs import PROGRAMS

PLACE = re.compile("[§¤]")
BLOCK = re.compile("«(\\S*) ([^«»]*)»")


class Document(NamedTuple):
    """One folder: its files by path, with marks, and the options that they are checked with."""

    name: str
    files: Mapping[str, str]
    options: Mapping[str, str] = {}

    def places(self) -> list[tuple[str, int]]:
        """Where text may be put in: the path and the index of the mark in its file."""
        return [(path, index) for path, text in self.files.items() for index, _ in enumerate(PLACE.findall(text))]

    def blocks(self) -> list[tuple[str, int]]:
        """What may be repeated: the path and the index of the block in its file."""
        return [(path, index) for path, text in self.files.items() for index, _ in enumerate(BLOCK.findall(text))]

    def written(
        self, texts: Mapping[tuple[str, int], str] | None = None, turns: Mapping[tuple[str, int], int] | None = None
    ) -> dict[str, str]:
        """The files with `texts` at their places and blocks repeated as often as `turns` says, once otherwise."""
        texts, turns = texts or {}, turns or {}
        return {path: _written(path, text, texts, turns) for path, text in self.files.items()}


def _written(path: str, text: str, texts: Mapping[tuple[str, int], str], turns: Mapping[tuple[str, int], int]) -> str:
    place = block = -1

    def filled(match: re.Match[str]) -> str:
        nonlocal place
        place += 1
        given = texts.get((path, place), "")
        return given if match[0] == "§" else json.dumps(given, ensure_ascii=False)[1:-1]

    def repeated(match: re.Match[str]) -> str:
        nonlocal block
        block += 1
        separator = match[1].replace("\\n", "\n")
        return separator.join(match[2].replace("№", str(turn)) for turn in range(turns.get((path, block), 1)))

    # Places first: a block that holds one repeats it.
    return BLOCK.sub(repeated, PLACE.sub(filled, text)).replace("№", "0")


TOOLS = """[{"name": "read_note", "description": "Reads one note of the user.", "inputSchema": {"type": "object",
"properties": {"path": {"type": "string", "description": "Which note."}}, "required": ["path"]}},
{"name": "write_note", "description": "Writes one note.", "inputSchema": {"type": "object", "properties":
{"path": {"type": "string", "description": "Which note."}, "text": {"type": "string"}}, "required": ["path"]},
"annotations": {"readOnlyHint": false, "destructiveHint": true}}]"""

_OWN_RULES = r"""select = ["ACME"]
[[rule]]
code = "ACME_UNIQUE"
subject = "tool"
where = { name = { not-pattern = "¤x" } }
assert = { "/annotations/title" = { unique = true }, "/annotations/tags" = { unique = true, defined = "declared" } }
message = "{name} {description} {parameters} {surface.tools} {value}"
[[rule]]
code = "ACME_TEXT"
subject = "tool"
assert = { description = { pattern = "^(a|aa)+$", not-pattern = "a(.*b)?", casing = "snake_case" }, "/inputSchema" = { schema = { "$ref" = "#/$defs/a", "$defs" = { a = { anyOf = [{ type = "array" }, { additionalProperties = { "$ref" = "#/$defs/a" } }] } } } } }
message = "{name} {description} {match} {problem}"
fix = { replace = "a*", with = "b" }
[[rule]]
code = "ACME_PARAMETER"
subject = "parameter"
assert = { description = { required = true, length = { max = 1 } }, tool = { parameters = { count = { max = 1 } } } }
message = "{path} {tool.parameters}"
[[rule]]
code = "ACME_REFERENCE"
subject = "reference"
assert = { declared = false, after = { pattern = "^$" } }
message = "{name} {after}"
[[rule]]
code = "ACME_PROMPT"
subject = "prompt"
assert = { text = { not-pattern = "e" } }
message = "{text}"
[[rule]]
code = "ACME_ENTRY"
subject = "policy-entry"
assert = { pattern = { defined = "active" } }
message = "{pattern} {surface.tools}"
[[rule]]
code = "ACME_CALL"
subject = "call"
assert = { arguments = { count = { max = 0 } }, name = { defined = "declared" } }
message = "{name} {arguments}"
[[rule]]
code = "ACME_RESULT"
subject = "result"
assert = { text = { required = false } }
message = "{name} {text}"
"""
_MANY_RULES = r"""select = ["ACME"]
«\n [[rule]]
code = "ACME_R№"
subject = "tool"
assert = { description = { not-pattern = "(a+)+b№?", length = { min = 100 } } }
message = "{name} ¤"»
[[rule]]
code = "ACME_VALUES"
subject = "tool"
assert = { name = { one-of = ["¤", «, "v№"»] } }
message = "¤ {name}"
[[rule]]
code = "ACME_SCHEMA"
subject = "tool"
assert = { "/annotations" = { schema = { "$ref" = "#/$defs/a", "$defs" = { a = { properties = { a = { anyOf = [«, { "$ref" = "#/$defs/a" }»] } } } } } } }
message = "m ¤"
"""
_SCHEMA = (
    '{"type": "object", "properties": {«, "path_№": {"type": "string", "description": "The path. ¤", "default": "¤"}»}, '
    '"required": [«, "path_№"»]}'
)
_EVERY_KEYWORD = """{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "¤", "type": "object",
"properties": {"a": {"type": ["string", "null"], "pattern": "¤", "format": "¤", "minLength": 1, "description": "¤"},
"b": {"anyOf": [«, {"type": "string", "const": "v№"}»]}, "c": {"oneOf": [«, {"$ref": "#/$defs/d№"}»]},
"d": {"allOf": [«, {"required": ["k№"]}»]}, "e": {"enum": ["¤", «, "v№"»], "description": "One of `a`, `b`. ¤"},
"f": {"type": "array", "prefixItems": [«, {"type": "integer"}»], "items": {"$ref": "#/$defs/d0"}},
"g": {"type": "array", "items": {"type": "object", "properties": {«, "p№": {"type": "number", "minimum": 1}»}}},
"h": {"not": {"required": [«, "k№"»]}}, "i": {"default": {«, "k№": "¤"»}, "type": "object"},
"j": {"patternProperties": {«, "^x№": {"type": "string"}»}, "type": "object"},
"k": {"dependentRequired": {«, "k№": ["a"]»}}, "l": {"$ref": "¤"}, "m": {"examples": [«, "v№"»]}},
"$defs": {«, "d№": {"type": "object", "properties": {"next": {"$ref": "#/$defs/d№"}}}»},
"required": [«, "u№"»], "additionalProperties": false}"""


def _messages(*messages: str) -> str:
    return '{"messages": [{"role": "system", "content": "You have tools. ¤"}, ' + ", ".join(messages) + "]}"


def _lines(*lines: str) -> str:
    return "\n".join(lines) + "\n"


_TRANSCRIPTS = {
    "openai": _messages(
        '{"role": "user", "content": "Read it. ¤"}',
        '«, {"role": "assistant", "content": null, "tool_calls": [{"id": "call_№", "type": "function", "function": '
        '{"name": "read_note", "arguments": "{\\"path\\": \\"a№\\"}"}}]}, {"role": "tool", "tool_call_id": "call_№", '
        '"content": "Here it is."}»',
        '{"role": "assistant", "content": [{"type": "text", "text": "¤"}], "tool_calls": ['
        '«, {"id": "many_№", "type": "function", "function": {"name": "read_note№", "arguments": "{}"}}»]}',
        '«, {"role": "tool", "tool_call_id": "many_№", "content": "¤"}»',
        '{"role": "assistant", "content": null, "tool_calls": [{"id": "last", "type": "function", "function": '
        '{"name": "write_note", "arguments": "¤"}}]}, {"role": "tool", "tool_call_id": "last", "content": "error: ¤"}',
        '{"role": "assistant", "content": "¤ ##DONE##"}',
    ),
    "anthropic": _messages(
        '{"role": "user", "content": "¤"}',
        '«, {"role": "assistant", "content": [{"type": "tool_use", "id": "t№", "name": "read_note", "input": {"path": "a"}}'
        ']}, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t№", "content": "¤"}]}»',
        '{"role": "assistant", "content": [{"type": "text", "text": "¤"}, «, {"type": "tool_use", "id": "m№", "name": '
        '"write_note", "input": {"path": "¤"}}»]}',
        '{"role": "user", "content": [«, {"type": "tool_result", "tool_use_id": "m№", "is_error": true, "content": '
        '[{"type": "text", "text": "¤"}]}»]}',
    ),
    "responses": '{"input": [{"role": "user", "content": [{"type": "input_text", "text": "¤"}]}, '
    '«, {"type": "function_call", "call_id": "c№", "name": "read_note", "arguments": "¤"}», '
    '«, {"type": "function_call_output", "call_id": "c№", "output": "¤"}», '
    '{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "¤"}]}]}',
    "gemini": '{"contents": [{"role": "user", "parts": [{"text": "¤"}]}, {"role": "model", "parts": [«, {"functionCall": '
    '{"name": "read_note", "args": {"path": "¤№"}}}»]}, {"role": "user", "parts": [«, {"functionResponse": {"name": '
    '"read_note", "response": {"text": "¤"}}}»]}, «, {"role": "model", "parts": [{"text": "№ ¤"}]}»]}',
    "bedrock": '{"messages": [{"role": "user", "content": [{"text": "¤"}]}, {"role": "assistant", "content": [«, {"toolUse": '
    '{"toolUseId": "t№", "name": "read_note", "input": {"path": "¤"}}}»]}, {"role": "user", "content": [«, {"toolResult": '
    '{"toolUseId": "t№", "content": [{"text": "¤"}], "status": "error"}}»]}]}',
    "sharegpt": '{"conversations": [{"from": "system", "value": "You have tools. <tools>[]</tools> ¤"}, {"from": "human", '
    '"value": "¤"}, «, {"from": "gpt", "value": "<tool_call>\\n{\\"name\\": \\"read_note\\", \\"arguments\\": {\\"path\\": '
    '\\"№\\"}}\\n</tool_call> ¤"}, {"from": "tool", "value": "<tool_response>¤</tool_response>"}»]}',
    "tau2": '{"info": {}, "tasks": [], "simulations": [{"messages": [«, {"role": "assistant", "content": "¤", "turn_idx": 1, '
    '"timestamp": "t", "tool_calls": [{"id": "c№", "name": "read_note", "arguments": {"path": "¤"}, "requestor": "assistant"}]}», '
    '{"role": "tool", "tool_messages": [«, {"id": "c№", "role": "tool", "content": "¤", "requestor": "assistant", "error": true}»]}, '
    '«, {"role": "user", "content": "¤", "turn_idx": 2, "timestamp": "t", "tool_calls": [{"id": "u№", "name": "look", "arguments": '
    '{}, "requestor": "user"}]}»]}]}',
    "mini-swe-agent": '{"info": {}, "trajectory_format": "mini-swe-agent-1.1", "messages": [{"role": "user", "content": "¤"}, '
    '«, {"role": "assistant", "content": "¤", "extra": {"actions": [{"command": "ls № ¤"}]}}, {"role": "user", "content": "¤", '
    '"extra": {"raw_output": "", "exception_info": ""}}», {"object": "response", "output": [«, {"type": "function_call", '
    '"call_id": "c№", "name": "read_note", "arguments": "¤"}»], "extra": {"actions": []}}, «, {"type": "function_call_output", '
    '"call_id": "c№", "output": "¤", "extra": {"raw_output": ""}}»]}',
    "openhands": '[{"id": 0, "source": "agent", "action": "system", "args": {"content": "¤", "tools": [«, {"type": "function", '
    '"function": {"name": "read_note№", "description": "¤", "parameters": {"type": "object"}}}»]}}, «, {"source": "agent", '
    '"action": "run", "args": {}, "tool_call_metadata": {"function_name": "read_note", "tool_call_id": "c№", "model_response": '
    '{"choices": [{"message": {"tool_calls": [{"id": "c№", "function": {"name": "read_note", "arguments": "¤"}}]}}]}}}, {"source": '
    '"agent", "observation": "run", "content": "¤", "extras": {}, "tool_call_metadata": {"tool_call_id": "c№"}}»]',
    "autogen-team": '{"type": "TeamState", "agent_states": {«, "a№": {"agent_state": {"llm_context": {"messages": [{"content": "¤", '
    '"source": "user", "type": "UserMessage"}]}}}», "b": {"agent_state": {"llm_context": {"messages": [{"content": [«, {"id": "c№", '
    '"name": "read_note", "arguments": "¤"}»], "source": "b", "type": "AssistantMessage"}, {"content": [«, {"call_id": "c№", '
    '"name": "read_note", "content": "¤", "is_error": true}»], "type": "FunctionExecutionResultMessage"}]}}}}}',
    "swe-agent": '{"history": [{"role": "system", "content": "¤"}, {"role": "user", "content": "¤"}, «, {"role": "assistant", '
    '"content": "I read. ¤", "thought": "¤", "action": "read_note a№ ¤", "agent": "main"}, {"role": "user", "content": "¤", '
    '"agent": "main"}»], "trajectory": []}',
    "otlp": '{"resourceSpans": [{"scopeSpans": [{"spans": [«, {"traceId": "t", "spanId": "s", "startTimeUnixNano": "№", '
    '"attributes": [{"key": "gen_ai.input.messages", "value": {"stringValue": "[{\\"role\\": \\"user\\", \\"parts\\": '
    '[{\\"type\\": \\"text\\", \\"content\\": \\"№\\"}]}]"}}]}»]}, {"spans": [{"traceId": "u", "attributes": [{"key": '
    '"gen_ai.output.messages", "value": {"arrayValue": {"values": [{"kvlistValue": {"values": '
    '[{"key": "role", "value": {"stringValue": "assistant"}}, {"key": "parts", "value": {"arrayValue": {"values": ['
    '«, {"kvlistValue": {"values": [{"key": "type", "value": {"stringValue": "tool_call"}}, {"key": "name", "value": '
    '{"stringValue": "read_note"}}, {"key": "arguments", "value": {"kvlistValue": {"values": [{"key": "pat", "value": '
    '{"stringValue": "¤"}}]}}}]}}»]}}}]}}]}}}]}]}]}]}',
    "openinference": '{"context": {"trace_id": "t"}, "attributes": {"openinference.span.kind": "LLM", '
    '«, "llm.input_messages.№.message.role": "assistant", "llm.input_messages.№.message.content": "¤", '
    '"llm.input_messages.№.message.tool_calls.0.tool_call.function.name": "read_note", '
    '"llm.input_messages.№.message.tool_calls.0.tool_call.function.arguments": "¤"», '
    '"llm.output_messages.0.message.role": "assistant", '
    '«, "llm.output_messages.0.message.tool_calls.№.tool_call.function.name": "read_nte", '
    '"llm.output_messages.0.message.tool_calls.№.tool_call.function.arguments": "{}"», '
    '«, "llm.tools.№.tool.json_schema": "{\\"type\\": \\"function\\", \\"function\\": {\\"name\\": \\"a№\\"}}"»}}',
    "langfuse": '{"trace": {"id": "t"}, "observations": [«, {"type": "GENERATION", "traceId": "t№", "startTime": "№", "input": '
    '[{"role": "user", "content": "¤"}], "output": {"role": "assistant", "content": "№"}}», {"type": "GENERATION", '
    '"traceId": "t", "startTime": "", "input": [{"role": "user", "content": "¤"}, '
    '«, {"role": "tool", "content": {"type": "function", "function": {"name": "a№"}}}»], '
    '"output": {"role": "assistant", "content": "", "tool_calls": [«, {"id": "c№", "function": {"name": "read_note", '
    '"arguments": "¤"}}»]}}]}',
    "langsmith": '{"run_type": "chain", "trace_id": "t", "inputs": {}, "outputs": {}, "child_runs": [«, {"run_type": "llm", '
    '"inputs": {"messages": [[{"type": "human", "content": "№"}]]}, "outputs": {}}», {"run_type": "llm", '
    '"inputs": {"messages": [[{"type": "human", "content": "¤"}]]}, "outputs": {"generations": [[{"message": {"lc": 1, '
    '"type": "constructor", "id": ["AIMessage"], "kwargs": {"content": "¤", "tool_calls": [«, {"name": "read_note", "args": '
    '{"path": "¤"}, "id": "c№"}»]}}}]]}}]}',
    "atif": '{"schema_version": "ATIF-v1.8", "agent": {"tool_definitions": [«, {"type": "function", "function": {"name": '
    '"read_note№", "parameters": {"type": "object", "properties": {}}}}»]}, "steps": [«, {"source": "agent", "message": '
    '"¤", "tool_calls": [{"tool_call_id": "o№", "function_name": "read_note", "arguments": {}}]}», {"source": "agent", '
    '"tool_calls": [«, {"tool_call_id": "c№", "function_name": "read_note", "arguments": {"path": "¤"}}»], "observation": '
    '{"results": [«, {"source_call_id": "c№", "content": "¤"}»]}}]}',
    "inspect": '{"eval": {"task": "t"}, "samples": [{"epoch": 1, "target": "", "messages": [«, {"id": "m№", "role": '
    '"assistant", "content": "¤", "tool_calls": [{"id": "c№", "function": "read_note", "arguments": {"path": '
    '"attachment://№"}}]}»], "events_data": {"messages": [«, {"id": "p№", "role": "user", "content": "¤"}»]}, "events": '
    '[«, {"event": "model", "input_refs": [[0, 9999]], "tools": [{"name": "t№"}], "output": {"choices": []}}», '
    '{"event": "model", "input_refs": [«, [0, 9999]»]}], "attachments": {«, "№": "¤"»}}]}',
}
_DATASETS = {
    "messages as text": _lines(
        r"""«\n {"messages": "[{\"role\": \"user\", \"content\": \"№\"}, {\"role\": \"assistant\", \"content\": null, """
        r"""\"tool_calls\": [{\"id\": \"c\", \"function\": {\"name\": \"read_note\", \"arguments\": {\"№\": 1}}}]}]", """
        r""""tools": "[{\"name\": \"read_note\", \"parameters\": {\"type\": \"object\", \"properties\": {}}}]"}»""",
    ),
    "xlam": _lines(
        '{"query": "¤", "tools": [{"name": "read_note", "parameters": {}}, «, {"name": "read_note№", "description": "¤", "parameters": '
        '{"path": {"type": "int, optional"}, "other": {"type": "List[¤]"}}}»], "answers": [{"name": "read_note", "arguments": {}}, '
        '«, {"name": "read_note0", "arguments": {"path": "№ ¤"}}»]}',
    ),
    "glaive": _lines(
        r"""{"system": "Functions: {\"name\": \"read_note\"}, «, {\"name\": \"read_note№\", \"parameters\": {\"type\": \"object\"}}» ¤", """
        r""""chat": "USER: ¤\n« ASSISTANT: <functioncall> {\"name\": \"read_note0\", \"arguments\": '{№'} <|endoftext|>\n"""
        r"""FUNCTION RESPONSE: №\n»ASSISTANT: ¤ <functioncall> ¤"}""",
    ),
    "toolace": _lines(
        r"""{"system": "Here is a list of functions in JSON format: [{\"name\": \"Read\"}, «, {\"name\": \"Read№ (x)\", \"parameters\": """
        r"""{\"type\": \"dict\", \"properties\": {}}}»] ¤", "conversations": [{"from": "user", "value": "¤"}, {"from": "assistant", """
        r""""value": "[Read(), «, Read№ (x)(path=1, a№=[№])»]"}, {"from": "assistant", "value": "[¤"}, {"from": "tool", "value": "¤"}]}""",
    ),
    "bfcl": _lines(
        '{"id": "a", "question": [[{"role": "user", "content": "¤"}]], "function": [{"name": "read_note0", "parameters": {"type": '
        '"dict", "properties": {"a": {"type": "dict"}}}}, «, {"name": "read_note_№", "parameters": {"type": "dict"}}»], "ground_truth": ['
        '{"read_note0": {"b": [1]}}, «, {"read_note0": {"b": [1, №]}}», {"read_note0": {"z": [1], «, "a№": [1]», "a": [0, «, №»], '
        '"c": [{}, {"x": [1, «, №»], «, "y№": [1, 2]»}], "d": [[{}, «, {"x": [1, 2]}»]]}}, "read_note0(¤)"]}',
    ),
    "prompt and completion": _lines(
        r"""{"prompt": [{"role": "user", "content": "¤"}, «, {"role": "user", "content": "¤"}»], "completion": [{"role": "assistant", """
        r""""content": "¤"}, «, {"role": "tool_call", "content": "{\"name\": \"read_note\", \"arguments\": {\"№\": 1}}"}», """
        r"""{"role": "tool_response", "content": "¤"}], "tools": "¤"}""",
    ),
}
_LOGS = {
    "mcp": _lines(
        '{"jsonrpc": "2.0", "id": 0, "result": {"tools": [«, {"name": "read_note№", "description": "¤", "inputSchema": '
        '{"type": "object", "properties": {}}, "outputSchema": {"type": "object", "properties": {"a": {"type": "string"}}, '
        '"additionalProperties": false}}»]}}',
        '«\\n {"jsonrpc": "2.0", "id": №, "method": "tools/call", "params": {"name": "read_note0", "arguments": {"path": "¤"}}}»',
        '«\\n {"direction": "in", "message": {"jsonrpc": "2.0", "id": №, "result": {"content": [{"type": "text", "text": "¤"}], '
        '"structuredContent": {"a": "¤"}, "isError": true}}}»',
        '{"jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": {"name": "read_note0", "arguments": {}}}',
        '{"jsonrpc": "2.0", "id": "x", "result": {"content": [«, {"type": "text", "text": ""}»], '
        '"structuredContent": {«, "b№": "¤"»}}}',
    ),
    "pi": _lines(
        '{"type": "session", "version": 3, "id": "s", "timestamp": "t", "cwd": "/work"}',
        '{"type": "message", "id": "r", "parentId": null, "message": {"role": "user", "content": "¤", "timestamp": 1}}',
        '«\\n {"type": "message", "id": "a№", "parentId": "r", "message": {"role": "assistant", "content": [{"type": "toolCall", '
        '"id": "c№", "name": "read_note", "arguments": {"path": "¤"}}], "timestamp": 1}}»',
        '«\\n {"type": "message", "id": "b№", "parentId": "a№", "message": {"role": "toolResult", "toolCallId": "c№", "content": '
        '"¤", "isError": true}}»',
        '{"type": "message", "message": {"role": "assistant", "content": [«, {"type": "toolCall", "id": "d№", "name": "read_note", '
        '"arguments": {}}»], "timestamp": 1}}',
    ),
    "openhands-sdk": _lines(
        '{"source": "agent", "system_prompt": {}, "tools": [], "kind": "SystemPromptEvent"}',
        '«\\n {"source": "agent", "tool_name": "read_note", "tool_call_id": "c№", "tool_call": {"id": "c№", "name": "read_note", '
        '"arguments": "¤"}, "llm_response_id": "r", "kind": "ActionEvent"}»',
        '«\\n {"source": "environment", "tool_call_id": "c№", "observation": {"content": "¤", "is_error": true}, "kind": '
        '"ObservationEvent"}»',
    ),
    "ag-ui": _lines(
        '{"type": "RUN_STARTED", "threadId": "t", "runId": "r", "input": {"messages": [«, {"id": "m№", "role": "assistant", '
        '"toolCalls": [{"id": "o№", "function": {"name": "read_note", "arguments": "¤"}}]}»], "tools": [«, {"name": "read_note№", '
        '"description": "¤", "parameters": {"type": "object"}}»]}}',
        '«\\n {"type": "TOOL_CALL_START", "toolCallId": "c№", "toolCallName": "read_note0"}»',
        '«\\n {"type": "TOOL_CALL_ARGS", "toolCallId": "c0", "delta": "№ ¤"}»',
        '{"type": "TOOL_CALL_END", "toolCallId": "c0"}',
        '«\\n {"type": "TOOL_CALL_CHUNK", "toolCallId": "d№", "toolCallName": "read_note0", "delta": "¤"}»',
        '{"type": "TOOL_CALL_CHUNK", "toolCallId": "e", "toolCallName": "read_note0", "delta": "{\\"a\\": ["}',
        '«\\n {"type": "TOOL_CALL_CHUNK", "delta": "№, "}»',
        '{"type": "TOOL_CALL_CHUNK", "delta": "0]}"}',
        '«\\n {"type": "TOOL_CALL_RESULT", "toolCallId": "c№", "content": "¤"}»',
        '«\\n {"type": "MESSAGES_SNAPSHOT", "messages": [{"id": "n", "role": "tool", "toolCallId": "o№", "content": "¤"}]}»',
        '{"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}',
    ),
    "crewai": _lines(
        '«\\n {"timestamp": "t", "type": "tool_usage_started", "event_id": "e№", "tool_name": "read_note", "tool_args": "¤"}»',
        '«\\n {"timestamp": "t", "type": "tool_usage_error", "event_id": "f№", "started_event_id": "e№", "tool_name": "read_note", '
        '"error": "¤"}»',
        '«\\n {"timestamp": "t", "type": "tool_usage_started", "event_id": null, "tool_name": "read_note", "tool_args": {}}»',
        '«\\n {"timestamp": "t", "type": "tool_usage_finished", "event_id": null, "tool_name": "read_note", "output": "¤"}»',
    ),
    "codex": _lines(
        '{"type": "session_meta", "payload": {"id": "s", "instructions": "¤"}}',
        '«\\n {"type": "response_item", "payload": {"type": "function_call", "call_id": "c№", "name": "read_note", '
        '"arguments": "¤"}}»',
        '«\\n {"type": "response_item", "payload": {"type": "function_call_output", "call_id": "c№", "output": "¤"}}»',
        '{"type": "response_item", "payload": {"type": "message", "role": "assistant", "content": [{"type": '
        '"output_text", "text": "¤"}]}}',
    ),
    "claude-code": _lines(
        '{"type": "user", "uuid": "u", "parentUuid": null, "sessionId": "s", "message": {"role": "user", "content": "¤"}}',
        '«\\n {"type": "assistant", "uuid": "a№", "sessionId": "s", "parentUuid": "u", "message": {"id": "m№", "role": '
        '"assistant", "content": [{"type": "tool_use", "id": "t№", "name": "read_note", "input": {"path": "¤"}}]}}»',
        '«\\n {"type": "user", "uuid": "r№", "sessionId": "s", "parentUuid": "a№", "message": {"role": "user", '
        '"content": [{"type": "tool_result", "tool_use_id": "t№", "content": "¤"}]}}»',
    ),
    "gemini-stream": _lines(
        '«\\n {"method": "generateContentStream", "response": [{"candidates": [{"content": {"role": "model", "parts": '
        '[{"functionCall": {"name": "read_note", "args": {"path": "¤№"}}}, {"text": "¤"}]}}]}]}»',
    ),
    "harn": _lines(
        '{"type": "system_prompt", "timestamp": 1, "content": "¤"}',
        '{"type": "tool_schemas", "timestamp": 1, "schemas": [«, {"name": "read_note№", "description": "¤", "parameters": '
        '{"type": "object", "properties": {}}}»]}',
        '«\\n {"type": "message", "timestamp": 2, "role": "assistant", "content": "¤", "tool_calls": [{"id": "c№", "type": '
        '"function", "function": {"name": "read_note№", "arguments": "{}"}}]}»',
        '«\\n {"type": "message", "timestamp": 3, "role": "tool", "tool_call_id": "c№", "content": "¤"}»',
    ),
    "message-lines": _lines(
        '{"role": "user", "content": "¤"}',
        '«\\n {"role": "assistant", "content": "¤", "tool_calls": [{"id": "c№", "type": "function", "function": '
        '{"name": "read_note", "arguments": "{}"}}]}»',
        '«\\n {"role": "tool", "tool_call_id": "c№", "content": "¤"}»',
    ),
    "spans": _lines(
        '«\\n {"context": {"trace_id": "t"}, "attributes": {"gen_ai.operation.name": "chat", "gen_ai.input.messages": '
        '"[{\\"role\\": \\"user\\", \\"parts\\": [{\\"type\\": \\"text\\", \\"content\\": \\"№\\"}]}]", '
        '"gen_ai.tool.definitions": "¤", "gen_ai.output.messages": "[{\\"role\\": \\"assistant\\", \\"parts\\": '
        '[{\\"type\\": \\"tool_call\\", \\"name\\": \\"read_note\\", \\"arguments\\": {\\"path\\": №}}]}]"}}»',
    ),
    "conversations": _lines(
        '«\\n {"messages": [{"role": "user", "content": "№ ¤"}, {"role": "assistant", "content": "¤"}], "tools": []}»',
    ),
}

_RAW_OUTPUTS = {
    "hermes": '<think>§</think>§«\n <tool_call>{"name": "read_note", "arguments": {"path": "№¤"}}</tool_call>§»',
    "qwen3_coder": "§«\n <tool_call>§<function=read_note>§«\n <parameter=path№>§</parameter>»</function></tool_call>»",
    "kimi_k2": "§<|tool_calls_section_begin|>«\n <|tool_call_begin|>functions.read_note:№<|tool_call_argument_begin|>"
    '{"path": "¤"}§<|tool_call_end|>»<|tool_calls_section_end|>§',
    "openai": "§<|channel|>analysis<|message|>§<|end|>«\n <|start|>assistant<|channel|>commentary to=functions.a№§<|message|>"
    '{"path": "¤"}§<|call|>»',
    "llama4_pythonic": '<|python_start|>[«,\n read_note(path="№¤", §)»]§<|python_end|>§',
    "kimi_k3": '<|open|>tools<|sep|>«\n <|open|>call tool="read_note" index="№"<|sep|><|open|>argument key="path" '
    'type="string"§<|sep|>§<|close|>argument<|sep|><|close|>call<|sep|>§»<|close|>tools<|sep|>§',
}
_TAGGED = """<assistant_prose>
I read §.
</assistant_prose>
§
«\\n <tool_call>
read_note({ path: "n№" })
</tool_call>»
<tool_call>
write_note({ path: "¤", text: <<TEXT
§
TEXT
})
</tool_call>
<tool_call>
write_note({ «, key№: [1, '¤', `§`, {a: "¤"}]» })
</tool_call>
<tool_call>
§
</tool_call>
<user_response>
§
</user_response>
<done>##DONE##</done>
"""
_FENCED = """I look. §
§
«\\n ```tool
{"name": "read_note", "args": {"path": "n№"}}
```»
```tool
{"name": "write_note", "args": {"path": "¤", "list": [«, {"k№": "¤"}»]}}
```
```tool
§
```
§
"""
_PROMPT = """# Notes §

You have `read_note` and `write_note`. §

## Tools §

«\\n - `read_№`: reads number №.»
«\\n Then call read_№({ path: "a" }) and use `other_№`.»

> § quoted

| tool | use |
|---|---|
«\\n | `cell_№` | № |»

1. § item
   - § inner item

```json
{"name": "read_note", "arguments": {"path": "¤", «, "k№": №»}}
```

write_note({ path: "¤", «, k№: №» })

§"""

_AGENT = """---
name: reviewer §
description: Reviews notes. §
tools: Read, Write, «,\\u0020 mcp__notes__tool_№», Bash(git §:*)
disallowedTools:
«\\n   - mcp__notes__tool_№»
  - "¤"
model: §
§
---

Review with `read_note`. §

«\\n - `read_№`»
""".replace("\\u0020", "")

_SERVER = '''"""A server. §"""

from mcp.server.fastmcp import FastMCP

mcp = FastMCP("notes", instructions="Use read_note. ¤")
# §
PROMPT = """You have `read_note`. ¤"""
NAMES = ["¤", «, "name_№"»]


@mcp.tool()  # §
def read_note(path: str, mode: str = "¤", «, arg_№: int = №») -> str:
    """Reads one note. §

    Args:
        path: The path. §
«\\n         arg_№: Number №.»
        §

    Returns:
        What it says. §
    """
    return open(path + "¤").read()


«\\n\\n @mcp.tool(name="tool_№", description="Reads number №. ¤")
def tool_№(value: int, other: "list[str] | None" = None) -> str:
    return str(value)»


@mcp.tool()
def write_note(path: str, text: str) -> None:
    text = "a" «\\u0020 + "b№"»
«\\n     value_№ = path»
«\\n     if path == "№": text = text.strip()»
    open(path, "w").write(f"{text} ¤")
§
'''.replace("\\u0020", "")

_LISTS_PY = """import os
§
SYSTEM_PROMPT = (
    "You have `read_note`. ¤"
    «\\n "line № "»
)
NAME = "read" «  + "_№"»
BASE = {"type": "object", "properties": {«, "k№": {"type": "string", "description": "№ ¤"}»}}
TOOLS = [
«,\\n {"type": "function", "function": {"name": "tool_№", "description": "Reads №. ¤", "parameters": BASE}}»
]
«\\n TOOLS.append({"name": "more_№", "description": "¤", "input_schema": {"type": "object", "properties": {}}})»
«\\n EXTRA_№ = {**BASE, "x": №}»
TOOLS += [{"type": "function", "function": {"name": f"made_{name}", "description": "x" * 3 + "¤"}} for name in ("a", "b")]
«\\n class Model№: pass»
client.chat.completions.create(model="¤", tools=TOOLS, messages=[{"role": "system", "content": SYSTEM_PROMPT}])
"""

_LANGCHAIN = '''from typing import Annotated, Literal
from langchain_core.tools import StructuredTool, tool
from pydantic import BaseModel, Field


class Arguments(BaseModel):
    """§"""
«\\n     field_№: Annotated[int | None, Field(ge=0, description="№ ¤")] = Field(None, description="¤")»
    kind: Literal[«, "v№"»] = "v0"


@tool("search_notes", args_schema=Arguments)
def search(**kwargs) -> str:
    """Search notes. §

    :param kwargs: §
«\\n     :param int arg_№: §»
    :returns: §
    """
    return ""


@tool
def other(day: "§int" = 1, «, p№: dict[str, list[int]] = None») -> str:
    """Find. §

    Parameters
    ----------
«\\n     p№ : int
        Number №. §»
    day, other : str
        §
    """
    return ""


tools = [search, other, «, StructuredTool.from_function(name="t№", description="¤", func=other)»]
'''

_TEMPLATE = """You are an agent. § {{ name }} {{- other | upper -}} {{# § #}}
{{ if tools }}§{{ elif other == "¤" }}b{{ else }}c{{ end }}
«\\n {{ if flag_№ }}a №{{ end }}»
«\\n {{ value_№ | trim | default("¤") }}»
{{ for item in items }}{{ item.name }} §{{ end }}
{{ section "rules" title="¤" }}§{{ endsection }}
{{ raw }}{{ § }}{{ endraw }}
<tool_call>
read_note({ path: "¤" })
</tool_call>
```tool
{"name": "read_note", "args": {"path": "¤"}}
```
«\\n {"name": "read_№", "arguments": {"path": "№"}}»
{{ name == "¤" && (a || !b) }} {{ §
"""

_SETTINGS = """# §
exclude = ["build", "vendor¤"]
ignore = ["TOOL_NAME"]
template-variables = [«, "v№"»]
protocol = "tagged"
§

[severity]
TOOL_SURFACE_MISSING_EXECUTOR = "off" # §

[kinds]
«\\n "none№/*.txt" = "response"»

«\\n [[surface]]
name = "s№"
tools = ["tools.json"]
prompts = ["prompts/*.md"]»

«\\n [[per-file-ignores]]
path = "vendor№/**"
codes = ["TOOL_SCHEMA"]
reason = "¤"»
"""

_OWN = "toolsurface-lint: "
DOCUMENTS: tuple[Document, ...] = (
    Document(
        "tools openai",
        {
            "tools.json": '[{"type": "function", "function": {"name": "read_¤", "description": "Reads a note. ¤", "strict": '
            'true, "parameters": '
            + _SCHEMA
            + '}}, «, {"type": "function", "function": {"name": "read_№", "description": '
            '"Reads №. ¤", "parameters": {"type": "object", "properties": {}}}}»]'
        },
    ),
    Document(
        "tools responses",
        {
            "tools.json": '{"model": "¤", "tools": [{"type": "function", "name": "¤", "description": "¤", "parameters": '
            + _SCHEMA
            + '}, «, {"type": "function", "name": "other_№", "description": "Finds №.", "parameters": null}»]}'
        },
    ),
    Document(
        "tools anthropic",
        {
            "tools.json": '[{"name": "get_¤", "description": "Gets. ¤", "input_schema": '
            + _SCHEMA
            + ', "input_examples": '
            '[«, {"path_0": "№ ¤"}»]}, «, {"name": "set_№", "description": "Sets №.", "input_schema": {"type": "object"}}», '
            '«, {"type": "bash_20250124", "name": "bash№"}»]'
        },
    ),
    Document(
        "tools mcp",
        {
            "tools.json": '{"tools": [{"name": "find_¤", "title": "¤", "description": "Finds. ¤", "inputSchema": '
            + _SCHEMA
            + ', "outputSchema": {"type": "object", "properties": {«, "o№": {"type": "string"}»}}, "annotations": {"title": '
            '"¤", "readOnlyHint": true, «, "x№": 1»}}, «, {"name": "find_№", "description": "¤", "inputSchema": {"type": '
            '"object"}}»], "nextCursor": "¤"}'
        },
    ),
    Document(
        "snapshot",
        {
            "served.json": '{"toolsurfaceSnapshot": 1, "servers": [«, {"name": "s№¤", "command": ["¤"], "protocolVersion": '
            '"2025-11-25", "serverInfo": {}, "capabilities": {}, "instructions": "Use the `find_№` tool. ¤", "tools": ['
            '{"name": "find_№", "description": "Finds. ¤", "inputSchema": {"type": "object", "properties": {}}}], "prompts": '
            '[{"name": "sum", "description": "Asks `find_№`. ¤"}]}», {"name": "many", "tools": [«, {"name": "get_№", '
            '"description": "Gets. ¤", "inputSchema": {"type": "object"}}», «, "no tool №"»], "prompts": [«, {"name": "p№", '
            '"description": "Asks the `get_№` tool."}»]}]}',
            "CLAUDE.md": "Call mcp__s0__find_0 and mcp__many__get_№.\n",
            ".mcp.json": '{"mcpServers": {"many": {"command": "many"}}}',
        },
    ),
    Document(
        "tools gemini",
        {
            "tools.json": '{"tools": [{"functionDeclarations": [{"name": "¤", "description": "¤", "parameters": '
            '{"type": "OBJECT", "properties": {«, "p№": {"type": "STRING", "description": "¤", "enum": ["e№"]}», '
            '"q": {"type": "STRING", "format": "enum", "enum": ["¤"]}}}}, «, {"name": "g№", "description": "Gets №."}»]}]}'
        },
    ),
    Document(
        "tools bedrock",
        {
            "tools.json": '{"toolConfig": {"tools": [{"toolSpec": {"name": "¤", "description": "¤", "inputSchema": {"json": '
            + _SCHEMA
            + '}}}, «, {"toolSpec": {"name": "b№", "description": "Books №.", "inputSchema": {"json": {"type": "object"}}}}»]}}'
        },
    ),
    Document(
        "tools of other kinds",
        {
            "tools.json": '[{"name": "a_tool", "description": "A.", "inputSchema": {"type": "object"}}, «, {"type": "kind_№"}», '
            '«, {"type": "web_search_preview_20№"}», «, {"type": "mcp", "server_label": "¤ №"}», «, "tool_№"», '
            '«, {"name": "n№"}», «, {"description": "№"}», «, {"googleSearch": {}, "urlContext": {}}»]',
            "prompts/a.md": "Use the `a_tool` tool.",
        },
    ),
    Document(
        "registry",
        {
            "registry.json": '{"_type": "tool_registry", "tools": [{"name": "¤", "description": "¤", "parameters": {«, "p№": '
            '{"type": "string", "description": "¤"}»}, "annotations": {"kind": "read", "side_effect_level": "¤", "aliases": '
            '["¤"], "arg_schema": {"arg_aliases": {«, "a№": "p№"»}, "required": [«, "p№"»]}}, "executor": "¤"}, '
            '«, {"name": "reg_№", "description": "№", "parameters": {}, "executor": "x"}»]}',
            "system.md": "Use `reg_0`. «\\n Call reg_№({}) with `a№`.»",
        },
    ),
    Document(
        "tools by name",
        {
            "tools.yaml": 'tools:\n«\\n   name_№:\n    signature: "run <a№> [<b>]"\n    docstring: ¤\n'
            "    arguments:\n    - name: a№\n      type: string\n      description: §\n      required: true»\n"
        },
    ),
    Document(
        "tools of a database server",
        {
            "tools.yaml": "tools:\n«\\n   query_№:\n    kind: sql\n    source: db\n    description: ¤\n"
            "    parameters:\n    - name: a№\n      type: string\n      description: §\n    statement: SELECT №»\n"
        },
    ),
    Document(
        "every keyword",
        {"tools.json": '[{"name": "all_keywords", "description": "Does all.", "inputSchema": ' + _EVERY_KEYWORD + "}]"},
    ),
    Document("raw json", {"tools.json": '§[{"name": §"a_tool", "x": [§], "y": {§}, "inputSchema": {}}]§'}),
    Document("raw jsonc", {"tools.jsonc": "§// §\n[/* § */ " + TOOLS[1:-1] + ' § , «, {"name": "c№" /* № */}»]'}),
    Document(
        "json lines",
        {
            "tools.jsonl": '«\\n {"name": "line_№", "description": "¤", "inputSchema": {}}»\n§\n{"name": "x_y", "a": 0§}\n'
        },
    ),
    Document(
        "tools yaml",
        {
            "tools.yaml": "# §\n- name: read_note\n  description: >-\n    Reads a note. §\n    §\n  prompt: |\n    Use it. §\n"
            "    «\\n    `read_№` №.»\n  title: '§'\n  other: \"¤\"\n  plain: a § b\n  flow: {§}\n  list: [§]\n  inputSchema:\n"
            '    type: object\n    properties:\n«\\n       p№: {type: string, description: "№ ¤"}»\n«\\n - name: y_№\n'
            "  description: Reads № # §\n  inputSchema: {type: object}»\n§\n",
        },
    ),
    Document(
        "raw yaml", {"tools.yaml": "§\n- name: &a§ a_tool\n  x: *a\n  y:\n§\n- §\n- ? §\n  : §\n- !§ x\n---\n§\n"}
    ),
    Document(
        "agent yaml",
        {
            "agent.yaml": 'name: helper\ntools: [read_note, «, tool_№», "¤"]\nsystem_prompt: |\n  You may use `read_note`, '
            "and this is long enough to be a prompt. §\n  §\n  «\\n   Use `tool_№` then.»\n"
        },
    ),
    Document(
        "policy toml",
        {
            "tools.json": TOOLS,
            "policy.toml": '# §\ntools = ["read_note", "¤", «, "t№"»]\nworkspace_roots = [\'§\']\nside_effect_level = '
            '"read_only" # §\n\n[capabilities]\nworkspace = ["read", "¤"]\n\n«\\n [[tool_arg_constraints]]\n'
            'tool = "read_*"\narg_key = "path"\narg_patterns = ["n№/*", "¤"]»\n\n[tool_annotations.read_note]\n'
            'kind = "¤"\n«\\n [tool_annotations.t№]\nkind = "read"»\n[x]\ny = """\n¤ §"""\nz = 0§\n§\n',
        },
    ),
    Document(
        "policy json",
        {
            "tools.json": '[«, {"name": "t№", "description": "Tool №.", "inputSchema": {"type": "object", "properties": '
            '{"path": {"type": "string"}}}}»]',
            "policy.json": '{"tools": ["¤", «, "t№"»], "side_effect_level": "none", "tool_arg_constraints": [«, {"tool": '
            '"t№*", "arg_key": "path", "arg_patterns": ["a№"]}»], "tool_annotations": {«, "t№": {"kind": "read"}»}}',
            "system.md": '«\\n Call t№({ path: "a№" }).»\n',
        },
    ),
    Document(
        "approval policy",
        {
            "tools.json": '[«, {"name": "t№", "description": "Tool №.", "inputSchema": {"type": "object"}}»]',
            "approval.yaml": 'auto_approve: ["¤", «, t№»]\nauto_deny: [«, "t№_*"»]\nrequire_approval:\n«\\n   - "*_№"»\n'
            '  - §\nrules:\n«\\n   - deny: {tools: ["t№*", "x№"], path: "/y№"}»\n  - action: ask\n    match: "¤"\n',
        },
    ),
    Document(
        "claude settings",
        {
            ".claude/settings.json": '{"permissions": {"allow": ["¤", "Bash(¤)", "Read(¤)", "mcp__¤__x", «, "Bash(git №:*)"»], '
            '"deny": [«, "Bash(git №*)"», «, "Read(./a№/**)"»], "ask": [«, "WebFetch(domain:a№.example.org)"», "mcp__s__¤"], '
            '"additionalDirectories": ["¤"], "defaultMode": "¤"}, "enabledMcpjsonServers": [«, "s№"»]}',
            ".mcp.json": '{"mcpServers": {"s": {"command": "run", "args": ["¤/serve.py"]}, «, "s№": {"command": "run", '
            '"args": ["serve.py", "¤", "-m", "a¤"]}»}}',
            "serve.py": "from fastmcp import FastMCP\n\nmcp = FastMCP('notes')\n«\\n @mcp.tool\ndef tool_№(): ...»\n",
            "CLAUDE.md": "Use the `Bash` tool. §\n«\\n Then `mcp__s№__tool_№` and the `tool_№x` tool.»«\\n mcp__playwright__browser_tab_new(§), mcp__playwright__t№»\n",
        },
    ),
    Document(
        "hooks",
        {
            ".claude/settings.json": '{"hooks": {"PreToolUse": [«, {"matcher": "Edit№|mcp__s__tool_№x|Bash", "hooks": [{"type": '
            '"command", "command": "python3 .claude/hooks/a№.py && bash -e b№.sh", "timeout": 1№000}]}», {"matcher": "¤", "hooks": '
            '[«, {"type": "command", "command": "x", "timeuot": №}»]}, {"matcher": "mcp__s__.*¤", "hooks": [{"command": "¤"}]}, '
            '«, {"comand": "x"}», «, {"matcher": "mcp__t№__x|mcp__s__tool_№x"}»], "SessionStart": [{"matcher": "¤|start№"}], '
            '«, "Stop№": []»}}',
            ".cursor/hooks.json": '{"version": 1, "hooks": {"stop": [«, {"command": "./hooks/a№.sh ¤"}»], «, "after№": []»}}',
            ".claude/agents/a.md": "---\nname: a\ndescription: packs\nhooks:\n  Stop:\n«\\n     - hooks: [{type: command, command: x№.sh}]»\n"
            "---\n§\n",
            ".mcp.json": '{"mcpServers": {"s": {"command": "python3", "args": ["serve.py"]}, «, "t№x": {"comand": "x", "env": {"A": "¤"}}», '
            '"u": {"command": "x", "args": [«, "a№"», "¤"], "env": {«, "A_TOKEN_№": "q7Zp2mN8vR4bX9cL9sD3f№"», "B_TOKEN": "¤"}}}}',
            "serve.py": "from fastmcp import FastMCP\n\nmcp = FastMCP('s')\n«\\n @mcp.tool\ndef tool_№(): ...»\n",
        },
    ),
    Document(
        "gemini settings",
        {
            ".gemini/settings.json": '{"tools": {"core": ["¤", "run_shell_command(¤)", «, "run_shell_command(git №)"»], "exclude": '
            '[«, "ShellTool(git №)"»], "allowed": [«, "read_№"»]}, "mcpServers": {«, "s№": {"command": "x", "includeTools": '
            '["¤", "t№"], "excludeTools": ["t№"]}»}}'
        },
    ),
    Document(
        "gemini policy",
        {
            "rules.toml": '«\\n\\n [[rule]]\ntoolName = ["t№", "write_file"]\ndecision = "allow"\npriority = №»\n\n[[rule]]\n'
            'toolName = "run_shell_command"\ncommandPrefix = ["¤", «, "git №"»]\ndecision = "deny"\npriority = 1\n\n'
            '[[rule]]\ntoolName = "run_shell_command"\ncommandRegex = "¤"\nargsPattern = "¤"\ndecision = "ask_user"\n'
            'modes = [«, "m№"»]\n§\n'
        },
    ),
    Document(
        "opencode",
        {
            "opencode.json": '{"permission": {"bash": {"¤": "allow", «, "git № *": "deny"»}, «, "mcp_№*": "ask"», "edit": "¤"}, '
            '"agent": {«, "a№": {"permission": {"edit": "deny"}, "prompt": "¤"}»}}'
        },
    ),
    Document(
        "codex",
        {
            "config.toml": 'approval_policy = "¤"\nsandbox_mode = "read-only"\n«\\n [mcp_servers.s№]\ncommand = "x"\nenabled_tools '
            '= ["a", "¤"]\ndisabled_tools = ["a"]»\n[mcp_servers.z]\ncommand = "z"\nenabled_tools = [«, "t№"»]\ndisabled_tools = '
            '[«, "t№"»]\n«\\n [mcp_servers.z.tools.t№]\napproval_mode = "prompt"»\n'
        },
    ),
    Document(
        "amazon q",
        {
            ".amazonq/cli-agents/a.json": '{"name": "a", "prompt": "You are here to help with all the notes. ¤", "mcpServers": {«, "s№": '
            '{"command": "x"}»}, "tools": ["fs_read", "@¤", «, "@s№/t№"»], "allowedTools": [«, "@s№/t№"», "¤*?"], "toolAliases": '
            '{«, "@s№/t№": "b№"»}}'
        },
    ),
    Document(
        "vscode",
        {
            ".vscode/settings.json": '{"chat.tools.terminal.autoApprove": {"¤": true, «, "/^git №/": true, "git №": false»}, // §\n'
            '"chat.tools.global.autoApprove": false}',
            ".vscode/mcp.json": '{"servers": {«, "s№": {"type": "stdio", "command": "¤"}»}}',
        },
    ),
    Document(
        "agent markdown",
        {
            ".claude/agents/reviewer.md": _AGENT,
            ".claude/agents/other.md": "---\nname: o\ndescription: Other.\n---\n§\n",
            ".claude/commands/send.md": "---\ndescription: Send.\nagent: reviewr\n«\\n argument_hint№: a»\n---\n"
            '«\\n Use `subagent_type: "reviewr№"`, @agent-reviewr№, the `reviewr№` agent, `Bsh`, or WebFech to ask.» §\n',
        },
    ),
    Document(
        "skill",
        {
            "skills/notes/SKILL.md": "---\nname: notes\ndescription: 'Notes. §'\nallowed-tools: Read Write «\\u0020 Bash(git №:*)» §\n"
            "metadata:\n  a: [§]\n«\\n   k№: v»\n---\n\n# Notes\n\nUse `Read`. §\n"
            "«\\n Read [a](a№.md#§) and `scripts/a№.py` of `a-№`.»\n".replace("\\u0020", "")
        },
    ),
    Document("raw front matter", {"agents/x.md": "---§\ndescription: d\ntools:§\n§\n---\n§\n---\n"}),
    Document("prompt markdown", {"tools.json": TOOLS, "prompts/system.md": _PROMPT}),
    Document("prompt alone", {"system.md": "§"}),
    Document("prompt text", {"tools.json": TOOLS, "prompts/one.txt": 'Use read_note. §\n§\n«\\n read_№("a") §»\n'}),
    Document(
        "many tools and prompts",
        {
            "tools.json": '[«, {"name": "note_№_read", "description": "Reads. See `note_1_read` and write_note_№.", "inputSchema": '
            '{"type": "object", "properties": {"path": {"type": "string"}, "p№": {"type": "string"}}, "required": ["q№"]}}»]',
            "prompts/a.md": "«\\n Use `note_№_read` and `note_№_reed`, then note_№_write({ p№: 1 }).»\n",
            "policy.toml": 'tools = [«, "note_№_*"»]\n',
        },
    ),
    Document("server", {"server.py": _SERVER}),
    Document("tools in python", {"agent_tools.py": _LISTS_PY}),
    Document(
        "told in python",
        {
            "agent.py": "from agents import Agent\nfrom litellm import chat\ndef read_note(id: str): 'Reads.'\ntools = [read_note]\ntold = ['Use read_note.'« , 'Use note_№. ¤'»]\n"
            "messages = [«, {'role': 'system', 'content': 'Call note_№. ¤'}»]\n"
            "«\\n Agent(instructions=told, tools=tools); chat(messages=messages, tools=tools)»\n"
        },
    ),
    Document(
        "texts put together in python",
        {
            "agent.py": "from agents import Agent\nfrom pathlib import Path\nimport textwrap\ndef read_note(id: str): 'Reads.'\n"
            "def build(x):\n    text = f'Use read_note {x}« , {x!r:>{x}}{{ note_№ ¤}} {f\"{x}\"}»'\n«\\n     text += ' Use note_№. ¤' + x»\n"
            "    return textwrap.dedent(text).strip()\ntext = ''\n«\\n text = text + '{} ¤'.format(text)»\n"
            "Agent(instructions=text, tools=[read_note])\n"
            "«\\n Agent(instructions=build('№'), tools=[read_note]); Agent(instructions=(Path(__file__).parent / 'note_№.md').read_text(), tools=[read_note])»\n",
            "note_0.md": "Use `read_note`.\n",
        },
    ),
    Document(
        "crew",
        {
            "crew.py": "from crewai import Agent\nfrom crewai.tools import tool\n@tool('read_note')\ndef read_note(id: str): 'Reads.'\n"
            "class Shop:\n    agents_config = 'agents.yaml'\n«\\n     tasks_config = 'tasks№.yaml'»\n"
            "«\\n     def a№(self): return Agent(config=self.agents_config['a№'], tools=[read_note])»\n",
            "agents.yaml": "a1: {role: r, goal: Use `read_note` and all others, backstory: b}\n«\\n a№: {role: r, goal: 'Use `note_№` as often as. ¤', backstory: b, agent: a№}»\n",
        },
    ),
    Document(
        "agents in python",
        {
            "agent.py": "from agents import Agent\ndef read_0(id: str): 'Reads.'\na0 = Agent(name='a0')\n«\\n def read_№(id: str): 'Reads.'»\n"
            "tools = [read_0«, read_№»]\n"
            "«\\n a№ = Agent(name='a№', instructions='Use the read_№ tool, then call note_№. ¤', tools=[read_0], handoffs=[a0])»\n"
            "«\\n b№ = Agent(name='b№', instructions='Use read_№. ¤', tools=tools)»\n"
            "team = [a0«, a№»]\n"
            "«\\n c№ = Agent(name='c№', instructions='Use read_№. ¤', tools=[read_0, *load()], handoffs=team)»\n"
        },
    ),
    Document(
        "handled in python",
        {
            "server.py": "from mcp.server import Server\nfrom mcp.types import Tool\nS = {'type': 'object'}\nserver = Server('notes')\n"
            "H = {«, 'note_№': №»}\nA = {'readOnlyHint': True}\n@server.list_tools()\n"
            "def tools(): return [«, Tool(name='read_№', inputSchema=S, annotations=A)»]\n"
            "@server.call_tool()\ndef call(name, arguments):\n  n = name\n«\\n   if name == 'reed_№' or n in H: return '¤'»\n"
            "«\\n   if name == 'read_№': t№(1).put(); run(t№, t№().delete())»\n"
            "«\\n   t№(n, a№=n)»\n  raise ValueError(f'Unknown tool {name} §')\n"
            "«\\n def t№(n, a№): return t1(n, n) if n in H else n == '¤'»\n"
        },
    ),
    Document(
        "calls in python",
        {
            "chat.py": "import litellm\nT = [«, {'type': 'function', 'function': {'name': 'read_№', 'parameters': {}}}»]\n"
            "def chat(m):\n  r = litellm.completion(messages=m, tools=T)\n  for c in r.tool_calls:\n"
            "    f = {«, 'note_№': №»}\n«\\n     x№ = c.function.name»\n    f[c.function.name](«, x№»)\n"
            "«\\n     if a№.function.name == '¤': pass»\n"
        },
    ),
    Document(
        "effects in python",
        {
            "server.py": "from fastmcp import FastMCP\nimport subprocess\nmcp = FastMCP('notes')\n@mcp.tool(annotations={'readOnlyHint': True})\n"
            "def read_note(id):\n  'Reads. ¤'\n  q = 'SELECT ¤'\n«\\n   q = q + '¤' + f'{q}§'»\n«\\n   db№.execute(q); db№.add(id); db№.commit()»\n"
            "  subprocess.run(['git', '-C', 'log', «, '¤'»])\n«\\n   request(q, 'GET')»\n"
        },
    ),
    Document("langchain", {"tools.py": _LANGCHAIN}),
    Document(
        "raw lookalikes",
        {
            "code.py": "tools = []\nAgent(tools=[])\n«\\n @lib.wrap_№\nclass C№Tool(Base[№]):\n    name = '№'\n    description = '¤'\n»"
            "\n@lib.register_tool('¤')\ndef f(): ...\n§",
        },
    ),
    Document("raw python", {"tools.py": "§\nx = §\n@tool\ndef a_tool(§):\n    '''§'''\n    # §\n    return §\n§"}),
    Document("template", {"tools.json": TOOLS, "notes.harn.prompt": _TEMPLATE}),
    Document(
        "chat template",
        {
            "chat_template.jinja": "{# § #}{%- for message in messages %}<|{{ message['role'] }}|>{{ '¤' }}"
            "«\\n {%- if message['№'] is defined and message.content != '№' %}§{{ message.x№ | tojson }}{% endif %}»"
            "{% endfor %}{% if add_generation_prompt %}§{% endif %}"
        },
    ),
    Document(
        "chat templates in JSON",
        {
            "tokenizer_config.json": '{"chat_template": [{"name": "default", "template": "{% if messages %}{{ bos_token }}¤{% endif %}"}, «, '
            '{"name": "№", "template": "{{ bos_token }}¤"}»], "added_tokens_decoder": {"0": {"content": "¤"}}}'
        },
    ),
    Document(
        "raw chat template", {"chat_template.jinja": "{% for m in messages %}§{{ bos_token § }}{% § %}{% endfor %}"}
    ),
    Document("raw template", {"notes.harn.prompt": "{{ if a }}§{{ end }}{{ b | §"}),
    Document(
        "including templates",
        {
            "notes.harn.prompt": "«{{ if a№ }}{{ include 'more.harn.prompt' with { b: '№' } }}{{ end }}\n»",
            "more.harn.prompt": "¤ «{{ if b }}№{{ end }}»{{ include 'notes.harn.prompt' }}",
        },
    ),
    Document(
        "raw output",
        {
            "tools.json": TOOLS,
            "toolsurface.toml": '[kinds]\n"runs/*" = "response"\n',
            "runs/1.txt": '«<tool_call>\n{"name": "read_note", "arguments": {"path": "№ ¤"}}\n</tool_call>\n¤»§',
            "runs/2.txt": '<think>¤«<tool_call>»«[TOOL_CALLS]tool_№{"a": "¤"}»§«<function=a№>»§',
        },
    ),
    Document(
        "transcript with raw outputs",
        {
            "tools.json": TOOLS,
            "run.json": '{"messages": [{"role": "user", "content": "¤"}, «, {"role": "assistant", "content": "<tool_call>\\n'
            '{\\"name\\": \\"read_note\\", \\"arguments\\": {}}\\n</tool_call> ¤", "tool_calls": [{"id": "c№", "type": '
            '"function", "function": {"name": "read_note", "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "c№", '
            '"content": "¤"}», {"role": "assistant", "content": "«[TOOL_CALLS]read_note{}»"}]}',
        },
    ),
    Document(
        "tagged response",
        {
            "tools.json": TOOLS,
            "toolsurface.toml": '[[surface]]\nname = "n"\ntools = ["tools.json"]\n'
            'transcripts = ["runs/*.txt"]\nprotocol = "tagged"\ndone-sentinel = "##DONE##"\n',
            "runs/1.txt": _TAGGED,
        },
    ),
    Document(
        "raw tagged response",
        {"toolsurface.toml": 'protocol = "tagged"\n[kinds]\n"runs/*" = "response"\n', "runs/1.txt": "§"},
    ),
    Document(
        "fenced response",
        {
            "tools.json": TOOLS,
            "toolsurface.toml": '[[surface]]\nname = "n"\ntools = ["tools.json"]\n'
            'transcripts = ["runs/*.txt"]\nprotocol = "fenced-json"\n',
            "runs/1.txt": _FENCED,
        },
    ),
    Document(
        "raw fenced response",
        {"toolsurface.toml": 'protocol = "fenced-json"\n[kinds]\n"runs/*" = "response"\n', "runs/1.txt": "§"},
    ),
    Document(
        "own rules",
        {
            "toolsurface.toml": _OWN_RULES,
            "tools.json": '[«, {"name": "read_№", "description": "¤", "annotations": {"title": "t №", "tags": ["¤"]}, "inputSchema": '
            '{"type": "object", "properties": {"path": {"description": "¤"}}}}»]',
            "wide.json": '[{"name": "write_note", "description": "¤", "inputSchema": {"type": "object", "$defs": {"a": {"$ref": '
            '"#/$defs/a"}}, "properties": {«, "path_№": {"type": "string", "description": "¤", "$ref": "#/$defs/a"}»}}}]',
            "prompts/system.md": "Use `read_0`. § Call read_1({}).\n«\n Use `read_№`.»\n",
            "policy.json": '{"tools": [«, "read_№*"»], "side_effect_level": "¤"}',
            "run.json": '{"messages": [{"role": "user", "content": "¤"}, «, {"role": "assistant", "tool_calls": [{"id": "c№", "type": '
            '"function", "function": {"name": "read_0", "arguments": "{\\"a\\": 1}"}}]}, {"role": "tool", "tool_call_id": "c№", '
            '"content": "¤"}»]}',
        },
    ),
    Document(
        "own rules, many",
        {
            "toolsurface.toml": _MANY_RULES,
            "tools.json": '[{"name": "read_note", "description": "aaaab¤", "annotations": {"a": {"a": {"a": {}}}}}]',
        },
    ),
    *(
        Document(
            f"raw output {name}",
            {"toolsurface.toml": f'protocol = "{name}"\n[kinds]\n"runs/*" = "response"\n', "runs/1.txt": text},
        )
        for name, text in _RAW_OUTPUTS.items()
    ),
    *(Document(f"transcript {name}", {"tools.json": TOOLS, "run.json": text}) for name, text in _TRANSCRIPTS.items()),
    *(Document(f"transcript {name}", {"tools.json": TOOLS, "run.jsonl": text}) for name, text in _LOGS.items()),
    *(Document(f"dataset {name}", {"tools.json": TOOLS, "rows.jsonl": text}) for name, text in _DATASETS.items()),
    Document(
        "log with messages of MCP",
        {
            "tools.json": TOOLS,
            "toolsurface.toml": '[[surface]]\nname = "n"\ntools = ["tools.json"]\ntranscripts = ["run.log"]\n',
            "run.log": '«\n 12:0№ § [n] {"jsonrpc": "2.0", "id": №, "method": "tools/call", "params": {"name": "read_note", '
            '"arguments": {"path": "¤"}}} { metadata: undefined }»\n«\n at § {»\n«\n 12:0№ {"jsonrpc": "2.0", "id": №, '
            '"result": {"content": [], "isError": true}}»\n',
        },
    ),
    Document(
        "tagged transcript",
        {
            "tools.json": TOOLS,
            "toolsurface.toml": '[[surface]]\nname = "n"\ntools = ["tools.json"]\ntranscripts = ["run.json"]\n'
            'protocol = "tagged"\ndone-sentinel = "##DONE##"\nmodel = "qwen3"\nprovider = "ollama"\nwire-remap = true\n',
            "run.json": '{"messages": [{"role": "user", "content": "¤"}, «, {"role": "assistant", "content": "<tool_call>\\n'
            'read_note({ path: \\"№\\" })\\n</tool_call> ¤"}, {"role": "user", "content": "¤"}», {"role": "assistant", '
            '"content": "¤"}]}',
        },
    ),
    Document(
        "surface",
        {
            "surface.json": '{"name": "¤", "system": "Use read_note. ¤", "prompts": [«, "Use `tool_№` ¤."»], "native_tools": '
            '[«, {"name": "tool_№", "annotations": {"side_effect_level": "read_only"}, "description": "¤"}»], "policy": {"tools": '
            '[«, "tool_№*"», "¤"]}, "approval_policy": {"auto_approve": [«, "tool_№"»]}}'
        },
    ),
    Document(
        "workflow",
        {
            "workflow.json": '{"_type": "workflow_graph", "entry": "n0", "nodes": {«, "n№": {"kind": "stage", "prompt": "Use x_y. '
            '¤", "tools": [{"name": "t№"}], "policy": {"tools": ["t№"]}}»}, "edges": [«, {"from": "n№", "to": "n0"}», '
            '{"from": "¤", "to": "n0"}], "policy": {"tools": [«, "t№"»]}}'
        },
    ),
    Document(
        "actions",
        {
            ".github/workflows/agent.yml": "jobs:\n  agent:\n    steps:\n«\\n       - uses: anthropics/claude-code-action@v1 # v1.0\n"
            "        with: {claude_args: --tools}»\n      - uses: anthropics/claude-code-action@v1\n        with:\n"
            "          claude_args: |\n            --allowedTools «, Bash(git log:*),Rea№»\n«\\n             Bash(ls (»\n"
            "            ¤ ${{ a }}\n«\\n             ${{ b»\n«\\n             # №»\n«\\n             --allowedTool №»\n"
            '            --mcp-config \'{"mcpServers": {«, "s№": {}»}}\'\n          prompt: |\n            Use `Reed`. ¤\n'
            '          settings: |\n            {"permissions": {"allow": [«, "Rea№", "Bash(a№:*)"», "¤"]}}\n'
            "      - uses: anthropics/claude-code-action@beta\n        with:\n          allowed_tools: Read,«, Edi№»(¤\n"
        },
    ),
    Document(
        "manifests",
        {
            "manifest.json": '{"manifest_version": "0.3", "server": {"type": "python", "entry_point": "server.py", "mcp_config": '
            '{"command": "uv", "args": [«, "-m", "x№"», "¤"]}}, "tools": [«, {"name": "get_x№"}», "¤"], '
            '"user_config": {«, "x№¤": {"type": "¤"}»}, "prompts": [«, {"name": "p№", "arguments": ["¤"], "text": '
            '"¤ ${arguments.x№} ¤"}», "¤"]}',
            ".claude-plugin/plugin.json": '{"name": "a¤", "commands": [«, "./x№/¤"», "${CLAUDE_PLUGIN_ROOT}/"], '
            '"mcpServers": {«, "s№": {"command": "¤"}»}}',
            ".claude-plugin/marketplace.json": '{"name": "a", "metadata": {"pluginRoot": "¤"}, "plugins": ['
            '«, {"source": "./p№", "agents": ["¤"]}», {"source": "¤"}]}',
            "server.py": "from mcp.server.fastmcp import FastMCP\n\nmcp = FastMCP('x')\n\n\n@mcp.tool()\ndef get_x0(path: str) -> str:\n"
            '    """Reads."""\n    return path\n',
        },
    ),
    Document("command of gemini", {".gemini/commands/a.toml": 'descripton = "¤"\n«\\n x№ = "¤"»\nprompt = "¤"\n'}),
    Document(
        "server of a registry",
        {
            "server.json": '{"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json", "name": "a/¤", '
            '"version": "1.¤", "packages": [«, {"registryType": "npm", "identifer№": "x¤", "version": "^1¤", "transport": {"type": '
            '"¤"}}», {}], "remotes": [«, {"type": "sse"}», 1]}',
        },
    ),
    Document("settings", {"tools.json": TOOLS, "prompts/a.md": "Use `read_note`.\n", "toolsurface.toml": _SETTINGS}),
    Document(
        "suppressions markdown",
        {
            "tools.json": TOOLS,
            "system.md": "Use `read_note`.\n«\\n <!-- "
            + _OWN
            + "ignore-next-line[TOOL_SURFACE_UNKNOWN_PROMPT_TOOL] № -->\nUse "
            "`reed_note`.»\n«\\n <!-- harn-tool-surface: ignore-start -->\n`reed_note`\n<!-- harn-tool-surface: ignore-end -->»\n"
            "<!-- " + _OWN + "ignore-line[§] § -->\n",
        },
    ),
    Document(
        "suppressions yaml",
        {
            "tools.yaml": "«\\n - name: y_№  # "
            + _OWN
            + "ignore-line[TOOL_NAME] №\n  description: Reads.»\n- name: prompt_it\n"
            "  prompt: |\n    Use it.\n«\\n     # "
            + _OWN
            + "ignore-next-line № until=2020-01-01\n    Use `z_№`.»\n  # "
            + _OWN
            + "§\n"
        },
    ),
    Document(
        "suppressions python",
        {
            "server.py": "from mcp.server.fastmcp import FastMCP\n\nmcp = FastMCP('x')\n\n\n@mcp.tool()\ndef read_note(path: str) -> str:\n"
            '    """Reads.\n\n«\\n     # '
            + _OWN
            + "ignore-line[TOOL_NAME] №»\n    # "
            + _OWN
            + '§\n    """\n    return path\n\n\n«\\n # '
            + _OWN
            + "ignore-next-line[TOOL_NAME]\nx№ = 1»\n# "
            + _OWN
            + "§\n"
        },
    ),
    Document(
        "lock",
        {
            "tools.json": '{"tools": [«, {"name": "t_№", "description": "¤", "inputSchema": {"required": ["a"]}}»]}',
            "toolsurface.lock": "version = 1\n«\\n [servers.'tools.json'.t_№]\nsha256 = '"
            + "0" * 64
            + "'\ndescription = 'none'\nschema = 'unknown'\noutput_schema = 'none'\nannotations = 'none'»\n"
            + "«\\n [servers.gone.u_№]\nsha256 = '"
            + "0" * 64
            + "'\ndescription = 'none'\nschema = 'none'\noutput_schema = 'none'\nannotations = 'none'»\n# §\n",
        },
    ),
    Document(
        "suppressions toml and jsonc",
        {
            "policy.toml": 'side_effect_level = "none"\n'
            "«\\n # " + _OWN + "ignore-next-line[POLICY] №\n[capabilities.c№]»\n",
            "tools.jsonc": "[\n«,\\n // " + _OWN + 'ignore-next-line[TOOL] №\n{"name": "j_№", "inputSchema": {}}»\n]\n',
        },
    ),
    Document(
        "servers of models",
        {
            "serve.sh": '#!/bin/sh\n# §\nA=(--port 1\n«\\n   --tool-call-parser hermes»\n)\n«\\n B№="§ $A"»\n«\\n if x; then\n  A+=(--seed №)\nfi»\n'
            'vllm serve Qwen/Qwen3-8B «  ${B№:-a} --tool-call-parser h№» "${A[@]}" §\n'
            '«\\n bash -c "vllm serve m --enable-auto-tool-choice --tool-call-parser qwen3_xml § "»\n',
            "compose.yaml": "services:\n«\\n   s№:\n    image: vllm/vllm-openai:v0.10.2\n    command: --model m --tool-call-parser h№ § \n    args: [--model, m, --tool-call-parser=h№]»\n"
            "x:\n«\\n   - run: |\n      vllm serve m --tool-call-parser '¤'»\n",
            "Dockerfile": '«\\n FROM vllm/vllm-openai:v0.10.2\nCMD ["--model", "m"«,  "--tool-call-parser", "¤"»]»\nRUN § vllm serve m --tool-call-parser x\n',
            "m.service": "[Service]\n«\\n ExecStart=vllm serve m --tool-call-parser h№ § \\\n  --port 1»\n",
            "README.md": "§\n«\\n ```bash\nvllm serve m --tool-call-parser h№ §\n```»\n",
        },
    ),
    *(Document(name, files) for name, files in PROGRAMS.items()),
)
