import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.checks.pages import url
from toolsurface_lint.model.diagnostics import Diagnostic, Location, Report, Rule, Skipped
from toolsurface_lint.model.unseen import LIMIT, Unseen
from toolsurface_lint.reporters import RenderOptions, render
from toolsurface_lint.reporters.characters import cells
from toolsurface_lint.source.text import LineIndex, SourceText, Span


def blocks(report, **options):
    """The blocks of the findings, without the closing line."""
    return render("text", report, RenderOptions(**options)).split("\n\n")[:-1]


def excerpt(text, start, end, **options):
    """The line and the marks below it for one range of a text."""
    source = SourceText("a.txt", text)
    span = Span(start, end)
    location = Location("a.txt", source.lines.range(span), span)
    report = Report((Diagnostic("SOME_CODE", "error", "wrong", location),), sources={"a.txt": source})
    lines = render("text", report, RenderOptions(**options)).split("\n\n")[0].split("\n")
    return [re.sub(r"^ *\d* \| ?", "", line) for line in lines[2:4]]


def test_whole_report(sample):
    assert (
        render("text", sample)
        == """\
prompts/system.md:1:6: error[PROMPT_UNKNOWN_TOOL] `read_flie` is no tool of this surface; did you mean `read_file`?
  |
1 | Use `read_flie` to look at a file.
  |      ^^^^^^^^^
  |
note: tools.json:2:12: `read_file` is declared here
  |
2 |   {"name": "read_file", "description": "Reads a file."},
  |            -----------
  |
help: replace with `read_file`

tools.json:2:12: warning[TOOL_MISSING_SCHEMA] tool `read_file` has no parameter schema
  |
2 |   {"name": "read_file", "description": "Reads a file."},
  |            ^^^^^^^^^^^
  |
help: add `parameters`, an object schema

tools.json:3:12: info[TOOL_MISSING_DESCRIPTION] tool `search` has no description
  |
3 |   {"name": "search", "parameters": {"type": "object"}}
  |            ^^^^^^^^

Found 1 error, 1 warning, 1 info. Checked 1 surface: 2 tools, 1 prompt in 2 files; skipped 1 (not recognised).
"""
    )


def test_what_findings_of_a_rule_share_is_said_once(build):
    """The same place, and advice that is the same for all; never what was meant by a name."""
    build.file("a.md", "one two three")
    build.file("tools.json", "[tool]")
    here = ("1 tool is declared here", build.at("tools.json", "tool"))
    for name in ("one", "two"):
        build.add("TOOL_A", "error", name, build.at("a.md", name), (here,), help="declare it")
    other = ("`three` is declared here", build.at("tools.json", "tool"))
    build.add("TOOL_A", "error", "three", build.at("a.md", "three"), (here, other), help="did you mean `x`?")
    build.add("TOOL_A", "error", "three", build.at("a.md", "three"), (here, other), help="did you mean `x`?")
    build.add("TOOL_B", "error", "four", build.at("a.md", "one"), (here,), help="declare it")
    rules = (
        Rule("TOOL_A", "error", "A.", "x", "0.1.0", help={"unknown": "declare it"}),
        Rule("TOOL_B", "error", "B.", "x", "0.1.0", help="declare it"),
    )
    shown = [block.split("\n")[1:] for block in blocks(build.report(rules=rules), snippets=False)]
    note = "note: tools.json:1:2: 1 tool is declared here"
    assert shown == [
        [note, "help: declare it"],
        [],
        ["note: tools.json:1:2: `three` is declared here", "help: did you mean `x`?"],
        ["help: did you mean `x`?"],
        [note, "help: declare it"],
    ]


def test_without_snippets_everything_else_stays(sample):
    assert blocks(sample, snippets=False)[0].split("\n") == [
        render("concise", sample).split("\n")[0],
        "note: tools.json:2:12: `read_file` is declared here",
        "help: replace with `read_file`",
    ]


def test_a_file_that_is_not_at_hand_has_no_snippet(sample):
    sample.sources.clear()
    assert "|" not in render("text", sample)


def test_colour_changes_no_character(sample):
    coloured = render("text", sample, RenderOptions(colour=True))
    assert "\x1b[1;31merror[PROMPT_UNKNOWN_TOOL]\x1b[0m" in coloured
    assert "\x1b[1;33m^^^^^^^^^^^\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == render("text", sample)


