"""The TOML reader: tomli's values, dates as written, and the exact place of everything."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
import tomli
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.checks.input.problems import sentence
from toolsurface_lint.source.text import MAX_DEPTH, SourceText, Span
from toolsurface_lint.source.toml import read_toml
from toolsurface_lint.source.toml.strings import unescape
from toolsurface_lint.source.tree import Documents, Spans, Tree

ESCAPE = re.compile(r"\\(?:x..|u.{4}|U.{8}|.)", re.DOTALL)


def read(text: str) -> Documents:
    return read_toml(SourceText("a.toml", text))


def read_one(text: str) -> Tree:
    documents = read(text)
    assert documents.problems == []
    (tree,) = documents.trees
    return tree


def at(tree: Tree, *path: str | int) -> str:
    """The raw text of a node's value."""
    assert tree.source is not None
    spans, found = tree.spans_at(path)
    assert found
    return tree.source.text[spans.start : spans.end]


def key_at(tree: Tree, *path: str | int) -> str:
    assert tree.source is not None
    spans, found = tree.spans_at(path)
    assert found
    assert spans.key_start >= 0
    return tree.source.text[spans.key_start : spans.key_end]


def check_node(text: str, value: Any, spans: Spans) -> None:
    """Every value's span, but that of a table with a header, reads as the value; every key span as its key."""
    raw = text[spans.start : spans.end]
    if isinstance(value, dict):
        assert isinstance(spans.items, dict)
        assert spans.items.keys() == value.keys()
        for key, place in spans.items.items():
            (name,) = tomli.loads(f"{text[place.key_start : place.key_end]} = 1")
            assert name == key
            assert spans.start <= place.start <= place.end <= spans.end
            check_node(text, value[key], place)
        if raw.startswith("{"):
            assert same(tomli.loads(f"x = {raw}")["x"], value)
    elif isinstance(value, list):
        assert isinstance(spans.items, list)
        assert len(spans.items) == len(value)
        for place, member in zip(spans.items, value, strict=True):
            assert place.key_start == -1
            assert spans.start <= place.start <= place.end <= spans.end
            check_node(text, member, place)
        if not raw.startswith("[["):
            assert same(tomli.loads(f"x = {raw}")["x"], value)
    else:
        assert spans.items is None
        assert same(tomli.loads(f"x = {raw}")["x"], value)
        if isinstance(value, str):
            check_string(raw, value)


def check_string(raw: str, value: str) -> None:
    """Every decoded character maps to the same raw one, to its escape, or to the line end that it is."""
    offsets = unescape(raw)
    assert offsets is not None
    assert len(offsets) == len(value) + 1
    for index, character in enumerate(value):
        if raw[0] == '"' and (escape := ESCAPE.match(raw, offsets[index])):
            assert tomli.loads(f'x = "{escape.group()}"')["x"] == character
        elif raw[offsets[index]] == "\r":
            assert character == "\n"
        else:
            assert raw[offsets[index]] == character
    assert raw[offsets[-1] :] in ('"', "'", '"""', "'''")


def same(one: Any, other: Any) -> bool:
    return repr(one) == repr(other)


texts = st.text(alphabet="ab \t'\"\\\n#=.[]{},\u00e9\u2028\U0001f600", max_size=12)
names = st.sampled_from(["a", "b", "c-d", "x.y", "", "q'q", 'd"d', "é"])
numbers = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.booleans()
values = st.recursive(
    texts | numbers,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=10,
)
documents = st.dictionaries(names, values, max_size=5)


