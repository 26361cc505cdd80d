"""`rule test`, fixes, pages and reports of rules of one's own."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.own_rules.test_language import TOOLS, find, rule
from toolsurface_lint import check_paths
from toolsurface_lint.cli.check import check
from toolsurface_lint.cli.rule import rule as rule_command
from toolsurface_lint.project.settings.loading import load_settings
from toolsurface_lint.reporters import RenderOptions, sarif
from toolsurface_lint.run.examples import check_examples

DOCS = Path(__file__).resolve().parents[2] / "docs" / "own-rules.md"
EXAMPLES = """
[[rule.examples.fires]]
"tools.json" = [{ name = "a", description = "TODO: say it.", inputSchema = { type = "object" } }]
[[rule.examples.fires]]
"tools.json" = [{ name = "a", description = "Says it.", inputSchema = { type = "object" } }]
[[rule.examples.silent]]
"tools.json" = [{ name = "a", description = "Says it.", inputSchema = { type = "object" } }]
[[rule.examples.silent]]
"notes.txt" = "nothing"
"""
TODO = rule('{ description = { not-pattern = "TODO:? ?" } }', message="`{match}` in `{name}`", more="help = 'say it'\n")


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    other = rule('{ name = "a" }').replace("ACME_X", "ACME_Y")
    (tmp_path / "toolsurface.toml").write_text(f'ignore = ["ACME_Y"]\n{TODO}{EXAMPLES}{other}')
    monkeypatch.chdir(tmp_path)
    assert rule_command("test", "text") == 1
    assert capsys.readouterr().out == (
        "ACME_X\n"
        "  fires 1    ok\n"
        "             tools.json:4:21 `TODO:` in `a`\n"
        "  fires 2    WRONG: it does not fire\n"
        "  silent 1   ok\n"
        "  silent 2   WRONG: no tool is recognised in its files\n"
        "\n"
        "2 of 4 examples wrong.\n"
        "Without examples: ACME_Y.\n"
        "Not enabled by these settings: ACME_Y.\n"
    )
    rule_command("test", "json")
    described = json.loads(capsys.readouterr().out)
    assert [each["wrong"] for each in described["examples"]].count(None) == 2
    assert rule_command("ACME_X", "text") == 0
    assert capsys.readouterr().out.startswith("# ACME_X\n\n`{match}` in `{name}`.\n\n`warning` · about every tool")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["toolsurface.toml"]


def test_the_page_is_right() -> None:
    """The rules of the documentation are read, and their examples are what they are said to be."""
    text = DOCS.read_text(encoding="utf-8")
    blocks = [block for block in re.findall(r"```toml\n(.*?)```", text, re.DOTALL) if "[[rule]]" in block]
    for block in blocks:
        settings = load_settings([], str(DOCS), unsaved={str(DOCS): block.encode()})
        assert [outcome.wrong for each in settings.rules for outcome in check_examples(each)] in ([], [None, None])
    assert len(blocks) == 2


def test_a_fix_that_never_settles_is_the_fault_of_its_rule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    find(tmp_path, rule('{ description = { pattern = "^zz" } }', more="fix = { replace = '^', with = 'a' }\n"))
    monkeypatch.chdir(tmp_path)
    before = (tmp_path / "tools.json").read_bytes()
    assert check(["."], fix=True, unsafe_fixes=True, select=["ACME"]) == 2
    assert "still something to fix; fixes of `ACME_X` do not settle what they are for" in capsys.readouterr().err
    assert (tmp_path / "tools.json").read_bytes() == before


def test_what_rules_say_gives_a_terminal_and_a_runner_no_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = '"::error::a\\n::error::b\\r\\u001b[31m\\tc {match}"'
    settings = TODO.replace('"`{match}` in `{name}`"', said).replace("'say it'", said)
    (tmp_path / "toolsurface.toml").write_text(settings + EXAMPLES)
    monkeypatch.chdir(tmp_path)
    shown = ""
    for code in (None, "ACME_X", "test"):
        rule_command(code, "text")
        shown += capsys.readouterr().out
    assert shown.count("error") > 5
    assert not re.search(r"[\x1b\r]|^\s*::", shown, re.MULTILINE)


def test_a_fix_of_an_example_is_made_in_the_file_that_it_is_for(tmp_path: Path) -> None:
    text = TODO + "fix = { replace = 'TODO:? ?', with = '' }\n[[rule.examples.fires]]\n"
    tools = '[{ name = "a", description = "TODO: say it.", inputSchema = { type = "object" } }]'
    # One path ends with the other.
    text += f'"tools.json" = {tools}\n"a/tools.json" = {tools}\n'
    (tmp_path / "toolsurface.toml").write_text(text)
    settings = load_settings([str(tmp_path)], str(tmp_path / "toolsurface.toml"))
    assert [outcome.wrong for outcome in check_examples(settings.rules[0])] == [None]


def fix(folder: Path, settings: str) -> list[tuple[str, bool, str]]:
    find(folder, settings)
    report = check_paths([str(folder)], select=["ACME"])
    return [
        (each.fix.title, each.fix.safe, each.fix.edits[0].text) for each in report.diagnostics if each.fix is not None
    ]


@pytest.mark.parametrize(
    ("settings", "fixes"),
    [
        # What is said stays the same.
        (
            rule(
                '{ description = { pattern = "^[A-Z]" } }',
                more="fix = { replace = '^f', with = 'F' }\n",
            ),
            [("replace `fetches` with `Fetches`", True, "F")],
        ),
        (
            rule('{ description = { not-pattern = "TODO:?" } }', more="fix = { replace = '.+', with = '' }\n"),
            [("remove `TODO:`", False, ""), ("remove `TODO`", False, "")],
        ),
        # Somebody may compare it.
        (
            rule('{ "/annotations/title" = ["user"] }', more="fix = { replace = 'U', with = 'u' }\n"),
            [("replace `User` with `user`", False, "u")] * 2,
        ),
        # However it is pointed at, a name is not rewritten.
        (
            rule('{ tool = { name = { pattern = "^x" } } }', "parameter", more="fix = { replace = '^', with = 'x' }\n"),
            [],
        ),
    ],
)
def test_fixes(tmp_path: Path, settings: str, fixes: list[tuple[str, bool, str]]) -> None:
    if fixes:
        assert fix(tmp_path, settings) == fixes
    else:
        with pytest.raises(Exception, match="others may refer to"):
            fix(tmp_path, settings)


def test_a_name_is_not_rewritten_however_a_pointer_leads_to_it(tmp_path: Path) -> None:
    tool = {"type": "function", "function": {"name": "read", "description": "x", "parameters": {"type": "object"}}}
    settings = rule('{ "/function/name" = { pattern = "^x" } }', more="fix = { replace = '^', with = 'x' }\n")
    assert find(tmp_path, settings, {"tools.json": [tool]}) == [('"read"', "read|does not match")]
    (found,) = check_paths([str(tmp_path)], select=["ACME"]).diagnostics
    assert found.fix is None


def test_suppressions_and_sarif(tmp_path: Path) -> None:
    settings = TODO + "tags = ['security']\nurl = 'https://a.example/todo'\n"
    definition = {**TOOLS["tools"][0], "description": "TODO: it."}
    text = f"// toolsurface-lint: ignore-next-line[ACME_X]\n{json.dumps([definition])}"
    assert find(tmp_path, settings, {"tools.jsonc": text, "more/tools.json": [definition]}) != []
    report = check_paths([str(tmp_path)], select=["ACME", "SUPPRESSION"])
    assert {each.code for each in report.diagnostics} == {"ACME_X"}
    assert len(report.diagnostics) + len(report.suppressed) == 2
    run = json.loads(sarif.render(report, RenderOptions()))["runs"][0]
    described: dict[str, Any] = next(one for one in run["tool"]["driver"]["rules"] if one["id"] == "ACME_X")
    assert described["helpUri"] == "https://a.example/todo"
    assert described["properties"]["tags"] == ["security"]
    assert "# ACME_X" in described["help"]["markdown"]
