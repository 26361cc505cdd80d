"""Lists of MCP servers, such as `.mcp.json`: which servers a project declares, and which of their tools it uses.

Source: the documentation of Claude Code, VS Code, Cursor and GitHub Copilot on such files.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator
from itertools import pairwise

from toolsurface_lint.knowledge import ADDRESS, IMAGE, NPM, PYPI, words
from toolsurface_lint.model.document import Document
from toolsurface_lint.model.permission import ALLOW, PermissionFile, PermissionRule, ServerFile
from toolsurface_lint.model.published import ANY, Release, version_of
from toolsurface_lint.readers.document_reader import DocumentReader
from toolsurface_lint.source.tree import Node

_NAMES = (".mcp.json", "mcp.json", "mcp_config.json", "claude_desktop_config.json", "mcp-config.json")
_KEYS = ("mcpServers", "servers")
_DEFINES = ("command", "url", "serverUrl", "httpUrl", "type")


def _servers(root: Node, document: Document) -> Node | None:
    for key in _KEYS:
        node = root.get(key)
        if node is None or not isinstance(node.value, dict):
            continue
        defined = all(isinstance(one, dict) and any(k in one for k in _DEFINES) for one in node.value.values())
        alone = set(root.value) <= {*_KEYS, "inputs", "$schema"}
        if defined and (
            os.path.basename(document.path) in _NAMES or (key == "mcpServers" and alone and bool(node.value))
        ):
            return node
    return None


def _read(node: Node, document: Document) -> None:
    document.server_files.append(
        ServerFile(
            document.path,
            {server: definition.key_place for server, definition in node.members()},
            {server: tuple(_programs(definition)) for server, definition in node.members()},
            {server: name for server, definition in node.members() if (name := _package(definition)) is not None},
            releases=releases_of(node),
        )
    )
    file = PermissionFile(node, None)
    for server, definition in node.members():
        for tool in definition.elements("tools"):
            if isinstance(tool.value, str) and tool.value != "*":
                rule = PermissionRule(tool.value, tool.place, ALLOW, f"{node.key}.{server}.tools")
                rule.server = server
                rule.server_tool = tool.value
                rule.tool = f"{server}/{tool.value}"
                file.rules.append(rule)
    document.permissions.append(file)
    document.complete = True


# Compiled when they are used: few files declare servers.
_VARIABLE = r"\$\{[^}/$]*+\}/"
_PROGRAM = r"(.*\.py)(?::\w+)?"
_MODULE = r"\w+(?:\.\w+)*"
_FOLDERS = ("--directory", "--project", "--cwd")


def _command(server: Node) -> list[str]:
    """The words of a server's command; the first is empty if it is not a text."""
    command = server.value.get("command")
    arguments = [item.value for item in server.elements("args") if isinstance(item.value, str)]
    return [command if isinstance(command, str) else "", *arguments]


def _programs(server: Node) -> Iterator[str]:
    """The Python files that may be what a server's command runs, as it writes their paths; a module may be two files."""
    command = _command(server)
    folder = server.value.get("cwd")
    folder = re.sub(_VARIABLE, "", folder) if isinstance(folder, str) else ""
    for before, word in pairwise(command):
        if before in _FOLDERS:
            folder = re.sub(_VARIABLE, "", word)
    for before, word in pairwise(["", *command]):
        if before == "-m" and re.fullmatch(_MODULE, word):
            module = word.replace(".", "/")
            yield from (posixpath.join(folder, f"{module}{end}") for end in (".py", "/__main__.py"))
        elif program := re.fullmatch(_PROGRAM, word):
            yield posixpath.join(folder, re.sub(_VARIABLE, "", program[1]))


_RUNNERS = words("npx npm exec x bun bunx pnpm dlx pnpx yarn uvx uv tool run pipx docker podman cmd /c")
_WITH_VALUE = words("-m --memory -e --env --env-file -v --volume --mount --name --network -p --python --with").union(
    _FOLDERS
)
_PYTHON = r"(?:.*/)?python[\d.]*"
_LOCAL = r"[./~]|\$\{|git\+"
_NAMES_PACKAGE = ("--from", "--package")
_PACKAGE = r"(?!\.)(?:@?[\w.-]+(?::\d+)?/)*([A-Za-z][\w.-]*)(?:\[[\w,-]*\])?(?:(?:[@:]|[=~<>]=)[^/]*)?"
_NO_PACKAGE = r"(?:python|node|deno|ruby|java|dotnet|bash|sh|go)[\d.]*|.*\.(?:[cm]?[jt]s|py|sh|jar|exe)"


