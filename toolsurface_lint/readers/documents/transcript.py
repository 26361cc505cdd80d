"""Transcripts in files that are read whole: conversations, lists of them, lists of a log's events."""

from __future__ import annotations

from toolsurface_lint.model.document import Document
from toolsurface_lint.readers.document_reader import DocumentReader
from toolsurface_lint.source.tree import Node

_KEYS = frozenset((
    "messages", "contents", "conversations", "conversation", "history", "input", "output", "items", "traj", "transcript",
    "request", "loglines", "message", "payload", "candidates", "response", "role", "from", "call_id", "span_id", "parts",
    "leafUuid", "snapshot", "sessionId", "jsonrpc", "interactions", "session", "msg", "data", "frame", "events",
    "trajectory", "completion", "query", "chat", "question", "ground_truth",
    "simulations", "trajectory", "source", "threadId", "chat_history", "llm_context", "agent_states", "tasks_output",
    "event_id",
    "resourceSpans", "batches", "resource_spans", "attributes", "schema_version", "epoch", "eval", "observations", "run_type",
    "runs", "post", "traceId", "kwargs",
))  # fmt: skip


def _recognises(root: Node, document: Document) -> tuple[Node, bool] | None:
    """The value, and whether it is a conversation with the tools that its model was given."""
    first = root if isinstance(root.value, dict) else root.get(0)
    if first is None or not isinstance(first.value, dict) or _KEYS.isdisjoint(first.value):
        return None
    from toolsurface_lint.readers.conversations import envelope_of, find_conversation, is_log, marked_envelope

    marked = marked_envelope(root.value) is not None
    found = None if marked else find_conversation(root)
    if found is not None:
        return root, found.tools is not None
    if marked or is_log(root.value):
        return root, False
    # One message, or one event of a log, is an example of it; a conversation takes a line for each.
    lines = document.language == "jsonl" or len(document.trees) > 1
    return (root, False) if lines and envelope_of(root.value) is not None else None


def _read(recognised: tuple[Node, bool], document: Document) -> None:
    from toolsurface_lint.model.transcript import Transcript

    root, carries_tools = recognised
    if not document.transcripts:
        document.transcripts = [Transcript(document.path, [], size=len(document.source.text))]
    trees = document.transcripts[0].trees
    assert isinstance(trees, list)
    trees.append(root.tree)
    # What a model was given with a conversation is all that it had.
    document.complete = document.complete or carries_tools


READER = DocumentReader("transcript", 35, False, _recognises, _read, (dict, list))
