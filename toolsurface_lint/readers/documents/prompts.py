"""Agents that name their tools and hold their prompt: YAML, TOML and JSON with `tools: [name, ...]` next to a text."""

from __future__ import annotations

from itertools import chain

from toolsurface_lint.model.document import Document
from toolsurface_lint.readers.document_reader import DocumentReader
from toolsurface_lint.readers.embedded_prompts import PROMPT_FIELDS
from toolsurface_lint.readers.prompts import prompts_in
from toolsurface_lint.source.tree import Node

_TOOL_KEYS = ("tools", "allowed_tools", "allowedTools", "tool_names", "native_tools")
_GROUPS = ("agents", "subagents", "agent", "personas", "assistants", "modes")
_SHORTEST = 20
"""Characters of the shortest text that counts as a prompt: `prompt: default` is a setting."""


def _agents(root: Node, document: Document) -> list[Node]:
    """The agents of a document: itself, or the members of its groups of agents."""
    groups = [group for key in _GROUPS if (group := root.get(key)) is not None]
    members = [[group, *group.elements(), *(member for _, member in group.members())] for group in groups]
    return list(filter(_is_agent, [root, *chain(*members)]))


def _is_agent(node: Node) -> bool:
    value = node.value
    return (
        isinstance(value, dict)
        and any(_is_names(value.get(key)) for key in _TOOL_KEYS)
        and any(isinstance(value.get(key), str) and len(value[key]) >= _SHORTEST for key in PROMPT_FIELDS)
    )


def _is_names(tools: object) -> bool:
    return isinstance(tools, list) and bool(tools) and all(isinstance(name, str) for name in tools)


def _read(agents: list[Node], document: Document) -> None:
    for agent in agents:
        prompts = prompts_in(agent, PROMPT_FIELDS)
        document.prompts.extend(prompt for prompt in prompts if len(prompt.text) >= _SHORTEST)


READER = DocumentReader("agent", 15, False, _agents, _read)
