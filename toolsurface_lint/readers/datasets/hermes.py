"""Hermes function calling: `conversations` with tools and calls in tags, `tools` as JSON text, `category` and `task`.

Source: the card of NousResearch/hermes-function-calling-v1; NousResearch/Hermes-Function-Calling, README.
"""

from __future__ import annotations

from typing import Any

from toolsurface_lint.readers.conversations import find_messages
from toolsurface_lint.readers.transcript_format import DatasetSchema


def _recognises(row: dict[str, Any]) -> bool:
    return "conversations" in row and "category" in row and "subcategory" in row and "task" in row


SCHEMA = DatasetSchema("Hermes function calling", 50, _recognises, find_messages)
