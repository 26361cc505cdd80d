from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.api import check_paths
from toolsurface_lint.model.diagnostics import SETTINGS, Diagnostic, Location, Report, selects
from toolsurface_lint.readers.prompt_calls import hidden_references
from toolsurface_lint.readers.suppressed_texts import SuppressedText
from toolsurface_lint.run.suppression import Suppressions, is_prompt_rule
from toolsurface_lint.source.dates import day_of_epoch, is_day
from toolsurface_lint.source.directives import HARN, OWN, directives, hidden_lines
from toolsurface_lint.source.json import read_json
from toolsurface_lint.source.markdown import layout
from toolsurface_lint.source.text import SourceText, Span
from toolsurface_lint.source.tree import Node, TextTree, Tree

UNKNOWN_TOOL = "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL"
SCHEMA = "TOOL_SCHEMA_INVALID"
CODES = (UNKNOWN_TOOL, SCHEMA, "TOOL_SURFACE_MISSING_SCHEMA", "INPUT_SYNTAX_ERROR", "INTERNAL_ERROR")


def file_node(text: str, path: str = "a.md") -> Node:
    return TextTree(SourceText(path, text)).root


def diagnostic(node: Node, code: str, start: int, end: int | None = None) -> Diagnostic:
    source = node.tree.source
    assert source is not None
    span = Span(start, start + 1 if end is None else end)
    return Diagnostic(code, "warning", "message", Location(source.path, source.lines.range(span), span))


def suppressions_of(node: Node, *, prompt: bool = False, today: date | None = None) -> Suppressions:
    suppressions = Suppressions(today)
    found = directives(node.value, layout(node.value).fences)
    suppressions.add(SuppressedText(node, found, hidden_references(node.value) if prompt else []))
    return suppressions


def problems(text: str, *, prompt: bool = False) -> list[tuple[str, str]]:
    """What is wrong with the directives of a text in which nothing is reported: kind, and the text at its place."""
    node = file_node(text)
    found = []
    for problem in suppressions_of(node, prompt=prompt).problems(CODES):
        span = problem.at.span()
        assert span is not None
        found.append((problem.kind, text[span.start : span.end]))
    return found


# --- directives ---


def test_a_directive_has_its_codes_reason_and_places() -> None:
    text = "a\n<!-- toolsurface-lint: ignore-next-line[ABC, D_E] old names -->\nb\nc"
    (directive,) = directives(text)
    assert (directive.prefix, directive.verb, directive.reason) == (OWN, "ignore-next-line", "old names")
    assert text[slice(*directive.span)] == "toolsurface-lint: ignore-next-line[ABC, D_E]"
    assert [(code.text, text[slice(*code.span)]) for code in directive.codes] == [("ABC", "ABC"), ("D_E", "D_E")]
    assert [text[slice(*span)] for span in directive.covered] == [text[2:-3], "b\n"]
    assert hidden_lines([directive]) == []


@pytest.mark.parametrize(
    ("text", "prefix", "verb", "reason"),
    [
        ("x # tool-surface-ignore: old", HARN, "ignore-line", "old"),
        ("// harn-tool-surface: ignore-line", HARN, "ignore-line", ""),
        ("/* toolsurface-lint: ignore-line why */ x", OWN, "ignore-line", "why"),
        # Plain text anywhere: the specification does not ask where the word ends.
        ("harn-tool-surface: ignore-lines", HARN, "ignore-line", "s"),
        ("harn-tool-surface: ignore-line[ABC]", HARN, "ignore-line", "[ABC]"),
    ],
)
def test_directives_need_no_comment(text: str, prefix: str, verb: str, reason: str) -> None:
    (directive,) = directives(text)
    assert (directive.prefix, directive.verb, directive.reason) == (prefix, verb, reason)
    assert directive.codes == ()
    assert directive.covered == [Span(0, len(text) + 1)]


