"""The GitHub action and its problem matcher: their shape, and the script of the action as it runs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from toolsurface_lint.reporters import render

REPOSITORY = Path(__file__).resolve().parents[1]
MULTITOOL = os.environ.get("TOOLSURFACE_LINT_MULTITOOL")
MATCHERS = REPOSITORY / "problem-matcher.json"


def action() -> dict[str, Any]:
    return yaml.safe_load((REPOSITORY / "action.yml").read_text(encoding="utf-8"))


def step(name: str) -> dict[str, Any]:
    return next(step for step in action()["runs"]["steps"] if step.get("name") == name)


def test_every_input_is_described_and_used_and_none_is_pasted_into_a_script() -> None:
    value = action()
    assert value["runs"]["using"] == "composite"
    steps = value["runs"]["steps"]
    used = set(re.findall(r"inputs\.([\w-]+)", json.dumps(steps)))
    assert used == set(value["inputs"])
    assert all(entry["description"].endswith(".") for entry in [*value["inputs"].values(), *value["outputs"].values()])
    for one in steps:
        assert ("run" in one) != ("uses" in one)
        assert "${{" not in one.get("run", "")
        assert "run" not in one or one["shell"] == "bash"


@pytest.fixture
def runner(tmp_path: Path):
    """Runs the checking step in a folder with one tool, as a runner would."""
    project, temporary, programs = (tmp_path / name for name in ("project", "temp", "bin"))
    for folder in (project, temporary, programs):
        folder.mkdir()
    (project / "tools.json").write_text(
        '{"tools": [{"name": "read_file", "description": "Read a file.", "executor": "harn"}]}\n', encoding="utf-8"
    )
    program = programs / "toolsurface-lint"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m toolsurface_lint "$@"\n', encoding="utf-8")
    program.chmod(0o755)

    def run(**variables: str) -> tuple[subprocess.CompletedProcess[str], dict[str, str], str]:
        files = {name: tmp_path / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for file in files.values():
            file.write_text("", encoding="utf-8")
        environment = {
            **{name: str(file) for name, file in files.items()},
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(REPOSITORY),
            "RUNNER_TEMP": str(temporary),
            "SOURCE": str(REPOSITORY),
            "PATHS": ".",
            "ARGS": "",
            "CATEGORY": "",
            **variables,
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step("Check")["run"]],
            cwd=project, env=environment, capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        outputs = dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text(encoding="utf-8").splitlines())
        return done, outputs, files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")

    return run


def test_findings_are_written_shown_and_summed_up(runner, tmp_path) -> None:
    done, outputs, summary = runner(ARGS="--fail-on\nwarning", CATEGORY="agents")
    assert (done.returncode, outputs["exit-code"]) == (0, "1")
    log = json.loads(Path(outputs["sarif"]).read_text(encoding="utf-8"))
    assert log["runs"][0]["automationDetails"] == {"id": "agents/"}
    codes = [result["ruleId"] for result in log["runs"][0]["results"]]
    assert "TOOL_SURFACE_MISSING_SCHEMA" in codes
    assert all(f"[{code}]" in done.stdout for code in codes)
    assert summary.startswith("### toolsurface-lint: ")


@pytest.mark.skipif(MULTITOOL is None, reason="TOOLSURFACE_LINT_MULTITOOL does not name the SARIF Multitool")
@pytest.mark.parametrize("surface", ["clean", "release-bot", "support-desk", "coder", "two-servers"])
def test_what_is_uploaded_keeps_the_rules_of_github(runner, tmp_path: Path, surface: str) -> None:
    if surface == "clean":
        _, outputs, _ = runner(ARGS="--select\nTOOL_NAME_INVALID")
    else:
        shutil.copytree(REPOSITORY / "fixtures/surfaces" / surface, tmp_path / "project", dirs_exist_ok=True)
        _, outputs, _ = runner(CATEGORY=surface)
    checked = tmp_path / "checked.sarif"
    arguments = ["--rule-kind", "Ghas", "--level", "Error;Warning;Note", "--kind", "Fail", "--log", "ForceOverwrite"]
    subprocess.run(
        [MULTITOOL, "validate", outputs["sarif"], "--output", str(checked), *arguments],
        check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    (run,) = json.loads(checked.read_text(encoding="utf-8-sig"))["runs"]
    assert run["invocations"][0]["executionSuccessful"]
    assert [(result["ruleId"], result["message"]) for result in run["results"]] == []
    results = json.loads(Path(outputs["sarif"]).read_text(encoding="utf-8"))["runs"][0]["results"]
    assert bool(results) == (surface != "clean")


def test_paths_stand_on_lines_of_their_own(runner, tmp_path) -> None:
    (tmp_path / "project/two words").mkdir()
    (tmp_path / "project/two words/tools.json").write_text('{"tools": [1', encoding="utf-8")
    done, outputs, _ = runner(PATHS="two words\n")
    assert outputs["exit-code"] == "1"
    assert "two words/tools.json:1:" in done.stdout
    assert "read_file" not in done.stdout


def test_wrong_usage_fails_at_once(runner) -> None:
    done, outputs, summary = runner(PATHS="nothing; echo x")
    assert (done.returncode, outputs["exit-code"], summary) == (2, "2", "")
    assert "nothing; echo x: no such file or folder" in done.stderr


def test_the_matchers_read_the_concise_output(tmp_path: Path) -> None:
    from toolsurface_lint.diagnostics import Diagnostic, Location, Report
    from toolsurface_lint.source.text import Position, Range, Span

    place = Location("a b/c:1.md", Range(Position(3, 5), Position(3, 6)), Span(0, 1))
    report = Report(
        tuple(Diagnostic("SOME_CODE", severity, "a: b [c]", place) for severity in ("error", "warning", "info"))
    )
    lines = render("concise", report).splitlines()
    matchers = json.loads(MATCHERS.read_text(encoding="utf-8"))["problemMatcher"]
    found = []
    for matcher in matchers:
        (pattern,) = matcher["pattern"]
        for line in lines:
            match = re.search(pattern["regexp"], line)
            if match:
                severity = match[pattern["severity"]] if "severity" in pattern else matcher["severity"]
                fields = [match[pattern[name]] for name in ("file", "line", "column", "code", "message")]
                found.append((severity, *fields))
    rest = ("a b/c:1.md", "3", "5", "SOME_CODE", "a: b [c]")
    assert found == [("error", *rest), ("warning", *rest), ("notice", *rest)]


def test_the_action_removes_the_matchers_that_it_adds() -> None:
    owners = [matcher["owner"] for matcher in json.loads(MATCHERS.read_text(encoding="utf-8"))["problemMatcher"]]
    removed = re.findall(r"::remove-matcher owner=([\w-]+)::", step("Check")["run"])
    assert removed == owners
