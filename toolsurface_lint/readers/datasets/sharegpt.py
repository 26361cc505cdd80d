"""ShareGPT's `conversations` with a column of `tools`, and perhaps one of `system`: LLaMA-Factory's convention, APIGen-MT.

Calls are turns of `function_call`, their results turns of `observation`.
Sources: LLaMA-Factory, data/README.md and data/glaive_toolcall_en_demo.json; the card of Salesforce/APIGen-MT-5k.
"""

from __future__ import annotations

from typing import Any

from toolsurface_lint.readers.conversations import find_messages
from toolsurface_lint.readers.transcript_format import DatasetSchema


def _recognises(row: dict[str, Any]) -> bool:
    return "conversations" in row and "tools" in row and "messages" not in row


SCHEMA = DatasetSchema("ShareGPT with tools", 60, _recognises, find_messages)
