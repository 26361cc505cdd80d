"""What the server reports, when, and at which positions."""

import asyncio

import pytest
from lsprotocol import types

from toolsurface_lint.checks import pages as rule_pages
from toolsurface_lint.project.discovery.globs import matches

pytestmark = pytest.mark.slow

UNKNOWN = "PROMPT_MISSPELLED_TOOL"
UNDECLARED = "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"
CALLS = 'Call `read_file({ path: "a" })`, then `read_flie({ path: "b" })`.\n'


def test_a_diagnostic_has_its_page_its_help_and_its_related_places(talk):
    async def conversation(session):
        session.open("prompts/system.md", CALLS)
        (found,) = await session.pull("prompts/system.md")
        assert (found.source, found.code, found.severity) == (
            "toolsurface-lint",
            UNDECLARED,
            types.DiagnosticSeverity.Warning,
        )
        assert found.code_description.href == rule_pages.url(UNDECLARED)
        assert found.message.endswith("\nhelp: did you mean `read_file`?")
        assert (found.range.start, found.range.end) == (types.Position(0, 39), types.Position(0, 48))
        (related,) = found.related_information
        assert related.location.uri == session.uri("tools.json")
        assert related.location.range == types.Range(types.Position(2, 12), types.Position(2, 23))
        provider = session.result.capabilities.diagnostic_provider
        assert (provider.inter_file_dependencies, provider.identifier) == (True, "toolsurface-lint")
        assert session.result.server_info.name == "toolsurface-lint"

    talk(conversation)


@pytest.mark.parametrize(
    ("encoding", "start", "end"),
    [("utf-16", 47, 56), ("utf-8", 54, 63), ("utf-32", 44, 53), (None, 47, 56)],
)
def test_positions_are_in_the_encoding_agreed_on(talk, able, encoding, start, end):
    # Three characters beyond the basic plane and a letter of two bytes stand before the name.
    text = "🛠🛠🛠 é" + CALLS

    async def conversation(session):
        session.open("prompts/system.md", text)
        expected = encoding or "utf-16"
        assert session.result.capabilities.position_encoding == expected
        assert await session.findings("prompts/system.md") == [f"0:{start}-0:{end} {UNDECLARED}"]
        # One more character before it, put behind the tools: the edit is counted in the same units.
        at = {"utf-16": 6, "utf-8": 12, "utf-32": 3}[expected]
        session.edit("prompts/system.md", (0, at), (0, at), "🛠")
        width = {"utf-16": 2, "utf-8": 4, "utf-32": 1}[expected]
        assert await session.findings("prompts/system.md") == [f"0:{start + width}-0:{end + width} {UNDECLARED}"]

    talk(conversation, able(*([encoding] if encoding else [])))


def test_line_ends_are_those_of_the_protocol(talk):
    # U+2028, a form feed and a vertical tab end no line; a carriage return alone does.
    text = "\ufeffOne\r\ntwo\u2028\f\v still two\rthree\r\n" + CALLS.replace("\n", "\r\n")

    async def conversation(session):
        session.open("prompts/system.md", text)
        assert await session.findings("prompts/system.md") == [f"3:39-3:48 {UNDECLARED}"]
        session.edit("prompts/system.md", (1, 0), (2, 5), "2")
        assert await session.findings("prompts/system.md") == [f"2:39-2:48 {UNDECLARED}"]
        session.edit("prompts/system.md", (0, 0), (2, 0), "")
        assert await session.findings("prompts/system.md") == [f"0:39-0:48 {UNDECLARED}"]

    talk(conversation)


def test_a_byte_order_mark_counts_as_the_client_counts_it(talk):
    async def conversation(session):
        session.open("prompts/system.md", "\ufeff" + CALLS)
        assert await session.findings("prompts/system.md") == [f"0:40-0:49 {UNDECLARED}"]

    talk(conversation)


def test_an_unchanged_report_is_not_sent_twice(talk):
    async def conversation(session):
        session.open("prompts/system.md", CALLS)

        async def ask(previous=None):
            params = types.DocumentDiagnosticParams(session.document("prompts/system.md"), previous_result_id=previous)
            return await session.client.text_document_diagnostic_async(params)

        first = await ask()
        assert len(first.items) == 1
        again = await ask(first.result_id)
        assert again == types.RelatedUnchangedDocumentDiagnosticReport(first.result_id)
        session.edit("prompts/system.md", (0, 39), (0, 48), "read_file")
        cured = await ask(first.result_id)
        assert (len(cured.items), cured.result_id != first.result_id) == (0, True)

    talk(conversation)


