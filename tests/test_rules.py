"""What is true of every rule, and the rules that no file can show."""

from __future__ import annotations

import itertools
import re
import shutil
import string
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from toolsurface_lint import checks, workflow_validate
from toolsurface_lint.__main__ import run
from toolsurface_lint.checks import FAMILIES, SPECIFIED, all_rules, checks_of, rules_of
from toolsurface_lint.model.diagnostics import SAFE, SEVERITIES, UNSAFE, Diagnostic, Report, Rule

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
RULES = {rule.code: rule for rule in all_rules()}
PREFIXES = ("TOOL_", "POLICY_", "PROMPT_", "TEMPLATE_", "WORKFLOW_", "RESPONSE_", "CALL_", "TRANSCRIPT_")
OWN_PREFIXES = ("RESERVED_TOKEN_", "SUPPRESSION_", "INPUT_", "INTERNAL_ERROR")

# Fields that quote the author. Others are numbers, or whole clauses with backticks of their own.
QUOTED = {"alias", "approved", "canonical", "ceiling", "field", "key", "level", "name", "pattern", "reader"}


def test_codes_are_unique_and_belong_to_a_family() -> None:
    codes = [rule.code for family in FAMILIES for rule in rules_of(family)]
    assert len(codes) == len(set(codes))
    assert all(code.startswith(PREFIXES + OWN_PREFIXES) for code in codes)
    assert [rule.code for rule in all_rules()] == sorted(codes)


def test_the_specified_codes_have_their_severities() -> None:
    errors = {"TOOL_SURFACE_MISSING_RESULT_READER", "TOOL_SURFACE_SIDE_EFFECT_CEILING_EXCEEDED"}
    assert len(SPECIFIED) == 14
    assert {code: RULES[code].severity for code in SPECIFIED} == {
        code: "error" if code in errors else "warning" for code in SPECIFIED
    }


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.code)
def test_a_rule_says_what_it_is(rule: Rule) -> None:
    assert rule.severity in SEVERITIES
    assert rule.fix in (None, SAFE, UNSAFE)
    assert re.fullmatch(r"\d+\.\d+\.\d+", rule.since)
    assert rule.tags
    assert rule.summary[0].isupper()
    assert rule.summary.endswith(".")
    for message in [rule.message] if isinstance(rule.message, str) else rule.message.values():
        assert not re.match(r"[A-Z][a-z]", message)
        assert not message.endswith(".")
        for before, field, _, _ in string.Formatter().parse(message):
            assert field not in QUOTED or before.endswith("`")


def test_every_check_is_called_for_something_that_there_is() -> None:
    """A function whose name the engine does not know would never run."""
    for family in FAMILIES:
        for check in checks_of(family):
            assert check.subject in checks.SUBJECTS
            module = __import__(check.run.__module__, fromlist=["*"])
            named = {name for name in vars(module) if name.startswith("check_")}
            assert named <= {f"check_{subject}" for subject in checks.SUBJECTS}


@pytest.fixture(scope="module")
def fired(tmp_path_factory: pytest.TempPathFactory) -> list[Diagnostic]:
    """Every diagnostic that the fixtures give, from one folder for each case."""
    from toolsurface_lint.api import check_paths

    found: list[Diagnostic] = []
    with pytest.MonkeyPatch.context() as patch:
        for folder in sorted(FIXTURES.glob("rules/*/fires*")):
            copy = tmp_path_factory.mktemp("case")
            shutil.copytree(folder, copy, dirs_exist_ok=True)
            patch.chdir(copy)
            found += check_paths(["."], select=[folder.parent.name]).diagnostics
    return found


# Their messages begin with the name of a provider or a client.
NAMES_FIRST = {"TOOL_SCHEMA_UNSUPPORTED_KEYWORD", "POLICY_INVALID_RULE"}


def test_messages_are_as_the_house_writes_them(fired: list[Diagnostic]) -> None:
    for diagnostic in fired:
        outside = re.sub(r"`[^`]*`", "``", diagnostic.message)
        assert not re.search(r"[{}]", outside), diagnostic.message
        if diagnostic.code not in NAMES_FIRST:
            assert not re.match(r"[A-Z][a-z]", diagnostic.message), diagnostic.message
        assert not diagnostic.message.endswith((".", "!", " ")), diagnostic.message
        assert len(outside) <= 120, diagnostic.message
        assert diagnostic.help is None or not diagnostic.help.endswith("."), diagnostic.help


