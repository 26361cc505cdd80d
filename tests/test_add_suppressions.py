"""Adding suppressions: what is found is hidden, nothing else changes, and a second time there is nothing to do."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.long import examples
from toolsurface_lint.api import check_project
from toolsurface_lint.model.diagnostics import INLINE, SETTINGS, Report
from toolsurface_lint.project.project import Project
from toolsurface_lint.project.settings import FileIgnore
from toolsurface_lint.project.settings.loading import load_settings
from toolsurface_lint.run.add_suppressions import add_suppressions
from toolsurface_lint.run.add_suppressions.comments import plan_comments
from toolsurface_lint.run.add_suppressions.ignores import add_ignores
from toolsurface_lint.run.add_suppressions.insertions import inserted
from toolsurface_lint.run.add_suppressions.notes import NO_NOTE, Note, read_note
from toolsurface_lint.run.fixes import Change, Outcome, write
from toolsurface_lint.source.json import read_json
from toolsurface_lint.source.text import SourceText

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
CASES = sorted(folder for folder in FIXTURES.glob("rules/*/fires*") if folder.parent.name != "INPUT_UNREADABLE")
SURFACES = sorted(folder for folder in (FIXTURES / "surfaces").iterdir() if folder.is_dir())
TOOL = {
    "name": "read_notes",
    "description": "Gives at most 100 lines of the newest note in the folder.",
    "parameters": {"type": "object", "properties": {"path": {"type": "string", "description": "The folder."}}},
    "annotations": {"kind": "read", "side_effect_level": "read_only", "arg_schema": {"arg_aliases": {"file": "path"}}},
    "executor": "harn",
}
TOOLS = json.dumps([TOOL])
PROMPT_CODE = "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"
PATTERN_CODE = "TOOL_SURFACE_APPROVAL_PATTERN_NO_MATCH"


def check(unsaved: Mapping[str, bytes]) -> tuple[Project, Report]:
    return check_project(["."], select=["ALL"], unsaved=unsaved)


def suppress_all(note: Note = NO_NOTE) -> Outcome:
    """Suppress everything in the working directory, and hold the outcome to what every one must do."""
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    outcome = add_suppressions(check, ["."], note)
    assert (outcome.stable, outcome.refused) == (True, ())
    assert {path: path.read_bytes() for path in before} == before
    for change in outcome.changes:
        write(change)
    after = check({})[1]
    assert after.diagnostics == outcome.report.diagnostics == ()
    again = add_suppressions(check, ["."], note)
    assert (again.changes, again.fixed, again.stable) == ((), 0, True)
    changed = {Path(change.display) for change in outcome.changes}
    for path, data in before.items():
        if path in changed:
            assert is_within(data, path.read_bytes())
        else:
            assert path.read_bytes() == data
    return outcome


def is_within(part: bytes, whole: bytes) -> bool:
    """Whether the one is the other with insertions."""
    rest = iter(whole)
    return all(byte in rest for byte in part)


@contextmanager
def folder_with(files: Mapping[str, bytes]) -> Iterator[Path]:
    """A new working directory that holds these files beside one tool."""
    working = os.getcwd()
    with tempfile.TemporaryDirectory() as name:
        for path, data in {"tools.json": TOOLS.encode(), **files}.items():
            file = Path(name, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        os.chdir(name)
        try:
            yield Path(name)
        finally:
            os.chdir(working)


@pytest.mark.slow
@pytest.mark.parametrize("folder", [*CASES, *SURFACES], ids=lambda folder: folder.relative_to(FIXTURES).as_posix())
def test_fixtures_come_out_clean(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(folder, tmp_path, ignore=shutil.ignore_patterns("expect.txt"), dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    suppress_all()


# --- where a comment goes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "prompts/a.md",
            "Call read_notes({}).\r\n\r\n  - run_it({})\r\n",
            "Call read_notes({}).\r\n\r\n  <!-- toolsurface-lint: ignore-next-line[{c}] -->\r\n  - run_it({})\r\n",
        ),
        (
            "prompts/a.md",
            "\ufeffread_notes({})\rrun_it({})",
            "\ufeffread_notes({})\r<!-- toolsurface-lint: ignore-next-line[{c}] -->\rrun_it({})",
        ),
        (
            "prompts/a.md",
            "read_notes({})\n\n> Then\n> > run_it({})\n",
            "read_notes({})\n\n> Then\n> > <!-- toolsurface-lint: ignore-next-line[{c}] -->\n> > run_it({})\n",
        ),
        # A line between its rows would end a table.
        (
            "prompts/a.md",
            "read_notes({})\n\n| a |\n|---|\n| run_it({}) | \n| b |\n",
            "read_notes({})\n\n| a |\n|---|\n| run_it({}) | <!-- toolsurface-lint: ignore-line[{c}] --> \n| b |\n",
        ),
        # One more code for a line that has a suppression.
        (
            "prompts/a.md",
            "read_notes({})\n\n<!-- toolsurface-lint: ignore-next-line[POLICY_INVALID] why -->\nrun_it({})\n",
            "read_notes({})\n\n<!-- toolsurface-lint: ignore-next-line[POLICY_INVALID, {c}] why -->\nrun_it({})\n",
        ),
        (
            "prompts/a.md",
            "read_notes({})\n\nrun_it({}) <!-- toolsurface-lint: ignore-line[POLICY_INVALID] -->\n",
            "read_notes({})\n\nrun_it({}) <!-- toolsurface-lint: ignore-line[POLICY_INVALID, {c}] -->\n",
        ),
        # Not one that ends by itself.
        (
            "prompts/a.md",
            "read_notes({})\n\nrun_it({}) <!-- toolsurface-lint: ignore-line[POLICY_INVALID] until=9999-12-31 -->\n",
            (
                "read_notes({})\n\nrun_it({}) <!-- toolsurface-lint: ignore-line[POLICY_INVALID] until=9999-12-31 -->"
                " <!-- toolsurface-lint: ignore-line[{c}] -->\n"
            ),
        ),
        (
            "prompts/a.j2",
            "read_notes({})\n{% if a %}\nrun_it({})\n{% endif %}\n",
            (
                "read_notes({})\n{% if a %}\n{# toolsurface-lint: ignore-next-line[{c}] #}\n"
                "run_it({})\n{% endif %}\n"
            ),
        ),
        (
            "policy.yaml",
            "auto_deny:\n    # old\n    - drop_all\n    - read_notes\n",
            (
                "auto_deny:\n    # old\n    # toolsurface-lint: ignore-next-line[{p}]\n"
                "    - drop_all\n    - read_notes\n"
            ),
        ),
        (
            "policy.jsonc",
            '{\n\t"auto_deny": [\n\t\t"drop_all"\n\t]\n}\n',
            '{\n\t"auto_deny": [\n\t\t// toolsurface-lint: ignore-next-line[{p}]\n\t\t"drop_all"\n\t]\n}\n',
        ),
        (
            "policy.toml",
            'auto_deny = [\n  "drop_all",\n]',
            'auto_deny = [\n  # toolsurface-lint: ignore-next-line[{p}]\n  "drop_all",\n]',
        ),
    ],
)  # fmt: skip
def test_a_comment_is_inserted_and_nothing_else(name: str, text: str, expected: str) -> None:
    with folder_with({name: text.encode()}):
        # POLICY_INVALID does not fire, and is not called unused where its rule did not run.
        def only(unsaved: Mapping[str, bytes]) -> tuple[Project, Report]:
            return check_project(["."], select=[PROMPT_CODE, PATTERN_CODE], unsaved=unsaved)

        (change,) = add_suppressions(only, ["."]).changes
        found = change.after.decode()
        assert found == expected.replace("{c}", PROMPT_CODE).replace("{p}", PATTERN_CODE)


SERVER = '''\
from mcp.server.fastmcp import FastMCP

mcp = FastMCP("notes")


@mcp.tool()
def get_notes(
    first,
    second: int,
):
    """Gives the text of every note in the folder.

    Args:
        third: Which ones.
    """
'''


def test_a_program_gets_comments_but_none_in_its_strings() -> None:
    def only(unsaved: Mapping[str, bytes]) -> tuple[Project, Report]:
        return check_project(["."], select=["TOOL_CODE"], unsaved=unsaved)

    with folder_with({"server.py": SERVER.encode()}):
        program, table = add_suppressions(only, ["."]).changes
        comment = "    # toolsurface-lint: ignore-next-line[TOOL_CODE_UNTYPED_PARAMETER]\n"
        assert program.after.decode() == SERVER.replace("    first,\n", f"{comment}    first,\n")
        assert table.after.decode() == (
            '[[per-file-ignores]]\npath = "server.py"\ncodes = ["TOOL_CODE_DOCSTRING_PARAMETER_UNKNOWN"]\n'
        )


def test_a_template_gets_comments_of_its_language() -> None:
    def only(unsaved: Mapping[str, bytes]) -> tuple[Project, Report]:
        return check_project(["."], select=["TEMPLATE_UNKNOWN_FILTER"], unsaved=unsaved)

    text = "Hello.\n\n  {{ name | frobnicate }}\n"
    with folder_with({"a.harn.prompt": text.encode()}):
        (change,) = add_suppressions(only, ["."]).changes
        comment = "  {{# toolsurface-lint: ignore-next-line[TEMPLATE_UNKNOWN_FILTER] #}}\n"
        assert change.after.decode() == text.replace("  {{", f"{comment}  {{{{")


def test_ours_goes_above_a_directive_of_the_specification() -> None:
    """That one covers the next line, whatever that is."""
    text = "read_notes({})\n\n<!-- harn-tool-surface: ignore-next-line -->\nCall run_it({}).\n"
    document = '{"auto_deny": []}'
    with folder_with({"prompts/a.md": text.encode(), "p.json": document.encode()}):
        project, _ = check({})
        (prompt,) = [one for one in project.documents if one.path == "prompts/a.md"]
        ((insertion,),) = plan_comments(prompt, text, {4: ["TOOL_SCHEMA_INVALID"]}).values()
        assert insertion.offset == text.index("<!--")


@pytest.mark.parametrize(
    ("name", "text", "pointer"),
    [
        ("policy.json", '{"auto_deny": ["read_notes", "drop_all"]}', "/auto_deny/1"),
        ("policy.json", '{\n"auto_deny": [\n"drop_all"\n], /* read leniently */\n}', "/auto_deny/0"),
        ("agent.yaml", f"tools: {TOOLS}\nprompt: |\n  read_notes({{}}) and\n  run_it({{}}) now.\n", "/prompt"),
        (
            "agent.toml",
            f"prompt = '''\nread_notes({{}}) and\nrun_it({{}}) now.'''\ntools = {TOOLS.replace(': ', ' = ')}\n",
            "/prompt",
        ),
        ("prompts/a.md", "---\ndescription: a: b\n---\nread_notes({})\n", None),
    ],
)  # fmt: skip
def test_where_no_comment_can_stand_the_settings_say_it(name: str, text: str, pointer: str | None) -> None:
    with folder_with({name: text.encode()}) as folder:
        outcome = suppress_all(Note("so far", "9999-12-31"))
        assert [change.display for change in outcome.changes] == ["toolsurface.toml"]
        assert (folder / name).read_bytes() == text.encode()
        tables = tomllib.loads((folder / "toolsurface.toml").read_text(encoding="utf-8"))["per-file-ignores"]
        assert {table["path"] for table in tables} == {name}
        assert {(table["reason"], str(table["until"])) for table in tables} == {("so far", "9999-12-31")}
        assert pointer is None or pointer in {table.get("pointer") for table in tables}


def test_a_call_that_a_comment_would_cut_is_ignored_in_the_settings() -> None:
    """A comment ends the paragraph that the call stands in."""
    with folder_with({"prompts/a.md": b"Call read_notes({\n  file: 1\n}) now.\n"}):
        outcome = suppress_all()
        assert [change.display for change in outcome.changes] == ["toolsurface.toml"]


def test_what_a_table_hides_anyway_gets_no_comment() -> None:
    text = "read_notes({}) read_notes({})\n\nrun_it({})\n\n<!-- a\nrun_it({})\n-->\n\n- x\n\n  run_it({})\n"
    with folder_with({"prompts/a.md": text.encode()}):
        suppress_all()
        hidden = check({})[1].suppressed
        assert len({suppressed.by for suppressed in hidden}) == 1


def test_only_given_files_get_comments() -> None:
    with folder_with(
        {"prompts/a.md": b"Call read_notes({}), then run_it({}).\n", "b.yaml": b"auto_deny: [drop_all]\n"}
    ):

        def some(unsaved: Mapping[str, bytes]) -> tuple[Project, Report]:
            return check_project(["b.yaml"], select=[PROMPT_CODE, PATTERN_CODE], unsaved=unsaved)

        assert [change.display for change in add_suppressions(some, ["b.yaml"]).changes] == ["b.yaml"]


def test_without_settings_what_needs_them_is_left_and_told() -> None:
    with folder_with({"a.json": b'{"auto_deny": ["drop_all"]}', "b.yaml": b"auto_deny: [drop_all]\n"}):

        def isolated(unsaved: Mapping[str, bytes]) -> tuple[Project, Report]:
            return check_project(["."], isolated=True, select=[PATTERN_CODE], unsaved=unsaved)

        outcome = add_suppressions(isolated, ["."], isolated=True)
        assert [change.display for change in outcome.changes] == ["b.yaml"]
        ((path, reason),) = outcome.refused
        assert (path, outcome.fixed) == ("a.json", 1)
        assert reason == "no comment can hide all that is found in it, and --isolated reads no settings"


def test_a_file_that_changes_meanwhile_is_left_alone() -> None:
    with folder_with({"b.yaml": b"auto_deny: [drop_all]\n"}) as folder:

        def touching(unsaved: Mapping[str, bytes]) -> tuple[Project, Report]:
            found = check_project(["."], select=[PATTERN_CODE], unsaved=unsaved)
            (folder / "b.yaml").write_bytes(b"auto_deny: [drop_more]\n")
            return found

        outcome = add_suppressions(touching, ["."])
        assert (outcome.changes, outcome.refused) == ((), (("b.yaml", "it changed while it was checked"),))


# --- the settings file ------------------------------------------------------------------------------------------------

IGNORE = FileIgnore("a.json", ("POLICY", "TOOL_NAME"), "/x~1y", 'say "so"', "2030-01-31")
TABLE = (
    'path = "a.json"\ncodes = ["POLICY", "TOOL_NAME"]\npointer = "/x~1y"\nreason = "say \\"so\\""\nuntil = 2030-01-31\n'
)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("toolsurface.toml", "", f"[[per-file-ignores]]\n{TABLE}"),
        ("toolsurface.toml", "exclude = []", f"exclude = []\n\n[[per-file-ignores]]\n{TABLE}"),
        (
            "toolsurface.toml",
            "[severity]\r\n# none\r\n",
            "[severity]\r\n# none\r\n\r\n" + f"[[per-file-ignores]]\n{TABLE}".replace("\n", "\r\n"),
        ),
        (
            "pyproject.toml",
            "[tool.toolsurface-lint]\n[project]\n",
            f"[tool.toolsurface-lint]\n[project]\n\n[[tool.toolsurface-lint.per-file-ignores]]\n{TABLE}",
        ),
        (
            "toolsurface.toml",
            'per-file-ignores = [\n  {path = "b", codes = "POLICY"}, # old\n]\n',
            (
                'per-file-ignores = [\n  {path = "b", codes = "POLICY"}, '
                f"{{ {TABLE.strip().replace(chr(10), ', ')} }}, # old\n]\n"
            ),
        ),
        ("toolsurface.toml", "per-file-ignores = []\n", f"per-file-ignores = [{{ {TABLE.strip().replace(chr(10), ', ')} }}]\n"),
        ("pyproject.toml", "tool = {toolsurface-lint = {}}\n", None),
    ],
)  # fmt: skip
def test_a_table_is_added_to_the_settings(name: str, text: str, expected: str | None, tmp_path: Path) -> None:
    file = tmp_path / name
    insertion = add_ignores(str(file), text, [IGNORE])
    assert (insertion and inserted(text, [insertion])) == expected
    if expected is not None:
        file.write_text(expected, encoding="utf-8", newline="")
        assert load_settings([str(tmp_path)], str(file)).per_file_ignores[-1] == IGNORE


def test_a_new_settings_file_is_like_any_new_file() -> None:
    with folder_with({"a.json": b'{"auto_deny": ["drop_all"]}'}) as folder:
        suppress_all()
        (folder / "other").touch()
        assert (folder / "toolsurface.toml").stat().st_mode == (folder / "other").stat().st_mode
        assert not list(folder.glob(".toolsurface-lint-*"))


def test_a_name_that_looks_like_a_glob_means_itself() -> None:
    with folder_with({"[a]*{b}.json": b'{"auto_deny": ["drop_all"]}', "aXb.json": b'{"auto_deny": ["drop_all"]}'}):
        suppress_all()
        found = check({})[1]
        assert {suppressed.diagnostic.location.path for suppressed in found.suppressed if suppressed.diagnostic.location} == {
            "[a]*{b}.json",
            "aXb.json",
        }  # fmt: skip


# --- the reason -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("", Note()),
        ("the host has it", Note("the host has it")),
        ("until=2030-01-31", Note("", "2030-01-31")),
        ("the host has it until=2030-01-31", Note("the host has it", "2030-01-31")),
        ("until=2030-01-31 gone by then", Note("gone by then", "2030-01-31")),
    ],
)
def test_a_reason_may_hold_a_day(text: str, note: Note) -> None:
    assert read_note(text) == note


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\nb", "one line"),
        ("a --> b", "one line"),
        ("a */ b", "one line"),
        ("a #}} b", "one line"),
        ("until=2030-02-31", "until=YYYY-MM-DD"),
        ("toolsurface-lint: ignore-line", "it holds a directive"),
        ("x" * 300, "too long"),
    ],
)
def test_a_reason_that_no_comment_could_hold(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_note(text)


# --- anything -----------------------------------------------------------------------------------------------------

MARKDOWN = st.lists(
    st.sampled_from(
        [
            *["run_it({})", "run_it({}) and read_notes({})", "Plain words.", "", "", "- item run_it({})", "1. x"],
            *["  run_it({})", "> run_it({})", "    run_it({})", "# run_it({})", "```", "~~~", "---", "===", "- ```"],
            *["| a | b |", "|---|---|", "| run_it({}) | x |", "<!--", "-->", "<!-- run_it({}) -->", "`<!--`", "<div>"],
            *["run_it({", "})", "run_it({ a: 1,", "read_notes({ file: run_it({}) })", "\U0001f600 run_it({})"],
            *["<!-- harn-tool-surface: ignore-next-line -->", "<!-- harn-tool-surface: ignore-start -->"],
            *["<!-- harn-tool-surface: ignore-end -->", "run_it({}) <!-- tool-surface-ignore -->"],
            *["<!-- toolsurface-lint: ignore-next-line -->", "<!-- toolsurface-lint: ignore-end[TOOL_SURFACE] -->"],
            "<!-- toolsurface-lint: ignore-start[TOOL_SURFACE] -->",
            "<!-- toolsurface-lint: ignore-next-line[PROMPT] -->",
            "<!-- toolsurface-lint: ignore-next-line[POLICY] until=2020-01-01 -->",
            "run_it({}) <!-- toolsurface-lint: ignore-line[POLICY, NOPE] why -->",
            "toolsurface-lint: ignore-line until=nonsense",
        ]
    ),
    max_size=12,
)
NAMES = st.sampled_from(["read_notes", "drop_all", "drop_more", "run_it", "é_x"])
ENDS = st.sampled_from(["\n", "\r\n"])
MARKS = st.sampled_from(["", "\ufeff"])
NOTES = st.sampled_from([NO_NOTE, Note("why"), Note("why", "9999-12-31")])
COMMENT = " toolsurface-lint: ignore-next-line[POLICY_INVALID] old"


@pytest.mark.slow
@settings(max_examples=examples(100))
@given(MARKDOWN, st.sampled_from(["\n", "\r\n", "\r"]), MARKS, NOTES)
def test_any_markdown(lines: list[str], end: str, mark: str, note: Note) -> None:
    text = mark + end.join(["read_notes({})", *lines])
    with folder_with({"prompts/a.md": text.encode()}):
        suppress_all(note)


@st.composite
def yaml_text(draw: st.DrawFn) -> str:
    lines = []
    for key in draw(st.permutations(["auto_deny", "auto_approve", "side_effects"]))[: draw(st.integers(1, 3))]:
        names = draw(st.lists(NAMES, max_size=4))
        if draw(st.booleans()):
            lines.append(f"#{COMMENT}")
        style = draw(st.sampled_from(["block", "flow", "lines", "folded"]))
        if style == "block":
            indent = " " * draw(st.integers(0, 4))
            lines += [f"{key}:", *(f"{indent}- {name}  # {name}" for name in names or ["drop_all"])]
        elif style == "flow":
            lines.append(f"{key}: [{', '.join(names)}]")
        elif style == "lines":
            lines += [f"{key}: [", *(f"  {name}," for name in names), "  ]"]
        else:
            lines += [f"{key}:", "  - >-", *(f"    {name}" for name in names or ["x_y"]), "  - |", "    drop_all", ""]
    return "\n".join(lines) + draw(st.sampled_from(["", "\n"]))


@pytest.mark.slow
@settings(max_examples=examples(50))
@given(yaml_text(), ENDS, MARKS, NOTES)
def test_any_yaml(text: str, end: str, mark: str, note: Note) -> None:
    with folder_with({"policy.yaml": (mark + text.replace("\n", end)).encode()}) as folder:
        before = yaml.safe_load(text)
        suppress_all(note)
        assert yaml.safe_load((folder / "policy.yaml").read_text(encoding="utf-8-sig")) == before


LISTS = st.dictionaries(st.sampled_from(["auto_deny", "auto_approve", "odd"]), st.lists(NAMES, max_size=4), min_size=1)


@pytest.mark.slow
@settings(max_examples=examples(40))
@given(LISTS, st.sampled_from([None, 2, "\t"]), st.booleans(), ENDS, MARKS, NOTES)
def test_any_json_with_comments(
    value: dict[str, list[str]], indent: int | str | None, comment: bool, end: str, mark: str, note: Note
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=False).replace("\n", end)
    if comment:
        text = f"//{COMMENT}{end}{text.replace('[', '[ /* old */ ', 1)}"
    with folder_with({"policy.jsonc": (mark + text).encode()}) as folder:
        suppress_all(note)
        source = SourceText("", (folder / "policy.jsonc").read_text(encoding="utf-8-sig"))
        assert read_json(source, comments_allowed=True).trees[0].value == value


@pytest.mark.slow
@settings(max_examples=examples(40))
@given(LISTS, st.booleans(), st.booleans(), ENDS, MARKS, NOTES)
def test_any_toml(
    value: dict[str, list[str]], long: bool, text_in_lines: bool, end: str, mark: str, note: Note
) -> None:
    lines = []
    for key, names in value.items():
        quoted = [f"'''\n{name}'''" if text_in_lines else f'"{name}"' for name in names]
        lines += (
            [f"{key} = [", *(f"  {name}, # old" for name in quoted), "]"]
            if long
            else [f"{key} = [{', '.join(quoted)}]"]
        )
    text = "\n".join(lines).replace("\n", end)
    with folder_with({"policy.toml": (mark + text).encode()}) as folder:
        suppress_all(note)
        assert tomllib.loads((folder / "policy.toml").read_bytes().decode("utf-8-sig")) == value


def test_comments_and_tables_are_both_used() -> None:
    """The properties above must not hold because nothing is found."""
    text = "read_notes({})\n\nrun_it({})\n"
    with folder_with({"prompts/a.md": text.encode(), "a.json": b'{"auto_deny": ["drop_all"]}'}):
        outcome = suppress_all()
        assert {type(change) for change in outcome.changes} == {Change}
        assert {suppressed.by for suppressed in outcome.report.suppressed} == {INLINE, SETTINGS}