LINK = "\x1b]8;;{}\x1b\\{}\x1b]8;;\x1b\\"


@pytest.mark.parametrize("form", ["text", "concise"])
def test_codes_are_links_to_their_pages(sample, form):
    shown = render(form, sample, RenderOptions(colour=True, links=True))
    code = "TOOL_MISSING_SCHEMA"
    assert f"\x1b[1;33mwarning[{LINK.format(url(code), code)}]\x1b[0m " in shown
    plain = re.sub(r"\x1b\[[\d;]*m|\x1b\]8;[^\x1b]*\x1b\\", "", shown)
    assert plain == render(form, sample)


@pytest.mark.parametrize("form", ["text", "concise"])
def test_each_rule_is_explained_once(build, form):
    build.file("a.json", "[]")
    for code in ("TOOL_NAME_VAGUE", "TOOL_NAME_INVALID", "TOOL_NAME_INVALID", "NO_SUCH_CODE"):
        build.add(code, "error", "wrong", build.at("a.json", "["))
    report = build.report()
    plain = render(form, report)
    shown = render(form, report, RenderOptions(explain=True, width=60))
    closing = plain.split("\n")[-2]
    assert shown.startswith(plain.removesuffix(f"{closing}\n").rstrip("\n"))
    assert shown.endswith(f"\n\n{closing}\n")
    first, second = shown.split("\n\n")[-3:-1]
    assert first.split("\n")[0] == "TOOL_NAME_INVALID: A tool's name is not one that its provider accepts."
    assert first.split("\n")[1].startswith("  The provider refuses the whole request because of one bad")
    assert first.split("\n")[-1] == "  more: toolsurface-lint rule TOOL_NAME_INVALID"
    assert max(map(len, first.split("\n")[1:])) <= 60
    assert second.startswith("TOOL_NAME_VAGUE: ")
    assert "NO_SUCH_CODE: " not in shown


def test_nothing_is_explained_where_nothing_was_found(build):
    options = RenderOptions(explain=True)
    assert render("text", build.report(), options) == render("text", build.report())
    assert render("concise", build.report(), options) == render("concise", build.report())


def test_every_rule_has_an_explanation():
    from toolsurface_lint.checks import all_rules
    from toolsurface_lint.reporters.explanations import explanations

    rules = all_rules()
    report = Report(tuple(Diagnostic(rule.code, rule.severity, "x", None) for rule in rules))
    blocks = explanations(report, RenderOptions())
    assert len(blocks) == len(rules)
    for block, rule in zip(blocks, sorted(rules, key=lambda rule: rule.code), strict=True):
        assert block.startswith(f"{rule.code}: {rule.summary}\n  ")
        assert len(block.split("\n")) >= 3, rule.code


def test_gutter_is_as_wide_as_the_greatest_line_number(build):
    build.file("a.txt", "first\n" * 9 + "tenth\n")
    build.add("SOME_CODE", "error", "wrong", build.at("a.txt", "first"), (("here too", build.at("a.txt", "tenth")),))
    assert blocks(build.report())[0].split("\n")[1:] == [
        "   |",
        " 1 | first",
        "   | ^^^^^",
        "   |",
        "note: a.txt:10:1: here too",
        "   |",
        "10 | tenth",
        "   | -----",
    ]


def test_plain_data_has_no_place(build):
    build.add("SOME_CODE", "warning", "tool `x` is wrong", None, help="mend it")
    assert blocks(build.report()) == ["warning[SOME_CODE] tool `x` is wrong\nhelp: mend it"]


def test_many_related_places_are_cut_short(build):
    build.file("a.txt", "x")
    related = tuple((f"place {number}", build.at("a.txt", "x")) for number in range(7))
    build.add("SOME_CODE", "error", "wrong", build.at("a.txt", "x"), related)
    notes = [line for line in blocks(build.report())[0].split("\n") if line.startswith("note:")]
    assert [note[-7:] for note in notes[:5]] == [f"place {number}" for number in range(5)]
    assert notes[5:] == ["note: and 2 more places"]


