"""The short search, and that what it counts with is right."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from tests.files import write_files
from tests.growth import atoms, counting
from tests.growth.documents import DOCUMENTS, Document
from tests.growth.matching import Matcher
from tests.growth.patterns import ENDS, WINDOWS, Pattern, attacks, growth, package_patterns
from toolsurface_lint.api import check_paths
from toolsurface_lint.readers.document_reader import document_readers

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).resolve().parents[2]


def test_the_short_search_finds_nothing() -> None:
    # One process: other workers of the test run take the other processors.
    command = [sys.executable, "-m", "tests.growth", "--short", "--processes", "1"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ", 0 hits, " in done.stdout.splitlines()[-1]


# --- the documents --------------------------------------------------------------------------------------------------

RAW = [document for document in DOCUMENTS if document.name.startswith("raw ")]
READ = [document for document in DOCUMENTS if document not in RAW]


@pytest.mark.parametrize("document", READ, ids=lambda document: document.name)
def test_every_document_is_read(document: Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = _checked(document, tmp_path, monkeypatch)
    assert not report.skipped
    assert not [found for found in report.diagnostics if found.code.startswith("INPUT_") and found.severity == "error"]


def test_there_is_a_document_of_every_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from toolsurface_lint.project.grouping import load_project
    from toolsurface_lint.project.settings.loading import load_settings

    kinds: set[str] = set()
    for number, document in enumerate(READ):
        folder = tmp_path / str(number)
        folder.mkdir()
        _checked(document, folder, monkeypatch)
        for found in load_project(["."], load_settings(["."], None, False)).documents:
            kinds.update(found.kinds)
    assert kinds >= {reader.kind for reader in document_readers()} | {"prompt", "template", "chat-template", "response"}


def _checked(document: Document, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    write_files(folder, document.written())
    monkeypatch.chdir(folder)
    return check_paths(["."], isolated="toolsurface.toml" not in document.files, select=["ALL"])


def test_marks_are_filled() -> None:
    document = Document("x", {"a.json": '["¤", «, "n№"»] № §'})
    assert document.places() == [("a.json", 0), ("a.json", 1)]
    assert document.blocks() == [("a.json", 0)]
    assert document.written() == {"a.json": '["", "n0"] 0 '}
    written = document.written({("a.json", 0): '"', ("a.json", 1): '"'}, {("a.json", 0): 3})
    assert written == {"a.json": '["\\"", "n0","n1","n2"] 0 "'}


def test_atoms_are_what_the_package_scans_for() -> None:
    gathered = set(_fresh()[1]) | set(atoms.COMMON)
    assert gathered >= {
        "[[CALL]]",
        "##DONE##",
        "</tool_call>",
        "```",
        "{{",
        "toolsurface-lint",
        "harn-tool-surface",
        "mcp__",
    }
    assert len(gathered) > 600


# --- counting -------------------------------------------------------------------------------------------------------


def counted(source: str) -> Callable[[str, Any], dict[str, int]]:
    """A function that calls one of `source` and gives the work of each place by its line and operation."""
    first = len(counting.PLACES)
    tree = ast.fix_missing_locations(counting._Counted("m").visit(ast.parse(source)))
    space: dict[str, Any] = {
        "_work_": counting.COUNTS,
        **{f"_{name}_": getattr(counting, f"_{name}") for name in ("tick", "call", "sized", "in")},
    }
    exec(compile(tree, "m", "exec"), space)

    def run(name: str, argument: Any) -> dict[str, int]:
        counting.reset()
        space[name](argument)
        places = zip(counting.PLACES[first:], counting.COUNTS[first:], strict=True)
        return {place.removeprefix("m:"): count for place, count in places if count}

    return run


SCANS = """
import re
def loop(n):
    for i in range(n):
        for j in range(i):
            pass
def comprehension(n):
    return [j for i in range(n) for j in range(i) if j]
def finding(text):
    at = 0
    while text.find("]", at) < 0 and at < len(text):
        at += 1
def found(text):
    at = 0
    while at < len(text):
        at = text.find("a", at) + 1