def test_fixes_are_declared_and_declared_fixes_are_offered(fired: list[Diagnostic]) -> None:
    offered = {(d.code, SAFE if d.fix.safe else UNSAFE) for d in fired if d.fix is not None}
    declared = {(rule.code, rule.fix) for rule in RULES.values() if rule.fix is not None}
    assert {code for code, _ in offered} == {code for code, _ in declared}
    assert all(kind == SAFE or RULES[code].fix == UNSAFE for code, kind in offered)


def test_a_fix_edits_the_place_that_it_belongs_to(fired: list[Diagnostic]) -> None:
    for diagnostic in fired:
        if diagnostic.fix is not None:
            assert diagnostic.location is not None
            assert all(edit.location.path == diagnostic.location.path for edit in diagnostic.fix.edits)
            spans = sorted(edit.location.span for edit in diagnostic.fix.edits)
            assert all(left.end <= right.start for left, right in itertools.pairwise(spans))


# --- what no file can show -------------------------------------------------------------------------------------------


def test_a_ceiling_is_held_against_every_policy_of_a_workflow() -> None:
    graph = {
        "_type": "workflow_graph",
        "entry": "a",
        "capability_policy": {"capabilities": {"net": ["get"], "files": ["read", "write"]}},
        "nodes": {"a": {"kind": "stage", "capability_policy": {"tools": ["x_tool", "y_tool"]}}},
        "edges": [],
    }
    found = workflow_validate(graph, {"tools": ["x_tool"], "capabilities": {"files": ["read"]}}).diagnostics
    assert [(d.code, d.severity, d.message) for d in found if d.code.startswith("WORKFLOW")] == [
        ("WORKFLOW_CEILING_EXCEEDED", "error", f"the policy of {rest}, beyond the ceiling")
        for rest in (
            "the workflow asks for the capability `net`",
            "the workflow asks for `write` of the capability `files`",
            "node `a` asks for the tool `y_tool`",
        )
    ]


def test_a_ceiling_that_says_nothing_limits_nothing() -> None:
    graph = {"nodes": {"a": {"capability_policy": {"tools": ["x_tool"], "capabilities": {"net": ["get"]}}}}}
    for ceiling in (None, {}, {"tools": []}, {"tools": ["x_tool"]}):
        codes = [diagnostic.code for diagnostic in workflow_validate(graph, ceiling).diagnostics]
        assert "WORKFLOW_CEILING_EXCEEDED" not in codes


@pytest.fixture
def crashing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes one rule crash after its first finding."""
    checks_of("surface")
    rules, loaded = checks._loaded["surface"]

    def crash(*arguments: Any) -> Iterator[Any]:
        raise ZeroDivisionError("`half` of\nnothing")
        yield

    broken = tuple(
        check._replace(run=crash) if check.rules[0].code == "TOOL_SURFACE_MISSING_SCHEMA" else check for check in loaded
    )
    monkeypatch.setitem(checks._loaded, "surface", (rules, broken))


@pytest.mark.usefixtures("crashing")
def test_a_crashing_rule_is_reported_and_the_others_still_run(
    tmp_path: Path, check: Callable[..., Report], capsys: pytest.CaptureFixture[str]
) -> None:
    text = '{"_type": "tool_registry", "tools": [{"name": "read_file", "description": "Reads.", "annotations": {}}]}'
    (tmp_path / "tools.json").write_text(text, encoding="utf-8")
    report = check(tmp_path, select=SPECIFIED)
    assert report.internal_errors
    assert not report.valid
    assert [diagnostic.code for diagnostic in report.diagnostics] == [
        "INTERNAL_ERROR",
        "TOOL_SURFACE_MISSING_EXECUTOR",
        "TOOL_SURFACE_MISSING_SIDE_EFFECT_LEVEL",
    ]
    crash = report.diagnostics[0]
    assert crash.location is not None
    assert text[slice(*crash.location.span)] == '"read_file"'
    assert "`TOOL_SURFACE_MISSING_SCHEMA`" in crash.message
    assert "ZeroDivisionError" in crash.message
    assert run(["check", "--isolated", "--output", "concise", "."]) == 2
    assert "Traceback" not in capsys.readouterr().out


@pytest.mark.usefixtures("crashing")
def test_a_rule_that_is_switched_off_cannot_crash(tmp_path: Path, check: Callable[..., Report]) -> None:
    (tmp_path / "tools.json").write_text('[{"type": "function", "name": "read_file"}]', encoding="utf-8")
    report = check(tmp_path, select=SPECIFIED, ignore=["TOOL_SURFACE_MISSING_SCHEMA"])
    assert report.diagnostics == ()
    assert not report.internal_errors
