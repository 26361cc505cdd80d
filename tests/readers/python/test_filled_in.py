"""A parameter whose default is None, and that is filled in: nothing says that a description is missing unless it is."""

from __future__ import annotations

import textwrap

import pytest

from toolsurface_lint.readers.programs.tools import read_programs
from toolsurface_lint.source.text import SourceText

TEXT = "Asks another agent for help."
UNKNOWN = "unknown"
HEAD = f'''
import os
from functools import partial
from langchain_core.tools import tool, StructuredTool

TEXT = "{TEXT}"

'''
REGISTER = """
    @tool("ask_agent", description=description)
    def ask_agent(question: str) -> str:
        return question

    return ask_agent
"""


def fill(statements: str, call: str = "make()", parameters: str = "description=None") -> str:
    """A program that makes its tool in a function, which first does something about the description."""
    return (
        f"def make({parameters}):\n" + textwrap.indent(textwrap.dedent(statements), "    ") + REGISTER + f"\n\n{call}\n"
    )


CONSTRUCTOR = """
def make(name=None, description=None):
    if name is None:
        name = "ask_agent"
    description = description or TEXT
    return StructuredTool.from_function(func=print, name=name, description=description)


def build_agent(flag):
    return [] if flag else [make()]
"""

# What the program does, and the description that the tool has.
FILLED = {
    "an if": (fill("if description is None:\n    description = TEXT"), TEXT),
    "an if with `not`": (fill("if not description:\n    description = TEXT"), TEXT),
    "an if and an else": (fill("if description is not None:\n    pass\nelse:\n    description = TEXT"), TEXT),
    "`or`": (fill("description = description or TEXT"), TEXT),
    "a conditional expression": (fill("description = TEXT if description is None else description"), TEXT),
    "a walrus": (fill("if (given := description) is None:\n    description = TEXT"), TEXT),
    "a local name": (fill("text = description\nif text is None:\n    text = TEXT\ndescription = text"), TEXT),
    "an unknown condition": (fill("if flag:\n    description = TEXT", parameters="flag, description=None"), TEXT),
    "an unknown condition's else": (
        fill("if flag:\n    pass\nelse:\n    description = TEXT", parameters="flag, description=None"),
        TEXT,
    ),
    "both ways of an unknown condition": (
        fill("if flag:\n    description = None\nelse:\n    description = TEXT", parameters="flag, description=None"),
        TEXT,
    ),
    "taken away on an unknown condition": (
        fill("description = TEXT\nif flag:\n    description = None", parameters="flag, description=None"),
        TEXT,
    ),
    "a way that ends": (
        fill(
            "description = TEXT\nif flag:\n    description = None\n    return description",
            parameters="flag, description=None",
        ),
        TEXT,
    ),
    "an argument that nobody knows, or none": (
        fill("if flag:\n    description = None", "make(os.getcwd(), os.getcwd())", parameters="flag, description"),
        UNKNOWN,
    ),
    "try": (fill("try:\n    description = load()\nexcept OSError:\n    description = None"), UNKNOWN),
    "try, filled in by its handler": (
        fill("try:\n    description = load()\nexcept OSError:\n    description = TEXT"),
        TEXT,
    ),
    "try that fills in": (fill("try:\n    description = TEXT\nfinally:\n    pass"), TEXT),
    "a handler that gives up": (fill("try:\n    description = TEXT\nexcept OSError:\n    description = None"), TEXT),
    "match": (
        fill("match kind:\n    case 'a':\n        description = TEXT", parameters="kind='b', description=None"),
        TEXT,
    ),
    "a pattern of match": (
        fill("match kind:\n    case {'text': description}:\n        pass", parameters="kind=None, description=None"),
        UNKNOWN,
    ),
    "a loop": (fill("for each in load():\n    description = each"), UNKNOWN),
    "a loop that finds it": (
        fill("for each in load():\n    if each:\n        description = TEXT\n        break"),
        TEXT,
    ),
    "a loop that may find none": (fill("description = TEXT\nfor each in load():\n    description = None"), TEXT),
    "while": (fill("while description is None:\n    description = load()"), UNKNOWN),
    "with": (fill("with open('x') as file:\n    if description is None:\n        description = TEXT"), TEXT),
    "another function": (
        "def text(given=None):\n    if given is None:\n        return TEXT\n    return given\n\n\n"
        + fill("description = text(description)"),
        TEXT,
    ),
    "another function that may give none": (
        "def text(given=None):\n    if flag():\n        return None\n    return load(given)\n\n\n"
        + fill("description = text(description)"),
        UNKNOWN,
    ),
    "a nested function": (
        fill(
            "def text():\n    if description is None:\n        return TEXT\n    return description\n\ndescription = text()"
        ),
        TEXT,
    ),
    "`setdefault`": (
        fill("description = options.setdefault('description', TEXT)", parameters="description=None, **options"),
        TEXT,
    ),
    "`get`": (fill("description = load().get('x', None)"), UNKNOWN),
    "`getattr`": (fill("description = getattr(load(), 'text', None)"), UNKNOWN),
    "a call in an else": (
        fill(
            "if description is None:\n    description = TEXT",
            "if os.getcwd():\n    tools = []\nelse:\n    tools = [make()]",
        ),
        TEXT,
    ),
    "a call in a handler": (
        fill("if description is None:\n    description = TEXT", "try:\n    load()\nexcept OSError:\n    make()"),
        TEXT,
    ),
    "a call in a match": (
        fill("if description is None:\n    description = TEXT", "match os.getcwd():\n    case 'x':\n        make()"),
        TEXT,
    ),
    "a call in a loop": (
        fill("if description is None:\n    description = TEXT", "for each in os.listdir():\n    make()"),
        TEXT,
    ),
    "a call in a comprehension": (
        fill("if description is None:\n    description = TEXT", "tools = [make() for each in (1, 2)]"),
        TEXT,
    ),
    "a call in a with": (
        fill("if description is None:\n    description = TEXT", "with open('x') as file:\n    make()"),
        TEXT,
    ),
    "a call in an else of a function": (
        fill("if description is None:\n    description = TEXT", "")
        + "def build(flag):\n    if flag:\n        tools = []\n    else:\n        tools = [make()]\n    return tools\n",
        TEXT,
    ),
    "`partial`": (
        fill("if description is None:\n    description = TEXT", "build = partial(make, None)\nbuild()"),
        TEXT,
    ),
    "a closure": (
        "def outer(description=None):\n    if description is None:\n        description = TEXT\n\n    def make():"
        + textwrap.indent(REGISTER, "    ")
        + "\n    return make()\n\n\nif os.getcwd():\n    pass\nelse:\n    outer()\n",
        TEXT,
    ),
    "a method": (
        "class Maker:\n    def __init__(self, description=None):\n        self.description = description\n"
        "        if self.description is None:\n            self.description = TEXT\n\n    def make(self):\n"
        "        description = self.description"
        + textwrap.indent(REGISTER, "    ")
        + "\n\nif os.getcwd():\n    pass\nelse:\n    Maker().make()\n",
        TEXT,
    ),
    "an attribute that another method fills in": (
        "class Maker:\n    def __init__(self, flag, description=None):\n        self.description = description\n"
        "        if flag:\n            self.fill()\n\n    def fill(self):\n        self.description = TEXT\n\n"
        "    def make(self):\n        description = self.description"
        + textwrap.indent(REGISTER, "    ")
        + "\n\nMaker(os.getcwd()).make()\n",
        TEXT,
    ),
    "a constructor": (
        CONSTRUCTOR,
        TEXT,
    ),
}


