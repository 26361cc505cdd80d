"""What frameworks add to an agent when it runs: tools that stand in no program, so that the agent may have more of them.

Literal data, each row read in the sources of the releases that it names, as PyPI has them. Which tools an agent gets hangs
on the release that is installed, on its model and on what else it is given: the names are for people.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from toolsurface_lint.model.unseen import LISTS, SERVERS

DEEP_AGENTS: Mapping[str, tuple[str, str]] = {
    "task": ("0.0.1", ""),
    "ls": ("0.0.1", ""),
    "read_file": ("0.0.1", ""),
    "write_file": ("0.0.1", ""),
    "edit_file": ("0.0.1", ""),
    "write_todos": ("0.0.1", "0.6.12"),
    "glob": ("0.2.0", ""),
    "grep": ("0.2.0", ""),
    "execute": ("0.2.6", ""),
    "delete": ("0.7.0", ""),
}
"""The tools of Deep Agents, with the first release and the last one, if there is a later one without it, that has each.

`execute` is for backends with a sandbox. Read: 0.0.1, 0.0.5, 0.0.11, 0.1.0, 0.1.4, 0.2.0, 0.2.4 to 0.2.8, 0.3.0,
0.3.12, 0.4.0, 0.4.12, 0.5.0, 0.5.9, 0.6.0, 0.6.12, 0.7.0, 0.7.32. From 0.5.0, agents with asynchronous sub-agents also have
`start_async_task` and four more.
"""


class Added(NamedTuple):
    """What calling something of a package adds: always, or if it is given an argument that is not empty or false.

    `names` are the last parts of what is called; `what` is added, as a noun phrase for people; `cause` is that of `Unseen`.
    """

    package: str
    names: tuple[str, ...]
    argument: str
    what: str
    source: str
    cause: str = ""


def _tools(*names: str) -> str:
    return ", ".join(f"`{name}`" for name in names)


_FRONT_END = "the tools of the application's front end"
_MCP_SERVERS = "the tools of MCP servers"
_SMOLAGENTS = ("MultiStepAgent", "ToolCallingAgent", "CodeAgent")

ADDED = (
    Added(
        "deepagents", ("create_deep_agent", "async_create_deep_agent"), "",
        f"tools of its own, which depend on its version: {_tools(*DEEP_AGENTS)}", "see `DEEP_AGENTS`",
    ),
    Added(
        "deepagents", ("FilesystemMiddleware",), "",
        _tools(*(name for name in DEEP_AGENTS if name not in ("task", "write_todos"))), "see `DEEP_AGENTS`",
    ),
    Added(
        "managed_deepagents", ("define_deep_agent",), "",
        f"{_MCP_SERVERS} in the folder `connectors`, and tools of its own: {_tools(*DEEP_AGENTS)}",
        "managed-deepagents 0.3.0, 0.9.5", SERVERS,
    ),
    Added("deepagents", ("SubAgentMiddleware",), "", _tools("task"), "see `DEEP_AGENTS`"),
    Added("langchain", ("TodoListMiddleware",), "", _tools("write_todos"), "langchain 1.5.0"),
    Added("langchain", ("FilesystemFileSearchMiddleware",), "", _tools("glob_search", "grep_search"), "langchain 1.5.0"),
    Added("langchain", ("ShellToolMiddleware",), "", "a tool that runs commands", "langchain 1.5.0"),
    Added("copilotkit", ("CopilotKitMiddleware",), "", _FRONT_END, "copilotkit 0.1.96"),
    Added("ag_ui_adk", ("AGUIToolset",), "", _FRONT_END, "ag-ui-adk 0.11.0"),
    Added(
        "pydantic_ai", ("to_ag_ui", "AGUIApp", "handle_ag_ui_request", "run_ag_ui"), "", _FRONT_END,
        "pydantic-ai-slim 1.0.0",
    ),
    Added("pydantic_ai", ("AGUIAdapter", "dispatch_request"), "", _FRONT_END, "pydantic-ai-slim 2.68.0"),
    Added("pydantic_ai", ("toolset",), "", "tools that a function chooses at each run", "pydantic-ai-slim 2.68.0"),
    Added(
        "smolagents", _SMOLAGENTS, "add_base_tools",
        _tools("python_interpreter", "web_search", "visit_webpage"), "smolagents 1.26.0",
    ),
    Added("smolagents", _SMOLAGENTS, "managed_agents", "a tool for each managed agent", "smolagents 1.26.0"),
    Added("crewai", ("Agent",), "mcps", _MCP_SERVERS, "crewai 1.15.30", SERVERS),
    Added("crewai", ("Agent",), "apps", "the tools of applications", "crewai 1.15.30"),
    Added("browser_use", ("Tools", "Controller"), "", "the actions that the browser has by itself", "browser-use 0.13.8"),
    Added("autogen_agentchat", ("AssistantAgent",), "workbench", "the tools of a workbench", "autogen-agentchat 0.7.5"),
    Added("agentscope", ("ReActAgent",), "", _tools("generate_response"), "agentscope 1.0.5", LISTS),
    Added("agents", ("HostedMCPTool",), "", _MCP_SERVERS, "openai-agents 0.22.0", SERVERS),
    Added("google", ("McpToolset", "MCPToolset"), "", _MCP_SERVERS, "google-adk 1.4.2", SERVERS),
    Added("agno", ("MCPTools", "MultiMCPTools"), "", _MCP_SERVERS, "agno 2.9.0", SERVERS),
    Added(
        "langgraph_supervisor", ("create_supervisor",), "", "a tool `transfer_to_...` for each of its agents",
        "langgraph-supervisor 0.0.31",
    ),
)  # fmt: skip


def added_by(path: str) -> Iterator[Added]:
    """What calling something adds, by the dotted path that it is imported by."""
    root, last = path.partition(".")[0], path.rpartition(".")[2]
    return (row for row in ADDED if row.package == root and last in row.names)
