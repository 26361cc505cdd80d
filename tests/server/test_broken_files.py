"""Files that somebody is typing in and that cannot be read meanwhile: what was read last stays, and moves along."""

import pytest
from lsprotocol import types

pytestmark = pytest.mark.slow

UNDECLARED = "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"
INVALID = "PROMPT_INVALID_ARGUMENT"
SYNTAX = "INPUT_SYNTAX_ERROR"
PROMPT = "Call `read_flie({})`, then `read_file({ path: 1 })`.\n"
FOUND = [f"0:6-0:15 {UNDECLARED}", f"0:46-0:47 {INVALID}"]
TEXTS = {
    "tools.json": """[
  {"name": "read_file", "description": "Read \U0001f6e0.", "input_schema": {"properties": {"path": {"type": "string"}}}}
]
""",
    "tools.yaml": """tools:
  - name: read_file
    description: Read a file.
    input_schema: {type: object, properties: {path: {type: string}}}
""",
    "tools.toml": """[[tools]]
name = "read_file"
description = "Read a file."

[tools.input_schema.properties.path]
type = "string"
""",
    "server.py": '''from mcp.server.fastmcp import FastMCP

mcp = FastMCP("files")


@mcp.tool()
def read_file(path: str) -> str:
    """Read a file."""
    return path
''',
    "server.ts": """import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";

const server = new McpServer({ name: "files" });

server.registerTool("read_file", { description: "Read a \U0001f6e0.", inputSchema: { path: z.string() } }, read);
""",
}
CASES = [
    # An edit that breaks the file, how far the name moves in lines and characters, and the edit that mends it.
    ("tools.json", ((0, 0), (0, 0), "\n{\U0001f6e0"), (1, 0), ((0, 0), (1, 3), "")),
    ("tools.json", ((1, 2), (1, 2), "[\U0001f6e0 "), (0, 4), ((1, 2), (1, 6), "")),
    ("tools.json", ((2, 0), (2, 1), ""), (0, 0), ((2, 0), (2, 0), "]")),
    ("tools.yaml", ((0, 0), (0, 0), "a: [\n\n"), (2, 0), ((0, 0), (2, 0), "")),
    ("tools.toml", ((0, 0), (0, 0), "a = [\n"), (1, 0), ((0, 0), (1, 0), "")),
    ("server.py", ((3, 0), (3, 0), "x = (\n"), (1, 0), ((3, 0), (4, 0), "")),
    ("server.py", ((6, 23), (6, 24), ""), (0, 0), ((6, 23), (6, 23), ")")),
]


async def define(session, name, line, character):
    found = await session.client.text_document_definition_async(
        types.DefinitionParams(**session.at(name, line, character))
    )
    return [(one.uri.rpartition("/")[2], one.range.start.line, one.range.start.character) for one in found]


async def hover(session, name, line, character):
    return await session.client.text_document_hover_async(types.HoverParams(**session.at(name, line, character)))


async def outline(session, name):
    params = types.DocumentSymbolParams(session.document(name))
    symbols = await session.client.text_document_document_symbol_async(params)
    return [(one.name, one.selection_range.start.line, one.selection_range.start.character) for one in symbols]


@pytest.fixture
def alone(folder):
    """The folder with its prompt alone."""
    (folder / "tools.json").unlink()
    (folder / "prompts/system.md").write_text(PROMPT, encoding="utf-8")
    return folder


