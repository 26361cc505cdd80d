"""Work that grows with the input, and no faster: one case for each kind of text that once made it grow faster."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.files import write_files
from tests.work import lines_run
from toolsurface_lint import check_paths
from toolsurface_lint.api import check_project
from toolsurface_lint.model.document import Document
from toolsurface_lint.readers import binding
from toolsurface_lint.readers.prompts import read_prompt
from toolsurface_lint.run.add_suppressions.comments import plan_comments
from toolsurface_lint.run.inspection import describe_surfaces
from toolsurface_lint.source import markdown
from toolsurface_lint.source.text import SourceText
from toolsurface_lint.source.tree import TextTree

pytestmark = pytest.mark.slow

TOOL: dict[str, Any] = {"name": "read_file", "description": "Reads.", "inputSchema": {"type": "object"}}
MARKER = "harn-tool-surface: ignore-line"
SERVER = (
    "from mcp.server.fastmcp import FastMCP\n\nmcp = FastMCP('notes')\n\n\n@mcp.tool()\ndef read_file(path: str):\n"
)


def tools(*names: str, **members: Any) -> str:
    return json.dumps([{**TOOL, "name": name, **members} for name in names], ensure_ascii=False)


def prompt(text: str) -> dict[str, str]:
    return {"tools.json": tools("read_file"), "system.md": text}


def schema(**members: Any) -> dict[str, str]:
    return {"tools.json": tools("read_file", inputSchema={"type": "object", **members})}


def strings(names: str, size: int) -> dict[str, Any]:
    return {names.format(number): {"type": "string"} for number in range(size)}


def permissions(size: int, **entries: str) -> dict[str, str]:
    lists = {action: [entry.format(number) for number in range(size)] for action, entry in entries.items()}
    return {".claude/settings.json": json.dumps({"permissions": lists})}


def agent(tools: str) -> dict[str, str]:
    return {".claude/agents/reviewer.md": f"---\nname: reviewer\ndescription: Reviews.\ntools:{tools}\n---\nReview.\n"}


def row(names: list[str], tools: list[dict[str, Any]]) -> str:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Go."}]
    for name in names:
        call = {"id": name, "type": "function", "function": {"name": name, "arguments": "{}"}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": name, "content": "Gone."})
    return json.dumps({"messages": messages, "tools": tools}) + "\n"


def policy(size: int, **members: Any) -> dict[str, str]:
    native = [{**TOOL, "name": f"read_file_{number}"} for number in range(size)]
    return {"surface.json": json.dumps({"native_tools": native, **members})}


AGENTS = "from agents import Agent\n\n\ndef search(text: str) -> str:\n    'Search all articles.'\n\n\n"
LISTING = """\
from mcp.server import Server
from mcp.types import Tool

server = Server("shop")

@server.list_tools()
async def list_tools():
    return [Tool(name="get_alerts", description="Get the alerts of today.", inputSchema={"type": "object"})]


