"""Trajectories of ATIF and logs of Inspect, in files and in archives that may be hostile."""

from __future__ import annotations

import io
import json
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.long import examples
from toolsurface_lint.api import check_paths
from toolsurface_lint.model.diagnostics import Report

Check = Callable[..., Report]

SCHEMA = {
    "type": "object",
    "properties": {"town": {"type": "string"}, "nights": {"type": "integer"}},
    "required": ["town"],
}
TOOL = {"name": "find_room", "description": "Finds a free room.", "parameters": SCHEMA}
FUNCTION = {"type": "function", "function": TOOL}


def one(folder: Path, value: Any, name: str = "trajectory.json") -> tuple[Report, str]:
    written = json.dumps(value, indent=1, ensure_ascii=False)
    (folder / name).write_text(written, encoding="utf-8", newline="")
    return check_paths([str(folder)]), written


def found(report: Report, written: str) -> list[tuple[str, str]]:
    rows = []
    for diagnostic in report.diagnostics:
        assert diagnostic.location is not None
        start, end = diagnostic.location.span
        rows.append((diagnostic.code, written[start:end]))
    return rows


def counts(report: Report) -> tuple[int, int, int, int]:
    (summary,) = report.transcripts
    return summary.conversations, summary.turns, summary.calls, summary.results


# ATIF


def step(*calls: dict[str, Any], results: list[dict[str, Any]] | None = None, **more: Any) -> dict[str, Any]:
    value: dict[str, Any] = {"source": "agent", "message": "", "tool_calls": list(calls), **more}
    return value if results is None else {**value, "observation": {"results": results}}


def made(id: str = "c1", nights: Any = 1, name: str = "find_room") -> dict[str, Any]:
    return {"tool_call_id": id, "function_name": name, "arguments": {"town": "Oslo", "nights": nights}}


