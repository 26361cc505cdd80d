"""The Berkeley Function Calling Leaderboard: `question`, a list of turns, with `function`, and `ground_truth` in a file beside.

`ground_truth` is a list of calls `{name: {argument: [accepted values]}}`. An empty text among the accepted values means that
the argument may be left out; in an object that is a value, each member has a list of accepted values too. Multi-turn answers
are lists of calls as text, one a turn (`cd(folder='docs')`). Answers lie in `possible_answer/`, in a file of the same name, and
are joined by `id`. Evaluations that put both into one row are read too.
Sources: PyPI bfcl-eval 2026.3.23: `data/`, `eval_checker/ast_eval/ast_checker.py`, `constants/type_mappings.py`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from toolsurface_lint.model.transcript import USER, Call, CallShape, Turn
from toolsurface_lint.readers.datasets._rows import answer, said
from toolsurface_lint.readers.datasets._types import standard_tools
from toolsurface_lint.readers.transcript_format import (
    DatasetSchema,
    FoundConversation,
    MessageFormat,
    listed,
    tools_at,
)
from toolsurface_lint.readers.written_calls import written_calls
from toolsurface_lint.source.derived import DerivedTree
from toolsurface_lint.source.embedded import read_embedded
from toolsurface_lint.source.tree import Node, Path, Tree

_SHAPE = CallShape((), ("name",), ("arguments",))
_LEFT_OUT = ""


def _recognises(row: dict[str, Any]) -> bool:
    if "ground_truth" in row:
        return "function" in row or ("id" in row and "question" not in row and _has_calls(row["ground_truth"]))
    return "function" in row and "question" in row


def _has_calls(truth: Any) -> bool:
    """Whether expected values are calls: objects of one object each, or lists of texts."""
    if type(truth) is not list or not truth:
        return False
    first = truth[0]
    if type(first) is dict:
        return all(type(value) is dict for value in first.values())
    return type(first) is list and all(type(text) is str and text.rstrip()[-1:] == ")" for text in first)


def _read(root: Node, format: MessageFormat | None) -> FoundConversation | None:
    return read_joined(root, root.get("function"))


def read_joined(root: Node, functions: Node | None) -> FoundConversation | None:
    """The conversation of a row whose functions may be in another file."""
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


class _Chosen:
    """One call of those that are accepted: its arguments, and where each part of them was written."""

    def __init__(self) -> None:
        self.arguments: dict[str, Any] = {}
        self.written: dict[Path, Path] = {}

    def put(self, path: Path, value: Any, written: Path) -> _Chosen:
        """A copy with a value at a path of the arguments."""
        copy = _Chosen()
        copy.arguments = _with(self.arguments, path, value)
        copy.written = {**self.written, path: written}
        return copy


def _with(holder: Any, path: Path, value: Any) -> Any:
    """A copy of plain data with a value at a path."""
    if not path:
        return value
    copy = holder.copy()
    if type(copy) is list:
        index = int(path[0])
        copy[index : index + 1] = [_with(copy[index] if index < len(copy) else {}, path[1:], value)]
    else:
        copy[path[0]] = _with(copy.get(path[0], {}), path[1:], value)
    return copy


def _accepted(name: str, arguments: Node, required: frozenset[str]) -> tuple[Call, list[Call]]:
    """The call of the first accepted value of each argument, and one more for every other accepted value."""
    first = _Chosen()
    others: list[tuple[Path, Any, Path]] = []
    for key, accepted in arguments.members():
        _choose((key,), accepted, key in required, first, others)
    made = [first, *(first.put(*other) for other in others)]
    calls = [_call(name, arguments, chosen) for chosen in made]
    return calls[0], calls[1:]


def _choose(path: Path, accepted: Node, required: bool, first: _Chosen, others: list[tuple[Path, Any, Path]]) -> None:
    """Take the first value of a list of accepted ones into a call, and note the others."""
    options = list(accepted.elements()) if type(accepted.value) is list else [accepted]
    options = [option for option in options if option.value != _LEFT_OUT] or (options[:1] if required else [])
    for number, option in enumerate(options):
        inner: list[tuple[Path, Any, Path]] = []
        chosen = _Chosen()
        chosen.arguments, chosen.written = {}, {}
        _plain(path, option, chosen, inner)
        value = chosen.arguments
        for step in path:
            value = value[step]
        if number == 0:
            first.arguments = _with(first.arguments, path, value)
            first.written |= chosen.written
            others += inner
        else:
            others.append((path, value, option.path))
            others += [(path, _with(value, at[len(path) :], other), option.path) for at, other, _ in inner]


def _plain(path: Path, option: Node, chosen: _Chosen, others: list[tuple[Path, Any, Path]]) -> None:
    """Put one accepted value into a call: of an object, each member has accepted values of its own."""
    chosen.written[path] = option.path
    value = option.value
    if type(value) is dict:
        chosen.arguments = _with(chosen.arguments, path, {})
        for key, accepted in option.members():
            _choose((*path, key), accepted, False, chosen, others)
    elif type(value) is list and any(type(item) is dict for item in value):
        chosen.arguments = _with(chosen.arguments, path, [item if type(item) is not dict else {} for item in value])
        for index, item in enumerate(option.elements()):
            if type(item.value) is dict:
                _plain((*path, index), item, chosen, others)
    else:
        chosen.arguments = _with(chosen.arguments, path, value)


def _call(name: str, arguments: Node, chosen: _Chosen) -> Call:
    written = chosen.written

    def where(path: Path) -> tuple[Tree, Path]:
        if path[:1] != ("arguments",) or path == ("arguments",):
            return arguments.tree, arguments.path
        inner = path[1:]
        for length in range(len(inner), 0, -1):
            if inner[:length] in written:
                return arguments.tree, written[inner[:length]] + inner[length:]
        return arguments.tree, arguments.path + inner

    tree = DerivedTree(arguments.tree, {"name": name, "arguments": chosen.arguments}, where)
    return Call(tree, (), _SHAPE, None, name, chosen.arguments)


def questions_of(path: str) -> list[str]:
    """Where the questions of a file of answers may be: beside the folder that it lies in, or in a folder `question` there."""
    folder, name = os.path.split(path)
    around = os.path.dirname(folder)
    if os.path.basename(folder) != "possible_answer":
        return []
    return [os.path.join(around, name), os.path.join(around, "question", name)]


SCHEMA = DatasetSchema("BFCL", 30, _recognises, _read, standard_tools)
