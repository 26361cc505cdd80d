"""Responses with what they break of their protocol and the calls that run, as `cases/` has them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

_FOLDER = Path(__file__).parent / "cases"


def cases() -> list[Any]:
    """A protocol and a case of it, for a parametrised test."""
    found = []
    for path in sorted(_FOLDER.glob("*.toml")):
        for case in tomllib.loads(path.read_text(encoding="utf-8"))["case"]:
            case = {"breaks": [], "calls": [], **case}
            found.append(pytest.param(path.stem, case, id=f"{path.stem}-{case['name']}"))
    return found


def tools(protocol: str) -> list[str] | None:
    """The tools that the cases of a protocol are given; None: not known."""
    return ["find", "save"] if protocol == "tagged" else None
