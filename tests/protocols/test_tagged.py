"""Tagged responses: every break of the protocol at its place, and what becomes of the calls."""

from __future__ import annotations

from typing import Any

import pytest

from toolsurface_lint.protocols.recognition import parse_response
from toolsurface_lint.protocols.response import Response

TOOLS = ("write", "list_files")
LIST = 'list_files({ path: "src" })'
BLOCK = f"<tool_call>\n{LIST}\n</tool_call>"


def read(text: str, **options: Any) -> Response:
    return parse_response(text, "tagged", **{"tools": TOOLS, **options})


def breaks(text: str, **options: Any) -> list[tuple[str, str, str]]:
    """Code, text at the place, and outcome of every violation."""
    return [
        (violation.code, text[slice(*violation.at)], violation.values.get("outcome", ""))
        for violation in read(text, **options).violations
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t",
        BLOCK,
        BLOCK.replace("\n", "\r\n"),
        BLOCK.replace("\n", "\r"),
        f"<assistant_prose>Looking.</assistant_prose>\n{BLOCK}",
        f"{BLOCK}{BLOCK} {BLOCK}\r\n",
        f"<tool_call>{LIST}</tool_call>",
        "<user_response>Done.</user_response>\n<done>##DONE##</done>",
        "<done>A</done><done>B</done>",
        f"<think>First I look.</think>\n{BLOCK}",
        "<tool_call>\nwrite({ text: <<T\n</tool_call> is a tag\nT\n})\n</tool_call>",
        "<tool_call>\nwrite({ text: <<T\n<tool_call>\nlist_files({})\n</tool_call>\nT\n})\n</tool_call>",
        '<tool_call>\nwrite({ text: "</tool_call>" })\n</tool_call>',
        "<user_response>Write `<tool_call>` before a call: <b>bold</b></user_response>",
        "<user_response>An answer stands in `<user_response>`.</user_response>",
        "<user_response>An example:\n```\nlist_files({})\n```\n</user_response>",
    ],
)
def test_conforming(text: str) -> None:
    assert breaks(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"Looking.\n{BLOCK}", [("stray_content", "Looking.", "")]),
        (f"{BLOCK}\nThat is all.", [("stray_content", "That is all.", "")]),
        ("1 < 2 and <b> too", [("stray_content", "1 < 2 and <b> too", "")]),
        (f"Here: {BLOCK}", [("stray_content", "Here:", "")]),
        ("Write `<tool_call>` now", [("stray_content", "Write `<tool_call>` now", "")]),
        (f"{BLOCK}\n</tool_call>", [("stray_content", "</tool_call>", "")]),
        ("write({ a: + })", [("stray_content", "write({ a: + })", "lost")]),
        (f"So:\n{LIST}", [("bare_call_outside_tags", LIST, "runs")]),
        ("<list_files({})>", [("bare_call_outside_tags", "<list_files({})>", "runs")]),
        (f"[[CALL]]\n{LIST}\n[[/CALL]]", [("bare_call_outside_tags", LIST, "runs")]),
        (f"<notes>hm</notes>{BLOCK}", [("unknown_tag", "<notes>", "")]),
        (f"<br>\n{BLOCK}", [("unknown_tag", "<br>", "")]),
        (f"</notes>{BLOCK}", [("unknown_tag", "</notes>", "")]),
        (f'<tool_call id="1">{LIST}</tool_call>', [("unknown_tag", '<tool_call id="1">', "runs")]),
        (f'<tool_call id="1">\n{LIST}\n</tool_call>', [("unknown_tag", '<tool_call id="1">', "runs")]),
        (f"<TOOL_CALL>\n{LIST}\n</TOOL_CALL>", [("unknown_tag", "<TOOL_CALL>", "runs")]),
        (f"<tool_cal>\n{LIST}\n</tool_call>", [("unknown_tag", "<tool_cal>", "runs")]),
        (f"<tool_call\n{LIST}\n</tool_call>", [("unclosed_tag", "<tool_call", "runs")]),
        ("<assistant_pro", [("unclosed_tag", "<assistant_pro", "")]),
        ("<user_response>Done.", [("unclosed_tag", "<user_response>", "")]),
        (f"<tool_call>\n{LIST}", [("unclosed_tag", "<tool_call>", "varies")]),
        (f"<tool_call>\n{LIST}\n{BLOCK}", [("unclosed_tag", "<tool_call>", "varies")]),
        ("<tool_call>\nwrite({ a: <<T\nx", [("unclosed_tag", "<tool_call>", "lost")]),
        ("<user_response>a\n<user_response>b</user_response>", [("unclosed_tag", "<user_response>", "")]),
        ("<user_response>a <user_response>b</user_response>", [("unclosed_tag", "<user_response>", "")]),
        ("<user_response>Done. <done>X</done>", [("unclosed_tag", "<user_response>", "")]),
        (f"<tool_call>\n{BLOCK}\n</tool_call>", [("nested_tool_call", "\n<tool_call>", "runs")]),
        (f"<tool_call>{BLOCK}", [("nested_tool_call", "<tool_call>", "runs")]),
        ("<tool_call></tool_call>", [("no_call", "<tool_call></tool_call>", "")]),
        ("<tool_call>\nI list it\n</tool_call>", [("no_call", "I list it", "lost")]),
        ("<tool_call>\nwrite ({ a: 1 })\n</tool_call>", [("no_call", "write ({ a: 1 })", "lost")]),
        ("<tool_call>{}</tool_call>", [("no_call", "{}", "lost")]),
        ("<tool_call>##DONE##</tool_call>", [("sentinel_in_tool_call", "##DONE##", "lost")]),
        (f"<tool_call>\n{LIST}\n{LIST}\n</tool_call>", [("several_calls", LIST, "")]),
        (f"<tool_call>\n{LIST} write({{}})\n</tool_call>", [("several_calls", "write({})", "")]),
        (f"<tool_call>\nNow:\n{LIST}\n</tool_call>", [("text_inside_tool_call", "Now:", "varies")]),
        (f"<tool_call>\n{LIST};\n</tool_call>", [("text_inside_tool_call", ";", "runs")]),
        (f"<tool_call><{LIST}></tool_call>", [("text_inside_tool_call", "<", "varies")]),
        (f"<tool_call>\n```js\n{LIST}\n```\n</tool_call>", [("markdown_fence", "```js", "varies")]),
        (f"<tool_call>`{LIST}`</tool_call>", [("markdown_fence", f"`{LIST}`", "varies")]),
        (f"```\n{BLOCK}\n```", [("markdown_fence", "```", "varies")]),
        (f"```\n{BLOCK}", [("markdown_fence", "```", "varies")]),
        (f"{BLOCK}\n```", [("stray_content", "```", "")]),
        (f"<tool_call>'{LIST}'</tool_call>", [("quoted_call", f"'{LIST}'", "lost")]),
        (f"<tool_call>\npython: {LIST}\n</tool_call>", [("label_prefix", "python:", "varies")]),
        (f"<tool_call>\nHint: {LIST}\n</tool_call>", [("label_prefix", "Hint", "lost")]),
        ("<tool_call>\nwrite()\n</tool_call>", [("not_object_literal", "write(", "lost")]),
        ("<tool_call>\nerase({})\n</tool_call>", [("unknown_tool", "erase", "lost")]),
        (
            '<tool_call>{"name": "write", "args": {}}</tool_call>',
            [("json_encoded_call", '{"name": "write", "args": {}}', "varies")],
        ),
        ('<tool_call>{"name": "write",</tool_call>', [("json_encoded_call", '{"name": "write",', "lost")]),
        (
            '<tool_call>{"name": "erase", "arguments": {}}</tool_call>',
            [
                ("json_encoded_call", '{"name": "erase", "arguments": {}}', "lost"),
                ("unknown_tool", '{"name": "erase", "arguments": {}}', "lost"),
            ],
        ),
        (
            '{"name": "write", "arguments": {}}',
            [
                ("json_encoded_call", '{"name": "write", "arguments": {}}', "varies"),
                ("stray_content", '{"name": "write", "arguments": {}}', ""),
            ],
        ),
        ("<tool_call>\nwrite({ a: + })\n</tool_call>", [("argument_syntax", "+", "lost")]),
        ('<tool_call>\nwrite({ a: "b })\n</tool_call>', [("unterminated_string", '"', "lost")]),
        ("<tool_call>\nwrite({ a: 1 }\n</tool_call>", [("missing_close_paren", "", "lost")]),
        ("<tool_call>\nwrite({ a: <<T\nb\n})\n</tool_call>", [("heredoc_unterminated", "<<T", "lost")]),
        ("<tool_call>\nwrite({ a: <<T\nT is it\nT\n})\n</tool_call>", [("heredoc_early_close", "T", "lost")]),
        (
            f"<user_response>Done.</user_response>\n{BLOCK}",
            [("tool_call_after_user_response", "<tool_call>", "runs")],
        ),
        (
            "<done>##DONE##</done>\n<user_response>Done.</user_response>",
            [("done_before_user_response", "<done>##DONE##</done>", "")],
        ),
        (
            "<done>X</done><user_response>a</user_response><user_response>b</user_response>",
            [("done_before_user_response", "<done>X</done>", "")],
        ),
        ("<done> </done>", [("empty_done", "<done> </done>", "")]),
        ("<assistant_prose></assistant_prose>", [("nothing_usable", "<assistant_prose></assistant_prose>", "")]),
        (
            f"<assistant_prose>\n{LIST}\n</assistant_prose>",
            [("lost_call", LIST, "lost")],
        ),
        (
            f"<user_response>So:\n{BLOCK}\n</user_response>",
            [("lost_call", "<tool_call>", "lost")],
        ),
    ],
)
def test_break(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert breaks(text) == expected


def test_parts_of_a_response() -> None:
    text = (
        "<assistant_prose> One. </assistant_prose>\n<assistant_prose>Two.</assistant_prose>\n"
        f"{BLOCK}\n<user_response>Three.</user_response>\n<user_response>Four.</user_response>\n<done> OK </done>"
    )
    response = read(text)
    assert [block.kind for block in response.blocks] == [
        "assistant_prose",
        "assistant_prose",
        "tool_call",
        "user_response",
        "user_response",
        "done",
    ]
    assert response.contents("assistant_prose") == ["One.", "Two."]
    assert response.user_response == response.prose == "Three.\n\nFour."
    assert response.done == "OK"
    assert text[slice(*response.blocks[2].span)] == BLOCK
    assert text[slice(*response.blocks[2].content)] == f"\n{LIST}\n"


def test_narration_is_the_prose_without_an_answer() -> None:
    response = read("<assistant_prose>One.</assistant_prose><assistant_prose>Two.</assistant_prose>")
    assert response.prose == "One.\n\nTwo."
    assert response.user_response is None


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (f"{LIST}\n{BLOCK}", ["list_files", "list_files"]),
        (f"<tool_call>\n{LIST}", ["list_files"]),
        (f"<tool_call>\n{LIST}\n{LIST}\n</tool_call>", []),
        (f"<tool_call>\n{LIST} write({{}})\n</tool_call>", ["list_files"]),
        (f"<tool_call>\nwrite({{ a: + }})\n{LIST}\n</tool_call>", []),
        (
            "<tool_call>\nwrite({ a: <<T\nx\n</tool_call>\n<tool_call>\nwrite({ a: <<T\ny\nT\n})\n</tool_call>",
            ["write"],
        ),
        ('[{"id": "call_1", "function": {"name": "write", "arguments": "{}"}}]', ["write"]),
        ("<assistant_prose>\nlist_files({})\n</assistant_prose>", []),
    ],
)
def test_calls_that_run(text: str, names: list[str]) -> None:
    assert [call.name for call in read(text).calls] == names


