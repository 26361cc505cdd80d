"""Every pair in `fixtures/changes`: two versions of a surface, and exactly what is reported, with what breaks by the change.

Each folder has `old`, `new` and `expect.txt`: one line a finding, `path:line:col-line:col severity[CODE] message`, below it a
line for each related place, and what was not compared in the end. `python -m tests.regenerate` writes it.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.regenerate import UPDATE
from toolsurface_lint.api import compare_paths
from toolsurface_lint.checks import all_rules
from toolsurface_lint.model.diagnostics import Location, Report
from toolsurface_lint.project.settings.selection import of_changes

CHANGES = Path(__file__).resolve().parents[1] / "fixtures" / "changes"
CASES = sorted(folder for folder in CHANGES.iterdir() if folder.is_dir())
CODES = sorted(rule.code for rule in all_rules() if of_changes(rule.code))


def lines(report: Report) -> Iterator[str]:
    for diagnostic in report.diagnostics:
        yield f"{at(diagnostic.location)} {diagnostic.severity}[{diagnostic.code}] {diagnostic.message}"
        for related in diagnostic.related:
            yield f"  {at(related.location)} {related.message}"
    assert report.compared is not None
    for unseen in report.compared.undecided:
        yield f"not compared: {unseen}"


def at(location: Location | None) -> str:
    if location is None:
        return "nowhere"
    (line, column), (end_line, end_column) = location.range
    return f"{location.path}:{line}:{column}-{end_line}:{end_column}"


@pytest.mark.generated
@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_a_change(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(folder, tmp_path / "case", ignore=shutil.ignore_patterns("expect.txt"))
    monkeypatch.chdir(tmp_path / "case")
    report = compare_paths("old", "new", isolated=True, extend_select=["CHANGE_TOOL_ADDED"])
    actual = "".join(f"{line}\n" for line in lines(report))
    expected = folder / "expect.txt"
    if UPDATE:
        expected.write_text(actual, encoding="utf-8", newline="")
    assert actual == expected.read_text(encoding="utf-8")
    assert report.compared is not None
    assert report.compared.old_tools > 0 < report.compared.new_tools
    if folder.name.startswith("silent-"):
        assert report.diagnostics == ()
    else:
        # One change each; a recorded call is named where it breaks, too.
        codes = {diagnostic.code for diagnostic in report.diagnostics} - {"CHANGE_BREAKS_RECORDED_CALL"}
        assert len(codes) == 1


def test_every_rule_has_a_pair() -> None:
    assert len(CASES) >= 30
    found = {
        code
        for folder in CASES
        for code in re.findall(r"^\S+ \w+\[([A-Z_]+)\]", (folder / "expect.txt").read_text(encoding="utf-8"), re.M)
    }
    assert found == set(CODES)