def trajectory(*steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    agent = {"name": "guide", "version": "1", "tool_definitions": [FUNCTION]}
    asked = {"source": "user", "message": "A room."}
    return {"schema_version": "ATIF-v1.8", "agent": agent, "steps": [asked, *steps], **more}


def test_the_definitions_of_a_trajectory_are_its_tools(tmp_path: Path) -> None:
    steps = [
        step(made(nights="two"), results=[{"source_call_id": "c1", "content": "4"}]),
        step(made("c2", 1, "find_rom")),
    ]
    report, written = one(tmp_path, trajectory(*steps))
    assert found(report, written) == [("CALL_INVALID_ARGUMENTS", '"two"'), ("CALL_UNKNOWN_TOOL", '"find_rom"')]
    assert counts(report) == (1, 4, 2, 1)


def test_parallel_calls_have_their_results_in_their_step(tmp_path: Path) -> None:
    results = [{"source_call_id": "c2", "content": "5"}, {"source_call_id": "c1", "content": "4"}]
    report, _ = one(tmp_path, trajectory(step(made("c1"), made("c2", 2), results=results), step(message="Done.")))
    assert report.diagnostics == ()
    assert counts(report) == (1, 4, 2, 2)


def test_a_result_that_names_no_call_answers_the_only_one(tmp_path: Path) -> None:
    report, _ = one(tmp_path, trajectory(step(made(), results=[{"content": "4"}]), step()))
    assert report.diagnostics == ()
    assert counts(report)[2:] == (1, 1)


def test_what_came_of_no_call_is_no_result(tmp_path: Path) -> None:
    system = {"source": "system", "message": "Summarised.", "observation": {"results": [{"content": "..."}]}}
    report, _ = one(tmp_path, trajectory(step(results=[{"content": "a shell's output"}]), system))
    assert report.diagnostics == ()
    assert counts(report)[2:] == (0, 0)


def test_a_result_of_another_call_is_an_orphan(tmp_path: Path) -> None:
    report, written = one(
        tmp_path, trajectory(step(made(), results=[{"source_call_id": "c9", "content": "4"}]), step())
    )
    assert found(report, written) == [("TRANSCRIPT_ORPHAN_RESULT", '"c9"')]


def test_a_failure_is_in_what_a_converter_adds(tmp_path: Path) -> None:
    failed = {"source_call_id": "c1", "content": "no", "extra": {"tool_result_is_error": True}}
    report, _ = one(tmp_path, trajectory(step(made(), results=[failed])))
    assert report.transcripts[0].tools == {"find_room": (1, 1)}


def test_copied_steps_are_checked_where_they_come_from(tmp_path: Path) -> None:
    copied = step(made(nights="two"), results=[{"source_call_id": "c1", "content": "4"}], is_copied_context=True)
    report, _ = one(tmp_path, trajectory(copied, step(made("c2"))))
    assert report.diagnostics == ()
    assert counts(report) == (1, 2, 1, 0)


def test_each_sub_agent_has_a_trajectory_of_its_own(tmp_path: Path) -> None:
    inner = trajectory(step(made("c1", "two")), trajectory_id="inner")
    report, written = one(tmp_path, trajectory(step(made("c1")), subagent_trajectories=[inner, inner]))
    assert found(report, written) == [("CALL_INVALID_ARGUMENTS", '"two"')] * 2
    assert counts(report) == (3, 6, 3, 0)


def test_trajectories_one_a_line(tmp_path: Path, check: Check) -> None:
    lines = "".join(json.dumps(trajectory(step(made(nights=nights)))) + "\n" for nights in (1, "two", 3))
    (tmp_path / "trajectories.jsonl").write_text(lines, encoding="utf-8")
    report = check(tmp_path)
    assert found(report, lines) == [("CALL_INVALID_ARGUMENTS", '"two"')]
    assert counts(report) == (3, 6, 3, 0)


# Inspect


def asked() -> dict[str, Any]:
    return {"id": "m0", "role": "user", "content": "A room."}


def called(id: str = "m1", nights: Any = 1, name: str = "find_room", **more: Any) -> dict[str, Any]:
    call = {
        "id": f"c{id}",
        "function": name,
        "arguments": {"town": "Oslo", "nights": nights},
        "type": "function",
        **more,
    }
    return {"id": id, "role": "assistant", "content": "", "tool_calls": [call]}


def answered(id: str = "m2", call: str = "cm1", **more: Any) -> dict[str, Any]:
    return {"id": id, "role": "tool", "content": "4", "tool_call_id": call, "function": "find_room", **more}


def request(sent: list[Any], given: dict[str, Any], *tools: dict[str, Any], **more: Any) -> dict[str, Any]:
    output = {"choices": [{"message": given, "stop_reason": "stop"}]}
    return {"event": "model", "input": sent, "tools": list(tools or (TOOL,)), "output": output, **more}


def sample(*messages: dict[str, Any], events: Any = (), **more: Any) -> dict[str, Any]:
    return {"id": 1, "epoch": 1, "input": "", "target": "4", "messages": list(messages), "events": list(events), **more}


def log(*samples: dict[str, Any]) -> dict[str, Any]:
    return {"version": 2, "status": "success", "eval": {"task": "rooms"}, "samples": list(samples)}


def test_the_tools_are_in_the_requests_of_a_sample(tmp_path: Path) -> None:
    events = [request([asked()], called(nights="two")), {"event": "info"}]
    report, written = one(tmp_path, log(sample(asked(), called(nights="two"), answered(), events=events)))
    assert found(report, written) == [("CALL_INVALID_ARGUMENTS", '"two"')]
    assert counts(report) == (1, 3, 1, 1)


def test_each_sample_is_a_conversation(tmp_path: Path) -> None:
    report, _ = one(tmp_path, log(sample(asked(), called(), answered()), sample(asked(), called(), answered())))
    assert counts(report) == (2, 6, 2, 2)


def test_another_agent_of_a_sample_has_its_own_tools(tmp_path: Path) -> None:
    judge = request([{"id": "j0", "role": "user", "content": "Is it?"}], called("j1"), {**TOOL, "name": "grade"})
    events = [request([asked()], called()), judge]
    report, written = one(tmp_path, log(sample(asked(), called(), answered(), events=events)))
    assert found(report, written) == [("CALL_UNKNOWN_TOOL", '"find_room"')]
    assert counts(report) == (2, 5, 2, 1)


def test_a_call_that_was_taken_out_of_its_message(tmp_path: Path) -> None:
    without = {**called(), "tool_calls": []}
    report, written = one(tmp_path, log(sample(asked(), without, events=[request([asked()], called(nights="two"))])))
    assert found(report, written) == [("CALL_INVALID_ARGUMENTS", '"two"')]


@pytest.mark.parametrize("pool", ["events_data", "message_pool"])
def test_requests_may_name_the_messages_of_a_pool(pool: str, tmp_path: Path) -> None:
    messages = [{**asked(), "id": "j0"}, called("j1", "two"), answered("j2", "cj1")]
    kept = {"messages": messages, "calls": []} if pool == "events_data" else messages
    events = [
        request([], messages[1], input_refs=[[0, 1]]),
        request([], called("j3"), input_refs=[[0, 2], [2, 3]]),
        request([], called("j4"), input_refs=[[0, 10**9], [-5, 1], "no", [1], [None, 1]]),
    ]
    report, written = one(tmp_path, log(sample(asked(), events=events, **{pool: kept})))
    assert found(report, written) == [("CALL_INVALID_ARGUMENTS", '"two"')]
    assert counts(report)[2:] == (3, 1)


def test_arguments_that_could_not_be_read(tmp_path: Path) -> None:
    wrong = called(parse_error="not JSON: {town")
    report, _ = one(tmp_path, log(sample(asked(), wrong, answered(error={"type": "parsing", "message": "no"}))))
    assert [diagnostic.code for diagnostic in report.diagnostics] == ["CALL_ARGUMENTS_NOT_JSON"]
    assert report.transcripts[0].tools == {"find_room": (1, 1)}


def test_long_texts_may_be_kept_elsewhere(tmp_path: Path) -> None:
    town = "O" * 30
    schema = {"type": "object", "properties": {"town": {"type": "string", "pattern": "^O+$", "maxLength": 20}}}
    given = called()
    given["tool_calls"][0]["arguments"] = {"town": "attachment://5f"}
    events = [request([asked()], given, {**TOOL, "parameters": schema})]
    report, written = one(tmp_path, log(sample(asked(), events=events, attachments={"5f": town})))
    assert found(report, written) == [("CALL_INVALID_ARGUMENTS", '"attachment://5f"')]
    assert "at most `20` characters" in report.diagnostics[0].message


def test_messages_of_inspect_alone(tmp_path: Path) -> None:
    report, written = one(tmp_path, {"messages": [asked(), called(nights="two"), answered()], "tools": [FUNCTION]})
    assert found(report, written) == [("CALL_INVALID_ARGUMENTS", '"two"')]


# Archives


def archive(folder: Path, members: dict[str, Any], name: str = "run.eval", method: int = zipfile.ZIP_DEFLATED) -> Path:
    path = folder / name
    with zipfile.ZipFile(path, "w", method) as file:
        for member, value in members.items():
            file.writestr(member, value if isinstance(value, str | bytes) else json.dumps(value))
    return path


WRONG = sample(asked(), called(nights="two"), answered(), events=[request([asked()], called(nights="two"))])
RIGHT = sample(asked(), called(), answered(), events=[request([asked()], called())])
HEAD = {"version": 2, "eval": {"task": "rooms"}}


def test_a_finding_in_an_archive_has_its_place_in_the_member(tmp_path: Path, check: Check) -> None:
    written = json.dumps(WRONG, indent=1)
    members = {"header.json": HEAD, "samples/1_epoch_1.json": RIGHT, "samples/2_epoch_1.json": written}
    path = archive(tmp_path, {**members, "summaries.json": [WRONG]})
    for report in (check(tmp_path), check_paths([str(path)])):
        (diagnostic,) = report.diagnostics
        assert diagnostic.location is not None
        assert diagnostic.location.path.endswith("run.eval/samples/2_epoch_1.json")
        assert found(report, written) == [("CALL_INVALID_ARGUMENTS", '"two"')]
        line = written[: diagnostic.location.span.start].count("\n") + 1
        assert diagnostic.location.range.start[0] == line
        assert report.sources[diagnostic.location.path].text == written
        assert counts(report) == (2, 6, 2, 2)
        assert report.summary["files"] == 1


def test_a_log_that_is_still_written_to(tmp_path: Path, check: Check) -> None:
    archive(tmp_path, {"_journal/start.json": HEAD, "samples/1_epoch_1.json": RIGHT})
    assert counts(check(tmp_path)) == (1, 3, 1, 1)


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"header.json": HEAD}, "a log of Inspect without samples"),
        ({"samples/1.json": RIGHT}, "not a log of Inspect"),
        ({"word/document.xml": "<a/>"}, "not a log of Inspect"),
    ],
)
def test_another_archive_is_skipped(members: dict[str, Any], reason: str, tmp_path: Path, check: Check) -> None:
    archive(tmp_path, members)
    report = check(tmp_path)
    assert [skipped.reason for skipped in report.skipped] == [reason]
    assert report.diagnostics == ()


