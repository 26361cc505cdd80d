"""Python tools in a whole project: which surface they belong to, and what is said of their files."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.files import write_files
from toolsurface_lint.api import check_paths, inspect_paths
from toolsurface_lint.model.diagnostics import Report, Skipped
from toolsurface_lint.readers.programs.documents import read_program_documents
from toolsurface_lint.readers.programs.program_file import ProgramFile

SERVER = """\
from mcp.server.fastmcp import FastMCP

mcp = FastMCP("shop")
"""

ORDERS = '''\
from shop.names import LIST
from shop.server import mcp


@mcp.tool(name=LIST)
def orders(customer: str) -> str:
    """List the orders of a customer."""
    return customer
'''

SEARCH = '''\
from shop.server import mcp


@mcp.tool()
def search(text: str) -> str:
    """Search all articles."""
    return text
'''


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Writes files below an empty folder, which is the working directory."""
    monkeypatch.chdir(tmp_path)

    def write(files: dict[str, str]) -> None:
        write_files(tmp_path, files)

    return write


@pytest.fixture
def shop(write: Callable[..., None]) -> None:
    """One server whose tools, names and instance lie in files of several folders."""
    write(
        {
            "shop/server.py": SERVER,
            "shop/names.py": 'LIST = "list_orders"\nOTHER = 1\n',
            "shop/tools/orders.py": ORDERS,
            "shop/search/search.py": SEARCH,
        }
    )


def lines(report: Report) -> list[str]:
    found = []
    for diagnostic in report.diagnostics:
        assert diagnostic.location is not None
        start = diagnostic.location.range.start
        found.append(f"{diagnostic.location.path}:{start.line}:{start.column} {diagnostic.code}")
    return found


