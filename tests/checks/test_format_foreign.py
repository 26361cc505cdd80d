"""Definitions in the shape of another provider: every holder, every request, and who is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolsurface_lint.knowledge.definition_shapes import ANTHROPIC, BEDROCK, GEMINI, HOLDERS, NATIVE, SCHEMA_KEYS
from toolsurface_lint.knowledge.provider_names import TITLES
from toolsurface_lint.model.diagnostics import Report

Check = Callable[..., Report]
CODE = "TOOL_FORMAT_FOREIGN"
SCHEMA = {"type": "object", "properties": {"id": {"type": "string"}}}


def definition(key: str = "parameters", schema: Any = SCHEMA, **more: Any) -> dict[str, Any]:
    return {"name": "read_note", "description": "Reads a note and returns its text.", key: schema, **more}


def chat(key: str = "parameters") -> dict[str, Any]:
    return {"type": "function", "function": definition(key)}


FORMS: dict[str, Any] = {
    "chat": chat(),
    "responses": definition(type="function"),
    "legacy": definition(),
    "anthropic": definition("input_schema"),
    "mcp": definition("inputSchema"),
    "bedrock": {"toolSpec": definition("inputSchema", {"json": SCHEMA})},
    "gemini": {"functionDeclarations": [definition("parametersJsonSchema")]},
}


def found(check: Check, folder: Path, value: Any, **options: Any) -> list[str]:
    (folder / "tools.json").write_text(json.dumps(value), encoding="utf-8")
    return [diagnostic.message for diagnostic in check(folder, select=[CODE], **options).diagnostics]


@pytest.mark.parametrize("key", SCHEMA_KEYS)
@pytest.mark.parametrize("holder", HOLDERS)
def test_every_key_in_every_holder(check: Check, tmp_path: Path, holder: str, key: str) -> None:
    value: Any = {
        "function": [chat(key)],
        "flat": [definition(key, type="function")],
        "toolSpec": [{"toolSpec": definition(key, {"json": SCHEMA} if key == "inputSchema" else SCHEMA)}],
        "result": {"jsonrpc": "2.0", "id": 1, "result": {"tools": [definition(key)]}},
    }.get(holder, [{holder: [definition(key)]}])
    # A key of Gemini's own makes a definition of its form, whatever else it says.
    recognised = key in HOLDERS[holder].keys or not key.startswith("parameters") or holder != "flat"
    messages = found(check, tmp_path, value)
    if key in HOLDERS[holder].keys:
        assert messages == []
    elif recognised:
        (message,) = messages
        assert message.startswith(f"`{key}` is not read in {HOLDERS[holder].place}: ")
        assert message.endswith(f" reads the schema from `{HOLDERS[holder].keys[0]}`")


CHAT = {"model": "gpt-4o", "messages": [{"role": "system", "content": "Help."}, {"role": "user", "content": "Hi."}]}
RESPONSES = {"model": "o3-mini", "input": "Hi.", "max_output_tokens": 100}
CLAUDE = {"model": "claude-opus-4-1", "system": "Help.", "max_tokens": 9, "messages": CHAT["messages"][1:]}
INVOKED = {"anthropic_version": "vertex-2023-10-16", "max_tokens": 9, "messages": CHAT["messages"][1:]}
CONTENTS = {"contents": [{"role": "user", "parts": [{"text": "Hi."}]}]}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("request_", "own", "api"),
    [
        (CHAT, "chat", "OpenAI's Chat Completions API"),
        (RESPONSES, "responses", "OpenAI's Responses API"),
        (CLAUDE, "anthropic", "Anthropic's Messages API"),
        (INVOKED, "anthropic", "Anthropic's Messages API"),
        (CONTENTS, "gemini", "Gemini's API"),
    ],
)
def test_every_form_in_every_request(
    check: Check, tmp_path: Path, request_: dict[str, Any], own: str, api: str, form: str
) -> None:
    messages = found(check, tmp_path, {**request_, "tools": [FORMS[own], FORMS[form]]})
    if form == own:
        assert messages == []
    else:
        (message,) = messages
        assert message.endswith(f" is not accepted by {api}")
        assert len(message) <= 120


@pytest.mark.parametrize(
    "changes",
    [
        {"model": "openai/gpt-4o"},
        {"model": "gpt-oss-120b"},
        {"model": "deepseek-chat"},
        {"model": None},
        {"id": "sample-1"},
        {"expected_tool": "read_note"},
        {"extra_body": {}},
    ],
)
def test_what_may_be_something_else_than_a_request_to_openai(
    check: Check, tmp_path: Path, changes: dict[str, Any]
) -> None:
    assert found(check, tmp_path, {**RESPONSES, **changes, "tools": [FORMS["chat"]]}) == []
    assert found(check, tmp_path, {**CHAT, **changes, "tools": [FORMS["anthropic"]]}) == []


@pytest.mark.parametrize("key", ["messages", "input", "contents", "model", "tools", "anthropic_version", "toolConfig"])
@pytest.mark.parametrize("value", [None, 1, "x", [], [1], {}, [{"role": 1}], {"tools": 1}])
def test_hostile_requests(check: Check, tmp_path: Path, key: str, value: Any) -> None:
    for request in (CHAT, RESPONSES, CLAUDE, INVOKED, CONTENTS):
        found(check, tmp_path, {"tools": [FORMS["mcp"]], **request, key: value})


@pytest.mark.parametrize(
    ("form", "provider", "foreign"),
    [
        ("anthropic", "gemini", True),
        ("anthropic", "vertex", True),
        ("anthropic", "openai, groq", True),
        ("anthropic", "anthropic", False),
        ("anthropic", "bedrock", False),
        ("anthropic", "openai, anthropic", False),
        # Who also has an API in Anthropic's form, or converts.
        ("anthropic", "openai, deepseek", False),
        ("anthropic", "litellm", False),
        ("anthropic", "claude-code, openai", False),
        ("anthropic", "portable", False),
        ("bedrock", "openai", True),
        ("bedrock", "bedrock", False),
        ("gemini", "anthropic", True),
        ("gemini", "google, anthropic", False),
        ("chat", "anthropic", False),
        ("mcp", "gemini", False),
        ("legacy", "anthropic", False),
        ("responses", "anthropic", False),
    ],
)
def test_who_is_named(check: Check, tmp_path: Path, form: str, provider: str, foreign: bool) -> None:
    assert bool(found(check, tmp_path, [FORMS[form]], provider=provider)) == foreign


def test_a_request_is_shown(check: Check, tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text(json.dumps({**RESPONSES, "tools": [FORMS["chat"]]}), encoding="utf-8")
    (diagnostic,) = check(tmp_path, select=[CODE]).diagnostics
    ((message, column),) = [(one.message, one.location.range.start.column) for one in diagnostic.related]
    assert (message, column) == ("this is in a request to OpenAI's Responses API", 22)
    assert diagnostic.help == (
        'write `{"type": "function", "name", "description", "parameters"}`; source: OpenAI\'s Responses API, API error: '
        "Missing required parameter: 'tools[0].name', in microsoft/autogen#6935 (2025-08, observed)"
    )


def test_once_for_a_list(check: Check, tmp_path: Path) -> None:
    tools = [{**FORMS["anthropic"], "name": name} for name in ("read_note", "find_note", "send_note")]
    assert found(check, tmp_path, tools, provider="gemini, openai") == [
        "`input_schema`, Anthropic's form, is not accepted by Gemini and OpenAI"
    ]


def test_a_misplaced_schema_is_not_missing(check: Check, tmp_path: Path) -> None:
    tools = [chat("inputSchema"), {"toolSpec": definition("input_schema")}]
    (tmp_path / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
    codes = {diagnostic.code for diagnostic in check(tmp_path).diagnostics}
    assert CODE in codes
    assert "TOOL_SURFACE_MISSING_SCHEMA" not in codes


def test_once_for_what_a_program_nests(check: Check, tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(f"TOOLS = [{chat('input_schema')!r}]\n", encoding="utf-8")
    report = check(tmp_path, select=[CODE], provider="openai")
    assert [diagnostic.message for diagnostic in report.diagnostics] == [
        "`input_schema` is not read in `function`: OpenAI reads the schema from `parameters`"
    ]


def test_harn_reads_its_own_documents_leniently(check: Check, tmp_path: Path) -> None:
    assert found(check, tmp_path, {"native_tools": [chat("input_schema")], "tools": []}) == []


def test_the_tables_name_providers_and_sources() -> None:
    assert set(NATIVE) <= set(TITLES)
    for native in NATIVE.values():
        assert native.shapes <= {ANTHROPIC, BEDROCK, GEMINI}
        assert native.source.text
    for holder in HOLDERS.values():
        assert set(holder.keys) <= set(SCHEMA_KEYS)
        assert holder.source.date.startswith("20")
