"""What schemas of datasets share: turns that are made of columns, and the names of tools before they are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from toolsurface_lint.model.transcript import ASSISTANT, SYSTEM, USER, Call, CallShape, Contract, Turn
from toolsurface_lint.source.embedded import read_embedded
from toolsurface_lint.source.tree import Node

EXPECTED = Contract(answered=False)
"""Of calls that are the answer: nothing was called, and there are no results."""
_SHAPE = CallShape((), ("name",), ("arguments",))


def said(node: Node | None, role: str) -> Turn | None:
    """The turn that is one text; None without one."""
    if node is None or type(node.value) is not str:
        return None
    return Turn(node.tree, node.path, role, None, EXPECTED, texts=_text)


def _text(turn: Turn) -> Iterator[Node]:
    yield turn.node


def asked(root: Node, *names: str) -> Iterator[Turn]:
    """The turns of what a system and a user said, in columns of their own."""
    for name, role in (("system", SYSTEM), *((name, USER) for name in names)):
        turn = said(root.get(name), role)
        if turn is not None:
            yield turn


def answer(root: Node, calls: Sequence[Call], others: Sequence[Call] = ()) -> Turn:
    """The turn of an assistant that makes the calls which a row expects."""
    turn = Turn(root.tree, root.path, ASSISTANT, None, EXPECTED, calls)
    turn.alternatives = others
    return turn


def calls_of(node: Node | None) -> list[Call]:
    """The calls `{name, arguments}` in a list, or in one object, or in JSON text for either."""
    if node is not None and type(node.value) is str:
        node = read_embedded(node)
    if node is None:
        return []
    items = node.elements() if type(node.value) is list else (node,)
    return [call for item in items if (call := call_of(item)) is not None]


def call_of(node: Node) -> Call | None:
    """The call that an object `{name, arguments}` is, or JSON text for one; None for anything else."""
    inner = read_embedded(node) if type(node.value) is str else node
    value: Any = None if inner is None else inner.value
    if inner is None or type(value) is not dict or type(value.get("name")) is not str:
        return None
    return Call(inner.tree, inner.path, _SHAPE, None, value["name"], value.get("arguments"))
