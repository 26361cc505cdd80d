from __future__ import annotations

import ast
import inspect
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.checks.input.problems import sentence
from toolsurface_lint.source.program_tree import Offsets
from toolsurface_lint.source.python import PythonTree, clean_docstring, parse_python, text_offsets, unescape
from toolsurface_lint.source.text import SourceText, Span
from toolsurface_lint.source.tree import Place, Spans

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)


def source(text: str) -> SourceText:
    return SourceText("a.py", text)


def literal(value: str, quotes: str) -> str:
    """`value` as a literal in the given quotes, as little escaped as it can be."""
    raw = value.replace("\\", "\\\\").replace(quotes[0], "\\" + quotes[0]).replace("\r", "\\r")
    return quotes + (raw if len(quotes) == 3 else raw.replace("\n", "\\n")) + quotes


@given(TEXT, st.sampled_from(["'", '"', "'''", '"""']))
def test_unescape_maps_every_character(value: str, quotes: str) -> None:
    raw = literal(value, quotes)
    offsets = unescape(raw)
    assert offsets is not None
    assert len(offsets) == len(value) + 1
    for index, character in enumerate(value):
        written = raw[offsets[index] : offsets[index + 1]]
        assert written == character or ast.literal_eval(f"'{written}'") == character
    assert raw[offsets[-1] :] == quotes


@given(TEXT)
def test_unescape_maps_escapes(value: str) -> None:
    raw = ascii(value)
    offsets = unescape(raw)
    assert offsets is not None
    parts = [raw[start:end] for start, end in itertools.pairwise(offsets)]
    assert [part if len(part) == 1 else ast.literal_eval(f"'{part}'") for part in parts] == list(value)


@given(st.lists(TEXT, min_size=1, max_size=4), st.sampled_from([" ", "\n", " # note 'x'\n    ", " \\\n"]))
def test_literals_in_a_row_are_one_text(values: list[str], between: str) -> None:
    raw = between.join(literal(value, "'") for value in values)
    offsets = unescape(raw)
    assert offsets is not None
    assert len(offsets) == len("".join(values)) + 1
    assert raw[offsets[-1] :] == "'"