def test_a_string_that_runs_into_the_next_block_is_no_content() -> None:
    text = '<tool_call>\nwrite({ a: "x })\n</tool_call>\n<tool_call>\nwrite({ a: "y" })\n</tool_call>'
    assert breaks(text) == [("unterminated_string", '"', "lost")]
    assert [call.arguments for call in read(text).calls] == [{"a": "y"}]


@pytest.mark.parametrize(
    ("sentinel", "text", "expected"),
    [
        (None, "<done>any</done>", []),
        ("OVER", "<done>OVER</done>", []),
        ("OVER", "<done>##DONE##</done>", [("done_mismatch", "##DONE##", "")]),
        ("", "<done>##DONE##</done>", [("done_mismatch", "<done>##DONE##</done>", "")]),
        ("OVER", "<tool_call>OVER</tool_call>", [("sentinel_in_tool_call", "OVER", "lost")]),
        ("OVER", "<tool_call>##DONE##</tool_call>", [("no_call", "##DONE##", "lost")]),
        ("", "<tool_call>##DONE##</tool_call>", [("no_call", "##DONE##", "lost")]),
    ],
)
def test_sentinel(sentinel: str | None, text: str, expected: list[tuple[str, str, str]]) -> None:
    assert breaks(text, done_sentinel=sentinel) == expected


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("<assistant_prose>One.</assistant_prose>", True),
        (f"<assistant_prose>One.</assistant_prose>{BLOCK}", False),
        ("<assistant_prose>One.</assistant_prose><done>X</done>", False),
        ("<assistant_prose>One.</assistant_prose><user_response>Two.</user_response>", False),
        ("", False),
    ],
)
def test_a_final_response_needs_an_answer(text: str, missing: bool) -> None:
    assert [code for code, _, _ in breaks(text, final=True)] == (["missing_user_response"] if missing else [])
    assert breaks(text) == []


