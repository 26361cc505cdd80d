"""The SARIF output against the standard, GitHub's rules, and the text that its regions mean."""

import json
import os
import re
import subprocess
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.checks import pages as rule_pages
from toolsurface_lint.model.diagnostics import (
    BASELINE,
    INLINE,
    Diagnostic,
    Location,
    Report,
    Rule,
    Skipped,
    Suppressed,
    SurfaceSummary,
)
from toolsurface_lint.reporters import RenderOptions, render
from toolsurface_lint.source.text import SourceText, Span

SCHEMA = Path(__file__).resolve().parents[1] / "standards" / "sarif" / "sarif-schema-2.1.0.json"
MULTITOOL = os.environ.get("TOOLSURFACE_LINT_MULTITOOL")

# Advice that does not apply: messages by identifier, version control details, addresses that cannot be reached
# offline, codes with numbers, and copies of the source.
ALLOWED_ADVICE = {"SARIF2002", "SARIF2003", "SARIF2006", "SARIF2009", "SARIF2010", "SARIF2011"}


def sarif(report, **options):
    return json.loads(render("sarif", report, RenderOptions(**options)))


def run_of(report, **options):
    return sarif(report, **options)["runs"][0]


def results_of(report, **options):
    return run_of(report, **options)["results"]


def offsets(text, region):
    """The code-point offsets of a region with UTF-16 columns, found without our own line index."""
    lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)

    def offset(line, column):
        units = "".join(lines)[len("".join(lines[: line - 1])) :].encode("utf-16-le")
        return len("".join(lines[: line - 1])) + len(units[: 2 * (column - 1)].decode("utf-16-le"))

    return offset(region["startLine"], region["startColumn"]), offset(region["endLine"], region["endColumn"])


def marked(text, location):
    start, end = offsets(text, location["physicalLocation"]["region"])
    return text[start:end]


@pytest.fixture
def pages(tmp_path, monkeypatch):
    """A folder with the page of one rule of the sample."""
    folder = tmp_path / "package" / "rules"
    folder.mkdir(parents=True)
    page = "# PROMPT_UNKNOWN_TOOL\n\nFinds names of tools that are not there.\n\n## Why\n\nA call would fail.\n"
    (folder / "PROMPT_UNKNOWN_TOOL.md").write_text(page, encoding="utf-8")
    monkeypatch.setattr(rule_pages, "_PACKAGE", folder.parent)
    return page


@pytest.fixture
def broken(build):
    """A report of everything that can go wrong with the files and with us."""
    build.file("a b#%\u00e9\U0001f600.json", '{"a": \n')
    build.file("latin.md", "caf")
    build.add("INPUT_SYNTAX_ERROR", "error", "expected a value", build.span("a b#%\u00e9\U0001f600.json", 7, 7))
    build.add("INPUT_UNREADABLE", "error", "byte 0xe9 is not valid UTF-8", build.span("latin.md", 3, 3))
    build.add("INPUT_DUPLICATE_KEY", "warning", "key `a` is given twice", build.span("latin.md", 0, 1))
    build.add("INTERNAL_ERROR", "error", "rule `X` crashed: `ValueError`", None, surface="default")
    return build.report(surfaces=(SurfaceSummary("default", False, True, (), ("agents/tools.json",)),))


@pytest.fixture
def suppressed(build, sample):
    """The sample with two suppressed diagnostics more."""
    hidden = Diagnostic("TOOL_NEVER_SEEN", "error", "tool `search` is hidden", build.at("tools.json", '"search"'))
    return Report(
        sample.diagnostics,
        rules=sample.rules,
        sources=sample.sources,
        suppressed=(Suppressed(hidden, INLINE, "known and harmless"), Suppressed(hidden, BASELINE)),
    )


@pytest.fixture(params=["sample", "broken", "suppressed", "empty"])
def log(request, pages):
    """The SARIF of each kind of report."""
    rules = (Rule("SOME_CODE", "error", "Something is wrong", "x", "0.1.0"),)
    report = Report((), rules=rules) if request.param == "empty" else request.getfixturevalue(request.param)
    return sarif(report, sarif_suppressed=True, sarif_category="agents")


