"""The GitHub action and its problem matcher: their shape, and the script of the action as it runs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from toolsurface_lint.reporters import render

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).resolve().parents[1]
MULTITOOL = os.environ.get("TOOLSURFACE_LINT_MULTITOOL")
MATCHERS = REPOSITORY / "problem-matcher.json"


def action() -> dict[str, Any]:
    return yaml.safe_load((REPOSITORY / "action.yml").read_text(encoding="utf-8"))


def step(name: str) -> dict[str, Any]:
    return next(step for step in action()["runs"]["steps"] if step.get("name") == name)


def run_script(name: str, folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run the script of a step as a runner does."""
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step(name)["run"]],
        cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


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
    python = programs / "python"
    # The package lies in no environment here: an isolated Python would not find it.
    python.write_text(
        f'#!/bin/sh\n[ "$1" = -I ] || exit 99\nshift\nPYTHONPATH="{REPOSITORY}" exec "{sys.executable}" -P "$@"\n',
        encoding="utf-8",
    )
    python.chmod(0o755)

    def run(**variables: str) -> tuple[subprocess.CompletedProcess[str], dict[str, str], str]:
        files = {name: tmp_path / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for file in files.values():
            file.write_text("", encoding="utf-8")
        environment = {
            **{name: str(file) for name, file in files.items()},
            "PATH": os.environ["PATH"],
            "PYTHON": str(programs / "python"),
            "RUNNER_TEMP": str(temporary),
            "SOURCE": str(REPOSITORY),
            "PATHS": ".",
            "ARGS": "",
            "CATEGORY": "",
            **variables,
        }
        done = run_script("Check", project, environment)
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


@pytest.mark.skipif(MULTITOOL is None, reason="the SARIF Multitool is not installed (TOOLSURFACE_LINT_MULTITOOL)")
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
    assert "nothing; echo x: no such file or folder" in done.stdout


def test_the_report_of_an_earlier_step_is_not_taken_for_this_ones(runner) -> None:
    runner()
    done, outputs, summary = runner(PATHS="nothing")
    assert (done.returncode, outputs["exit-code"], summary) == (2, "2", "")
    assert not Path(outputs["sarif"]).exists()


def test_what_is_checked_gives_the_runner_no_command(runner, tmp_path: Path) -> None:
    """Neither by what it prints, nor by the commands being read at all; matchers read it still."""
    project = tmp_path / "project"
    (project / "tools.json").rename(project / "::add-mask::e.json")
    (project / "named.json").write_text(
        json.dumps({"tools": [{"name": "##[add-mask]x", "description": "d", "inputSchema": {"type": "objct"}}]}),
        encoding="utf-8",
    )
    (project / "a\n::set-output name=x::y.json").write_text("{", encoding="utf-8")
    done, _, summary = runner()
    lines = done.stdout.splitlines()
    stop = next(number for number, line in enumerate(lines) if line.startswith("::stop-commands::"))
    token = lines[stop].removeprefix("::stop-commands::")
    resume = lines.index(f"::{token}::")
    assert re.fullmatch("[0-9a-f]{32}", token)
    assert lines[:stop] == [f"::add-matcher::{REPOSITORY}/problem-matcher.json"]
    assert all(line.startswith("::remove-matcher owner=") for line in lines[resume + 1 :])
    shown = lines[stop + 1 : resume]
    assert len(shown) > 3
    assert not any(line.lstrip().startswith("::") or "##[" in line for line in shown)
    assert any(line.startswith("\\x3a:add-mask::e.json:1:") for line in shown)
    assert done.stderr == ""
    assert "##[" not in summary
    again, _, _ = runner()
    assert token not in again.stdout


SCANNING = "Ask whether code scanning takes an upload"
FORK = "a pull request from a fork may not write there"
DISABLED = "it is not enabled in this repository"
OWN = {"GITHUB_EVENT_NAME": "pull_request", "HEAD": "octo/agents", "PRIVATE": "false"}
PRIVATE = {"GITHUB_EVENT_NAME": "push", "PRIVATE": "true"}


@pytest.mark.parametrize(
    ("variables", "answer", "reason"),
    [
        ({"GITHUB_EVENT_NAME": "push", "PRIVATE": "false"}, None, None),
        (OWN, None, None),
        ({**OWN, "HEAD": "someone/agents"}, None, FORK),
        ({**OWN, "HEAD": ""}, None, FORK),
        ({**OWN, "HEAD": "someone/agents", "PRIVATE": "true"}, None, FORK),
        ({**OWN, "GITHUB_EVENT_NAME": "pull_request_review", "HEAD": "someone/agents"}, None, FORK),
        # Its token can write.
        ({**OWN, "GITHUB_EVENT_NAME": "pull_request_target", "HEAD": "someone/agents"}, None, None),
        (PRIVATE, '{"message":"Code Security must be enabled for this repository to use code scanning."}', DISABLED),
        (PRIVATE, '{\n  "message": "Advanced Security must be enabled for this repository to use code scanning."\n}', DISABLED),
        (PRIVATE, '{"message":"Code scanning is not enabled for this repository."}', DISABLED),
        # An event that says nothing about the repository.
        ({"GITHUB_EVENT_NAME": "schedule"}, '{"message": "Code scanning is not enabled for this repository."}', DISABLED),
        (PRIVATE, '{"message":"no analysis found","status":"404"}', None),
        (PRIVATE, '[{"rule": {"description": "must be enabled"}}]', None),
        # Left to the upload, which fails with the reason: the workflow's author can add the permission.
        (PRIVATE, '{"message":"Resource not accessible by integration","status":"403"}', None),
        (PRIVATE, "", None),
    ],
)  # fmt: skip
def test_where_github_takes_no_upload_the_job_says_so_and_goes_on(
    tmp_path: Path, variables: dict[str, str], answer: str | None, reason: str | None
) -> None:
    """`answer`: what the server says about the repository; None if it must not be asked, empty if it is not reached."""
    calls, output, summary = (tmp_path / name for name in ("calls", "output", "summary"))
    for file in (calls, output, summary):
        file.write_text("", encoding="utf-8")
    (tmp_path / "answer").write_text(answer or "", encoding="utf-8")
    curl = tmp_path / "curl"
    curl.write_text(
        f'#!/bin/sh\n{{ printf "%s " "$@"; cat; }} > "{calls}"\ncat "{tmp_path}/answer"\n[ -s "{tmp_path}/answer" ]\n',
        encoding="utf-8",
    )
    curl.chmod(0o755)
    environment = {
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_OUTPUT": str(output),
        "GITHUB_STEP_SUMMARY": str(summary),
        "GITHUB_REPOSITORY": "octo/agents",
        "GITHUB_API_URL": "https://api.example.invalid",
        "TOKEN": "secret",
        "HEAD": "",
        "PRIVATE": "",
        **variables,
    }
    done = run_script(SCANNING, tmp_path, environment)
    assert (done.returncode, done.stderr) == (0, "")
    asked = calls.read_text(encoding="utf-8")
    if answer is None:
        assert asked == ""
    else:
        arguments, _, header = asked.rpartition(" Authorization: ")
        assert arguments.endswith("https://api.example.invalid/repos/octo/agents/code-scanning/alerts?per_page=1")
        # Where other processes do not see it.
        assert header == "Bearer secret\n"
    said = f"The findings were not uploaded to code scanning: {reason}."
    assert done.stdout == ("" if reason is None else f"::notice title=toolsurface-lint::{said}\n")
    assert summary.read_text(encoding="utf-8") == ("" if reason is None else f"\n{said}\n")
    assert output.read_text(encoding="utf-8") == ("upload=true\n" if reason is None else "")


def test_only_what_code_scanning_takes_is_uploaded() -> None:
    assert step(SCANNING)["if"] == "inputs.upload == 'true'"
    assert step("Upload")["if"] == f"steps.{step(SCANNING)['id']}.outputs.upload == 'true'"


def test_the_programs_of_others_are_pinned() -> None:
    text = (REPOSITORY / "action.yml").read_text(encoding="utf-8")
    uses = re.findall(r"uses: (.*)", text)
    assert len(uses) == 2
    for one in uses:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one)


