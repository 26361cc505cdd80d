"""Servers whose code is split over files: what a list of servers starts is linked to them by its imports."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.files import write_files
from toolsurface_lint import check_paths

MAKE = 'from mcp.server.fastmcp import FastMCP\n\nmcp = FastMCP("shelf")\n'
LIST = '''

@mcp.tool()
def list_pots(shelf: str) -> list[str]:
    """List the pots on a shelf."""
    return []
'''
MOVE = '''

@mcp.tool()
def move_pot(pot: str, shelf: str) -> None:
    """Put a pot on another shelf."""
'''
RUN = '\nif __name__ == "__main__":\n    mcp.run()\n'
APP = "from pottery.app import mcp\n"
SPLIT = {"pottery/app.py": MAKE, "pottery/reads.py": APP + LIST, "pottery/writes.py": APP + MOVE}
ENTRY = "from pottery import reads, writes\n" + APP + "\n\ndef main():\n    mcp.run()\n" + RUN


def register(tool: str) -> str:
    return "def register(mcp):" + tool.replace("\n", "\n    ")


REGISTER = {
    "pottery/reads.py": register(LIST),
    "pottery/writes.py": register(MOVE),
    "server.py": MAKE.replace("\n\n", "\nfrom pottery import reads, writes\n\n")
    + "reads.register(mcp)\nwrites.register(mcp)\n"
    + RUN,
}
SCRIPT = '[project]\nname = "pottery-tools"\nversion = "1"\n[project.scripts]\nthrow = "pottery.server:main"\n'
LAYOUTS: dict[str, tuple[list[str], dict[str, str]]] = {
    "one-module-with-tools": (
        ["python", "server.py"],
        {"pottery/app.py": MAKE + LIST + MOVE, "server.py": "from pottery.app import mcp\n\nmcp.run()\n"},
    ),
    "some-tools-beside-the-server": (
        ["python", "server.py"],
        {
            "pottery/app.py": MAKE + LIST,
            "pottery/writes.py": APP + MOVE,
            "server.py": "from pottery import writes\n" + APP + RUN,
        },
    ),
    "modules-around-one": (["python", "server.py"], {**SPLIT, "server.py": ENTRY}),
    "modules-import-the-program": (
        ["python", "server.py"],
        {
            "server.py": MAKE + "\nfrom pottery import reads, writes\n" + RUN,
            "pottery/reads.py": "from server import mcp\n" + LIST,
            "pottery/writes.py": "from server import mcp\n" + MOVE,
        },
    ),
    "functions-that-register": (["python", "server.py"], REGISTER),
    "module": (["python", "-m", "pottery.server"], {**SPLIT, "pottery/server.py": ENTRY}),
    "package": (
        ["python", "-m", "pottery"],
        {
            **SPLIT,
            "pottery/__init__.py": "",
            "pottery/server.py": ENTRY,
            "pottery/__main__.py": "from .server import main\n\nmain()\n",
        },
    ),
    "path": (["python", "pottery/main.py"], {**SPLIT, "pottery/main.py": ENTRY}),
    "uv": (["uv", "run", "server.py"], {**SPLIT, "server.py": ENTRY}),
    "src": (
        ["python", "-m", "pottery.server"],
        {**{f"src/{path}": text for path, text in SPLIT.items()}, "src/pottery/server.py": ENTRY},
    ),
    "console-script": (
        ["uv", "run", "throw"],
        {**SPLIT, "pottery/server.py": ENTRY, "pyproject.toml": SCRIPT},
    ),
    "console-script-with-functions": (
        ["uvx", "--from", ".", "throw"],
        {
            **{path: text for path, text in REGISTER.items() if path != "server.py"},
            "pottery/server.py": "from mcp.server.fastmcp import FastMCP\n\nfrom pottery import reads, writes\n\n\n"
            'def main():\n    mcp = FastMCP("shelf")\n    reads.register(mcp)\n    writes.register(mcp)\n    mcp.run()\n',
            "pyproject.toml": SCRIPT,
        },
    ),
    "fastmcp": (
        ["python", "server.py"],
        {
            "pottery/app.py": MAKE.replace("mcp.server.fastmcp", "fastmcp"),
            "pottery/reads.py": APP + LIST,
            "pottery/writes.py": APP + MOVE,
            "server.py": ENTRY,
        },
    ),
    "mounted": (
        ["python", "server.py"],
        {
            "pottery/reads.py": "from fastmcp import FastMCP\n\nmcp = FastMCP('reads')\n" + LIST,
            "pottery/writes.py": "from fastmcp import FastMCP\n\nmcp = FastMCP('writes')\n" + MOVE,
            "pottery/all.py": "from fastmcp import FastMCP\nfrom pottery import reads, writes\n\n"
            "mcp = FastMCP('shelf')\nmcp.mount(reads.mcp)\nmcp.mount(writes.mcp)\n",
            "server.py": "from pottery.all import mcp\n\nmcp.run()\n",
        },
    ),
}


@pytest.fixture
def unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str | None]]:
    """The tools that settings allow, and that the server of the commands, by name, does not have."""
    monkeypatch.chdir(tmp_path)

    def unknown(files: Mapping[str, str], commands: Mapping[str, list[str]], *allowed: str) -> list[str | None]:
        servers = {name: {"command": words[0], "args": words[1:]} for name, words in commands.items()}
        written = {
            ".mcp.json": json.dumps({"mcpServers": servers}),
            ".claude/settings.json": json.dumps({"permissions": {"allow": list(allowed)}}),
        }
        write_files(tmp_path, {**files, **written})
        found = check_paths(["."], isolated=True).diagnostics
        return [each.tool for each in found if each.code == "POLICY_UNKNOWN_TOOL"]

    return unknown


ALLOWED = [f"mcp__pots__{tool}" for tool in ("list_pots", "move_pot", "weigh_pot")]


@pytest.mark.parametrize(("command", "files"), LAYOUTS.values(), ids=LAYOUTS)
def test_a_started_file_leads_to_its_server(
    unknown: Callable[..., list[str | None]], command: list[str], files: dict[str, str]
) -> None:
    assert unknown(files, {"pots": command}, *ALLOWED) == ["weigh_pot"]


@pytest.mark.parametrize(("command", "files"), LAYOUTS.values(), ids=LAYOUTS)
def test_which_a_list_may_call_as_it_calls_itself(
    unknown: Callable[..., list[str | None]], command: list[str], files: dict[str, str]
) -> None:
    allowed = [name.replace("pots", "shelf", 1) for name in ALLOWED]
    assert unknown(files, {"shelf": command}, *allowed) == ["weigh_pot"]


OTHER = MAKE.replace("shelf", "kiln") + LIST.replace("list_pots", "list_firings")
SILENT: dict[str, tuple[list[str], dict[str, str]]] = {
    "two-servers": (
        ["python", "server.py"],
        {**SPLIT, "pottery/kiln.py": OTHER, "server.py": "from pottery import kiln\n" + ENTRY},
    ),
    "a-server-without-tools-besides": (
        ["python", "server.py"],
        {**SPLIT, "server.py": "from fastmcp import FastMCP\n\nproxy = FastMCP('front')\n" + ENTRY},
    ),
    "no-server": (["python", "server.py"], {**SPLIT, "server.py": "import runpy\n\nrunpy.run_path('x')\n"}),
    "open": (
        ["python", "server.py"],
        {
            **SPLIT,
            "server.py": ENTRY.replace("\n\ndef main", "for name in load():\n    mcp.add_tool(name)\n\n\ndef main"),
        },
    ),
    "open-elsewhere": (
        ["python", "server.py"],
        {**SPLIT, "server.py": ENTRY, "pottery/more.py": APP + "for name in load():\n    mcp.add_tool(name)\n"},
    ),
    "mounted-elsewhere": (
        ["python", "run_reads.py"],
        {
            "pottery/reads.py": "from fastmcp import FastMCP\n\nmcp = FastMCP('reads')\n" + LIST,
            "server.py": "from fastmcp import FastMCP\nfrom pottery import reads\n\nmcp = FastMCP('shelf')\n"
            "mcp.mount(reads.mcp, prefix='reads')\nmcp.run()\n",
            "run_reads.py": "from pottery.reads import mcp\n\nmcp.run()\n",
        },
    ),
}


@pytest.mark.parametrize(("command", "files"), SILENT.values(), ids=SILENT)
def test_of_what_is_not_known_nothing_is_said(
    unknown: Callable[..., list[str | None]], command: list[str], files: dict[str, str]
) -> None:
    assert unknown(files, {"pots": command}, *ALLOWED) == []


def test_two_servers_are_kept_apart(unknown: Callable[..., list[str | None]]) -> None:
    files = {
        **SPLIT,
        "server.py": ENTRY,
        "firing/app.py": MAKE.replace("shelf", "kiln"),
        "firing/plans.py": "from firing.app import mcp\n" + LIST.replace("list_pots", "list_firings"),
        "firing/server.py": "from firing import plans\nfrom firing.app import mcp\n" + RUN,
    }
    commands = {"pots": ["python", "server.py"], "kiln": ["python", "-m", "firing.server"]}
    allowed = [f"mcp__{server}__{tool}" for server in commands for tool in ("list_pots", "move_pot", "list_firings")]
    assert unknown(files, commands, *allowed) == ["list_firings", "list_pots", "move_pot"]
