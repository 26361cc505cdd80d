"""What the command writes: nowhere but where it was told to, never over what it reads, and whole or not at all."""

import json
import os
import signal
import socket
import subprocess
import sys
import time

import pytest

from toolsurface_lint.cli.options import COMPLETION

pytestmark = pytest.mark.slow

# A trailing comma, which a safe fix takes out.
FIXABLE = '{"tools": [{"name": "read_notes", "description": "Read all notes.", "parameters": {"type": "object"}},]}\n'
FIXED = FIXABLE.replace("},]", "}]")


def told(done):
    return done.stderr.removeprefix("toolsurface-lint: ").removesuffix("\n")


def files(folder):
    """Everything below a folder, with the content of files."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


# --- fixes ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def project(folder):
    """A folder with files to fix, beside one that nobody names."""
    for name in ("project/tools.json", "project/below/tools.json", "outside/tools.json"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(FIXABLE, encoding="utf-8")
    return folder


def fixed(project):
    return sorted(name for name, data in files(project).items() if data == FIXED.encode())


@pytest.mark.parametrize("tracked", [False, True])
def test_no_link_leads_a_fix_out_of_the_named_folder(run, project, tracked):
    (project / "project/link.json").symlink_to("../outside/tools.json")
    (project / "project/folder").symlink_to("../outside")
    if tracked:
        for command in (["init", "-q"], ["add", "."]):
            subprocess.run(["git", *command], cwd=project / "project", check=True)
    done = run("check", "project", "--fix")
    real = os.path.realpath(project / "outside/tools.json")
    assert done.returncode == 2
    assert f"project/link.json is left as it is: it is a link to {real}, which was not named\n" in done.stderr
    assert fixed(project) == ["project/below/tools.json", "project/tools.json"]
    # It still is among the findings, as it still is in the file.
    assert "project/link.json:1:" in done.stdout


@pytest.mark.parametrize("named", ["project/link.json", "project/inwards.json"])
def test_a_link_that_is_named_leads_no_further_than_its_folder(run, project, named):
    (project / "project/link.json").symlink_to("../outside/tools.json")
    (project / "project/inwards.json").symlink_to("below/tools.json")
    done = run("check", named, "--fix")
    assert (done.returncode == 2, fixed(project)) == ((True, []), (False, ["project/below/tools.json"]))["inw" in named]
    assert (project / named).is_symlink()


def test_a_link_on_the_way_to_what_is_named_is_named_with_it(run, project):
    (project / "elsewhere").symlink_to("outside")
    assert run("check", "elsewhere", "--fix").returncode == 0
    assert fixed(project) == ["outside/tools.json"]


def test_a_diff_shows_no_fix_that_would_not_be_made(run, project):
    (project / "project/link.json").symlink_to("../outside/tools.json")
    before = files(project)
    done = run("check", "project", "--diff", "--output", "json=report.json")
    assert done.returncode == 2
    assert "link.json" not in done.stdout
    assert "project/link.json is left as it is: it is a link to " in done.stderr
    assert files(project) == before


def test_hard_links_are_not_severed(run, project):
    os.link(project / "project/tools.json", project / "outside/twin.json")
    done = run("check", "project", "--fix")
    reason = "project/tools.json is left as it is: it has 2 hard links, and only this one would change\n"
    assert (done.returncode, reason in done.stderr) == (2, True)
    assert fixed(project) == ["project/below/tools.json"]
    assert os.path.samefile(project / "project/tools.json", project / "outside/twin.json")


def test_no_link_leads_a_suppression_out_of_the_named_folder(run, folder):
    (folder / "outside").mkdir()
    (folder / "outside/system.md").write_text("Call read_file({}), then write_all({}).\n", encoding="utf-8")
    (folder / "project").mkdir()
    (folder / "tools.json").rename(folder / "project/tools.json")
    (folder / "system.md").unlink()
    (folder / "project/system.md").symlink_to("../outside/system.md")
    before = (folder / "outside/system.md").read_bytes()
    assert run("check", "project", "--add-suppressions").returncode == 0
    assert (folder / "outside/system.md").read_bytes() == before
    # What no comment may be written for is left to the settings.
    assert 'path = "project/system.md"' in (folder / "toolsurface.toml").read_text(encoding="utf-8")
    assert run("check", "project", "--fail-on", "info").returncode == 0


@pytest.mark.parametrize("text", [None, "exclude = []\n"])
def test_settings_that_are_a_link_out_of_their_folder_are_not_written(run, folder, text):
    (folder / "outside").mkdir()
    (folder / "project").mkdir()
    (folder / "tools.json").rename(folder / "project/tools.json")
    target = folder / "outside/toolsurface.toml"
    if text is not None:
        target.write_text(text, encoding="utf-8")
    (folder / "project/toolsurface.toml").symlink_to("../outside/toolsurface.toml")
    done = run("check", "--add-suppressions", cwd="project")
    assert done.returncode == 2
    reason = (
        f"toolsurface.toml cannot take what it needs: it is a link to {os.path.realpath(target)}, which was not named"
    )
    assert f"tools.json is left as it is: {reason}\n" in done.stderr
    assert (target.read_text(encoding="utf-8") if target.exists() else None) == text


def test_init_writes_through_no_link(run, folder):
    (folder / "project").mkdir()
    (folder / "project/toolsurface.toml").symlink_to("../elsewhere.toml")
    done = run("init", "project")
    assert (done.returncode, told(done)) == (2, "project/toolsurface.toml exists already")
    assert not (folder / "elsewhere.toml").exists()


# --- where reports and baselines are written --------------------------------------------------------------------------

PRINTED = "a report without a file goes to standard output"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--output", "json=tools.json"], "cannot write tools.json: this run reads it"),
        (["--output", "json=./twin/../tools.json"], "cannot write ./twin/../tools.json: this run reads it"),
        (["--output", "json=link.json"], "cannot write link.json: this run reads it"),
        (["--output", "json=twin/hard.json"], "cannot write twin/hard.json: it has 2 hard links, and only this one would change"),
        (["--output", "markdown=system.md"], "cannot write system.md: this run reads it"),
        (["--output", "text=server.py"], "cannot write server.py: this run reads it"),
        (["tools.json", "--output", "json=system.md"], "cannot write system.md: this run reads it"),
        (["notes.txt", "--output", "json=notes.txt"], "cannot write notes.txt: this run reads it"),
        (["-", "--stdin-filename", "notes.txt", "--output", "json=notes.txt"], "cannot write notes.txt: this run reads it"),
        (["--output", "json=toolsurface.toml"], "cannot write toolsurface.toml: it is a settings file"),
        (["--output", "json=pyproject.toml"], "cannot write pyproject.toml: it is a settings file"),
        (["--config", "mine.toml", "--output", "json=mine.toml"], "cannot write mine.toml: it holds the settings of this run"),
        (["--baseline", "b.json", "--output", "json=b.json"], "cannot write b.json: it is the baseline of this run"),
        (["--write-baseline", "tools.json"],
         "cannot write the baseline: tools.json is not a baseline: its `findings` are not a list"),
        (["b.json", "--write-baseline", "b.json"], "cannot write b.json: this run reads it"),
        (["--write-baseline", "other.json"],
         "cannot write the baseline: other.json is not a baseline: its `findings` are not a list"),
        (["--write-baseline", "notes.txt"], "cannot write the baseline: notes.txt is not a baseline: it is not JSON"),
        (["--write-baseline", "n.json", "--output", "json=twin/../n.json"], "two reports cannot be written to one file: n.json"),
        (["--output", "json=n.json", "--output", "sarif=./n.json"], "two reports cannot be written to one file: ./n.json"),
        (["--output", "json=other.json", "--output", "sarif=also.json"], "two reports cannot be written to one file: also.json"),
        (["--output", "json=twin"], "cannot write twin: it is a folder"),
        (["--write-baseline", "twin"], "cannot write twin: it is a folder"),
        (["--output", "json=/dev/null"], f"cannot write /dev/null: it is a device; {PRINTED}"),
        (["--output", "json=/dev/stdout"], f"cannot write /dev/stdout: it is a pipe; {PRINTED}"),
        (["--output", "json=pipe"], f"cannot write pipe: it is a pipe; {PRINTED}"),
        (["--output", "json=-"], f"--output json=-: {PRINTED}: leave out =-"),
        (["--output", "json=no/such.json"], "cannot write no/such.json: No such file or directory"),
    ],
)  # fmt: skip
def test_what_must_not_be_overwritten_is_refused_before_anything_is_checked(run, folder, arguments, reason):
    for name, text in {
        "server.py": "import mcp\n",
        "notes.txt": "Mine.\n",
        "other.json": "{}\n",
        "b.json": '{"version": 2, "findings": []}\n',
        "mine.toml": "exclude = []\n",
        "pyproject.toml": "",
        "toolsurface.toml": "exclude = []\n",
    }.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "twin").mkdir()
    (folder / "link.json").symlink_to("tools.json")
    (folder / "also.json").symlink_to("other.json")
    os.mkfifo(folder / "pipe")
    if "twin/hard.json" in reason:
        os.link(folder / "tools.json", folder / "twin/hard.json")
    before = files(folder)
    done = run("check", *arguments, input="")
    assert (done.returncode, done.stdout, told(done)) == (2, "", reason)
    assert files(folder) == before


@pytest.mark.parametrize("option", ["--output", "--write-baseline"])
def test_a_link_out_of_the_working_folder_is_not_followed(run, folder, option):
    (folder / "here").mkdir()
    (folder / "there").mkdir()
    (folder / "here/tools.json").write_text(FIXED, encoding="utf-8")
    (folder / "there/mine.json").write_text("", encoding="utf-8")
    links = {"a.json": "../there/mine.json", "b.json": "../there/new.json", "reports": "../there"}
    for name, target in links.items():
        (folder / "here" / name).symlink_to(target)
    real = os.path.realpath(folder / "there")
    for name in ("a.json", "b.json", "reports/new.json", str(folder / "here/a.json")):
        target = "mine" if name.endswith("a.json") else "new"
        done = run("check", option, f"json={name}" if option == "--output" else name, cwd="here")
        assert (done.returncode, done.stdout) == (2, "")
        assert told(done) == f"cannot write {name}: it is a link out of the working folder, to {real}/{target}.json"
    assert files(folder / "there") == {"mine.json": b""}


def test_any_other_place_may_be_written_to(run, folder, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "link").symlink_to(".")
    (folder / "old.json").write_text("{}", encoding="utf-8")
    (folder / "link.json").symlink_to("old.json")
    outputs = [f"json={elsewhere}/a.json", f"sarif={elsewhere}/link/b.sarif", "json=link.json"]
    baseline = ["--write-baseline", str(elsewhere / "c.json")]
    done = run("check", *(word for output in outputs for word in ("--output", output)), *baseline)
    assert (done.returncode, told(done)) == (
        0,
        f"wrote {elsewhere}/c.json: 1 finding, hidden by --baseline {elsewhere}/c.json",
    )
    assert sorted(os.listdir(elsewhere)) == ["a.json", "b.sarif", "c.json", "link"]
    # A link stays a link.
    assert (folder / "link.json").is_symlink()
    assert json.loads((folder / "old.json").read_text(encoding="utf-8"))["version"] == 1


def test_the_report_of_the_last_run_is_replaced(run, folder):
    outputs = ["json=report.json", "sarif=out/results.json", "gitlab=gl.json", "markdown=report.md", "junit=report.xml"]
    (folder / "out").mkdir()
    arguments = [word for output in outputs for word in ("--output", output)]
    baseline = ["--write-baseline", "baseline.json"]
    first = run("check", *arguments, *baseline)
    reports = files(folder)
    wrote = "wrote baseline.json: 1 finding, hidden by --baseline baseline.json"
    assert (first.returncode, told(first)) == (0, wrote)
    # The second report tells of the first one, which was skipped; the third is as the second.
    assert run("check", *arguments, *baseline).returncode == 0
    again = run("check", *arguments, *baseline)
    assert (again.returncode, told(again)) == (0, wrote)
    assert sorted(files(folder)) == sorted(reports)
    assert run("surface", "--output", "json=surface.json", "--output", "html=surface.html").returncode == 0
    assert run("surface", "--output", "json=surface.json", "--output", "html=surface.html").returncode == 0
    done = run("surface", "--output", "html=tools.json")
    assert (done.returncode, told(done)) == (2, "cannot write tools.json: this run reads it")


def test_a_baseline_takes_the_place_of_a_baseline(run, folder):
    for text in ("", "\n", '{"version": 2, "findings": []}', '{"version": 0, "findings": [1]}'):
        (folder / "b.json").write_text(text, encoding="utf-8")
        assert run("check", "tools.json", "--write-baseline", "b.json").returncode == 0
        assert len(json.loads((folder / "b.json").read_text(encoding="utf-8"))["findings"]) == 1


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs a device")
def test_a_baseline_that_never_ends(run, folder):
    (folder / "b.json").symlink_to("/dev/zero")
    done = run("check", "--baseline", "b.json")
    assert (done.returncode, told(done)) == (2, "cannot read the baseline b.json: not a regular file")


def test_a_file_that_standard_output_goes_to(folder, environment):
    with open(folder / "out.txt", "wb") as out:
        for target in ("out.txt", "/dev/stdout"):
            done = subprocess.run(
                [sys.executable, "-m", "toolsurface_lint", "check", "--output", f"json={target}"],
                cwd=folder,
                env=environment,
                stdout=out,
                stderr=subprocess.PIPE,
                text=True,
                timeout=60,
                check=False,
            )
            reason = "standard output or standard error goes there"
            assert (done.returncode, told(done)) == (2, f"cannot write {target}: {reason}")


def test_a_socket_is_no_file(run, folder):
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(folder / "s"))
        done = run("check", "--output", "json=s")
        assert (done.returncode, told(done)) == (2, f"cannot write s: it is a socket; {PRINTED}")


def test_a_link_to_itself_leads_to_no_file(run, folder):
    (folder / "loop").symlink_to("loop")
    done = run("check", "--output", "json=loop")
    assert (done.returncode, told(done)) == (2, "cannot write loop: it is a link to itself")


@pytest.mark.usefixtures("no_privileges")
def test_what_is_write_protected_is_told_before_anything_is_checked(run, folder):
    (folder / "report.json").write_text("{}", encoding="utf-8")
    (folder / "report.json").chmod(0o444)
    (folder / "closed").mkdir(mode=0o555)
    for name, reason in {"report.json": "it is write-protected", "closed/a": "its folder is write-protected"}.items():
        done = run("check", "--output", f"json={name}")
        assert (done.returncode, done.stdout, told(done)) == (2, "", f"cannot write {name}: {reason}")


# --- whole or not at all ----------------------------------------------------------------------------------------------


@pytest.fixture
def run_on_a_full_disk(run):
    """Run the command where no file can be longer than 5000 bytes, those that the interpreter would write too."""
    resource = pytest.importorskip("resource")

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))

    return lambda *arguments: run(*arguments, variables={"PYTHONDONTWRITEBYTECODE": "1"}, preexec_fn=limit)


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "--output", "json=out.json"],
        ["check", "--write-baseline", "out.json"],
        ["surface", "--output", "html=out.json"],
    ],
)
def test_a_full_disk_leaves_the_old_file(run, run_on_a_full_disk, folder, arguments):
    tools = [{"name": f"read_{number}", "inputSchema": {"type": "object"}} for number in range(200)]
    (folder / "tools.json").write_text(json.dumps({"tools": tools}), encoding="utf-8")
    old = b'{"version": 2, "findings": []}\n'
    (folder / "out.json").write_bytes(old)
    before = files(folder)
    done = run_on_a_full_disk(*arguments)
    assert (done.returncode, told(done)) == (2, "cannot write out.json: File too large")
    assert files(folder) == before
    assert run(*arguments).returncode in (0, 1)
    assert len((folder / "out.json").read_bytes()) > 5000


def test_a_full_disk_leaves_what_was_to_be_fixed(run_on_a_full_disk, folder):
    (folder / "tools.json").write_text(FIXABLE + " " * 5000, encoding="utf-8")
    before = files(folder)
    done = run_on_a_full_disk("check", "--fix")
    assert done.returncode == 2
    assert "toolsurface-lint: cannot write tools.json: File too large\n" in done.stderr
    # The report is on what is there.
    assert "[INPUT_NOT_STRICT_JSON]" in done.stdout
    assert files(folder) == before


MANY = 300


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL])
def test_to_be_ended_while_files_are_fixed(run, folder, environment, ending):
    """At three moments of the writing: every file is either as it was or as it should be, and nothing lies beside them."""
    (folder / "many").mkdir()
    names = [f"tools{number:03}.json" for number in range(MANY)]
    for moment in (1, MANY // 3, MANY - 20):
        for name in names:
            (folder / "many" / name).write_text(FIXABLE, encoding="utf-8")
        command = [sys.executable, "-m", "toolsurface_lint", "check", "many", "--fix", "--output", "stats"]
        with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL) as process:
            while process.poll() is None and count_fixed(folder / "many", names) < moment:
                time.sleep(0.002)
            process.send_signal(ending)
            assert process.wait(60) in (-ending, 0, 1)
        assert {(folder / "many" / name).read_text(encoding="utf-8") for name in names} <= {FIXABLE, FIXED}
        if ending == signal.SIGKILL:
            # In the moment of a step, it can leave one: what has to be done again removes it.
            assert len(os.listdir(folder / "many")) <= MANY + 1
            assert run("check", "many", "--fix", "--output", "stats").returncode in (0, 1)
            assert count_fixed(folder / "many", names) == MANY
        assert sorted(os.listdir(folder / "many")) == names


def count_fixed(folder, names):
    return sum((folder / name).stat().st_size == len(FIXED) for name in names)


# --- a working directory that is gone ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ["check"],
        ["check", "/"],
        ["check", "--fix"],
        ["surface"],
        ["config"],
        ["init"],
        ["rule"],
        ["wire", "to-wire"],
        ["server"],
        ["completion", "bash"],
        ["--help"],
        [],
    ],
)
def test_a_working_directory_that_is_gone(folder, environment, arguments):
    (folder / "gone").mkdir()
    command = [sys.executable, "-m", "toolsurface_lint", *arguments]
    program = f"import os; os.rmdir('../gone'); os.execv({sys.executable!r}, {command!r})"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder / "gone",
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    message = "the working directory no longer exists: change to another one"
    assert (done.returncode, done.stdout, told(done)) == (2, "", message)


def test_completion_needs_no_working_directory(folder, environment):
    (folder / "gone").mkdir()
    command = f"rmdir ../gone && exec {sys.executable} -m toolsurface_lint"
    asked = {COMPLETION: "bash_complete", "COMP_WORDS": "toolsurface-lint check --outp", "COMP_CWORD": "2"}
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder / "gone",
        env={**environment, **asked},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "plain,--output\n", "")
