"""Which documents meet in one surface, and which of their findings are reported."""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path

import pytest

from tests.files import write_files
from toolsurface_lint import check_paths
from toolsurface_lint.model.diagnostics import Report, Skipped
from toolsurface_lint.reporters import render

TOOLS = json.dumps(
    {
        "_type": "tool_registry",
        "tools": [
            {
                "name": "read_file",
                "description": "Read one file.",
                "parameters": {"path": "string"},
                "executor": "harn",
                "annotations": {"kind": "read", "side_effect_level": "read_only"},
            }
        ],
    }
)
PROMPT = "Use read_file({ path: 1 }) and then read_flie({ path: 2 }).\n"
UNKNOWN = "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"


def found(paths: list[str], **options: object) -> list[tuple[str | None, str]]:
    report = check_paths(paths, select=[UNKNOWN], **options)
    return [
        (diagnostic.location.path if diagnostic.location else None, diagnostic.code)
        for diagnostic in report.diagnostics
    ]


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_prompt_joins_the_tools_below_its_lowest_ancestor_that_has_any(tmp_path: Path) -> None:
    other = TOOLS.replace("read_file", "read_flie")
    write_files(
        tmp_path,
        {
            "coder/tools/tools.json": TOOLS,
            "coder/prompts/system.md": PROMPT,
            "other/tools.json": other,
            "other/prompts/system.md": PROMPT,
        },
    )
    assert found(["."]) == [("coder/prompts/system.md", UNKNOWN), ("other/prompts/system.md", UNKNOWN)]


def test_files_given_by_name_are_one_surface_wherever_they_lie(tmp_path: Path) -> None:
    write_files(tmp_path, {"a/tools.json": TOOLS, "b/note.md": PROMPT})
    assert found(["a/tools.json", "b/note.md"]) == [("b/note.md", UNKNOWN)]


AGENTS = {
    ".git/HEAD": "",
    "coder/tools.json": TOOLS,
    "coder/policy.json": '{"tools": ["read_file"], "side_effect_level": "read_only"}',
    "deployer/tools.json": TOOLS.replace("read_file", "deploy_app")
    .replace('"read"', '"execute"')
    .replace("read_only", "process_exec"),
    "deployer/prompts/system.md": "Use deploy_app({ path: 1 }) and then read_file({ path: 2 }).\n",
}


def test_given_files_keep_the_surfaces_that_the_walk_infers(tmp_path: Path) -> None:
    write_files(tmp_path, AGENTS)
    walked = check_paths(["."]).to_dict()
    report = check_paths([path for path in AGENTS if not path.startswith(".git/")]).to_dict()
    assert [(found["code"], found["path"]) for found in report["diagnostics"]] == [
        (UNKNOWN, "deployer/prompts/system.md")
    ]
    assert report["diagnostics"] == walked["diagnostics"]
    assert report["surfaces"] == walked["surfaces"]


def test_a_given_file_beside_no_tools_joins_those_of_the_other_given_files(tmp_path: Path) -> None:
    write_files(tmp_path, {**AGENTS, "apart/.git/HEAD": "", "apart/notes.md": PROMPT})
    notes = "apart/notes.md"
    assert found(["coder/tools.json", notes]) == [(notes, UNKNOWN)]
    for others in ([], ["coder/tools.json", "deployer/tools.json"]):
        report = check_paths([*others, notes])
        assert notes not in {found.location.path for found in report.diagnostics if found.location}
        assert report.without_tools == (notes,)
        assert "1 prompt was checked against no tools: apart/notes.md." in render("concise", report)
    assert check_paths(["coder/tools.json", notes]).without_tools == ()


