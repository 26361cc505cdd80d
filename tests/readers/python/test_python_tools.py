from __future__ import annotations

import inspect
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolsurface_lint.model.tool import Tool
from toolsurface_lint.programs.markers import may_define_tools
from toolsurface_lint.readers.python.definitions import MAX_PLACES, Definitions
from toolsurface_lint.readers.python.tools import PythonTools, read_python_project
from toolsurface_lint.source.text import SourceText
from toolsurface_lint.source.tree import Node, Place


def read(text: str | None = None, **files: str) -> PythonTools:
    """The tools of one file, or of files by module name (`a__b` is `a/b.py`)."""
    if text is not None:
        files = {"server": text}
    return read_python_project(
        [SourceText(name.replace("__", "/") + ".py", dedent(content)) for name, content in files.items()]
    )


def only(text: str, **more: str) -> Tool:
    found = read(**{"server": text, **more}).tools
    assert len(found) == 1, [tool.name for tool in found]
    return found[0]


def names(found: PythonTools) -> list[str]:
    return [tool.name for tool in found.tools]


def reasons(found: PythonTools) -> list[str]:
    return [f"{reason.source.path}:{reason.line}: {reason.text}" for reason in found.reasons]


def shown(place: Place | Node | None) -> str:
    """The source text that a diagnostic at a place would mark."""
    assert place is not None
    if isinstance(place, Node):
        place = place.place
    span = place.span()
    assert span is not None
    assert place.source is not None
    return place.source.text[slice(*span)]


def schema(tool: Tool) -> Any:
    assert tool.schema is not None
    return tool.schema.value


def described(tool: Tool) -> Any:
    """The description of the first parameter."""
    first: Any = next(iter(schema(tool)["properties"].values()))
    return first.get("description")


MCP_HEAD = "from mcp.server.fastmcp import FastMCP\nmcp = FastMCP('x')\n"


# Frameworks


@pytest.mark.parametrize(
    ("format", "text", "name", "description", "parameters"),
    [
        (
            "python-harness",
            '''
            from harness.tools.decorator import tool

            @tool(side_effects={"read"})
            def look(path: str, deep: bool = False) -> str:
                """
                Look.
                """
            ''',
            "look",
            "Look.",
            [("path", True, "string"), ("deep", False, "boolean")],
        ),
        (
            "python-harness",
            """
            from harness.tools.base import Tool
            look = Tool(name="look", description="Look.", run=print, side_effects={"read"},
                        input_schema={"type": "object", "properties": {"path": {"type": "string"}}})
            """,
            "look",
            "Look.",
            [("path", False, "string")],
        ),
        (
            "python-mcp",
            '''
            from mcp.server.fastmcp import Context, FastMCP
            app = FastMCP("x")

            @app.tool()
            async def look(path: str, ctx: Context, deep: bool | None = None) -> str:
                """Look."""
            ''',
            "look",
            "Look.",
            [("path", True, "string"), ("deep", False, "boolean|null")],
        ),
        (
            "python-mcp",
            '''
            from fastmcp import FastMCP
            app = FastMCP("x")

            @app.tool
            def look(path: str):
                """Look.

                Twice.
                """
            ''',
            "look",
            "Look.\n\nTwice.",
            [("path", True, "string")],
        ),
        (
            "python-mcp",
            """
            import mcp.types as types
            from mcp.server.lowlevel import Server
            server = Server("x")

            @server.list_tools()
            async def list_tools():
                return [types.Tool(name="look", description="Look.", inputSchema={
                    "type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]})]
            """,
            "look",
            "Look.",
            [("path", True, "string")],
        ),
        (
            "python-langchain",
            '''
            from langchain_core.tools import tool

            @tool("look", return_direct=True)
            def any_name(path: str) -> str:
                """Look."""
            ''',
            "look",
            "Look.",
            [("path", True, "string")],
        ),
        (
            "python-langchain",
            """
            from langchain.tools import StructuredTool
            from pydantic import BaseModel, Field

            class Input(BaseModel):
                path: str = Field(description="where")
                deep: bool = False

            def run(path, deep): ...

            tool = StructuredTool.from_function(func=run, name="look", description="Look.", args_schema=Input)
            """,
            "look",
            "Look.",
            [("path", True, "string"), ("deep", False, "boolean")],
        ),
        (
            "python-openai-agents",
            '''
            from agents import Agent, RunContextWrapper, function_tool

            @function_tool(name_override="look")
            def find(ctx: RunContextWrapper[int], path: str) -> str:
                """Look.

                Args:
                    path: Where.
                """
            ''',
            "look",
            "Look.",
            [("path", True, "string")],
        ),
        (
            "python-pydantic-ai",
            '''
            from pydantic_ai import Agent, RunContext
            agent = Agent("m")

            @agent.tool
            async def look(ctx: RunContext[int], path: str) -> str:
                """Look."""
            ''',
            "look",
            "Look.",
            [("path", True, "string")],
        ),
        (
            "python-pydantic-ai",
            '''
            from pydantic_ai import Agent
            agent = Agent("m")

            @agent.tool_plain
            def look(path: str) -> str:
                """Look."""
            ''',
            "look",
            "Look.",
            [("path", True, "string")],
        ),
        (
            "python-smolagents",
            '''
            from smolagents import tool

            @tool
            def look(path: str) -> str:
                """Look.

                Args:
                    path: Where.
                """
            ''',
            "look",
            "Look.",
            [("path", True, "string")],
        ),
        (
            "python-smolagents",
            """
            from smolagents import Tool

            class Look(Tool):
                name = "look"
                description = "Look."
                inputs = {"path": {"type": "string", "description": "where"},
                          "deep": {"type": "boolean", "description": "how", "nullable": True}}
                output_type = "string"

                def forward(self, path: str, deep: bool = False): ...
            """,
            "look",
            "Look.",
            [("path", True, "string"), ("deep", False, "boolean")],
        ),
        (
            "python-crewai",
            '''
            from crewai.tools import tool

            @tool("look")
            def run(path: str) -> str:
                """Look."""
            ''',
            "look",
            "Look.",
            [("path", True, "string")],
        ),
        (
            "python-crewai",
            """
            from crewai.tools import BaseTool

            class Look(BaseTool):
                name: str = "look"
                description: str = "Look."

                def _run(self, path: str) -> str: ...
            """,
            "look",
            "Look.",
            [("path", True, "string")],
        ),
        (
            "python-claude-agent-sdk",
            """
            from claude_agent_sdk import create_sdk_mcp_server, tool

            @tool("look", "Look.", {"path": str})
            async def look_around(args): ...

            server = create_sdk_mcp_server("x", tools=[look_around])
            """,
            "look",
            "Look.",
            [("path", True, "string")],
        ),
        (
            "python-openai",
            """
            TOOLS = [{"type": "function", "function": {"name": "look", "description": "Look.", "parameters": {
                "type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}}]
            """,
            "look",
            "Look.",
            [("path", True, "string")],
        ),
        (
            "python-openai",
            """
            from openai.types.chat import ChatCompletionToolParam
            look = ChatCompletionToolParam(type="function", function={"name": "look", "description": "Look.", "parameters": {
                "type": "object", "properties": {"path": {"type": "string"}}}})
            """,
            "look",
            "Look.",
            [("path", False, "string")],
        ),
        (
            "python-anthropic",
            """
            look = {"name": "look", "description": "Look.", "input_schema": {
                "type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}
            """,
            "look",
            "Look.",
            [("path", True, "string")],
        ),
    ],
)
def test_frameworks(
    format: str, text: str, name: str, description: str, parameters: list[tuple[str, bool, str]]
) -> None:
    tool = only(text)
    assert tool.format == format
    assert tool.name == name
    assert tool.description is not None
    assert tool.description.value == description
    assert [(found.name, found.required, found.type) for found in tool.parameters] == parameters
    assert {"schema", "description"} <= tool.declarable
    assert not tool.optional


