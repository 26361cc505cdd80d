"""What `toolsurface-lint snapshot` gets from published servers of npm and PyPI, over stdio and streamable HTTP.

    python benchmarks/snapshot_servers.py [FOLDER]

Installs the newest versions into FOLDER, a temporary one by default, and starts them: this runs code of strangers and needs
npm. Per server: seconds until it has ended again, what it serves, its version of MCP, and what `check` finds in the snapshot,
which is left in FOLDER. Exits with 1 if any server gave nothing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from contextlib import closing
from pathlib import Path
from socket import create_connection, socket

from toolsurface_lint.api import check_paths

NPM = ("@modelcontextprotocol/server-everything", "@modelcontextprotocol/server-filesystem")
PYPI = ("mcp-server-time", "mcp-server-git")
PATIENCE = 20.0
"""Seconds until a server must listen at its port."""


def main(arguments: list[str]) -> int:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(arguments[0] if arguments else temporary).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        programs = install(folder)
        everything, filesystem, *python = programs
        print(f"{'server':32} {'seconds':>7} {'tools':>5} {'prompts':>7} {'resources':>9} {'findings':>8}  MCP")
        reached = [
            measure(folder, "everything", "--", str(everything), "stdio"),
            over_http(folder, everything),
            measure(folder, "filesystem", "--", str(filesystem), str(folder)),
            *(measure(folder, program.name, "--", str(program)) for program in python),
        ]
    return 0 if all(reached) else 1


def install(folder: Path) -> list[Path]:
    """The programs of the packages, which are installed into a folder, in the order of `NPM` and `PYPI`."""
    if not (folder / "node_modules").exists():
        subprocess.run(["npm", "install", "--silent", "--no-fund", "--no-audit", *NPM], cwd=folder, check=True)
    if not (folder / "python").exists():
        venv.create(folder / "python", with_pip=True)
        pip = folder / "python" / "bin" / "pip"
        subprocess.run([pip, "install", "--quiet", "--disable-pip-version-check", *PYPI], check=True)
    node = [folder / "node_modules" / ".bin" / f"mcp-{name.rpartition('/')[2]}" for name in NPM]
    return [*node, *(folder / "python" / "bin" / name for name in PYPI)]


def measure(folder: Path, name: str, *server: str) -> bool:
    """Ask a server, and print a row about it; whether it answered."""
    # Each in a folder of its own: together they would be one surface.
    path = folder / "snapshots" / name / "snapshot.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "toolsurface_lint", "snapshot", "--name", name, "--output", str(path), *server]
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    seconds = time.monotonic() - start
    if done.returncode:
        print(f"{name:32} {seconds:7.1f} {done.stderr.strip()}")
        return False
    (entry,) = json.loads(path.read_text(encoding="utf-8"))["servers"]
    counts = [len(entry[key]) for key in ("tools", "prompts", "resources")]
    findings = len(check_paths([str(path)]).diagnostics)
    print(
        f"{name:32} {seconds:7.1f} {counts[0]:5} {counts[1]:7} {counts[2]:9} {findings:8}  {entry['protocolVersion']}"
    )
    return bool(entry["tools"])


def over_http(folder: Path, program: Path) -> bool:
    """The same server as over stdio, reached at a port of this machine."""
    with closing(socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "PORT": str(port)}
    quiet = subprocess.DEVNULL
    with subprocess.Popen([program, "streamableHttp"], env=environment, stdout=quiet, stderr=quiet) as running:
        try:
            wait_for(port)
            return measure(folder, "everything over HTTP", "--url", f"http://127.0.0.1:{port}/mcp")
        finally:
            running.kill()


def wait_for(port: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
