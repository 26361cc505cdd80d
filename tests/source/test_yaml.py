"""The YAML reader: core schema values, exact places in every scalar style, and bounds on depth and aliases."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.checks.input.problems import sentence
from toolsurface_lint.source.text import MAX_DEPTH, SourceText, Span
from toolsurface_lint.source.tree import Documents, Spans, Tree
from toolsurface_lint.source.yaml import composer, read_yaml
from toolsurface_lint.source.yaml.offsets import unescape
from toolsurface_lint.source.yaml.scalars import plain_value

ESCAPE = re.compile(r"\\(?:x..|u.{4}|U.{8}|.)")
LIBYAML, PURE = "libyaml", "pure Python"


@pytest.fixture(params=[LIBYAML, PURE], autouse=True)
def parser(request: pytest.FixtureRequest) -> Iterator[str]:
    """Every test runs with both of PyYAML's parsers."""
    if request.param == PURE:
        with mock.patch.object(composer, "LOADER", yaml.SafeLoader):
            yield PURE
    else:
        pytest.importorskip("yaml.cyaml")
        yield LIBYAML


def read(text: str) -> Documents:
    return read_yaml(SourceText("a.yaml", text))


def read_one(text: str) -> Tree:
    documents = read(text)
    assert documents.problems == []
    (tree,) = documents.trees
    return tree


def pieces(text: str, spans: Spans) -> Any:
    """What the spans hold: the raw text of scalars, and of keys; collections as such."""
    if isinstance(spans.items, dict):
        return {text[place.key_start : place.key_end]: pieces(text, place) for place in spans.items.values()}
    if isinstance(spans.items, list):
        return [pieces(text, place) for place in spans.items]
    return text[spans.start : spans.end]


def at(tree: Tree, *path: str | int) -> str:
    """The raw text of a node's value."""
    assert tree.source is not None
    spans, found = tree.spans_at(path)
    assert found
    return tree.source.text[spans.start : spans.end]


def check_places(tree: Tree) -> None:
    assert tree.source is not None
    check_node(tree.source.text, tree.value, tree.spans, tree)


def check_node(text: str, value: Any, spans: Spans, tree: Tree) -> None:
    raw = text[spans.start : spans.end]
    if isinstance(value, dict):
        assert isinstance(spans.items, dict)
        assert list(spans.items) == list(value)
        check_again(text, spans, value)
        for key, place in spans.items.items():
            key_raw = text[place.key_start : place.key_end]
            check_scalar(tree, key_raw, key)
            check_node(text, value[key], place, tree)
    elif isinstance(value, list):
        assert isinstance(spans.items, list)
        assert len(spans.items) == len(value)
        check_again(text, spans, value)
        for place, member in zip(spans.items, value, strict=True):
            assert place.key_start == -1
            check_node(text, member, place, tree)
    else:
        assert spans.items is None
        if isinstance(value, str):
            check_scalar(tree, raw, value)
        else:
            again = read_one(raw or "~").value
            assert same(plain_value(again, None) if isinstance(again, str) else again, value)


def check_again(text: str, spans: Spans, value: Any) -> None:
    """A collection's span, read again at its column, gives the collection."""
    column = spans.start - text.rfind("\n", 0, spans.start) - 1
    again = read(" " * column + text[spans.start : spans.end])
    assert again.problems == []
    assert same(again.trees[0].value, value)


def check_scalar(tree: Tree, raw: str, value: str) -> None:
    """Every decoded character maps to the same raw one, to its escape, or to the line break that folding replaced."""
    offsets = tree._offsets((), raw)
    assert offsets is not None
    assert len(offsets) == len(value) + 1
    assert list(offsets) == sorted(offsets)
    for index, character in enumerate(value):
        found = raw[offsets[index]]
        if found in "\r\n":
            assert character in " \n"
        elif found == "\\" and raw[0] == '"':
            escape = ESCAPE.match(raw, offsets[index])
            assert escape is not None
            assert yaml.safe_load(f'"{escape.group()}"') == character
        else:
            assert found == character
    assert offsets[-1] == len(raw) - (raw[:1] in ('"', "'"))


def same(one: Any, other: Any) -> bool:
    return repr(one) == repr(other)


