"""Servers in the lists of clients that cannot be reached as they are written, and secrets in them."""

from __future__ import annotations

import os
from collections.abc import Iterator

from toolsurface_lint.checks.contract import PERMISSIONS, check
from toolsurface_lint.model.diagnostics import ERROR, UNSAFE, WARNING, Finding, Rule
from toolsurface_lint.model.permission import PermissionFile
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Place

INVALID = Rule(
    code="SERVER_INVALID",
    since="0.1.0",
    severity=ERROR,
    summary="A server in a client's list has a value of the wrong shape.",
    message={
        "server/item": "`{name}` must hold strings, not {got}",
        "server/list": "`{name}` must be a list, not {got}",
        "server/object": "`{name}` must be an object, not {got}",
        "server/string": "`{name}` must be a string, not {got}",
    },
    tags=("servers",),
)

TRANSPORT = Rule(
    code="SERVER_TRANSPORT",
    since="0.1.0",
    severity=WARNING,
    summary="It is unclear how a server is reached, or its client takes it for another kind.",
    message={
        "transport/both": "the server `{name}` has a `command` and `{key}`: only one of them counts",
        "transport/no_type": "the server `{name}` has no `type`: {client} expects a `command` then, and skips it",
        "transport/none": "the server `{name}` has no {needs}",
        "transport/type": "the type of the server `{name}` is `{value}`, expected one of {words}",
        "transport/unfit": "the type of the server `{name}` is `{value}`, which needs {needs}: it has `{has}`",
    },
    help={"transport/no_type": 'write `"type": "http"`'},
    tags=("servers",),
    fix=UNSAFE,
)

SECRET = Rule(
    code="SERVER_SECRET",
    since="0.1.0",
    severity=WARNING,
    summary="A list of servers holds a key or a password in plain text.",
    message={"server/secret": "`{name}` holds a secret in plain text"},
    help="take it from the environment, and replace the one that was published",
    tags=("servers", "security"),
)

LIST_KEY = Rule(
    code="SERVER_LIST_KEY",
    since="0.1.0",
    severity=WARNING,
    summary="A list of servers is under a key that its client does not read.",
    message={
        "list_key/file": "{client} does not read `{name}` here: its servers are in `{expected}`",
        "list_key/key": "{client} does not read `{name}`: its servers are under `{expected}`",
    },
    help={"list_key/file": "move the servers to `{expected}`", "list_key/key": "write `{expected}`"},
    tags=("servers",),
    fix=UNSAFE,
)


@check(PERMISSIONS, INVALID, TRANSPORT, SECRET, LIST_KEY)
def check_servers(file: PermissionFile, surface: Surface) -> Iterator[Finding]:
    for problem in file.problems:
        if problem.kind in INVALID.message:
            yield INVALID.of(problem)
        elif problem.kind in TRANSPORT.message:
            if problem.kind != "transport/no_type" or not _is_of_another(file, surface):
                yield TRANSPORT.of(problem)
        elif problem.kind in SECRET.message:
            yield SECRET.of(problem)
        elif problem.kind in LIST_KEY.message and _is_read(problem, file, surface):
            yield LIST_KEY.of(problem)


def _is_of_another(file: PermissionFile, surface: Surface) -> bool:
    """Whether a list belongs to a plugin of another client, and to none of Claude Code."""
    files = surface.project_files
    if files.has(file.origin, ".claude-plugin"):
        return False
    return any(files.has(file.origin, each) for each in _OTHER_PLUGINS)


_OTHER_PLUGINS = (".codex-plugin", ".cursor-plugin", ".github/plugin", "plugin.json")


def _is_read(problem: Problem[Place], file: PermissionFile, surface: Surface) -> bool:
    """Whether it is plain who reads a list: Visual Studio reads one with another key under the name of Claude Code's."""
    if os.path.basename(file.origin) != ".mcp.json" or problem.values["name"] != "servers":
        return True
    files = surface.project_files
    return any(files.has(file.origin, name) for name in (".claude", "CLAUDE.md", ".claude-plugin"))
