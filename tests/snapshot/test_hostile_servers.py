"""Servers that mean harm: every one is bounded in time, memory and output, and none is left running."""

import asyncio
import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.snapshot.conftest import ADD, asked
from toolsurface_lint.snapshot.intake import EVERYTHING, MESSAGE, MESSAGES, SnapshotFailed
from toolsurface_lint.snapshot.process import start
from toolsurface_lint.snapshot.targets import command_target

pytest.importorskip("mcp", reason="the extra `snapshot` is not installed")

pytestmark = pytest.mark.skipif(os.name == "nt", reason="process groups of POSIX")

LISTED = {"tools": [ADD]}


def refused(command: list[str], **options: object) -> SnapshotFailed:
    with pytest.raises(SnapshotFailed) as failed:
        asked(command, **options)
    return failed.value


@pytest.mark.parametrize(
    ("own", "reason"),
    [
        ("while True: raw('x' * 65536)", f"it sent a message of more than {MESSAGE:,} bytes"),
        (
            'while True: raw(\'{"jsonrpc":"2.0","method":"m","params":{"a":"\' + \'x\' * 99999 + \'"}}\\n\')',
            f"it sent more than {EVERYTHING:,} bytes",
        ),
        ("while True: raw('\\n' * 65536)", f"it sent more than {MESSAGES:,} messages"),
        (
            'while True: raw(\'{"jsonrpc":"2.0","id":1,"method":"ping"}\\n\' * 99)',
            f"it sent more than {MESSAGES:,} messages",
        ),
    ],
    ids=["line", "bytes", "lines", "requests"],
)
def test_output_without_end(server, own, reason):
    assert refused(server(own)).reason == reason


def test_a_huge_answer(server):
    own = """
def serve(message):
    raw('{"jsonrpc":"2.0","id":%d,"result":{"a":"' % message["id"])
    for _ in range(1 << 20):
        raw("x" * 1024)
"""
    assert refused(server(own)).reason == f"it sent a message of more than {MESSAGE:,} bytes"


def test_errors_without_end_are_kept_short(server):
    own = """
os.write(2, b"x" * 100_000 + b"\\n")
for number in range(100_000):
    os.write(2, b"line %d\\n" % number)
sys.exit(3)
"""
    failed = refused(server(own))
    assert failed.reason == "it ended with status 3 before it answered `initialize`"
    assert failed.last_lines == tuple(f"line {number}" for number in range(99_990, 100_000))


def test_one_that_writes_errors_while_it_serves(server):
    own = "import threading\ndef noise():\n    while True: os.write(2, b'x' * 4096)\n"
    own += "threading.Thread(target=noise, daemon=True).start()"
    assert asked(server(own, tools__list=LISTED)).entry["tools"] == [ADD]


def test_one_that_never_answers(server):
    begun = time.monotonic()
    failed = refused(server("def serve(message): time.sleep(600)"), seconds=0.5)
    assert failed.reason == "it gave no answer to `server/discover` in 0.5 seconds"
    assert time.monotonic() - begun < 10


def test_one_that_stops_answering(server):
    own = "def serve(message, serve=serve):\n    if message['method'] != 'tools/list': serve(message)"
    assert refused(server(own), seconds=1).reason == "it gave no answer to `tools/list` in 1 seconds"


def test_one_that_dies_half_way(server):
    own = """
def serve(message, serve=serve):
    if message["method"] != "tools/list":
        return serve(message)
    raw('{"jsonrpc":"2.0","id":')
    os.write(2, b"out of \\x1b[31mmemory\\n")
    os._exit(7)
"""
    failed = refused(server(own))
    assert failed.reason == "it ended with status 7 before it answered `tools/list`"
    assert failed.last_lines == ("out of \x1b[31mmemory",)


def test_one_that_is_killed(server):
    own = "def serve(message): os.kill(os.getpid(), 9)"
    assert refused(server(own)).reason == "it ended with status -9 before it answered `initialize`"


