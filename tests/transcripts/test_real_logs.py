"""Published logs, where they lie beside the repository: every call and result is read, and nothing false is said."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from toolsurface_lint.api import check_paths
from toolsurface_lint.model.diagnostics import Report

LOGS = Path(__file__).resolve().parents[3] / "shared" / "inputs" / "transcripts"
pytestmark = pytest.mark.skipif(not LOGS.is_dir(), reason="the published logs are not there")


def check(folder: str) -> Report:
    return check_paths([str(LOGS / folder)], isolated=True)


def values(folder: str, *endings: str) -> Iterator[Any]:
    """Every value of every file, whether it holds one or one a line."""
    for path in sorted((LOGS / folder).rglob("*")):
        if path.suffix not in endings:
            continue
        text = path.read_text(encoding="utf-8")
        try:
            yield json.loads(text)
        except ValueError:
            yield from (json.loads(line) for line in text.split("\n") if line.strip())


def objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for member in value.values():
            yield from objects(member)
    elif isinstance(value, list):
        for item in value:
            yield from objects(item)


def codes(report: Report) -> Counter[str]:
    """The codes about transcripts and calls."""
    prefixes = ("TRANSCRIPT_", "CALL_", "INPUT_", "INTERNAL_")
    return Counter(diagnostic.code for diagnostic in report.diagnostics if diagnostic.code.startswith(prefixes))


def results(report: Report) -> int:
    return sum(summary.results for summary in report.transcripts)


def test_tau_bench_is_valid() -> None:
    report = check("tau-bench-airline-gpt4o")
    made = [item for value in values("tau-bench-airline-gpt4o", ".jsonl") for item in objects(value)]
    calls = sum(len(item["tool_calls"] or ()) for item in made if "tool_calls" in item)
    assert report.summary["transcripts"] == 50
    assert report.summary["calls"] == calls == 294
    assert results(report) == sum(item.get("role") == "tool" for item in made)
    assert codes(report) == {}


def test_tau_bench_calls_are_really_held_to_their_schemas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = LOGS / "tau-bench-airline-gpt4o"
    tools = json.loads((folder / "tools.json").read_text(encoding="utf-8"))
    for tool in tools:
        tool["function"]["parameters"]["properties"] = {}
        tool["function"]["parameters"]["additionalProperties"] = False
    (tmp_path / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
    (tmp_path / "runs.jsonl").write_bytes((folder / "trajectories.jsonl").read_bytes())
    monkeypatch.chdir(tmp_path)
    report = check_paths(["."], isolated=True)
    made = [item for value in values("tau-bench-airline-gpt4o", ".jsonl") for item in objects(value)]
    arguments = [call["function"]["arguments"] for item in made for call in item.get("tool_calls") or ()]
    assert codes(report) == {"CALL_INVALID_ARGUMENTS": sum(len(json.loads(text)) for text in arguments)}


def test_swe_agent() -> None:
    report = check("swe-agent")
    calls = answers = 0
    for value in values("swe-agent", ".traj"):
        for before, message in zip([{}, *value["history"]], value["history"], strict=False):
            functions = message.get("tool_calls") or ()
            calls += len(functions) or bool((message.get("action") or "").strip())
            text_action = bool((before.get("action") or "").strip()) and not before.get("tool_calls")
            answers += len(message.get("tool_call_ids") or ()) or (message["role"] == "user" and text_action)
    assert report.summary["calls"] == calls == 115
    assert results(report) == answers
    assert codes(report) == {}


@pytest.mark.parametrize("folder", ["claude-code-log/messages/claude-code", "claude-code-transcripts"])
def test_claude_code(folder: str) -> None:
    report = check(folder)
    kinds = Counter(item.get("type") for value in values(folder, ".json", ".jsonl") for item in objects(value))
    assert report.summary["calls"] == kinds["tool_use"] > 0
    assert results(report) == kinds["tool_result"] > 0
    assert codes(report) == {}


def test_claude_code_edge_cases() -> None:
    # Line 10 holds the result of the call in line 9 under a misspelt key, which no reader can know: the call is open.
    report = check("claude-code-log/test_data")
    (finding,) = (diagnostic for diagnostic in report.diagnostics if diagnostic.code.startswith("TRANSCRIPT_"))
    assert finding.location is not None
    assert (finding.code, finding.location.range.start.line) == ("TRANSCRIPT_UNANSWERED_CALL", 9)
    assert codes(report) == {"TRANSCRIPT_UNANSWERED_CALL": 1}


def test_codex() -> None:
    report = check("claude-code-log/messages/codex")
    kinds = Counter(
        item.get("type") for value in values("claude-code-log/messages/codex", ".json") for item in objects(value)
    )
    assert report.summary["calls"] == kinds["function_call"] + kinds["custom_tool_call"] > 0
    assert results(report) == kinds["function_call_output"] + kinds["custom_tool_call_output"] > 0
    assert codes(report) == {}


def test_gemini_answers() -> None:
    report = check("gemini-cli-responses")
    made = [item for value in values("gemini-cli-responses", ".responses") for item in objects(value)]
    assert report.summary["calls"] == sum("functionCall" in item for item in made) == 140
    assert codes(report) == {}


@pytest.mark.parametrize("folder", ["hermes", "llama.cpp-parser-cases", "harn-protocol-cases"])
def test_folders_without_recorded_conversations(folder: str, check: Callable[..., Report]) -> None:
    report = check(LOGS / folder)
    assert codes(report) == {}
    assert report.summary["calls"] == 0
