"""What settings extend: files of the project and of packages that are installed, read as data; and who wins."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from toolsurface_lint import SettingsError, check_paths
from toolsurface_lint.project.settings.loading import load_settings

RULE = """[[rule]]
code = "{code}"
subject = "tool"
assert = {{ name = {{ casing = "snake_case" }} }}
message = "m"
"""


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_toml", ".toml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def said(folder: Path) -> str:
    with pytest.raises(SettingsError) as raised:
        load_settings([str(folder)], str(folder / "toolsurface.toml"))
    error = raised.value
    return f"{Path(error.path or '').name}:{error.line}:{error.column} {error.message}"


def package(site: Path, name: str, files: dict[str, str]) -> None:
    """An installed distribution: its files, and the list of them."""
    info = site / f"{name.replace('-', '_')}-1.dist-info"
    contents = {**files, f"{info.name}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n"}
    record = "".join(f"{path},,\n" for path in contents)
    for path, text in {**contents, f"{info.name}/RECORD": record}.items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(text, encoding="utf-8")


def test_rules_and_severities_of_another_file(tmp_path: Path) -> None:
    write(
        tmp_path,
        toolsurface_toml='extends = "lint/base.toml"\nseverity = { ACME_A = "error" }\n' + RULE.format(code="ACME_C"),
        lint__base_toml='extends = ["more.toml"]\nseverity = { ACME_A = "off", ACME_B = "info", ACME_C = "off" }\n'
        + RULE.format(code="ACME_A"),
        lint__more_toml='severity = { ACME_B = "error" }\n' + RULE.format(code="ACME_B"),
    )
    (tmp_path / "tools.json").write_text('[{"name": "aB", "description": "x", "inputSchema": {"type": "object"}}]')
    report = check_paths([str(tmp_path)], select=["ACME"])
    # One's own word wins, then that of what comes later.
    assert [(each.code, each.severity) for each in report.diagnostics] == [("ACME_A", "error"), ("ACME_B", "info")]
    assert [rule.code for rule in report.rules if rule.page] == ["ACME_A", "ACME_B"]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("/etc/a.toml", "`/etc/a.toml` must be a path below the folder of the settings"),
        ("../a.toml", "`../a.toml` must be a path below the folder of the settings"),
        ("a/../../b.toml", "`a/../../b.toml` must be a path below the folder of the settings"),
        ("a\\u0000.toml", "`a\0.toml` must be a path below the folder of the settings"),
        ("https://a.example/b.toml", "nothing is fetched: name a file of the project, or a package that is installed"),
        ("none.toml", "cannot read `none.toml`: No such file or directory"),
        ("toolsurface.toml", "`toolsurface.toml` extends itself, directly or through others"),
        ("out.toml", "`out.toml` leads out of project"),
        ("no such package", "`no such package` must be a path that ends with .toml, or the name of a package"),
        ("acme-nothing", "the package `acme-nothing` is not installed beside toolsurface-lint"),
        ("click:x.toml", "the package `click` has no file `x.toml`"),
    ],
)
def test_what_cannot_be_extended(tmp_path: Path, entry: str, message: str) -> None:
    project = write(tmp_path / "project", toolsurface_toml=f'extends = [\n  "{entry}",\n]\n')
    (tmp_path / "secret.toml").write_text("[[rule]]\n")
    (project / "out.toml").symlink_to(tmp_path / "secret.toml")
    assert said(project) == f"toolsurface.toml:2:3 {message}"


def test_errors_are_at_their_place_in_the_file_that_has_them(tmp_path: Path) -> None:
    project = write(tmp_path, toolsurface_toml='extends = "a.toml"\n', a_toml="[[rule]]\ncode = 1\n")
    assert said(project) == "a.toml:2:8 `code` must be a string"
    write(project, a_toml='fail-on = "error"\n')
    kept = "only `rule`, `severity`, `extend-select`, `extends`"
    assert said(project) == f"a.toml:1:1 a file that is extended cannot set `fail-on`, {kept}"
    write(project, a_toml='[severity]\nACME_A = "off"\n')
    assert said(project).startswith("a.toml:2:1 unknown code `ACME_A`")
    write(project, a_toml='extends = "b.toml"\n', b_toml='extends = "a.toml"\n')
    assert said(project) == "b.toml:1:11 `a.toml` extends itself, directly or through others"
    write(project, a_toml=RULE.format(code="ACME_A"))
    write(project, toolsurface_toml='extends = "a.toml"\n' + RULE.format(code="ACME_A"))
    assert said(project).startswith("toolsurface.toml:3:8 `ACME_A` is a rule of ")


def test_there_is_an_end_to_extending(tmp_path: Path) -> None:
    names = [f"f{number}.toml" for number in range(21)]
    for name in names:
        (tmp_path / name).write_text("")
    write(tmp_path, toolsurface_toml=f"extends = {names}\n")
    assert said(tmp_path).endswith("more than 20 files are extended")


def test_a_set_of_an_installed_package_is_read_and_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    trap = "raise SystemExit('imported')\n"
    files = {
        "acme_rules/__init__.py": trap,
        "acme_rules/toolsurface.toml": 'extends = "sets/strict.toml"\n' + RULE.format(code="ACME_A"),
        "acme_rules/sets/strict.toml": RULE.format(code="ACME_B"),
    }
    package(site, "acme-rules", files)
    monkeypatch.syspath_prepend(str(site))
    project = write(tmp_path / "project", toolsurface_toml='extends = "acme-rules"\n')
    assert load_settings([str(project)]).own_codes == {"ACME_A", "ACME_B"}
    write(project, toolsurface_toml='extends = "acme-rules:sets/strict.toml"\n')
    assert load_settings([str(project)]).own_codes == {"ACME_B"}
    assert "acme_rules" not in sys.modules


def test_a_file_that_somebody_edits_counts_as_it_is_there(tmp_path: Path) -> None:
    project = write(tmp_path, toolsurface_toml='extends = "a.toml"\n', a_toml="")
    unsaved = {os.path.join(str(project), "a.toml"): RULE.format(code="ACME_A").encode()}
    settings = load_settings([str(project)], unsaved=unsaved)
    assert settings.own_codes == {"ACME_A"}
    assert list(settings.sources) == list(unsaved)
