"""What code that handles calls does with a name that it does not know: certain to refuse it, or open."""

# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent, indent

import pytest

from toolsurface_lint.model.diagnostics import Diagnostic, Report

SERVER = """\
from mcp.server import Server
from mcp.types import TextContent, Tool
from elsewhere import ask, HANDLERS, NAMES, prefix

server = Server("shop")
ALERTS = "get_alerts"
KNOWN = {"get_alerts": ask}
LATER = {"get_alerts": ask}


def register(name, function):
    LATER[name] = function


@server.list_tools()
async def list_tools():
    schema = {"type": "object", "properties": {}}
    return [
        Tool(name="get_alerts", description="Get the alerts of today.", inputSchema=schema),
        Tool(name="send_report", description="Send a report of today.", inputSchema=schema),
    ]


async def alerts(tool, arguments):
    if tool == "get_alerts":
        return ask(arguments)
    raise ValueError("a bad name")


async def maybe(tool, arguments):
    if tool == "get_alerts":
        return ask(arguments)


@server.call_tool()
async def call_tool(name: str, arguments: dict):
"""

CLIENT = """\
from openai import OpenAI
from elsewhere import ask

client = OpenAI()
SCHEMA = {"type": "object", "properties": {}}
TOOLS = [
    {"type": "function", "function": {"name": "get_alerts", "description": "Get the alerts.", "parameters": SCHEMA}},
    {"type": "function", "function": {"name": "send_report", "description": "Send a report.", "parameters": SCHEMA}},
]
KNOWN = {"get_alerts": ask}


def execute(name, arguments):
    if name == "get_alerts":
        return ask(arguments)
    return {"error": f"Unknown tool {name}"}


def chat(messages):
    response = client.chat.completions.create(model="gpt-4o", messages=messages, tools=TOOLS)
    for call in response.choices[0].message.tool_calls:
"""


@pytest.fixture
def refused(tmp_path: Path, check: Callable[..., Report]) -> Callable[[str, str, int], list[Diagnostic]]:
    """What the rules for such code report of a program with a body put at its end."""

    def refused(program: str, body: str, depth: int) -> list[Diagnostic]:
        text = program + indent(dedent(body).strip("\n"), " " * depth) + "\n"
        (tmp_path / "program.py").write_text(text, encoding="utf-8")
        return list(check(tmp_path, select=["TOOL_CODE_NOT_DISPATCHED", "TOOL_CODE_DISPATCH_UNKNOWN_TOOL"]).diagnostics)

    return refused


@pytest.mark.parametrize(
    "body",
    [
        "if name == ALERTS:\n    return ask()\nraise ValueError(name)",
        "if name != 'get_alerts':\n    raise ValueError(name)\nreturn ask()",
        "if name not in KNOWN:\n    return [TextContent(type='text', text=f'Unknown tool: {name}')]\nreturn KNOWN[name]()",
        "return KNOWN[name](**arguments)",
        "handler = KNOWN.get(name)\nif not handler:\n    raise ValueError(name)\nreturn handler()",
        "handler = KNOWN.get(name)\nreturn handler(arguments)",
        "if (handler := KNOWN.get(name)) is None:\n    raise ValueError(name)\nreturn handler()",
        "match name:\n    case 'get_alerts' | 'old_name':\n        return ask()\n    case _:\n        raise ValueError(name)",
        "tool = name\nif tool == 'get_alerts':\n    out = ask()\nelse:\n    out = f'Tool {tool} not found'\nreturn [out]",
        "return await alerts(name, arguments)",
        "return [TextContent(type='text', text=await alerts(tool=name, arguments=arguments))]",
        "assert name in ['get_alerts']\nreturn ask()",
        "try:\n    return KNOWN[name]()\nexcept Exception as error:\n    return {'error': str(error), 'tool': name}",
        "print(name)\nlogger.info('called', extra={'tool': name})\nif name == 'get_alerts':\n    return ask()\nraise KeyError",
        "# Names of earlier versions.\n"
        + "\n".join(f"{'if' if n == 0 else 'elif'} name == 'name_{n}':\n    return ask()" for n in range(200))
        + "\nelif name == 'get_alerts':\n    return ask()\nelse:\n    raise ValueError(name)",
    ],
)
def test_a_server_that_refuses(refused: Callable[[str, str, int], list[Diagnostic]], body: str) -> None:
    assert [found.message for found in refused(SERVER, body, 4)] == [
        "the tool `send_report` is declared, but the code that handles the calls refuses it"
    ]


