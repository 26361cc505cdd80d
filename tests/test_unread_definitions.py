"""Names that a program defines in ways that are not read: nobody can say that there is no tool of such a name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.files import write_files
from toolsurface_lint import check_paths
from toolsurface_lint.project.unread_definitions import MAX_SIZE

SERVER = '''\
from mcp.server.fastmcp import FastMCP

mcp = FastMCP("orders")


@mcp.tool()
def find_order(number: str) -> str:
    """Find an order. Use `get_parcel` to send it."""
    return number


@mcp.tool()
def list_orders(customer: str) -> str:
    """List the orders of a customer."""
    return customer


@mcp.tool()
def get_order(number: str) -> str:
    """Send an order."""
    return number
'''
TABLE = """\
class Desk:
    TOOL_HANDLERS: dict[str, object] = {
        # The parcels.
        "get_parcel": send,
    }
"""
OWN_CLASS = """\
TOOLS = [
    Definition(
        name="get_parcel",
        handler=get,
        description="Send a parcel.",
    )
]
"""
PROMPT = "Call the `find_order` tool, then the `get_invoice` tool. At last, call the `get_parcel` tool.\n"
UNKNOWN = ["TOOL_SURFACE_UNKNOWN_PROMPT_TOOL", "TOOL_DESCRIPTION_UNKNOWN_TOOL", "CALL_UNKNOWN_TOOL"]


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, {".git/HEAD": "", "server.py": SERVER, "system.md": PROMPT})


def unknown(*paths: str) -> set[tuple[str, str | None]]:
    report = check_paths([*paths] or ["."], isolated=True, select=UNKNOWN)
    return {
        (diagnostic.location.path, diagnostic.message.split("`")[1])
        for diagnostic in report.diagnostics
        if diagnostic.location
    }


ONE = {("system.md", "get_invoice")}
BOTH = {*ONE, ("system.md", "get_parcel"), ("server.py", "get_parcel")}


def test_a_name_that_nothing_defines_is_unknown(tmp_path: Path) -> None:
    assert unknown() == BOTH
    write_files(tmp_path, {"carrier.py": 'def get_parcel(name="get_parcel"):\n    return name\n'})
    assert unknown() == BOTH


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("lib/carrier.py", OWN_CLASS),
        ("lib/carrier.py", 'class Get(Action):\n    name: str = "get_parcel"\n    description: str = "Send it."\n'),
        ("lib/carrier.py", 'DEFINED = {"name": "get_parcel", "description": text}\n'),
        ("toolsets/carrier.yaml", 'tools:\n  - name: "get_parcel"\n    description: Send a parcel.\n'),
    ],
)
def test_a_definition_that_is_not_read_leaves_its_name_open(tmp_path: Path, path: str, text: str) -> None:
    write_files(tmp_path, {path: text})
    assert unknown() == ONE
    assert unknown("system.md") == ONE


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("tests/carrier.py", OWN_CLASS),
        ("carrier.py", "# " + OWN_CLASS.replace("\n", "\n# ")),
        ("carrier.py", 'KEY = Key(name="get_parcel")\nOTHER = Key(name="other", description="Another one.")\n'),
        ("carrier.py", OWN_CLASS + "#" * MAX_SIZE),
        ("config.yaml", "- name: get_parcel\n- name: other\n  description: Another one.\n"),
    ],
)
def test_what_defines_no_tool_of_the_program_says_nothing(tmp_path: Path, path: str, text: str) -> None:
    write_files(tmp_path, {path: text})
    assert unknown() == BOTH


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (TABLE, ONE),
        (TABLE.replace("TOOL_HANDLERS: dict[str, object]", "self.functions"), ONE),
        (TABLE.replace('"get_parcel"', '# "get_parcel"'), BOTH),
        (TABLE.replace("TOOL_HANDLERS", "COLUMNS"), BOTH),
        (TABLE.replace('"get_parcel": send', '"send": "get_parcel"'), BOTH),
        ("TOOLS = {\n" * 9 + '"get_parcel": send', BOTH),
    ],
)
def test_a_table_of_handlers_knows_its_keys(tmp_path: Path, text: str, found: set[tuple[str, str]]) -> None:
    write_files(tmp_path, {"desk.py": text})
    assert unknown() == found


def test_a_tool_of_another_server_that_is_read_is_not_one_of_this(tmp_path: Path) -> None:
    other = SERVER.replace("@mcp.tool()", '@mcp.tool(name="get_parcel", description="Send a parcel.")', 1)
    write_files(tmp_path, {"orders/server.py": SERVER, "parcels/server.py": other})
    (tmp_path / "server.py").unlink()
    assert unknown("orders", "parcels") == {("orders/server.py", "get_parcel")}


def recording(*names: str) -> str:
    calls = [{"type": "tool_use", "id": name, "name": name, "input": {}} for name in names]
    results = [{"type": "tool_result", "tool_use_id": name, "content": ""} for name in names]
    messages = [
        {"role": "user", "content": "Where is my order?"},
        {"role": "assistant", "content": calls},
        {"role": "user", "content": results},
    ]
    return json.dumps({"messages": messages})


def test_a_recording_calls_what_is_defined_in_ways_that_are_not_read(tmp_path: Path) -> None:
    write_files(tmp_path, {"run.json": recording("list_orders", "get_parcel", "cancel_order")})
    assert unknown() == {*BOTH, ("run.json", "get_parcel"), ("run.json", "cancel_order")}
    write_files(tmp_path, {"carrier.py": OWN_CLASS})
    assert unknown() == {*ONE, ("run.json", "cancel_order")}


def test_a_recording_that_tests_come_with_is_none_of_the_program(tmp_path: Path) -> None:
    write_files(tmp_path, {"tests/data/run.json": recording("list_orders", "cancel_order")})
    assert unknown() == BOTH
    tools = [{"name": "list_orders", "description": "List the orders.", "input_schema": {"type": "object"}}]
    write_files(tmp_path, {"tests/data/tools.json": json.dumps(tools)})
    assert unknown() == BOTH
    assert unknown("tests/data") == {("tests/data/run.json", "cancel_order")}