def test_schema_of_the_standard(log):
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    assert [error.message for error in jsonschema.Draft4Validator(schema).iter_errors(log)] == []


@pytest.mark.skipif(MULTITOOL is None, reason="the SARIF Multitool is not installed (TOOLSURFACE_LINT_MULTITOOL)")
def test_multitool_with_the_rules_of_github(log, tmp_path):
    (tmp_path / "in.sarif").write_text(json.dumps(log), encoding="utf-8")
    arguments = ["--log", "ForceOverwrite", "--level", "Error;Warning;Note", "--kind", "Fail"]
    subprocess.run(
        [MULTITOOL, "validate", "in.sarif", "--output", "out.sarif", *arguments, "--rule-kind", "Sarif;Ghas"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        timeout=60,
    )
    # Its exit code is 0 whatever it finds.
    run = json.loads((tmp_path / "out.sarif").read_text(encoding="utf-8-sig"))["runs"][0]
    assert run["invocations"][0]["executionSuccessful"]
    assert "toolExecutionNotifications" not in run["invocations"][0]
    found = [(result["ruleId"], result["message"]) for result in run["results"]]
    assert [finding for finding in found if finding[0] not in ALLOWED_ADVICE] == []
    assert found or not log["runs"][0]["results"]


def test_what_github_requires(log):
    """The required properties, the limits and the value sets of "SARIF support for code scanning"."""
    assert (log["$schema"], log["version"]) == ("https://json.schemastore.org/sarif-2.1.0.json", "2.1.0")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"]
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*", driver["semanticVersion"])
    for rule in [*driver["rules"], *driver.get("notifications", [])]:
        assert rule["id"]
        assert 0 < len(rule["name"]) <= 255
        assert 0 < len(rule["shortDescription"]["text"]) <= 1024
        assert 0 < len(rule["fullDescription"]["text"]) <= 1024
        assert rule["help"]["text"]
        assert rule["helpUri"].startswith("https://")
        assert rule["defaultConfiguration"]["level"] in {"error", "warning", "note"}
        properties = rule["properties"]
        assert len(properties["tags"]) <= 20
        assert properties["precision"] in {"very-high", "high", "medium", "low"}
        if "security" in properties["tags"]:
            assert isinstance(properties["security-severity"], str)
            assert 0 < float(properties["security-severity"]) <= 10
            assert "problem.severity" not in properties
        else:
            assert properties["problem.severity"] in {"error", "warning", "recommendation"}
            assert "security-severity" not in properties
    for result in run["results"]:
        assert result["message"]["text"]
        assert result["level"] in {"error", "warning", "note"}
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["partialFingerprints"]
        assert len(result["locations"]) == 1
        for location in [*result["locations"], *result.get("relatedLocations", [])]:
            place = location["physicalLocation"]
            assert re.fullmatch(
                r"(?!/)(?!.*//)(?!(.*/)?\.\.?(/|$))[A-Za-z0-9%._~/-]+", place["artifactLocation"]["uri"]
            )
            assert place["region"].keys() == {"startLine", "startColumn", "endLine", "endColumn"}
            assert all(number >= 1 for number in place["region"].values())
    assert run["columnKind"] == "utf16CodeUnits"
    assert run["automationDetails"]["id"] == "agents/"
    assert run["invocations"][0]["executionSuccessful"] is True


def test_no_category_unless_it_is_asked_for(sample):
    assert "automationDetails" not in run_of(sample)
    assert run_of(sample, sarif_category="a/b/")["automationDetails"]["id"] == "a/b/"


def test_empty_report_has_an_empty_list_of_results():
    assert results_of(Report(())) == []


def test_two_runs_are_the_same_to_the_byte(sample):
    assert render("sarif", sample) == render("sarif", sample)
    assert render("sarif", sample).isascii()


def test_severities_become_levels(sample):
    assert [result["level"] for result in results_of(sample)] == ["error", "warning", "note"]


def test_a_level_that_is_the_default_of_sarif_is_written(build):
    """Without it a consumer would take the level of the rule, which the settings may have changed."""
    build.add("SOME_CODE", "warning", "wrong", None)
    run = run_of(build.report(rules=(Rule("SOME_CODE", "error", "Something is wrong", "x", "0.1.0"),)))
    assert run["results"][0]["level"] == "warning"
    assert run["tool"]["driver"]["rules"][0]["defaultConfiguration"]["level"] == "error"


def test_all_enabled_rules_are_listed_with_their_pages(sample, pages):
    rules = {rule["id"]: rule for rule in run_of(sample)["tool"]["driver"]["rules"]}
    assert list(rules) == ["PROMPT_UNKNOWN_TOOL", "TOOL_MISSING_DESCRIPTION", "TOOL_MISSING_SCHEMA", "TOOL_NEVER_SEEN"]
    url = "https://github.com/toolsurface-lint/toolsurface-lint/blob/main/rules/PROMPT_UNKNOWN_TOOL.md"
    assert rules["PROMPT_UNKNOWN_TOOL"] == {
        "id": "PROMPT_UNKNOWN_TOOL",
        "name": "PromptUnknownTool",
        "shortDescription": {"text": "A prompt names a tool that is not declared."},
        "fullDescription": {"text": "Finds names of tools that are not there."},
        "help": {"text": f"Finds names of tools that are not there.\n\n{url}", "markdown": pages},
        "helpUri": url,
        "defaultConfiguration": {"level": "error"},
        "properties": {"precision": "high", "problem.severity": "error", "tags": ["prompts"]},
    }
    assert rules["TOOL_NEVER_SEEN"]["properties"] == {
        "precision": "high",
        "security-severity": "8.0",
        "tags": ["security", "policy"],
    }
    assert rules["TOOL_MISSING_SCHEMA"]["properties"] == {
        "precision": "medium",
        "problem.severity": "warning",
        "tags": ["tools", "schemas"],
    }


def test_a_long_paragraph_is_cut(build, pages):
    (Path(rule_pages.folder()) / "SOME_CODE.md").write_text("# SOME_CODE\n\n" + "word " * 400, encoding="utf-8")
    (rule,) = run_of(build.report(rules=(Rule("SOME_CODE", "error", "Wrong", "x", "0.1.0"),)))["tool"]["driver"][
        "rules"
    ]
    assert len(rule["fullDescription"]["text"]) == 1024
    assert rule["fullDescription"]["text"].endswith("...")


def test_the_text_of_a_result_has_the_help_and_links_to_the_related_places(sample):
    assert [result["message"]["text"] for result in results_of(sample)] == [
        "`read_flie` is no tool of this surface; did you mean `read_file`? See [`read_file` is declared here](1).",
        "tool `read_file` has no parameter schema. Add `parameters`, an object schema.",
        "tool `search` has no description.",
    ]
    (related,) = results_of(sample)[0]["relatedLocations"]
    assert related["id"] == 1
    assert related["message"] == {"text": "`read_file` is declared here."}
    assert related["physicalLocation"]["artifactLocation"] == {"uri": "tools.json"}


def test_linted_text_makes_no_link(build):
    build.file("a.md", "x")
    place = build.at("a.md", "x")
    build.add("SOME_CODE", "error", "`[x](http://x.example)`\x1b", place, (("see [x](2) \\", place),))
    assert results_of(build.report())[0]["message"]["text"] == (
        "`[x] (http://x.example)`\\x1b. See [see \\[x\\](2) \\\\](1)."
    )


def test_the_account_stands_in_the_properties(sample):
    properties = run_of(sample)["properties"]
    assert properties["summary"]["tools"] == 2
    assert properties["skipped"] == [{"path": "notes.txt", "reason": "not recognised"}]


def test_uris_are_encoded_and_relative_to_the_root(build, tmp_path, monkeypatch):
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    path = os.path.join("..", "a b", "c#d%20\u00e9\U0001f600:.json")
    build.file(path, "x")
    build.add("SOME_CODE", "error", "wrong", build.at(path, "x"))
    (result,) = results_of(build.report(), root=str(tmp_path))
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {
        "uri": "a%20b/c%23d%2520%C3%A9%F0%9F%98%80%3A.json"
    }


def test_a_file_name_that_is_no_text(build):
    build.file("caf\udce9.json", "x")
    build.add("SOME_CODE", "error", "wrong", build.at("caf\udce9.json", "x"))
    (result,) = results_of(build.report(skipped=(Skipped("x\udce9", "why"),)))
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "caf%E9.json"}


