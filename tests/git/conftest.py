"""The gits that the door to git is tested with, and repositories that would have a program run."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from toolsurface_lint.project.git import process

SEARCHED = "TOOLSURFACE_LINT_TEST_GITS"
"""Names the folders of more gits, one `git` in each, as `PATH` does."""


def _versions() -> dict[str, str]:
    """Of each version of git, the folder that it lies in."""
    found: dict[str, str] = {}
    for folder in (os.path.dirname(shutil.which("git") or ""), *os.environ.get(SEARCHED, "").split(":")):
        if folder:
            answer = subprocess.run(
                [os.path.join(folder, "git"), "version"], capture_output=True, text=True, check=True
            )
            found.setdefault(answer.stdout.split()[2], folder)
    return found


VERSIONS = _versions()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    given = any("git_folder" in mark.args[0] for mark in metafunc.definition.iter_markers("parametrize"))
    if "git_folder" in metafunc.fixturenames and not given:
        metafunc.parametrize("git_folder", list(VERSIONS.values()), ids=list(VERSIONS), scope="session")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(f"the door to git was tested with git {', '.join(VERSIONS)}")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory that lies in no repository, with a user of its own."""
    for name in list(os.environ):
        if name.startswith(("GIT_", "XDG_")):
            monkeypatch.delenv(name)
    home = tmp_path / "home"
    (home / ".config").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr(process, "_not_before", 0.0)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def git(git_folder: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Runs git as anybody does, in a folder. It is also the git that the door finds, before all others."""
    monkeypatch.setenv("PATH", f"{git_folder}:{os.environ['PATH']}")
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "protocol.file.allow=always"]

    def run(folder: Path, *arguments: str, check: bool = True) -> str:
        command = [os.path.join(git_folder, "git"), "-C", str(folder), *identity, *arguments]
        return subprocess.run(command, check=check, capture_output=True, text=True).stdout

    return run


class Mark:
    """A program that leaves a mark when it is run, and the marks that it left."""

    def __init__(self, folder: Path) -> None:
        self.program = folder / "mark"
        self._marks = folder / "marks"
        self.program.write_text(f'#!/bin/sh\necho "$0 $*" >> {self._marks}\n', encoding="utf-8")
        self.program.chmod(0o755)

    def left(self) -> list[str]:
        return self._marks.read_text(encoding="utf-8").splitlines() if self._marks.exists() else []

    def wipe(self) -> None:
        self._marks.unlink(missing_ok=True)


@pytest.fixture
def mark(tmp_path: Path) -> Mark:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return Mark(folder)
