"""A folder to check, a user with a home of their own, and the command in this process, with the cache or without."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from toolsurface_lint import __main__, api
from toolsurface_lint.run.cache.folder import CacheFolder


class Said(NamedTuple):
    """The exit code of a run, and what it wrote."""

    code: int
    output: str
    errors: str


class Command:
    """`check` in the working directory; `runs` counts those that were not taken from the cache."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self.runs = 0
        check_project = api.check_project

        def counted(*arguments: object, **options: object) -> object:
            self.runs += 1
            return check_project(*arguments, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(api, "check_project", counted)

    def __call__(self, *arguments: str) -> Said:
        code = __main__.run(["check", "--jobs", "1", *arguments])
        return Said(code, *self._capsys.readouterr())

    def is_kept(self, *arguments: str) -> bool:
        """Whether a run is taken from the cache."""
        before = self.runs
        self(*arguments)
        return self.runs == before


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of the user, who may use the cache."""
    home = tmp_path / "home"
    home.mkdir()
    for name in ("TOOLSURFACE_LINT_NO_CACHE", "TOOLSURFACE_LINT_CACHE_DIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    return home


@pytest.fixture
def command(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return Command(capsys, monkeypatch)


@pytest.fixture
def entries(home: Path) -> Callable[[], list[Path]]:
    """The files in which runs are kept."""
    return lambda: sorted((home / ".cache/toolsurface-lint").glob("*.run"))


@pytest.fixture
def folder(tmp_path: Path) -> CacheFolder:
    return CacheFolder(str(tmp_path / "cache"), [])
