"""`check --watch` as a process of its own: what makes it check again, what it says, and how it ends."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

WAITING = "waiting for changes (Ctrl-C ends)\n"
DEADLINE = 60
"""Seconds after which a test gives up; none depends on how long anything takes."""

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "fork"), reason="signals of a terminal")]


class Watching:
    """The process; all that it writes goes to one file."""

    def __init__(self, folder: Path, environment: dict[str, str], arguments: tuple[str, ...]) -> None:
        self._log = folder.parent / "watch.log"
        with open(self._log, "wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "toolsurface_lint", "check", "--watch", *arguments],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self._reports = 0

    @property
    def log(self) -> str:
        return self._log.read_text(encoding="utf-8")

    def until(self, what) -> None:
        start = time.monotonic()
        while not what():
            assert self.process.poll() is None, self.log
            assert time.monotonic() - start < DEADLINE, self.log
            time.sleep(0.02)

    def report(self) -> str:
        """The next report with what is said around it."""
        self.until(lambda: self.log.count(WAITING) > self._reports)
        part = self.log.split(WAITING)[self._reports]
        self._reports += 1
        return part

    def end(self, sent: int = signal.SIGINT) -> int:
        self.process.send_signal(sent)
        return self.process.wait(DEADLINE)


@pytest.fixture
def inside(folder: Path) -> Path:
    """The folder to check: what the process writes lies outside of it."""
    inner = folder / "project"
    inner.mkdir()
    for name in ("tools.json", "system.md"):
        (folder / name).rename(inner / name)
    return inner


@pytest.fixture
def watch(inside: Path, environment: dict[str, str]) -> Iterator:
    started: list[Watching] = []

    def start(*arguments: str) -> Watching:
        started.append(Watching(inside, environment, arguments))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.wait()


def put(path: Path, text: str) -> None:
    """Write a file as editors do: beside it, then in its place."""
    path.with_name(path.name + "~").write_text(text, encoding="utf-8")
    path.with_name(path.name + "~").replace(path)


def test_a_change_is_named_and_checked(watch, inside):
    watching = watch("--output", "concise")
    first = watching.report()
    assert re.match(r"toolsurface-lint: \d\d:\d\d:\d\d watching 2 files\n", first)
    assert "Found 1 warning. Checked 1 surface: 1 tool, 1 prompt in 2 files.\n" in first
    put(inside / "system.md", "Call read_flie({}) first.\n")
    second = watching.report()
    assert re.match(r"toolsurface-lint: \d\d:\d\d:\d\d changed: system.md\n", second)
    assert "system.md:1:6: warning[TOOL_SURFACE_UNKNOWN_PROMPT_TOOL]" in second
    assert watching.end() == 0
    assert watching.log.endswith(WAITING)
    assert "\x1b" not in watching.log


def test_files_that_come_and_go(watch, inside):
    watching = watch("--output", "concise")
    watching.report()
    (inside / "prompts").mkdir()
    put(inside / "prompts/more.md", "Call read_flie({}).\n")
    found = watching.report()
    assert " new: prompts/more.md\n" in found
    assert "prompts/more.md:1:6: warning[TOOL_SURFACE_UNKNOWN_PROMPT_TOOL]" in found
    (inside / "prompts/more.md").unlink()
    (inside / "prompts").rmdir()
    found = watching.report()
    assert " gone: prompts/more.md\n" in found
    assert "in 2 files" in found
    # What is no input changes nothing: the next report is that of the next change.
    (inside / "notes.log").write_text("x", encoding="utf-8")
    put(inside / "tools.json", "[]")
    assert " changed: tools.json\n" in watching.report()


def test_broken_settings_are_shown_and_survived(watch, inside):
    settings = inside / "toolsurface.toml"
    settings.write_text("ignore = [", encoding="utf-8")
    watching = watch()
    assert "toolsurface-lint: toolsurface.toml:1:11: " in watching.report()
    put(settings, 'ignore = "ALL"\n')
    found = watching.report()
    assert " changed: toolsurface.toml\n" in found
    assert "No problems found." in found
    put(settings, "ingore = 1\n")
    assert "did you mean `ignore`?" in watching.report()
    settings.unlink()
    assert "Found 1 warning." in watching.report()
    assert watching.end() == 0


def test_a_given_file_that_vanishes_for_a_while(watch, inside):
    watching = watch("tools.json", "--output", "concise")
    text = (inside / "tools.json").read_text(encoding="utf-8")
    watching.report()
    (inside / "tools.json").unlink()
    found = watching.report()
    assert " gone: tools.json\n" in found
    assert "toolsurface-lint: tools.json: no such file or folder\n" in found
    put(inside / "tools.json", text)
    assert "Found 1 warning." in watching.report()


def test_a_given_file_is_checked_again_when_its_surface_changes(watch, inside):
    watching = watch("system.md", "--output", "concise")
    assert "No problems found." in watching.report()
    put(
        inside / "tools.json", '[{"name": "read_text", "input_schema": {}}, {"name": "read_files", "input_schema": {}}]'
    )
    found = watching.report()
    assert " changed: tools.json\n" in found
    assert "system.md:1:6: warning[TOOL_SURFACE_UNKNOWN_PROMPT_TOOL]" in found


def test_the_settings_file_and_the_baseline_are_watched_wherever_they_are(watch, inside, folder, run):
    (folder / "other.toml").write_text("", encoding="utf-8")
    assert run("check", "--write-baseline", "../baseline.json", cwd="project").returncode == 0
    full = (folder / "baseline.json").read_text(encoding="utf-8")
    watching = watch("--config", "../other.toml", "--baseline", "../baseline.json")
    assert "No problems found." in watching.report()
    put(folder / "baseline.json", json.dumps({**json.loads(full), "findings": []}))
    assert "baseline.json\n" in watching.report()
    put(folder / "other.toml", 'ignore = "ALL"\n')
    assert "other.toml\n" in watching.report()


def test_what_a_run_writes_is_no_change(watch, inside):
    watching = watch("--output", "json=report.json", "--output", "concise")
    watching.report()
    put(inside / "tools.json", "[]")
    assert " changed: tools.json\n" in watching.report()
    put(inside / "system.md", "Nothing.\n")
    assert " changed: system.md\n" in watching.report()
    assert json.loads((inside / "report.json").read_text(encoding="utf-8"))["summary"]["warning"] == 0


def test_many_changes_at_once_are_one(watch, inside):
    watching = watch("--output", "concise")
    watching.report()
    for number in range(6):
        put(inside / f"{number}.json", "[]")
    named = ""
    while "6 files" not in named and "5.json" not in named and "more" not in named:
        named = watching.report()
    assert "0.json" in watching.log
    put(inside / "system.md", "x\n")
    assert " changed: system.md\n" in watching.report()


def test_a_crash_does_not_end_it(watch, inside, environment):
    # Python imports a module of that name by itself before anything else.
    broken = inside.parent / "broken"
    broken.mkdir()
    (broken / "sitecustomize.py").write_text(
        "import os, toolsurface_lint.reporters as reporters\n"
        "real = reporters.render\n"
        "def crash(*given, **options):\n"
        "    if os.path.exists('crash'):\n        raise RuntimeError('seen')\n"
        "    if os.path.exists('kill'):\n        os.kill(os.getpid(), 9)\n"
        "    return real(*given, **options)\n"
        "reporters.render = crash\n",
        encoding="utf-8",
    )
    environment["PYTHONPATH"] = os.pathsep.join([str(broken), environment["PYTHONPATH"]])
    (inside / "crash").write_text("", encoding="utf-8")
    watching = watch("--output", "concise")
    assert "RuntimeError: seen" in watching.report()
    (inside / "crash").rename(inside / "kill")
    put(inside / "system.md", "x\n")
    assert "the check was ended by signal 9\n" in watching.report()
    (inside / "kill").unlink()
    put(inside / "system.md", "y\n")
    assert "Found 1 warning." in watching.report()
    assert watching.end() == 0


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL])
def test_the_check_ends_with_the_watch(inside, environment, ending):
    broken = inside.parent / "broken"
    broken.mkdir()
    (broken / "sitecustomize.py").write_text(
        "import time, toolsurface_lint.reporters as reporters\n"
        "def sleep(*given, **options):\n    print('busy', flush=True)\n    time.sleep(600)\n"
        "reporters.render = sleep\n",
        encoding="utf-8",
    )
    environment["PYTHONPATH"] = os.pathsep.join([str(broken), environment["PYTHONPATH"]])
    command = [sys.executable, "-m", "toolsurface_lint", "check", "--watch"]
    with subprocess.Popen(
        command, cwd=inside, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, process_group=0
    ) as process:
        try:
            assert process.stdout.readline() == b"busy\n"
            process.send_signal(ending)
            # Which both processes hold.
            assert process.communicate(timeout=DEADLINE) == (b"", None)
            assert process.returncode == -ending
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def test_a_terminal_is_cleared_and_told_at_ctrl_c(inside, environment):
    controller, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "toolsurface_lint", "check", "--watch"],
        cwd=inside,
        env={**environment, "TERM": "xterm"},
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
        # The terminal of the new session, whose Ctrl-C goes to all of its processes.
        preexec_fn=lambda: __import__("fcntl").ioctl(0, __import__("termios").TIOCSCTTY, 0),
    )
    os.close(terminal)
    seen = b""
    try:
        while b"Ctrl-C ends" not in seen:
            seen += os.read(controller, 100_000)
        os.write(controller, b"\x03")
        assert process.wait(DEADLINE) == 0
    finally:
        process.kill()
        process.wait()
        os.close(controller)
    assert seen.startswith(b"\x1b[H\x1b[2J")
    assert b"\x1b[1;33mwarning[" in seen


def test_it_ends_when_nobody_reads_it_any_more(inside, environment):
    process = subprocess.Popen(
        [sys.executable, "-m", "toolsurface_lint", "check", "--watch"],
        cwd=inside,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        while "waiting" not in process.stderr.readline():
            pass
        process.stdout.close()
        put(inside / "system.md", "x\n")
        assert process.wait(DEADLINE) == 0
    finally:
        process.kill()
        process.stderr.close()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-"], "--watch watches files: it cannot be combined with standard input"),
        (["--stdin-filename", "x.md"], "--watch watches files: it cannot be combined with standard input"),
        (["--fix"], "--watch only reports, again and again: it cannot be combined with --fix"),
        (
            ["--add-suppressions"],
            "--watch only reports, again and again: it cannot be combined with --add-suppressions",
        ),
        (["--diff"], "--watch only reports, again and again: it cannot be combined with --diff"),
        (
            ["--write-baseline", "b.json"],
            "--watch only reports, again and again: it cannot be combined with --write-baseline",
        ),
        (["nothing.json"], "nothing.json: no such file or folder"),
        (
            ["--select", "TOOL_NAME_INVALD"],
            "unknown code or prefix `TOOL_NAME_INVALD`, did you mean `TOOL_NAME_INVALID`?",
        ),
        (["--output", "jsno"], "unknown output format `jsno`, did you mean `json`?"),
        (["--config", "no.toml"], "cannot read the settings file no.toml: No such file or directory"),
        (["--provider", "opnai"], "unknown provider `opnai`, did you mean `openai`?"),
    ],
)
def test_what_makes_no_sense_is_refused(run, arguments, message):
    done = run("check", "--watch", *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"toolsurface-lint: {message}\n")
