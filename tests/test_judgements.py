"""Findings on whole repositories are compared with judgements by place and code; what nobody judged is written for a reader."""

from __future__ import annotations

import json
import os
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.skipif(not hasattr(os, "wait4"), reason="needs the resources that a child used")

TOOLS = """[
  {"name": "read note", "description": "Reads a note and returns its text.", "input_schema": {"type": "object"}},
  {"name": "send_note", "description": "Sends a note to a person.", "input_schema": {"type": "objct"}},
  {"name": "list_notes", "input_schema": {"type": "object"}}
]
"""
NAME, TYPE, MISSING = "TOOL_NAME_INVALID", "TOOL_SCHEMA_INVALID", "TOOL_DESCRIPTION_MISSING"

CHECK = """import json, pathlib, sys
assert sys.argv[1:] == ["check", ".", "--output", "json"]
report = pathlib.Path("report.json").read_text()
print(report)
sys.exit("the linter broke" if not report else 1 if '"error"' in report else 0)
"""


@pytest.fixture
def judgements(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return runpy.run_path(str(ROOT / "benchmarks" / "judgements.py"), run_name="imported")


@pytest.fixture
def linter(tmp_path: Path) -> Path:
    """A linter that reports what the file `report.json` of the repository says."""
    package = tmp_path / "linter" / "toolsurface_lint"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(CHECK, encoding="utf-8")
    return package.parent


def row(code: str, line: int | None, verdict: str, **other: Any) -> dict[str, Any]:
    facts = {
        "repository": "person/notes", "path": "tools.json", "line": line, "column": 1, "code": code, "severity": "error",
        "message": "said in other words", "run": "default", "verdict": verdict, "why": f"why {code}",
    }  # fmt: skip
    return {**facts, **other}


def diagnostic(code: str, line: int | None, column: int = 1, severity: str = "error") -> dict[str, Any]:
    start = {"line": line, "column": column}
    range_ = None if line is None else {"start": start, "end": start}
    return {"code": code, "severity": severity, "message": "as it reads now", "path": "tools.json", "range": range_}


def write_rows(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(each) + "\n" for each in rows), encoding="utf-8")
    return str(path)


def read_rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def repository(folder: Path, name: str, diagnostics: list[dict[str, Any]] | None) -> Path:
    """A checkout and what the linter of the fixture reports about it; None is a linter that breaks."""
    root = folder / name
    root.mkdir(parents=True)
    (root / "tools.json").write_text(TOOLS, encoding="utf-8")
    report = "" if diagnostics is None else json.dumps({"diagnostics": diagnostics})
    (root / "report.json").write_text(report, encoding="utf-8")
    return folder


def numbers(output: str, title: str, line: str) -> list[str]:
    """The cells of a line of the table under a title."""
    table = output[output.index(title) :].split("\n\n")[0]
    found = re.search(rf"^{re.escape(line)}  +(.*)$", table, re.M)
    assert found, table
    return found[1].split()


def section(output: str, title: str) -> list[str]:
    return output[output.index(f"\n{title}: ") + 1 :].split("\n\n")[0].splitlines()


