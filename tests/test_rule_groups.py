"""Rules that are enabled together, by the name of their group."""

from __future__ import annotations

import pytest

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
