"""Fixes: a text is written as its syntax has it, rounds come to an end, and files are written with care."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from toolsurface_lint.api import check_paths
from toolsurface_lint.model.diagnostics import AppliedFix, Diagnostic, Location, Report, TextEdit
from toolsurface_lint.run.fixes import ROUNDS, Change, NotWritten, diff, fix, write
from toolsurface_lint.source.text import Position, Range, SourceText, Span


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fix_all(select: list[str] | None = None, *, unsafe: bool = True, paths: tuple[str, ...] = (".",)):
    """Fix the working directory in memory, then write."""

    def check(unsaved: Mapping[str, bytes]) -> Report:
        return check_paths(paths, select=select, unsaved=unsaved)

    outcome = fix(check, paths, unsafe=unsafe)
    for change in outcome.changes:
        write(change)
    return outcome


# --- the syntax that a text stands in ---------------------------------------------------------------------------------

TOOLS = '[{"name": "read_notes", "parameters": {"type": "object"}, "annotations": {"kind": "read"}}]'


def surface_with(here: Path, name: str, text: str) -> bytes:
    """The file of a prompt, or of a policy, after the misspelt `read_note` in it has been fixed."""
    (here / "tools.json").write_text(TOOLS, encoding="utf-8")
    file = here / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(text.encode("utf-8"))
    select = [
        "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL",
        "POLICY_UNKNOWN_TOOL",
        "TOOL_SURFACE_APPROVAL_PATTERN_NO_MATCH",
        "INPUT",
    ]
    outcome = fix_all(select)
    assert outcome.stable
    return file.read_bytes()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("prompts/system.md", "Call read_note({}).\n"),
        ("prompts/system.md", "\ufeffCall read_note({}).\r\nThen \U0001f600 read_note({}) again"),
        ("policy.toml", 'side_effect_level = "none"\ntools = ["read_note", "read_notes"] # read_note\n'),
        ("policy.toml", "side_effect_level = 'none'\ntools = ['read_note']\n"),
        ("policy.toml", "[tool_annotations.read_note]\nkind = 'read'\n"),
        ("policy.toml", "[tool_annotations.\"read_note\"]\nkind = 'read'\n"),
        ("policy.json", '{"side_effect_level": "none",\t"tools": ["read_note"]}'),
        ("policy.yaml", "side_effect_level: none\ntools:\n  - read_note   # why\n  - 'read_note'\n"),
        ("policy.yaml", 'side_effect_level: none\ntools: [ "read_note" ]\r\n'),
        ("policy.yaml", "side_effect_level: none\ntool_annotations:\n  read_note: {kind: read}\n"),
        ("policy.yaml", "side_effect_level: none\ntool_annotations: {'read_note': {kind: read}}\n"),
        ("approval.yaml", "auto_approve: &a [read_note]\nauto_deny: []\n"),
        ("agent.yaml", "tools: " + TOOLS + "\nsystem: |\n  Call \"read_note({})\".\n\n    Then read_note({}).\n"),
        ("agent.yaml", "tools: " + TOOLS + "\nsystem: >-\n  Call\n  read_note({}).\n"),
        ("agent.yaml", "tools: " + TOOLS + "\nsystem: 'It''s read_note({}) that you call.'\n"),
        ("agent.json", '{"tools": ' + TOOLS + ', "system": "A \\"quote\\" \\u00e9\\n\\ud83d\\ude00 read_note({})."}'),
    ],
)  # fmt: skip
def test_only_the_name_changes(here: Path, name: str, text: str) -> None:
    found = surface_with(here, name, text)
    expected = re.sub(r"(?<!# )\bread_note\b", "read_notes", text)
    assert found.decode("utf-8") == expected


def test_a_name_that_is_written_with_escapes_is_written_without_them(here: Path) -> None:
    text = '{"side_effect_level": "none", "tools": ["read_\\u006eote"]}'
    fixed = b'{"side_effect_level": "none", "tools": ["read_notes"]}'
    assert surface_with(here, "policy.json", text) == fixed


def alias(canonical: str) -> str:
    """A surface document whose prompt passes an argument by an alias of a name."""
    return (
        'tools: [{name: read_notes, annotations: {kind: read, arg_schema: {arg_aliases: {text: "'
        + canonical
        + '"}}}}]\n'
    )


@pytest.mark.parametrize(
    ("prompt", "canonical", "expected"),
    [
        ('"read_notes({ text: 1 })"', 'a"b', '"read_notes({ a\\"b: 1 })"'),
        ("'read_notes({ text: 1 })'", "a'b", "'read_notes({ a''b: 1 })'"),
        ("|\n  read_notes({ text: 1 })", "a'b", "|\n  read_notes({ a'b: 1 })"),
        ("read_notes({ text = 1 })", "a b", "read_notes({ text = 1 })"),
        ("Call read_notes({ text = 1 })", "a: b", "Call read_notes({ text = 1 })"),
        ("Call read_notes({ text = 1 })", "words", "Call read_notes({ words = 1 })"),
    ],
)
def test_a_text_is_written_as_its_syntax_has_it(here: Path, prompt: str, canonical: str, expected: str) -> None:
    head = alias(canonical.replace('"', '\\"'))
    (here / "surface.yaml").write_text(f"{head}prompt: {prompt}\n", encoding="utf-8")
    fix_all(["TOOL_SURFACE_DEPRECATED_ARG_ALIAS", "INPUT"], unsafe=False)
    assert (here / "surface.yaml").read_text(encoding="utf-8") == f"{head}prompt: {expected}\n"


@pytest.mark.parametrize(
    "call", ["{ text: 1, words: 2 }", "{ text: 1, line: 2 }", "{ other: { text: 1 } }", "{ text: { text: 1 } }"]
)
def test_an_alias_stays_where_another_argument_has_its_name_or_it_is_none(here: Path, call: str) -> None:
    head = "tools: [{name: read_notes, annotations: {kind: read, arg_schema: {arg_aliases: {text: words, line: words}}}}]\n"
    text = f"{head}prompt: |\n  read_notes({call})\n"
    (here / "surface.yaml").write_text(text, encoding="utf-8")
    outcome = fix_all(["TOOL_SURFACE_DEPRECATED_ARG_ALIAS"])
    assert outcome.report.diagnostics
    assert (here / "surface.yaml").read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("One.\n<!-- toolsurface-lint: ignore-next-line why -->\nTwo.\n", "One.\nTwo.\n"),
        ("One. <!-- toolsurface-lint: ignore-line -->\nTwo.\n", "One.\nTwo.\n"),
        ("<!-- toolsurface-lint: ignore-line --> One.\n", "One.\n"),
        ("<!-- toolsurface-lint: ignore-start -->\nOne.\n<!-- toolsurface-lint: ignore-end -->\n", "One.\n"),
        ("One.\r\n<!-- toolsurface-lint: ignore-next-line -->", "One.\r\n"),
        ("One toolsurface-lint: ignore-line because\n", "One toolsurface-lint: ignore-line because\n"),
        ("<!-- a comment; toolsurface-lint: ignore-line -->\n", "<!-- a comment; toolsurface-lint: ignore-line -->\n"),
        (
            "<!-- toolsurface-lint: ignore-line[POLICY, TOOL_SURFACE_UNKNOWN_PROMPT_TOOL] why --> read_any({})\n",
            "<!-- toolsurface-lint: ignore-line[TOOL_SURFACE_UNKNOWN_PROMPT_TOOL] why --> read_any({})\n",
        ),
        (
            "<!-- toolsurface-lint: ignore-line[TOOL_SURFACE_UNKNOWN_PROMPT_TOOL, POLICY, CALL_DENIED] --> read_any({})\n",
            "<!-- toolsurface-lint: ignore-line[TOOL_SURFACE_UNKNOWN_PROMPT_TOOL] --> read_any({})\n",
        ),
    ],
)
def test_unused_suppressions_are_taken_out(here: Path, before: str, after: str) -> None:
    (here / "tools.json").write_text(TOOLS, encoding="utf-8")
    (here / "system.md").write_bytes(f"Call read_notes({{}}).\n{before}".encode())
    fix_all(unsafe=False)
    assert (here / "system.md").read_bytes() == f"Call read_notes({{}}).\n{after}".encode()


# --- rounds and refusals ----------------------------------------------------------------------------------------------


def found(path: str, text: str, start: int, end: int, new: str, *, safe: bool = True, code: str = "X") -> Diagnostic:
    lines = SourceText(path, text).lines
    location = Location(path, lines.range(Span(start, end)), Span(start, end))
    return Diagnostic(code, "warning", "m", location, fix=AppliedFix("t", safe, (TextEdit(location, new),)))


def checker(diagnose: Callable[[str, str], Iterator[Diagnostic]], here: Path):
    def check(unsaved: Mapping[str, bytes]) -> Report:
        texts = {
            name: unsaved.get(os.path.abspath(name), (here / name).read_bytes()).decode()
            for name in sorted(os.listdir(here))
        }
        diagnostics = [item for name, text in texts.items() for item in diagnose(name, text)]
        return Report(tuple(diagnostics), sources={name: SourceText(name, text) for name, text in texts.items()})

    return check


PYTHON_TOOL = '''\
from mcp.server.fastmcp import FastMCP
mcp = FastMCP("notes")
@mcp.tool()
def read_notes(path: str) -> str:
    """Read the notes in a file, and give their text back."""
    return path
'''


@pytest.mark.parametrize(
    ("name", "text"),
    [
        # Another tool reads what stands behind it in the same comment.
        ("tools.py", "x = 1  # toolsurface-lint: ignore-line[POLICY]  # noqa: E501\n"),
        # What looks like a comment is a part of a string.
        ("tools.py", 'def f():\n    """Words.\n    # toolsurface-lint: ignore-next-line[POLICY]\n    More."""\n'),
        ("tools.py", 'x = "a # toolsurface-lint: ignore-line[POLICY, CALL_DENIED]"\n'),
        (
            "tools.yaml",
            "tools:\n- name: a\n  description: |\n    Words.\n    # toolsurface-lint: ignore-line[POLICY]\n",
        ),
        ("tools.yaml", 'tools:\n- name: a\n  description: "a # toolsurface-lint: ignore-line[POLICY]"\n'),
        ("tools.toml", '[[tools]]\nname = "a"\ndescription = """\n# toolsurface-lint: ignore-line[POLICY]\n"""\n'),
    ],
)
def test_an_unused_suppression_that_more_hangs_on_is_left(here: Path, name: str, text: str) -> None:
    head = PYTHON_TOOL if name.endswith(".py") else ""
    (here / name).write_text(head + text, encoding="utf-8")
    outcome = fix_all()
    assert "SUPPRESSION_UNUSED" in {found.code for found in outcome.report.diagnostics}
    assert (here / name).read_text(encoding="utf-8") == head + text
    assert outcome.refused == ()