@pytest.mark.parametrize("data", [b"", b"PK", b"PK\x05\x06" + bytes(18), b"accuracy = 1\n", b"\x00" * 99])
def test_a_file_of_that_name_that_is_no_archive(data: bytes, tmp_path: Path, check: Check) -> None:
    (tmp_path / "run.eval").write_bytes(data)
    report = check(tmp_path)
    assert [skipped.reason for skipped in report.skipped] == ["not a log of Inspect"]


def test_a_pointer_of_git_lfs(tmp_path: Path, check: Check) -> None:
    (tmp_path / "run.eval").write_text("version https://git-lfs.github.com/spec/v1\nsize 9\n", encoding="utf-8")
    assert [skipped.reason for skipped in check(tmp_path).skipped] == ["kept by Git LFS, and not fetched"]


def test_an_archive_that_is_cut_off(tmp_path: Path, check: Check) -> None:
    path = archive(tmp_path, {"header.json": HEAD, "samples/1_epoch_1.json": WRONG})
    path.write_bytes(path.read_bytes()[:-30])
    report = check(tmp_path)
    assert report.diagnostics == ()
    (skipped,) = report.skipped
    assert skipped.reason.startswith("not recognised: not a zip archive that can be read: ")


def test_members_that_cannot_be_read_are_counted(tmp_path: Path, check: Check) -> None:
    broken = {"samples/1_epoch_1.json": "{", "samples/2_epoch_1.json": b"\xff", "samples/3_epoch_1.json": "[1"}
    archive(tmp_path, {"header.json": HEAD, **broken, "samples/4_epoch_1.json": RIGHT})
    report = check(tmp_path)
    assert [(each.code, each.location.path) for each in report.diagnostics if each.location] == [
        ("INPUT_SYNTAX_ERROR", "run.eval/samples/1_epoch_1.json"),
        ("INPUT_UNREADABLE", "run.eval/samples/2_epoch_1.json"),
    ]
    assert report.diagnostics[0].message.endswith("; another member cannot be read either")
    assert counts(report) == (1, 3, 1, 1)


