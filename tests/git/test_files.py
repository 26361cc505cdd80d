"""The door lists what git lists by itself, in every kind of work tree, and says when it cannot."""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from toolsurface_lint.api import check_paths
from toolsurface_lint.project.discovery.listing import list_folder
from toolsurface_lint.project.git import GitFailed, Repository, process

pytestmark = pytest.mark.slow

Git = Callable[..., str]

REPOSITORY = Path(__file__).resolve().parents[2]


def lay(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("[]\n", encoding="utf-8")


def commit(git: Git, folder: Path) -> None:
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "x")


def as_git_says(git: Git, folder: Path) -> list[str]:
    names = git(folder, "ls-files", "-co", "--exclude-standard", "-z").split("\0")
    return sorted({name for name in names if name and os.path.isfile(folder / name)})


def same(git: Git, folder: Path) -> list[str]:
    listing = list_folder(str(folder))
    assert listing.remarks == {}
    assert listing.names == as_git_says(git, folder)
    return listing.names


@pytest.fixture
def project(git: Git, here: Path) -> Path:
    """A repository with one tracked, one new and three ignored files."""
    folder = here / "project"
    lay(folder, "a/tracked.json", "a/new.json", "a/ignored.json", "b/private.json", "b/mine.json")
    git(folder, "init", "-q")
    (folder / "a/.gitignore").write_text("ignored.json\n", encoding="utf-8")
    (folder / ".git/info/exclude").write_text("private.json\n", encoding="utf-8")
    (Path(os.environ["HOME"]) / ".config/git").mkdir()
    (Path(os.environ["HOME"]) / ".config/git/ignore").write_text("mine.json\n", encoding="utf-8")
    git(folder, "add", "a/tracked.json")
    git(folder, "commit", "-qm", "x")
    return folder


def test_a_work_tree_and_a_folder_in_it(git: Git, project: Path) -> None:
    assert same(git, project) == ["a/.gitignore", "a/new.json", "a/tracked.json"]
    assert same(git, project / "a") == [".gitignore", "new.json", "tracked.json"]
    assert same(git, project / "b") == []


@pytest.mark.parametrize("name", ["lists/mine", "~/lists/mine"])
def test_the_users_own_list_of_ignored_files(name: str, git: Git, project: Path) -> None:
    home = Path(os.environ["HOME"])
    (home / "lists").mkdir()
    (home / "lists/mine").write_text("new.json\n", encoding="utf-8")
    (home / "more").write_text(f"[core]\nexcludesFile = {name if name[0] == '~' else home / name}\n", encoding="utf-8")
    (home / ".gitconfig").write_text(f"[include]\npath = {home / 'more'}\n", encoding="utf-8")
    assert same(git, project) == ["a/.gitignore", "a/tracked.json", "b/mine.json"]


def test_the_repository_outranks_the_user(git: Git, project: Path) -> None:
    (project / ".git/info/exclude").write_text("!mine.json\n", encoding="utf-8")
    assert "b/mine.json" in same(git, project)


@pytest.mark.parametrize("where", ["a/.gitignore", ".git/info/exclude", "mine"])
def test_an_ignored_folder_that_is_named_is_walked(where: str, git: Git, project: Path) -> None:
    lay(project, "a/runs/deep/log.json")
    path = Path(os.environ["HOME"]) / ".config/git/ignore" if where == "mine" else project / where
    path.write_text("runs/\n", encoding="utf-8")
    assert "a/runs/deep/log.json" not in same(git, project)
    assert list_folder(str(project / "a/runs")).names == ["deep/log.json"]
    assert list_folder(str(project / "a/runs/deep")).names == ["log.json"]


def test_a_linked_work_tree(git: Git, project: Path, here: Path) -> None:
    commit(git, project)
    git(project, "worktree", "add", "-q", str(here / "linked"))
    lay(here / "linked", "b/private.json", "b/more.json")
    git(here / "linked", "add", "b/more.json")
    git(here / "linked", "rm", "-q", "--cached", "a/new.json")
    (here / "linked/a/new.json").unlink()
    names = ["a/.gitignore", "a/tracked.json", "b/more.json"]
    assert same(git, here / "linked") == names
    assert same(git, here / "linked/b") == ["more.json"]