def test_a_fix_may_bring_up_another(here: Path) -> None:
    (here / "a.txt").write_text("aaab", encoding="utf-8")

    def diagnose(name: str, text: str) -> Iterator[Diagnostic]:
        if "a" in text:
            yield found(name, text, text.index("a"), text.index("a") + 1, "")

    outcome = fix(checker(diagnose, here), ["."], unsafe=False)
    assert (outcome.fixed, outcome.stable) == (3, True)
    assert [(change.display, change.before, change.after) for change in outcome.changes] == [("a.txt", b"aaab", b"b")]
    assert outcome.report.diagnostics == ()
    # Nothing is written before somebody says so.
    assert (here / "a.txt").read_text(encoding="utf-8") == "aaab"


def test_fixes_that_meet_wait_for_the_next_round(here: Path) -> None:
    (here / "a.txt").write_text("abcd", encoding="utf-8")
    rounds: list[str] = []

    def diagnose(name: str, text: str) -> Iterator[Diagnostic]:
        rounds.append(text)
        if text.startswith("ab"):
            yield found(name, text, 0, 2, "x")
            yield found(name, text, 1, 3, "y")
            yield found(name, text, 3, 4, "z")

    outcome = fix(checker(diagnose, here), ["."], unsafe=False)
    assert (rounds, outcome.fixed) == (["abcd", "xcz"], 2)


