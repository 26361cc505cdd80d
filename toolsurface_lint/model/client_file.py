"""Files that coding clients read as something of their own: agents, commands, skills, rules."""

from __future__ import annotations

from toolsurface_lint.model.prompt import Prompt
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Node, Place


class ClientFile:
    """One such file.

    `kind` is one of those in `knowledge.client_files`. `client` is a key of `knowledge.clients.CLIENTS`, or the name of a
    client without a row there; None if several may read the file. `head` is its front matter, `body` the text after it.
    """

    def __init__(self, kind: str, client: str | None, head: Node | None, body: Prompt) -> None:
        self.kind = kind
        self.client = client
        self.head = head
        self.body = body
        self.origin = body.origin
        self.problems: list[Problem[Place]] = []

    def add(self, kind: str, node: Node, **values: object) -> None:
        """Note what is wrong with a member of the front matter, at its key."""
        self.problems.append(Problem(kind, node.key_place, values, str(node.path[-1])))

    def text(self, key: str) -> Node | None:
        """A member of the front matter that is a text; None if it is absent or anything else."""
        return None if self.head is None else self.head.string(key)
