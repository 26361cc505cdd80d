"""MCP servers that a program starts for its agents, and which of their tools each gets under which names.

Each row was read in the sources of the release that it names, as PyPI has it.
"""

from __future__ import annotations

from typing import NamedTuple

from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.operations import plain, plain_set

UNSEEN = "tools of a server that it starts"
"""Why an agent may have more tools as long as those of the server are not known."""


class Started(v.Value):
    """A server that is started: the words of its command, empty where they are not known, and the folder that it runs in.

    Its tools have `prefix` before their names: those in `granted`, None for all, without those in `withheld`.
    """

    def __init__(self, words: tuple[str, ...], folder: str, module: v.Module | None, node: v.Node | None) -> None:
        super().__init__(module, node)
        self.words = words
        self.folder = folder
        self.prefix = ""
        self.granted: frozenset[str] | None = None
        self.withheld: frozenset[str] = frozenset()


class _Client(NamedTuple):
    """What stands for a server in a package, and its arguments: how to start it, the tools to take, the prefix of their names.

    `opening` gives it more tools.
    """

    package: str
    names: tuple[str, ...]
    parameters: str
    granted: tuple[str, int | None]
    withheld: str
    prefix: str
    opening: str = ""


_CLIENTS = (
    # openai-agents 0.24.0, `mcp/server.py`
    _Client("agents", ("MCPServerStdio",), "params", ("tool_filter", 4), "", ""),
    # pydantic-ai-slim 1.30.0, `mcp.py`
    _Client("pydantic_ai", ("MCPServerStdio",), "", ("", None), "", "tool_prefix"),
    # google-adk 2.13.0, `tools/base_toolset.py`, `tools/mcp_tool/mcp_toolset.py`
    _Client(
        "google", ("McpToolset", "MCPToolset"), "connection_params", ("tool_filter", None), "", "tool_name_prefix",
        "use_mcp_resources",
    ),
    # agno 3.1.10, `tools/mcp/mcp.py`
    _Client("agno", ("MCPTools",), "server_params", ("include_tools", None), "exclude_tools", "tool_name_prefix"),
)  # fmt: skip
_NESTED = ("StdioConnectionParams",)
"""What holds parameters with a command (google-adk 2.13.0, `tools/mcp_tool/mcp_session_manager.py`)."""


def started(value: v.Value) -> Started | None:
    """The server that a value of a package starts; None if it starts none, or not in a way that is known."""
    if isinstance(value, Started):
        return value
    if not isinstance(value, v.Made):
        return None
    call = value.arguments
    client = next((each for each in _CLIENTS if each.package == value.root and value.last in each.names), None)
    if client is None or call.open or client.opening in call.keywords:
        return None
    if client.parameters:
        found = from_parameters(call.value(client.parameters, 0))
    else:
        found = _from_parts(call.value("command", 0), call.value("args", 1), call.value("cwd"))
    given = call.value(client.prefix)
    prefix = "" if given is None else plain(given) or ""
    chosen, withheld = _chosen(call.value(*client.granted)), plain_set(call.value(client.withheld))
    if found is None or chosen is None or withheld is None or not isinstance(prefix, str):
        return None
    made = Started(found.words, found.folder, *call.at)
    made.prefix = f"{prefix}_" if prefix else ""
    made.granted, made.withheld = chosen[0], chosen[1] | withheld
    return made


def from_parameters(value: v.Value | None) -> Started | None:
    """The server that parameters start, in a dict or an object: `command`, `args`, `cwd`."""
    if isinstance(value, v.Made) and value.last in _NESTED:
        value = value.arguments.value("server_params")
    if isinstance(value, v.Made) and not value.arguments.open:
        value = value.arguments.mapping()
    if not isinstance(value, v.Mapping) or not value.complete:
        return None
    made = _from_parts(value.get("command"), value.get("args"), value.get("cwd"))
    return made and Started(made.words, made.folder, value.module, value.node)


def _from_parts(command: v.Value | None, arguments: v.Value | None, folder: v.Value | None) -> Started | None:
    program, where = _word(command), "" if folder is None or v.is_none(folder) else _word(folder)
    if not program or (folder is not None and not v.is_none(folder) and not where):
        return None
    if not isinstance(arguments, v.Items) or not arguments.complete:
        return None
    return Started((program, *map(_word, arguments.items)), where, None, None)


def _word(value: v.Value | None) -> str:
    """A word of a command; empty if it is not known."""
    if isinstance(value, v.FilePath):
        return value.path
    if isinstance(value, v.External) and value.path == "sys.executable":
        return "python"
    text = plain(value)
    return text if isinstance(text, str) else ""


def _chosen(value: v.Value | None) -> tuple[frozenset[str] | None, frozenset[str]] | None:
    """Which tools an argument grants, None for all, and which it withholds; None if that is not known.

    A list, or what OpenAI Agents calls a static filter (openai-agents 0.24.0, `mcp/util.py`).
    """
    if value is None or v.is_none(value):
        return None, frozenset()
    if isinstance(value, v.Made) and value.last == "create_static_tool_filter" and not value.arguments.open:
        call = value.arguments
        lists = [call.value("allowed_tool_names", 0), call.value("blocked_tool_names", 1)]
    elif isinstance(value, v.Mapping) and value.complete:
        lists = [value.get("allowed_tool_names"), value.get("blocked_tool_names")]
    else:
        lists = [value, None]
    granted, withheld = map(plain_set, lists)
    # An empty list chooses nothing: all are there.
    return None if granted is None or withheld is None else (granted or None, withheld)
