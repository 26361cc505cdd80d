"""Every case in `fixtures/rules` and `fixtures/surfaces`: its folder is checked, and gives exactly what is expected.

A rule's case is checked by that rule alone, a surface by all of them. The expectation is `expect.txt` inside the folder of a
rule's case, and lies beside the folder of a surface, which people run by hand. It has one line a diagnostic,
`path:line:col-line:col severity[CODE] message`; an empty file means clean. `python -m tests.regenerate`
writes it.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.regenerate import UPDATE
from toolsurface_lint.checks import HARN_CODES, all_rules
from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.project.settings.selection import of_changes

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
RULES = {rule.code: rule for rule in all_rules() if not of_changes(rule.code)}
"""Those about what changed have their cases in `fixtures/changes`: tests/test_changes.py."""
CASES = sorted(folder for folder in (FIXTURES / "rules").glob("*/*") if folder.is_dir())
SURFACES = sorted(folder for folder in (FIXTURES / "surfaces").iterdir() if folder.is_dir())

WITHOUT_CASES = {
    "INTERNAL_ERROR": "no input leads to it on purpose: tests/test_rules.py",
    **{code: "only a dataset shows it: tests/dataset" for code in RULES if code.startswith("DATASET_")},
    "WORKFLOW_CEILING_EXCEEDED": "only the API has a ceiling: tests/test_rules.py",
}


def name_of(folder: Path) -> str:
    return folder.relative_to(FIXTURES).as_posix()


def expectation(folder: Path) -> Path:
    inside = folder.is_relative_to(FIXTURES / "rules")
    return folder / "expect.txt" if inside else folder.with_name(f"{folder.name}.expect.txt")


def checked_copy(folder: Path, copy: Path, check: Callable[..., Report]) -> Report:
    """Away from the repository, whose git and settings would have a say."""
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("expect.txt"))
    return check(copy, select=enabled(folder))


def enabled(folder: Path) -> list[str] | None:
    if folder in SURFACES:
        return None
    code = folder.parent.name
    # A suppression is of use only where there is something to hide.
    return [*HARN_CODES, "POLICY", "SUPPRESSION"] if code.startswith("SUPPRESSION_") else [code]


@pytest.mark.generated
@pytest.mark.parametrize("folder", [*CASES, *SURFACES], ids=name_of)
def test_case(
    folder: Path, tmp_path: Path, check: Callable[..., Report], full_lines: Callable[[Report], list[str]]
) -> None:
    report = checked_copy(folder, tmp_path / "case", check)
    actual = "".join(f"{line}\n" for line in full_lines(report))
    expected = expectation(folder)
    if UPDATE:
        expected.write_text(actual, encoding="utf-8", newline="")
    assert actual == expected.read_text(encoding="utf-8")
    # Clean must mean looked at.
    assert report.summary["files"] > 0
    if folder in CASES:
        kind = folder.name.split("-")[0]
        assert kind in ("fires", "silent")
        assert (f"[{folder.parent.name}]" in actual) == (kind == "fires")


def test_every_rule_has_a_firing_and_a_silent_case() -> None:
    kinds: dict[str, set[str]] = {code: set() for code in RULES}
    for folder in CASES:
        kinds[folder.parent.name].add(folder.name.split("-")[0])
    assert {code for code, found in kinds.items() if found != {"fires", "silent"}} == set(WITHOUT_CASES)


def test_cases_and_expectations_name_only_codes_that_exist() -> None:
    assert {folder.parent.name for folder in CASES} <= set(RULES)
    named = set()
    for expected in FIXTURES.glob("*/**/*expect.txt"):
        named.update(re.findall(r"^\S+ \w+\[([A-Z_]+)\]", expected.read_text(encoding="utf-8"), re.MULTILINE))
    assert named <= {rule.code for rule in all_rules()}