def _package(server: Node) -> str | None:
    """The package or the image that a server's command runs, without scope, registry, extras and version.

    Or the command of a package: of `uvx --from . serve` and `uv run serve`, `serve`.
    """
    words = _command(server)
    module = _module(words)
    if module is not None:
        # A module of a package is a program of its own.
        return module if module.isidentifier() else None
    word = _written_package(words)
    match = re.fullmatch(_PACKAGE, word)
    return match[1] if match is not None and re.fullmatch(_NO_PACKAGE, word) is None else None


def _module(words: list[str]) -> str | None:
    """What a command runs with `python -m`."""
    if any(re.fullmatch(_PYTHON, each) for each in words):
        return next((word for before, word in pairwise(words) if before == "-m"), None)
    return None


def _written_package(words: list[str]) -> str:
    """The word of a command that says which package or image is run; empty if none does."""
    command = iter(words)
    for word in command:
        if word in _NAMES_PACKAGE:
            word = next(command, "")
            if re.match(_LOCAL, word):
                continue
        elif word in _WITH_VALUE:
            next(command, None)
            continue
        elif word in _RUNNERS or word.startswith("-"):
            continue
        return word
    return ""


_REGISTRIES = {
    **dict.fromkeys(("npx", "npm", "bunx", "bun", "pnpm", "pnpx", "yarn"), NPM),
    **dict.fromkeys(("uvx", "uv", "pipx"), PYPI),
    **dict.fromkeys(("docker", "podman"), IMAGE),
}
_FROM_NPM = r"((?:@[\w.-]+/)?[\w.-]+)(?:@([^/]*))?"
_FROM_PYPI = r"([\w.-]+)(?:\[[\w,-]*\])?(?:(?:@|==)([^/]*)|[<>~!=].*)?"
_FROM_IMAGES = r"((?:[\w.-]+(?::\d+)?/)*[\w.-]+)(?::([\w.-]+))?(?:@.*)?"
_FORMS = {NPM: _FROM_NPM, PYPI: _FROM_PYPI, IMAGE: _FROM_IMAGES}
_HOST = r"https?://([A-Za-z0-9.-]+)(?::\d+)?(?:[/?#].*)?"
_PROXIES = ("mcp-remote", "mcp-remote@latest")
"""Programs that are started with the address of the server that they stand for."""


def releases_of(servers: Node) -> dict[str, Release]:
    """What each server of a list runs, or where it is reached, if that may be a published one."""
    found = ((server, _release(definition)) for server, definition in servers.members())
    return {server: release for server, release in found if release is not None}


def _release(server: Node) -> Release | None:
    if not isinstance(server.value, dict):
        return None
    words = [word for word in _command(server) if word]
    if not words or not words[0]:
        return _at(next((server.value[key] for key in ("url", "serverUrl", "httpUrl") if key in server.value), None))
    module = _module(words)
    if module is not None:
        return Release(PYPI, module.replace("_", "-"), ANY) if "." not in module else None
    words[0] = posixpath.basename(words[0].replace("\\", "/")).removesuffix(".cmd")
    registry = next((_REGISTRIES[word] for word in words if word in _REGISTRIES), None)
    word = _written_package(words)
    if registry is None or not word:
        return None
    if word in _PROXIES:
        return _at(next((other for other in words if other.startswith("http")), None))
    match = re.fullmatch(_FORMS[registry], word)
    if match is None:
        return None
    bounds = word[len(match[1]) :].startswith(tuple("<>~!")) or (registry == IMAGE and "@" in word)
    return Release(registry, match[1], ANY if bounds else version_of(match[2] or ""))


def _at(address: object) -> Release | None:
    match = re.fullmatch(_HOST, address) if isinstance(address, str) else None
    return None if match is None else Release(ADDRESS, match[1].lower())


READER = DocumentReader("servers", 37, False, _servers, _read, names="/(?:" + "|".join(map(re.escape, _NAMES)) + r")\Z")