LAYOUT = {
    ".git/HEAD": "",
    "AGENTS.md": "Call read_file({ path: 1 }), then deploy_ap({ path: 2 }) or red_file({ path: 3 }).\n",
    "policy.json": '{"tools": ["read_file", "raed_file"], "side_effect_level": "read_only"}',
    "one/coder/tools/tools.json": TOOLS,
    "one/coder/prompts/system.md": PROMPT,
    "one/policies/policy.json": '{"tools": ["read_flie"]}',
    "one/prompts/a.md": PROMPT,
    "two/deployer/tools.json": AGENTS["deployer/tools.json"],
    "two/deployer/prompts/system.md": AGENTS["deployer/prompts/system.md"],
    "two/deployer/more/policy.json": '{"tools": ["deploy_ap"]}',
    "two/writer/prompts/system.md": "Call deploy_app({ path: 1 }), then write_file({ path: 2 }).\n",
    "two/server.py": "from mcp.server.fastmcp import FastMCP\n\nserver = FastMCP('x')\n\n\n@server.tool()\n"
    'def send_mail(to: str) -> str:\n    """Send a mail, as deploy_apps does."""\n    return to\n',
    ".mcp.json": '{"mcpServers": {"notes": {"command": "notes"}}}',
    ".claude/settings.json": '{"permissions": {"allow": ["mcp__notes__add_nate", "mcp__nots__add_note"]}}',
    "two/notes/tools.json": '{"tools": [{"name": "add_note", "description": "Add a note.", "inputSchema": {"type": "object"}}]}',
    "two/prompts/mail.md": "Call send_mail({ to: 1 }), then send_mial({ to: 2 }).\n",
}


def _touching(report: Report, paths: set[str]) -> set[tuple[str, str, str]]:
    return {
        (found.location.path, found.code, found.message)
        for found in report.diagnostics
        if found.location
        and not paths.isdisjoint({found.location.path, *(related.location.path for related in found.related)})
    }


# Permissions for the tools of a server are in no surface with them.
FILES = [path for path in LAYOUT if path not in (".git/HEAD", "two/notes/tools.json")]
FOLDERS = ["one/policies", "one/prompts", "two/deployer/prompts", "two/deployer/more", "two/writer", "two/prompts"]


@pytest.mark.parametrize(
    "given",
    [
        [[path] for path in FILES],
        [[folder] for folder in FOLDERS],
        pytest.param([[*pair] for pair in itertools.combinations(FILES, 2)], marks=pytest.mark.slow),
    ],
    ids=["files", "folders", "pairs of files"],
)
def test_what_is_given_meets_what_it_meets_when_all_is_checked(tmp_path: Path, given: list[list[str]]) -> None:
    write_files(tmp_path, LAYOUT)
    walked = check_paths(["."])
    assert len(_touching(walked, set(FILES))) > 7
    for paths in given:
        inside = {path for path in FILES if any(path == one or path.startswith(one + "/") for one in paths)}
        assert _touching(check_paths(paths), inside) == _touching(walked, inside), paths


def _opened(paths: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    """How many files are opened for some paths."""
    opened: list[object] = []
    kept = os.open

    def counting(path: object, *arguments: object, **options: object) -> int:
        opened.append(path)
        return kept(path, *arguments, **options)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr("os.open", counting)
        check_paths(paths)
    return len(opened)


MESSAGES = json.dumps({"messages": [{"role": "user", "content": "Hello."}]})


@pytest.mark.parametrize(
    "neighbour", ["agents/a{:03}/tools.json", "agents/a{:03}/prompts/system.md", "runs/{:03}.json"]
)
def test_a_file_is_checked_without_reading_what_it_does_not_meet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, neighbour: str
) -> None:
    write_files(tmp_path, {".git/HEAD": "", "agents/me/tools.json": TOOLS, "agents/me/prompts/a.md": PROMPT})
    texts = {"tools.json": TOOLS.replace("read_file", "other"), "system.md": PROMPT}
    counts = []
    for number in (100, 300):
        new = {}
        for index in range(number):
            path = neighbour.format(index)
            new[path] = texts.get(os.path.basename(path), MESSAGES)
            if path.endswith("system.md"):
                new[f"agents/a{index:03}/tools.json"] = texts["tools.json"]
        write_files(tmp_path, new)
        counts.append(_opened(["agents/me/prompts/a.md"], monkeypatch))
        assert found(["agents/me/prompts/a.md"]) == [("agents/me/prompts/a.md", UNKNOWN)]
    assert counts[0] == counts[1] < 60


