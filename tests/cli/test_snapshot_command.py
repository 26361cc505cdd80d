"""`toolsurface-lint snapshot`: what it starts, what it writes, and what it says."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.snapshot.conftest import ADD, server  # noqa: F401
from toolsurface_lint.cli.snapshot import snapshot
from toolsurface_lint.cli.stream import CommandError

pytest.importorskip("mcp", reason="the extra `snapshot` is not installed")

KEY = "ghp_Qm3ZtR8vKc5JwXe7LbN2yHs9DfU4pGa6TiVo"
LISTED = {"tools": [ADD]}


def started(**options: Any) -> int:
    """The command in this process; `command` and everything that is not given is as if it was not given."""
    given = {
        "url": None,
        "all": False,
        "yes": False,
        "name": None,
        "env": (),
        "timeout": None,
        "output": None,
        **options,
    }
    return snapshot(given.pop("command", ()), **given)


def write_list(**servers: Any) -> None:
    Path(".mcp.json").write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_document_and_one_line_about_each_server(run, server):  # noqa: F811
    done = run("snapshot", "--", *server(tools__list=LISTED))
    assert (done.returncode, done.stderr) == (
        0,
        "toolsurface-lint: ours: 1 tool, 0 prompts, 0 resources (MCP 2025-11-25)\n",
    )
    assert done.stdout == json.dumps(json.loads(done.stdout), indent=2) + "\n"
    document = json.loads(done.stdout)
    assert (list(document), document["toolsurfaceSnapshot"]) == (["toolsurfaceSnapshot", "servers"], 1)
    assert [each["tools"] for each in document["servers"]] == [[ADD]]


def test_a_file_that_the_next_check_reads(run, folder, server):  # noqa: F811
    command = server(tools__list=LISTED)
    for _ in range(2):
        assert run("snapshot", "--name", "sums", "--output", "sums.json", "--", *command).stdout == ""
    assert "add()" in run("surface", "sums.json").stdout
    assert json.loads((folder / "sums.json").read_text(encoding="utf-8"))["servers"][0]["name"] == "sums"


def test_what_a_server_says_cannot_steer_a_terminal(run, server):  # noqa: F811
    own = "os.write(2, b'\\x1b[2J##[error] \\xff\\n'); raw('\\x1b]0;title\\x07\\n'); sys.exit(3)"
    done = run("snapshot", "--name", "a\x1b[2Jb", "--", *server(own))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "toolsurface-lint: a\\x1b[2Jb: it ended with status 3 before it answered `initialize`",
        "toolsurface-lint: a\\x1b[2Jb wrote: \\x1b[2J\\x23#[error] \ufffd",
        "toolsurface-lint: no server answered: nothing was written",
    ]


def test_the_servers_of_a_list(here, server, capsys, monkeypatch):  # noqa: F811
    program, *arguments = server(
        "RESULTS['initialize'] = {'instructions': json.dumps(dict(os.environ))}", tools__list=LISTED
    )
    monkeypatch.setenv("OURS_NAME", "5f0c-one")
    monkeypatch.delenv("OURS_TOKEN", raising=False)
    entry = {"command": program, "args": arguments}
    write_list(
        first={**entry, "env": {"NAME": "${OURS_NAME}", "KEY": KEY, "LEVEL": "${OURS_LEVEL:-loud}"}},
        second={**entry, "args": [*arguments, "--token", KEY, f"--key={KEY}", "https://me:pw@a.example/b?c=d#e"]},
        off={**entry, "disabled": True},
        needs={"command": "${OURS_TOKEN}", "args": ["${OURS_TOKEN}", "${OTHER}"]},
        events={"type": "sse", "url": "http://127.0.0.1:1/sse"},
        broken={"command": ["a"]},
        lost={**entry, "cwd": "no/where"},
    )
    assert started(all=True, yes=True, env=("OURS_NAME",), output="served.json") == 2
    assert capsys.readouterr().err.splitlines() == [
        "toolsurface-lint: off: left out, since it is switched off in .mcp.json",
        "toolsurface-lint: needs: it needs `OURS_TOKEN` and `OTHER`: pass --env OURS_TOKEN --env OTHER",
        "toolsurface-lint: events: it is reached by `sse`, not by streamable HTTP",
        "toolsurface-lint: broken: it has no `command` that is a text with a list of texts as `args`, and no `url`",
        f"toolsurface-lint: first: {' '.join((program, *arguments))}",
        f"toolsurface-lint: second: {' '.join((program, *arguments))} --token *** --key=*** https://a.example/b",
        f"toolsurface-lint: lost: {' '.join((program, *arguments))}",
        "toolsurface-lint: first: 1 tool, 0 prompts, 0 resources (MCP 2025-11-25)",
        "toolsurface-lint: second: 1 tool, 0 prompts, 0 resources (MCP 2025-11-25)",
        "toolsurface-lint: lost: it cannot be started: there is no such folder",
    ]
    text = Path("served.json").read_text(encoding="utf-8")
    assert not any(secret in text for secret in (KEY, "5f0c", "me:pw", "c=d"))
    first, second = json.loads(text)["servers"]
    assert (first["name"], second["name"]) == ("first", "second")
    assert first["command"] == [program, *arguments]
    assert second["command"] == [program, *arguments, "--token", "***", "--key=***", "https://a.example/b"]
    given = json.loads(first["instructions"])
    assert (given["NAME"], given["KEY"], given["LEVEL"]) == ("${NAME}", "${KEY}", "loud")
    assert json.loads(second["instructions"])["OURS_NAME"] == "${OURS_NAME}"


def test_nothing_is_started_without_consent(here, server, capsys):  # noqa: F811
    program, *arguments = server("open('started', 'w')")
    write_list(ours={"command": program, "args": arguments})
    with pytest.raises(CommandError, match="nothing was started: where nobody can be asked, --all needs --yes"):
        started(all=True)
    assert f"ours: {program}" in capsys.readouterr().err
    assert not Path("started").exists()


@pytest.mark.parametrize(("reply", "code"), [("y\n", 0), ("\n", 2), ("no\n", 2), ("\x04", 2)])
def test_a_terminal_is_asked(here, server, environment, reply, code):  # noqa: F811
    program, *arguments = server(tools__list=LISTED)
    write_list(ours={"command": program, "args": arguments})
    main, other = pty.openpty()
    command = [sys.executable, "-m", "toolsurface_lint", "snapshot", "--all", "--output", "served.json"]
    with subprocess.Popen(command, stdin=other, stdout=other, stderr=other, env=environment) as asking:
        os.close(other)
        shown = b""
        while b"[y/N] " not in shown:
            shown += os.read(main, 4096)
        time.sleep(0.05)
        os.write(main, reply.encode())
        while True:
            try:
                part = os.read(main, 4096)
            except OSError:
                break
            if not part:
                break
            shown += part
    os.close(main)
    assert (asking.returncode, Path("served.json").exists()) == (code, code == 0)
    assert (b"\r\x1b[Kours: tools/list ..." in shown) == (code == 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "say which server: `-- COMMAND...`, `--url URL` or `--all`, and only one of them"),
        (
            {"command": ("a",), "all": True},
            "say which server: `-- COMMAND...`, `--url URL` or `--all`, and only one of them",
        ),
        ({"command": ("a",), "yes": True}, "`--yes` goes with `--all`: nothing else asks"),
        ({"all": True, "name": "a"}, "`--name` does not go with `--all`: .mcp.json names its servers"),
        ({"command": ("a",), "env": ("NO_SUCH",)}, "the environment has no variable `NO_SUCH`, which --env names"),
        ({"command": ("a",), "timeout": "0"}, "`--timeout` must be a number of seconds up to 3600, not `0`"),
        ({"command": ("a",), "timeout": "nan"}, "`--timeout` must be a number of seconds up to 3600, not `nan`"),
        ({"command": ("a",), "timeout": "soon"}, "`--timeout` must be a number of seconds up to 3600, not `soon`"),
        ({"command": ("a",), "output": "."}, "cannot write .: it is a folder"),
        ({"command": ("a",), "output": "no/where.json"}, "cannot write no/where.json: its folder does not exist"),
        (
            {"url": "http://a.example", "env": ("PATH",)},
            "`--env` does not go with `--url`: a server that is not started gets no variables",
        ),
        ({"url": "ftp://a.example"}, "its URL does not begin with http:// or https:// and a host"),
        ({"url": "https://"}, "its URL does not begin with http:// or https:// and a host"),
        ({"url": "http://["}, "its URL does not begin with http:// or https:// and a host"),
        ({"all": True}, "there is no .mcp.json in this folder"),
    ],
)
def test_wrong_usage(here, options, message):
    with pytest.raises(CommandError) as refused:
        started(**options)
    assert str(refused.value) == message


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"mcpServers": []}', '{"mcpServers": {}}', "\xff\xfe\x00"])
def test_a_list_without_servers(here, text):
    Path(".mcp.json").write_text(text, encoding="utf-8")
    with pytest.raises(CommandError, match=r"\.mcp\.json has no servers under `mcpServers`"):
        started(all=True)


def test_without_the_client(run, folder):
    (folder / "without").mkdir()
    (folder / "without" / "mcp.py").write_text("", encoding="utf-8")
    paths = [str(folder / "without"), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = run("snapshot", "--", "a", variables={"PYTHONPATH": os.pathsep.join(paths)})
    expected = "snapshot needs the client of MCP: install it with `pip install 'toolsurface-lint[snapshot]'`"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"toolsurface-lint: {expected}\n")


def test_no_module_comes_from_the_working_directory(run, folder):
    """Python looks there first for what a module that is run imports, and it may be anybody's checkout."""
    for name in ("mcp", "click", "anyio"):
        (folder / f"{name}.py").write_text("print('foreign')", encoding="utf-8")
    done = run("snapshot", "--", "a", variables={"PYTHONSAFEPATH": ""})
    assert (done.returncode, done.stdout) == (2, "")
    assert "no such program" in done.stderr


def test_the_client_is_imported_by_nothing_else(run):
    done = run("check", "tools.json", variables={"PYTHONPROFILEIMPORTTIME": "1"})
    assert "toolsurface_lint.snapshot" not in done.stderr