def test_plain_functions_of_an_agent_are_tools() -> None:
    found = read(
        """
        from pydantic_ai import Agent, Tool
        def first(a: int): "First."
        def second(a: int): "Second."
        agent = Agent("m", tools=[first, Tool(second, name="other")])
        """
    )
    assert names(found) == ["first", "other"]
    assert {tool.format for tool in found.tools} == {"python-pydantic-ai"}


def test_a_decorator_of_the_project_that_takes_side_effects_is_the_chapters() -> None:
    found = read(
        lib__decorator="def tool(name=None, side_effects=frozenset()):\n    def wrap(fn): ...\n    return wrap\n",
        lib__std="from lib.decorator import tool\n@tool(side_effects={'write'})\ndef put(x: dict): 'Put.'\n",
    )
    tool = found.tools[0]
    assert tool.format == "python-harness"
    assert tool.side_effects is not None
    assert tool.side_effects.value == ["write"]
    assert shown(tool.side_effects) == "{'write'}"
    assert schema(tool)["properties"] == {"x": {"type": "string"}}
    assert tool.code is not None
    assert [parameter.typing for parameter in tool.code.parameters] == ["unsupported"]


def test_a_tool_class_of_the_project_is_the_chapters_if_it_has_side_effects() -> None:
    chapter = "from dataclasses import dataclass\n@dataclass\nclass Tool:\n    name: str\n"
    chapter += "    description: str\n    input_schema: dict\n"
    use = "from base import Tool\nt = Tool(name='look', description='Look.', input_schema={'type': 'object'})\n"
    plain = read(base=chapter, tools=use)
    assert [(tool.format, "side_effects" in tool.declarable) for tool in plain.tools] == [("python", False)]
    found = read(base=chapter + "    side_effects: frozenset = frozenset()\n", tools=use)
    assert [(tool.format, "side_effects" in tool.declarable) for tool in found.tools] == [("python-harness", True)]


@pytest.mark.parametrize(
    ("line", "format"),
    [
        ("from harness.tools.decorator import tool", "python-harness"),
        ("from .decorator import tool", "python-harness"),
        ("from strands import tool", "python"),
        ("from .things import tool", "python"),
    ],
)
def test_a_decorator_that_is_not_among_the_files(line: str, format: str) -> None:
    assert only(f"{line}\n@tool()\ndef f(a: int): 'F.'\n").format == format


def test_declarations_of_gemini() -> None:
    found = read(
        """
        from google.genai import types
        first = types.FunctionDeclaration(name="first", description="F.", parameters={"type": "object"})
        tool = types.Tool(function_declarations=[first, {"name": "second", "parameters": {"type": "object"}}])
        """
    )
    assert [(tool.name, tool.format) for tool in found.tools] == [
        ("first", "python-gemini"),
        ("second", "python-gemini"),
    ]


def test_a_schema_made_by_a_model() -> None:
    tool = only(
        """
        from mcp.types import Tool
        from pydantic import BaseModel, Field
        class Base(BaseModel):
            repo: str
        class Add(Base):
            files: list[str] = Field(description="which", alias="paths")
            force: bool = False
        t = Tool(name="add", description="Add.", inputSchema=Add.model_json_schema())
        """
    )
    assert schema(tool) == {
        "type": "object",
        "properties": {
            "repo": {"type": "string"},
            "paths": {"type": "array", "items": {"type": "string"}, "description": "which"},
            "force": {"type": "boolean", "default": False},
        },
        "required": ["repo", "paths"],
    }