def test_one_that_closes_its_output(server):
    own = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); os.close(1); time.sleep(600)"
    assert refused(server(own)).reason == "it closed its standard output before it answered `initialize`"


@pytest.mark.parametrize("line", ["Ready.", "{]", "[1]", "null", '{"jsonrpc":"2.0"}', "[" * 100_000, "\\ud800", "\x00"])
def test_garbage_beside_messages(server, line):
    answer = asked(server(f"raw({line!r} + '\\n')", tools__list=LISTED))
    assert answer.entry["tools"] == [ADD]
    assert answer.notes == (f"it wrote to standard output what is not a message of JSON-RPC: {line[:80].strip()}",)


def test_nothing_but_garbage(server):
    own = "def serve(message): raw('hello\\n'); os.write(1, bytes(range(256)) + b'\\n')"
    assert refused(server(own), seconds=0.5).reason == "it gave no answer to `server/discover` in 0.5 seconds"


NEW_PAGES = """
pages = iter(range(1 << 30))
def answer(message, answer=answer):
    at_list = message["method"] == "tools/list"
    return {"tools": [], "nextCursor": str(next(pages))} if at_list else answer(message)
"""


@pytest.mark.parametrize("own", [NEW_PAGES, "RESULTS['tools/list']['nextCursor'] = 'again'"], ids=["new", "repeated"])
def test_pages_without_end(server, own):
    assert refused(server(own, tools__list=LISTED)).reason == "the pages of its answer to `tools/list` have no end"


def alive(pid: int) -> bool:
    """Whether a process runs; what waits to be collected by a parent that does not does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize("ignores", [False, True], ids=["ends", "ignores"])
def test_children_do_not_survive(server, tmp_path, ignores):
    noted = tmp_path / "pids"
    own = f"""
import signal
for _ in range(2):
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        with open({str(noted)!r}, "a") as file: file.write(f"{{os.getpid()}}\\n")
        time.sleep(600)
        os._exit(0)
if {ignores}:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    import threading
    threading.Thread(target=time.sleep, args=(600,)).start()
"""
    assert asked(server(own, tools__list=LISTED)).entry["tools"] == [ADD]
    pids = [int(pid) for pid in noted.read_text().split()]
    assert len(pids) == 2
    assert not any(map(alive, pids))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize("numbers", [[2], [15], [2, 2], [15, 15]], ids=["INT", "TERM", "INT twice", "TERM twice"])
def test_the_server_ends_with_us(server, tmp_path, numbers):
    noted = tmp_path / "pid"
    own = f"import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN if {len(numbers) > 1} else signal.SIG_DFL)\n"
    own += f"open({str(noted)!r}, 'w').write(str(os.getpid()))\ndef serve(message): time.sleep(600)"
    command = [sys.executable, "-m", "toolsurface_lint", "snapshot", "--", *server(own)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as started:
        deadline = time.monotonic() + 20
        while not (noted.exists() and noted.read_text()) and time.monotonic() < deadline:
            time.sleep(0.02)
        for number in numbers:
            started.send_signal(number)
            time.sleep(0.2)
        output, errors = started.communicate(timeout=20)
    assert (started.returncode, output, errors.strip()) == (130, b"", b"")
    assert not alive(int(noted.read_text()))


def test_an_end_that_is_broken_off_is_waited_for(server, monkeypatch, caplog):
    waitpid = os.waitpid

    def late(*arguments: int) -> tuple[int, int]:
        found = waitpid(*arguments)
        time.sleep(0.1)
        return found

    async def hurry() -> None:
        target = command_target(None, server("import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)"), ())
        process = await start(target, lambda _: None, lambda: None)
        ending = asyncio.ensure_future(process.end(at_once=True))
        await asyncio.sleep(0.05)
        ending.cancel()
        with suppress(asyncio.CancelledError):
            await ending

    monkeypatch.setattr(os, "waitpid", late)
    asyncio.run(hurry())
    for thread in threading.enumerate():
        if thread.name.startswith("asyncio-waitpid"):
            thread.join()
    assert caplog.text == ""