@pytest.mark.parametrize(
    ("text", "marked", "line", "marks"),
    [
        ("say read_flie", "read_flie", "say read_flie", "    ^^^^^^^^^"),
        ("\U0001f600\U0001f600 x", "x", "\U0001f600\U0001f600 x", "     ^"),
        ("\u5de5\u5177 x", "\u5177", "\u5de5\u5177 x", "  ^^"),
        ("cafe\u0301 x", "x", "cafe\u0301 x", "     ^"),
        ("\U0001f469\u200d\U0001f4bb x", "x", "\U0001f469\u200d\U0001f4bb x", "   ^"),
        ("\U0001f44d\U0001f3fd x", "x", "\U0001f44d\U0001f3fd x", "   ^"),
        ("\u2764\ufe0f x", "x", "\u2764\ufe0f x", "   ^"),
        ("\U0001f469\U0001f3fd\u200d\u2695\ufe0f x", "x", "\U0001f469\U0001f3fd\u200d\u2695\ufe0f x", "   ^"),
        ("\U0001f1e9\U0001f1ea x", "x", "\U0001f1e9\U0001f1ea x", "   ^"),
        ("\u0915\u094d\u200d\u0937 x", "x", "\u0915\u094d\u200d\u0937 x", "   ^"),
        ("\u1112\u1161\u11ab x", "x", "\u1112\u1161\u11ab x", "   ^"),
        ("\uff41\uff76 x", "x", "\uff41\uff76 x", "    ^"),
        ("\tkey: x", "x", "    key: x", "         ^"),
        ("a\u200bb", "\u200b", "a\\u200bb", " ^^^^^^"),
        ("a\x1b[31mb", "b", "a\\x1b[31mb", "         ^"),
        ("a\u202eb", "b", "a\\u202eb", "       ^"),
        ("a\u0085b\u2028c", "c", "a\\x85b\\u2028c", "            ^"),
    ],
    ids=[
        *("ascii", "emoji", "wide", "combining", "joined", "skin", "emoji style", "joined style", "flag", "conjunct"),
        *("syllable", "half width", "tab"),
        *("invisible", "escape", "bidi", "separators"),
    ],
)
def test_marks_stand_under_the_range(text, marked, line, marks):
    start = text.index(marked)
    assert excerpt(f"before\n{text}\nafter\n", 7 + start, 7 + start + len(marked)) == [line, marks]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_a_range_of_several_lines_is_marked_to_the_end_of_the_first(line_end):
    text = f"one two{line_end}three"
    assert excerpt(text, 4, len(text)) == ["one two", "    ^^^"]


@pytest.mark.parametrize(
    ("text", "start", "line", "marks"),
    [
        ("abc", 3, "abc", "   ^"),
        ("abc\r\n", 3, "abc", "   ^"),
        ("abc\r\nd", 4, "abc", "   ^"),
        ("abc\n", 4, "", "^"),
    ],
    ids=["end of file", "line end", "inside the line end", "after the last line"],
)
def test_an_empty_range_has_one_mark(text, start, line, marks):
    assert excerpt(text, start, start) == [line, marks]


def test_an_empty_file_has_no_line_to_show(build):
    build.file("a.txt", "")
    build.add("SOME_CODE", "error", "wrong", build.span("a.txt", 0, 0))
    assert blocks(build.report()) == ["a.txt:1:1: error[SOME_CODE] wrong"]


def test_a_long_line_is_cut_around_the_range():
    text = "a" * 500 + "HERE" + "b" * 500
    line, marks = excerpt(text, 500, 504, width=64)
    assert line == "..." + "a" * 18 + "HERE" + "b" * 32 + "..."
    assert marks == " " * 21 + "^^^^"


@pytest.mark.parametrize("width", [60, 100, 200])
@pytest.mark.parametrize("filler", ["a", "\u5de5", "\U0001f469\u200d\U0001f4bb", "e\u0301", "\t", "\u200b"])
def test_a_line_takes_no_more_than_the_width_of_the_terminal(width, filler):
    text = filler * 300 + "HERE" + filler * 300
    line, marks = excerpt(text, 300 * len(filler), 300 * len(filler) + 4, width=width)
    columns = [count for _, count in cells(line)]
    # The gutter, `1 | `, stands before both.
    assert width - 12 < sum(columns) + 4 <= width
    assert line.startswith("...")
    assert line.endswith("...")
    assert marks == " " * sum(columns[: line.index("HERE")]) + "^^^^"


