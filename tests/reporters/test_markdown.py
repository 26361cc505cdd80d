"""The summary in Markdown, as a Markdown parser with tables reads it."""

import os
import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from toolsurface_lint.checks import pages as rule_pages
from toolsurface_lint.model.diagnostics import Diagnostic, Location, Report, Skipped
from toolsurface_lint.model.unseen import Unseen
from toolsurface_lint.reporters import RenderOptions, render
from toolsurface_lint.source.text import Position, Range, Span

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


LINKED = (
    "www.evil.test", "WWW.evil.test/a", "http://evil.test", "https://a:b@evil.test/?q=1", "HTTPS://evil.test", "ftp://evil.test",
    "mailto:a@evil.test", "xmpp:a@evil.test/b", "a.b+c@evil.test", "//evil.test", "evil.com", "tools.json", "1.2.3.4",
    "@octocat", "a/b#12", "a/b@0123abc", "#12", "GH-12", "gh-1", "!12", "%1", '%"a"', "0123456", "deadbeef" * 5, ":tada:",
    ":+1:", "<https://evil.test>", "<a@evil.test>", "[a](http://evil.test)", "![a](http://evil.test)", "[a]: http://evil.test",
    "[[a]]", "<b>", "<img src=http://evil.test>", "&#64;a", "&commat;a", "$a$", "~~a~~", "**a**", "``", "`", "|", "\\",
)  # fmt: skip
TAGS = {"h3", "p", "table", "thead", "tbody", "tr", "th", "td", "code", "br", "!-- --"}
PARTS = st.lists(
    st.sampled_from((*LINKED, " ", "\n", "(", ")", "a", ".", ":", "/", "-", "_", "\u00e9")), max_size=8
).map("".join)


@pytest.mark.slow
@given(PARTS, PARTS, PARTS)
def test_nothing_of_linted_files_becomes_a_link_a_mention_or_markup(path: str, message: str, help: str) -> None:
    place = Location(path or "x", Range(Position(1, 1), Position(1, 2)), Span(0, 1))
    report = Report(
        (Diagnostic("SOME_CODE", "error", message, place, help=help or None),), skipped=(Skipped(path, message),)
    )
    text = render("markdown", report, RenderOptions(root=os.getcwd()))
    own = f'<a href="{rule_pages.url("SOME_CODE")}">'
    for preset in ("commonmark", "gfm-like"):
        html = MarkdownIt(preset, {"html": True}).enable("table").render(text)
        tags = set(re.findall(r"<[^>]*>", html)) - {own, "</a>"}
        assert {tag.strip("</>") for tag in tags} <= TAGS
        assert html.count("<a ") == 1
    # What hosts look for once a text is rendered: a comment keeps the pieces apart.
    for piece in re.split(r"<[^>]*>", html.replace(own + "SOME_CODE", "")):
        piece = unescape(piece)
        assert not re.search(
            r"(?i)@[\w]|#\d|\bgh-\d|://|mailto:.|xmpp:.|www\..|:[\w+-]+:|[!%][\w\"]|\b[0-9a-f]{7,40}\b", piece
        )


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


def test_what_could_not_be_checked_is_a_list():
    reasons = (Unseen("a tool of class `A|B`", "a_b.py", 3), Unseen("@octocat"))
    counts = {"surfaces": 1, "tools": 1, "open_surfaces": 1}
    text = render("markdown", Report((), counts=counts, open_reasons=reasons, without_tools=()))
    assert text.split("\n\n")[2].startswith("The surface is open: it may have tools")
    html = MarkdownIt().render(text)
    assert [unescape(item) for item in re.findall("<li>(.*?)</li>", html)] == [
        "1: @<!-- -->octocat",
        "1: a tool of class `A|B` (a_b.py:3)",
    ]
