"""Fenced-JSON responses: every break of the protocol at its place, and what becomes of the calls."""

from __future__ import annotations

from typing import Any

import pytest

from toolsurface_lint.protocols.recognition import parse_response, recognise_protocol
from toolsurface_lint.protocols.response import Response

TOOLS = ("write", "list_files")
OBJECT = '{ "name": "write", "args": { "path": "a" } }'
BLOCK = f"```tool\n{OBJECT}\n```"


def read(text: str, **options: Any) -> Response:
    return parse_response(text, "fenced-json", **{"tools": TOOLS, **options})


def breaks(text: str, **options: Any) -> list[tuple[str, str, str]]:
    """Code, text at the place, and outcome of every violation."""
    return [
        (violation.code, text[slice(*violation.at)], violation.values.get("outcome", ""))
        for violation in read(text, **options).violations
    ]


def fenced(body: str) -> str:
    return f"```tool\n{body}\n```"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Just prose.",
        BLOCK,
        f"First.\n{BLOCK}\nThen.\n{BLOCK}\nLast.",
        f"  {BLOCK}  \n",
        BLOCK.replace("\n", "\r\n"),
        fenced('{"name": "list_files"}'),
        fenced('{"name": " list_files ", "args": {}, "note": 1}'),
        fenced('{"name": "write", "args": {"text": "```sh\\nls\\n```", "more": "<<EOF } </tool>"}}'),
        fenced('{\n"name": "write",\n"args": {}\n}'),
        "```python\nprint(1)\n```",
        'A pair: { "name": "Ada", "args": {} }',
        "Write `<tool_call>` there.",
    ],
)
def test_conforming(text: str) -> None:
    assert breaks(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (fenced(""), [("unterminated", "```tool", "lost")]),
        (fenced('{"name": "write"'), [("unterminated", "```tool", "lost")]),
        (fenced('{"name": "wri'), [("unterminated", "```tool", "lost")]),
        (fenced('{"name": "write", "args": tr'), [("unterminated", "```tool", "lost")]),
        ('```tool\n{"name": "write", "args":', [("unterminated", "```tool", "lost")]),
        ("```tool", [("unterminated", "```tool", "lost")]),
        (fenced(f"{OBJECT} x"), [("not_single_object", "x", "lost")]),
        (fenced(f"{OBJECT}\n{OBJECT}"), [("not_single_object", OBJECT, "lost")]),
        (fenced(f"[{OBJECT}]"), [("not_single_object", f"[{OBJECT}]", "lost")]),
        (fenced("null"), [("not_single_object", "null", "lost")]),
        (fenced("write({})"), [("invalid_json", "w", "lost")]),
        (fenced("{'name': 'write'}"), [("invalid_json", "'", "lost")]),
        (fenced('{"name": "write" // call\n}'), [("invalid_json", "/", "lost")]),
        (fenced('{"name": "a\nb"}'), [("invalid_json", "\n", "lost")]),
        (fenced('{"name": NaN}'), [("invalid_json", "{", "lost")]),
        (
            fenced('{"name": "write", "args": {"text": <<EOF\nx\nEOF\n}}'),
            [("invalid_json", "<", "lost"), ("heredoc", "<<", "lost")],
        ),
        (fenced("##DONE##"), [("sentinel_in_tool_block", "##DONE##", "lost")]),
        (fenced("{}"), [("missing_name", "{}", "lost")]),
        (fenced('{"name": " "}'), [("missing_name", '" "', "lost")]),
        (fenced('{"name": 1, "tool": "write"}'), [("missing_name", "1", "lost")]),
        (fenced('{"tool": "write", "args": {}}'), [("missing_name", '"write"', "runs")]),
        (fenced('{"name": "write", "args": "{}"}'), [("args_not_object", '"{}"', "lost")]),
        (fenced('{"name": "write", "args": []}'), [("args_not_object", "[]", "lost")]),
        (fenced('{"name": "write", "args": null}'), [("args_not_object", "null", "runs")]),
        (fenced('{"name": "write", "arguments": {}}'), [("wrong_key", "{}", "runs")]),
        (f"```tool\n{OBJECT}", [("unclosed_fence", "```tool", "runs")]),
        (f"```tool\n{OBJECT}\nand on", [("unclosed_fence", "```tool", "lost")]),
        (f"```tool\n{OBJECT}\n{BLOCK}", [("unclosed_fence", "```tool", "runs")]),
        (f"```json\n{OBJECT}\n```", [("wrong_info_string", "```json", "runs")]),
        (f"```tool_code\n{OBJECT}\n```", [("wrong_info_string", "```tool_code", "runs")]),
        (f"```tool python\n{OBJECT}\n```", [("wrong_info_string", "```tool python", "runs")]),
        (f"``` tool\n{OBJECT}\n```", [("wrong_info_string", "``` tool", "runs")]),
        (f"~~~tool\n{OBJECT}\n~~~", [("wrong_info_string", "~~~tool", "runs")]),
        (
            '```json\n{"name": "write", "args": 1}\n```',
            [("wrong_info_string", "```json", "lost"), ("args_not_object", "1", "lost")],
        ),
        (f"```\n{OBJECT}\n```", [("call_not_in_tool_fence", OBJECT, "lost")]),
        (f"```Tool\n{OBJECT}\n```", [("call_not_in_tool_fence", OBJECT, "lost")]),
        (f"````tool\n{OBJECT}\n````", [("call_not_in_tool_fence", OBJECT, "lost")]),
        (f"Calling {OBJECT} now", [("call_not_in_tool_fence", OBJECT, "lost")]),
        (OBJECT, [("call_not_in_tool_fence", OBJECT, "runs")]),
        ("<tool_call>\nwrite({})\n</tool_call>", [("call_not_in_tool_fence", "<tool_call>", "lost")]),
        (f"{BLOCK}\n<tool_call>{{}}</tool_call>", [("call_not_in_tool_fence", "<tool_call>", "lost")]),
        ("So:\nwrite({ path: 1 })", [("lost_call", "write({ path: 1 })", "lost")]),
    ],
)
def test_break(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert breaks(text) == expected


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        (BLOCK, [("write", {"path": "a"})]),
        (f"{fenced('{')}\n{BLOCK}", [("write", {"path": "a"})]),
        (f"```tool\n{OBJECT}\n{BLOCK}", [("write", {"path": "a"})] * 2),
        (fenced('{"name": "functions.write"}'), [("write", {})]),
        (fenced('{"name": "tool", "args": {"name": "write", "args": {"a": 1}}}'), [("write", {"a": 1})]),
        (fenced('{"name": "write", "args": {"n": ' + "9" * 5000 + "}}"), [("write", {"n": float("9" * 5000)})]),
        (fenced(f"{OBJECT}\n{OBJECT}"), []),
    ],
)
def test_calls_that_run(text: str, calls: list[tuple[str, dict[str, Any]]]) -> None:
    assert [(call.name, call.arguments) for call in read(text).calls] == calls


