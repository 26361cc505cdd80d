"""Where the tools of Python servers are served: a server that is mounted gives its tools to all that it is mounted in."""

from __future__ import annotations

from toolsurface_lint.programs.registry import Naming, Registration, Server

MAX_PLACES = 1_000
"""Places of servers in one another that are followed; servers that mount each other have very many."""

_MAX_DEPTH = 10


class ServedTools:
    """For each server the namespaces that its tools are served in. `more`: there are more than are followed."""

    def __init__(self, servers: list[Server]) -> None:
        self.mounted = {child for server in servers for child, _ in server.mounts}
        self.more = False
        self._left = MAX_PLACES
        self._served: dict[Server | None, list[tuple[str, list[Naming]]]] = {}
        """The namespaces, each with what becomes of the tools' names, the innermost first."""
        # Servers that mount one another in a circle have no outermost one: then each is its own.
        for root in [*(server for server in servers if server not in self.mounted), *servers]:
            if root not in self._served:
                self._walk(root, root, [], [])

    def _walk(self, server: Server, root: Server, outer: list[Naming], above: list[Server]) -> None:
        if server in above or len(above) > _MAX_DEPTH:
            return
        if above and not self._left:
            self.more = True
            return
        self._left -= bool(above)
        namings = [*server.namings, *outer]
        places = self._served.setdefault(server, [])
        if (root.key, namings) not in places:
            places.append((root.key, namings))
        for child, naming in server.mounts:
            self._walk(child, root, [naming, *namings], [*above, server])

    def namespaces(self, server: Server | None) -> list[str]:
        """Those of a server; where there is none, the empty one, which means all."""
        return [namespace for namespace, _ in self._served.get(server, [("", [])])]

    def names(self, registration: Registration) -> list[tuple[str, str]]:
        """The namespaces that a tool is served in, and its name in each."""
        name, server = str(registration.name.value), registration.server
        if server is None:
            return [(registration.container, name)]
        found: list[tuple[str, str]] = []
        for namespace, namings in () if server.is_refused or name in server.removed else self._served[server]:
            served = name
            for naming in namings:
                served = naming.of(served)
            found.append((namespace, served))
        return found
