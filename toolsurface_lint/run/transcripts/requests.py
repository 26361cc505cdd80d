"""Follows the requests that tracers record: each has the whole history before it, so most of it is known already.

Within one trace a message is known if every call, result or text of it was met before, as often as in this request.
Only what comes after the last known message is new. It continues the conversation of that message if it was the last one
there, and else it is another branch: a retry, or another agent with the same beginning. So each message is checked
once, in whatever order the requests were written, and also where a history was shortened. The real traces behind this:
those of 20 frameworks in langfuse/langfuse (`worker/src/__tests__/chatml/framework-traces`), and logs of inspect_ai.
"""

from __future__ import annotations

import json
import marshal
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable
from functools import cache
from typing import Any

from toolsurface_lint.model.transcript import SYSTEM, UNREADABLE, Call, Contract, Turn
from toolsurface_lint.readers.transcript_format import ModelRequest
from toolsurface_lint.run.transcripts.conversation import CalledSurface, Conversation
from toolsurface_lint.source.tree import Node

_MOST_TRACES = 1000
"""So many traces are remembered: one that no request was of for longer is over."""
_MOST_TOOL_LISTS = 64


class _Branch:
    """A conversation that is being followed, the keys of its last message, and the surface that it has."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self.last: frozenset[int] = frozenset()
        self.surface: CalledSurface | None = None


class _Trace:
    def __init__(self) -> None:
        self.known: dict[int, _Branch] = {}
        """By the key of each call, result and text, where it was followed."""
        self.branches: list[_Branch] = []
        self.calls: _Branch | None = None
        """Where the calls are that no request says."""
        self.names: dict[Hashable, None] = {}


class Requests:
    """Follows requests, trace by trace.

    `begin` begins a conversation, which is recorded from its beginning or not; `read_tools` gives the surface of the tools
    at a node. Nothing is said of these: a tracer may keep less of them than was sent.
    """

    def __init__(self, begin: Callable[[bool], Conversation], read_tools: Callable[[Node], CalledSurface]) -> None:
        self._begin = begin
        self._read_tools = read_tools
        self._traces: dict[Hashable, _Trace] = {}
        self._latest: OrderedDict[_Trace, None] = OrderedDict()
        """Every trace, the one that was met last at the end."""
        self._surfaces: dict[bytes, CalledSurface] = {}

    def add(self, request: ModelRequest, wired: bool) -> None:
        """Follow what is new in a request. `wired`: it may hold delimiters in their wire form."""
        trace = self._trace(request.traces)
        counted: Counter[Hashable] = Counter()
        keys: list[frozenset[int]] = []
        first = 0
        before: _Branch | None = None
        for index, turn in enumerate(request.turns):
            parts = [_counted(key, counted) for key in _keys(turn)]
            own = frozenset(parts)
            keys.append(own)
            if parts and all(key in trace.known for key in parts):
                first = index + 1
                branches = dict.fromkeys(trace.known[key] for key in parts)
                before = next((branch for branch in branches if own & branch.last), trace.known[parts[0]])
        if not any(keys[first:]) or (request.alone and first):
            return
        known = keys[first - 1] if first else frozenset()
        branch = self._branch(trace, request, first, before, known)
        if request.tools is not None:
            self._give_tools(branch, request.tools)
        for turn, own in zip(request.turns[first:], keys[first:], strict=True):
            turn.contract = _lenient(turn.contract)
            branch.conversation.wired = wired
            branch.conversation.turn(turn)
            if own:
                branch.last = own
            for key in own:
                trace.known.setdefault(key, branch)

    def _trace(self, names: tuple[Hashable, ...]) -> _Trace:
        trace = next((self._traces[name] for name in names if name in self._traces), None) or _Trace()
        for name in names:
            if self._traces.setdefault(name, trace) is trace:
                trace.names[name] = None
        self._latest[trace] = None
        self._latest.move_to_end(trace)
        if len(self._latest) > _MOST_TRACES:
            over, _ = self._latest.popitem(last=False)
            for name in over.names:
                del self._traces[name]
            _end(over)
        return trace

    def _branch(
        self, trace: _Trace, request: ModelRequest, first: int, before: _Branch | None, known: frozenset[int]
    ) -> _Branch:
        """The conversation that the new messages of a request belong to."""
        if before is not None and known & before.last:
            return before
        if request.alone and trace.calls is not None:
            return trace.calls
        answers = next((bool(turn.results) for turn in request.turns[first:] if turn.role != SYSTEM), False)
        if before is None and answers and trace.branches and not request.alone:
            # Only what is new was sent: the provider keeps the rest.
            return trace.branches[-1]
        from_start = before is None and not answers and not request.continues and not request.alone
        branch = _Branch(self._begin(from_start))
        trace.branches.append(branch)
        if request.alone:
            trace.calls = branch
        return branch

    def _give_tools(self, branch: _Branch, node: Node) -> None:
        key = marshal.dumps(node.value)
        surface = self._surfaces.get(key)
        if surface is None:
            surface = self._read_tools(node)
            if len(self._surfaces) < _MOST_TOOL_LISTS:
                self._surfaces[key] = surface
        if branch.surface is not surface:
            branch.surface = surface
            branch.conversation.tools(surface)

    def end(self) -> None:
        """No request follows."""
        for trace in self._latest:
            _end(trace)
        self._latest.clear()
        self._traces.clear()


@cache
def _lenient(contract: Contract) -> Contract:
    """What a tracer keeps of the order that a provider requires: it splits messages and joins them."""
    return contract._replace(adjacent=False, alternates=False, prompted=False, itemised=True)


def _end(trace: _Trace) -> None:
    for branch in trace.branches:
        branch.conversation.end()


def _counted(key: Hashable, counted: Counter[Hashable]) -> int:
    """The key of the next time that something is said in a request."""
    counted[key] += 1
    return hash((key, counted[key]))


def _keys(turn: Turn) -> list[Hashable]:
    """What makes a message this one: its calls and its results, else its id, else its text.

    What the system says changes between requests of one conversation, and has no key. Agents take calls out of messages
    that keep their ids.
    """
    if turn.role == SYSTEM:
        return []
    keys: list[Hashable] = [("call", call.id, call.name, _arguments(call)) for call in turn.calls]
    keys += [
        ("result", result.id if result.id is not None else (result.name, _plain(result.content)))
        for result in turn.results
    ]
    if not keys and turn.message is not None:
        return [("message", turn.message)]
    return keys or [("text", turn.role, "\n".join(text.value.strip() for text in turn.said()))]


def _arguments(call: Call) -> str:
    value = call.value
    return _plain(call.arguments if value is UNREADABLE else value)


def _plain(value: Any) -> str:
    try:
        return value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        return ""