def surfaces(*paths: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = inspect_paths(paths or ["."], isolated=True)["surfaces"]
    return found


@pytest.mark.usefixtures("shop")
def test_a_server_in_several_folders_is_one_surface_at_their_common_folder() -> None:
    (surface,) = surfaces()
    assert surface["name"] == "shop"
    assert not surface["open"]
    assert [(tool["name"], tool["path"], tool["line"], tool["column"]) for tool in surface["tools"]] == [
        ("search", "shop/search/search.py", 5, 5),
        ("list_orders", "shop/names.py", 1, 8),
    ]
    assert {tool["format"] for tool in surface["tools"]} == {"python-mcp"}
    report = check_paths(["."], isolated=True)
    assert report.summary["tools"] == 2
    assert report.surfaces[0].files == ("shop/names.py", "shop/search/search.py", "shop/tools/orders.py")
    # `server.py` has neither a tool nor a part of one.
    assert report.summary["files"] == 3
    assert [skipped[:2] for skipped in report.skipped] == [("shop/server.py", "not recognised")]


@pytest.mark.usefixtures("shop")
def test_a_prompt_meets_the_tools_below_its_folder(write: Callable[..., None]) -> None:
    write({"shop/prompts/system.md": "Call `search`, then `list_order`. Then call list_order({ customer: 1 }).\n"})
    (surface,) = surfaces()
    assert [prompt["path"] for prompt in surface["prompts"]] == ["shop/prompts/system.md"]
    report = check_paths(["."], isolated=True, select=["TOOL_SURFACE", "PROMPT"])
    unknown = "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"
    assert lines(report) == [f"shop/prompts/system.md:1:{column} {unknown}" for column in (22, 45)]
    # The declaration that the prompt is close to lies in another file.
    assert {related.location.path for diagnostic in report.diagnostics for related in diagnostic.related} == {
        "shop/names.py"
    }


def test_two_servers_of_one_file_are_two_lists_of_one_surface(write: Callable[..., None]) -> None:
    write(
        {
            "servers.py": '''\
from mcp.server.fastmcp import FastMCP

one = FastMCP("one")
two = FastMCP("two")


@one.tool()
def search(text: str) -> str:
    """Search all articles."""
    return text


@two.tool(name="search")
def search_orders(text: str) -> str:
    """Search all orders."""
    return text
'''
        }
    )
    report = check_paths(["."], isolated=True)
    assert lines(report) == []
    assert report.summary["tools"] == 2
    assert [summary.name for summary in report.surfaces] == ["default"]


@pytest.mark.usefixtures("shop")
def test_only_what_lies_in_given_files_is_reported(write: Callable[..., None]) -> None:
    write(
        {
            "shop/names.py": 'LIST = "list orders"\n',
            "shop/search/search.py": SEARCH.replace('    """Search all articles."""\n', ""),
        }
    )
    both = ["shop/names.py:1:8 TOOL_NAME_INVALID", "shop/search/search.py:5:5 TOOL_DESCRIPTION_MISSING"]
    assert lines(check_paths(["."], isolated=True)) == both
    # The tool itself is in a third file.
    assert lines(check_paths(["shop/names.py"], isolated=True)) == both[:1]
    assert lines(check_paths(["shop/search/search.py"], isolated=True)) == both[1:]
    assert lines(check_paths(["shop/tools/orders.py"], isolated=True)) == []
    assert check_paths(["shop/tools/orders.py"], isolated=True).summary["tools"] == 2


@pytest.mark.usefixtures("shop")
def test_an_unsaved_buffer_takes_the_place_of_its_file() -> None:
    text = SEARCH.replace("text: str", "text")
    report = check_paths([], isolated=True, stdin=text.encode(), stdin_filename="shop/search/search.py")
    assert lines(report) == ["shop/search/search.py:5:12 TOOL_CODE_UNTYPED_PARAMETER"]


@pytest.mark.usefixtures("shop")
def test_settings_choose_the_files_of_a_surface(write: Callable[..., None]) -> None:
    write(
        {
            "toolsurface.toml": '[[surface]]\nname = "orders"\ntools = ["shop/tools/*.py"]\n'
            'prompts = ["shop/prompts/*"]\n',
            "shop/prompts/texts.py": '"""Texts."""\n\nSYSTEM_PROMPT = "Call `list_orders` first."\nSIZE = 3\n',
        }
    )
    found = inspect_paths(["."])["surfaces"]
    assert [(surface["name"], [tool["name"] for tool in surface["tools"]]) for surface in found] == [
        ("orders", ["list_orders"]),
        ("shop", ["search"]),
    ]
    assert [prompt["path"] for prompt in found[0]["prompts"]] == ["shop/prompts/texts.py"]
    assert [(each["name"], each["line"], each["column"]) for each in found[0]["references"]] == [("list_orders", 3, 24)]


def test_comments_hide_findings(write: Callable[..., None]) -> None:
    write(
        {
            "tools.py": '''\
from langchain_core.tools import tool


@tool
def search(text) -> str:  # toolsurface-lint: ignore-line[TOOL_CODE_UNTYPED_PARAMETER] older callers
    """Search all articles."""
    return text


@tool
# toolsurface-lint: ignore-next-line[TOOL_NAME]
def find(text: str) -> str:
    """Find one article."""
    return text
'''
        }
    )
    report = check_paths(["."], isolated=True)
    assert [(hidden.diagnostic.code, hidden.by, hidden.reason) for hidden in report.suppressed] == [
        ("TOOL_CODE_UNTYPED_PARAMETER", "inline", "older callers")
    ]
    assert lines(report) == ["tools.py:11:38 SUPPRESSION_UNUSED"]


def test_a_file_that_is_not_python_is_reported_only_if_it_looks_like_tools(write: Callable[..., None]) -> None:
    write(
        {
            "shop/search.py": SEARCH,
            "shop/server.py": SERVER,
            "shop/broken.py": "from shop.server import mcp\n\n\n@mcp.tool()\ndef broken(:\n    pass\n",
            "shop/other.py": "def broken(:\n",
        }
    )
    report = check_paths(["."], isolated=True)
    assert lines(report) == ["shop/broken.py:5:12 INPUT_SYNTAX_ERROR"]
    (surface,) = surfaces()
    assert surface["open_reasons"] == ["shop/broken.py:5: a file that cannot be read"]
    assert lines(check_paths(["shop/other.py"], isolated=True)) == []
    assert [skipped[:2] for skipped in check_paths(["shop/other.py"], isolated=True).skipped] == [
        ("shop/other.py", "not recognised")
    ]


def test_what_cannot_be_read_or_told_opens_what_it_has_to_do_with(write: Callable[..., None]) -> None:
    alone = "from mcp.server.fastmcp import FastMCP\nmcp = FastMCP('{0}')\n\n\n@mcp.tool()\ndef {0}() -> str:\n    'Does it.'\n"
    write(
        {
            "a/server.py": alone.format("first"),
            "a/broken.py": "@mcp.tool()\ndef broken(:\n    pass\n",
            "b/server.py": alone.format("second"),
            "c/server.py": alone.format("third"),
            "c/more.py": "from langchain_core.tools import tool\n\n\n@tool(make())\ndef fetch() -> str: ...\n",
        }
    )
    assert {each["name"]: each["open_reasons"] for each in surfaces()} == {
        "a": ["a/broken.py:2: a file that cannot be read"],
        "b": [],
        "c": ["c/more.py:4: a tool registered under a call's result"],
    }


def test_an_agent_that_brings_tools_of_its_own_is_open(write: Callable[..., None]) -> None:
    write(
        {
            "agent/agent.py": "from deepagents import create_deep_agent\n\n\ndef search(text: str) -> str:\n    'Searches.'\n\n\n"
            "agent = create_deep_agent(tools=[search])\n",
            "agent/prompt.md": "Call `write_todos` first, then `search`, then call `read_file`.\n",
        }
    )
    assert lines(check_paths(["."], isolated=True)) == []
    (surface,) = surfaces()
    assert [tool["name"] for tool in surface["tools"]] == ["search"]
    (reason,) = surface["open_reasons"]
    assert reason.startswith("agent/agent.py:8: `create_deep_agent` adds tools of its own")


def test_bytes_that_are_no_text(write: Callable[..., None], tmp_path: Path) -> None:
    write({"plain.py": "print(1)\n"})
    (tmp_path / "tools.py").write_bytes(b"@mcp.tool()\ndef f():\n    '''caf\xe9'''\n")
    (tmp_path / "data.py").write_bytes(b"x = 'caf\xe9'\n")
    assert lines(check_paths(["."], isolated=True)) == ["tools.py:3:11 INPUT_UNREADABLE"]
    report = check_paths(["data.py"], isolated=True)
    assert lines(report) == []
    assert report.skipped == (Skipped("data.py", "not recognised: byte 0xe9 is not valid UTF-8", 1, 9),)


def test_a_file_that_is_said_to_hold_tools_must(write: Callable[..., None]) -> None:
    write({"plain.py": "print(1)\n", "search.py": SEARCH})
    assert lines(check_paths(["plain.py"], isolated=True, kind="tools")) == ["plain.py:1:1 INPUT_WRONG_KIND"]
    assert lines(check_paths(["search.py"], isolated=True, kind="tools")) == []
    assert check_paths(["search.py"], isolated=True, kind="tools").summary["tools"] == 1


def test_a_server_of_run_time_tools_alone_is_no_surface(write: Callable[..., None]) -> None:
    write(
        {
            "server.py": """\
from mcp.server.fastmcp import FastMCP
from plugins import plugins

mcp = FastMCP("shop")
for plugin in plugins():
    mcp.add_tool(plugin)
"""
        }
    )
    assert surfaces() == []
    assert check_paths(["."], isolated=True).summary["surfaces"] == 0


def test_open_reasons_name_their_line(write: Callable[..., None]) -> None:
    write(
        {
            "server.py": SERVER
            + '''
from plugins import plugins

for plugin in plugins():
    mcp.add_tool(plugin)


@mcp.tool()
def search(text: str) -> str:
    """Search all articles. Call `serch_orders` for orders, and `list_articles` before."""
    return text


@mcp.tool()
def list_articles(text: str) -> str:
    """List all articles."""
    return text
'''
        }
    )
    (surface,) = surfaces()
    assert surface["open"]
    assert surface["open_reasons"] == ["server.py:7: tools registered in a loop over a call's result"]
    assert lines(check_paths(["."], isolated=True)) == []


def test_a_tool_behind_a_setting_is_not_active(write: Callable[..., None]) -> None:
    write(
        {
            "server.py": SERVER
            + '''
import os


@mcp.tool()
def search(text: str) -> str:
    """Search all articles."""
    return text


if os.environ.get("WRITE", "") == "1":

    @mcp.tool()
    def delete(text: str) -> str:
        """Delete one article."""
        return text
'''
        }
    )
    (surface,) = surfaces()
    assert [(tool["name"], tool["active"]) for tool in surface["tools"]] == [("search", True), ("delete", False)]


def test_prompts_and_tools_of_one_file_meet(write: Callable[..., None]) -> None:
    write(
        {
            "agent.py": '''\
from agents import Agent, function_tool

INSTRUCTIONS = """You help.

Call search_orders({ text: "x" }) first.
Then call serch_orders({ text: "x" }).
"""
OTHER_PROMPT = "Call search_orders."


@function_tool
def search_orders(text: str) -> str:
    """Search all orders."""
    return text


agent = Agent(name="shop", instructions=INSTRUCTIONS, tools=[search_orders])
'''
        }
    )
    report = check_paths(["."], isolated=True, select=["TOOL_SURFACE", "PROMPT"])
    assert report.summary["prompts"] == 2
    assert report.summary["files"] == 1
    assert lines(report) == ["agent.py:6:11 PROMPT_TOOL_NOT_GIVEN"]


def test_imports_are_followed_from_any_working_directory(
    write: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(
        {
            "pkg/names.py": 'LIST = "list_orders"\n',
            "pkg/sub/tools.py": ORDERS.replace("from shop.names", "from ..names").replace(
                "from shop.server", "from ..server"
            ),
            "pkg/server.py": SERVER,
            "pkg/sub/__init__.py": "",
            "pkg/__init__.py": "",
        }
    )
    monkeypatch.chdir(tmp_path / "pkg" / "sub")
    (surface,) = inspect_paths([str(tmp_path)], isolated=True)["surfaces"]
    assert [tool["name"] for tool in surface["tools"]] == ["list_orders"]


def test_a_constant_of_one_word_is_no_prompt(write: Callable[..., None]) -> None:
    write({"shell.py": 'PROMPT = "(shell) "\nSYSTEM_PROMPT = "Answer briefly."\n', "other.py": 'PROMPT = "> "\n'})
    report = check_paths(["."], isolated=True)
    assert (report.summary["prompts"], report.summary["files"]) == (1, 1)


INSTRUCTED = '''\
from {package} import {server}

mcp = {server}("shop", {instructions})


@mcp.tool()
def search(text: str) -> str:
    """Search all articles."""
    return text


@mcp.tool()
def list_orders(text: str) -> str:
    """List the orders of a customer."""
    return text
'''


@pytest.mark.parametrize(
    ("package", "server"), [("mcp.server.fastmcp", "FastMCP"), ("fastmcp", "FastMCP"), ("mcp.server", "Server")]
)
def test_the_instructions_of_a_server_are_a_prompt(write: Callable[..., None], package: str, server: str) -> None:
    instructions = 'instructions="""Call `search`,\\n\nthen `list_order`."""'
    write({"server.py": INSTRUCTED.format(package=package, server=server, instructions=instructions)})
    (surface,) = surfaces()
    assert [prompt["path"] for prompt in surface["prompts"]] == ["server.py"]
    assert [(found["name"], found["line"], found["column"]) for found in surface["references"]] == [
        ("search", 3, surface["references"][0]["column"]),
        ("list_order", 4, 7),
    ]
    report = check_paths(["."], isolated=True)
    assert lines(report) == ["server.py:4:7 TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"]
    assert report.diagnostics[0].help == "did you mean `list_orders`?"


@pytest.mark.parametrize(
    "instructions",
    [
        # Its place in the call.
        '"Call `search` and `list_order`."',
        # Cleaned as it is handed over.
        "instructions=' Call `search` and `list_order`. '.strip()",
        "instructions=('Call `search` '\n  'and `list_order`.')",
        "instructions=TEXT",
        "instructions=__import__('textwrap').dedent(TEXT) if 0 else TEXT",
        "instructions=f'Call `search` for {other}, then call `list_order`.'",
        "instructions='Call `search` and ' + '`list_order`.'",
    ],
)
def test_the_ways_to_give_instructions(write: Callable[..., None], instructions: str) -> None:
    text = INSTRUCTED.format(package="fastmcp", server="FastMCP", instructions=instructions)
    write({"server.py": "TEXT = 'Call `search` and `list_order`.'\n" + text})
    (diagnostic,) = check_paths(["."], isolated=True).diagnostics
    assert (diagnostic.code, diagnostic.tool) == ("TOOL_SURFACE_UNKNOWN_PROMPT_TOOL", "list_order")


AGENTS = {
    "openai-agents": "from agents import Agent\nAgent(name='a', instructions={text}, tools={tools})",
    "pydantic-ai": "from pydantic_ai import Agent\nAgent('m', system_prompt={text}, tools={tools})",
    "pydantic-ai-instructions": "from pydantic_ai import Agent\nAgent('m', instructions={text}, tools={tools})",
    "langchain": "from langchain.agents import create_agent\ncreate_agent(m, {tools}, system_prompt={text})",
    "langgraph": "from langgraph.prebuilt import create_react_agent\ncreate_react_agent(m, {tools}, prompt={text})",
    "crewai": "from crewai import Agent\nAgent(role='r', goal='Sell.', backstory={text}, tools={tools})",
    "adk": "from google.adk.agents import LlmAgent\nLlmAgent(name='a', instruction={text}, tools={tools})",
    "autogen": "from autogen_agentchat.agents import AssistantAgent\n"
    "AssistantAgent('a', system_message={text}, tools={tools})",
    "agno": "from agno.agent import Agent\nAgent(instructions=['Be brief.', {text}], tools={tools})",
    "strands": "from strands import Agent\nAgent(system_prompt={text}, tools={tools})",
    "llama-index": "from llama_index.core.agent.workflow import FunctionAgent\n"
    "FunctionAgent(system_prompt={text}, tools={tools})",
    "haystack": "from haystack.components.agents import Agent\nAgent(system_prompt={text}, tools={tools})",
    "smolagents": "from smolagents import ToolCallingAgent\nToolCallingAgent(instructions={text}, tools={tools})",
}
FUNCTIONS = '''
def search(text: str) -> str:
    """Search all articles."""


def list_orders(text: str) -> str:
    """List the orders of a customer."""


'''


@pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS)
def test_what_an_agent_is_told_is_a_prompt(write: Callable[..., None], agent: str) -> None:
    code = agent.format(text="'Call `search`, then `list_order`.'", tools="[search, list_orders]")
    imported, _, made = code.partition("\n")
    write({"agent.py": imported + FUNCTIONS + made + "\n"})
    (diagnostic,) = (each for each in check_paths(["."], isolated=True).diagnostics if "PROMPT" in each.code)
    assert (diagnostic.code, diagnostic.tool) == ("PROMPT_TOOL_NOT_GIVEN", "list_order")
    write({"agent.py": imported + FUNCTIONS + made.replace("list_order`", "list_orders`") + "\n"})
    assert [each for each in check_paths(["."], isolated=True).diagnostics if "PROMPT" in each.code] == []


REQUESTS = {
    "openai-chat": "openai.OpenAI().chat.completions.create(messages=[{{'role': 'system', 'content': {text}}}], tools=TOOLS)",
    "openai-developer": "openai.OpenAI().chat.completions.create("
    "messages=[{{'role': 'developer', 'content': [{{'type': 'text', 'text': {text}}}]}}], tools=TOOLS)",
    "openai-responses": "openai.OpenAI().responses.create(instructions={text}, input='Hello', tools=TOOLS)",
    "openai-responses-input": "openai.OpenAI().responses.create(input=[{{'role': 'system', 'content': {text}}}], tools=TOOLS)",
    "anthropic": "anthropic.Anthropic().messages.create(system={text}, tools=TOOLS)",
    "anthropic-parts": "anthropic.Anthropic().messages.create(system=[{{'type': 'text', 'text': {text}}}], tools=TOOLS)",
    "gemini": "types.GenerateContentConfig(system_instruction={text}, tools=[{{'function_declarations': TOOLS}}])",
    "litellm": "litellm.completion(messages=[{{'role': 'system', 'content': {text}}}], tools=TOOLS)",
}
TOOLS_IN_CODE = """\
import anthropic, litellm, openai
from google.genai import types

TOOLS = [
    {"name": "search", "description": "Search all articles.", "parameters": {"type": "object", "properties": {}}},
    {"name": "list_orders", "description": "List all orders.", "parameters": {"type": "object", "properties": {}}},
]


def answer():
    return """


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)
def test_what_a_request_with_tools_says_first_is_a_prompt(write: Callable[..., None], request_: str) -> None:
    code = TOOLS_IN_CODE + request_.format(text="'Call `search`, then `list_order`.'") + "\n"
    write({"agent.py": code})
    found = [each for each in check_paths(["."], isolated=True).diagnostics if "PROMPT" in each.code]
    assert [(each.code, each.tool) for each in found] == [("PROMPT_TOOL_NOT_GIVEN", "list_order")]