@pytest.mark.parametrize(("name", "breaking", "moved", "mending"), CASES)
def test_what_was_read_last_stays_and_moves(talk, alone, name, breaking, moved, mending):
    (alone / name).write_text(TEXTS[name], encoding="utf-8")

    async def conversation(session):
        session.open(name)
        session.open("prompts/system.md")
        # Broken before anybody has asked for anything: the text as it was opened counts.
        session.edit(name, *breaking)
        assert await session.findings("prompts/system.md") == FOUND
        session.edit(name, *mending)
        own = await session.findings(name)
        ((symbol, line, character),) = await outline(session, name)
        place = (name, line, character)
        assert (symbol, await define(session, "prompts/system.md", 0, 32)) == ("read_file", [place])
        for _ in range(2):
            session.edit(name, *breaking)
            (line, character) = (place[1] + moved[0], place[2] + moved[1])
            assert await session.findings("prompts/system.md") == FOUND
            assert [line.split()[1] for line in await session.findings(name)] == [SYNTAX]
            assert await define(session, "prompts/system.md", 0, 32) == [(name, line, character)]
            assert await outline(session, name) == [("read_file", line, character)]
            shown = await hover(session, name, line, character + 2)
            assert f"Declared in [{name}:{line + 1}]" in shown.contents.value
            assert (shown.range.start.line, shown.range.start.character) == (line, character)
            related = [one.related_information[0].location for one in await session.pull("prompts/system.md")]
            assert {one.uri for one in related} == {session.uri(name)}
            assert {one.range.start.line for one in related} == {line}
            session.edit(name, *mending)
            assert await session.findings(name) == own
            assert await define(session, "prompts/system.md", 0, 32) == [place]

    talk(conversation)


def test_completion_and_closed_files(talk, able, folder):
    (folder / "prompts/other.md").write_text(PROMPT, encoding="utf-8")

    async def conversation(session):
        session.open("tools.json")
        session.open("prompts/system.md", "Use `")
        session.edit("tools.json", (0, 0), (0, 1), "")
        params = types.CompletionParams(**session.at("prompts/system.md", 0, 5))
        found = await session.client.text_document_completion_async(params)
        assert [item.label for item in found.items] == ["read_file", "list_files"]
        report = await session.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([]))
        codes = {item.uri.rpartition("/")[2]: [one.code for one in item.items] for item in report.items}
        assert codes == {"tools.json": [SYNTAX], "other.md": [UNDECLARED, INVALID]}

    talk(conversation, able(diagnostics=types.DiagnosticWorkspaceClientCapabilities()))


def test_in_a_broken_file_only_that_is_said(talk):
    # Two keys of one name, which is said of a file that can be read, and not of the text as it was.
    text = '[{"name": "read_file", "name": "read_file", "description": "Call read_flie()."}]'

    async def conversation(session):
        session.open("tools.json", text)
        assert "DUPLICATE_KEY" in str(await session.findings("tools.json"))
        session.edit("tools.json", (0, 79), (0, 80), "")
        (found,) = await session.pull("tools.json")
        assert found.code == SYNTAX
        # The place that belongs to it is one of the present text.
        session.edit("tools.json", (0, 0), (0, 0), "\n\n")
        (found,) = await session.pull("tools.json")
        (related,) = found.related_information
        assert related.location.range.start == types.Position(2, 0)
        # Nothing is offered but what belongs to it.
        context = types.CodeActionContext([], [types.CodeActionKind.QuickFix, types.CodeActionKind.SourceFixAll])
        whole = types.Range(types.Position(0, 0), types.Position(9, 0))
        params = types.CodeActionParams(session.document("tools.json"), whole, context)
        actions = await session.client.text_document_code_action_async(params)
        assert {code for one in actions for code in ([each.code for each in one.diagnostics or ()])} <= {SYNTAX}

    talk(conversation)


def test_front_matter(talk):
    text = "---\nname: a\ndescription: Works.\ntools: [read_file, read_flie]\n---\nWork.\n"
    name = ".claude/agents/a.md"

    async def conversation(session):
        session.open(name, text)
        before = await session.findings(name)
        assert [line.split()[1] for line in before] == ["POLICY_UNKNOWN_TOOL"] * 2
        symbols = await outline(session, name)
        session.edit(name, (3, 28), (3, 29), "")
        assert [line.split()[1] for line in await session.findings(name)] == ["INPUT_FRONT_MATTER"]
        assert await outline(session, name) == symbols
        session.edit(name, (1, 0), (1, 0), "\n\n")
        assert await outline(session, name) == [(each, line + 2, character) for each, line, character in symbols]
        session.edit(name, (1, 0), (3, 0), "")
        session.edit(name, (3, 28), (3, 28), "]")
        assert await session.findings(name) == before

    talk(conversation)