@pytest.mark.parametrize(
    "body",
    [
        "if name == 'get_alerts':\n    return ask()\nreturn ask(name)",
        "if name == 'get_alerts':\n    return ask()\nif name in NAMES:\n    return ask()\nraise ValueError(name)",
        "if name == 'get_alerts':\n    return ask()\nif name == prefix:\n    return ask()\nraise ValueError(name)",
        "if name == 'get_alerts':\n    return ask()\nif name.startswith('send'):\n    return ask()\nraise ValueError(name)",
        "if name == 'get_alerts':\n    return ask()\nreturn ask(arguments)",
        "if name == 'get_alerts':\n    return ask()\ntry:\n    return await ask(arguments)\nexcept ValueError:\n    raise",
        "handler = KNOWN.get(name, ask)\nreturn handler()",
        "handler = KNOWN.get(name) or ask\nreturn handler()",
        "try:\n    handler = KNOWN[name]\nexcept KeyError:\n    handler = ask\nreturn handler()",
        "if name in LATER:\n    return ask()\nraise ValueError(name)",
        "return HANDLERS[name]()",
        "return globals()[f'handle_{name}']() if name not in KNOWN else ask()",
        "out = await maybe(name, arguments)\nif out is None:\n    out = ask(arguments)\nreturn out",
        "name = name.replace('-', '_')\nif name == 'get_alerts':\n    return ask()\nraise ValueError(name)",
        "try:\n    return KNOWN[name]()\nfinally:\n    return ask(name)",
        "try:\n    return KNOWN[name]()\nexcept KeyError as error:\n    raise ValueError(name)\nfinally:\n    ask(name)",
        "match name:\n    case 'get_alerts':\n        return ask()\n    case other if other in NAMES:\n        return ask()\nraise KeyError",
        "if name == 'get_alerts':\n    return ask()\nfor tool in NAMES:\n    if tool.name == name:\n        return tool()\nraise KeyError",
        "if name == 'get_alerts':\n    return ask()\ndef run():\n    return ask(name)\nrun()\nraise KeyError",
        "if name == 'get_alerts':\n    return ask()\nasync with ask(name) as out:\n    return out\nraise KeyError",
        "if name == 'get_alerts' and arguments:\n    return ask()\nelif name in ('get_alerts', 'send_report'):\n    return ask()\nraise KeyError",
    ],
)
def test_a_server_that_may_do_something(refused: Callable[[str, str, int], list[Diagnostic]], body: str) -> None:
    assert not refused(SERVER, body, 4)


def test_a_decorator_may_handle_more(refused: Callable[[str, str, int], list[Diagnostic]]) -> None:
    body = "if name == 'get_alerts':\n    return ask()\nraise ValueError(name)"
    assert not refused(SERVER.replace("@server.call_tool()\n", "@server.call_tool()\n@ask\n"), body, 4)


def test_a_derived_class_may_handle_more(refused: Callable[[str, str, int], list[Diagnostic]]) -> None:
    shop = "class Shop:\n    def run(self, name):\n        if name == 'get_alerts':\n            return ask()\n        raise ValueError(name)\n\n\n"
    more = "class More(Shop):\n    def run(self, name):\n        return ask(name)\n\n\n"
    body = "return shop.run(name)"
    made = "shop = Shop()\n\n\n@server.list_tools()"
    program = SERVER.replace("def register", shop + "def register").replace("@server.list_tools()", made)
    assert [found.tool for found in refused(program, body, 4)] == ["send_report"]
    program = SERVER.replace("def register", shop + more + "def register").replace("@server.list_tools()", made)
    assert not refused(program, body, 4)


def test_two_handlers_may_be_for_two_ways_to_run(refused: Callable[[str, str, int], list[Diagnostic]]) -> None:
    other = "@server.call_tool()\nasync def call_more(name, arguments):\n    return ask(arguments)\n\n\n"
    body = "if name == 'get_alerts':\n    return ask()\nraise ValueError(name)"
    start, handler = SERVER.split("@server.call_tool()")
    assert not refused(f"{start}{other}@server.call_tool(){handler}", body, 4)