# What YAML 1.1, by which PyYAML writes, and the core schema of 1.2 read alike; U+0085, U+2028 and U+2029 break lines
# in one and not in the other.
characters = st.characters(codec="utf-8", exclude_characters="\x85\u2028\u2029\ufeff", exclude_categories=["Cs"])
words = st.text(alphabet="ab.:# -'\"\\\n\t\u00e9\U0001f600?&*!|>%@`{}[],", max_size=30)
texts = (words | st.text(characters, max_size=12)).filter(
    lambda text: plain_value(text, None) == text and yaml.safe_load(yaml.safe_dump(text)) == text
)
scalars = st.none() | st.booleans() | st.integers() | texts
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=10
)
layouts = st.fixed_dictionaries(
    {
        "default_style": st.sampled_from([None, "'", '"', "|", ">"]),
        "default_flow_style": st.sampled_from([None, True, False]),
        "indent": st.sampled_from([2, 3, 4]),
        "width": st.sampled_from([5, 20, 80]),
        "allow_unicode": st.booleans(),
        "explicit_start": st.booleans(),
        "line_break": st.sampled_from(["\n", "\r\n", "\r"]),
        "sort_keys": st.just(False),
    }
)


def check_dump(value: Any, layout: dict[str, Any]) -> None:
    text = yaml.safe_dump(value, **layout)
    if yaml.safe_load(text) != value:
        # The writer has faults of its own, in folded text for one.
        return
    tree = read_one(text)
    assert same(tree.value, value)
    if layout["line_break"] != "\r":
        check_places(tree)


@pytest.mark.slow
@pytest.mark.parametrize("parser", [LIBYAML], indirect=True)
@given(values, layouts)
def test_values_and_places_are_exact(value: Any, layout: dict[str, Any]) -> None:
    check_dump(value, layout)


@pytest.mark.slow
@pytest.mark.parametrize("parser", [LIBYAML], indirect=True)
@given(st.lists(texts | st.lists(texts), min_size=1, max_size=3), layouts)
def test_text_of_every_style_maps_to_its_characters(value: Any, layout: dict[str, Any]) -> None:
    check_dump(value, layout)


@pytest.mark.parametrize("parser", [LIBYAML], indirect=True)
@given(st.text(alphabet="ab: -\n\t'\"[]{},&*!|>?#%~<1\r\x00\x7f\u2028", max_size=30))
def test_any_text_is_read_or_refused_in_its_bounds(text: str) -> None:
    documents = read(text)
    for problem in documents.problems:
        assert 0 <= problem.at.start <= problem.at.end <= len(text)
    for tree in documents.trees:
        check_bounds(tree.value, tree.spans, len(text))


def check_bounds(value: Any, spans: Spans, size: int) -> None:
    assert 0 <= spans.start <= spans.end <= size
    if isinstance(value, dict):
        assert isinstance(spans.items, dict)
        assert list(spans.items) == list(value)
        for key, member in value.items():
            check_bounds(member, spans.items[key], size)
    elif isinstance(value, list):
        assert isinstance(spans.items, list)
        for member, place in zip(value, spans.items, strict=True):
            check_bounds(member, place, size)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("y", "y"),
        ("true", True),
        ("False", False),
        ("TRUE", True),
        ("tRUE", "tRUE"),
        ("null", None),
        ("~", None),
        ("Null", None),
        ("nULL", "nULL"),
        ("012", 12),
        ("+12", 12),
        ("-0", 0),
        ("0o14", 12),
        ("0x1F", 31),
        ("-0x1F", "-0x1F"),
        ("0b1", "0b1"),
        ("1_000", "1_000"),
        ("1.", 1.0),
        (".5", 0.5),
        ("-1.5e+3", -1500.0),
        ("1e3", 1000.0),
        ("1e999", math.inf),
        (".inf", math.inf),
        ("-.INF", -math.inf),
        ("+.Inf", math.inf),
        (".", "."),
        ("1:30", "1:30"),
        ("2024-01-02", "2024-01-02"),
        ("2024-01-02 03:04:05Z", "2024-01-02 03:04:05Z"),
        ("'12'", "12"),
        ('"null"', "null"),
        ("''", ""),
        ("!!str 12", "12"),
        ("! 12", "12"),
        ("!!str", ""),
        ("!!int '12'", 12),
        ("!!float 1.5", 1.5),
        ("!!null ''", None),
        ("!!binary aGk=", "aGk="),
        ("!Ref name", "name"),
        ("!Ref 'x'", "x"),
        ("!foo 12", 12),
        ("!<tag:example.org,2024:x> y", "y"),
        ("=", "="),
        ("<<", "<<"),
        ("9" * 10_000, math.inf),
    ],
)
def test_plain_scalars_follow_the_core_schema(text: str, value: Any) -> None:
    assert same(read_one(f"a: {text}\n").value["a"], value)


