"""NVIDIA's post-training data: `messages`, or `input` with a text `output`; tools in `tools` or in `metadata`.

`metadata` is an object or JSON text, with `tools` in it.
Sources: the cards of nvidia/Nemotron-Post-Training-Dataset-v1 and nvidia/Llama-Nemotron-Post-Training-Dataset;
NVIDIA/NeMo-Curator, tutorials/llama-nemotron-data-curation.
"""

from __future__ import annotations

from typing import Any

from toolsurface_lint.readers.conversations import carried_tools, column, format_of, listed, tools_at
from toolsurface_lint.readers.transcript_format import DatasetSchema, FoundConversation, MessageFormat
from toolsurface_lint.source.composed import joined
from toolsurface_lint.source.derived import DerivedTree
from toolsurface_lint.source.tree import Node, Path, Tree


def _recognises(row: dict[str, Any]) -> bool:
    metadata = row.get("metadata")
    carries = "tools" in metadata if type(metadata) is dict else type(metadata) is str and '"tools"' in metadata
    if "messages" in row:
        return carries
    return ("generator" in row or carries) and type(row.get("output")) is str and type(row.get("input")) in (list, str)


def _read(root: Node, format: MessageFormat | None) -> FoundConversation | None:
    messages = listed(root.get("messages"))
    if messages is None:
        messages = listed(root.get("input"))
        output = root.string("output")
        if messages is None or output is None:
            return None
        messages = joined(messages, [*messages.elements(), _answer(output)])
    found = format_of(messages.value, format)
    if found is None:
        return None
    tools = carried_tools(root) or tools_at(column(root, "metadata.tools"))
    return FoundConversation(messages.tree, messages.path, messages.value, found, tools)


def _answer(output: Node) -> Node:
    """A text as the message of an assistant."""

    def where(path: Path) -> tuple[Tree, Path]:
        return output.tree, output.path

    return DerivedTree(output.tree, {"role": "assistant", "content": output.value}, where).root


SCHEMA = DatasetSchema("Nemotron", 65, _recognises, _read)
