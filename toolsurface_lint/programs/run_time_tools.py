"""What frameworks add to an agent when it runs: tools that stand in no program, so that the agent may have more of them.

Literal data, each row read in the sources of the releases that it names, as PyPI has them. Which tools an agent gets hangs
on the release that is installed, on its model and on what else it is given: the names are for people.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from toolsurface_lint.model.unseen import LISTS, SERVERS
from toolsurface_lint.programs.framework import KEPT_PATHS

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
those of `_ASYNCHRONOUS`.
"""
_ASYNCHRONOUS = (
    "start_async_task", "check_async_task", "update_async_task", "cancel_async_task", "list_async_tasks",
)  # fmt: skip


class Added(NamedTuple):
    """What calling something of a package adds: always, or if it is given an argument that is not empty or false.

    `names` are the last parts of what is called; `what` is added, as a noun phrase for people; `cause` is that of `Unseen`.
    `tools` are the names of all that may be added, if they are known: then nobody has to say `what` it is.
    """

    package: str
    names: tuple[str, ...]
    argument: str
    what: str
    source: str
    cause: str = ""
    tools: tuple[str, ...] = ()


def _tools(*names: str) -> str:
    return ", ".join(f"`{name}`" for name in names)


_FRONT_END = "the tools of the application's front end"
_MCP_SERVERS = "the tools of MCP servers"
_SMOLAGENTS = ("MultiStepAgent", "ToolCallingAgent", "CodeAgent")