def test_not_a_number() -> None:
    assert math.isnan(read_one("[.nan]").value[0])


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "---\n", "---\n---\n...\n"])
def test_an_empty_stream_has_no_documents(text: str) -> None:
    assert read(text) == Documents([], [])


def test_spans_of_every_kind_of_value() -> None:
    text = (
        "plain: a b # c\n"
        "single: 'it''s'  # c\n"
        'double: "x"\n'
        "empty:\n"
        "list:\n"
        "- 1\n"
        "-\n"
        "- [a, {b: c}]\n"
        "# c\n"
        "map:\n"
        "  k: v\n"
        "\n"
        "  # c\n"
        "last: |\n"
        "  text\n"
        "\n"
        "# c\n"
    )
    tree = read_one(text)
    assert pieces(text, tree.spans) == {
        "plain": "a b",
        "single": "'it''s'",
        "double": '"x"',
        "empty": "",
        "list": ["1", "", ["a", {"b": "c"}]],
        "map": {"k": "v"},
        "last": "|\n  text\n",
    }
    assert at(tree, "list") == "- 1\n-\n- [a, {b: c}]"
    assert at(tree, "list", 2) == "[a, {b: c}]"
    assert at(tree, "map") == "k: v"
    empty = tree.spans_at(("empty",))[0]
    assert (empty.start, empty.end) == (text.index("empty:") + 6,) * 2
    assert tree.spans.end == text.index("text\n") + 5


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_line_ends_of_every_kind(line_end: str) -> None:
    text = line_end.join(["a: |", "  x", "", "  y", "b: >-", "  p", "  q", "c: d", "  e", "f: 1"])
    tree = read_one(text)
    assert tree.value == {"a": "x\n\ny\n", "b": "p q", "c": "d e", "f": 1}
    assert at(tree, "f") == "1"
    for key in "abc":
        check_scalar(tree, at(tree, key), tree.value[key])


def test_anchors_and_tags_are_no_part_of_a_value() -> None:
    text = "a: &x !!str foo\nb: !t &y\n  # c\n  - 1\nc: &z\nd: !e {k: v}\n&k e: &l |\n  t\n"
    tree = read_one(text)
    assert pieces(text, tree.spans) == {
        "a": "foo",
        "b": ["1"],
        "c": "",
        "d": {"k": "v"},
        "e": "|\n  t\n",
    }
    assert at(tree, "b") == "- 1"
    assert at(tree, "d") == "{k: v}"


def test_keys_are_strings() -> None:
    text = "1: a\ntrue: b\n~: c\n'q': d\n? [x, y]\n: e\n? {p: q}\n: f\n0x10: g\n"
    tree = read_one(text)
    assert tree.value == {"1": "a", "true": "b", "~": "c", "q": "d", "[x, y]": "e", "{p: q}": "f", "0x10": "g"}
    assert list(pieces(text, tree.spans)) == ["1", "true", "~", "'q'", "[x, y]", "{p: q}", "0x10"]


def test_duplicate_keys_keep_the_last_value_and_point_at_both() -> None:
    text = 'a: 1\nb: {x: 1, "x": 2}\n"a": 3\n'
    documents = read(text)
    (tree,) = documents.trees
    assert tree.value == {"a": 3, "b": {"x": 2}}
    assert [
        (p.code, text[slice(*p.at)], text[slice(*p.related[0][1])], p.at.start) for p in documents.problems if p.related
    ] == [("duplicate_key", '"x"', "x", 15), ("duplicate_key", '"a"', "a", 23)]
    assert sentence(documents.problems[1]) == "key `a` is repeated; only the last value counts"
    assert at(tree, "a") == "3"


