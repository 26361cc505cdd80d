"""Servers that are reached by streamable HTTP: a small one of our own, with an address for each way to behave."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import pytest

from tests.snapshot.conftest import ADD
from toolsurface_lint.snapshot.intake import EVERYTHING, MESSAGE

pytest.importorskip("mcp", reason="the extra `snapshot` is not installed")

ASK = """
import json, sys
from toolsurface_lint.snapshot.conversation import ask
from toolsurface_lint.snapshot.intake import SnapshotFailed
from toolsurface_lint.snapshot.targets import listed_target

found = {}
for name, entry in json.load(sys.stdin).items():
    seconds = entry.pop("seconds", 20)
    try:
        found[name] = ask(listed_target(name, entry, ["OURS_TOKEN"]), seconds, lambda _: None)._asdict()
    except SnapshotFailed as error:
        found[name] = error.reason
json.dump(found, sys.stdout)
"""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    seen: ClassVar[list[tuple[int, str]]] = []
    """The port and the path of each request."""
    elsewhere = ""
    ended = threading.Event()

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self._begin(405)

    do_DELETE = do_GET  # noqa: N815

    def do_POST(self) -> None:
        Handler.seen.append((self.server.server_address[1], self.path))
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        way = self.path.partition("?")[0].strip("/")
        with suppress(OSError):
            getattr(self, f"answer_{way}")(message)

    def _begin(self, status: int, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if "transfer_encoding" not in headers and "content_length" not in headers:
            self.send_header("content-length", "0")
        self.end_headers()

    def _send(self, body: bytes, kind: str = "application/json", **headers: str) -> None:
        self._begin(200, content_type=kind, content_length=str(len(body)), **headers)
        self.wfile.write(body)

    def _endless(self, kind: str, start: bytes, part: bytes) -> None:
        self._begin(200, content_type=kind, transfer_encoding="chunked")
        self.wfile.write(b"%x\r\n%b\r\n" % (len(start), start))
        while True:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))

    def _result(self, message: dict[str, Any]) -> bytes:
        method = message["method"]
        results = {
            "initialize": {
                "protocolVersion": "2025-11-25",
                "serverInfo": {"name": "ours", "version": "1"},
                "capabilities": {"tools": {}},
                "instructions": f"You came with {self.headers.get('authorization')}.",
            },
            "tools/list": {"tools": [ADD]},
        }
        missing = {"error": {"code": -32601, "message": "Method not found"}}
        result = {"result": results[method]} if method in results else missing
        return json.dumps({"jsonrpc": "2.0", "id": message["id"], **result}).encode()

    def answer_json(self, message: dict[str, Any]) -> None:
        if "id" not in message:
            self._begin(202)
        else:
            self._send(self._result(message), mcp_session_id="one")

    def answer_events(self, message: dict[str, Any]) -> None:
        if "id" not in message:
            self._begin(202)
        else:
            self._send(b"event: message\ndata: " + self._result(message) + b"\n\n", "text/event-stream")

    def answer_hugejson(self, message: dict[str, Any]) -> None:
        self._endless("application/json", b'{"jsonrpc":"2.0","id":1,"result":{"a":"', b"x" * 65536)

    def answer_hugeevent(self, message: dict[str, Any]) -> None:
        self._endless("text/event-stream", b"event: message\ndata: ", b"x" * 65536)

    def answer_manyevents(self, message: dict[str, Any]) -> None:
        note = b'data: {"jsonrpc":"2.0","method":"x","params":{"a":"' + b"x" * 65536 + b'"}}\n\n'
        self._endless("text/event-stream", b"event: message\n", note)

    def answer_packed(self, message: dict[str, Any]) -> None:
        self._send(gzip.compress(b" " * 100_000_000, 1), content_encoding="gzip")

    def answer_refused(self, message: dict[str, Any]) -> None:
        self._begin(401, www_authenticate="Bearer")

    def answer_page(self, message: dict[str, Any]) -> None:
        self._send(b"<html>\x1b[2J", "text/html")

    def answer_never(self, message: dict[str, Any]) -> None:
        Handler.ended.wait(30)

    def answer_failing(self, message: dict[str, Any]) -> None:
        if message["method"] == "server/discover":
            self._begin(404)
        elif message["method"] == "tools/list":
            error = {"code": -32603, "message": "out of order"}
            self._send(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}).encode())
        else:
            self.answer_json(message)

    def answer_moved(self, message: dict[str, Any]) -> None:
        self._begin(307, location="/json?b=2")

    def answer_away(self, message: dict[str, Any]) -> None:
        self._begin(307, location=f"{Handler.elsewhere}/json?key=abc")

    def answer_down(self, message: dict[str, Any]) -> None:
        self.close_connection = True


@pytest.fixture(scope="module")
def answers() -> Iterator[dict[str, Any]]:
    """What came of asking each of the addresses, in one process."""
    servers = [ThreadingHTTPServer(("127.0.0.1", 0), Handler) for _ in range(2)]
    for each in servers:
        each.daemon_threads = True
        threading.Thread(target=each.serve_forever, args=(0.05,), daemon=True).start()
    here, there = (f"127.0.0.1:{each.server_address[1]}" for each in servers)
    Handler.elsewhere = f"http://{there}"
    ways = [name.removeprefix("answer_") for name in dir(Handler) if name.startswith("answer_")]
    given: dict[str, Any] = {way: {"type": "http", "url": f"http://{here}/{way}?q=1"} for way in ways}
    given["never"]["seconds"] = 0.5
    given["json"]["headers"] = {"Authorization": "Bearer ${OURS_TOKEN}"}
    given["away"] |= {"headers": {"X-Key": "5f0c-a secret"}, "url": f"http://user:5f0c-pass@{here}/away"}
    given["nobody"] = {"url": "http://127.0.0.1:1/mcp"}
    environment = {"PATH": "", "OURS_TOKEN": "5f0c-a secret", "PYTHONPATH": ":".join(sys.path)}
    try:
        done = subprocess.run(
            [sys.executable, "-c", ASK],
            input=json.dumps(given),
            capture_output=True,
            encoding="utf-8",
            env=environment,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert "5f0c" not in done.stdout
        yield {**json.loads(done.stdout), "here": here, "there": there}
    finally:
        Handler.ended.set()
        for each in servers:
            each.shutdown()
            each.server_close()


@pytest.mark.parametrize("way", ["json", "events", "moved"])
def test_a_server_that_serves(answers, way):
    entry = answers[way]["entry"]
    assert entry["url"] == f"http://{answers['here']}/{way}"
    assert (entry["name"], entry["protocolVersion"], entry["tools"]) == (way, "2025-11-25", [ADD])
    assert answers[way]["notes"] == []


def test_headers_are_sent_and_not_shown(answers):
    assert answers["json"]["entry"]["instructions"] == "You came with ${header Authorization}."


def test_nothing_follows_a_redirect_to_another_host(answers):
    port = int(answers["there"].partition(":")[2])
    assert answers["away"].startswith(
        f"it answered `initialize` with an error: Redirect to http://{answers['there']}/json"
    )
    assert [path for at, path in Handler.seen if at == port] == []
    assert Handler.seen


@pytest.mark.parametrize(
    ("way", "reason"),
    [
        ("hugejson", f"it sent a message of more than {MESSAGE:,} bytes"),
        ("hugeevent", "it answered `initialize` with an error: SSE stream failed: "),
        ("manyevents", f"it sent more than {EVERYTHING:,} bytes"),
        ("packed", "it sent a compressed answer, although only others are accepted"),
        ("refused", "it refused `initialize` with the HTTP status 401"),
        ("failing", "it answered `tools/list` with an error: out of order"),
        ("page", "it answered `initialize` with an error: Unexpected content type: text/html"),
        ("never", "it gave no answer to `server/discover` in 0.5 seconds"),
        ("nobody", "it cannot be reached: "),
        ("down", "it cannot be reached: Server disconnected without sending a response."),
    ],
)
def test_a_server_that_does_not(answers, way, reason):
    assert answers[way].startswith(reason), answers[way]
