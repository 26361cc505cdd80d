"""The text of literals in TypeScript, and where each of its characters is written."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.long import examples
from tests.work import lines_run
from toolsurface_lint.readers.programs.tools import read_programs
from toolsurface_lint.source.syntax import ByteOffsets, parse_syntax
from toolsurface_lint.source.text import GAP, SourceText
from toolsurface_lint.source.typescript import ScriptTree, decode_string, literals, text_offsets

# What is written, and the text that it stands for.
PARTS = st.one_of(
    st.sampled_from([
        (r"\n", "\n"), (r"\t", "\t"), (r"\\", "\\"), (r"\'", "'"), (r"\"", '"'), (r"\`", "`"), (r"\$", "$"), (r"\q", "q"),
        (r"\x41", "A"), (r"\u00e4", "ä"), (r"\u{1f6e0}", "\U0001f6e0"), ("\\\n", ""), ("\\\r\n", ""), (r"\0", "\0"),
        (r"\ud83d\udee0", "\U0001f6e0"), ("\U0001f6e0", "\U0001f6e0"), ("ä", "ä"),
    ]),
    st.characters(codec="utf-8", exclude_characters="\\'\"`$\n\r0123456789\u2028\u2029", exclude_categories=["Cs"]).map(
        lambda character: (character, character)
    ),
)  # fmt: skip
QUOTES = st.sampled_from("'\"`")


@settings(max_examples=examples(150), deadline=None)
@given(QUOTES, st.lists(PARTS, max_size=20))
def test_each_character_of_a_literal_lies_where_it_is_written(quote: str, parts: list[tuple[str, str]]) -> None:
    raw = quote + "".join(written for written, _ in parts) + quote
    expected: list[int] = []
    at = 1
    for written, stands_for in parts:
        expected.extend([at] * len(stands_for))
        at += len(written)
    text = "".join(stands_for for _, stands_for in parts)
    assert list(literals(raw)) == [(text, [*expected, at])]
    assert decode_string(raw) == text
    if text.strip():
        found = text_offsets(raw, text)
        assert found is not None
        assert list(found) == [*expected, at]


@settings(max_examples=examples(150), deadline=None)
@given(st.text(alphabet="`'\"\\${}/*ab \n\r", max_size=40))
def test_literals_of_anything_end_and_lie_inside(raw: str) -> None:
    last = 0
    for text, offsets in literals(raw):
        assert len(offsets) == len(text) + 1
        assert offsets == sorted(offsets)
        assert last <= offsets[0]
        last = offsets[-1]
        assert last <= len(raw)


@pytest.mark.parametrize(
    "unit", ["`${", "'a' + ", "`", "${`}", "\\", "'\\n", "/*", "//\n", "{", "`${'`' + `", "'\\u{'", "\\ud83d", "/"]
)
def test_literals_take_time_in_proportion(unit: str) -> None:
    def work(size: int) -> int:
        return lines_run(lambda: list(literals(unit * size)))

    assert work(2_000) < 4.5 * work(500) + 100


def test_half_a_pair_stays_half() -> None:
    assert list(literals(r"'\ud83d!'")) == [("\ud83d!", [1, 7, 8])]
    assert list(literals(r"'\udee0\ud83d'")) == [("\udee0\ud83d", [1, 7, 13])]


def test_a_template_has_gaps() -> None:
    raw = "`a${f(`}`) + '}' + {b: 1}}\r\nc`"
    assert list(literals(raw)) == [(f"a{GAP}\nc", [1, 2, 27, 28, 29])]


HEAD = 'import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";\nconst server = new McpServer({ name: "s" });\n'


def marked(description: str, wanted: str, before: str = "") -> str:
    """What a finding at a part of the description of the one tool would mark."""
    text = f'{HEAD}{before}server.registerTool("find", {{ description: {description} }}, run);\n'
    source = SourceText("server.ts", text)
    (tool,) = read_programs([source], language="typescript").tools
    assert tool.description is not None
    start = tool.description.value.index(wanted)
    span = tool.description.text_place(start, start + len(wanted)).span()
    assert span is not None
    return text[slice(*span)]


@pytest.mark.parametrize(
    ("description", "wanted", "written", "before"),
    [
        ("'Reads \\'one\\' note.'", "'one'", "\\'one\\'", ""),
        ('"\\u0060one\\u0060 note"', "one", "one", ""),
        # What stands elsewhere is marked by all that it is a part of.
        ("`Calls ${one}, then two.`", "one", "`Calls ${one}, then two.`", 'const one = "one";\n'),
        ('"Calls " + "one, " +\n  "then two."', "two", "two", ""),
        ('["Calls one,", "then two."].join("\\n")', "two", "two", ""),
        ('"Calls one"', "one", "one", "// \U0001f6e0 ä €\n"),
        ('/* \U0001f6e0 */ "ä \U0001f6e0 one"', "one", "one", ""),
        ("`Calls\r\none`", "one", "one", "const a = 1;\r\n"),
        ('"Calls \\\r\none"', "one", "one", ""),
        ("`first` + `\n\n` + `one`", "one", "one", ""),
        ('"\ufeffone"', "one", "one", ""),
        ('"\\ud83d one"', "one", "one", ""),
        ("text.trim()", "one", "one", "const text = ` one `;\n"),
    ],
)
def test_a_part_of_a_description_is_marked_where_it_is_written(
    description: str, wanted: str, written: str, before: str
) -> None:
    assert marked(description, wanted, before) == written


@settings(max_examples=examples(60), deadline=None)
@given(st.text(alphabet="aä€\U0001f6e0\ud83d\n", max_size=600))
def test_bytes_become_code_points(text: str) -> None:
    offsets = ByteOffsets(SourceText("a.ts", text))
    at = 0
    for number, character in enumerate(text):
        assert offsets.of_byte(at) == number
        at += len(character.encode("utf-8", "surrogatepass"))
    assert offsets.of_byte(at) == len(text)


@pytest.mark.parametrize(
    "text", ["const a = 'ä\U0001f6e0';\nconst b = 'x';", "const a = '\ud83d';\nconst b = 'x';", "\ufeffconst b = 'x';"]
)
def test_nodes_behind_any_text_have_their_places(text: str) -> None:
    source = SourceText("a.ts", text)
    root = parse_syntax(source, "typescript")
    assert root is not None
    *_, last = (node for node in root.walk() if node.kind == "string")
    span = ByteOffsets(source).span(last)
    assert text[slice(*span)] == "'x'"
    assert ByteOffsets(source).text(last) == "'x'"


@pytest.mark.parametrize(
    ("raw", "name", "written"),
    [
        ("'read_flie'", "read_file", "read_file"),
        ("read_flie", "read_file", "read_file"),
        ("read_flie", "read-file", None),
        ("'read_flie'", "read'file", None),
        ("`read_flie`", "read${file", None),
        ("'read_flie'", "read\nfile", None),
        ("'\\x4read_flie'", "1read", None),
    ],
)
def test_what_may_be_written_into_a_literal(raw: str, name: str, written: str | None) -> None:
    tree = ScriptTree(SourceText("a.ts", raw), None, None)  # type: ignore[arg-type]
    start = raw.index("read_flie")
    assert tree.escape(raw, name, start, start + len("read_flie")) == written
