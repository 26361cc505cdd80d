"""Large projects: bodies that are parsed later are the same, and what has no room is said."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.programs.python import bodies, modules
from toolsurface_lint.programs.python.bodies import drop_bodies, nodes
from toolsurface_lint.readers.programs.lookalikes import lookalike
from toolsurface_lint.readers.programs.tools import read_programs
from toolsurface_lint.source import python
from toolsurface_lint.source.text import SourceText

PACKAGE = Path(__file__).resolve().parents[3] / "toolsurface_lint"
ODD = '''\
@decorate(
    1
)
async def first(a, b=(lambda: 0)):
    """Says é."""
    def inner():
        return [
            "é", a]
    yield inner

class Outer:
    if True:
        def method(self):
            text = """
unindented
"""
            for _ in text:
                pass
            return text
    try:
        pass
    except ValueError:
        def other(): \\
            return (1,
              2,
              3, 4)
class Tabs:
\tdef method(self):
\t\tself.a = 1
\t\tself.b = 2
\t\tself.c = 3
\t\treturn self
match 1:
    case 1:
        def last(x):
            x += 1
            x += 2
            x += 3
            return x'''


PLACELESS = (ast.expr_context, ast.operator, ast.cmpop, ast.boolop, ast.unaryop)


def dumped(tree: ast.AST) -> str:
    return (
        ast.dump(tree, include_attributes=True)
        .replace("LaterFunction(", "FunctionDef(")
        .replace("LaterAsyncFunction(", "AsyncFunctionDef(")
    )


@pytest.mark.slow
@pytest.mark.parametrize("path", [None, *sorted(PACKAGE.glob("programs/**/*.py"))], ids=str)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_body_that_is_parsed_later_is_the_same(path: Path | None, ends: str) -> None:
    text = (ODD if path is None else path.read_text(encoding="utf-8")).replace("\n", ends)
    tree = ast.parse(text)
    expected = [node for node in ast.walk(tree) if not isinstance(node, PLACELESS)]
    assert set(nodes([tree])) == set(expected)
    drop_bodies(tree, SourceText("a.py", text))
    assert len(nodes([tree])) <= len(expected)
    if path is None:
        assert len(nodes([tree])) < len(expected) / 2
    assert dumped(tree) == dumped(ast.parse(text))


def test_a_body_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = ast.parse(ODD)
    drop_bodies(tree, SourceText("a.py", ODD))
    (function,) = (node for node in tree.body if isinstance(node, ast.AsyncFunctionDef))
    assert function.body is function.body
    monkeypatch.setattr(bodies, "_parsed", None)
    assert len(function.body) == 3


@pytest.mark.parametrize("later", ["", "x = 1\n", "class A:\n    pass\n" * 20, "def f(:\n" * 20])
def test_a_file_that_has_changed_since_gives_an_empty_body(later: str) -> None:
    source = SourceText("a.py", ODD, lambda: later)
    tree = ast.parse(ODD)
    drop_bodies(tree, source)
    source.release()
    assert all(isinstance(node.body, list) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


HEAD = "from mcp.server.fastmcp import FastMCP\nmcp = FastMCP('a')\n"
TOOL = '''
@mcp.tool()
def read_{0}(path: str, limit: int = {0}) -> str:
    """Reads {0}.

    Args:
        paht: Where it lies.
    """
    open(path, "w").write("x")
    return helper(path)
'''


def write(folder: Path, count: int) -> None:
    for number in range(count):
        (folder / f"server_{number}.py").write_text(HEAD + TOOL.format(number), encoding="utf-8")


def test_what_is_found_does_not_depend_on_how_much_is_kept(
    tmp_path: Path, check: Callable[..., Report], monkeypatch: pytest.MonkeyPatch, full_lines: Callable[..., list[str]]
) -> None:
    write(tmp_path, 6)
    expected = full_lines(check(tmp_path, select=["ALL"]))
    assert len(expected) >= 6
    monkeypatch.setattr(modules, "KEPT_WHOLE", 0)
    monkeypatch.setattr("toolsurface_lint.readers.programs.documents.KEPT_TEXT", 0)
    assert full_lines(check(tmp_path, select=["ALL"])) == expected
    parse = modules.parse_python

    def without_bodies(source: SourceText) -> tuple[ast.Module, None]:
        tree, _ = parse(source)
        assert tree is not None
        drop_bodies(tree, source)
        return tree, None

    monkeypatch.setattr(modules, "parse_python", without_bodies)
    assert full_lines(check(tmp_path, select=["ALL"])) == expected


def test_the_functions_of_a_file_without_a_sign_of_tools_are_parsed_when_they_are_followed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(modules, "KEPT_WHOLE", 0)
    plain = "def name():\n    first = 'read'\n    second = '_file'\n\n    return first + second\n"
    server = HEAD + "from plain import name\n\ndef read(path: str): ...\n\nmcp.tool(name=name())(read)\n"
    parsed: list[str] = []
    parse = bodies._parsed
    monkeypatch.setattr(bodies, "_parsed", lambda code, source: parsed.append(source.path) or parse(code, source))
    found = read_programs([SourceText("plain.py", plain), SourceText("server.py", server)])
    assert [tool.name for tool in found.tools] == ["read_file"]
    assert parsed == ["plain.py"]


def test_no_body_is_parsed_for_a_look_at_what_is_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "def plain():\n    1\n    2\n    3\n    4\n\ndef outer():\n    1\n    2\n    @my.tool\n    def inner(): ...\n"
    )
    source = SourceText("a.py", text)
    tree = ast.parse(text)
    drop_bodies(tree, source)
    parsed: list[str] = []
    parse = bodies._parsed
    monkeypatch.setattr(bodies, "_parsed", lambda code, source: parsed.append(code.name) or parse(code, source))
    found = lookalike(source, tree)
    assert found is not None
    assert found.line == 11
    assert parsed == ["outer"]


def test_files_without_room_are_left_out_and_the_surface_is_open(
    tmp_path: Path, check: Callable[..., Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, 6)
    whole = check(tmp_path)
    assert not any(surface.open for surface in whole.surfaces)
    monkeypatch.setattr(modules, "KEPT_WHOLE", 0)
    monkeypatch.setattr(modules, "MAX_NODES", 70)
    part = check(tmp_path)
    assert 0 < part.summary["tools"] < whole.summary["tools"]
    assert all(surface.open for surface in part.surfaces)


def test_one_file_that_is_too_long_is_not_parsed(
    tmp_path: Path, check: Callable[..., Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, 1)
    (tmp_path / "other.py").write_text("x" * 100 + (HEAD + TOOL.format(1)).replace("\n", "\n\n"), encoding="utf-8")
    monkeypatch.setattr(python, "MAX_LENGTH", len(HEAD + TOOL.format(0)))
    report = check(tmp_path)
    assert not any(diagnostic.code.startswith("INPUT_") for diagnostic in report.diagnostics)
    assert report.summary["tools"] == 1
    assert [surface.open for surface in report.surfaces] == [True]
    assert [Path(skipped.path).name for skipped in report.skipped] == ["other.py"]
    assert report.skipped[0].reason == "more code than is followed"
