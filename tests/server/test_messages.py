"""Bytes that no client should send, over a pipe: each gets an answer or a line in the log, and the next message is read."""

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from pygls.exceptions import JsonRpcInvalidRequest

from toolsurface_lint.server import messages
from toolsurface_lint.server.messages import next_body
from toolsurface_lint.server.parent import Parent
from toolsurface_lint.server.workspace import path_of

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-m", "toolsurface_lint", "server"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
NO_JSON, NO_REQUEST, NO_METHOD, NO_PARAMS, NOT_BEGUN = -32700, -32600, -32601, -32602, -32002


def message(**fields):
    body = json.dumps({"jsonrpc": "2.0", **fields}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def place(line, character):
    return {"line": line, "character": character}


def hover(number, line=0, character=0, uri="file:///none/a.md"):
    params = {"textDocument": {"uri": uri}, "position": place(line, character)}
    return message(id=number, method="textDocument/hover", params=params)


def change(uri, start, end):
    edit = {"range": {"start": start, "end": end}, "text": "x"}
    params = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [edit]}
    return message(method="textDocument/didChange", params=params)


def opening(uri):
    return message(
        method="textDocument/didOpen",
        params={"textDocument": {"uri": uri, "languageId": "", "version": 1, "text": "Call `a({})`.\n"}},
    )


def told(method, **params):
    return message(method=method, params=params)


CAPABILITIES = {"textDocument": {"diagnostic": {}}}
INITIALIZE = message(
    id=1, method="initialize", params={"processId": None, "rootUri": None, "capabilities": CAPABILITIES}
)
INITIALIZED = INITIALIZE + told("initialized")
END = message(id=99, method="shutdown") + message(method="exit")


def frames(output):
    """The messages that a server has sent."""
    stream = io.BytesIO(output)
    return [json.loads(body) for body in iter(lambda: next_body(stream), b"")]


def run(data, cwd):
    """What a server sends while it reads these bytes, and the code with which it ends."""
    done = subprocess.run(COMMAND, cwd=cwd, env=ENVIRONMENT, input=data, capture_output=True, check=False, timeout=120)
    return frames(done.stdout), done.returncode


def answers(data, cwd):
    """The answers between the first and the last one: the number of each and the code of its error, None for a result.

    A line in the log is shown as `log`.
    """
    found, code = run(INITIALIZED + data + END, cwd)
    assert (code, found[0]["id"], found[-1]) == (0, 1, {"id": 99, "jsonrpc": "2.0", "result": None})
    shown = []
    for one in found[1:-1]:
        if "method" in one:
            assert one["method"] == "window/logMessage"
            shown.append("log")
        else:
            shown.append((one["id"], one["error"]["code"] if "error" in one else None))
    return shown


