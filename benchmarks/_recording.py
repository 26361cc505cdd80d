"""Install published npm servers, start each once over stdio, and record the tools that it serves beside its source.

Called by `typescript_servers.py --record`. A recording is a folder NAME with `tools_list.json` (what the server answers to
tools/list), `record.json` (package, version, and where the source is from) and `src/`: the source at the commit that the
version was built from, or the compiled files of the package where no source is to be had.

The servers are other people's code and run with the rights of the user: record on a machine that may be lost. Scripts of
npm are not run, and of the environment a server gets `PATH`, a home folder of its own, and what its row gives.
"""

from __future__ import annotations

import io
import json
import os
import queue
import shutil
import subprocess
import tarfile
import threading
import time
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

SERVERS = Path(__file__).with_name("typescript_servers.toml")
SECONDS_TO_ANSWER = 60.0
SECONDS_UNTIL_SETTLED = 1.0  # tools that depend on what the client can do are added after it has said so
CAPABILITIES: dict[str, Any] = {
    "roots": {"listChanged": True},
    "sampling": {},
    "elicitation": {"form": {}, "url": {}},
    "tasks": {"requests": {"sampling": {"createMessage": {}}, "elicitation": {"create": {}}}},
}
# Tests serve nothing. Folders named `tests` stay: some servers have a family of tools of that name.
_NO_SOURCE = ("**/*.test.*", "**/*.spec.*", "**/__tests__/**")


class Server(NamedTuple):
    """One published server: how it starts, and where its source is."""

    name: str
    package: str
    version: str
    environment: dict[str, str]
    arguments: list[str]
    program: str  # the name under `bin` of package.json where there are several
    repository: str  # OWNER/NAME at GitHub; empty: the files of the package
    commit: str
    source: list[str]  # folders and files of the repository or the package
    more: list[str]  # tools that the version has and that this start does not serve


def servers() -> list[Server]:
    rows = tomllib.loads(SERVERS.read_text(encoding="utf-8"))
    return [
        Server(
            name, row["package"], row["version"], row.get("environment", {}), row.get("arguments", []),
            row.get("program", ""), row.get("repository", ""), row.get("commit", ""), row["source"], row.get("more", []),
        )
        for name, row in sorted(rows.items())
    ]  # fmt: skip


class Stopped(Exception):
    """The server ended or did not answer in time; holds the last lines that it wrote to its error output."""