@pytest.mark.parametrize(
    "text",
    [
        "toolsurface-lint: a linter for tools",
        "the `harn-tool-surface:` markers",
        "toolsurface-lint ignore-line",
        "harn-tool-surface",
        "",
    ],
)
def test_prose_is_no_directive(text: str) -> None:
    assert directives(text) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("harn-tool-surface:ignore-line", "space"),
        ("toolsurface-lint:  ignore-start", "space"),
        ("toolsurface-lint:\tignore-start", "space"),
        ("toolsurface-lint: disable-line", "verb"),
        ("toolsurface-lint: ignore-lines", "verb"),
        ("harn-tool-surface: ignore", "verb"),
        ("toolsurface-lint: ignore-line[]", "no_code"),
        ("toolsurface-lint: ignore-line[ABC", "bracket"),
    ],
)
def test_a_malformed_marker_hides_nothing(text: str, problem: str) -> None:
    (directive,) = directives(text)
    assert directive.problem is not None
    assert (directive.problem.kind, directive.covered) == (f"malformed/{problem}", [])
    ((kind, quoted),) = problems(f"é {text}")
    assert kind == f"malformed/{problem}"
    assert text.startswith(quoted)


def covered(text: str) -> list[list[str]]:
    return [[text[slice(*span)] for span in one.covered] for one in directives(text, layout(text).fences)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            (
                "toolsurface-lint: ignore-start[A]\nx\ntoolsurface-lint: ignore-start\ny\ntoolsurface-lint: ignore-end[A]\nz\n"
                "toolsurface-lint: ignore-end\n"
            ),
            [
                [
                    (
                        "toolsurface-lint: ignore-start[A]\nx\ntoolsurface-lint: ignore-start\ny\n"
                        "toolsurface-lint: ignore-end[A]\n"
                    )
                ],
                [
                    (
                        "toolsurface-lint: ignore-start\ny\ntoolsurface-lint: ignore-end[A]\nz\n"
                        "toolsurface-lint: ignore-end\n"
                    )
                ],
                ["toolsurface-lint: ignore-end[A]\n"],
                ["toolsurface-lint: ignore-end\n"],
            ],
        ),
        # Ours may stand one below another, and below one of the specification's.
        (
            "toolsurface-lint: ignore-next-line[A]\ntoolsurface-lint: ignore-next-line[B]\ntool-surface-ignore\nx\ny",
            [
                ["toolsurface-lint: ignore-next-line[A]\n", "x\n"],
                ["toolsurface-lint: ignore-next-line[B]\n", "x\n"],
                ["tool-surface-ignore\n"],
            ],
        ),
        # Lines that directives with codes cover are still there for the next line.
        (
            "toolsurface-lint: ignore-start[A]\ntoolsurface-lint: ignore-next-line\nx\ntoolsurface-lint: ignore-end",
            [
                [
                    (
                        "toolsurface-lint: ignore-start[A]\ntoolsurface-lint: ignore-next-line\nx\n"
                        "toolsurface-lint: ignore-end"
                    )
                ],
                ["toolsurface-lint: ignore-next-line\n", "x\n"],
                ["toolsurface-lint: ignore-end"],
            ],
        ),
        ("harn-tool-surface: ignore-next-line", [["harn-tool-surface: ignore-next-line"]]),
    ],
)
def test_directives_cover_whole_lines(text: str, expected: list[list[str]]) -> None:
    assert covered(text) == expected


@given(
    st.lists(
        st.sampled_from([*"ab\r\n ", "tool-surface-ignore", "harn-tool-surface: ignore-start", "```\n"]), max_size=12
    )
)
def test_hidden_lines_are_whole_apart_and_in_order(parts: list[str]) -> None:
    text = "".join(parts)
    end = -1
    for span in hidden_lines(directives(text, layout(text).fences)):
        assert end < span.start < span.end <= len(text) + 1
        assert span.start == 0 or text[span.start - 1] in "\r\n"
        assert span.end == len(text) + 1 or text[span.end - 1] in "\r\n"
        end = span.end


# --- filtering ---


@pytest.mark.parametrize(
    ("selector", "code", "expected"),
    [
        ("TOOL_SCHEMA", "TOOL_SCHEMA_INVALID", True),
        ("TOOL_SCHEMA_", "TOOL_SCHEMA_INVALID", True),
        ("TOOL_SCHEMA_INVALID", "TOOL_SCHEMA_INVALID", True),
        ("TOOL_SCH", "TOOL_SCHEMA_INVALID", False),
        ("TOOL_SCHEMA_INVALID_X", "TOOL_SCHEMA_INVALID", False),
    ],
)
def test_a_prefix_ends_at_an_underscore(selector: str, code: str, expected: bool) -> None:
    assert selects(selector, code) is expected