def test_the_handler_of_a_server_may_be_an_argument(refused: Callable[[str, str, int], list[Diagnostic]]) -> None:
    start = SERVER[: SERVER.index("@server.call_tool()")].replace("@server.list_tools()\n", "")
    program = start.replace('server = Server("shop")\n', "").replace(
        "def list_tools()", "def list_tools(context, params)"
    )
    program += "async def call(context, params):\n    if params.name == 'get_alerts':\n        return ask()\n    raise KeyError\n\n\n"
    (found,) = refused(program, "server = Server('shop', on_list_tools=list_tools, on_call_tool=call)", 0)
    assert found.tool == "send_report"
    assert [related.message for related in found.related] == ["the calls are handled here"]


@pytest.mark.parametrize(
    "body",
    [
        "name = call.function.name\nKNOWN[name](call.function.arguments)",
        "if call.function.name == 'get_alerts':\n    ask()\nelse:\n    print(f'Unknown tool {call.function.name}')",
        "messages.append({'role': 'tool', 'content': execute(call.function.name, call.function.arguments)})",
        "function_name, arguments = call.function.name, call.function.arguments\nKNOWN[function_name](arguments)",
        "name = call['function']['name']\nKNOWN[name](call)",
        "try:\n    KNOWN[call.function.name]()\nexcept Exception as error:\n    print(f'failed: {error}')",
    ],
)
def test_a_client_that_refuses(refused: Callable[[str, str, int], list[Diagnostic]], body: str) -> None:
    assert [found.tool for found in refused(CLIENT, body, 8)] == ["send_report"]


@pytest.mark.parametrize(
    "body",
    [
        "if call.function.name == 'get_alerts':\n    ask()",
        "if call.function.name == 'get_alerts':\n    ask()\nelse:\n    ask(call)",
        "if call.function.name in KNOWN:\n    KNOWN[call.function.name]()\nelse:\n    ask(call.function.arguments)",
        "session.call_tool(call.function.name)",
        "try:\n    run = KNOWN[call.function.name]\nexcept KeyError:\n    run = ask\nrun()",
        "with contextlib.suppress(KeyError):\n    KNOWN[call.function.name]()",
        "print(call.function.name)",
    ],
)
def test_a_client_that_may_do_something(refused: Callable[[str, str, int], list[Diagnostic]], body: str) -> None:
    assert not refused(CLIENT, body, 8)


def test_a_slip_is_told_once_and_fixed(refused: Callable[[str, str, int], list[Diagnostic]]) -> None:
    body = "if name == 'get_alerts':\n    return ask()\nif name == 'send_reports':\n    return ask()\nraise ValueError(name)"
    (found,) = refused(SERVER, body, 4)
    assert found.code == "TOOL_CODE_DISPATCH_UNKNOWN_TOOL"
    assert found.message == "calls of `send_reports` are handled here, but no tool of that name is declared"
    assert found.help == "did you mean `send_report`?"
    assert found.fix is not None


@pytest.mark.parametrize(
    "bound",
    [
        "_, name = name.split('__')",
        "name, *rest = name.split('__')",
        "[_, name] = name.split('__')",
        "print(name := name.strip('_'))",
        "for _, name in ask():\n    pass",
        "with ask() as name:\n    pass",
    ],
)
def test_what_is_made_of_the_name_is_another_one(
    refused: Callable[[str, str, int], list[Diagnostic]], bound: str
) -> None:
    body = bound + "\nif name == 'get_alert':\n    return ask()\nif name == 'send_reports':\n    return ask()\n"
    assert not refused(SERVER, body + "raise ValueError(name)", 4)


def test_an_unknown_name_matters_though_more_names_may_be_handled(
    refused: Callable[[str, str, int], list[Diagnostic]],
) -> None:
    body = "if name == 'get_alerts':\n    return ask()\nif name == 'send_reports':\n    return ask()\nreturn ask(name)"
    assert [found.code for found in refused(SERVER, body, 4)] == ["TOOL_CODE_DISPATCH_UNKNOWN_TOOL"]