def test_what_a_user_asks_is_not_a_prompt(write: Callable[..., None]) -> None:
    request_ = REQUESTS["openai-chat"].replace("'system'", "'user'")
    write({"agent.py": TOOLS_IN_CODE + request_.format(text="'Call `search`, then `list_order`.'") + "\n"})
    assert [each.tool for each in check_paths(["."], isolated=True).diagnostics if "PROMPT" in each.code] == []


def told_to(*files: str) -> list[tuple[str, list[str]]]:
    """The prompts in Python files, each with the lines of what is told it."""
    documents = read_program_documents(
        [ProgramFile(os.path.abspath(name), name, "python", None, 1_000_000) for name in files]
    )
    return [
        (prompt.text, [key.split(":")[1] for key in prompt.told_to])
        for document in documents.values()
        for prompt in document.prompts
    ]


def test_a_prompt_knows_all_that_are_told_it(write: Callable[..., None]) -> None:
    code = """\
from agents import Agent
from prompts import SYSTEM_PROMPT


def search(text: str) -> str:
    'Search all articles.'


STYLE = ['Be brief.']
seller = Agent(instructions=SYSTEM_PROMPT, tools=[search])
finder = Agent(instructions=SYSTEM_PROMPT, tools=[search])
reader = Agent(system_prompt=STYLE, instructions='Read it all.', tools=[search])
client.chat.completions.create(messages=[{'role': 'system', 'content': STYLE}], tools=TOOLS)
"""
    write({"agent.py": code, "prompts.py": "SYSTEM_PROMPT = 'Sell a lot.'\nOTHER_PROMPT = 'Ask us.'\n"})
    assert sorted(told_to("agent.py", "prompts.py")) == [
        ("Ask us.", []),
        ("Be brief.", ["12", "13"]),
        ("Read it all.", ["12"]),
        ("Sell a lot.", ["10", "11"]),
    ]