@pytest.mark.parametrize(
    ("marker", "code", "hidden"),
    [
        ("harn-tool-surface: ignore-line", UNKNOWN_TOOL, True),
        ("harn-tool-surface: ignore-line", "PROMPT_MISSPELLED_TOOL", True),
        ("harn-tool-surface: ignore-line", SCHEMA, False),
        ("tool-surface-ignore", UNKNOWN_TOOL, True),
        ("tool-surface-ignore", "TOOL_SURFACE_MISSING_SCHEMA", False),
        ("toolsurface-lint: ignore-line", SCHEMA, True),
        ("toolsurface-lint: ignore-line", "INTERNAL_ERROR", False),
        ("toolsurface-lint: ignore-line", "SUPPRESSION_UNUSED", False),
        ("toolsurface-lint: ignore-line[TOOL_SCHEMA]", SCHEMA, True),
        ("toolsurface-lint: ignore-line[INPUT, TOOL_SCHEMA_INVALID]", SCHEMA, True),
        ("toolsurface-lint: ignore-line[TOOL_SURFACE]", SCHEMA, False),
    ],
)
def test_a_marker_hides_what_it_may_at_its_line(marker: str, code: str, hidden: bool) -> None:
    text = f"one\ntwo {marker}\nthree"
    node = file_node(text)
    at_marker, at_other = diagnostic(node, code, text.index("two")), diagnostic(node, code, text.index("three"))
    kept, suppressed = suppressions_of(node).filter([at_marker, at_other])
    assert kept == ([at_other] if hidden else [at_marker, at_other])
    assert [one.diagnostic for one in suppressed] == ([at_marker] if hidden else [])


def test_a_hidden_diagnostic_says_by_what_and_why() -> None:
    text = "x # toolsurface-lint: ignore-line[TOOL_SCHEMA] the host adds it"
    node = file_node(text)
    _, (suppressed,) = suppressions_of(node).filter([diagnostic(node, SCHEMA, 0)])
    assert (suppressed.by, suppressed.reason) == ("inline", "the host adds it")


def test_other_files_and_plain_data_are_left_alone() -> None:
    node = file_node("x tool-surface-ignore toolsurface-lint: ignore-line")
    elsewhere = diagnostic(file_node("x", "b.md"), SCHEMA, 0)
    nowhere = Diagnostic(SCHEMA, "warning", "message", None)
    assert suppressions_of(node).filter([elsewhere, nowhere]) == ([elsewhere, nowhere], [])


def test_a_diagnostic_at_the_end_of_the_text_lies_in_its_last_line() -> None:
    text = "x toolsurface-lint: ignore-line"
    node = file_node(text)
    assert suppressions_of(node).filter([diagnostic(node, SCHEMA, len(text), len(text))])[0] == []


def test_a_prompt_inside_json_is_filtered_at_its_raw_place() -> None:
    text = '{"a": 1, "system": "\\u00e9 one\\n<!-- harn-tool-surface: ignore-next-line -->\\nrun_a(1)\\nrun_b(1)"}'
    source = SourceText("a.json", text)
    node = read_json(source).trees[0].root.get("system")
    assert node is not None
    suppressions = Suppressions()
    suppressions.add(SuppressedText(node, directives(node.value), []))
    hidden, shown = (diagnostic(node, UNKNOWN_TOOL, text.index(name)) for name in ("run_a", "run_b"))
    assert suppressions.filter([hidden, shown])[0] == [shown]
    assert list(suppressions.problems(CODES)) == []


# --- what is wrong with directives ---


def test_a_used_directive_is_not_spoken_of() -> None:
    text = "x toolsurface-lint: ignore-line[TOOL_SCHEMA, INPUT_SYNTAX_ERROR]"
    node = file_node(text)
    suppressions = suppressions_of(node)
    suppressions.filter([diagnostic(node, SCHEMA, 0), diagnostic(node, "INPUT_SYNTAX_ERROR", 0)])
    assert list(suppressions.problems(CODES)) == []


