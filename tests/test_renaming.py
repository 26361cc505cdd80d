"""Renaming tools and arguments: the exact edits in each format, what is left, and what is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.files import write_files
from tests.long import examples
from toolsurface_lint.api import check_project
from toolsurface_lint.run.renaming import Refused, Renaming, rename, write

OPENAI = """[
  {"type": "function", "function": {"name": "read_note", "description": "Read one note.",
   "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}},
  {"type": "function", "function": {"name": "drop_note", "description": "Drop a note that `read_note` has shown.",
   "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}}
]
"""
REGISTRY = """{"tools": [
  {"name": "read_note", "description": "Read one note.", "executor": "harn",
   "parameters": {"type": "object", "properties": {"path": {"type": "string"}, "deep": {"type": "object",
    "properties": {"path": {"type": "string"}}}}, "required": ["path"]},
   "annotations": {"kind": "read", "side_effect_level": "read_only",
    "arg_schema": {"path_params": ["path"], "arg_aliases": {"file": "path"}}}},
  {"name": "run_note", "description": "Run one note.", "executor": "harn", "parameters": {"type": "object"},
   "annotations": {"kind": "execute", "emits_artifacts": true, "result_readers": ["read_note"]}}
]}
"""


def renamed(folder: Path, old: str, new: str, *paths: str, argument_of: str | None = None) -> Renaming:
    where = [str(folder / path) for path in paths] or [str(folder)]
    return rename(lambda unsaved: check_project(where, unsaved=unsaved), where, old, new, argument_of=argument_of)


def after(folder: Path, found: Renaming) -> dict[str, str]:
    """What each changed file has then, by its path in the folder."""
    return {Path(change.path).relative_to(folder).as_posix(): change.after.decode() for change in found.changes}


def left(folder: Path, found: Renaming) -> list[str]:
    return [f"{one.where.rpartition(folder.name + '/')[2]} {one.why}" for one in found.plan.left]


MCP = """from mcp.server.fastmcp import FastMCP
mcp = FastMCP('notes')

@mcp.tool(name='«read_note»')
def read(path: str) -> str:
    '''Read one note.'''
"""
LISTED = OPENAI.replace("read_note", "«read_note»")
SURFACES = {
    "prompts": {
        "tools.json": LISTED,
        "system.md": """Call `«read_note»({ path: 1 })`, never use `drop_note`. There is no read_note(s).
Use the «read_note» tool; prereading and read_notes are others. `«read_note»` output is short.
""",
    },
    "denials": {
        "tools.json": LISTED,
        "system.md": "Never use `«read_note»`. There is no `«read_note»` tool.\n",
    },
    "readers and policies": {
        "tools.json": REGISTRY.replace('"read_note"', '"«read_note»"'),
        "policy.yaml": """tools: [«read_note», 'run_note']  # read_note
tool_annotations:
  «read_note»: {kind: read}
tool_arg_constraints:
  - tool: "«read_note»"
    arg_key: path
    arg_patterns: ['a/*']
""",
        "approval.toml": """auto_approve = ['«read_note»']
auto_deny = ["run_note"]
[[rules]]
action = 'ask'
match = { tool = "«read_note»" }
""",
    },
    "yaml": {
        "tools.yaml": """- name: «read_note»
  description: Read.
  input_schema: {type: object}
""",
    },
    "settings": {
        "tools.json": LISTED,
        "toolsurface.toml": """[[call-rules]]
tool = 'drop_note'
requires = ['«read_note»']
[[call-rules]]
tool = "«read_note»"
requires = []
""",
    },
    "templates": {
        "tools.json": LISTED,
        "system.harn.prompt": "{{ if a }}Call «read_note»({ path: 1 }).{{ end }}\nUse the `«read_note»` tool.\n",
    },
    "a surface document": {
        "surface.json": """{"tools": [{"name": "«read_note»", "parameters": {"type": "object"}}],
 "system": "Call \\"«read_note»\\" or «read_note»({}).", "policy": {"tools": ["«read_note»"]}}
""",
    },
    "dispatch in Python": {
        "agent.py": """TOOLS = [{"name": "«read_note»", "description": "Read.", "input_schema": {"type": "object"}}]
def run(client, name):
    client.messages.create(model="m", tools=TOOLS)
    if name == "«read_note»":
        return read_note()
""",
    },
    "a decorated function": {
        "server.py": """from mcp.server.fastmcp import FastMCP
mcp = FastMCP('notes')

@mcp.tool(«|name="open_note"»)
def read_note(path: str) -> str:
    '''Read one note.'''

read_note("x")
""",
    },
    "a decorator without parentheses": {
        "agent.py": """from agents import Agent, function_tool

@function_tool«|(name_override="open_note")»
def read_note(path: str) -> str:
    '''Read.'''

Agent(name="a", instructions="Call «read_note» first.", tools=[read_note])
""",
    },
    "a decorator with lines of its own": {
        "agent.py": """from langchain_core.tools import tool

@tool(
    «|"open_note",
    »return_direct=True,
)
def read_note(path: str) -> str:
    '''Read.'''
""",
    },
    "a switch in TypeScript": {
        "server.ts": """import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { ListToolsRequestSchema, CallToolRequestSchema } from "@modelcontextprotocol/sdk/types.js";
const server = new Server({ name: "n", version: "1" }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [
  { name: '«read_note»', description: `Read.`, inputSchema: { type: "object" } } ] }));
server.setRequestHandler(CallToolRequestSchema, async (request) => {
  switch (request.params.name) { case "«read_note»": return readNote("read_note"); }
});
""",
    },
    "a key in TypeScript": {
        "agent.ts": """import { generateText, tool } from "ai";
import { z } from "zod";
const drop_note = tool({ description: "Drop.", inputSchema: z.object({}) });
await generateText({ model, system: "Call «read_note» first.", tools: {
  // The first.
  «read_note»: tool({ description: "Read.", inputSchema: z.object({}) }), drop_note } });
""",
    },
    "a variable that is a key in TypeScript": {
        "agent.ts": """import { generateText, tool } from "ai";
import { z } from "zod";
const read_note = tool({ description: "Read.", inputSchema: z.object({}) });
await generateText({ model, tools: { «|open_note: »read_note } });
""",
    },
    "what clients call the tools of a server": {
        "server.py": MCP,
        ".mcp.json": '{"mcpServers": {"notes": {"command": "python", "args": ["server.py"]}}}\n',
        ".claude/settings.json": """{"permissions": {
  "allow": ["mcp__notes__«read_note»", "Read(./read_note)"],
  "deny": ["mcp__other__read_note"]},
 "hooks": {"PreToolUse": [
  {"matcher": "Bash|mcp__notes__«read_note»", "hooks": [{"type": "command", "command": "true"}]},
  {"matcher": "mcp__notes__«read_note».*", "hooks": [{"type": "command", "command": "true"}]}]}}
""",
        ".claude/agents/clerk.md": """---
name: clerk
description: Reads notes.
tools: Read, mcp__notes__«read_note»
---
Call mcp__notes__«read_note», not mcp__other__read_note.
""",
        ".gemini/settings.json": """{"mcpServers": {"notes": {"command": "python", "args": ["../server.py"],
  "includeTools": ["«read_note»"]}}}
""",
    },
    "a manifest": {
        "server.py": MCP,
        "manifest.json": """{"manifest_version": "0.3", "name": "notes", "version": "1.0.0",
 "description": "Notes.", "author": {"name": "n"},
 "server": {"type": "python", "entry_point": "server.py",
  "mcp_config": {"command": "python", "args": ["${__dirname}/server.py"]}},
 "tools": [{"name": "«read_note»", "description": "read_note it is."}]}
""",
    },
}
"""Files in which what must change is marked: the name, or what comes before `|` and what takes its place."""
_MARKED = re.compile("«([^|»]*)(?:\\|([^»]*))?»")


def unmarked(files: Mapping[str, str]) -> dict[str, str]:
    return {name: _MARKED.sub(lambda found: found[1], text) for name, text in files.items()}


def expected(files: Mapping[str, str], new: str) -> dict[str, str]:
    """The files that change, as they must be then."""
    return {
        name: _MARKED.sub(lambda found: new if found[2] is None else found[2], text)
        for name, text in files.items()
        if _MARKED.search(text)
    }


@pytest.mark.parametrize("case", SURFACES)
def test_everything_that_names_a_tool_changes_with_it(tmp_path: Path, case: str) -> None:
    write_files(tmp_path, unmarked(SURFACES[case]))
    found = renamed(tmp_path, "read_note", "open_note")
    assert after(tmp_path, found) == expected(SURFACES[case], "open_note")
    assert [one.code for one in found.findings] == []


@pytest.mark.parametrize("case", [case for case, files in SURFACES.items() if "«|" not in "".join(files.values())])
def test_there_and_back_again(tmp_path: Path, case: str) -> None:
    before = unmarked(SURFACES[case])
    write_files(tmp_path, before)
    write(renamed(tmp_path, "read_note", "open_note").changes)
    write(renamed(tmp_path, "open_note", "read_note").changes)
    assert {name: (tmp_path / name).read_text(encoding="utf-8") for name in before} == before


NAME = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8).filter(
    lambda name: name.isprintable() and not any(map(str.isspace, name)) and name != "other"
)


@pytest.mark.slow
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(old=NAME, new=NAME)
@example('say"hi"', "it's")
@example("a\\nb", "\\")
@example("\U0001f6e0", "a`b")
def test_hostile_names_are_written_as_their_format_has_them(tmp_path: Path, old: str, new: str) -> None:
    tool = {"description": "Reads.", "parameters": {"type": "object"}, "executor": "harn"}
    registry = json.dumps({"tools": [{"name": old, **tool}, {"name": "other", **tool}]})
    policy = json.dumps(
        {"side_effect_level": "none", "tools": [old], "tool_annotations": {old: {"kind": "read"}}}, ensure_ascii=False
    )
    write_files(tmp_path, {"tools.json": registry, "policy.yaml": policy})
    try:
        found = renamed(tmp_path, old, new)
    except Refused as error:
        assert old == new or "not allowed" in str(error)  # noqa: PT017
        return
    texts = after(tmp_path, found)
    assert json.loads(texts["tools.json"])["tools"][0]["name"] == new
    if not left(tmp_path, found):
        read = json.loads(texts["policy.yaml"])
        assert (read["tools"], list(read["tool_annotations"])) in (([new], [new]), ([], []))


def test_escapes_and_line_ends_and_marks_stay(tmp_path: Path) -> None:
    text = '\ufeff{"tools": [\r\n {"name": "read_\\u006eote", "description": "\\u00fc", "executor": "harn"}]}\r\n'
    write_files(tmp_path, {"tools.json": text, "policy.yaml": 'tools: ["read_not\\x65"]\r\n'})
    assert after(tmp_path, renamed(tmp_path, "read_note", "open_note")) == {
        "policy.yaml": 'tools: ["open_note"]\r\n',
        "tools.json": text.replace("read_\\u006eote", "open_note"),
    }


ARGUMENTS = {
    "a registry": {
        "tools.json": REGISTRY.replace('{"path": {"type": "string"}, "deep"', '{"«path»": {"type": "string"}, "deep"')
        .replace('["path"]', '["«path»"]')
        .replace('"file": "path"', '"file": "«path»"'),
        "policy.yaml": """tools: [read_note]
tool_arg_constraints:
  - {tool: read_note, arg_key: «path», arg_patterns: [path]}
  - {tool: run_note, arg_key: path, arg_patterns: [a]}
""",
        "system.md": """Call `read_note({ «path»: "path", deep: { path: 1 } })` or read_note(«path»="x").
Then run_note({ path: 1 }).
<tool_call>
{"name": "read_note", "arguments": {"«path»": "path"}}
</tool_call>
""",
    },
    "a list of OpenAI": {
        "tools.json": OPENAI.replace(
            '{"path": {"type": "string"}}, "required": ["path"]', '{"«path»": {"type": "string"}}, "required": ["«path»"]'
        )
    },
    "a schema in a program, and a prompt that is put together": {
        "agent.py": """TOOLS = [{"name": "read_note", "description": "Read.", "input_schema": {"type": "object",
    "properties": {"«path»": {"type": "string"}}, "required": ["«path»"]}}]
client.messages.create(model="m", tools=TOOLS, system=f"Read {day}. " + "Call read_note({ «path»: 1 }).")
"""
    },
}  # fmt: skip


@pytest.mark.parametrize("case", ARGUMENTS)
def test_everything_that_names_an_argument_changes_with_it(tmp_path: Path, case: str) -> None:
    before = unmarked(ARGUMENTS[case])
    write_files(tmp_path, before)
    found = renamed(tmp_path, "path", "where", argument_of="read_note")
    assert after(tmp_path, found) == expected(ARGUMENTS[case], "where")
    assert [one.code for one in found.findings] == []
    write(found.changes)
    write(renamed(tmp_path, "where", "path", argument_of="read_note").changes)
    assert {name: (tmp_path / name).read_text(encoding="utf-8") for name in before} == before


def test_recordings_are_counted_and_left(tmp_path: Path) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "read_note", "arguments": "{}"}}
    chat = [{"role": "user", "content": "read_note?"}, {"role": "assistant", "content": None, "tool_calls": [call]}]
    snapshot = {
        "toolsurfaceSnapshot": 1,
        "servers": [{"name": "notes", "tools": [{"name": "read_note", "inputSchema": {"type": "object"}}]}],
    }
    files = {
        "tools.json": OPENAI,
        "run.jsonl": json.dumps({"messages": chat}) + "\n",
        "snapshot.json": json.dumps(snapshot),
    }
    write_files(tmp_path, files)
    found = renamed(tmp_path, "read_note", "open_note")
    assert after(tmp_path, found) == {"tools.json": OPENAI.replace("read_note", "open_note")}
    counts = {Path(path).name: times for path, times in found.plan.evidence.items()}
    assert counts == {"run.jsonl": 2, "snapshot.json": 1}


def test_patterns_are_said_where_they_tell_the_names_apart(tmp_path: Path) -> None:
    policy = "tools: ['read_*', '*_note', 'open_*', '*']\n"
    write_files(tmp_path, {"tools.json": OPENAI, "policy.yaml": policy})
    found = renamed(tmp_path, "read_note", "open_note")
    assert left(tmp_path, found) == [
        "policy.yaml:1:9 the pattern `read_*` matches the old name, and not the new one",
        "policy.yaml:1:29 the pattern `open_*` matches the new name, and not the old one",
    ]
    assert found.plan.patterns == 2


def test_what_was_not_named_is_left_and_said(tmp_path: Path) -> None:
    write_files(
        tmp_path, {"a/tools.json": OPENAI, "a/system.md": "Use `read_note`.\n", "notes.md": "", ".git/HEAD": ""}
    )
    found = renamed(tmp_path, "read_note", "open_note", "a/tools.json")
    assert list(after(tmp_path, found)) == ["a/tools.json"]
    assert left(tmp_path, found) == ["a/system.md:1:6 it is outside of what was named"]


def test_a_definition_that_was_not_named_is_left_and_said(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.json": OPENAI, "b.json": OPENAI.replace("drop", "burn"), ".git/HEAD": ""})
    found = renamed(tmp_path, "read_note", "open_note", "a.json")
    assert list(after(tmp_path, found)) == ["a.json"]
    assert "b.json:2:45 it is outside of what was named" in left(tmp_path, found)


def test_where_the_name_is_still_written(tmp_path: Path) -> None:
    write_files(tmp_path, {"tools.json": OPENAI, "system.md": "On read_note, and read_notes.\nread_note\n"})
    found = renamed(tmp_path, "read_note", "open_note")
    assert [(Path(one.path).name, one.line, one.times) for one in found.leftovers] == [("system.md", 1, 2)]


REFUSALS = [
    ({"tools.json": OPENAI}, "read_notes", "x", None, "no tool is called `read_notes`, did you mean `read_note`?"),
    ({"tools.json": OPENAI}, "read_note", "drop_note", None, "`drop_note` is declared already, at tools.json:4:45"),
    ({"tools.json": OPENAI}, "read_note", "read_note", None, "the tool is called `read_note` already"),
    ({"tools.json": OPENAI}, "read_note", "a b", None, "`a b` is not a name"),
    ({"tools.json": OPENAI}, "read_note", "", None, "`` is not a name"),
    ({"tools.json": OPENAI}, "read_note", "lese.notiz", None, "the tool name `lese.notiz` is not allowed by OpenAI"),
    ({"tools.json": OPENAI}, "paths", "x", "read_note", "`read_note` has no argument `paths`, did you mean `path`?"),
    ({"tools.json": REGISTRY}, "path", "deep", "read_note", "`read_note` has an argument `deep` already"),
    ({"tools.json": REGISTRY}, "path", "file", "read_note", "`file` is an alias of an argument of `read_note` already"),
    (
        {"a/tools.json": OPENAI, "b/tools.json": OPENAI},
        "read_note",
        "open_note",
        None,
        "2 tools are called `read_note`: a/tools.json:2:45, b/tools.json:2:45; name one of these places as PATH, or give --all",
    ),
    (
        {
            "tools.json": REGISTRY,
            "policy.yaml": "tools: []\ntool_annotations: {read_note: {kind: read}, open_note: {kind: read}}\n",
        },
        "read_note",
        "open_note",
        None,
        "`open_note` is there already beside `read_note`, at policy.yaml:2:20",
    ),
    (
        {
            "server.py": "from mcp.server.fastmcp import FastMCP\nmcp = FastMCP('n')\n\n"
            '@mcp.tool()\ndef read_note(path: str) -> str:\n    """Read."""\n'
        },
        "path",
        "where",
        "read_note",
        "the argument is a parameter or a field of the program, at server.py:5:15",
    ),
    (
        {
            "agent.py": "from google.adk.agents import Agent\n\ndef read_note(path: str) -> str:\n"
            '    """Read."""\n\nroot = Agent(name="a", model="m", tools=[read_note])\n'
        },
        "read_note",
        "open_note",
        None,
        "the tool is called after something in its program, at agent.py:3:5",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("files", "old", "new", "argument_of", "message"), REFUSALS)
def test_what_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    files: Mapping[str, str],
    old: str,
    new: str,
    argument_of: str | None,
    message: str,
) -> None:
    write_files(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Refused) as refused:
        rename(lambda unsaved: check_project(["."], unsaved=unsaved), ["."], old, new, argument_of=argument_of)
    assert str(refused.value).startswith(message)


def test_every_tool_of_a_name(tmp_path: Path) -> None:
    write_files(tmp_path, {"a/tools.json": OPENAI, "b/tools.json": OPENAI, "system.md": "Use the `read_note` tool.\n"})
    where = [str(tmp_path)]
    found = rename(lambda unsaved: check_project(where, unsaved=unsaved), where, "read_note", "open_note", every=True)
    assert (list(after(tmp_path, found)), left(tmp_path, found)) == (["a/tools.json", "b/tools.json", "system.md"], [])


def test_one_of_several_tools_of_a_name(tmp_path: Path) -> None:
    """A text above both folders may mean either."""
    write_files(tmp_path, {"a/tools.json": OPENAI, "b/tools.json": OPENAI, "system.md": "Use the `read_note` tool.\n"})
    found = renamed(tmp_path, "read_note", "open_note", "a", "system.md")
    assert list(after(tmp_path, found)) == ["a/tools.json"]
    assert [line.partition(" ")[2].partition(" at ")[0] for line in left(tmp_path, found)] == [
        "it also means the tool that is declared"
    ]


def test_nothing_is_written_if_one_file_cannot_be(tmp_path: Path) -> None:
    from toolsurface_lint.run.writing import NotWritten

    write_files(tmp_path, {"tools.json": OPENAI, "policy.yaml": "tools: [read_note]\n"})
    found = renamed(tmp_path, "read_note", "open_note")
    (tmp_path / "tools.json").write_text(OPENAI + " ", encoding="utf-8")
    with pytest.raises(NotWritten):
        write(found.changes)
    assert (tmp_path / "policy.yaml").read_text(encoding="utf-8") == "tools: [read_note]\n"


@pytest.mark.parametrize("stopped", [False, True])
def test_what_was_written_is_restored_as_far_as_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stopped: bool
) -> None:
    """The third file cannot be written, or the user stops there; somebody else has changed the second one."""
    from toolsurface_lint.run import renaming
    from toolsurface_lint.run.writing import NotWritten, replace

    policy = "tools: [read_note]\n"
    write_files(tmp_path, {"a/policy.yaml": policy, "b/policy.yaml": policy, "tools.json": OPENAI})
    found = renamed(tmp_path, "read_note", "open_note")
    assert len(found.changes) == 3

    def fails(path: str, data: bytes, before: bytes | None, display: str) -> None:
        if path.endswith("tools.json"):
            (tmp_path / "b/policy.yaml").write_text("tools: []\n", encoding="utf-8")
            raise KeyboardInterrupt if stopped else NotWritten("cannot write it")
        replace(path, data, before, display)

    monkeypatch.setattr(renaming, "replace", fails)
    reason = "interrupted" if stopped else "cannot write it"
    with pytest.raises(
        NotWritten, match=rf"^{reason}; the new name stays in .*b/policy\.yaml, which cannot be restored$"
    ):
        write(found.changes)
    assert (tmp_path / "a/policy.yaml").read_text(encoding="utf-8") == policy
    assert (tmp_path / "tools.json").read_text(encoding="utf-8") == OPENAI