def test_a_list_that_holds_itself_is_told(write: Callable[..., None]) -> None:
    code = "from agents import Agent\ndef search(text): 'Search.'\nloop = ['Be brief.']\nloop.append(loop)\n"
    write({"agent.py": code + "Agent(instructions=loop, tools=[search])\n"})
    assert told_to("agent.py") == [("Be brief.", ["5"])]


def test_a_constant_that_is_a_prompt_by_its_name_is_one_prompt(write: Callable[..., None]) -> None:
    text = INSTRUCTED.format(package="fastmcp", server="FastMCP", instructions="instructions=SERVER_INSTRUCTIONS")
    write({"server.py": "SERVER_INSTRUCTIONS = 'Call `search` and `list_order`.'\n" + text})
    assert len(surfaces()[0]["prompts"]) == 1
    assert lines(check_paths(["."], isolated=True)) == ["server.py:1:43 TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"]


def test_instructions_of_another_file(write: Callable[..., None]) -> None:
    text = INSTRUCTED.format(package="fastmcp", server="FastMCP", instructions="instructions=ABOUT")
    write(
        {
            "shop/about.py": "ABOUT = 'Call `search` and `list_order`.'\n",
            "shop/server.py": "from shop.about import ABOUT\n" + text,
        }
    )
    assert lines(check_paths(["."], isolated=True)) == ["shop/about.py:1:29 TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"]


