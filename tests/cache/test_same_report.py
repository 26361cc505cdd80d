"""What comes out of the cache is, to the byte, what a run would have said."""

from __future__ import annotations

import inspect
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import cycle
from pathlib import Path

import pytest

from tests.cache.conftest import Command
from tests.files import needs, write_files
from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.run.cache import entry
from toolsurface_lint.source import files

REPOSITORY = Path(__file__).resolve().parents[2]
FIXTURES = REPOSITORY / "fixtures"
FORMS = (["--output", "text"], ["--output", "json"], ["--output", "sarif"], ["--output", "concise", "--explain"])


def tools(*names: str) -> str:
    schema = {"type": "object", "properties": {"note": {"type": "string"}}}
    return json.dumps(
        {"tools": [{"name": name, "description": f"Do {name}.", "inputSchema": schema} for name in names]}, indent=1
    )


def lay(root: Path) -> None:
    """A repository of several agents, where files speak of others that are there, or are not."""
    write_files(
        root,
        {
            "tools.json": tools("read_note", "send_note"),
            "prompts/system.md": "Call `read_note` first.\n\nThen call `send_notes({})`.\n",
            ".claude/skills/notes/SKILL.md": "---\nname: notes\ndescription: Use it when notes come.\n---\n\n"
            "Read [more](more.md), then call `read_note`.\n",
            ".claude/agents/reviewer.md": "---\nname: reviewer\ndescription: Reviews.\ntools: Read, Grepp\n---\n\nReview.\n",
            "server/server.py": "from mcp.server.fastmcp import FastMCP\nfrom names import TITLE\n\nmcp = FastMCP(TITLE)\n\n\n"
            "@mcp.tool()\ndef fetch(path) -> str:\n    return path\n",
            "server/names.py": "TITLE = 'a'\n",
            "runs/one.jsonl": '{"messages": [{"role": "user", "content": "Hello"}]}\n',
            "other/policy.toml": '[capability_policy]\ntools = ["read_note", "drop_note"]\n',
            "other/broken.json": '{"tools": [',
            "other/tools.json": b'{"tools": [{"name": "read_note"},\n \xff',
        },
    )


def same(command: Command, form: list[str], *arguments: str) -> None:
    """The run without a cache, the first with one, and the one that is taken from it say the same."""
    expected = command("--no-cache", *form, *arguments)
    assert command(*form, *arguments) == expected
    runs = command.runs
    assert command(*form, *arguments) == expected
    assert command.runs == runs


def git(*arguments: str) -> None:
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run([needs("git"), *identity, *arguments], check=True, capture_output=True)


def edits() -> list[Callable[[], object]]:
    """What may happen to the tree from one run to the next, in order; the working directory is the tree."""

    def write(name: str, content: str) -> Callable[[], object]:
        return lambda: write_files(Path(), {name: content})

    def replace(name: str, old: str, new: str) -> Callable[[], object]:
        path = Path(name)
        return lambda: path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")

    tomorrow = (datetime.now(UTC) + timedelta(days=1)).date()
    return [
        lambda: None,
        replace("tools.json", "send_note", "post_note"),
        # As many bytes as before.
        replace("tools.json", "post_note", "send_note"),
        write("prompts/more.md", "Call `red_note({})`.\n"),
        # What is missing appears.
        write(".claude/skills/notes/more.md", "More.\n"),
        lambda: Path("prompts/more.md").unlink(),
        lambda: os.utime("tools.json"),
        lambda: Path("other").rename("another"),
        replace("server/names.py", "'a'", "'b' +"),
        write("toolsurface.toml", 'ignore = ["TOOL_DESCRIPTION_MISSING"]\n'),
        write("toolsurface.toml", 'exclude = ["another/**"]\n'),
        lambda: Path("toolsurface.toml").unlink(),
        lambda: git("init", "-q"),
        write(".gitignore", "runs/\n"),
        lambda: (git("add", "."), git("commit", "-q", "-m", "first")),
        # The last commit had a tool that a prompt still names.
        replace("tools.json", "read_note", "look_note"),
        lambda: git("commit", "-q", "-a", "-m", "second"),
        lambda: Path("home.md").symlink_to("prompts/system.md"),
        write(".git/info/exclude", "prompts/\n"),
        write(".claude-plugin/plugin.json", '{"name": "notes", "commands": "prompts"}\n'),
        write(
            "prompts/system.md",
            f"<!-- toolsurface-lint: ignore-next-line until={tomorrow} -->\nCall `send_notes({{}})`.\n",
        ),
        lambda: shutil.rmtree("prompts"),
        write("packages/a/.git", "gitdir: nowhere\n"),
    ]


