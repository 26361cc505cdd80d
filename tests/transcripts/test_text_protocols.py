"""Calls that a message makes in its text, when the surface says by which protocol."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolsurface_lint.model.diagnostics import Report

TOOLS = [
    {
        "name": "read_file",
        "description": "Reads one text file.",
        "input_schema": {
            "type": "object",
            "properties": {"path": {"type": "string", "description": "The file."}},
            "required": ["path"],
            "additionalProperties": False,
        },
    }
]


def run(folder: Path, check: Callable[..., Report], protocol: str, *texts: str) -> tuple[Report, str]:
    settings = f'[[surface]]\nname = "a"\ntools = "tools.json"\ntranscripts = "run.jsonl"\nprotocol = "{protocol}"\n'
    (folder / "toolsurface.toml").write_text(settings + 'done-sentinel = "##DONE##"\n', encoding="utf-8")
    (folder / "tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Read \U0001f4d6 it."}]
    for text in texts:
        messages += [{"role": "assistant", "content": text}, {"role": "user", "content": "Milk"}]
    text = json.dumps({"messages": messages}, ensure_ascii=False) + "\n"
    (folder / "run.jsonl").write_text(text, encoding="utf-8")
    return check(folder), text


def places(report: Report, text: str) -> list[tuple[str, str]]:
    found = []
    for diagnostic in report.diagnostics:
        assert diagnostic.location is not None
        found.append((diagnostic.code, text[diagnostic.location.span.start : diagnostic.location.span.end]))
    return found


CALLS = {
    "tagged": "<tool_call>\nread_file({ %s })\n</tool_call>",
    "fenced-json": '```tool\n{"name": "read_file", "args": {%s}}\n```',
}

ENDS = {"tagged": "<user_response>Milk.</user_response>\n<done>##DONE##</done>", "fenced-json": "Milk. ##DONE##"}


@pytest.mark.parametrize("protocol", sorted(CALLS))
def test_a_right_call_is_counted_and_clean(protocol: str, tmp_path: Path, check: Callable[..., Report]) -> None:
    report, _ = run(tmp_path, check, protocol, CALLS[protocol] % '"path": "a"', ENDS[protocol])
    assert report.diagnostics == ()
    assert report.summary["calls"] == 1


@pytest.mark.parametrize("protocol", sorted(CALLS))
def test_arguments_are_placed_in_the_raw_text(protocol: str, tmp_path: Path, check: Callable[..., Report]) -> None:
    report, text = run(tmp_path, check, protocol, CALLS[protocol] % '"path": 7')
    assert places(report, text) == [("CALL_INVALID_ARGUMENTS", "7")]
    report, text = run(tmp_path, check, protocol, CALLS[protocol] % '"path": "a", "line": 1')
    assert places(report, text) == [("CALL_INVALID_ARGUMENTS", '\\"line\\"')]


@pytest.mark.parametrize("protocol", sorted(CALLS))
def test_an_unknown_tool(protocol: str, tmp_path: Path, check: Callable[..., Report]) -> None:
    broken = (CALLS[protocol] % '"path": "a"').replace("read_file", "send_mail")
    report, text = run(tmp_path, check, protocol, broken)
    ((code, place),) = places(report, text)
    assert code == "CALL_UNKNOWN_TOOL"
    assert "send_mail" in place


def test_done_without_any_call(tmp_path: Path, check: Callable[..., Report]) -> None:
    report, text = run(tmp_path, check, "tagged", "<done>##DONE##</done>")
    assert places(report, text) == [("TRANSCRIPT_DONE_UNVERIFIED", "##DONE##")]


def test_the_rules_of_responses_apply_inside_messages(tmp_path: Path, check: Callable[..., Report]) -> None:
    report, text = run(tmp_path, check, "tagged", 'Let "me" see.\n' + CALLS["tagged"] % '"path": "a"')
    ((code, place),) = places(report, text)
    assert code.startswith("RESPONSE_")
    assert place.startswith('Let \\"me\\" see.')


def test_stored_text_has_no_wire_forms(tmp_path: Path, check: Callable[..., Report]) -> None:
    text = json.dumps(
        {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "\n[[CALL]]x"}]}
    )
    (tmp_path / "run.jsonl").write_text(text + "\n", encoding="utf-8")
    report = check(tmp_path)
    assert places(report, text) == [("RESERVED_TOKEN_WIRE_FORM", "[[CALL]]")]
