"""Servers in the lists of clients: secrets in any place of them, which no output quotes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.model.permission import PermissionFile
from toolsurface_lint.readers.server_lists import read_server_list
from toolsurface_lint.reporters import FORMATS, RenderOptions, render
from toolsurface_lint.source.tree import plain

KEY = "ghp_Qm3ZtR8vKc5JwXe7LbN2yHs9DfU4pGa6TiVo"
RANDOM = "w4Kz8pB2nX6rT9dL5sM3gV7h"
CALL = {"command": "npx", "args": ["notes"]}

PLACES: dict[str, tuple[Any, str]] = {
    "args": ({"command": "npx", "args": ["notes", "--token", KEY]}, "args.2"),
    "args as one text": ({"command": "npx", "args": f"notes --token {KEY}"}, "args"),
    "command": ({"command": f"npx notes --token={KEY}"}, "command"),
    "command as a list": ({"command": ["npx", "notes", KEY]}, "command.2"),
    "env": ({**CALL, "env": {"NOTES_TOKEN": RANDOM}}, "env.NOTES_TOKEN"),
    "env as a text": ({**CALL, "env": f"NOTES_TOKEN={RANDOM}"}, "env"),
    "env as a list": ({**CALL, "env": ["A=b", f"NOTES_TOKEN={RANDOM}"]}, "env.1"),
    "headers": ({"url": "https://a.example", "headers": {"X-Api-Key": RANDOM}}, "headers.X-Api-Key"),
    "headers as a list": ({"url": "https://a.example", "headers": [f"Authorization: Bearer {RANDOM}"]}, "headers.0"),
    "an object below": ({"url": "https://a.example", "oauth": {"clientSecret": RANDOM}}, "oauth.clientSecret"),
    "two objects below": ({**CALL, "settings": {"a": [{"b": KEY}]}}, "settings.a.0.b"),
    "type": ({"type": KEY, "url": "https://a.example"}, "type"),
    "url": ({"type": "http", "url": f"https://a.example/{KEY}"}, "url"),
    "the server": (f"npx notes --token {KEY}", "s"),
    "a list for the server": (["npx", "notes", KEY], "2"),
    "a second key": ({**CALL, "env": {"A": f"ghp_{'x' * 36} {KEY}"}}, "env.A"),
    "a restricted key of a test": ({**CALL, "env": {"A": "rk_test_Qm3ZtR8vKc5JwXe7LbN2yHs9"}}, "env.A"),
}


@pytest.mark.parametrize(("server", "name"), PLACES.values(), ids=PLACES)
@pytest.mark.parametrize(
    ("path", "key"), [(".mcp.json", "mcpServers"), (".vscode/mcp.json", "servers"), ("opencode.json", "mcp")]
)
@pytest.mark.parametrize("indent", [None, 1])
def test_a_secret_is_found_and_never_quoted(
    tmp_path: Path, check: Callable[..., Report], server: Any, name: str, path: str, key: str, indent: int | None
) -> None:
    file = tmp_path / path
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({key: {"s": server}}, indent=indent), encoding="utf-8")
    report = check(tmp_path)
    found = [one for one in report.diagnostics if one.code == "SERVER_SECRET"]
    assert [(one.field, one.message) for one in found] == [(f"{key}.s", f"`{name}` holds a secret in plain text")]
    for form in FORMATS:
        written = render(form, report, RenderOptions())
        assert KEY not in written
        assert RANDOM not in written


def test_a_list_that_is_a_text_holds_secrets_too() -> None:
    file = PermissionFile(plain({"mcp": KEY}), None)
    read_server_list(file, plain({"mcp": KEY}).find("mcp"), "opencode")  # type: ignore[arg-type]
    assert [(problem.kind, problem.values["name"]) for problem in file.problems] == [
        ("server/object", "mcp"),
        ("server/secret", "mcp"),
    ]


SILENT: dict[str, Any] = {
    "the name of a variable": {"url": "https://a.example", "bearer_token_env_var": "NOTES_SERVICE_PAT_2026_11_01"},
    "a description": {**CALL, "description": "A token of 32 signs, such as a1b2c3d4e5f6, is asked for once."},
    "a path": {**CALL, "env": ["TOKEN_PATH=/home/a/b7c8d9/e0f1a2b3c4d5e6f7"]},
    "a header without a value": {"url": "https://a.example", "headers": ["Authorization"]},
    "a value from elsewhere": {**CALL, "env": "NOTES_TOKEN=${NOTES_TOKEN}"},
}


@pytest.mark.parametrize("server", SILENT.values(), ids=SILENT)
def test_what_is_no_secret(server: Any) -> None:
    root = plain({"mcpServers": {"s": server}})
    file = PermissionFile(root, None)
    read_server_list(file, root.find("mcpServers"), "")  # type: ignore[arg-type]
    assert "server/secret" not in [problem.kind for problem in file.problems]


ANYTHING = st.recursive(
    st.sampled_from([None, 3, "a", KEY, f"TOKEN={RANDOM}", "=", ": "]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["command", "args", "env", "headers", "type", "url"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(ANYTHING, st.sampled_from(["", "claude-code", "codex", "opencode", "vscode"]))
def test_any_value_is_read_and_none_is_quoted(value: Any, client: str) -> None:
    root = plain({"mcpServers": value})
    file = PermissionFile(root, None)
    read_server_list(file, root.find("mcpServers"), client)  # type: ignore[arg-type]
    for problem in file.problems:
        assert KEY not in str(problem.values)
        assert RANDOM not in str(problem.values)
    keys = json.dumps(value).count(KEY)
    assert keys <= sum(problem.kind == "server/secret" for problem in file.problems)


OFF: list[tuple[str, dict[str, Any], list[str]]] = [
    ("", {"disabled": True, "type": "http"}, []),
    ("codex", {"enabled": False, "command": "a", "url": "http://a.example"}, []),
    ("codex", {"enabled": True, "command": "a", "url": "http://a.example"}, ["transport/both"]),
    ("opencode", {"enabled": False, "type": "remote"}, []),
    ("opencode", {"enabled": False, "type": "http"}, ["transport/type"]),
    ("opencode", {"enable": False, "type": "local", "command": ["a"]}, ["field"]),
    ("claude-code", {"disabled": True, "url": "http://a.example"}, []),
    # It has no switch: to correct the key would not switch the server off.
    ("claude-code", {"disable": True, "command": "a"}, []),
    ("cursor", {"enable": False, "command": "a"}, []),
]


@pytest.mark.parametrize(("client", "server", "kinds"), OFF)
def test_a_server_that_is_switched_off(client: str, server: dict[str, Any], kinds: list[str]) -> None:
    root = plain({"mcpServers": {"s": server}})
    file = PermissionFile(root, None)
    read_server_list(file, root.find("mcpServers"), client)  # type: ignore[arg-type]
    assert [problem.kind for problem in file.problems] == kinds


LINES = {
    "below the key": f'{{"mcpServers": {{"s": {{"env": {{"A_TOKEN":\n"{RANDOM}"}}, "command": "a", "args": ["a", 1]}}}}}}',
    "given twice": f'{{"mcpServers": {{"s": {{"command": "a", "env": {{"A_TOKEN": "{RANDOM}",\n"A_TOKEN": "{KEY}"}}}}}}}}',
}


@pytest.mark.parametrize("text", LINES.values(), ids=LINES)
def test_no_line_of_another_finding_quotes_a_secret(tmp_path: Path, check: Callable[..., Report], text: str) -> None:
    (tmp_path / ".mcp.json").write_text(text, encoding="utf-8")
    report = check(tmp_path)
    assert len({one.code for one in report.diagnostics}) > 1
    written = render("text", report, RenderOptions())
    assert KEY not in written
    assert RANDOM not in written