@given(
    st.text(st.sampled_from("ab \t\r\n\u00e9\u5de5\U0001f600\u2028\x0c"), max_size=80),
    st.lists(st.tuples(st.integers(0, 80), st.integers(0, 80)), max_size=4),
)
def test_regions_hold_what_the_diagnostics_name(text, pairs):
    source = SourceText("a.md", text)
    spans = []
    for pair in pairs:
        start, end = sorted(min(offset, len(text)) for offset in pair)
        spans.append(Span(start, end))
    locations = [Location("a.md", source.lines.range(span), span) for span in spans]
    diagnostics = tuple(Diagnostic("SOME_CODE", "error", "wrong", location) for location in locations)
    results = results_of(Report(diagnostics, sources={"a.md": source}))
    assert [marked(text, result["locations"][0]) for result in results] == [
        text[span.start : span.end] for span in spans
    ]


def test_columns_after_astral_characters(build):
    build.file("a.md", "\U0001f600\r\n\U0001f600\U0001f600 x \U0001f600y")
    build.add("SOME_CODE", "error", "wrong", build.at("a.md", "x \U0001f600"))
    (result,) = results_of(build.report())
    assert result["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 2,
        "startColumn": 6,
        "endLine": 2,
        "endColumn": 10,
    }


def test_fingerprints(build):
    build.file("a.md", " a\nb\n  \t\tc\n d")
    build.add("SOME_CODE", "error", "wrong", build.at("a.md", "c"))
    (result,) = results_of(build.report())
    assert result["partialFingerprints"]["primaryLocationLineHash"] == "180aee12dab6264:1"
    assert re.fullmatch(r"[0-9a-f]{32}:1", result["partialFingerprints"]["toolsurfaceLint/v2"])


