"""The files of CrewAI, which are told by what they hold from those that look alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolsurface_lint.readers.loading import load_document

AGENT = "guide:\n  role: Guide of the {museum} museum\n  goal: Answer what visitors ask\n  backstory: Has been here for years.\n"
TASK = "answer:\n  description: Answer the question of the visitor.\n  expected_output: Two sentences.\n"


@pytest.mark.parametrize(
    ("name", "text", "prompts"),
    [
        ("agents.yaml", AGENT, ["role", "goal", "backstory"]),
        ("people.yaml", AGENT, ["role", "goal", "backstory"]),
        ("tasks.yaml", TASK, ["description"]),
        ("research_tasks.yml", TASK, ["description"]),
        ("answers.yaml", TASK + "  agent: guide\n", ["description"]),
        # Anybody's table of cases.
        ("cases.yaml", TASK, []),
        ("tasks.json", '{"a": {"description": "Answer the question of it.", "expected_output": "Two sentences."}}', []),
    ],
)
def test_the_files_of_a_crew(tmp_path: Path, name: str, text: str, prompts: list[str]) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    language = "json" if name.endswith(".json") else "yaml"
    document = load_document(str(path), name, language, kind=None, max_size=1 << 20)
    assert [prompt.field for prompt in document.prompts] == prompts
