"""`check` with `--fix`, `--unsafe-fixes` and `--diff`."""

import json
import subprocess

import pytest

pytestmark = pytest.mark.slow

TOOLS = """{"tools": [
  {"name": "read_notes", "description": "Read all notes.", "parameters": {"type": "object"}, "executor": "harn",
   "annotations": {"kind": "read", "side_effect_level": "read_only", "arg_schema": {"arg_aliases": {"file": "path"}}}}
]}
"""
PROMPT = "Call read_notes({ file: 1 }) first.\nThen read_note({ path: 1 }).\n"
SAFE = PROMPT.replace("file", "path")
ALL = SAFE.replace("read_note(", "read_notes(")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tools.json").write_text(TOOLS, encoding="utf-8")
    (tmp_path / "system.md").write_text(PROMPT, encoding="utf-8")
    return tmp_path


def prompt(folder):
    return (folder / "system.md").read_text(encoding="utf-8")


def test_without_fix_nothing_is_written_and_fixes_are_counted(run, folder):
    done = run("check")
    assert prompt(folder) == PROMPT
    assert done.stderr == (
        "toolsurface-lint: can be fixed: 1 with --fix, 1 more with --fix --unsafe-fixes (--diff shows how)\n"
    )
    assert run("check", "--output", "json").stderr == ""


def test_fix_writes_safe_fixes_and_reports_what_is_left(run, folder):
    done = run("check", "--fix", "--output", "concise", "--fail-on", "warning")
    told = "toolsurface-lint: fixed 1 problem in 1 file; --unsafe-fixes would fix 1 more\n"
    assert (done.returncode, done.stderr) == (1, told)
    assert prompt(folder) == SAFE
    assert done.stdout.startswith("system.md:2:6: warning[TOOL_SURFACE_UNKNOWN_PROMPT_TOOL]")
    assert done.stdout.count("warning[") == 1


def test_only_unsafe_fixes_are_counted_too(run, folder):
    (folder / "system.md").write_text("Then read_note({ path: 1 }).\n", encoding="utf-8")
    left = "--unsafe-fixes would fix 1 problem\n"
    assert run("check", "--fix").stderr == f"toolsurface-lint: nothing is fixed; {left}"
    assert run("check", "--diff").stderr == f"toolsurface-lint: would fix nothing; {left}"
    # What lies in files that nobody named is not counted.
    assert run("check", "tools.json", "--fix").stderr == ""


def test_unsafe_fixes_too(run, folder):
    done = run("check", "--fix", "--unsafe-fixes", "--fail-on", "info")
    assert (done.returncode, done.stderr) == (0, "toolsurface-lint: fixed 2 problems in 1 file\n")
    assert prompt(folder) == ALL
    again = run("check", "--fix", "--unsafe-fixes")
    assert (again.returncode, again.stderr) == (0, "")


def test_the_report_shows_the_fixed_text(run, folder):
    (folder / "system.md").write_text(PROMPT + "\nread_note({ path: 1 })\n", encoding="utf-8")
    done = run("check", "--fix", "--output", "json")
    assert [item["range"]["start"]["line"] for item in json.loads(done.stdout)["diagnostics"]] == [2, 4]


def test_diff_writes_nothing(run, folder):
    done = run("check", "--diff", "--unsafe-fixes")
    assert (done.returncode, done.stderr) == (1, "toolsurface-lint: would fix 2 problems in 1 file\n")
    assert prompt(folder) == PROMPT
    assert done.stdout == (
        "--- system.md\n+++ system.md\n@@ -1,2 +1,2 @@\n"
        "-Call read_notes({ file: 1 }) first.\n-Then read_note({ path: 1 }).\n"
        "+Call read_notes({ path: 1 }) first.\n+Then read_notes({ path: 1 }).\n"
    )
    subprocess.run(["git", "apply", "-p0"], input=done.stdout, text=True, cwd=folder, check=True)
    assert prompt(folder) == ALL
    clean = run("check", "--diff", "--unsafe-fixes")
    assert (clean.returncode, clean.stdout, clean.stderr) == (0, "", "")


def test_what_is_ignored_is_not_fixed(run, folder):
    assert run("check", "--fix", "--ignore", "TOOL_SURFACE_DEPRECATED_ARG_ALIAS").returncode == 0
    assert prompt(folder) == PROMPT


def test_only_the_given_files_are_fixed(run, folder):
    done = run("check", "tools.json", "--fix", "--output", "concise")
    assert prompt(folder) == PROMPT
    assert "TOOL_SURFACE_DEPRECATED_ARG_ALIAS" in done.stdout
    run("check", "system.md", "--fix")
    assert prompt(folder) == SAFE


@pytest.mark.usefixtures("no_privileges")
def test_a_file_that_cannot_be_written_is_told(run, folder):
    (folder / "system.md").chmod(0o444)
    done = run("check", "--fix")
    assert done.returncode == 2
    assert "toolsurface-lint: system.md is write-protected\n" in done.stderr
    assert prompt(folder) == PROMPT


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--unsafe-fixes"], "--unsafe-fixes needs --fix or --diff"),
        (["--fix", "--diff"], "--fix writes what --diff only shows: give one of them"),
        (["--fix", "-"], "standard input cannot be fixed: give a file"),
        (["--diff", "-"], "standard input cannot be fixed: give a file"),
    ],
)
def test_wrong_usage(run, folder, arguments, message):
    done = run("check", *arguments, input="")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"toolsurface-lint: {message}\n")
    assert prompt(folder) == PROMPT
