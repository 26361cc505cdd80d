"""Diagnostics of the whole workspace, as clients ask for them: of files that are not open too."""

import asyncio

import pytest
from lsprotocol import types

pytestmark = pytest.mark.slow

UNDECLARED = "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"
CALLS = 'Call `read_file({ path: "a" })`, then `read_flie({ path: "b" })`.\n'
SUPPORT = types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)


class Client:
    """Asks for the diagnostics of the workspace as editors do: with the numbers of the results that it has."""

    def __init__(self, session) -> None:
        self.session = session
        self.known: dict[str, str] = {}

    def name(self, uri: str) -> str:
        return uri.removeprefix(self.session.folder.as_uri() + "/")

    async def ask(self) -> dict[str, list[str] | None]:
        """The codes in each file by name, None for a file in which nothing has changed."""
        previous = [types.PreviousResultId(uri, value) for uri, value in self.known.items()]
        report = await self.session.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams(previous))
        found = {}
        for item in report.items:
            if isinstance(item, types.WorkspaceUnchangedDocumentDiagnosticReport):
                assert self.known[item.uri] == item.result_id
                found[self.name(item.uri)] = None
            else:
                assert item.result_id != self.known.get(item.uri)
                self.known[item.uri] = item.result_id
                found[self.name(item.uri)] = [str(diagnostic.code) for diagnostic in item.items]
        assert len(found) == len(report.items)
        return found


def test_files_that_are_not_open_are_reported(talk, able, folder):
    (folder / "prompts/other.md").write_text(CALLS, encoding="utf-8")
    (folder / "notes.md").write_text(CALLS, encoding="utf-8")

    async def conversation(session):
        provider = session.result.capabilities.diagnostic_provider
        assert provider.workspace_diagnostics is True
        client = Client(session)
        assert await client.ask() == {"prompts/other.md": [UNDECLARED]}
        # The same as when it is open.
        report = await session.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([]))
        (item,) = report.items
        assert (item.uri, item.version) == (session.uri("prompts/other.md"), None)
        session.open("prompts/other.md")
        assert await session.pull("prompts/other.md") == list(item.items)

    talk(conversation, able(diagnostics=SUPPORT))


def test_an_unchanged_report_is_not_sent_twice(talk, able, folder):
    (folder / "prompts/one.md").write_text(CALLS, encoding="utf-8")
    (folder / "prompts/two.md").write_text(CALLS, encoding="utf-8")

    async def conversation(session):
        client = Client(session)
        both = {"prompts/one.md": [UNDECLARED], "prompts/two.md": [UNDECLARED]}
        assert await client.ask() == both
        first = client.known[session.uri("prompts/one.md")]
        assert await client.ask() == dict.fromkeys(both)
        # A file in which nothing is wrong any more is reported once, and the other is left as it is.
        session.write({"prompts/one.md": "Nothing.\n"})
        session.watched("prompts/one.md")
        assert await client.ask() == {"prompts/one.md": [], "prompts/two.md": None}
        assert await client.ask() == dict.fromkeys(both)
        # What was, is again: so is the number of the result.
        before = client.known[session.uri("prompts/two.md")]
        session.write({"prompts/one.md": CALLS})
        session.watched("prompts/one.md")
        assert await client.ask() == {"prompts/one.md": [UNDECLARED], "prompts/two.md": None}
        assert client.known[session.uri("prompts/one.md")] == first
        assert client.known[session.uri("prompts/two.md")] == before
        (folder / "prompts/two.md").unlink()
        session.watched("prompts/two.md")
        assert await client.ask() == {"prompts/one.md": None, "prompts/two.md": []}

    talk(conversation, able(diagnostics=SUPPORT))


def test_numbers_are_the_same_in_another_session(talk, able, folder):
    (folder / "prompts/one.md").write_text(CALLS, encoding="utf-8")
    seen = []

    async def conversation(session):
        client = Client(session)
        await client.ask()
        seen.append(client.known)

    talk(conversation, able(diagnostics=SUPPORT))
    talk(conversation, able(diagnostics=SUPPORT))
    assert seen[0] == seen[1]