NOTHING = (None, NO_REQUEST)
UNREADABLE = {
    "a header without a length": (b'Content-Lenght: 5\r\n\r\n{"a"}', [NOTHING]),
    "a length that is no number": (b"Content-Length: abc\r\n\r\n{}", [NOTHING]),
    "a negative length": (b"Content-Length: -5\r\n\r\n{}", [NOTHING]),
    "an empty message": (b"Content-Length: 0\r\n\r\n", [NOTHING]),
    "a huge length": (b'Content-Length: 999999999999999999\r\n\r\n{"a": 1}', [NOTHING]),
    "a length beyond all numbers": (b"Content-Length: " + b"9" * 5000 + b'\r\n\r\n{"a": 1}', [NOTHING]),
    "more than it said": (b'Content-Length: 3\r\n\r\n{"jsonrpc":"2.0"}', [(None, NO_JSON)]),
    "no JSON": (b'Content-Length: 5\r\n\r\n{"a":', [(None, NO_JSON)]),
    "no UTF-8": (b'Content-Length: 4\r\n\r\n"\xff\xfe"', [(None, NO_JSON)]),
    "deep nesting": (b"Content-Length: 100000\r\n\r\n" + b"[" * 100000, [(None, NO_JSON)]),
    "a batch": (b"Content-Length: 2\r\n\r\n[]", [NOTHING]),
    "lines of rubbish": (b"\x00\xff rubbish\n" * 1000, []),
    "empty lines": (b"\r\n\r\n\n", []),
    "other headers": (hover(1).replace(b"Content-Length: ", b"X: y\r\ncontent-length :  "), [(1, None)]),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_bytes_that_are_no_message(case, tmp_path):
    data, expected = UNREADABLE[case]
    assert answers(data + hover(2), tmp_path) == [*expected, (2, None)]


def test_a_message_shorter_than_it_said_takes_the_next_one_with_it(tmp_path):
    data = b"Content-Length: 60\r\n\r\n{}" + hover(2) + hover(3)
    assert answers(data, tmp_path) == [(None, NO_JSON), (3, None)]


def test_messages_out_of_form_or_turn(tmp_path):
    data = [
        (message(id=None, method="shutdown"), NOTHING),
        (message(id={"a": 1}, method="textDocument/hover"), NOTHING),
        (message(id=2, method=["a"]), (2, NO_REQUEST)),
        (message(id=3), (3, -32603)),
        (message(), NOTHING),
        (hover(4).replace(b"2.0", b"1.0"), (4, NO_REQUEST)),
        (INITIALIZE, (1, NO_REQUEST)),
        (message(id=5, method="no/such"), (5, NO_METHOD)),
        (message(id=6, method="$/such", params=[1]), (6, NO_METHOD)),
        (
            message(id=7, method="textDocument/declaration", params=json.loads(hover(1).split(b"\n")[-1])["params"]),
            (7, NO_METHOD),
        ),
        (message(id=8, method="textDocument/hover"), (8, NO_PARAMS)),
        (message(id=9, method="textDocument/hover", params=5), (9, NO_PARAMS)),
        (message(id=10, method="textDocument/hover", params={"textDocument": 7}), (10, NO_PARAMS)),
        (message(id=11, method="textDocument/didOpen", params={}), (11, NO_REQUEST)),
        (message(id=12, method="workspace/executeCommand", params={"command": "x"}), (12, NO_PARAMS)),
        (told("textDocument/hover"), "log"),
        (told("textDocument/didOpen", textDocument={"uri": 5}), "log"),
        (told("textDocument/didChange"), "log"),
        (told("workspace/didChangeWatchedFiles", changes=[{"uri": "file:///x", "type": 77}]), "log"),
        (told("$/cancelRequest"), "log"),
        (told("$/cancelRequest", id=1234), None),
        (told("$/such"), None),
        (told("no/such"), None),
        (told("textDocument/didClose", textDocument={"uri": "file:///none/b.md"}), None),
        (
            told(
                "workspace/didChangeWorkspaceFolders",
                event={"added": [], "removed": [{"uri": "file:///n", "name": ""}]},
            ),
            None,
        ),
        (message(id=1234, result=None), None),
        (message(id=1235, error={"code": 1, "message": "x"}), None),
    ]
    expected = [answer for _, answer in data if answer is not None]
    assert answers(b"".join(sent for sent, _ in data), tmp_path) == expected


def test_before_the_beginning_and_after_the_end(tmp_path):
    before = hover(2) + opening("file:///none/a.md") + message(id=3, method="shutdown") + told("$/such")
    after = hover(4) + opening("file:///none/a.md") + INITIALIZE
    found, code = run(
        before + INITIALIZED + message(id=9, method="shutdown") + after + message(method="exit"), tmp_path
    )
    assert code == 0
    shown = [one.get("id", one.get("method")) for one in found]
    assert shown == [2, "window/logMessage", 3, "window/logMessage", 1, 9, 4, "window/logMessage", 1]
    errors = [one["error"]["code"] for one in found if "error" in one]
    assert errors == [NOT_BEGUN, NOT_BEGUN, NO_REQUEST, NO_REQUEST]


def test_places_that_are_none(tmp_path):
    uri = (tmp_path / "a.md").as_uri()
    beyond = 2**31 - 1
    data = [
        (opening(uri), None),
        (hover(2, -1, 0, uri), (2, NO_PARAMS)),
        (hover(3, 0, -1, uri), (3, NO_PARAMS)),
        (hover(4, 10**9, 10**9, uri), (4, None)),
        (hover(5, 10**12, 0, uri), (5, NO_PARAMS)),
        (hover(6, "a", 0, uri), (6, NO_PARAMS)),
        (change(uri, place(-1, 0), place(0, 0)), "log"),
        (change(uri, place(0, 3), place(0, 1)), None),
        (change(uri, place(beyond, beyond), place(0, 0)), None),
        (change(uri, place(0, beyond), place(beyond, 0)), None),
        (change((tmp_path / "never.md").as_uri(), place(0, 0), place(0, 0)), "log"),
        (change("untitled:never", place(0, 0), place(0, 0)), None),
        (hover(7, 0, 0, uri), (7, None)),
    ]
    expected = [answer for _, answer in data if answer is not None]
    assert answers(b"".join(sent for sent, _ in data), tmp_path) == expected


URIS = (
    *("untitled:Untitled-1", "file://host/x.md", "file:///%zz%ff%00a.md", "file://[", "file:", "file:///", "", "x"),
    *("http://x/y.md", "vscode-notebook-cell:/a#b", "file:///none/\ud800.md", "git:/a.md?x", "file:relative.md"),
    "file:///" + "a/" * 3000 + "x.md",
)


def test_names_that_are_no_file(tmp_path):
    data, expected = b"", []
    for number, uri in enumerate(URIS, 10):
        document = {"uri": uri}
        data += opening(uri) + change(uri, place(0, 0), place(0, 0)) + hover(number, uri=uri)
        data += message(id=number + 100, method="textDocument/diagnostic", params={"textDocument": document})
        data += told("textDocument/didSave", textDocument=document)
        data += told("workspace/didChangeWatchedFiles", changes=[{"uri": uri, "type": 3}])
        data += told("textDocument/didClose", textDocument=document)
        event = {"added": [], "removed": [{"uri": uri, "name": ""}]}
        data += told("workspace/didChangeWorkspaceFolders", event=event)
        expected += [(number, None), (number + 100, None)]
    # Settings around the longest name cannot be looked for, which is logged.
    assert [answer for answer in answers(data, tmp_path) if answer != "log"] == expected


@pytest.mark.parametrize(
    "uri", ["file://host/x.md", "file:///%00", "file://[", "file:///\ud800", "untitled:a", "file:"]
)
def test_what_means_no_file_of_this_machine(uri):
    assert path_of(uri) is None


def test_a_header_is_found_again_behind_any_rest():
    stream = io.BytesIO(b'{"a": 1}Content-Length: 2\r\n\r\n{}rest\nContent-Length: 3\n\n[1]')
    assert [next_body(stream), next_body(stream), next_body(stream)] == [b"{}", b"[1]", b""]


def test_lines_without_end_are_read_in_parts():
    asked = []

    class Stream(io.BytesIO):
        def readline(self, size=-1):
            asked.append(size)
            return super().readline(size)

        def read(self, size=-1):
            asked.append(size)
            return super().read(size)

    stream = Stream(b"x" * 300_000 + b"\nContent-Length: 99999999999\r\n\r\n")
    with contextlib.suppress(JsonRpcInvalidRequest):
        next_body(stream)
    assert 0 < min(asked) <= max(asked) <= messages._LINE


def test_a_client_that_reads_no_more(tmp_path):
    with subprocess.Popen(
        COMMAND, cwd=tmp_path, env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as server:
        server.stdout.close()
        with contextlib.suppress(BrokenPipeError):
            server.stdin.write(INITIALIZED)
            server.stdin.flush()
        # Its standard input is still open.
        assert server.wait(60) == 1
        assert b"Traceback" not in server.stderr.read()


@pytest.mark.skipif(os.name == "nt", reason="there, the end of standard input is all there is")
@pytest.mark.parametrize("direct", [True, False])
def test_it_ends_with_the_process_that_the_client_named(tmp_path, direct):
    # We hold its pipes; its parent, or with `direct` false a process that is none, is the one that the client names.
    program = (
        "import subprocess, sys\nserver = subprocess.Popen(sys.argv[1:], stdout=2)\n"
        "print(server.pid, flush=True)\nserver.wait()"
    )
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    reading, writing = os.pipe()
    parent = subprocess.Popen(
        [sys.executable, "-c", program, *COMMAND],
        cwd=tmp_path,
        env=ENVIRONMENT,
        stdin=reading,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    named = parent if direct else other
    number = int(parent.stdout.readline())
    try:
        initialize = {"processId": named.pid, "rootUri": None, "capabilities": {}}
        os.write(writing, message(id=1, method="initialize", params=initialize))
        # Its answer, which ends with the information about the server.
        seen = b""
        while b"serverInfo" not in seen:
            seen += os.read(parent.stderr.fileno(), 1 << 16)
        os.kill(number, 0)
        named.send_signal(signal.SIGKILL)
        named.wait()
        # When it is gone, nobody is left who writes there.
        while os.read(parent.stderr.fileno(), 1 << 16):
            pass
    finally:
        for process in (parent, other):
            process.kill()
            process.wait()
        for end in (reading, writing):
            os.close(end)
        parent.stdout.close()
        parent.stderr.close()


def test_a_process_that_cannot_be_seen_is_not_waited_for():
    # In a container, the client's number may be nobody's.
    for number in (0, -1, 2**31 - 1, 2**70):
        assert not Parent(number).is_gone()
    assert not Parent(os.getpid()).is_gone()
    assert not Parent(os.getppid()).is_gone()
