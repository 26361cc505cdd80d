"""How long a keystroke takes in the language server, an edit of one open file, then its diagnostics; and how long its start.

    python benchmarks/server.py [KEYSTROKES]

A generated surface of 100 tools, of which a prompt calls 60; both files are open. First the work itself in this process, in
processor time, then a server in a process of its own over its pipes, the messages of the protocol and the noise of the machine
included. Then the work in a folder of 500 files, as `throughput.py` generates them, for one open file of each kind. The target
is 50 ms for a keystroke, without the time that the server waits for the next one.

Of a keystroke in 500 files, going through all of them takes a half: what each is was read before. The rest are the rules
for the surface of the file, whose tools may lie in any other. At best it takes 13 to 21 ms; it took 22 to 42 when each keystroke
collected the words of the arguments of all tools, looked for equal descriptions with two patterns a tool, and made a surface for
each agent and skill. In a list of 100 tools it took 40 ms, and takes 16, since unchanged definitions are not checked again.

Last, the start of a process in that folder, without a cache, with an empty one and with what that left: until it has introduced
itself (most of that is the import of pygls and lsprotocol), until the diagnostics of a first file, and until those of everything.
Where nothing has changed since the last session, both come from the cache: 0.1 s in place of 0.4 to 0.5, and 0.02 in place of 1.2
to 1.7. What is left until everything is the reading of the files, which the server does in between, when nobody waits for it.

A program is read together with all others of its language, which is not measured here: in 500 files of Python, of which 50
define tools, a keystroke in one takes 250 ms.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from lsprotocol import types

sys.path.insert(0, str(Path(__file__).resolve().parent))

from throughput import write_tree

from toolsurface_lint.server.workspace import Workspace

REPOSITORY = Path(__file__).resolve().parents[1]
VERBS = ("read", "list", "delete", "update", "search", "create", "close", "open", "merge", "send")
NOUNS = ("file", "issue", "branch", "comment", "label", "release", "commit", "review", "team", "page")


def make_tools() -> list[dict[str, Any]]:
    properties = {
        "path": {"type": "string", "description": "Which one, relative to the project."},
        "limit": {"type": "integer", "description": "How many to return at most.", "minimum": 1},
        "mode": {"type": "string", "enum": ["brief", "full"], "description": "How much to say about each."},
    }
    schema = {"type": "object", "properties": properties, "required": ["path"], "additionalProperties": False}
    return [
        {
            "name": f"{verb}_{noun}",
            "description": f"{verb.capitalize()} one {noun} of the project and return what it is afterwards.",
            "input_schema": schema,
        }
        for verb in VERBS
        for noun in NOUNS
    ]


def make_prompt(tools: list[dict[str, Any]]) -> str:
    lines = [f'- Call `{tool["name"]}({{ path: "a.txt" }})` when somebody asks for it, and say so.' for tool in tools]
    return "# Work\n\n" + "\n".join(lines[:60]) + "\n\nAsk before you change anything.\n\n"


def main() -> None:
    keystrokes = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        tools = make_tools()
        (folder / "prompts").mkdir()
        files = {"tools.json": json.dumps(tools, indent=2), "prompts/system.md": make_prompt(tools)}
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8")
        print(f"{'':38}{'first':>8}{'median':>9}{'p95':>8}{'worst':>8}")
        measure_alone(folder, files, keystrokes)
        measure_process(folder, files, keystrokes)
        measure_many(folder / "many", keystrokes)
        measure_start(folder / "many")


def report(label: str, seconds: list[float]) -> None:
    first, *rest = (1000 * one for one in seconds)
    high = statistics.quantiles(rest, n=20)[-1]
    print(f"{label:38}{first:8.1f}{statistics.median(rest):9.1f}{high:8.1f}{max(rest):8.1f}  ms")


def timed(run: Callable[[], object], clock: Callable[[], float] = perf_counter) -> float:
    start = clock()
    run()
    return clock() - start


def measure_alone(folder: Path, files: dict[str, str], keystrokes: int) -> None:
    for typed, text in files.items():
        workspace = Workspace()
        workspace.add_folder(folder.as_uri())
        for file, content in files.items():
            workspace.open(types.TextDocumentItem((folder / file).as_uri(), "", 1, content))
        uri = (folder / typed).as_uri()
        seconds = [timed(partial(workspace.diagnostics, uri), process_time)]
        for number in range(keystrokes):
            document = types.VersionedTextDocumentIdentifier(number + 2, uri)
            change = types.DidChangeTextDocumentParams(document, [insertion(text, number)])
            seconds.append(timed(partial(press, workspace, change), process_time))
        report(f"{typed[-26:]}, the work alone", seconds)


def measure_many(folder: Path, keystrokes: int) -> None:
    write_tree(folder, 500)
    for pattern in ("*.json", "AGENTS.md", "CLAUDE.md", "SKILL.md", "agents/*.md"):
        for path in sorted(folder.rglob(pattern))[:1]:
            file = path.relative_to(folder).as_posix()
            measure_alone(folder, {file: path.read_text(encoding="utf-8")}, keystrokes)


def press(workspace: Workspace, change: types.DidChangeTextDocumentParams) -> None:
    """One keystroke and what is to be reported after it."""
    workspace.change(change)
    workspace.diagnostics(change.text_document.uri)


def insertion(text: str, number: int) -> types.TextDocumentContentChangePartial:
    """The next letter of a word: at the end of the prompt, or in the first description of the tools."""
    description = text.find('"description": "')
    if text.startswith(("[", "{")) and description >= 0:
        line = text.count("\n", 0, description)
        column = description - text.rfind("\n", 0, description) - 1
        at = types.Position(line, column + len('"description": "'))
    else:
        at = types.Position(text.count("\n"), number)
    return types.TextDocumentContentChangePartial(types.Range(at, at), "`read_flie` "[number % 12])


def measure_process(folder: Path, files: dict[str, str], keystrokes: int) -> None:
    server = subprocess.Popen(
        [sys.executable, "-m", "toolsurface_lint", "server"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    client = Client(server)
    capabilities = {"textDocument": {"diagnostic": {}}}
    client.ask("initialize", {"processId": None, "rootUri": folder.as_uri(), "capabilities": capabilities})
    client.tell("initialized", {})
    for file, text in files.items():
        item = {"uri": (folder / file).as_uri(), "languageId": "", "version": 1, "text": text}
        client.tell("textDocument/didOpen", {"textDocument": item})
    uri = (folder / "prompts/system.md").as_uri()
    pull = {"textDocument": {"uri": uri}}
    seconds = [timed(lambda: client.ask("textDocument/diagnostic", pull))]
    for number in range(keystrokes):
        change = insertion(files["prompts/system.md"], number)
        at = {"line": change.range.start.line, "character": change.range.start.character}
        edit = {"range": {"start": at, "end": at}, "text": change.text}
        document = {"uri": uri, "version": number + 2}

        seconds.append(timed(partial(send, client, {"textDocument": document, "contentChanges": [edit]}, pull)))
    report("prompts/system.md, over the pipes", seconds)
    client.ask("shutdown", None)
    client.tell("exit", None)
    server.wait(10)


STAGES = ("introduced", "a first file", "everything")


def measure_start(folder: Path) -> None:
    """The processor time from the start of a process until each stage."""
    print(f"\n{'from the start of a process until':38}" + "".join(f"{stage:>16}" for stage in STAGES) + "  s busy")
    with tempfile.TemporaryDirectory() as cache:
        for label, off in (("without a cache", "1"), ("with an empty cache", "0"), ("with the cache of the last", "0")):
            busy = start(folder, {"TOOLSURFACE_LINT_CACHE_DIR": cache, "TOOLSURFACE_LINT_NO_CACHE": off})
            print(f"{label:38}" + "".join(f"{seconds:16.2f}" for seconds in busy))


def start(folder: Path, environment: dict[str, str]) -> list[float]:
    """Seconds of the processor until each of the stages. Where the system does not tell (`/proc`), 0."""
    server = subprocess.Popen(
        [sys.executable, "-m", "toolsurface_lint", "server"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    client = Client(server)
    capabilities = {"textDocument": {"diagnostic": {}}, "workspace": {"diagnostics": {}}}
    client.ask("initialize", {"processId": None, "rootUri": folder.as_uri(), "capabilities": capabilities})
    busy = [busy_seconds(server.pid)]
    client.tell("initialized", {})
    path = min(folder.rglob("AGENTS.md"))
    item = {"uri": path.as_uri(), "languageId": "", "version": 1, "text": path.read_text(encoding="utf-8")}
    client.tell("textDocument/didOpen", {"textDocument": item})
    client.ask("textDocument/diagnostic", {"textDocument": {"uri": path.as_uri()}})
    busy.append(busy_seconds(server.pid))
    client.ask("workspace/diagnostic", {"previousResultIds": []})
    busy.append(busy_seconds(server.pid))
    client.ask("shutdown", None)
    client.tell("exit", None)
    server.wait(10)
    return busy


def busy_seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def send(client: Client, change: dict[str, Any], pull: dict[str, Any]) -> None:
    client.tell("textDocument/didChange", change)
    client.ask("textDocument/diagnostic", pull)


class Client:
    """The least that speaks to a language server, so that what is measured is the server."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._in, self._out = process.stdin, process.stdout
        self._number = 0

    def tell(self, method: str, params: Any, **more: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        self._in.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._in.flush()

    def ask(self, method: str, params: Any) -> Any:
        self._number += 1
        self.tell(method, params, id=self._number)
        while True:
            size = 0
            while line := self._out.readline().strip():
                if line.lower().startswith(b"content-length:"):
                    size = int(line.split(b":")[1])
            message = json.loads(self._out.read(size))
            if message.get("id") == self._number and "method" not in message:
                return message["result"]


if __name__ == "__main__":
    main()
