"""Where the tools of Python servers are served: a server that is mounted gives its tools to all that it is mounted in."""

from __future__ import annotations

from typing import NamedTuple

from toolsurface_lint.programs.registry import Choice, Naming, Registration, Server

MAX_PLACES = 1_000
"""Places of servers in one another that are followed; servers that mount each other have very many."""

_MAX_DEPTH = 10


class ServedPlace(NamedTuple):
    """A namespace that a tool is served in, its name there, and whether it is offered to everybody."""

    namespace: str
    name: str
    is_offered: bool


class ServedTools:
    """For each server the namespaces that its tools are served in. `more`: there are more than are followed."""

    def __init__(self, servers: list[Server]) -> None:
        self.mounted = {child for server in servers for child, _ in server.mounts}
        self.more = False
        self._left = MAX_PLACES
        self._served: dict[Server | None, list[tuple[str, list[Naming | Choice]]]] = {}
        """The namespaces, each with what becomes of the tools and their names, the innermost first."""
        # Servers that mount one another in a circle have no outermost one: then each is its own.
        for root in [*(server for server in servers if server not in self.mounted), *servers]:
            if root not in self._served:
                self._walk(root, root, [], [])

    def _walk(self, server: Server, root: Server, outer: list[Naming | Choice], above: list[Server]) -> None:
        if server in above or len(above) > _MAX_DEPTH:
            return
        if above and not self._left:
            self.more = True
            return
        self._left -= bool(above)
        changes = [*server.changes, *outer]
        places = self._served.setdefault(server, [])
        if (root.key, changes) not in places:
            places.append((root.key, changes))
        for child, naming in server.mounts:
            self._walk(child, root, [naming, *changes], [*above, server])

    def namespaces(self, server: Server | None) -> list[str]:
        """Those of a server; where there is none, the empty one, which means all."""
        return [namespace for namespace, _ in self._served.get(server, [("", [])])]

    def places(self, registration: Registration) -> list[ServedPlace]:
        """Where a tool is served."""
        name, server = str(registration.name.value), registration.server
        if server is None:
            return [ServedPlace(registration.container, name, True)]
        found: list[ServedPlace] = []
        for namespace, changes in () if server.is_refused or name in server.removed else self._served[server]:
            served, is_offered = name, True
            for change in changes:
                if isinstance(change, Naming):
                    served = change.of(served)
                else:
                    is_offered = change.offers(registration, served, before=is_offered)
            found.append(ServedPlace(namespace, served, is_offered))
        return found