def test_a_line_inserted_above_changes_no_fingerprint(build):
    def fingerprints(text):
        build.diagnostics.clear()
        build.file("a.md", text)
        build.add("SOME_CODE", "error", "wrong", build.at("a.md", "here"))
        return results_of(build.report())[0]["partialFingerprints"]

    assert fingerprints("one\n\ntwo\nhere\nthree\n") == fingerprints("one\ntwo\nhere\nthree\n")


def test_the_fingerprint_is_the_same_from_every_folder(build, tmp_path, monkeypatch):
    def fingerprint(folder):
        monkeypatch.chdir(folder)
        build.diagnostics.clear()
        path = os.path.relpath(tmp_path / "a.md")
        build.file(path, "here")
        build.add("SOME_CODE", "error", "wrong", build.at(path, "here"))
        return results_of(build.report(), root=str(tmp_path))[0]["partialFingerprints"]

    (tmp_path / "sub").mkdir()
    assert fingerprint(tmp_path) == fingerprint(tmp_path / "sub")


def test_failures_are_results_and_notifications(broken):
    run = run_of(broken)
    assert [(result["ruleId"], result["level"]) for result in run["results"]] == [
        ("INPUT_SYNTAX_ERROR", "error"),
        ("INPUT_UNREADABLE", "error"),
        ("INPUT_DUPLICATE_KEY", "warning"),
        ("INTERNAL_ERROR", "error"),
    ]
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is True
    notifications = invocation["toolExecutionNotifications"]
    descriptors = run["tool"]["driver"]["notifications"]
    assert [
        (notification["level"], notification["message"]["text"], descriptors[notification["descriptor"]["index"]]["id"])
        for notification in notifications
    ] == [
        ("error", "expected a value.", "INPUT_SYNTAX_ERROR"),
        ("error", "byte 0xe9 is not valid UTF-8.", "INPUT_UNREADABLE"),
        ("error", "rule `X` crashed: `ValueError`.", "INTERNAL_ERROR"),
    ]
    assert notifications[0]["locations"] == run["results"][0]["locations"]
    assert "locations" not in notifications[2]


def test_a_result_without_a_place_stands_at_a_file_of_its_surface(broken):
    location = results_of(broken)[3]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"] == {"uri": "agents/tools.json"}
    assert location["region"] == {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 1}