def test_after_any_change(command: Command) -> None:
    lay(Path())
    for edit, form in zip(edits(), cycle(FORMS)):
        edit()
        same(command, form)


def test_after_a_change_beside_what_is_named(command: Command) -> None:
    lay(Path())
    git("init", "-q")
    for edit, form in zip(edits()[:9], cycle(FORMS)):
        edit()
        same(command, form, "prompts/system.md")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_however_many_processes_share_the_work(command: Command, eager: None, jobs: str) -> None:
    lay(Path())
    for path in Path().rglob("*.py"):
        path.unlink()
    expected = command("--no-cache")
    assert command("--jobs", jobs) == expected
    Path("other/policy.toml").write_text('[capability_policy]\ntools = ["red_note"]\n', encoding="utf-8")
    expected = command("--no-cache")
    assert command("--jobs", jobs) == expected
    assert command("--jobs", "2") == expected
    assert command.is_kept()


@pytest.mark.parametrize(
    "folder",
    [
        *sorted(FIXTURES.glob("surfaces/*/"))[::4],
        *sorted(FIXTURES.glob("rules/*/fires-*"))[::29],
        *sorted(FIXTURES.glob("typical/*/"))[::3],
    ],
    ids=lambda folder: folder.relative_to(FIXTURES).as_posix(),
)  # fmt: skip
def test_fixtures(command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = shutil.copytree(folder, Path("copy"))
    monkeypatch.chdir(copy)
    for form in FORMS:
        expected = command("--no-cache", *form)
        assert command(*form) == expected
        assert command(*form) == expected


def test_a_directive_that_expires(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(
        Path(),
        {
            "tools.json": tools("read_note"),
            "system.md": "<!-- toolsurface-lint: ignore-next-line until=2026-03-01 -->\nCall `red_note({})`.\n",
        },
    )
    before, after = "1772300000", "1772500000"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", before)
    first = command()
    assert command.is_kept()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", after)
    second = command()
    assert first.output != second.output
    assert command("--no-cache") == second


def test_a_day_counts_only_where_something_asks_for_it(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(Path(), {"tools.json": tools("read_note")})
    command()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1")
    assert command.is_kept()


def test_other_options_are_other_runs(command: Command) -> None:
    lay(Path())
    command()
    for options in (["--select", "TOOL"], ["--isolated"], ["--provider", "openai"], ["prompts"], ["--ignore", "TOOL"]):
        assert not command.is_kept(*options)
        assert command(*options) == command("--no-cache", *options)
        assert command.is_kept(*options)
    for options in (["--fail-on", "info"], ["--explain"], ["--output", "github"], ["--allow-empty"]):
        assert command.is_kept(*options)


def test_all_of_a_report_is_kept() -> None:
    """Whoever adds to a report says how that is kept."""
    report = Report((), codes=frozenset())
    plain = entry._to_plain(report)
    parameters = set(inspect.signature(Report.__init__).parameters) - {"self"}
    # The codes give the rules; of a report with one of the last two, nothing is kept.
    assert parameters - {"rules", "not_rendered", "own_codes"} == plain.keys()
    after = {"_rules", "stale", "compared", "coverage", "losses", "not_rendered", "own_codes"}
    assert vars(report).keys() - after - {"summary"} == plain.keys() - {"counts"}


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are Unicode there")
def test_names_that_are_not_text(command: Command) -> None:
    lay(Path())
    os.rename(b"prompts/system.md", b"prompts/s\xff.md")
    for form in FORMS:
        same(command, form)


def test_a_baseline_hides_what_it_lists(command: Command, tmp_path: Path) -> None:
    lay(Path())
    command()
    baseline = str(tmp_path / "baseline.json")
    assert command.is_kept("--write-baseline", baseline)
    assert command("--baseline", baseline) == command("--no-cache", "--baseline", baseline)
    assert command.is_kept("--baseline", baseline)


def test_whoever_fixes_reads(command: Command) -> None:
    lay(Path())
    command()
    for options in (["--fix"], ["--diff"], ["--add-suppressions", "--diff"]):
        assert not command.is_kept(*options)


def test_what_is_read_is_not_written_to(command: Command) -> None:
    """Only a run knows that a file for the report is one of those that it reads."""
    lay(Path())
    command()
    os.link("other/policy.toml", "other/policy.report")
    for output in ("json=tools.json", "json=prompts/../tools.json", "json=other/policy.report"):
        said = command("--output", output)
        assert said == command("--no-cache", "--output", output)
        assert said.code == 2


def test_a_file_that_was_touched_is_read_once_more(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_TICK", -(1 << 60))
    write_files(Path(), {"tools.json": tools("read_note")})
    command()
    read: list[str] = []
    opened = files._open
    monkeypatch.setattr(files, "_open", lambda path, flags: read.append(path) or opened(path, flags))
    assert command.is_kept("--output", "json")
    assert [path for path in read if path.endswith("tools.json")] == []
    os.utime("tools.json")
    for times in (1, 0):
        read.clear()
        assert command.is_kept("--output", "json")
        assert len([path for path in read if path.endswith("tools.json")]) == times


def test_a_file_that_changed_just_now_is_read_again(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may change once more before the clock of its file system has gone on."""
    path = Path("tools.json")
    path.write_text(tools("read_note", "send_note"), encoding="utf-8")
    before = os.stat(path)
    command("--output", "json")
    path.write_text(tools("read_note", "read_note"), encoding="utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    status = files._content

    def frozen(found: os.stat_result, data: bytes | None) -> object:
        same = (found.st_dev, found.st_ino) == (before.st_dev, before.st_ino)
        return status(before if same else found, data)

    monkeypatch.setattr(files, "_content", frozen)
    assert "TOOL_SURFACE_DUPLICATE_TOOL" in command("--output", "json").output


_AUDITED = """
import os, sys
from toolsurface_lint.source import disk
from toolsurface_lint.api import check_paths
root = os.path.abspath(sys.argv[1])
seen = set()

def note(event, arguments):
    if event in ("open", "os.scandir", "os.listdir") and isinstance(arguments[0], str):
        seen.add((event, os.path.abspath(arguments[0])))

check_paths([root])
with disk.recording() as facts:
    sys.addaudithook(note)
    check_paths([root])
    known = {os.path.abspath(about) for question, about in facts.answers if question in ("content", "members", "names")}
print("seen", sum(path.startswith(root) for _, path in seen))
print(sorted(path for _, path in seen if path.startswith(root) and path not in known))
print(facts.steady)
"""


@pytest.mark.parametrize("tree", ["laid", "fixtures/typical", "fixtures/surfaces"])
def test_everything_that_is_opened_or_listed_is_recorded(tmp_path: Path, tree: str) -> None:
    folder = tmp_path / "tree"
    if tree == "laid":
        folder.mkdir()
        lay(folder)
    else:
        shutil.copytree(REPOSITORY / tree, folder)
    done = subprocess.run(
        [sys.executable, "-c", _AUDITED, str(folder)], capture_output=True, text=True, check=True, timeout=100
    )
    seen, forgotten, steady = done.stdout.splitlines()
    assert int(seen.split()[1]) > 5
    assert (forgotten, steady) == ("[]", "True")
