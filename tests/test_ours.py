"""Which files are ours: what is wrong with any other is not reported, and the report says that it was not read."""

import json
from pathlib import Path

import pytest

from tests.files import write_files
from toolsurface_lint import check_paths
from toolsurface_lint.model.diagnostics import Skipped

TOOL = '{"name": "read_file", "description": "Read a file.", "input_schema": {"type": "object", "properties": {}}}'


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def codes(*paths: str, **options: object) -> list[str]:
    return [diagnostic.code for diagnostic in check_paths(list(paths), **options).diagnostics]  # type: ignore[arg-type]


FOREIGN = {
    "app.test.ts.snap": "// Jest Snapshot v1\n\nexports[`App renders 1`] = `\n<div>{tools}</div>\n`;\n",
    "render.snap": "---\nsource: src/render.rs\nexpression: output\n---\n[tool] ok {\n",
    ".eslintrc.json": '{\n  // one\n  "root": true,\n}\n',
    "launchSettings.json": '{"profiles": {"web": {}}, "profiles": {}}\n',
    "invalid.json": "not json at all\n",
    "broken.yaml": "updates:\n  - package: x\n interval: daily\n",
    "pyproject.toml": "[project]\nname = \n",
    "metrics.jsonl": '{\n  "count": 1,\n  "rate": 2\n}\n',
    "big.py": b"# \xff\xfe latin\n",
    "toolbox.json": "[",
    # The manifest of a directory of servers, which has the keys of a surface.
    "glama.json": json.dumps(
        {
            "$schema": "https://glama.ai/mcp/schemas/server.json",
            "name": "governance",
            "system": "Governs what agents do.",
            "tools": [{"name": "check_policy", "description": "Checks an action against a policy."}],
        }
    ),
}


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("given", [False, True])
def test_what_is_wrong_with_a_file_of_others_is_no_finding(tmp_path: Path, name: str, given: bool) -> None:
    write_files(tmp_path, {name: FOREIGN[name], "agent/a.json": TOOL})
    report = check_paths([name, "agent/a.json"] if given else ["."])
    assert [diagnostic.code for diagnostic in report.diagnostics if diagnostic.code.startswith("INPUT_")] == []
    assert [skipped.path for skipped in report.skipped] == [name]
    assert {diagnostic.path for diagnostic in report.diagnostics} <= {"agent/a.json"}


LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 47306\n"


def test_a_file_that_git_has_not_fetched_is_not_broken(tmp_path: Path) -> None:
    prompt = "Call the `read_file` tool, then the `write_text` tool.\n"
    write_files(tmp_path, {"agent/a.json": f"[{TOOL}]", "agent/data.json": LFS, "agent/system.md": prompt})
    unknown = ["TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"]
    assert codes(".", select=["INPUT", *unknown]) == unknown
    write_files(tmp_path, {"agent/tools.json": LFS})
    report = check_paths(["."], select=["INPUT", *unknown])
    assert report.diagnostics == ()
    assert Skipped("agent/tools.json", "kept by Git LFS, and not fetched") in report.skipped
    assert [surface.open for surface in report.surfaces] == [True]


