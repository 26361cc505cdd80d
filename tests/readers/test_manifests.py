"""Manifests and workflows with anything in the places that are read: none of it crashes a reader or a check."""

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.files import write_files
from tests.long import examples
from toolsurface_lint import check_paths

TEXTS = (
    "", "a", "./a", "../..", "/", "\0", "${{ a }}", "${CLAUDE_PLUGIN_ROOT}/a", "python", "{", "anthropics/claude-code-action@v1",
    '{"permissions": {"allow": ["X"]}}', "--allowedTools Bash(ls *) Raed", '--mcp-config {"mcpServers":{"a":1}}',
)  # fmt: skip
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(TEXTS),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["name", "type", "command", "args", "source", "commands", "uses", "with", "tools", "entry_point"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def _steps(step: Any) -> dict[str, Any]:
    return {"jobs": {"a": {"steps": [step]}}, "runs": {"steps": [step]}}


INPUTS = ("prompt", "claude_args", "settings", "allowed_tools", "mcp_config", "direct_prompt")
FILES = {
    "manifest.json": lambda value: {"manifest_version": "0.3", "server": {"type": "python", **value}, **value},
    ".claude-plugin/plugin.json": lambda value: {
        "name": "a",
        **dict.fromkeys(("agents", "mcpServers", "hooks"), value),
        **value,
    },
    ".claude-plugin/marketplace.json": lambda value: {
        "name": "a",
        "metadata": value,
        "plugins": [value, value.get("args")],
    },
    "gemini-extension.json": lambda value: {"name": "a", "contextFileName": value.get("args")},
    ".github/workflows/a.yml": lambda value: _steps(
        {"uses": "anthropics/claude-code-action@v0", "with": dict.fromkeys(INPUTS, value.get("name")), **value}
    ),
}


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=examples(60), deadline=None)
@given(
    value=st.dictionaries(st.sampled_from(["name", "server", "mcp_config", "tools", "args", "uses", "with"]), VALUES)
)
def test_anything_in_its_places(name: str, value: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_files(Path(folder), {name: json.dumps(FILES[name](value))})
        report = check_paths([folder])
    assert [each.message for each in report.diagnostics if each.code == "INTERNAL_ERROR"] == []
