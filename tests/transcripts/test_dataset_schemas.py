"""Rows of published datasets: which schema they are of, what is checked in them, and where it is reported."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolsurface_lint import Diagnostic, Report
from toolsurface_lint.readers.conversations import mapped, tools_node
from toolsurface_lint.reporters.account import closing_lines
from toolsurface_lint.source.tree import plain

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


def said_of_calls(report: Report) -> list[Diagnostic]:
    """What a report says apart from the definitions of tools."""
    return [each for each in report.diagnostics if each.code.startswith(("CALL_", "TRANSCRIPT_"))]


@pytest.fixture
def lint(tmp_path: Path, check: Callable[..., Report]) -> Callable[..., tuple[list[Found], dict[str, int]]]:
    """What is found in rows, and how many conversations of which schema they are."""

    def run(*rows: Any) -> tuple[list[Found], dict[str, int]]:
        lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
        (tmp_path / "rows.jsonl").write_text("".join(line + "\n" for line in lines))
        report = check(tmp_path)
        found = []
        for diagnostic in said_of_calls(report):
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
    (diagnostic,) = said_of_calls(check(tmp_path))
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


def sent(*turns: tuple[str, str]) -> list[dict[str, str]]:
    """A conversation in ShareGPT's words."""
    return [{"from": role, "value": text} for role, text in turns]


def test_xlam(lint: Any) -> None:
    tools = [
        {
            "name": "forecast",
            "description": "Gives the weather of the next days at a place.",
            "parameters": {
                "place": {"type": "str", "description": "where"},
                "days": {"type": "int, optional", "description": "how many"},
                "hours": {"type": "List[int]", "description": "of the day", "default": ""},
                "unit": {"type": "Optional[str]", "description": "of the temperature"},
                "shape": {"type": "Shape", "description": "anything", "default": ""},
            },
        }
    ]

    def row(*calls: dict[str, Any]) -> dict[str, Any]:
        answers = [{"name": "forecast", "arguments": arguments} for arguments in calls]
        return {"id": 1, "query": "Rain?", "tools": json.dumps(tools), "answers": json.dumps(answers)}

    found, schemas = lint(
        row({"place": "Ulm", "hours": [1, 2], "unit": None, "shape": 3.5}, {"place": "Bonn", "days": 2}),
        row({"place": "Ulm", "days": "2"}, {"hours": [1, "x"]}, {"place": "Ulm", "month": 5}),
    )
    assert [(code, line, raw, message.partition("schema: ")[2]) for code, line, raw, message in found] == [
        ("CALL_INVALID_ARGUMENTS", 2, r"\"2\"", '`days` must be an integer, not `"2"`'),
        ("CALL_INVALID_ARGUMENTS", 2, r"{\"hours\": [1, \"x\"]}", "`place` is missing"),
        ("CALL_INVALID_ARGUMENTS", 2, r"\"x\"", '`hours[1]` must be an integer, not `"x"`'),
        ("CALL_INVALID_ARGUMENTS", 2, r"\"month\"", "`month` is not declared"),
    ]
    assert schemas == {"xLAM": 2}


def test_the_type_of_a_map_of_parameters_is_shown_where_it_is_written(
    tmp_path: Path, check: Callable[..., Report]
) -> None:
    tools = [{"name": "f", "description": "Does something useful.", "parameters": {"days": {"type": "int, optional"}}}]
    answers = [{"name": "f", "arguments": {"days": "2"}}]
    text = json.dumps({"query": "?", "tools": json.dumps(tools), "answers": json.dumps(answers)})
    (tmp_path / "rows.jsonl").write_text(text + "\n")
    (diagnostic,) = said_of_calls(check(tmp_path))
    (related,) = diagnostic.related
    start, end = related.location.range
    assert text[start.column - 1 : end.column - 1] == r"\"int, optional\""


