"""Workflow graphs: nodes with tools, policies and prompts of their own, and the edges between them."""

from __future__ import annotations

from toolsurface_lint.model.policy import CapabilityPolicy
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Node, Place


class Workflow:
    """One graph: the surface of the whole, that of each node in the order of their names, and problems of its structure.

    `problems` are of the kinds `graph/...` (the graph cannot run), `unreachable`, `join` and `reduce`.
    """

    def __init__(self, node: Node, name: str) -> None:
        self.node = node
        self.name = name
        self.scopes: list[Surface] = []
        self.policies: list[tuple[str, CapabilityPolicy]] = []
        """The policy of each scope that has one."""
        self.problems: list[Problem[Place]] = []