def test_places_of_a_call() -> None:
    text = 'Hm.\n```tool\n{ "name": "write", "args": { "a": [1, "\\ud83d\\ude00<<x"], "\\u0062": 2 } }\n```'
    (call,) = read(text).calls

    def shown(path: tuple[str | int, ...]) -> str:
        return text[slice(*call.argument_span(path))]

    assert text[slice(*call.span)].startswith('{ "name"')
    assert text[slice(*call.parts.name_span)] == '"write"'
    assert shown(("a", 1)) == '"\\ud83d\\ude00<<x"'
    assert shown(("b",)) == "2"
    assert call.arguments == {"a": [1, "\U0001f600<<x"], "b": 2}


def test_prose_is_what_stands_outside_the_blocks() -> None:
    assert read(f"One.\n{BLOCK}\nTwo.\n").prose == "One.\nTwo."
    assert read(BLOCK).prose == ""


def test_deep_json_is_refused() -> None:
    deep = "[" * 600 + "]" * 600
    call = '{"name": "write", "args": {"a": ' + deep + "}}"
    assert [code for code, _, _ in breaks(fenced(call))] == ["invalid_json"]
    assert [code for code, _, _ in breaks(fenced("[" * 100_000))] == ["invalid_json"]


@pytest.mark.parametrize(
    ("text", "final", "expected"),
    [
        ("All set. ##OVER##", True, []),
        ("All set.", True, [("sentinel_missing", "All set.", "")]),
        ("All set.", False, []),
        (BLOCK, True, []),
        ("", True, []),
        ("##OVER## All set. ##OVER##", False, [("sentinel_repeated", "##OVER##", "")]),
        (f"```tool\n##OVER##\n```\n{BLOCK}", True, [("sentinel_in_tool_block", "##OVER##", "lost")]),
        (fenced('{"name": "write", "args": {"text": "##OVER## ##OVER##"}}'), True, []),
    ],
)
def test_sentinel(text: str, final: bool, expected: list[tuple[str, str, str]]) -> None:
    assert breaks(text, done_sentinel="##OVER##", final=final) == expected
    if not expected:
        assert read(text, done_sentinel="##OVER##").done == ("##OVER##" if text.startswith("All set. ##") else None)


def test_remarks_on_narration_between_calls() -> None:
    code = "```py\nx = 1\n```"
    assert [(remark.code, remark.at) for remark in read(code).remarks] == []
    response = read(f"{BLOCK}\n{code}\n")
    assert [(remark.code, response.text[slice(*remark.at)]) for remark in response.remarks] == [("code_in_prose", code)]


@pytest.mark.parametrize(
    ("text", "protocol"),
    [
        (BLOCK, "fenced-json"),
        (f"{BLOCK}\n".replace("\n", "\r\n"), "fenced-json"),
        ("<user_response>a</user_response>", "tagged"),
        ("Text.\n  <done>x</done>", "tagged"),
        ("Text.", None),
        ("in a line <done>x</done>", None),
        (f"<done>x</done>\n{BLOCK}", None),
        ("```tools\n{}\n```", None),
    ],
)
def test_recognition(text: str, protocol: str | None) -> None:
    assert recognise_protocol(text) == protocol