def test_a_submodule_with_a_submodule(git: Git, here: Path) -> None:
    for name in ("inner", "outer", "top"):
        lay(here / name, f"{name}.json", "ignored.json")
        git(here / name, "init", "-q")
        (here / name / ".gitignore").write_text("ignored.json\n", encoding="utf-8")
        commit(git, here / name)
    git(here / "outer", "submodule", "add", "-q", str(here / "inner"), "inner")
    commit(git, here / "outer")
    git(here / "top", "submodule", "add", "-q", str(here / "outer"), "outer")
    git(here / "top", "submodule", "--quiet", "update", "--init", "--recursive")
    lay(here / "top", "outer/new.json", "outer/inner/new.json", "outer/inner/ignored.json")
    assert same(git, here / "top/outer/inner") == [".gitignore", "inner.json", "new.json"]
    inner = [f"outer/inner/{name}" for name in (".gitignore", "inner.json", "new.json")]
    assert list_folder(str(here / "top")).names == sorted(
        [".gitignore", ".gitmodules", "top.json", *inner]
        + [f"outer/{name}" for name in (".gitignore", ".gitmodules", "new.json", "outer.json")]
    )


@pytest.mark.parametrize("kind", [["--cone"], ["--no-cone"], ["--cone", "--sparse-index"]])
def test_a_sparse_checkout(kind: list[str], git: Git, project: Path) -> None:
    commit(git, project)
    try:
        git(project, "sparse-checkout", "init", *kind)
        git(project, "sparse-checkout", "set", "b")
    except Exception:
        pytest.skip(f"no git that has {' '.join(kind)} is installed")
    lay(project, "a/left.json", "a/ignored.json", "b/new.json")
    # The list of ignored files is not checked out, and is read from the objects all the same.
    assert not (project / "a/.gitignore").exists()
    assert same(git, project) == ["a/left.json", "b/new.json"]


def test_objects_named_by_sha256(git: Git, here: Path) -> None:
    folder = here / "project"
    lay(folder, "tracked.json", "new.json", "ignored.json")
    git(folder, "init", "-q", "--object-format=sha256")
    (folder / ".gitignore").write_text("ignored.json\n", encoding="utf-8")
    git(folder, "add", "tracked.json")
    assert same(git, folder) == [".gitignore", "new.json", "tracked.json"]


def test_a_merge_that_is_not_finished(git: Git, project: Path) -> None:
    commit(git, project)
    for branch, text in (("one", "1"), ("two", "2")):
        git(project, "checkout", "-q", "-b", branch, "HEAD" if branch == "one" else "HEAD^")
        (project / "a/tracked.json").write_text(text, encoding="utf-8")
        commit(git, project)
    git(project, "merge", "-q", "one", check=False)
    assert same(git, project).count("a/tracked.json") == 1


@pytest.mark.parametrize("arguments", [[], ["-a"], ["a/tracked.json"]])
def test_a_run_inside_a_commit(arguments: list[str], git: Git, project: Path) -> None:
    """Git gives its hooks another index, and variables that point at this repository wherever they look."""
    other = project.parent / "other"
    lay(other, "other.json", "ignored.json")
    git(other, "init", "-q")
    (other / ".gitignore").write_text("ignored.json\n", encoding="utf-8")
    code = (
        "import json; from toolsurface_lint.project.discovery.listing import list_folder; "
        f"print(json.dumps([list_folder(path).names for path in ({str(project)!r}, {str(other)!r})]), file=open('listed', 'w'))"
    )
    hook = project / ".git/hooks/pre-commit"
    hook.write_text(f'#!/bin/sh\nPYTHONPATH={REPOSITORY} exec {sys.executable} -c "{code}"\n', encoding="utf-8")
    hook.chmod(0o755)
    (project / "a/tracked.json").write_text("[1]\n", encoding="utf-8")
    if not arguments:
        git(project, "add", "a/tracked.json", "a/new.json")
    git(project, "commit", "-qm", "y", *arguments)
    listed = json.loads((project / "listed").read_text(encoding="utf-8"))
    assert listed == [["a/.gitignore", "a/new.json", "a/tracked.json"], [".gitignore", "other.json"]]


@pytest.mark.parametrize("seed", range(8))
def test_any_patterns(seed: int, git: Git, here: Path) -> None:
    chosen = random.Random(seed)
    words = ["a", "b", "ab", "[ab]", "*", "**", "?", "a*"]
    folder = here / "project"
    folder.mkdir()
    git(folder, "init", "-q")
    places = ["", "a/", "b/", "a/b/", "ab/a/"]
    lay(folder, *(f"{place}{name}.json" for place in places for name in ("a", "b", "ab", "c")))
    for place in (*places, ".git/info/exclude"):
        lines = [
            chosen.choice(["", "", "!"])
            + chosen.choice(["", "/"])
            + "/".join(chosen.choices(words, k=chosen.randint(1, 3)))
            + chosen.choice(["", "/", ".json", "*.json"])
            for _ in range(chosen.randint(0, 3))
        ]
        path = folder / (place if place.endswith("exclude") else f"{place}.gitignore")
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    git(folder, "add", "-f", "a/a.json", "ab/a/c.json")
    same(git, folder)


