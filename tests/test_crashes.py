"""What crashes in the linter is said once, at the file that it was reading; everything else is still checked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

import toolsurface_lint
from tests.files import write_files
from tests.long import LONG
from toolsurface_lint.__main__ import run
from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.model.unseen import LIMIT
from toolsurface_lint.programs import tool_maker
from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.project import grouping
from toolsurface_lint.readers import loading
from toolsurface_lint.readers.programs import declarations, declared_documents, definitions, documents
from toolsurface_lint.source import tree

ODD = KeyError("half of\nnothing")
REPORT = "report it at https://github.com/toolsurface-lint/toolsurface-lint/issues: this is a bug in toolsurface-lint"
TOOLS = '[{"type": "function", "function": {"name": "read_file", "description": "Reads a file.", "parameters": {"type": "obj"}}}]'
PROGRAM = '''from mcp.server.fastmcp import FastMCP

mcp = FastMCP("files")


@mcp.tool()
def read_page(url: str) -> str:
    """Reads a page."""


@mcp.tool()
def write_page(url: str) -> str:
    """Writes a page."""
'''
SCRIPT = """\
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
import { LIST } from "./names.js";

class Page { constructor(readonly name, private d = "Reads.") {} get told() { return this.d; } }
enum Kind { One = "one" }
const server = new McpServer({ name: "shop", version: "1.0.0" });
for (const name of LIST) server.registerTool(name, { description: new Page(name).told }, run);
const [first, { more = "x" }] = ["read_page", { ...{} }];
server.tool(first, "Reads " + "one.", { url: z.string().min(1).describe("Which page."), kind: z.enum(["a"]) }, run);
export const SYSTEM_PROMPT = `Call raed_page first, then ${Kind.One}.`;
"""
GO = """\
package main

import "github.com/mark3labs/mcp-go/mcp"

// What it is called.
const name = "read_note"

