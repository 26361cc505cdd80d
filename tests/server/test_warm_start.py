"""What a server shows of a workspace that has not changed since the last session is, to the byte, what a cold one shows."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lsprotocol import types

from tests.cache.test_same_report import edits, lay
from tests.files import write_files
from toolsurface_lint.cli.server import open_cache
from toolsurface_lint.server.folders import Folder
from toolsurface_lint.server.workspace import Workspace

pytestmark = pytest.mark.slow

Found = dict[str, list[types.Diagnostic]]


class Sessions:
    """Servers of one user in the working directory; `made` counts how often one put the project together."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.made = 0
        self.folder = Path.cwd()
        make = Folder._make

        def counted(*arguments, **named):
            self.made += 1
            return make(*arguments, **named)

        monkeypatch.setattr(Folder, "_make", counted)

    def start(self, *opened: str, cold: bool = False) -> Workspace:
        """A server with the working directory as its workspace and some files open."""
        workspace = Workspace(None if cold else open_cache)
        workspace.add_folder(self.folder.as_uri())
        for name in opened:
            with open(self.folder / name, encoding="utf-8", newline="") as file:
                workspace.open(types.TextDocumentItem(self.uri(name), "", 1, file.read()))
        return workspace

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def cold(self) -> Found:
        return self.start(cold=True).survey()

    def warm(self) -> tuple[Found, bool]:
        """What a new server shows, and whether it had that from the cache."""
        before = self.made
        return self.start().survey(), self.made == before


@pytest.fixture
def sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sessions]:
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    for name in ("TOOLSURFACE_LINT_NO_CACHE", "TOOLSURFACE_LINT_CACHE_DIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(work)
    return Sessions(monkeypatch)


def entries(sessions: Sessions) -> list[Path]:
    return sorted((sessions.folder.parent / "home/.cache/toolsurface-lint").glob("*.run"))


def type_in(workspace: Workspace, uri: str, text: str) -> None:
    document = types.VersionedTextDocumentIdentifier(2, uri)
    at = types.Range(types.Position(0, 0), types.Position(0, 0))
    change = types.TextDocumentContentChangePartial(at, text)
    workspace.change(types.DidChangeTextDocumentParams(document, [change]))


def test_whatever_changes_between_two_sessions(sessions):
    lay(Path())
    write_files(Path(), {"prompts/wide.md": "\U0001f6e0 Call `read_note` and `send_notes({})`.\n"})
    was_kept = []
    for change in edits():
        change()
        expected = sessions.cold()
        assert sessions.warm()[0] == expected
        found, kept = sessions.warm()
        assert found == expected
        was_kept.append(kept)
    assert all(was_kept)


def tell_all(workspace: Workspace) -> None:
    workspace.read_settings_again()


def tell_of_files(workspace: Workspace) -> None:
    for folder in workspace._folders.values():
        folder.look_again()


@pytest.mark.parametrize("tell", [tell_all, tell_of_files, lambda workspace: None])
def test_whatever_changes_during_a_session(sessions, tell: Callable[[Workspace], None]):
    lay(Path())
    running = sessions.start()
    was_kept = []
    for change in edits():
        change()
        tell(running)
        running.survey()
        expected = sessions.cold()
        found, kept = sessions.warm()
        assert found == expected
        was_kept.append(kept)
        for entry in entries(sessions):
            # The next one is that of the running session again.
            entry.unlink()
    if tell is tell_all:
        assert all(was_kept)


def test_what_is_typed_and_saved(sessions):
    lay(Path())
    sessions.warm()
    running = sessions.start("prompts/system.md", "tools.json")
    assert sessions.made == 1
    before = running.diagnostics(sessions.uri("prompts/system.md"))
    assert before == sessions.cold()[sessions.uri("prompts/system.md")]
    running = sessions.start("prompts/system.md", "tools.json")
    made = sessions.made
    assert running.diagnostics(sessions.uri("prompts/system.md")) == before
    assert sessions.made == made
    (stored,) = entries(sessions)
    kept = stored.read_bytes()
    type_in(running, sessions.uri("prompts/system.md"), "Call `red_note({})`.\n")
    typed = running.survey()
    assert len(typed[sessions.uri("prompts/system.md")]) == 2
    # What is not on disk is nothing to the next session.
    assert stored.read_bytes() == kept
    assert sessions.warm() == (sessions.cold(), True)
    path = Path("prompts/system.md").resolve()
    path.write_text(running.buffers[str(path)].text, encoding="utf-8", newline="")
    running.look_again([str(path)])
    assert running.survey() == typed
    assert sessions.warm() == (typed, True)


def test_unsaved_settings_count(sessions):
    lay(Path())
    write_files(Path(), {"toolsurface.toml": ""})
    sessions.warm()
    running = sessions.start("toolsurface.toml")
    type_in(running, sessions.uri("toolsurface.toml"), 'ignore = ["TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"]\n')
    assert sessions.uri("prompts/system.md") in sessions.cold()
    assert sessions.uri("prompts/system.md") not in running.survey()


def test_an_entry_that_somebody_else_has_written(sessions):
    lay(Path())
    sessions.warm()
    (entry,) = entries(sessions)
    entry.write_bytes(entry.read_bytes().replace(b"send_notes", b"sent_notes"))
    assert sessions.warm() == (sessions.cold(), False)


def test_where_nothing_is_kept(sessions, monkeypatch):
    lay(Path())
    before = sorted(Path().rglob("*"))
    monkeypatch.setenv("TOOLSURFACE_LINT_NO_CACHE", "1")
    sessions.warm()
    assert entries(sessions) == []
    monkeypatch.delenv("TOOLSURFACE_LINT_NO_CACHE")
    monkeypatch.setenv("TOOLSURFACE_LINT_CACHE_DIR", str(sessions.folder / "cache"))
    assert sessions.warm() == (sessions.cold(), False)
    monkeypatch.delenv("TOOLSURFACE_LINT_CACHE_DIR")
    # Broken settings: those before count, or none.
    write_files(Path(), {"toolsurface.toml": "ignore = 1\n"})
    sessions.warm()
    assert entries(sessions) == []
    os.unlink("toolsurface.toml")
    assert sorted(Path().rglob("*")) == before
    sessions.warm()
    assert len(entries(sessions)) == 1
    assert sorted(Path().rglob("*")) == before


def test_a_process_after_another(talk, able, folder, tmp_path_factory, monkeypatch):
    # The working directory of the server is `folder`, in which no cache may lie.
    cache = tmp_path_factory.mktemp("cache")
    monkeypatch.delenv("TOOLSURFACE_LINT_NO_CACHE")
    monkeypatch.setenv("TOOLSURFACE_LINT_CACHE_DIR", str(cache))
    write_files(folder, {"prompts/other.md": 'Call `read_flie({ path: "b" })`.\n'})
    seen = []

    async def conversation(session):
        session.open("prompts/other.md")
        found = await session.pull("prompts/other.md")
        report = await session.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([]))
        seen.append((found, [(item.uri, list(item.items)) for item in report.items]))
        session.edit("prompts/other.md", (0, 11), (0, 15), "file")
        assert await session.pull("prompts/other.md") == []

    for _ in range(2):
        talk(conversation, able(diagnostics=types.DiagnosticWorkspaceClientCapabilities()))
    assert seen[0] == seen[1]
    assert seen[0][1] == [((folder / "prompts/other.md").as_uri(), seen[0][0])]
    assert len(list(cache.glob("*.run"))) == 1
