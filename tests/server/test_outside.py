"""Files that lie in no workspace folder: what the command looks at for each, the server does."""

import os

import pytest
from lsprotocol import types

from tests.files import write_files
from toolsurface_lint.api import check_paths
from toolsurface_lint.server.workspace import Workspace

UNDECLARED = "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"
PROMPT = "Call `read_file({})`, then `read_flie({})` or `close_if({})`.\n"
TOOL = '[{"name": "%s", "description": "Work.", "input_schema": {"properties": {}}}]\n'
SERVER = """\
from mcp.server.fastmcp import FastMCP

server = FastMCP("files")


@server.tool()
def read_flie(path: str) -> str:
    \"\"\"Read a file.\"\"\"
    return path
"""
SURFACE = '[[surface]]\nname = "one"\ntools = ["tools/*.json"]\nprompts = ["texts/*.md"]\n'
FOLDERS = {
    "tools beside it": {"a.prompts/system.md": PROMPT, "a.prompts/tools.json": TOOL % "read_file"},
    "tools above it, in one repository": {".git/HEAD": "", "tools.json": TOOL % "read_file", "prompts/a.md": PROMPT},
    "tools above it, in none": {"tools.json": TOOL % "read_file", "prompts/a.md": PROMPT},
    "settings between it and the repository": {
        ".git/HEAD": "",
        "tools.json": TOOL % "close_it",
        "agent/toolsurface.toml": SURFACE,
        "agent/tools/a.json": TOOL % "read_file",
        "agent/texts/a.md": PROMPT,
        "agent/prompts/b.md": PROMPT,
    },
    "settings that ignore it": {
        ".git/HEAD": "",
        "tools.json": TOOL % "read_file",
        "agent/pyproject.toml": f'[tool.toolsurface-lint]\nignore = ["{UNDECLARED}"]\n',
        "agent/prompts/b.md": PROMPT,
    },
    "two folders with tools": {
        ".git/HEAD": "",
        "one/tools.json": TOOL % "read_file",
        "two/tools.json": TOOL % "close_it",
        "prompts/a.md": PROMPT,
        "one/prompts/a.md": PROMPT,
    },
}


def commanded(path):
    """What the command says of one file."""
    found = check_paths([str(path)]).diagnostics
    here = [one for one in found if one.location is not None and os.path.abspath(one.location.path) == str(path)]
    return [(one.code, one.message, one.location.range.start.line - 1) for one in here]


def served(workspace, path):
    """What the server says of an open file; the help of a finding belongs to its message there."""
    found = workspace.diagnostics(path.as_uri())
    return [(one.code, one.message.partition("\nhelp: ")[0], one.range.start.line) for one in found]


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("case", FOLDERS)
def test_the_server_looks_at_what_the_command_looks_at(case, inside, tmp_path, monkeypatch):
    root = tmp_path / "work"
    write_files(root, FOLDERS[case])
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(root if inside else tmp_path / "elsewhere")
    workspace = Workspace()
    paths = [root / name for name in FOLDERS[case] if name.endswith(".md")]
    for path in paths:
        workspace.open(types.TextDocumentItem(path.as_uri(), "", 1, path.read_text(encoding="utf-8")))
    reports = {path: commanded(path) for path in paths}
    assert {path: served(workspace, path) for path in paths} == reports
    if inside and "ignore" not in case:
        assert all(UNDECLARED in str(found) for found in reports.values())


@pytest.mark.parametrize("open_folder", ["prompts", "two", "two/prompts"])
def test_a_workspace_folder_below_the_tools_meets_them(open_folder, tmp_path, monkeypatch):
    files = {
        ".git/HEAD": "",
        "one/tools.json": TOOL % "read_file",
        "two/tools.json": TOOL % "close_it",
        "prompts/a.md": PROMPT,
        "two/prompts/a.md": PROMPT,
        "two/prompts/b.md": "Call `close_it({})`, then `read_file({})`.\n",
        "two/policy.json": '{"tools": ["read_flie", "close_if"]}',
        "two/server.py": SERVER,
    }
    write_files(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    workspace = Workspace()
    workspace.add_folder((tmp_path / open_folder).as_uri())
    closed = [str(tmp_path / "one/tools.json"), str(tmp_path / "two/tools.json")]
    below = [path for name in files if (path := tmp_path / name).is_relative_to(tmp_path / open_folder)]
    inside = [path for path in below if str(path) not in closed]
    for path in inside:
        workspace.open(types.TextDocumentItem(path.as_uri(), "", 1, path.read_text(encoding="utf-8")))
    reports = {path: commanded(path) for path in inside}
    assert {path: served(workspace, path) for path in inside} == reports
    assert any(UNDECLARED in str(found) for found in reports.values())
    # Whoever types changes nothing of what lies around.
    for path in inside:
        workspace.buffers[str(path)].change(
            types.TextDocumentContentChangeWholeDocument(path.read_text("utf-8")), "utf-16"
        )
        workspace.change(types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(2, path.as_uri()), []))
    assert {path: served(workspace, path) for path in inside} == reports
    # Around it, nothing is reported.
    assert set(workspace.survey()) <= {path.as_uri() for path in below}
    write_files(tmp_path, {"one/tools.json": TOOL % "red_file", "two/tools.json": TOOL % "close_if"})
    workspace.look_again(closed)
    changed = {path: commanded(path) for path in inside}
    assert changed != reports
    assert {path: served(workspace, path) for path in inside} == changed


