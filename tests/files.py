"""Files and programs that tests need."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files, each under its path in the folder, to the letter; the folder again."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def needs(program: str) -> str:
    """The path of an installed program; skips the test where there is none."""
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"{program} is not installed")
    return path


def install_linter(folder: Path) -> Path:
    """The folder, for a PATH, with a program `toolsurface-lint` that runs this Python."""
    folder.mkdir(exist_ok=True)
    program = folder / "toolsurface-lint"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m toolsurface_lint "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return folder