def test_the_lines_of_a_report_are_those_of_the_terminal(build):
    build.file("a.json", "x" * 90 + " " + "y" * 90)
    build.add("SOME_CODE", "error", "wrong", build.span("a.json", 91, 92))
    lengths = {width: max(map(len, blocks(build.report(), width=width)[0].split("\n"))) for width in (60, 100, 200)}
    assert lengths == {60: 60, 100: 100, 200: 4 + 181}


def test_a_long_line_is_shown_whole_at_its_ends():
    text = "HERE" + "b" * 500
    assert excerpt(text, 0, 4, width=64) == ["HERE" + "b" * 50 + "...", "^^^^"]
    text = "a" * 500 + "HERE"
    assert excerpt(text, 500, 504, width=64) == ["..." + "a" * 50 + "HERE", " " * 53 + "^^^^"]


def test_a_place_inside_the_line_end_of_a_long_line():
    assert excerpt("a" * 500 + "\r\nb", 501, 501, width=64) == ["..." + "a" * 54, " " * 57 + "^"]


def test_a_range_longer_than_the_line_is_marked_as_far_as_it_is_shown():
    line, marks = excerpt("a" * 30 + "B" * 900, 30, 930, width=64)
    assert line == "..." + "a" * 18 + "B" * 36 + "..."
    assert marks == " " * 21 + "^" * 36


def test_a_long_line_is_not_repeated_in_a_note(build):
    build.file("min.json", "x" * 1000)
    build.file("a.txt", "word")
    build.add("SOME_CODE", "error", "wrong", build.at("a.txt", "word"), (("there", build.span("min.json", 500, 501)),))
    assert blocks(build.report())[0].split("\n")[-2:] == ["  |", "note: min.json:1:501: there"]


def test_a_file_that_has_shrunk_meanwhile_has_no_snippet(build):
    build.file("a.txt", "one\ntwo\nthree\n")
    build.add("SOME_CODE", "error", "wrong", build.at("a.txt", "three"))
    build.sources["a.txt"] = SourceText("a.txt", "one\n")
    assert blocks(build.report()) == ["a.txt:3:1: error[SOME_CODE] wrong"]


def test_nothing_quoted_can_steer_the_terminal(build):
    evil = "\x1b]0;title\x07\x9b1m\u202e\udc80\n"
    shown = "\\x1b]0;title\\x07\\x9b1m\\u202e\\udc80\\n"
    build.file(f"{evil}.md", f"{evil}x")
    place = build.at(f"{evil}.md", "x")
    build.add("SOME_CODE", "error", f"`{evil}`", place, ((evil, place),), help=evil)
    report = build.report(skipped=(Skipped("a", evil),))
    text = render("text", report)
    assert f"{shown}.md:2:1: error[SOME_CODE] `{shown}`" in text
    assert f"help: {shown}" in text
    assert f"note: {shown}.md:2:1: {shown}" in text
    assert f"skipped 1 ({shown})." in text
    for format in ("text", "concise", "github"):
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\udc80]", render(format, report))


def test_joiners_of_emoji_stay():
    assert excerpt("\U0001f469\u200d\U0001f4bb x", 4, 5)[0] == "\U0001f469\u200d\U0001f4bb x"


@given(
    st.text(st.sampled_from("ab \t\n\r\u00e9\u5de5\U0001f600\u0301\u200b\x1b\x85\u2028"), min_size=1, max_size=60),
    st.integers(0, 60),
    st.integers(0, 60),
    st.integers(0, 60),
)
def test_every_range_of_every_text_can_be_shown(text, start, length, width):
    start = min(start, len(text))
    stop = min(start + length, len(text))
    line, marks = excerpt(text, start, stop, width=width)
    assert set(marks.lstrip(" ")) == {"^"}
    position = LineIndex(text).position(start)
    whole = len(line) <= 40 and not line.startswith("...")
    if whole and text.isascii() and text.isprintable():
        assert marks.index("^") == position.column - 1