def test_a_member_that_is_too_large(tmp_path: Path, check: Check) -> None:
    archive(tmp_path, {"header.json": HEAD, "samples/1_epoch_1.json": {**RIGHT, "note": "x" * 3000}})
    (tmp_path / "toolsurface.toml").write_text("max-file-size = 2000\n", encoding="utf-8")
    (diagnostic,) = check(tmp_path).diagnostics
    assert diagnostic.message == "the member of the archive has more bytes than `max-file-size` (2,000)"


def test_a_bomb_is_not_expanded(tmp_path: Path, check: Check) -> None:
    archive(
        tmp_path, {"header.json": HEAD, "samples/1_epoch_1.json": b" " * 20_000_000, "samples/2_epoch_1.json": RIGHT}
    )
    report = check(tmp_path)
    assert [each.message for each in report.diagnostics] == [
        "the member of the archive expands to more than 250 times its size"
    ]
    assert counts(report) == (1, 3, 1, 1)


@pytest.mark.parametrize(("method", "name"), [(zipfile.ZIP_BZIP2, "bzip2"), (zipfile.ZIP_LZMA, "LZMA")])
def test_what_cannot_be_decompressed_in_parts_is_not_expanded(
    method: int, name: str, tmp_path: Path, check: Check
) -> None:
    bomb = {"header.json": HEAD, "samples/1_epoch_1.json": b" " * 100_000_000}
    archive(tmp_path, bomb, method=method)
    tracemalloc.start()
    try:
        (diagnostic,) = check(tmp_path).diagnostics
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()
    assert diagnostic.message == (
        f"the member of the archive cannot be read: it is compressed with {name}, which is not supported"
    )


def test_sizes_that_a_list_lies_about(tmp_path: Path, check: Check) -> None:
    path = archive(tmp_path, {"header.json": HEAD, "samples/1_epoch_1.json": b" " * 3_000_000})
    data = bytearray(path.read_bytes())
    at = data.rfind(b"PK\x01\x02")
    struct.pack_into("<LL", data, at + 20, 2**32 - 2, 10)
    path.write_bytes(data)
    (diagnostic,) = check(tmp_path).diagnostics
    assert diagnostic.code == "INPUT_UNREADABLE"