def test_aliases_share_the_value_and_keep_their_own_place() -> None:
    text = "a: &x\n  k: [1, 2]\nb: *x\nc: &s text\nd: *s\n"
    tree = read_one(text)
    assert tree.value == {"a": {"k": [1, 2]}, "b": {"k": [1, 2]}, "c": "text", "d": "text"}
    assert tree.value["b"] is tree.value["a"]
    assert at(tree, "b") == "*x"
    assert at(tree, "b", "k", 1) == "2"
    assert tree.spans_at(("b", "k", 1))[0].start == text.index("2")
    node = tree.root.find("d")
    assert node is not None
    span = node.text_place(1, 2).span()
    assert span is not None
    assert text[slice(*span)] == "*s"


def test_an_alias_may_be_a_key_and_an_anchor_may_be_set_again() -> None:
    text = "- &a one\n- *a\n- &a two\n- {*a : 1}\n- &b [&b 5, *b]\n- *b\n"
    assert read_one(text).value == ["one", "one", "two", {"two": 1}, [5, 5], 5]


def test_anchors_end_with_their_document() -> None:
    documents = read("a: &x 1\n---\nb: *x\n")
    assert [tree.value for tree in documents.trees] == [{"a": 1}]
    assert [problem.code for problem in documents.problems] == ["syntax"]


def test_merge_keys_fill_in_what_is_not_given() -> None:
    text = (
        "a: &a {x: 1, y: 2}\n"
        "b: &b {y: 3, z: 4}\n"
        "one: {<<: *a, x: 9}\n"
        "list: {<<: [*a, *b]}\n"
        "inline:\n  y: 5\n  <<: {x: 6, y: 7}\n"
        "quoted: {'<<': *a}\n"
        "scalar: {<<: 1}\n"
        "mixed: {<<: [*a, 1]}\n"
        "twice: {<<: *a, <<: *b}\n"
    )
    tree = read_one(text)
    assert tree.value["one"] == {"x": 9, "y": 2}
    assert tree.value["list"] == {"x": 1, "y": 2, "z": 4}
    assert tree.value["inline"] == {"x": 6, "y": 5}
    assert tree.value["quoted"] == {"<<": {"x": 1, "y": 2}}
    assert tree.value["scalar"] == {"<<": 1}
    assert tree.value["mixed"] == {"<<": [{"x": 1, "y": 2}, 1]}
    assert tree.value["twice"] == {"x": 1, "y": 3, "z": 4}
    assert at(tree, "one", "x") == "9"
    assert tree.spans_at(("one", "y"))[0].start == text.index("2}")
    assert tree.value["a"] == {"x": 1, "y": 2}
    # PyYAML refuses the first two; 6.0.4 changed which of several mappings wins in the others.
    different = ("scalar", "mixed", "list", "twice")
    safe = yaml.safe_load("".join(line for line in text.splitlines(True) if not line.startswith(different)))
    assert {key: tree.value[key] for key in safe} == safe


@pytest.mark.parametrize(
    ("text", "kind", "pointed_at", "start"),
    [
        ("a: *u\n", "syntax", "*u", 3),
        ("*u : 1\n", "syntax", "*u", 0),
        ("a: &a [*a]\n", "unreadable", "*a", 7),
        ("&a\nb:\n  c: *a\n", "unreadable", "*a", 11),
        ("a:\n\tb: 1\n", "syntax", "\t", 3),
        ("a: b: c\n", "syntax", ":", 4),
        ("a: @x\n", "syntax", "@", 3),
        ("a: `x`\n", "syntax", "`", 3),
        ("a: 'x\n", "syntax", "'", 3),
        ('a: "x\n', "syntax", '"', 3),
        ("- a\nb: 1\n", "syntax", "b", 4),
        ("a: [1, 2\n", "syntax", "", 9),
        ("a: [1 2\nb: 3\n", "syntax", ":", 9),
        ("a: [, 1]\n", "syntax", ",", 4),
        ("a: {b: 1]\n", "syntax", "]", 8),
        ("a: {b: 1\n", "syntax", "", 9),
        ("k: |\n  x\nx\n", "syntax", "x", 9),
        ("a: \x7f\n", "syntax", "\x7f", 3),
        ("a: 1\n\x0b", "syntax", "\x0b", 5),
        ("é: \U0001f600\nb: \x01", "syntax", "\x01", 8),
        ("a: !h!x y\n", "syntax", "!", 3),
        ("a: b\n...\nfoo", "syntax", "f", 9),
    ],
)
def test_a_problem_points_at_its_place(text: str, kind: str, pointed_at: str, start: int) -> None:
    (problem,) = read(text).problems
    assert (problem.code, text[slice(*problem.at)], problem.at.start) == (kind, pointed_at, start)
    assert sentence(problem)[0] == "`" or sentence(problem)[0].islower() or sentence(problem).startswith("U+")
    assert not sentence(problem).endswith(".")
    assert "\n" not in sentence(problem)