def test_each_code_that_did_not_fire_is_unused() -> None:
    text = "x toolsurface-lint: ignore-line[TOOL_SCHEMA, INPUT_SYNTAX_ERROR]"
    node = file_node(text)
    suppressions = suppressions_of(node)
    suppressions.filter([diagnostic(node, SCHEMA, 0)])
    (problem,) = suppressions.problems(CODES)
    start = text.index("INPUT")
    assert (problem.kind, problem.at.span()) == ("unused/code", Span(start, start + len("INPUT_SYNTAX_ERROR")))
    assert list(suppressions.problems(CODES, enabled=[SCHEMA])) == []


@pytest.mark.parametrize(
    ("text", "unused"),
    [
        ("harn-tool-surface: ignore-next-line\nrun_a(1)", False),
        # An undeclared name that does not look like a tool is a reference all the same.
        ("harn-tool-surface: ignore-next-line\ndeploy(1)", False),
        ("harn-tool-surface: ignore-next-line\n\nrun_a(1)", True),
        ("only prose tool-surface-ignore", True),
        ("harn-tool-surface: ignore-start\n```\nrun_a(1)\n```\nharn-tool-surface: ignore-end", False),
        ("harn-tool-surface: ignore-start\nx\nharn-tool-surface: ignore-end", True),
        ("toolsurface-lint: ignore-line run_a(1)", False),
        ("toolsurface-lint: ignore-line", True),
        ("```\ntool-surface-ignore\n```", False),
    ],
)
def test_a_directive_is_unused_if_it_hides_no_reference(text: str, unused: bool) -> None:
    assert [kind for kind, _ in problems(text, prompt=True)] == (["unused/directive"] if unused else [])


def test_an_unknown_code_names_the_one_meant() -> None:
    node = file_node("x toolsurface-lint: ignore-line[TOOL_SCHEMA_INVALD]")
    (problem,) = suppressions_of(node).problems(CODES)
    values = {"name": "TOOL_SCHEMA_INVALD", "near": ("TOOL_SCHEMA_INVALID",)}
    assert (problem.kind, problem.values) == ("unknown_code", values)


@pytest.mark.parametrize("prefix", [HARN, OWN])
def test_an_open_block_is_reported_once(prefix: str) -> None:
    text = f"a\n{prefix}: ignore-start\nb"
    assert problems(text) == [("unclosed", f"{prefix}: ignore-start")]


def test_an_end_without_a_start_closes_nothing() -> None:
    assert problems("toolsurface-lint: ignore-end") == [("unused/end", "toolsurface-lint: ignore-end")]


def test_one_directive_read_twice_counts_once() -> None:
    text = "a: x # tool-surface-ignore"
    source = SourceText("a.yaml", text)
    whole = TextTree(source).root
    part: Tree = TextTree(source, 3)
    suppressions = Suppressions()
    for node in (whole, part.root):
        suppressions.add(SuppressedText(node, directives(node.value), []))
    assert [problem.kind for problem in suppressions.problems(CODES)] == ["unused/directive"]


def test_prompt_rules_are_those_about_prompt_text() -> None:
    assert is_prompt_rule("PROMPT_ANYTHING")
    assert is_prompt_rule("TOOL_SURFACE_DEPRECATED_ARG_ALIAS")
    assert not is_prompt_rule("TOOL_SURFACE_MISSING_SCHEMA")


# --- the last day ---

LAST = "2027-02-28"
BEFORE, AFTER = date(2027, 2, 28), date(2027, 3, 1)


