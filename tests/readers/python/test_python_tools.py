"""Programs that are read: places, bounds, and what is hostile. What is found in them: `test_program_fixtures.py`."""

from __future__ import annotations

import inspect
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.long import examples
from tests.work import lines_run
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.unseen import LIMIT
from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.markers import may_define_tools
from toolsurface_lint.readers.programs.definition import infer_schema
from toolsurface_lint.readers.programs.definitions import ProgramTools
from toolsurface_lint.readers.programs.served import MAX_PLACES
from toolsurface_lint.readers.programs.tools import read_programs
from toolsurface_lint.source.text import SourceText
from toolsurface_lint.source.tree import Node, Place

pytestmark = pytest.mark.slow


def read(text: str | None = None, **files: str) -> ProgramTools:
    """The tools of one file, or of files by module name (`a__b` is `a/b.py`)."""
    if text is not None:
        files = {"server": text}
    return read_programs(
        [SourceText(name.replace("__", "/") + ".py", dedent(content)) for name, content in files.items()]
    )


def only(text: str, **more: str) -> Tool:
    found = read(**{"server": text, **more}).tools
    assert len(found) == 1, [tool.name for tool in found]
    return found[0]


def names(found: ProgramTools) -> list[str]:
    return [tool.name for tool in found.tools]


def shown(place: Place | Node | None) -> str:
    """The source text that a diagnostic at a place would mark."""
    assert place is not None
    if isinstance(place, Node):
        place = place.place
    span = place.span()
    assert span is not None
    assert place.source is not None
    return place.source.text[slice(*span)]


MCP_HEAD = "from mcp.server.fastmcp import FastMCP\nmcp = FastMCP('x')\n"


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


# Code


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
    assert tool.effects == ()


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
        ("policy = agent.as_tool(tool_name='policy')", True),
        ("class A(BaseTool): ...", True),
        ("agent = Agent(tools=[f])", True),
        ("mine = (f, g)\nagent = create_my_agent(model, tools=mine)", True),
        ("notes.tools.append(f)", True),
        ("agent.functions.extend([f])", True),
        ("x = {'name': 'a', 'parameters': {\n    'type': 'object'}}", True),
        ("x = {'name': 'a', 'parameters': {'size': 1}}", False),
        ('x = Definition(name="a", schema={"type": "object"})', True),
        ("report.functions.append(f)", False),
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
    assert [(reason.text, reason.cause) for reason in found.reasons] == [("more code than is followed", LIMIT)]


ENDLESS = "L = list(range(9))\nL = [0,1,2,3,4,5,6,7,8,9]\nclass Agent:\n    def run(self, tools=None):\n" + "".join(
    " " * depth + f"for x{depth} in L:\n" for depth in range(8, 14)
) + " " * 14 + "x = 1\n"  # fmt: skip


def test_a_call_that_registers_nothing_takes_no_steps_from_what_comes_after_it() -> None:
    """A library beside its examples: its own functions are not followed to their end for each of them."""
    example = "from engine import Agent\n" + MCP_HEAD + "agent = Agent()\nagent.run()\n@mcp.tool()\ndef {}(): ...\n"
    examples = {f"pkg__example_{number}": example.format(f"tool_{number}") for number in range(60)}
    found = read(pkg__engine=ENDLESS, **examples)
    assert sorted(names(found)) == sorted(f"tool_{number}" for number in range(60))
    assert found.reasons == []


def test_a_server_that_is_given_to_a_call_that_is_not_followed_to_its_end_is_open() -> None:
    found = read(
        pkg__engine=ENDLESS,
        pkg__server="from engine import Agent\n" + MCP_HEAD + "Agent().run(mcp)\n@mcp.tool()\ndef late(): ...\n",
    )
    assert names(found) == ["late"]
    assert [(reason.text, reason.source.path, reason.line, reason.cause) for reason in found.reasons] == [
        ("`run` may register tools, and takes more steps than are followed", "pkg/server.py", 4, LIMIT)
    ]


def test_every_server_that_is_given_to_such_a_call_is_open() -> None:
    server = "from engine import Agent\n" + MCP_HEAD + "Agent().run(mcp)\n@mcp.tool()\ndef late(): ...\n"
    found = read(pkg__engine=ENDLESS, pkg__one=server, pkg__two=server)
    assert [(reason.source.path, reason.line) for reason in found.reasons] == [("pkg/one.py", 4), ("pkg/two.py", 4)]


def test_a_call_that_registers_prompts_is_followed_to_its_end() -> None:
    prompts = "".join(f"    mcp.prompt('p{number}')(handler({list(range(30))}))\n" for number in range(200))
    register = (
        f"def handler(words): return lambda: words\ndef register(mcp):\n{prompts}    @mcp.tool()\n    def last(): ...\n"
    )
    found = read(pkg__parts=register, pkg__server="from parts import register\n" + MCP_HEAD + "register(mcp)\n")
    assert names(found) == ["last"]
    assert found.reasons == []


def test_a_class_that_registers_nothing_is_followed_for_its_attributes_only() -> None:
    use = (
        "from engine import Agent\n"
        + MCP_HEAD
        + "agent = Agent('tool_{0}')\n@mcp.tool(name=agent.label)\ndef f(): ...\n"
    )
    engine = "class Agent:\n    def __init__(self, label, kind=None):\n        self.label = label\n"
    found = read(pkg__engine=engine, **{f"pkg__use_{number}": use.format(number) for number in range(30)})
    assert sorted(names(found)) == sorted(f"tool_{number}" for number in range(30))