# Schemas


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        ("str", {"type": "string"}),
        ("float", {"type": "number"}),
        ("'int'", {"type": "integer"}),
        ("Any", {}),
        ("list", {"type": "array", "items": {}}),
        ("list[int]", {"type": "array", "items": {"type": "integer"}}),
        ("List['int']", {"type": "array", "items": {"type": "integer"}}),
        ("set[str]", {"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
        ("tuple[int, ...]", {"type": "array", "items": {"type": "integer"}}),
        (
            "tuple[int, str]",
            {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 2, "maxItems": 2},
        ),
        ("dict[str, int]", {"type": "object", "additionalProperties": {"type": "integer"}}),
        ("dict", {"type": "object"}),
        ("Optional[str]", {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ("str | int | None", {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}),
        ("Union[str, Optional[int]]", {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}),
        ("Literal['a', 'b']", {"enum": ["a", "b"], "type": "string"}),
        ("Literal[1]", {"const": 1, "type": "integer"}),
        ("Colour", {"enum": ["red", "green"], "type": "string"}),
        ("datetime.date", {"type": "string", "format": "date"}),
        ("Path", {"type": "string", "format": "path"}),
        (
            "Point",
            {
                "type": "object",
                "properties": {"x": {"type": "integer"}, "y": {"type": "integer", "default": 0}},
                "required": ["x"],
            },
        ),
        (
            "Tree",
            {"type": "object", "properties": {"below": {"type": "array", "items": {"type": "object"}}}, "required": ["below"]},
        ),
        ("Options", {"type": "object", "properties": {"loud": {"type": "boolean"}}}),
        (
            "Annotated[int, Field(ge=1, description='how many')]",
            {"type": "integer", "minimum": 1, "description": "how many"},
        ),
        (
            "Annotated[Optional[str], Field(max_length=3)]",
            {"anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}]},
        ),
        ("Annotated[list[str], Field(min_length=1)]", {"type": "array", "items": {"type": "string"}, "minItems": 1}),
        ("Count", {"type": "integer", "exclusiveMinimum": 0}),
        ("PositiveInt", {"type": "integer", "exclusiveMinimum": 0}),
        ("conint(ge=1, le=5)", {"type": "integer", "minimum": 1, "maximum": 5}),
        ("constr(min_length=2)", {"type": "string", "minLength": 2}),
        ("conlist(int, max_length=3)", {"type": "array", "items": {"type": "integer"}, "maxItems": 3}),
        ("make(int)", {"anyOf": [{}]}),
        ("Annotated[int, Ge(1), Lt(4)]", {"type": "integer", "minimum": 1, "exclusiveMaximum": 4}),
        ("Annotated[str, StringConstraints(pattern='^a', max_length=5)]", {"type": "string", "pattern": "^a", "maxLength": 5}),
        ("Ids", {"type": "array", "items": {"type": "integer"}}),
        ("Amount", {"type": "number"}),
        ("Page[int]", {"type": "object", "properties": {"items": {"type": "array", "items": {}}}, "required": ["items"]}),
        ("elsewhere.Thing", {"anyOf": [{}]}),
        ("undefined", {"anyOf": [{}]}),
    ],
)  # fmt: skip
def test_type_hints(hint: str, expected: Any) -> None:
    tool = only(
        f"""
        import datetime
        import elsewhere
        from dataclasses import dataclass
        from enum import Enum
        from pathlib import Path
        from typing import Annotated, Any, List, Literal, Optional, TypedDict, Union
        from typing import Generic, TypeVar
        from annotated_types import Ge, Lt
        from mcp.server.fastmcp import FastMCP
        from pydantic import BaseModel, Field, PositiveInt, RootModel, StringConstraints, conint, conlist, constr

        T = TypeVar("T")

        class Ids(RootModel[list[int]]):
            pass

        class Amount(RootModel):
            root: float

        class Page(BaseModel, Generic[T]):
            items: list[T]

        class Colour(str, Enum):
            RED = "red"
            GREEN = "green"

        class Point(BaseModel):
            x: int
            y: int = 0

        @dataclass
        class Tree:
            below: list["Tree"]

        class Options(TypedDict, total=False):
            loud: bool

        Count = Annotated[int, Field(gt=0)]
        mcp = FastMCP("x")

        @mcp.tool()
        def f(value: {hint}): "F."
        """
    )
    assert schema(tool) == {"type": "object", "properties": {"value": expected}, "required": ["value"]}


@pytest.mark.parametrize(
    ("parameter", "expected", "required"),
    [
        ("a", {}, True),
        ("a=1", {"default": 1}, False),
        ("a: int = 1", {"type": "integer", "default": 1}, False),
        ("a: str = None", {"type": "string", "default": None}, False),
        ("a: int = -1", {"type": "integer", "default": -1}, False),
        ("a: list[str] = ['x']", {"type": "array", "items": {"type": "string"}, "default": ["x"]}, False),
        ("a: int = LIMIT", {"type": "integer", "default": 10}, False),
        ("a: Colour = Colour.RED", {"enum": ["red"], "type": "string", "default": "red"}, False),
        ("a: int = compute()", {"type": "integer"}, False),
        ("a: int = Field(description='d')", {"type": "integer", "description": "d"}, True),
        ("a: int = Field(..., le=3)", {"type": "integer", "maximum": 3}, True),
        ("a: int = Field(5)", {"type": "integer", "default": 5}, False),
        ("a: int = Field(default=None)", {"type": "integer", "default": None}, False),
        ("a: list[int] = Field(default_factory=list)", {"type": "array", "items": {"type": "integer"}}, False),
        ("a: Annotated[int, Field(default=2)]", {"type": "integer", "default": 2}, False),
        ("*, a: int", {"type": "integer"}, True),
        ("a: int, /", {"type": "integer"}, True),
        ("a: int, *args, **kwargs", {"type": "integer"}, True),
        ("a: int, ctx: Context = None", {"type": "integer"}, True),
        ("a: int, ctx: 'Context | None' = None", {"type": "integer"}, True),
        ("a: Annotated[int, 'text']", {"type": "integer"}, True),
    ],
)
def test_parameters(parameter: str, expected: Any, required: bool) -> None:
    tool = only(
        f"""
        from enum import Enum
        from typing import Annotated
        from mcp.server.fastmcp import Context, FastMCP
        from pydantic import Field
        LIMIT = 10
        class Colour(str, Enum):
            RED = "red"
        mcp = FastMCP("x")
        @mcp.tool()
        def f({parameter}): "F."
        """
    )
    # An enum of one value is a constant in JSON Schema terms.
    expected = (
        {"const": "red", **{key: value for key, value in expected.items() if key != "enum"}}
        if "enum" in expected
        else expected
    )
    assert schema(tool)["properties"] == {"a": expected}
    assert schema(tool).get("required", []) == (["a"] if required else [])


def test_a_text_beside_the_type_is_a_description_where_the_framework_says_so() -> None:
    head = "from {} import FastMCP\nfrom typing import Annotated\nm = FastMCP('x')\n"
    text = head + "@m.tool()\ndef f(a: Annotated[int, 'how many']): 'F.'\n"
    assert described(only(text.format("fastmcp"))) == "how many"
    assert described(only(text.format("mcp.server.fastmcp"))) is None


def test_docstring_parameters_are_descriptions_where_the_framework_says_so() -> None:
    body = "def f(a: int):\n    '''F.\n\n    Args:\n        a: how many\n    '''\n"
    agents = only("from agents import function_tool\n@function_tool\n" + body)
    assert described(agents) == "how many"
    assert agents.description is not None
    assert agents.description.value == "F."
    mcp = only(MCP_HEAD + "@mcp.tool()\n" + body)
    assert described(mcp) is None
    assert mcp.description is not None
    assert mcp.description.value == "F.\n\n    Args:\n        a: how many\n    "


@pytest.mark.parametrize(
    ("head", "written", "key"),
    [
        ("from mcp.server.mcpserver import MCPServer as S", "ToolAnnotations(read_only_hint=True)", "readOnlyHint"),
        ("from mcp.server.fastmcp import FastMCP as S", "ToolAnnotations(readOnlyHint=True)", "readOnlyHint"),
        ("from mcp.server.fastmcp import FastMCP as S", "ToolAnnotations(read_only_hint=True)", "read_only_hint"),
        ("from fastmcp import FastMCP as S", "{'readOnlyHint': True}", "readOnlyHint"),
        ("from fastmcp import FastMCP as S", "dict(readOnlyHint=True)", "readOnlyHint"),
        ("from fastmcp import FastMCP as S", "READ", "readOnlyHint"),
    ],
)
def test_annotations(head: str, written: str, key: str) -> None:
    tool = only(
        f"{head}\nfrom mcp.types import ToolAnnotations\nREAD = ToolAnnotations(readOnlyHint=True)\n"
        f"s = S('x')\n@s.tool(annotations={written})\ndef f(): 'F.'\n"
    )
    assert tool.hints is not None
    assert tool.hints.value == {key: True}
    assert shown(tool.hints.key_place) == "annotations"


# Places


PLACES = '''\
from typing import Annotated, Literal
from fastmcp import FastMCP
from pydantic import Field
é = FastMCP("é")
LABEL = "lo" "ok"

@é.tool(name=LABEL)
def find(
    pfad: Annotated[str, Field(description="wo", min_length=1)],
    art: Literal["a", "b"] = "a", zahl: "int" = 3 + 4,
):
    """Sucht `pfad`.

    Mehr \\xfcber ihn.
    """
'''


def test_every_part_lies_where_it_was_written() -> None:
    tool = only(PLACES)
    assert shown(tool.name_node) == '"lo" "ok"'
    assert shown(tool.name_node.text_place(0, 4)) == 'lo" "ok'
    definition = tool.definition
    assert shown(definition) == "find"
    properties = definition.find("inputSchema", "properties")
    assert properties is not None
    at = {
        ("pfad",): ("pfad", 'Annotated[str, Field(description="wo", min_length=1)]'),
        ("pfad", "type"): (None, "str"),
        ("pfad", "description"): ("description", '"wo"'),
        ("pfad", "minLength"): ("min_length", "1"),
        ("art",): ("art", 'Literal["a", "b"]'),
        ("art", "enum", 1): (None, '"b"'),
        ("art", "default"): (None, '"a"'),
        ("zahl", "type"): (None, '"int"'),
        ("zahl", "default"): (None, "3 + 4"),
    }
    for path, (key, value) in at.items():
        node = properties.find(*path)
        assert node is not None, path
        assert shown(node) == value
        if key is not None:
            assert shown(node.key_place) == key
    required = definition.find("inputSchema", "required", 0)
    assert required is not None
    assert shown(required) == "pfad"


def test_a_range_of_a_cleaned_docstring_lies_where_it_was_written() -> None:
    tool = only(PLACES)
    assert tool.description is not None
    text = tool.description.value
    assert text == "Sucht `pfad`.\n\nMehr über ihn."
    for word in ("pfad", "über", "ihn."):
        start = text.index(word)
        assert shown(tool.description.text_place(start, start + len(word))) == word.replace("ü", "\\xfc")


def test_a_constant_of_another_file_is_reported_there() -> None:
    found = read(
        pkg__texts="NAME = 'look'\nTEXT = 'Look.'\nFIELD_TEXT = 'where'\nREAD = {'readOnlyHint': True}\n",
        pkg__server="""\
            from fastmcp import FastMCP
            from pydantic import Field
            from . import texts
            from .texts import FIELD_TEXT, NAME, READ
            mcp = FastMCP("x")
            @mcp.tool(name=NAME, description=texts.TEXT, annotations=READ)
            def find(path: str = Field(description=FIELD_TEXT)): ...
            """,
    )
    (tool,) = found.tools
    assert (tool.name_node.place.source or tool.name_node.tree.source).path == "pkg/texts.py"  # type: ignore[union-attr]
    assert (shown(tool.name_node), tool.name) == ("'look'", "look")
    assert tool.description is not None
    assert (shown(tool.description), tool.description.value) == ("'Look.'", "Look.")
    assert tool.origin == "pkg/server.py"
    # What is checked as a part of the schema is shown in the file of the schema.
    described = tool.definition.find("inputSchema", "properties", "path", "description")
    assert described is not None
    assert described.value == "where"
    assert described.place.source is not None
    assert described.place.source.path == "pkg/server.py"
    assert shown(tool.hints) == "find"


# Resolution


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("NAME = 'a'\n@mcp.tool(name=NAME)\ndef f(): ...", ["a"]),
        ("PRE = 'a'\n@mcp.tool(name=f'{PRE}_b')\ndef f(): ...", ["a_b"]),
        ("@mcp.tool(name='a' + '_b'.upper())\ndef f(): ...", ["a_B"]),
        ("@mcp.tool('a')\ndef f(): ...", ["a"]),
        ("@mcp.tool(name='{}_{x}'.format('a', x='b'))\ndef f(): ...", ["a_b"]),
        ("@mcp.tool(name='%s_b' % 'a')\ndef f(): ...", ["a_b"]),
        ("from enum import Enum\nclass T(str, Enum):\n  A = 'a'\n@mcp.tool(name=T.A)\ndef f(): ...", ["a"]),
        ("from enum import Enum\nclass T(Enum):\n  A = 'a'\n@mcp.tool(name=T.A.value)\ndef f(): ...", ["a"]),
        (
            ("from enum import StrEnum, auto\nclass T(StrEnum):\n  A = auto()\n"
            "@mcp.tool(name=f'x_{T.A}')\ndef f(): ..."),
            ["x_a"],
        ),
        ("def f(): ...\ndef g(): ...\nfor h in [f, g]:\n  mcp.add_tool(h)", ["f", "g"]),
        ("def f(): ...\nfor name, h in {'a': f, 'b': f}.items():\n  mcp.tool(name=name)(h)", ["a", "b"]),
        ("def f(): ...\nfor i, h in enumerate((f, f)):\n  mcp.add_tool(h, name=f't{i}')", ["t0", "t1"]),
        ("def f(): ...\n[mcp.add_tool(f, name=n) for n in ('a', 'b') if n != 'a']", ["b"]),
        ("def f(): ...\nTABLE = {}\nTABLE['a'] = f\nfor n in TABLE: mcp.add_tool(TABLE[n], name=n)", ["a"]),
        ("def f(): ...\nALL = []\nALL.append(f)\nALL += [f]\nmcp.add_tool(ALL[1], name='b')", ["b"]),
        ("def mine(name):\n  return mcp.tool(name='my_' + name)\n@mine('a')\ndef f(): ...", ["my_a"]),
        (
            ("def mine(name):\n  def wrap(fn):\n    mcp.add_tool(fn, name=name)\n    return fn\n"
            "  return wrap\n@mine('a')\ndef f(): ..."),
            ["a"],
        ),
        (
            ("def register(name, fn): mcp.tool(name=name)(fn)\ndef f(): ...\nregister('a', f)\n"
            "register('b', f)"),
            ["a", "b"],
        ),
        ("def setup(m):\n  @m.tool()\n  def f(): ...\nsetup(mcp)", ["f"]),
        ("def setup():\n  @mcp.tool()\n  def f(): ...", ["f"]),
        ("def setup(m):\n  @m.tool()\n  def f(): ...", ["f"]),
        ("class S:\n  def __init__(self, m):\n    m.tool(name='a')(self.f)\n  def f(self, x: int): ...\nS(mcp)", ["a"]),
        (
            ("class S:\n  def __init__(self):\n    self.m = mcp\n    self._add()\n"
            "  def _add(self):\n    @self.m.tool()\n    def f(): ..."),
            ["f"],
        ),
        (
            ("from mcp.server.fastmcp.tools import Tool\ndef f(): ...\n"
            "mcp.add_tool(Tool.from_function(f, name='a'))"),
            ["a"],
        ),
        ("mcp.add_tool(lambda x: x, name='a')", ["a"]),
        ("f = None\nif f is None:\n  @mcp.tool()\n  def g(): ...", ["g"]),
        ("try:\n  import nothing\n  @mcp.tool()\n  def f(): ...\nexcept ImportError:\n  pass", ["f"]),
        (
            ("import functools\ndef deco(fn):\n  @functools.wraps(fn)\n"
            "  def wrapper(*args, **kwargs): return fn()\n  return wrapper\n@mcp.tool()\n@deco\n"
            "def f(x: int): ..."),
            ["f"],
        ),
        ("@mcp.tool()\n@unknown.decorator(1)\ndef f(x: int): ...", ["f"]),
    ],
)  # fmt: skip
def test_names_are_resolved(text: str, expected: list[str]) -> None:
    found = read(MCP_HEAD + text)
    assert sorted(names(found)) == sorted(expected)
    assert reasons(found) == []


def test_the_signature_of_a_wrapped_function_is_its_own() -> None:
    tool = only(
        MCP_HEAD
        + "def deco(fn):\n    def wrapper(*args, **kwargs): ...\n    return wrapper\n"
        + "@mcp.tool()\n@deco\ndef f(x: int): 'F.'\n"
    )
    assert [parameter.name for parameter in tool.parameters] == ["x"]
    assert shown(tool.name_node) == "f"


def test_a_method_has_no_self() -> None:
    tool = only(MCP_HEAD + "class S:\n    def f(self, x: int): 'F.'\ns = S()\nmcp.add_tool(s.f)\n")
    assert [parameter.name for parameter in tool.parameters] == ["x"]


MOUNTED = """
from fastmcp import FastMCP
sub = FastMCP("sub")
inner = FastMCP("inner")
main = FastMCP("main")
@sub.tool
def a(): ...
@inner.tool
def b(): ...
@main.tool
def c(): ...
"""


@pytest.mark.parametrize(
    ("mounts", "expected"),
    [
        ("main.mount(sub, prefix='s')\nsub.mount(inner, prefix='i')", {"s_a", "s_i_b", "c"}),
        ("main.mount(sub, namespace='s')\nmain.mount(inner)", {"s_a", "b", "c"}),
        ("main.mount('s', sub)\nasync def go():\n    await main.import_server('i', inner)", {"s_a", "i_b", "c"}),
        ("for n, m in [('s', sub), ('i', inner)]: main.mount(m, n)", {"s_a", "i_b", "c"}),
    ],
)
def test_mounted_servers_give_their_tools_a_prefix(mounts: str, expected: set[str]) -> None:
    found = read(MOUNTED + mounts)
    assert set(names(found)) == expected
    assert len({tool.namespace for tool in found.tools}) == 1
    assert reasons(found) == []


def test_servers_that_mount_one_another_end() -> None:
    found = read(MOUNTED + "main.mount(sub, prefix='s')\nsub.mount(main, prefix='m')\n")
    assert {"a", "b"} <= set(names(found))


def test_names_imported_from_sibling_modules() -> None:
    found = read(
        app____init__="",
        app__core="from fastmcp import FastMCP\nmcp = FastMCP('x')\n",
        app__names="from enum import StrEnum\nclass Names(StrEnum):\n    LOOK = 'look'\n",
        app__tools____init__="from . import files, web\n",
        app__tools__files="from app.core import mcp\nfrom app.names import Names\n@mcp.tool(name=Names.LOOK)\ndef f(): ...\n",
        app__tools__web="from ..core import mcp as server\n@server.tool\ndef fetch(): ...\n",
        app__main="from app import tools\nfrom app.core import mcp\nimport app.tools.web\nmcp.run()\n",
    )
    assert names(found) == ["look", "fetch"]
    assert len({tool.namespace for tool in found.tools}) == 1


def test_a_file_of_a_package_is_not_a_module_of_the_standard_library() -> None:
    found = read(
        app____init__="",
        app__json="NAME = 'wrong'\n",
        app__server="import json\nfrom fastmcp import FastMCP\nm = FastMCP('x')\n@m.tool(name=json.NAME)\ndef f(): ...\n",
    )
    assert names(found) == []
    assert len(found.reasons) == 1


def test_a_server_reached_through_objects() -> None:
    found = read(
        registry="""
            class Registry:
                def __init__(self, server): self.server = server
                def reader(self, title):
                    def decorate(fn):
                        self.server.tool(title=title)(fn)
                        return fn
                    return decorate
            """,
        files="def register(tools):\n    @tools.reader('Look')\n    def look(path: str): 'Look.'\n",
        main="""
            from fastmcp import FastMCP
            import files
            from registry import Registry
            MODULES = (files,)
            def create(settings):
                server = FastMCP("x")
                tools = Registry(server)
                for module in MODULES:
                    module.register(tools)
                return server
            """,
    )
    (tool,) = found.tools
    assert (tool.name, tool.origin, reasons(found)) == ("look", "files.py", [])
    assert tool.definition.value["title"] == "Look"


def test_handlers_kept_in_a_table() -> None:
    found = read(
        """
        from mcp.server import Server
        from mcp.types import Tool
        app = Server("x")
        handlers = {}
        class Handler:
            def __init__(self, name): self.name = name
        class Look(Handler):
            def __init__(self): super().__init__("look")
            def tool(self): return Tool(name=self.name, description="Look.", inputSchema={"type": "object"})
        def add(handler): handlers[handler.name] = handler
        @app.list_tools()
        async def list_tools(): return [handler.tool() for handler in handlers.values()]
        add(Look())
        """
    )
    assert names(found) == ["look"]
    assert reasons(found) == []


def test_a_derived_server_is_a_server() -> None:
    found = read(
        base="from fastmcp import FastMCP\nclass Mine(FastMCP[int]):\n"
        "    def tool(self, *a, **k): return super().tool(*a, **k)\n",
        server="from base import Mine\nm = Mine('x')\n@m.tool()\ndef f(): ...\n",
    )
    assert names(found) == ["f"]
    assert reasons(found) == []


# Open surfaces


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("for spec in load():\n  mcp.add_tool(spec)", "server.py:3: tools registered in a loop over a call's result"),
        (
            "def f(): ...\nfor n in load():\n  mcp.tool(name=n)(f)",
            "server.py:4: tools registered in a loop over a call's result",
        ),
        ("mcp.add_tool(make())", "server.py:3: a tool that is a call's result"),
        (
            "import os\n@mcp.tool(name=os.environ['N'])\ndef f(): ...",
            "server.py:4: a tool registered under an environment variable",
        ),
        ("def reg(fn): mcp.add_tool(fn)", "server.py:3: a tool that is the parameter `fn`"),
        (
            "from plugins import register_all\nregister_all(mcp)",
            "server.py:4: `register_all` may register tools, and is not in the files read",
        ),
        ("for p in load():\n  p(mcp)", "server.py:4: tools registered by a function that only a run can tell"),
        (
            "from fastmcp import FastMCP as F\nsub = F.from_openapi(spec)",
            "server.py:4: tools generated from an OpenAPI document",
        ),
        ("mcp.mount(load())", "server.py:3: a server is mounted that only a run can tell"),
        (
            ("from mcp.server import Server\ns = Server('y')\n@s.list_tools()\n"
            "async def l(): return await load()"),
            "server.py:6: the list of tools is a call's result",
        ),
        (
            "from pydantic_ai import Agent\na = Agent('m', tools=load())",
            "server.py:4: the list of tools is a call's result",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_resolved_is_open(text: str, expected: str) -> None:
    found = read(MCP_HEAD + text)
    assert reasons(found) == [expected]
    assert names(found) == []


@pytest.mark.parametrize(
    "text",
    [
        "def convert(t): return {'type': 'function', 'function': {'name': t.name, 'parameters': t.schema}}",
        "from mcp.types import Tool\ndef convert(t): return Tool(name=t.name, inputSchema=t.schema)",
        "import uvicorn\nuvicorn.run(mcp.sse_app())",
        "async def go():\n    for tool in await mcp.list_tools(): print(tool.name)",
        "import logging\nlogging.getLogger('x').addHandler(mcp)",
    ],
)
def test_code_that_only_handles_tools_is_not_open(text: str) -> None:
    found = read(MCP_HEAD + text)
    assert (names(found), reasons(found)) == ([], [])


def test_a_description_that_is_not_known_is_not_missing() -> None:
    tool = only(MCP_HEAD + "@mcp.tool(description=load())\ndef f(): ...\n")
    assert tool.description is None
    assert "description" not in tool.declarable
    missing = only(MCP_HEAD + "@mcp.tool()\ndef f(): ...\n")
    assert missing.description is None
    assert "description" in missing.declarable


def test_a_schema_that_is_not_known_is_not_missing() -> None:
    head = "from mcp.types import Tool\n"
    unknown = only(head + "t = Tool(name='a', description='A.', inputSchema=load())\n")
    assert (unknown.schema, "schema" in unknown.declarable) == (None, False)
    partly = only(
        head
        + "t = Tool(name='a', inputSchema={'type': 'object', 'properties': {'x': load(), 'y': {'enum': load()}}})\n"
    )
    assert partly.schema is None
    hidden = only(
        head
        + "t = Tool(name='a', inputSchema={'type': 'object', 'properties': {'x': {'enum': load()}, 'y': {'default': d}}})\n"
    )
    assert schema(hidden)["properties"] == {"x": {"anyOf": [{}]}, "y": {}}


# Settings


@pytest.mark.parametrize(
    ("text", "served", "optional"),
    [
        ("import os\nif os.getenv('W', 'false').lower() == 'true':\n  {tool}", [], ["f"]),
        ("import os\nif os.getenv('W', 'true').lower() == 'true':\n  {tool}", ["f"], []),
        ("import os\nif os.environ.get('W'):\n  {tool}", [], ["f"]),
        ("import os\nif not os.environ.get('R'):\n  {tool}", ["f"], []),
        ("import os\ndef go():\n  if not os.getenv('W'): return\n  {tool}\ngo()", [], ["f"]),
        ("def go(write: bool):\n  if write:\n    {tool}", ["f"], []),
        (
            ("import argparse\ndef main():\n  p = argparse.ArgumentParser()\n"
            "  p.add_argument('--allow-write', action='store_true')\n  a = p.parse_args()\n"
            "  if a.allow_write:\n    {tool}"),
            [], ["f"],
        ),
        (
            ("import argparse\ndef main():\n  p = argparse.ArgumentParser()\n"
            "  p.add_argument('--only-read', action='store_true')\n  a = p.parse_args()\n"
            "  if not a.only_read:\n    {tool}"),
            ["f"], [],
        ),
        ("@mcp.tool(enabled=False)\ndef f(): ...", [], ["f"]),
    ],
)  # fmt: skip
def test_tools_behind_settings_that_are_off_are_optional(text: str, served: list[str], optional: list[str]) -> None:
    found = read(MCP_HEAD + text.replace("{tool}", "mcp.tool(name='f')(lambda: 1)"))
    assert [tool.name for tool in found.tools if not tool.optional] == served
    assert [tool.name for tool in found.tools if tool.optional] == optional


def test_of_two_ways_one_is_taken() -> None:
    found = read(
        MCP_HEAD
        + "if load():\n    @mcp.tool()\n    def f(a: int): 'A.'\nelse:\n    @mcp.tool()\n    def f(b: int): 'B.'\n"
    )
    assert [(tool.name, tool.optional) for tool in found.tools] == [("f", False), ("f", True)]


def test_a_tool_of_a_module_that_is_not_plugged_in_is_optional() -> None:
    module = "def register(mcp):\n    @mcp.tool()\n    def {}(): ...\n"
    found = read(
        modules__used=module.format("used"),
        modules__unused=module.format("unused"),
        main="from fastmcp import FastMCP\nfrom modules import used\nm = FastMCP('x')\nused.register(m)\n",
    )
    assert {tool.name: tool.optional for tool in found.tools} == {"used": False, "unused": True}


def test_a_server_imported_only_by_a_setting_is_optional() -> None:
    server = "from fastmcp import FastMCP\nm = FastMCP('x')\n@m.tool()\ndef {}(): ...\n"
    found = read(
        world=server.format("world"),
        local=server.format("local"),
        main="import os\nKIND = os.getenv('KIND', 'world')\ndef main():\n"
        "    if KIND == 'world':\n        import world\n    else:\n        import local\n",
    )
    assert {tool.name: tool.optional for tool in found.tools} == {"world": False, "local": True}


def test_a_field_of_a_settings_class_has_its_default() -> None:
    found = read(
        """
        from fastmcp import FastMCP
        from pydantic import Field
        from pydantic_settings import BaseSettings
        class Settings(BaseSettings):
            text: str = Field(default="Look.", validation_alias="TEXT")
            write: bool = Field(False)
        def create(settings=Settings()):
            m = FastMCP("x")
            m.tool(look, name="look", description=settings.text)
            if settings.write:
                m.tool(look, name="write")
        def look(): ...
        create()
        """
    )
    assert {tool.name: (tool.optional, tool.description and tool.description.value) for tool in found.tools} == {
        "look": (False, "Look."),
        "write": (True, None),
    }


# Namespaces


def test_each_server_is_a_namespace() -> None:
    found = read(
        "from fastmcp import FastMCP\na = FastMCP('a')\nb = FastMCP('b')\n"
        "@a.tool\ndef f(): ...\n@b.tool(name='f')\ndef g(): ...\n@a.tool(name='f')\ndef h(): ...\n"
    )
    first, second, third = (tool.namespace for tool in found.tools)
    assert first == third != second


def test_code_that_runs_twice_registers_once() -> None:
    found = read(
        "from fastmcp import FastMCP\ndef create():\n    m = FastMCP('x')\n    @m.tool\n    def f(): ...\n    return m\n"
        "app = create()\nother = create()\n"
    )
    assert names(found) == ["f"]


def test_decorated_functions_of_one_block_are_a_namespace() -> None:
    found = read(
        """
        from langchain_core.tools import tool

        @tool
        def a(x: str):
            "A."

        def make():
            @tool
            def b(x: str):
                "B."

            @tool
            def c(x: str):
                "C."

            return [b, c]

        class Maker:
            @tool
            def d(self, x: str):
                "D."

        @tool
        def e(x: str):
            "E."
        """
    )
    space = {tool.name: tool.namespace for tool in found.tools}
    assert space["a"] == space["e"]
    assert space["b"] == space["c"]
    assert len({space[name] for name in ("a", "b", "d")}) == 3


def test_each_list_of_dicts_is_a_namespace() -> None:
    tool = "{{'name': '{}', 'input_schema': {{'type': 'object'}}}}".format
    found = read(f"A = [{tool('x')}, {tool('x')}]\nB = [{tool('x')}]\nC = {tool('x')}\n")
    spaces = [found_tool.namespace for found_tool in found.tools]
    assert spaces[0] == spaces[1]
    assert len(set(spaces)) == 3


def test_tests_are_left_out_beside_a_server() -> None:
    test = MCP_HEAD + "@mcp.tool()\ndef fake(): ...\n"
    assert names(read(server=MCP_HEAD + "@mcp.tool()\ndef f(): ...\n", test_server=test)) == ["f"]
    assert names(read(test_server=test)) == ["fake"]


# Code


def test_effects_of_a_tool_and_of_what_it_calls() -> None:
    tool = only(
        MCP_HEAD
        + dedent(
            """
            import os, subprocess as sp
            from pathlib import Path
            import httpx

            def helper(path):
                os.remove(path)
                return deeper()

            def deeper():
                return httpx.get("http://x")

            @mcp.tool()
            def f(path: str, os2: int):
                "F."
                open(path)
                with open(path, "a") as file: ...
                open(path, mode="w")
                sp.run(["x"])
                Path(path).write_text("")
                helper(path)
            """
        )
    )
    assert tool.code is not None
    effects = [(effect.effect, effect.what, shown(effect.place), effect.through) for effect in tool.code.effects]
    assert effects == [
        ("write", "open", 'open(path, "a")', ""),
        ("process", "subprocess.run", 'sp.run(["x"])', ""),
        ("write", "os.remove", "os.remove(path)", "helper"),
        ("network", "httpx.get", 'httpx.get("http://x")', "deeper"),
    ]


@pytest.mark.parametrize(
    "body",
    [
        "return open(path).read()",
        "return open(path, mode).read()",
        "requests.get('x')",
        "path.rename('y')",
        "subprocess.list2cmdline([])",
        "raise subprocess.CalledProcessError(1, 'x')",
        "frame.to_csv()",
    ],
)
def test_what_may_be_harmless_is_no_effect(body: str) -> None:
    # `requests` is a parameter here, not the module.
    tool = only(
        MCP_HEAD
        + f"import subprocess\nimport requests\n@mcp.tool()\ndef f(path, mode, requests, frame):\n    'F.'\n    {body}\n"
    )
    assert tool.code is not None
    assert tool.code.effects == ()


def test_facts_about_the_function() -> None:
    tool = only(
        '''
        from harness.tools.decorator import tool

        @tool()
        def f(a, b: str, c: list[int], d: "int | None" = None, e: dict[str, int] = {}, g: list = [], **others):
            """F.

            Args:
                b: known
                nope: unknown
            """
        '''
    )
    code = tool.code
    assert code is not None
    assert (shown(code.place), code.takes_any) == ("f", True)
    assert code.names == ("a", "b", "c", "d", "e", "g", "others")
    assert {found.name: found.typing for found in code.parameters} == {
        "a": "untyped",
        "b": "typed",
        "c": "typed",
        "d": "typed",
        "e": "unsupported",
        "g": "unsupported",
    }
    assert [shown(found.hint) for found in code.parameters if found.typing == "unsupported"] == [
        "dict[str, int]",
        "list",
    ]
    assert [(found.name, shown(found.place)) for found in code.documented] == [("b", "b"), ("nope", "nope")]
    assert "side_effects" in tool.declarable
    assert tool.side_effects is None


# Nothing is run, nothing hangs, nothing fails


def test_nothing_is_run(tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    found = read(MCP_HEAD + f"open({str(witness)!r}, 'w')\n@mcp.tool()\ndef f(): ...\n")
    assert names(found) == ["f"]
    assert not witness.exists()


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("@mcp.tool()\ndef f(): ...", True),
        ("@agent.tool_plain\ndef f(): ...", True),
        ("@function_tool\ndef f(): ...", True),
        ("x = Tool(name='a')", True),
        ("class A(BaseTool): ...", True),
        ("agent = Agent(tools=[f])", True),
        ("mine = (f, g)\nagent = create_my_agent(model, tools=mine)", True),
        ("run(tools=mine)", False),
        ("t = Tool.from_schema(f)", True),
        ("x = {'type': 'function', 'name': 'x'}", True),
        ("x = {'name': 'a', 'input_schema': {}}", True),
        ("import functools\n@functools.wraps(f)\ndef g(): ...", False),
        ("from setuptools import setup", False),
        ("import itertools\ntools = itertools.count()", False),
        ("x = {'kind': 'function'}", False),
        ("", False),
    ],
)
def test_files_without_a_sign_of_tools_are_not_parsed(text: str, may: bool) -> None:
    assert may_define_tools(text) is may


def test_a_file_that_is_not_python_is_a_problem_and_the_others_are_read() -> None:
    found = read(
        a="@mcp.tool(\ndef f(): ...\n", b=MCP_HEAD + "@mcp.tool()\ndef f(): ...\n", c="print 'no tools here'\n"
    )
    assert names(found) == ["f"]
    assert list(found.problems) == ["a.py"]
    assert found.problems["a.py"][0].kind == "syntax"
    assert [reason.text for reason in found.reasons] == ["a file that cannot be read"]


@pytest.mark.parametrize(
    "text",
    [
        "def f(): return f()\nf()",
        "def f(n): return g(n)\ndef g(n): return f(n)\nmcp.add_tool(f(1))",
        "x = 'a'\n" + "x = x + x\n" * 60 + "mcp.tool(name=x)",
        "x = [1]\n" + "x = x + x\n" * 60,
        "x = ['a']\n" + "x = [x, x]\n" * 60 + "TOOL = {'name': 'a', 'input_schema': {'type': 'object', 'enum': x}}",
        "d = {}\nd['d'] = d\nT = {'name': 'a', 'input_schema': d}",
        "x = 'a' * 10 ** 12\ny = 10 ** 10 ** 10\nz = '{:999999999999}'.format(1)\nw = f'{1:999999999999}'",
        "x = 'a'.replace('a', 'a' * 99999)\n" + "x = x.replace('a', x)\n" * 9,
        "for a in " + "[0] * 1999" + ":\n  pass\nL = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n"
        "[(a, b, c, d, e, f, g) for a in L for b in L for c in L for d in L for e in L for f in L for g in L]",
        "class A(A): ...\nclass B(C): ...\nclass C(B): ...",
        "while True:\n  mcp.run()",
        "x = " + "-" * 900 + "1",
        "x = " + "+".join(["'a'"] * 900),
        "import server\nserver.server.server",
        "from server import *\nfrom server import x\nx = x",
        "@mcp.tool()\ndef f(a: 'f[', b: '' = 1, c: 1 = 2, d: (yield) = 3): ...",
        "@mcp.tool(*a, **k)\ndef f(): ...",
        "@mcp.tool(name=1, description=2, annotations=3)\ndef f(): ...",
        "mcp.add_tool()\nmcp.mount()\nmcp.tool()()\nmcp.mount(mcp)",
        "async def f():\n  async with a as b, c as (d, e):\n    async for x in y: yield x",
        "match x:\n  case {'a': [1, *_]}: mcp.add_tool(x)\n",
        "x: int\nlambda: (yield)\ndel x\nassert x, x\nglobal q\n",
        "'''" + "from a import (b,\n" * 20_000 + "'''",
    ],
)
def test_hostile_code_ends(text: str) -> None:
    found = read(MCP_HEAD + text + "\n@mcp.tool()\ndef last(): ...\n")
    gave_up = [reason.text for reason in found.reasons] == ["more code than is followed"]
    assert names(found)[-1:] == ["last"] or gave_up


def test_more_code_than_is_followed_is_open() -> None:
    loops = "".join("  " * depth + f"for x{depth} in L:\n" for depth in range(6))
    found = read(
        MCP_HEAD
        + "@mcp.tool()\ndef f(): ...\nL = list('0123456789')\nL = [0,1,2,3,4,5,6,7,8,9]\n"
        + loops
        + "  " * 6
        + "x = 1\n"
    )
    assert names(found) == ["f"]
    assert [reason.text for reason in found.reasons] == ["more code than is followed"]


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from([PLACES, MOUNTED]), st.lists(st.integers(0, 600), min_size=2, max_size=2), st.integers(0, 40))
def test_cut_code_is_read_without_failing(text: str, cuts: list[int], shift: int) -> None:
    lines = text.split("\n")
    first, second = sorted(cut % len(lines) for cut in cuts)
    broken = "\n".join([*lines[:first], *lines[second:], *lines[first : first + shift % 5]])
    found = read(broken)
    for tool in found.tools:
        assert shown(tool.name_node)


