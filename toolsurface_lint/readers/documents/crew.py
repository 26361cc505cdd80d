"""CrewAI's `agents.yaml` and `tasks.yaml`: by name, what agents are told of themselves, and of their tasks.

Documentation: https://docs.crewai.com/en/concepts/agents and /tasks, read 2026-11.
"""

from __future__ import annotations

import os

from toolsurface_lint.model.document import Document
from toolsurface_lint.readers.document_reader import DocumentReader
from toolsurface_lint.readers.prompts import prompts_in
from toolsurface_lint.source.tree import Node

_AGENT = ("role", "goal", "backstory")
_TASK = ("description", "expected_output")
_SHORTEST = 20
"""Characters of the shortest text that counts as a prompt: most roles are names."""


def _is_crew(root: Node, document: Document) -> bool:
    if document.language != "yaml" or not root.value:
        return False
    # Anybody's table of cases may say what is expected: a task names its agent, or the file is named for tasks.
    task = _TASK if "task" in os.path.basename(document.path).lower() else (*_TASK, "agent")
    return any(
        all(
            isinstance(entry, dict) and all(isinstance(entry.get(key), str) for key in keys)
            for entry in root.value.values()
        )
        for keys in (_AGENT, task)
    )


def _read(root: Node, document: Document) -> None:
    for _, entry in root.members():
        prompts = prompts_in(entry, (*_AGENT, *_TASK))
        document.prompts.extend(prompt for prompt in prompts if len(prompt.text) >= _SHORTEST)


READER = DocumentReader("agent", 16, False, _is_crew, _read)