@pytest.mark.parametrize(
    "name",
    [
        "samples/../../etc/passwd.json",
        "samples/..\\up.json",
        "samples/a\x1b[31m.json",
        "/samples/a.json",
        "samples/a.zip",
    ],
)
def test_names_that_lead_elsewhere_are_not_read(name: str, tmp_path: Path, check: Check) -> None:
    archive(tmp_path, {"header.json": HEAD, name: WRONG, "samples/1_epoch_1.json": RIGHT})
    report = check(tmp_path)
    assert report.diagnostics == ()
    assert counts(report) == (1, 3, 1, 1)


def test_an_encrypted_member(tmp_path: Path, check: Check) -> None:
    path = archive(tmp_path, {"header.json": HEAD, "samples/1_epoch_1.json": RIGHT})
    data = bytearray(path.read_bytes())
    at = data.rfind(b"PK\x01\x02")
    data[at + 8] |= 1
    path.write_bytes(data)
    (diagnostic,) = check(tmp_path).diagnostics
    assert diagnostic.message == "the member of the archive cannot be read: it is encrypted"


def test_a_list_of_members_that_is_too_long(tmp_path: Path, check: Check) -> None:
    path = archive(tmp_path, {"header.json": HEAD, "samples/1_epoch_1.json": RIGHT})
    data = path.read_bytes()
    end = data.rfind(b"PK\x05\x06")
    start = struct.unpack_from("<L", data, end + 16)[0]
    padding = b"\0" * 9_000_000
    tail = bytearray(data[end:])
    struct.pack_into("<LL", tail, 12, end - start + len(padding), start)
    path.write_bytes(data[:end] + padding + tail)
    (skipped,) = check(tmp_path).skipped
    assert skipped.reason.endswith("its list of members has more than 8,388,608 bytes")


def zstandard_archive(folder: Path, value: Any, *, checksum: int | None = None) -> str:
    """An archive with one sample in Zstandard, as Inspect writes it: a frame of one raw block."""
    text = json.dumps(value)
    raw = text.encode()
    assert len(raw) < 2**17
    frame = b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<L", len(raw)) + struct.pack("<L", 1 | len(raw) << 3)[:3] + raw
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("header.json", json.dumps(HEAD))
        file.writestr("samples/1_epoch_1.json", frame)
    data = bytearray(buffer.getvalue())
    crc = zlib.crc32(raw) if checksum is None else checksum
    local, listed = data.rfind(b"PK\x03\x04"), data.rfind(b"PK\x01\x02")
    struct.pack_into("<H", data, local + 8, 93)
    struct.pack_into("<LLL", data, local + 14, crc, len(frame), len(raw))
    struct.pack_into("<H", data, listed + 10, 93)
    struct.pack_into("<LLL", data, listed + 16, crc, len(frame), len(raw))
    (folder / "run.eval").write_bytes(data)
    return text


def test_zstandard_is_read_where_its_package_is(tmp_path: Path, check: Check) -> None:
    pytest.importorskip("zstandard")
    written = zstandard_archive(tmp_path, WRONG)
    report = check(tmp_path)
    assert found(report, written) == [("CALL_INVALID_ARGUMENTS", '"two"')]
    zstandard_archive(tmp_path, RIGHT, checksum=5)
    (diagnostic,) = check(tmp_path).diagnostics
    assert diagnostic.message == "the member of the archive cannot be read: its checksum is wrong"


def test_without_the_package_it_is_said(tmp_path: Path, check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    if sys.version_info >= (3, 14):
        pytest.skip("the standard library reads it")
    monkeypatch.setitem(sys.modules, "zstandard", None)
    zstandard_archive(tmp_path, RIGHT)
    (diagnostic,) = check(tmp_path).diagnostics
    assert diagnostic.message == "compressed with Zstandard: install the Python package `zstandard`"


@settings(max_examples=examples(150))
@given(st.data())
def test_a_damaged_archive_never_crashes(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("archive")
    path = archive(folder, {"header.json": HEAD, "samples/1_epoch_1.json": RIGHT, "samples/2_epoch_1.json": WRONG})
    written = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(written) - 1))
        written[at] = data.draw(st.integers(0, 255))
    path.write_bytes(written)
    report = check_paths([str(folder)])
    assert {each.code for each in report.diagnostics} <= {
        "CALL_INVALID_ARGUMENTS",
        "INPUT_UNREADABLE",
        "INPUT_SYNTAX_ERROR",
    }
