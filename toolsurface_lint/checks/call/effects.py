"""Calls that change something, made twice, or made with what a failed call gave."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from toolsurface_lint.checks.contract import CONVERSATION, Follow, check
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.effects import WRITES, declared_effects
from toolsurface_lint.model.outcomes import result_value
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.transcript import UNREADABLE, USER, Call, Mismatch, Result, Turn, meant_by
from toolsurface_lint.source.tree import Place

EFFECT_REPEATED = Rule(
    code="CALL_EFFECT_REPEATED",
    since="0.1.0",
    severity=WARNING,
    summary="A call that changes something is made again, with the same arguments, after it has succeeded.",
    message="`{name}` is called again with the same arguments, after the first call has succeeded",
    tags=("calls", "transcripts"),
    preview=True,
)

USES_FAILED_RESULT = Rule(
    code="CALL_USES_FAILED_RESULT",
    since="0.1.0",
    severity=WARNING,
    summary="A call that changes something takes an id that only a failed call has given.",
    message="the call of `{name}` takes `{value}`, which only the failed result of `{source}` has given",
    tags=("calls", "transcripts"),
    preview=True,
)


def _changing(surface: Surface) -> dict[str, Tool]:
    """The tools that are declared to change something, by name; not those that run whatever they are given."""
    return {name: tools[0] for name, tools in surface.by_name.items() if all(_changes(each, surface) for each in tools)}


def _changes(tool: Tool, surface: Surface) -> bool:
    annotations = surface.annotations(tool)
    if annotations is not None and (annotations.kind == "execute" or annotations.level in _RUNS):
        return False
    by_policy = annotations is not None and (annotations.kind in _WRITING_KINDS or annotations.level == _WRITING_LEVEL)
    return by_policy or any(declared.effect == WRITES for declared in declared_effects(tool))


_RUNS = ("process_exec", "desktop_control")
_WRITING_KINDS = ("edit", "delete", "move")
_WRITING_LEVEL = "workspace_write"


def _is_idempotent(tool: Tool) -> bool:
    hint = None if tool.hints is None else tool.hints.get("idempotentHint")
    return hint is not None and hint.value is True


_WAITING = 100
"""So many second calls are remembered until they are answered: some never are."""


@check(CONVERSATION, EFFECT_REPEATED)
def check_repetition(surface: Surface) -> Follow | None:
    tools = _changing(surface)
    if not tools:
        return None
    last: Call | None = None
    waiting: deque[tuple[Call, Call]] = deque(maxlen=_WAITING)

    def follow(turn: Turn | None, _: list[Mismatch]) -> Iterable[Finding]:
        nonlocal last, waiting
        if turn is not None and turn.contract.wire:
            # Who asked for a call, and whether again, is not recorded.
            return ()
        found = [_repeated(*pair) for pair in waiting if _succeeded(pair[1])]
        waiting = deque((pair for pair in waiting if pair[1].result is None), _WAITING)
        if turn is None:
            return found
        if turn.role == USER and not turn.results:
            last = None
        for call in turn.calls:
            tool = meant_by(call.name, tools)
            if tool is None or call.value is UNREADABLE:
                continue
            is_same = last is not None and last.name == call.name and last.value == call.value
            if last is not None and is_same and _succeeded(last) and not _is_idempotent(tool):
                waiting.append((last, call))
            last = call
        return found

    return follow


def _succeeded(call: Call) -> bool:
    return call.result is not None and not call.result.failed


def _repeated(first: Call, second: Call) -> Finding:
    return EFFECT_REPEATED.at(second.place, tool=second.name, related=[("the first call", first.place)])


_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{5,127}")
_ESCAPED = re.compile(r"\\(?:u[0-9a-f]{4}|[nrt])")
_ID_KEY = re.compile(
    r"(?:\A|_|-)(?:id|ids|uid|uuid|token|ref|reference|number|handle)\Z|[a-z0-9](?:Id|Uid|Token|Ref|Number)\Z", re.ASCII
)
_OFFERS = re.compile(
    r"suggest|existing|exists|available|candidate|alternative|instead|did.you.mean|duplicate|conflict", re.I
)
"""What an error says to be used."""
_MOST = 100_000
"""Ids that are remembered; beyond, nothing is reported, as any of them may have been seen before."""


@check(CONVERSATION, USES_FAILED_RESULT)
def check_sources(surface: Surface) -> Follow | None:
    tools = _changing(surface)
    if not tools:
        return None
    seen: set[str] = set()
    failed: dict[str, Result] = {}

    def follow(turn: Turn | None, _: list[Mismatch]) -> Iterator[Finding]:
        if turn is None or len(seen) > _MOST:
            return
        for call in turn.calls:
            if failed and meant_by(call.name, tools) is not None and call.value is not UNREADABLE:
                for path, value in _ids(call.value):
                    result = failed.get(value)
                    if result is not None:
                        node = call.arguments_node
                        place = Place(node.tree, node.path + path)
                        related = [("the failed result", result.place)]
                        yield USES_FAILED_RESULT.at(
                            place, tool=call.name, related=related, value=value, source=result.name or "a call"
                        )
        given = [result for result in turn.results if result.failed]
        new = [(value, result) for result in given for value in _given(result) if value not in seen]
        written = _written(turn.node.value)
        if turn.role == USER or len(given) < len(turn.results):
            # It has another source now.
            for value in failed.keys() & written:
                del failed[value]
        seen.update(written)
        failed.update(new)

    return follow


def _written(value: Any) -> set[str]:
    """Everything that looks like an id in a value, in its texts and in the JSON that they hold."""
    text = json.dumps(value, default=str)
    # `\\nbk_77` is `bk_77` on a line of its own; but `C:\\new_77` holds `new_77`.
    return {*_ID.findall(text), *_ID.findall(_ESCAPED.sub(" ", text))}


def _given(result: Result) -> Iterator[str]:
    """The ids that a failed result gives, under keys that say so; none if it says what to use in place of them."""
    value = result_value(result)
    if not isinstance(value, dict) or _OFFERS.search(json.dumps(value, default=str)) is not None:
        return
    for path, text in _ids(value):
        if isinstance(path[-1], str) and _ID_KEY.search(path[-1]) is not None:
            yield text


def _ids(value: Any) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Everything in a value that looks like an id, with its path."""
    pending: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    while pending:
        path, current = pending.pop()
        if isinstance(current, dict):
            pending.extend(((*path, key), member) for key, member in current.items())
        elif isinstance(current, list):
            pending.extend(((*path, index), member) for index, member in enumerate(current))
        elif path and isinstance(current, str | int) and not isinstance(current, bool):
            text = str(current)
            if _ID.fullmatch(text) is not None and any(map(str.isdigit, text)):
                yield path, text
