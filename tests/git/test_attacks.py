"""Nothing that a repository names is run: its configuration, hooks, attributes and remotes, whatever the version of git."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.git.conftest import VERSIONS
from tests.long import LONG

if TYPE_CHECKING:
    from tests.git.conftest import Mark

Git = Callable[..., str]

REPOSITORY = Path(__file__).resolve().parents[2]

TOOLS = '[{"name": "read_file", "description": "Read a file.", "inputSchema": {"type": "object"}}]\n'
SETTINGS = '[[surface]]\nname = "all"\ntools = ["**/tools.json"]\nprompts = ["**/prompts/*.md"]\n'

HOOKS = (
    *("applypatch-msg", "post-applypatch", "post-checkout", "post-commit", "post-index-change", "post-merge"),
    *("post-receive", "post-rewrite", "post-update", "pre-applypatch", "pre-auto-gc", "pre-commit", "pre-push"),
    *("prepare-commit-msg", "pre-receive", "push-to-checkout", "reference-transaction", "sendemail-validate"),
    *("fsmonitor-watchman", "proc-receive", "update", "p4-pre-submit"),
)


def _lay(folder: Path) -> None:
    (folder / "prompts").mkdir(parents=True, exist_ok=True)
    (folder / "tools.json").write_text(TOOLS, encoding="utf-8")
    (folder / "prompts/system.md").write_text("Call `read_file` first.\n", encoding="utf-8")
    (folder / "toolsurface.toml").write_text(SETTINGS, encoding="utf-8")


def _rename(folder: Path) -> None:
    """Rename the tool that the prompt names, so that git is asked what the last commit declares."""
    (folder / "tools.json").write_text(TOOLS.replace("read_file", "open_page"), encoding="utf-8")


def _lose_gitignore(git: Git, folder: Path) -> None:
    """Have git miss the blob of a `.gitignore` that is not checked out either."""
    (folder / ".gitignore").write_text("nothing.txt\n", encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "x")
    git(folder, "update-index", "--skip-worktree", ".gitignore")
    blob = git(folder, "rev-parse", ":.gitignore").strip()
    (folder / ".gitignore").unlink()
    directory = folder / git(folder, "rev-parse", "--git-common-dir").strip()
    (directory / "objects" / blob[:2] / blob[2:]).unlink()


def _promisor(mark: Mark, *more: str) -> str:
    lines = [
        *("[core]", "repositoryFormatVersion = 1", *more),
        *("[extensions]", "partialClone = origin"),
        *('[remote "origin"]', f"url = ext::{mark.program} %S", "promisor = true"),
        *('[protocol "ext"]', "allow = always"),
    ]
    return "\n".join(lines) + "\n"


def _upload_pack(mark: Mark, folder: Path, *more: str) -> str:
    return re.sub(r"url = .*", f"url = {folder}\nuploadPack = {mark.program}", _promisor(mark, *more))


def every_key(git: Git, folder: Path, value: str) -> str:
    """A configuration with every key that git knows by name, the placeholders in them filled in."""
    names = [line.strip() for line in git(folder, "help", "--config").splitlines()]
    keys = [re.sub(r"<[\w-]+>|\*", "origin", name) for name in names if re.fullmatch(r"[\w.<>*-]+", name)]
    extra = ["include.path", "includeIf.onbranch:**.path", "protocol.ext.allow", "extensions.worktreeConfig"]
    lines = []
    for key in sorted({*keys, *extra}):
        section, _, rest = key.partition(".")
        middle, _, name = rest.rpartition(".")
        lines += [f'[{section} "{middle}"]' if middle else f"[{section}]", f"{name or rest} = {value}"]
    assert len(lines) > 1000
    return "\n".join(lines) + "\n"


def bare_folder_of_a_clone(git: Git, here: Path, mark: Mark) -> Path:
    seed, project = here / "seed", here / "project"
    _lay(seed)
    git(seed, "init", "-q")
    _lose_gitignore(git, seed)
    _lay(project)
    shutil.copytree(seed / ".git", project / "sub/bare")
    _lay(project / "sub/bare")
    (project / "sub/bare/config").write_text(_promisor(mark, "bare = false", "worktree = ."), encoding="utf-8")
    git(project, "init", "-q")
    git(project, "add", ".")
    git(project, "commit", "-qm", "x")
    git(here, "clone", "-q", str(project), "clone")
    return here / "clone/sub/bare"


def configuration_of_an_archive(git: Git, here: Path, mark: Mark) -> Path:
    folder = here / "archive"
    _lay(folder)
    git(folder, "init", "-q")
    _lose_gitignore(git, folder)
    (folder / ".git/config").write_text(_promisor(mark), encoding="utf-8")
    return folder


def upload_pack(git: Git, here: Path, mark: Mark) -> Path:
    folder = configuration_of_an_archive(git, here, mark)
    shutil.copytree(folder / ".git", here / "served.git")
    (folder / ".git/config").write_text(_upload_pack(mark, here / "served.git"), encoding="utf-8")
    return folder


def definitions_of_a_partial_clone(git: Git, here: Path, mark: Mark) -> Path:
    """The last commit's version of the tools is not there: git would fetch it."""
    folder = here / "archive"
    _lay(folder)
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "x")
    blob = git(folder, "rev-parse", "HEAD:tools.json").strip()
    (folder / ".git/objects" / blob[:2] / blob[2:]).unlink()
    (folder / ".git/config").write_text(_promisor(mark), encoding="utf-8")
    return folder