class Writer:
    """Writes a value as TOML; at every choice that TOML leaves, the data decide."""

    def __init__(self, data: st.DataObject) -> None:
        self.data = data

    def choose(self, *choices: Any) -> Any:
        return self.data.draw(st.sampled_from(choices))

    def key(self, name: str) -> str:
        styles = [self.basic(name)]
        if re.fullmatch("[A-Za-z0-9_-]+", name):
            styles.append(name)
        if "'" not in name:
            styles.append(f"'{name}'")
        return str(self.choose(*styles))

    def basic(self, text: str) -> str:
        escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'"{escaped}"'.replace("\u00e9", self.choose("\u00e9", "\\u00e9", "\\U000000e9", "\\xe9"))

    def string(self, text: str) -> str:
        styles = [self.basic(text), self.multi_line(text)]
        if "'" not in text and "\n" not in text:
            styles.append(f"'{text}'")
        if "'''" not in text and not text.endswith("'"):
            styles.append(f"'''\n{text}'''")
        return str(self.choose(*styles))

    def multi_line(self, text: str) -> str:
        escaped = text.replace("\\", "\\\\")
        if '"""' in text or self.choose(True, False):
            escaped = escaped.replace('"', '\\"')
        # A backslash at the end of a line takes away the white space after it.
        escaped = re.sub(r" (?![ \t\n])", lambda _: self.choose(" ", " \\\n  \n", " \\  \n\t"), escaped)
        return '"""' + ("\n" if re.match(r"\s", text) else self.choose("\n", "", "\\\n  \n")) + escaped + '"""'

    def inline(self, value: Any) -> str:
        if isinstance(value, str):
            return self.string(value)
        if isinstance(value, bool):
            return str(value).lower()
        gap = self.choose("", " ", " # ]}\n ")
        if isinstance(value, list):
            members = [self.inline(member) for member in value]
            return f"[{gap}{f'{gap},{gap}'.join(members)}{self.choose('', ',') if members else ''}{gap}]"
        if isinstance(value, dict):
            blank = self.choose("", " ", "\t")
            members = [f"{self.key(name)}{blank}={blank}{self.inline(member)}" for name, member in value.items()]
            return f"{{{blank}{f'{blank},{blank}'.join(members)}{blank}}}"
        return repr(value)

    def document(self, table: dict[str, Any], header: tuple[str, ...] = ()) -> str:
        lines = []
        later = []
        for name, value in table.items():
            tables = isinstance(value, list) and value != [] and all(isinstance(member, dict) for member in value)
            if (isinstance(value, dict) or tables) and self.choose(True, False):
                later.append((name, value))
            elif isinstance(value, dict) and value and self.choose(True, False):
                lines += [
                    f"{self.key(name)} . {self.key(inner)}= {self.inline(member)}" for inner, member in value.items()
                ]
            else:
                lines.append(f"{self.key(name)} = {self.inline(value)} {self.choose('', '# = [')}")
        for name, value in later:
            path = (*header, name)
            opener, closer = ("[[", "]]") if isinstance(value, list) else ("[", "]")
            for member in value if isinstance(value, list) else [value]:
                lines.append(f" {opener} {' . '.join(self.key(part) for part in path)} {closer}\n")
                lines.append(self.document(member, path))
        return "\n".join(lines)


@pytest.mark.slow
@given(documents, st.data(), st.sampled_from(["\n", "\r\n"]))
def test_values_and_places_are_exact(value: dict[str, Any], data: st.DataObject, line_end: str) -> None:
    text = Writer(data).document(value).replace("\n", line_end)
    expected = tomli.loads(text)
    assert expected == value
    tree = read_one(text)
    assert same(tree.value, expected)
    check_node(text, tree.value, tree.spans)


@pytest.mark.slow
@given(documents, st.data())
def test_a_broken_document_is_one_problem_in_its_bounds(value: dict[str, Any], data: st.DataObject) -> None:
    text = Writer(data).document(value)
    where = data.draw(st.integers(0, len(text)))
    inserted = data.draw(st.sampled_from(["", '"', "'", "]", "[", "{", "}", "=", ".", "\\", "a = 1\n", "\r", "\x01"]))
    check_acceptance(text[:where] + inserted + text[where + data.draw(st.integers(0, 2)) :])


@given(st.text(alphabet="ab.=[]{}\"',#\\\n\r 01-:Tinf\x00", max_size=25))
def test_accepts_what_tomli_accepts(text: str) -> None:
    check_acceptance(text)


