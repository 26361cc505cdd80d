"""Exports of LangSmith: runs, one a line, in lists, in `{post, patch}` batches, or nested by `child_runs`.

A run of type `llm` is a request: `inputs.messages` in LangChain's or a provider's form, `outputs` as the model's answer, and
the tools in `inputs`, `extra.invocation_params` or `extra.metadata`. Each request has the whole history: a conversation is
read once (`ModelRequest`). The other runs say nothing more.
Source: langchain-ai/langsmith-sdk, `python/langsmith/schemas.py` and its recorded requests; langchain-core's tracer.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from toolsurface_lint.readers.requests import decoded, find_tools, read_answer, read_history, start_of
from toolsurface_lint.readers.transcript_format import Envelope, ModelRequest, objects
from toolsurface_lint.source.tree import Node, Path, Tree

_REQUESTS = frozenset({"llm", "chat_model"})
_TYPES = frozenset({"llm", "chat_model", "chain", "tool", "retriever", "embedding", "prompt", "parser", "agent"})
_BATCH = ("post", "patch", "runs")
_MARKS = frozenset({"trace_id", "dotted_order", "child_runs", "inputs", "outputs"})


def _is_run(value: Any) -> bool:
    return (
        type(value) is dict
        and type(value.get("run_type")) is str
        and value["run_type"].lower() in _TYPES
        and not _MARKS.isdisjoint(value)
    )


def _recognises(value: dict[str, Any]) -> bool:
    return _is_run(value) or any(_is_run(run) for key in _BATCH for _, run in objects(value, key))


def _read(tree: Tree, path: Path, value: dict[str, Any]) -> Iterator[ModelRequest]:
    if _is_run(value):
        waiting = [(path, value)]
    else:
        waiting = [found for key in _BATCH for found in objects(value, key, path)]
    runs: list[tuple[Path, dict[str, Any]]] = []
    root = value.get("trace_id") or value.get("id")
    while waiting:
        found = waiting.pop()
        runs.append(found)
        waiting.extend(objects(found[1], "child_runs", found[0]))
    runs.sort(key=lambda run: (start_of(run[1], "start_time"), str(run[1].get("dotted_order"))))
    for where, run in runs:
        # What ends a run in a batch repeats its inputs, but not always its type.
        if str(run.get("run_type", "llm")).lower() in _REQUESTS:
            yield from _request(Node(tree, where, run), root)


def _request(run: Node, root: Hashable) -> Iterator[ModelRequest]:
    sent, given, extra = (decoded(run.get(key)) for key in ("inputs", "outputs", "extra"))
    turns = [*read_history(sent), *read_answer(given)]
    if not turns:
        return
    trace = run.value.get("trace_id") or root
    metadata = None if extra is None else extra.get("metadata")
    traces: list[Hashable] = [("langsmith", trace if type(trace) is str else None)]
    for key in ("session_id", "thread_id", "conversation_id"):
        name = None if metadata is None else metadata.string(key)
        if name is not None:
            traces.append(("langsmith thread", name.value))
    tools = find_tools(sent, extra, metadata, None if extra is None else extra.get("options"))
    yield ModelRequest(tuple(traces), turns, tools)


ENVELOPE = Envelope(27, _recognises, _read, marks=frozenset({"run_type", "post", "patch", "runs"}))
