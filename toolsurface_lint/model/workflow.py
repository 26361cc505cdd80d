"""Workflow graphs: nodes with tools, policies and prompts of their own, and the edges between them."""

from __future__ import annotations

from toolsurface_lint.model.policy import CapabilityPolicy
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Defect
from toolsurface_lint.source.tree import Node


class Workflow:
    """One graph: the surface of the whole, that of each node in the order of their names, and defects of its structure.

    `defects` are of the kinds `graph` (the graph cannot run), `unreachable` and `warning`.
    """

    __slots__ = ("defects", "name", "node", "policies", "scopes")

    def __init__(self, node: Node, name: str) -> None:
        self.node = node
        self.name = name
        self.scopes: list[Surface] = []
        self.policies: list[tuple[str, CapabilityPolicy]] = []
        """The policy of each scope that has one."""
        self.defects: list[Defect] = []