@pytest.mark.parametrize(
    ("raw", "offsets"),
    [
        ("'ab'", [1, 2, 3]),
        ('r"\\n"', [2, 3, 4]),
        (r"'\N{BULLET}x'", [1, 11, 12]),
        (r"'\101\x41\u0041\U00000041'", [1, 5, 9, 15, 25]),
        ("'a\\\nb'", [1, 4, 5]),
        ("'''a\r\nb'''", [3, 4, 6, 7]),
        (r"'\d'", [1, 2, 3]),
        ("u'é'", [2, 3]),
        ("''", [1]),
    ],
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::SyntaxWarning")
def test_unescape_knows_every_escape(raw: str, offsets: list[int]) -> None:
    assert list(unescape(raw) or ()) == offsets
    assert len(ast.literal_eval(raw)) == len(offsets) - 1


@pytest.mark.parametrize("raw", ["b'x'", "f'{x}'", "rb'x'", "x", "", "'open", "'a' + 'b'", "1"])
def test_what_is_no_text_is_not_mapped(raw: str) -> None:
    assert unescape(raw) is None


@given(st.text("ab \t\n", max_size=40))
def test_clean_docstring_is_cleandoc(text: str) -> None:
    cleaned, places = clean_docstring(text)
    assert cleaned == inspect.cleandoc(text)
    assert len(places) == len(cleaned) + 1
    assert places == sorted(places)
    for character, place in zip(cleaned, places, strict=False):
        if character in "ab":
            assert text[place] == character


@pytest.mark.parametrize(
    ("raw", "value", "start", "end", "shown"),
    [
        ('"""One.\n\n    Two `x`.\n    """', "One.\n\nTwo `x`.", 11, 12, "x"),
        ('"  padded  "', "padded", 0, 6, "padded"),
        ("name", "name", 1, 3, "am"),
        (r'"a\tb"', "a\tb", 1, 2, r"\t"),
        ('("a"\n "b")'[1:-1], "ab", 1, 2, "b"),
        ('f"{x}b"', "ab", 1, 2, 'f"{x}b"'),
        ('"other"', "value", 0, 2, '"other"'),
        ('"aa"', "a", 0, 1, '"aa"'),
    ],
)
def test_a_range_of_a_text_lies_where_it_was_written(raw: str, value: str, start: int, end: int, shown: str) -> None:
    text = f"x = {raw}"
    tree = PythonTree(source(text), {"d": value}, Spans(0, len(text), {"d": Spans(4, len(text))}))
    span = Place(tree, ("d",), "text", start, end).span()
    assert span is not None
    assert text[slice(*span)] == shown


def test_text_offsets_of_a_text_that_was_not_read_from_there() -> None:
    assert text_offsets("'a'", "b") is None
    assert text_offsets("1 +", "b") is None


@given(st.text("aé😀\t", max_size=20))
def test_offsets_count_code_points(before: str) -> None:
    text = f"y = 1\r\nx = '{before}'; z = 2\n"
    tree, problem = parse_python(source(text))
    assert problem is None
    assert tree is not None
    last = tree.body[2]
    assert isinstance(last, ast.Assign)
    offsets = Offsets(source(text))
    assert offsets.text(last) == "z = 2"
    assert offsets.text(last.targets[0]) == "z"


@pytest.mark.parametrize(
    ("text", "name", "shown"),
    [
        ("def f(): ...", "f", "f"),
        ("async  def fé(): ...", "fé", "fé"),
        ("class C: ...", "C", "C"),
        ("@d\ndef g(): ...", "g", "g"),
        ("def \\\n h(): ...", "h", "d"),
    ],
)
def test_identifier(text: str, name: str, shown: str) -> None:
    tree, _ = parse_python(source(text))
    assert tree is not None
    offsets = Offsets(source(text))
    node = tree.body[0]
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    assert offsets.text(offsets.identifier(node, name, keyword=True)) == shown


@pytest.mark.parametrize(
    ("text", "start"),
    [("def f(:\n  pass\n", 6), ("x = 1\r\nprint 'é'\n", 7), ("'open", 0), ("é = (", 4)],
)
def test_a_syntax_error_is_a_problem_at_its_place(text: str, start: int) -> None:
    tree, problem = parse_python(source(text))
    assert tree is None
    assert problem is not None
    assert problem.code == "syntax"
    assert problem.at.start == start
    assert problem.at.end <= len(text)
    assert not sentence(problem)[0].isupper()


@pytest.mark.parametrize(
    "nested",
    [
        lambda depth: "x = a" + ".b" * depth,
        lambda depth: "x = y\n" * 3_000 + "class A:\n  def f(self):\n    return 'é'" + " + 'é'" * depth + "\n" * 4_000,
        lambda depth: "if a:\n b\n" + "elif c:\n d\n" * depth,
        lambda depth: "x = [\n" + "-" * depth + "1\n]",
    ],
)
def test_every_version_of_python_follows_as_deep(nested) -> None:
    tree, problem = parse_python(source(nested(2_400)))
    assert tree is not None
    assert problem is None
    tree, problem = parse_python(source(nested(2_600)))
    assert tree is None
    assert problem is not None
    assert problem.code == "unreadable"
    assert parse_python(source("x = [" + "'a' + b, " * 3_000 + "]\n"))[0] is not None


@pytest.mark.parametrize("text", ["-" * 100_000 + "1", "a" + ".b" * 100_000, "(" * 5_000])
def test_nesting_without_end_is_a_problem(text: str) -> None:
    tree, problem = parse_python(source(text))
    assert tree is None
    assert problem is not None
    assert problem.code in ("unreadable", "syntax")


def test_warnings_of_the_linted_file_are_not_ours() -> None:
    tree, problem = parse_python(source("x = '\\d'\nassert (x, 'y')\n"))
    assert tree is not None
    assert problem is None


@given(st.text(max_size=60))
def test_any_text_is_parsed_or_a_problem(text: str) -> None:
    tree, problem = parse_python(source(text))
    assert (tree is None) != (problem is None)
    if problem is not None:
        assert 0 <= problem.at.start <= problem.at.end <= len(text)
        assert isinstance(problem.at, Span)