@pytest.mark.parametrize(
    ("counts", "skipped", "line"),
    [
        ({}, [], "Nothing was checked."),
        ({"files": 1}, [], "No problems found. Checked no surface in 1 file."),
        ({"files": 2, "prompts": 2}, [], "No problems found. Checked 2 prompts in 2 files."),
        ({"surfaces": 1, "tools": 1}, [], "No problems found. Checked 1 surface: 1 tool."),
        (
            {"files": 9, "surfaces": 2, "tools": 0, "policies": 1, "prompts": 1, "templates": 1},
            [],
            "No problems found. Checked 2 surfaces: 0 tools, 1 prompt, 1 policy, 1 template in 9 files.",
        ),
        (
            {"files": 3, "surfaces": 1, "tools": 4, "policies": 2, "transcripts": 1, "turns": 1, "calls": 12},
            [],
            "No problems found. Checked 1 surface: 4 tools, 2 policies, 1 transcript (1 turn, 12 calls) in 3 files.",
        ),
        (
            {"suppressed": 3},
            ["not recognised", "not recognised", "no protocol"],
            "No problems found. Checked no surface; suppressed 3; skipped 3 (2 not recognised, 1 no protocol).",
        ),
        (
            {},
            ["a", "b", "c", "d", "e"],
            "Nothing was checked; skipped 5 (1 a, 1 b, 1 c, 2 for other reasons).",
        ),
    ],
)
def test_closing_line_accounts_for_what_was_checked(counts, skipped, line):
    report = Report((), counts=counts, skipped=tuple(Skipped("x", reason) for reason in skipped))
    assert render("text", report) == f"{line}\n"
    assert render("concise", report) == f"{line}\n"


def test_several_findings_of_a_severity_are_counted(build):
    for severity in ("error", "error", "warning", "warning", "info", "info"):
        build.add("SOME_CODE", severity, "wrong", None)
    assert render("text", build.report()).endswith("Found 2 errors, 2 warnings, 2 info. Checked no surface.\n")


UNCHECKED = Report(
    (),
    counts={"surfaces": 3, "tools": 2, "open_surfaces": 2, "prompts": 1, "prompts_without_tools": 1},
    open_reasons=(
        *(Unseen(f"a tool of class `{name}`", "a.py", line) for line, name in enumerate("AB", 1)),
        *(Unseen("tools in a loop", "b.py", line) for line in (3, 4, 5)),
        Unseen("a file that could not be read", "c\x1b[1m.py"),
        Unseen("no place"),
        Unseen("one more"),
    ),
    without_tools=("a.md", "b.md"),
    unread_tools=(Unseen("`registerTool(` in Go", "a.go", 1), Unseen("`addTool(` in Go", "b.go", 2)),
)


@pytest.mark.parametrize(("cause", "first"), [(LIMIT, "  1: half of it (b.py:3)"), ("", "  2: reason 0 (a.py:1)")])
def test_what_was_left_out_is_said_before_any_other_reason(cause: str, first: str) -> None:
    others = (Unseen(f"reason {number}", "a.py", line) for number in range(9) for line in (1, 2))
    counts = {"surfaces": 3, "tools": 2, "open_surfaces": 2}
    report = Report((), counts=counts, open_reasons=(*others, Unseen("half of it", "b.py", 3, cause)))
    assert render("text", report).split("\n")[2] == first


def test_the_main_reasons_follow_the_closing_line():
    lines = render("text", UNCHECKED).split("\n")
    assert lines == [
        "No problems found. Checked 3 surfaces: 2 tools, 1 prompt.",
        "2 of 3 surfaces are open: they may have tools that were not seen, so unknown names are not reported there.",
        "  3: tools in a loop (b.py:3)",
        "  2: a tool of class `A`, and the like (a.py:1)",
        "  1: a file that could not be read (c\\x1b[1m.py)",
        "  2: other reasons (`toolsurface-lint surface` lists them)",
        "1 prompt was checked against no tools, such as a.md.",
        "2 files seem to have tools, but none was understood.",
        "  2: `registerTool(` in Go, and the like (a.go:1)",
        "",
    ]
    assert render("concise", UNCHECKED) == render("github", UNCHECKED) == render("stats", UNCHECKED) == "\n".join(lines)
    for form in ("markdown", "sarif", "json"):
        assert "\x1b" not in render(form, UNCHECKED)
