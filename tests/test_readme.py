"""The README against the program: its output, its table of codes, its settings, its commands and its workflow.

With TOOLSURFACE_UPDATE=1 the output and the table are rewritten instead of compared.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from toolsurface_lint import __version__, rule_pages
from toolsurface_lint.checks import all_rules
from toolsurface_lint.config import load_settings
from toolsurface_lint.reporters import FORMATS

REPOSITORY = Path(__file__).resolve().parents[1]
README = REPOSITORY / "README.md"
UPDATE = os.environ.get("TOOLSURFACE_UPDATE") == "1"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def fences(language: str) -> list[str]:
    return [content for info, content in FENCE.findall(README.read_text(encoding="utf-8")) if info == language]


def compare(pattern: str, expected: str) -> None:
    """Compare the part of the README between two marks with what it must be, or rewrite it."""
    text = README.read_text(encoding="utf-8")
    match = re.search(pattern, text, re.DOTALL)
    assert match is not None
    if UPDATE:
        README.write_text(text[: match.start(1)] + expected + text[match.end(1) :], encoding="utf-8")
    else:
        assert match.group(1) == expected


def test_the_output_is_real() -> None:
    command = next(line for line in fences("console")[0].split("\n") if line.startswith("$ "))
    program, *arguments = shlex.split(command[2:])
    assert program == "toolsurface-lint"
    environment = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "GITHUB_ACTIONS")}
    done = subprocess.run(
        [sys.executable, "-m", "toolsurface_lint", *arguments],
        cwd=REPOSITORY,
        env={**environment, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("toolsurface-lint: can be fixed: 1 with --fix, ")
    compare(r"checked by the tests -->\n```text\n(.*?)```", done.stdout)


def test_the_table_of_codes() -> None:
    rows = ["| code | severity | when |", "|---|---|---|"]
    for rule in all_rules():
        star = "\\*" if rule.preview else ""
        rows.append(f"| [{rule.code}](rules/{rule.code}.md){star} | {rule.severity} | {rule.summary} |")
    if any(rule.preview for rule in all_rules()):
        rows += ["", "\\* off by default: enable it with its full code."]
    compare("<!-- codes -->\n(.*?)<!-- /codes -->", "\n".join(rows) + "\n")


def test_every_linked_page_is_there() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README.read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (REPOSITORY / link).exists()] == []


def test_the_settings_are_valid_and_complete(tmp_path: Path) -> None:
    (example,) = fences("toml")
    (tmp_path / "toolsurface.toml").write_text(example, encoding="utf-8")
    settings = load_settings([str(tmp_path)])
    assert settings.path is not None
    assert [surface.name for surface in settings.surfaces] == ["coder"]
    from toolsurface_lint import config

    text = README.read_text(encoding="utf-8")
    assert [key for key in (*config._SETTINGS, *config._SURFACE) if f"`{key}`" not in text] == []


def test_the_python_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = fences("python")
    exec(compile(example, "README.md", "exec"), {})
    assert "warning TOOL_SURFACE_MISSING_SCHEMA read_file" in capsys.readouterr().out


def test_the_suppression_example_suppresses(tmp_path: Path) -> None:
    from toolsurface_lint import check_paths

    (example,) = fences("markdown")
    (tmp_path / "tools.json").write_text('[{"name": "read_file", "input_schema": {}}]', encoding="utf-8")
    paths = [str(tmp_path / "tools.json"), str(tmp_path / "system.md")]

    def codes(text: str) -> list[str]:
        (tmp_path / "system.md").write_text(f"Use `read_file({{}})`.\n{text}", encoding="utf-8")
        report = check_paths(paths)
        return [found.code for found in report.diagnostics if found.code == "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"]

    assert codes(example) == []
    assert codes(example.split("\n", 1)[1]) == ["TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"]


def test_the_workflow_and_the_hook_name_this_version() -> None:
    hook, workflow = (yaml.safe_load(text) for text in fences("yaml"))
    assert hook["repos"][0]["rev"] == f"v{__version__}"
    hooks = yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hook["repos"][0]["hooks"][0]["id"] in [one["id"] for one in hooks]
    repository = hook["repos"][0]["repo"]
    assert rule_pages.URL.startswith(repository)
    steps = workflow["jobs"]["check"]["steps"]
    assert f"pip install git+{repository}@v{__version__}" in [step.get("run") for step in steps]
    written = next(step["run"] for step in steps if "sarif=" in step.get("run", ""))
    assert f"--output sarif={steps[-1]['with']['sarif_file']} " in written


def test_the_commands_are_those_of_the_ci() -> None:
    first, second = fences("console")[1].strip().split("\n")
    assert first.startswith("python3 -m venv .venv && . .venv/bin/activate && pip install . && toolsurface-lint check ")
    assert f"\n{second}\n" in (REPOSITORY / ".ci/run").read_text(encoding="utf-8")
    extras = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    assert "test" in extras["project"]["optional-dependencies"]


def test_the_commands_on_a_project_run(tmp_path: Path) -> None:
    shutil.copytree(REPOSITORY / "fixtures/surfaces/release-bot", tmp_path / "project")
    lines = [line for fence in fences("sh") for line in fence.strip().split("\n")]
    commands = [line for line in lines if re.search("--diff|--fix|baseline|suppressions", line)]
    assert len(commands) == 6
    outputs = []
    for command in commands:
        program, *arguments = shlex.split(command)
        assert program == "toolsurface-lint"
        done = subprocess.run(
            [sys.executable, "-m", "toolsurface_lint", *arguments],
            cwd=tmp_path / "project",
            # The days in the README are to come.
            env={**os.environ, "PYTHONPATH": str(REPOSITORY), "SOURCE_DATE_EPOCH": "1767225600"},
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=60,
        )
        assert done.returncode in (0, 1), (command, done.stderr)
        outputs.append(done.stdout)
    assert done.returncode == 0
    assert "suppressed 2" in outputs[3]
    assert "until=2030-01-31 there before the linter" in outputs[4]
    assert outputs[5].startswith("No problems found.")


def test_every_shell_is_told_how_to_complete() -> None:
    from toolsurface_lint.cli.options import SHELLS

    lines = [line for fence in fences("sh") for line in fence.split("\n") if " completion " in line]
    assert [re.search(r"toolsurface-lint completion (\w+)", line)[1] for line in lines] == list(SHELLS)  # type: ignore[index]


def test_the_formats_are_named() -> None:
    listed = re.search(r"`--output` takes (.*?), with", README.read_text(encoding="utf-8"))
    assert listed is not None
    assert re.findall(r"`(\w+)`", listed.group(1)) == list(FORMATS)


def test_the_session_is_real() -> None:
    import doctest

    (session,) = fences("pycon")
    test = doctest.DocTestParser().get_doctest(session, {}, "README", "README.md", 0)
    assert doctest.DocTestRunner(verbose=False).run(test) == doctest.TestResults(0, 5)