def test_a_transcript_is_followed_only_if_it_or_its_folder_is_named(tmp_path: Path) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "read_flie", "arguments": "{}"}}
    turns = [{"role": "assistant", "content": None, "tool_calls": [call]}]
    turns += [{"role": "tool", "tool_call_id": "1", "content": "Text."}]
    write_files(tmp_path, {".git/HEAD": "", "tools.json": TOOLS, "runs/1.json": json.dumps({"messages": turns})})
    for paths, followed in ((["."], 1), (["runs"], 1), (["runs/1.json"], 1), (["tools.json"], 0)):
        report = check_paths(paths, select=["CALL_UNKNOWN_TOOL"])
        assert (report.summary["transcripts"], len(report.diagnostics)) == (followed, followed), paths


def test_that_transcripts_were_left_unread_is_said(tmp_path: Path) -> None:
    write_files(tmp_path, {"tools.json": TOOLS, **{f"runs/{number}.json": MESSAGES for number in range(40)}})
    reason = "32 of 40 files named like `0.json` are transcripts: not read"
    assert check_paths(["tools.json"]).skipped == (Skipped("runs", reason),)
    assert check_paths(["."]).skipped == ()
    write_files(tmp_path, {"runs/10.json": "[]"})
    assert check_paths(["tools.json"]).skipped == ()


def test_a_given_tool_file_shows_the_stale_prompt_beside_it(tmp_path: Path) -> None:
    write_files(tmp_path, {".git/HEAD": "", "agent/tools/tools.json": TOOLS, "agent/prompts/system.md": PROMPT})
    assert found(["agent/tools/tools.json"]) == [("agent/prompts/system.md", UNKNOWN)]


def test_a_finding_that_touches_no_given_file_is_not_reported(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            ".git/HEAD": "",
            "tools/tools.json": TOOLS,
            "prompts/stale.md": PROMPT,
            "prompts/fine.md": "Use read_file({ path: 1 }).\n",
        },
    )
    assert found(["prompts/fine.md"]) == []


def test_a_surface_of_the_settings_is_loaded_whole_from_any_of_its_parts(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "toolsurface.toml": '[[surface]]\nname = "x"\ntools = "a/tools/*.json"\nprompts = "b/*.md"\n',
            "a/tools/tools.json": TOOLS,
            "b/note.md": PROMPT,
            "b/other/unrelated.md": PROMPT,
        },
    )
    expected = [("b/note.md", UNKNOWN)]
    assert found(["."]) == expected
    assert found(["b"]) == expected
    assert found(["a/tools/tools.json"]) == expected
    assert found(["b/note.md"]) == expected


def test_an_inferred_surface_is_silent_about_a_name_that_is_close_to_none_in_a_prompt_that_names_no_tool(
    tmp_path: Path,
) -> None:
    write_files(tmp_path, {"tools.json": TOOLS, "prompts/a.md": "Call deploy_service({ now: true }).\n"})
    assert found(["."]) == []
    write_files(tmp_path, {"prompts/b.md": "Call deploy_service({ now: true }) after read_file({ path: 1 }).\n"})
    assert found(["."]) == [("prompts/b.md", UNKNOWN)]


def test_many_undeclared_names_count_where_the_passage_speaks_of_the_tools(tmp_path: Path) -> None:
    others = "\n".join(f"- Use `find_{name}` on the other server." for name in ("mail", "note", "file", "user"))
    write_files(tmp_path, {"tools.json": TOOLS, "prompts/a.md": f"{others}\n\nUse `read_file`.\n"})
    assert found(["."]) == []
    text = f"{others}\n\nUse `read_file`, and then call `deploy_service`.\n"
    write_files(tmp_path, {"prompts/a.md": text})
    assert found(["."]) == [("prompts/a.md", UNKNOWN)]