def test_a_report_of_a_file_that_was_closed_since_is_not_called_unchanged(talk):
    async def conversation(session):
        async def ask(previous=None):
            params = types.DocumentDiagnosticParams(session.document("prompts/system.md"), previous_result_id=previous)
            return await session.client.text_document_diagnostic_async(params)

        session.open("prompts/system.md", CALLS)
        stale = await ask()
        assert len(stale.items) == 1
        session.close("prompts/system.md")
        session.open("prompts/system.md")
        assert list((await ask(stale.result_id)).items) == []

    talk(conversation)


def test_unsaved_buffers_win_over_files(talk):
    async def conversation(session):
        session.open("prompts/system.md")
        session.open("tools.json")
        assert await session.findings("prompts/system.md") == []
        # The tool is renamed in the buffer alone: the prompt, in which nothing was typed, is stale.
        session.edit("tools.json", (2, 13), (2, 22), "read_text")
        session.edit("prompts/system.md", (1, 0), (1, 0), 'Use `list_files({ folder: "b" })`.\n')
        assert [line.split()[1] for line in await session.findings("prompts/system.md")] == [UNDECLARED]
        # Closed without saving, the file counts again.
        session.close("tools.json")
        assert await session.findings("prompts/system.md") == []

    talk(conversation)


def test_a_new_file_counts_before_it_is_saved(talk):
    async def conversation(session):
        session.open("prompts/new.md", CALLS)
        assert await session.findings("prompts/new.md") == [f"0:39-0:48 {UNDECLARED}"]
        session.open("more.json", "[]")
        session.rewrite("more.json", '[{"name": "read_flie", "input_schema": {"type": "object", "properties": {}}}]')
        assert UNDECLARED not in str(await session.findings("prompts/new.md"))

    talk(conversation)


def test_a_file_of_no_interest_has_no_diagnostics(talk):
    async def conversation(session):
        session.open("notes.md", CALLS)
        assert await session.findings("notes.md") == []
        session.client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem("untitled:Untitled-1", "markdown", 1, CALLS))
        )
        params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier("untitled:Untitled-1"))
        report = await session.client.text_document_diagnostic_async(params)
        assert len(report.items) == 0

    talk(conversation)


def test_clients_that_do_not_ask_are_told(talk, able):
    async def conversation(session):
        session.open("prompts/system.md", CALLS)
        assert await session.pushed("prompts/system.md") == [f"0:39-0:48 {UNDECLARED}"]
        session.edit("prompts/system.md", (0, 39), (0, 48), "read_file")
        assert await session.pushed("prompts/system.md") == []
        # A change of the tools is a change of the open prompt's report.
        session.open("tools.json")
        session.edit("prompts/system.md", (1, 0), (1, 0), 'Use `list_files({ folder: "b" })`.\n')
        session.edit("tools.json", (2, 13), (2, 22), "read_text")
        assert await session.pushed("prompts/system.md", 2) == [f"0:6-0:15 {UNDECLARED}", f"0:39-0:48 {UNDECLARED}"]
        session.close("prompts/system.md")
        assert await session.pushed("prompts/system.md", 0) == []

    talk(conversation, able(pulls=False))


def test_clients_that_ask_are_told_when_to_ask_again(talk, able):
    async def conversation(session):
        session.open("prompts/system.md")
        session.open("tools.json")
        assert await session.findings("prompts/system.md") == []
        assert "UNKNOWN" not in str(await session.findings("tools.json"))
        count = session.client.diagnostic_refresh_count
        session.edit("tools.json", (2, 13), (2, 22), "read_filo")
        while session.client.diagnostic_refresh_count == count:
            await asyncio.sleep(0.02)
        assert await session.findings("prompts/system.md") == [f"0:6-0:15 {UNDECLARED}"]

    refresh = types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    talk(conversation, able(diagnostics=refresh))


def test_files_that_change_on_disk(talk, able):
    async def conversation(session):
        session.open("prompts/system.md", CALLS)
        assert len(await session.findings("prompts/system.md")) == 1
        session.write({"tools.json": '[{"name": "read_flie", "description": "Read."}, {"name": "read_file"}]'})
        session.watched("tools.json")
        assert await session.findings("prompts/system.md") == []
        (session.folder / "tools.json").unlink()
        session.watched("tools.json")
        assert await session.findings("prompts/system.md") == []

    talk(conversation)