@pytest.mark.parametrize(
    "instructions",
    [
        "instructions='Search'",
        "instructions=None",
        "instructions=load('`search` and `list_order`')",
    ],
)
def test_instructions_that_are_no_text_of_the_file(write: Callable[..., None], instructions: str) -> None:
    write({"server.py": INSTRUCTED.format(package="fastmcp", server="FastMCP", instructions=instructions)})
    assert surfaces()[0]["prompts"] == []
    assert lines(check_paths(["."], isolated=True)) == []


def test_the_instructions_of_a_mounted_server_are_not_shown(write: Callable[..., None]) -> None:
    text = INSTRUCTED.format(
        package="fastmcp", server="FastMCP", instructions="instructions='Call `search`, then `list_order`.'"
    )
    write({"server.py": text + "\n\nmain = FastMCP('main')\nmain.mount(mcp, prefix='shop')\n"})
    (surface,) = surfaces()
    assert surface["prompts"] == []
    assert lines(check_paths(["."], isolated=True)) == []


AGENT = """\
from agents import Agent, function_tool
from tools import find_order, refund_order

{name} = Agent(name="{name}", instructions="Call `find_order`, then call `refund_order`.", tools={tools})
"""
TWO_TOOLS = """\
from agents import function_tool


@function_tool
def find_order(number: str) -> str:
    \"\"\"Find an order.\"\"\"
    return number


@function_tool
def refund_order(number: str) -> str:
    \"\"\"Pay an order back.\"\"\"
    return number
"""