def sliced(text):
    while text:
        text = text[1:]
def member(names):
    return [name for name in names if name + "x" in names]
def joined(n):
    text = ()
    for i in range(n):
        text = text + (i,)
def searched(text, pattern=re.compile("<!--[^>]*-->")):
    for at in range(len(text)):
        pattern.match(text, at)
"""


@pytest.mark.parametrize(
    ("name", "place", "make", "grows"),
    [
        ("loop", "5", int, True),
        ("comprehension", "8", int, True),
        ("finding", "11 find", lambda n: "a" * n, True),
        ("found", "16 find", lambda n: "a" * n, False),
        ("sliced", "19 [:]", lambda n: "a" * n, True),
        ("member", "21 in", lambda n: list(map(str, range(n))), True),
        ("joined", "25 +", int, True),
        ("searched", "28 match", lambda n: "<!--" * n, True),
        ("searched", "28 match", lambda n: "<!-- -->" * n, False),
    ],
)
def test_what_is_counted(name: str, place: str, make: Callable[[int], Any], grows: bool) -> None:
    run = counted(SCANS)
    few, many = (run(name, make(size))[place] for size in (64, 256))
    assert (many > 10 * few) is grows


def test_counting_changes_no_results() -> None:
    source = (
        SCANS
        + "\ndef all_of(text):\n    return [(*text.split('b'), {**{1: 2}}, f'{text!r:>9}', 'b' not in text, text[::-1])]\n"
    )
    space: dict[str, Any] = {}
    exec(source, space)
    tree = ast.fix_missing_locations(counting._Counted("m").visit(ast.parse(source)))
    helpers = {f"_{name}_": getattr(counting, f"_{name}") for name in ("tick", "call", "sized", "in")}
    other: dict[str, Any] = {"_work_": counting.COUNTS, **helpers}
    exec(compile(tree, "m", "exec"), other)
    for text in ("", "abc", "bbb"):
        assert other["all_of"](text) == space["all_of"](text)
    assert other["comprehension"](9) == space["comprehension"](9)


# --- regular expressions --------------------------------------------------------------------------------------------


@cache
def _fresh() -> tuple[list[Pattern], tuple[str, ...]]:
    """The patterns and the atoms that a fresh process finds: in this one, other tests have left more in the caches of
    modules.
    """
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        return process.submit(package_patterns).result(), process.submit(atoms.gathered).result()


def test_the_matcher_agrees_with_re() -> None:
    checked = 0
    for name, pattern, _, _ in _fresh()[0]:
        if isinstance(pattern.pattern, bytes):
            continue
        matcher = Matcher(pattern)
        for before, pump, end in list(attacks(pattern, ENDS))[:40]:
            text = before + pump * 3 + end
            matcher.search(text, 1 << 20)
            assert matcher.ends == _ends(pattern, text), (name, text)
            checked += 1
    assert checked > 3000


def _ends(pattern: re.Pattern[str], text: str) -> list[int]:
    found, position = [], 0
    while position <= len(text):
        match = pattern.search(text, position)
        if match is None:
            break
        found.append(match.end())
        position = max(match.end(), match.start() + 1)
    return found


@pytest.mark.parametrize(
    ("source", "hit"),
    [
        (r"(a+)+b", True),
        (r"\s+$", True),
        (r"(?<!\s)\s++$", False),
        (r"<b>.*?</b>", True),
        (r"[ >\t]*>[ >\t]*(?:\n|\Z)", True),
        (r"x[a-z]*y", True),
        (r"\bx[a-z]*+y", False),
        (r"(?:a|b|ab)*+c", True),
        (r"`([^`\n]*)`", False),
    ],
)
def test_what_an_expression_costs(source: str, hit: bool) -> None:
    found = growth(Pattern("x", re.compile(source), anchored=False))
    assert (found is not None and found.is_hit) is hit


def test_every_window_is_that_of_a_pattern() -> None:
    assert set(WINDOWS) <= {pattern.name for pattern in _fresh()[0]}