def monitor(git: Git, here: Path, mark: Mark) -> Path:
    folder = here / "archive"
    _lay(folder)
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "x")
    git(folder, "config", "core.fsmonitor", str(mark.program))
    return folder


def linked_work_tree(git: Git, here: Path, mark: Mark) -> Path:
    main, linked = here / "main", here / "linked"
    _lay(main)
    git(main, "init", "-q")
    git(main, "add", ".")
    git(main, "commit", "-qm", "x")
    git(main, "worktree", "add", "-q", str(linked))
    _lose_gitignore(git, linked)
    (main / ".git/config").write_text(_promisor(mark) + "[extensions]\nworktreeConfig = true\n", encoding="utf-8")
    (main / ".git/worktrees/linked/config.worktree").write_text(
        f"[core]\nfsmonitor = {mark.program}\n", encoding="utf-8"
    )
    return linked


def submodule(git: Git, here: Path, mark: Mark) -> Path:
    library, project = here / "library", here / "project"
    for folder in (library, project):
        _lay(folder)
        git(folder, "init", "-q")
        git(folder, "add", ".")
        git(folder, "commit", "-qm", "x")
    git(project, "submodule", "add", "-q", str(library), "sub")
    _lose_gitignore(git, project / "sub")
    text = _promisor(mark, f"worktree = {project / 'sub'}")
    (project / ".git/modules/sub/config").write_text(text, encoding="utf-8")
    (project / ".gitmodules").write_text(
        f'[submodule "sub"]\npath = sub\nurl = x\nupdate = !{mark.program}\n', encoding="utf-8"
    )
    return project


def git_file_into_the_tree(git: Git, here: Path, mark: Mark) -> Path:
    folder = configuration_of_an_archive(git, here, mark)
    (folder / ".git").rename(folder / "directory")
    (folder / ".git").write_text("gitdir: directory\n", encoding="utf-8")
    return folder


def everything_at_once(git: Git, here: Path, mark: Mark) -> Path:
    """All keys in all places, every hook, attributes for all files."""
    folder = configuration_of_an_archive(git, here, mark)
    keys = every_key(git, folder, str(mark.program))
    directory = folder / ".git"
    (directory / "config").write_text(_promisor(mark) + keys, encoding="utf-8")
    (directory / "config.worktree").write_text(keys, encoding="utf-8")
    for name in HOOKS:
        shutil.copy(mark.program, directory / "hooks" / name)
    attributes = "* filter=origin diff=origin merge=origin\n"
    (folder / ".gitattributes").write_text(attributes, encoding="utf-8")
    (directory / "info/attributes").write_text(attributes, encoding="utf-8")
    return folder


