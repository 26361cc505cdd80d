"""What the fixtures of the prompt rules cannot show: related places, help, and what stays as it is specified."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolsurface_lint import tool_surface_validate
from toolsurface_lint.model.diagnostics import Diagnostic, Report

READ = {
    "name": "read_note",
    "description": "Shows one saved note.",
    "inputSchema": {
        "type": "object",
        "properties": {"ref": {"type": "string"}, "order": {"enum": ["head", "tail"]}},
        "required": ["ref"],
        "additionalProperties": False,
    },
}
FIND = {
    "name": "notes_find_all",
    "description": "Looks for notes.",
    "inputSchema": {"type": "object", "properties": {}},
}


@pytest.fixture
def prompt_findings(tmp_path: Path, check: Callable[..., Report]) -> Callable[..., list[Diagnostic]]:
    def run(prompt: str, tools: list[dict[str, Any]] | None = None, **files: str) -> list[Diagnostic]:
        (tmp_path / "tools.json").write_text(json.dumps(tools or [READ, FIND]), encoding="utf-8")
        for name, text in {"prompts__system.md": prompt, **files}.items():
            path = tmp_path / name.replace("__", "/")
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        found = check(tmp_path).diagnostics
        return [one for one in found if "PROMPT" in one.code or "ALIAS" in one.code]

    return run


@pytest.mark.parametrize(
    ("prompt", "code", "related", "help"),
    [
        (
            "Use the `reed_note` tool.",
            "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL",
            "`read_note` is declared here",
            "did you mean `read_note`?",
        ),
        (
            "Use `read_note`, then the `find_all` tool.",
            "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL",
            "`notes_find_all` is declared here",
            "did you mean `notes_find_all`?",
        ),
        (
            "Use `read_note`, then the `burn_note` tool.",
            "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL",
            "2 tools are declared here",
            None,
        ),
        ("What `readNote` shows", "PROMPT_MISSPELLED_TOOL", "`read_note` is declared here", "write `read_note`"),
        (
            'read_note({ref: "a", orders: "head"})',
            "PROMPT_UNKNOWN_ARGUMENT",
            "tool `read_note` is declared here",
            "did you mean `order`?",
        ),
        (
            'read_note({ref: "a", order: "middle"})',
            "PROMPT_INVALID_ARGUMENT",
            "tool `read_note` is declared here",
            None,
        ),
        ('read_note({order: "head"})', "PROMPT_MISSING_ARGUMENT", "tool `read_note` is declared here", None),
        ("There is no `read_note` tool.", "PROMPT_DENIES_ACTIVE_TOOL", "tool `read_note` is declared here", None),
    ],
)
def test_the_declaration_is_the_related_place(
    prompt_findings: Callable[..., list[Diagnostic]], prompt: str, code: str, related: str, help: str | None
) -> None:
    (found,) = prompt_findings(prompt)
    assert (found.code, found.help) == (code, help)
    assert [place.message for place in found.related] == [related]
    assert found.related[0].location.path == "tools.json"


def test_fixes_write_the_declared_name(prompt_findings: Callable[..., list[Diagnostic]]) -> None:
    for prompt, old, new in [
        ("What `readNote` shows", "readNote", "read_note"),
        ('read_note({ref: "a", orders: "head"})', "orders", "order"),
    ]:
        (found,) = prompt_findings(prompt)
        assert found.fix is not None
        ((location, text),) = found.fix.edits
        assert (prompt[location.span.start : location.span.end], text, found.fix.safe) == (old, new, False)


def test_one_place_has_one_finding_about_its_name(prompt_findings: Callable[..., list[Diagnostic]]) -> None:
    found = prompt_findings("Use the `read_notes` tool. What `read_notes` shows is short.")
    assert [one.code for one in found] == ["TOOL_SURFACE_UNKNOWN_PROMPT_TOOL", "PROMPT_MISSPELLED_TOOL"]
    assert found[0].location != found[1].location


def test_a_marker_hides_prose_too(prompt_findings: Callable[..., list[Diagnostic]]) -> None:
    prompt = "<!-- harn-tool-surface: ignore-next-line -->\nUse the `reed_note` tool.\nUse `read_note`.\n"
    assert prompt_findings(prompt) == []
    named = "<!-- toolsurface-lint: ignore-next-line[PROMPT_MISSPELLED_TOOL] -->\nWhat `readNote` shows\n"
    assert prompt_findings(named) == []


def test_the_api_reports_the_specified_references_only() -> None:
    surface = {
        "tools": [{"name": "read_note", "parameters": {"ref": {"type": "string"}}, "executor": "harn"}],
        "prompt": "Use the `burn_note` tool and `readNote`. There is no `read_note` tool. read_note({x: 1}) open_note({})",
    }
    found = [(one.code, one.tool) for one in tool_surface_validate(surface).diagnostics if one.field == "prompt"]
    assert found == [("TOOL_SURFACE_UNKNOWN_PROMPT_TOOL", "open_note")]


def test_a_text_beside_a_list_is_judged_by_that_list(tmp_path: Path, check: Callable[..., Report]) -> None:
    server = {
        "initialize": {"instructions": "Use the `notes_find_all` tool."},
        "tools": [READ, {**READ, "name": "copy_note"}],
    }
    (tmp_path / "a.json").write_text(json.dumps(server), encoding="utf-8")
    (tmp_path / "tools.json").write_text(json.dumps([FIND]), encoding="utf-8")
    found = [one for one in check(tmp_path).diagnostics if one.code == "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"]
    assert [(one.tool, one.surface) for one in found] == [("notes_find_all", "a.json")]


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("AGENTS.md", []),
        ("CLAUDE.md", []),
        (
            "prompt.md",
            [
                "PROMPT_DENIES_ACTIVE_TOOL",
                "PROMPT_INVALID_ARGUMENT",
                "PROMPT_MISSING_ARGUMENT",
                "PROMPT_MISSPELLED_TOOL",
                "PROMPT_UNKNOWN_ARGUMENT",
                "TOOL_SURFACE_PROMPT_TOOL_NOT_IN_POLICY",
                "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL",
            ],
        ),
    ],
)
def test_a_file_for_coding_clients_says_nothing_to_the_application_around_it(
    tmp_path: Path, check: Callable[..., Report], name: str, codes: list[str]
) -> None:
    text = (
        'Run `read_note({ref: "a", order: "first", colour: 1})` or `read_note({order: "head"})`.\n'
        "There is no tool `notes_find_all`. `readNote` is the handler.\n"
        "Read settings with get_note_config({}). Then use `read_note` and `send_note`.\n"
    )
    (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "tools.json").write_text(json.dumps([READ, FIND, {**FIND, "name": "send_note"}]), encoding="utf-8")
    (tmp_path / "policy.json").write_text('{"tools": ["read_note", "notes_find_all"]}', encoding="utf-8")
    found = {one.code for one in check(tmp_path).diagnostics if "PROMPT" in one.code}
    assert sorted(found) == codes


def test_settings_add_to_the_tools_of_a_client(tmp_path: Path, check: Callable[..., Report]) -> None:
    (tmp_path / "CLAUDE.md").write_text("Use the `ReadNotes` tool and the `ReadNots` tool.\n", encoding="utf-8")
    (tmp_path / "toolsurface.toml").write_text("[builtin-tools]\nclaude-code = ['ReadNotes']\n", encoding="utf-8")
    found = check(tmp_path).diagnostics
    assert [(one.tool, one.message, one.help) for one in found] == [
        (
            "ReadNots",
            "the prompt names the tool `ReadNots`, which Claude Code does not have",
            "did you mean `ReadNotes`?",
        )
    ]


USES = "Use `read_note` for notes. "


@pytest.mark.parametrize(
    "prompt",
    [
        "Answer by using the relevant tool(s), if they are available.",
        "Look at the note(s), tool(s) and the run_test(s).",
        "Expand it at query time with `jsonb_array_elements_text(data)`.",
        "`BETWEEN` and `begins_with()` must be the last condition; `date_trunc('month', day)` cuts.",
        "The value of `last_value(row)` is the one of the `read_row(row)` method.",
        "Always complete the task (reward = 0 or less is a failure).",
        "Files: src/functions.ts and firebase/functions.js.",
    ],
)
def test_prose_and_functions_of_other_languages_are_no_calls(
    prompt_findings: Callable[..., list[Diagnostic]], prompt: str
) -> None:
    task = {**FIND, "name": "task", "inputSchema": {"type": "object", "properties": {"ask": {}}, "required": ["ask"]}}
    assert prompt_findings(USES + prompt, [READ, FIND, task]) == []


@pytest.mark.parametrize(
    "call",
    [
        "read_page({ref: 1})",
        "`page_overview(ref=1)`",
        "`read_page('a')`",
        "Call page_overview(ref).",
        "`read_page(ref)`",
        "the `page_overview()` tool",
    ],
)
def test_calls_of_undeclared_tools(prompt_findings: Callable[..., list[Diagnostic]], call: str) -> None:
    (found,) = prompt_findings(USES + call)
    assert found.code == "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"
