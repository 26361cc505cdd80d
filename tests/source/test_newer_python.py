"""Python that is newer than the interpreter is read; what is no Python stays an error."""

from __future__ import annotations

import ast

import pytest

from toolsurface_lint.source.newer_python import as_older
from toolsurface_lint.source.python import parse_python
from toolsurface_lint.source.text import SourceText

NEWER = [
    "x = f'{'+'.join(names)}.'; after = 1",
    "x = f'''\n{'\\n\\n'.join(parts)}\n'''; after = 1",
    'x = f"{f"{a["é"]:>{width}}"}"; after = 1',
    "x = f'{{literal}} {d['k']!r}'; after = 1",
    "def first[T: (int, list[str])](items: list[T]) -> T: return items[0]\nafter = 1",
    "class Box[T]:\n    def get[U](self, é: U) -> T: ...\nafter = 1",
    "type Pair[T] = tuple[T, T]\ntype Name = str; after = 1",
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
    ],
)
def test_what_is_not_python_of_any_version_is_an_error(text: str) -> None:
    tree, problem = parse_python(SourceText("bad.py", text))
    assert tree is None
    assert problem is not None
    assert problem.code == "syntax"