class TestWhatCannotBeListed:
    """All files are listed then, and the report says why: nothing is left out in silence."""

    def remark(self, folder: Path) -> str:
        (entry,) = [entry for entry in check_paths([str(folder)], isolated=True).skipped if "git" in entry.reason]
        assert entry.path == str(folder) or folder.name in entry.path
        return entry.reason

    def test_without_git(self, git: Git, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", "/nowhere")
        assert self.remark(project) == "files that git ignores are included: git was not found"
        assert "a/ignored.json" in list_folder(str(project)).names

    def test_a_damaged_index(self, git: Git, project: Path) -> None:
        (project / ".git/index").write_bytes(b"DIRC\0\0\0\2\0\0\0\5garbage")
        assert self.remark(project) == "files that git ignores are included: git failed with status 128"

    def test_a_work_tree_whose_repository_is_gone(self, git: Git, project: Path) -> None:
        (project / ".git").rename(project / "moved")
        (project / ".git").write_text("gitdir: /nowhere\n", encoding="utf-8")
        reason = "the file `.git` does not name a git directory that is there"
        assert self.remark(project) == f"files that git ignores are included: {reason}"

    def test_a_repository_further_down(self, git: Git, project: Path) -> None:
        lay(project, "inner/a.json")
        git(project / "inner", "init", "-q")
        (project / "inner/.git/index").write_bytes(b"garbage")
        assert list_folder(str(project)).remarks == {
            "inner": "files that git ignores are included: git failed with status 128"
        }

    @pytest.mark.parametrize("name", [".git/index", ".git/info/exclude", ".git/HEAD", ".git/config", ".git/commondir"])
    def test_a_pipe_in_the_git_directory_is_not_waited_for(self, name: str, git: Git, project: Path) -> None:
        (project / name).unlink(missing_ok=True)
        os.mkfifo(project / name)
        listing = list_folder(str(project))
        assert ("a/ignored.json" in listing.names) == (name == ".git/index") == bool(listing.remarks)

    @pytest.mark.parametrize("name", ["b/.gitignore", ".git/objects/info/alternates"])
    def test_a_pipe_that_git_opens_is_waited_for_a_limited_time(
        self, name: str, git: Git, project: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        if name.endswith("alternates"):
            commit(git, project)
            git(project, "update-index", "--skip-worktree", "a/.gitignore")
            (project / "a/.gitignore").unlink()
        os.mkfifo(project / name)
        monkeypatch.setattr(process, "SECONDS", 0.2)
        assert self.remark(project) == "files that git ignores are included: git gave no answer in 0.2 seconds"
        with pytest.raises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)

    def test_an_interrupt_leaves_no_git_behind(self, git: Git, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupted(*_: object) -> bytes:
            raise KeyboardInterrupt

        os.mkfifo(project / "b/.gitignore")
        monkeypatch.setattr(process, "_read_until", interrupted)
        with pytest.raises(KeyboardInterrupt):
            list_folder(str(project))
        with pytest.raises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)

    def test_pipes_in_many_repositories_take_no_longer_than_one(
        self, git: Git, project: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("one", "two", "three"):
            lay(project, f"{name}/a.json")
            git(project / name, "init", "-q")
            os.mkfifo(project / name / ".gitignore")
        monkeypatch.setattr(process, "SECONDS", 0.2)
        waits: list[float] = []
        read = process._read_until

        def count(pipe: int, deadline: float, most: int | None) -> bytes:
            try:
                return read(pipe, deadline, most)
            except TimeoutError:
                waits.append(deadline)
                raise

        monkeypatch.setattr(process, "_read_until", count)
        remarks = list_folder(str(project)).remarks
        assert sorted(remarks) == ["one", "three", "two"]
        assert len(waits) == 1

    def test_a_git_that_cannot_be_started(
        self, git: Git, project: Path, here: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (here / "git").write_bytes(b"\x7fELF garbage")
        (here / "git").chmod(0o755)
        monkeypatch.setenv("PATH", str(here))
        assert self.remark(project) == "files that git ignores are included: git cannot be started: Exec format error"


def test_a_folder_named_git_without_a_repository_in_it_is_passed_over(git: Git, project: Path) -> None:
    (project / "a/.git").mkdir()
    assert same(git, project / "a") == [".gitignore", "new.json", "tracked.json"]
    outside = project.parent / "outside"
    lay(outside, ".git/HEAD", "x.json")
    assert Repository.around(str(outside)) is None
    assert list_folder(str(outside)).names == ["x.json"]


def test_a_file_named_git_that_names_nothing(here: Path) -> None:
    lay(here, ".git")
    with pytest.raises(GitFailed):
        Repository.around(str(here))