LAYOUTS = (
    *(bare_folder_of_a_clone, configuration_of_an_archive, upload_pack, monitor, linked_work_tree, submodule),
    *(git_file_into_the_tree, definitions_of_a_partial_clone, everything_at_once),
)

WORK_ON_GIT = (bare_folder_of_a_clone, configuration_of_an_archive, upload_pack, monitor, linked_work_tree)

DOORS = {
    "check the folder": lambda folder: (folder.parent, ["check", "--allow-empty", folder.name]),
    "check inside it": lambda folder: (folder, ["check"]),
    "check one file": lambda folder: (folder, ["check", "tools.json"]),
    "surface": lambda folder: (folder.parent, ["surface", folder.name]),
    "init": lambda folder: (folder.parent, ["init", folder.name]),
    "fix": lambda folder: (folder, ["check", "--fix", "--unsafe-fixes", "."]),
}

_RECORDER = """
import json, os, sys
programs = []
def remember(event, arguments):
    if event in ("os.posix_spawn", "subprocess.Popen", "os.exec", "os.system", "os.startfile", "os.spawn", "pty.spawn"):
        programs.append(str(arguments[0]))
    elif event == "socket.connect":
        programs.append(event)
def write():
    with open(os.environ["PROGRAMS"], "a") as file:
        file.write(json.dumps(programs) + "\\n")
def leave(status, really=os._exit):
    write()
    really(status)
sys.addaudithook(remember)
os._exit = leave
from toolsurface_lint.__main__ import main
try:
    sys.exit(main())
finally:
    write()
"""
"""Runs the command and writes down what it starts, the processes that it forks included."""


