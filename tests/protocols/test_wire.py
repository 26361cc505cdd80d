"""Wire delimiters, and the models that need them."""

from __future__ import annotations

import pytest

from toolsurface_lint.protocols.wire import (
    canonical_to_wire,
    reserves_tool_call_token,
    wire_forms,
    wire_to_canonical,
)
from toolsurface_lint.source.text import Span

BOTH_WAYS = [
    ("<tool_call>\nrun({})\n</tool_call>", "[[CALL]]\nrun({})\n[[/CALL]]"),
    ("</tool_call> alone, then [<tool_call>]", "[[/CALL]] alone, then [[[CALL]]]"),
    ("<done>x</done> <toolcall> <tool_call id='1'>", "<done>x</done> <toolcall> <tool_call id='1'>"),
    ("y = [[b]]", "y = [[b]]"),
]


@pytest.mark.parametrize(("canonical", "wire"), BOTH_WAYS)
def test_remap(canonical: str, wire: str) -> None:
    assert canonical_to_wire(canonical) == wire
    assert wire_to_canonical(wire) == wire_to_canonical(canonical) == canonical
    assert wire_forms(canonical) == []


def test_text_in_wire_form_is_not_invertible() -> None:
    text = "Write [[CALL]] or [[/CALL]], not [[CALL]."
    assert wire_forms(text) == [Span(6, 14), Span(18, 27)]
    assert wire_to_canonical(text) == "Write <tool_call> or </tool_call>, not [[CALL]."


@pytest.mark.parametrize(
    ("provider", "model", "reserved"),
    [
        ("ollama", "qwen3.6:latest", True),
        ("Ollama", "Qwen3.6", True),
        ("ollama", "qwen3:4b", False),
        ("llamacpp", "unsloth/qwen3-8b-gguf", True),
        ("mlx", "owner/qwen3.6-4bit", True),
        ("mlx", "qwen3-4bit", False),
        ("openrouter", "qwen/qwen3-coder-flash", True),
        ("openrouter", "qwen/qwen3-coder:free", True),
        ("openrouter", "qwen/qwen3.6-max", False),
        ("together", "qwen3.6", False),
        ("anthropic", "claude-sonnet-4-5", False),
        ("", "", False),
    ],
)
def test_reserving_models(provider: str, model: str, reserved: bool) -> None:
    assert reserves_tool_call_token(provider, model) is reserved
