"""Python that is newer than the interpreter is read; what is no Python stays an error."""

from __future__ import annotations

import ast

import pytest

from toolsurface_lint.source.newer_python import as_older, parse_newer
from toolsurface_lint.source.python import parse_python, text_offsets
from toolsurface_lint.source.text import GAP, SourceText

NEWER = [
    "x = f'{'+'.join(names)}.'; after = 1",
    "x = f'''\n{'\\n\\n'.join(parts)}\n'''; after = 1",
    'x = f"{f"{a["é"]:>{width}}"}"; after = 1',
    "x = f'{{literal}} {d['k']!r}'; after = 1",
    "x = f'{d['k'] if d else'z'}'; after = 1",
    "x = 1 if'{' in y else'\"'; z = f'{d['k']}'; after = 1",
    "def first[T: (int, list[str])](items: list[T]) -> T: return items[0]\nafter = 1",
    "class Box[T]:\n    def get[U](self, é: U) -> T: ...\nafter = 1",
    "type Pair[T] = tuple[T, T]\ntype Name = str; after = 1",
    "def first[\n    T: int,  # any ]\n\n    U = 'é',\n](items: list[T]) -> U: return items[0]\nafter = 1",
    "class Box[\r\n    T\r\n] (Base):\r\n    x: T\r\nafter = 1",
    "class Box[\n    T,\n]:\n    x: T\nafter = 1",
    "type Pair[\n    É,\n    T,\n] = tuple[\n    É, T\n]\nafter = 1",
    "type \\\n    Name \\\n    = str; after = 1",
    "x = t'{'a'} é'; after = 1",
    "x = [tr'\\d', t''' {\n'b'\n}\né ''']; after = 1",
    "try: f()\nexcept TypeError, errors.of(a, b), c[d, e]: pass\nafter = 1",
    "try: f()\nexcept* A, B:\n    pass\nafter = 1",
    "x = f'{\n    name!r\n} {d['é']}'; after = 1",
]


@pytest.mark.parametrize("text", NEWER)
def test_newer_syntax_is_read_and_keeps_its_places(text: str) -> None:
    older = as_older(text)
    assert older is not None
    assert [len(line.encode()) for line in older.split("\n")] == [len(line.encode()) for line in text.split("\n")]
    ast.parse(older)
    tree, problem = parse_python(SourceText("new.py", text))
    assert problem is None
    assert tree is not None
    last = tree.body[-1]
    line = text.split("\n")[last.lineno - 1].encode()
    assert line[last.col_offset : last.end_col_offset] == b"after = 1"


MEANT = [
    (r"""f"{names["a"]} and {other['b']}" """, ["names['a']", "other['b']"]),
    (r"""f"{(_x)["a"]}" """, ["_x['a']"]),
    (r"""f"{names["it's"] + d}" """, None),
    (r"""f'''{names['a']}''' """, ["names['a']"]),
    ("f'é {\n  names[0]\n} and {\n'b'}.'", ["names[0]", "'b'"]),
    ("rf'{\n  names[0]:>{width}}\\d'", ["names[0]"]),
]


@pytest.mark.parametrize(("literal", "fields"), MEANT)
def test_the_fields_of_an_f_string_keep_what_they_say(literal: str, fields: list[str] | None) -> None:
    """Also where only their quotes or line breaks are new; and the literal its place."""
    text = f"type A = int\nx = [é, {literal.rstrip()}]\n"
    tree = parse_newer(text)
    assert tree is not None
    string = next(node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr))
    found = [ast.unparse(part.value) for part in string.values if isinstance(part, ast.FormattedValue)]
    assert fields is None or found == fields
    assert ast.get_source_segment(text, string) == literal.rstrip()


def test_the_places_of_a_text_are_the_same_for_every_interpreter() -> None:
    for raw in ('f"a {names["b"]} cde"', "f'a {\n names\n} cde'"):
        offsets = text_offsets(raw, f"a {GAP} cde")
        assert offsets is not None
        assert [raw[at] for at in offsets] == [*"a { cde", raw[-1]]


@pytest.mark.parametrize(
    "text",
    [
        "def f(:\n",
        "x = f'{a'\n",
        "x = f'{'",
        "class A[T:\n    pass",
        "x = '",
        "x = f'" + "{f'" * 100,
        "x = 1 +\ny = f'{'a'}'",
        "def f[\n    T(): ...",
        "class A[\n]:\n    pass +",
        "type X[\n] = int",
        "try: f()\nexcept A, B\n    pass",
        "x = t'{a'",
    ],
)
def test_what_is_not_python_of_any_version_is_an_error(text: str) -> None:
    tree, problem = parse_python(SourceText("bad.py", text))
    assert tree is None
    assert problem is not None
    assert problem.code == "syntax"


def test_an_alias_is_a_name_for_its_type() -> None:
    tree, _ = parse_python(SourceText("new.py", "x = f'{'a'}'\ntype Pair[T] = tuple[T, T]\n"))
    assert tree is not None
    alias = tree.body[-1]
    name = alias.targets[0] if isinstance(alias, ast.Assign) else getattr(alias, "name", None)
    assert isinstance(name, ast.Name)
    assert (name.id, name.col_offset) == ("Pair", 5)