def test_what_the_linter_reports_on_a_repository_is_compared_with_judgements(
    judgements: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "checkouts" / "person+notes"
    folder.mkdir(parents=True)
    (folder / "tools.json").write_text(TOOLS, encoding="utf-8")
    judged = write_rows(
        tmp_path / "judged.jsonl",
        [
            row(NAME, 2, "true", severity="info"),
            row(NAME, 3, "true"),
            row(TYPE, 4, "false"),
        ],
    )
    new = tmp_path / "new.jsonl"
    assert judgements["main"]([str(tmp_path / "checkouts"), judged, "--new", str(new)]) == 0
    output = capsys.readouterr().out
    assert numbers(output, "run: default", NAME) == ["1", "1", "0", "0", "0", "0", "0"]
    assert section(output, "true and gone") == [
        "true and gone: 1",
        f"  person/notes tools.json:3 {NAME} error: why {NAME}",
    ]
    assert section(output, "true with another severity") == [
        "true with another severity: 1",
        f"  person/notes tools.json:2 {NAME} info: now error",
    ]
    assert "repositories with exit code 1: 1, of these 1 with an error that was judged true" in output
    written = read_rows(new)
    assert {(each["line"], each["code"]) for each in written} >= {(3, TYPE), (4, MISSING)}
    assert all(each["verdict"] == "" and each["run"] == "default" for each in written)

    assert judgements["main"]([str(folder.parent), judged, str(new), "--new", str(new)]) == 0
    assert read_rows(new) == written
    capsys.readouterr()

    rest = [{**each, "verdict": "arguable"} for each in written]
    assert judgements["main"]([str(folder.parent), judged, write_rows(new, rest), "--new", str(new)]) == 0
    assert new.read_text(encoding="utf-8") == ""
    assert numbers(capsys.readouterr().out, "run: default", "all")[2:4] == [str(len(written)), "0"]


def test_each_verdict_is_counted_by_code_run_and_severity(
    judgements: dict[str, Any], linter: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = [
        diagnostic("A", 1),
        diagnostic("A", 2),
        diagnostic("A", 3, severity="warning"),
        diagnostic("B", 1, severity="warning"),
        diagnostic("B", None, severity="warning"),
    ]
    checkouts = repository(tmp_path / "checkouts", "person+notes", found)
    judged = write_rows(
        tmp_path / "judged.jsonl",
        [
            row("A", 1, "true"),
            row("A", 2, "false"),
            row("A", 4, "false"),
            row("A", 3, "arguable", run="python 3.12"),
            row("A", 5, "true", run="python 3.12"),
            row("B", None, "true", column=None, severity="warning"),
        ],
    )
    assert judgements["main"]([str(checkouts), judged, "--linter", str(linter)]) == 0
    output = capsys.readouterr().out
    assert numbers(output, "run: default", "A") == ["1", "0", "0", "0", "1", "1", "0"]
    assert numbers(output, "run: default", "B") == ["1", "0", "0", "0", "0", "0", "1"]
    assert numbers(output, "run: default", "all") == ["2", "0", "0", "0", "1", "1", "1"]
    assert numbers(output, "run: python 3.12", "all") == ["0", "1", "1", "0", "0", "0", "0"]
    assert numbers(output, "severity", "error") == ["2", "2", "1", "0", "1", "50.0", "50.0"]
    assert numbers(output, "severity", "warning") == ["3", "2", "1", "1", "0", "50.0", "100.0"]
    assert numbers(output, "severity", "info") == ["0", "0", "0", "0", "0", "-", "-"]
    assert section(output, "false and still reported")[1:] == ["  person/notes tools.json:2 A error: why A"]
    assert section(output, "true with another severity") == ["true with another severity: 0"]


def test_of_several_on_a_line_the_column_decides_and_a_default_run_comes_first(judgements: dict[str, Any]) -> None:
    make = judgements["Row"]
    places = [make(**row("A", 1, "", column=column)) for column in (5, 9, 20)]
    other = make(**row("A", 1, "true", run="python 3.12", column=30))
    wrong, right, moved = (make(**row("A", 1, verdict, column=c)) for verdict, c in zip(
        ("false", "true", "arguable"), (9, 5, 7), strict=True
    ))  # fmt: skip
    result = judgements["match"]([other, wrong, right, moved], places)
    assert {judged: finding.column for judged, finding in result.kept} == {wrong: 9, right: 5, moved: 20}
    assert result.gone == [other]
    assert result.new == []
    result = judgements["match"]([wrong], places)
    assert [finding.column for finding in result.new] == [5, 20]


def test_what_could_not_be_measured_is_counted_apart(
    judgements: dict[str, Any], linter: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    checkouts = repository(tmp_path / "checkouts", "person+notes", [])
    repository(checkouts, "person+broken", None)
    repository(checkouts, "person+new", [diagnostic("A", 1)])
    judged = write_rows(
        tmp_path / "judged.jsonl",
        [
            row("A", 1, "true", repository="person/absent"),
            row("A", 1, "true", repository="person/broken"),
            row("A", 1, "true", path="gone.json"),
            row("A", 1, "true"),
        ],
    )
    assert judgements["main"]([str(checkouts), judged, "--linter", str(linter)]) == 0
    output = capsys.readouterr().out
    assert re.search(r"^person/absent +no checkout; judgements not measured: 1$", output, re.M)
    assert re.search(
        r"^person/broken +exit code 1 and no report after \d s \(the linter broke\); judgements not measured: 1$",
        output,
        re.M,
    )
    assert re.search(r"^person/notes .* 0   files missing; judgements not measured: 1$", output, re.M)
    assert "repositories with exit code 1: 1, of these 0 with an error that was judged true" in output
    assert numbers(output, "run: default", "A") == ["0", "1", "0", "0", "0", "0", "1"]
    assert section(output, "not measured") == [
        "not measured: 3",
        "  person/absent tools.json:1 A error",
        "  person/broken tools.json:1 A error",
        "  person/notes gone.json:1 A error",
    ]
    assert judgements["main"]([str(checkouts), judged, "--linter", str(linter), "--only", "/new"]) == 0
    assert "person/notes" not in capsys.readouterr().out


def test_a_linter_that_does_not_end_is_stopped(
    judgements: dict[str, Any], linter: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (linter / "toolsurface_lint" / "__main__.py").write_text("import time\ntime.sleep(60)\n", encoding="utf-8")
    checkouts = repository(tmp_path / "checkouts", "person+notes", [])
    judgements["main"].__globals__["TIMEOUT"] = 0.2
    judged = write_rows(tmp_path / "judged.jsonl", [row("A", 1, "true")])
    assert judgements["main"]([str(checkouts), judged, "--linter", str(linter)]) == 0
    assert "exit code -9 and no report after 0 s" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "Expecting property name"),
        ("[]", "not a judgement"),
        ('{"path": "tools.json"}', "missing"),
        (json.dumps({**row("A", 1, "true"), "more": 1}), "more"),
        (json.dumps(row("A", 1, "maybe")), "the verdict is `maybe`, not one of true, arguable, false"),
    ],
)
def test_a_line_that_is_not_a_judgement_is_refused_with_its_place(
    text: str, problem: str, judgements: dict[str, Any], tmp_path: Path
) -> None:
    file = tmp_path / "judged.jsonl"
    file.write_text(f"{json.dumps(row('A', 1, 'true'))}\n\n{text}\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=f"judged.jsonl:3: .*{re.escape(problem)}"):
        judgements["read_rows"](file)


def test_rows_are_read_as_they_were_written(judgements: dict[str, Any], tmp_path: Path) -> None:
    facts = row("A", 1, "true", path="n\udcff.json", message="a\u2028b", why="Größe")
    written = [judgements["Row"](**facts)]
    judgements["write_rows"](tmp_path / "rows.jsonl", written)
    assert judgements["read_rows"](tmp_path / "rows.jsonl") == written
    raw = json.dumps({**facts, "path": "n.json"}, ensure_ascii=False)
    (tmp_path / "raw.jsonl").write_text(raw, encoding="utf-8")
    assert judgements["read_rows"](tmp_path / "raw.jsonl") == [written[0]._replace(path="n.json")]


def test_what_lies_beside_the_script_is_judged_with_reasons(judgements: dict[str, Any]) -> None:
    rows = judgements["read_rows"](ROOT / "benchmarks" / "judged.jsonl")
    assert rows
    assert [each for each in rows if not (each.verdict and each.why)] == []
