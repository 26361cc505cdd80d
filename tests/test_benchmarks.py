"""Benchmarks are run by hand: what moves in the package must not break them unseen."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("[!_]*.py")))
def test_a_benchmark_finds_what_it_measures(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(FOLDER), *sys.path])
    assert callable(runpy.run_path(str(FOLDER / f"{name}.py"), run_name="imported")["main"])


TOOLS = '[{"name": "read file", "description": "Read a file and return its text.", "input_schema": {"type": "object"}}]'


@pytest.fixture
def compare() -> dict[str, Any]:
    return runpy.run_path(str(FOLDER / "compare_commits.py"), run_name="imported")


@pytest.fixture
def folder(tmp_path: Path) -> str:
    (tmp_path / "checked").mkdir()
    (tmp_path / "checked" / "tools.json").write_text(TOOLS, encoding="utf-8")
    return str(tmp_path / "checked")


@pytest.mark.slow
def test_a_commit_does_not_differ_from_itself(
    compare: dict[str, Any], folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    root = str(FOLDER.parent)
    assert compare["main"]([root, root, folder]) == 0
    assert "0 lost, 0 new" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ('"severity": "error"', '"severity": "warning"', "TOOL_NAME_INVALID"),
        ('"column": 12', '"column": 13', "TOOL_NAME_INVALID"),
        ('"code": "TOOL_NAME_INVALID"', '"code": "TOOL_NAME_BAD"', "TOOL_NAME_BAD"),
        ('"text": "read_file"', '"text": "readfile"', "TOOL_NAME_INVALID"),
        ('"open": false', '"open": true', "surface"),
        ("sys.exit(1)", "sys.exit(0)", "exit code"),
        ('"message": "bad name"', '"message": "a bad name"', ""),
    ],
)
def test_what_a_commit_reports_is_compared_and_not_how_it_reads(
    old: str,
    new: str,
    shown: str,
    compare: dict[str, Any],
    folder: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = f"import sys\nprint({REPORT!r})\nsys.exit(1)\n"
    assert old in text
    for name, program in (("one", text), ("two", text.replace(old, new))):
        package = tmp_path / name / "toolsurface_lint"
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        (package / "__main__.py").write_text(program, encoding="utf-8")
    assert compare["main"]([str(tmp_path / "one"), str(tmp_path / "two"), folder]) == bool(shown)
    assert shown in capsys.readouterr().out


REPORT = """{
  "surfaces": [{"name": "tools.json", "open": false, "open_reasons": [], "tools": [], "policies": [], "prompts": [],
    "templates": [], "references": []}],
  "diagnostics": [{
    "code": "TOOL_NAME_INVALID", "severity": "error", "message": "bad name", "path": "tools.json",
    "range": {"start": {"line": 1, "column": 12}, "end": {"line": 1, "column": 20}},
    "tool": "read file", "field": null, "surface": "tools.json", "related": [],
    "fix": {"title": "rename", "safe": false, "edits": [{"path": "tools.json", "text": "read_file",
      "range": {"start": {"line": 1, "column": 12}, "end": {"line": 1, "column": 20}}}]}
  }]
}"""


def test_a_reason_in_other_words_is_no_change_unless_its_names_change(compare: dict[str, Any]) -> None:
    def reasons(*texts: str) -> list[Any]:
        return [compare["Fact"]("open reason", f"surface {number}", text) for number, text in enumerate(texts)]

    old = reasons("a.py:3: `load` is no list", "b.py:8: `tools` is no list")
    reworded = compare["changes"](old, reasons("a.py:3: `load` is not a list", "b.py:8: `tools` is not a list"))
    assert not reworded.lost
    assert not reworded.new
    assert reworded.reworded == {"__ is no list": "__ is not a list"}
    for others in (
        reasons("a.py:3: `load` is not a list", "b.py:8: `other` is not a list"),
        reasons("a.py:3: `load` is not a list", "b.py:8: `tools` is no list"),
        reasons("a.py:3: `load` is not a list", "b.py:8: `tools` was not found"),
        reasons("a.py:3: `load` is not a list"),
    ):
        found = compare["changes"](old, others)
        assert found.lost


@pytest.mark.parametrize(
    ("verdict", "schema", "reasons", "code", "shown"),
    [
        ("invalid", '{"type": "object"}', {}, 0, "1 of 1 agree"),
        ("valid", '{"type": "object"}', {}, 1, "NOT EXPLAINED"),
        ("valid", '{"type": "object"}', {"openai_202602/valid/a": "why"}, 0, "    because\n"),
        ("invalid", "{", {}, 0, "1 of 1 agree"),
        ("invalid", '{"type": "object"}', {"openai_202602/invalid/a": "why"}, 1, "there is no difference"),
        ("invalid", '{"type": "object"}', {"openai_202602/valid/b": "why"}, 1, "there is no such case"),
        ("invalid", '{"type": "object"}', {"walle/valid/b": "why"}, 0, "1 of 1 agree"),
    ],
)
def test_each_difference_from_the_cases_of_others_is_explained(
    verdict: str,
    schema: str,
    reasons: dict[str, str],
    code: int,
    shown: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    benchmark = runpy.run_path(str(FOLDER / "provider_cases.py"), run_name="imported")
    explanations = tmp_path / "explanations.toml"
    rows = "".join(f'"{case}" = "{reason}"\n' for case, reason in reasons.items())
    explanations.write_text(f'[reasons]\nwhy = "because"\n[cases]\n{rows}', encoding="utf-8")
    monkeypatch.setitem(benchmark["main"].__globals__, "EXPLANATIONS", explanations)
    folder = tmp_path / "checkout" / "tests" / "openai_202602" / verdict
    folder.mkdir(parents=True)
    (folder / "a.json").write_text(schema, encoding="utf-8")
    assert benchmark["main"](["--jsonschemaprofiles", str(tmp_path / "checkout")]) == code
    assert shown in capsys.readouterr().out


def test_raw_outputs_fail_for_a_difference_that_is_not_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    benchmark = runpy.run_path(str(FOLDER / "raw_outputs.py"), run_name="imported")
    family = tmp_path / "qwen"
    family.mkdir()
    models = [{"repo": "Qwen/Qwen3-8B", "default_generation_prompt": "<|im_start|>assistant\n<think>\n"}]
    (family / "family.json").write_text(json.dumps({"reference_models": models}), encoding="utf-8")
    text = 'Hm.</think><tool_call>{"name": "read", "arguments": {"limit": 1}}</tool_call>'
    expected = {
        "tool_calls": [{"name": "read", "arguments": {"limit": 1.0}}],
        "content": None,
        "reasoning_content": "Hm.",
    }
    fixture = {"id": "qwen/a", "family": "qwen", "models": ["Qwen/Qwen3-8B"], "tools": [], "raw_output": text}
    (family / "a.jsonl").write_text(json.dumps({**fixture, "expected": expected}) + "\n", encoding="utf-8")
    assert benchmark["main"]([str(tmp_path)]) == 0
    assert "all: 1 of 1 agree" in capsys.readouterr().out
    (family / "a.jsonl").write_text(json.dumps({**fixture, "expected_error": {}}) + "\n", encoding="utf-8")
    assert benchmark["main"]([str(tmp_path)]) == 1
    assert "NOT EXPLAINED" in capsys.readouterr().out