def test_when2call(lint: Any) -> None:
    tool = {"name": "forecast", "description": "Gives the weather of the next days.", "parameters": {
        "type": "dict", "required": ["place"], "properties": {"place": {"type": "string"}, "days": {"type": "int"}}}}  # fmt: skip

    def row(correct: str, arguments: Any) -> dict[str, Any]:
        text = json.dumps({"name": "forecast", "arguments": arguments})
        return {
            "uuid": "0",
            "question": "Rain?",
            "correct_answer": correct,
            "answers": {"direct": "No.", "tool_call": text, "request_for_info": "Where?", "cannot_answer": "Sorry."},
            "target_tool": json.dumps(tool),
            "tools": [json.dumps(tool)],
        }

    found, schemas = lint(
        row("tool_call", {"place": "Ulm", "days": 1}),
        row("request_for_info", {"days": 1}),
        row("tool_call", {"place": "Ulm", "days": "one"}),
    )
    assert [(line, raw) for _, line, raw, _ in found] == [(3, r"\"one\"")]
    assert schemas == {"When2Call": 3}


def test_of_a_preference_the_chosen_response_counts(lint: Any) -> None:
    row = {
        "tools": [json.dumps(FORECAST)],
        "messages": [{"role": "user", "content": "Rain?"}],
        "chosen_response": {"role": "assistant", "content": "", "tool_calls": [call({"place": 3})]},
        "rejected_response": {"role": "assistant", "content": "", "tool_calls": [call({"place": 4})]},
    }
    found, schemas = lint(row)
    assert found == [("CALL_INVALID_ARGUMENTS", 1, "3", WRONG)]
    assert schemas == {"When2Call": 1}


GLAIVE = (
    "SYSTEM: You are a helpful assistant with access to the following functions. Use them if required -\n"
    '{\n    "name": "forecast",\n    "description": "Gives the weather of the next days.",\n    "parameters": {\n'
    '        "type": "object",\n        "properties": {"place": {"type": "string"}},\n        "required": ["place"]\n    }\n}\n\n'
    '{\n    "name": "tides",\n    "description": "Gives the tides of a harbour.",\n    "parameters": {"type": "object"}\n}\n'
)


def test_glaive(lint: Any) -> None:
    def row(arguments: str) -> dict[str, Any]:
        called = f'<functioncall> {{"name": "forecast", "arguments": \'{arguments}\'}} <|endoftext|>'
        chat = (
            f'USER: Rain?\n\n\nASSISTANT: {called}\n\n\nFUNCTION RESPONSE: {{"rain": false}}\n\n\n'
            "ASSISTANT: No, it's dry. <|endoftext|>\n"
        )
        return {"system": GLAIVE, "chat": chat}

    found, schemas = lint(row('{"place": "Ulm"}'), row('{"place": 3}'), row('{"place": "John\'s"}'), row('{"place": '))
    assert [(code, line, raw) for code, line, raw, _ in found] == [
        ("CALL_INVALID_ARGUMENTS", 2, "3"),
        ("CALL_ARGUMENTS_NOT_JSON", 4, ":"),
    ]
    assert schemas == {"Glaive v2": 4}


def test_glaive_without_functions(lint: Any) -> None:
    row = {
        "system": "SYSTEM: You are a helpful assistant.",
        "chat": "USER: Hello.\n\n\nASSISTANT: Hello. <|endoftext|>",
    }
    assert lint(row) == ([], {"Glaive v2": 1})


def test_toolace(lint: Any) -> None:
    functions = [
        {
            "name": "Get Weather (daily)",
            "description": "Gives the weather of a day.",
            "parameters": {
                "type": "dict",
                "properties": {"place": {"type": "string"}, "day": {"type": "int"}},
                "required": ["place"],
            },
            "required": None,
        },
        {"name": "tides/now", "description": "Gives the tides.", "parameters": {"type": "dict", "properties": {}}},
    ]
    listed = json.dumps(functions)
    system = (
        f"You compose functions. Here is a list of functions in JSON format that you can invoke:\n{listed}. \nUse them."
    )

    def row(text: str) -> dict[str, Any]:
        turns = sent(
            ("user", "Rain?"), ("assistant", text), ("tool", '[{"name": "x", "results": {}}]'), ("assistant", "No.")
        )
        return {"system": system, "conversations": turns}

    found, schemas = lint(
        row('[Get Weather (daily)(place="Ulm", day=2), tides/now()]'),
        row('[Get Weather (daily)(place="Ulm", day="two"), tides/later()]'),
        row("[a note]"),
    )
    assert [(code, line, raw) for code, line, raw, _ in found] == [
        ("CALL_INVALID_ARGUMENTS", 2, r"\"two\""),
        ("CALL_UNKNOWN_TOOL", 2, "tides/later"),
    ]
    assert schemas == {"ToolACE": 3}


