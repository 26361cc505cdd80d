"""Places that are rewritten: what a text looks like where it stands, and where nothing can be written."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
import tomli
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from toolsurface_lint.source.embedded import EmbeddedTree
from toolsurface_lint.source.json import read_json
from toolsurface_lint.source.python import PythonTree
from toolsurface_lint.source.text import SourceText
from toolsurface_lint.source.toml import read_toml
from toolsurface_lint.source.tree import Documents, Node, Place, Spans, TextTree, plain
from toolsurface_lint.source.yaml import read_yaml

Read = Callable[[SourceText], Documents]


def root(read: Read, text: str) -> Node:
    return read(SourceText("f", text)).trees[0].root


def rewrite(place: Place, new: str) -> str | None:
    """The whole text with the place rewritten."""
    found = place.rewritten(new)
    if found is None:
        return None
    span, written = found
    assert place.source is not None
    text = place.source.text
    return text[: span.start] + written + text[span.end :]


@pytest.mark.parametrize(
    ("read", "text", "new", "expected"),
    [
        (read_json, '{"a": "b"}', 'x"\\', '{"a": "x\\"\\\\"}'),
        (read_json, '{"a": "b"}', "\u202e", '{"a": "\\u202e"}'),
        (read_json, '{"a": "\\u0062\\n"}', "x", '{"a": "x"}'),
        (read_json, '{"a": 1}', "x", None),
        (read_toml, 'a = "b" # c', 'x"', 'a = "x\\"" # c'),
        (read_toml, "a = 'b'", "x\"y", "a = 'x\"y'"),
        (read_toml, "a = 'b'", "x'", None),
        (read_toml, 'a = """b"""', "x", 'a = """x"""'),
        (read_toml, 'a = "b"', "x\ny", None),
        (read_yaml, "a: b # c", "x_y", "a: x_y # c"),
        (read_yaml, "a: b", "yes", None),
        (read_yaml, "a: b", "x: y", None),
        (read_yaml, "a: 'b'", "it's", "a: 'it''s'"),
        (read_yaml, "a: 'it''s'", "b", "a: 'b'"),
        (read_yaml, 'a: "b"', 'x"', 'a: "x\\""'),
        (read_yaml, "a: |-\n  b", "x: y", "a: |-\n  x: y"),
        (read_yaml, "z: &b b\na: *b", "x", None),
    ],
)  # fmt: skip
def test_a_value(read: Read, text: str, new: str, expected: str | None) -> None:
    node = root(read, text).get("a")
    assert node is not None
    assert rewrite(node.place, new) == expected


@pytest.mark.parametrize(
    ("read", "text", "new", "expected"),
    [
        (read_json, '{ "a" : 1}', "x y", '{ "x y" : 1}'),
        (read_json, '{"\\u0061": 1}', "x", '{"x": 1}'),
        (read_toml, "a = 1", "x-y", "x-y = 1"),
        (read_toml, "a = 1", "x y", None),
        (read_toml, '"a" = 1', "x y", '"x y" = 1'),
        (read_toml, "[a]\nb = 1", "x", "[x]\nb = 1"),
        (read_yaml, "a: 1", "x", "x: 1"),
        (read_yaml, "'a': 1", "x y", "'x y': 1"),
        (read_yaml, "? a\n: 1", "x", "? x\n: 1"),
    ],
)
def test_a_key(read: Read, text: str, new: str, expected: str | None) -> None:
    node = root(read, text).get("a")
    assert node is not None
    assert rewrite(node.key_place, new) == expected


def test_a_part_of_a_text() -> None:
    node = root(read_json, '["one \\"two\\" \\ud83d\\ude00 three"]').get(0)
    assert node is not None
    start = node.value.index("three")
    assert rewrite(node.text_place(start, start + 5), '"3"') == '["one \\"two\\" \\ud83d\\ude00 \\"3\\""]'
    assert rewrite(node.text_place(0, 5), "x") == '["xtwo\\" \\ud83d\\ude00 three"]'


def test_a_whole_text_is_written_as_it_is() -> None:
    node = TextTree(SourceText("f", 'a "b" c')).root
    assert rewrite(node.text_place(2, 5), "\\\n") == "a \\\n c"


def test_python_takes_what_every_literal_takes() -> None:
    text = "name = 'one two'\n"
    tree = PythonTree(SourceText("f", text), {"a": "one two"}, Spans(0, 16, {"a": Spans(7, 16)}))
    node = tree.at(("a",))
    assert rewrite(node.text_place(4, 7), "three") == "name = 'one three'\n"
    assert rewrite(node.text_place(4, 7), "it's") is None
    name = PythonTree(SourceText("f", "def one(): pass"), {"a": "one"}, Spans(0, 15, {"a": Spans(4, 7)})).at(("a",))
    assert rewrite(name.place, "two") == "def two(): pass"
    assert rewrite(name.place, "class") is None
    assert rewrite(name.place, "a b") is None
    # A name that stands for a text is no text.
    constant = PythonTree(SourceText("f", "tool(NAME)"), {"a": "one"}, Spans(0, 10, {"a": Spans(5, 9)})).at(("a",))
    assert rewrite(constant.place, "two") is None


def test_nothing_is_written_into_text_within_text_or_into_plain_data() -> None:
    outer = root(read_json, '["{\\"a\\": 1}"]').tree
    inner = EmbeddedTree(outer, (0,), '{"a": "b"}', {"a": "b"}).root.get("a")
    assert inner is not None
    assert inner.place.rewritten("x") is None
    assert plain({"a": "b"}).tree.at(("a",)).place.rewritten("x") is None


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12)
WRITERS: list[tuple[Read, Callable[[str], str], Callable[[str], object]]] = [
    (read_json, '{{"a": "start {} end"}}'.format, json.loads),
    (read_toml, 'a = "start {} end"'.format, tomli.loads),
    (read_toml, "a = '''start {} end'''".format, tomli.loads),
    (read_yaml, "a: start {} end".format, yaml.safe_load),
    (read_yaml, "a: 'start {} end'".format, yaml.safe_load),
    (read_yaml, 'a: "start {} end"'.format, yaml.safe_load),
    (read_yaml, "a: |-\n  start {} end".format, yaml.safe_load),
]


@pytest.mark.slow
@pytest.mark.parametrize("writer", WRITERS[:1] + WRITERS[-3:], ids=lambda writer: writer[1]("_"))
@given(old=TEXT, new=TEXT)
@example("it's", "\\")
def test_what_is_written_can_be_written_again(
    writer: tuple[Read, Callable[[str], str], Callable[[str], object]], old: str, new: str
) -> None:
    read, shape, parse = writer
    node = root(read, shape("OLD")).get("a")
    assert node is not None
    first = rewrite(node.text_place(6, 9), old)
    if first is None:
        return
    again = root(read, first).get("a")
    assert again is not None
    second = rewrite(again.text_place(6, 6 + len(old)), new)
    assert second is None or parse(second) == {"a": f"start {new} end"}
    if second is not None:
        last = root(read, second).get("a")
        assert last is not None
        assert rewrite(last.text_place(6, 6 + len(new)), old) in (first, None)


@pytest.mark.slow
@pytest.mark.parametrize("writer", WRITERS, ids=lambda writer: writer[1]("_"))
@given(new=TEXT)
@example("true")
@example("\u2028")
@example("'''")
@example("# x")
def test_what_is_written_reads_as_it_was_meant(
    writer: tuple[Read, Callable[[str], str], Callable[[str], object]], new: str
) -> None:
    read, shape, parse = writer
    node = root(read, shape("OLD")).get("a")
    assert node is not None
    text = rewrite(node.text_place(6, 9), new)
    assert text is None or parse(text) == {"a": f"start {new} end"}


@pytest.mark.parametrize("shape", ["a: {}", "a: [{}, z]", "a:\n  - {} # c"])
@given(new=TEXT)
@example("no")
@example("1_000")
@example("a#b")
@example("a:")
def test_a_plain_scalar_stays_a_text(shape: str, new: str) -> None:
    node = root(read_yaml, shape.format("OLD")).get("a")
    assert node is not None
    place = next(iter(node.elements()), node).place
    text = rewrite(place, new)
    assert text is None or yaml.safe_load(text) == yaml.safe_load(shape.format(json.dumps(new)))


GONE = "\u200b"
READERS: list[tuple[Read, Callable[[str], str]]] = [
    (read_json, '{{"a": "{}"}}'.format),
    (read_yaml, "a: {}".format),
    (read_yaml, "a: [{}]".format),
    (read_yaml, "a: '{}'".format),
    (read_yaml, 'a: "{}"'.format),
    (read_yaml, "a: |\n  {}\n".format),
    (read_yaml, "a: >\n  b\n  {}\n  c\n".format),
    (read_yaml, "a: |\n  {}\n  b\n".format),
    (read_yaml, "a: 'b\n  {}\n  c'\n".format),
    (read_yaml, 'a: "b\n  {}\n  c"\n'.format),
    (read_yaml, "a: b\n  {}\n  c\n".format),
    (read_toml, 'a = "{}"'.format),
    (read_toml, "a = '{}'".format),
    (read_toml, 'a = """{}"""'.format),
]


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader[1]("_"))
@given(raw=st.lists(st.sampled_from([GONE, "\\u200b", *" -:#[]{},ab?!&*'\"|>%@`~0.1\\n"]), max_size=10).map("".join))
@example(f"{GONE}- a")
@example(f"a {GONE}#b")
@example(f"a:{GONE} b")
@example(f"tru{GONE}e")
@example(f"0{GONE}1")
@example(f"\\\\{GONE}n")
def test_what_is_taken_out_leaves_the_rest(reader: tuple[Read, Callable[[str], str]], raw: str) -> None:
    read, shape = reader
    found = read(SourceText("f", shape(raw)))
    node = found.trees[0].root.get("a") if not found.problems and found.trees else None
    element = None if node is None else next(iter(node.elements()), node)
    if element is None or not isinstance(element.value, str) or GONE not in element.value:
        return
    at = element.value.index(GONE)
    text = rewrite(element.text_place(at, at + 1), "")
    if text is not None:
        after = root(read, text).tree.at(element.path).value
        assert after == element.value[:at] + element.value[at + 1 :]