def check_acceptance(text: str) -> None:
    try:
        expected = tomli.loads(text)
    except tomli.TOMLDecodeError:
        documents = read(text)
        assert documents.trees == []
        (problem,) = documents.problems
        assert problem.code == "syntax"
        assert 0 <= problem.at.start <= problem.at.end <= len(text)
        assert "\n" not in sentence(problem)
    else:
        tree = read_one(text)
        if not re.search(r"\d:|-\d", text):
            assert same(tree.value, expected)
            check_node(text, expected, tree.spans)


def test_spans_of_every_kind_of_value() -> None:
    text = (
        "# c\n"
        "title = 'x' # c\n"
        "fruit.apple.color = 1\n"
        'fruit."b c" = 2.5\n'
        "\n"
        "[servers.alpha] # c\n"
        "ip = [1, { k = 2, m.n = true }] # c\n"
        "[[tools]]\n"
        "name = 'one'\n"
        "[tools.parameters]\n"
        "type = 'object'\n"
        "[[tools]]\n"
        "\n"
        "[servers]\n"
        "z = 1\n"
    )
    tree = read_one(text)
    assert tree.value == {
        "title": "x",
        "fruit": {"apple": {"color": 1}, "b c": 2.5},
        "servers": {"alpha": {"ip": [1, {"k": 2, "m": {"n": True}}]}, "z": 1},
        "tools": [{"name": "one", "parameters": {"type": "object"}}, {}],
    }
    assert at(tree) == text[4:-1]
    assert at(tree, "title") == "'x'"
    assert at(tree, "fruit") == 'fruit.apple.color = 1\nfruit."b c" = 2.5'
    assert key_at(tree, "fruit") == "fruit"
    assert at(tree, "fruit", "apple") == "fruit.apple.color = 1"
    assert key_at(tree, "fruit", "apple", "color") == "color"
    assert key_at(tree, "fruit", "b c") == '"b c"'
    assert at(tree, "servers", "alpha") == "[servers.alpha] # c\nip = [1, { k = 2, m.n = true }]"
    assert key_at(tree, "servers", "alpha") == "alpha"
    assert tree.spans_at(("servers",))[0].key_start == text.index("servers]\nz")
    assert at(tree, "servers", "alpha", "ip", 1) == "{ k = 2, m.n = true }"
    assert at(tree, "servers", "alpha", "ip", 1, "m") == "m.n = true"
    assert key_at(tree, "servers", "alpha", "ip", 1, "m", "n") == "n"
    assert at(tree, "tools", 0) == "[[tools]]\nname = 'one'\n[tools.parameters]\ntype = 'object'"
    assert at(tree, "tools", 0, "parameters") == "[tools.parameters]\ntype = 'object'"
    assert at(tree, "tools", 1) == "[[tools]]"
    assert key_at(tree, "tools") == "tools"
    assert tree.spans_at(("tools", 0))[0].key_start == -1


def test_dates_and_times_are_text_as_written() -> None:
    text = (
        "a = 1979-05-27T07:32:00.5-07:00\n"
        "b = [1979-05-27 07:32:00, {c = 1979-05-27}] # c\n"
        "t.u = 07:32:00\n"
        "s = '1979-05-27'\n"
        "[[x]]\n"
        "d = 1979-05-27t07:32:00z\n"
    )
    tree = read_one(text)
    assert tree.value == {
        "a": "1979-05-27T07:32:00.5-07:00",
        "b": ["1979-05-27 07:32:00", {"c": "1979-05-27"}],
        "t": {"u": "07:32:00"},
        "s": "1979-05-27",
        "x": [{"d": "1979-05-27t07:32:00z"}],
    }
    node = tree.root.find("b", 0)
    assert node is not None
    span = node.text_place(5, 7).span()
    assert span is not None
    assert text[slice(*span)] == "05"


def test_newlines_are_allowed_in_inline_tables() -> None:
    tree = read_one("a = {\n  b = 1, # c\n  c = [\n2,\n],\n}\n")
    assert tree.value == {"a": {"b": 1, "c": [2]}}
    assert at(tree, "a", "c") == "[\n2,\n]"


