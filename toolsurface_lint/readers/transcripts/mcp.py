"""Logs of MCP: JSON-RPC messages between a client and a server, one an event, wrapped or not.

Recorders wrap each message (`{"direction": ..., "message": {...}}`), or keep a request with its response
(`{"request": {...}, "response": {...}}`). Logs of text write it after a time and a direction; those of Claude Desktop name the
server before. Sources: the Model Context Protocol's schema, CallToolRequest, CallToolResult and
ListToolsResult, every published version; the cassettes of devhelmhq/mcp-recorder, the recordings of Jarvis2021/agent-vcr, and
what standardbeagle/mcp-debug and mcp-rec (PyPI) write.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from toolsurface_lint.model.transcript import ASSISTANT, TOOL, Call, CallShape, Contract, Result, Turn
from toolsurface_lint.readers.transcript_format import (
    Envelope,
    Glance,
    NotPlain,
    QuickLog,
    TranscriptEntry,
    text_of,
)
from toolsurface_lint.source.json_lines import LineTree
from toolsurface_lint.source.tree import Node, Path, Tree

_CONTRACT = Contract(adjacent=False, itemised=True, client_tools=None, wire=True)
_CALL = CallShape(("id",), ("params", "name"), ("params", "arguments"))

_WRAPPERS = ("request", "response", "message", "msg", "payload", "data", "frame")
_SESSION = ("session_id", "sessionId", "session", "server_name", "serverName", "server")
"""Keys of a wrapper that tell apart what is recorded in one file: ids begin anew in each session of each server."""

_METHODS = ("tools/", "resources/", "prompts/", "notifications/", "sampling/", "roots/", "elicitation/", "completion/")
_RESULTS = frozenset(("content", "structuredContent", "tools", "protocolVersion", "isError", "resourceTemplates"))


def _is_message(value: Any) -> bool:
    """Whether a value is a message of MCP, as far as it says: language servers and agents speak JSON-RPC too."""
    if type(value) is not dict or value.get("jsonrpc") != "2.0":
        return False
    method = value.get("method")
    if type(method) is str:
        params = value.get("params")
        begins = method == "initialize" and type(params) is dict and "protocolVersion" in params
        return begins or method.startswith(_METHODS)
    result = value.get("result")
    if type(result) is dict:
        return not _RESULTS.isdisjoint(result)
    return type(value.get("error")) is dict and "id" in value


def _messages(event: dict[str, Any]) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The messages that an event holds, each with the path to it, requests first."""
    if "jsonrpc" in event:
        if _is_message(event):
            yield (), event
        return
    for key in _WRAPPERS:
        if _is_message(event.get(key)):
            yield (key,), event[key]


_NAMED = re.compile(r"\S+ \[([^\]]*)\] \[([^\]]*)\] (?:\[[^\]]*\] )?Message from (?:client|server): ")


def _named_before(tree: Tree) -> tuple[str, ...]:
    """The server, and how severe the line is, which a log of Claude Desktop says before the message."""
    named = _NAMED.match(tree.before) if isinstance(tree, LineTree) else None
    return () if named is None else named.groups()


def _recognises(event: dict[str, Any]) -> bool:
    return any(True for _ in _messages(event))


def _read(tree: Tree, path: Path, event: dict[str, Any]) -> Sequence[TranscriptEntry]:
    session = ("mcp", *(text_of(event.get(key)) for key in _SESSION), *_named_before(tree))
    found = []
    for inner, message in _messages(event):
        where = (*path, *inner)
        if type(message.get("method")) is str:
            turn = _request(tree, where, message)
        elif type(message.get("result")) is dict and type(message["result"].get("tools")) is list:
            more = type(message["result"].get("nextCursor")) is str
            found.append(TranscriptEntry(session, None, tools=(*where, "result", "tools"), more_tools=more))
            continue
        else:
            turn = _response(tree, where, message)
        begins = message.get("method") == "initialize"
        if turn is not None or begins:
            found.append(TranscriptEntry(session, turn, begins))
    return found


def _request(tree: Tree, path: Path, message: dict[str, Any]) -> Turn | None:
    params = message.get("params")
    if message["method"] != "tools/call" or type(params) is not dict or type(params.get("name")) is not str:
        return None
    call = Call(tree, path, _CALL, _id(message), params["name"], params.get("arguments"))
    return Turn(tree, path, ASSISTANT, None, _CONTRACT, calls=(call,))


def _response(tree: Tree, path: Path, message: dict[str, Any]) -> Turn | None:
    """What a server answers; it is the result of a call if a call has its id."""
    id = _id(message)
    served = message.get("result")
    if id is None:
        return None
    if type(served) is not dict:
        error = message.get("error")
        content = error.get("message") if type(error) is dict else None
        result = Result(tree, path, id, None, ("id",), True, content)
    elif "role" in served or ("action" in served and type(served.get("content")) is not list):
        # What a client's model or its user said, which the server asked for.
        return None
    else:
        failed = served.get("isError") is True
        result = Result(tree, path, id, None, ("id",), failed, served.get("content"))
        result.served = Node(tree, (*path, "result"), served)
    return Turn(tree, path, TOOL, None, _CONTRACT, results=(result,))


def _id(message: dict[str, Any]) -> str | None:
    id = message.get("id")
    return str(id) if type(id) in (int, str) else None


def _glance(event: dict[str, Any]) -> tuple[Hashable, bool, Glance] | None:
    ((_, message),) = _messages(event)
    session = ("mcp", *(text_of(event.get(key)) for key in _SESSION))
    id, method = _id(message), message.get("method")
    if type(method) is str:
        params = message.get("params")
        if method == "initialize":
            raise NotPlain
        if method != "tools/call" or type(params) is not dict or type(params.get("name")) is not str:
            return None
        given = params.get("arguments")
        if id is None:
            raise NotPlain
        return session, False, (ASSISTANT, ((id, params["name"], {} if given is None else given),), (), ())
    served = message["result"]
    # What a result holds is checked, where it is more than a text.
    if type(served["content"]) is not list or served.get("isError") is True or "structuredContent" in served:
        raise NotPlain
    if id is None or "role" in served or type(served.get("tools")) is list:
        raise NotPlain
    return session, False, (TOOL, (), ((id, None, False),), ())


ENVELOPE = Envelope(30, _recognises, _read, QuickLog(_glance, _CONTRACT), logged=True)