ADDED = (
    Added(
        "deepagents", ("create_deep_agent", "async_create_deep_agent"), "",
        f"tools of its own, which depend on its version: {_tools(*DEEP_AGENTS)}", "see `DEEP_AGENTS`",
        tools=(*DEEP_AGENTS, *_ASYNCHRONOUS),
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
    Added("deepagents", ("SubAgentMiddleware",), "", _tools("task"), "see `DEEP_AGENTS`", tools=("task",)),
    Added(
        "langchain", ("TodoListMiddleware",), "", _tools("write_todos"), "langchain 1.5.0", tools=("write_todos",)
    ),
    Added(
        "langchain", ("FilesystemFileSearchMiddleware",), "", _tools("glob_search", "grep_search"), "langchain 1.5.0",
        tools=("glob_search", "grep_search"),
    ),
    Added("langchain", ("ShellToolMiddleware",), "", "a tool that runs commands", "langchain 1.5.0"),
    Added("copilotkit", ("CopilotKitMiddleware",), "", _FRONT_END, "copilotkit 0.1.96"),
    Added("ag_ui_adk", ("AGUIToolset",), "", _FRONT_END, "ag-ui-adk 0.11.0"),
    Added("ag_ui_adk", ("ADKAgent",), "", _FRONT_END, "ag-ui-adk 0.4.2; from 0.5.0 on only where an `AGUIToolset` is given"),
    Added(
        "pydantic_ai", ("to_ag_ui", "AGUIApp", "handle_ag_ui_request", "run_ag_ui"), "", _FRONT_END,
        "pydantic-ai-slim 1.0.0",
    ),
    Added("pydantic_ai", ("AGUIAdapter", "dispatch_request"), "", _FRONT_END, "pydantic-ai-slim 2.68.0"),
    Added("pydantic_ai", ("toolset",), "", "tools that a function chooses at each run", "pydantic-ai-slim 2.68.0"),
    Added(
        "smolagents", _SMOLAGENTS, "add_base_tools",
        _tools("python_interpreter", "web_search", "visit_webpage"), "smolagents 1.26.0",
        tools=("python_interpreter", "web_search", "visit_webpage"),
    ),
    Added("smolagents", _SMOLAGENTS, "", "", "smolagents 1.26.0", tools=("final_answer",)),
    Added("crewai", ("Agent",), "allow_code_execution", "a tool that runs code", "crewai 1.15.30, `crew.py`"),
    Added("crewai", ("Agent",), "multimodal", "a tool that reads images", "crewai 1.15.30, `crew.py`"),
    Added("crewai", ("Agent", "Crew"), "memory", "the tools of its memory", "crewai 1.15.30, `crew.py`"),
    Added(
        "crewai", ("Agent",), "allow_delegation", "", "crewai 1.15.30, `tools/agent_tools`; lower case since 1.0",
        tools=(
            "Delegate work to coworker", "Ask question to coworker", "delegate_work_to_coworker", "ask_question_to_coworker",
        ),
    ),
    Added("crewai", ("Agent",), "mcps", _MCP_SERVERS, "crewai 1.15.30", SERVERS),
    Added("crewai", ("Agent",), "apps", "the tools of applications", "crewai 1.15.30"),
    Added("browser_use", ("Tools", "Controller"), "", "the actions that the browser has by itself", "browser-use 0.13.8"),
    Added("autogen_agentchat", ("AssistantAgent",), "workbench", "the tools of a workbench", "autogen-agentchat 0.7.5"),
    Added(
        "agentscope", ("ReActAgent",), "", _tools("generate_response"), "agentscope 1.0.5", LISTS,
        tools=("generate_response",),
    ),
    Added(
        "agents", ("SandboxAgent",), "", "the tools of its capabilities", "openai-agents 0.24.0, `sandbox/sandbox_agent.py`"
    ),
    Added("agents", ("Agent", "RealtimeAgent"), "prompt", "the tools of a stored prompt", "openai-agents 0.24.0"),
    Added("agents", ("HostedMCPTool",), "", _MCP_SERVERS, "openai-agents 0.22.0", SERVERS),
    Added("google", ("McpToolset", "MCPToolset"), "", _MCP_SERVERS, "google-adk 1.4.2", SERVERS),
    *(
        Added("agno", ("Agent", "Team"), argument, what, "agno 3.1.10, `agent/_tools.py`, `team/_tools.py`")
        for argument, what in (
            ("knowledge", "`search_knowledge_base`"),
            ("knowledge_retriever", "`search_knowledge_base`"),
            ("update_knowledge", "`add_to_knowledge`"),
            ("enable_agentic_memory", "`update_user_memory`"),
            ("enable_agentic_state", "`update_session_state`"),
            ("read_chat_history", "`get_chat_history`"),
            ("read_tool_call_history", "`get_tool_call_history`"),
            ("search_past_sessions", "the tools that search past sessions"),
            ("search_session_history", "the tools that search past sessions"),
            ("filesystem", "the tools of a file system"),
            ("skills", "the tools of its skills"),
            ("learning", "the tools of what it learns"),
            ("reasoning", "the tools of its reasoning"),
        )
    ),
    Added("agno", ("Team",), "members", "tools that give tasks to its members", "agno 3.1.10, `team/_default_tools.py`"),
    Added(
        "strands", ("Agent",), "load_tools_from_directory", "the tools in the folder `tools`",
        "strands-agents 1.62.0, `agent/agent.py`",
    ),
    *(
        Added("strands", ("Agent",), argument, "tools of its own", "strands-agents 1.62.0, `agent/agent.py`")
        for argument in ("plugins", "memory_manager", "background_tasks", "context_manager", "sandbox")
    ),
    Added("pydantic_ai", ("Agent",), "", "", "pydantic-ai-slim 2.68.0, `_output.py`", tools=("final_result",)),
    Added("google", ("Agent", "LlmAgent"), "output_schema", "", "google-adk 2.13.0", tools=("set_model_response",)),
    Added("agency_swarm", ("Agent",), "", "", "agency-swarm 0.7.2, `agency/agency.py`", tools=("SendMessage",)),
    Added(
        "llama_index", ("FunctionAgent", "ReActAgent"), "tool_retriever", "tools that are retrieved",
        "llama-index-core 0.14.25",
    ),
    Added(
        "agent_framework", ("Agent", "ChatAgent"), "context_providers", "the tools of its context",
        "agent-framework-core 1.23.0",
    ),
    Added("ag2", ("Agent",), "tasks", "`run_subtask`, `run_subtasks`", "ag2 1.2.1, `agent.py`"),
    Added("ag2", ("Agent",), "knowledge", "a tool for its knowledge", "ag2 1.2.1, `agent.py`"),
    Added("ag2", ("Agent",), "plugins", "the tools of its plugins", "ag2 1.2.1, `plugin.py`"),
    Added("semantic_kernel", ("ChatCompletionAgent",), "kernel", "the plugins of its kernel", "semantic-kernel 1.45.0"),
    Added("agno", ("MCPTools", "MultiMCPTools"), "", _MCP_SERVERS, "agno 2.9.0", SERVERS),
)  # fmt: skip

NONE_BUT_GIVEN: Mapping[str, tuple[str, ...]] = {
    "agents": ("Agent", "RealtimeAgent"),
    "pydantic_ai": ("Agent",),
    "langchain": ("create_agent", "createAgent"),
    "langgraph": ("create_react_agent",),
    "google": ("Agent", "LlmAgent"),
    "autogen_agentchat": ("AssistantAgent",),
    "smolagents": ("ToolCallingAgent",),
    "agno": ("Agent",),
    "strands": ("Agent",),
    "llama_index": ("FunctionAgent", "ReActAgent"),
    "haystack": ("Agent",),
    "agent_framework": ("Agent", "ChatAgent"),
    "semantic_kernel": ("ChatCompletionAgent",),
    "swarm": ("Agent",),
    "ai": ("ToolLoopAgent", "Experimental_Agent", "Agent"),
    "@openai/agents": ("Agent", "RealtimeAgent"),
    "@openai/agents/realtime": ("RealtimeAgent",),
    "@openai/agents-core": ("Agent",),
    "@openai/agents-realtime": ("RealtimeAgent",),
    "@langchain/langgraph/prebuilt": ("createReactAgent",),
    "@mastra/core/agent": ("Agent",),
}
"""By package, what makes agents that have no tools where none are given: each argument that may give some is read.

openai-agents 0.24.0, pydantic-ai-slim 2.68.0, langchain 1.5.0, langgraph-prebuilt 1.1.2, google-adk 2.13.0,
autogen-agentchat 0.7.5, smolagents 1.26.0, agno 3.1.10, strands-agents 1.62.0, llama-index-core 0.14.25, haystack-ai 3.4.1,
agent-framework-core 1.23.0, semantic-kernel 1.45.0, swarm of 2024-10; of npm, ai 6.0.326, @openai/agents 0.20.0,
langchain 1.5.14, @langchain/langgraph 1.7.3, @mastra/core 0.24.9. Not CrewAI and PraisonAI, where tasks give tools;
not what writes code, which may call functions of the program: AutoGen 0.2, AG2, smolagents' `CodeAgent`.
"""


def has_none_but_given(path: str) -> bool:
    """Whether what is called, by the dotted path that it is imported by, makes agents without tools if it is given none."""
    return path.rpartition(".")[2] in NONE_BUT_GIVEN.get(path.partition(".")[0], ())


NAMED_LIKE_THEMSELVES = ("google.adk.tools.",)
"""Where tools are objects, each with the name that it is imported by: `google_search` (google-adk 2.13.0, `tools/`)."""


@lru_cache(maxsize=KEPT_PATHS)
def added_by(path: str) -> tuple[Added, ...]:
    """What calling something adds, by the dotted path that it is imported by."""
    root, last = path.partition(".")[0], path.rpartition(".")[2]
    return tuple(row for row in ADDED if row.package == root and last in row.names)
