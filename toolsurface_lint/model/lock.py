"""The lock: digests of the tools of each server as they were accepted, and what is compared with it."""

# No `from __future__ import annotations`: `NamedTuple` compiles annotations that are strings, each of them at every start.

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from toolsurface_lint.model.digests import PARTS, UNKNOWN, Digests
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.unseen import Unseen, unseen_at
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Node, Place

LOCK_VERSION = 1

ToolKey = tuple[str, str]
"""The server of a tool, and its name, as the lock writes them.

The server is the name that a program or a snapshot gives it, else the path of the file that declares the tool, relative to
the folder of the lock, with the JSON pointer of the list in a file with several.
"""


class LockedTool(NamedTuple):
    """A tool as the lock has it: the digest of everything, and of each part its short digest, `none` or `unknown`."""

    digest: str
    parts: Mapping[str, str]
    node: Node

    def unknown_with(self, now: Digests) -> list[str]:
        """The parts that cannot be compared, because they are not known in the lock or not known now."""
        return [part for part in PARTS if UNKNOWN in (self.parts[part], now.parts[part])]

    def changed(self, now: Digests) -> list[str]:
        """The parts that are not as they were accepted; `digest` if only the digest of everything says so."""
        unknown = self.unknown_with(now)
        changed = [part for part in PARTS if part not in unknown and self.parts[part] != now.short(part)]
        # The digest was made without what was not known then; if more is not known now, it cannot be made again.
        if not changed and all(self.parts[part] == UNKNOWN for part in unknown) and self.digest != now.whole(unknown):
            return ["digest"]
        return changed


class Lock:
    """One lock file. With a `problem`, it cannot be used, and has no tools."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.tools: dict[ToolKey, LockedTool] = {}
        self.problem: Problem[Place] | None = None

    @property
    def origin(self) -> str:
        return self.node.tree.origin


class DeclaredTool(NamedTuple):
    """What is declared under a key; several definitions where a program chooses between them, with digests of them all."""

    tools: Sequence[Tool]
    digests: Digests


class LockedProject(NamedTuple):
    """A lock with the tools that it is about as they are declared now.

    `gone` are the locked tools that are certainly not declared any more, each with a tool of its server that still is;
    `undecided` those that were not found in a server that may have tools which are not seen.
    """

    lock: Lock
    tools: Mapping[ToolKey, DeclaredTool]
    gone: Mapping[ToolKey, Tool | None]
    undecided: Sequence[ToolKey]

    def not_compared(self) -> Iterator[Unseen]:
        """What is locked, or is not because it was not known, and cannot be compared."""
        for key, declared in self.tools.items():
            locked = self.lock.tools.get(key)
            for part in () if locked is None else locked.unknown_with(declared.digests):
                reason = f"the {part.replace('_', ' ')} of `{key[1]}`, which is not known without a run"
                yield unseen_at(declared.tools[0].name_place, reason)
        for key in self.undecided:
            reason = f"`{key[1]}`, which was not found in a server that may have tools which were not seen"
            yield unseen_at(self.lock.tools[key].node.key_place, reason)


class ServedTools(NamedTuple):
    """A server as a snapshot has it, and as a program or a list declares it, tools by name.

    `closed`: the declared tools are all known. `start` is where the server is in the snapshot.
    """

    server: str
    start: Place
    served: Mapping[str, Tool]
    declared: Mapping[str, Tool]
    closed: bool
