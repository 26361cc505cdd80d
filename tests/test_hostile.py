"""Bad input: every case ends in exactly the diagnostics that it expects, never in a traceback, its neighbour checked.

Small cases lie in `fixtures/hostile`, each with an `expect.txt` as in `fixtures/rules`; large ones, and those that need the
file system, are made here. `python -m tests.regenerate` writes the `expect.txt` files.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.regenerate import UPDATE
from toolsurface_lint.__main__ import run
from toolsurface_lint.checks import HARN_CODES

REPOSITORY = Path(__file__).resolve().parents[1]
HOSTILE = REPOSITORY / "fixtures" / "hostile"
CASES = sorted(folder for folder in HOSTILE.iterdir() if folder.is_dir())

TOOL = '{"name": "read_file", "description": "Reads.", "inputSchema": {}}'
FLAWED = '[{"type": "function", "function": {"name": "list_branches", "description": "Lists all branches."}}]\n'
FLAWED_LINE = "1:44-1:59 warning[TOOL_SURFACE_MISSING_SCHEMA] tool `list_branches` has no parameter schema"

# A surface document: nothing of a case joins it.
NEIGHBOUR = (
    '{"prompt": "List them.", "native_tools": '
    '[{"name": "list_branches", "annotations": {"side_effect_level": "read_only"}}]}'
)
NEIGHBOUR_LINE = (
    "neighbour/surface.json:1:52-1:67 warning[TOOL_SURFACE_MISSING_SCHEMA] tool `list_branches` has no parameter schema"
)
# What is wrong with a file, and the specified rules: not whatever else there is to say about a tool.
RULES = ",".join(("INPUT", "POLICY", "WORKFLOW", "SUPPRESSION", "TOOL_ANNOTATION_INVALID", *HARN_CODES))
POSIX = pytest.mark.skipif(os.name != "posix", reason="needs a POSIX file system")


@pytest.fixture
def outcome(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., list[str]]:
    """Runs the command over `case/` and a good neighbour; gives the diagnostics of the case, one a line."""

    def of_case(*options: str) -> list[str]:
        (tmp_path / "neighbour").mkdir()
        (tmp_path / "neighbour" / "surface.json").write_text(NEIGHBOUR, encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        code = run(["check", "--isolated", "--output", "json", "--select", RULES, *options, "."])
        output = capsys.readouterr()
        assert output.err == ""
        report = json.loads(output.out)
        assert code == (0 if report["valid"] else 1)
        lines = [line_of(diagnostic) for diagnostic in report["diagnostics"]]
        assert lines.count(NEIGHBOUR_LINE) == 1
        return [line.removeprefix("case/") for line in lines if line != NEIGHBOUR_LINE]

    return of_case


def line_of(diagnostic: dict[str, Any]) -> str:
    start, end = diagnostic["range"]["start"], diagnostic["range"]["end"]
    place = f"{diagnostic['path']}:{start['line']}:{start['column']}-{end['line']}:{end['column']}"
    return f"{place} {diagnostic['severity']}[{diagnostic['code']}] {diagnostic['message']}"


@pytest.mark.slow
@pytest.mark.generated
@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_small_case(folder: Path, tmp_path: Path, outcome: Callable[..., list[str]]) -> None:
    shutil.copytree(folder, tmp_path / "case", ignore=shutil.ignore_patterns("expect.txt"))
    # Messages may quote what no line of a text file can hold.
    actual = "".join(line.encode("unicode_escape").decode("ascii") + "\n" for line in outcome())
    expected = folder / "expect.txt"
    if UPDATE:
        expected.write_text(actual, encoding="utf-8", newline="")
    assert actual == expected.read_text(encoding="utf-8")


MISSPELT = "warning[TOOL_SURFACE_UNKNOWN_PROMPT_TOOL] the prompt names the tool `read_fil`, which is not declared"
NO_VALUE = "unexpected `}` where a value is expected"
DEEP = 100_000
LONG_LINE = '{"tools": [' + ", ".join([TOOL] * 20_000) + '], "extra": '
LARGE: dict[str, tuple[dict[str, str], list[str]]] = {
    "json-array": (
        {"tools.json": "[" * DEEP},
        ["tools.json:1:501-1:502 error[INPUT_UNREADABLE] nested deeper than 500 levels"],
    ),
    "json-closed": (
        {"tools.json": "[" * DEEP + "]" * DEEP},
        ["tools.json:1:501-1:502 error[INPUT_UNREADABLE] nested deeper than 500 levels"],
    ),
    "json-lines": (
        {"tools.jsonl": TOOL + "\n" + '{"a":' * DEEP + "\n" + TOOL.replace("read", "write") + "\n"},
        ["tools.jsonl:2:2501-2:2502 error[INPUT_UNREADABLE] nested deeper than 500 levels"],
    ),
    "yaml-flow": (
        {"tools.yaml": "[" * DEEP},
        ["tools.yaml:1:501-1:502 error[INPUT_UNREADABLE] nested deeper than 500 levels"],
    ),
    "yaml-block": (
        {"tools.yaml": "".join(" " * depth + "a:\n" for depth in range(600))},
        ["tools.yaml:501:501-501:502 error[INPUT_UNREADABLE] nested deeper than 500 levels"],
    ),
    "toml": (
        {"tools.toml": "tools = " + "[" * DEEP},
        ["tools.toml:1:409-1:410 error[INPUT_UNREADABLE] arrays and inline tables nested deeper than 400 levels"],
    ),
    "huge-integers": (
        {
            "tools.json": '[{"type": "function", "function": {"name": "a_tool", "size": ' + "9" * 10_000 + "}}]",
            "policy.yaml": "workspace_roots: []\n_size: " + "9" * 10_000 + "\n",
            "tools.toml": "recursion_limit = " + "9" * 10_000 + "\n",
        },
        [
            "tools.json:1:44-1:52 warning[TOOL_SURFACE_MISSING_SCHEMA] tool `a_tool` has no parameter schema",
            "tools.toml:1:19-1:10019 error[INPUT_SYNTAX_ERROR] the integer is too long for TOML",
        ],
    ),
    "one-long-line": (
        {"tools.json": LONG_LINE + "}"},
        [
            f"tools.json:1:{len(LONG_LINE) + 1}-1:{len(LONG_LINE) + 2} error[INPUT_SYNTAX_ERROR] {NO_VALUE}",
        ],
    ),
    "long-prompt-line": (
        {"tools.json": f"[{TOOL}]", "system.md": "a(" * 100_000 + "\n\nx" + "`" * 100_000 + " read_fil({})\n"},
        ["system.md:3:100003-3:100011 " + MISSPELT],
    ),
    "nested-markdown": (
        {"tools.json": f"[{TOOL}]", "system.md": ">" * 20_000 + " read_fil({})\n" + "- " * 5_000 + "read_fil({})\n"},
        ["system.md:1:20002-1:20010 " + MISSPELT, "system.md:2:10001-2:10009 " + MISSPELT],
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_large_case(name: str, tmp_path: Path, outcome: Callable[..., list[str]]) -> None:
    files, expected = LARGE[name]
    for path, text in files.items():
        file = tmp_path / "case" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")
    assert outcome() == expected


# --- the file system ------------------------------------------------------------------------------------------------


@POSIX
@pytest.mark.usefixtures("no_privileges")
def test_unreadable_file_and_folder(tmp_path: Path, outcome: Callable[..., list[str]]) -> None:
    closed = tmp_path / "case" / "closed"
    closed.mkdir(parents=True)
    file = tmp_path / "case" / "tools.json"
    file.write_text(FLAWED, encoding="utf-8")
    file.chmod(0)
    closed.chmod(0)
    try:
        assert outcome() == ["tools.json:1:1-1:1 error[INPUT_UNREADABLE] cannot be read: Permission denied"]
    finally:
        closed.chmod(0o700)


@POSIX
def test_symlink_loops_and_dead_links(tmp_path: Path, outcome: Callable[..., list[str]]) -> None:
    case = tmp_path / "case"
    (case / "inner").mkdir(parents=True)
    (case / "inner" / "back").symlink_to("..")
    (case / "tools.json").symlink_to("tools.json")
    (case / "a.json").symlink_to("b.json")
    (case / "b.json").symlink_to("a.json")
    (case / "dead.json").symlink_to("nowhere.json")
    (case / "policy.toml").write_text('side_effect_level = "nothing"\n', encoding="utf-8")
    found = outcome()
    assert len(found) == 1
    assert found[0].startswith("policy.toml:1:21-1:30 error[POLICY_UNKNOWN_SIDE_EFFECT_LEVEL] ")


@POSIX
def test_what_is_no_file(tmp_path: Path, outcome: Callable[..., list[str]]) -> None:
    case = tmp_path / "case"
    (case / "tools.json").mkdir(parents=True)
    os.mkfifo(case / "pipe.json")
    assert outcome() == []


@POSIX
@pytest.mark.parametrize("name", ["pipe.json", "pipe.jsonl", "pipe.md", "pipe.py"])
def test_a_pipe_given_by_name_is_refused_and_not_waited_for(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "toolsurface_lint",
            "check",
            "--isolated",
            "--output",
            "concise",
            "--kind",
            "tools",
            name,
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout.startswith(f"{name}:1:1: error[INPUT_UNREADABLE] not a regular file\n")
    assert done.stderr == ""


def command(folder: Path, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
    """The command in a process of its own with 1 GiB of memory: what goes on for ever fails."""
    done = subprocess.run(
        ["sh", "-c", 'ulimit -v 1048576 && exec "$@"', "sh", sys.executable, "-m", "toolsurface_lint", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        input=stdin,
        capture_output=True,
        timeout=120,
        check=False,
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


@POSIX
@pytest.mark.parametrize("name", ["toolsurface.toml", "pyproject.toml"])
@pytest.mark.parametrize("endless", [True, False])
def test_settings_that_are_no_file_end_the_run(tmp_path: Path, name: str, endless: bool) -> None:
    (tmp_path / "tools.json").write_text(FLAWED, encoding="utf-8")
    if endless:
        (tmp_path / name).symlink_to("/dev/zero")
    else:
        os.mkfifo(tmp_path / name)
    done = command(tmp_path, "check", ".")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"toolsurface-lint: cannot read the settings file {tmp_path / name}: not a regular file\n"


@POSIX
def test_settings_that_a_shell_hands_over_are_read_to_a_bound(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text(FLAWED, encoding="utf-8")
    assert command(tmp_path, "check", "--config", "/dev/stdin", ".").returncode == 0
    done = command(tmp_path, "check", "--config", "/dev/stdin", ".", stdin=b'fail-on = "warning"')
    assert (done.returncode, done.stderr) == (1, "")
    done = command(tmp_path, "check", "--config", "/dev/zero", ".")
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr == "toolsurface-lint: cannot read the settings file /dev/zero: it has more than 1,048,576 bytes\n"
    )
    (tmp_path / "link.toml").symlink_to("/dev/stdin")
    assert command(tmp_path, "check", "--config", "link.toml", ".", stdin=b"exclude = []").returncode == 2


@pytest.mark.slow
def test_settings_have_a_bound(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text(FLAWED, encoding="utf-8")
    (tmp_path / "toolsurface.toml").write_bytes(b"#" * (1 << 20))
    assert command(tmp_path, "check", ".").returncode == 0
    (tmp_path / "toolsurface.toml").write_bytes(b"#" * ((1 << 20) + 1))
    done = command(tmp_path, "check", ".")
    assert done.returncode == 2
    assert done.stderr.endswith("toolsurface.toml: it has more than 1,048,576 bytes\n")


@POSIX
def test_a_baseline_that_is_no_file_ends_the_run(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    for name in ("pipe", "zero"):
        done = command(tmp_path, "check", "--isolated", "--baseline", name, ".")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f"toolsurface-lint: cannot read the baseline {name}: not a regular file\n"


@pytest.mark.slow
@POSIX
@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.md", "a.py", "a.yaml", "a.toml", "a.txt", "a"])
def test_a_link_to_a_device_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).symlink_to("/dev/zero")
    done = command(tmp_path, "check", "--isolated", "--output", "concise", "--kind", "tools", name)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith(f"{name}:1:1: error[INPUT_UNREADABLE] not a regular file\n")
    assert command(tmp_path, "check", "--isolated", "--allow-empty", ".").returncode == 0


def test_standard_input_has_a_bound(tmp_path: Path) -> None:
    done = command(tmp_path, "check", "--isolated", "-", stdin=b" " * ((64 << 20) + 1))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "toolsurface-lint: cannot read standard input: it has more than 67,108,864 bytes\n"


def test_a_file_that_grows_while_it_is_read_has_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from toolsurface_lint.checks.input.problems import sentence
    from toolsurface_lint.source import files
    from toolsurface_lint.source.text import Unreadable

    file = tmp_path / "tools.json"
    file.write_bytes(b"[" * 100)
    read = files.read_stream

    def grow(stream: Any, limit: int, expected: int = 0) -> bytes:
        with file.open("ab") as more:
            more.write(b" " * 1000)
        return read(stream, limit, expected)

    monkeypatch.setattr(files, "read_stream", grow)
    assert len(files.read_source(str(file), "tools.json", 2000).text) == 1100
    with pytest.raises(Unreadable) as caught:
        files.read_source(str(file), "tools.json", 2000)
    assert sentence(caught.value.problem) == "the file has more than `max-file-size` (2,000)"


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["json", "jsonl", "ndjson", "responses", "md", "yaml", "toml", "py", "txt"])
def test_one_endless_line_is_never_held(tmp_path: Path, suffix: str) -> None:
    with (tmp_path / f"x.{suffix}").open("wb") as file:
        file.truncate(1 << 30)
    done = command(tmp_path, "check", "--isolated", "--output", "concise", "--kind", "tools", f"x.{suffix}")
    assert (done.returncode, done.stderr) == (1, "")
    limit = "the file has 1,073,741,824 bytes, more than `max-file-size` (67,108,864)"
    assert done.stdout.startswith(f"x.{suffix}:1:1: error[INPUT_UNREADABLE] {limit}\n")


BEGINNING = '[{"name": "read_file", "input_schema": {}}'


@POSIX
def test_names_of_files_that_no_text_can_show(tmp_path: Path, outcome: Callable[..., list[str]]) -> None:
    case = tmp_path / "case"
    case.mkdir()
    try:
        (case / "a\nb\x1b[31m.json").write_text(BEGINNING, encoding="utf-8")
        Path(os.fsdecode(os.fsencode(case) + b"/\xff.json")).write_text(BEGINNING, encoding="utf-8")
    except OSError:
        pytest.skip("the file system refuses such names")
    found = outcome()
    assert len(found) == 2
    assert all("error[INPUT_SYNTAX_ERROR] the document ends before this `[` is closed" in line for line in found)


def test_a_file_that_vanishes_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, outcome: Callable[..., list[str]]
) -> None:
    from toolsurface_lint.source import files

    (tmp_path / "case").mkdir()
    (tmp_path / "case" / "tools.json").write_text(FLAWED, encoding="utf-8")
    read = files._read_bytes

    def vanish(path: str, max_size: int) -> bytes:
        if "case" in Path(path).parts:
            os.unlink(path)
        return read(path, max_size)

    monkeypatch.setattr(files, "_read_bytes", vanish)
    assert outcome() == ["tools.json:1:1-1:1 error[INPUT_UNREADABLE] cannot be read: No such file or directory"]


@pytest.mark.parametrize("later", [None, b"", b"[]", b"\xff\xfe", b"[" * 600, FLAWED.encode() * 3])
def test_a_file_that_changes_after_it_was_read(
    later: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, outcome: Callable[..., list[str]]
) -> None:
    from toolsurface_lint.project import project
    from toolsurface_lint.source import files

    (tmp_path / "case").mkdir()
    (tmp_path / "case" / "tools.json").write_text(FLAWED, encoding="utf-8")
    again = files.read_leniently

    def change(path: str, max_size: int) -> str:
        if "case" in Path(path).parts and os.path.exists(path):
            if later is None:
                os.unlink(path)
            else:
                Path(path).write_bytes(later)
        return again(path, max_size)

    # Keep no text, so that positions are worked out from the file as it is by then.
    monkeypatch.setattr(project, "KEPT_TEXT", -1)
    monkeypatch.setattr(files, "read_leniently", change)
    found = outcome()
    assert len(found) == 1
    assert "[TOOL_SURFACE_MISSING_SCHEMA]" in found[0]


# --- everything at once, as people run it ----------------------------------------------------------------------------


@pytest.mark.slow
def test_all_of_them_in_every_format(tmp_path: Path) -> None:
    shutil.copytree(HOSTILE, tmp_path / "hostile", ignore=shutil.ignore_patterns("expect.txt"))
    outputs = [f"--output={form}={form}.out" for form in ("text", "concise", "sarif", "github")]
    done = subprocess.run(
        [sys.executable, "-m", "toolsurface_lint", "check", "--isolated", "--output=json", *outputs, "hostile"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONIOENCODING": "utf-8", "PYTHONUTF8": "1"},
        capture_output=True,
        check=False,
    )
    assert done.stderr == b""
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert json.loads((tmp_path / "sarif.out").read_bytes())["version"] == "2.1.0"
    lines = (tmp_path / "concise.out").read_text(encoding="utf-8").split("\n")
    count = len(found["diagnostics"])
    assert all(line.startswith("hostile/") for line in lines[:count])
    assert lines[count].startswith("Found ")
    for form in ("text", "concise", "github"):
        text = (tmp_path / f"{form}.out").read_text(encoding="utf-8")
        assert not {"\x1b", "\x07", "\x00", "\u202e"} & set(text)