def test_a_skipped_file_has_its_reason_and_the_position_at_which_it_broke_off(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.snap": FOREIGN["app.test.ts.snap"], "b.yaml": FOREIGN["broken.yaml"], "a.json": TOOL})
    report = check_paths(["."])
    assert report.skipped == (
        Skipped("a.snap", "not recognised, and not JSON", 3, 1),
        Skipped("b.yaml", "not recognised, and not YAML", 3, 2),
    )
    assert report.to_dict()["skipped"][0] == {
        "path": "a.snap", "reason": "not recognised, and not JSON", "line": 3, "column": 1,
    }  # fmt: skip


BROKEN = "{"


def test_a_kind_standard_input_the_settings_and_a_name_each_make_a_file_ours(tmp_path: Path) -> None:
    names = ("x.json", ".mcp.json", ".claude/settings.json", "mine/tools.json", "s/x.json", "k/x.json")
    settings = '[kinds]\n"k/*" = "tools"\n[[surface]]\nname = "s"\ntools = ["s/*"]\n'
    write_files(tmp_path, {**dict.fromkeys(names, BROKEN), "toolsurface.toml": settings})
    assert codes("x.json") == []
    assert codes("x.json", kind="tools") == ["INPUT_SYNTAX_ERROR"]
    assert codes(stdin=BROKEN.encode(), stdin_filename="x.json") == ["INPUT_SYNTAX_ERROR"]
    for name in names[1:]:
        assert codes(name) == ["INPUT_SYNTAX_ERROR"]
    assert codes(".") == ["INPUT_SYNTAX_ERROR"] * 5


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", f'{{"tools": [{TOOL}, {{"name": "write'),
        ("a.snap", f"[{TOOL}, oops]"),
        ("a.yaml", "tools:\n  - name: read_file\n    input_schema:\n      type: object\n   - name: x\n"),
        ("a.toml", '[[rule]]\ntoolName = "run_shell_command"\ndecision = "deny"\nargsPattern = "\\."\n'),
        ("a.toml", '[[rule]]\ntoolName = "glob"\ndecision = "deny"\n[[rule]]\nmodes = [\n  "plan",\n  oops\n]\n'),
        ("a.json", TOOL.encode()[:-1] + b', "x": "\xff"}'),
        ("a.jsonl", json.dumps([json.loads(TOOL)], indent=2)),
        ("a.jsonl", '{\n  "messages": [\n    {"role": "user", "content": "Hello"},\n    {"role": "assistant"\n'),
    ],
)
def test_what_can_be_read_of_a_broken_file_makes_it_ours(tmp_path: Path, name: str, content: str | bytes) -> None:
    write_files(tmp_path, {name: content})
    found = codes(".")
    assert len(found) == 1
    assert found[0] in ("INPUT_SYNTAX_ERROR", "INPUT_UNREADABLE")


def test_a_recognised_file_is_held_to_what_its_host_reads(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.json": TOOL[:-1] + ",}", "b.json": TOOL.replace('{"name"', '{"name": "x", "name"', 1)})
    assert codes(".") == ["INPUT_NOT_STRICT_JSON", "INPUT_DUPLICATE_KEY"]


def test_front_matter_that_cannot_be_read_is_one_finding(tmp_path: Path) -> None:
    matter = "---\nname: daily\nusage: /daily a\nusage: /daily b\n```\n---\nReport.\n"
    write_files(tmp_path, {".claude/commands/daily.md": matter})
    assert codes(".") == ["INPUT_FRONT_MATTER"]


def test_text_after_the_object_of_a_file_is_one_finding(tmp_path: Path) -> None:
    pretty = json.dumps({"tools": [json.loads(TOOL)]}, indent=2)
    lines = "\n".join(f"and line {number}" for number in range(50))
    write_files(tmp_path, {"a.json": f"{pretty}\n{lines}\n", "b.json": f"{TOOL}\n{lines}\n"})
    report = check_paths(["."])
    assert [(found.code, found.location and found.location.range.start.line) for found in report.diagnostics] == [
        ("INPUT_SYNTAX_ERROR", pretty.count("\n") + 2),
        ("INPUT_SYNTAX_ERROR", 2),
    ]
    assert report.diagnostics[1].message.endswith("; 49 other lines cannot be read either")


