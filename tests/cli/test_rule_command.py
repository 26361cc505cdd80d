"""`toolsurface-lint rule`: pages and the table."""

import json

from toolsurface_lint.checks import all_rules
from toolsurface_lint.checks.pages import page
from toolsurface_lint.cli.rule import table
from toolsurface_lint.model.diagnostics import Rule


def test_the_page_of_a_rule(run):
    done = run("rule", "TOOL_SURFACE_MISSING_SCHEMA")
    assert (done.returncode, done.stdout) == (0, page("TOOL_SURFACE_MISSING_SCHEMA"))


def test_the_page_as_json(run):
    described = json.loads(run("rule", "TOOL_SURFACE_MISSING_SCHEMA", "--output", "json").stdout)
    assert described["code"] == "TOOL_SURFACE_MISSING_SCHEMA"
    assert (described["severity"], described["preview"], described["fix"]) == ("warning", False, None)
    assert described["url"].endswith("/rules/TOOL_SURFACE_MISSING_SCHEMA.md")
    assert described["page"] == page("TOOL_SURFACE_MISSING_SCHEMA")


def test_an_unknown_code(run):
    done = run("rule", "TOOL_SURFACE_MISSING_SHEMA")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "toolsurface-lint: no rule has the code `TOOL_SURFACE_MISSING_SHEMA`, did you mean `TOOL_SURFACE_MISSING_SCHEMA`?\n"
    )


def test_the_table_of_all_rules(run):
    lines = run("rule").stdout.split("\n")
    for rule in all_rules():
        assert any(line.split()[:2] == [rule.code + "*" * rule.preview, rule.severity] for line in lines)
    assert json.loads(run("rule", "--output", "json").stdout)[0]["code"] == all_rules()[0].code


def test_the_layout_of_the_table():
    rules = [
        Rule("A_LONGER_CODE", "error", "First.", "m", "0.1.0"),
        Rule("B", "warning", "Second.", "m", "0.1.0", preview=True),
    ]
    assert table(rules) == (
        "A_LONGER_CODE  error    First.\n"
        "B*             warning  Second.\n"
        "\n"
        "* off by default: enable it with --select or --extend-select and its full code\n"
    )
    assert table(rules[:1]) == "A_LONGER_CODE  error    First.\n"
