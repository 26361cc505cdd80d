"""The conversations of `transcripts.py` in other formats: each as the lines that a file of JSON Lines has of it.

Every message and every result is there in each format, and each call with the same arguments.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

Message = dict[str, Any]


def _calls(message: Message) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for call in message.get("tool_calls", ()):
        yield call["id"], call["function"]["name"], json.loads(call["function"]["arguments"])


def _anthropic(messages: list[Message]) -> list[Message]:
    found: list[Message] = []
    for message in messages:
        if message["role"] == "tool":
            block = {"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": message["content"]}
            found.append({"role": "user", "content": [block]})
        elif "tool_calls" in message:
            uses = [{"type": "tool_use", "id": id, "name": name, "input": given} for id, name, given in _calls(message)]
            found.append({"role": "assistant", "content": [{"type": "text", "text": "One moment."}, *uses]})
        elif message["role"] != "system":
            found.append({**message, "content": [{"type": "text", "text": message["content"]}]})
    return found


def _bedrock(messages: list[Message]) -> list[Message]:
    found: list[Message] = []
    for message in messages:
        role = message["role"]
        if role == "tool":
            result = {
                "toolUseId": message["tool_call_id"],
                "content": [{"text": message["content"]}],
                "status": "success",
            }
            blocks: list[Any] = [{"toolResult": result}]
            role = "user"
        elif "tool_calls" in message:
            blocks = [
                {"toolUse": {"toolUseId": id, "name": name, "input": given}} for id, name, given in _calls(message)
            ]
        else:
            blocks = [{"text": message["content"]}]
        if role == "system":
            continue
        if found and found[-1]["role"] == role:
            # User and assistant take turns.
            found[-1]["content"] += blocks
        else:
            found.append({"role": role, "content": blocks})
    return found


def _gemini(messages: list[Message]) -> list[Message]:
    found: list[Message] = []
    names: dict[str, str] = {}
    for message in messages:
        if message["role"] == "tool":
            answer = {"name": names[message["tool_call_id"]], "response": {"output": message["content"]}}
            found.append({"role": "user", "parts": [{"functionResponse": answer}]})
        elif "tool_calls" in message:
            made = list(_calls(message))
            names.update((id, name) for id, name, _ in made)
            found.append(
                {"role": "model", "parts": [{"functionCall": {"name": name, "args": given}} for _, name, given in made]}
            )
        elif message["role"] != "system":
            role = "model" if message["role"] == "assistant" else "user"
            found.append({"role": role, "parts": [{"text": message["content"]}]})
    return found


def _responses(messages: list[Message]) -> list[Message]:
    found: list[Message] = []
    for message in messages:
        if message["role"] == "tool":
            found.append(
                {"type": "function_call_output", "call_id": message["tool_call_id"], "output": message["content"]}
            )
        elif "tool_calls" in message:
            found.extend(
                {"type": "function_call", "id": f"fc_{call['id']}", "call_id": call["id"], **call["function"]}
                for call in message["tool_calls"]
            )
        else:
            kind = "output_text" if message["role"] == "assistant" else "input_text"
            content = [{"type": kind, "text": message["content"]}]
            found.append({"type": "message", "role": message["role"], "content": content})
    return found


def _sharegpt(messages: list[Message]) -> list[Message]:
    roles = {"system": "system", "user": "human", "assistant": "gpt"}
    found: list[Message] = []
    for message in messages:
        if message["role"] == "tool":
            found.append({"from": "tool", "value": f"<tool_response>\n{message['content']}\n</tool_response>"})
        elif "tool_calls" in message:
            texts = (json.dumps({"name": name, "arguments": given}) for _, name, given in _calls(message))
            found.append({"from": "gpt", "value": "\n".join(f"<tool_call>\n{text}\n</tool_call>" for text in texts)})
        else:
            found.append({"from": roles[message["role"]], "value": message["content"]})
    return found


def _swe_agent(messages: list[Message]) -> list[Message]:
    found: list[Message] = []
    for message in messages:
        message = {**message, "agent": "main"}
        if "tool_call_id" in message:
            message["tool_call_ids"] = [message.pop("tool_call_id")]
        found.append(message)
    return found


def _claude_code(number: int, messages: list[Message]) -> Iterator[Message]:
    for index, message in enumerate(_anthropic(messages)):
        parent = f"u{number}_{index - 1}" if index else None
        marks = {"uuid": f"u{number}_{index}", "parentUuid": parent, "sessionId": f"s{number}", "isSidechain": False}
        where = {"cwd": "/work", "version": "2.0.1", "timestamp": "2026-01-01T00:00:00.000Z"}
        yield {"type": message["role"], **marks, **where, "message": message}


def _codex(number: int, messages: list[Message]) -> Iterator[Message]:
    yield {
        "timestamp": "2026-01-01T00:00:00.000Z",
        "type": "session_meta",
        "payload": {"id": f"s{number}", "cwd": "/work"},
    }
    for item in _responses(messages):
        yield {"timestamp": "2026-01-01T00:00:00.000Z", "type": "response_item", "payload": item}


def _pi(number: int, messages: list[Message]) -> Iterator[Message]:
    before = None
    for index, message in enumerate(messages):
        content: list[Any] = [] if message["content"] is None else [{"type": "text", "text": message["content"]}]
        own: Message = {"role": message["role"], "content": content}
        if message["role"] == "tool":
            own = {"role": "toolResult", "toolCallId": message["tool_call_id"], "content": content, "isError": False}
        for id, name, given in _calls(message):
            content.append({"type": "toolCall", "id": id, "name": name, "arguments": given})
        id = f"e{number}_{index}"
        yield {"type": "message", "id": id, "parentId": before, "timestamp": "2026-01-01T00:00:00.000Z", "message": own}
        before = id


def _mcp(number: int, messages: list[Message]) -> Iterator[Message]:
    """What of a conversation passes between a client and its server, with all else in what a server says."""
    start = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "client", "version": "1"}}
    yield {"jsonrpc": "2.0", "id": f"{number}_0", "method": "initialize", "params": start}
    for message in messages:
        if message["role"] == "tool":
            result = {"content": [{"type": "text", "text": message["content"]}], "isError": False}
            yield {"jsonrpc": "2.0", "id": message["tool_call_id"], "result": result}
        elif "tool_calls" in message:
            for id, name, given in _calls(message):
                yield {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": given}}
        else:
            said = {"level": "info", "data": message["content"]}
            yield {"jsonrpc": "2.0", "method": "notifications/message", "params": said}


def _harn(number: int, messages: list[Message]) -> Iterator[Message]:
    for index, message in enumerate(messages):
        yield {"type": "message", "timestamp": index, "span_id": number, "iteration": 0, **message}


class Format(NamedTuple):
    """How a format writes a conversation: given its number and OpenAI's messages, the values of its lines.

    `session`: the lines of one file belong together, so that a run is many files.
    """

    write: Callable[[int, list[Message]], Iterator[Any]]
    session: bool = False


def _whole(key: str, convert: Callable[[list[Message]], list[Message]]) -> Format:
    return Format(lambda number, messages: iter([{"task_id": number, key: convert(messages)}]))


FORMATS = {
    "openai": _whole("messages", lambda messages: messages),
    "anthropic": _whole("messages", _anthropic),
    "bedrock": _whole("messages", _bedrock),
    "gemini": _whole("contents", _gemini),
    "responses": _whole("input", _responses),
    "sharegpt": _whole("conversations", _sharegpt),
    "swe-agent": _whole("history", _swe_agent),
    "claude-code": Format(_claude_code, session=True),
    "codex": Format(_codex, session=True),
    "harn": Format(_harn, session=True),
    "mcp": Format(_mcp, session=True),
    "message-lines": Format(lambda _, messages: iter(messages), session=True),
    "pi": Format(_pi, session=True),
}
