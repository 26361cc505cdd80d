"""What the commands do with a TypeScript program: findings, fixes, suppressions, what is found, and names of the last commit."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.files import needs, write_files
from toolsurface_lint.__main__ import run

SERVER = """\
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";

const server = new McpServer({ name: "notes", version: "1.0.0" });

server.registerTool("read_note", { description: 'Reads \\'one\\' note.' }, read);
server.registerTool("list_notes", { description: "Lists; then call \\u0060raed_note\\u0060." }, list);

export const SYSTEM_PROMPT = `You keep notes.
Call \\`raed_note\\` first, then use the \\`list_notes\\` tool.`;
"""
FOUND = [
    "server.ts:6:74: warning[TOOL_DESCRIPTION_UNKNOWN_TOOL]",
    "server.ts:9:8: warning[TOOL_SURFACE_UNKNOWN_PROMPT_TOOL]",
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(write_files(tmp_path, {"server.ts": SERVER}))
    return tmp_path


def check(capsys: pytest.CaptureFixture[str], *options: str) -> list[str]:
    """The places and codes of what is found."""
    run(["check", "--output", "concise", *options])
    return [line.partition("]")[0] + "]" for line in capsys.readouterr().out.splitlines() if "]" in line]


def test_findings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(capsys) == FOUND
    assert check(capsys, "server.ts") == FOUND


@pytest.mark.parametrize("before", ["\ufeff", "// \U0001f6e0 ä\r\n", ""])
def test_fixes_keep_quotes_escapes_and_line_ends(before: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = before + SERVER.replace("\n", "\r\n" if "\r" in before else "\n")
    write_files(folder, {"server.ts": text})
    check(capsys, "--fix")
    assert (folder / "server.ts").read_bytes().decode() == text
    assert check(capsys, "--fix", "--unsafe-fixes") == []
    assert (folder / "server.ts").read_bytes().decode() == text.replace("raed_note", "read_note")


def test_a_name_of_two_literals_is_not_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = SERVER.replace("call \\u0060raed_note", 'call \\u0060ra" + "ed_note').replace(
        "\\`raed_note", "\\`ra\\x65d_note"
    )
    write_files(folder, {"server.ts": text})
    assert len(check(capsys, "--fix", "--unsafe-fixes")) == 1
    assert (folder / "server.ts").read_text("utf-8") == text.replace("\\`ra\\x65d_note", "\\`read_note")


def test_sarif_has_the_places(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--output", "sarif"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["runs"]
    places = [result["locations"][0]["physicalLocation"] for result in one["results"]]
    assert [place["artifactLocation"]["uri"] for place in places] == ["server.ts"] * 2
    lines = SERVER.splitlines()
    for place in places:
        region = place["region"]
        assert lines[region["startLine"] - 1][region["startColumn"] - 1 : region["endColumn"] - 1] == "raed_note"


@pytest.mark.parametrize(
    "comment",
    ["// toolsurface-lint: ignore-next-line[TOOL_DESCRIPTION] later", "/* toolsurface-lint: ignore-next-line */"],
)
def test_suppressed_by_a_comment(comment: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(
        folder, {"server.ts": SERVER.replace('server.registerTool("list', f'{comment}\nserver.registerTool("list')}
    )
    assert [line.partition(" ")[2] for line in check(capsys)] == ["warning[TOOL_SURFACE_UNKNOWN_PROMPT_TOOL]"]


def test_add_suppressions(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check(capsys, "--add-suppressions=later")
    text = (folder / "server.ts").read_text("utf-8")
    comment = "// toolsurface-lint: ignore-next-line[TOOL_DESCRIPTION_UNKNOWN_TOOL] later\n"
    assert text == SERVER.replace('server.registerTool("list', f'{comment}server.registerTool("list')
    assert check(capsys) == []


def test_what_is_found(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["surface"]) == 0
    assert "list_notes()  server.ts:6:21  typescript-mcp" in capsys.readouterr().out
    assert check(capsys, "--kind", "tools", "server.ts") == FOUND


def test_a_broken_file_says_what_comes_before(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(folder, {"server.ts": SERVER + "\nconst x = {{{ ;\n"})
    assert check(capsys) == FOUND


def test_a_tool_of_the_last_commit(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    git = [needs("git"), "-c", "user.name=t", "-c", "user.email=t@example.invalid"]
    write_files(folder, {"server.ts": SERVER.replace("raed", "read")})
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run([*git, *arguments], check=True, cwd=folder)
    write_files(folder, {"server.ts": SERVER.replace("raed", "read").replace('Tool("read_note"', 'Tool("fetch_note"')})
    run(["check", "--output", "concise"])
    assert "`read_note`, which is no longer declared; the last commit declares it" in capsys.readouterr().out
