"""Recorded answers of the Gemini API, whole or in streamed chunks: what the model said, without what was said to it.

A line is an answer, or `{method, response}` with one or the list of its chunks.
Source: Gemini API reference, GenerateContentResponse.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolsurface_lint.model.transcript import USER, Contract
from toolsurface_lint.readers.transcript_format import Envelope, TranscriptEntry, objects
from toolsurface_lint.readers.transcripts.gemini import read_content
from toolsurface_lint.source.tree import Path, Tree

_CONTRACT = Contract(answered=False, result_roles=frozenset({USER}), client_tools=None)


def _is_answer(value: Any) -> bool:
    return type(value) is dict and type(value.get("candidates")) is list


def _recognises(value: dict[str, Any]) -> bool:
    if _is_answer(value):
        return True
    response = value.get("response")
    if type(response) is list:
        return bool(response) and all(type(chunk) is dict for chunk in response) and any(map(_is_answer, response))
    return _is_answer(response) or (type(response) is dict and "method" in value and "totalTokens" in response)


def _read(tree: Tree, path: Path, value: dict[str, Any]) -> Sequence[TranscriptEntry]:
    response = value.get("response")
    if type(response) is list:
        answers = list(objects(value, "response", path))
    elif type(response) is dict:
        answers = [((*path, "response"), response)]
    else:
        answers = [(path, value)]
    entries: list[TranscriptEntry] = []
    for where, answer in answers:
        for candidate_path, candidate in objects(answer, "candidates", where):
            content = candidate.get("content")
            if type(content) is dict:
                turn = read_content(tree, (*candidate_path, "content"), content, _CONTRACT)
                if candidate.get("finishReason") in ("MAX_TOKENS", "MALFORMED_FUNCTION_CALL", "OTHER", "SAFETY"):
                    turn.ended = lambda _: True
                entries.append(TranscriptEntry("answers", turn))
    return entries


ENVELOPE = Envelope(30, _recognises, _read)