@pytest.mark.parametrize(
    ("rest", "until", "reason"),
    [
        (" until=2027-02-28", LAST, ""),
        (" until=2027-02-28 the host is replaced", LAST, "the host is replaced"),
        (" the host is replaced until=2027-02-28", LAST, "the host is replaced"),
        (" one until=2027-02-28 two", LAST, "one two"),
        (" until=2027-02-28 -- why -->", LAST, "why"),
        (" until=2027-02-28 */", LAST, ""),
        (" until=2027-02-28 #}}", LAST, ""),
        (" why <!-- toolsurface-lint: ignore-line until=2027-02-28", None, "why"),
        (" why # tool-surface-ignore", None, "why"),
        (" until the host is replaced", None, "until the host is replaced"),
        (" see wait(until=1)", None, "see wait(until=1)"),
    ],
)
@pytest.mark.parametrize("codes", ["", "[ABC]"])
def test_a_last_day_stands_before_or_after_the_reason(codes: str, rest: str, until: str | None, reason: str) -> None:
    text = f"\U0001f600 toolsurface-lint: ignore-line{codes}{rest}"
    directive, *_ = directives(text)
    assert directive.problem is None
    assert directive.reason == reason
    assert (directive.until and directive.until.text) == until
    if directive.until is not None:
        assert text[slice(*directive.until.span)] == LAST


@pytest.mark.parametrize(
    ("rest", "quoted"),
    [
        (" until=2027-02-29 why", "2027-02-29"),
        (" until=2027-2-28", "2027-2-28"),
        (" until=20270228", "20270228"),
        (" until=2027-W08-7", "2027-W08-7"),
        (" until=0000-01-01", "0000-01-01"),
        (" until=\u0662\u0660\u0662\u0667-02-28", "\u0662\u0660\u0662\u0667-02-28"),
        (" until=tomorrow", "tomorrow"),
        (" until= 2027-02-28", "until="),
        (" until 2027-02-28", "until 2027-02-28"),
        (": until: 28.2.2027", "until: 28.2.2027"),
        (" Until = 2027-02-28", "Until = 2027-02-28"),
    ],
)
def test_a_day_that_is_none_is_malformed_at_its_place(rest: str, quoted: str) -> None:
    text = f"\u00e9 toolsurface-lint: ignore-line[TOOL_SCHEMA]{rest}"
    assert problems(text) == [("malformed/day", quoted)]
    node = file_node(text)
    shown = [diagnostic(node, SCHEMA, 0)]
    assert suppressions_of(node).filter(shown)[0] == shown


def test_markers_of_the_specification_have_no_last_day() -> None:
    (directive,) = directives("x harn-tool-surface: ignore-line until=2027-02-28")
    assert (directive.until, directive.reason) == (None, "until=2027-02-28")


@pytest.mark.parametrize("codes", ["", "[TOOL_SCHEMA]"])
def test_it_holds_to_the_end_of_its_last_day(codes: str) -> None:
    text = f"x toolsurface-lint: ignore-line{codes} until={LAST} why"
    node = file_node(text)
    found = [diagnostic(node, SCHEMA, 0)]
    holding = suppressions_of(node, today=BEFORE)
    kept, ((hidden, _, reason),) = holding.filter(found)
    assert (kept, hidden, reason) == ([], found[0], "why")
    assert list(holding.problems(CODES)) == []
    expired = suppressions_of(node, today=AFTER)
    assert expired.filter(found) == (found, [])
    (problem,) = expired.problems(CODES)
    span = problem.at.span()
    assert span is not None
    assert (problem.kind, text[slice(*span)]) == ("expired/directive", LAST)
    assert problem.values == {"text": f"toolsurface-lint: ignore-line{codes}", "day": LAST}


def test_lines_with_a_last_day_stay_part_of_the_prompt() -> None:
    text = f"toolsurface-lint: ignore-start until={LAST}\nrun_a(1)\ntoolsurface-lint: ignore-end\n"
    start, end = directives(text)
    assert (start.closed, end.closed) == (True, True)
    assert hidden_lines([start]) == []
    # A next line inside is still there to be spent on.
    inside = text.replace("run_a", "toolsurface-lint: ignore-next-line[A]\nrun_a")
    assert [inside[slice(*span)] for span in directives(inside)[1].covered][-1] == "run_a(1)\n"


def test_the_end_of_a_block_has_no_last_day() -> None:
    text = f"toolsurface-lint: ignore-start\nrun_a(1)\ntoolsurface-lint: ignore-end until={LAST}\n"
    assert problems(text, prompt=True) == [("malformed/end_day", LAST)]


def test_an_expired_example_in_fenced_code_is_an_example() -> None:
    text = "```\ntoolsurface-lint: ignore-line until=1999-12-31\n```\n"
    assert problems(text) == []