@pytest.mark.parametrize("around", ["<example>\n{}\n</example>\n", "## Example\n\n{}\n"])
def test_a_call_in_an_example_of_another_task_is_of_another_surface(tmp_path: Path, around: str) -> None:
    prompt = "Look with read_file({ path: 1 }).\n\n"
    example = "Assistant: find_flights({ to: 1 }) gives two flights."
    write_files(tmp_path, {"tools.json": TOOLS, "prompts/a.md": prompt + around.format(example)})
    assert found(["."]) == []
    example += "\nAssistant: read_file({ path: 2 })"
    write_files(tmp_path, {"prompts/a.md": prompt + around.format(example)})
    assert found(["."]) == [("prompts/a.md", UNKNOWN)]


def test_a_tool_list_that_is_partly_unreadable_makes_its_surface_open(tmp_path: Path) -> None:
    write_files(tmp_path, {"tools.json": TOOLS, "more_tools.json": '[{"name": "x", ', "prompts/a.md": PROMPT})
    assert found(["."]) == []


def test_standard_input_takes_the_place_of_the_file_that_it_is_named_after(tmp_path: Path) -> None:
    write_files(tmp_path, {"tools.json": TOOLS, "prompts/a.md": "Nothing here.\n"})
    assert found([], stdin=PROMPT.encode(), stdin_filename="prompts/a.md") == [("prompts/a.md", UNKNOWN)]


def test_the_outcome_is_the_same_when_documents_are_dropped_and_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(
        tmp_path, {"tools.json": TOOLS, "prompts/a.md": PROMPT, "policy.toml": 'tools = ["read_file", "rad_file"]\n'}
    )
    kept = check_paths(["."]).to_dict()
    monkeypatch.setattr("toolsurface_lint.project.project.KEPT_TEXT", 0)
    assert check_paths(["."]).to_dict() == kept
    assert kept["summary"]["warning"] == 2


SETTINGS = """\
[[surface]]
name = "coder"
tools = ["agents/tools/*.json", "lost/*.json"]
policy = "agents/policy.toml"
prompts = ["agents/**/*.md"]
transcripts = ["runs/*.jsonl"]
"""


def test_a_glob_of_a_surface_that_matches_no_file_is_accounted_for(tmp_path: Path) -> None:
    write_files(tmp_path, {"toolsurface.toml": SETTINGS, "agents/tools/t.json": TOOLS, "agents/p.md": PROMPT})
    # There need not be a transcript yet.
    missing = [
        Skipped(glob, f"no file matches `{glob}` of surface `coder`") for glob in ("agents/policy.toml", "lost/*.json")
    ]
    assert sorted(check_paths(["."]).skipped) == missing
    assert sorted(check_paths([str(tmp_path)]).skipped) == missing
    # Of one folder, nobody knows what the others hold.
    assert check_paths(["agents"]).skipped == ()
    assert check_paths(["agents/p.md"]).skipped == ()


def test_the_settings_are_read_and_not_skipped(tmp_path: Path) -> None:
    write_files(tmp_path, {"toolsurface.toml": 'fail-on = "error"\n', "other/toolsurface.toml": "", "t.json": TOOLS})
    assert [skipped.path for skipped in check_paths(["."]).skipped] == ["other/toolsurface.toml"]


SERVER = """from mcp.server.fastmcp import FastMCP

mcp = FastMCP("notes")


@mcp.tool()
def {name}(path: str) -> str:
    return path
"""


def tools_of(paths: list[str], **options: object) -> list[str]:
    report = check_paths(paths, **options)
    return [name for surface in report.surfaces for name in surface.tools]


