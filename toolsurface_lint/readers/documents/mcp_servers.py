"""Lists of MCP servers, such as `.mcp.json`: which servers a project declares, and which of their tools it uses.

Source: the documentation of Claude Code, VS Code, Cursor and GitHub Copilot on such files.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from toolsurface_lint.knowledge import ADDRESS, ADDRESSES, IMAGE, NPM, PYPI, words
from toolsurface_lint.model.document import Document
from toolsurface_lint.model.names import likely_meant, slip
from toolsurface_lint.model.permission import ALLOW, PermissionFile, PermissionRule, ServerFile
from toolsurface_lint.readers.document_reader import DocumentReader
from toolsurface_lint.source.tree import Node

if TYPE_CHECKING:
    from toolsurface_lint.model.published import Release

_NAMES = (".mcp.json", "mcp.json", "mcp_config.json", "claude_desktop_config.json", "mcp-config.json")
_KEYS = ("mcpServers", "servers", "context_servers")
_DEFINES = ("command", *ADDRESSES, "type")
_BESIDE = frozenset(("inputs", "$schema", "servers"))
_CLIENTS = (
    (r"/\.vscode/mcp\.json\Z", "vscode"),
    (r"/\.cursor/mcp\.json\Z", "cursor"),
    (r"/\.mcp\.json\Z", "claude-code"),
    (r"/claude_desktop_config\.json\Z", "claude-desktop"),
    (r"/\.zed/settings\.json\Z", "zed"),
)
"""The clients of files by the ends of their paths; of any other, the client is not known."""


def _client_of(path: str) -> str:
    return next((client for end, client in _CLIENTS if re.search(end, f"/{path}")), "")


def _servers(root: Node, document: Document) -> Node | None:
    """The servers of a file that is named like a list of them, or that holds nothing but one."""
    client = _client_of(document.location)
    keys: tuple[str, ...]
    if os.path.basename(document.path) in _NAMES:
        keys = ("mcpServers", "servers")
    elif client:
        from toolsurface_lint.knowledge.server_lists import SERVER_LISTS

        keys = (SERVER_LISTS[client].key,)
    else:
        node = root.get("mcpServers")
        alone = node is not None and _BESIDE.union(("mcpServers",)).issuperset(root.value)
        return node if alone and node is not None and _defines_any(node) else None
    found = next((node for key in keys if (node := root.get(key)) is not None), None)
    if found is None and client:
        # Nearly that key, over what can only be servers.
        near = (node for key, node in root.members() if slip(key, keys) and _defines_any(node))
        found = next(near, None)
    # What other programs keep under such a name may be anything.
    return found if client or (found is not None and isinstance(found.value, dict)) else None


def _defines_any(node: Node) -> bool:
    """Whether any member of a value says how a server is reached."""
    return any(isinstance(one.value, dict) and any(key in one.value for key in _DEFINES) for _, one in node.members())


def _read(node: Node, document: Document) -> None:
    from toolsurface_lint.knowledge.server_lists import SERVER_LISTS
    from toolsurface_lint.readers.server_lists import read_server_list

    client = _client_of(document.location)
    file = PermissionFile(node, None)
    document.server_files.append(server_file(document.path, node))
    expected = SERVER_LISTS[client].key
    if client and node.key != expected:
        near = (expected,) if str(node.key) not in _KEYS else ()
        values = {"name": str(node.key), "client": SERVER_LISTS[client].name, "expected": expected, "near": near}
        file.add("list_key/key", node.key_place, str(node.key), **values)
    read_server_list(file, node, client)
    for server, definition in _defined(node):
        for tool in definition.elements("tools"):
            if isinstance(tool.value, str) and tool.value != "*":
                rule = PermissionRule(tool.value, tool.place, ALLOW, f"{node.key}.{server}.tools")
                rule.server = server
                rule.server_tool = tool.value
                rule.tool = f"{server}/{tool.value}"
                file.rules.append(rule)
    document.permissions.append(file)
    document.complete = True


def _defined(node: Node) -> list[tuple[str, Node]]:
    return [(server, definition) for server, definition in node.members() if isinstance(definition.value, dict)]


def server_file(path: str, node: Node, prefix: str = "") -> ServerFile:
    """The servers of a list; `prefix` is what the client puts before their names."""
    servers = _defined(node)
    return ServerFile(
        path,
        {prefix + server: definition.key_place for server, definition in node.members()},
        {prefix + server: tuple(programs_of(definition)) for server, definition in servers},
        {prefix + server: name for server, definition in servers if (name := package_of(definition)) is not None},
        frozenset(prefix + server for server, definition in servers if _is_local(definition)),
        {prefix + server: release for server, release in releases_of(node).items()},
    )


_LOCAL_ADDRESS = r"https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?:[:/?#]|\Z)"


def _is_local(server: Node) -> bool:
    """Whether a server is reached at an address of this machine, and not started by the client."""
    addresses = (server.value.get(key) for key in ADDRESSES)
    return "command" not in server.value and any(
        isinstance(address, str) and re.match(_LOCAL_ADDRESS, address) for address in addresses
    )


# Compiled when they are used: few files declare servers.
_VARIABLE = r"\$\{[^}/$]*+\}(?:/|\Z)"
_PROGRAM = r"(.*\.py)(?::\w+)?"
_MODULE = r"\w+(?:\.\w+)*"
_FOLDERS = ("--directory", "--project", "--cwd")


def _command(server: Node) -> list[str]:
    """The words of a server's command, which some clients write as one list; the first is empty if it is not a text."""
    command = server.value.get(_key_of(server, "command"))
    if isinstance(command, list):
        return [word for word in command if isinstance(word, str)] or [""]
    arguments = [item.value for item in server.elements(_key_of(server, "args")) if isinstance(item.value, str)]
    return [command if isinstance(command, str) else "", *arguments]


def _key_of(server: Node, key: str) -> str:
    """The key that a server has for another: that one, or a wrong one that is meant for it, which is reported."""
    if key in server.value:
        return key
    from toolsurface_lint.knowledge.server_lists import SERVER_LISTS

    others = SERVER_LISTS["claude-code"].others
    return next((other for other in server.value if others.get(other) == key or likely_meant(str(other), (key,))), key)


def programs_of(server: Node) -> Iterator[str]:
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
_RUNS_MODULES = r"(?:.*/)?(?:python[\d.]*|uv)"
_LOCAL = r"[./~]|\$\{|git\+"
_NAMES_PACKAGE = ("--from", "--package")
_PACKAGE = r"(?!\.)(?:@?[\w.-]+(?::\d+)?/)*([A-Za-z][\w.-]*)(?:\[[\w,-]*\])?(?:(?:[@:]|[=~<>]=)[^/]*)?"
_NO_PACKAGE = r"(?:python|node|deno|ruby|java|dotnet|bash|sh|go)[\d.]*|.*\.(?:[cm]?[jt]s|py|sh|jar|exe)"


def package_of(server: Node) -> str | None:
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
    if any(re.fullmatch(_RUNS_MODULES, each) for each in words):
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
    from toolsurface_lint.model.published import ANY, Release, version_of

    words = [word for word in _command(server) if word]
    if not words or not words[0]:
        return _at(next((server.value[key] for key in ADDRESSES if key in server.value), None))
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
    from toolsurface_lint.model.published import Release

    match = re.fullmatch(_HOST, address) if isinstance(address, str) else None
    return None if match is None else Release(ADDRESS, match[1].lower())


READER = DocumentReader("servers", 37, False, _servers, _read, names="/(?:" + "|".join(map(re.escape, _NAMES)) + r")\Z")
