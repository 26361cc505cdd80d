"""Defects that people reported in public: each is found where it is, and nothing is said of the same files without it.

`fixtures/reported/CLASS/THREAD` holds the smallest files that show what a thread reports, written for this test, and what is
expected of them: `case.toml` names the thread and what was reported, the codes of which any is right, and the lines, as
`path:line`, on any of which the finding may be; `missed` says why nothing is found, if so. `fires` has the defect, `clean`
does not.
"""

from __future__ import annotations

import re
import shutil
import tomllib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from toolsurface_lint.checks import all_rules
from toolsurface_lint.model.diagnostics import INFO, Report

REPORTED = Path(__file__).resolve().parents[1] / "fixtures" / "reported"
Check = Callable[..., Report]


class Case(NamedTuple):
    """One thread: its files are in `folder`, the rest is from `case.toml`."""

    folder: Path
    thread: str
    reported: str
    codes: tuple[str, ...]
    at: tuple[str, ...]
    missed: str

    @property
    def name(self) -> str:
        return self.folder.relative_to(REPORTED).as_posix()


def read_case(file: Path) -> Case:
    value = tomllib.loads(file.read_text(encoding="utf-8"))
    missed = value.get("missed", "")
    return Case(file.parent, value["thread"], value["reported"], tuple(value["codes"]), tuple(value["at"]), missed)


CASES = [read_case(file) for file in sorted(REPORTED.glob("*/*/case.toml"))]
each_case = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])


def found(report: Report) -> list[tuple[str, str]]:
    """Where each finding is, as `path:line`, and its code."""
    return [
        (f"{one.location.path}:{one.location.range[0][0]}", one.code)
        for one in report.diagnostics
        if one.location is not None
    ]


def checked(case: Case, kind: str, folder: Path, check: Check) -> Report:
    """Away from the repository, whose git and settings would have a say."""
    return check(Path(shutil.copytree(case.folder / kind, folder / kind)))


@each_case
def test_it_is_found_where_it_is(case: Case, tmp_path: Path, check: Check) -> None:
    findings = found(checked(case, "fires", tmp_path, check))
    caught = any(place in case.at and code in case.codes for place, code in findings)
    assert caught == (not case.missed), findings


@each_case
def test_the_same_without_it_is_clean(case: Case, tmp_path: Path, check: Check) -> None:
    report = checked(case, "clean", tmp_path, check)
    assert [str(one) for one in report.diagnostics if one.severity != INFO or one.code in case.codes] == []
    # Clean must mean looked at.
    assert report.summary["files"] > 0
    assert report.skipped == ()


def test_there_are_three_threads_of_each_of_sixteen_classes() -> None:
    classes = Counter(case.folder.parent.name for case in CASES)
    assert len(classes) == 16
    assert min(classes.values()) >= 3
    assert len({case.thread for case in CASES}) == len(CASES) >= 48
    assert sum(not case.missed for case in CASES) >= 46
    assert sum(bool(case.missed) for case in CASES) <= 2


@each_case
def test_it_says_what_it_is(case: Case) -> None:
    assert re.fullmatch(r"[\w.-]+/[\w.-]+#[0-9]+", case.thread)
    assert case.folder.name == case.thread.partition("/")[2].lower().replace("#", "-")
    assert 40 <= len(case.reported) <= 200
    assert case.codes
    assert {rule.code for rule in all_rules()}.issuperset(case.codes)
    assert {path.name for path in case.folder.iterdir()} == {"case.toml", "clean", "fires"}
    for place in case.at:
        path, _, line = place.rpartition(":")
        assert 0 < int(line) <= (case.folder / "fires" / path).read_text(encoding="utf-8").count("\n")