def test_unsaved_buffers_count_for_closed_files(talk, able, folder):
    (folder / "prompts/other.md").write_text(
        'Call `read_file({ path: "a" })`, then `list_files({ folder: "b" })`.\n', encoding="utf-8"
    )

    async def conversation(session):
        client = Client(session)
        assert await client.ask() == {}
        session.open("tools.json")
        session.edit("tools.json", (2, 13), (2, 22), "read_filo")
        assert await client.ask() == {"prompts/other.md": [UNDECLARED], "prompts/system.md": [UNDECLARED]}
        # The version is that of the buffer.
        session.open("prompts/other.md")
        session.edit("prompts/other.md", (0, 0), (0, 0), "Now: ")
        report = await session.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([]))
        versions = {client.name(item.uri): item.version for item in report.items}
        assert versions == {"prompts/other.md": 2, "prompts/system.md": None}
        session.close("tools.json")
        assert await client.ask() == {"prompts/other.md": [], "prompts/system.md": []}

    talk(conversation, able(diagnostics=SUPPORT))


def test_answers_about_open_files_stay_what_they_are(talk, able, folder):
    (folder / "prompts/other.md").write_text(CALLS, encoding="utf-8")

    async def conversation(session):
        client = Client(session)
        session.open("prompts/system.md", CALLS)
        for _ in range(2):
            assert await session.findings("prompts/system.md") == [f"0:39-0:48 {UNDECLARED}"]
            await client.ask()
        session.edit("prompts/system.md", (0, 39), (0, 48), "read_file")
        assert await session.findings("prompts/system.md") == []
        assert await client.ask() == {"prompts/system.md": [], "prompts/other.md": None}

    talk(conversation, able(diagnostics=SUPPORT))


def test_settings(talk, able, folder):
    (folder / "prompts/other.md").write_text(CALLS, encoding="utf-8")

    async def conversation(session):
        client = Client(session)
        await client.ask()
        session.write({"toolsurface.toml": f'ignore = ["{UNDECLARED}"]\n'})
        session.watched("toolsurface.toml")
        assert await client.ask() == {"prompts/other.md": []}
        session.write({"toolsurface.toml": "ingore = 1\n"})
        session.watched("toolsurface.toml")
        report = await session.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([]))
        (item,) = report.items
        assert item.uri == session.uri("toolsurface.toml")
        assert [diagnostic.message for diagnostic in item.items] == ["unknown setting `ingore`, did you mean `ignore`?"]

    talk(conversation, able(diagnostics=SUPPORT))


def test_each_workspace_folder_reports_its_own_files(talk, able, folder):
    tools = (folder / "tools.json").read_text(encoding="utf-8")
    for name, settings in (("inner", f'ignore = ["{UNDECLARED}"]\n'), ("apart", "")):
        for file, text in {"tools.json": tools, "prompts/a.md": CALLS, "toolsurface.toml": settings}.items():
            (folder / name / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / name / file).write_text(text, encoding="utf-8")

    async def conversation(session):
        client = Client(session)
        assert await client.ask() == {"apart/prompts/a.md": [UNDECLARED]}
        gone = types.WorkspaceFoldersChangeEvent(
            added=[], removed=[types.WorkspaceFolder(session.uri("inner"), "inner")]
        )
        session.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(gone))
        assert await client.ask() == {"inner/prompts/a.md": [UNDECLARED], "apart/prompts/a.md": None}

    talk(conversation, able(diagnostics=SUPPORT), folders=(".", "inner"))


def test_a_client_that_asked_is_told_to_ask_again_when_closed_files_change(talk, able, folder):
    async def conversation(session):
        client = Client(session)
        assert await client.ask() == {}
        count = session.client.diagnostic_refresh_count
        session.write({"prompts/other.md": CALLS})
        session.watched("prompts/other.md")
        while session.client.diagnostic_refresh_count == count:
            await asyncio.sleep(0.02)
        assert await client.ask() == {"prompts/other.md": [UNDECLARED]}

    talk(conversation, able(diagnostics=SUPPORT))


def test_it_is_offered_to_those_who_know_of_it(talk, able):
    async def conversation(session):
        provider = session.result.capabilities.diagnostic_provider
        assert not provider.workspace_diagnostics

    talk(conversation, able())
    talk(conversation, able(pulls=False, diagnostics=SUPPORT))
