"""What a tool says of its parameters, wherever its format has that."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolsurface_lint.model.tool import Tool
from toolsurface_lint.readers.loading import load_document

PATH = {"path": {"type": "string", "description": "Where it lies."}}
OBJECT = {"type": "object", "properties": PATH}
NAMED = {"name": "read_file", "description": "Reads a file."}


def only_tool(tmp_path: Path, value: Any) -> Tool:
    file = tmp_path / "tools.json"
    file.write_text(json.dumps(value), encoding="utf-8")
    ((tool,),) = load_document(str(file), "tools.json", "json", kind=None, max_size=1 << 20).tool_lists
    return tool


@pytest.mark.parametrize(
    "value",
    [
        [{**NAMED, "input_schema": OBJECT}],
        [{"type": "function", "function": {**NAMED, "parameters": OBJECT}}],
        {"tools": [{**NAMED, "inputSchema": OBJECT}]},
        [{**NAMED, "input_schema": PATH}],
        [{**NAMED, "arguments": [{"name": "path", "type": "string", "desc": "Where it lies."}]}],
        [{**NAMED, "arguments": [{"name": "path", "type": "string", "description": "Where it lies."}]}],
    ],
    ids=["anthropic", "openai", "mcp", "flat", "arguments", "arguments, described"],
)
def test_the_description_of_a_parameter(tmp_path: Path, value: Any) -> None:
    tool = only_tool(tmp_path, value)
    assert [parameter.name for parameter in tool.parameters] == ["path"]
    assert tool.description_of("path") == "Where it lies."
    assert tool.description_of("other") is None


def test_a_description_that_is_no_text(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"path": {"type": "string", "description": 5}, "odd": True}}
    tool = only_tool(tmp_path, [{**NAMED, "input_schema": schema}])
    assert tool.description_of("path") is None
    assert tool.description_of("odd") is None
