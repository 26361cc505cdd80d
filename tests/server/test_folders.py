"""Folders by themselves: what the server reports is what the command reports, however it got there."""

import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from lsprotocol import types

from tests.files import write_files
from toolsurface_lint.api import check_paths
from toolsurface_lint.server.workspace import Workspace

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
# One case of each rule, to keep it short.
CASES = {folder.parent: folder for folder in sorted(FIXTURES.glob("rules/*/fires*/"), reverse=True)}
FOLDERS = sorted([*(path for path in FIXTURES.glob("surfaces/*") if path.is_dir()), *CASES.values()])
Found = tuple[str, str, str]


def open_files(folder: Path) -> tuple[Workspace, dict[Path, str]]:
    """A workspace with every file of a folder open that is text."""
    workspace = Workspace()
    workspace.add_folder(folder.as_uri())
    texts = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        try:
            texts[path] = path.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            continue
        workspace.open(types.TextDocumentItem(path.as_uri(), "", 1, texts[path]))
    return workspace, texts


def reported(workspace: Workspace, path: Path) -> list[Found]:
    return sorted(
        (str(found.code), f"{found.range.start.line}:{found.range.start.character}", found.message.split("\nhelp: ")[0])
        for found in workspace.diagnostics(path.as_uri())
    )


def expected(paths: Iterable[Path]) -> dict[Path, list[Found]]:
    """What the command reports of files in the working directory, with columns in code points."""
    found: dict[Path, list[Found]] = {path: [] for path in paths}
    for diagnostic in check_paths(["."]).diagnostics:
        if diagnostic.location is not None:
            start = diagnostic.location.range.start
            place = f"{start.line - 1}:{start.column - 1}"
            path = Path(os.path.abspath(diagnostic.location.path))
            if path in found:
                found[path].append((diagnostic.code, place, diagnostic.message))
    return {path: sorted(each) for path, each in found.items()}


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: "/".join(folder.parts[-2:]))
def test_the_server_reports_what_the_command_reports(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A copy, by itself: around a folder of the repository lies the repository, whose programs would be read each time.
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    workspace, texts = open_files(tmp_path)
    workspace.encoding = "utf-32"
    report = expected(texts)
    assert {path: reported(workspace, path) for path in texts} == report
    # There and back again, once for every file: what is remembered is the same as what is read anew.
    for path in texts:
        for text in ("", texts[path]):
            document = types.VersionedTextDocumentIdentifier(2, path.as_uri())
            change = types.TextDocumentContentChangeWholeDocument(text)
            workspace.change(types.DidChangeTextDocumentParams(document, [change]))
            workspace.diagnostics(path.as_uri())
    for path in texts:
        workspace.look_again([str(path)])
    assert {path: reported(workspace, path) for path in texts} == report


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, str]], Workspace]:
    def make(files: dict[str, str]) -> Workspace:
        monkeypatch.chdir(tmp_path)
        write_files(tmp_path, files)
        return open_files(tmp_path)[0]

    return make


def test_only_what_changed_is_read_again(place, tmp_path: Path) -> None:
    workspace = place(
        {
            "tools.json": '[{"name": "read_file", "description": "Read a file.", "input_schema": {}}]',
            "prompts/a.md": "Call read_file({}).\n",
        }
    )
    uri = (tmp_path / "prompts/a.md").as_uri()
    before = workspace.opened(uri).state
    document = types.VersionedTextDocumentIdentifier(2, uri)
    change = types.TextDocumentContentChangeWholeDocument("Call read_flie({}).\n")
    workspace.change(types.DidChangeTextDocumentParams(document, [change]))
    after = workspace.opened(uri).state
    tools, prompt = str(tmp_path / "tools.json"), str(tmp_path / "prompts/a.md")
    assert after.documents[tools] is before.documents[tools]
    assert after.documents[prompt] is not before.documents[prompt]
    assert workspace.opened(uri).state is after


def test_a_definition_that_is_not_read_counts_as_for_the_command(place, tmp_path: Path) -> None:
    workspace = place(
        {
            "tools.json": '[{"name": "read_file", "description": "Read a file.", "input_schema": {}}]',
            "own.py": 'OWN = Definition(name="get_parcel", description="Send a parcel.")\n',
            "prompts/a.md": "Call the `read_file` tool, then the `get_parcel` tool.\n",
            "prompts/b.md": "Call the `read_file` tool, then the `get_invoice` tool.\n",
        }
    )
    assert workspace.diagnostics((tmp_path / "prompts/a.md").as_uri()) == []
    assert len(workspace.diagnostics((tmp_path / "prompts/b.md").as_uri())) == 1