@pytest.mark.parametrize(
    ("more", "name"),
    [
        ({}, "ShareGPT with tools"),
        ({"system": "Be brief."}, "ShareGPT with tools"),
        ({"id": "1", "category": "a", "subcategory": "b", "task": "c"}, "Hermes function calling"),
    ],
)
def test_sharegpt_with_tools(lint: Any, more: dict[str, str], name: str) -> None:
    def row(arguments: Any) -> dict[str, Any]:
        text = json.dumps({"name": "forecast", "arguments": arguments})
        turns = (
            sent(
                ("human", "Rain?"),
                ("gpt", f"<tool_call>\n{text}\n</tool_call>"),
                ("tool", "<tool_response>\n{}\n</tool_response>"),
            )
            if "task" in more
            else sent(("human", "Rain?"), ("function_call", text), ("observation", "{}"), ("gpt", "No."))
        )
        return {"conversations": turns, "tools": json.dumps([FORECAST]), **more}

    found, schemas = lint(row({"place": "Ulm"}), row({"place": 3}))
    assert found == [("CALL_INVALID_ARGUMENTS", 2, "3", WRONG)]
    assert schemas == {name: 2}


def test_messages_of_calls_and_of_results(lint: Any) -> None:
    def row(*texts: str) -> dict[str, Any]:
        calls = [{"role": "tool_call", "content": text} for text in texts]
        results = [{"role": "tool_response", "content": "{}"} for _ in texts]
        messages = [{"role": "user", "content": "Rain?"}, *calls, *results, {"role": "assistant", "content": "No."}]
        return {"messages": messages, "tools": json.dumps([FORECAST])}

    right = json.dumps({"name": "forecast", "arguments": {"place": "Ulm"}})
    found, _ = lint(
        row(right, right),
        # As Toucan's converter writes it: the text of a Python dict, whose arguments are JSON text.
        row(str({"name": "forecast", "arguments": '{"place": "Ulm"}'})),
        row(json.dumps({"name": "forecast", "arguments": {"place": 3}})),
        row('{"name": "forecast", "arguments": {"place": '),
    )
    assert [(code, line, raw) for code, line, raw, _ in found] == [
        ("CALL_INVALID_ARGUMENTS", 3, "3"),
        ("CALL_ARGUMENTS_NOT_JSON", 4, ":"),
    ]


def test_blocks_of_content_that_are_calls(lint: Any) -> None:
    def row(arguments: Any) -> dict[str, Any]:
        block = {"type": "tool_call", "value": json.dumps({"name": "forecast", "arguments": arguments})}
        messages = [
            {"role": "user", "content": [{"type": "text", "value": "Rain?"}]},
            {"role": "assistant", "content": [{"type": "reasoning", "value": "Hm."}, block, block]},
            {"role": "tool", "content": [{"type": "text", "value": "[{}, {}]"}]},
            {"role": "assistant", "content": [{"type": "text", "value": "No."}]},
        ]
        return {"messages": messages, "tools": json.dumps([FORECAST])}

    found, _ = lint(row({"place": "Ulm"}), row({"place": 3}))
    # One message has the results of both calls.
    assert found == [("CALL_INVALID_ARGUMENTS", 2, "3", WRONG)] * 2


@pytest.mark.parametrize("as_text", [True, False])
def test_prompt_and_completion(lint: Any, as_text: bool) -> None:
    def row(arguments: Any) -> dict[str, Any]:
        prompt, completion = chat(arguments)[:1], chat(arguments)[1:]
        return {
            "prompt": json.dumps(prompt) if as_text else prompt,
            "completion": json.dumps(completion) if as_text else completion,
            "messages": None,
            "tools": json.dumps([FORECAST]),
        }

    found, schemas = lint(row({"place": "Ulm"}), row({"place": 3}))
    assert found == [("CALL_INVALID_ARGUMENTS", 2, "3", WRONG)]
    assert schemas == {"prompt and completion (INTELLECT-3)": 2}