def run(folder: Path, arguments: list[str], **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), **variables}
    command = [sys.executable, "-c", _RECORDER, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def started(record: Path) -> set[str]:
    return {program for line in record.read_text(encoding="utf-8").splitlines() for program in json.loads(line)}


@pytest.mark.parametrize("layout", WORK_ON_GIT)
def test_git_itself_would_run_it(layout: Callable[..., Path], git: Git, here: Path, mark: Mark) -> None:
    """Without it, the next test could not fail."""
    folder = layout(git, here, mark)
    mark.wipe()
    git(folder, "ls-files", "-co", "--exclude-standard", check=False)
    assert mark.left()


def test_git_itself_would_fetch_what_the_last_commit_declares(git: Git, here: Path, mark: Mark) -> None:
    folder = definitions_of_a_partial_clone(git, here, mark)
    mark.wipe()
    git(folder, "cat-file", "blob", "HEAD:tools.json", check=False)
    assert mark.left()


def _ways() -> list[Any]:
    """Each layout through each door with the machine's git; with each of the others through one, where not all is tried."""
    ways = []
    for number, (version, folder) in enumerate(VERSIONS.items()):
        for row, layout in enumerate(LAYOUTS):
            doors = list(DOORS) if LONG or number == 0 else [list(DOORS)[(row + number) % len(DOORS)]]
            ways += [pytest.param(layout, door, folder, id=f"{layout.__name__}-{door}-{version}") for door in doors]
    return ways


@pytest.mark.slow
@pytest.mark.parametrize(("layout", "door", "git_folder"), _ways())
def test_nothing_runs_but_git(
    layout: Callable[..., Path], door: str, git: Git, git_folder: str, here: Path, mark: Mark, tmp_path: Path
) -> None:
    root = layout(git, here, mark)
    folder, arguments = DOORS[door](root)
    _rename(root)
    if door == "init":
        (folder / arguments[-1] / "toolsurface.toml").unlink()
    mark.wipe()
    done = run(folder, arguments, PROGRAMS=str(tmp_path / "programs"))
    assert mark.left() == []
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr
    assert started(tmp_path / "programs") == {os.path.join(git_folder, "git")}


def test_git_starts_no_process_of_its_own(git: Git, git_folder: str, here: Path, mark: Mark, tmp_path: Path) -> None:
    folder = everything_at_once(git, here, mark)
    _rename(folder)
    mark.wipe()
    traced, trace = tmp_path / "traced", tmp_path / "trace"
    traced.mkdir()
    program = f'#!/bin/sh\nGIT_TRACE2_EVENT={trace} exec {git_folder}/git "$@"\n'
    (traced / "git").write_text(program, encoding="utf-8")
    (traced / "git").chmod(0o755)
    run(folder, ["check", "."], PATH=f"{traced}:{os.environ['PATH']}", PROGRAMS=str(tmp_path / "programs"))
    events = [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]
    started_with = [event["argv"] for event in events if event["event"] == "start"]
    assert {arguments[-1] for arguments in started_with} >= {"core.excludesFile"}
    assert {"ls-tree", "cat-file"} < {argument for arguments in started_with for argument in arguments}
    assert {event["event"] for event in events if "child" in event["event"] or event["event"] == "exec"} == set()
    assert mark.left() == []


def test_neither_the_users_configuration_nor_the_environment_runs_anything(
    git: Git, here: Path, mark: Mark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = configuration_of_an_archive(git, here, mark)
    keys = every_key(git, folder, str(mark.program))
    home = Path(os.environ["HOME"])
    # The first is more than git can parse, the second is what it would obey.
    named = [f"{key} = {mark.program}\n" for key in ("pager", "editor", "fsmonitor", "sshCommand", "askPass")]
    for text in (keys, "[core]\n" + "".join(named)):
        (home / ".gitconfig").write_text(text, encoding="utf-8")
        (home / "system").write_text(text, encoding="utf-8")
        programs = (
            "SSH",
            "SSH_COMMAND",
            "ASKPASS",
            "EDITOR",
            "PAGER",
            "PROXY_COMMAND",
            "EXTERNAL_DIFF",
            "SEQUENCE_EDITOR",
        )
        hostile = {f"GIT_{name}": str(mark.program) for name in programs}
        hostile |= {
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "core.fsmonitor",
            "GIT_CONFIG_VALUE_0": str(mark.program),
        }
        hostile |= {
            "GIT_CONFIG_PARAMETERS": f"'core.fsmonitor={mark.program}'",
            "GIT_CONFIG_SYSTEM": str(home / "system"),
        }
        hostile |= {
            "GIT_CONFIG_GLOBAL": str(home / "system"),
            "GIT_ALLOW_PROTOCOL": "ext",
            "GIT_DIR": str(folder / ".git"),
        }
        hostile |= {"GIT_EXEC_PATH": str(mark.program.parent), "GIT_TEMPLATE_DIR": str(folder)}
        mark.wipe()
        done = run(folder, ["check", "."], PROGRAMS=str(tmp_path / "programs"), **hostile)
        assert done.returncode == 0, done.stderr
        assert mark.left() == []


@pytest.mark.slow
@pytest.mark.parametrize("path", ["", ".", "bin", "./bin"])
def test_git_is_not_looked_for_relative_to_the_working_directory(
    path: str, git: Git, git_folder: str, here: Path, mark: Mark, tmp_path: Path
) -> None:
    folder = here / "project"
    _lay(folder)
    git(folder, "init", "-q")
    for place in (folder, folder / "bin"):
        place.mkdir(exist_ok=True)
        shutil.copy(mark.program, place / "git")
    run(folder, ["check", "."], PATH=f"{path}:{os.environ['PATH']}", PROGRAMS=str(tmp_path / "programs"))
    assert mark.left() == []
    assert started(tmp_path / "programs") == {os.path.join(git_folder, "git")}