def test_a_lone_surrogate_is_refused() -> None:
    assert [problem.code for problem in read("a: '\ud800'").problems] == ["syntax"]


def test_documents_before_a_broken_one_are_kept() -> None:
    text = "%YAML 1.2\n---\na: 1\n--- # c\nb: |\n  x\n...\n# c\n---\n- [\n"
    documents = read(text)
    assert [tree.value for tree in documents.trees] == [{"a": 1}, {"b": "x\n"}]
    assert [at(tree) for tree in documents.trees] == ["a: 1", "b: |\n  x\n"]
    assert [at(documents.trees[0], "a"), at(documents.trees[1], "b")] == ["1", "|\n  x\n"]
    assert [problem.at.start for problem in documents.problems] == [len(text)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("opener", "closer", "width"), [("[", "]", 1), ("- ", "", 2), ("{a: ", "}", 4), ("? ", "", 2), ("- [", "", 3)]
)
def test_nesting_is_bounded(opener: str, closer: str, width: int, parser: str) -> None:
    (problem,) = read(opener * (3_000 if parser == PURE else 100_000)).problems
    if opener == "- [":
        assert problem.code == "syntax"
        return
    assert problem.code == "unreadable"
    assert sentence(problem) == f"nested deeper than {MAX_DEPTH} levels"
    assert problem.at.start == MAX_DEPTH * width
    if parser == LIBYAML:
        text = opener * MAX_DEPTH + "1" + closer * MAX_DEPTH
        if closer:
            assert read_one(text).spans.end == len(text)


@pytest.mark.parametrize(
    ("before", "opener"),
    [
        *(("", opener) for opener in ("[", "{", "[{", "[{a: [", "[[[[[[[[[[\n")),
        *(
            (before, "[{a: [")
            for before in ("é\U0001f600: ", "\ufeffa: 1\nb: ", "%YAML 1.2\n---\nx: 1\n---\na: 1\nb: ")
        ),
    ],
)
def test_brackets_too_deep_are_reported_at_the_first_one_over_the_limit(before: str, opener: str) -> None:
    """libyaml 0.2.6 gives up at 1,000 levels, in brackets without spaces before it hands out the 501st."""
    text = before + opener * 1_100
    documents = read(text)
    (problem,) = documents.problems
    assert sentence(problem) == f"nested deeper than {MAX_DEPTH} levels"
    levels = [place for place, character in enumerate(text) if character in "[{"]
    # A key before the brackets makes a level of its own.
    first_over = levels[MAX_DEPTH - bool(before)]
    assert problem.at == Span(first_over, first_over + 1)
    assert [tree.value for tree in documents.trees] == ([{"x": 1}] if "---" in before else [])
    depth = 0
    value = documents.begun
    while isinstance(value, dict | list) and value:
        value = list(value.values())[-1] if isinstance(value, dict) else value[-1]
        depth += 1
    assert depth == MAX_DEPTH - 1


def test_what_comes_before_brackets_too_deep_is_reported_as_ever() -> None:
    deep = "[" * 1_100
    repeated = read("a: 1\na: 2\n---\nb: [{c: 1, c: 2, d: " + deep)
    assert [problem.code for problem in repeated.problems] == ["unreadable", "duplicate_key", "duplicate_key"]
    wrong = read("a: [1, ]], " + deep)
    assert [(problem.code, problem.at.start) for problem in wrong.problems] == [("syntax", 8)]
    no_key = read("a: 1\n" + deep)
    assert [(problem.code, problem.at.start) for problem in no_key.problems] == [("syntax", 5)]


def test_aliases_do_not_nest_beyond_the_limit() -> None:
    lines = ["- &a0 [1]", *(f"- &a{n} [*a{n - 1}]" for n in range(1, 600))]
    (problem,) = read("\n".join(lines)).problems
    assert problem.code == "unreadable"
    # The sequence around them is one level, each anchored list another.
    assert lines[MAX_DEPTH - 1] == f"- &a{MAX_DEPTH - 1} [*a{MAX_DEPTH - 2}]"
    assert sentence(problem) == f"nested deeper than {MAX_DEPTH} levels through alias `*a{MAX_DEPTH - 2}`"