def test_what_is_installed_is_pinned_by_hash() -> None:
    """Everything that the package asks for, and what it is built with, in a version that it takes."""
    from packaging.requirements import Requirement

    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    text = (REPOSITORY / "action-requirements.txt").read_text(encoding="utf-8")
    pinned = {}
    for line in re.sub(r"\\\n", " ", text).splitlines():
        if line and not line.startswith("#"):
            entry, *hashes = line.split("--hash=")
            assert hashes
            assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", one.strip()) for one in hashes)
            requirement = Requirement(entry.strip())
            (pin,) = requirement.specifier
            assert pin.operator == "=="
            pinned[requirement.name.lower()] = pin.version
    for each in map(Requirement, wanted):
        assert each.specifier.contains(pinned[each.name.lower()])
    named = (REPOSITORY / "action-requirements.in").read_text(encoding="utf-8").splitlines()
    assert [line for line in named if not line.startswith("#")] == project["build-system"]["requires"]


def test_installing_runs_nothing_of_the_checkout_and_leaves_the_path_alone(tmp_path: Path) -> None:
    calls, marks, temporary = tmp_path / "calls", tmp_path / "marks", tmp_path / "temp"
    temporary.mkdir()
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    for name in ("venv", "pip", "secrets"):
        (checkout / f"{name}.py").write_text(f"open({str(marks)!r}, 'a').write({name!r})\n", encoding="utf-8")
    # Both Pythons: the one that is set up, and the one of the environment, which is asked only what pip it has.
    python = tmp_path / "python"
    python.write_text(
        f'#!/bin/sh\necho "$0 $*" >> "{calls}"\n'
        f'case "$*" in *"-m venv"*) "{sys.executable}" "$@" --without-pip; for p in bin Scripts; do\n'
        f'd="{temporary}/toolsurface-lint/$p"; [ ! -d "$d" ] || {{ rm -f "$d"/python*; cp "$0" "$d/python"; }}\n'
        "done;; esac\n",
        encoding="utf-8",
    )
    python.chmod(0o755)
    output, path = tmp_path / "output", tmp_path / "path"
    environment = {
        "PATH": os.environ["PATH"], "PYTHON": str(python), "SOURCE": "action", "RUNNER_TEMP": str(temporary),
        "PYTHONPATH": ".", "GITHUB_OUTPUT": str(output), "GITHUB_PATH": str(path),
    }  # fmt: skip
    done = run_script("Install toolsurface-lint", checkout, environment)
    assert (done.returncode, done.stderr) == (0, "")
    made, pinned, own = calls.read_text(encoding="utf-8").splitlines()
    inner = f"{temporary}/toolsurface-lint/bin/python"
    assert made == f"{python} -I -m venv {temporary}/toolsurface-lint"
    assert pinned.startswith(f"{inner} -I -m pip install ")
    assert "--require-hashes --only-binary :all: --requirement action/action-requirements.txt" in pinned
    assert own.startswith(f"{inner} -I -m pip install ")
    assert own.endswith("--no-index --no-deps --no-build-isolation action")
    assert output.read_text(encoding="utf-8") == f"python={inner}\n"
    assert not path.exists()
    assert not marks.exists()
    assert "GITHUB_PATH" not in (REPOSITORY / "action.yml").read_text(encoding="utf-8")


def test_the_matchers_read_the_concise_output(tmp_path: Path) -> None:
    from toolsurface_lint.model.diagnostics import Diagnostic, Location, Report
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
