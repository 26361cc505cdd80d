"""`toolsurface-lint check`: exit codes, outputs, standard input, and how it behaves towards terminals and pipes."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

WARNING = "tools.json:4:15: warning[TOOL_SURFACE_MISSING_SCHEMA]"
ERROR = '{"tools": [{"name": "a", "input_schema": {}}, 1'


def summary(done: "subprocess.CompletedProcess[str]") -> dict[str, int]:
    return json.loads(done.stdout)["summary"]


class TestExitCode:
    @pytest.mark.parametrize(("level", "code"), [(None, 0), ("error", 0), ("warning", 1), ("info", 1), ("never", 0)])
    def test_a_warning(self, run, level, code):
        done = run("check", *([] if level is None else ["--fail-on", level]))
        assert (done.returncode, done.stderr) == (code, "")
        assert WARNING in done.stdout

    def test_an_error(self, run, folder):
        (folder / "broken.json").write_text(ERROR, encoding="utf-8")
        assert run("check").returncode == 1
        assert run("check", "--fail-on", "never").returncode == 0

    def test_the_settings_say_when_to_fail_and_the_flag_wins(self, run, folder):
        (folder / "toolsurface.toml").write_text('fail-on = "warning"\n', encoding="utf-8")
        assert run("check").returncode == 1
        assert run("check", "--fail-on", "error").returncode == 0
        assert run("check", "--isolated").returncode == 0
        (folder / "other.toml").write_text('fail-on = "never"\n', encoding="utf-8")
        assert run("check", "--config", "other.toml").returncode == 0

    @pytest.mark.parametrize("form", ["text", "concise", "json", "sarif", "github"])
    def test_is_the_same_for_every_format(self, run, form):
        assert run("check", "--output", form, "--fail-on", "warning").returncode == 1
        assert run("check", "--output", form, "--ignore", "ALL").returncode == 0

    @pytest.mark.parametrize("jobs", ["0", "1", "2", "40"])
    def test_is_the_same_for_any_number_of_processes(self, run, jobs):
        alone = run("check", "--fail-on", "warning")
        done = run("check", "--jobs", jobs, "--fail-on", "warning")
        assert (done.returncode, done.stdout, done.stderr) == (1, alone.stdout, alone.stderr)

    @pytest.mark.parametrize("jobs", ["", "x", "1.5", "10000", "\u0662"])
    @pytest.mark.parametrize("command", ["check", "surface"])
    def test_a_number_of_processes_that_is_none(self, run, command, jobs):
        done = run(command, f"--jobs={jobs}")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f"toolsurface-lint: --jobs needs a whole number from 0 to 9999, not `{jobs}`\n"

    def test_a_path_that_does_not_exist(self, run):
        done = run("check", "tools.json", "nothing.json")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == "toolsurface-lint: nothing.json: no such file or folder\n"

    def test_a_folder_in_which_nothing_is_recognised(self, run, folder):
        (folder / "empty").mkdir()
        (folder / "empty/notes.txt").write_text("Nothing.\n", encoding="utf-8")
        done = run("check", "empty")
        assert done.returncode == 2
        assert done.stdout == "Nothing was checked; skipped 1 (not recognised).\n"
        assert done.stderr == (
            "toolsurface-lint: empty: nothing to check was recognised in this folder (--allow-empty accepts that)\n"
        )
        assert (run("check", "empty", "--allow-empty").returncode, run("check", "empty", ".").returncode) == (0, 2)

    def test_a_given_file_in_which_nothing_is_recognised_is_skipped(self, run, folder):
        (folder / "picture.json").write_text('{"pixels": []}\n', encoding="utf-8")
        done = run("check", "picture.json", "--output", "json")
        assert done.returncode == 0
        assert json.loads(done.stdout)["skipped"] == [{"path": "picture.json", "reason": "not recognised"}]

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--output", "txt"], "unknown output format `txt`"),
            (["--output", "jsno"], "unknown output format `jsno`"),
            (["--output", "sarif="], "--output sarif=: the name of the file is missing"),
            (["--select", "TOOL_SURF"], "unknown code or prefix `TOOL_SURF`"),
            (["--ignore", "TOOL_SURFACE_MISSING_SCEMA"], "did you mean `TOOL_SURFACE_MISSING_SCHEMA`?"),
            (["--fail-on", "hint"], "unknown value `hint` of --fail-on: it must be one of error, warning, info, never"),
            (["--kind", "tool"], "unknown value `tool` of --kind, did you mean `tools`?"),
            (
                ["--protocol", "xml"],
                "unknown protocol `xml`: it must be tagged, fenced-json, or the parser of a model's raw output, such as hermes",
            ),
            (["--selct", "ALL"], "no such option `--selct`, did you mean `--select`?"),
            (["--output"], "Option '--output' requires an argument"),
            (["--config", "nothing.toml"], "cannot read the settings file nothing.toml: No such file or directory"),
            (["--stdin-filename", "x.json"], "--stdin-filename needs - as PATH"),
            (["-", "tools.json"], "- cannot be checked together with other paths"),
            (["--output", "json=no/such/folder.json"], "cannot write no/such/folder.json: No such file or directory"),
        ],
    )
    def test_wrong_usage(self, run, arguments, message):
        done = run("check", *arguments)
        assert done.returncode == 2
        assert message in done.stderr
        assert done.stdout == ""

    def test_wrong_settings(self, run, folder):
        (folder / "toolsurface.toml").write_text('\nfailon = "error"\n', encoding="utf-8")
        done = run("check")
        assert (done.returncode, done.stdout) == (2, "")
        assert (
            done.stderr == "toolsurface-lint: toolsurface.toml:2:1: unknown setting `failon`, did you mean `fail-on`?\n"
        )

    def test_a_crash_of_our_own(self, run, folder, environment):
        # Python imports a module of that name by itself before anything else.
        broken = folder / "broken"
        broken.mkdir()
        (broken / "sitecustomize.py").write_text(
            "import toolsurface_lint.project.discovery\n"
            "def discover(*given):\n    raise RuntimeError('seen')\n"
            "toolsurface_lint.project.discovery.discover = discover\n",
            encoding="utf-8",
        )
        path = os.pathsep.join([str(broken), environment["PYTHONPATH"]])
        done = run("check", "tools.json", variables={"PYTHONPATH": path})
        assert (done.returncode, done.stdout) == (2, "")
        assert "RuntimeError: seen" in done.stderr
        assert done.stderr.endswith("this is a bug in toolsurface-lint: report it\n")


class TestOutput:
    def test_text_is_the_default(self, run):
        assert run("check").stdout == run("check", "--output", "text").stdout
        assert run("check").stdout.endswith("Checked 1 surface: 1 tool, 1 prompt in 2 files.\n")

    def test_several_outputs_in_one_run(self, run, folder):
        done = run("check", "--output", "sarif=out.sarif", "--output=json=out=1.json", "--output", "concise")
        assert done.stdout.startswith(WARNING)
        assert json.loads((folder / "out.sarif").read_text(encoding="utf-8"))["version"] == "2.1.0"
        assert json.loads((folder / "out=1.json").read_text(encoding="utf-8"))["summary"]["warning"] == 1

    def test_two_reports_for_people_on_standard_output(self, run):
        text, github = run("check").stdout, run("check", "--output", "github").stdout
        assert run("check", "--output", "text", "--output", "github").stdout == text + github

    def test_no_snippets(self, run):
        assert '"name": "read_file"' in run("check").stdout
        assert '"name": "read_file"' not in run("check", "--no-snippets").stdout

    def test_the_sarif_category(self, run):
        log = json.loads(run("check", "--output", "sarif", "--sarif-category", "tools").stdout)
        assert log["runs"][0]["automationDetails"]["id"].startswith("tools/")

    def test_select_and_ignore(self, run):
        assert summary(run("check", "--output", "json", "--ignore", "TOOL_SURFACE"))["warning"] == 0
        assert summary(run("check", "--output", "json", "--select", "POLICY"))["warning"] == 0
        code = "TOOL_SURFACE_MISSING_SCHEMA"
        assert summary(run("check", "--output", "json", "--select", "POLICY", "--extend-select", code))["warning"] == 1

    def test_what_no_encoding_can_say_is_escaped(self, run, folder):
        (folder / "r\u00e9sum\u00e9.json").write_text(ERROR, encoding="utf-8")
        done = run("check", "--output", "concise", variables={"PYTHONIOENCODING": "ascii"})
        assert done.returncode == 1
        assert "r\\xe9sum\\xe9.json:1:" in done.stdout

    @pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
    def test_a_file_name_that_is_no_text(self, run, folder):
        (Path(os.fsdecode(os.fsencode(folder) + b"/\xff.json"))).write_text(ERROR, encoding="utf-8")
        for form in ("text", "concise", "json", "sarif", "github"):
            done = run("check", "--output", form)
            assert (done.returncode, done.stderr) == (1, "")


class TestStandardInput:
    def test_is_treated_as_the_named_file(self, run, folder):
        text = (folder / "tools.json").read_text(encoding="utf-8")
        done = run("check", "-", "--stdin-filename", "tools.json", "--output", "concise", input="\n" + text)
        assert done.stdout.splitlines()[0].startswith(WARNING.replace(":4:", ":5:"))

    def test_meets_the_files_around_it(self, run):
        done = run("check", "-", "--stdin-filename", "system.md", "--output", "concise", input="Call read_flie({}).\n")
        assert "system.md:1:6: warning[TOOL_SURFACE_UNKNOWN_PROMPT_TOOL]" in done.stdout
        # What is wrong with the other files is not asked for.
        assert "MISSING_SCHEMA" not in done.stdout

    def test_without_a_name(self, run):
        done = run("check", "-", "--output", "json", input=ERROR)
        assert done.returncode == 1
        assert [found["code"] for found in json.loads(done.stdout)["diagnostics"]] == ["INPUT_SYNTAX_ERROR"]


class TestTerminal:
    def test_colour_is_for_terminals_or_forced(self, run):
        assert "\x1b[" not in run("check").stdout
        assert "\x1b[" in run("check", variables={"FORCE_COLOR": "1"}).stdout
        assert "\x1b[" not in run("check", variables={"FORCE_COLOR": "1", "NO_COLOR": "1"}).stdout
        assert "\x1b[" not in run("check", "--output", "json", variables={"FORCE_COLOR": "1"}).stdout

    @pytest.mark.parametrize("form", ["text", "concise"])
    @pytest.mark.parametrize(
        ("variables", "when", "coloured"),
        [
            ({}, "always", True),
            ({"NO_COLOR": "1", "TERM": "dumb"}, "always", True),
            ({"FORCE_COLOR": "1"}, "never", False),
            ({"FORCE_COLOR": "1"}, "auto", True),
            ({"NO_COLOR": ""}, "auto", False),
            ({"NO_COLOR": "", "FORCE_COLOR": "1"}, None, True),
            ({"CLICOLOR_FORCE": "1"}, None, True),
            ({"CLICOLOR_FORCE": "0"}, None, False),
            ({"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, None, False),
            ({"CLICOLOR_FORCE": "1", "CLICOLOR": "0"}, None, True),
        ],
    )
    def test_who_decides_about_colour(self, run, form, variables, when, coloured):
        flags = [] if when is None else ["--color", when]
        shown = run("check", "--output", form, *flags, variables=variables).stdout
        assert ("\x1b[1;33m" in shown) == coloured
        assert "\x1b]8" not in shown

    def test_files_are_never_coloured(self, run, folder):
        run("check", "--output", "text=report.txt", "--color", "always", variables={"FORCE_COLOR": "1"})
        assert "\x1b" not in (folder / "report.txt").read_text(encoding="utf-8")

    def test_links_can_be_forced(self, run):
        link = "\x1b]8;;https://github.com/toolsurface-lint/toolsurface-lint/blob/main/rules/"
        link += "TOOL_SURFACE_MISSING_SCHEMA.md\x1b\\"
        assert link in run("check", "--color", "always", variables={"FORCE_HYPERLINK": "1"}).stdout
        assert link not in run("check", "--color", "never", variables={"FORCE_HYPERLINK": "1"}).stdout
        assert link not in run("check", "--color", "always", variables={"FORCE_HYPERLINK": "0"}).stdout

    @pytest.mark.parametrize("columns", [60, 100])
    def test_columns_set_the_width_of_source_lines(self, run, folder, columns):
        text = (folder / "tools.json").read_text(encoding="utf-8")
        (folder / "tools.json").write_text(" " * 300 + " ".join(text.split()) + " " * 300 + "\n", encoding="utf-8")
        lines = run("check", variables={"COLUMNS": str(columns)}).stdout.split("\n")
        assert len(next(line for line in lines if line.startswith("1 | "))) == columns

    def test_explanations(self, run):
        code = "TOOL_SURFACE_MISSING_SCHEMA"
        shown = run("check", "--explain").stdout
        assert f"\n{code}: An active tool does not say which arguments it accepts.\n" in shown
        assert f"  more: toolsurface-lint rule {code}\n\nFound 1 warning. Checked" in shown
        assert run("check", "--explain", "--ignore", code).stdout == run("check", "--ignore", code).stdout
        done = run("check", "--explain", "--output", "json", "--output", "text=report.txt")
        assert json.loads(done.stdout)["summary"]["warning"] == 1
        for flags in (["--output", "json"], ["--diff"]):
            done = run("check", "--explain", *flags)
            assert (done.returncode, done.stdout) == (2, "")
            assert done.stderr == "toolsurface-lint: --explain needs the output text or concise\n"

    @pytest.mark.parametrize(
        ("variables", "coloured"),
        [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False), ({"CLICOLOR": "0"}, False)],
    )
    def test_a_terminal(self, folder, environment, variables, coloured):
        controller, terminal = pty.openpty()
        with os.fdopen(controller, "rb") as screen:
            subprocess.run(
                [sys.executable, "-m", "toolsurface_lint", "check"],
                cwd=folder,
                env={**environment, "TERM": "xterm", **variables},
                stdout=terminal,
                check=True,
                timeout=60,
            )
            os.close(terminal)
            output = os.read(screen.fileno(), 100_000).decode()
        assert ("\x1b[" in output) == coloured
        assert "TOOL_SURFACE_MISSING_SCHEMA" in output

    @pytest.mark.parametrize(
        ("variables", "linked"),
        [
            ({}, False),
            ({"TERM_PROGRAM": "WezTerm"}, True),
            ({"TERM_PROGRAM": "Apple_Terminal"}, False),
            ({"VTE_VERSION": "7600"}, True),
            ({"VTE_VERSION": "4601"}, False),
            ({"TERM": "xterm-kitty"}, True),
            ({"WT_SESSION": "1"}, True),
            ({"WT_SESSION": "1", "FORCE_HYPERLINK": "0"}, False),
            ({"WT_SESSION": "1", "NO_COLOR": "1"}, False),
        ],
    )
    def test_codes_are_links_where_the_terminal_is_known_to_show_them(self, folder, environment, variables, linked):
        leaks = ("TERM", "VTE_", "WT_", "KONSOLE", "DOMTERM", "FORCE_", "CLICOLOR")
        clean = {name: value for name, value in environment.items() if not name.startswith(leaks)}
        controller, terminal = pty.openpty()
        with os.fdopen(controller, "rb") as screen:
            subprocess.run(
                [sys.executable, "-m", "toolsurface_lint", "check"],
                cwd=folder,
                env={**clean, "TERM": "xterm", **variables},
                stdout=terminal,
                check=True,
                timeout=60,
            )
            os.close(terminal)
            output = os.read(screen.fileno(), 100_000).decode()
        assert ("\x1b]8;;https://" in output) == linked
        assert "TOOL_SURFACE_MISSING_SCHEMA" in output

    @pytest.mark.parametrize("fail_on", ["error", "warning"])
    def test_a_closed_pipe_ends_it_quietly_and_with_its_own_exit_code(self, folder, environment, fail_on):
        # More output than a pipe holds.
        tools = [{"name": f"tool_{number}", "annotations": {"kind": "read"}} for number in range(400)]
        (folder / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
        process = subprocess.Popen(
            [sys.executable, "-m", "toolsurface_lint", "check", "--fail-on", fail_on],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdout is not None
        process.stdout.close()
        _, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (1 if fail_on == "warning" else 0, b"")

    def test_a_closed_pipe_ends_help_quietly(self, folder, environment):
        command = f"{sys.executable} -m toolsurface_lint check --help | head -c 1"
        done = subprocess.run(
            command, shell=True, cwd=folder, env=environment, capture_output=True, check=True, timeout=60
        )
        assert done.stderr == b""

    @pytest.mark.parametrize("arguments", [["--help"], ["check", "--help"], ["--version"]])
    def test_a_reader_of_help_that_has_gone_away_is_no_failure(self, folder, environment, arguments):
        reading, writing = os.pipe()
        os.close(reading)
        with open(writing, "wb") as pipe:
            done = subprocess.run(
                [sys.executable, "-m", "toolsurface_lint", *arguments],
                cwd=folder,
                env=environment,
                stdout=pipe,
                stderr=subprocess.PIPE,
                timeout=60,
                check=False,
            )
        assert (done.returncode, done.stderr) == (0, b"")

    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
    @pytest.mark.parametrize("arguments", [["--help"], ["check", "--help"], ["--version"], ["check"]])
    def test_a_full_disk_is_told_in_one_line(self, folder, environment, arguments):
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [sys.executable, "-m", "toolsurface_lint", *arguments],
                cwd=folder,
                env=environment,
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                timeout=60,
                check=False,
            )
        assert done.returncode == 2
        assert done.stderr == "toolsurface-lint: cannot write to standard output: No space left on device\n"

    def test_closed_standard_streams(self, folder, environment):
        command = f"{sys.executable} -m toolsurface_lint check --fail-on warning >&- 2>&-"
        done = subprocess.run(command, shell=True, cwd=folder, env=environment, check=False, timeout=60)
        assert done.returncode == 1


class TestProgram:
    def test_version(self, run):
        from toolsurface_lint import __version__

        assert run("--version").stdout == f"toolsurface-lint {__version__}\n"

    def test_help_names_every_option(self, run):
        from toolsurface_lint.cli.options import CHECK

        done = run("check", "--help")
        assert done.returncode == 0
        assert [flag for option in CHECK for flag in option.flags if flag not in done.stdout] == []

    def test_an_unknown_command(self, run):
        done = run("chek")
        assert done.returncode == 2
        assert "no such command `chek`, did you mean `check`?" in done.stderr

    def test_no_command_shows_the_help(self, run):
        done = run()
        assert done.returncode == 2
        assert "Usage: toolsurface-lint [OPTIONS] COMMAND" in done.stdout + done.stderr