@pytest.mark.parametrize(("program", "description"), FILLED.values(), ids=FILLED)
def test_what_is_filled_in_is_not_missing(program: str, description: str) -> None:
    found = read_programs([SourceText("server.py", HEAD + program)])
    assert [tool.name for tool in found.tools] == ["ask_agent"]
    (tool,) = found.tools
    if description == UNKNOWN:
        assert tool.description is None
        assert "description" not in tool.declarable
        assert tool.code is not None
        assert not tool.code.needs_docstring
    else:
        assert tool.description is not None
        assert tool.description.value == description


def test_what_takes_long_and_registers_nothing_is_followed_once() -> None:
    """Else it would take what the function that asks for it twice needs to come to its tools."""
    idle = "".join(f"    setting_{number} = name + 'x'\n" for number in range(400))
    lines = "def load_schema(name):\n" + idle + "    return name\n"
    program = (
        "from mcp.server.fastmcp import FastMCP\nfrom settings import load_schema\n\n\n"
        "def make_server():\n    first = load_schema('a')\n    second = load_schema('b')\n    third = load_schema('c')\n"
        "    mcp = FastMCP('notes')\n\n    @mcp.tool()\n    def read_note(name: str) -> str:\n        'Reads.'\n"
    )
    files = {"settings.py": lines, "factory.py": program, "main.py": "from factory import make_server\nmake_server()\n"}
    found = read_programs([SourceText(path, text) for path, text in files.items()])
    assert [tool.name for tool in found.tools] == ["read_note"]
    assert [reason.text for reason in found.reasons] == []
