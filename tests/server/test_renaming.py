"""Renaming, highlighting and finding names in the editor."""

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

pytestmark = pytest.mark.slow

PROMPT = "🛠 Call `read_file({ path: 1 })`, then read_file.\n"
POLICY = 'tools: [read_file, "list_*"]\n'


def renames(**able):
    """A client that takes versions and annotations, and asks before it renames."""
    return types.ClientCapabilities(
        text_document=types.TextDocumentClientCapabilities(
            diagnostic=types.DiagnosticClientCapabilities(),
            rename=types.RenameClientCapabilities(prepare_support=True),
        ),
        workspace=types.WorkspaceClientCapabilities(workspace_edit=types.WorkspaceEditClientCapabilities(**able)),
    )


ABLE = renames(document_changes=True, change_annotation_support=types.ChangeAnnotationsSupportOptions())


def at(range):
    start, end = range.start, range.end
    return f"{start.line}:{start.character}-{end.line}:{end.character}"


def edits(session, edit):
    """The edits by file, each as `range text`, with the version of the file."""
    found = {}
    for change in edit.document_changes:
        name = change.text_document.uri.removeprefix(session.folder.as_uri() + "/")
        found[name, change.text_document.version] = [f"{at(one.range)} {one.new_text}" for one in change.edits]
    return found


def test_a_tool_is_renamed_in_open_and_closed_files(talk):
    async def conversation(session):
        session.write({"policy.yaml": POLICY, ".git/HEAD": ""})
        session.open("prompts/system.md", PROMPT)
        provider = session.result.capabilities.rename_provider
        assert provider == types.RenameOptions(prepare_provider=True)

        async def prepare(name, line, character):
            params = types.PrepareRenameParams(**session.at(name, line, character))
            return await session.client.text_document_prepare_rename_async(params)

        async def rename(name, line, character, new):
            params = types.RenameParams(new_name=new, **session.at(name, line, character))
            return await session.client.text_document_rename_async(params)

        found = await prepare("prompts/system.md", 0, 12)
        assert (at(found.range), found.placeholder) == ("0:9-0:18", "read_file")
        assert await prepare("prompts/system.md", 0, 3) is None
        edit = await rename("prompts/system.md", 0, 12, "load_file")
        assert edits(session, edit) == {
            ("policy.yaml", None): ["0:8-0:17 load_file"],
            ("prompts/system.md", 1): ["0:9-0:18 load_file", "0:39-0:48 load_file"],
            ("tools.json", None): ["2:13-2:22 load_file"],
        }
        asked = {key: value.needs_confirmation for key, value in edit.change_annotations.items()}
        assert asked == {
            "In a definition": False,
            "In a policy": False,
            "In a prompt": False,
            "In a prompt, by what is around it": True,
        }
        # An argument, from a call and from its definition, behind what was typed above it.
        found = await prepare("prompts/system.md", 0, 22)
        assert (at(found.range), found.placeholder) == ("0:21-0:25", "path")
        session.open("tools.json")
        session.edit("tools.json", (0, 0), (0, 0), "\n")
        edit = await rename("tools.json", 8, 11, "where")
        assert edits(session, edit) == {
            ("prompts/system.md", 1): ["0:21-0:25 where"],
            ("tools.json", 2): ["8:9-8:13 where", "11:20-11:24 where"],
        }
        with pytest.raises(JsonRpcException, match=r"`list_files` is declared already, at tools\.json:16:13"):
            await rename("tools.json", 3, 15, "list_files")
        # A pattern is nobody's name, and what cannot be read is not written.
        session.open("policy.yaml")
        assert await prepare("policy.yaml", 0, 22) is None
        session.edit("policy.yaml", (0, 0), (0, 0), "[")
        with pytest.raises(JsonRpcException, match=r"policy\.yaml has the name, and cannot be read at present"):
            await rename("tools.json", 3, 15, "load_file")

    talk(conversation, ABLE)


def test_nothing_is_changed_through_a_link_that_leads_out(talk, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "policy.yaml"
    outside.write_text(POLICY, encoding="utf-8")

    async def conversation(session):
        session.write({".git/HEAD": ""})
        (session.folder / "policy.yaml").symlink_to(outside)
        session.open("prompts/system.md", PROMPT)
        session.open("policy.yaml", POLICY)
        params = types.RenameParams(new_name="load_file", **session.at("prompts/system.md", 0, 12))
        edit = await session.client.text_document_rename_async(params)
        assert {name for name, _ in edits(session, edit)} == {"prompts/system.md", "tools.json"}

    talk(conversation, ABLE)


def test_clients_that_know_neither_versions_nor_annotations(talk):
    async def conversation(session):
        session.open("tools.json")
        params = types.RenameParams(new_name="load_file", **session.at("tools.json", 2, 15))
        edit = await session.client.text_document_rename_async(params)
        assert edit.document_changes is None
        changes = {uri.rpartition("/")[2]: [at(one.range) for one in found] for uri, found in edit.changes.items()}
        assert changes == {"system.md": ["0:6-0:15"], "tools.json": ["2:13-2:22"]}

    talk(conversation)


def test_highlights(talk):
    async def conversation(session):
        session.open("prompts/system.md", PROMPT)
        session.open("tools.json")

        async def highlights(name, line, character):
            params = types.DocumentHighlightParams(**session.at(name, line, character))
            found = await session.client.text_document_document_highlight_async(params)
            return [(at(one.range), one.kind) for one in found]

        read, write = types.DocumentHighlightKind.Read, types.DocumentHighlightKind.Write
        assert await highlights("prompts/system.md", 0, 40) == [("0:9-0:18", read), ("0:39-0:48", read)]
        assert await highlights("tools.json", 2, 15) == [("2:13-2:22", write)]
        assert await highlights("prompts/system.md", 0, 4) == []

    talk(conversation)


AGENT = """from agents import Agent, function_tool

@function_tool
def file_report() -> str:
    '''Files a report.'''

Agent(name="Clerk", instructions="Call file_report first.", tools=[file_report])
"""


def test_names_of_the_workspace(talk):
    async def conversation(session):
        session.write(
            {"agent.py": AGENT, ".claude/agents/scout.md": "---\nname: scout\ndescription: Looks.\n---\nLook.\n"}
        )

        async def symbols(query):
            found = await session.client.workspace_symbol_async(types.WorkspaceSymbolParams(query))
            return sorted(f"{one.name} {one.kind.name} {one.container_name} {at(one.location.range)}" for one in found)

        assert await symbols("file") == [
            "file_report Function agent.py 3:4-3:15",
            "list_files Function tools.json 14:13-14:23",
            "read_file Function tools.json 2:13-2:22",
        ]
        assert await symbols("RF") == ["read_file Function tools.json 2:13-2:22"]
        assert await symbols("clerk") == ["Clerk Class Agent 6:0-6:80"]
        assert await symbols("scout") == ["scout Class agent 1:6-1:11"]
        assert await symbols("system") == ["system.md String system.md 0:0-0:0"]
        assert len(await symbols("")) == 7

    talk(conversation)