def test_the_server_asks_to_be_told_of_changes_on_disk(talk, able):
    asked = []

    async def conversation(session):
        session.open("prompts/system.md", CALLS)
        await session.findings("prompts/system.md")
        assert [one.method for one in asked] == [types.WORKSPACE_DID_CHANGE_WATCHED_FILES]
        globs = [one["globPattern"] for one in asked[0].register_options["watchers"]]
        assert "**/toolsurface.toml" in globs
        read = ("a/serve.sh", "Dockerfile", "docker/Dockerfile.dev", "src/a.ts", "main.go", "model.gguf", "log.traj")
        assert [name for name in read if not any(matches(glob, name) for glob in globs)] == []
        assert [name for name in ("a.png", "Dockerfiles") if any(matches(glob, name) for glob in globs)] == []

    def prepare(client):
        client.feature(types.CLIENT_REGISTER_CAPABILITY)(lambda params: asked.extend(params.registrations))

    dynamic = types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True)
    talk(conversation, able(did_change_watched_files=dynamic), prepare=prepare)


def test_settings_that_change(talk):
    ignore = f'ignore = ["{UNDECLARED}"]\n'

    async def conversation(session):
        session.open("prompts/system.md", CALLS)
        assert len(await session.findings("prompts/system.md")) == 1
        # In a buffer, as it is typed.
        session.open("toolsurface.toml")
        session.rewrite("toolsurface.toml", ignore)
        assert await session.findings("prompts/system.md") == []
        # While they cannot be used, those before stay in use.
        session.rewrite("toolsurface.toml", "ignore = [")
        assert await session.findings("prompts/system.md") == []
        assert await session.findings("toolsurface.toml") == ["0:10-0:10 INPUT_SYNTAX_ERROR"]
        session.rewrite("toolsurface.toml", "\nignor = []")
        assert await session.findings("prompts/system.md") == []
        (found,) = await session.pull("toolsurface.toml")
        assert (found.range.start, found.severity) == (types.Position(1, 0), types.DiagnosticSeverity.Error)
        assert found.message == "unknown setting `ignor`, did you mean `ignore`?"
        # On disk.
        session.rewrite("toolsurface.toml", "")
        assert len(await session.findings("prompts/system.md")) == 1
        session.close("toolsurface.toml")
        session.write({"toolsurface.toml": f'[severity]\n{UNDECLARED} = "info"\n'})
        session.watched("toolsurface.toml")
        (found,) = await session.pull("prompts/system.md")
        assert found.severity == types.DiagnosticSeverity.Information
        assert session.client.messages == []

    talk(conversation)


def test_each_workspace_folder_has_its_own_settings_and_tools(talk, folder):
    tools = (folder / "tools.json").read_text(encoding="utf-8")
    for name, settings in (("one", ""), ("two", f'ignore = ["{UNDECLARED}"]\n'), ("three", "")):
        for file, text in {"tools.json": tools, "prompts/a.md": CALLS, "toolsurface.toml": settings}.items():
            (folder / name / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / name / file).write_text(text, encoding="utf-8")

    async def conversation(session):
        for name in ("one", "two", "three"):
            session.open(f"{name}/prompts/a.md")
        assert await session.findings("one/prompts/a.md") == [f"0:39-0:48 {UNDECLARED}"]
        assert await session.findings("two/prompts/a.md") == []
        event = types.WorkspaceFoldersChangeEvent(
            added=[types.WorkspaceFolder(session.uri("three"), "three")],
            removed=[types.WorkspaceFolder(session.uri("one"), "one")],
        )
        session.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
        assert await session.findings("three/prompts/a.md") == [f"0:39-0:48 {UNDECLARED}"]
        assert await session.findings("two/prompts/a.md") == []

    talk(conversation, folders=("one", "two"))


def test_a_file_outside_of_all_workspace_folders(talk, folder):
    (folder / "one").mkdir()

    async def conversation(session):
        session.open("tools.json", '[{"name": "read_file", "name": "x", "input_schema": {}}]')
        assert "INPUT_DUPLICATE_KEY" in str(await session.findings("tools.json"))

    talk(conversation, folders=("one",))
