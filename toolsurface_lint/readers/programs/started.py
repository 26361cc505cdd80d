"""What the servers run that programs start for their agents."""

from __future__ import annotations

from toolsurface_lint.model.agent import StartedServer
from toolsurface_lint.model.unseen import SERVERS, Unseen
from toolsurface_lint.programs.started_servers import UNSEEN, Started
from toolsurface_lint.source.tree import plain


def started_server(started: Started) -> StartedServer:
    """A server as the lists of servers have it: by the files and the package that its command runs."""
    from toolsurface_lint.readers.documents.mcp_servers import package_of, programs_of

    command, *arguments = started.words
    definition = plain({"command": command, "args": arguments, "cwd": started.folder})
    assert started.module is not None
    unseen = Unseen(UNSEEN, started.module.source.path, getattr(started.node, "lineno", 1), SERVERS)
    programs = tuple(programs_of(definition))
    return StartedServer(programs, package_of(definition), started.prefix, started.granted, started.withheld, unseen)