def test_a_home_directory_is_never_looked_through(place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place({"tools.json": '[{"name": "a", "name": "b"}]'})
    monkeypatch.setenv("HOME", str(tmp_path))
    workspace = Workspace()
    uri = (tmp_path / "tools.json").as_uri()
    workspace.open(types.TextDocumentItem(uri, "", 1, '[{"name": "a", "name": "b"}]'))
    assert workspace.diagnostics(uri) == []


def test_a_second_project_inside_of_a_folder_is_its_own(place, tmp_path: Path) -> None:
    tools, prompt = (
        '[{"name": "read_file", "description": "Read a file.", "input_schema": {}}]',
        "Call read_flie({}), then read_file({}).\n",
    )
    workspace = place(
        {"tools.json": tools, "a/tools.json": tools, "a/prompts/a.md": prompt, "a/toolsurface.toml": 'ignore = ["ALL"]'}
    )
    uri = (tmp_path / "a/prompts/a.md").as_uri()
    assert len(workspace.diagnostics(uri)) == 1
    workspace.add_folder((tmp_path / "a").as_uri())
    assert workspace.diagnostics(uri) == []
    workspace.remove_folder((tmp_path / "a").as_uri())
    assert len(workspace.diagnostics(uri)) == 1


AGENT = '''\
from pathlib import Path
from agents import Agent, function_tool

@function_tool
def search_notes(query: str) -> str:
    """Search the notes of the user."""

agent = Agent(name="notes", instructions=Path("texts/notes.txt").read_text(), tools=[search_notes])
'''
TOLD = "Call the `search_note` tool.\n"
NOT_GIVEN = [("PROMPT_TOOL_NOT_GIVEN", "0:10")]


@pytest.fixture
def told(tmp_path: Path) -> tuple[Workspace, Callable[[str, str], None]]:
    """A workspace with an agent that is told a file, both open, and what changes a buffer."""
    write_files(tmp_path, {".git/HEAD": "ref: refs/heads/main\n", "agent.py": AGENT, "texts/notes.txt": TOLD})
    workspace, _ = open_files(tmp_path)

    def change(name: str, text: str) -> None:
        document = types.VersionedTextDocumentIdentifier(2, (tmp_path / name).as_uri())
        changes = [types.TextDocumentContentChangeWholeDocument(text)]
        workspace.change(types.DidChangeTextDocumentParams(document, changes))

    return workspace, change


def places(workspace: Workspace, path: Path) -> list[tuple[str, str]]:
    return [found[:2] for found in reported(workspace, path)]


def test_a_file_that_a_program_reads_is_followed_as_it_is_typed(
    told: tuple[Workspace, Callable[[str, str], None]], tmp_path: Path
) -> None:
    workspace, change = told
    assert places(workspace, tmp_path / "texts/notes.txt") == NOT_GIVEN
    change("texts/notes.txt", "Call the `search_notes` tool.\n")
    assert places(workspace, tmp_path / "texts/notes.txt") == []
    change("texts/notes.txt", TOLD)
    assert places(workspace, tmp_path / "texts/notes.txt") == NOT_GIVEN


def test_a_file_that_no_program_reads_any_more_is_told_to_nobody(
    told: tuple[Workspace, Callable[[str, str], None]], tmp_path: Path
) -> None:
    workspace, change = told
    change("agent.py", AGENT.replace("notes.txt", "other.txt"))
    assert places(workspace, tmp_path / "texts/notes.txt") == []
    change("agent.py", AGENT)
    assert places(workspace, tmp_path / "texts/notes.txt") == NOT_GIVEN


def test_a_named_prompt_that_no_program_reads_any_more_is_its_folders(tmp_path: Path) -> None:
    files = {".git/HEAD": "ref: refs/heads/main\n", "a.py": AGENT.replace("texts/notes.txt", "system_prompt.md")}
    write_files(tmp_path, {**files, "system_prompt.md": TOLD})
    workspace, _ = open_files(tmp_path)
    assert places(workspace, tmp_path / "system_prompt.md") == NOT_GIVEN
    document = types.VersionedTextDocumentIdentifier(2, (tmp_path / "a.py").as_uri())
    text = AGENT.replace('Path("texts/notes.txt").read_text()', '"Be brief."')
    workspace.change(types.DidChangeTextDocumentParams(document, [types.TextDocumentContentChangeWholeDocument(text)]))
    assert places(workspace, tmp_path / "system_prompt.md") == [("TOOL_SURFACE_UNKNOWN_PROMPT_TOOL", "0:10")]


def test_the_files_that_programs_read_are_surveyed_too(tmp_path: Path) -> None:
    write_files(tmp_path, {"agent.py": AGENT, "texts/notes.txt": TOLD})
    workspace = Workspace()
    workspace.add_folder(tmp_path.as_uri())
    found = workspace.survey()[(tmp_path / "texts/notes.txt").as_uri()]
    assert [one.code for one in found] == ["PROMPT_TOOL_NOT_GIVEN"]