def test_what_goes_in_circles_changes_nothing(here: Path) -> None:
    (here / "a.txt").write_text("on", encoding="utf-8")
    rounds: list[str] = []

    def diagnose(name: str, text: str) -> Iterator[Diagnostic]:
        rounds.append(text)
        yield found(name, text, 0, len(text), "off" if text == "on" else "on")

    outcome = fix(checker(diagnose, here), ["."], unsafe=False)
    assert (outcome.stable, outcome.changes, outcome.fixed) == (False, (), 0)
    assert len(rounds) == ROUNDS + 1
    assert outcome.report.diagnostics[0].fix is not None


def test_unsafe_fixes_are_asked_for(here: Path) -> None:
    (here / "a.txt").write_text("a", encoding="utf-8")

    def diagnose(name: str, text: str) -> Iterator[Diagnostic]:
        if text == "a":
            yield found(name, text, 0, 1, "b", safe=False)

    assert fix(checker(diagnose, here), ["."], unsafe=False).changes == ()
    assert fix(checker(diagnose, here), ["."], unsafe=True).changes[0].after == b"b"


def test_only_given_files_are_edited(here: Path) -> None:
    for name in ("a.txt", "ab.txt"):
        (here / name).write_text("a", encoding="utf-8")

    def diagnose(name: str, text: str) -> Iterator[Diagnostic]:
        if text == "a":
            yield found(name, text, 0, 1, "b")

    outcome = fix(checker(diagnose, here), ["a.txt"], unsafe=False)
    assert [change.display for change in outcome.changes] == ["a.txt"]