def test_numbers_at_the_edge() -> None:
    tree = read_one("a = 1e999\nb = -0\nc = inf\nd = nan\ne = 0xFF\nf = 1_000\ng = +1.5\n")
    assert tree.value["a"] == math.inf
    assert math.isnan(tree.value["d"])
    assert [tree.value[key] for key in "bcefg"] == [0, math.inf, 255, 1000, 1.5]
    assert [at(tree, key) for key in "abcdefg"] == ["1e999", "-0", "inf", "nan", "0xFF", "1_000", "+1.5"]


@pytest.mark.parametrize("text", ["", "\n", "# only a comment", "\r\n\t\r\n"])
def test_an_empty_text_is_an_empty_table(text: str) -> None:
    tree = read_one(text)
    assert tree.value == {}
    assert tree.spans.start == tree.spans.end


@pytest.mark.parametrize(
    ("text", "pointed_at", "start"),
    [
        ("a = ", "", 4),
        ("a", "", 1),
        ("= 1", "=", 0),
        ("\r\n" * 10 + "= 1", "=", 20),
        ("a = yes\n", "yes", 4),
        ("a = 1 b = 2\n", "b", 6),
        ('a = "x\nb = 1\n', '"', 4),
        ("a = 'x\n", "'", 4),
        ('a = 1\nb = """x\n', '"', 10),
        ("a = '''x", "'", 4),
        (r'a = "\."', r"\.", 5),
        (r'a = "\uD800"', r"\uD800", 5),
        ("a = [1 2]", "2", 7),
        ("a = {b 1}", "1", 7),
        ("[a\nb = 1", "\n", 2),
        ("a = 1\rb = 2", "\r", 5),
        ('a = "é\x07"', "\x07", 6),
        ("# \x01", "\x01", 2),
        ("a = 1979-02-30", "1979-02-30", 4),
        ("a = 1\r\nb = 2\r\nc = x\r\n", "x", 18),
        ("é = 1", "é", 0),
        ("a = \U0001f600", "\U0001f600", 4),
        ("a = " + "9" * 10_000, "9" * 10_000, 4),
    ],
)
def test_a_problem_points_at_its_place(text: str, pointed_at: str, start: int) -> None:
    documents = read(text)
    assert documents.trees == []
    (problem,) = documents.problems
    assert problem.code == "syntax"
    assert (text[slice(*problem.at)], problem.at.start) == (pointed_at, start)
    assert sentence(problem)[0] in "`U" or sentence(problem)[0].islower()
    assert not sentence(problem).endswith(".")


@pytest.mark.parametrize(
    ("text", "again", "first"),
    [
        ("a = 1\nb = 2\na = 3\n", (12, 13), (0, 1)),
        ("[a]\n[b]\n[a]\n", (9, 10), (1, 2)),
        ("a.b = 1\n[a]\n", (9, 10), (0, 1)),
        ("[a.b]\n[a]\nb.c = 1\n", (10, 11), (3, 4)),
        ("x = {a = 1, 'a' = [2]}\n", (12, 15), (5, 6)),
        ("x = {a.b = 1, a.b = 2}\n", (16, 17), (7, 8)),
        ("x = [1]\n[[x]]\n", (10, 11), (0, 1)),
        ("x = 1\n[x.y]\n", (7, 8), (0, 1)),
        ("x = {}\nx.y = 1\n", (7, 8), (0, 1)),
        ("[[x]]\n[x]\n", (7, 8), (2, 3)),
        ("a=1\r\n\r\na=2", (7, 8), (0, 1)),
    ],
)
def test_a_key_given_twice_points_at_both(text: str, again: tuple[int, int], first: tuple[int, int]) -> None:
    (problem,) = read(text).problems
    assert problem.code == "syntax"
    assert sentence(problem).endswith("is already defined")
    assert problem.at == Span(*again)
    assert problem.related[0][1] == Span(*first)


def test_nesting_is_bounded() -> None:
    # tomli reads 400 levels of arrays and inline tables.
    text = "a = " + "[" * 400 + "]" * 400
    assert at(read_one(text), "a") == text[4:]
    for opener in ("[", "{a="):
        for depth in (401, 100_000):
            (problem,) = read("a = " + opener * depth).problems
            assert problem.code == "unreadable"
            assert problem.at == Span(4 + 400 * len(opener), 5 + 400 * len(opener))