@server.call_tool()
async def call_tool(name: str, arguments: dict):
"""
CASES: dict[str, Callable[[int], dict[str, str]]] = {
    "quote marks": lambda n: prompt(">" * n + " read_fil({}\n"),
    "lines of quote marks": lambda n: prompt("> " * 9 + "read_fil({\n" * n),
    "items": lambda n: prompt("- read_fil({\n" * n),
    "items in one line": lambda n: prompt("- " * n + "read_fil({}\n"),
    "fences in items": lambda n: prompt("- a\n  ```\n  b\n  ```\n" * n + "read_fil({}\n"),
    "tables": lambda n: prompt("|a|b\n|-|-\n|read_fil({|c\n\n" * n),
    "hidden characters in JSON": lambda n: {
        "tools.json": json.dumps([{**TOOL, "description": "Reads" + "\u200bx" * n}])
    },
    "hidden characters in YAML": lambda n: {
        "tools.yaml": '- name: read_file\n  inputSchema: {}\n  description: "Reads' + "\\u200Bx" * n + '"\n'
    },
    "hidden characters in a block": lambda n: {
        "tools.yaml": "- name: read_file\n  inputSchema: {}\n  description: |\n    Reads" + "\u200bx" * n + "\n"
    },
    "hidden characters in a docstring": lambda n: {"server.py": SERVER + '    """Reads.' + "\u200bx" * n + '"""\n'},
    "markers in a YAML block": lambda n: {
        "surface.yaml": f"native_tools: {tools('read_file')}\nprompt: |\n" + f"  read_fil({{}}) {MARKER}\n" * n
    },
    "markers in a JSON string": lambda n: {
        "surface.json": json.dumps({"native_tools": [TOOL], "prompt": f"read_fil({{}}) {MARKER}\n" * n})
    },
    "markers in Python": lambda n: {"server.py": SERVER + "    '''Reads.'''\n" + f"# {MARKER}\n" * n},
    "markers in a docstring": lambda n: {
        "server.py": SERVER + f"    '''Reads.\n{f'    # {MARKER}{chr(10)}' * n}    '''\n"
    },
    "markers that are never closed": lambda n: prompt(
        "<!-- toolsurface-lint: ignore-start[TOOL] -->\nread_fil({})\n<!-- toolsurface-lint: ignore-end[CALL] -->\n" * n
    ),
    "brackets that are never closed": lambda n: prompt("toolsurface-lint: ignore-line[ " * n),
    "bare JSON calls in a template": lambda n: {
        "call.harn.prompt": '{{ if a }}b{{ end }}\n```tool\n{"name": "read_file", "args": {}}\n```\n'
        + '{"name": "read_file", "args": {}}\n' * n
    },
    "else if in a template": lambda n: {"call.harn.prompt": "{{ if a }}b{{ else if c }}d{{ end }}\n" * n},
    "end if in a template": lambda n: {"call.harn.prompt": "{{ if a }}b{{ end if }}\n" * n},
    "single braces in a template": lambda n: {"call.harn.prompt": "{{ if a }}{{ a }}{a}{{ end }}\n" * n},
    "reasons in Python files": lambda n: {
        f"server_{number}.py": f"{SERVER}    '''Reads.'''\n\n\nfor each in load():\n    mcp.add_tool(each)\n"
        for number in range(n)
    },
    "names that exceptions bind": lambda n: {
        "server.py": SERVER
        + "    '''Reads.'''\n\n\ntry:\n    load()\n"
        + "".join(f"except Error{number}:\n    name_{number} = 1\n" for number in range(n))
    },
    "lookups in a set of one table": lambda n: {
        "server.py": "HANDLERS = {\n    'get_alerts': ask,\n"
        + "".join(f"    'get_{number}': ask,\n" for number in range(n))
        + "}\n"
        + LISTING
        + "    if name in set(HANDLERS): pass\n" * n
    },
    "one long text for many agents": lambda n: {
        "agents_of_shop.py": AGENTS
        + "TEXT = f'Be {kind}.'\n"
        + "TEXT = f'{TEXT} It is {kind}.'\n" * n
        + "Agent(instructions=TEXT, tools=[search])\n" * n
    },
    "functions that nothing calls": lambda n: {
        "server.py": SERVER
        + "    '''Reads.'''\n\n\n"
        + "".join(f"def function_{number}(): pass\n" for number in range(n))
    },
    "results of unknown ids": lambda n: {
        "transcript.json": json.dumps(
            [
                {"role": "user", "content": "Read."},
                {
                    "role": "assistant",
                    "tool_calls": [
                        {"id": f"a{number}", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}
                        for number in range(n)
                    ],
                },
                *({"role": "tool", "tool_call_id": f"b{number}", "content": "Read."} for number in range(n)),
            ]
        )
    },
    "results of unknown names": lambda n: {
        "transcript.json": json.dumps(
            [
                {"role": "user", "parts": [{"text": "Read."}]},
                {
                    "role": "model",
                    "parts": [
                        {"functionCall": {"id": f"a{number}", "name": f"read_{number}", "args": {}}}
                        for number in range(3 * n)
                    ],
                },
                {
                    "role": "user",
                    "parts": [
                        {"functionResponse": {"name": f"find_{number}", "response": {"output": "Read."}}}
                        for number in range(3 * n)
                    ],
                },
            ]
        )
    },
    "functions given to many agents": lambda n: {
        "desk.py": "from agents import Agent\n"
        + "".join(f"def read_{number}():\n    '''Reads.'''\n" for number in range(n))
        + f"all = [{', '.join(f'read_{number}' for number in range(n))}]\n"
        + "Agent(tools=all)\n" * n
    },
    "a list of tools": lambda n: agent("\n" + "  - Read\n" * n),
    "tools in one line": lambda n: agent(" " + "Read, " * n + "Read"),
    "dashes for tools": lambda n: agent(" " + "- " * n),
    "quote marks for tools": lambda n: agent(" " + "> " * n),
    "permissions": lambda n: permissions(n, allow="mcp__s__a{}", deny="mcp__s__b{}", ask="mcp__s__c{}"),
    "permissions with patterns": lambda n: permissions(n, allow="Bash(a *{})", deny="Bash(a *{})", ask="Bash(b{} *)"),
    "undeclared required": lambda n: schema(
        properties=strings("property_{}", n), required=[f"propertx_{number}" for number in range(n)]
    ),
    "required names beside patterns": lambda n: schema(
        patternProperties=strings("^property_{}$", n), required=[f"propertx_{number}" for number in range(n)]
    ),
    "defaults with a bound": lambda n: schema(
        properties={
            f"p{number}": {"type": "string", "minLength": 2, "default": "a" * (2 - number % 2)} for number in range(n)
        }
    ),
    "defaults of one large definition": lambda n: schema(
        properties={f"p{number}": {"$ref": "#/$defs/Large", "default": {}} for number in range(n)},
        **{"$defs": {"Large": {"type": "object", "properties": strings("q{}", n)}}},
    ),
    "unresolved references": lambda n: schema(
        properties={f"p{number}": {"$ref": f"#/$defs/definitiox_{number}"} for number in range(n)},
        **{"$defs": strings("definition_{}", n)},
    ),
    "unknown parameters": lambda n: {
        "tools.json": tools(
            "read_file",
            description=" ".join(f"The `propertx_{number}` parameter." for number in range(n)),
            inputSchema={"type": "object", "properties": strings("property_{}", n)},
        )
    },
    "unknown arguments": lambda n: {
        "tools.json": tools("read_file", inputSchema={"type": "object", "properties": strings("property_{}", n)}),
        "system.md": "read_file({" + ", ".join(f"propertx_{number}: 1" for number in range(n)) + "})\n",
    },
    "unknown tools": lambda n: {
        "tools.json": tools(*(f"read_file_{number}" for number in range(n))),
        "system.md": "\n\n".join(f"Use the `read_filx_{number}` tool." for number in range(n)),
    },
    "unknown words": lambda n: {
        "tools.json": tools(*(f"re{number}_file" for number in range(n))),
        "system.md": "\n\n".join(f"Use the `zq{number}_foo_bar` tool." for number in range(n)),
    },
    "unknown tools in a policy": lambda n: policy(
        n, policy={"tools": ["read_file_*", *(f"read_filx_{number}" for number in range(n))]}
    ),
    "unknown tools in constraints": lambda n: policy(
        n,
        policy={
            "tool_arg_constraints": [
                {"tool": f"read_file_{number}", "arg_key": "a", "arg_patterns": ["a"]} for number in range(n)
            ]
        },
    ),
    "unknown tools in approvals": lambda n: policy(
        n, approval_policy={"auto_approve": [f"read_filx_{number}" for number in range(n)]}
    ),
    "rows with tools after many that were called": lambda n: {
        "rows.jsonl": row([f"find_file_{number}" for number in range(10 * n)], [])
        + "".join(row([f"read_file_{number}"], [{**TOOL, "name": f"read_file_{number}"}]) for number in range(n))
    },
}
# So that all that the package loads and builds once does not count.
SMALL = 100


@pytest.mark.parametrize("case", CASES)
def test_work_grows_with_the_input(case: str, tmp_path: Path) -> None:
    def work(size: int) -> int:
        folder = tmp_path / str(size)
        write_files(folder, CASES[case](size))
        check_paths([str(folder)], isolated=True)
        return lines_run(lambda: check_paths([str(folder)], isolated=True))

    nothing = work(1)
    once = work(SMALL) - nothing
    assert work(4 * SMALL) - nothing < 5.5 * max(once, 200)


def test_what_lies_around_a_file_is_read_folder_by_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def work(size: int) -> int:
        folder = tmp_path / str(size)
        tools = json.dumps([{"name": "read_it", "description": "Reads it.", "inputSchema": {"type": "object"}}])
        write_files(folder, {"given/tools.json": tools, **{f"{number}/tools.json": tools for number in range(size)}})
        monkeypatch.chdir(folder)
        check_paths(["given/tools.json"], isolated=True)
        return lines_run(lambda: check_paths(["given/tools.json"], isolated=True))

    once = work(SMALL)
    assert work(8 * SMALL) < 8.5 * once


COMMENTED = {
    "fences": "```\nread_fil({})\n```\n",
    "directives": "<!-- harn-tool-surface: ignore-next-line -->\nread_fil({})\n",
    "directives with codes": "<!-- toolsurface-lint: ignore-next-line[CALL] -->\nread_fil({})\n",
}


@pytest.mark.parametrize("text", COMMENTED.values(), ids=COMMENTED)
def test_work_of_planned_comments_grows_with_the_findings(text: str) -> None:
    def work(size: int) -> int:
        whole = text * size
        document = Document("a.md", SourceText("a.md", whole), "markdown")
        document.prompts.append(read_prompt(TextTree(document.source)))
        wanted = {line: ["TOOL"] for line in range(1, whole.count("\n") + 1)}
        return lines_run(lambda: plan_comments(document, whole, wanted))

    work(1)
    assert work(4 * SMALL) < 5.5 * work(SMALL)


def test_work_of_a_described_policy_grows_with_its_patterns(tmp_path: Path) -> None:
    def work(size: int) -> int:
        folder = tmp_path / str(size)
        patterns = [f"read_file_{number}*" for number in range(size)]
        write_files(folder, policy(size, policy={"tools": patterns}) | permissions(size, allow="read_fil{}*"))
        project, _ = check_project([str(folder)], isolated=True)
        return lines_run(lambda: describe_surfaces(project))

    nothing = work(1)
    assert work(4 * SMALL) - nothing < 5.5 * (work(SMALL) - nothing)


HUB = """
[[surface]]
name = "hub"
tools = ["*/tools.json"]
transcripts = ["run.json"]
dispatchers = [{tool = "run_tool", server = "server", name = "tool", arguments = "params"}]
"""


def test_work_of_dispatched_calls_grows_with_the_calls(tmp_path: Path) -> None:
    def work(size: int) -> int:
        names = [f"read_file_{number}" for number in range(size)]
        arguments = [json.dumps({"server": "Notes", "tool": name, "params": {}}) for name in names]
        calls = [{"id": text, "function": {"name": "run_tool", "arguments": text}} for text in arguments]
        folder = tmp_path / str(size)
        files = {"toolsurface.toml": HUB, "notes/tools.json": tools(*names, "run_tool")}
        write_files(folder, {**files, "run.json": json.dumps([{"role": "assistant", "tool_calls": calls}] * 2)})
        report = check_paths([str(folder)])
        assert report.summary["calls"] == 2 * size
        return lines_run(lambda: check_paths([str(folder)]))

    work(1)
    assert work(4 * SMALL) < 5.5 * work(SMALL)


@pytest.mark.parametrize("module", [markdown, binding], ids=lambda module: module.__name__)
def test_no_pattern_for_layout_can_take_a_text_apart_in_two_ways(module: Any) -> None:
    """What may repeat without end gives nothing back, or cannot begin with what may repeat behind it."""
    patterns = {name: value for name, value in vars(module).items() if isinstance(value, re.Pattern)}
    assert patterns
    for name, pattern in patterns.items():
        assert list(_ambiguous(re._parser.parse(pattern.pattern, pattern.flags))) == [], name  # type: ignore[attr-defined]


def _ambiguous(tree: Any) -> list[Any]:
    """The greedy repeats without end of which a neighbour, directly or behind one letter, repeats the same letters."""
    found = []
    items = list(tree)
    for place, (code, given) in enumerate(items):
        for inner in _inside(given):
            found += _ambiguous(inner)
        if str(code) in ("MAX_REPEAT", "MIN_REPEAT") and given[1] == re._constants.MAXREPEAT:  # type: ignore[attr-defined]
            own = _letters(given[2])
            for other_code, other in items[place + 1 : place + 3]:
                if "REPEAT" in str(other_code) and other[1] == given[1] and own & _letters(other[2]):
                    found.append((code, given))
    return found


def _inside(given: Any) -> list[Any]:
    if isinstance(given, re._parser.SubPattern):  # type: ignore[attr-defined]
        return [given]
    if isinstance(given, list | tuple):
        return [inner for part in given for inner in _inside(part)]
    return []


def _letters(tree: Any) -> set[str]:
    """The letters of ASCII that a part of a pattern can begin with."""
    found = set()
    for letter in map(chr, range(128)):
        for code, given in list(tree)[:1]:
            text = str(code)
            if text == "LITERAL":
                matched = given == ord(letter)
            elif text == "NOT_LITERAL":
                matched = given != ord(letter)
            elif text == "IN":
                matched = any(
                    (str(kind) == "LITERAL" and value == ord(letter))
                    or (str(kind) == "RANGE" and value[0] <= ord(letter) <= value[1])
                    or str(kind) == "CATEGORY"
                    for kind, value in given
                ) != (str(given[0][0]) == "NEGATE")
            else:
                matched = True
            if matched:
                found.add(letter)
    return found