PARAMETER = st.tuples(
    st.sampled_from(["", ": int", ": str | None", ": list[str]", ": 'bool'"]),
    st.sampled_from(["", " = None", " = 1", " = 'x'"]),
)


@settings(deadline=None, max_examples=60)
@given(st.lists(PARAMETER, max_size=6), st.lists(PARAMETER, max_size=4))
def test_names_and_required_flags_are_those_of_the_signature(
    positional: list[tuple[str, str]], keyword_only: list[tuple[str, str]]
) -> None:
    # A parameter without a default cannot follow one with a default.
    positional.sort(key=lambda parameter: bool(parameter[1]))
    parts = [f"a{number}{hint}{default}" for number, (hint, default) in enumerate(positional)]
    if keyword_only:
        parts.append("*")
        parts.extend(f"k{number}{hint}{default}" for number, (hint, default) in enumerate(keyword_only))
    definition = f"def f({', '.join(parts)}): ..."
    scope: dict[str, Any] = {}
    exec(definition, scope)
    signature = inspect.signature(scope["f"])
    tool = only(MCP_HEAD + "@mcp.tool()\n" + definition)
    assert [(found.name, found.required) for found in tool.parameters] == [
        (name, parameter.default is inspect.Parameter.empty) for name, parameter in signature.parameters.items()
    ]
    assert [shown(node.key_place) for _, node in tool.definition.find("inputSchema", "properties").members()] == list(  # type: ignore[union-attr]
        signature.parameters
    )


