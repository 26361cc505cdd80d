"""Missing arguments and aliases."""

from __future__ import annotations

from typing import Any

import pytest

from toolsurface_lint.protocols.arguments import normalise_arguments, validate_arguments

FLAT = {
    "name": "write",
    "parameters": {
        "path": {"type": "string"},
        "mode": "string",
        "text": {"required": False},
        "encoding": {"default": "utf-8"},
    },
}
SCHEMA = {
    "type": "object",
    "properties": {"path": {}, "mode": {"default": "w"}, "text": {}},
    "required": ["path", "mode", "lines"],
}


@pytest.mark.parametrize(
    ("tool", "arguments", "missing"),
    [
        (FLAT, {"path": "a", "mode": "w"}, []),
        (FLAT, {}, ["path", "mode"]),
        (FLAT, {"path": None, "mode": ""}, ["path"]),
        ({"name": "write"}, {}, []),
        ({"name": "write", "parameters": None}, {}, []),
        (None, {}, []),
        ({"name": "write", "parameters": SCHEMA}, {"lines": 0}, ["path"]),
        ({"name": "write", "input_schema": SCHEMA}, {}, ["path", "lines"]),
        ({"name": "write", "inputSchema": SCHEMA}, {}, ["path", "lines"]),
        ({"type": "function", "function": {"name": "write", "parameters": SCHEMA}}, {}, ["path", "lines"]),
        ({"name": "write", "parameters": {"type": "object"}}, {}, []),
        (
            {"name": "write", "parameters": {"type": {"enum": ["a"]}, "required": {"type": "boolean"}}},
            {},
            ["type", "required"],
        ),
    ],
)
def test_missing(tool: dict[str, Any] | None, arguments: dict[str, Any], missing: list[str]) -> None:
    assert validate_arguments(tool, arguments) == missing


@pytest.mark.parametrize(
    ("aliases", "arguments", "normal"),
    [
        ({"file": "path"}, {"file": "a", "mode": 1}, {"path": "a", "mode": 1}),
        ({"file": "path"}, {"file": "a", "path": "b"}, {"file": "a", "path": "b"}),
        ({"file": "path", "name": "path"}, {"file": "a", "name": "b"}, {"path": "a", "name": "b"}),
        ({"file": 1}, {"file": "a"}, {"file": "a"}),
        (None, {"file": "a"}, {"file": "a"}),
    ],
)
def test_aliases(aliases: Any, arguments: dict[str, Any], normal: dict[str, Any]) -> None:
    assert normalise_arguments({"arg_schema": {"arg_aliases": aliases}}, arguments) == normal


def test_no_annotations_rename_nothing() -> None:
    assert normalise_arguments(None, {"a": 1}) == {"a": 1}
    assert normalise_arguments({"arg_schema": None}, {"a": 1}) == {"a": 1}
