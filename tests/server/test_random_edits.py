"""Edits of the files of a small project in the order of chance: after each, the server knows what a fresh one would.

    python -m tests.server.test_random_edits FIRST_SEED [SEEDS] [EDITS]

runs more of them than the test.
"""

import random
import sys
from pathlib import Path

import pytest
from lsprotocol import types

from toolsurface_lint.server import features
from toolsurface_lint.server.features import make_server
from toolsurface_lint.server.workspace import Workspace

pytestmark = pytest.mark.slow

FILES = {
    "tools.json": """[
  {"name": "read_file", "description": "Read \U0001f6e0.", "input_schema": {"properties": {"path": {"type": "string"}}}},
  {"name": "list_files", "description": "List.", "input_schema": {"properties": {"folder": {"enum": ["a", "b"]}}}}
]
""",
    "prompts/system.md": "# \U0001f6e0 Work\n\nCall `read_file({ path: 1 })`, then `read_flie({})`.\n\nUse `send_mail` too.\n",
    "policy.yaml": 'tools:\n  - read_file\n  - "list_*"\nside_effect_level: read_only\n',
    "more/tools.toml": '[[tools]]\nname = "close_it"\ndescription = "Close."\n\n[tools.input_schema]\ntype = "object"\n',
    "more/prompts/b.md": "Call `close_it({})` and `close_if({})`.\n",
    "mail/server.py": '''from mcp.server.fastmcp import FastMCP

from kinds import Kind

mcp = FastMCP("mail")


@mcp.tool()
def send_mail(to: str, kind: Kind = "long") -> str:
    """Send a mail. Never call send_male()."""
    return to
''',
    "mail/kinds.py": 'from typing import Literal\n\nKind = Literal["long", "short"]\n',
    "mail/prompts/c.md": 'Call `send_mail({ to: 1, kind: "brief" })`, then `send_male({})`.\n',
    ".claude/agents/a.md": "---\nname: a\ndescription: Works.\ntools: [Read, read_flie]\n---\nCall `Read`.\n",
    "runs/run.jsonl": '{"role": "user", "content": "hi"}\n{"role": "assistant", "content": "ho"}\n',
    "toolsurface.toml": 'ignore = ["TOOL_DESCRIPTION"]\n',
}
PIECES = (
    *"`[]{}()\"',:#-*= \n",
    *(
        "\r\n",
        "\U0001f6e0",
        "é",
        "---\n",
        "read_file",
        "send_mail",
        "tools:",
        "```\n",
        "\ufeff",
        "\u2028",
        "def f():\n",
    ),
    '{"name": "x", "description": "X.", "input_schema": {}},',
    "# toolsurface-lint: ignore-next-line\n",
)
SEEDS = range(4)
EDITS = 60


