"""A typical repository, whole: nothing is said of it as it is, and of each mismatch that is planted into it, that one thing.

`fixtures/typical/NAME` is the repository, `fixtures/typical/NAME.toml` lists what is planted.
"""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from toolsurface_lint.model.diagnostics import Report

TYPICAL = Path(__file__).resolve().parents[1] / "fixtures" / "typical"
Check = Callable[..., Report]


class Planted(NamedTuple):
    """One mismatch. The finding is on a line of its file that has one of the texts `at`; without any, where `new` begins."""

    what: str
    path: str
    old: str
    new: str
    at: tuple[str, ...]

    def plant(self, folder: Path) -> None:
        file = folder / self.path
        text = file.read_text(encoding="utf-8")
        assert text.count(self.old) == 1, self.what
        file.write_text(text.replace(self.old, self.new), encoding="utf-8", newline="")

    def lines(self, folder: Path) -> set[int]:
        """Where the finding may be, once everything is planted; counted from 1."""
        text = (folder / self.path).read_text(encoding="utf-8")
        if not self.at:
            assert text.count(self.new) == 1, self.what
            return {text[: text.index(self.new)].count("\n") + 1}
        found = {number for number, line in enumerate(text.split("\n"), 1) if any(part in line for part in self.at)}
        assert found, self.what
        return found


def planted(name: str) -> list[Planted]:
    entries: list[dict[str, Any]] = tomllib.loads((TYPICAL / f"{name}.toml").read_text(encoding="utf-8"))["planted"]
    return [
        Planted(entry["what"], entry["path"], entry["was"], entry["is"], tuple(entry.get("at", ())))
        for entry in entries
    ]


NAMES = sorted(folder.name for folder in TYPICAL.iterdir() if folder.is_dir())
PLANTED = [pytest.param(name, one, id=f"{name}: {one.what}") for name in NAMES for one in planted(name)]


@pytest.fixture
def repository(tmp_path: Path) -> Callable[[str], Path]:
    """Makes a copy away from this repository, whose git and settings would have a say."""

    def copy(name: str) -> Path:
        return Path(shutil.copytree(TYPICAL / name, tmp_path / name))

    return copy


def found(report: Report) -> list[tuple[str, int, str]]:
    """The findings of a report: path, line, and what is said."""
    return [
        (one.location.path, one.location.range[0][0], f"{one.code}: {one.message}")
        for one in report.diagnostics
        if one.location is not None
    ]


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_said_of_it_as_it_is(name: str, repository: Callable[[str], Path], check: Check) -> None:
    report = check(repository(name))
    assert found(report) == []
    # Clean must mean looked at.
    assert report.summary["tools"] > 0
    assert report.summary["open_surfaces"] == 0


@pytest.mark.parametrize("name", NAMES)
def test_everything_planted_is_found_and_nothing_else(
    name: str, repository: Callable[[str], Path], check: Check
) -> None:
    folder = repository(name)
    mismatches = planted(name)
    assert len(mismatches) >= 20
    for one in mismatches:
        one.plant(folder)
    said = found(check(folder))
    missed = []
    for one in mismatches:
        lines = one.lines(folder)
        hit = next((finding for finding in said if finding[0] == one.path and finding[1] in lines), None)
        if hit is None:
            missed.append((one.path, sorted(lines), one.what))
        else:
            said.remove(hit)
    assert (missed, said) == ([], [])


@pytest.mark.parametrize(("name", "mismatch"), PLANTED)
def test_each_alone_gives_one_finding(
    name: str, mismatch: Planted, repository: Callable[[str], Path], check: Check
) -> None:
    folder = repository(name)
    mismatch.plant(folder)
    said = found(check(folder))
    assert [(path, line in mismatch.lines(folder)) for path, line, _ in said] == [(mismatch.path, True)], said