SHARED = """\
[[surface]]
name = "one"
tools = ["one.json"]
prompts = ["system.md"]
[[surface]]
name = "two"
tools = ["two.json"]
prompts = ["system.md"]
"""


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        # What one surface would have corrected is the name of a tool of the other one.
        ("read_notes", "read_note({}) read_nots({})"),
        ("read_note", "read_note({}) read_note({})"),
    ],
)
def test_a_prompt_of_two_surfaces_is_fixed_where_both_ask_for_the_same(here: Path, second: str, expected: str) -> None:
    (here / "toolsurface.toml").write_text(SHARED, encoding="utf-8")
    for file, name in (("one.json", "read_note"), ("two.json", second)):
        (here / file).write_text(TOOLS.replace("read_notes", name), encoding="utf-8")
    (here / "system.md").write_text("read_note({}) read_nots({})", encoding="utf-8")
    outcome = fix_all(["TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"])
    assert outcome.stable
    assert (here / "system.md").read_text(encoding="utf-8") == expected


def test_a_member_before_a_comma_in_the_next_line_is_left(here: Path) -> None:
    text = "tools:\n- {\n    name: a\n  , name: a }\n"
    (here / "tools.yaml").write_text(text, encoding="utf-8")
    assert fix_all(["INPUT"]).refused == ()
    assert (here / "tools.yaml").read_text(encoding="utf-8") == text


def test_a_file_by_two_names_is_written_once(here: Path) -> None:
    (here / "one.json").write_text(TOOLS.replace("}]", ",}]"), encoding="utf-8")
    (here / "two.json").symlink_to("one.json")
    assert len(fix_all(["INPUT"], paths=("one.json", "two.json")).changes) == 1
    assert (here / "one.json").read_text(encoding="utf-8") == TOOLS


def test_many_files_that_change_while_they_are_checked_are_all_refused(here: Path) -> None:
    files = [here / f"tools{number}.json" for number in range(ROUNDS + 2)]
    for file in files:
        file.write_text(TOOLS.replace("}]", ",}]"), encoding="utf-8")
    report = check_paths(["."])
    for file in files[1:]:
        file.write_text("[]", encoding="utf-8")
    outcome = fix(lambda unsaved: check_paths(["."], unsaved=unsaved) if unsaved else report, ["."], unsafe=False)
    assert (outcome.stable, len(outcome.refused), len(outcome.changes)) == (True, len(files) - 1, 1)


