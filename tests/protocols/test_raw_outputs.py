"""Raw outputs of models by hand: the calls of each grammar, and what is wrong with exact places."""

from __future__ import annotations

from typing import Any

import pytest

from toolsurface_lint.protocols.recognition import parse_response, recognise_protocol
from toolsurface_lint.protocols.response import Response

TOOLS = [
    {"name": "read", "parameters": {"properties": {"path": {"type": "string"}, "limit": {"type": "integer"}}}},
    {
        "type": "function",
        "function": {
            "name": "edit",
            "parameters": {
                "properties": {
                    "path": {"type": "string"},
                    "lines": {"type": "array"},
                    "dry": {"type": ["boolean", "null"]},
                    "note": {"anyOf": [{"type": "string"}, {"type": "number"}]},
                }
            },
        },
    },
]


def read(protocol: str, text: str, **options: Any) -> Response:
    return parse_response(text, protocol, **{"tools": TOOLS, **options})


def calls(response: Response) -> list[tuple[str, dict[str, Any]]]:
    return [(call.name, call.arguments) for call in response.calls]


def violations(response: Response) -> list[tuple[str, int, str]]:
    """The kind of each violation, where it begins, and the text at its place."""
    return [(found.kind, found.at.start, response.text[slice(*found.at)]) for found in response.violations]


READ = ("read", {"path": "a.txt", "limit": 2})
READ_JSON = '{"path": "a.txt", "limit": 2}'
HERMES = f'<tool_call>\n{{"name": "read", "arguments": {READ_JSON}}}\n</tool_call>'
CODER = (
    "<tool_call>\n<function=read>\n<parameter=path>\na.txt\n</parameter>\n<parameter=limit>\n2\n</parameter>\n"
    "</function>\n</tool_call>"
)
GLM = (
    "<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>a.txt</arg_value>\n"
    "<arg_key>limit</arg_key>\n<arg_value>2</arg_value>\n</tool_call>"
)
DSML = (
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="read">\n<｜DSML｜parameter name="path" string="true">a.txt'
    '</｜DSML｜parameter>\n<｜DSML｜parameter name="limit" string="false">2</｜DSML｜parameter>\n</｜DSML｜invoke>\n'
    "</｜DSML｜function_calls>"
)
K3 = (
    '<|open|>tools<|sep|><|open|>call tool="read" index="1"<|sep|><|open|>argument key="path" type="string"<|sep|>a.txt'
    '<|close|>argument<|sep|><|open|>argument key="limit" type="number"<|sep|>2<|close|>argument<|sep|>'
    "<|close|>call<|sep|><|close|>tools<|sep|>"
)
WRITTEN = {
    "hermes": HERMES,
    "granite": f'<|tool_call|>[{{"name": "read", "arguments": {READ_JSON}}}]',
    "phi4_mini_json": f'functools[{{"name": "read", "arguments": {READ_JSON}}}]',
    "apertus": f'<|tools_prefix|>[{{"read": {READ_JSON}}}]<|tools_suffix|>',
    "cohere_command3": (
        f'<|START_ACTION|>[{{"tool_call_id": "0", "tool_name": "read", "parameters": {READ_JSON}}}]<|END_ACTION|>'
    ),
    "llama3_json": f'<|python_tag|>{{"name": "read", "parameters": {READ_JSON}}}',
    "qwen3_coder": CODER,
    "minimax_m2": (
        '<minimax:tool_call>\n<invoke name="read">\n<parameter name="path">a.txt</parameter>\n'
        '<parameter name="limit">2</parameter>\n</invoke>\n</minimax:tool_call>'
    ),
    "deepseek_v32": DSML,
    "glm45": GLM,
    "deepseek_v3": (
        f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read\n```json\n{READ_JSON}\n```"
        "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
    ),
    "kimi_k2": (
        f"<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{READ_JSON}"
        "<|tool_call_end|><|tool_calls_section_end|>"
    ),
    "mistral": f"[TOOL_CALLS]read[CALL_ID]a1b2c3d4e[ARGS]{READ_JSON}",
    "openai": f"<|channel|>commentary to=functions.read <|constrain|>json<|message|>{READ_JSON}<|call|>",
    "llama4_pythonic": "<|python_start|>[read(path='a.txt', limit=2)]<|python_end|>",
    "lfm2": '<|tool_call_start|>[read(path="a.txt", limit=2)]<|tool_call_end|>',
    "gemma4": '<|tool_call>call:read{limit:2,path:<|"|>a.txt<|"|>}<tool_call|>',
    "kimi_k3": K3,
}


