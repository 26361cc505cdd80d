"""What of a report is printed: `--quiet`, `--statistics`; and what is left out of it: `--exclude`."""

import json

import pytest

from tests.files import write_files

pytestmark = pytest.mark.slow

FINDING = "tools.json:4:15: warning[TOOL_SURFACE_MISSING_SCHEMA] tool `read_file` has no parameter schema"


@pytest.fixture
def told(run):
    """Runs the command and gives its exit code and both streams."""

    def tell(*arguments):
        done = run("check", *arguments)
        return done.returncode, done.stdout, done.stderr

    return tell


def test_a_quiet_run_prints_findings_and_nothing_else(told, folder):
    code, shown, said = told("--quiet", "--output", "concise")
    assert (code, shown.startswith(FINDING), shown.count("\n"), said) == (0, True, 1, "")
    assert told("--quiet", "--ignore", "ALL") == (0, "", "")
    # What it writes goes without saying, too.
    assert told("--quiet", "--write-baseline", "baseline.json") == (0, "", "")
    (folder / "tools.json").write_text("[]", encoding="utf-8")
    code, shown, said = told("--quiet", "--baseline", "baseline.json", "--output", "concise")
    assert (code, "stale" in shown + said, said) == (0, False, "")


def test_a_quiet_run_fixes_without_a_word(told, folder):
    (folder / "system.md").write_text("<!-- toolsurface-lint: ignore-line -->\nCall read_file({}).\n", encoding="utf-8")
    code, shown, said = told("--quiet", "--diff")
    assert (code, "-<!-- toolsurface-lint: ignore-line -->" in shown, said) == (1, True, "")
    code, shown, said = told("--quiet", "--fix", "--output", "concise")
    assert (code, shown.startswith(FINDING), shown.count("\n"), said) == (0, True, 1, "")
    assert (folder / "system.md").read_text(encoding="utf-8") == "Call read_file({}).\n"


def test_a_quiet_run_says_what_could_not_be_done(told, folder):
    (folder / "empty").mkdir()
    code, shown, said = told("--quiet", "empty")
    assert (code, shown) == (2, "")
    assert said.startswith("toolsurface-lint: empty: nothing to check was recognised in this folder")


def test_statistics(told):
    code, shown, said = told("--statistics", "--quiet", "--fail-on", "warning")
    assert (code, shown, said) == (1, "1  warning[TOOL_SURFACE_MISSING_SCHEMA]\n", "")
    for wrong in (("--output", "sarif"), ("--diff",)):
        message = "toolsurface-lint: --statistics needs the output text, concise or json\n"
        assert told("--statistics", *wrong) == (2, "", message)


def test_what_is_excluded_is_left_out_beside_what_the_settings_exclude(told, folder):
    tool = (folder / "tools.json").read_text(encoding="utf-8")
    write_files(folder, {f"{name}/tools.json": tool for name in ("a", "b", "c/d", "e/a")})
    (folder / "toolsurface.toml").write_text('exclude = ["b"]\n', encoding="utf-8")

    def checked(*arguments):
        report = json.loads(told("--output", "json", *arguments)[1])
        return sorted({finding["path"] for finding in report["diagnostics"]}), report["skipped"]

    assert checked() == (["a/tools.json", "c/d/tools.json", "e/a/tools.json", "tools.json"], [])
    assert checked("--exclude", "a", "--exclude=c/*") == (["tools.json"], [])
    assert checked("--exclude", "./a/") == (["c/d/tools.json", "e/a/tools.json", "tools.json"], [])
    assert checked("--exclude", "a", "a/tools.json") == ([], [{"path": "a/tools.json", "reason": "excluded"}])


def test_a_glob_that_cannot_be_used(told):
    braces = "{a,b}" * 20
    code, shown, said = told("--exclude", braces)
    assert (code, shown) == (2, "")
    assert said.startswith("toolsurface-lint: ")
    assert "braces" in said


def test_surface_leaves_out_what_is_excluded(run, folder):
    (folder / "other.json").write_text((folder / "tools.json").read_text("utf-8").replace("read", "write"), "utf-8")
    done = run("surface", "--exclude", "tools.json")
    assert ("write_file" in done.stdout, "tools.json" in done.stdout) == (True, False)