def bomb(levels: int, width: int) -> str:
    lines = ["a0: &a0 [x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * width)}]" for n in range(1, levels)]
    return "\n".join(lines)


def test_alias_bombs_are_refused_at_the_alias() -> None:
    text = bomb(30, 10)
    documents = read(text)
    assert documents.trees == []
    (problem,) = documents.problems
    assert problem.code == "unreadable"
    assert text[slice(*problem.at)] == "*a3"
    assert sentence(problem) == "aliases expand this document to more than 10000 nodes"
    merged = "a: &a0 {k: 1}\n" + "\n".join(
        f"a{n}: &a{n} {{p{n}: *a{n - 1}, q{n}: *a{n - 1}, <<: *a{n - 1}}}" for n in range(1, 60)
    )
    assert [p.code for p in read(merged).problems] == ["unreadable"]


@pytest.mark.parametrize("anchored", ["&a {words}", "&a [{{b: {words}}}]"], ids=["scalar", "collection"])
@pytest.mark.parametrize("parts", [1, 30], ids=["harmless", "large"])
def test_a_long_text_is_not_repeated_without_bound(anchored: str, parts: int) -> None:
    words = "word " * 10_000
    text = f"own: {words * (parts - 1)}\ntext: {anchored.format(words=words)}\nagain:\n" + "- *a\n" * 1_000
    (problem,) = read(text).problems
    assert (problem.code, text[slice(*problem.at)]) == ("unreadable", "*a")
    most = max(1_000_000, 10 * problem.at.end)
    assert sentence(problem) == f"aliases expand this document to more than {most} characters"
    expanded = text.count("*a", 0, problem.at.end) * len(words)
    assert abs(most - expanded - text.index("again")) <= len(words) + 100


def test_harmless_sharing_is_no_bomb() -> None:
    text = "base: &b {a: 1, b: [1, 2, 3]}\n" + "".join(f"s{n}: *b\n" for n in range(400))
    assert len(read_one(text).value) == 401


def test_line_separators_of_unicode_are_characters() -> None:
    text = "a: x\x85y\u2028z\nb: 'p\u2029q'\nc: |\n  s\u2028t\n\ufdd0: 1\n"
    tree = read_one(text)
    assert tree.value == {"a": "x\x85y\u2028z", "b": "p\u2029q", "c": "s\u2028t\n", "\ufdd0": 1}
    for key in "abc":
        check_scalar(tree, at(tree, key), tree.value[key])


def test_a_slice_is_read_at_its_place_in_the_text() -> None:
    text = "---\nname: x\ntools: [a, b]\n---\n# Title: [\n"
    source = SourceText("a.md", text)
    documents = read_yaml(source, 4, 26)
    assert documents.problems == []
    (tree,) = documents.trees
    assert tree.value == {"name": "x", "tools": ["a", "b"]}
    assert at(tree, "tools", 1) == "b"
    assert tree.spans_at(("name",))[0].key_start == 4
    (problem,) = read_yaml(SourceText("a.md", text.replace("b]", "b@")), 4, 26).problems
    assert problem.at.end <= 26
    assert problem.at.start >= 4


def test_a_byte_order_mark_that_is_left_does_not_shift() -> None:
    assert at(read_one("\ufeffa: é\n"), "a") == "é"


def test_a_released_tree_comes_back() -> None:
    tree = read_one("a: 1\n---\n")
    tree.release()
    assert tree.value == {"a": 1}
    assert at(tree, "a") == "1"


def test_a_file_that_changed_meanwhile_fails_nowhere() -> None:
    source = SourceText("a.yaml", "a: [1, 2, 3]\n", lambda: "a: [")
    (tree,) = read_yaml(source).trees
    source.release()
    tree.release()
    assert tree.value is None
    assert (tree.spans.start, tree.spans.end) == (0, 0)


