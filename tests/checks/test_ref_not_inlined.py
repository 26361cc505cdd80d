"""References that clients do not follow: what the help says, and schemas that lead back to themselves."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolsurface_lint.model.diagnostics import Diagnostic, Report

Check = Callable[..., Report]
CODE = "TOOL_SCHEMA_REF_NOT_INLINED"


def found(check: Check, folder: Path, schema: Any, provider: str = "claude-desktop") -> list[Diagnostic]:
    tool = {"name": "find_notes", "description": "Finds notes by their tags.", "inputSchema": schema}
    (folder / "tools.json").write_text(json.dumps({"tools": [tool]}), encoding="utf-8")
    return list(check(folder, select=[CODE], provider=provider).diagnostics)


def of(properties: Any, **definitions: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "$defs": definitions}


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


@pytest.mark.parametrize(
    ("schema", "recursive"),
    [
        (of({"a": ref("A")}, A={"type": "string"}), False),
        (
            of({"a": ref("A"), "b": ref("A")}, A={"anyOf": [ref("B"), ref("C")]}, B=ref("C"), C={"type": "string"}),
            False,
        ),
        (of({"a": ref("A")}, A={"type": "array", "items": ref("A")}), True),
        (of({"a": ref("A")}, A=ref("B"), B={"properties": {"a": ref("A")}}), True),
        (of({"a": ref("A")}, A=ref("A")), True),
        (of({"a": {"type": "array", "items": {"$ref": "#"}}}), True),
        (of({"a": {"type": "array", "items": {"$ref": "#/properties/a"}}}), True),
        # Another part of the schema may be recursive.
        (of({"a": ref("A"), "b": ref("B")}, A={"type": "string"}, B={"items": ref("B")}), False),
    ],
)
def test_the_help_says_whether_the_schema_can_be_inlined(
    check: Check, tmp_path: Path, schema: dict[str, Any], recursive: bool
) -> None:
    (diagnostic,) = found(check, tmp_path, schema)
    advice = "end the recursion at a fixed depth" if recursive else "write the definition in place of the reference"
    assert diagnostic.help is not None
    assert diagnostic.help.startswith(advice)
    assert diagnostic.help.endswith(
        "source: Claude Desktop, arguments arrive as null, in PrefectHQ/fastmcp#1193 (2025-07, observed)"
    )


def test_one_finding_names_everybody(check: Check, tmp_path: Path) -> None:
    schema = of({"a": ref("A"), "b": ref("A")}, A={"type": "string"})
    (diagnostic,) = found(check, tmp_path, schema, "vscode, copilot-cli, openai, codex")
    assert diagnostic.message == (
        "`#/$defs/A` is not resolved by VS Code and Copilot CLI: the model does not see what `a` accepts"
    )
    assert diagnostic.severity == "warning"
    assert diagnostic.field == "parameters.a"


@pytest.mark.parametrize("reference", [None, 1, "", "#A", "#/$defs/Z", "https://example.com/a.json", ["#/$defs/A"]])
def test_what_leads_nowhere_is_not_for_this_rule(check: Check, tmp_path: Path, reference: Any) -> None:
    assert found(check, tmp_path, of({"a": {"$ref": reference}}, A={"type": "string"})) == []


def test_long_chains_of_references(check: Check, tmp_path: Path) -> None:
    definitions = {f"A{number}": {"anyOf": [ref(f"A{number + 1}")] * 3} for number in range(5000)}
    schema = of({"a": ref("A0")}, **definitions, A5000={"type": "string"})
    (diagnostic,) = found(check, tmp_path, schema)
    assert diagnostic.help is not None
    assert diagnostic.help.startswith("write the definition")
