"""An agent whose framework adds tools when it runs is open: what adds them is named, at its place."""

from __future__ import annotations

import pytest

from toolsurface_lint.model.unseen import SERVERS
from toolsurface_lint.programs.run_time_tools import ADDED, DEEP_AGENTS, added_by
from toolsurface_lint.readers.programs.tools import read_programs
from toolsurface_lint.source.text import SourceText

SEARCH = "def search(text: str) -> str:\n    'Searches.'\n\n\n"

OPEN = {
    "from deepagents import create_deep_agent\n" + SEARCH + "agent = create_deep_agent(tools=[search])\n": (
        "6: `create_deep_agent` adds tools of its own, which depend on its version: `task`, `ls`, "
    ),
    "from deepagents import async_create_deep_agent\n" + SEARCH + "agent = async_create_deep_agent(tools=[search])\n": (
        "6: `async_create_deep_agent` adds tools of its own"
    ),
    "from copilotkit import CopilotKitMiddleware\nfrom langchain.agents import create_agent\n"
    + SEARCH
    + "agent = create_agent('m', tools=[search], middleware=[CopilotKitMiddleware()])\n": (
        "7: `CopilotKitMiddleware` adds the tools of the application's front end"
    ),
    "from langchain.agents import create_agent\nfrom langchain.agents.middleware import TodoListMiddleware\n"
    + SEARCH
    + "agent = create_agent('m', tools=[search], middleware=[TodoListMiddleware()])\n": (
        "7: `TodoListMiddleware` adds `write_todos`"
    ),
    "from langgraph_supervisor import create_supervisor\n"
    + SEARCH
    + "agent = create_supervisor(load(), model='m', tools=[search])\n": "6: a tool that hands over to a call's result",
    "from ag_ui_adk import ADKAgent\nfrom google.adk.agents import LlmAgent\n"
    + SEARCH
    + "agent = LlmAgent(tools=[search])\nserved = ADKAgent(adk_agent=agent, app_name='shop')\n": (
        "8: `ADKAgent` adds the tools of the application's front end"
    ),
    "from ag_ui_adk import ADKAgent\nfrom google.adk.agents import LlmAgent\n"
    + SEARCH
    + "agent = LlmAgent(tools=[search])\nserved = ADKAgent(LlmAgent(name='root', sub_agents=[agent]))\n": (
        "8: `ADKAgent` adds the tools of the application's front end"
    ),
    "from langchain.agents import create_agent\nfrom langchain.agents.middleware import AgentMiddleware\n"
    + SEARCH
    + "class Files(AgentMiddleware):\n    tools = load()\n\n\n"
    "agent = create_agent('m', tools=[search], middleware=[Files()])\n": "11: tools of a middleware",
    "from agno.agent import Agent\n" + SEARCH + "agent = Agent(tools=[search], knowledge=load())\n": (
        "6: `knowledge` adds `search_knowledge_base`"
    ),
    "from pydantic_ai import Agent\nfrom pydantic_ai.capabilities import MCP\n"
    + SEARCH
    + "agent = Agent('m', tools=[search], capabilities=[MCP('https://example.com/mcp')])\n": "7: the tools of `MCP`",
    "from google.adk.agents import LlmAgent\nfrom google.adk.tools.mcp_tool import McpToolset\n"
    + SEARCH
    + "agent = LlmAgent(\n    tools=[search, McpToolset()],\n)\n": "8: `McpToolset` adds the tools of MCP servers",
    "from google.adk.agents import LlmAgent\nfrom google.adk.tools.bigquery import BigQueryToolset\n"
    + SEARCH
    + "agent = LlmAgent(tools=[search, BigQueryToolset()])\n": (
        "7: a tool of class `BigQueryToolset`, which is not in the files read"
    ),
    "from ag_ui_adk import AGUIToolset\nfrom google.adk.agents import LlmAgent\n"
    + SEARCH
    + "agent = LlmAgent(tools=[search, AGUIToolset()])\n": (
        "7: `AGUIToolset` adds the tools of the application's front end"
    ),
    "from pydantic_ai import Agent\nagent = Agent('m')\n@agent.tool_plain\n" + SEARCH + "app = agent.to_ag_ui()\n": (
        "8: `to_ag_ui` adds the tools of the application's front end"
    ),
    "from pydantic_ai import Agent\nfrom pydantic_ai.ui.ag_ui import AGUIAdapter\nagent = Agent('m')\n@agent.tool_plain\n"
    + SEARCH
    + "async def run(request):\n    return await AGUIAdapter.dispatch_request(request, agent=agent)\n": (
        "10: `dispatch_request` adds the tools of the application's front end"
    ),
    "from pydantic_ai import Agent\nfrom pydantic_ai.ui.ag_ui import AGUIAdapter\nagent = Agent('m')\n@agent.tool_plain\n"
    + SEARCH
    + "async def ask(request):\n    return await AGUIAdapter.dispatch_request(request, agent=agent)\nRoute('/', ask)\n": (
        "10: `dispatch_request` adds the tools of the application's front end"
    ),
    "from pydantic_ai import Agent\nagent = Agent('m')\n@agent.tool_plain\n"
    + SEARCH
    + "@agent.toolset\ndef more(context): ...\n": "8: `toolset` adds tools that a function chooses at each run",
    "from smolagents import CodeAgent\n"
    + SEARCH
    + "agent = CodeAgent(tools=[search], model=1, add_base_tools=True)\n": (
        "6: `add_base_tools` adds `python_interpreter`, `web_search`, `visit_webpage`"
    ),
    "from crewai import Agent\n" + SEARCH + "agent = Agent(tools=[search], mcps=['https://example.com/mcp'])\n": (
        "6: `mcps` adds the tools of MCP servers"
    ),
}

