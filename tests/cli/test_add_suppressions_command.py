"""`check` with `--add-suppressions`, and suppressions that have expired."""

import json
import subprocess

import pytest

from tests.files import write_files

pytestmark = pytest.mark.slow

PROMPT = "Call read_file({}) first.\n\n- Then write_all({}).\n"
CODE = "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"
COMMENT = f"<!-- toolsurface-lint: ignore-next-line[{CODE}] -->\n"
TABLE = """\
[[per-file-ignores]]
path = "tools.json"
codes = ["TOOL_SURFACE_MISSING_SCHEMA"]
pointer = "/tools/0/name"
"""


@pytest.fixture
def noisy(folder):
    (folder / "system.md").write_text(PROMPT, encoding="utf-8")
    return folder


def texts(folder):
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def test_everything_shown_is_suppressed_and_a_second_time_there_is_nothing_to_do(run, noisy):
    before = texts(noisy)
    done = run("check", "--add-suppressions", "--output", "concise", "--fail-on", "info")
    assert (done.returncode, done.stderr) == (0, "toolsurface-lint: suppressed 2 problems in 2 files\n")
    assert done.stdout.startswith("No problems found. ")
    written = {"system.md": PROMPT.replace("- Then", f"{COMMENT}- Then"), "toolsurface.toml": TABLE}
    assert texts(noisy) == {**before, **written}
    again = run("check", "--add-suppressions", "--fail-on", "info")
    assert (again.returncode, again.stderr) == (0, "")
    assert texts(noisy) == {**before, **written}
    assert run("check", "--fail-on", "info").returncode == 0


def test_a_new_finding_is_added_to_the_line_of_an_old_one(run, noisy):
    run("check", "--add-suppressions=agreed")
    text = (
        (noisy / "system.md")
        .read_text(encoding="utf-8")
        .replace("write_all({})", "write_all({}) or read_file({ x: 1 })")
    )
    (noisy / "system.md").write_text(text, encoding="utf-8")
    schema = '"parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "additionalProperties": false}, "name"'
    tools = (noisy / "tools.json").read_text(encoding="utf-8").replace('"name"', schema)
    (noisy / "tools.json").write_text(tools, encoding="utf-8")
    done = run("check", "system.md", "--add-suppressions", "--fail-on", "info")
    assert done.returncode == 0
    assert f"ignore-next-line[{CODE}, PROMPT_UNKNOWN_ARGUMENT] agreed -->\n- Then" in (noisy / "system.md").read_text(
        encoding="utf-8"
    )


def test_the_reason_and_the_day_are_written_and_hold_so_long(run, noisy):
    done = run("check", "--add-suppressions=until=2030-06-30 the host has it", variables={"SOURCE_DATE_EPOCH": "0"})
    assert done.returncode == 0
    assert f"[{CODE}] until=2030-06-30 the host has it -->\n" in (noisy / "system.md").read_text(encoding="utf-8")
    table = (noisy / "toolsurface.toml").read_text(encoding="utf-8")
    assert table.endswith('reason = "the host has it"\nuntil = 2030-06-30\n')
    arguments = ("check", "--output", "json", "--select", f"TOOL_SURFACE,{CODE},SUPPRESSION")
    # The last second of the day, and the first one after it.
    last = json.loads(run(*arguments, variables={"SOURCE_DATE_EPOCH": "1909094399"}).stdout)
    assert (last["diagnostics"], last["summary"]["suppressed"]) == ([], 2)
    past = json.loads(run(*arguments, variables={"SOURCE_DATE_EPOCH": "1909094400"}).stdout)
    assert [(item["path"], item["range"]["start"]["line"], item["code"]) for item in past["diagnostics"]] == [
        ("system.md", 3, "SUPPRESSION_EXPIRED"),
        ("system.md", 4, CODE),
        ("tools.json", 4, "TOOL_SURFACE_MISSING_SCHEMA"),
        ("toolsurface.toml", 6, "SUPPRESSION_EXPIRED"),
    ]
    assert past["summary"]["suppressed"] == 0


def test_the_settings_of_one_file_are_spoken_of_with_it(run, noisy):
    (noisy / "toolsurface.toml").write_text(TABLE + "until = 2020-01-31\n", encoding="utf-8")
    found = json.loads(run("check", "tools.json", "--output", "json").stdout)["diagnostics"]
    assert "SUPPRESSION_EXPIRED" in [item["code"] for item in found]
    found = json.loads(run("check", "system.md", "--output", "json").stdout)["diagnostics"]
    assert "SUPPRESSION_EXPIRED" not in [item["code"] for item in found]


def test_diff_shows_it_and_writes_nothing(run, noisy):
    before = texts(noisy)
    done = run("check", "--add-suppressions", "--diff")
    assert (done.returncode, done.stderr) == (1, "toolsurface-lint: would suppress 2 problems in 2 files\n")
    assert texts(noisy) == before
    assert "--- /dev/null\n+++ toolsurface.toml\n@@ -0,0 +1,4 @@\n" in done.stdout
    subprocess.run(["git", "apply", "-p0"], input=done.stdout, text=True, cwd=noisy, check=True)
    assert texts(noisy)["toolsurface.toml"] == TABLE
    clean = run("check", "--add-suppressions", "--diff")
    assert (clean.returncode, clean.stdout, clean.stderr) == (0, "", "")


