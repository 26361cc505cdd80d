"""The Berkeley Function Calling Leaderboard: `question`, a list of turns, with `function`, and `ground_truth` in a file beside.

`ground_truth` is a list of calls `{name: {argument: [accepted values]}}`. An empty text among the accepted values means that
the argument may be left out; in an object that is a value, each member has a list of accepted values too. Other answers are
calls as text (`cd(folder='docs')`), in several turns a list of them for each. Answers lie in `possible_answer/`, in a file of
the same name, and are joined by `id`. Evaluations that put both into one row are read too.
Sources: PyPI bfcl-eval 2026.3.23: `data/`, `eval_checker/ast_eval/ast_checker.py`, `constants/type_mappings.py`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from toolsurface_lint.model.transcript import USER, Call, CallShape, Turn
from toolsurface_lint.readers.conversations import listed, tools_at
from toolsurface_lint.readers.datasets._rows import answer, said
from toolsurface_lint.readers.datasets._types import standard_tools
from toolsurface_lint.readers.transcript_format import DatasetSchema, FoundConversation, MessageFormat
from toolsurface_lint.readers.written_calls import written_calls
from toolsurface_lint.source.derived import DerivedTree
from toolsurface_lint.source.embedded import read_embedded
from toolsurface_lint.source.tree import Node, Path, Spans, Tree

_SHAPE = CallShape((), ("name",), ("arguments",))
_LEFT_OUT = ""
_MOST_ALTERNATIVES = 200
"""Of a call: each is checked as a whole. The longest published answer has 71."""


def _recognises(row: dict[str, Any]) -> bool:
    if "ground_truth" in row:
        return "function" in row or ("id" in row and "question" not in row and _has_calls(row["ground_truth"]))
    return "function" in row and "question" in row


def _has_calls(truth: Any) -> bool:
    """Whether expected values are calls: objects of one object each, texts, or lists of texts."""
    if type(truth) is not list or not truth:
        return False
    first = truth[0]
    if type(first) is dict:
        return all(type(value) is dict for value in first.values())
    texts = first if type(first) is list else [first]
    return all(type(text) is str and text.rstrip()[-1:] == ")" for text in texts)


def _read(root: Node, format: MessageFormat | None) -> FoundConversation | None:
    return _conversation(root, root.get("function"))


def _join(root: Node, question: Node) -> FoundConversation | None:
    return _conversation(root, question.get("function"))


def _conversation(root: Node, functions: Node | None) -> FoundConversation | None:
    tools = tools_at(functions)

    def turns() -> Iterator[Turn]:
        for question in root.elements("question"):
            for message in question.elements() if type(question.value) is list else (question,):
                turn = said(message.get("content"), USER)
                if turn is not None:
                    yield turn
        truth = listed(root.get("ground_truth"))
        if truth is not None:
            yield from _answers(truth, tools)

    return FoundConversation(root.tree, root.path, [], None, tools, turns=turns)


def _answers(truth: Node, tools: Node | None) -> Iterator[Turn]:
    required, parameters = _signatures(tools)
    calls: list[Call] = []
    others: list[Call] = []
    for entry in truth.elements():
        if type(entry.value) is dict:
            for name, arguments in entry.members():
                call, alternatives = _accepted(name, arguments, required.get(name, frozenset()))
                calls.append(call)
                others += alternatives
        elif type(entry.value) is str:
            calls += written_calls(entry, parameters)
        elif type(entry.value) is list:
            made = [
                call for text in entry.elements() if type(text.value) is str for call in written_calls(text, parameters)
            ]
            if made:
                yield answer(entry, made)
    if calls:
        yield answer(truth, calls, others)


def _signatures(tools: Node | None) -> tuple[Mapping[str, frozenset[str]], Mapping[str, list[str]]]:
    """The parameters that each function requires, and all that it has, in order."""
    required: dict[str, frozenset[str]] = {}
    parameters: dict[str, list[str]] = {}
    if tools is not None and type(tools.value) is str:
        tools = read_embedded(tools)
    for tool in tools.elements() if tools is not None else ():
        name = tool.string("name")
        if name is None:
            continue
        needed = tool.find("parameters", "required")
        items = needed.value if needed is not None and type(needed.value) is list else ()
        required[name.value] = frozenset(item for item in items if type(item) is str)
        parameters[name.value] = [key for key, _ in tool.members("parameters", "properties")]
    return required, parameters


class _Accepted(NamedTuple):
    """An accepted value, where its parts were written, and what may be in place of them, each at a path."""

    value: Any
    written: dict[Path, Path]
    others: list[tuple[Path, Any, dict[Path, Path]]]

    def put(self, key: str | int, member: _Accepted) -> None:
        """Add what is accepted for a member of the value."""
        self.value[key] = member.value
        self.written.update(_below(key, member.written))
        self.others.extend(((key, *path), value, _below(key, written)) for path, value, written in member.others)


def _below(key: str | int, written: dict[Path, Path]) -> dict[Path, Path]:
    return {(key, *path): place for path, place in written.items()}


def _accepted(name: str, arguments: Node, required: frozenset[str]) -> tuple[Call, list[Call]]:
    """The call of the first accepted value of each argument, and one more for every other accepted value."""
    first = _Accepted({}, {}, [])
    for key, options in arguments.members():
        member = _chosen(options, key in required)
        if member is not None:
            first.put(key, member)
    others = [
        _call(name, arguments, _with(first.value, path, value), first.written | written)
        for path, value, written in first.others[:_MOST_ALTERNATIVES]
    ]
    return _call(name, arguments, first.value, first.written), others


def _chosen(options: Node, required: bool, nested: bool = True) -> _Accepted | None:
    """The first of a list of accepted values, with the others; None if it is left out.

    `nested`: the members of objects among them have lists of accepted values.
    """
    nodes = list(options.elements()) if type(options.value) is list else [options]
    nodes = [node for node in nodes if node.value != _LEFT_OUT] or (nodes[:1] if required else [])
    if not nodes:
        return None
    first, *more = map(_value if nested else _plain, nodes[:_MOST_ALTERNATIVES])
    for other in more:
        first.others.append(((), other.value, other.written))
        first.others.extend(
            ((), _with(other.value, path, value), other.written | written)
            for path, value, written in other.others[:_MOST_ALTERNATIVES]
        )
    return first


def _plain(node: Node) -> _Accepted:
    return _Accepted(node.value, {(): node.path}, [])


def _value(node: Node) -> _Accepted:
    """An accepted value: of an object, alone or in a list, each member has accepted values of its own, and no deeper."""
    found = _plain(node)
    if type(node.value) is dict:
        found = found._replace(value={})
        for key, options in node.members():
            member = _chosen(options, False, nested=False)
            if member is not None:
                found.put(key, member)
    elif type(node.value) is list and any(type(item) is dict for item in node.value):
        found = found._replace(value=list(node.value))
        for index, item in enumerate(node.elements()):
            found.put(index, _value(item) if type(item.value) is dict else _Accepted(item.value, {}, []))
    return found


def _with(holder: Any, path: Path, value: Any) -> Any:
    """A copy of plain data with another value at a path."""
    if not path:
        return value
    copy = holder.copy()
    copy[path[0]] = _with(copy[path[0]], path[1:], value)
    return copy


def _call(name: str, arguments: Node, value: dict[str, Any], written: dict[Path, Path]) -> Call:
    return Call(_ChosenCall(name, arguments, value, written), (), _SHAPE, None, name, value)


class _ChosenCall(DerivedTree):
    """A call `{name, arguments}` of accepted values; `written` says where those lie that are not where their keys are."""

    __slots__ = ("_arguments", "_parts")

    def __init__(self, name: str, arguments: Node, value: dict[str, Any], written: dict[Path, Path]) -> None:
        super().__init__(arguments.tree, {"name": name, "arguments": value}, self._place)
        self._arguments = arguments
        self._parts = written

    def _place(self, path: Path) -> tuple[Tree, Path]:
        inner = path[1:]
        for length in range(len(inner), 0, -1):
            if inner[:length] in self._parts:
                return self._arguments.tree, self._parts[inner[:length]] + inner[length:]
        return self._arguments.tree, self._arguments.path + inner

    def spans_at(self, path: Path) -> tuple[Spans, bool]:
        spans, found = super().spans_at(path)
        if path == ("name",):
            return Spans(spans.key_start, spans.key_end), found
        if len(path) > 1 and type(path[-1]) is str:
            # The key is that of the list of what is accepted.
            tree, holder = self._place(path[:-1])
            options, _ = tree.spans_at((*holder, path[-1]))
            return Spans(spans.start, spans.end, None, (options.key_start, options.key_end)), found
        return spans, found


def _tools(tools: Node) -> Node:
    # What a function does not declare is an "unexpected parameter" of the checker.
    return standard_tools(tools, closed=True)


def _questions(path: str) -> Sequence[str]:
    """Where the questions of a file of answers are: beside the folder that it lies in, or in a folder `question` there."""
    folder, name = os.path.split(path)
    if os.path.basename(folder) != "possible_answer":
        return ()
    around = os.path.dirname(folder)
    return os.path.join(around, name), os.path.join(around, "question", name)


SCHEMA = DatasetSchema("BFCL", 30, _recognises, _read, _tools, _questions, _join)