def test_nemotron(lint: Any) -> None:
    found, schemas = lint(
        {"messages": chat({"place": 3}), "metadata": json.dumps({"tools": [FORECAST]}), "license": "cc"},
        {"messages": chat({"place": 3}), "metadata": {"tools": [FORECAST]}, "license": "cc"},
        {"input": chat({"place": "Ulm"})[:1], "output": "No.", "generator": "x", "category": "chat"},
    )
    assert found == [("CALL_INVALID_ARGUMENTS", 1, "3", WRONG), ("CALL_INVALID_ARGUMENTS", 2, "3", WRONG)]
    assert schemas == {"Nemotron": 3}


@pytest.mark.parametrize("column", ["messages", "trajectory"])
def test_trajectories(lint: Any, column: str) -> None:
    row = {column: json.dumps(chat({"place": 3})), "instance_id": "a__b-1", "tools": json.dumps([FORECAST])}
    found, schemas = lint(row, {column: json.dumps(chat({"place": 3})), "instance_id": "a__b-2"})
    assert found == [("CALL_INVALID_ARGUMENTS", 1, "3", WRONG)]
    assert schemas == {"SWE trajectories": 2}


FUNCTION = {
    "name": "area.of",
    "description": "Gives the area of a rectangle.",
    "parameters": {
        "type": "dict",
        "properties": {
            "width": {"type": "float"},
            "height": {"type": "integer"},
            "unit": {"type": "string", "enum": ["m", "ft"]},
            "at": {"type": "tuple", "items": {"type": "float"}},
            "style": {"type": "dict", "properties": {"line": {"type": "String"}}},
            "raw": {"type": "any"},
        },
        "required": ["width", "height"],
    },
}
ACCEPTED = {
    "width": [2, 2.5],
    "height": [3],
    "unit": ["", "m"],
    "at": [[1, 2.5]],
    "style": [{"line": ["thin", ""]}],
    "raw": [1],
}


def bfcl(folder: Path, *accepted: Any) -> None:
    (folder / "possible_answer").mkdir()
    rows = [
        {"id": f"s_{i}", "question": [[{"role": "user", "content": "?"}]], "function": [FUNCTION]}
        for i in range(len(accepted))
    ]
    answers = [{"id": f"s_{i}", "ground_truth": truth} for i, truth in enumerate(accepted)]
    for path, lines in ((folder / "s.json", rows), (folder / "possible_answer" / "s.json", answers)):
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def answered(folder: Path, check: Callable[..., Report], *accepted: Any) -> tuple[list[Found], Report]:
    bfcl(folder, *accepted)
    report = check(folder)
    lines = (folder / "possible_answer" / "s.json").read_text().split("\n")
    found = []
    for diagnostic in said_of_calls(report):
        assert diagnostic.location is not None
        assert diagnostic.location.path == "possible_answer/s.json"
        start, end = diagnostic.location.range
        message = diagnostic.message.partition("schema: ")[2] or diagnostic.message
        found.append((diagnostic.code, start.line, lines[start.line - 1][start.column - 1 : end.column - 1], message))
    return found, report


