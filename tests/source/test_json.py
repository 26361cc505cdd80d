"""The JSON reader: the values of `json.loads`, the exact places, and one clear problem for everything else."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.checks.input.problems import sentence
from toolsurface_lint.source.json import JsonTree, read_json, read_places, unescape
from toolsurface_lint.source.json_places import find_places
from toolsurface_lint.source.text import MAX_DEPTH, SourceText, Span, Unreadable, decode
from toolsurface_lint.source.tree import Documents, Spans

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=12
)
layouts = st.fixed_dictionaries(
    {
        "indent": st.sampled_from([None, 0, 2, "\t"]),
        "ensure_ascii": st.booleans(),
        "separators": st.sampled_from([None, (",", ":"), (" ,\r", "\r\n: ")]),
    }
)


def read(text: str, **options: Any) -> Documents:
    return read_json(SourceText("a.json", text), **options)


def problems(text: str, **options: Any) -> list[tuple[str, str]]:
    """The kind of each problem and the text it points at."""
    return [(problem.code, text[slice(*problem.at)]) for problem in read(text, **options).problems]


def check_places(text: str, value: Any, spans: Spans) -> None:
    """Every span holds its value, every key span its key, and decoded characters map to their raw ones."""
    raw = text[spans.start : spans.end]
    assert same(json.loads(raw), value)
    if isinstance(value, dict):
        assert isinstance(spans.items, dict)
        assert list(spans.items) == list(value)
        for key, member in value.items():
            place = spans.items[key]
            assert json.loads(text[place.key_start : place.key_end]) == key
            check_places(text, member, place)
    elif isinstance(value, list):
        assert isinstance(spans.items, list)
        assert len(spans.items) == len(value)
        for member, place in zip(value, spans.items, strict=True):
            assert place.key_start == -1
            check_places(text, member, place)
    else:
        assert spans.items is None
        if isinstance(value, str):
            check_offsets(raw, value)


def check_offsets(raw: str, value: str) -> None:
    offsets = unescape(raw)
    assert offsets is not None
    assert len(offsets) == len(value) + 1
    assert offsets[-1] == len(raw) - 1
    for index, character in enumerate(value):
        piece = raw[offsets[index] : offsets[index + 1]]
        assert piece == character if piece[0] != "\\" else json.loads(f'"{piece}"') == character


def same(one: Any, other: Any) -> bool:
    """Equality that tells 1, 1.0 and True apart."""
    return repr(one) == repr(other)


@given(values, layouts)
def test_values_and_places_are_exact(value: Any, layout: dict[str, Any]) -> None:
    text = json.dumps(value, **layout)
    documents = read(text)
    assert documents.problems == []
    (tree,) = documents.trees
    assert same(tree.value, value)
    check_places(text, value, tree.spans)


def flat(spans: Spans) -> list[object]:
    """All places in order, whatever they are made of."""
    items = spans.items.items() if isinstance(spans.items, dict) else enumerate(spans.items or ())
    own = (spans.start, spans.end, spans.key_start, spans.key_end)
    return [own, [(name, flat(below)) for name, below in items]]


@pytest.mark.slow
@given(values, layouts, st.sampled_from(["", "  ", "\n[1]\n"]))
def test_places_found_by_and_by_are_those_read_at_once(value: Any, layout: dict[str, Any], before: str) -> None:
    text = before + json.dumps(value, **layout)
    assert flat(find_places(text, len(before), read_places)) == flat(read_places(text, len(before)))


@pytest.mark.parametrize("text", ["", "  ", "{", '{"a"', '{"a":}', "[1,]", "nul", "[1 2]", "// no\n1"])
def test_places_are_found_in_strict_json_only(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        find_places(text, 0, read_places)


def test_to_find_one_place_tells_apart_what_lies_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    # A list of tools, of which one has a finding in its schema.
    tools = [{"name": f"t{number}", "input_schema": {"properties": {"a": {"type": "int"}}}} for number in range(50)]
    text = json.dumps({"tools": tools}, indent=1)
    asked: list[int] = []

    def reading(text: str, start: int) -> Spans:
        asked.append(start)
        return read_places(text, start)

    monkeypatch.setattr("toolsurface_lint.source.json.read_places", reading)
    tree = read(text).trees[0]
    spans, whole = tree.spans_at(("tools", 33, "input_schema", "properties", "a", "type"))
    assert (text[spans.start : spans.end], whole) == ('"int"', True)
    assert len(asked) == 1


def loads(text: str) -> Any:
    def refuse(name: str) -> Any:
        raise ValueError(name)

    return json.loads(text, parse_constant=refuse)


@given(st.text(alphabet='{}[]",:0159eE.+- \n\t\r\\u/*abtruefalsn\x00\u2028\u00e9', max_size=25))
def test_accepts_what_the_standard_library_accepts(text: str) -> None:
    check_acceptance(text)


@pytest.mark.slow
@given(values, layouts, st.data())
def test_accepts_no_broken_document(value: Any, layout: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value, **layout)
    at = data.draw(st.integers(0, len(text)))
    cut = data.draw(st.integers(0, 2))
    check_acceptance(
        text[:at] + data.draw(st.sampled_from(["", '"', ",", "]", "}", "[", "1", "\\"])) + text[at + cut :]
    )


def check_acceptance(text: str) -> None:
    try:
        expected = [loads(text)]
    except ValueError:
        expected = []
    documents = read(text)
    serious = [problem for problem in documents.problems if problem.code != "duplicate_key"]
    if expected:
        assert not serious
        assert same([tree.value for tree in documents.trees], expected)
        assert same(documents.trees[0].value, documents.trees[0].root.value)
    else:
        # Several documents in one text are read, each of them strictly.
        assert serious or len(documents.trees) != 1
        if not serious:
            for tree in documents.trees:
                assert same(loads(text[tree.spans.start : tree.spans.end]), tree.value)
    for problem in documents.problems:
        assert 0 <= problem.at.start <= problem.at.end <= len(text)


@pytest.mark.parametrize(
    ("text", "kind", "pointed_at"),
    [
        ('{"a": 1', "syntax", ""),
        ('{"a": [1, 2', "syntax", ""),
        ('{"a": ', "syntax", ""),
        ('{"a" 1}', "syntax", '"a"'),
        ("{'a': 1}", "syntax", "'"),
        ("{a: 1}", "syntax", "a"),
        ('{"a": "b', "syntax", '"'),
        ('["a\tb"]', "syntax", "\t"),
        (r'["\x41"]', "syntax", "\\"),
        ("[1 2]", "syntax", "2"),
        ("[01]", "syntax", "01"),
        ("[1.]", "syntax", "1."),
        ("[+1]", "syntax", "+"),
        ("[NaN]", "syntax", "NaN"),
        ("[Infinity]", "syntax", "Infinity"),
        ("[True]", "syntax", "True"),
        ('{"a": 1}}', "syntax", "}"),
        ("[,]", "syntax", ","),
        ("[1] /* x", "syntax", "/"),
        ("[1,]", "not_strict_json", ","),
        ('{"a": 1, }', "not_strict_json", ","),
        ("// c\n[1]", "not_strict_json", "// c"),
        ("[1 /* c * / */]", "not_strict_json", "/* c * / */"),
    ],
)
def test_a_problem_points_at_its_place(text: str, kind: str, pointed_at: str) -> None:
    assert problems(text)[0] == (kind, pointed_at)


def test_a_truncated_document_ends_at_its_last_character_and_says_what_stands_open() -> None:
    [problem] = read('{"a": [1, 2 \n\n').problems
    assert problem.at == (11, 11)
    assert problem.related[0][1] == (6, 7)
    assert sentence(problem) == "the document ends before this `[` is closed"


def test_comments_and_trailing_commas_are_read_where_the_host_allows_them() -> None:
    text = '// c\n{"a": [1, /* d */ 2,],}\n'
    documents = read(text, comments_allowed=True)
    assert documents.problems == []
    assert documents.trees[0].value == {"a": [1, 2]}
    assert text[documents.trees[0].spans.start :] == '{"a": [1, /* d */ 2,],}\n'


def test_only_the_first_lenient_place_is_reported() -> None:
    assert problems("[1, // c\n 2,]") == [("not_strict_json", "// c")]


def test_duplicate_keys_keep_the_last_value_and_point_at_both() -> None:
    text = '{"a": 1, "b": 2, "\\u0061": 3}'
    documents = read(text)
    (tree,) = documents.trees
    assert tree.value == {"a": 3, "b": 2}
    assert list(tree.spans.items or ()) == ["a", "b"]
    (problem,) = documents.problems
    assert problem.code == "duplicate_key"
    assert sentence(problem) == "key `a` is repeated; only the last value counts"
    assert problem.at == Span(17, 25)
    assert problem.related[0][1] == Span(1, 4)
    place = tree.root.find("a")
    assert place is not None
    assert place.place.span() == Span(27, 28)


def test_the_same_key_in_several_objects_is_no_duplicate() -> None:
    assert problems('[{"a": {"a": 1}, "b": {"a": 1}}, {"a": 2}]') == []


@pytest.mark.parametrize("text", ["", " \r\n\t", "\n"])
def test_an_empty_text_has_no_documents(text: str) -> None:
    assert read(text) == Documents([], [])
    assert read(text, lines=True) == Documents([], [])


def test_numbers_at_the_edge() -> None:
    (tree,) = read("[1e999, -0, -0.0, 1E+2, " + "9" * 10_000 + "]").trees
    assert tree.value[0] == math.inf
    assert same(tree.value[1:4], [0, -0.0, 100.0])
    assert tree.value[4] == math.inf
    assert tree.spans.items is not None
    assert [spans.end - spans.start for spans in tree.spans.items] == [5, 2, 4, 4, 10_000]  # type: ignore[union-attr]


def nested(depth: int, opener: str) -> str:
    return opener * depth + "1" + ("]" if opener == "[" else "}") * depth


@pytest.mark.parametrize("opener", ["[", '{"a":'])
def test_nesting_is_read_up_to_the_limit(opener: str) -> None:
    deepest = read(nested(MAX_DEPTH, opener))
    assert deepest.problems == []
    assert deepest.trees[0].spans.end == len(nested(MAX_DEPTH, opener))
    for depth in (MAX_DEPTH + 1, 100_000):
        text = nested(depth, opener)
        (problem,) = read(text).problems
        assert problem.code == "unreadable"
        assert problem.at == Span(MAX_DEPTH * len(opener), MAX_DEPTH * len(opener) + 1)
        assert [p.code for p in read(text, lines=True).problems] == ["unreadable"]


def test_json_lines_outlive_a_broken_line() -> None:
    text = '{"a": 1}\r\n\r\n{"a": \n[2] x\n {"b": "\\u00e9"}'
    documents = read(text, lines=True)
    assert [tree.value for tree in documents.trees] == [{"a": 1}, {"b": "é"}]
    assert [(text[slice(*problem.at)], problem.values["lines"]) for problem in documents.problems] == [("", 2)]
    last = documents.trees[-1]
    assert text[last.spans.start : last.spans.end] == '{"b": "\\u00e9"}'


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("named", [True, False])
def test_several_documents_are_read_whatever_ends_their_lines(line_end: str, named: bool) -> None:
    text = line_end.join(['{"a": 1}', "2", "", '["x"]', ""])
    documents = read(text, lines=named)
    assert documents.problems == []
    assert [tree.value for tree in documents.trees] == [{"a": 1}, 2, ["x"]]
    assert [text[tree.spans.start : tree.spans.end] for tree in documents.trees] == ['{"a": 1}', "2", '["x"]']


def test_lines_may_hold_comments_too() -> None:
    text = "// c\n[1,]\n[2] // d\n"
    documents = read(text, lines=True)
    assert [tree.value for tree in documents.trees] == [[1], [2]]
    assert problems(text, lines=True) == [("not_strict_json", "// c")]
    assert problems(text, lines=True, comments_allowed=True) == []


def test_documents_may_follow_each_other_directly() -> None:
    assert [tree.value for tree in read('{"a": 1}{"b": 2}[]').trees] == [{"a": 1}, {"b": 2}, []]


def test_lines_are_found_without_the_name() -> None:
    documents = read('{"a": 1}\n{"a": \n{"a": 3}\n')
    assert [tree.value for tree in documents.trees] == [{"a": 1}, {"a": 3}]
    assert [problem.code for problem in documents.problems] == ["syntax"]


def test_characters_that_are_no_line_ends_change_nothing() -> None:
    text = '{"a\u2028": "\x7f\x85\u2029\U0001f600", "b": 1}'
    (tree,) = read(text).trees
    assert tree.value == {"a\u2028": "\x7f\x85\u2029\U0001f600", "b": 1}
    node = tree.root.find("b")
    assert node is not None
    span = node.key_place.span()
    assert span is not None
    assert text[slice(*span)] == '"b"'
    assert SourceText("a.json", text).lines.range(span).start == (1, 16)


def test_surrogate_escapes() -> None:
    text = r'["\ud83d\ude00x", "\ud83d", "\ude00\ud83d"]'
    (tree,) = read(text).trees
    assert tree.value == ["\U0001f600x", "\ud83d", "\ude00\ud83d"]
    check_places(text, tree.value, tree.spans)


def test_a_range_of_the_decoded_text_maps_through_escapes() -> None:
    text = r'{"t": "a\n\u0062\\c"}'
    (tree,) = read(text).trees
    node = tree.root.find("t")
    assert node is not None
    assert node.value == "a\nb\\c"
    spans = [node.text_place(index, index + 1).span() for index in range(5)]
    assert [text[slice(*span)] for span in spans if span] == ["a", r"\n", r"\u0062", r"\\", "c"]
    assert node.text_place(5, 5).span() == Span(19, 19)


@pytest.mark.parametrize("raw", ["", "1", "null", "abc", "'a'"])
def test_unescape_knows_what_is_no_string(raw: str) -> None:
    assert unescape(raw) is None


def test_long_keys_and_long_lines() -> None:
    key = "k" * 1_500
    text = json.dumps({key: ["x" * 1_000] * 2_000, "end": 1})
    (tree,) = read(text).trees
    node = tree.root.find("end")
    assert node is not None
    assert node.place.span() == Span(len(text) - 2, len(text) - 1)
    assert tree.spans.items is not None
    assert list(tree.spans.items) == [key, "end"]


def test_a_released_tree_comes_back() -> None:
    (tree,) = read('{"a": [1]} ').trees
    before = tree.spans.end
    tree.release()
    assert tree.value == {"a": [1]}
    assert tree.spans.end == before


def test_a_file_that_changed_meanwhile_fails_nowhere() -> None:
    source = SourceText("a.json", '{"a": [1]}', lambda: '{"a')
    (tree,) = read_json(source).trees
    source.release()
    tree.release()
    assert tree.value is None
    assert (tree.spans.start, tree.spans.end) == (0, 0)


@pytest.mark.parametrize(
    ("data", "offset"),
    [
        ('{"é": '.encode() + b'"\xff"}', 7),
        (b'{"a": 1}\x00', 8),
        ('{"a": 1}'.encode("utf-16"), 0),
        ('{"a": 1}'.encode("utf-16-le"), 1),
    ],
)
def test_bytes_that_are_no_text_are_refused_at_their_place(data: bytes, offset: int) -> None:
    with pytest.raises(Unreadable) as error:
        decode(data)
    assert error.value.problem.at.start == offset


def test_a_byte_order_mark_does_not_count() -> None:
    text = decode(b'\xef\xbb\xbf{"a": 1}')
    (tree,) = read(text).trees
    assert (tree.spans.start, tree.spans.end) == (0, 8)


@pytest.mark.parametrize("text", ["1\r2 x\n", "[1]\r]\n[\r\n", "{}\r{\r\n"])
@pytest.mark.parametrize("named", [True, False])
def test_line_ends_of_two_kinds_in_broken_lines_end(text: str, named: bool) -> None:
    assert len([problem for problem in read(text, lines=named).problems if problem.code == "syntax"]) == 1


@pytest.mark.parametrize(
    ("text", "begun"),
    [
        ('{"tools": [{"name": "a", "x": {"y": 1', {"tools": [{"name": "a", "x": {"y": 1}}]}),
        ('{"a": 1, oops', {"a": 1}),
        ("[[1, 2], [3,", [[1, 2], [3]]),
        ("oops", None),
        ("", None),
    ],
)
def test_what_was_begun_when_a_text_broke_off(text: str, begun: object) -> None:
    assert read(text).begun == begun


class Counted(str):
    """A text that counts how many characters `count` goes through."""

    searched = 0

    def count(self, sub: str, start: int | None = None, end: int | None = None) -> int:
        Counted.searched += (len(self) if end is None else end) - (start or 0)
        return super().count(sub, start, end)


def test_values_that_are_read_again_cost_no_more_than_their_own_text() -> None:
    """A log of a hundred thousand lines is read whole if it lists tools; its values are dropped, and read one by one."""
    text = Counted("".join(f'{{"id": {number}, "result": [{{}}]}}\n' for number in range(300)))
    documents = read_json(SourceText("a.jsonl", text), lines=True)
    Counted.searched = 0
    for tree in documents.trees:
        assert isinstance(tree, JsonTree)
        tree.release()
        assert tree.value["result"] == [{}]
    assert len(documents.trees) == 300
    assert Counted.searched <= 2 * len(text)
