"""`check` with `--output coverage`, `--write-coverage-baseline` and `--coverage-baseline`."""

import json
import shutil
import subprocess

import pytest

from tests.files import write_files
from toolsurface_lint import check_paths
from toolsurface_lint.__main__ import run as run_here
from toolsurface_lint.checks.index import RULES
from toolsurface_lint.reporters.coverage import SUBJECTS


def tool(name):
    return {"name": name, "description": f"{name} it.", "inputSchema": {"type": "object"}}


def call(name, number):
    return [
        {"role": "user", "content": "go on"},
        {
            "role": "assistant",
            "tool_calls": [{"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": f"c{number}", "content": "done"},
    ]


TOOLS = json.dumps([tool("read_file"), tool("write_file")], indent=1)
PROMPT = "Use the `read_file` tool, then the `write_file` tool.\n"
TALKS = "".join(json.dumps({"messages": call(name, 0)}) + "\n" for name in ("read_file", "write_file", "fly_away"))
FILES = {
    "agents/tools.json": TOOLS,
    "agents/prompts/system.md": PROMPT,
    "agents/policy.toml": 'tools = ["read_file", "write_file"]\n',
    "agents/talks.jsonl": TALKS,
    "notes.txt": "of no interest\n",
}
LOOP = """\
from mcp.server.fastmcp import FastMCP

server = FastMCP("files")


@server.tool()
def list_files() -> str:
    \"\"\"List the files.\"\"\"


for tool in load():
    server.add_tool(tool)
"""


SELECT = ("--select", "TOOL,PROMPT,CALL,INPUT")


class Project:
    """A folder in which the command is run, in this process."""

    def __init__(self, folder, capsys):
        self.folder = folder
        self._capsys = capsys

    def write(self, files):
        write_files(self.folder, files)

    def check(self, *arguments):
        code = run_here(["check", "--jobs", "1", *arguments])
        out, err = self._capsys.readouterr()
        return code, out, err

    def baseline(self, *arguments):
        code, _, err = self.check(*arguments, "--write-coverage-baseline", "coverage.json", "--fail-on", "never")
        assert code == 0
        assert err.startswith("toolsurface-lint: wrote coverage.json: ")
        return json.loads((self.folder / "coverage.json").read_text("utf-8"))

    def losses(self, *arguments):
        """What is said to be checked less; the exit code must agree, and so must the last line."""
        code, out, err = self.check(*arguments, "--coverage-baseline", "coverage.json", "--allow-empty", *SELECT)
        prefix = "toolsurface-lint: less is checked: "
        lines = err.splitlines()
        found = [line.removeprefix(prefix) for line in lines if line.startswith(prefix)]
        assert code == (1 if found else 0), (out, err)
        hint = "toolsurface-lint: if that is meant, write the coverage baseline again: --write-coverage-baseline coverage.json"
        assert (hint in lines) == bool(found)
        assert (f"{len(found)} loss" in out) == bool(found)
        return found


@pytest.fixture
def project(tmp_path, monkeypatch, capsys):
    """A project with tools, a prompt, a policy and conversations, and nothing wrong in it."""
    monkeypatch.chdir(tmp_path)
    made = Project(tmp_path, capsys)
    made.write(FILES)
    return made


@pytest.fixture
def known(project):
    """The same, with a coverage baseline of the rules that `losses` selects."""
    project.baseline(*SELECT)
    return project


class TestFigures:
    def test_of_each_file(self, project):
        value = project.baseline()
        assert value["version"] == 1
        assert value["files"] == {
            "agents/policy.toml": {"policies": 1, "policies_against_tools": 1},
            "agents/prompts/system.md": {"prompts": 1, "prompts_against_tools": 1},
            "agents/talks.jsonl": {"conversations": 3, "calls": 3, "calls_against_tools": 2, "results": 3},
            "agents/tools.json": {"tools": ["read_file", "write_file"]},
        }
        assert value["skipped"] == {"not recognised": 1}
        # Nor is it skipped once it lies among the files.
        assert [each["path"] for each in json.loads(project.check("--output", "json")[1])["skipped"]] == ["notes.txt"]

    def test_totals_are_those_of_the_summary(self, project):
        """Every file that is read counts, and nothing else."""
        totals = project.baseline()["totals"]
        summary = json.loads(project.check("--output", "json")[1])["summary"]
        for key in ("files", "surfaces", "open_surfaces", "tools", "prompts", "calls"):
            assert totals[key] == summary[key], key

    def test_each_rule_says_what_it_looked_at(self, project):
        value = project.baseline("--ignore", "TOOL_NAME")
        assert value["asked"]["definition"] == 2
        assert value["asked"]["call"] == 3
        assert value["asked"]["conversation"] == 3
        assert value["asked"]["reference"] == 2
        assert value["rules"]["CALL_INVALID_ARGUMENTS"] == ["call"]
        assert value["rules"]["SUPPRESSION_UNUSED"] == ["document"]
        assert "TOOL_NAME_INVALID" in value["disabled"]
        assert not set(value["rules"]) & set(value["disabled"])
        others = set(RULES) - set(value["rules"]) - set(value["disabled"])
        assert {code.partition("_")[0] for code in others} == {"CHANGE", "DATASET", "INTERNAL"}

    def test_a_tool_in_several_surfaces_is_one(self, project):
        """Two agents are given the same tools, and told the same."""
        surface = '[[surface]]\nname = "{}"\ntools = ["agents/tools.json"]\nprompts = ["agents/prompts/*.md"]\n'
        project.write({"toolsurface.toml": surface.format("one") + surface.format("two")})
        value = project.baseline()
        assert (value["totals"]["surfaces"], value["totals"]["tools"], value["totals"]["prompts"]) == (3, 2, 1)
        assert value["asked"]["active_tool"] == 4

    def test_what_meets_no_tools(self, project):
        project.write({"other/prompts/b.md": PROMPT})
        (project.folder / "agents/tools.json").unlink()
        value = project.baseline()
        assert value["files"]["other/prompts/b.md"] == {"prompts": 1}
        _, out, _ = project.check("--output", "coverage", "--fail-on", "never")
        assert ["checked against no tools", "2"] in [line.strip().rsplit(None, 1) for line in out.splitlines()]

    def test_what_is_in_open_surfaces(self, project):
        project.write({"agents/server.py": LOOP})
        value = project.baseline()
        assert value["files"]["agents/tools.json"] == {
            "tools": ["read_file", "write_file"],
            "tools_in_open_surfaces": 2,
        }
        assert value["files"]["agents/talks.jsonl"]["calls_in_open_surfaces"] == 2
        assert value["totals"]["open_surfaces"] == 1

    def test_calls_of_tools_that_rows_carry(self, project):
        """They meet those, whatever lies around them."""
        shutil.rmtree(project.folder / "agents")
        row = {"tools": [tool("read_file")], "messages": call("read_file", 0)}
        project.write({"rows.jsonl": json.dumps(row) + "\n"})
        figures = {"conversations": 1, "calls": 1, "calls_against_tools": 1, "results": 1}
        value = project.baseline()
        assert value["files"] == {"rows.jsonl": figures}
        assert value["asked"]["definition"] == 1

    def test_targets(self, project):
        project.write({"toolsurface.toml": 'provider = ["openai"]\nmodel = "gpt-4o"\n'})
        assert project.baseline()["targets"] == ["model gpt-4o", "provider openai"]

    def test_the_file_itself_changes_nothing(self, project):
        project.baseline()
        before = (project.folder / "coverage.json").read_bytes()
        project.baseline()
        assert (project.folder / "coverage.json").read_bytes() == before

    def test_paths_are_those_from_the_file(self, project, monkeypatch):
        """It says the same wherever the command is started, and names no folder of this machine."""
        subprocess.run(["git", "init", "-q", project.folder], check=True)
        (project.folder / "ci").mkdir()
        project.check("--write-coverage-baseline", "ci/coverage.json", "--fail-on", "never")
        text = (project.folder / "ci/coverage.json").read_text("utf-8")
        assert "../agents/tools.json" in json.loads(text)["files"]
        assert str(project.folder) not in text
        monkeypatch.chdir(project.folder / "ci")
        code, _, err = project.check("..", "--coverage-baseline", "coverage.json", "--fail-on", "never")
        assert (code, err) == (0, "")
        project.check("..", "--write-coverage-baseline", "coverage.json", "--fail-on", "never")
        assert (project.folder / "ci/coverage.json").read_text("utf-8") == text

    def test_in_the_python_api(self, project):
        report = check_paths(["."], coverage=True)
        coverage = report.coverage
        assert coverage is not None
        assert coverage.files["agents/tools.json"].tools == ("read_file", "write_file")
        assert coverage.totals["calls_against_tools"] == 2
        assert coverage.number("CALL_INVALID_ARGUMENTS") == 3
        assert check_paths(["."]).coverage is None


@pytest.mark.slow
def test_processes_and_the_order_of_paths_change_nothing(run, tmp_path):
    """Enough tools and conversations that they are shared, and files for a process each."""
    files = {f"{n}/{name}": text for n in range(70) for name, text in FILES.items()}
    files |= {f"{n}/agents/tools.json": json.dumps([tool(f"t_{k}") for k in range(40)]) for n in range(0, 70, 7)}
    write_files(tmp_path / "project", files)
    texts = set()
    for arguments in (["--jobs", "1"], ["--jobs", "2"], ["--jobs", "2", *(str(n) for n in reversed(range(70)))]):
        done = run("check", *arguments, "--write-coverage-baseline", "../c.json", "--fail-on", "never", cwd="project")
        assert done.returncode == 0
        assert (
            done.stderr
            == "toolsurface-lint: wrote ../c.json: 520 tools, 70 prompts, 70 policies, 210 calls in 280 files\n"
        )
        texts.add((tmp_path / "c.json").read_text("utf-8"))
        (tmp_path / "c.json").unlink()
    assert len(texts) == 1


class TestForPeople:
    def test_what_is_said(self, project):
        code, out, _ = project.check("--output", "coverage", "--ignore", "TOOL_NAME", "--fail-on", "never")
        assert code == 0
        rows = [tuple(line.rsplit(None, 1)) for line in out.splitlines()]
        assert ("files", "4") in rows
        assert ("tools", "2") in rows
        assert ("  checked against no tools", "1") in rows
        assert ("skipped: not recognised", "1") in rows
        assert any(line.split()[:3] == ["tool", "definitions", "2"] for line in out.splitlines())
        of_files = next(
            line.split() for line in out.splitlines() if line.startswith("files ") and len(line.split()) == 3
        )
        value = project.baseline("--ignore", "TOOL_NAME")
        assert of_files == ["files", "4", str(sum("document" in subjects for subjects in value["rules"].values()))]
        assert "had nothing to look at:\n" in out
        assert "CHAT_* (" in out
        assert "disabled by the settings or the command line:\n  TOOL_NAME_" in out
        assert out.splitlines()[-2:][0].startswith(("Found", "No problems")) or "Checked 1 surface" in out

    def test_every_subject_has_a_name(self):
        subjects = {
            subject for code, rule in RULES.items() if not code.startswith("CHANGE_") for subject in rule.subjects
        }
        assert subjects - set(SUBJECTS) == {"crash", "dataset", "directive"}

    def test_two_versions_have_none(self, project):
        code = run_here(["compare", "agents", "agents", "--output", "coverage"])
        assert code == 2

    def test_in_json(self, known):
        (known.folder / "agents/prompts/system.md").unlink()
        arguments = ("--coverage-baseline", "coverage.json", "--output", "json")
        value = json.loads(known.check(*arguments, *SELECT)[1])
        assert value["losses"][0]["paths"] == ["agents/prompts/system.md"]
        assert value["losses"][0]["message"].startswith("agents/prompts/system.md is not checked any more")
        assert "losses" not in json.loads(known.check("--output", "json")[1])


class TestLess:
    """Each way to check less than before."""

    def test_nothing(self, known):
        assert known.losses() == []

    def test_a_file_is_excluded(self, known):
        known.write({"toolsurface.toml": 'exclude = ["agents/prompts/"]\n'})
        found = known.losses()
        assert found[0] == (
            "agents/prompts/system.md is not checked any more: excluded by `agents/prompts/`; it had 1 prompt"
        )

    def test_a_file_is_excluded_by_the_command(self, known):
        found = known.losses("--exclude", "agents/prompts/")
        assert found[0] == (
            "agents/prompts/system.md is not checked any more: excluded by `agents/prompts/`; it had 1 prompt"
        )

    def test_a_file_is_deleted(self, known):
        """Nobody can know whether that is meant: it is accepted by writing the baseline again."""
        (known.folder / "agents/prompts/system.md").unlink()
        found = known.losses()
        assert found[0] == "agents/prompts/system.md is not checked any more: no such file; it had 1 prompt"
        known.baseline(*SELECT)
        assert known.losses() == []

    def test_a_folder_is_moved_where_nothing_is_checked(self, known):
        (known.folder / "agents").rename(known.folder / "tests")
        assert (
            "agents/tools.json is not checked any more: no such file, and the one of that name in tests is skipped "
            "(part of tests); it had 2 tools (`read_file`, `write_file`)"
        ) in ("".join(line) for line in split(known.losses()))

    def test_a_folder_that_is_left_out(self, known):
        shutil.move(known.folder / "agents", known.folder / "node_modules")
        assert any("no such file" in line and "2 tools (`read_file`, `write_file`)" in line for line in known.losses())

    def test_the_paths_are_narrower(self, known):
        found = known.losses("agents/prompts")
        assert found[0].startswith(
            "3 files (agents/policy.toml, agents/talks.jsonl, agents/tools.json) are not checked"
        )
        assert "outside of what was to be checked" in found[0]

    def test_a_tool_is_gone(self, known):
        known.write({"agents/tools.json": json.dumps([tool("read_file"), tool("edit_file")])})
        assert "agents/tools.json: the tool `write_file` is gone" in known.losses()

    def test_a_format_that_is_not_read(self, known):
        known.write({"agents/tools.json": json.dumps({"read_file": "reads", "write_file": "writes"})})
        found = known.losses()
        assert any(
            line.startswith("agents/tools.json is not checked any more: skipped (") and "`write_file`" in line
            for line in found
        )
        assert "agents/prompts/system.md: 0 prompts checked against tools, 1 before" in found

    def test_a_file_that_cannot_be_read(self, known):
        known.write({"agents/prompts/system.md": b"\xff\xfe\x00"})
        found = known.losses()
        assert found[0] == "agents/prompts/system.md: 0 prompts, 1 before; the file cannot be read, or not to its end"

    def test_a_surface_is_opened(self, known):
        known.write({"agents/server.py": LOOP})
        found = known.losses()
        assert len(found) == 1
        assert found[0].startswith("the surface `agents` is open now, so unknown names are not reported in 4 files (")
        assert found[0].endswith(": agents/server.py:11: tools registered in a loop over a call's result")

    def test_one_more_tool_in_an_open_surface_is_no_loss(self, project):
        project.write({"agents/server.py": LOOP})
        project.baseline(*SELECT)
        project.write({"agents/tools.json": json.dumps([*json.loads(TOOLS), tool("edit_file")])})
        assert project.losses() == []

    def test_transcripts_that_are_not_followed(self, known):
        known.write({"agents/talks.jsonl": TALKS.replace("messages", "said")})
        found = known.losses()
        assert any("agents/talks.jsonl" in line and "3 conversations" in line for line in found)
        assert any(
            line.startswith("10 rules have nothing to look at now: `CALL_") or "`CALL_* (" in line for line in found
        )

    def test_fewer_conversations(self, known):
        known.write({"agents/talks.jsonl": TALKS.split("\n", 1)[1]})
        assert known.losses() == [
            "agents/talks.jsonl: 2 conversations, 3 before; 2 calls, 3 before; 2 results, 3 before"
        ]

    def test_calls_of_no_tool(self, known):
        known.write({"agents/talks.jsonl": TALKS.replace("write_file", "fly_there")})
        assert known.losses() == ["agents/talks.jsonl: 1 call checked against tools, 2 before"]

    def test_a_rule_is_disabled(self, known):
        assert known.losses("--ignore", "TOOL_NAME_INVALID") == ["1 rule is disabled now: `TOOL_NAME_INVALID`"]

    def test_a_rule_is_off(self, known):
        known.write({"toolsurface.toml": '[severity]\nTOOL_NAME_INVALID = "off"\n'})
        assert known.losses() == ["1 rule is disabled now: `TOOL_NAME_INVALID`"]

    def test_findings_of_files_are_hidden(self, known):
        ignore = '[[per-file-ignores]]\npath = "agents/**"\ncodes = ["{}"]\n'
        known.write({"toolsurface.toml": ignore.format("TOOL")})
        files = "agents/policy.toml, agents/prompts/system.md, agents/talks.jsonl, agents/tools.json"
        assert known.losses() == [f"per-file-ignores hides what `TOOL` finds now in 4 files ({files})"]
        known.baseline(*SELECT)
        known.write({"toolsurface.toml": ignore.format("TOOL_NAME_INVALID")})
        assert known.losses() == []

    def test_no_provider_any_more(self, project):
        project.write({"toolsurface.toml": 'provider = ["openai"]\n'})
        project.baseline(*SELECT)
        (project.folder / "toolsurface.toml").unlink()
        assert project.losses() == ["nothing is checked for the provider openai any more"]

    def test_a_rule_of_another_version(self, known):
        value = json.loads((known.folder / "coverage.json").read_text("utf-8"))
        value["rules"]["TOOL_OF_OLD"] = ["definition"]
        known.write({"coverage.json": json.dumps(value)})
        assert known.losses() == ["1 rule is unknown to this version: `TOOL_OF_OLD`"]

    def test_findings_count_by_themselves(self, known):
        """A loss is as bad as an error; `never` lets everything pass."""
        (known.folder / "agents/prompts/system.md").unlink()
        arguments = ("--coverage-baseline", "coverage.json", *SELECT)
        assert [known.check(*arguments, "--fail-on", level)[0] for level in ("error", "info", "never")] == [1, 1, 0]

    def test_no_problem_is_no_clean_bill(self, known):
        (known.folder / "agents/prompts/system.md").unlink()
        _, out, _ = known.check("--coverage-baseline", "coverage.json", "--select", "TOOL,INPUT")
        assert out.startswith("No problems found, but less was checked than before. Checked 1 surface")

    def test_fixing_says_the_same(self, known):
        (known.folder / "agents/prompts/system.md").unlink()
        assert known.losses("--fix") == known.losses()


def split(losses):
    """One line for each file of those that have one reason, as if each had its own."""
    for line in losses:
        if " files (" in line and "are not checked" in line:
            _, rest = line.split(") are not checked any more: ", 1)
            why, _ = rest.split("; they had")
            yield f"agents/tools.json is not checked any more: {why}; it had 2 tools (`read_file`, `write_file`)"
        else:
            yield line


class TestMore:
    """More is never an error, and neither is what is somewhere else now."""

    NOTE = (
        "toolsurface-lint: coverage.json does not know all that is checked now, and would not notice its loss: "
        "--write-coverage-baseline coverage.json takes it in\n"
    )

    def note(self, project):
        code, _, err = project.check("--coverage-baseline", "coverage.json", *SELECT)
        assert code == 0
        return err

    def test_nothing(self, known):
        assert self.note(known) == ""

    def test_another_file(self, known):
        known.write({"agents/prompts/more.md": PROMPT})
        assert self.note(known) == self.NOTE

    def test_another_tool(self, known):
        known.write({"agents/tools.json": json.dumps([*json.loads(TOOLS), tool("edit_file")])})
        assert self.note(known) == self.NOTE

    @pytest.mark.parametrize(
        "move",
        [("agents", "bots"), ("agents/prompts", "agents/texts/prompts"), ("agents/tools.json", "agents/all.json")],
    )
    def test_a_move(self, known, move):
        old, new = (known.folder / path for path in move)
        new.parent.mkdir(exist_ok=True)
        old.rename(new)
        assert self.note(known) == self.NOTE

    def test_a_file_that_is_split(self, known):
        first, second = json.loads(TOOLS)
        (known.folder / "agents/tools.json").unlink()
        known.write({"agents/a.json": json.dumps([first]), "agents/b.json": json.dumps([second])})
        assert self.note(known) == self.NOTE

    def test_of_two_skills_one_is_no_move_of_the_other(self, project):
        """Files of one name are everywhere: the folder has to be the same, too."""
        head = "---\nname: {0}\ndescription: Use it for {0} alone.\n---\nRead on.\n"
        project.write({f"skills/{name}/SKILL.md": head.format(name) for name in ("one", "two")})
        project.baseline(*SELECT)
        shutil.rmtree(project.folder / "skills/one")
        project.write({"skills/three/SKILL.md": head.format("three")})
        assert project.losses()[0].startswith("skills/one/SKILL.md is not checked any more: no such file")


class TestHostile:
    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("", "coverage.json is not a coverage baseline: it is empty"),
            ("{", "coverage.json:1:2: not a coverage baseline: "),
            ("[" * 100_000, "coverage.json:1:"),
            ('{"version": 1}', "coverage.json:1:1: not a coverage baseline: it has no `version` and no `files`"),
            ('{"version": true, "files": {}}', "coverage.json:1:1: not a coverage baseline: it has no `version`"),
            ('{"version": 2, "files": {}}', "coverage.json:1:13: not a coverage baseline: it is of another version"),
            ('{"version": 1, "files": []}', "coverage.json:1:25: not a coverage baseline: `files` must be an object"),
            ('{"version": 1,\n "files": {"a": 1}}', "coverage.json:2:17: not a coverage baseline: what was checked"),
            (
                '{"version": 1, "files": {"a": {"prompts": -1}}}',
                "coverage.json:1:43: not a coverage baseline: a figure",
            ),
            (
                '{"version": 1, "files": {"a": {"prompts": 1e9}}}',
                "coverage.json:1:43: not a coverage baseline: a figure",
            ),
            ('{"version": 1, "files": {"a": {"prompts": true}}}', "a figure must be a whole number"),
            (
                '{"version": 1, "files": {"a": {"tools": [1]}}}',
                "coverage.json:1:41: not a coverage baseline: `tools` must",
            ),
            ('{"version": 1, "files": {"/etc/passwd": {}}}', "`/etc/passwd` is not a relative path"),
            ('{"version": 1, "files": {"\\\\\\\\host\\\\share": {}}}', "is not a relative path"),
            ('{"version": 1, "files": {"C:x": {}}}', "`C:x` is not a relative path"),
            ('{"version": 1, "files": {}, "rules": {"A": 1}}', "what a rule looks at must be a list of texts"),
            ('{"version": 1, "files": {"a": {"prompts": ' + "9" * 4300 + "}}}", "a figure must be a whole number"),
            ('{"version": 1, "files": {}, "asked": {"a": "1"}}', "a figure must be a whole number"),
            ('{"version": 1, "files": {}, "files": {}}', "coverage.json:1:29: not a coverage baseline: "),
            ('{"version": 1, "files": {}} {}', "coverage.json"),
            (b"\xff\xfe", "cannot read the coverage baseline coverage.json: "),
        ],
    )
    def test_what_is_no_baseline(self, project, text, said):
        project.write({"coverage.json": text})
        code, out, err = project.check("--coverage-baseline", "coverage.json")
        assert (code, out, len(err.splitlines())) == (2, "", 1)
        assert said in err
        if said[-1:] != "=":
            assert err.startswith("toolsurface-lint: ")

    def test_a_baseline_of_findings(self, project):
        project.check("--write-baseline", "baseline.json", "--fail-on", "never")
        code, _, err = project.check("--coverage-baseline", "baseline.json")
        assert code == 2
        assert "baseline.json:1:1: not a coverage baseline: it has no `version` and no `files`" in err

    def test_that_is_missing(self, project):
        code, _, err = project.check("--coverage-baseline", "nowhere.json")
        assert code == 2
        assert err == "toolsurface-lint: cannot read the coverage baseline nowhere.json: No such file or directory\n"

    def test_names_that_steer_terminals(self, known):
        """What the file holds is shown as text, on one line a loss."""
        value = json.loads((known.folder / "coverage.json").read_text("utf-8"))
        value["files"]["a\n::error::b\x1b[31m.md"] = {"prompts": 3, "tools": ["\x1b]0;x\x07"]}
        value["targets"] = ["\r\x1b[2J"]
        value["rules"]["\n::warning::"] = ["document"]
        known.write({"coverage.json": json.dumps(value)})
        _, out, err = known.check("--coverage-baseline", "coverage.json", *SELECT)
        assert not {"\x1b", "\x07", "\r"} & set(out + err)
        assert not any(line.startswith("::") for line in (out + err).splitlines())
        assert len(err.splitlines()) == 4

    def test_files_outside_are_not_looked_into(self, known):
        value = json.loads((known.folder / "coverage.json").read_text("utf-8"))
        value["files"]["../../../../../../../../../../etc/hostname/x"] = {"prompts": 1}
        value["files"]["a\u0000b"] = {"prompts": 1}
        known.write({"coverage.json": json.dumps(value)})
        found = known.losses()
        assert len(found) == 1
        assert found[0].endswith("are not checked any more: no such file; they had 2 prompts")

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (
                ["--coverage-baseline", "a", "--write-coverage-baseline", "b"],
                "--write-coverage-baseline accepts what is checked now: it cannot be combined with --coverage-baseline",
            ),
            (
                ["--coverage-baseline", "a", "--diff"],
                "--coverage-baseline cannot be combined with --diff, which reports nothing",
            ),
            (
                ["--write-coverage-baseline", "notes.txt"],
                "cannot write the coverage baseline: notes.txt:1:1: not a coverage baseline: ",
            ),
            (
                ["--write-coverage-baseline", "agents/tools.json"],
                "cannot write the coverage baseline: agents/tools.json:1:1",
            ),
            (["agents/tools.json", "--write-coverage-baseline", "agents/tools.json"], "this run reads it"),
            (
                ["--write-coverage-baseline", "c.json", "--output", "json=c.json"],
                "two reports cannot be written to one file",
            ),
            (
                ["--write-coverage-baseline", "c.json", "--write-baseline", "c.json"],
                "two reports cannot be written to one",
            ),
        ],
    )
    def test_what_is_refused(self, project, arguments, said):
        before = {path: path.read_bytes() for path in project.folder.rglob("*") if path.is_file()}
        code, out, err = project.check(*arguments)
        assert (code, out) == (2, "")
        assert said in err
        assert {path: path.read_bytes() for path in project.folder.rglob("*") if path.is_file()} == before

    def test_what_a_release_before_wrote_can_be_replaced(self, project):
        project.write({"coverage.json": '{"version": 0, "files": {}}'})
        assert project.baseline()["version"] == 1

    def test_standard_input(self, run):
        done = run("check", "-", "--coverage-baseline", "c.json", input="x")
        assert done.returncode == 2
        assert "--coverage-baseline is about files: it cannot be combined with standard input" in done.stderr
