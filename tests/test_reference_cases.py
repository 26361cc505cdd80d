"""The reference's cases through the public API; they lie beside the repository and are skipped where they are not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolsurface_lint import glob_match, tool_surface_validate, workflow_validate

CASES = Path(__file__).resolve().parents[2] / "shared" / "facts" / "harn-cases.json"

# The cases that the design changes on purpose (its section on differences from the reference), each with the reason.
CHANGED = {
    "PROMPT-001": "`foo_bar (x)`: white space before the parenthesis and no argument-like text is prose",
    "PROMPT-034": "a tilde fence is a fence in CommonMark",
    "PROMPT-035": "a one-line span of three backticks opens no fence in CommonMark",
    "SURF-034": "a policy of the wrong shape is reported and the rest of it used",
}


def cases(*areas: str) -> list[Any]:
    if not CASES.is_file():
        return []
    found = [case for case in json.loads(CASES.read_text(encoding="utf-8")) if case["area"] in areas]
    return [pytest.param(case, id=case["id"]) for case in found]


def seen(report: Any, *, scoped: bool = False) -> list[dict[str, Any]]:
    rows = []
    for diagnostic in report.diagnostics:
        row = {"code": diagnostic.code, "severity": diagnostic.severity}
        if diagnostic.tool is not None:
            row["tool"] = diagnostic.tool
        if diagnostic.field is not None:
            row["field"] = diagnostic.field
        if scoped:
            row["scope"] = diagnostic.scope
        rows.append(row)
    return rows


@pytest.mark.parametrize("case", cases("tool_surface", "prompt_scan"))
def test_surface_case(case: dict[str, Any]) -> None:
    if case["id"] in CHANGED:
        pytest.skip(CHANGED[case["id"]])
    report = tool_surface_validate(case["input"]["surface"], case["input"].get("options"))
    assert seen(report) == case["expected"]["diagnostics"]
    assert [diagnostic.code for diagnostic in report.diagnostics] == case["expected"]["codes"]
    assert report.valid == case["expected"]["valid"]


@pytest.mark.parametrize("case", cases("workflow"))
def test_workflow_case(case: dict[str, Any]) -> None:
    report = workflow_validate(case["input"]["graph"], case["input"].get("ceiling"))
    assert seen(report, scoped=True) == case["expected"]["diagnostics"]
    errors = [diagnostic for diagnostic in report.diagnostics if diagnostic.severity == "error"]
    assert len(errors) == case["expected"]["surface_errors"]


@pytest.mark.parametrize("case", cases("glob"))
def test_glob_case(case: dict[str, Any]) -> None:
    assert glob_match(case["input"]["pattern"], case["input"]["name"]) == case["expected"]["match"]