def test_every_value_that_an_answer_accepts_is_checked(tmp_path: Path, check: Callable[..., Report]) -> None:
    found, report = answered(
        tmp_path,
        check,
        [{"area.of": ACCEPTED}],
        [{"area.of": {**ACCEPTED, "height": [3, "three"], "unit": ["mm", "km"]}}],
        [{"area.of": {**ACCEPTED, "style": [{"line": ["thin", 3]}], "at": [[1, "x"]]}}],
        [{"area.of": {"width": [2], "depth": [1]}}],
        [{"area.off": {"width": [2]}}],
    )
    assert [(line, raw, message) for _, line, raw, message in found] == [
        (2, '"three"', '`height` must be an integer, not `"three"`'),
        (2, '"mm"', '`unit` must be one of `"m"`, `"ft"`, not `"mm"`'),
        (2, '"km"', '`unit` must be one of `"m"`, `"ft"`, not `"km"`'),
        (3, '"x"', '`at[1]` must be a number, not `"x"`'),
        (3, "3", "`style.line` must be a string, not `3`"),
        (4, '{"width": [2], "depth": [1]}', "`height` is missing"),
        (4, '"depth"', "`depth` is not declared"),
        (5, '"area.off"', "the call names the tool `area.off`, which is not declared"),
    ]
    assert {summary.path: (summary.schemas, summary.calls) for summary in report.transcripts} == {
        "s.json": ({"BFCL": 5}, 0),
        "possible_answer/s.json": ({"BFCL": 5}, 5),
    }
    related = {item.location.path for diagnostic in said_of_calls(report)[:7] for item in diagnostic.related}
    assert related == {"s.json"}


def test_answers_without_their_questions_are_not_checked_beside_other_tools(
    tmp_path: Path, check: Callable[..., Report]
) -> None:
    tools = [{"name": name, "description": name, "inputSchema": {"type": "object"}} for name in ("mail", "mailbox")]
    (tmp_path / "tools.json").write_text(json.dumps(tools))
    rows = [{"id": f"s_{i}", "ground_truth": [["mail(to='x')", "send(to='x')"]]} for i in range(2)]
    (tmp_path / "answers.json").write_text("".join(json.dumps(row) + "\n" for row in rows))
    report = check(tmp_path)
    assert said_of_calls(report) == []
    assert report.summary["calls"] == 4


def test_answers_that_are_calls_as_text(tmp_path: Path, check: Callable[..., Report]) -> None:
    found, _ = answered(
        tmp_path,
        check,
        [["area.of(width=2, height=3)"], ["area.of(2, 3)", "area.of(2, height='x')"]],
        ["area.of(width='x', height=3)"],
        ["Paris"],
    )
    assert [(line, raw) for _, line, raw, _ in found] == [(1, "'x'"), (2, "'x'")]


def test_an_answer_in_the_row_of_its_question(lint: Any) -> None:
    row = {
        "id": "a",
        "question": [[{"role": "user", "content": "?"}]],
        "function": [FUNCTION],
        "ground_truth": [{"area.of": {"width": ["x"], "height": [1]}}],
    }
    found, schemas = lint(row)
    assert [(code, raw) for code, _, raw, _ in found] == [("CALL_INVALID_ARGUMENTS", '"x"')]
    assert schemas == {"BFCL": 1}