LOW_LEVEL = """
import mcp.types as types
from mcp.server import Server
server = Server("x")
@server.list_tools()
async def list_tools():
    return [{}]
"""


def _low_level(before: str, schema: str, count: int) -> PythonTools:
    tools = ", ".join(
        f"types.Tool(name='tool_{number}', description='Reads.', inputSchema={schema})" for number in range(count)
    )
    return read(before + LOW_LEVEL.format(tools))


def test_a_schema_that_holds_others_twice_over_and_over_is_put_together_within_a_bound() -> None:
    lines = ["level_0 = {'type': 'string'}"]
    lines += [
        f"level_{level} = {{'type': 'object', 'properties': {{'a': level_{level - 1}, 'b': level_{level - 1}}}}}"
        for level in range(1, 41)
    ]
    found = _low_level("\n".join(lines), "level_40", 30)
    assert names(found) == [f"tool_{number}" for number in range(30)]
    assert not any(tool.schema for tool in found.tools)
    assert [reason.text for reason in found.reasons] == ["more code than is followed"]


def test_a_schema_that_many_tools_share_is_put_together_for_as_many_as_the_bound_allows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    properties = ", ".join(f"'p{number}': {{'type': 'string'}}" for number in range(100))
    shared = f"shared = {{'type': 'object', 'properties': {{{properties}}}}}"
    whole = _low_level(shared, "shared", 30)
    assert all(tool.schema for tool in whole.tools)
    assert whole.reasons == []
    monkeypatch.setattr("toolsurface_lint.programs.import_groups.MAX_PARTS", 1)
    part = _low_level(shared, "shared", 200)
    assert names(part) == [f"tool_{number}" for number in range(200)]
    assert 0 < sum(tool.schema is not None for tool in part.tools) < 200
    assert [reason.text for reason in part.reasons] == ["more code than is followed"]


