"""How each framework makes a tool of what it is given, as the frameworks themselves were seen to do it."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest

from toolsurface_lint.model.tool import Tool
from toolsurface_lint.readers.python.tools import PythonTools, read_python_project
from toolsurface_lint.source.text import SourceText


def read(text: str | None = None, **files: str) -> PythonTools:
    """The tools of one file, or of files by module name."""
    if text is not None:
        files = {"server": text}
    return read_python_project([SourceText(name + ".py", dedent(content)) for name, content in files.items()])


def only(text: str) -> Tool:
    found = read(text)
    assert [tool.name for tool in found.tools] == [found.tools[0].name]
    return found.tools[0]


def names(found: PythonTools) -> list[str]:
    return [tool.name for tool in found.tools]


def reasons(found: PythonTools) -> list[str]:
    return [f"{reason.source.path}:{reason.line}: {reason.text}" for reason in found.reasons]


def schema(tool: Tool) -> Any:
    assert tool.schema is not None
    return tool.schema.value


def description(tool: Tool) -> Any:
    return None if tool.description is None else tool.description.value


# MCP and FastMCP


def test_a_model_with_an_enum_member_for_a_default_is_a_model() -> None:
    tool = only(
        """
        from enum import Enum
        from fastmcp import FastMCP
        from pydantic import BaseModel
        class Size(str, Enum):
            S = "s"
            L = "l"
        class Order(BaseModel):
            sku: str
            size: Size = Size.S
        mcp = FastMCP("x")
        @mcp.tool
        def order(order: Order): "Order."
        """
    )
    assert schema(tool)["properties"]["order"] == {
        "type": "object",
        "properties": {"sku": {"type": "string"}, "size": {"enum": ["s", "l"], "type": "string", "default": "s"}},
        "required": ["sku"],
    }


def test_the_docstring_of_a_class_is_a_text() -> None:
    tool = only(
        '''
        from mcp.types import Tool
        from pydantic import BaseModel
        class Add(BaseModel):
            """Add files."""
            path: str
        t = Tool(name="add", description=Add.__doc__, inputSchema=Add.model_json_schema())
        '''
    )
    assert description(tool) == "Add files."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # A string after the call's name is the tool's name, whatever it is used for later.
        ("mcp.tool('x')", []),
        ("mcp.tool(load())", ["server.py:3: a tool that is a call's result"]),
        (
            "import inspect\nfor _, method in inspect.getmembers(thing):\n    mcp.tool(method)",
            ["server.py:4: tools registered in a loop over a call's result"],
        ),
        ("for f in load(): mcp.tool(f, name='x')", ["server.py:3: tools registered in a loop over a call's result"]),
        # The decorator that is made of an unknown name is used: that is one reason, not two.
        ("@mcp.tool(load())\ndef f(): ...", ["server.py:3: a tool registered under a call's result"]),
    ],
)
def test_a_function_that_is_not_known_is_registered(text: str, expected: list[str]) -> None:
    assert reasons(read("from fastmcp import FastMCP\nmcp = FastMCP('x')\n" + text)) == expected


@pytest.mark.parametrize(
    "head",
    [
        "from mcp.types import Tool",
        "from langchain_core.tools import StructuredTool as Tool",
        "from agents import FunctionTool as Tool",
    ],
)
def test_options_that_may_name_the_tool_leave_its_name_open(head: str) -> None:
    text = f"{head}\ndef f(a: int): 'F.'\ndef make(**options):\n    return Tool(description='D.', func=f, **options)\n"
    assert names(read(text)) == []
    assert names(read(text + "make()\n")) == ["f"]


def test_options_that_may_name_a_converted_function_leave_its_name_open() -> None:
    found = read(
        """
        from fastmcp import FastMCP
        from fastmcp.tools import Tool
        mcp = FastMCP("x")
        def f(a: int): "F."
        def add(**options): mcp.add_tool(Tool.from_function(f, **options))
        add(**load())
        """
    )
    assert names(found) == []
    assert reasons(found) == ["server.py:6: a tool registered under a value that only a run can tell"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ("main.mount(sub, prefix='s')", ["s_add", "s_drop"]),
        ("main.mount(sub, 's', tool_names={'add': 'plus'})", ["plus", "s_drop"]),
        ("main.add_provider(sub, namespace='s')", ["s_add", "s_drop"]),
        ("main.mount(sub)\nmain.add_transform(Namespace('m'))", ["m_add", "m_drop"]),
        ("sub.add_transform(Namespace('t'))\nmain.mount(sub, namespace='s')", ["s_t_add", "s_t_drop"]),
        (
            "main.mount(sub)\nmain.add_transform(ToolTransform({'add': ToolTransformConfig(name='plus')}))",
            ["plus", "drop"],
        ),
        ("main.mount(sub)\nmain.add_tool_transformation('add', ToolTransformConfig(name='plus'))", ["plus", "drop"]),
    ],
)
def test_the_names_under_which_a_server_serves_the_tools_of_another(changes: str, expected: list[str]) -> None:
    found = read(
        """
        from fastmcp import FastMCP
        from fastmcp.server.transforms import Namespace, ToolTransform
        from fastmcp.tools.tool_transform import ToolTransformConfig
        sub, main = FastMCP("sub"), FastMCP("main")
        @sub.tool
        def add(a: int): "Add."
        @sub.tool
        def drop(a: int): "Drop."
        """
        + ("\n" + " " * 8).join(changes.splitlines())
    )
    assert names(found) == expected
    assert reasons(found) == []


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("mcp.add_transform(Search(max_results=5))", "tools changed by a transform"),
        ("mcp.add_transform(Namespace(load()))", "tools changed by a transform"),
        (
            "mcp.add_transform(ToolTransform({'f': ToolTransformConfig(arguments={'a': load()})}))",
            "tools changed by a transform",
        ),
        ("mcp.mount(FastMCP('s'), tool_names=load())", "a server mounted with names that only a run can tell"),
        ("mcp.add_provider(FileSystemProvider('tools'))", "a server is mounted that only a run can tell"),
    ],
)
def test_names_that_only_a_run_can_tell(change: str, expected: str) -> None:
    found = read(
        "from fastmcp import FastMCP\nfrom fastmcp.server.transforms import Namespace, Search, ToolTransform\n"
        "from fastmcp.tools.tool_transform import ToolTransformConfig\n"
        f"mcp = FastMCP('x')\n@mcp.tool\ndef f(a: int): 'F.'\n{change}\n"
    )
    assert names(found) == ["f"]
    assert reasons(found) == [f"server.py:7: {expected}"]


def test_the_tools_of_a_provider() -> None:
    found = read(
        """
        from fastmcp import FastMCP
        from fastmcp.server.providers import LocalProvider, SkillsProvider
        local = LocalProvider()
        @local.tool
        def near(a: int): "Near."
        first = FastMCP("first", providers=[local])
        second = FastMCP("second", providers=[SkillsProvider("skills")])
        """
    )
    assert names(found) == ["near"]
    assert reasons(found) == ["server.py:8: tools of other servers"]


@pytest.mark.parametrize(
    ("transforms", "properties", "required"),
    [
        (
            "{'q': ArgTransform(name='query', description='Words.')}",
            {"query": {"type": "string", "description": "Words."}, "limit": {"type": "integer", "default": 5}},
            ["query"],
        ),
        ("{'limit': ArgTransform(hide=True, default=3)}", {"q": {"type": "string"}}, ["q"]),
        (
            "{'q': ArgTransform(default='*'), 'limit': ArgTransform(required=True)}",
            {"q": {"type": "string", "default": "*"}, "limit": {"type": "integer", "default": 5}},
            ["limit"],
        ),
        (
            "{'q': ArgTransform(type=int)}",
            {"q": {"anyOf": [{}]}, "limit": {"type": "integer", "default": 5}},
            ["q"],
        ),
    ],
)
def test_a_tool_made_of_another_one(transforms: str, properties: Any, required: list[str]) -> None:
    found = read(
        f"""
        from fastmcp import FastMCP
        from fastmcp.tools import Tool
        from fastmcp.tools.tool_transform import ArgTransform
        mcp = FastMCP("x")
        @mcp.tool
        def search(q: str, limit: int = 5): "Search."
        mcp.add_tool(Tool.from_tool(search, name="find", description="Find.", transform_args={transforms}))
        """
    )
    find = next(tool for tool in found.tools if tool.name == "find")
    assert description(find) == "Find."
    assert schema(find) == {"type": "object", "properties": properties, "required": required}


def test_a_tool_made_of_another_one_in_a_way_that_is_not_known() -> None:
    found = read(
        """
        from fastmcp import FastMCP
        from fastmcp.tools import Tool
        mcp = FastMCP("x")
        @mcp.tool
        def search(q: str): "Search."
        mcp.add_tool(Tool.from_tool(search, name="find", transform_args=load()))
        """
    )
    find = next(tool for tool in found.tools if tool.name == "find")
    assert (find.schema, "schema" in find.declarable) == (None, False)


def test_versions_of_a_tool_are_alternatives() -> None:
    found = read(
        """
        from fastmcp import FastMCP
        mcp = FastMCP("x")
        @mcp.tool(version="1.0")
        def add(a: int): "Add."
        @mcp.tool(version="2.0", name="add")
        def add_more(a: int, b: int): "Add."
        """
    )
    assert [(tool.name, tool.optional) for tool in found.tools] == [("add", False), ("add", True)]


def test_a_member_of_an_enum_that_shows_its_value() -> None:
    found = read(
        """
        from enum import Enum
        from fastmcp import FastMCP
        class Names(str, Enum):
            ALERT = "alert"
            def __str__(self) -> str:
                return self.value
        class Hidden(str, Enum):
            ALERT = "alert"
        mcp = FastMCP("x")
        @mcp.tool(name=f"{Names.ALERT}_now")
        def first(): "F."
        @mcp.tool(name="do_" + str(Names.ALERT))
        def second(): "S."
        @mcp.tool(name=f"{Hidden.ALERT}_now")
        def third(): "T."
        """
    )
    # What an enum shows that does not say it depends on the version of Python.
    assert names(found) == ["alert_now", "do_alert"]
    assert reasons(found) == ["server.py:15: a tool registered under a text put together at run time"]


def test_a_name_in_its_place() -> None:
    found = read(
        """
        from mcp.server.fastmcp import FastMCP
        mcp = FastMCP("x")
        def f(a: int): "F."
        mcp.add_tool(f, "look", "Look", "Looks.")
        """
    )
    assert names(found) == ["look"]


# LangChain


@pytest.mark.parametrize(
    ("decorator", "expected", "documented"),
    [
        ("@tool", "Book a room.\n\nOne only.\n\nArgs:\n    hotel: Which.", None),
        ("@tool(parse_docstring=False)", "Book a room.\n\nOne only.\n\nArgs:\n    hotel: Which.", None),
        ("@tool(parse_docstring=True)", "Book a room.\n\nOne only.", "Which."),
        ("@tool('book', parse_docstring=True, description='B.')", "B.", "Which."),
    ],
)
def test_langchain_reads_a_docstring_where_it_is_told_to(decorator: str, expected: str, documented: str | None) -> None:
    tool = only(
        "from langchain_core.tools import tool\n" + decorator + "\n"
        'def book(hotel: str):\n    """Book a room.\n\n    One only.\n\n    Args:\n        hotel: Which.\n    """\n'
    )
    assert description(tool) == expected
    assert schema(tool)["properties"]["hotel"].get("description") == documented


def test_a_schema_that_is_none_is_not_given() -> None:
    tool = only(
        """
        from langchain_core.tools import StructuredTool
        def multiply(a: int, b: int): "Multiply."
        t = StructuredTool.from_function(multiply, name="Calculator", args_schema=None)
        """
    )
    assert schema(tool)["required"] == ["a", "b"]


@pytest.mark.parametrize(
    "call",
    [
        "Tool(name='echo', func=lambda s: s, description='Echo.')",
        "Tool('echo', lambda s: s, 'Echo.')",
        "Tool.from_function(func=lambda s: s, name='echo', description='Echo.')",
    ],
)
def test_a_plain_tool_of_langchain_takes_one_text_of_no_name(call: str) -> None:
    tool = only(f"from langchain_core.tools import Tool\nt = {call}\n")
    assert (tool.name, description(tool)) == ("echo", "Echo.")
    assert (tool.schema, "schema" in tool.declarable) == (None, False)
    assert tool.code is not None
    assert tool.code.parameters == ()


def test_a_tool_class_gives_its_name_by_a_field() -> None:
    found = read(
        """
        from langchain_core.tools import BaseTool
        from pydantic import Field
        class Comment(BaseTool):
            name: str = Field(default="add_comment")
            description: str = Field("Add a comment.")
            def _run(self, key: str): ...
        """
    )
    assert [(tool.name, description(tool)) for tool in found.tools] == [("add_comment", "Add a comment.")]


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("Search(api_key='k')", "a tool of class `Search`, which is not in the files read"),
        ("Toolkit()", "a tool of class `Toolkit`, which is not in the files read"),
        ("Named(where)", "a tool of class `Named`, which has no name before it is made"),
        ("Named", "a tool of class `Named`, which has no name before it is made"),
        ("Known()", None),
        ("Known", None),
    ],
)
def test_a_tool_that_is_made_elsewhere_leaves_an_agent_open(made: str, expected: str | None) -> None:
    found = read(
        f"""
        from langchain_core.tools import BaseTool
        from langchain.agents import create_agent
        from vendor import Search, Toolkit
        class Known(BaseTool):
            name: str = "known"
            description: str = "K."
        class Named(BaseTool):
            def __init__(self, where): self.name = where.name
        agent = create_agent(model, tools=[{made}])
        """
    )
    assert names(found) == ["known"]
    assert reasons(found) == ([] if expected is None else [f"server.py:10: {expected}"])


# OpenAI Agents


def test_a_docstring_that_is_not_used() -> None:
    tool = only(
        """
        from agents import function_tool
        @function_tool(use_docstring_info=False)
        def bare(x: int):
            \"\"\"Not served.

            Args:
                x: Nor this.
            \"\"\"
        """
    )
    assert tool.description is None
    assert "description" in tool.declarable
    assert schema(tool)["properties"] == {"x": {"type": "integer"}}


def test_an_agent_is_a_tool() -> None:
    found = read(
        """
        from agents import Agent
        sub = Agent(name="Translator")
        agent = Agent(name="a", tools=[sub.as_tool(tool_name="translate", tool_description="Translate a text.")])
        """
    )
    (tool,) = found.tools
    assert (tool.name, description(tool)) == ("translate", "Translate a text.")
    assert (tool.schema, "schema" in tool.declarable) == (None, False)
    assert reasons(found) == []


@pytest.mark.parametrize(
    "text",
    [
        "from agents import Agent\na = Agent(name='a', tools=[], mcp_servers=[Server()])",
        "from pydantic_ai import Agent\na = Agent('m', toolsets=[MCPServerStdio('x')])",
    ],
)
def test_servers_that_an_agent_asks_leave_it_open(text: str) -> None:
    assert reasons(read(text + "\n")) == ["server.py:2: tools of other servers"]


def test_no_servers_to_ask_leave_an_agent_closed() -> None:
    found = read("from agents import Agent, function_tool\na = Agent(name='a', tools=[], mcp_servers=[])\n")
    assert reasons(found) == []


# Pydantic AI


@pytest.mark.parametrize(
    ("signature", "properties", "required"),
    [
        ("place: Place", {"lat": {"type": "number"}, "name": {"type": "string", "default": ""}}, ["lat"]),
        ("ctx: RunContext[int], place: Place", {"lat": {"type": "number"}, "name": {"type": "string", "default": ""}}, ["lat"]),
        ("values: dict[str, int]", {"values": {"type": "object", "additionalProperties": {"type": "integer"}}}, ["values"]),
    ],
)  # fmt: skip
def test_a_model_that_is_the_only_parameter(signature: str, properties: Any, required: list[str]) -> None:
    tool = only(
        f"""
        from pydantic import BaseModel
        from pydantic_ai import Agent, RunContext
        class Place(BaseModel):
            lat: float
            name: str = ""
        agent = Agent("m")
        @agent.tool_plain
        def visit({signature}): "Visit."
        """
    )
    assert schema(tool) == {"type": "object", "properties": properties, "required": required}


def test_a_model_beside_another_parameter_stays() -> None:
    tool = only(
        """
        from pydantic import BaseModel
        from pydantic_ai import Agent
        class Place(BaseModel):
            lat: float
        agent = Agent("m")
        @agent.tool_plain
        def visit(place: Place, often: int = 1): "Visit."
        """
    )
    assert list(schema(tool)["properties"]) == ["place", "often"]


@pytest.mark.parametrize(
    ("toolsets", "expected"),
    [
        ("[clock]", ["now", "wait"]),
        ("[clock.prefixed('t')]", ["t_now", "t_wait"]),
        ("[clock.filtered(lambda ctx, tool: True).prefixed('t')]", ["t_now", "t_wait"]),
        ("[clock.renamed({'time': 'now'})]", ["time", "wait"]),
        ("[CombinedToolset([clock.prefixed('a')])]", ["a_now", "a_wait"]),
    ],
)
def test_toolsets(toolsets: str, expected: list[str]) -> None:
    found = read(
        f"""
        from pydantic_ai import Agent
        from pydantic_ai.toolsets import CombinedToolset, FunctionToolset
        def now(): "Now."
        clock = FunctionToolset(tools=[now])
        @clock.tool_plain
        def wait(seconds: int): "Wait."
        agent = Agent("m", toolsets={toolsets})
        """
    )
    assert names(found) == expected
    assert reasons(found) == []
    assert len({tool.namespace for tool in found.tools}) == 1


def test_a_tool_of_a_schema() -> None:
    tool = only(
        """
        from pydantic_ai import Tool
        def f(**values): ...
        t = Tool.from_schema(function=f, name="raw", description="R.",
                             json_schema={"type": "object", "properties": {"z": {"type": "string"}}})
        """
    )
    assert (tool.name, description(tool), tool.format) == ("raw", "R.", "python-pydantic-ai")
    assert schema(tool) == {"type": "object", "properties": {"z": {"type": "string"}}}


@pytest.mark.parametrize("tools", ["[look] + more", "more + [look]", "[look, *more]"])
def test_of_a_list_that_is_not_known_whole_the_known_part_is_kept(tools: str) -> None:
    found = read(
        f"""
        from pydantic_ai import Agent
        def look(path: str): "Look."
        more = load()
        agent = Agent("m", tools={tools})
        """
    )
    assert names(found) == ["look"]
    assert reasons(found) == ["server.py:5: tools made in a loop over a call's result"]


# The dicts of providers


def test_definitions_made_by_the_types_of_openai() -> None:
    tool = only(
        """
        from openai.types.chat import ChatCompletionToolParam
        from openai.types.shared_params import FunctionDefinition
        t = ChatCompletionToolParam(type="function", function=FunctionDefinition(
            name="send", description="Send.", parameters=dict(type="object", properties=dict(to=dict(type="string")))))
        """
    )
    assert (tool.name, description(tool), tool.format) == ("send", "Send.", "python-openai")
    assert schema(tool) == {"type": "object", "properties": {"to": {"type": "string"}}}


def test_schemas_made_by_the_types_of_gemini() -> None:
    tool = only(
        """
        from google.genai import types
        t = types.FunctionDeclaration(name="weather", description="W.", parameters=types.Schema(
            type=types.Type.OBJECT,
            properties={"city": types.Schema(type="STRING", min_length=1), "days": types.Schema(type=types.Type.INTEGER),
                        "units": types.Schema(any_of=[types.Schema(type="STRING"), types.Schema(type=KIND)])},
            required=["city"]))
        """
    )
    assert schema(tool) == {
        "type": "OBJECT",
        "properties": {
            "city": {"type": "STRING", "minLength": 1},
            "days": {"type": "INTEGER"},
            "units": {"anyOf": [{}]},
        },
        "required": ["city"],
    }


@pytest.mark.parametrize("key", ["parametersJsonSchema", "parameters_json_schema"])
def test_json_schemas_of_gemini(key: str) -> None:
    tool = only(
        f"""
        from google.genai import types
        t = types.Tool(function_declarations=[{{"name": "look", "{key}": {{"type": "object", "properties": {{}}}}}}])
        """
    )
    assert (tool.format, schema(tool)) == ("python-gemini", {"type": "object", "properties": {}})


def test_plain_functions_for_gemini() -> None:
    found = read(
        """
        from google.genai import types
        def look(path: str): "Look."
        config = types.GenerateContentConfig(tools=[look, types.Tool(google_search=types.GoogleSearch())])
        """
    )
    assert [(tool.name, tool.format) for tool in found.tools] == [("look", "python-gemini")]
    assert reasons(found) == []


@pytest.mark.parametrize(
    "text",
    [
        "a = {0}\nb = {1}\nTOOLS = [a, b]",
        "a = {0}\nTOOLS = [a, {1}]",
        "def a(): return {0}\nTOOLS = [a(), {1}]",
        "TOOLS = [\n    {0},\n    {1},\n]",
        (
            "from mcp.types import Tool\na = Tool(name='first', inputSchema={{}})\nb = Tool(name='second', inputSchema={{}})\n"
            "l = [a, b]"
        ),
        (
            "from google.genai import types\nf = types.FunctionDeclaration(name='first', parameters={{}})\n"
            "t = types.Tool(function_declarations=[f, {{'name': 'second', 'parameters': {{}}}}])"
        ),
    ],
)
def test_definitions_that_are_put_into_one_list_are_a_namespace(text: str) -> None:
    definition = "{{'name': '{}', 'input_schema': {{'type': 'object'}}}}"
    found = read(text.format(definition.format("first"), definition.format("second")) + "\n")
    assert names(found) == ["first", "second"]
    assert len({tool.namespace for tool in found.tools}) == 1


def test_definitions_that_are_in_no_list_are_a_namespace_each() -> None:
    found = read(
        "a = {'name': 'same', 'input_schema': {'type': 'object'}}\nb = {'name': 'same', 'input_schema': {'type': 'object'}}\n"
    )
    assert len({tool.namespace for tool in found.tools}) == 2


def test_specifications_of_bedrock() -> None:
    tool = only(
        """
        CONFIG = {"tools": [{"toolSpec": {"name": "song", "description": "S.", "inputSchema": {
            "json": {"type": "object", "properties": {"sign": {"type": "string"}}}}}}]}
        """
    )
    assert (tool.name, tool.format) == ("song", "python-bedrock")
    assert schema(tool) == {"type": "object", "properties": {"sign": {"type": "string"}}}