def test_folders_that_come_and_go(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "Call `read_file({})`, then `read_flie({})`.\n"
    files = {
        "a/tools.json": TOOL % "read_file",
        "a/prompts/a.md": text,
        "toolsurface.toml": f'ignore = ["{UNDECLARED}"]\n',
    }
    write_files(tmp_path, files)
    path = tmp_path / "a/prompts/a.md"
    workspace = Workspace()
    workspace.open(types.TextDocumentItem(path.as_uri(), "", 1, path.read_text(encoding="utf-8")))
    # Alone, then in a folder whose settings are others, then alone again.
    assert served(workspace, path) == commanded(path) == []
    monkeypatch.chdir(tmp_path / "a")
    workspace.add_folder((tmp_path / "a").as_uri())
    assert [code for code, _, _ in served(workspace, path)] == [UNDECLARED]
    monkeypatch.chdir(tmp_path)
    workspace.remove_folder((tmp_path / "a").as_uri())
    assert served(workspace, path) == []
    workspace.close(path.as_uri())
    assert workspace.diagnostics(path.as_uri()) == []


@pytest.mark.slow
def test_without_any_workspace_folder(talk, folder):
    async def conversation(session):
        session.open("prompts/system.md", PROMPT)
        assert f"0:28-0:37 {UNDECLARED}" in await session.findings("prompts/system.md")
        # An unsaved buffer of the same project counts, and so does a broken one.
        session.open("tools.json")
        session.edit("tools.json", (2, 13), (2, 22), "read_flie")
        session.edit("tools.json", (0, 0), (0, 1), "")
        session.edit("tools.json", (0, 0), (0, 0), "[")
        assert f"0:28-0:37 {UNDECLARED}" not in await session.findings("prompts/system.md")
        session.edit("tools.json", (0, 0), (0, 1), "")
        assert f"0:28-0:37 {UNDECLARED}" not in await session.findings("prompts/system.md")

    talk(conversation, folders=())


@pytest.mark.slow
def test_a_workspace_reports_what_the_command_reports_there(talk, able, folder, monkeypatch):
    files = {
        "prompts/system.md": PROMPT,
        "prompts/other.md": f"🛠🛠 {PROMPT}",
        "tools.json": (folder / "tools.json").read_text(encoding="utf-8").replace("Read a", "🛠 \u200b Read a"),
        "policy.yaml": "tools: [read_flie]\nside_effect_level: read_only\n",
        "broken.json": "[{]",
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(folder)
    expected = [
        (os.path.abspath(one.location.path), one.code, one.location.range)
        for one in check_paths(["."]).diagnostics
        if one.location is not None
    ]
    assert len({code for _, code, _ in expected}) > 2

    async def conversation(session):
        report = await session.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([]))
        found = [(item.uri, one.code, span(one.range)) for item in report.items for one in item.items]
        assert sorted(found) == sorted(
            ((folder / path).as_uri(), code, units(files[os.path.relpath(path, folder)], place))
            for path, code, place in expected
        )

    talk(conversation, able(diagnostics=types.DiagnosticWorkspaceClientCapabilities()))


def span(range):
    return (range.start.line, range.start.character, range.end.line, range.end.character)


def units(text, range):
    """A range of lines and columns from 1, in code points, as lines and characters from 0, in units of UTF-16."""
    lines = text.split("\n")
    return tuple(
        number
        for place in (range.start, range.end)
        for number in (
            place.line - 1,
            len(lines[place.line - 1][: place.column - 1].encode("utf-16-le")) // 2,
        )
    )
