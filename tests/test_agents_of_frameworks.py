"""The programs in `fixtures/agents`, one folder for each framework and client whose agents are read.

`clean` is silent. `stale` is the same program, whose prompt has one tool under a name that it does not have any more:
`expect.txt` is what is reported, nothing for a framework that gives its agents tools of names that are not known. What the
frameworks themselves say of the clean programs stands in `recorded.json`; `benchmarks/agents_of_frameworks.py` writes it.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from difflib import unified_diff
from pathlib import Path
from typing import Any

import pytest

from tests.regenerate import UPDATE
from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.readers.programs.tools import read_programs
from toolsurface_lint.source.text import SourceText

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "fixtures" / "agents"
FRAMEWORKS = sorted(path.name for path in FOLDER.iterdir() if path.is_dir())
RECORDED: dict[str, Any] = json.loads((FOLDER / "recorded.json").read_text("utf-8"))
OPEN = {"browser-use"}
"""Whose own tools nobody can name: they depend on the release."""


def program_of(framework: str, twin: str) -> Path:
    (program,) = (FOLDER / framework / twin).iterdir()
    return program


@pytest.mark.generated
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_stale_name_is_found(
    framework: str, tmp_path: Path, check: Callable[..., Report], full_lines: Callable[[Report], list[str]]
) -> None:
    shutil.copytree(FOLDER / framework / "stale", tmp_path / "case")
    actual = "".join(f"{line}\n" for line in full_lines(check(tmp_path / "case")))
    expected = FOLDER / framework / "expect.txt"
    if UPDATE:
        expected.write_text(actual, encoding="utf-8", newline="")
    assert actual == expected.read_text("utf-8")
    assert len(actual.splitlines()) == (framework not in OPEN)
    clean, stale = (program_of(framework, twin).read_text("utf-8").splitlines() for twin in ("clean", "stale"))
    changed = [line for line in unified_diff(clean, stale, lineterm="", n=0) if re.match(r"[-+](?![-+]{2})", line)]
    assert [line[0] for line in changed] == ["-", "+"]


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_its_clean_twin_is_silent(
    framework: str, tmp_path: Path, check: Callable[..., Report], full_lines: Callable[[Report], list[str]]
) -> None:
    shutil.copytree(FOLDER / framework / "clean", tmp_path / "case")
    report = check(tmp_path / "case")
    assert full_lines(report) == []
    assert report.summary["files"] == 1


@pytest.mark.parametrize("framework", sorted(RECORDED))
def test_an_agent_has_the_tools_that_its_framework_says(framework: str) -> None:
    program = program_of(framework, "clean")
    found = read_programs([SourceText(program.name, program.read_text("utf-8"))])
    told_to = {key for prompt in found.prompts for key in prompt.told_to}
    agents = {agent.name: agent for agent in found.agents if agent.key in told_to}
    for name, recorded in RECORDED[framework]["agents"].items():
        agent = agents[name]
        names = {tool.name for tool in agent.tools}
        assert names - set(recorded["tools"]) == set()
        # What is left out is a tool of the framework's own, of which it is known that it may be there.
        assert set(recorded["tools"]) - names <= agent.built_in
        said = "\n".join(recorded["told"])
        own = [prompt.text for prompt in found.prompts if agent.key in prompt.told_to]
        if said:
            assert [text for text in own if text.strip() not in said] == []


def test_the_page_has_a_row_for_each_framework() -> None:
    page = (ROOT / "docs" / "frameworks.md").read_text("utf-8")
    rows = re.findall(r"^\|.*\| `([a-z0-9.-]+)` \|$", page, re.MULTILINE)
    assert sorted(rows) == FRAMEWORKS


def test_what_was_recorded_has_its_versions() -> None:
    assert set(RECORDED) <= set(FRAMEWORKS)
    assert all(versions for each in RECORDED.values() for versions in each["packages"].values())
