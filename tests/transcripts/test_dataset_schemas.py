"""Rows of published datasets: which schema they are of, what is checked in them, and where it is reported."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolsurface_lint import Report

Found = tuple[str, int, str, str]
"""A finding: its code, its line, the raw text that it points at, its message."""

FORECAST = {
    "type": "function",
    "function": {
        "name": "forecast",
        "description": "Gives the weather of the next days at a place.",
        "parameters": {
            "type": "object",
            "properties": {"place": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["place"],
        },
    },
}


def call(arguments: Any, id: str = "call_1", name: str = "forecast") -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def chat(arguments: Any) -> list[dict[str, Any]]:
    return [
        {"role": "user", "content": "Will it rain in Ulm?"},
        {"role": "assistant", "content": None, "tool_calls": [call(arguments)]},
        {"role": "tool", "tool_call_id": "call_1", "content": "dry"},
        {"role": "assistant", "content": "No."},
    ]


@pytest.fixture
def lint(tmp_path: Path, check: Callable[..., Report]) -> Callable[..., tuple[list[Found], dict[str, int]]]:
    """What is found in rows, and how many conversations of which schema they are."""

    def run(*rows: Any, select: tuple[str, ...] = ("CALL_", "TRANSCRIPT_")) -> tuple[list[Found], dict[str, int]]:
        lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
        (tmp_path / "rows.jsonl").write_text("".join(line + "\n" for line in lines))
        report = check(tmp_path, extend_select=select)
        found = []
        for diagnostic in report.diagnostics:
            assert diagnostic.location is not None
            start, end = diagnostic.location.range
            raw = lines[start.line - 1][start.column - 1 : end.column - 1]
            found.append((diagnostic.code, start.line, raw, diagnostic.message))
        (summary,) = report.transcripts
        return found, summary.schemas

    return run


WRONG = "the call of `forecast` breaks its schema: `place` must be a string, not `3`"


@pytest.mark.parametrize("messages_as_text", [True, False])
@pytest.mark.parametrize("tools_as", ["text", "texts", "list"])
def test_messages_and_tools_in_lists_or_as_text(lint: Any, messages_as_text: bool, tools_as: str) -> None:
    def row(arguments: Any) -> dict[str, Any]:
        messages = chat(arguments)
        tools: Any = [FORECAST]
        tools = {"text": json.dumps(tools), "texts": [json.dumps(FORECAST)], "list": tools}[tools_as]
        return {"messages": json.dumps(messages) if messages_as_text else messages, "tools": tools}

    found, schemas = lint(row({"place": "Ulm"}), row({"place": 3}), row({"place": "Bonn", "days": 2}))
    assert found == [("CALL_INVALID_ARGUMENTS", 2, "3", WRONG)]
    assert schemas == {}


def test_the_schema_is_shown_where_it_is_written_in_the_text(tmp_path: Path, check: Callable[..., Report]) -> None:
    row = {"messages": json.dumps(chat({"place": 3})), "tools": json.dumps([FORECAST])}
    text = json.dumps(row)
    (tmp_path / "rows.jsonl").write_text(text + "\n")
    (diagnostic,) = check(tmp_path).diagnostics
    (related,) = diagnostic.related
    start, end = related.location.range
    assert text[start.column - 1 : end.column - 1] == r"\"string\""


def test_nulls_of_other_rows_count_as_absent(lint: Any) -> None:
    nulls = {"tool_calls": None, "tool_call_id": None, "name": None, "args": None, "function_call": None}
    messages = [{**nulls, **message} for message in chat({"place": "Ulm"})]
    messages[1]["tool_calls"][0].update(args=None, custom=None)
    messages[2]["content"] = "fine"
    schema = {
        "type": "object",
        "properties": {"place": {"type": "string", "enum": None, "default": None}, "query": None},
        "required": ["place"],
        "$ref": None,
    }
    tool = {"type": "function", "name": None, "function": {**FORECAST["function"], "parameters": schema}}
    found, _ = lint({"messages": messages, "tools": [tool]})
    assert found == []
    messages[1]["tool_calls"][0]["function"]["arguments"] = json.dumps({"query": "Ulm"})
    found, _ = lint({"messages": messages, "tools": [tool]})
    assert [(code, raw) for code, _, raw, _ in found] == [
        ("CALL_INVALID_ARGUMENTS", r"{\"query\": \"Ulm\"}"),
    ]


def test_a_null_that_a_model_wrote_is_an_argument(lint: Any) -> None:
    found, _ = lint({"messages": chat({"place": None}), "tools": json.dumps([FORECAST])})
    assert [(code, raw) for code, _, raw, _ in found] == [("CALL_INVALID_ARGUMENTS", "null")]


def test_toucan(lint: Any) -> None:
    def row(arguments: Any) -> dict[str, Any]:
        return {
            "uuid": "0",
            "question": "Will it rain in Ulm?",
            "messages": json.dumps(chat(arguments)),
            "available_tools": json.dumps([FORECAST]),
            "target_tools": "forecast",
        }

    found, schemas = lint(row({"place": "Ulm"}), row({"place": 3}))
    assert found == [("CALL_INVALID_ARGUMENTS", 2, "3", WRONG)]
    assert schemas == {"Toucan": 2}
