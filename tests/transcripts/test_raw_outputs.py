"""Calls that answers make in the raw output of a model: in transcripts, and in files that are one response."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolsurface_lint import recognise_protocol
from toolsurface_lint.cli.check import check as command
from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.protocols.choosing import choose_protocol
from toolsurface_lint.protocols.recognition import recognise_raw

TOOL = {
    "type": "function",
    "function": {
        "name": "read_file",
        "description": "Reads one text file of the project.",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "lines": {"type": "integer"}},
            "required": ["path"],
        },
    },
}
PARSED = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "a.txt"}'}}
    ],
}
RESULT = {"role": "tool", "tool_call_id": "1", "content": "Milk"}
CALLS = {
    "hermes": '<tool_call>\n{"name": "read_file", "arguments": {"path": "é", "lines": "7"}}\n</tool_call>',
    "qwen3_coder": "<tool_call>\n<function=read_file>\n<parameter=path>\né\n</parameter>\n<parameter=lines>\nx7\n"
    "</parameter>\n</function>\n</tool_call>",
    "mistral": '[TOOL_CALLS]read_file{"path": "é", "lines": "7"}',
    "glm45": "<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>é</arg_value>\n<arg_key>lines</arg_key>\n"
    "<arg_value>x7</arg_value>\n</tool_call>",
    "kimi_k2": "<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>"
    '{"path": "é", "lines": "7"}<|tool_call_end|><|tool_calls_section_end|>',
    "openai": "<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>"
    '{"path": "é", "lines": "7"}<|call|>',
}


def run(folder: Path, check: Callable[..., Report], *messages: dict[str, Any], **options: Any) -> tuple[Report, str]:
    value = {"tools": [TOOL], "messages": [{"role": "user", "content": "Read it. \U0001f4d6"}, *messages]}
    text = json.dumps(value, ensure_ascii=False, indent=1)
    (folder / "run.json").write_text(text, encoding="utf-8")
    return check(folder, **options), text


def said(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def places(report: Report, text: str) -> list[tuple[str, str]]:
    return [
        (each.code, text[each.location.span.start : each.location.span.end])
        for each in report.diagnostics
        if each.location is not None
    ]


@pytest.mark.parametrize("protocol", sorted(CALLS))
def test_a_call_in_a_text_is_checked_as_any_call(protocol: str, tmp_path: Path, check: Callable[..., Report]) -> None:
    report, text = run(tmp_path, check, said(CALLS[protocol]), {"role": "tool", "content": "Milk"}, said("Milk."))
    ((code, place),) = places(report, text)
    assert code == "CALL_INVALID_ARGUMENTS"
    assert place.strip('\\"n') in ("7", "x7")
    assert report.summary["calls"] == 1
    assert report.protocols == {protocol: 1} == report.transcripts[0].protocols
    assert report.transcripts[0].results == 1


@pytest.mark.parametrize("protocol", sorted(CALLS))
def test_a_call_that_no_parser_has_read(protocol: str, tmp_path: Path, check: Callable[..., Report]) -> None:
    report, _ = run(tmp_path, check, PARSED, RESULT, said(CALLS[protocol]), select=["TRANSCRIPT"])
    assert [each.code for each in report.diagnostics] == ["TRANSCRIPT_UNPARSED_CALL"]


@pytest.mark.parametrize("protocol", sorted(CALLS))
def test_a_call_that_is_shown_is_not_one(protocol: str, tmp_path: Path, check: Callable[..., Report]) -> None:
    call = CALLS[protocol]
    line = call.replace("\n", "")
    shown = [f"```\n{call}\n```\nSo it is.", f"~~~xml\n{call}\n~~~", f"It is `{line}`.", f'It is "{line}".']
    report, _ = run(tmp_path, check, PARSED, RESULT, *map(said, shown))
    assert report.diagnostics == ()
    assert report.protocols == {}
    assert [recognise_raw(text) for text in shown] == [None] * len(shown)


def test_the_model_says_the_protocol(tmp_path: Path, check: Callable[..., Report]) -> None:
    report, text = run(tmp_path, check, said(CALLS["mistral"]), model="Qwen/Qwen2.5-7B-Instruct")
    assert places(report, text)[0][0] == "RESPONSE_WRONG_PROTOCOL"
    assert report.summary["calls"] == 0


@pytest.mark.parametrize(
    ("given", "model", "plain", "chosen"),
    [
        ("mistral", "qwen2.5", "hermes", "mistral"),
        (None, "qwen2.5", "mistral", "hermes"),
        (None, "qwen2.5", "tagged", "tagged"),
        (None, "gpt-4o", "mistral", "mistral"),
        (None, "qwen2.5", None, "hermes"),
        (None, None, None, None),
    ],
)
def test_who_says_the_protocol(given: str | None, model: str | None, plain: str | None, chosen: str | None) -> None:
    assert choose_protocol(given, model, plain) == chosen


@pytest.mark.parametrize(
    ("text", "protocol"),
    [
        ('<tool_call>\n{"name": "a", "argu', "hermes"),
        ("<tool_call>\n<function=a>\n<para", "qwen3_coder"),
        ("<tool_call>\na({})\n</tool_call>", "tagged"),
        ('<assistant_prose>A.</assistant_prose>\n<tool_call>\n{"name": "a", "arguments": {}}\n</tool_call>', "tagged"),
        ('<think>\nHm.\n</think>\n<tool_call>\n{"name": "a", "arguments": {}}\n</tool_call>', "hermes"),
        ("Use <tool_call> for it, as <function=a> is old, and [TOOL_CALLS] too.", None),
        ('Ok.<tool_call>{"name": "a", "arguments": {}}</tool_call>', "hermes"),
        ('I look! <tool_call>{"name": "a", "arguments": {}}</tool_call><|im_end|>', "hermes"),
        ("I look it up. <tool_call>a\n<arg_key>b</arg_key>\n<arg_value>c</arg_value>\n</tool_call>\n", "glm45"),
        ("我查一下。<tool_call><function=a></function></tool_call>\nSo it is.", "qwen3_coder"),
        ('A model writes <tool_call>{"name": "a", "arguments": {}}</tool_call>', None),
        ('It writes tags, e.g. <tool_call>{"name": "a", "arguments": {}}</tool_call>', None),
        ('Look. <tool_call>{"name": "a", "arguments": {}}</tool_call> is how it calls.', None),
        ('Look. `<tool_call>{"name": "a", "arguments": {}}</tool_call>`', None),
        ('Look. <tool_call>{"name": "a", "argu', None),
        ('Look. <tool_call>{"name": <tool_call>{"name": "a", "arguments": {}}, and so on', None),
        ('Not `<tool_call>{</tool_call>`, but\n<tool_call>{"name": "a", "arguments": {}}</tool_call>', "hermes"),
        ("a <| b |> c, and functools.partial(f, [1])", None),
    ],
)
def test_what_a_text_plainly_is(text: str, protocol: str | None) -> None:
    assert recognise_protocol(text) == protocol


def test_the_report_says_what_was_read_by_which_protocol(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "1.txt").write_text(CALLS["hermes"], encoding="utf-8")
    (tmp_path / "2.txt").write_text("Nothing to call.", encoding="utf-8")
    (tmp_path / "3.txt").write_text("<user_response>Yes.</user_response>", encoding="utf-8")
    command(["1.txt", "2.txt", "3.txt"], kind="response", output=["concise"])
    assert capsys.readouterr().out.splitlines()[-1] == (
        "No problems found. Checked 1 surface: 0 tools, 2 responses (1 call; read 1 as hermes, 1 as tagged) in 2 files; "
        "skipped 1 (a response of no known protocol)."
    )


def test_the_alias_of_an_engine_is_a_protocol(tmp_path: Path, check: Callable[..., Report]) -> None:
    (tmp_path / "1.txt").write_text(CALLS["openai"], encoding="utf-8")
    report = check(tmp_path, "1.txt", kind="response", protocol="gpt-oss")
    assert (report.protocols, report.summary["calls"]) == ({"openai": 1}, 1)
