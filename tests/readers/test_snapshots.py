"""Snapshots of servers: the complete surface of these, for every command."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.files import write_files
from toolsurface_lint.api import inspect_paths
from toolsurface_lint.knowledge.provider_names import version_of
from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.readers.tool_format import named
from toolsurface_lint.source.tree import plain

ADD = {"name": "add_numbers", "description": "Add two numbers.", "inputSchema": {"type": "object", "properties": {}}}
NOW = {"name": "tell_time", "description": "Tell the time of a city.", "inputSchema": {"type": "object"}}


def server(name: str = "calc", *tools: Any, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "command": ["python3", "calc.py"],
        "protocolVersion": "2025-11-25",
        "serverInfo": {"name": name, "version": "1"},
        "capabilities": {"tools": {}},
        "tools": list(tools or (ADD,)),
        "prompts": [],
        "resources": [],
        "resourceTemplates": [],
        **more,
    }


def snapshot(*servers: Any, version: Any = 1) -> str:
    return json.dumps({"toolsurfaceSnapshot": version, "servers": list(servers)}, indent=2) + "\n"


def slice_of(path: Path, one: Any) -> str:
    return path.read_text(encoding="utf-8")[one.location.span.start : one.location.span.end]


def test_its_tools_are_all_that_there_are(tmp_path: Path):
    write_files(tmp_path, {"served.json": snapshot(server(), server("clock", NOW))})
    (surface,) = inspect_paths([str(tmp_path)])["surfaces"]
    assert (surface["open"], [tool["name"] for tool in surface["tools"]]) == (False, ["add_numbers", "tell_time"])
    assert all(tool["active"] for tool in surface["tools"])


@pytest.mark.parametrize(
    ("given", "text", "name"),
    [
        ({"instructions": "Use the `add_numbres` tool."}, "add_numbres", "instructions"),
        ({"prompts": [{"name": "sum", "description": "Ask the `add_numbres` tool."}]}, "add_numbres", "prompts"),
    ],
    ids=["instructions", "prompts"],
)
def test_what_a_server_says_is_checked_and_never_changed(
    tmp_path: Path, check: Callable[..., Report], given: dict[str, Any], text: str, name: str
):
    path = write_files(tmp_path, {"served.json": snapshot(server(**given))}) / "served.json"
    (one,) = check(tmp_path).diagnostics
    assert (one.code, slice_of(path, one), one.fix) == ("TOOL_SURFACE_UNKNOWN_PROMPT_TOOL", text, None)


def test_a_tool_of_its_own_and_one_without_a_schema(tmp_path: Path, check: Callable[..., Report]):
    without = {
        "name": "count_words",
        "description": "Count the words of a text.",
        "annotations": {"readOnlyHint": True},
    }
    path = write_files(tmp_path, {"served.json": snapshot(server("calc", ADD, without, {**NOW, "x-own": 1}))})
    (one,) = check(tmp_path).diagnostics
    assert (one.code, slice_of(path / "served.json", one)) == ("TOOL_SURFACE_MISSING_SCHEMA", '"count_words"')
    (surface,) = inspect_paths([str(tmp_path)])["surfaces"]
    assert [tool["active"] for tool in surface["tools"]] == [True] * 3


def test_the_prompts_beside_it_are_checked(tmp_path: Path, check: Callable[..., Report]):
    prompt = "Use the `add_numbres` tool, then the `tell_time` tool.\n"
    write_files(tmp_path, {"served.json": snapshot(server(), server("clock", NOW)), "prompts/system.md": prompt})
    (one,) = check(tmp_path).diagnostics
    assert one.code == "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"
    assert slice_of(tmp_path / "prompts/system.md", one) == "add_numbres"


def test_the_files_of_clients_name_tools_of_its_servers(tmp_path: Path, check: Callable[..., Report]):
    files = {
        ".mcp.json": json.dumps({"mcpServers": {"calc": {"command": "calc-server"}}}),
        ".claude/agents/adder.md": "---\nname: adder\ndescription: Adds.\ntools: mcp__calc__add_numbers, "
        "mcp__calc__add_numbres\n---\nAdd.\n",
        "served/mcp.json": snapshot(server()),
    }
    (one,) = check(write_files(tmp_path, files)).diagnostics
    assert slice_of(tmp_path / ".claude/agents/adder.md", one) == "mcp__calc__add_numbres"


def test_of_two_snapshots_of_a_server_nothing_is_said(tmp_path: Path, check: Callable[..., Report]):
    files = {
        ".mcp.json": json.dumps({"mcpServers": {"calc": {"command": "calc-server"}}}),
        "CLAUDE.md": "Use mcp__calc__tell_tim.\n",
        "old/served.json": snapshot(server()),
        "new/served.json": snapshot(server("calc", NOW)),
    }
    assert check(write_files(tmp_path, files)).diagnostics == ()


def test_the_program_of_the_same_server_beside_it(tmp_path: Path, check: Callable[..., Report]):
    program = '''from mcp.server.fastmcp import FastMCP

server = FastMCP("calc")


@server.tool()
def add_numbers(first: int, second: int) -> int:
    """Add two numbers."""
    return first + second
'''
    numbers = {"first": {"type": "integer"}, "second": {"type": "integer"}}
    schema = {"type": "object", "properties": numbers, "required": ["first", "second"]}
    result = {"type": "object", "properties": {"result": {"type": "integer"}}, "required": ["result"]}
    served = {**ADD, "inputSchema": schema, "outputSchema": result}
    files = {"served.json": snapshot(server("calc", served)), "calc.py": program}
    assert check(write_files(tmp_path, files)).diagnostics == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (snapshot(server(), version=2), "a snapshot of a version that is not read"),
        (snapshot(version="1"), "a snapshot of a version that is not read"),
        ('{"toolsurfaceSnapshot": 1}', "a snapshot without a list of servers"),
        ('{"toolsurfaceSnapshot": 1, "servers": {}}', "a snapshot without a list of servers"),
        (snapshot(7), "a server of a snapshot without a name or a list of tools"),
        (snapshot({"name": "", "tools": []}), "a server of a snapshot without a name or a list of tools"),
        (snapshot({"name": "a", "tools": {}}), "a server of a snapshot without a name or a list of tools"),
        (snapshot(server("a", ADD, 7)), "an entry of a snapshot's list of tools that is not a tool"),
        (snapshot(server("a", ADD, {"name": ""})), "an entry of a snapshot's list of tools that is not a tool"),
        (snapshot(server("a", ADD, {"name": 7})), "an entry of a snapshot's list of tools that is not a tool"),
    ],
)
def test_what_is_not_read_of_one_is_said(tmp_path: Path, text: str, reason: str):
    files = {"served.json": text, "tools.json": json.dumps({"tools": [NOW]})}
    (surface,) = inspect_paths([str(write_files(tmp_path, files))])["surfaces"]
    assert [each.partition(": ")[2] for each in surface["open_reasons"]] == [reason]


def test_a_tool_has_the_version_of_mcp_of_its_server():
    tree = plain({"servers": [server(protocolVersion="2024-11-05"), server("sums", protocolVersion="2025-06-18")]}).tree
    tools = [named("mcp").read(tree.at(("servers", at, "tools", 0))) for at in (0, 1)]
    assert [tool.protocol_version for tool in tools] == [version_of("2024-11-05"), version_of("2025-06-18")]
