"""The page of `surface --output html`, made by the command, and a headless Chromium to look at it.

Where there is no Chromium, the tests that need one are skipped.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import Browser, program
from tests.files import write_files

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if program() is None:
        pytest.skip("Chromium is not installed")
    started = Browser(tmp_path_factory.mktemp("profile"))
    yield started
    started.close()


@pytest.fixture(scope="session")
def surface() -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Run `toolsurface-lint surface` in a folder."""

    def run(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "toolsurface_lint", "surface", *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY), **variables},
            capture_output=True,
            check=False,
            timeout=60,
        )

    return run


@pytest.fixture(scope="session")
def page(
    tmp_path_factory: pytest.TempPathFactory, surface: Callable[..., subprocess.CompletedProcess[bytes]]
) -> Callable[[dict[str, str]], Path]:
    """The file with the page of these files, each with its path in a folder."""
    made: dict[tuple[tuple[str, str], ...], Path] = {}

    def make(files: dict[str, str]) -> Path:
        key = tuple(files.items())
        if key not in made:
            folder = tmp_path_factory.mktemp("surface")
            write_files(folder, files)
            done = surface(folder, "--output", "html=page.html")
            assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
            made[key] = folder / "page.html"
        return made[key]

    return make


def _tool(name: str, kind: str, level: str, **more: Any) -> dict[str, Any]:
    annotations = {"kind": kind, "side_effect_level": level, **more.pop("annotations", {})}
    return {"name": name, "executor": "harn", "annotations": annotations, **more}


@pytest.fixture(scope="session")
def desk() -> dict[str, str]:
    """The files of a surface that has a bit of everything."""
    path = {
        "path": {"type": "string", "description": "Below the workspace."},
        "limit": {"type": "integer", "required": False},
    }
    tools = [
        _tool("read_note", "read", "read_only", description="Read a note.", parameters=path),
        _tool("write_note", "edit", "workspace_write", description="Write a note.", parameters=path),
        _tool("send_mail", "execute", "network", description="Send a mail.", parameters=path),
        _tool("drop_notes", "delete", "workspace_write", description="Delete all notes.", parameters=path),
        _tool("old_search", "search", "read_only", description="Search.", parameters=path, defer_loading=True),
        _tool(
            "run_report",
            "execute",
            "process_exec",
            description="Run a report.",
            parameters=path,
            annotations={"emits_artifacts": True, "result_readers": ["read_report", "read_note"]},
        ),
    ]
    prompt = """\
Read with `read_note({"path": "a.md"})`, then call `write_note({"path": "a.md"})`.
Call `read_note({"path": "b.md"})` again.
Never use the `drop_notes` tool.
Use `sent_mail({"path": "a.md"})` at the end.
"""
    call = {"id": "c1", "type": "function", "function": {"name": "read_note", "arguments": '{"path": "a.md"}'}}
    run = {
        "messages": [
            {"role": "user", "content": "Read a.md."},
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "Buy milk."},
            {"role": "assistant", "content": "Buy milk."},
        ]
    }
    return {
        "tools.json": json.dumps({"tools": tools}, indent=2),
        "policy.toml": 'tools = ["*_note", "send_mail", "drop_*", "run_report"]\nside_effect_level = "process_exec"\n',
        "approval.toml": 'auto_approve = ["read_*"]\nrequire_approval = ["write_note"]\nauto_deny = ["drop_notes"]\n\n'
        '[[rules]]\nask = {tool = "run_report", path = "/srv"}\n',
        "system.md": prompt,
        "run.json": json.dumps(run, indent=1),
        "notes.txt": "Nothing for a model.\n",
    }


@pytest.fixture(scope="session")
def hostile() -> dict[str, str]:
    """Files whose authors would like the page to do something for them."""
    name = "</script><img src=x onerror=\"document.title='taken'\">"
    tools = [
        {
            "name": name,
            "description": "<script>document.title='taken'</script> a\x1b[2Jb \u202edesrever\u202c c\u2066d\u2069 \ud800 "
            "&amp; <b>",
            "input_schema": {
                "type": "object",
                "properties": {'" onmouseover="x': {"type": "string", "description": "--> <!-- ]]> </style>"}},
            },
        },
        {
            "name": "שלום_tool",
            "description": "Text from right to left.",
            "input_schema": {"type": "object", "properties": {}},
        },
        {
            "name": "x" * 300,
            "description": "y" * 3000,
            "input_schema": {"type": "object", "properties": {"z" * 200: {}}},
        },
    ]
    return {
        "tools.json": json.dumps(tools),
        "policy.toml": f"tools = ['{name}', '<svg onload=1>*', 'x*']\n",
        "system.md": "Call `" + "x" * 300 + "({})` and `xx_<img src=x onerror=1>({})`.\n",
        "a/<b onclick=1>.json": "{",
    }