def test_json_lines_with_many_broken_lines_are_one_finding(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.jsonl": f"{TOOL}\noops\n{TOOL}\noops\n"})
    assert codes("a.jsonl").count("INPUT_SYNTAX_ERROR") == 1


def test_recorded_tool_lists_in_snapshots_are_read(tmp_path: Path) -> None:
    write_files(tmp_path, {"__toolsnaps__/read_file.snap": TOOL.replace("Read a file.", "")})
    assert codes(".") == ["TOOL_DESCRIPTION_MISSING"]


@pytest.mark.parametrize(
    "name",
    [".cursor/rules/web.mdc", "rules/web.mdc", ".cursor/rules/web.md", ".windsurf/rules/web.md", "prompts/web.md"],
)
def test_front_matter_is_read_as_the_client_reads_it_whose_file_it_is(tmp_path: Path, name: str) -> None:
    text = "---\ndescription: Rules: for the web\nglobs: **/*\nalwaysApply: false\n---\nUse tabs.\n"
    write_files(tmp_path, {name: text, "agents/web.md": text.replace("globs", "files")})
    assert [found.location and found.location.path for found in check_paths(["."]).diagnostics] == ["agents/web.md"]


FUNCTION = {"name": "read_file", "description": "Read a file.", "parameters": {"type": "object", "properties": {}}}
CALL = {"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}
NO_DEFINITIONS = {
    "config.yaml": "tool_search:\n  enabled: true\ntools:\n  - name: web_search\n    group: web\n    use: app:search\n",
    "agent.manifest.yaml": "name: lending\nparameters:\n  properties:\n    - name: SHELF\n      description: Which.\n",
    "model.yaml": "name: ggml-q4\nparameters:\n  model: ggml-q4\n  temperature: 0.2\nbackend: llama\n",
    "choice.json": json.dumps({"type": "function", "function": {"name": "read_file"}}),
    "allowed.json": json.dumps({"type": "allowed_tools", "tools": [{"type": "function", "name": "read_file"}]}),
    "call.json": json.dumps(CALL),
    "calls.json": json.dumps([CALL, {**CALL, "id": "call_2"}]),
    "message.json": json.dumps(
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": ""}]}
    ),
    "built.py": f"messages = [{{'role': 'assistant', 'tool_calls': [{CALL!r}]}}]\n",
    "chosen.py": "request = dict(tool_choice={'type': 'function', 'function': {'name': 'read_file'}})\n",
}


@pytest.mark.parametrize("name", NO_DEFINITIONS)
def test_what_has_a_name_and_nothing_that_only_a_definition_has_defines_no_tool(tmp_path: Path, name: str) -> None:
    write_files(tmp_path, {name: NO_DEFINITIONS[name], "agent/tools.json": json.dumps([FUNCTION])})
    report = check_paths(["."])
    assert report.diagnostics == ()
    assert [skipped.path for skipped in report.skipped] == [name]


def test_the_list_decides_the_format_of_its_entries(tmp_path: Path) -> None:
    listed = {"name": "read_file", "description": "Read a file.", "inputSchema": {"type": "object", "properties": {}}}
    bare = {"name": "write_file", "description": "Write a file."}
    nested = {"type": "function", "function": FUNCTION}
    write_files(
        tmp_path,
        {
            "mcp/list.json": json.dumps({"tools": [listed, bare]}),
            "extra/list.json": json.dumps({"tools": [listed, {**bare, "execution": {}}]}),
            "catalogue/tools.json": json.dumps([bare, {"name": "read_file", "description": "Read a file."}]),
            "hinted/tools.json": json.dumps([bare, {**bare, "name": "a", "annotations": {"readOnlyHint": True}}]),
            "bare/tools.json": json.dumps([{"type": "function", "function": {"name": "write_file"}}]),
            "openai/list.json": json.dumps([nested, {"type": "function", "function": {"name": "write_file"}}]),
            "custom/list.json": json.dumps([nested, {"type": "custom", "name": "code", "description": "Run."}]),
        },
    )
    missing = [
        found.location.path.partition("/")[0]
        for found in check_paths(["."]).diagnostics
        if found.location is not None and found.code == "TOOL_SURFACE_MISSING_SCHEMA"
    ]
    assert missing == ["bare", "extra", "mcp", "openai"]