class Client:
    """A client of one server over stdio: as little of the protocol as a list of tools needs."""

    def __init__(self, command: list[str], folder: Path, environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self._messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._errors: list[str] = []
        self._last = 0
        self.list_has_changed = False
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._read_errors, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if isinstance(message, dict):
                self._messages.put(message)
        self._messages.put(None)

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._errors = [*self._errors[-20:], line.decode(errors="replace").rstrip()]

    def send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise Stopped("\n".join(self._errors)) from error

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The result of a request; what the server asks meanwhile is answered with nothing.

        Raises Stopped where none comes.
        """
        self._last += 1
        self.send({"id": self._last, "method": method, "params": params})
        end = time.monotonic() + SECONDS_TO_ANSWER
        while True:
            message = self._next(end)
            if message is None:
                raise Stopped("\n".join([f"no answer to {method}", *self._errors]))
            if message.get("id") == self._last and "method" not in message:
                if "result" not in message:
                    raise Stopped(json.dumps(message))
                result: dict[str, Any] = message["result"]
                return result

    def settle(self) -> None:
        """Hear what the server says until it has been silent for a while."""
        while self._next(time.monotonic() + SECONDS_UNTIL_SETTLED) is not None:
            pass

    def _next(self, end: float) -> dict[str, Any] | None:
        try:
            message = self._messages.get(timeout=max(0.0, end - time.monotonic()))
        except queue.Empty:
            return None
        if message is not None and "method" in message and "id" in message:
            answer: dict[str, Any] = {"roots": []} if message["method"] == "roots/list" else {}
            self.send({"id": message["id"], "result": answer})
        return message

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


def served_tools(command: list[str], folder: Path, environment: dict[str, str]) -> list[dict[str, Any]]:
    """All tools that a server lists to a client that can do everything. Raises Stopped."""
    client = Client(command, folder, environment)
    try:
        client.ask(
            "initialize",
            {
                "protocolVersion": "2025-06-18",
                "capabilities": CAPABILITIES,
                "clientInfo": {"name": "recorder", "version": "1"},
            },
        )
        client.send({"method": "notifications/initialized"})
        client.settle()
        tools: list[dict[str, Any]] = []
        page: dict[str, Any] = {}
        while True:
            answer = client.ask("tools/list", page)
            tools += answer["tools"]
            if not answer.get("nextCursor"):
                return tools
            page = {"cursor": answer["nextCursor"]}
    finally:
        client.close()


def install(server: Server, folder: Path) -> Path:
    """The folder of the installed package; what is there in this version already is kept."""
    package = folder / "node_modules" / server.package
    description = package / "package.json"
    if not description.exists() or json.loads(description.read_text(encoding="utf-8"))["version"] != server.version:
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(folder),
             f"{server.package}@{server.version}"],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
    return package


def program(server: Server, package: Path) -> Path:
    """The file that starts a server."""
    programs = json.loads((package / "package.json").read_text(encoding="utf-8"))["bin"]
    if isinstance(programs, dict):
        programs = programs[server.program] if server.program else next(iter(programs.values()))
    path: Path = package / programs
    return path


def copy_source(server: Server, package: Path, target: Path) -> None:
    """Put the source of a server into `target`."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    if not server.repository:
        for name in server.source:
            # Folders of compiled files are skipped by their names, so they are not kept here.
            if (package / name).is_dir():
                shutil.copytree(package / name, target, dirs_exist_ok=True)
            else:
                shutil.copy(package / name, target)
        return
    clone = target.parents[1] / ".repositories" / server.repository.replace("/", "+")
    if not clone.exists():
        url = f"https://github.com/{server.repository}"
        subprocess.run(["git", "clone", "--quiet", "--bare", url, str(clone)], check=True)
    without = [f":(exclude,glob){pattern}" for pattern in _NO_SOURCE]
    archive = subprocess.run(
        ["git", "--git-dir", str(clone), "archive", server.commit, "--", *server.source, *without],
        check=True, capture_output=True,
    ).stdout  # fmt: skip
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(target, filter="data")


def record(server: Server, folder: Path) -> int:
    """Record one server; returns how many tools it serves. Raises Stopped, and CalledProcessError of npm and git."""
    installed = folder / ".installed" / server.name
    package = install(server, installed)
    home = installed / "home"
    home.mkdir(exist_ok=True)
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), **server.environment}
    arguments = [argument.replace("{home}", str(home)) for argument in server.arguments]
    tools = served_tools(["node", str(program(server, package)), *arguments], home, environment)
    recording = folder / server.name
    copy_source(server, package, recording / "src")
    origin = (
        {"repository": server.repository, "commit": server.commit} if server.repository else {"package": "compiled"}
    )
    about = {"package": server.package, "version": server.version, **origin, "source": server.source}
    for name, content in (("tools_list.json", {"tools": tools}), ("record.json", about)):
        (recording / name).write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return len(tools)


def record_all(folder: Path, names: list[str]) -> None:
    """Record the servers named, or all, and print what came of each."""
    for server in servers():
        if names and server.name not in names:
            continue
        try:
            count = record(server, folder)
        except Stopped as error:
            print(f"{server.name}: {error}", flush=True)
        except subprocess.CalledProcessError as error:
            print(f"{server.name}: {error}\n{error.stderr}", flush=True)
        else:
            print(f"{server.name}: {count} tools", flush=True)
