"""Permission files and agents' tool lists against their clients: what the cases in `fixtures/rules` do not show."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolsurface_lint import check_paths
from toolsurface_lint.model.diagnostics import Diagnostic, Report
from toolsurface_lint.model.servers import Servers
from toolsurface_lint.project.settings import SettingsError

RULES = ["POLICY", "PROMPT_TOOL_NOT_GRANTED", "INPUT"]

NOTES = {
    "tools": [
        {
            "name": name,
            "description": "Looks after one note.",
            "inputSchema": {"type": "object", "properties": {"id": {"type": "string", "description": "The note."}}},
        }
        for name in ("read_note", "write_note")
    ]
}

Check = Callable[..., Report]


def write(folder: Path, files: dict[str, Any]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return folder


def brief(report: Report) -> list[tuple[str, str | None, str | None]]:
    return [(diagnostic.code, diagnostic.tool, diagnostic.help) for diagnostic in report.diagnostics]


def related(diagnostic: Diagnostic) -> list[tuple[str, str, int]]:
    return [(one.message, one.location.path, one.location.range.start.line) for one in diagnostic.related]


def settings(**lists: list[str]) -> dict[str, Any]:
    return {"permissions": lists}


# --- unknown tools ----------------------------------------------------------------------------------------------------


def test_the_help_for_an_unknown_tool(tmp_path: Path, check: Check) -> None:
    names = [
        "WebSeach",
        "WebSearchTool",
        "Gerp",
        "GlobTool",
        "Bash[make]",
        "Read docs/a.md",
        "mcp_notes_read",
        "Nonsense",
    ]
    write(tmp_path, {".claude/settings.json": settings(allow=names)})
    assert brief(check(tmp_path, select=RULES)) == [
        ("POLICY_UNKNOWN_TOOL", "WebSeach", "did you mean `WebSearch`?"),
        ("POLICY_UNKNOWN_TOOL", "WebSearchTool", "did you mean `WebSearch`?"),
        ("POLICY_UNKNOWN_TOOL", "Gerp", "did you mean `Grep`?"),
        ("POLICY_UNKNOWN_TOOL", "GlobTool", "did you mean `Glob`?"),
        ("POLICY_UNKNOWN_TOOL", "Bash[make]", "write what follows the tool in parentheses: `Bash(make)`"),
        ("POLICY_UNKNOWN_TOOL", "Read docs/a.md", "write what follows the tool in parentheses: `Read(docs/a.md)`"),
        ("POLICY_UNKNOWN_TOOL", "mcp_notes_read", "name the tools of servers as `mcp__SERVER__TOOL`"),
        ("POLICY_UNKNOWN_TOOL", "Nonsense", None),
    ]


def test_a_former_name_in_another_case_is_meant_for_what_took_its_place(tmp_path: Path, check: Check) -> None:
    # `LS` is gone since 1.0.100: the listing of folders is now `Glob`'s.
    write(tmp_path, {".claude/agents/finder.md": "---\nname: finder\ntools: Read, ls, LS, view\n---\nFind it.\n"})
    assert brief(check(tmp_path, select=["POLICY_UNKNOWN_TOOL"])) == [
        ("POLICY_UNKNOWN_TOOL", "ls", "did you mean `Glob`?"),
        ("POLICY_UNKNOWN_TOOL", "view", "did you mean `Read`?"),
    ]


def test_a_name_alike_is_a_hint_and_only_a_close_one_a_finding(tmp_path: Path, check: Check) -> None:
    # Gemini CLI may have tools that its catalogue lacks.
    text = "---\nname: a\ntools: [web_fetch_tool, web_fetchs]\n---\nText.\n"
    write(tmp_path, {".gemini/agents/a.md": text})
    assert brief(check(tmp_path, select=RULES)) == [("POLICY_UNKNOWN_TOOL", "web_fetchs", "did you mean `web_fetch`?")]


def test_a_tool_of_a_server_is_checked_against_the_server_s_list(tmp_path: Path, check: Check) -> None:
    allow = ["mcp__notes__write_nte", "mcp__notes__read_note", "mcp__other__x", "mcp__notes__*"]
    files = {".claude/settings.json": settings(allow=allow), "servers/notes/list.json": NOTES}
    (found,) = check(write(tmp_path, files), select=RULES).diagnostics
    assert (found.code, found.tool, found.field) == ("POLICY_UNKNOWN_TOOL", "write_nte", "permissions.allow")
    assert found.message == "the policy names the tool `write_nte`, which the server `notes` does not serve"
    assert related(found) == [("`write_note` is declared here", "servers/notes/list.json", 1)]


SERVE = """
from mcp.server.fastmcp import FastMCP
mcp = FastMCP("own")
@mcp.tool()
def read_note(id: str) -> str:
    "Gives one note."
    return id
{more}
"""


@pytest.mark.parametrize(
    ("more", "configured", "found"),
    [
        ("", {"mcp.json": "src/serve.py"}, ["drop_note"]),
        ("", {"mcp.json": "src/serve.py", "src/.mcp.json": "serve.py"}, ["drop_note"]),
        # Two programs under one name; tools that are not seen; a program that is not there.
        ("", {"mcp.json": "src/serve.py", "b/.mcp.json": "other.py"}, []),
        ("import os\nfor name in os.listdir('.'):\n    mcp.add_tool(eval(name))", {"mcp.json": "src/serve.py"}, []),
        ("", {"mcp.json": "gone.py"}, []),
    ],
)
def test_a_tool_of_a_server_that_a_program_of_the_project_serves(
    tmp_path: Path, check: Check, more: str, configured: dict[str, str], found: list[str]
) -> None:
    files: dict[str, Any] = {
        ".claude/settings.json": settings(allow=["mcp__notes__drop_note", "mcp__notes__read_note"]),
        "src/serve.py": SERVE.format(more=more),
        "b/other.py": SERVE.format(more="").replace("read_note", "drop_note"),
    }
    for path, program in configured.items():
        files[path] = {"mcpServers": {"notes": {"command": "python", "args": [program]}}}
    report = check(write(tmp_path, files), select=RULES)
    assert [diagnostic.tool for diagnostic in report.diagnostics] == found


SETS = "from mcp.server.fastmcp import FastMCP\nmcp = FastMCP('sets')\n@mcp.tool()\ndef drop_note() -> str:\n    'Drops.'\n"


@pytest.mark.parametrize(
    ("package", "more", "found"),
    [
        ("acme-notes", {}, ["drop_note"]),
        ("acme.acme-notes@latest", {}, ["drop_note"]),
        ("@acme/notes-list", {"packages/notes-list/tools.json": NOTES}, ["drop_note"]),
        # What may be another server of the package, another package, and one that is not of this project.
        ("acme-notes", {"src/acme_notes/sets.py": SETS}, []),
        ("acme-notes", {"sub/.mcp.json": {"mcpServers": {"a": {"command": "uvx", "args": ["other"]}}}}, []),
        (
            "acme-notes",
            {"src/acme_notes/more.py": SETS + "import os\nmcp.add_tool(eval(os.sep))\n"},
            [],
        ),
        ("notes", {}, []),
    ],
)
def test_a_tool_of_a_server_that_is_installed_from_a_package_of_the_project(
    tmp_path: Path, check: Check, package: str, more: dict[str, Any], found: list[str]
) -> None:
    files: dict[str, Any] = {
        ".claude/settings.json": settings(allow=["mcp__a__drop_note", "mcp__a__read_note"]),
        ".mcp.json": {"mcpServers": {"a": {"command": "uvx", "args": [package, "--all"]}}},
        "src/acme_notes/serve.py": SERVE.format(more=""),
        **more,
    }
    report = check(write(tmp_path, files), select=RULES)
    assert [diagnostic.tool for diagnostic in report.diagnostics] == found


SCRIPT = '[project]\nname = "acme"\n[project.scripts]\n{} = "{}:main"\n'
UV = {"command": "uv", "args": ["run", "notes-server"]}


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"pyproject.toml": SCRIPT.format("notes-server", "acme.serve")}, ["drop_note"]),
        ({"pyproject.toml": '[tool.poetry.scripts]\nnotes-server = "acme.serve:main"\n'}, ["drop_note"]),
        # The module that is run has no tools itself, and is one of the package that has them.
        ({"pyproject.toml": SCRIPT.format("notes-server", "acme.cli")}, ["drop_note"]),
        (
            {
                "pyproject.toml": SCRIPT.format("notes-server", "acme.cli"),
                "src/acme/more.py": "@app_tool()\ndef drop_note(): ...\n",
            },
            [],
        ),
        ({"pyproject.toml": SCRIPT.format("notes-server", "elsewhere.serve")}, []),
        ({"pyproject.toml": SCRIPT.format("other", "acme.serve")}, []),
        ({"pyproject.toml": "[project.scripts]\nnotes-server = 1\n"}, []),
        ({"pyproject.toml": "[project.scripts\n"}, []),
        # Two packages with a command of one name.
        (
            {
                "pyproject.toml": SCRIPT.format("notes-server", "acme.serve"),
                "b/pyproject.toml": SCRIPT.format("notes-server", "acme.serve"),
            },
            [],
        ),
        # And of one that is written in two ways: as a server's name, they are the same.
        (
            {
                "pyproject.toml": SCRIPT.format("notes-server", "acme.serve"),
                "b/pyproject.toml": SCRIPT.format("notes_server", "acme.serve"),
            },
            [],
        ),
    ],
)
def test_a_tool_of_a_server_that_a_command_of_the_project_starts(
    tmp_path: Path, check: Check, files: dict[str, str], found: list[str]
) -> None:
    project: dict[str, Any] = {
        ".claude/settings.json": settings(allow=["mcp__notes__drop_note", "mcp__notes__read_note"]),
        ".mcp.json": {"mcpServers": {"notes": UV}},
        "src/acme/serve.py": SERVE.format(more=""),
        **files,
    }
    report = check(write(tmp_path, project), select=RULES)
    assert [diagnostic.tool for diagnostic in report.diagnostics] == found


def test_the_commands_of_a_project_are_read_once_for_all_its_manifests() -> None:
    asked: list[None] = []
    servers = Servers((), lambda: asked.append(None) or {})  # type: ignore[func-returns-value]
    for name in ("a", "b", "c"):
        assert servers.started_by("manifest.json", (), name) is None
    assert len(asked) == 1


@pytest.mark.parametrize("folder", ["", "src/"])
def test_a_tool_of_a_server_that_is_started_as_a_module(tmp_path: Path, check: Check, folder: str) -> None:
    started = {"command": "python", "args": ["-m", "acme.serve"]}
    project: dict[str, Any] = {
        ".claude/settings.json": settings(allow=["mcp__notes__drop_note", "mcp__notes__read_note"]),
        ".mcp.json": {"mcpServers": {"notes": started}},
        f"{folder}acme/serve.py": SERVE.format(more=""),
    }
    report = check(write(tmp_path, project), select=RULES)
    assert [diagnostic.tool for diagnostic in report.diagnostics] == ["drop_note"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            ".codex/config.toml",
            '[mcp_servers.notes]\ncommand = "python"\nargs = ["acme/serve.py"]\nenabled_tools = ["drop_note", "read_note"]\n',
        ),
        (
            ".gemini/settings.json",
            (
                '{"mcpServers": {"notes": {"command": "python", "args": ["acme/serve.py"],'
                ' "includeTools": ["drop_note", "read_note"]}}}'
            ),
        ),
        (
            "opencode.json",
            (
                '{"mcp": {"notes": {"type": "local", "command": ["python", "acme/serve.py"]}},'
                ' "permission": {"notes_drop_note": "deny", "notes_read_note": "allow"}}'
            ),
        ),
    ],
)
def test_other_clients_start_servers_of_the_project(tmp_path: Path, check: Check, name: str, text: str) -> None:
    project: dict[str, Any] = {
        name: text,
        ".claude/settings.json": settings(allow=["mcp__notes__drop_note", "mcp__notes__read_note"]),
        "acme/serve.py": SERVE.format(more=""),
    }
    report = check(write(tmp_path, project), select=RULES)
    found = {(each.location.path, each.tool) for each in report.diagnostics if each.location is not None}
    own = set() if name == "opencode.json" else {(name, "drop_note")}
    assert found == {(".claude/settings.json", "drop_note"), *own}


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"serve.py": SERVE}, ["drop_note"]),
        # A list of servers says which program it is; an example says nothing; two may be either.
        ({"serve.py": SERVE, ".mcp.json": {"mcpServers": {"own": {"command": "uvx", "args": ["own"]}}}}, []),
        # Of one without a command, nothing is known.
        (
            {"serve.py": SERVE, ".mcp.json": {"mcpServers": {"own": {"env": {}}}}},
            ["drop_note"],
        ),
        ({"serve.py": SERVE, ".mcp.json": {"mcpServers": {"own": {"url": "https://own.example/mcp"}}}}, []),
        ({"examples/serve.py": SERVE}, []),
        ({"serve.py": SERVE, "b/serve.py": SERVE}, []),
        ({"serve.py": SERVE.replace("{more}", "import os\nmcp.add_tool(eval(os.sep))")}, []),
    ],
)
def test_a_tool_of_a_server_that_a_program_gives_its_name(
    tmp_path: Path, check: Check, files: dict[str, Any], found: list[str]
) -> None:
    project: dict[str, Any] = {
        ".claude/settings.json": settings(allow=["mcp__own__drop_note", "mcp__own__read_note"]),
        **{path: text.replace("{more}", "") if path.endswith(".py") else text for path, text in files.items()},
    }
    report = check(write(tmp_path, project), select=RULES)
    assert [diagnostic.tool for diagnostic in report.diagnostics if diagnostic.code == "POLICY_UNKNOWN_TOOL"] == found


def test_a_tool_that_its_server_does_not_serve_is_not_one_that_a_list_leaves_out(tmp_path: Path, check: Check) -> None:
    agent = "---\nname: a\ndescription: A.\ntools: Read\n---\nCall mcp__own__drop_note, then mcp__own__read_note.\n"
    report = check(write(tmp_path, {"serve.py": SERVE.format(more=""), ".claude/agents/a.md": agent}))
    assert [(each.code, each.tool) for each in report.diagnostics] == [
        ("TOOL_SURFACE_UNKNOWN_PROMPT_TOOL", "drop_note"),
        ("PROMPT_TOOL_NOT_GRANTED", "mcp__own__read_note"),
    ]


@pytest.mark.parametrize(
    "more",
    [
        {"other/notes.json": NOTES},
        {"servers/notes.json": '{"tools": [{"name": "read_note", "inputSchema": {}}, {"inputSchema": {}}]}'},
    ],
)
def test_nothing_is_said_of_two_lists_or_of_one_that_may_be_incomplete(
    tmp_path: Path, check: Check, more: dict[str, Any]
) -> None:
    files = {".claude/settings.json": settings(allow=["mcp__notes__x"]), "servers/notes.json": NOTES, **more}
    assert brief(check(write(tmp_path, files), select=RULES)) == []


def test_the_settings_name_further_tools_of_a_client(tmp_path: Path, check: Check) -> None:
    files = {
        ".claude/settings.json": settings(allow=["InternalSearch", "InternalSerch"]),
        "toolsurface.toml": '[builtin-tools]\nclaude-code = ["InternalSearch"]\n',
    }
    assert brief(check(write(tmp_path, files), select=RULES)) == [
        ("POLICY_UNKNOWN_TOOL", "InternalSerch", "did you mean `InternalSearch`?")
    ]


def test_a_client_that_nobody_knows_is_a_wrong_setting(tmp_path: Path, check: Check) -> None:
    write(tmp_path, {"toolsurface.toml": '[builtin-tools]\nclaude-cod = ["InternalSearch"]\n'})
    with pytest.raises(SettingsError, match="unknown client `claude-cod`, did you mean `claude-code`"):
        check(tmp_path, select=RULES)


def test_a_tool_of_a_server_in_copilot_s_spelling(tmp_path: Path, check: Check) -> None:
    tools = ["notes/read_note", "notes/drop_note", "notes/*", "note/*", "search/codebase"]
    text = f"---\ndescription: a\ntools: {tools}\n---\nText.\n"
    files = {
        ".github/agents/a.agent.md": text,
        "servers/notes.json": NOTES,
        ".vscode/mcp.json": {"servers": {"notes_": {"command": "run"}, "notes": {"command": "run"}}},
    }
    report = check(write(tmp_path, files), select=RULES)
    assert [(d.code, d.message) for d in report.diagnostics] == [
        ("POLICY_UNKNOWN_TOOL", "the policy names the tool `drop_note`, which the server `notes` does not serve"),
    ]


def test_a_policy_of_the_settings_may_be_a_client_s(tmp_path: Path, check: Check) -> None:
    files = {
        ".claude/settings.json": settings(allow=["Bash(", "read_note"]),
        "tools.json": NOTES,
        "toolsurface.toml": '[[surface]]\nname = "notes"\ntools = "tools.json"\npolicy = ".claude/settings.json"\n',
    }
    report = check(write(tmp_path, files), select=["POLICY", "INPUT"])
    assert [(d.code, d.surface) for d in report.diagnostics] == [("POLICY_INVALID_RULE", "notes")]
    assert report.summary["policies"] == 1


def test_a_given_file_is_checked_with_what_lies_beside_it(tmp_path: Path, check: Check) -> None:
    files = {
        ".claude/settings.json": settings(allow=["mcp__ticket__list"]),
        ".mcp.json": {"mcpServers": {"tickets": {"command": "run"}}},
    }
    (found,) = check(write(tmp_path, files), ".claude/settings.json", select=RULES).diagnostics
    assert found.code == "POLICY_UNKNOWN_SERVER"
    assert related(found) == [("`tickets` is declared here", ".mcp.json", 1)]


def test_settings_outside_of_a_claude_folder_name_the_servers_of_other_projects(tmp_path: Path, check: Check) -> None:
    named = {"enabledMcpjsonServers": ["memos"]}
    files = {
        ".mcp.json": {"mcpServers": {"tickets": {"command": "run"}}},
        "components/settings/memos.json": named,
        ".claude/settings.json": named,
    }
    (found,) = check(write(tmp_path, files), select=RULES).diagnostics
    assert (found.code, found.location and found.location.path) == ("POLICY_UNKNOWN_SERVER", ".claude/settings.json")


# --- conflicts and shadows --------------------------------------------------------------------------------------------


def test_what_decides_is_shown(tmp_path: Path, check: Check) -> None:
    text = (
        '{"permissions": {\n"allow": ["Bash(git push)",\n"Bash(make *)"],\n"deny": ["Bash(git *)",\n"Bash(make:*)"]}}'
    )
    shadowed, conflict = check(write(tmp_path, {".claude/settings.json": text}), select=RULES).diagnostics
    assert (shadowed.code, shadowed.field) == ("POLICY_SHADOWED_RULE", "permissions.allow")
    assert related(shadowed) == [("this rule decides: `deny`", ".claude/settings.json", 4)]
    assert (conflict.code, conflict.field) == ("POLICY_CONFLICT", "permissions.allow")
    assert related(conflict) == [("the other one is here, with `deny`", ".claude/settings.json", 5)]


def test_agents_of_one_opencode_file_do_not_shadow_each_other(tmp_path: Path, check: Check) -> None:
    value = {"permission": {"bash": "ask"}, "agent": {"a": {"permission": "deny"}, "b": {"permission": "allow"}}}
    assert brief(check(write(tmp_path, {"opencode.json": value}), select=RULES)) == []


# --- tools that are not granted ---------------------------------------------------------------------------------------


def agent(tools: str, text: str) -> dict[str, Any]:
    return {".claude/agents/a.md": f"---\nname: a\ndescription: b\ntools: {tools}\n---\n{text}\n"}


@pytest.mark.parametrize(
    "text",
    [
        "Use the WebSearch tool.",
        "Always call `WebSearch` first.",
        "Look it up with the `WebSearch` tool.",
        "Look it up using the WebSearch tool, if you must.",
    ],
)
def test_an_order_to_use_a_tool_that_the_list_leaves_out(tmp_path: Path, check: Check, text: str) -> None:
    (found,) = check(write(tmp_path, agent("Read, Grep", text)), select=RULES).diagnostics
    assert (found.code, found.tool, found.field) == ("PROMPT_TOOL_NOT_GRANTED", "WebSearch", "tools")
    assert related(found) == [("the list is here", ".claude/agents/a.md", 4)]
    assert found.location is not None
    assert found.location.range.start.line == 6


@pytest.mark.parametrize(
    ("tools", "text"),
    [
        ("Read, Grep", "Never use the WebSearch tool."),
        ("Read, Grep", "There is no `WebSearch` tool."),
        ("Read, Grep", "Use the WebSearch tool if available."),
        ("Read, Grep", "Do this without using the WebSearch tool."),
        ("Read, Grep", "WebSearch results may be old. A `WebSearch` costs time."),
        ("Read, Grep", "- Show the assistant using the WebSearch tool to look it up."),
        ("Read, Grep", "**Valid tools**:\n- Read, Write\n- WebSearch\n- Grep"),
        ("Read, Grep", "```\nUse the WebSearch tool.\n```"),
        ("Read, Grep", "Use `Write` as the title, and use `Edit` below."),
        ("Read, WebSearch", "Use the WebSearch tool."),
        ("'*'", "Use the WebSearch tool."),
        ("", "Use the WebSearch tool."),
        ("Read, Task", "Use the Agent tool."),
        ("Read, mcp__notes", "Use `mcp__notes__read_note`."),
    ],
)
def test_what_is_no_such_order(tmp_path: Path, check: Check, tools: str, text: str) -> None:
    assert brief(check(write(tmp_path, agent(tools, text)), select=RULES)) == []


def test_a_fix_that_writes_nothing_removes() -> None:
    folder = Path(__file__).resolve().parents[2] / "fixtures/rules/POLICY_PATTERN_NEVER_MATCHES/fires-gemini-policy"
    found = check_paths([str(folder)], select=["POLICY_PATTERN_NEVER_MATCHES"]).diagnostics
    assert "remove `^`" in [one.fix.title for one in found if one.fix is not None]
