"""The agents of coding clients in a project, and which of them a wrong name may be meant for."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from typing import Protocol

from toolsurface_lint.model.client_file import ClientFile
from toolsurface_lint.model.names import CloseNames, folded
from toolsurface_lint.source.tree import Place

_NUMBER = re.compile(r"\d+")


class _Document(Protocol):
    """What is asked of a `Document`, which knows of surfaces, and they of agents."""

    client_file: ClientFile | None


class ClientAgents:
    """An index over the documents of one project, made when it is first asked.

    A user may have agents of other names, and so may plugins: a name is wrong only if it is nearly that of an agent that the
    asking file can see, and nobody's own. An agent is seen from the folder that its `.claude` or `agents` lies in.
    """

    def __init__(self, documents: Sequence[_Document] = ()) -> None:
        self._documents = documents
        self._seen = cache(self._seen_by)

    @cached_property
    def _found(self) -> list[tuple[str, str, Place]]:
        """The name of each agent, the folder that it is seen from, and where it is named."""
        named = [(file, name) for file in self._files if (name := file.text("name")) is not None]
        return [(name.value, _seen_from(file.origin), name.place) for file, name in named]

    @cached_property
    def _files(self) -> list[ClientFile]:
        """The files of agents."""
        from toolsurface_lint.knowledge.clients import AGENT

        files = (document.client_file for document in self._documents)
        return [file for file in files if file is not None and file.kind == AGENT]

    @cached_property
    def _known(self) -> frozenset[str]:
        """Every name by which an agent may be called, folded."""
        return frozenset(map(folded, self._names))

    @cached_property
    def _names(self) -> frozenset[str]:
        """Every name by which an agent may be called: of agents without a name, that of the file."""
        from toolsurface_lint.knowledge.client_files import BUILTIN_AGENTS, FORMER_AGENTS

        stems = (file.origin.rpartition("/")[2].partition(".")[0] for file in self._files)
        own = BUILTIN_AGENTS | FORMER_AGENTS
        return frozenset((*own, *stems, *(name for name, _, _ in self._found)))

    def instead_of(self, name: str, path: str, *, as_written: bool = False) -> list[tuple[str, Place | None]]:
        """The agents that a name in a file may be meant for, closest first; none if it is that of an agent, or close to none.

        Each with the place of its name; None for one that the client brings along. `name` may have that of a plugin before a
        colon. `as_written`: another case and other separators make another name.
        """
        name = name.rpartition(":")[2]
        if not self._found or (name in self._names if as_written else folded(name) in self._known):
            return []
        seen, close = self._seen(posixpath.dirname(path))
        # `worker-1` and `worker-2` are two.
        return [(other, seen[other]) for other in close.find(name) if _NUMBER.sub("", other) != _NUMBER.sub("", name)]

    def _seen_by(self, folder: str) -> tuple[dict[str, Place | None], CloseNames]:
        """The agents that files in a folder can see, with their index."""
        from toolsurface_lint.knowledge.client_files import BUILTIN_AGENTS

        # An agent of the user's may well be called nearly as the others: `Explorer`, `planner`.
        seen: dict[str, Place | None] = dict.fromkeys(sorted(name for name in BUILTIN_AGENTS if "-" in name))
        for parent in (folder, *_parents(folder)):
            for name, place in self._from.get(parent, ()):
                seen[name] = seen.get(name) or place
        return seen, CloseNames(seen)

    @cached_property
    def _from(self) -> dict[str, list[tuple[str, Place]]]:
        """The agents by the folder that they are seen from."""
        found: dict[str, list[tuple[str, Place]]] = {}
        for name, folder, place in self._found:
            found.setdefault(folder, []).append((name, place))
        return found


def _parents(folder: str) -> Iterator[str]:
    while folder:
        folder = posixpath.dirname(folder) if folder != posixpath.dirname(folder) else ""
        yield folder


def _seen_from(origin: str) -> str:
    folders = origin.split("/")[:-1]
    at = next((at for at, folder in enumerate(folders) if folder in ("agents", "agent", "subagents")), 0)
    # `.claude/agents`
    at -= at > 0 and folders[at - 1].startswith(".") and folders[at - 1] != ".."
    return "/".join(folders[:at])