def test_a_broken_file_that_is_none_of_ours_opens_no_surface(talk):
    async def conversation(session):
        session.open("notes.yaml", "a: 1\n")
        session.open("prompts/system.md", PROMPT)
        for text in ("[", "{{ b }}"):
            session.edit("notes.yaml", (0, 3), (0, 3), text)
            assert await session.findings("prompts/system.md") == FOUND
            assert await session.findings("notes.yaml") == []

    talk(conversation)


def test_a_whole_text_in_place_of_edits(talk):
    async def conversation(session):
        session.open("tools.json")
        session.open("prompts/system.md", PROMPT)
        with open(session.folder / "tools.json", encoding="utf-8") as file:
            text = file.read()
        session.rewrite("tools.json", text[:1] + "\n\n}" + text[1:])
        assert await define(session, "prompts/system.md", 0, 32) == [("tools.json", 4, 13)]
        assert await session.findings("prompts/system.md") == FOUND

    talk(conversation)


def test_what_is_closed_or_deleted_is_forgotten(talk, folder):
    async def conversation(session):
        session.open("tools.json")
        session.open("prompts/system.md", PROMPT)
        session.edit("tools.json", (0, 0), (0, 1), "")
        assert await session.findings("prompts/system.md") == FOUND
        # Closed without saving, the file on disk counts.
        session.write({"tools.json": '[{"name": "read_flie", "description": "Read."}]'})
        session.close("tools.json")
        assert await session.findings("prompts/system.md") == [f"0:28-0:37 {UNDECLARED}"]
        # Opened as broken as it is, there is nothing to keep.
        broken = '[{"name": "read_file", "description": "Read."}'
        end = len(broken)
        session.open("tools.json", broken)
        assert await session.findings("prompts/system.md") == []
        session.edit("tools.json", (0, end), (0, end), "]")
        assert f"0:6-0:15 {UNDECLARED}" in await session.findings("prompts/system.md")
        session.edit("tools.json", (0, end), (0, end + 1), "")
        assert f"0:6-0:15 {UNDECLARED}" in await session.findings("prompts/system.md")
        # Saved as broken as it is, it is still open.
        session.save("tools.json", broken)
        assert f"0:6-0:15 {UNDECLARED}" in await session.findings("prompts/system.md")
        (session.folder / "tools.json").unlink()
        gone = types.FileEvent(session.uri("tools.json"), types.FileChangeType.Deleted)
        session.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([gone]))
        assert await session.findings("prompts/system.md") == []

    talk(conversation)


def test_a_file_that_gets_another_name(talk):
    async def conversation(session):
        session.open("tools.json")
        session.open("prompts/system.md", PROMPT)
        session.edit("tools.json", (0, 0), (0, 1), "")
        assert await session.findings("prompts/system.md") == FOUND
        (session.folder / "tools.json").rename(session.folder / "renamed.json")
        session.close("tools.json")
        session.open("renamed.json")
        assert [one[0] for one in await define(session, "prompts/system.md", 0, 32)] == ["renamed.json"]
        session.edit("renamed.json", (0, 0), (0, 1), "")
        assert await session.findings("prompts/system.md") == FOUND
        assert await define(session, "prompts/system.md", 0, 32) == [("renamed.json", 2, 13)]

    talk(conversation)


def test_programs_that_were_read_together(talk, alone):
    files = {
        "server.py": TEXTS["server.py"]
        .replace("path: str", "path: Where")
        .replace("\n\n\n", "\nfrom kinds import Where\n\n"),
        "kinds.py": 'from typing import Literal\n\nWhere = Literal["here", "there"]\n',
        "other.py": "x = 1\n",
    }

    async def conversation(session):
        session.write(files)
        for name in files:
            session.open(name)
        session.open("prompts/system.md", 'Call `read_file({ path: "nowhere" })`.\n')
        expected = await session.findings("prompts/system.md")
        assert len(expected) == 1
        # What another file takes from a broken one is kept as well; one that nobody takes anything from says nothing.
        session.edit("kinds.py", (2, 31), (2, 32), "")
        session.edit("other.py", (0, 0), (0, 0), "(")
        assert await session.findings("prompts/system.md") == expected
        session.edit("server.py", (6, 0), (6, 0), "(")
        assert await session.findings("prompts/system.md") == expected
        assert [line.split()[1] for line in await session.findings("server.py")] == [SYNTAX]
        assert await session.findings("other.py") == []
        session.edit("kinds.py", (2, 31), (2, 31), "]")
        session.edit("server.py", (6, 0), (6, 1), "")
        assert await session.findings("prompts/system.md") == expected
        assert SYNTAX not in str(await session.findings("server.py"))

    talk(conversation)