@pytest.mark.parametrize("protocol", WRITTEN)
def test_a_call(protocol: str) -> None:
    text = WRITTEN[protocol]
    response = read(protocol, text)
    assert calls(response) == [READ]
    assert (response.prose, response.reasoning, violations(response)) == ("", None, [])
    call = response.calls[0]
    assert text[slice(*call.parts.name_span)].strip('"') == "read"
    assert text[slice(*call.argument_span(("limit",)))] == "2"
    path = text[slice(*call.argument_span(("path",)))].strip("\"'<|>")
    assert path == "a.txt"
    key = call.key_span("limit")
    assert key is not None
    assert text[slice(*key)].strip('"') == "limit"


@pytest.mark.parametrize("protocol", WRITTEN)
def test_a_text_with_a_call_is_recognised(protocol: str) -> None:
    assert recognise_protocol(WRITTEN[protocol]) == protocol


@pytest.mark.parametrize(
    "text", ["Hello.", "a < b | c", '{"name": "read", "parameters": {}}', "<tool_calls>", "functools"]
)
def test_a_text_without_a_marked_call_is_not_recognised(text: str) -> None:
    assert recognise_protocol(text) is None


# Reasoning


def test_reasoning_and_prose_stand_apart() -> None:
    response = read("hermes", f"<think>\nA file.\n</think>\n\nI read it.\n{HERMES}<|im_end|>\n")
    assert (response.reasoning, response.prose, calls(response)) == ("A file.", "I read it.", [READ])
    assert violations(response) == []


def test_reasoning_that_the_prompt_has_opened_ends_with_its_marker() -> None:
    response = read("glm45", f"A file.</think>{GLM}")
    assert (response.reasoning, calls(response)) == ("A file.", [READ])
    assert read("glm45", "A file.", reasoning=True).reasoning == "A file."
    assert read("glm45", "A file.", reasoning=False).prose == "A file."


def test_a_marker_of_reasoning_in_an_argument_closes_nothing() -> None:
    response = read("hermes", '<tool_call>{"name": "read", "arguments": {"path": "</think>"}}</tool_call>')
    assert (calls(response), response.reasoning) == ([("read", {"path": "</think>"})], None)


def test_a_call_in_reasoning_does_not_run() -> None:
    response = read("hermes", f"<think>Should I say {HERMES}?</think>No.")
    assert (calls(response), response.prose) == ([], "No.")
    assert violations(response) == [("call_in_reasoning", 20, "<tool_call>")]
    assert response.violations[0].values["name"] == "read"


def test_a_call_before_the_end_of_reasoning_ends_it() -> None:
    response = read("qwen3_coder", f"A file.\n{CODER}", reasoning=True)
    assert (response.reasoning, calls(response)) == ("A file.", [READ])
    assert violations(response) == [("call_in_reasoning/unclosed", 8, "<tool_call>")]


def test_reasoning_that_is_cut_off() -> None:
    response = read("mistral", "[THINK]The user wants")
    assert (response.reasoning, response.prose) == ("The user wants", "")
    assert violations(response) == [("cut_off/reasoning", 0, "[THINK]")]


@pytest.mark.parametrize(
    ("protocol", "text"),
    [
        ("cohere_command3", "<|START_RESPONSE|>Hello.<|END_RESPONSE|>"),
        ("ernie45", "<think>A greeting.</think>\n\n<response>\nHello.\n</response>"),
        ("hunyuan_a13b", "<think>A greeting.</think>\n<answer>Hello.</answer>"),
        ("gigachat3", "Hello.<|message_sep|>"),
    ],
)
def test_what_frames_an_answer_is_no_part_of_it(protocol: str, text: str) -> None:
    response = read(protocol, text)
    assert (response.prose, violations(response)) == ("Hello.", [])


# Broken calls

