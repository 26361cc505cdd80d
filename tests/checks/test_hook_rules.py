"""Hooks and lists of servers: what fixtures cannot show."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from toolsurface_lint import check_paths
from toolsurface_lint.api import inspect_paths
from toolsurface_lint.knowledge.hooks import HOOKS
from toolsurface_lint.knowledge.server_lists import SERVER_LISTS
from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.reporters import RenderOptions, render

KEY = "w4Kz8pB2nX6rT9dL5sM3gV7h"


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def settings(command: str) -> str:
    return json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}})


def test_every_row_says_where_it_was_read() -> None:
    assert all(row.source and row.events and row.handler for row in HOOKS.values())
    assert all(row.source and row.fields for row in SERVER_LISTS.values())


def test_a_script_that_git_ignores_may_be_made(tmp_path: Path, check: Callable[..., Report]) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    files = {
        ".gitignore": "made/\n*.gen.sh\n",
        ".claude/settings.json": settings("bash made/a.sh; bash b.gen.sh; bash c.sh"),
    }
    report = check(write(tmp_path, files), select=["HOOK"])
    assert [one.message for one in report.diagnostics] == ["the hook runs `c.sh`, which is not there"]


def test_a_path_out_of_the_project_is_not_looked_at(tmp_path: Path, check: Callable[..., Report]) -> None:
    files = {"a/.claude/settings.json": settings("bash ../../x/c.sh")}
    assert not check(write(tmp_path, files) / "a", select=["HOOK"]).diagnostics


def test_settings_given_by_name_meet_the_servers_of_the_project(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    write(
        tmp_path,
        {
            ".mcp.json": '{"mcpServers": {"weather": {"command": "python", "args": ["serve.py"]}}}',
            "serve.py": "from fastmcp import FastMCP\n\nmcp = FastMCP('w')\n\n@mcp.tool\ndef get_alerts(): ...\n",
            ".claude/settings.json": '{"hooks": {"PreToolUse": [{"matcher": "mcp__weather__get_alert", "hooks": []}]}}',
        },
    )
    report = check_paths([str(tmp_path / ".claude/settings.json")], select=["HOOK"])
    assert [one.code for one in report.diagnostics] == ["HOOK_MATCHER_NEVER_MATCHES"]


SERVED = (
    'from fastmcp import FastMCP\n\nmcp = FastMCP(\'w\')\n\n@mcp.tool\ndef get_alerts() -> str:\n    """Get them."""\n'
)
SERVER = {"type": "python", "entry_point": "serve.py", "mcp_config": {"command": "python", "args": ["serve.py"]}}
MANIFEST = {"manifest_version": "0.3", "name": "w", "server": SERVER, "tools": [{"name": "get_alert"}]}


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("manifest.json", json.dumps(MANIFEST), "MANIFEST_UNKNOWN_TOOL"),
        (
            ".claude/settings.local.json",
            '{"permissions": {"allow": ["Agent(code-reviwer)"]}}',
            "PROMPT_UNKNOWN_AGENT",
        ),
    ],
)
def test_a_file_given_by_name_meets_what_it_speaks_of(tmp_path: Path, name: str, text: str, code: str) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    agent = "---\nname: code-reviewer\ndescription: Reviews.\n---\nReview.\n"
    write(tmp_path, {name: text, "serve.py": SERVED, ".claude/agents/review.md": agent})
    for path in (tmp_path, tmp_path / name):
        report = check_paths([str(path)], select=["MANIFEST_UNKNOWN_TOOL", "PROMPT_UNKNOWN_AGENT"])
        assert [one.code for one in report.diagnostics] == [code]


@pytest.mark.parametrize(
    "form", ["text", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown", "rdjson"]
)
def test_no_report_quotes_a_secret(tmp_path: Path, check: Callable[..., Report], form: str) -> None:
    servers = {"a": {"command": "x", "args": "y", "env": {"A_TOKEN": KEY}}}
    report = check(write(tmp_path, {".mcp.json": json.dumps({"mcpServers": servers})}))
    assert {"SERVER_SECRET", "SERVER_INVALID"} <= {one.code for one in report.diagnostics}
    assert KEY not in render(form, report, RenderOptions())


@pytest.mark.parametrize(
    ("server", "code"),
    [
        ('"args": "y", "env": {"A_TOKEN": "KEY"}', "SERVER_INVALID"),
        ('"args": "y", "url": "https://example.com/?key=ghp_KEYKEY"', "SERVER_INVALID"),
        ('"env": {"A_TOKEN": "KEY"} "args": []', "INPUT_SYNTAX_ERROR"),
        ('"env": {"A_TOKEN": "KEY", "A_TOKEN": ""}', "INPUT_DUPLICATE_KEY"),
    ],
)
def test_no_excerpt_quotes_a_secret_that_no_finding_is_about(
    tmp_path: Path, check: Callable[..., Report], server: str, code: str
) -> None:
    text = f'{{"mcpServers": {{"a": {{"command": "x", {server.replace("KEY", KEY)}}}}}}}'
    report = check(write(tmp_path, {".mcp.json": text}), select=[code])
    assert [one.code for one in report.diagnostics] == [code]
    assert KEY not in render("text", report, RenderOptions())


def test_a_page_of_surfaces_quotes_no_secret(tmp_path: Path) -> None:
    prompt = f"Call `get_weather` with api_key={KEY}.\n"
    tools = '[{"name": "get_weather", "description": "Get it.", "inputSchema": {"type": "object"}}]'
    write(tmp_path, {"tools.json": tools, "SYSTEM_PROMPT.md": prompt})
    assert KEY not in json.dumps(inspect_paths([str(tmp_path)]))


def test_a_huge_timeout_is_a_timeout(tmp_path: Path, check: Callable[..., Report]) -> None:
    hooks = [{"type": "command", "command": "x", "timeout": value} for value in (10**400, 1e308, 0, -1)]
    files = {".claude/settings.json": json.dumps({"hooks": {"Stop": [{"hooks": hooks}]}})}
    assert not check(write(tmp_path, files), select=["HOOK", "INTERNAL_ERROR"]).diagnostics