func main() {
	s.AddTool(mcp.NewTool(name, mcp.WithDescription("Reads "+"one."), mcp.WithString("path", mcp.Required())), read)
}
"""


def _raise(error: BaseException) -> Callable[..., Any]:
    def crash(*_: Any, **__: Any) -> Any:
        raise error

    return crash


def _crashes_for(
    monkeypatch: pytest.MonkeyPatch,
    holder: Any,
    name: str,
    when: Callable[..., bool],
    error: Exception = ODD,
) -> None:
    """Let a function crash where its arguments say so."""
    function = getattr(holder, name)

    def crash(*arguments: Any, **named: Any) -> Any:
        if when(*arguments, **named):
            raise error
        return function(*arguments, **named)

    monkeypatch.setattr(holder, name, crash)


def _said(report: Report) -> list[tuple[str, str, int, str]]:
    """The code, the place and the message of everything that is reported."""
    return [
        (each.code, each.location.path, each.location.range.start.line, each.message)
        for each in report.diagnostics
        if each.location is not None
    ]


def _crashes(report: Report) -> list[tuple[str, int]]:
    assert report.internal_errors
    crashes = [each for each in report.diagnostics if each.code == "INTERNAL_ERROR"]
    assert {each.help for each in crashes} <= {REPORT}
    return [(each.location.path, each.location.range.start.line) for each in crashes if each.location is not None]


@pytest.fixture
def two_lists(tmp_path: Path) -> Path:
    return write_files(tmp_path, {"a/tools.json": TOOLS, "b/tools.json": TOOLS})


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_crash_of_a_reader_concerns_its_file_only(
    jobs: int, two_lists: Path, check: Callable[..., Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    _crashes_for(monkeypatch, loading, "_load_values", lambda document, *_: document.path == "a/tools.json")
    report = check(two_lists, jobs=jobs)
    assert _crashes(report) == [("a/tools.json", 1)]
    assert [(path, message) for code, path, _, message in _said(report) if code == "INTERNAL_ERROR"] == [
        ("a/tools.json", "the file could not be read: KeyError: 'half of\\nnothing'")
    ]
    assert {code for code, path, _, _ in _said(report) if path == "b/tools.json"} == {"TOOL_SCHEMA_INVALID"}


@pytest.mark.parametrize("error", [RecursionError("too deep"), MemoryError(), UnicodeError("x"), StopIteration()])
def test_every_exception_of_a_reader_is_contained(
    error: Exception, two_lists: Path, check: Callable[..., Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "_load_values", _raise(error))
    assert _crashes(check(two_lists)) == [("a/tools.json", 1), ("b/tools.json", 1)]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_what_ends_the_program_ends_it(
    stop: type[BaseException], two_lists: Path, check: Callable[..., Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "_load_values", _raise(stop()))
    with pytest.raises(stop):
        check(two_lists)


def test_a_crash_is_never_hidden(
    two_lists: Path, check: Callable[..., Report], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_files(
        two_lists,
        {"toolsurface.toml": '[[per-file-ignores]]\npath = "a/**"\ncodes = ["ALL"]\n', "a/toolsurface.json": "{}"},
    )
    monkeypatch.chdir(two_lists)
    monkeypatch.setattr(loading, "_load_values", _raise(ValueError("odd")))
    assert run(["check", "--output", "concise", "a/tools.json", "--select", "TOOL_NAME_VAGUE"]) == 2
    shown = capsys.readouterr()
    assert "a/tools.json:1:1: error[INTERNAL_ERROR] the file could not be read: ValueError: odd" in shown.out
    assert "Traceback" not in shown.out + shown.err


def test_other_rules_are_silent_where_a_file_beside_could_not_be_read(
    tmp_path: Path, check: Callable[..., Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(
        tmp_path,
        {
            "tools.json": TOOLS,
            "more.json": TOOLS.replace("read_file", "list_files"),
            "prompt.md": "Call `list_files`.\n",
        },
    )
    _crashes_for(monkeypatch, loading, "_load_values", lambda document, *_: document.path == "more.json")
    report = check(tmp_path)
    assert "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL" not in {code for code, *_ in _said(report)}
    assert [surface.open for surface in report.surfaces] == [True]
    # Of a file that nobody asked for, only that the surface is open.
    report = check(tmp_path, "prompt.md")
    assert _said(report) == []
    assert [str(reason) for reason in report.open_reasons] == ["more.json:1: a file that could not be read"]


def test_a_crash_at_a_statement_of_a_program_concerns_that_statement(
    tmp_path: Path, check: Callable[..., Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    _crashes_for(
        monkeypatch, tool_maker.ToolMaker, "from_function", lambda _, function, *__, **___: function.name == "read_page"
    )
    write_files(tmp_path, {"server.py": PROGRAM, "prompt.md": "Call `raed_page` and `read_paeg`.\n"})
    report = check(tmp_path)
    assert _said(report) == [
        ("INTERNAL_ERROR", "server.py", 7, "the program could not be followed here: KeyError: 'half of\\nnothing'")
    ]
    assert [surface.tools for surface in report.surfaces] == [("write_page",)]
    assert [str(reason) for reason in report.open_reasons] == ["server.py:7: code at which the linter itself crashed"]


def test_a_crash_in_an_imported_file_is_said_there(
    tmp_path: Path, check: Callable[..., Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    _crashes_for(
        monkeypatch,
        Evaluator,
        "bind_name",
        lambda _, name, __, scope: name == "Odd" and scope.module.path == "names.py",
    )
    write_files(
        tmp_path,
        {
            "server.py": PROGRAM.replace("mcp = ", "from names import Odd\nOdd()\nmcp = "),
            "names.py": "x = 1\nclass Odd: y: int\nOdd()",
        },
    )
    report = check(tmp_path)
    assert _crashes(report) == [("names.py", 2)]
    assert [surface.tools for surface in report.surfaces] == [("read_page", "write_page")]
    assert [surface.open for surface in report.surfaces] == [True]


def test_a_crash_in_a_function_that_nothing_calls_concerns_that_function(
    tmp_path: Path, check: Callable[..., Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    function = "\n\ndef add_more_tools(server):\n    return server.tool(lambda: 1)\n"
    _crashes_for(monkeypatch, Evaluator, "_pass", lambda _, function, *__: function.name == "add_more_tools")
    report = check(write_files(tmp_path, {"server.py": PROGRAM + function}))
    assert _crashes(report) == [("server.py", 16)]
    assert [surface.tools for surface in report.surfaces] == [("read_page", "write_page")]


def test_a_crash_at_one_definition_concerns_that_tool(
    tmp_path: Path, check: Callable[..., Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    _crashes_for(monkeypatch, definitions, "make_definition", lambda _, name, *__: name == "read_page")
    report = check(write_files(tmp_path, {"server.py": PROGRAM}))
    assert _crashes(report) == [("server.py", 7)]
    assert [surface.tools for surface in report.surfaces] == [("write_page",)]
    assert [surface.open for surface in report.surfaces] == [True]


@pytest.mark.parametrize("function", ["may_hold_prompts", "read_source"])
def test_a_crash_at_one_program_concerns_that_program(
    function: str, tmp_path: Path, check: Callable[..., Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: Iterator[bool] = iter([True, False])
    _crashes_for(monkeypatch, documents, function, lambda *_: next(calls))
    report = check(write_files(tmp_path, {"a/server.py": PROGRAM, "b/server.py": PROGRAM, "tools.json": TOOLS}))
    assert _crashes(report) == [("a/server.py", 1)]
    assert ("read_page", "write_page") in [surface.tools for surface in report.surfaces if "b" in surface.name]
    assert "TOOL_SCHEMA_INVALID" in {code for code, *_ in _said(report)}


def test_a_crash_with_all_programs_together_leaves_the_other_files(
    tmp_path: Path, check: Callable[..., Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents._Programs, "_read_tools", _raise(AttributeError("modules")))
    files = {"a/server.py": PROGRAM, "b/server.py": PROGRAM, "b/none.py": "x = 1\n", "a/tools.json": TOOLS}
    report = check(write_files(tmp_path, files))
    assert [(path, message) for code, path, _, message in _said(report) if code == "INTERNAL_ERROR"] == [
        ("a/server.py", "the programs could not be followed: AttributeError: modules")
    ]
    assert "TOOL_SCHEMA_INVALID" in {code for code, *_ in _said(report)}
    assert [surface.open for surface in report.surfaces] == [True]
    assert [str(unseen) for unseen in report.unread_tools] == [
        f"{folder}/server.py: programs at which the linter itself crashed" for folder in "ab"
    ]


def test_code_that_nests_too_deeply_is_not_passed_over_silently(
    tmp_path: Path, check: Callable[..., Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    _crashes_for(monkeypatch, Evaluator, "bind_name", lambda _, name, *__: name == "deep", RecursionError())
    report = check(write_files(tmp_path, {"server.py": PROGRAM + "\ndeep = f(f(f(f())))\n"}))
    assert _said(report) == []
    assert [surface.tools for surface in report.surfaces] == [("read_page", "write_page")]
    assert [str(reason) for reason in report.open_reasons] == ["server.py:15: code nested deeper than is followed"]
    assert [reason.cause for reason in report.open_reasons] == [LIMIT]


def test_a_crash_where_surfaces_are_put_together_leaves_what_is_true_of_files(
    two_lists: Path, check: Callable[..., Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grouping, "_infer", _raise(IndexError("folder")))
    report = check(two_lists)
    assert report.internal_errors
    assert [(each.code, each.message) for each in report.diagnostics if each.code == "INTERNAL_ERROR"] == [
        ("INTERNAL_ERROR", "the files could not be put together into surfaces: IndexError: folder")
    ]
    assert [path for code, path, *_ in _said(report) if code == "TOOL_SCHEMA_INVALID"] == [
        "a/tools.json",
        "b/tools.json",
    ]
    assert [surface.open for surface in report.surfaces] == [True]


def test_a_crash_in_what_is_read_of_a_prompt_leaves_the_other_prompts(
    tmp_path: Path, check: Callable[..., Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    from toolsurface_lint.model.prompt import Prompt

    write_files(
        tmp_path, {"tools.json": TOOLS, "prompts/a.md": "Call `raed_file`.\n", "prompts/b.md": "Call `raed_file`.\n"}
    )
    _crashes_for(monkeypatch, Prompt, "uses", lambda prompt, *_: prompt.origin == "prompts/a.md")
    report = check(tmp_path)
    assert _crashes(report) == [("prompts/a.md", 1)]
    assert [path for code, path, *_ in _said(report) if code == "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"] == ["prompts/b.md"]


def test_a_crash_where_a_place_is_computed_names_the_rule(
    two_lists: Path, check: Callable[..., Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    span = tree.Place.span
    _crashes_for(monkeypatch, tree.Place, "span", lambda place: place.source.path == "a/tools.json" and place.path)
    report = check(two_lists)
    assert [(path, line, message) for code, path, line, message in _said(report) if code == "INTERNAL_ERROR"] == [
        ("a/tools.json", 1, "`TOOL_SCHEMA_INVALID` could not be located in this file: KeyError: 'half of\\nnothing'")
    ]
    assert [path for code, path, *_ in _said(report) if code == "TOOL_SCHEMA_INVALID"] == ["b/tools.json"]
    assert span is not tree.Place.span


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_crash_at_a_conversation_leaves_the_others(
    jobs: int, tmp_path: Path, check: Callable[..., Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    from toolsurface_lint.run.transcripts import reader

    messages = [
        {"role": "user", "content": "Read it."},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "raed_file", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "text"},
        {"role": "assistant", "content": "Done."},
    ]  # fmt: skip
    lines = "".join(json.dumps({"messages": messages}) + "\n" for _ in range(2))
    write_files(tmp_path, {"tools.json": TOOLS, "runs.jsonl": lines})
    calls: Iterator[bool] = iter([True, False])
    _crashes_for(monkeypatch, reader, "read_turns", lambda *_: next(calls))
    report = check(tmp_path, jobs=jobs)
    assert _crashes(report) == [("runs.jsonl", 1)]
    assert [line for code, _, line, _ in _said(report) if code == "CALL_UNKNOWN_TOOL"] == [2]


def test_the_command_says_it_in_a_process_of_its_own(two_lists: Path) -> None:
    program = """
