"""Locks and snapshots against what is declared: what is compared, what is not, and how bad locks are read."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.files import write_files
from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.model.digests import Digests, canonical
from toolsurface_lint.model.document import Document
from toolsurface_lint.project.grouping import load_project
from toolsurface_lint.project.settings import Settings
from toolsurface_lint.project.snapshots import compare_snapshots
from toolsurface_lint.readers.lock import read_lock
from toolsurface_lint.run.analysis import Walk
from toolsurface_lint.run.locking import lock_text, read_locking
from toolsurface_lint.source.text import SourceText
from toolsurface_lint.source.toml import read_toml

Check = Callable[..., Report]

FIND = {"name": "find_book", "description": "Finds books.", "inputSchema": {"type": "object", "properties": {}}}
LEND = {"name": "lend_book", "description": "Lends a book.", "inputSchema": {"type": "object", "properties": {}}}
SERVER = '''
from mcp.server.fastmcp import FastMCP

mcp = FastMCP("library")


@mcp.tool()
def find_book(title: str, shelf: int = 1) -> str:
    """Finds books.

    Only by their title.
    """
    return title
'''


def tools(*definitions: dict[str, Any]) -> str:
    return json.dumps({"tools": definitions})


def lock(folder: Path) -> None:
    """Write the lock of a folder as the command does."""
    locking = read_locking(Settings(str(folder)))
    locking.write({key: locking.current(key) for key in locking.declared}, "toolsurface.lock")


def drift(report: Report) -> list[str]:
    assert not report.internal_errors
    return [
        f"{diagnostic.location.path}: {diagnostic.message}"
        for diagnostic in report.diagnostics
        if diagnostic.code == "TOOL_SURFACE_DRIFT" and diagnostic.location is not None
    ]


# What is compared


def test_a_part_of_a_project_is_compared_with_the_lock_at_its_root(tmp_path: Path, check: Check) -> None:
    folder = write_files(tmp_path, {".git/HEAD": "", "desk/tools.json": tools(FIND), "shop/tools.json": tools(LEND)})
    lock(folder)
    write_files(folder, {"desk/tools.json": tools(LEND)})
    gone = "toolsurface.lock: `find_book` of `desk/tools.json` is locked, and no longer declared"
    added = "desk/tools.json: `lend_book` of `desk/tools.json` is not in the lock"
    assert drift(check(folder)) == [added, gone]
    # Of the other folder, which is not read, nothing is said.
    for asked in ("desk", "desk/tools.json", "toolsurface.lock"):
        assert drift(check(folder, asked)) == [added, gone]
    assert drift(check(folder, "shop")) == []


def test_a_deleted_list_and_one_that_is_left_out(tmp_path: Path, check: Check) -> None:
    folder = write_files(tmp_path, {"a.json": tools(FIND), "b.json": tools(LEND)})
    lock(folder)
    (folder / "a.json").unlink()
    assert drift(check(folder)) == ["toolsurface.lock: `find_book` of `a.json` is locked, and no longer declared"]
    write_files(folder, {"toolsurface.toml": 'exclude = ["b.json"]\n'})
    assert drift(check(folder)) == ["toolsurface.lock: `find_book` of `a.json` is locked, and no longer declared"]


def test_nothing_is_gone_from_a_list_that_breaks_off(tmp_path: Path, check: Check) -> None:
    folder = write_files(tmp_path, {"tools.json": tools(FIND, LEND)})
    lock(folder)
    write_files(folder, {"tools.json": tools(FIND, LEND)[:-40]})
    report = check(folder)
    assert drift(report) == []
    assert [diagnostic.code for diagnostic in report.diagnostics] == ["INPUT_SYNTAX_ERROR"]


def test_servers_of_one_name_go_by_their_files(tmp_path: Path) -> None:
    folder = write_files(tmp_path, {"a/server.py": SERVER, "b/server.py": SERVER})
    locking = read_locking(Settings(str(folder)))
    assert list(locking.declared) == [("a/server.py", "find_book"), ("b/server.py", "find_book")]
    (folder / "b/server.py").unlink()
    assert list(read_locking(Settings(str(folder))).declared) == [("library", "find_book")]


def test_a_tool_that_a_program_makes_in_two_ways_changes_with_either(tmp_path: Path, check: Check) -> None:
    other = SERVER.replace("@mcp.tool()", "def other() -> None:\n    pass\n\n\n@mcp.tool()")
    twice = SERVER + other[other.index("@mcp.tool()") :].replace("Finds", "Looks up")
    folder = write_files(tmp_path, {"server.py": twice})
    lock(folder)
    assert drift(check(folder)) == []
    write_files(folder, {"server.py": twice.replace("Looks up", "Burns")})
    assert drift(check(folder)) == ["server.py: the description of `find_book` has changed since it was locked"]


def test_whatever_else_a_tool_says_that_a_provider_runs_is_locked(tmp_path: Path, check: Check) -> None:
    search = {"type": "web_search_20250305", "name": "web_search", "max_uses": 5}
    function = {"name": "find", "description": "Finds books.", "input_schema": {"type": "object"}}
    folder = write_files(tmp_path, {"tools.json": json.dumps([search, function])})
    lock(folder)
    write_files(folder, {"tools.json": json.dumps([{**search, "max_uses": 50}, function])})
    assert drift(check(folder)) == ["tools.json: the input schema of `web_search` has changed since it was locked"]


def test_the_report_counts_what_is_not_compared(tmp_path: Path, check: Check) -> None:
    folder = write_files(tmp_path, {"server.py": SERVER.replace("title: str", "title: Unheard")})
    lock(folder)
    report = check(folder)
    assert drift(report) == []
    assert report.to_dict()["not_locked"] == [
        {"reason": f"the {part} of `find_book`, which is not known without a run", "path": "server.py", "line": 8}
        for part in ("output schema", "schema")
    ]
    (folder / "toolsurface.lock").unlink()
    assert "not_locked" not in check(folder).to_dict()


def test_what_is_not_known_any_more_is_no_drift_and_what_was_not_known_is_none_either(
    tmp_path: Path, check: Check
) -> None:
    folder = write_files(tmp_path, {"server.py": SERVER})
    lock(folder)
    write_files(folder, {"server.py": SERVER.replace("title: str", "title: Unheard")})
    assert drift(check(folder)) == []
    lock(folder)
    write_files(folder, {"server.py": SERVER})
    assert drift(check(folder)) == []


def test_a_lock_that_other_processes_do_not_see_is_compared_as_a_whole(
    tmp_path: Path, check: Check, eager: None
) -> None:
    folder = write_files(tmp_path, {f"{name}/tools.json": tools(FIND, LEND) for name in "abcdef"})
    lock(folder)
    write_files(folder, {"f/tools.json": tools(FIND)})
    expected = ["toolsurface.lock: `lend_book` of `f/tools.json` is locked, and no longer declared"]
    assert drift(check(folder, jobs=4)) == drift(check(folder, jobs=1)) == expected


def test_a_project_that_does_not_stay_in_memory_is_compared_in_the_same_way(
    tmp_path: Path, check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_files(tmp_path, {"a.json": tools(FIND, LEND), "b.json": tools(FIND), "server.py": SERVER})
    lock(folder)
    write_files(folder, {"b.json": tools({**FIND, "description": "Burns books."})})
    expected = ["b.json: the description of `find_book` has changed since it was locked"]
    assert drift(check(folder)) == expected
    monkeypatch.setattr("toolsurface_lint.project.project.KEPT_TEXT", 1)
    assert drift(check(folder)) == expected


# Digests

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(JSON, st.randoms(use_true_random=False))
def test_the_order_of_keys_does_not_matter(value: Any, choice: random.Random) -> None:
    def shuffled(part: Any) -> Any:
        if isinstance(part, dict):
            keys = list(part)
            choice.shuffle(keys)
            return {key: shuffled(part[key]) for key in keys}
        return [shuffled(item) for item in part] if isinstance(part, list) else part

    assert canonical(shuffled(value)) == canonical(value)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"minimum": 1}, {"minimum": 1.0}, True),
        ({"minimum": 1}, {"minimum": True}, False),
        ({"required": ["a", "b"]}, {"required": ["b", "a"]}, True),
        ({"enum": ["a", "b"]}, {"enum": ["b", "a"]}, False),
        ({"const": "1"}, {"const": 1}, False),
        ({"minimum": 1e400}, {"minimum": 1e300}, False),
        ({"const": "\ud800"}, {"const": "?"}, False),
        ({"maximum": 2**53 + 1}, {"maximum": 2**53}, False),
    ],
)
def test_equal_is_what_json_schema_takes_for_equal(one: Any, other: Any, same: bool) -> None:
    assert (canonical(one) == canonical(other)) is same


NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
ENTRY = {
    "sha256": Digests("a", dict.fromkeys(("description", "schema", "output_schema", "annotations"), "none")).whole()
}
ENTRY |= {"description": "0123456789abcdef", "schema": "none", "output_schema": "unknown", "annotations": "none"}


@given(st.sets(st.tuples(NAMES, NAMES), max_size=6))
def test_what_is_written_is_read_again(keys: set[tuple[str, str]]) -> None:
    source = SourceText("toolsurface.lock", lock_text(dict.fromkeys(keys, ENTRY)))
    read = read_toml(source)
    assert read.problems == []
    found = read_lock(read.trees[0].root, Document("toolsurface.lock", source, "toml"))
    assert found.problem is None
    assert {key: {"sha256": tool.digest, **tool.parts} for key, tool in found.tools.items()} == dict.fromkeys(
        keys, ENTRY
    )


# Bad locks


def _lock(body: str) -> str:
    return f"version = 1\n{body}"


_TOOL = lock_text({("tools.json", "find_book"): ENTRY}).partition("\n\n")[2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "1:1 the lock cannot be used: `version` is missing"),
        ("version = true\n", "1:11 the lock cannot be used: `version` must be a number, not true"),
        ("version = 2\nanything = 1\n", "1:11 the lock has version 2, and only version 1 is supported"),
        (_lock("servers = []\n"), "2:11 the lock cannot be used: `servers` must be a table, not a list"),
        (_lock("[servers]\na = 1\n"), "3:5 the lock cannot be used: `a` must be a table, not a number"),
        (_lock("[servers.a]\nb = 1\n"), "3:5 the lock cannot be used: `b` must be a table, not a number"),
        (_lock(_TOOL.replace(ENTRY["sha256"], "0")), "3:10 the lock cannot be used: `sha256` must be a digest, not another text"),
        (_lock(_TOOL.replace("annotations", "other")), "2:23 the lock cannot be used: `annotations` is missing"),
        (_lock(_TOOL + _TOOL), "8:23 `find_book` is already defined"),
        (_lock("<<<<<<< HEAD\n" + _TOOL), "2:1 a merge conflict is not resolved"),
        (_lock(_TOOL + "=======\n" + _TOOL + ">>>>>>> other\n"), "8:1 a merge conflict is not resolved"),
        (_lock("a" + ".a" * 600 + " = 1\n"), "2:1001 nested deeper than 500 levels"),
        (_lock("servers = " + "[" * 9000 + "\n"), "2:411 arrays and inline tables nested deeper than 400 levels"),
        (_lock("# \x00\n"), "2:3 found a NUL character: the file is binary, or encoded in UTF-16"),
        (_lock("# \x07\n"), "2:3 U+0007 is not allowed in TOML"),
    ],
)  # fmt: skip
def test_a_bad_lock_gets_one_diagnostic_and_nothing_is_compared(
    tmp_path: Path, check: Check, text: str, expected: str
) -> None:
    folder = write_files(tmp_path, {"tools.json": tools(FIND, LEND), "toolsurface.lock": text})
    report = check(folder)
    assert [
        f"{found.location.range.start.line}:{found.location.range.start.column} {found.message}"
        for found in report.diagnostics
        if found.location is not None and found.location.path == "toolsurface.lock"
    ] == [expected]
    assert all(not drift(report) or "lock has" in line or "lock cannot" in line for line in drift(report))
    assert report.summary["open_surfaces"] == 0
    assert report.skipped == ()


def test_a_lock_names_files_that_are_never_looked_at(tmp_path: Path, check: Check) -> None:
    entries = {
        (server, "find_book"): ENTRY for server in ("../../etc/passwd", "/etc/passwd", "a\0b", "#", ".", "x" * 9000)
    }
    folder = write_files(tmp_path, {"toolsurface.lock": lock_text(entries)})
    report = check(folder)
    assert not report.internal_errors
    assert {line.partition(": ")[0] for line in drift(report)} == {"toolsurface.lock"}


def test_a_lock_of_another_name_is_none(tmp_path: Path, check: Check) -> None:
    report = check(
        write_files(tmp_path, {"tools.json": tools(FIND), "poetry.lock": "version = 2\n", "my-toolsurface.lock": "["})
    )
    assert report.summary["files"] == 1
    assert report.skipped == ()


# Snapshots


def compared(folder: Path, snapshot: str) -> list[str]:
    """What is said of a folder one of whose lists is taken for a snapshot of the server `library`."""
    project = load_project([str(folder)], Settings(str(folder)))
    for document in project.documents:
        if document.path.endswith(snapshot):
            document.recorded = True
            for tool in (tool for found in document.tool_lists for tool in found):
                tool.server = "library"
    walk = Walk(lambda rule: rule.code == "TOOL_SURFACE_DRIFT")
    return [
        f"{Path(finding.place.tree.origin).name}: {finding.message}"
        for each in compare_snapshots(project)
        for finding in walk.snapshot(each)
    ]


SERVED = {
    "name": "find_book",
    "description": "Finds books.\n\n    Only by their title.\n    ",
    "inputSchema": {
        "title": "find_bookArguments",
        "type": "object",
        "properties": {
            "title": {"title": "Title", "type": "string"},
            "shelf": {"title": "Shelf", "type": "integer", "default": 1},
        },
        "required": ["title"],
    },
    "outputSchema": {"type": "object", "properties": {"result": {"type": "string"}}},
}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, []),
        (
            {"description": "Finds books."},
            ["server.py: the description of `find_book` differs from the snapshot of `library`"],
        ),
        (
            {"annotations": {"readOnlyHint": True}},
            ["server.py: the annotations of `find_book` differ from the snapshot of `library`"],
        ),
        (
            {"inputSchema": {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}},
            ["server.py: the input schema of `find_book` differs from the snapshot of `library`"],
        ),
        (
            {"name": "find"},
            [
                "server.py: `find_book` is not in the snapshot of `library`",
                "snapshot.json: the snapshot of `library` has a tool `find`, which is not declared",
            ],
        ),
    ],
)
def test_a_snapshot_is_compared_with_the_program_by_its_meaning(
    tmp_path: Path, change: dict[str, Any], expected: list[str]
) -> None:
    files = {"server.py": SERVER, "snapshot.json": tools({**SERVED, **change})}
    assert compared(write_files(tmp_path, files), "snapshot.json") == expected


def test_a_snapshot_is_compared_with_a_list_to_the_letter(tmp_path: Path) -> None:
    served = {**FIND, "inputSchema": {"properties": {}, "type": "object"}}
    folder = write_files(tmp_path, {"library.json": tools(FIND, LEND), "snapshot.json": tools(served, LEND)})
    assert compared(folder, "snapshot.json") == []
    write_files(folder, {"snapshot.json": tools({**FIND, "description": "Finds  books."}, LEND)})
    assert compared(folder, "snapshot.json") == [
        "library.json: the description of `find_book` differs from the snapshot of `library`"
    ]
