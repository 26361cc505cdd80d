"""The names in a chat template: which it gives a value, which it asks for first, and which it just uses."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from jinja2 import nodes

from toolsurface_lint.chat_templates.syntax import ParsedTemplate


class Names(NamedTuple):
    """The names of one template: `made` have a value in some part of it, `asked` are tested, compared or handed to a macro.

    `used` are the names of all expressions, in the order of the text; those that are called are in `called`, by identity.
    """

    made: frozenset[str]
    asked: frozenset[str]
    used: list[nodes.Name]
    called: frozenset[int]


@lru_cache(maxsize=1)
def names_in(parsed: ParsedTemplate) -> Names:
    """The names of a template. Wherever it makes or asks for one, it counts for the whole of it."""
    made: set[str] = set()
    asked: set[str] = set()
    used: list[nodes.Name] = []
    called: set[int] = set()
    for node in parsed.all_nodes:
        if isinstance(node, nodes.Name):
            if node.ctx == "load":
                used.append(node)
            else:
                made.add(node.name)
        elif isinstance(node, nodes.Macro | nodes.NSRef):
            made.add(node.name)
        elif isinstance(node, nodes.Import):
            made.add(node.target)
        elif isinstance(node, nodes.FromImport):
            made.update(name if isinstance(name, str) else name[1] for name in node.names)
        elif isinstance(node, nodes.If | nodes.CondExpr):
            asked.update(_alone(node.test))
        elif isinstance(node, nodes.And | nodes.Or):
            asked.update(_alone(node))
        elif isinstance(node, nodes.Test) or (isinstance(node, nodes.Filter) and node.name in ("default", "d")):
            asked.update(_names(node.node))
        elif isinstance(node, nodes.Compare):
            asked.update(_names(node.expr, *(operand.expr for operand in node.ops)))
        elif isinstance(node, nodes.Call):
            # Macros ask for their parameters.
            asked.update(_names(*node.args, *(argument.value for argument in node.kwargs)))
            called.update(id(name) for name in (node.node,) if isinstance(name, nodes.Name))
    used.sort(key=lambda name: name.lineno)
    return Names(frozenset(made), frozenset(asked), used, frozenset(called))


def _names(*expressions: nodes.Node | None) -> Iterator[str]:
    """The names among expressions, also those that are filtered first."""
    for node in expressions:
        while isinstance(node, nodes.Filter):
            node = node.node
        if isinstance(node, nodes.Name):
            yield node.name


def _alone(test: nodes.Node) -> Iterator[str]:
    """The names whose truth a condition asks for, without anything that needs their value."""
    waiting: list[nodes.Node] = [test]
    while waiting:
        node = waiting.pop()
        if isinstance(node, nodes.Name):
            yield node.name
        elif isinstance(node, nodes.And | nodes.Or | nodes.Not):
            waiting.extend(node.iter_child_nodes())