@pytest.mark.parametrize("text", ["2027-02-28", "0001-01-01", "9999-12-31", "2028-02-29"])
def test_days_of_the_calendar(text: str) -> None:
    assert is_day(text)


def test_the_day_of_an_epoch() -> None:
    assert day_of_epoch("0") == date(1970, 1, 1)
    assert day_of_epoch("1803859199") == BEFORE
    assert day_of_epoch("1803859200") == AFTER


@pytest.mark.parametrize("seconds", ["", "x", "-1", "1.5", "\u0661", "9" * 40])
def test_seconds_that_are_no_day(seconds: str) -> None:
    with pytest.raises(ValueError, match="second"):
        day_of_epoch(seconds)


# --- the settings ---


@pytest.fixture
def ignoring(tmp_path: Path, check: Callable[..., Report]) -> Callable[..., Report]:
    """Checks a policy with an unknown field that these settings ignore."""

    def run(settings: str, today: date, policy: str = '{"side_effect_level": "none", "odd": 1}') -> Report:
        (tmp_path / "policy.json").write_text(policy, encoding="utf-8")
        (tmp_path / "toolsurface.toml").write_text(settings, encoding="utf-8")
        return check(tmp_path, select=["POLICY", "SUPPRESSION"], today=today)

    return run


TABLE = '[[per-file-ignores]]\npath = "*.json"\ncodes = "POLICY"\npointer = "/odd"\nreason = "old hosts"\n'


def test_the_settings_hold_to_the_end_of_their_last_day(ignoring: Callable[..., Report]) -> None:
    for until in (f"until = {LAST}\n", f'until = "{LAST}"\n'):
        report = ignoring(TABLE + until, BEFORE)
        assert report.diagnostics == ()
        assert [(hidden.by, hidden.reason) for hidden in report.suppressed] == [(SETTINGS, "old hosts")]
        report = ignoring(TABLE + until, AFTER)
        back, expired = report.diagnostics
        assert (back.code, expired.code, expired.severity) == ("POLICY_UNKNOWN_FIELD", "SUPPRESSION_EXPIRED", "warning")
        assert expired.location is not None
        assert (expired.location.path, expired.location.range.start) == ("toolsurface.toml", (6, 9))
        assert report.suppressed == ()


def test_an_expired_table_may_be_ignored_itself(ignoring: Callable[..., Report]) -> None:
    more = '[[per-file-ignores]]\npath = "toolsurface.toml"\ncodes = "SUPPRESSION_EXPIRED"\n'
    report = ignoring(f"{TABLE}until = {LAST}\n{more}", AFTER)
    assert [diagnostic.code for diagnostic in report.diagnostics] == ["POLICY_UNKNOWN_FIELD"]


def test_a_table_for_nothing_that_was_checked_is_not_spoken_of(ignoring: Callable[..., Report]) -> None:
    report = ignoring(f"{TABLE.replace('*.json', 'other/*')}until = {LAST}\n", AFTER)
    assert [diagnostic.code for diagnostic in report.diagnostics] == ["POLICY_UNKNOWN_FIELD"]


def test_a_directive_for_what_the_settings_hide_too_is_used(tmp_path: Path, check: Callable[..., Report]) -> None:
    policy = "side_effect_level: none\nodd: 1  # toolsurface-lint: ignore-line[POLICY_UNKNOWN_FIELD]\n"
    (tmp_path / "policy.yaml").write_text(policy, encoding="utf-8")
    (tmp_path / "toolsurface.toml").write_text(TABLE.replace("json", "yaml"), encoding="utf-8")
    assert check(tmp_path, select=["POLICY", "SUPPRESSION"]).diagnostics == ()


def test_directives_are_read_in_json_whose_host_reads_comments(tmp_path: Path) -> None:
    text = '{\n  "side_effect_level": "none",\n  // toolsurface-lint: ignore-next-line[POLICY] why\n  "odd": 1\n}\n'
    (tmp_path / "policy.jsonc").write_text(text, encoding="utf-8")
    report = check_paths([str(tmp_path)], isolated=True, select=["POLICY", "SUPPRESSION", "INPUT"])
    assert report.diagnostics == ()
    assert [hidden.reason for hidden in report.suppressed] == ["why"]