def told_wrongly(*paths: str) -> list[str]:
    report = check_paths(list(paths), isolated=True)
    found = [each for each in report.diagnostics if "PROMPT" in each.code and each.location is not None]
    return [f"{each.location.path} {each.code} {each.tool}" for each in found]


@pytest.mark.parametrize("paths", [(".",), ("finder.py",), ("finder.py", "payer.py"), ("tools.py", "finder.py")])
def test_an_agent_has_the_tools_that_it_is_given(write: Callable[..., None], paths: tuple[str, ...]) -> None:
    write(
        {
            "tools.py": TWO_TOOLS,
            "finder.py": AGENT.format(name="finder", tools="[find_order]"),
            "payer.py": AGENT.format(name="payer", tools="[find_order, refund_order]"),
        }
    )
    assert told_wrongly(*paths) == ["finder.py PROMPT_TOOL_NOT_GIVEN refund_order"]


def test_an_agent_that_may_have_more_tools_has_those_of_its_folder(write: Callable[..., None]) -> None:
    write({"tools.py": TWO_TOOLS, "finder.py": AGENT.format(name="finder", tools="[find_order, *load()]")})
    assert told_wrongly(".") == []


def test_settings_say_what_belongs_together_before_programs(write: Callable[..., None]) -> None:
    write({"tools.py": TWO_TOOLS, "finder.py": AGENT.format(name="finder", tools="[find_order]")})
    write({"toolsurface.toml": '[[surface]]\nname = "all"\ntools = ["*.py"]\nprompts = ["*.py"]\n'})
    found = check_paths(["."]).diagnostics
    assert [each.code for each in found if "PROMPT" in each.code] == []


def test_a_prompt_of_several_agents_may_name_the_tools_of_each(write: Callable[..., None]) -> None:
    text = 'TEXT = "Call `find_order`, then call `refund_order`, then call `refund_odrer`."\n'
    agents = "from agents import Agent\nfrom tools import find_order, refund_order\n" + text
    agents += 'Agent(name="a", instructions=TEXT, tools=[find_order])\nAgent(name="b", instructions=TEXT, tools=[refund_order])\n'
    write({"tools.py": TWO_TOOLS, "agents_of_shop.py": agents})
    assert told_wrongly(".") == ["agents_of_shop.py PROMPT_TOOL_NOT_GIVEN refund_odrer"]


def test_a_tool_of_another_agent_may_be_spoken_of(write: Callable[..., None]) -> None:
    text = "Call `find_order`. The billing agent uses `refund_order`."
    agents = "from agents import Agent\nfrom tools import find_order, refund_order\n"
    agents += f'Agent(instructions="{text}", tools=[find_order])\n'
    agents += 'Agent(instructions="Call `refund_order`.", tools=[refund_order])\n'
    write({"tools.py": TWO_TOOLS, "agents_of_shop.py": agents})
    assert told_wrongly(".") == []
