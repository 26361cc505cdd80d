"""JSON Lines of any size and state: what is broken is reported once at its place, the rest is read; one process or two."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.long import examples
from toolsurface_lint.api import check_paths
from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.source.json_lines import Lines, split_at_lines

Check = Callable[..., Report]

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "add_numbers",
            "description": "Adds two numbers.",
            "parameters": {
                "type": "object",
                "properties": {
                    "left": {"type": "number", "description": "One number."},
                    "right": {"type": "number", "description": "The other."},
                },
                "required": ["left", "right"],
            },
        },
    }
]


def conversation(left: Any = 1, **more: Any) -> dict[str, Any]:
    function = {"name": "add_numbers", "arguments": json.dumps({"left": left, "right": 2}, ensure_ascii=False)}
    messages = [
        {"role": "user", "content": "Add \U0001f9ee them."},
        {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": "c1", "content": "3"},
        {"role": "assistant", "content": "3"},
    ]
    return {"messages": messages, **more}


def line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


GOOD = line(conversation())
WRONG = line(conversation("one"))


def write(folder: Path, data: str | bytes, name: str = "runs.jsonl") -> Path:
    (folder / "tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def found(report: Report) -> list[tuple[str, int, int]]:
    """Code, line and column of every diagnostic."""
    rows = []
    for diagnostic in report.diagnostics:
        assert diagnostic.location is not None
        rows.append((diagnostic.code, *diagnostic.location.range.start))
    return rows


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_places_count_from_the_beginning_of_the_file(ending: str, bom: str, tmp_path: Path, check: Check) -> None:
    text = (GOOD + "\n" + WRONG).replace("\n", ending)
    write(tmp_path, bom + text)
    (diagnostic,) = check(tmp_path).diagnostics
    assert diagnostic.location is not None
    start, end = diagnostic.location.span
    assert text[start:end] == '\\"one\\"'
    assert diagnostic.location.range.start == (3, WRONG.index('\\"one') + 1)


def test_a_file_cut_off_in_the_middle_of_its_last_line(tmp_path: Path, check: Check) -> None:
    write(tmp_path, GOOD + WRONG + GOOD[:50])
    report = check(tmp_path)
    assert found(report) == [
        ("CALL_INVALID_ARGUMENTS", 2, WRONG.index('\\"one') + 1),
        ("INPUT_SYNTAX_ERROR", 3, GOOD[:50].rindex('"') + 1),
    ]
    assert report.summary["transcripts"] == 2


def test_a_broken_line_in_the_middle(tmp_path: Path, check: Check) -> None:
    write(tmp_path, GOOD + '{"messages": nothing}\n' + GOOD)
    report = check(tmp_path)
    assert found(report) == [("INPUT_SYNTAX_ERROR", 2, 14)]
    assert report.summary["transcripts"] == 2


def test_noise_in_the_middle_is_reported_once(tmp_path: Path, check: Check) -> None:
    write(tmp_path, GOOD.encode() + b"\x80\x81\x82\n\xff\xfe\n\x00\x01\n" + WRONG.encode())
    report = check(tmp_path)
    assert found(report)[:1] == [("INPUT_UNREADABLE", 2, 1)]
    assert report.diagnostics[0].message == ("byte 0x80 is not valid UTF-8; 2 other lines cannot be read either")
    assert found(report)[1:] == [("CALL_INVALID_ARGUMENTS", 5, WRONG.index('\\"one') + 1)]


def test_broken_lines_all_over_a_file_are_one_finding_for_each_code(tmp_path: Path, check: Check) -> None:
    write(tmp_path, f"{GOOD}oops\n{GOOD}{WRONG}oops\n{GOOD}\x00\n{GOOD}oops\n")
    report = check(tmp_path)
    assert [(row[0], row[1]) for row in found(report)] == [
        ("INPUT_SYNTAX_ERROR", 2),
        ("CALL_INVALID_ARGUMENTS", 4),
        ("INPUT_UNREADABLE", 7),
    ]
    assert report.diagnostics[0].message.endswith("; 2 other lines cannot be read either")
    assert report.summary["transcripts"] == 5


def test_a_binary_file_is_no_transcript(tmp_path: Path, check: Check) -> None:
    write(tmp_path, bytes(range(256)) * 40)
    report = check(tmp_path)
    assert report.diagnostics == ()
    reason = "not recognised: byte 0x80 is not valid UTF-8"
    assert [(skipped.reason, skipped.line) for skipped in report.skipped] == [(reason, 3)]


def test_a_lone_surrogate_and_other_line_ends_in_values(tmp_path: Path, check: Check) -> None:
    text = json.dumps(conversation(note="\ud800")) + "\n" + line(conversation(note="\u2028\x85")) + WRONG
    write(tmp_path, text)
    assert found(check(tmp_path)) == [("CALL_INVALID_ARGUMENTS", 3, WRONG.index('\\"one') + 1)]


@pytest.mark.slow
def test_a_line_with_a_long_value_is_read(tmp_path: Path, check: Check) -> None:
    write(tmp_path, line(conversation(note="x" * 20_000_000)) + WRONG)
    report = check(tmp_path)
    assert found(report) == [("CALL_INVALID_ARGUMENTS", 2, WRONG.index('\\"one') + 1)]
    assert report.summary["transcripts"] == 2


def test_size_limits_do_not_hold_for_transcripts_of_lines(tmp_path: Path, check: Check) -> None:
    write(tmp_path, GOOD * 300)
    (tmp_path / "toolsurface.toml").write_text("max-file-size = 1000\n", encoding="utf-8")
    report = check(tmp_path)
    assert report.diagnostics == ()
    assert report.summary["transcripts"] == 300


LIMIT = 2_000
LONG = {
    "nul": b"\0" * 9_000,
    "spaces": b" " * 9_000,
    "brackets": b"[" * 9_000,
    "text": '{"a": "\u00e9\u20ac\U0001f600'.encode() * 900,
    "returns": b"\r" * 9_000,
    "one byte too many": b"x" * LIMIT,
    "no text": b"\xff\xe2\x82" * 3_000,
}


@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize("before", [0, 1, 3])
def test_a_line_that_is_too_long_is_told_at_its_place_and_what_follows_is_read(
    name: str, before: int, tmp_path: Path, check: Check
) -> None:
    content = (GOOD * before).encode() + LONG[name] + b"\r\n" + WRONG.encode() + LONG[name]
    write(tmp_path, content)
    (tmp_path / "toolsurface.toml").write_text(f"max-file-size = {LIMIT}\n", encoding="utf-8")
    report = check(tmp_path)
    returns = LONG[name].count(b"\r")
    assert found(report)[0] == ("INPUT_UNREADABLE", before + 1, 1)
    size = len(LONG[name]) + 2
    assert report.diagnostics[0].message.startswith(f"the line has {size:,} bytes, more than `max-file-size` (2,000)")
    place = ("CALL_INVALID_ARGUMENTS", before + returns + 2, WRONG.index('\\"one') + 1)
    assert place in found(report)
    (call,) = [one for one in report.diagnostics if one.code == "CALL_INVALID_ARGUMENTS"]
    assert call.location is not None
    text = content.decode("utf-8", "replace")
    assert text[slice(*call.location.span)] in WRONG
    assert call.location.span.start == text.index(WRONG) + WRONG.index('\\"one')
    others = "" if len(LONG[name]) == LIMIT else "; another line cannot be read either"
    assert report.diagnostics[0].message.endswith(f"(2,000){others}")
    assert [code for code, *_ in found(report)].count("INPUT_UNREADABLE") == 1


def test_nothing_of_a_long_line_is_kept(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD.encode() + b" " * 5_000_000 + b"\n" + GOOD.encode())
    lines = Lines(str(path), "runs.jsonl", max_line=1_000)
    assert len(list(lines)) == 2
    assert lines.lines == 3
    assert [(problem.at.source.number, len(problem.at.source.text)) for problem in lines.problems] == [(2, 200)]
    assert split_at_lines(str(path), path.stat().st_size, 1_000_000) == [
        (0, path.stat().st_size - len(GOOD.encode())),
        (path.stat().st_size - len(GOOD.encode()), path.stat().st_size),
    ]


def test_what_was_appended_after_the_look_is_left_alone(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD + GOOD[:40])
    size = path.stat().st_size
    with path.open("a", encoding="utf-8") as file:
        file.write(GOOD[40:] + GOOD)
    lines = Lines(str(path), "runs.jsonl", 0, size)
    assert len(list(lines)) == 1
    assert lines.problems == []


def test_a_line_that_stays_incomplete_is_a_problem(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD + '{"messages"')
    lines = Lines(str(path), "runs.jsonl", 0, path.stat().st_size)
    assert len(list(lines)) == 1
    (problem,) = lines.problems
    assert (problem.code, problem.at.source.number, problem.at.source.offset) == ("syntax", 2, len(GOOD))


def test_lines_under_another_name_are_read_as_lines(tmp_path: Path, check: Check) -> None:
    write(tmp_path, GOOD + WRONG, name="runs.json")
    report = check(tmp_path)
    assert found(report) == [("CALL_INVALID_ARGUMENTS", 2, WRONG.index('\\"one') + 1)]
    assert report.summary["transcripts"] == 2


def test_a_file_that_is_no_transcript_is_left_to_others(tmp_path: Path, check: Check) -> None:
    write(tmp_path, line({"question": "2 + 2", "answer": 4}) * 3, name="data.jsonl")
    report = check(tmp_path)
    assert report.summary["transcripts"] == 0
    assert [(skipped.path, skipped.reason) for skipped in report.skipped] == [("data.jsonl", "not recognised")]


@given(st.lists(st.integers(0, 40), max_size=30), st.integers(1, 60))
def test_parts_end_at_line_ends_and_miss_nothing(sizes: list[int], length: int) -> None:
    import tempfile

    data = b"".join(b"x" * size + b"\n" for size in sizes)
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        parts = split_at_lines(file.name, len(data), length)
    assert b"".join(data[start:end] for start, end in parts) == data
    assert all(data[:end].endswith(b"\n") for _, end in parts)
    assert [end for _, end in parts[:-1]] == [start for start, _ in parts[1:]]


PIECES = [
    GOOD,
    WRONG,
    line(conversation(tools=TOOLS)),
    line(conversation("one", tools=TOOLS)),
    '{"messages": nothing}\n',
    "\n",
    line(conversation(2)).replace('"c1", "content"', '"c9", "content"'),
    line(conversation(3)).replace("\n", "\r\n"),
]


def checked(folder: Path, jobs: int, part: int, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    from toolsurface_lint.reporters import render

    monkeypatch.setattr("toolsurface_lint.run.transcripts.PART", part)
    monkeypatch.chdir(folder)
    report = check_paths(["."], isolated=True, jobs=jobs)
    return {**report.to_dict(), "text": render("text", report), "sarif": render("sarif", report)}


@pytest.mark.slow
@pytest.mark.usefixtures("eager")
def test_several_processes_say_what_one_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "".join(PIECES[(7 * index + index // 3) % len(PIECES)] for index in range(200)))
    write(tmp_path, GOOD * 5 + WRONG * 3, name="others.jsonl")
    one = checked(tmp_path, 1, 2000, monkeypatch)
    for jobs in (2, 3, 8):
        assert checked(tmp_path, jobs, 2000, monkeypatch) == one
    assert len(one["diagnostics"]) > 60
    whole = checked(tmp_path, 1, 1 << 30, monkeypatch)
    assert whole == one


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.usefixtures("eager")
def test_an_interrupted_run_ends_at_once_and_leaves_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forked_and_left: Callable[[], list[int]]
) -> None:
    from toolsurface_lint.run import transcripts

    write(tmp_path, GOOD * 20)
    first = os.getpid()
    followed = []

    def follow(*given: object) -> None:
        if os.getpid() != first:
            time.sleep(600)
        followed.append(given)
        raise KeyboardInterrupt

    monkeypatch.setattr(transcripts, "_follow", follow)
    with pytest.raises(KeyboardInterrupt):
        checked(tmp_path, 3, 200, monkeypatch)
    assert len(followed) == 1
    assert not forked_and_left()


@pytest.mark.slow
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=12), st.integers(1, 3000))
@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_parts_change_nothing(tmp_path: Path, pieces: list[str], part: int) -> None:
    write(tmp_path, GOOD + "".join(pieces))
    with pytest.MonkeyPatch.context() as patch:
        assert checked(tmp_path, 1, part, patch)["diagnostics"] == (checked(tmp_path, 1, 1 << 30, patch)["diagnostics"])


def calls(*made: tuple[str, str, str]) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
            for id, name, arguments in made
        ],
    }


IDS = st.sampled_from(["a", "b", "c"])
ARGUMENTS = st.sampled_from(['{"left": 1, "right": 2}', '{"left": 1}', "{", "", "[]", '{"left": "x", "right": 2}'])
MADE = st.tuples(IDS, st.sampled_from(["add_numbers", "add_numbers", "add_number"]), ARGUMENTS)
MESSAGES = st.one_of(
    st.just({"role": "user", "content": "Go on."}),
    st.just({"role": "assistant", "content": "Yes."}),
    st.just({"role": "wizard", "content": "Yes."}),
    IDS.map(lambda id: {"role": "tool", "tool_call_id": id, "content": "Error: no"}),
    IDS.map(lambda id: {"role": "tool", "tool_call_id": id, "content": "3"}),
    IDS.map(lambda id: {"role": "user", "tool_call_id": id, "content": "3"}),
    st.lists(MADE, min_size=1, max_size=3).map(lambda made: calls(*made)),
    MADE.map(lambda made: {**calls(made), "role": "user"}),
    IDS.map(lambda id: calls((id, "add_numbers", '{"left": 1, "right": 2}'))),
)


@pytest.mark.slow
@given(st.lists(MESSAGES, min_size=1, max_size=9))
@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_the_quick_way_finds_what_the_long_one_finds(tmp_path: Path, messages: list[dict[str, Any]]) -> None:
    start = [{"role": "user", "content": "Add."}]
    write(tmp_path, line({"messages": start + messages}))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        quick = check_paths(["."], isolated=True)
        patch.setattr("toolsurface_lint.run.transcripts.reader.read_plain", lambda *_: None)
        slow = check_paths(["."], isolated=True)
    assert quick.to_dict() == slow.to_dict()


def test_a_transcript_that_was_read_whole_is_let_go_once_it_is_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from toolsurface_lint.api import check_project
    from toolsurface_lint.source.tree import RELEASED

    monkeypatch.setattr("toolsurface_lint.project.project.KEPT_RECORDINGS", 0)
    write(tmp_path, GOOD)
    for number in range(3):
        (tmp_path / f"run_{number}.json").write_text(WRONG if number else GOOD, encoding="utf-8")
    project, report = check_project([str(tmp_path)], isolated=True)
    trees = [tree for document in project.documents if document.transcripts for tree in document.trees]
    assert len(trees) == 3
    assert all(tree._value is RELEASED for tree in trees)
    assert {diagnostic.code for diagnostic in report.diagnostics} == {"CALL_INVALID_ARGUMENTS"}
    assert report.summary["error"] == 2