class Editor:
    """A server and the texts that are open in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.server = make_server()
        self.server.protocol.client_capabilities = types.ClientCapabilities()
        self.server.files.add_folder(folder.as_uri())
        self.texts = dict(FILES)
        for name, text in FILES.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8", newline="")
            self.server.files.open(self.item(name))

    def item(self, name: str) -> types.TextDocumentItem:
        return types.TextDocumentItem((self.folder / name).as_uri(), "", 1, self.texts[name])

    def edit(self, name: str, start: int, end: int, text: str) -> None:
        uri = (self.folder / name).as_uri()
        buffer = self.server.files.buffer(uri)
        assert buffer is not None
        encoding = self.server.files.encoding
        mark = int(buffer.text.startswith("\ufeff"))
        positions = buffer.positions(encoding)
        range = types.Range(positions.position(start - mark), positions.position(end - mark))
        # Between the two characters of a line end there is no position.
        start, end = positions.raw_offset(range.start), positions.raw_offset(range.end)
        change = types.TextDocumentContentChangePartial(range, text)
        version = types.VersionedTextDocumentIdentifier(2, uri)
        self.server.files.change(types.DidChangeTextDocumentParams(version, [change]))
        old = self.texts[name]
        self.texts[name] = old[:start] + text + old[end:]
        assert buffer.text == self.texts[name]

    def fresh(self) -> Workspace:
        workspace = Workspace()
        workspace.add_folder(self.folder.as_uri())
        for name in FILES:
            workspace.open(self.item(name))
        return workspace


def known(workspace: Workspace, folder: Path) -> dict[str, list[types.Diagnostic]]:
    return {name: workspace.diagnostics((folder / name).as_uri()) for name in FILES}


def is_broken(found: list[types.Diagnostic]) -> bool:
    # What is wrong with settings has no code.
    return any(one.code in ("INPUT_SYNTAX_ERROR", "INPUT_UNREADABLE", "INPUT_FRONT_MATTER", None) for one in found)


def check(editor: Editor, chance: random.Random) -> tuple[bool, bool]:
    """Whether all files can be read, and whether the server keeps anything of one that cannot; raises if it is wrong."""
    server, folder = editor.server, editor.folder
    found = known(server.files, folder)
    assert "INTERNAL_ERROR" not in str(found)
    expected = known(editor.fresh(), folder)
    opened = server.files.opened((folder / "tools.json").as_uri())
    assert opened is not None
    broken = opened.state.broken
    for name in FILES:
        if str(folder / name) in broken:
            # What is wrong with settings has no code.
            assert {str(one.code).partition("_")[0] for one in found[name]} <= {"INPUT", "None"}
    readable = not broken and not any(is_broken(diagnostics) for diagnostics in expected.values())
    if readable:
        assert found == expected
    name = chance.choice(list(FILES))
    lines = editor.texts[name].split("\n")
    line = chance.randrange(len(lines) + 1)
    at = types.Position(line, chance.randrange(60))
    document = types.TextDocumentIdentifier((folder / name).as_uri())
    features._hover(server, types.HoverParams(document, at))
    features._complete(server, types.CompletionParams(document, at))
    features._refer(server, types.ReferenceParams(types.ReferenceContext(True), document, at))
    for place in [
        *(one.location for each in found.values() for one in each for one in one.related_information or ()),
        *features._define(server, types.DefinitionParams(document, at)),
    ]:
        assert (place.range.start.line, place.range.start.character) <= (
            place.range.end.line,
            place.range.end.character,
        )
    whole = types.Range(types.Position(0, 0), types.Position(999, 0))
    for symbol in features._outline(server, types.DocumentSymbolParams(document)):
        assert whole.start <= symbol.range.start <= symbol.selection_range.start
        assert symbol.selection_range.end <= symbol.range.end <= whole.end
    features.code_actions(server, types.CodeActionParams(document, whole, types.CodeActionContext([])))
    return readable, bool(broken)


def run(folder: Path, seed: int, edits: int) -> tuple[int, int]:
    """How often all files could be read, and how often something was kept."""
    editor = Editor(folder)
    chance = random.Random(seed)
    undo: list[tuple[str, int, int, str]] = []
    readable = kept = 0
    is_readable = True
    for _ in range(edits):
        if undo and chance.random() < (0.3 if is_readable else 0.7):
            edit = undo.pop()
        else:
            name = chance.choice(list(FILES))
            text = editor.texts[name]
            start = chance.randrange(len(text) + 1)
            end = min(start + chance.choice((0, 0, 1, 1, 2, 12, 60)), len(text))
            new = "".join(chance.choices(PIECES, k=chance.choice((0, 1, 1, 2))))
            edit = (name, start, end, new)
            undo.append((name, start, start + len(new), text[start:end]))
        before = editor.texts[edit[0]]
        try:
            editor.edit(*edit)
            is_readable, keeps = check(editor, chance)
        except Exception as error:
            error.add_note(f"seed {seed}: {edit!r} in {before!r}")
            raise
        readable += is_readable
        kept += keeps
    return readable, kept


@pytest.mark.parametrize("seed", SEEDS)
def test_the_server_knows_what_a_fresh_one_would(tmp_path, monkeypatch, caplog, seed):
    monkeypatch.chdir(tmp_path)
    readable, kept = run(tmp_path, seed, EDITS)
    assert readable > EDITS // 10
    assert kept > EDITS // 10
    assert caplog.records == []


if __name__ == "__main__":
    import os
    import tempfile

    first, count, edits = (int(each) for each in [*sys.argv[1:], *("0", "10", "200")[len(sys.argv) - 1 :]])
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as name:
            os.chdir(name)
            print(seed, *run(Path(name).resolve(), seed, edits), flush=True)
            os.chdir("/")