def test_plain_data_has_no_file(build):
    build.add("SOME_CODE", "error", "wrong", None)
    assert results_of(build.report())[0]["locations"] == [{"logicalLocations": [{"kind": "object", "name": "surface"}]}]


def test_text_that_could_not_be_decoded_has_no_line_hash(broken):
    assert [list(result["partialFingerprints"]) for result in results_of(broken)] == [
        ["primaryLocationLineHash", "toolsurfaceLint/v2"],
        ["toolsurfaceLint/v2"],
        ["toolsurfaceLint/v2"],
        ["toolsurfaceLint/v2"],
    ]


def test_suppressed_diagnostics_are_left_out(suppressed):
    assert [result["ruleId"] for result in results_of(suppressed)] == [
        "PROMPT_UNKNOWN_TOOL",
        "TOOL_MISSING_SCHEMA",
        "TOOL_MISSING_DESCRIPTION",
    ]


def test_suppressed_diagnostics_are_added_on_demand(suppressed):
    results = results_of(suppressed, sarif_suppressed=True)
    assert [result.get("suppressions") for result in results] == [
        None,
        None,
        None,
        [{"kind": "inSource", "status": "accepted", "justification": "known and harmless"}],
        [{"kind": "external", "status": "accepted"}],
    ]


def test_a_fix_can_be_applied_from_its_regions(build):
    text = "\U0001f600 one\r\ntwo \U0001f600 three\n"
    build.file("a.md", text)
    edits = (
        (build.at("a.md", "one\r\ntwo"), "1, 2"),
        (build.at("a.md", "three"), ""),
        (build.span("a.md", 0, 0), "# "),
    )
    build.add("SOME_CODE", "error", "wrong", build.at("a.md", "one"), fix=build.fix("use digits", *edits))
    (fix,) = results_of(build.report())[0]["fixes"]
    assert fix["description"] == {"text": "use digits."}
    assert fix["properties"] == {"safe": True}
    (change,) = fix["artifactChanges"]
    assert change["artifactLocation"] == {"uri": "a.md"}
    places = [(offsets(text, replacement["deletedRegion"]), replacement) for replacement in change["replacements"]]
    for (start, end), replacement in sorted(places, key=lambda place: place[0], reverse=True):
        text = text[:start] + replacement["insertedContent"]["text"] + text[end:]
    assert text == "# \U0001f600 1, 2 \U0001f600 \n"


def test_a_fix_in_two_files_has_two_changes(build):
    build.file("a.md", "x")
    build.file("b.md", "x")
    fix = build.fix("rename", (build.at("a.md", "x"), "y"), (build.at("b.md", "x"), "y"), safe=False)
    build.add("SOME_CODE", "error", "wrong", build.at("a.md", "x"), fix=fix)
    (change,) = results_of(build.report())[0]["fixes"]
    assert [part["artifactLocation"]["uri"] for part in change["artifactChanges"]] == ["a.md", "b.md"]
    assert change["properties"] == {"safe": False}


@pytest.mark.slow
def test_the_most_severe_results_are_kept_above_the_limit(capsys):
    from toolsurface_lint.cli.check import _report_limit

    notes = tuple(Diagnostic("SOME_NOTE", "info", "odd", None) for _ in range(12_500))
    errors = tuple(Diagnostic("SOME_CODE", "error", "wrong", None) for _ in range(12_501))
    report = Report(notes + errors)
    results = results_of(report)
    assert capsys.readouterr() == ("", "")
    _report_limit(report)
    assert len(results) == 25_000
    assert [result["ruleId"] for result in results] == ["SOME_NOTE"] * 12_499 + ["SOME_CODE"] * 12_501
    assert capsys.readouterr().err == (
        "toolsurface-lint: 25001 results; SARIF holds the 25000 most severe, the limit of code scanning\n"
    )


def test_an_empty_message_of_a_relation_is_no_empty_text(build):
    build.file("a.md", "x")
    build.add("SOME_CODE", "error", "wrong", build.at("a.md", "x"), (("", build.at("a.md", "x")),))
    assert '"text": ""' not in render("sarif", build.report())
