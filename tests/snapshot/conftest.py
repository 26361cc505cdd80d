"""Small servers of our own, most of them hostile, and one way to ask them."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from toolsurface_lint.snapshot import process
from toolsurface_lint.snapshot.conversation import Answer, ask
from toolsurface_lint.snapshot.targets import command_target

SERVER = """
import json, os, sys, time

def send(message):
    sys.stdout.write(json.dumps(message) + "\\n")
    sys.stdout.flush()

def raw(text):
    sys.stdout.write(text)
    sys.stdout.flush()

RESULTS = {results}

def answer(message):
    method, params = message["method"], message.get("params", {{}})
    if method == "initialize":
        return {{"protocolVersion": params["protocolVersion"], "serverInfo": {{"name": "ours", "version": "1"}},
                "capabilities": {{"tools": {{}}}}, **RESULTS.get(method, {{}})}}
    return RESULTS.get(method)

def serve(message):
    result = answer(message)
    missing = {{"error": {{"code": -32601, "message": "Method not found"}}}}
    send({{"jsonrpc": "2.0", "id": message["id"], **(missing if result is None else {{"result": result}})}})

{own}

for line in sys.stdin:
    message = json.loads(line)
    if "id" in message and "method" in message:
        serve(message)
"""

ADD = {"name": "add", "description": "Add two numbers.", "inputSchema": {"type": "object", "properties": {}}}


@pytest.fixture(autouse=True)
def _no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_GRACE", 0.2)
    monkeypatch.setattr(process, "_KILLED", 0.2)


@pytest.fixture
def server(tmp_path: Path) -> Callable[..., list[str]]:
    """The command of a server that gives `results`, by method; `own` is code of its own, before it reads anything."""

    def write(own: str = "", **results: object) -> list[str]:
        named = {name.replace("__", "/"): result for name, result in results.items()}
        path = tmp_path / "server.py"
        path.write_text(SERVER.format(results=repr(json.loads(json.dumps(named))), own=own), encoding="utf-8")
        return [sys.executable, "-I", "-S", str(path)]

    return write


def asked(command: list[str], *, seconds: float = 20, env: tuple[str, ...] = (), name: str | None = None) -> Answer:
    return ask(command_target(name, command, env), seconds, lambda _: None)
