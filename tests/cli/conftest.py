"""The command as people run it: a process of its own, in a folder of its own, in a clean environment."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
_LEAKS = (
    *("CI", "NO_COLOR", "FORCE_", "CLICOLOR", "TERM", "COLUMNS", "LINES", "GITHUB_", "GIT_", "PRE_COMMIT", "PYTHON"),
    "SOURCE_DATE",
)

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_LEAKS)}
    return {**kept, "PYTHONPATH": str(REPOSITORY), "PYTHONIOENCODING": "utf-8"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one tool that lacks its schema (a warning) and a prompt."""
    tool = {
        "name": "read_file",
        "description": "Read a file.",
        "annotations": {"kind": "read", "side_effect_level": "read_only"},
        "executor": "harn",
    }
    (tmp_path / "tools.json").write_text(json.dumps({"tools": [tool]}, indent=2) + "\n", encoding="utf-8")
    (tmp_path / "system.md").write_text("Call read_file({}) first.\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def run(folder: Path, environment: dict[str, str]) -> Run:
    """Run the command in `folder`; `variables` are added to its environment, `cwd` is relative to the folder."""

    def start(*arguments: str, variables: dict[str, str] | None = None, cwd: str = ".", **options: object):
        return subprocess.run(
            [sys.executable, "-m", "toolsurface_lint", *arguments],
            cwd=folder / cwd,
            env={**environment, **(variables or {})},
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=60,
            check=False,
            **options,
        )

    return start
