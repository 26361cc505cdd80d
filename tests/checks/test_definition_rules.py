"""The rules on names, descriptions, annotations and sizes: what the cases in `fixtures/` cannot say in one file each."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.checks.tool import description_contradicts_schema, description_hidden_text
from toolsurface_lint.checks.tool._hidden_characters import unseen
from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.source.text import SourceText

Check = Callable[..., Report]
ROOT = Path(__file__).resolve().parents[2]
PREVIEW = {"TOOL_NAME_VAGUE", "TOOL_DESCRIPTION_TOO_SHORT", "TOOL_DESCRIPTION_NO_SIDE_EFFECTS"}


def mcp(name: str, description: str | None = "Reads one note.", **fields: Any) -> dict[str, Any]:
    return {"name": name, "description": description, "inputSchema": {"type": "object", "properties": {}}, **fields}


def run(check: Check, folder: Path, tools: Any, *codes: str, **options: Any) -> Report:
    (folder / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
    return check(folder, select=codes or None, **options)


def found(report: Report) -> list[tuple[str, str | None, str | None]]:
    return [(diagnostic.code, diagnostic.tool, diagnostic.field) for diagnostic in report.diagnostics]


def test_style_is_off_by_default(check: Check, tmp_path: Path) -> None:
    tools = [mcp("open_note", "Open a note", annotations={"readOnlyHint": False})]
    codes = {diagnostic.code for diagnostic in run(check, tmp_path, tools).diagnostics}
    assert codes.isdisjoint(PREVIEW)
    report = run(check, tmp_path, tools, *PREVIEW)
    assert {diagnostic.code for diagnostic in report.diagnostics} == PREVIEW


def test_the_second_tool_of_a_name_points_at_the_first(check: Check, tmp_path: Path) -> None:
    report = run(check, tmp_path, [mcp("a"), mcp("b"), mcp("a")], "TOOL_SURFACE_DUPLICATE_TOOL")
    (diagnostic,) = report.diagnostics
    assert diagnostic.severity == "error"
    assert [(one.message, one.location.range.start.column) for one in diagnostic.related] == [
        ("declared here before", 11)
    ]


def test_a_configured_provider_by_option(check: Check, tmp_path: Path) -> None:
    tools = [mcp("notes.read"), mcp("x" * 65)]
    assert found(run(check, tmp_path, tools, "TOOL_NAME_INVALID")) == []
    report = run(check, tmp_path, tools, "TOOL_NAME_INVALID", provider="Azure")
    assert [diagnostic.message for diagnostic in report.diagnostics] == [
        "the tool name `notes.read` is not allowed by Azure OpenAI",
        f"the tool name `{'x' * 65}` has 65 characters, over the 64 allowed by Azure OpenAI",
    ]
    assert report.diagnostics[0].help == (
        "use letters, digits, `_` and `-`, up to 64 characters; "
        "source: Azure OpenAI, API error: string does not match pattern (2026-03, observed)"
    )


def test_a_name_that_several_refuse_is_reported_once(check: Check, tmp_path: Path) -> None:
    report = run(check, tmp_path, [mcp("notes.read")], "TOOL_NAME_INVALID", provider=["openai", "gemini", "bedrock"])
    assert [diagnostic.message for diagnostic in report.diagnostics] == [
        "the tool name `notes.read` is not allowed by OpenAI and Amazon Bedrock"
    ]
    (diagnostic,) = run(check, tmp_path, [mcp("notes.read")], "TOOL_NAME_INVALID", provider="portable").diagnostics
    assert diagnostic.message.endswith("others")


@pytest.mark.parametrize(
    ("version", "findings"),
    [({"protocolVersion": "2024-11-05"}, 0), ({"protocolVersion": "2025-11-25"}, 1), ({}, 1)],
)
def test_names_of_mcp_by_version(check: Check, tmp_path: Path, version: dict[str, str], findings: int) -> None:
    report = run(check, tmp_path, {"initialize": version, "tools": [mcp("read note")]}, "TOOL_NAME_INVALID")
    assert len(report.diagnostics) == findings


@pytest.mark.parametrize(("provider", "findings"), [("mcp@2025-06-18", 0), ("mcp@2025-11-25", 1), ("mcp", 1)])
def test_names_of_mcp_by_the_version_named(check: Check, tmp_path: Path, provider: str, findings: int) -> None:
    report = run(check, tmp_path, [mcp("read note")], "TOOL_NAME_INVALID", provider=provider)
    assert len(report.diagnostics) == findings


def test_the_limit_is_that_of_active_tools(check: Check, tmp_path: Path) -> None:
    tools = [mcp(f"read_{number}") for number in range(129)]
    code = "TOOL_SURFACE_TOOL_LIMIT_EXCEEDED"
    (diagnostic,) = run(check, tmp_path, tools, code, provider="openai").diagnostics
    assert diagnostic.message == "`read_128` is beyond the 128 tools accepted in one request by OpenAI; 129 are active"
    tools[5]["defer_loading"] = True
    assert found(run(check, tmp_path, tools, code, provider="openai")) == []
    assert found(run(check, tmp_path, tools, code, provider="gemini")) == []


def test_tools_of_another_format_do_not_count_for_the_limit(check: Check, tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {}}
    flat = {"type": "function", "name": "write", "description": "Writes one note.", "parameters": schema}
    tools = [{**flat, "name": f"write_{number}"} for number in range(120)]
    plain = [{"name": f"sort_{number}", "description": "Sorts notes.", "parameters": schema} for number in range(8)]
    code = "TOOL_SURFACE_TOOL_LIMIT_EXCEEDED"
    assert found(run(check, tmp_path, [*tools, *plain, *map(mcp, ("a", "b"))], code)) == []
    assert len(run(check, tmp_path, [*tools, *plain, {**flat, "name": "burn"}], code).diagnostics) == 1


def test_the_budget_names_the_largest_tools(check: Check, tmp_path: Path) -> None:
    (tmp_path / "toolsurface.toml").write_text("context-budget = 50\n")
    tools = [mcp("a"), mcp("b", "Reads one note. " * 10), mcp("c"), mcp("d", "Reads one note. " * 5), mcp("e")]
    (diagnostic,) = run(check, tmp_path, tools, "TOOL_SURFACE_CONTEXT_BUDGET").diagnostics
    assert diagnostic.message == "the tools offered at once take an estimated 169 tokens, over the budget of 50"
    assert [related.message for related in diagnostic.related] == [
        "`b` takes about 60",
        "`d` takes about 40",
        "`a` takes about 23",
    ]


def test_a_sibling_is_found_by_what_it_is_called(check: Check, tmp_path: Path) -> None:
    tools = [mcp("wiki_find_pages"), mcp("wiki_read_page", "Reads a page, see find_pages."), mcp("wiki_move_page")]
    (diagnostic,) = run(check, tmp_path, tools, "TOOL_DESCRIPTION_UNKNOWN_TOOL").diagnostics
    assert (diagnostic.tool, diagnostic.field) == ("wiki_read_page", "description")
    assert diagnostic.help == "did you mean `wiki_find_pages`?"
    assert [related.message for related in diagnostic.related] == ["`wiki_find_pages` is declared here"]


@pytest.mark.parametrize(
    ("text", "help"),
    [
        ("Takes what the listFollowedProjects tool gives.", "did you mean `list_followed_projects`?"),
        ("Use the ListFollowedProject tool.", "did you mean `list_followed_projects`?"),
        ("Takes what the DataTable tool gives.", None),
        ("Use the list_followed_projects tool, or GitHub.", None),
    ],
)
def test_another_spelling_of_a_sibling(check: Check, tmp_path: Path, text: str, help: str | None) -> None:
    tools = [mcp("list_followed_projects"), mcp("read_project", text), mcp("find_projects")]
    report = run(check, tmp_path, tools, "TOOL_DESCRIPTION_UNKNOWN_TOOL")
    assert [one.help for one in report.diagnostics] == ([] if help is None else [help])


def test_a_field_of_another_s_answer_is_no_parameter(check: Check, tmp_path: Path) -> None:
    tool = mcp("read_credits", "Pass the `creditId` string from find_credits unchanged.")
    tool["inputSchema"] = {"type": "object", "properties": {"credit_id": {"type": "string"}}}
    assert found(run(check, tmp_path, [tool, mcp("find_credits")], "TOOL_DESCRIPTION_UNKNOWN_PARAMETER")) == []


def test_a_list_by_settings_is_complete_and_two_files_without_are_not(check: Check, tmp_path: Path) -> None:
    tools = [mcp("read_note"), mcp("label_note", "To rename one, use the `update_title` tool.")]
    code = "TOOL_DESCRIPTION_UNKNOWN_TOOL"
    assert found(run(check, tmp_path, tools, code)) == []
    (tmp_path / "toolsurface.toml").write_text('[[surface]]\nname = "notes"\ntools = "tools.json"\n')
    assert found(run(check, tmp_path, tools, code)) == [(code, "label_note", "description")]


def test_a_fix_of_a_hint_keeps_how_the_key_is_written(check: Check, tmp_path: Path) -> None:
    code = "TOOL_ANNOTATION_DEAD_KEY"
    (tmp_path / "tools.yaml").write_text(
        "- name: a\n  description: Reads.\n  inputSchema: {type: object}\n  annotations: {read_only_hint: true, x: 1}\n"
    )
    report = run(check, tmp_path, [mcp("b", annotations={"destructive_hint": False, "idempotent": True})], code)
    fixes = [diagnostic.fix for diagnostic in report.diagnostics]
    assert [None if fix is None else (fix.safe, fix.title, fix.edits[0].text) for fix in fixes] == [
        (True, "replace `destructive_hint` with `destructiveHint`", "destructiveHint"),
        (False, "replace `idempotent` with `idempotentHint`", "idempotentHint"),
        (True, "replace `read_only_hint` with `readOnlyHint`", "readOnlyHint"),
    ]
    # A strict client refuses a hint that is no boolean, and ignored it by its wrong name.
    report = run(check, tmp_path, [mcp("b", annotations={"destructive_hint": "no"})], code)
    assert [fix.safe for diagnostic in report.diagnostics if (fix := diagnostic.fix)] == [False, True]


def test_the_help_for_a_dead_hint(check: Check, tmp_path: Path) -> None:
    code = "TOOL_ANNOTATION_DEAD_KEY"
    hints = {"destructive_hint": False, "idempotent": True, "read_only_hint": True}
    report = run(check, tmp_path, [mcp("b", annotations=hints)], code)
    assert [diagnostic.help for diagnostic in report.diagnostics] == [
        "did you mean `destructiveHint`?",
        "did you mean `idempotentHint`?",
        "did you mean `readOnlyHint`?",
    ]


# --- descriptions against schemas -------------------------------------------------------------------------------------


CLAIMS = {
    "type": description_contradicts_schema.type_claims,
    "default": description_contradicts_schema.default_claims,
    "values": description_contradicts_schema.value_claims,
    "bounds": description_contradicts_schema.bound_claims,
}


@pytest.mark.parametrize(
    ("question", "text", "schema", "said"),
    [
        ("type", "(integer) The page", {"type": "string"}, ["`integer`"]),
        ("type", "An array of names", {"type": "string"}, ["`An array`"]),
        ("type", "An array of names, comma-separated", {"type": "string"}, []),
        ("type", "A number of items", {"type": "string"}, []),
        ("type", "An integer or a name", {"type": "string"}, []),
        ("type", "An integer value", {"type": "number"}, []),
        ("type", "An integer value", {"type": ["integer", "null"]}, []),
        ("type", "An integer value", {"type": "str"}, ["`An integer`"]),
        ("type", "An integer value", {"type": "money"}, []),
        ("type", "An integer value", {}, []),
        ("type", "An integer value", {"enum": ["1"], "type": "string"}, []),
        ("type", "Comma-separated list of ids", {"type": "array"}, ["`Comma-separated list`"]),
        ("type", "Comma-separated list of ids", {"type": "string"}, []),
        ("type", "The page. Must be a boolean.", {"type": "string"}, ["`boolean`"]),
        ("default", "Default: 10", {"default": 20}, ["`Default: 10`"]),
        ("default", "Default: 10.0", {"default": 10}, []),
        ("default", "Default: 1,000", {"default": 1000}, []),
        ("default", "Default: 1", {"default": 10**400}, []),
        ("default", "Default: 10 seconds", {"default": 10000}, []),
        ("default", "Default: 10%", {"default": 0.1}, []),
        ("default", "Defaults to true", {"default": False}, ["`Defaults to true`"]),
        ("default", "Defaults to true", {"default": "x"}, []),
        ("default", "default is 'a'", {"default": "b"}, ["`default is 'a'`"]),
        ("default", "default is 'A'", {"default": "a"}, []),
        ("default", "default is 'a'", {"default": None}, []),
        ("default", "default is 'a'", {"default": ""}, []),
        ("default", "default is 'a', default is 'b'", {"default": "c"}, []),
        ("default", "If set, default: 10", {"default": 20}, []),
        ("default", "Default: plain", {"default": "x", "enum": ["x", "plain"]}, ["`Default: plain`"]),
        ("default", "Default: today", {"default": "x"}, []),
        ("values", "One of 'a', 'b' or 'c'", {"enum": ["a", "b"]}, ["`c`"]),
        ("values", "One of 'a' or 'b'", {"enum": ["a", "b", "c"]}, []),
        ("values", "One of 'x' or 'y'", {"enum": ["a", "b"]}, ["`x`"]),
        ("values", "'a' takes at least one of 'x' or 'y'", {"enum": ["a", "b"]}, []),
        ("values", "Must be `x` or `y`", {"enum": ["a", "b"]}, ["`x`"]),
        # What is no quoted list of the only values may be about something else.
        ("values", "Either 'x' or 'y'", {"enum": ["a", "b"]}, []),
        ("values", "Must be x or y", {"enum": ["a", "b"]}, []),
        ("values", "One of 'the first' or 'the last'", {"enum": ["a", "b"]}, []),
        ("values", "Allowed values: a, b, c.", {"enum": ["a", "b"]}, ["`c`"]),
        ("values", "Can be a or changed later", {"enum": ["a", "b"]}, []),
        ("values", "Valid values are `A`, `b`", {"items": {"enum": ["a", "b"]}}, ["`A`"]),
        ("values", "One of 1, 2 or 3", {"enum": [1, 2]}, []),
        ("values", "This is optional and defaults to a", {"enum": ["a", "b"]}, []),
        ("bounds", "How many (1-100)", {"minimum": 1, "maximum": 50}, ["`1-100`"]),
        ("bounds", "How many (0-100)", {"minimum": 1, "maximum": 50}, ["`0-100`", "`0-100`"]),
        ("bounds", "How many (1-100)", {"minimum": 1}, []),
        ("bounds", "between 0 and 1.5", {"maximum": 1.5}, []),
        ("bounds", "Maximum: 50.", {"maximum": 50}, []),
        ("bounds", "max 50 items", {"maximum": 20}, []),
        ("bounds", "max 50 items", {"maxItems": 20}, ["`max 50 items`"]),
        ("bounds", "Up to 50 characters", {"maxLength": 50}, []),
        ("bounds", "items, or percent (1-100)", {"maximum": 1000}, []),
        ("bounds", "Maximum: 50.", {"maximum": -(10**400)}, []),
        ("bounds", "ISO 8601-1 (2019-12)", {"maximum": True}, []),
    ],
)
def test_what_descriptions_claim(question: str, text: str, schema: dict[str, Any], said: list[str]) -> None:
    claims = list(CLAIMS[question](text, schema))
    assert [f"`{claim.values['said']}`" for claim in claims] == said
    assert all(0 <= claim.at.start < claim.at.end <= len(text) for claim in claims)


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.just(10**400), st.floats(allow_nan=False), st.text(max_size=5)
)
SCHEMAS = st.dictionaries(
    st.sampled_from(["type", "default", "enum", "minimum", "maximum", "maxLength", "items", "anyOf"]),
    st.one_of(VALUES, st.lists(VALUES, max_size=3), st.dictionaries(st.just("enum"), VALUES, max_size=1)),
)
PHRASES = st.lists(
    st.sampled_from(
        ["Default: ", "One of ", "A string ", "(1-5)", "'a'", ", ", "or ", "10", "Must be an integer.", "\n"]
    )
).map("".join)


@pytest.mark.slow
@given(PHRASES, SCHEMAS)
def test_no_schema_is_too_odd(text: str, schema: dict[str, Any]) -> None:
    for claims in CLAIMS.values():
        assert all(text[claim.at.start : claim.at.end] for claim in claims(text, schema))


# --- characters that nobody sees --------------------------------------------------------------------------------------


def tagged(text: str) -> str:
    return "".join(chr(0xE0000 + ord(character)) for character in text)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("plain", []),
        ("x" + tagged("hi"), [("hidden/message", 1, 3, "hi")]),
        ("\U0001f3f4" + tagged("gbsct") + "\U000e007f", []),
        (tagged("gbsct") + "\U000e007f", [("hidden/message", 0, 6, "gbsct")]),
        ("a\u202eb", [("hidden/override", 1, 2, "U+202E")]),
        ("a\u2067b", [("hidden/control", 1, 2, "U+2067")]),
        ("\u05d0\u2067b", []),
        ("\u05d0\u202eb", [("hidden/override", 1, 2, "U+202E")]),
        ("a\x1b[31mb", [("hidden/escape", 1, 6, None)]),
        ("a\x9b2Jb", [("hidden/escape", 1, 4, None)]),
        ("\u2764\ufe0f", []),
        ("a\ufe00\ufe01\ufe02", [("hidden/selectors", 1, 4, 3)]),
        ("a\u200b\u200c\u200b\u2060", [("hidden/run", 1, 5, 4)]),
        ("a\u200bb", [("invisible", 1, 2, "U+200B ZERO WIDTH SPACE")]),
        ("a\u200db", [("invisible", 1, 2, "U+200D ZERO WIDTH JOINER")]),
        ("\U0001f469\u200d\U0001f467", []),
        ("\U0001f469\u200d", [("invisible", 1, 2, "U+200D ZERO WIDTH JOINER")]),
        ("\u0645\u06cc\u200c\u062e", []),
        ("\u0e01\u200b\u0e02", []),
        ("a\u200eb", [("invisible", 1, 2, "U+200E LEFT-TO-RIGHT MARK")]),
        ("\u05d0\u200eb", []),
        ("a\x08b", [("invisible", 1, 2, "U+0008 BACKSPACE")]),
        ("a\tb\nc\r\n\x85", []),
        ("\ufeffa", [("invisible", 0, 1, "U+FEFF ZERO WIDTH NO-BREAK SPACE")]),
    ],
)
def test_unseen(text: str, kinds: list[tuple[str, int, int, object]]) -> None:
    assert [(one.kind, *one.at, next(iter(one.values.values()), None)) for one in unseen(text)] == kinds


@given(
    st.text(st.sampled_from("ab \n\u05d0\u200b\u200d\u202e\u2066\ufe0f\ufe01\x1b\x08\U000e0041\U0001f469\ufeff\xad"))
)
def test_the_look_at_a_file_misses_nothing(text: str) -> None:
    """What the patterns find in a string, the look at its file must have promised: as it is, and escaped."""
    if not list(unseen(text)):
        return
    escaped = json.dumps(text)
    for written in (text, escaped, re.sub(r"\\u[0-9a-f]{4}", lambda found: "\\u" + found[0][2:].upper(), escaped)):
        description_hidden_text._may_hide.cache_clear()
        assert description_hidden_text._may_hide(SourceText("x", written))
    assert description_hidden_text._may_be_unseen(text)