def test_a_file_that_its_fixes_would_break_is_refused_and_the_others_are_fixed(here: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (here / name).write_text("x", encoding="utf-8")

    def diagnose(name: str, text: str) -> Iterator[Diagnostic]:
        if text == "x":
            yield found(name, text, 0, 1, "{" if name == "a.txt" else "y")
        if text == "{":
            yield found(name, text, 0, 1, "{", code="INPUT_SYNTAX_ERROR")._replace(fix=None)

    outcome = fix(checker(diagnose, here), ["."], unsafe=False)
    assert [(change.display, change.after) for change in outcome.changes] == [("b.txt", b"y")]
    assert outcome.refused == (("a.txt", "its fixes would leave it with a problem of syntax"),)
    assert [diagnostic.location.path for diagnostic in outcome.report.diagnostics] == ["a.txt"]


def test_a_file_that_changes_while_it_is_checked_is_refused(here: Path) -> None:
    (here / "a.txt").write_text("a", encoding="utf-8")

    def diagnose(name: str, text: str) -> Iterator[Diagnostic]:
        (here / "a.txt").write_text("aa", encoding="utf-8")
        if "a" in text:
            yield found(name, text, 0, 1, "b")

    outcome = fix(checker(diagnose, here), ["."], unsafe=False)
    assert (outcome.changes, outcome.refused) == ((), (("a.txt", "it changed while it was checked"),))


# --- writing ----------------------------------------------------------------------------------------------------------


def change(path: Path, before: bytes, after: bytes) -> Change:
    return Change(str(path), path.name, before, after)


def test_a_file_keeps_its_mode_and_a_link_stays_a_link(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(b"old")
    file.chmod(0o640)
    link = tmp_path / "link.json"
    link.symlink_to("a.json")
    write(change(link, b"old", b"new"))
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode)) == (b"new", 0o640)
    assert link.is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["a.json", "link.json"]


@pytest.mark.skipif(os.name != "posix", reason="owners of POSIX")
def test_a_file_keeps_its_owner(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(b"old")
    # Only root may give files away; others may give them to a group of theirs.
    owner, group = (1234, 1235) if os.geteuid() == 0 else (os.geteuid(), max(os.getgroups(), default=os.getegid()))
    os.chown(file, owner, group)
    write(change(file, b"old", b"new"))
    assert (file.stat().st_uid, file.stat().st_gid) == (owner, group)


def test_a_file_that_changed_is_not_written(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(b"newer")
    with pytest.raises(NotWritten, match=r"a\.json changed while it was checked"):
        write(change(file, b"old", b"new"))
    assert file.read_bytes() == b"newer"
    assert os.listdir(tmp_path) == ["a.json"]


def test_a_file_that_is_gone_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(NotWritten):
        write(change(tmp_path / "a.json", b"old", b"new"))
    assert os.listdir(tmp_path) == []


@pytest.mark.usefixtures("no_privileges")
def test_a_write_protected_file_is_not_written(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(b"old")
    file.chmod(0o444)
    with pytest.raises(NotWritten, match="write-protected"):
        write(change(file, b"old", b"new"))
    assert file.read_bytes() == b"old"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"one\ntwo\nthree\n", b"one\n2\nthree\n"),
        (b"one\r\ntwo\r\n", b"one\r\n2\r\n"),
        (b"one\ntwo", b"one\n2"),
        (b"one\n", b"one"),
        (b"\xef\xbb\xbfone \xf0\x9f\x98\x80\n", b"\xef\xbb\xbfeins \xf0\x9f\x98\x80\n"),
        (b"a\n" * 50 + b"b\n", b"a\n" * 50 + b"c\n"),
    ],
)
def test_a_diff_is_what_git_applies(here: Path, before: bytes, after: bytes) -> None:
    (here / "a.txt").write_bytes(before)
    patch = diff(change(here / "a.txt", before, after)).encode()
    subprocess.run(["git", "apply", "-p0", "--whitespace=nowarn", "-"], input=patch, check=True, cwd=here)
    assert (here / "a.txt").read_bytes() == after


@pytest.mark.skipif(shutil.which("patch") is None, reason="patch is not installed")
def test_a_diff_of_a_file_with_a_blank_in_its_name_is_what_patch_applies(here: Path) -> None:
    file = here / "my tools.json"
    file.write_bytes(b"old\n")
    patch = diff(change(file, b"old\n", b"new\n")).encode()
    subprocess.run(["patch", "-p0"], input=patch, check=True, cwd=here, stdout=subprocess.DEVNULL)
    assert file.read_bytes() == b"new\n"


def test_positions_are_those_of_the_line_index() -> None:
    """The helper of this file, which the cases above rest on."""
    location = found("a", "x\ny", 2, 3, "").location
    assert location is not None
    assert location.range == Range(Position(2, 1), Position(2, 2))
