"""Servers of a repository that its own programs start for their agents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.files import write_files
from toolsurface_lint import check_paths

SERVER = '''\
from mcp.server.fastmcp import FastMCP

mcp = FastMCP("shelf")


@mcp.tool()
def list_pots(shelf: str) -> list[str]:
    """List the pots on a shelf."""
    return []


@mcp.tool()
def move_pot(pot: str, shelf: str) -> None:
    """Put a pot on another shelf."""
'''
OPENAI = (
    "import sys\nfrom pathlib import Path\nfrom agents import Agent\n"
    "from agents.mcp import MCPServerStdio, MCPServerStreamableHttp, create_static_tool_filter\n"
)
OPENAI_AGENT = "Agent(name='a', instructions={text}, mcp_servers=[shelf])\n"
PYDANTIC = "from pydantic_ai import Agent\nfrom pydantic_ai.mcp import MCPServerStdio\n"
ADK = (
    "from google.adk.agents import LlmAgent\nfrom mcp import StdioServerParameters\n"
    "from google.adk.tools.mcp_tool import McpToolset, StdioConnectionParams\n"
)
LANGCHAIN = (
    "from langchain.agents import create_agent\nfrom langchain_mcp_adapters.client import MultiServerMCPClient\n"
)
AGNO = "from agno.agent import Agent\nfrom agno.tools.mcp import MCPTools\nfrom mcp import StdioServerParameters\n"
CLAUDE = "from claude_agent_sdk import ClaudeAgentOptions\n"
STARTS = {
    "openai-agents": OPENAI
    + "shelf = MCPServerStdio(params={{'command': 'python', 'args': ['shelf/server.py']}})\n"
    + OPENAI_AGENT,
    "openai-agents-module": OPENAI
    + "shelf = MCPServerStdio({{'command': 'uv', 'args': ['run', 'python', '-m', 'shelf.server']}})\n"
    + OPENAI_AGENT,
    "openai-agents-in-a-context": OPENAI
    + "async def main():\n    file = Path(__file__).parent / 'shelf' / 'server.py'\n"
    "    async with MCPServerStdio(params={{'command': sys.executable, 'args': [str(file)]}}) as shelf:\n        "
    + OPENAI_AGENT,
    "pydantic-ai": PYDANTIC
    + "shelf = MCPServerStdio('python', args=['server.py'], cwd='shelf')\nAgent('m', instructions={text}, toolsets=[shelf])\n",
    "google-adk": ADK + "start = StdioServerParameters(command='python3', args=['shelf/server.py'])\n"
    "tools = McpToolset(connection_params=StdioConnectionParams(server_params=start, timeout=9))\n"
    "LlmAgent(name='a', instruction={text}, tools=[tools])\n",
    "langchain": LANGCHAIN + "async def main():\n"
    "    client = MultiServerMCPClient({{'shelf': {{'command': 'python', 'args': ['shelf/server.py'], 'transport': 'stdio'}}}})\n"
    "    tools = await client.get_tools()\n    create_agent('m', tools, system_prompt={text})\n",
    "agno": AGNO + "shelf = MCPTools(server_params=StdioServerParameters(command='python', args=['shelf/server.py']))\n"
    "Agent(instructions={text}, tools=[shelf])\n",
}
PREFIXED = {
    "mcp__shelf__": CLAUDE + "ClaudeAgentOptions(system_prompt={text},\n"
    "    mcp_servers={{'shelf': {{'command': 'python', 'args': ['shelf/server.py']}}}})\n",
    "pots_": PYDANTIC + "shelf = MCPServerStdio('python', ['shelf/server.py'], tool_prefix='pots')\n"
    "Agent('m', instructions={text}, toolsets=[shelf])\n",
    "shelf_": LANGCHAIN + "async def main():\n"
    "    servers = {{'shelf': {{'command': 'python', 'args': ['shelf/server.py'], 'transport': 'stdio'}}}}\n"
    "    tools = await MultiServerMCPClient(servers, tool_name_prefix=True).get_tools()\n"
    "    create_agent('m', tools, system_prompt={text})\n",
    "one_": ADK + "start = StdioServerParameters(command='python3', args=['shelf/server.py'])\n"
    "tools = McpToolset(connection_params=start, tool_name_prefix='one')\n"
    "LlmAgent(name='a', instruction={text}, tools=[tools])\n",
}


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Writes files below an empty folder, which is the working directory."""
    monkeypatch.chdir(tmp_path)

    def write(files: dict[str, str]) -> None:
        write_files(tmp_path, files)

    return write


def missing(
    write: Callable[..., None], program: str, text: str, files: dict[str, str] | None = None
) -> list[str | None]:
    """The tools that agents are told to call and are not given."""
    write({"shelf/server.py": SERVER, "potter.py": program.format(text=repr(text)), **(files or {})})
    return [each.tool for each in check_paths(["."], isolated=True).diagnostics if "PROMPT" in each.code]


@pytest.mark.parametrize("program", STARTS.values(), ids=STARTS)
def test_an_agent_has_the_tools_of_a_server_that_it_starts(write: Callable[..., None], program: str) -> None:
    text = "Call `list_pots`, then `move_pot`. Then call `move_pots`, and use the `weigh_pot` tool."
    assert missing(write, program, text) == ["move_pots", "weigh_pot"]


