"""Rules that are enabled together, by the name of their group."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolsurface_lint import check_paths
from toolsurface_lint.__main__ import run
from toolsurface_lint.checks.index import RULES
from toolsurface_lint.project.settings import Settings, SettingsError
from toolsurface_lint.project.settings.selection import Selection


@pytest.mark.parametrize(
    ("flags", "enabled"),
    [
        ({}, set()),
        ({"select": ["TOOL_DESCRIPTION"]}, set()),
        ({"select": ["guidance"]}, {"TOOL_DESCRIPTION_NO_LIMITS", "TOOL_DESCRIPTION_NO_RETURNS"}),
        (
            {"extend_select": ["guidance"], "ignore": ["TOOL_DESCRIPTION_NO_LIMITS"]},
            {"TOOL_DESCRIPTION_NO_RETURNS"},
        ),
        ({"extend_select": ["TOOL_DESCRIPTION_NO_LIMITS"], "ignore": ["guidance"]}, set()),
        ({"select": ["ALL"], "ignore": ["guidance"]}, {"TOOL_DESCRIPTION_NO_SIDE_EFFECTS"}),
    ],
)
def test_a_group_is_enabled_by_its_name(flags: dict[str, object], enabled: set[str]) -> None:
    codes = ("TOOL_DESCRIPTION_NO_LIMITS", "TOOL_DESCRIPTION_NO_RETURNS", "TOOL_DESCRIPTION_NO_SIDE_EFFECTS")
    selection = Selection(Settings("/"), **flags)  # type: ignore[arg-type]
    assert {code for code in codes if selection.enabled(RULES[code])} == enabled


def test_the_name_of_a_group_is_never_a_word_of_a_code() -> None:
    groups = {rule.group for rule in RULES.values()} - {""}
    assert groups == {"guidance"}
    assert all(RULES[code].preview for code in RULES if RULES[code].group)
    with pytest.raises(SettingsError, match="unknown code or prefix `guidence`, did you mean `guidance`"):
        Selection(Settings("/"), select=["guidence"])


TOOLS = """[
  {"name": "create_note", "description": "Creates a note.", "input_schema": {"type": "object", "properties": {}}},
  {"name": "list_notes", "description": "Lists the notes.", "input_schema": {"type": "object", "properties": {}}}
]
"""


def test_a_group_on_the_command_line_in_the_settings_and_in_the_api(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools.json").write_text(TOOLS, encoding="utf-8")
    codes = ["TOOL_DESCRIPTION_NO_RETURNS", "TOOL_DESCRIPTION_NO_LIMITS"]
    assert [found.code for found in check_paths(["."]).diagnostics] == []
    assert [found.code for found in check_paths(["."], extend_select=["guidance"]).diagnostics] == codes
    assert run(["check", "--select", "guidance", "--output", "concise", "."]) == 0
    assert [line.split("[")[1].split("]")[0] for line in capsys.readouterr().out.splitlines()[:2]] == codes
    (tmp_path / "toolsurface.toml").write_text(
        'extend-select = ["guidance"]\n[[per-file-ignores]]\npath = "*.json"\ncodes = "guidance"\n', encoding="utf-8"
    )
    assert [found.code for found in check_paths(["."]).diagnostics] == []
    (tmp_path / "toolsurface.toml").write_text('extend-select = "guidance"\n', encoding="utf-8")
    assert [found.code for found in check_paths(["."]).diagnostics] == codes