CLOSED = [
    "from smolagents import CodeAgent\n" + SEARCH + "agent = CodeAgent(tools=[search], add_base_tools=False)\n",
    "from smolagents import CodeAgent\n" + SEARCH + "agent = CodeAgent(tools=[search], managed_agents=[])\n",
    "from crewai import Agent\n" + SEARCH + "agent = Agent(tools=[search], mcps=None)\n",
    "from langchain.agents import create_agent\nfrom langchain.agents.middleware import SummarizationMiddleware\n"
    + SEARCH
    + "agent = create_agent('m', tools=[search], middleware=[SummarizationMiddleware('m')])\n",
    "from shop.agents import Agent\n" + SEARCH + "agent = Agent(tools=[search], mcps=['a'], managed_agents=['b'])\n",
    "from google.genai.types import GenerateContentConfig, GoogleSearch, Tool\n"
    + SEARCH
    + "c = GenerateContentConfig(tools=[search, Tool(google_search=GoogleSearch())])\n",
    "from pydantic_ai import Agent\nfrom pydantic_ai.capabilities import Thinking\n"
    + SEARCH
    + "agent = Agent('m', tools=[search], capabilities=[Thinking()])\n",
    "from ag_ui_adk import ADKAgent\nfrom google.adk.agents import LlmAgent\n"
    + SEARCH
    + "agent, other = LlmAgent(tools=[search]), LlmAgent()\nserved = ADKAgent(adk_agent=other)\n",
    "from agno.agent import Agent\n"
    + SEARCH
    + "agent = Agent(tools=[search], knowledge=None, read_chat_history=False)\n",
    "from langgraph_supervisor import create_supervisor\n" + SEARCH + "agent = create_supervisor([], tools=[search])\n",
    "from pydantic_ai import Agent\nagent, other = Agent('m'), Agent('m')\n@agent.tool_plain\n"
    + SEARCH
    + "app = other.to_ag_ui()\n",
]


def reasons(text: str) -> list[str]:
    found = read_programs([SourceText("agent.py", text)])
    assert [tool.name for tool in found.tools] == ["search"]
    (namespace,) = {tool.namespace for tool in found.tools}
    near = [each for each in found.reasons if each.files is None or any("agent.py" in files for files in each.files)]
    return [f"{each.line}: {each.text}" for each in near if each.namespace in ("", namespace)]


@pytest.mark.parametrize("text", OPEN, ids=OPEN.values())
def test_what_a_framework_adds_opens_the_agent(text: str) -> None:
    (reason,) = reasons(text)
    assert reason.startswith(OPEN[text])


@pytest.mark.parametrize("text", CLOSED)
def test_what_adds_nothing_does_not(text: str) -> None:
    assert reasons(text) == []


def test_a_release_has_the_tools_that_were_read_in_it() -> None:
    def tools_of(release: str) -> set[str]:
        at = [int(part) for part in release.split(".")]
        return {
            name
            for name, (since, until) in DEEP_AGENTS.items()
            if [int(part) for part in since.split(".")] <= at
            and (not until or at <= [int(part) for part in until.split(".")])
        }

    first = {"task", "ls", "read_file", "write_file", "edit_file", "write_todos"}
    assert tools_of("0.1.4") == first
    assert tools_of("0.6.12") == first | {"glob", "grep", "execute"}
    assert tools_of("0.7.0") == tools_of("0.6.12") - {"write_todos"} | {"delete"}


def test_every_row_has_its_source_and_is_found() -> None:
    for row in ADDED:
        assert row.source
        for name in row.names:
            assert row in added_by(f"{row.package}.somewhere.{name}")
            assert row not in added_by(f"elsewhere.{name}")


@pytest.mark.parametrize("program", [program for program, reason in OPEN.items() if "MCP servers" in reason])
def test_an_agent_that_takes_in_servers_says_so_by_the_cause(program: str) -> None:
    found = read_programs([SourceText("agent.py", program)])
    assert [reason.cause for reason in found.reasons] == [SERVERS]


def test_what_is_said_of_mcp_servers_has_their_cause() -> None:
    assert {row.names for row in ADDED if (row.cause == SERVERS) != ("MCP servers" in row.what)} == set()
