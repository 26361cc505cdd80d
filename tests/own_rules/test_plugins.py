"""Rules in Python of an installed distribution: loaded where the settings name it, and nowhere else."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.own_rules.test_extends import package, said, write
from toolsurface_lint import check_paths
from toolsurface_lint.checks.contract import declared

MODULE = """
from toolsurface_lint.checks.contract import DEFINITION, check
from toolsurface_lint.model.diagnostics import Rule

RULE = Rule(
    code="ACMEPY_SHOUTS", severity="warning", summary="A tool shouts.", message="tool `{name}` shouts, and `{lower}` would do",
    since="1", url="", page="# ACMEPY_SHOUTS\\n\\nA tool shouts.\\n",
)


@check(DEFINITION, RULE)
def shouts(tool, target):
    if tool.name.isupper():
        yield RULE.at(tool.name_place, tool=tool.name, lower=tool.name.lower())
"""
TOOLS = '[{"name": "READ", "description": "x", "inputSchema": {"type": "object"}}]'


def install(site: Path, name: str, module: str, text: str) -> None:
    """A distribution with one module, which its entry point names."""
    points = f"[toolsurface_lint.rules]\nacme = {module}\n"
    info = f"{name.replace('-', '_')}-1.dist-info"
    package(site, name, {f"{module}.py": text, f"{info}/entry_points.txt": points})
    sys.modules.pop(module, None)
    sys.path_importer_cache.clear()
    declared.pop(module, None)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    site = tmp_path / "site"
    install(site, "acme-lint", "acme_lint_rules", MODULE)
    monkeypatch.syspath_prepend(str(site))
    project = write(tmp_path / "project", toolsurface_toml='plugins = ["acme-lint"]\nselect = ["ACMEPY"]\n')
    (project / "tools.json").write_text(TOOLS)
    return project


def test_a_rule_of_a_package(project: Path) -> None:
    (found,) = check_paths([str(project)]).diagnostics
    assert (found.code, found.message, found.url) == ("ACMEPY_SHOUTS", "tool `READ` shouts, and `read` would do", "")


def test_a_package_that_nobody_names_is_not_loaded(project: Path) -> None:
    write(project, toolsurface_toml="")
    check_paths([str(project)])
    assert "acme_lint_rules" not in sys.modules


def test_plugins_can_be_turned_off(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLSURFACE_LINT_PLUGINS", "off")
    report = check_paths([str(project)])
    assert report.diagnostics == ()
    assert "acme_lint_rules" not in sys.modules
    # Codes that begin as no known rule does may be the plugin's; the report says what is left out.
    reason = "the plugin `acme-lint` is turned off by TOOLSURFACE_LINT_PLUGINS"
    assert (reason, 1, 12) in [(each.reason, each.line, each.column) for each in report.skipped]


@pytest.mark.parametrize(
    ("name", "module", "message"),
    [
        ("acme-none", "", "the package `acme-none` is not installed beside toolsurface-lint"),
        ("click", "", "the package `click` has no rules: no entry point of the group `toolsurface_lint.rules`"),
        ("acme-bad", "1 / 0", "the package `acme-bad` cannot be loaded: ZeroDivisionError: division by zero"),
        ("acme-bad", "", "the package `acme-bad` declares no checks"),
        (
            "acme-bad",
            MODULE.replace("ACMEPY_S", "TOOL_S"),
            "`TOOL_SHOUTS` of the package `acme-bad` begins like a built-in rule",
        ),
        (
            "acme-bad",
            MODULE.replace('url="", ', ""),
            "`ACMEPY_SHOUTS` of the package `acme-bad` needs a `url`: an address, or an empty text",
        ),
    ],
)
def test_what_cannot_be_used(project: Path, name: str, module: str, message: str) -> None:
    install(project.parent / "site", "acme-bad", "acme_bad_rules", module)
    write(project, toolsurface_toml=f'plugins = ["{name}"]\n')
    assert said(project) == f"toolsurface.toml:1:12 {message}"