@pytest.mark.parametrize(("prefix", "program"), PREFIXED.items(), ids=PREFIXED)
def test_under_the_names_that_it_knows_them_by(write: Callable[..., None], prefix: str, program: str) -> None:
    assert missing(write, program, f"Call `{prefix}list_pots`. Then call `{prefix}move_pots`.") == [
        f"{prefix}move_pots"
    ]


@pytest.mark.parametrize(
    "program",
    [
        OPENAI
        + "shelf = MCPServerStdio(params={{'command': 'python', 'args': ['shelf/server.py']}}, tool_filter=FILTER)\n"
        + OPENAI_AGENT,
        ADK + "start = StdioServerParameters(command='python3', args=['shelf/server.py'])\n"
        "tools = McpToolset(connection_params=start, tool_filter=['list_pots'])\n"
        "LlmAgent(name='a', instruction={text}, tools=[tools])\n",
        AGNO + "start = StdioServerParameters(command='python', args=['shelf/server.py'])\n"
        "Agent(instructions={text}, tools=[MCPTools(server_params=start, exclude_tools=['move_pot'])])\n",
    ],
    ids=["openai-agents", "google-adk", "agno"],
)
def test_without_those_that_are_left_out(write: Callable[..., None], program: str) -> None:
    program = program.replace("FILTER", "create_static_tool_filter(allowed_tool_names=['list_pots'])")
    assert missing(write, program, "Call `list_pots`. Then call `move_pot`.") == ["move_pot"]


UNKNOWN = {
    "another-program": OPENAI
    + "shelf = MCPServerStdio(params={{'command': 'npx', 'args': ['-y', 'shelf-server']}})\n"
    + OPENAI_AGENT,
    "no-program": OPENAI + "shelf = MCPServerStdio(params={{'command': 'python', 'args': [PATH]}})\n" + OPENAI_AGENT,
    "one-of-two": OPENAI + "shelf = MCPServerStdio(params={{'command': 'python', 'args': ['shelf/server.py']}})\n"
    "Agent(instructions={text}, mcp_servers=[shelf, MCPServerStreamableHttp(params={{'url': URL}})])\n",
    "a-filter-of-the-run": OPENAI
    + "shelf = MCPServerStdio(params={{'command': 'python', 'args': ['shelf/server.py']}}, tool_filter=choose)\n"
    + OPENAI_AGENT,
    "names-with-servers": OPENAI
    + "shelf = MCPServerStdio(params={{'command': 'python', 'args': ['shelf/server.py']}})\n"
    "Agent(instructions={text}, mcp_servers=[shelf], mcp_config={{'include_server_in_tool_names': True}})\n",
    "resources": ADK + "start = StdioServerParameters(command='python3', args=['shelf/server.py'])\n"
    "tools = McpToolset(connection_params=start, use_mcp_resources=True)\n"
    "LlmAgent(name='a', instruction={text}, tools=[tools])\n",
    "one-server-of-many": LANGCHAIN + "async def main():\n"
    "    servers = {{'shelf': {{'command': 'python', 'args': ['shelf/server.py']}}, 'shop': {{'url': URL}}}}\n"
    "    tools = await MultiServerMCPClient(servers).get_tools()\n"
    "    create_agent('m', tools, system_prompt={text})\n",
}


@pytest.mark.parametrize("program", UNKNOWN.values(), ids=UNKNOWN)
def test_what_is_started_may_not_be_known(write: Callable[..., None], program: str) -> None:
    assert missing(write, program, "Call `list_pots`. Then call `move_pots`, and use the `weigh_pot` tool.") == []


def test_of_two_programs_of_one_name_nothing_is_said(write: Callable[..., None]) -> None:
    text = "Call `list_pots`. Then call `move_pots`."
    program = STARTS["openai-agents"].replace("shelf/server.py", "server.py").format(text=repr(text))
    write({"desk/potter.py": program, "server.py": SERVER, "desk/server.py": SERVER.replace("list_pots", "show_pots")})
    assert [each.code for each in check_paths(["."], isolated=True).diagnostics if "PROMPT" in each.code] == []


def test_a_server_that_may_have_more_tools_leaves_its_agent_open(write: Callable[..., None]) -> None:
    more = {"shelf/server.py": SERVER + "\nfor name in load():\n    mcp.add_tool(name)\n"}
    assert missing(write, STARTS["openai-agents"], "Use the `weigh_pot` tool.", more) == []


def test_what_a_program_allows_of_a_server_that_it_starts(write: Callable[..., None]) -> None:
    program = (
        CLAUDE + "ClaudeAgentOptions(allowed_tools=['mcp__shelf__list_pots', 'mcp__shelf__move_pots'],\n"
        "    mcp_servers={'shelf': {'command': 'python', 'args': ['shelf/server.py']}})\n"
    )
    write({"shelf/server.py": SERVER, "potter.py": program})
    found = [each for each in check_paths(["."], isolated=True).diagnostics if each.code.startswith("POLICY")]
    assert [(each.code, each.tool) for each in found] == [("POLICY_UNKNOWN_TOOL", "move_pots")]
