"""`toolsurface-lint compare`: reports, exit codes, settings and suppressions."""

import json
from pathlib import Path

import pytest

TEXT = {"type": "string"}
OLD = {
    "name": "find_page",
    "description": "Finds a page.",
    "inputSchema": {"type": "object", "properties": {"text": TEXT}},
}
NEW = {**OLD, "inputSchema": {"type": "object", "properties": {"id": TEXT, "text": TEXT}, "required": ["id"]}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for version, tool in (("old", OLD), ("new", NEW)):
        (tmp_path / version).mkdir()
        text = json.dumps({"tools": [tool]}, indent=1)
        (tmp_path / version / "tools.json").write_text(text, encoding="utf-8")
    (tmp_path / "new/system.md").write_text("Begin with find_page(text='refund').\n", encoding="utf-8")
    return tmp_path


def test_a_change(run):
    done = run("compare", "old", "new", "--output", "concise")
    assert done.returncode == 1
    assert done.stdout == (
        "new/tools.json:9:6: error[CHANGE_PARAMETER_REQUIRED] the parameter `id` of `find_page` is new and required\n"
        "Found 1 error. Compared old (1 tool) with new (1 tool).\n"
    )
    assert done.stderr == ""


def test_no_change(run):
    done = run("compare", "old", "old")
    assert (done.returncode, done.stdout) == (
        0,
        "Found no breaking changes. Compared old (1 tool) with old (1 tool).\n",
    )


def test_files(run):
    done = run("compare", "old/tools.json", "new/tools.json", "--output", "json")
    report = json.loads(done.stdout)
    (found,) = report["diagnostics"]
    assert found["path"] == "new/tools.json"
    assert [(related["message"], related["path"]) for related in found["related"]] == [
        ("this call leaves it out", "new/system.md")
    ]
    assert report["compared"] == {
        "old": "old/tools.json",
        "new": "new/tools.json",
        "old_tools": 1,
        "new_tools": 1,
        "undecided": [],
    }


def test_what_does_not_fail(run):
    assert run("compare", "old", "new", "--fail-on", "never").returncode == 0
    assert run("compare", "old", "new", "--ignore", "CHANGE_PARAMETER_REQUIRED").returncode == 0
    assert run("compare", "old", "new", "--select", "CHANGE_DEFAULT").returncode == 0


def test_the_settings_say_how_severe_it_is(folder, run):
    (folder / "toolsurface.toml").write_text(
        'fail-on = "info"\nselect = ["PROMPT"]\n[severity]\nCHANGE_PARAMETER_REQUIRED = "info"\n', encoding="utf-8"
    )
    done = run("compare", "old", "new", "--output", "concise")
    assert done.returncode == 1
    assert "info[CHANGE_PARAMETER_REQUIRED]" in done.stdout


def test_a_comment_hides_it(folder, run):
    (folder / "new/tools.json").unlink()
    (folder / "new/tools.yaml").write_text(
        """\
tools:
  - name: find_page
    description: Finds a page.
    inputSchema:
      type: object
      required: [id]
      properties:
        text: {type: string}
        # toolsurface-lint: ignore-next-line[CHANGE_PARAMETER_REQUIRED]
        id: {type: string}
""",
        encoding="utf-8",
    )
    done = run("compare", "old", "new")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (
        0,
        "Found no breaking changes. Compared old (1 tool) with new (1 tool); suppressed 1.",
    )
    # For `check`, the comment is neither unused nor unknown.
    assert "SUPPRESSION" not in run("check", "new", "--extend-select", "SUPPRESSION").stdout


def test_a_table_for_a_pull_request(run):
    done = run("compare", "old", "new", "--output", "markdown")
    assert "| severity | rule | place | finding | breaks |\n|---|---|---|---|---|\n| error |" in done.stdout
    (row,) = [line for line in done.stdout.splitlines() if line.startswith("| error")]
    assert row.endswith(" | <code>new/system&#46;md:1</code> |")


def test_every_format_writes_it(run):
    for form in ("sarif", "github", "gitlab", "junit", "rdjson"):
        done = run("compare", "old", "new", "--output", form)
        assert done.returncode == 1
        assert "CHANGE_PARAMETER_REQUIRED" in done.stdout, form


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("old", "none"), "none: no such file or folder"),
        (("old", "new", "--select", "TOOL"), "none of the selected rules is about changes: "),
        (("old", "new", "--select", ""), "--select names no code: nothing would be checked"),
        (("old", "new", "--explain", "--output", "json"), "--explain needs the output text or concise"),
        (("old/tools.json", "new", "--output", "json=old/tools.json"), "cannot write old/tools.json: this run reads it"),
        (("new/system.md", "new/system.md"), "neither version has a tool that is recognised"),
    ],
)  # fmt: skip
def test_wrong_usage(arguments, message, run):
    done = run("compare", *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(f"toolsurface-lint: {message}")


def test_check_does_not_report_changes(run):
    done = run("check", "new", "--select", "CHANGE_PARAMETER_REQUIRED")
    assert done.returncode == 2
    assert "`toolsurface-lint compare` reports them" in done.stderr


@pytest.mark.parametrize("name", ["tools.json", "moved.json"])
def test_a_file_that_cannot_be_read_has_not_lost_its_tools(name, folder, run):
    (folder / "new/tools.json").unlink()
    (folder / "new" / name).write_text('{"tools": [{"name": "find_page", "inputSchema": {', encoding="utf-8")
    done = run("compare", "old", "new")
    assert done.returncode == 0
    assert done.stdout.splitlines()[1:] == [
        "2 places were not compared.",
        f"  1: what could not be read of a file (new/{name}:1)",
        f"  1: whether `find_page` was removed: what could not be read of a file (new/{name}:1)",
    ]


def test_what_may_be_unseen_is_not_removed(folder, run):
    program = "from fastmcp import FastMCP\n\nmcp = FastMCP('pages')\n\n\n@mcp.tool()\ndef find_page() -> str: ...\n"
    other = "from fastmcp import FastMCP\n\nmcp = FastMCP('pages')\nfor one in load():\n    mcp.add_tool(one)\n"
    kept = "\n\n@mcp.tool()\ndef list_pages() -> str: ...\n"
    for version, text in (("old", program), ("new", other)):
        (folder / version / "tools.json").unlink()
        (folder / version / "server.py").write_text(text + kept, encoding="utf-8")
    done = run("compare", "old", "new")
    assert done.returncode == 0
    assert "whether `find_page` was removed: " in done.stdout
    done = run("compare", "new", "new")
    assert done.stdout == "Found no breaking changes. Compared new (1 tool) with new (1 tool).\n"
