"""Rules about a whole surface, beyond the examples of their pages."""

from __future__ import annotations

import json
from pathlib import Path

from toolsurface_lint import check_paths


def test_a_constraint_for_more_tools_than_are_checked_says_so(tmp_path: Path) -> None:
    """Beside a suggestion, too."""
    schema = {"type": "object", "properties": {"folder": {"type": "string"}}}
    tools = [{"name": f"read_{number:03}", "description": "d", "parameters": schema} for number in range(150)]
    (tmp_path / "tools.json").write_text(json.dumps({"tools": tools}), encoding="utf-8")
    constraint = {"tool": "read_*", "arg_key": "foldr", "arg_patterns": ["a*"]}
    policy = {"capability_policy": {"tools": ["*"], "tool_arg_constraints": [constraint]}}
    (tmp_path / "policy.json").write_text(json.dumps(policy), encoding="utf-8")
    found = check_paths([str(tmp_path)], select=["TOOL_SURFACE_UNKNOWN_ARG_CONSTRAINT_KEY"]).diagnostics
    assert len(found) == 100
    bound = "only the first 100 of the 150 tools that match are checked"
    assert {diagnostic.help for diagnostic in found} == {f"did you mean `folder`? {bound}"}