@pytest.mark.parametrize("parts", [MAX_DEPTH + 1, 3_000])
def test_dotted_keys_nest_too(parts: int) -> None:
    name = ".".join(["a"] * parts)
    for text, start in ((f"{name} = 1\n", 0), (f"[{name}]\n", 1), (f"x = [{{{name} = 1}}]\n", 6)):
        (problem,) = read(text).problems
        assert problem.code == "unreadable"
        assert start + 2 * (MAX_DEPTH - 3) <= problem.at.start <= start + 2 * MAX_DEPTH
    assert read_one(".".join(["a"] * MAX_DEPTH) + " = 1").spans.end == 2 * MAX_DEPTH + 3


def test_a_header_and_its_keys_nest_together() -> None:
    text = f"[{'.'.join(['a'] * 300)}]\n{'.'.join(['b'] * 300)} = 1\n"
    (problem,) = read(text).problems
    assert problem.code == "unreadable"
    assert text[slice(*problem.at)] == "b"


def test_many_brackets_are_not_many_levels() -> None:
    text = "a = [" + "[], " * 2_000 + "]\n" + "".join(f"[t{n}]\nk = {{}}\n" for n in range(500))
    assert len(read_one(text).value["a"]) == 2_000


@pytest.mark.parametrize(
    ("raw", "offsets"),
    [
        ('"a"', [1, 2]),
        ('""', [1]),
        (r'"\tb\u00e9\U0001f600\x41\\"', [1, 3, 4, 10, 20, 24, 26]),
        (r"'a\b'", [1, 2, 3, 4]),
        ('"""a"""', [3, 4]),
        ('"""\na\n"""', [4, 5, 6]),
        ('"""\r\na\r\nb"""', [5, 6, 8, 9]),
        ('"""a \\\n  \n b"""', [3, 4, 11, 12]),
        ('"""a"\\""""""', [3, 4, 5, 7, 8, 9]),
        ("'''\n'a\\\r\nb'''", [4, 5, 6, 7, 9, 10]),
        ("1979-05-27", list(range(11))),
    ],
)
def test_offsets_of_each_style(raw: str, offsets: list[int]) -> None:
    found = unescape(raw)
    assert found is not None
    assert list(found) == offsets
    value = tomli.loads(f"x = {raw}")["x"]
    assert len(str(value)) == len(offsets) - 1


def test_a_range_of_the_decoded_text_maps_through_escapes() -> None:
    text = 'p = """\n  line\\n\\\n  two \\u00e9"""\n'
    tree = read_one(text)
    node = tree.root.find("p")
    assert node is not None
    assert node.value == "  line\ntwo é"
    for word, raw in (("line", "line"), ("two", "two"), ("é", "\\u00e9"), ("line\ntwo", "line\\n\\\n  two")):
        start = node.value.index(word)
        span = node.text_place(start, start + len(word)).span()
        assert span is not None
        assert text[slice(*span)] == raw


def test_characters_that_are_no_line_ends_change_nothing() -> None:
    text = "a = 'x\u2028\u0085y'\nb = 1\n"
    tree = read_one(text)
    assert tree.value == {"a": "x\u2028\u0085y", "b": 1}
    assert at(tree, "b") == "1"


def test_a_released_tree_comes_back() -> None:
    tree = read_one("a = 1979-05-27\n")
    tree.release()
    assert tree.value == {"a": "1979-05-27"}
    assert at(tree, "a") == "1979-05-27"


def test_a_file_that_changed_meanwhile_fails_nowhere() -> None:
    source = SourceText("a.toml", "a = [1, 2, 3]\n", lambda: "a = [")
    (tree,) = read_toml(source).trees
    source.release()
    tree.release()
    assert tree.value is None
    assert (tree.spans.start, tree.spans.end) == (0, 0)


def test_long_strings_take_no_time() -> None:
    text = "a = '" + "x" * 1_000_000 + '\'\nb = """' + '\\" ' * 300_000 + '"""\nc = 1\n'
    tree = read_one(text)
    assert at(tree, "c") == "1"
    assert len(tree.value["b"]) == 600_000