BROKEN: list[tuple[str, str, list[Any], list[tuple[str, int, str]]]] = [
    # Cut off
    ("hermes", '<tool_call>\n{"name": "read", "argu', [], [("cut_off", 0, "<tool_call>")]),
    ("hermes", "On it.\n<tool_call>", [], [("cut_off", 7, "<tool_call>")]),
    ("qwen3_coder", CODER[:60], [], [("cut_off", 12, "<function=")]),
    ("glm45", GLM[:-12], [], [("cut_off", 0, "<tool_call>")]),
    ("mistral", '[TOOL_CALLS]read[ARGS]{"path": ', [], [("cut_off", 0, "[TOOL_CALLS]")]),
    ("llama3_json", '{"name": "read", "parameters": {', [], [("cut_off", 0, "{")]),
    ("llama4_pythonic", '[read(path="a"), read(path="b', [], [("cut_off", 0, "[")]),
    ("gemma4", "<|tool_call>call:read{limit:", [], [("cut_off", 0, "<|tool_call>")]),
    ("openai", '<|channel|>commentary to=functions.read<|message|>{"path"', [], [("cut_off", 39, "<|message|>")]),
    ("kimi_k3", K3[:100], [], [("cut_off", 20, "<|open|>")]),
    (
        "deepseek_v32",
        DSML.replace("</｜DSML｜function_calls>", ""),
        [READ],
        [("unclosed_section", 0, "<｜DSML｜function_calls>")],
    ),
    # Unclosed
    ("hermes", HERMES[:-12], [], [("unclosed_call", 0, "<tool_call>")]),
    ("hermes", HERMES[:-12] + HERMES, [READ, READ], [("unclosed_call", 0, "<tool_call>")]),
    ("qwen3_coder", CODER.replace("</function>\n", ""), [READ], [("unclosed_call", 12, "<function=")]),
    (
        "qwen3_coder",
        CODER.replace("</parameter>\n<parameter=limit>", "<parameter=limit>"),
        [READ],
        [("unclosed_argument", 28, "<parameter=path>")],
    ),
    ("glm45", GLM.replace("2</arg_value>", "2"), [READ], [("unclosed_argument", 94, "<arg_value>")]),
    (
        "kimi_k2",
        WRITTEN["kimi_k2"].replace("<|tool_call_end|>", ""),
        [READ],
        [("unclosed_call", 28, "<|tool_call_begin|>")],
    ),
    ("qwen3_coder", CODER.removeprefix("<tool_call>\n"), [READ], [("missing_opener", 0, "<function=")]),
    (
        "kimi_k3",
        K3.removeprefix("<|open|>tools<|sep|>").removesuffix("<|close|>tools<|sep|>"),
        [],
        [("missing_opener", 0, "<|open|>")],
    ),
    # Nested
    ("hermes", f'<tool_call>{{"name": {HERMES}', [READ], [("nested_call", 20, "<tool_call>")]),
    ("glm45", f"<tool_call>{GLM}", [READ], [("nested_call", 11, "<tool_call>")]),
    # Arguments
    ("hermes", "<tool_call>{'name': 'read'}</tool_call>", [], [("arguments_not_json/key", 12, "'")]),
    ("hermes", "<tool_call>read the file</tool_call>", [], [("arguments_not_json/value", 11, "r")]),
    ("hermes", '<tool_call>{"name": "read"}}</tool_call>', [], [("arguments_not_json/rest", 27, "}")]),
    (
        "hermes",
        '<tool_call>{"name": "read", "arguments": "a"}</tool_call>',
        [],
        [("arguments_not_json/string", 41, '"a"')],
    ),
    ("hermes", '<tool_call>{"name": "read", "arguments": [1]}</tool_call>', [], [("args_not_object", 41, "[1]")]),
    ("hermes", '<tool_call>{"arguments": {}}</tool_call>', [], [("missing_name", 11, '{"arguments": {}}')]),
    ("deepseek_v32", DSML.replace(">2<", ">two<"), [], [("arguments_not_json/value", 162, "t")]),
    ("kimi_k3", K3.replace("<|sep|>2<", "<|sep|>two<"), [], [("arguments_not_json/value", 187, "t")]),
    ("llama4_pythonic", '[read("a.txt")]', [], [("argument_syntax/literal/positional", 6, '"')]),
    ("llama4_pythonic", "[read(path=name)]", [], [("argument_syntax/literal/value", 11, "n")]),
    ("gemma4", "<|tool_call>call:read{limit:[1}<tool_call|>", [], [("argument_syntax/literal/separator", 30, "}")]),
    (
        "openai",
        "<|channel|>commentary to=functions.read<|message|>a<|call|>",
        [],
        [("arguments_not_json/value", 50, "a")],
    ),
    # Around the calls
    ("hermes", "Say <tool_call> for a call.", [], [("leaked_token", 4, "<tool_call>")]),
    ("hermes", "Hi</tool_call>", [], [("leaked_token", 2, "</tool_call>")]),
    ("hermes", "Hi<|im_end|>\nmore", [], [("leaked_token", 2, "<|im_end|>")]),
    ("mistral", "[TOOL_CALLS] not a call", [], [("leaked_token", 0, "[TOOL_CALLS]")]),
    ("openai", "<|channel|>final<|message|>Hi<|end|><|return|>", [], []),
    (
        "openai",
        "<|channel|>final<|message|>Hi <|start|> you",
        [],
        [("unclosed_message", 30, "<|start|>"), ("cut_off", 30, "<|start|> y")],
    ),
    (
        "openai",
        "<|channel|>??<|end|><|start|>assistant<|channel|>final<|message|>Hi",
        [],
        [("malformed_header", 0, "<|channel|>??")],
    ),
    (
        "hermes",
        f"{HERMES} then {HERMES} done",
        [READ, READ],
        [("lost_text/between", 86, "then"), ("lost_text/after", 177, "done")],
    ),
    (
        "kimi_k2",
        WRITTEN["kimi_k2"].replace("begin|><|tool_call_b", "begin|> so <|tool_call_b", 1),
        [READ],
        [("lost_text/inside", 29, "so")],
    ),
]