def test_the_settings_in_use_are_written_to(run, noisy):
    (noisy / "mine.toml").write_bytes(b"exclude = [] # none\r\n")
    run("check", "--config", "mine.toml", "--add-suppressions")
    assert (noisy / "mine.toml").read_bytes() == b"exclude = [] # none\r\n\r\n" + TABLE.replace("\n", "\r\n").encode()
    assert not (noisy / "toolsurface.toml").exists()


def test_what_is_behind_a_baseline_is_not_suppressed(run, noisy):
    run("check", "--write-baseline", "baseline.json", "--ignore", CODE)
    done = run("check", "--baseline", "baseline.json", "--add-suppressions", "--fail-on", "info")
    assert (done.returncode, done.stderr) == (0, "toolsurface-lint: suppressed 1 problem in 1 file\n")
    assert not (noisy / "toolsurface.toml").exists()


def test_what_cannot_be_written_is_told(run, noisy):
    done = run("check", "--isolated", "--add-suppressions", "--output", "concise")
    assert done.returncode == 2
    assert (
        "toolsurface-lint: tools.json is left as it is: no comment can hide all that is found in it, and --isolated"
        in (done.stderr)
    )
    assert done.stdout.count("TOOL_SURFACE_MISSING_SCHEMA") == 1
    assert COMMENT in (noisy / "system.md").read_text(encoding="utf-8")


@pytest.mark.usefixtures("no_privileges")
def test_a_file_that_cannot_be_written_is_told(run, noisy):
    (noisy / "system.md").chmod(0o444)
    done = run("check", "--add-suppressions")
    assert done.returncode == 2
    assert "toolsurface-lint: system.md is write-protected\n" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--fix"], "--add-suppressions cannot be combined with --fix: run one after the other"),
        (["--diff", "--unsafe-fixes"], "--add-suppressions cannot be combined with --unsafe-fixes: run one after the other"),
        (["--write-baseline", "b"], "--add-suppressions cannot be combined with --write-baseline: run one after the other"),
        (["-"], "no suppressions can be added to standard input: give a file"),
        (["--add-suppressions=a --> b"], "--add-suppressions cannot write this reason: it must be one line that ends no comment"),
        (
            ["--add-suppressions=until=soon"],
            "--add-suppressions cannot write this reason: the last day is written `until=YYYY-MM-DD`",
        ),
        (["--add-suppressions=until=1999-12-31"], "--add-suppressions: 1999-12-31 has passed already"),
    ],
)  # fmt: skip
def test_wrong_usage(run, noisy, arguments, message):
    before = texts(noisy)
    done = run("check", "--add-suppressions", *arguments, input="")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"toolsurface-lint: {message}\n")
    assert texts(noisy) == before


@pytest.mark.parametrize("seconds", ["soon", "-1", "1e9", "9" * 30])
def test_a_source_date_that_is_none(run, seconds):
    done = run("check", variables={"SOURCE_DATE_EPOCH": seconds})
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"toolsurface-lint: SOURCE_DATE_EPOCH: `{seconds}`")


def test_a_path_behind_the_option_is_no_reason(run, noisy):
    """Also where click reads the arguments."""
    for more in ([], ["--"]):
        (noisy / "system.md").write_text(PROMPT, encoding="utf-8")
        assert run("check", "--add-suppressions", *more, "system.md").returncode == 0
        assert COMMENT in (noisy / "system.md").read_text(encoding="utf-8")
    assert "--add-suppressions[=REASON]" in run("check", "--help").stdout


_SCRIPT = (
    'import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";\n'
    'const server = new McpServer({ name: "a", version: "1" });\n'
    'server.registerTool("a", { inputSchema: {} }, async () => ({}));\n'
)
_PROGRAMS = {
    "ts/a.ts": _SCRIPT,
    "js/a.js": _SCRIPT,
    "go/a.go": 'package a\n\nvar a = mcp.NewTool("a")\n',
    "rust/a.rs": "impl A {\n    #[tool]\n    fn a(&self) {}\n}\n",
    "java/A.java": "import dev.langchain4j.agent.tool.Tool;\nclass A {\n    @Tool\n    void a() {}\n}\n",
    "kotlin/A.kt": "import ai.koog.agents.core.tools.Tool\nclass A : ToolSet {\n    @Tool\n    fun a() {}\n}\n",
    "csharp/A.cs": "class A\n{\n    [McpServerTool]\n    public void A() {}\n}\n",
}


def test_programs_have_comments_with_two_slashes(run, tmp_path):
    write_files(tmp_path / "programs", _PROGRAMS)
    found = run("check", "--output", "concise", cwd="programs").stdout
    assert found.count("TOOL_DESCRIPTION_MISSING") == len(_PROGRAMS)
    run("check", "--add-suppressions", cwd="programs")
    comment = "// toolsurface-lint: ignore-next-line[TOOL_DESCRIPTION_MISSING]"
    for path, text in _PROGRAMS.items():
        lines = (tmp_path / "programs" / path).read_text(encoding="utf-8").splitlines(keepends=True)
        assert [line.strip() for line in lines if "toolsurface-lint" in line] == [comment], path
        assert "".join(line for line in lines if "toolsurface-lint" not in line) == text
    done = run("check", cwd="programs").stdout
    assert "No problems found" in done
    assert f"suppressed {len(_PROGRAMS)}" in done
