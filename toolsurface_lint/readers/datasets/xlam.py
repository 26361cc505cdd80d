"""xLAM: `query`, `tools` and `answers`, the last two JSON text; parameters are a map, with types in words of Python.

`answers` is a list of `{name, arguments}`: the calls that the model is to make.
Sources: SalesforceAIResearch/xLAM; the card of Salesforce/xlam-function-calling-60k; NVIDIA-NeMo/Automodel,
`nemo_automodel/components/datasets/llm/xlam.py`; ms-swift, `XlamFunctionCallingPreprocessor`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolsurface_lint.model.transcript import Turn
from toolsurface_lint.readers.conversations import tools_at
from toolsurface_lint.readers.datasets._rows import answer, asked, calls_of
from toolsurface_lint.readers.datasets._types import standard_tools
from toolsurface_lint.readers.transcript_format import DatasetSchema, FoundConversation, MessageFormat
from toolsurface_lint.source.tree import Node


def _recognises(row: dict[str, Any]) -> bool:
    return "answers" in row and "query" in row and "tools" in row and type(row["query"]) is str


def _read(root: Node, format: MessageFormat | None) -> FoundConversation | None:
    def turns() -> Iterator[Turn]:
        yield from asked(root, "query")
        yield answer(root, calls_of(root.get("answers")))

    return FoundConversation(root.tree, root.path, [], None, tools_at(root.get("tools")), turns=turns)


SCHEMA = DatasetSchema("xLAM", 20, _recognises, _read, standard_tools)