@pytest.mark.parametrize(("protocol", "text", "expected", "problems"), BROKEN)
def test_a_broken_call(protocol: str, text: str, expected: list[Any], problems: list[tuple[str, int, str]]) -> None:
    response = read(protocol, text)
    assert calls(response) == expected
    assert violations(response) == problems


def test_arguments_that_are_encoded_twice_are_read() -> None:
    text = '<tool_call>{"name": "read", "arguments": "{\\"path\\": \\"a\\"}"}</tool_call>'
    response = read("hermes", text)
    assert calls(response) == [("read", {"path": "a"})]
    assert violations(response) == [("arguments_double_encoded", 41, '"{\\"path\\": \\"a\\"}"')]
    # There is no place for what is in the string but the string.
    assert response.calls[0].argument_span(("path",)) == response.violations[0].at


@pytest.mark.parametrize(
    ("reader", "text", "written"),
    [
        ("hermes", CODER, "qwen3_coder"),
        ("hermes", GLM, "glm45"),
        ("qwen3_coder", HERMES, "hermes"),
        ("glm45", HERMES, "hermes"),
        ("hermes", WRITTEN["mistral"], "mistral"),
        ("llama3_json", CODER, "qwen3_coder"),
        ("openai", WRITTEN["kimi_k2"], "kimi_k2"),
        ("mistral", DSML, "deepseek_v32"),
    ],
)
def test_a_call_of_another_protocol(reader: str, text: str, written: str) -> None:
    response = read(reader, text)
    assert calls(response) == []
    found = [problem for problem in response.violations if problem.code == "wrong_protocol"]
    assert [(problem.values["name"], problem.values["protocol"]) for problem in found] == [("read", written)]
    assert "read" in text[slice(*found[0].at)]


@pytest.mark.parametrize("text", [f"It is `{HERMES}`.", f"As in\n```\n{HERMES}\n```\n", f"It writes {HERMES} there."])
def test_a_call_of_another_protocol_that_is_shown_is_prose(text: str) -> None:
    assert violations(read("mistral", text)) == []


def test_a_marker_in_a_string_is_a_part_of_it() -> None:
    text = '<tool_call>{"name": "read", "arguments": {"path": "</tool_call><tool_call>"}}</tool_call>'
    assert calls(read("hermes", text)) == [("read", {"path": "</tool_call><tool_call>"})]
    inline = CODER.replace("a.txt", "a </parameter> and </function> b")
    assert calls(read("qwen3_coder", inline)) == [("read", {"path": "a </parameter> and </function> b", "limit": 2})]
    glm = GLM.replace("a.txt", "the <arg_key> and </tool_call> tags")
    assert calls(read("glm45", glm)) == [("read", {"path": "the <arg_key> and </tool_call> tags", "limit": 2})]