import sys
from toolsurface_lint.readers import loading

read = loading._load_values


def crash(document, *rest):
    if document.path.startswith("a/"):
        raise ZeroDivisionError("half")
    read(document, *rest)


loading._load_values = crash
from toolsurface_lint.__main__ import main

sys.argv[1:] = ["check", "--isolated", "--output", "concise", "."]
main()
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=two_lists, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "a/tools.json:1:1: error[INTERNAL_ERROR] the file could not be read: ZeroDivisionError: half" in done.stdout
    assert "b/tools.json:1:" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


EVERYTHING = {
    "server.py": PROGRAM
    + '\n\ndef add(server):\n    for name in ("a", "b"):\n        server.tool(name=name)(lambda x: x)\n',
    "prompts.py": 'SYSTEM_PROMPT = """You are an agent. Call `raed_page` first, then `write_page`."""\n',
    "shop/server.ts": SCRIPT,
    "shop/names.js": 'exports.LIST = ["a"].map((name) => `${name}_page`);\n',
    "notes/server.go": GO,
    "agents/tools.json": TOOLS,
    "agents/policy.yaml": "tools:\n  - read_fil*\nside_effect_level: read\n",
    "agents/prompt.md": 'Call `raed_file(path="x")`. <!-- toolsurface-lint: ignore-line -->\nUse `read_file`.\n',
    "agents/system.jinja": "Call {% if x %}`raed_file`{% endif %}\n",
    "agents/runs.jsonl": '{"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": "Done."}]}\n',
    ".claude/agents/reader.md": "---\nname: reader\ndescription: Reads.\ntools: Read, Reed\n---\nCall `Reed`.\n",
    ".claude/settings.json": '{"permissions": {"allow": ["Bash(ls:*)", "Reed"]}}',
    ".mcp.json": '{"mcpServers": {"files": {"command": "python", "args": ["server.py"]}}}',
}
CONTAINING = (
    documents.read_program_documents.__code__,
    documents._Programs.__init__.__code__,
    declared_documents.read_declared.__code__,
    declared_documents._Declared.__init__.__code__,
    declarations.language_named.__code__,
)
ROOMS = tuple(
    os.path.join(os.path.dirname(toolsurface_lint.__file__), room, "")
    for room in ("programs", "protocols", "readers", "schemas")
)