def test_an_object_has_what_its_class_assigns_first_even_if_making_it_takes_too_long() -> None:
    """Each program that makes its own toolbox of a library adds tools to it, not only the first of them."""
    loops = "".join("  " * depth + f"for x{depth} in L:\n" for depth in range(4, 9))
    engine = (
        "L = [0,1,2,3,4,5,6,7,8,9]\n"
        "class Action:\n    def __init__(self, name, description, function, parameters): ...\n"
        "class Registry:\n"
        "    def action(self, description):\n"
        "        def decorator(function):\n"
        "            Action(name=function.__name__, description=description, function=function, parameters=model(function))\n"
        "            return function\n"
        "        return decorator\n"
        "class Toolbox:\n    def __init__(self):\n        self.registry = Registry()\n"
        "        @self.registry.action('Waits.')\n        def wait(): ...\n" + loops + "  " * 9 + "x = 1\n"
    )
    use = "from engine import Toolbox\ntools = Toolbox()\n@tools.registry.action('Acts.')\ndef use_{0}(): ...\n"
    found = read(pkg__engine=engine, **{f"pkg__use_{number}": use.format(number) for number in range(30)})
    assert sorted(names(found)) == sorted(["wait", *(f"use_{number}" for number in range(30))])
    assert found.reasons == []


def test_a_library_beside_its_users_is_read_as_if_it_were_installed() -> None:
    """What is on the path only once it is installed means the same wherever the check begins."""
    library = "class Agent:\n    def __init__(self, tools): ...\n"
    user = "from engine.core import Agent\ndef f(): 'F.'\nagent = Agent(tools=[f])\n"
    alone = read(examples__use=user)
    beside = read(libs__src__engine__core=library, examples__use=user)
    assert names(alone) == names(beside) == ["f"]


def test_a_call_that_is_put_together_is_not_a_definition() -> None:
    call = "call = {'id': None, 'type': 'function', 'function': {'name': '', 'arguments': ''}}\n"
    assert names(
        read(call + "tool = {'type': 'function', 'function': {'name': 'find', 'description': 'Finds.'}}\n")
    ) == ["find"]


def test_each_of_very_many_servers_serves_its_own_tools() -> None:
    lines = [f"s{number} = FastMCP('s{number}')\n@s{number}.tool()\ndef f{number}(): ...\n" for number in range(1_200)]
    found = read("from fastmcp import FastMCP\n" + "".join(lines))
    assert len(found.tools) == 1_200
    assert found.reasons == []


@settings(deadline=None, max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow])
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


@settings(deadline=None, max_examples=examples(60))
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


def _low_level(before: str, schema: str, count: int) -> ProgramTools:
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
    monkeypatch.setattr("toolsurface_lint.programs.flow.MAX_PARTS", 1)
    part = _low_level(shared, "shared", 200)
    assert names(part) == [f"tool_{number}" for number in range(200)]
    assert 0 < sum(tool.schema is not None for tool in part.tools) < 200
    assert [reason.text for reason in part.reasons] == ["more code than is followed"]


def test_all_tools_of_a_project_are_put_together_in_one_number_of_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[int] = []

    def counted(registration: Any, evaluator: Evaluator) -> Any:
        before = evaluator.left
        try:
            return infer_schema(registration, evaluator)
        finally:
            steps.append(before - evaluator.left)

    monkeypatch.setattr("toolsurface_lint.readers.programs.definitions.infer_schema", counted)
    fields = "".join(f"    f{number}: int = Field(1, ge={number})\n" for number in range(100))
    text = MCP_HEAD + "from pydantic import BaseModel, Field\nclass Model(BaseModel):\n" + fields
    text += "".join(f"@mcp.tool()\ndef t{number}(a: Model): ...\n" for number in range(200))
    monkeypatch.setattr("toolsurface_lint.programs.flow.MAX_STEPS", 20_000)
    monkeypatch.setattr("toolsurface_lint.programs.flow.STEPS_A_CHARACTER", 4)
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
    assert ("more mounted servers than are followed", LIMIT) in [(each.text, each.cause) for each in found.reasons]


# More than Python's own stack holds

DEEP = "".join(
    f"def f{number}(tool=None):\n    for each in notes:\n        x = {'[' * 100}f{number + 1}(){']' * 100}\n\n"
    for number in range(8)
)


def test_what_is_nested_too_deeply_leaves_no_loop_behind() -> None:
    found = read(
        "from agents import Agent, function_tool\n\n"
        + DEEP
        + "@function_tool\ndef find_notes(text: str):\n    '''Find notes.'''\n\n"
        + "def make_agent():\n    tools = []\n    tools.append(find_notes)\n    return Agent(name='a', tools=tools)\n"
    )
    assert names(found) == ["find_notes"]
    assert [reason.text for reason in found.reasons] == ["code nested deeper than is followed"]


def test_an_import_that_is_nested_too_deeply_ends_no_call_around_it() -> None:
    head = "from mcp.server.fastmcp import FastMCP\nmcp = FastMCP('x')\n"
    found = read(
        server=head
        + "def make():\n    from other import x\n    mcp.add_tool(x)\nmake()\n@mcp.tool()\ndef find(): ...\n",
        other=head + DEEP + "x = f0()\n@mcp.tool()\ndef drop(): ...\n",
    )
    assert sorted(names(found)) == ["drop", "find"]


def test_work_of_reasons_grows_with_the_files() -> None:
    head = "from langchain_core.tools import tool\n\n\n@tool\n"

    def work(size: int) -> int:
        files = {"server": f"{head}def find(text: str): ...\n", "broken": f"{head}def find(\n"}
        sources = [
            SourceText(f"notes_{number}/{name}.py", text) for number in range(size) for name, text in files.items()
        ]
        return lines_run(lambda: read_programs(sources))

    work(1)
    assert work(400) < 5.5 * work(100)