def test_all_tools_of_a_project_are_put_together_in_one_number_of_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[int] = []
    inferred = Definitions._inferred

    def counted(self: Definitions, registration: Any) -> Any:
        before = self.evaluator.left
        try:
            return inferred(self, registration)
        finally:
            steps.append(before - self.evaluator.left)

    monkeypatch.setattr(Definitions, "_inferred", counted)
    fields = "".join(f"    f{number}: int = Field(1, ge={number})\n" for number in range(100))
    text = MCP_HEAD + "from pydantic import BaseModel, Field\nclass Model(BaseModel):\n" + fields
    text += "".join(f"@mcp.tool()\ndef t{number}(a: Model): ...\n" for number in range(200))
    monkeypatch.setattr("toolsurface_lint.programs.import_groups.MAX_STEPS", 20_000)
    monkeypatch.setattr("toolsurface_lint.programs.import_groups.STEPS_A_CHARACTER", 4)
    found = read(text)
    most = max(20_000, len(text))
    assert sum(steps) <= most + 1
    assert 0 < len(found.tools) < 200
    assert [reason.text for reason in found.reasons] == ["more code than is followed"]


def test_servers_that_mount_each_other_are_followed_within_a_bound() -> None:
    servers = range(20)
    lines = ["from fastmcp import FastMCP", *(f"s{one} = FastMCP('s{one}')" for one in servers)]
    lines += [f"s{one}.mount(s{other}, 'p{other}')" for one in servers for other in servers if one != other]
    found = read("\n".join([*lines, "@s19.tool()", "def last(a: int): ..."]))
    assert 0 < len(found.tools) <= MAX_PLACES
    assert "more mounted servers than are followed" in [reason.text for reason in found.reasons]