def test_a_required_argument_may_be_the_empty_text(tmp_path: Path, check: Callable[..., Report]) -> None:
    function = {
        **FUNCTION,
        "parameters": {"type": "dict", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    }
    row = {"id": "a", "question": [], "function": [function], "ground_truth": [{"area.of": {"name": [""]}}]}
    (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n")
    assert said_of_calls(check(tmp_path)) == []


def test_the_report_says_which_schema_was_recognised(tmp_path: Path, check: Callable[..., Report]) -> None:
    row = {"messages": json.dumps(chat({"place": "Ulm"})), "available_tools": json.dumps([FORECAST])}
    (tmp_path / "rows.jsonl").write_text(f"{json.dumps(row)}\n" * 2)
    report = check(tmp_path)
    assert "2 transcripts (8 turns, 2 calls; 2 rows of Toucan) in 1 file" in closing_lines(report)[-1]


def test_an_explicit_mapping_beats_recognition() -> None:
    value = {
        "messages": chat({"place": "Ulm"}),
        "talk": json.dumps(chat({"place": 3})),
        "info": json.dumps({"tools": [FORECAST]}),
        "available_tools": "[]",
    }
    schema = mapped("talk", "info.tools")
    found = schema.read(plain(value), None)
    assert found is not None
    assert found.messages == chat({"place": 3})
    tools = tools_node(found)
    assert tools is not None
    assert tools.value == [FORECAST]
    assert schema.name == "messages=talk, tools=info.tools"
    assert mapped("other").read(plain(value), None) is None
    # A name with a dot may be that of a column.
    dotted = mapped("a.b").read(plain({"a.b": value["messages"]}), None)
    assert dotted is not None


def test_rows_in_one_document(tmp_path: Path, check: Callable[..., Report]) -> None:
    rows = [
        {"conversations": sent(("human", "Rain?"), ("function_call", text)), "tools": json.dumps([FORECAST])}
        for text in (
            '{"name": "forecast", "arguments": {"place": "Ulm"}}',
            '{"name": "forecast", "arguments": {"place": 3}}',
        )
    ]
    text = json.dumps(rows, indent=2)
    (tmp_path / "rows.json").write_text(text)
    report = check(tmp_path)
    (diagnostic,) = said_of_calls(report)
    assert diagnostic.location is not None
    start, end = diagnostic.location.span
    assert (text[start:end], diagnostic.message) == ("3", WRONG)
    assert text.count("\n", 0, start) > text.count("\n") // 2
    assert report.transcripts[0].schemas == {"ShareGPT with tools": 2}


def test_calls_of_the_older_form_in_text(lint: Any) -> None:
    def row(arguments: Any) -> dict[str, Any]:
        messages = [
            {"role": "system", "content": "Be brief.", "function_call": None, "name": None},
            {"role": "user", "content": "Rain?", "function_call": None, "name": None},
            {
                "role": "assistant",
                "content": "",
                "function_call": {"name": "forecast", "arguments": json.dumps(arguments)},
            },
            {"role": "function", "content": "dry", "function_call": None, "name": "forecast"},
            {"role": "assistant", "content": "No.", "function_call": None, "name": None},
        ]
        return {"messages": json.dumps(messages), "available_tools": json.dumps([FORECAST]), "question": "Rain?"}

    found, schemas = lint(row({"place": "Ulm"}), row({"place": 3}))
    assert found == [("CALL_INVALID_ARGUMENTS", 2, "3", WRONG)]
    assert schemas == {"Toucan": 2}


def test_nothing_is_said_of_rows_without_conversations(tmp_path: Path, check: Callable[..., Report]) -> None:
    rows = [
        {"query": 1, "answers": [], "tools": []},
        {"question": "Who?", "answers": {"text": ["He"]}, "context": "It was he."},
        {"prompt": "Write.", "completion": "Written."},
        {"input": "x", "output": "y", "instruction": "z"},
        {"id": "a", "ground_truth": ["Paris"]},
        {"messages": "three of them", "metadata": 'a note about "tools"'},
        {"chat": "USER: hello", "system": None},
    ]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    report = check(tmp_path)
    assert [(skipped.path, skipped.reason) for skipped in report.skipped] == [("rows.jsonl", "not recognised")]


def definitions_of(report: Report) -> list[tuple[str, str, str]]:
    return [
        (each.code, each.pointer or "", each.message)
        for each in report.diagnostics
        if each.code in ("TOOL_SCHEMA_DEFAULT_INVALID", "TOOL_SCHEMA_ENUM_TYPE_MISMATCH")
    ]


@pytest.mark.parametrize("as_list", [True, False])
def test_defaults_and_enums_in_the_definitions_of_rows(
    tmp_path: Path, check: Callable[..., Report], as_list: bool
) -> None:
    tools = [
        {
            "name": name,
            "description": "Gives the weather of the next days at a place.",
            "parameters": {
                "place": {"type": "str", "description": "where"},
                "days": {"type": "int, optional", "description": "how many", "default": "2"},
            },
        }
        for name in ("forecast", "outlook")
    ]
    row = {"query": "Rain?", "tools": json.dumps(tools), "answers": "[]"}
    text = json.dumps([row, row]) if as_list else f"{json.dumps(row)}\n{json.dumps(row)}\n"
    (tmp_path / ("rows.json" if as_list else "rows.jsonl")).write_text(text)
    message = 'the default of `days` must be an integer, not `"2"`'
    before = "/0" if as_list else ""
    assert definitions_of(check(tmp_path)) == [
        ("TOOL_SCHEMA_DEFAULT_INVALID", f"{before}/tools/{number}/parameters/days/default", message)
        for number in (0, 1)
    ]
