"""`toolsurface-lint rename`."""

import json
import subprocess

import pytest

pytestmark = pytest.mark.slow

TOOLS = """[
  {"name": "read_note", "description": "Read a note.",
   "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}}}
]
"""
PROMPT = "Call `read_note({ path: 1 })` first.\nread_note it is.\n"
POLICY = "tools:\n  - read_*\n"
CALL = {"type": "tool_use", "id": "1", "name": "read_note", "input": {"path": "a"}}
TRANSCRIPT = (
    json.dumps({"messages": [{"role": "user", "content": "go"}, {"role": "assistant", "content": [CALL]}]}) + "\n"
)


@pytest.fixture
def folder(tmp_path):
    for name, text in {
        "tools.json": TOOLS,
        "system.md": PROMPT,
        "policy.yaml": POLICY,
        "run.jsonl": TRANSCRIPT,
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def texts(folder):
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def test_a_tool_is_renamed_and_what_is_left_is_said(run, folder):
    before = texts(folder)
    shown = run("rename", "read_note", "open_note", "--diff")
    assert texts(folder) == before
    account = [
        "toolsurface-lint: policy.yaml:2:5 is left: the pattern `read_*` matches the old name, and not the new one",
        "toolsurface-lint: run.jsonl is left: a recording, which has the name once",
        "toolsurface-lint: system.md:2 still has `read_note`, once in the file: not recognised as the tool's name",
    ]
    lines = shown.stderr.splitlines()
    assert (shown.returncode, lines[0]) == (
        1,
        "toolsurface-lint: would rename `read_note` to `open_note`: 2 places in 2 files",
    )
    assert lines[1:4] == account
    done = run("rename", "read_note", "open_note")
    assert (done.returncode, done.stdout) == (1, "system.md: 1 place (prompt)\ntools.json: 1 place (definition)\n")
    lines = done.stderr.splitlines()
    assert (lines[0], lines[1:4]) == (
        "toolsurface-lint: renamed `read_note` to `open_note`: 2 places in 2 files",
        account,
    )
    assert lines[4].endswith("that were not there:")
    after = texts(folder)
    assert after == {
        **before,
        "tools.json": TOOLS.replace("read_note", "open_note"),
        "system.md": "Call `open_note({ path: 1 })` first.\nread_note it is.\n",
    }
    for name, text in before.items():
        (folder / name).write_text(text, encoding="utf-8")
    subprocess.run(["git", "apply", "-p0"], input=shown.stdout, text=True, cwd=folder, check=True)
    assert texts(folder) == after


def test_an_argument(run, folder):
    (folder / "policy.yaml").unlink()
    done = run("rename", "path", "where", "--argument-of", "read_note")
    assert (done.returncode, done.stdout) == (0, "system.md: 1 place (prompt)\ntools.json: 1 place (definition)\n")
    said = "renamed the argument `path` of `read_note` to `where`: 2 places in 2 files"
    assert done.stderr.startswith(f"toolsurface-lint: {said}\n")
    assert texts(folder)["tools.json"] == TOOLS.replace('"path"', '"where"')


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["read_notes", "x"], "no tool is called `read_notes`, did you mean `read_note`?"),
        (["read_note", "a b"], "`a b` is not a name: it is empty, or has blanks or characters that cannot be seen"),
        (
            ["read_note", "x", "system.md"],
            "`read_note` is declared outside of what was named, at tools.json:2:12: name that as PATH, too",
        ),
        (["read_note", "x", "-"], "nothing can be renamed in standard input: give files or folders"),
        (["read_note", "x", "nowhere"], "nowhere: no such file or folder"),
    ],
)  # fmt: skip
def test_nothing_is_renamed(run, folder, arguments, message):
    before = texts(folder)
    done = run("rename", *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"toolsurface-lint: {message}\n")
    assert texts(folder) == before


@pytest.mark.usefixtures("no_privileges")
def test_a_file_that_cannot_be_written_leaves_all_as_they_were(run, folder):
    before = texts(folder)
    (folder / "tools.json").chmod(0o444)
    done = run("rename", "read_note", "open_note")
    assert (done.returncode, done.stderr) == (2, "toolsurface-lint: tools.json is write-protected\n")
    assert texts(folder) == before
