"""Transcripts in figures: the table, the account in JSON, the progress bar."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolsurface_lint.cli import progress
from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.reporters import render

TOOL = {
    "name": "run_tests",
    "description": "Runs the tests.",
    "input_schema": {"type": "object", "properties": {"path": {"type": "string", "description": "Where."}}},
}


def conversation(path: Any, content: str, failed: bool) -> str:
    use = {"type": "tool_use", "id": "t1", "name": "run_tests", "input": {"path": path}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": content, "is_error": failed}
    messages = [
        {"role": "user", "content": "Run them."},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": "Done."},
    ]
    return json.dumps({"messages": messages}) + "\n"


@pytest.fixture
def report(tmp_path: Path, check: Callable[..., Report]) -> Report:
    (tmp_path / "tools.json").write_text(json.dumps([TOOL]), encoding="utf-8")
    (tmp_path / "a.jsonl").write_text(
        conversation("a", "ok", False) * 2 + conversation(1, "ok", False) + conversation("b", "no such file", True),
        encoding="utf-8",
    )
    (tmp_path / "b.jsonl").write_text(conversation("a", "ok", False), encoding="utf-8")
    return check(tmp_path)


def test_the_tables(report: Report) -> None:
    assert render("stats", report) == (
        "file     conversations  clean  with findings  turns  calls  results  duplicate ids  findings\n"
        "a.jsonl              4      3              1     16      4        4              0         1\n"
        "b.jsonl              1      1              0      4      1        1              0         0\n"
        "all                  5      4              1     20      5        5              0         1\n"
        "\n"
        "tool       calls  failed   share\n"
        "run_tests      5       1  20.0 %\n"
        "\n"
        "code                    findings  files\n"
        "CALL_INVALID_ARGUMENTS         1      1\n"
        "\n"
        "Found 1 error. Checked 1 surface: 1 tool, 5 transcripts (20 turns, 5 calls) in 3 files.\n"
    )


def test_the_account_in_json(report: Report) -> None:
    written = json.loads(render("json", report))
    assert written["summary"]["transcripts"] == 5
    assert (written["summary"]["turns"], written["summary"]["calls"]) == (20, 5)
    assert written["transcripts"][0] == {
        "path": "a.jsonl",
        "conversations": 4,
        "clean": 3,
        "turns": 16,
        "calls": 4,
        "results": 4,
        "duplicate_ids": 0,
        "undeclared": 0,
        "findings": {"CALL_INVALID_ARGUMENTS": 1},
        "tools": {"run_tests": {"calls": 4, "failures": 1}},
        "protocols": {},
        "schemas": {},
    }


def test_duplicate_ids_are_counted_whatever_rules_are_enabled(tmp_path: Path, check: Callable[..., Report]) -> None:
    use = [{"type": "tool_use", "id": "t1", "name": "run_tests", "input": {"path": path}} for path in ("a", "b", "c")]
    results = [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"} for _ in use]
    messages = [
        {"role": "user", "content": "Run them."},
        {"role": "assistant", "content": use},
        {"role": "user", "content": results},
        {"role": "assistant", "content": "Done."},
    ]
    (tmp_path / "a.jsonl").write_text(json.dumps({"messages": messages}) + "\n" + conversation("a", "ok", False))
    report = check(tmp_path, ignore=["TRANSCRIPT"])
    assert not report.diagnostics
    assert [(summary.calls, summary.duplicate_ids) for summary in report.transcripts] == [(4, 2)]
    row = render("stats", report).splitlines()[1]
    assert row.split() == ["a.jsonl", "2", "2", "0", "8", "4", "4", "2", "0"]


def test_what_the_settings_call_a_failure_is_counted_as_one(tmp_path: Path, check: Callable[..., Report]) -> None:
    (tmp_path / "toolsurface.toml").write_text(
        'call-rules = [{tool = "run_tests", failure-when = ["*FAILED*", {pointer = "/results/0/ok", value = false}]}]'
    )
    texts = ("ok", "2 FAILED, 1 passed", '{"results": [{"ok": false}]}', '{"results": [{"ok": 0}]}', '{"results": []}')
    (tmp_path / "a.jsonl").write_text("".join(conversation("a", text, False) for text in texts))
    assert check(tmp_path).transcripts[0].tools == {"run_tests": (5, 2)}


def test_without_transcripts_there_is_only_the_closing_line(tmp_path: Path, check: Callable[..., Report]) -> None:
    (tmp_path / "tools.json").write_text(json.dumps([TOOL]), encoding="utf-8")
    report = check(tmp_path)
    assert render("stats", report) == "No problems found. Checked 1 surface: 1 tool in 1 file.\n"
    assert "transcripts" not in report.to_dict()


def test_the_bar_waits_then_draws_then_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    stream = io.StringIO()
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(sys, "stderr", stream)
    bar = progress.Progress()
    bar(10_000_000, 100_000_000)
    bar.clear()
    assert stream.getvalue() == ""
    now[0] = 2.0
    bar(50_000_000, 100_000_000)
    bar.clear()
    assert stream.getvalue() == f"\r[{'#' * 15}{'.' * 15}]  50 %  50 of 100 MB\r\x1b[K"
