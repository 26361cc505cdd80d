"""A large folder is checked in groups of files; what is reported is what one process reports."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from toolsurface_lint import check_paths
from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.project.project import Project, plan_readings
from toolsurface_lint.project.settings import Settings
from toolsurface_lint.run import groups, parallel

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def agent(folder: Path, number: int) -> None:
    """An agent with a tool list, a prompt that misspells a tool, one with a suppression, and a tool that declares too much."""
    tools = [
        {"name": f"read_note_{number}", "description": "Reads a note.", "input_schema": {"type": "object"}},
        {"name": f"send_note_{number}", "description": "Sends a note.", "input_schema": {"type": "objct"}},
    ]
    (folder / "tools").mkdir(parents=True)
    (folder / "prompts").mkdir()
    (folder / "tools" / "tools.json").write_text(json.dumps({"tools": tools}), encoding="utf-8")
    (folder / "prompts" / "system.md").write_text(
        f"Call `read_note_{number}({{}})` first.\n\nThen call `send_notes_{number}({{}})`.\n", encoding="utf-8"
    )
    (folder / "prompts" / "more.md").write_text(
        f"<!-- toolsurface-lint: ignore-next-line -->\nCall `send_notes_{number}({{}})`.\n"
        "<!-- toolsurface-lint: ignore-next-line -->\nNothing here.\n",
        encoding="utf-8",
    )


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for number in range(6):
        agent(tmp_path / f"team_{number // 3}" / f"agent_{number}", number)
    for number in (1, 4):
        tool = {"name": f"ping_{number}", "description": "Pings.", "input_schema": {"type": "object"}}
        tools = [tool, {"type": "mcp", "server_label": f"server_{number}"}]
        file = tmp_path / f"team_{number // 3}" / f"agent_{number}" / "tools" / "more.json"
        file.write_text(json.dumps(tools), encoding="utf-8")
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    (tmp_path / "team_1" / "agent_5" / "tools" / "kept.tools.json").write_text(pointer, encoding="utf-8")
    (tmp_path / "team_0" / "broken.json").write_text('{"tools": [', encoding="utf-8")
    return tmp_path


NAMED = "---\nname: {}\ndescription: Reviews the changes of a branch.\n---\nReview them.\n"


def same(one: Report, other: Report) -> None:
    assert one.to_dict() == other.to_dict()
    assert one.suppressed == other.suppressed
    assert {path: source.text for path, source in one.sources.items()} == {
        path: source.text for path, source in other.sources.items()
    }
    assert one.empty_folders == other.empty_folders
    assert [rule.code for rule in one.rules] == [rule.code for rule in other.rules]


def divided(path: Path, jobs: int = 2) -> groups.Groups | None:
    settings = Settings(str(path))
    project = Project(settings)
    return groups.divide(project, plan_readings(project, [str(path)]), jobs)


@pytest.mark.usefixtures("eager")
def test_groups_are_whole_folders(tree: Path) -> None:
    found = divided(tree)
    assert found is not None
    names = [{Path(reading.path).relative_to(tree).parts[0] for reading in group} for group in found.groups]
    assert names == [{"team_0"}, {"team_1"}]
    assert str(tree) in found.shared
    assert str(tree / "team_1") not in found.shared


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("jobs", [2, 3, 4])
def test_groups_have_every_file_once_and_every_folder_but_the_shared_whole(tree: Path, jobs: int) -> None:
    found = divided(tree, jobs)
    assert found is not None
    assert 2 <= len(found.groups) <= jobs
    assert all(found.groups)
    project = Project(Settings(str(tree)))
    files = [reading.path for reading in plan_readings(project, [str(tree)])]
    assert sorted(reading.path for group in found.groups for reading in group) == sorted(files)
    holders: dict[str, set[int]] = {}
    for number, group in enumerate(found.groups):
        for reading in group:
            holders.setdefault(os.path.dirname(reading.path), set()).add(number)
    assert all(len(numbers) == 1 or folder in found.shared for folder, numbers in holders.items())
    assert all(0 in holders.get(folder, {0}) for folder in found.shared)


def test_little_is_not_divided(tree: Path) -> None:
    assert divided(tree, 8) is None


@pytest.mark.slow
@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("jobs", [2, 3, 4])
def test_several_processes_report_what_one_reports(tree: Path, jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    processes: list[parallel.Worker] = []
    monkeypatch.setattr(groups, "Worker", lambda work: processes.append(parallel.Worker(work)) or processes[-1])
    report = check_paths([str(tree)], isolated=True, jobs=jobs)
    assert 1 <= len(processes) < jobs
    expected = check_paths([str(tree)], isolated=True)
    assert len(report.surfaces) == 6
    assert {diagnostic.code for diagnostic in report.diagnostics} == {
        "INPUT_SYNTAX_ERROR",
        "SUPPRESSION_UNUSED",
        "TOOL_SCHEMA_INVALID",
        "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL",
    }
    same(report, expected)


@pytest.mark.slow
@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("jobs", [2, 3])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        # It speaks of the tools of all agents: nobody can say by itself what is declared.
        ("team_1/AGENTS.md", "Call `read_note_1({})` or `read_note_9({})`."),
        ("team_1/agent_9/.mcp.json", '{"mcpServers": {"notes": {"command": "notes"}}}'),
        ("team_1/agent_9/.claude/settings.json", '{"permissions": {"allow": ["mcp__notes__read_note"]}}'),
        ("team_0/agent_0/runs/1.jsonl", '{"messages": [{"role": "user", "content": "Hello"}]}\n'),
        ("team_2/AGENTS.md", "Call `read_note_1({})` or `read_note_9({})`."),
    ],
)
def test_groups_that_have_to_do_with_one_another_are_checked_as_one(
    tree: Path, name: str, text: str, jobs: int
) -> None:
    (tree / name).parent.mkdir(parents=True, exist_ok=True)
    (tree / name).write_text(text, encoding="utf-8")
    same(check_paths([str(tree)], isolated=True, jobs=jobs), check_paths([str(tree)], isolated=True))


@pytest.mark.usefixtures("eager")
def test_a_prompt_above_several_groups_leaves_nothing_to_divide(tree: Path) -> None:
    (tree / "AGENTS.md").write_text("Call `read_note_1({})`.", encoding="utf-8")
    assert divided(tree) is None


@pytest.mark.usefixtures("eager")
def test_programs_are_read_together(tree: Path) -> None:
    (tree / "team_0" / "server.py").write_text("x = 1\n", encoding="utf-8")
    assert divided(tree) is None


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("when", ["early", "late"])
def test_what_a_dead_process_did_not_do_is_done(tree: Path, monkeypatch: pytest.MonkeyPatch, when: str) -> None:
    expected = check_paths([str(tree)], isolated=True)
    name = "stands_alone" if when == "early" else "_report"
    work = getattr(groups, name)
    first = os.getpid()

    def fails_in_a_worker(*arguments: object) -> object:
        if os.getpid() != first:
            raise RuntimeError("killed")
        return work(*arguments)

    monkeypatch.setattr(groups, name, fails_in_a_worker)
    same(check_paths([str(tree)], isolated=True, jobs=3), expected)


@pytest.mark.usefixtures("eager")
def test_folders_in_which_nothing_is_recognised(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "data.json").write_text("[1, 2, 3]", encoding="utf-8")
    report = check_paths([str(tmp_path)], isolated=True, jobs=2)
    assert len(report.empty_folders) == 1
    same(report, check_paths([str(tmp_path)], isolated=True))


@pytest.mark.usefixtures("eager")
def test_agents_of_other_groups_are_known(tree: Path) -> None:
    for folder, name in (("team_0/agent_1", "code-reviwer"), ("team_1/agent_4", "code-reviewer")):
        (tree / folder / ".claude" / "agents").mkdir(parents=True)
        (tree / folder / ".claude" / "agents" / "review.md").write_text(NAMED.format(name), encoding="utf-8")
    prompt = tree / "team_1" / "agent_4" / ".claude" / "commands" / "go.md"
    prompt.parent.mkdir()
    prompt.write_text("Use the `code-reviwer` agent.\n", encoding="utf-8")
    options = {"isolated": True, "select": ["PROMPT_UNKNOWN_AGENT"]}
    assert divided(tree) is not None
    same(check_paths([str(tree)], jobs=2, **options), check_paths([str(tree)], **options))
    (tree / "team_0/agent_1/.claude/agents/review.md").unlink()
    assert len(check_paths([str(tree)], **options).diagnostics) == 1


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("name", ["team_1/notes/AGENTS.md", "team_2/notes/AGENTS.md", ".claude/agents/review.md"])
def test_what_its_place_shows_to_meet_others_is_refused_before_any_is_read(tree: Path, name: str) -> None:
    (tree / name).parent.mkdir(parents=True)
    (tree / name).write_text(NAMED.format("review"), encoding="utf-8")
    assert (divided(tree) is None) == (not name.startswith("team_1"))


@pytest.mark.usefixtures("eager")
def test_prompts_are_not_parted_from_the_tools_beside_them(tree: Path) -> None:
    assert divided(tree, 1000) is None


@pytest.mark.slow
@pytest.mark.usefixtures("eager")
def test_what_lies_beside_a_template_is_shown_whoever_has_read_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(groups, "divide", lambda *_: None)
    model = Path(__file__).parent.parent / "fixtures/rules/CHAT_TEMPLATE_RESPONSE_TEMPLATE_MISMATCH/fires-other-tag"
    for number in range(20):
        shutil.copytree(model, tmp_path / f"model_{number}")
    options: dict[str, Any] = {"isolated": True, "select": ["CHAT_TEMPLATE_RESPONSE_TEMPLATE_MISMATCH"]}
    alone = check_paths([str(tmp_path)], jobs=1, **options)
    assert {os.path.basename(path) for path in alone.sources} == {"chat_template.jinja", "tokenizer_config.json"}
    same(check_paths([str(tmp_path)], jobs=2, **options), alone)
