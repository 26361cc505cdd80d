"""Transcripts in files that are read whole: conversations, lists of them, lists of a log's events."""

from __future__ import annotations

from toolsurface_lint.model.document import Document
from toolsurface_lint.readers.document_reader import DocumentReader
from toolsurface_lint.source.tree import Node

_KEYS = frozenset((
    "messages", "contents", "conversations", "conversation", "history", "input", "output", "items", "traj", "transcript",
    "request", "loglines", "message", "payload", "candidates", "response", "role", "from", "call_id", "span_id", "parts",
    "leafUuid", "snapshot", "sessionId", "jsonrpc", "interactions", "session", "msg", "data", "frame", "events",
))  # fmt: skip


def _recognises(root: Node, document: Document) -> bool:
    first = root if isinstance(root.value, dict) else root.get(0)
    if first is None or not isinstance(first.value, dict) or _KEYS.isdisjoint(first.value):
        return False
    from toolsurface_lint.readers.transcript_format import envelope_of, is_transcript

    if is_transcript(root.value):
        return True
    # One message, or one event of a log, is an example of it; a conversation takes a line for each.
    lines = document.language == "jsonl" or len(document.trees) > 1
    return lines and envelope_of(root.value) is not None


def _read(root: Node, document: Document) -> None:
    from toolsurface_lint.model.transcript import Transcript
    from toolsurface_lint.readers.transcript_format import carries_tools

    if not document.transcripts:
        document.transcripts = [Transcript(document.path, [])]
    trees = document.transcripts[0].trees
    assert isinstance(trees, list)
    trees.append(root.tree)
    # What a model was given with a conversation is all that it had.
    document.complete = document.complete or carries_tools(root)


READER = DocumentReader("transcript", 35, False, _recognises, _read, (dict, list))
