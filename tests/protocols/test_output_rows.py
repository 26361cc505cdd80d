"""The rows of raw outputs: names that resolve, markers that are found, and grammars that are read."""

from __future__ import annotations

import pytest

from toolsurface_lint.protocols.outputs.engines import OTHER_PARSERS
from toolsurface_lint.protocols.outputs.protocol import HINTS
from toolsurface_lint.protocols.outputs.rows import (
    PROTOCOLS,
    OutputProtocol,
    by_model,
    by_parser,
    engine_parsers,
    parser_named,
)
from toolsurface_lint.protocols.recognition import parse_response


def test_at_least_forty_parsers_of_vllm_share_at_most_twelve_grammars() -> None:
    names = [name for name in engine_parsers("vllm") if by_parser("vllm", name) is not None]
    assert len(names) >= 40
    assert len({row.grammar for row in PROTOCOLS.values()}) <= 12


def test_a_parser_is_in_one_row_at_most() -> None:
    for engine in ("vllm", "sglang", "llama.cpp"):
        names = engine_parsers(engine)
        assert len(names) == len(set(names))
        assert all(by_parser(engine, name) is None for name in OTHER_PARSERS.get(engine, ()))
    assert engine_parsers("ollama") == ()


@pytest.mark.parametrize("row", PROTOCOLS.values(), ids=PROTOCOLS)
def test_every_marker_that_begins_calls_has_a_hint(row: OutputProtocol) -> None:
    # A text without any of these is not searched for the markers.
    assert all(any(hint in opener for hint in HINTS) for opener in row.syntax.openers)
    assert all("<" in opener for opener in row.syntax.openers if not any(hint in opener for hint in HINTS[-2:]))


@pytest.mark.parametrize("row", PROTOCOLS.values(), ids=PROTOCOLS)
def test_every_row_can_be_read(row: OutputProtocol) -> None:
    assert set(row.engines) <= {"vllm", "sglang", "llama.cpp"}
    assert row.engines
    assert all(pattern == pattern.lower() for pattern in row.models)
    response = parse_response("Nothing to call.", row.name)
    assert (response.prose, response.calls, response.violations) == ("Nothing to call.", [], [])
    assert response.protocol == row.name


@pytest.mark.parametrize(
    ("model", "protocol"),
    [
        ("Qwen/Qwen3-8B", "hermes"),
        ("Qwen/Qwen3-Coder-30B-A3B-Instruct", "qwen3_coder"),
        ("Qwen/Qwen3.5-9B", "qwen3_coder"),
        ("deepseek-ai/DeepSeek-V3-0324", "deepseek_v3"),
        ("deepseek-ai/DeepSeek-V3.1-Terminus", "deepseek_v31"),
        ("deepseek-ai/DeepSeek-V4.1-Flash", "deepseek_v41"),
        ("mistralai/Devstral-Small-2507", "mistral"),
        ("meta-llama/Llama-3.3-70B-Instruct", "llama3_json"),
        ("meta-llama/Llama-4-Scout-17B-16E-Instruct", "llama4_pythonic"),
        ("openai/gpt-oss-20b", "openai"),
        ("moonshotai/Kimi-K3", "kimi_k3"),
        ("ibm-granite/granite-3.3-8b-instruct", "granite"),
        ("ibm-granite/granite-4.0-h-small", "granite4"),
        ("google/functiongemma-270m-it", "functiongemma"),
        ("gpt-4o", None),
    ],
)
def test_the_protocol_of_a_model(model: str, protocol: str | None) -> None:
    row = by_model(model)
    assert (row.name if row else None) == protocol


def test_the_name_of_a_parser_stands_for_its_protocol() -> None:
    text = '{"name": "read", "parameters": {"path": "a"}}'
    assert parse_response(text, "llama3").protocol == "llama3_json"
    row = parser_named("deepseekv31")
    assert row is not None
    assert row.name == "deepseek_v31"
    with pytest.raises(ValueError, match=r"unknown response protocol 'xml'.*hermes"):
        parse_response(text, "xml")