def test_another_error_is_reported_alone() -> None:
    text = "Hm.\n<assistant_prose>One.</assistant_prose>"
    assert [code for code, _, _ in breaks(text, final=True)] == ["stray_content"]


def remarks(text: str) -> list[tuple[str, str]]:
    return [(remark.code, text[slice(*remark.at)]) for remark in read(text).remarks]


def test_remarks_on_narration() -> None:
    assert remarks("<assistant_prose>Brief.</assistant_prose>") == []
    assert remarks("<assistant_prose>So:\n```py\nx = 1\n```\n</assistant_prose>") == [
        ("code_in_prose", "```py\nx = 1\n```")
    ]
    assert remarks("<assistant_prose>\n@@ -1 +1 @@\n-a\n</assistant_prose>") == [("code_in_prose", "@@ -1 +1 @@")]
    long = "word " * 200
    assert remarks(f"<assistant_prose>{long}</assistant_prose>") == [("long_prose", long.strip())]
    lines = "\n".join("x" * 13)
    assert remarks(f"<assistant_prose>{lines}</assistant_prose>") == [("long_prose", lines)]
    assert remarks(f"<user_response>{long}</user_response>") == []


def test_a_collapsed_model_repeats_the_opener() -> None:
    assert remarks("<tool_call>\n" * 2) == []
    assert remarks("<tool_call>\n" * 3) == [("opener_collapse", "<tool_call>\n<tool_call>\n<tool_call>")]


def test_unknown_tools_make_no_lost_calls() -> None:
    assert breaks("<user_response>Call it:\nsetup({})\n</user_response>", tools=None) == []


def test_an_unknown_protocol_is_refused() -> None:
    with pytest.raises(ValueError, match="expected one of tagged, fenced-json"):
        parse_response("", "xml")
