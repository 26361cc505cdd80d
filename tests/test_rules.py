"""What is true of every rule, and the rules that no file can show."""

from __future__ import annotations

import ast
import itertools
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import rule_index
from tests.package_source import nodes
from toolsurface_lint import checks, workflow_validate
from toolsurface_lint.__main__ import run
from toolsurface_lint.checks import HARN_CODES, Checks, all_rules, contract
from toolsurface_lint.checks.contract import Indexed
from toolsurface_lint.checks.index import RULES as RULES_KNOWN
from toolsurface_lint.model.diagnostics import SAFE, SEVERITIES, UNSAFE, WARNING, Diagnostic, Report, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.readers.surfaces import read_surface
from toolsurface_lint.source.modules import WrongDeclaration
from toolsurface_lint.source.text import SourceText
from toolsurface_lint.source.tree import TextTree, plain

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
RULES = {rule.code: rule for rule in all_rules()}


def test_codes_are_words() -> None:
    assert all(re.fullmatch(r"[A-Z]+(_[A-Z0-9]+)+", code) for code in RULES)


def test_the_specified_codes_have_their_severities() -> None:
    errors = {"TOOL_SURFACE_MISSING_RESULT_READER", "TOOL_SURFACE_SIDE_EFFECT_CEILING_EXCEEDED"}
    assert len(HARN_CODES) == 14
    assert {code: RULES[code].severity for code in HARN_CODES} == {
        code: "error" if code in errors else "warning" for code in HARN_CODES
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


# --- the contract ----------------------------------------------------------------------------------------------------


@pytest.mark.generated
def test_the_index_is_what_the_rules_declare() -> None:
    assert rule_index.INDEX.read_text(encoding="utf-8") == rule_index.text()


def test_every_subject_is_walked() -> None:
    """A check of another would never run."""
    package = Path(checks.__file__).parents[1]
    walked = "".join(
        path.read_text(encoding="utf-8") for path in package.rglob("*.py") if path.parents[1] != package / "checks"
    )
    for name, value in vars(contract).items():
        if isinstance(value, contract.Subject):
            assert re.search(rf"\.(_?run|of)\({name}\b", walked), name


@pytest.fixture
def family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of rules that the package takes for one of its own, and that the index knows nothing of."""
    folder = tmp_path / "made_up"
    folder.mkdir()
    monkeypatch.setattr(checks, "__path__", [*checks.__path__, str(tmp_path)])
    yield folder
    for name in [name for name in sys.modules if name.startswith("toolsurface_lint.checks.made_up")]:
        del sys.modules[name]
        contract.declared.pop(name, None)


RULE_FILE = """
from toolsurface_lint.checks.contract import DEFINITION, check
from toolsurface_lint.model.diagnostics import Rule

FIRST = Rule(code="TOOL_FIRST", severity="error", summary="First.", message="first", since="9.9.9")
SECOND = Rule(code="TOOL_SECOND", severity="info", summary="Second.", message="second", since="9.9.9", preview=True)


@check(DEFINITION, {rules})
def any_name(tool, target):
    yield SECOND.at(tool.name_place)
"""


def test_what_a_file_declares(family: Path) -> None:
    (family / "some_rules.py").write_text(RULE_FILE.format(rules="FIRST, SECOND"), encoding="utf-8")
    assert checks.index_of(["made_up.some_rules"]) == {
        "TOOL_FIRST": Indexed("TOOL_FIRST", "error", False, 0, "made_up.some_rules", ("definition",)),
        "TOOL_SECOND": Indexed("TOOL_SECOND", "info", True, 0, "made_up.some_rules", ("definition",)),
    }


def test_a_rule_that_no_check_declares_is_refused(family: Path) -> None:
    (family / "some_rules.py").write_text(RULE_FILE.format(rules="SECOND"), encoding="utf-8")
    with pytest.raises(
        WrongDeclaration, match=r"no check in made_up\.some_rules declares that it reports `TOOL_FIRST`"
    ):
        checks.index_of(["made_up.some_rules"])


@pytest.mark.parametrize("held", ["[FIRST]", "(FIRST,)", '{{"first": FIRST}}'])
def test_a_rule_that_a_list_hides_is_refused_too(held: str, family: Path) -> None:
    text = RULE_FILE.format(rules="SECOND") + f"\nHELD = {held.format()}\ndel FIRST\n"
    (family / "some_rules.py").write_text(text, encoding="utf-8")
    with pytest.raises(WrongDeclaration, match=r"no check in made_up\.some_rules declares .* `TOOL_FIRST`"):
        checks.index_of(["made_up.some_rules"])


def test_a_subject_that_nothing_runs_is_refused(family: Path) -> None:
    text = RULE_FILE.format(rules="FIRST, SECOND").replace("check(DEFINITION", "check(Subject('mine')")
    text = text.replace("import DEFINITION", "import Subject")
    (family / "some_rules.py").write_text(text, encoding="utf-8")
    with pytest.raises(
        WrongDeclaration, match=r"^a check in made_up\.some_rules looks at `mine`, which is not a subject"
    ):
        checks.index_of(["made_up.some_rules"])


def test_two_rules_with_one_code_are_refused(family: Path) -> None:
    for name in ("one", "other"):
        (family / f"{name}.py").write_text(RULE_FILE.format(rules="FIRST, SECOND"), encoding="utf-8")
    with pytest.raises(WrongDeclaration, match=r"made_up\.other and made_up\.one both have a rule `TOOL_FIRST`"):
        checks.index_of(["made_up.one", "made_up.other"])


def test_a_finding_of_a_rule_that_its_check_does_not_declare_is_a_crash(
    family: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (family / "some_rules.py").write_text(RULE_FILE.format(rules="FIRST"), encoding="utf-8")
    monkeypatch.setattr(checks, "RULES", {**RULES_KNOWN, **checks.index_of(["made_up.some_rules"], {"TOOL_SECOND"})})
    monkeypatch.setattr(checks, "_load", lambda module: contract.declared[f"toolsurface_lint.checks.{module}"])
    (tool,) = read_surface(plain({"tools": [{"name": "x_tool"}]})).tools
    run = Checks(lambda rule: rule.code in ("TOOL_FIRST", "TOOL_SECOND"))
    (found,) = run.run(contract.DEFINITION, tool.name_place, tool, Target())
    assert found.message.endswith("LookupError: the check does not declare `TOOL_SECOND`")


@pytest.mark.parametrize("change", ["a new file", "a file that is gone", "a rule that says something else"])
def test_a_stale_index_is_noticed_at_once(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for cached in (checks._load, checks._compare_modules):
        monkeypatch.setattr(checks, cached.__name__, cached.__wrapped__)
    known = dict(RULES_KNOWN)
    if change == "a new file":
        del known["TOOL_DESCRIPTION_UNKNOWN_PARAMETER"]
    elif change == "a file that is gone":
        known["TOOL_NEW"] = Indexed("TOOL_NEW", "info", False, 0, "tool.new", ("definition",))
    else:
        known["TOOL_DESCRIPTION_MISSING"] = known["TOOL_DESCRIPTION_MISSING"]._replace(subjects=("surface",))
    monkeypatch.setattr(checks, "RULES", known)
    with pytest.raises(WrongDeclaration, match=r"index\.py .* run `python -m tests\.regenerate`"):
        list(Checks(lambda rule: True).of(contract.SURFACE))
    (tmp_path / "tools.json").write_text(
        '[{"type": "function", "name": "read_file", "description": "Reads a file."}]', encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    assert run(["check", "--isolated", "."]) == 2
    assert capsys.readouterr().err == f"toolsurface-lint: {checks.STALE}\n"


# --- what is said -----------------------------------------------------------------------------------------------------


MAKERS = {
    "crash": "crash/",
    "NotSyntax": "syntax/",
    "TooDeep": "unreadable/",
    "Unreadable": "unreadable/",
    "Problem": "",
    "add": "",
}


def _yielded() -> Iterator[str]:
    """The kinds of problem that the rooms below the rules write down as such."""
    for path, within in nodes().items():
        if path.startswith(("source/", "readers/", "programs/", "run/")):
            for node in within:
                if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                    maker = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                    kind = node.args[0].value
                    # `add` is a method of other things too.
                    if maker in MAKERS and isinstance(kind, str) and (maker != "add" or "/" in kind):
                        yield MAKERS[maker] + kind


def test_every_kind_of_problem_has_a_sentence_in_one_rule() -> None:
    said = [
        kind for rule in RULES.values() if not isinstance(rule.message, str) for kind in rule.message if "/" in kind
    ]
    yielded = {kind for kind in _yielded() if "/" in kind}
    assert len(yielded) > 50
    assert {kind: said.count(kind) for kind in yielded if said.count(kind) != 1} == {}


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


@pytest.mark.slow
def test_messages_are_as_the_house_writes_them(fired: list[Diagnostic]) -> None:
    for diagnostic in fired:
        outside = re.sub(r"`[^`]*`", "``", diagnostic.message)
        assert not re.search(r"[{}]", outside), diagnostic.message
        # A name stands in backticks; a provider's or client's may stand first.
        assert not re.search(r"\w_\w", outside), diagnostic.message
        messages = RULES[diagnostic.code].message
        begins_with_a_value = any(
            message.startswith("{") for message in ([messages] if isinstance(messages, str) else messages.values())
        )
        assert begins_with_a_value or not re.match(r"[A-Z][a-z]", diagnostic.message), diagnostic.message
        assert not diagnostic.message.endswith((".", "!", " ")), diagnostic.message
        assert len(outside) <= 120, diagnostic.message
        assert diagnostic.help is None or not diagnostic.help.endswith("."), diagnostic.help


@pytest.mark.slow
def test_fixes_are_declared_and_declared_fixes_are_offered(fired: list[Diagnostic]) -> None:
    offered = {(d.code, SAFE if d.fix.safe else UNSAFE) for d in fired if d.fix is not None}
    declared = {(rule.code, rule.fix) for rule in RULES.values() if rule.fix is not None}
    assert {code for code, _ in offered} == {code for code, _ in declared}
    assert all(kind == SAFE or RULES[code].fix == UNSAFE for code, kind in offered)


@pytest.mark.slow
def test_a_fix_edits_the_place_that_it_belongs_to(fired: list[Diagnostic]) -> None:
    for diagnostic in fired:
        if diagnostic.fix is not None:
            assert diagnostic.location is not None
            assert all(edit.location.path == diagnostic.location.path for edit in diagnostic.fix.edits)
            spans = sorted(edit.location.span for edit in diagnostic.fix.edits)
            assert all(left.end <= right.start for left, right in itertools.pairwise(spans))


# --- what no file can show -------------------------------------------------------------------------------------------


def test_every_policy_of_a_workflow_is_checked_against_a_ceiling() -> None:
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
            "the workflow requires the capability `net`",
            "the workflow requires `write` of the capability `files`",
            "node `a` requires the tool `y_tool`",
        )
    ]


def test_a_ceiling_that_says_nothing_limits_nothing() -> None:
    graph = {"nodes": {"a": {"capability_policy": {"tools": ["x_tool"], "capabilities": {"net": ["get"]}}}}}
    for ceiling in (None, {}, {"tools": []}, {"tools": ["x_tool"]}):
        codes = [diagnostic.code for diagnostic in workflow_validate(graph, ceiling).diagnostics]
        assert "WORKFLOW_CEILING_EXCEEDED" not in codes


@pytest.fixture
def crashing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes one rule crash."""

    def crash(*arguments: Any) -> Iterator[Any]:
        raise ZeroDivisionError("`half` of\nnothing")
        yield

    load = checks._load
    broken = [
        check._replace(run=crash) if check.rules[0].code == "TOOL_SURFACE_MISSING_SCHEMA" else check
        for check in load("surface.missing")
    ]
    monkeypatch.setattr(checks, "_load", lambda module: broken if module == "surface.missing" else load(module))


@pytest.mark.usefixtures("crashing")
def test_a_crashing_rule_is_reported_and_the_others_still_run(
    tmp_path: Path, check: Callable[..., Report], capsys: pytest.CaptureFixture[str]
) -> None:
    text = '{"_type": "tool_registry", "tools": [{"name": "read_file", "description": "Reads.", "annotations": {}}]}'
    (tmp_path / "tools.json").write_text(text, encoding="utf-8")
    report = check(tmp_path, select=HARN_CODES)
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
    (tmp_path / "tools.json").write_text(
        '[{"type": "function", "name": "read_file", "description": "Reads a file."}]', encoding="utf-8"
    )
    report = check(tmp_path, select=HARN_CODES, ignore=["TOOL_SURFACE_MISSING_SCHEMA"])
    assert report.diagnostics == ()
    assert not report.internal_errors


def test_what_a_message_quotes_is_the_identity_of_its_finding() -> None:
    rule = Rule(
        "CODE",
        WARNING,
        "A summary.",
        {"odd": "```tool of `{a}.{name}` {words}: {most}, `{least}`"},
        "0.1.0",
        help="`{near}`",
    )
    place = TextTree(SourceText("a.md", "text")).root.place
    values = {"a": "x", "name": "y", "words": "is not fine", "most": "five", "least": 4, "near": "z"}
    assert rule.at(place, "odd", **values).parameters == ("odd", "a=x", "name=y")
