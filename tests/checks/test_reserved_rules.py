"""Texts against the reserved tokens of the model that they are sent to."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolsurface_lint.checks.reserved.in_text import reserved_tokens
from toolsurface_lint.knowledge.reserved_tokens import FAMILIES
from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.protocols.wire import canonical_to_wire, wire_to_canonical

QWEN = {"provider": "ollama", "model": "qwen3.6:27b"}


@pytest.mark.parametrize(
    ("provider", "model", "token", "expected"),
    [
        ("ollama", "qwen3.6:27b", "<tool_call>", True),
        ("Ollama", "QWEN3.6:27B", "</tool_call>", True),
        ("openrouter", "qwen/qwen3-coder", "<tool_call>", True),
        ("llamacpp", "my-qwen3-finetune", "<tool_call>", True),
        ("llama.cpp", "my-qwen3-finetune", "<tool_call>", True),
        # Flags that are left out on purpose: there the delimiters are not known to collide.
        ("ollama", "qwen3:8b", "<tool_call>", False),
        ("together", "Qwen/Qwen3-8B", "<tool_call>", False),
        ("ollama", "qwen3:8b", "<|im_start|>", True),
        # No flag speaks of this host, but the tokenizer does.
        ("groq", "qwen/qwen3-32b", "<tool_call>", True),
        ("ollama", "glm-4.6", "<tool_call>", True),
        ("ollama", "llama3.1:8b", "<|eot_id|>", True),
        ("openrouter", "meta-llama/llama-3.3-70b-instruct", "<|eot_id|>", True),
        ("groq", "openai/gpt-oss-20b", "<|channel|>", True),
        ("ollama", "deepseek-v3:671b", "<｜tool▁call▁begin｜>", True),
        # The more telling pattern decides.
        ("groq", "qwen2.5-7b", "<think>", False),
        ("groq", "qwen3-coder", "<|fim_prefix|>", False),
        # A laboratory's own service takes markers for text.
        ("mistral", "mistral-large", "[INST]", False),
        ("openai", "gpt-oss-20b", "<|channel|>", False),
        ("ollama", "unheard-of", "<tool_call>", False),
        ("", "", "<tool_call>", False),
    ],
)
def test_which_token_is_reserved_where(provider: str, model: str, token: str, expected: bool) -> None:
    assert (token in reserved_tokens(provider, model)) is expected


def test_every_family_says_where_its_tokens_were_read() -> None:
    assert all(family.tokens and family.models and family.source for family in FAMILIES)


def found(report: Report, text: str) -> list[tuple[str, str]]:
    """Code and text at the place of every diagnostic in a file with this text."""
    return [
        (diagnostic.code, text[slice(*diagnostic.location.span)])
        for diagnostic in report.diagnostics
        if diagnostic.location is not None
    ]


@pytest.mark.parametrize(
    ("text", "target", "expected"),
    [
        ("Open <tool_call>, close </tool_call>.", QWEN, ["<tool_call>", "</tool_call>"]),
        ("<tool_call> and <tool_call> again", QWEN, ["<tool_call>"]),
        ("```\n<tool_call>\n```\n", QWEN, ["<tool_call>"]),
        ("<toolcall> <TOOL_CALL> <tool_call id>", QWEN, []),
        ("<tool_call>", {"provider": "ollama"}, []),
        ("<tool_call>", {"model": "qwen3.6:27b"}, []),
        ("<tool_call>", {}, []),
        ("<tool_call>", {"provider": "anthropic", "model": "claude-sonnet-4-5"}, []),
    ],
)
def test_in_a_prompt(
    text: str, target: dict[str, Any], expected: list[str], tmp_path: Path, check: Callable[..., Report]
) -> None:
    (tmp_path / "system.md").write_text(text, encoding="utf-8")
    report = check(tmp_path, "system.md", select=["RESERVED_TOKEN"], **target)
    assert found(report, text) == [("RESERVED_TOKEN_IN_PROMPT", token) for token in expected]


def test_in_every_branch_of_a_template_once(tmp_path: Path, check: Callable[..., Report]) -> None:
    text = "{{# <tool_call> #}}{{ if a }}One <tool_call>.{{ else }}Two.{{ end }} {{ if b }}Three.{{ end }}\n"
    (tmp_path / "a.harn.prompt").write_text(text, encoding="utf-8")
    report = check(tmp_path, select=["RESERVED_TOKEN"], **QWEN)
    (diagnostic,) = report.diagnostics
    assert diagnostic.location is not None
    assert diagnostic.location.span.start == text.index("<tool_call>.")


def test_in_a_tool_definition(tmp_path: Path, check: Callable[..., Report]) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "description": "Like <tool_call>."}}}
    text = json.dumps([{"name": "x", "description": "Say [[CALL]].", "input_schema": schema}])
    (tmp_path / "tools.json").write_text(text, encoding="utf-8")
    report = check(tmp_path, "tools.json", select=["RESERVED_TOKEN"], **QWEN)
    assert found(report, text) == [
        ("RESERVED_TOKEN_WIRE_FORM", "[[CALL]]"),
        ("RESERVED_TOKEN_IN_PROMPT", "<tool_call>"),
    ]
    assert {diagnostic.tool for diagnostic in report.diagnostics} == {"x"}


SETTINGS = '[[surface]]\nname = "s"\nprompts = "*.md"\nprovider = "{}"\nmodel = "{}"\nwire-remap = {}\n'


@pytest.mark.parametrize(
    ("provider", "model", "remap", "expected"),
    [
        ("ollama", "qwen3.6:27b", "true", [("RESERVED_TOKEN_NOT_INVERTIBLE", "[[/CALL]]")]),
        (
            "ollama",
            "qwen3.6:27b",
            "false",
            [("RESERVED_TOKEN_IN_PROMPT", "<tool_call>"), ("RESERVED_TOKEN_WIRE_FORM", "[[/CALL]]")],
        ),
        # A runtime that remaps does so for flagged models only.
        (
            "groq",
            "qwen3-32b",
            "true",
            [("RESERVED_TOKEN_IN_PROMPT", "<tool_call>"), ("RESERVED_TOKEN_WIRE_FORM", "[[/CALL]]")],
        ),
        ("anthropic", "claude-sonnet-4-5", "true", [("RESERVED_TOKEN_WIRE_FORM", "[[/CALL]]")]),
    ],
)
def test_what_the_runtime_remaps(
    provider: str,
    model: str,
    remap: str,
    expected: list[tuple[str, str]],
    tmp_path: Path,
    check: Callable[..., Report],
) -> None:
    text = "First <tool_call>, then [[/CALL]].\n"
    (tmp_path / "a.md").write_text(text, encoding="utf-8")
    (tmp_path / "toolsurface.toml").write_text(SETTINGS.format(provider, model, remap), encoding="utf-8")
    report = check(tmp_path, select=["RESERVED_TOKEN"])
    assert found(report, text) == expected
    assert wire_to_canonical(canonical_to_wire(text)) != text


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("<tool_call>\n<tool_call>", 0),
        ("<tool_call>\n<tool_call>\n <tool_call>", 3),
        ("[[CALL]][[CALL]][[CALL]][[CALL]]", 4),
        ("<tool_call>\n[[CALL]]\n<tool_call>", 0),
        ("<tool_call>" * 1000, 1000),
    ],
)
@pytest.mark.parametrize("protocol", ["tagged", "fenced-json"])
def test_collapse(text: str, count: int, protocol: str, tmp_path: Path, check: Callable[..., Report]) -> None:
    (tmp_path / "1.txt").write_text(text, encoding="utf-8")
    report = check(tmp_path, "1.txt", kind="response", protocol=protocol, select=["RESERVED_TOKEN"])
    assert found(report, text) == [("RESERVED_TOKEN_COLLAPSE", text)] * bool(count)
    assert all(f"repeated {count} times" in diagnostic.message for diagnostic in report.diagnostics)