def test_files_of_tests_are_no_part_of_a_surface_unless_the_settings_say_so(tmp_path: Path) -> None:
    server = "tests/servers/notes.py"
    write_files(
        tmp_path,
        {
            "notes/server.py": SERVER.format(name="read_note"),
            "contest/tools.py": SERVER.format(name="list_contests"),
            server: SERVER.format(name="write_note"),
            "app/integration_tests/helpers.py": SERVER.format(name="drop_note"),
            "app/testdata/listed.golden.json": TOOLS,
            "tests/data/tools.json": TOOLS,
            "tests/prompts/system.md": "Call red_fil({}).\n",
            "skills/review/evals/fixtures/prompts/system.md": "Call red_fil({}).\n",
        },
    )
    among_tests = "part of tests"
    report = check_paths(["."])
    assert [name for surface in report.surfaces for name in surface.tools] == ["list_contests", "read_note"]
    assert [(each.path, each.reason) for each in report.skipped] == [
        ("app/integration_tests/helpers.py", among_tests),
        ("app/testdata/listed.golden.json", among_tests),
        ("skills/review/evals/fixtures/prompts/system.md", among_tests),
        ("tests/data/tools.json", among_tests),
        ("tests/prompts/system.md", among_tests),
        (server, among_tests),
    ]
    assert "read_file" in tools_of(["tests"])
    # Naming it says nothing, as hooks name every file that has changed; a kind does.
    assert tools_of([server]) == []
    assert tools_of([server], kind="tools") == ["write_note"]
    (tmp_path / "toolsurface.toml").write_text('[kinds]\n"tests/servers/*.py" = "tools"\n', encoding="utf-8")
    assert tools_of(["."]) == ["list_contests", "read_note", "write_note"]


def test_a_project_that_lies_in_a_folder_of_tests_is_not_one_of_tests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path, {"tests/notes/server.py": SERVER.format(name="read_note")})
    monkeypatch.chdir(tmp_path / "tests/notes")
    assert tools_of(["."]) == ["read_note"]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tests/notes/.git").mkdir()
    assert tools_of(["tests/notes"]) == ["read_note"]


@pytest.mark.parametrize("role", ["policy", "approval-policy"])
def test_a_file_of_either_policy_role_has_both_of_its_policies_checked(tmp_path: Path, role: str) -> None:
    write_files(
        tmp_path,
        {
            "toolsurface.toml": f'[[surface]]\nname = "x"\ntools = "t.json"\n{role} = "x.json"\n',
            "t.json": TOOLS,
            "x.json": '{"policy": {"tools": ["rad_file"]}, "approval_policy": {"auto_deny": ["red_file"]}}',
        },
    )
    report = check_paths(["."])
    assert report.summary["policies"] == 2
    messages = " ".join(found.message for found in report.diagnostics)
    assert "`rad_file`" in messages
    assert "`red_file`" in messages


@pytest.mark.parametrize("folder", [".", "../../..", ".claude"])
def test_what_a_file_is_does_not_depend_on_the_working_directory(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor on the folders above its repository: the worktrees of a client lie in one of its own."""
    repository = tmp_path / ".claude" / "worktrees" / "one"
    files = {
        ".git/HEAD": "ref: refs/heads/main\n",
        ".claude/settings.json": '{"hooks": {"PreToolUse": [{"matcher": "Bsh", "hooks": []}]}}',
        ".claude/skills/fill/SKILL.md": "---\nname: fill\ndescription: Fills.\nallowed-tools: Bsh\n---\nFill it.\n",
        "prompts/system.md": "Call `read_flie({})` first.\n",
        "tools.json": '[{"name": "read_file", "description": "Read a file.", "input_schema": {"type": "object"}}]',
    }
    write_files(repository, files)
    monkeypatch.chdir(repository / folder)
    found = check_paths([str(repository)], select=["HOOK", "POLICY", "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"]).diagnostics
    assert sorted(diagnostic.code for diagnostic in found) == [
        "HOOK_MATCHER_NEVER_MATCHES",
        "POLICY_UNKNOWN_TOOL",
        "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL",
    ]
