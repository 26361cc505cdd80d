"""The summary in Markdown, as a Markdown parser with tables reads it."""

import re
from html import unescape

from markdown_it import MarkdownIt

from toolsurface_lint import rule_pages
from toolsurface_lint.diagnostics import Report
from toolsurface_lint.reporters import render

HOSTILE = "a|b *c* _d_ <img src=x> [e](f) @octocat #12 \\ ~~g~~ ![h](i) & &lt; $x$ \x1b\n- j"


def table(text):
    """The cells of the table, as inline HTML."""
    html = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)
    rows = re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)
    return [re.findall(r"<t[hd]>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]


def test_a_sample(sample):
    text = render("markdown", sample)
    assert text.startswith("### toolsurface-lint: 1 error, 1 warning, 1 info\n")
    header, *rows = table(text)
    assert header == ["severity", "rule", "place", "finding"]
    url = rule_pages.url("TOOL_MISSING_SCHEMA")
    assert rows[1] == [
        "warning",
        f'<a href="{url}">TOOL_MISSING_SCHEMA</a>',
        "<code>tools.json:2</code>",
        "tool <code>read_file</code> has no parameter schema<br>add <code>parameters</code>, an object schema",
    ]
    assert [row[0] for row in rows] == ["error", "warning", "info"]
    assert "Checked 1 surface: 2 tools, 1 prompt in 2 files; skipped 1 (not recognised)." in text


def test_nothing_found(build):
    text = render("markdown", Report((), counts={"files": 1}))
    assert text == "### toolsurface-lint: no problems\n\nNo problems found. Checked no surface in 1 file.\n"


def test_nothing_checked(build):
    text = render("markdown", build.report())
    assert text == "### toolsurface-lint: nothing was checked\n\nNothing was checked.\n"


def test_text_from_linted_files_is_neither_markup_nor_a_mention(build):
    build.file("a|b*.md", "x")
    build.add("SOME_CODE", "error", f"`{HOSTILE}` and {HOSTILE}", build.at("a|b*.md", "x"), help="`` ` one backtick")
    text = render("markdown", build.report())
    _, (_, _, place, finding) = table(text)
    assert place == "<code>a|b*.md:1</code>"
    shown = HOSTILE.replace("\x1b", "\\x1b").replace("\n", "\\n")
    tags = re.findall(r"<[^>]*>", finding)
    assert set(tags) <= {"<code>", "</code>", "<br>", "<!-- -->"}
    words = unescape(re.sub(r"<[^>]*>", "", finding))
    assert words == f"{shown} and {shown} ` one backtick"
    assert not re.search(r"@\w|(?<!&)#\d", text)


def test_a_long_list_is_cut_and_says_so(build):
    build.file("a.md", "x" * 200)
    for at in range(150):
        build.add("SOME_CODE", "info", "`" + "m" * 1000 + "`", build.span("a.md", at, at + 1))
    build.add("GRAVE", "error", "m", build.span("a.md", 150, 151))
    text = render("markdown", build.report())
    _, *rows = table(text)
    assert len(rows) == 100
    assert rows[0][0] == "error"
    assert "\n51 more are not shown.\n" in text
    assert len(text) < 65_536