SETTINGS_FILES = [("toolsurface.toml", ""), ("pyproject.toml", "[tool.toolsurface-lint]\n")]


@pytest.mark.parametrize(("name", "head"), SETTINGS_FILES)
def test_half_typed_settings_are_said_in_their_file(talk, folder, name, head):
    typed = 'severity = {INVALID="off"}'
    (folder / "toolsurface.toml").unlink()
    text = f'{head}ignore = ["{INVALID}"]\n'
    line = text.count("\n")

    async def conversation(session):
        session.write({name: text})
        session.open("prompts/system.md", PROMPT)
        session.open(name)
        for index, character in enumerate(typed):
            session.edit(name, (line, index), (line, index), character)
            (found,) = await session.pull(name)
            assert (found.range.start.line, found.severity) == (line, types.DiagnosticSeverity.Error)
            # Those before stay in force, even if nobody has asked for anything yet.
            assert await session.findings("prompts/system.md") == FOUND[:1]
        session.edit(name, (line, 0), (line, 99), "")
        assert await session.findings(name) == []
        assert session.client.messages == []

    talk(conversation)


def test_half_typed_settings_open_no_window(talk, able):
    async def conversation(session):
        session.open("toolsurface.toml")
        session.open("prompts/system.md", PROMPT)
        for index, character in enumerate("ignore ="):
            session.edit("toolsurface.toml", (0, index), (0, index), character)
            # One more line, so that there is something to send after every keystroke.
            session.edit("prompts/system.md", (0, 0), (0, 0), "\n")
            while f"{index + 1}:6-{index + 1}:15 {UNDECLARED}" not in await session.pushed("prompts/system.md"):
                pass
            assert len(session.client.diagnostics[session.uri("toolsurface.toml")]) == 1
        session.edit("toolsurface.toml", (0, 8), (0, 8), " []")
        assert await session.pushed("toolsurface.toml", 0) == []
        assert session.client.messages == []

    talk(conversation, able(pulls=False))


def test_settings_that_are_not_open_are_reported_all_the_same(talk, able, folder):
    (folder / "toolsurface.toml").write_text("\ningore = 1\n", encoding="utf-8")

    async def conversation(session):
        session.open("prompts/system.md")
        assert await session.pushed("toolsurface.toml", 1) == ["1:0-1:0 None"]
        session.open("toolsurface.toml")
        session.edit("toolsurface.toml", (1, 0), (1, 6), "ignore")
        assert await session.pushed("toolsurface.toml", 1) != ["1:0-1:0 None"]
        session.close("toolsurface.toml")
        assert await session.pushed("toolsurface.toml", 1) == ["1:0-1:0 None"]
        session.write({"toolsurface.toml": ""})
        session.watched("toolsurface.toml")
        assert await session.pushed("toolsurface.toml", 0) == []
        assert session.client.messages == []

    talk(conversation, able(pulls=False))


def test_a_broken_program_of_typescript_is_read_as_far_as_it_goes(talk, folder):
    """Its parser goes on behind an error: nothing is said of the file, and its tools are those that it has now."""
    (folder / "tools.json").unlink()
    (folder / "prompts/system.md").write_text(PROMPT, encoding="utf-8")

    async def conversation(session):
        session.open("server.ts", TEXTS["server.ts"])
        session.open("prompts/system.md")
        assert await session.findings("prompts/system.md") == FOUND
        session.edit("server.ts", (0, 0), (0, 0), "const broken = {{{ ;\n")
        assert await session.findings("prompts/system.md") == FOUND
        assert await session.findings("server.ts") == []
        ((symbol, line, character),) = await outline(session, "server.ts")
        assert (symbol, line) == ("read_file", 6)
        assert await define(session, "prompts/system.md", 0, 32) == [("server.ts", line, character)]

    talk(conversation)