@pytest.mark.parametrize(
    ("key", "written", "value"),
    [
        ("path", "12", "12"),
        ("path", " true ", " true "),
        ("lines", '["a", 1]', ["a", 1]),
        ("lines", "not a list", "not a list"),
        ("dry", "True", True),
        ("dry", "null", None),
        ("dry", "2", "2"),
        ("note", "2.5", 2.5),
        ("note", "two", "two"),
        ("unknown", '{"a": 1}', {"a": 1}),
        ("unknown", "plain", "plain"),
    ],
)
def test_a_value_has_the_type_that_its_schema_says(key: str, written: str, value: Any) -> None:
    text = f"<tool_call>edit<arg_key>{key}</arg_key><arg_value>{written}</arg_value></tool_call>"
    assert calls(read("glm45", text)) == [("edit", {key: value})]


@pytest.mark.parametrize(
    ("type", "written", "value"),
    [
        (5, "1", 1),
        (True, "1", 1),
        ({"string": 1}, "1", 1),
        (["string", 5], "1", "1"),
        ("integer", "9" * 400, int("9" * 400)),
        ("integer", "2.0", 2.0),
        ("integer", "2.5", "2.5"),
    ],
)
def test_a_type_that_a_stranger_writes(type: Any, written: str, value: Any) -> None:
    tools = [{"name": "edit", "parameters": {"properties": {"a": {"type": type}}}}]
    text = f"<tool_call>edit<arg_key>a</arg_key><arg_value>{written}</arg_value></tool_call>"
    assert calls(read("glm45", text, tools=tools)) == [("edit", {"a": value})]


def test_the_places_in_a_value_that_is_json() -> None:
    text = '<tool_call>edit<arg_key>lines</arg_key><arg_value> ["a", {"b": 1}]</arg_value></tool_call>'
    call = read("glm45", text).calls[0]
    assert text[slice(*call.argument_span(("lines", 1, "b")))] == "1"
    assert text[slice(*call.argument_span(("lines",)))].strip() == '["a", {"b": 1}]'


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (r"'it\'s'", "it's"),
        (r'"a\n\t\x41\u00e9"', "a\n\tAé"),
        ('"""a "b" c"""', 'a "b" c'),
        ("-1_000", -1000),
        ("1.5e3", 1500.0),
        ("[1, (2, 3), {'a': None}]", [1, [2, 3], {"a": None}]),
        ("{}", {}),
        ("[]", []),
        ("true", True),
    ],
)
def test_literals_of_python(written: str, value: Any) -> None:
    assert calls(read("pythonic", f"[edit(note={written},)]")) == [("edit", {"note": value})]


# Hostile


@pytest.mark.parametrize(
    ("protocol", "text"),
    [
        ("hermes", '<tool_call>{"name": "read", "arguments": ' + "[" * 100_000),
        ("hermes", '<tool_call>{"name": "read", "arguments": {"a": ' + "[" * 2000 + "]" * 2000 + "}}</tool_call>"),
        ("llama3_json", '{"name": ' + '{"a": ' * 100_000),
        ("pythonic", "[read(a=" + "[" * 100_000),
        ("gemma4", "<|tool_call>call:read{a:" + "[" * 100_000),
        ("glm45", f"<tool_call>edit<arg_key>lines</arg_key><arg_value>{'[' * 100_000}</arg_value></tool_call>"),
    ],
)
def test_nesting_without_end_is_not_followed(protocol: str, text: str) -> None:
    response = read(protocol, text)
    assert [found.code for found in response.violations] or calls(response)


@pytest.mark.parametrize("protocol", WRITTEN)
def test_lone_surrogates_are_text(protocol: str) -> None:
    text = WRITTEN[protocol].replace("a.txt", "\ud800")
    assert calls(read(protocol, f"\udfff{text}" if protocol == "hermes" else text)) == [
        ("read", {"path": "\ud800", "limit": 2})
    ]


def test_numbers_of_very_many_digits_are_refused_or_read() -> None:
    digits = "9" * 10_000
    assert [found.code for found in read("pythonic", f"[read(limit={digits})]").violations] == ["argument_syntax"]
    assert (
        len(read("hermes", f'<tool_call>{{"name": "read", "arguments": {{"limit": {digits}}}}}</tool_call>').calls) == 1
    )