@pytest.mark.slow
def test_whatever_crashes_as_files_are_read_and_followed_is_said(tmp_path: Path, check: Callable[..., Report]) -> None:
    """Each function of the rooms that read, at its first call; one of three where not all is tried."""
    write_files(tmp_path, EVERYTHING)
    check(tmp_path)
    called: dict[CodeType, None] = {}
    sys.setprofile(lambda frame, event, _: called.setdefault(frame.f_code) if event == "call" else None)
    try:
        assert not check(tmp_path).internal_errors
    finally:
        sys.setprofile(None)
    ours = [code for code in called if code.co_filename.startswith(ROOMS) and code.co_name[0] != "<"]
    assert len(ours) > 300
    silent = []
    before = sys.gettrace()
    for code in ours if LONG else ours[::3]:
        if code in CONTAINING:
            # What contains the others: that they are called at all is not to be doubted.
            continue

        def crash(frame: FrameType, *_: Any, code: CodeType = code) -> None:
            if frame.f_code is code:
                sys.settrace(before)  # the rest of the run is as quick as ever
                raise RuntimeError(code.co_name)

        sys.settrace(crash)
        try:
            report = check(tmp_path)
        finally:
            sys.settrace(before)
        if not report.internal_errors:
            silent.append(f"{code.co_filename}:{code.co_firstlineno} {code.co_name}")
    assert silent == []