@pytest.mark.parametrize(
    ("raw", "offsets"),
    [
        ("a b", [0, 1, 2, 3]),
        ("a\n  b", [0, 1, 4, 5]),
        ("a  \n\n \n b", [0, 4, 6, 8, 9]),
        ("", [0]),
        ("'a''b'", [1, 2, 4, 5]),
        ("' \n x '", [2, 4, 5, 6]),
        ("'a \r\n b'", [1, 3, 6, 7]),
        (r'"a\x41\u0042\U00000043\"b"', [1, 2, 6, 12, 22, 24, 25]),
        ('"a \\\n   b"', [1, 2, 8, 9]),
        ('"a\\\n\n\n b"', [1, 4, 5, 7, 8]),
        ('"a\\ \n b"', [1, 2, 4, 6, 7]),
        ("|\n  a\n  b\n", [4, 5, 8, 9, 10]),
        ("|-\n  a\n", [5, 6]),
        ("|+ # c\n  a\n\n", [9, 10, 11, 12]),
        ("|\n  a", [4, 5]),
        ("|\n\n  a\n", [2, 5, 6, 7]),
        ("|\n  a\n    b\n", [4, 5, 8, 9, 10, 11, 12]),
        (">\n  a\n  b\n", [4, 5, 8, 9, 10]),
        (">\n  a\n\n  b\n", [4, 6, 9, 10, 11]),
        (">-\n  a\n\n\n  b", [5, 7, 8, 11, 12]),
        (">\n  a\n   b\n  c\n", [4, 5, 8, 9, 10, 13, 14, 15]),
        (">\n  a\n   b\n\n  c\n", [4, 5, 8, 9, 10, 11, 14, 15, 16]),
        (">-\n  a\n\n   b", [5, 6, 7, 10, 11, 12]),
        ("|", [1]),
        ("|-\n\n", [2]),
        ("|+\n\n\n", [3, 4, 5]),
    ],
)
def test_offsets_of_each_style(raw: str, offsets: list[int]) -> None:
    found = unescape(raw)
    assert found is not None
    assert list(found) == offsets
    value = read_one(raw or "''").value
    assert len(value) == len(offsets) - 1


@pytest.mark.parametrize("raw", ["*alias", "|2\n    x\n", ">-1\n  x"])
def test_what_raw_text_alone_cannot_say(raw: str) -> None:
    assert unescape(raw) is None


def test_an_indentation_indicator_counts_from_the_block_around_it() -> None:
    text = "a:\n  b: |2\n      x\n     y\n  c:\n  - >1-\n     p\n  - - |1\n      q\nd: |1\n  r\n"
    tree = read_one(text)
    assert tree.value == {"a": {"b": "  x\n y\n", "c": ["  p", [" q\n"]]}, "d": " r\n"}
    for path in (("a", "b"), ("a", "c", 0), ("a", "c", 1, 0), ("d",)):
        node = tree.root.find(*path)
        assert node is not None
        check_scalar(tree, at(tree, *path), node.value)
    x = text.index("x")
    node = tree.root.find("a", "b")
    assert node is not None
    assert node.text_place(2, 3).span() == Span(x, x + 1)


def test_block_scalars_end_where_their_value_ends() -> None:
    text = "a: |\n  x\n\n\nb: |+\n  y\n\n# c\nc: >-\n  z\n  \n\nd: |-\n  w\n   \n \ne: |\n\nf: |+\n\n# c\n"
    tree = read_one(text)
    assert tree.value == {"a": "x\n", "b": "y\n\n", "c": "z", "d": "w\n ", "e": "", "f": "\n"}
    assert pieces(text, tree.spans) == {
        "a": "|\n  x\n",
        "b": "|+\n  y\n\n",
        "c": ">-\n  z",
        "d": "|-\n  w\n   ",
        "e": "|",
        "f": "|+\n\n",
    }


@pytest.mark.slow
def test_blanks_by_the_thousand_take_no_time() -> None:
    text = "a: '" + " " * 200_000 + "x'\nb: \"" + "\t" * 200_000 + 'y"\n'
    tree = read_one(text)
    for key in "ab":
        check_scalar(tree, at(tree, key), tree.value[key])


def test_a_block_scalar_is_not_rewritten_across_its_line_ends() -> None:
    tree = read_yaml(SourceText("a.yaml", "a: |\n  read_note\nb: |\n  one\n\n  two\n")).trees[0]
    whole, part = tree.at(("a",)), tree.at(("b",))
    assert whole.place.rewritten("read_notes") is None
    assert whole.text_place(10, 10).rewritten("x") is None
    assert part.text_place(2, 6).rewritten("x") is None
    assert whole.text_place(0, 9).rewritten("read_notes") == (Span(7, 16), "read_notes")
