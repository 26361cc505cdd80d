"""CrewAI's `agents.yaml` and `tasks.yaml`: by name, what agents are told of themselves, and of their tasks.

Documentation: https://docs.crewai.com/en/concepts/agents and /tasks, read 2025-11.
"""

from __future__ import annotations

from toolsurface_lint.model.document import Document
from toolsurface_lint.readers.document_reader import DocumentReader
from toolsurface_lint.readers.prompts import prompts_in
from toolsurface_lint.source.tree import Node

_AGENT = ("role", "goal", "backstory")
_TASK = ("description", "expected_output")
_SHORTEST = 20
"""Characters of the shortest text that counts as a prompt: most roles are names."""


def _is_crew(root: Node, document: Document) -> bool:
    return bool(root.value) and any(
        all(
            isinstance(entry, dict) and all(isinstance(entry.get(key), str) for key in keys)
            for entry in root.value.values()
        )
        for keys in (_AGENT, _TASK)
    )


def _read(root: Node, document: Document) -> None:
    for _, entry in root.members():
        prompts = prompts_in(entry, (*_AGENT, *_TASK))
        document.prompts.extend(prompt for prompt in prompts if len(prompt.text) >= _SHORTEST)


READER = DocumentReader("agent", 16, False, _is_crew, _read)
