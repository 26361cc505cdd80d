"""The dataset command below its engine: rows, addresses, sorting, what is not read, and what only all rows show."""

from __future__ import annotations

import gzip
import json
import os
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmarks import dataset as benchmark
from tests.dataset_here import TOOL, Here, check_here, row, write_lines, write_parquet
from toolsurface_lint import Linter
from toolsurface_lint.dataset import inputs
from toolsurface_lint.dataset.pieces import Piece, split_of
from toolsurface_lint.dataset.remote import EngineFailed, EngineStopped
from toolsurface_lint.dataset.rendering import render_json, render_text
from toolsurface_lint.dataset.report import Address
from toolsurface_lint.dataset.run import NotSorted
from toolsurface_lint.dataset.state import StateUnusable
from toolsurface_lint.project.discovery import PathMissing

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def rows_of(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    return rows


def test_every_form_has_the_same_findings(tmp_path: Path) -> None:
    rows = [row("Bern"), row(7), row("Chur")]
    text = "".join(f"{json.dumps(each)}\n" for each in rows).encode()
    (tmp_path / "a.jsonl").write_bytes(text)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(text))
    with pa.CompressedOutputStream(str(tmp_path / "c.jsonl.zst"), "zstd") as file:
        file.write(text)
    write_parquet(tmp_path / "d.parquet", rows)
    table = pa.Table.from_pylist(rows)
    with pa.ipc.new_file(str(tmp_path / "e.arrow"), table.schema) as writer:
        writer.write_table(table)
    with pa.ipc.new_stream(str(tmp_path / "f.arrow"), table.schema) as writer:
        writer.write_table(table)
    names = [file.name for file in sorted(tmp_path.iterdir())]
    assert len(names) == 6
    for name in names:
        report = check_here(tmp_path / name)
        (found,) = report.codes
        assert (found.code, found.rows, report.rows, report.passing) == ("CALL_INVALID_ARGUMENTS", 1, 3, 2), name
        assert found.example == Address(str(tmp_path / name), 2)
        assert found.pointer == "/messages/1/tool_calls/0/function/arguments/town"
    whole = check_here(tmp_path)
    assert (whole.files, whole.rows, whole.codes[0].rows) == (6, 18, 6)
    # The same conversations in four files as they are, and in two as structs, whose members may be null.
    assert [(each.code, each.message.split(" ")[0]) for each in whole.whole] == [
        ("DATASET_DUPLICATE_CONVERSATION", "12")
    ]


def test_rows_are_sorted_and_kept_as_they_are(tmp_path: Path) -> None:
    rows = [row("Bern", id="1"), row(7, id="2"), row("Chur", id="3"), row(8, id="4")]
    write_parquet(tmp_path / "in" / "train.parquet", rows[:2])
    write_parquet(tmp_path / "in" / "more" / "train.parquet", rows[2:])
    keep, drop = tmp_path / "clean.parquet", tmp_path / "bad"
    findings = tmp_path / "findings.parquet"
    report = check_here(tmp_path / "in", keep=str(keep), drop=str(drop), findings=str(findings))
    assert [each["id"] for each in rows_of(keep)] == ["1", "3"]
    assert [each["id"] for each in rows_of(drop / "train.parquet")] == ["2"]
    assert [each["id"] for each in rows_of(drop / "more" / "train.parquet")] == ["4"]
    found = rows_of(findings)
    assert [(Path(each["file"]).parent.name, each["row"], each["code"], each["call"]) for each in found] == [
        ("in", 2, "CALL_INVALID_ARGUMENTS", 0),
        ("more", 2, "CALL_INVALID_ARGUMENTS", 0),
    ]
    assert [(each.option, each.rows) for each in report.written] == [("output", 2), ("keep", 2), ("drop", 2)]
    assert pq.read_schema(keep).equals(pq.read_schema(tmp_path / "in" / "train.parquet"))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["bad", "clean.parquet", "findings.parquet", "in"]


def test_lines_stay_the_same_bytes(tmp_path: Path) -> None:
    good = json.dumps(row("Bern")).replace(", ", " ,  ")
    write_lines(tmp_path / "a.jsonl", [good, "not JSON", "", "[1]", row(7)])
    check_here(tmp_path / "a.jsonl", keep=str(tmp_path / "clean.jsonl"), drop=str(tmp_path / "bad.jsonl.gz"))
    assert (tmp_path / "clean.jsonl").read_text() == f"{good}\n"
    assert gzip.decompress((tmp_path / "bad.jsonl.gz").read_bytes()).decode().split("\n")[:2] == ["not JSON", "[1]"]


def test_rows_stay_in_the_form_of_their_file(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", [row()])
    with pytest.raises(NotSorted, match=r"name one that ends in \.jsonl"):
        check_here(tmp_path, keep=str(tmp_path / "clean.parquet"))


def test_what_cannot_be_read_is_counted_and_ends_nothing(tmp_path: Path) -> None:
    write_lines(
        tmp_path / "a.jsonl", ["{", row(), '"text"', "\ud800".encode("utf-8", "surrogatepass").decode("latin-1")]
    )
    (tmp_path / "b.parquet").write_bytes(b"PAR1 nothing PAR1")
    good = write_parquet(tmp_path / "c.parquet", [row()] * 4, group=2)
    data = bytearray(good.read_bytes())
    data[8:40] = b"\xff" * 32
    good.write_bytes(data)
    (tmp_path / "d.csv").write_text("a,b\n")
    report = check_here(tmp_path)
    read = {each.at.file.rpartition("/")[2]: (each.at.row, each.rows) for each in report.not_read}
    assert read["b.parquet"] == (1, 0)
    assert read["c.parquet"] == (1, 2)
    assert {(each.at.row, each.reason) for each in report.not_read if each.at.file.endswith("a.jsonl")} == {
        (1, "it is not JSON"),
        (3, "it is not an object"),
    }
    assert report.conversations == 3
    assert [each.at.file.rpartition("/")[2] for each in report.skipped] == ["d.csv"]
    assert report.fails
    text = render_text(report)
    assert "not read:" in text
    assert "not a part of the dataset:" in text


def test_many_files_that_are_left_out_for_one_reason_are_one_line(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", [row()])
    for name in "bcdef":
        (tmp_path / f"{name}.md").write_text("x", encoding="utf-8")
    listed = [line for line in render_text(check_here(tmp_path)).splitlines() if ".md" in line]
    assert [line.rpartition("/")[2] for line in listed] == [
        "b.md and 4 more: its name does not end like one of Parquet, JSON Lines or Arrow"
    ]


@pytest.mark.parametrize("end", ["gz", "zst"])
def test_the_rows_before_the_break_of_a_file_are_checked(tmp_path: Path, end: str) -> None:
    noise = random.Random(1).randbytes(2_000_000).hex()
    rows = [row("Bern"), row(7), row("Chur", noise=noise)]
    text = "".join(f"{json.dumps(each)}\n" for each in rows).encode()
    path = tmp_path / f"a.jsonl.{end}"
    data = gzip.compress(text) if end == "gz" else pa.compress(text, codec="zstd", asbytes=True)
    path.write_bytes(data[: len(data) * 3 // 4])
    report = check_here(path, keep=str(tmp_path / "clean.jsonl"))
    assert (report.rows, report.passing, len(report.codes)) == (2, 1, 1)
    assert [(each.at.row, each.rows) for each in report.not_read] == [(3, 0)]
    assert report.fails


def test_a_row_that_is_too_large_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolsurface_lint.dataset.rows.MAX_ROW", 10_000)
    rows = [row(), row("B" * 20_000), row()]
    write_lines(tmp_path / "a.jsonl", rows)
    write_parquet(tmp_path / "b.parquet", rows)
    report = check_here(tmp_path)
    assert [(each.at.row, each.rows) for each in report.not_read] == [(2, 1), (2, 1)]
    assert (report.rows, report.conversations) == (6, 4)


def test_columns_of_surprising_types(tmp_path: Path) -> None:
    table = pa.table(
        {
            "messages": pa.array([b"\xff\xfe", None], pa.binary()),
            "tools": pa.array([1.5, None]),
            "day": pa.array([2**40, 1], pa.timestamp("s")),
        }
    )
    pq.write_table(table, tmp_path / "a.parquet")
    report = check_here(tmp_path)
    assert (report.rows, report.conversations, report.passing) == (2, 0, 0)


def test_a_column_of_times_hides_no_row(tmp_path: Path) -> None:
    given = row(7)
    times = {
        "nano": pa.array([1], pa.timestamp("ns", "UTC")),
        "late": pa.array([2**40], pa.timestamp("s")),
        "day": pa.array([2**30], pa.date32()),
        "day64": pa.array([86_400_000], pa.date64()),
        "hour": pa.array([1], pa.time32("s")),
        "clock": pa.array([1], pa.time64("ns")),
        "took": pa.array([None], pa.duration("ns")),
        "months": pa.array([(1, 2, 3)], pa.month_day_nano_interval()),
    }
    table = pa.table({**{name: [json.dumps(given[name])] for name in given}, **times})
    with pa.ipc.new_file(str(tmp_path / "a.arrow"), table.schema) as writer:
        writer.write_table(table)
    pq.write_table(table.drop_columns(["months"]), tmp_path / "a.parquet")
    report = check_here(tmp_path, drop=str(tmp_path / "bad"))
    assert report.not_read == []
    assert [(each.code, each.rows) for each in report.codes] == [("CALL_INVALID_ARGUMENTS", 2)]
    assert pa.ipc.open_file(str(tmp_path / "bad" / "a.arrow")).read_all().equals(table)


def test_names_of_files_steer_no_terminal(tmp_path: Path) -> None:
    write_lines(tmp_path / "a\x1b[31m.jsonl", [row(7)])
    report = check_here(tmp_path)
    assert "\x1b" not in render_text(report)
    assert "\x1b" not in render_json(report)


def test_a_large_file_is_cut_and_its_rows_keep_their_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "PIECE", 2000)
    rows = [row("Bern", id=str(number)) for number in range(40)]
    rows[33] = row(7, id="33")
    write_lines(tmp_path / "a.jsonl", rows)
    write_parquet(tmp_path / "b.parquet", rows, group=5)
    for name in ("a.jsonl", "b.parquet"):
        report = check_here(tmp_path / name, findings=str(tmp_path / "found.parquet"))
        assert report.pieces > 2
        assert (report.rows, report.codes[0].example.row) == (40, 34)
        assert [each["row"] for each in rows_of(tmp_path / "found.parquet")] == [34]


@pytest.mark.parametrize("end", ["jsonl", "parquet"])
def test_rows_keep_their_numbers_in_a_part_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    monkeypatch.setattr(inputs, "PIECE", 2000)
    rows = [row("Bern", id=str(number)) for number in range(40)]
    rows[33] = row(7, id="33")
    path = tmp_path / f"a.{end}"
    write_lines(path, rows) if end == "jsonl" else write_parquet(path, rows, group=1)
    found = [check_here(path, shard=(number, 2)).codes for number in (1, 2)]
    assert [each.example.row for codes in found for each in codes] == [34]
    assert [each.example.row for each in check_here(path, sample=38).codes] == [34]
    monkeypatch.setattr(Dying, "at", (path.name,))
    monkeypatch.setattr(Dying, "parts", (1,))
    assert [each.example.row for each in check_here(path, engine=Dying).codes] == [34]


def test_a_sample_and_a_shard_are_parts(tmp_path: Path) -> None:
    for name in "abc":
        write_lines(tmp_path / f"{name}.jsonl", [row(f"{name}{number}") for number in range(10)])
    report = check_here(tmp_path, sample=7)
    assert report.rows == 7
    assert "a sample: the first rows of 3 pieces" in render_text(report)
    shards = [check_here(tmp_path, shard=(number, 2)) for number in (1, 2)]
    assert [each.rows for each in shards] == [20, 10]


class Dying(Here):
    """A worker that dies at some files, before it has given anything of the run."""

    at: tuple[str, ...] = ()
    parts: tuple[int, ...] = (0,)
    checked: list[str] = []  # noqa: RUF012

    def run(self, works: Sequence[tuple[Piece, str]]) -> Iterator[tuple[str, dict[str, Any]]]:
        for piece, key in works:
            if piece.part in self.parts and any(name in piece.path for name in self.at):
                raise EngineFailed("killed")
            self.checked.append(Path(piece.path).name)
            yield from super().run([(piece, key)])


def test_a_worker_that_dies_costs_its_piece_alone(tmp_path: Path) -> None:
    for name in "abcdefg":
        write_lines(tmp_path / f"{name}.jsonl", [row(name)])
    Dying.at, Dying.checked = ("d.jsonl",), []
    report = check_here(tmp_path, engine=Dying)
    assert report.rows == 6
    assert [(each.at.file[-7:], each.reason) for each in report.not_read] == [("d.jsonl", "the worker ended: killed")]
    assert sorted(Dying.checked) == [f"{name}.jsonl" for name in "abcefg"]


def test_an_engine_that_does_not_run_at_all_is_said(tmp_path: Path) -> None:
    for name in "abcdefg":
        write_lines(tmp_path / f"{name}.jsonl", [row(name)])
    Dying.at = (".jsonl",)
    with pytest.raises(EngineFailed):
        check_here(tmp_path, engine=Dying)


class Interrupted(Dying):
    def run(self, works: Sequence[tuple[Piece, str]]) -> Iterator[tuple[str, dict[str, Any]]]:
        yield from super().run(works[:2])
        raise KeyboardInterrupt


def test_a_run_goes_on_where_another_was_interrupted(tmp_path: Path) -> None:
    for name in "abcd":
        write_lines(tmp_path / "in" / f"{name}.jsonl", [row(name), row(1)])
    keep = tmp_path / "clean.jsonl"
    keep.write_text("as it was\n")
    Dying.at, Dying.checked = (), []
    with pytest.raises(KeyboardInterrupt):
        check_here(tmp_path / "in", keep=str(keep), engine=Interrupted)
    assert keep.read_text() == "as it was\n"
    # A changed file is checked again.
    write_lines(tmp_path / "in" / "a.jsonl", [row("anew"), row(1), row(2)])
    report = check_here(tmp_path / "in", keep=str(keep), engine=Dying)
    assert report.resumed == 1
    assert Dying.checked == ["a.jsonl", "b.jsonl", "a.jsonl", "c.jsonl", "d.jsonl"]
    assert (report.rows, report.passing) == (9, 4)
    assert len(keep.read_text().splitlines()) == 4
    assert not Path(f"{keep}.unfinished").exists()
    fresh = check_here(tmp_path / "in", keep=str(keep))
    assert fresh._replace(resumed=1, memory=0) == report._replace(memory=0)


class Stopped(Dying):
    """What Daft does with an interrupt: it ends, and says nothing."""

    def run(self, works: Sequence[tuple[Piece, str]]) -> Iterator[tuple[str, dict[str, Any]]]:
        yield from super().run(works[:2])


def test_an_engine_that_ends_early_is_not_taken_for_done(tmp_path: Path) -> None:
    for name in "abcd":
        write_lines(tmp_path / "in" / f"{name}.jsonl", [row(name)])
    Dying.at, Dying.checked = (), []
    keep = str(tmp_path / "clean.jsonl")
    with pytest.raises(EngineStopped):
        check_here(tmp_path / "in", keep=keep, engine=Stopped)
    assert check_here(tmp_path / "in", keep=keep).resumed == 2


def test_other_settings_take_nothing_over(tmp_path: Path) -> None:
    for name in "abcd":
        write_lines(tmp_path / "in" / f"{name}.jsonl", [row(name), row(1)])
    keep = str(tmp_path / "clean.jsonl")
    with pytest.raises(KeyboardInterrupt):
        check_here(tmp_path / "in", keep=keep, engine=Interrupted)
    report = check_here(tmp_path / "in", keep=keep, linter=Linter(ignore=["CALL"]))
    assert (report.resumed, report.passing) == (0, 8)


class Meanwhile(Here):
    """Another run into the same output begins while this one is at work."""

    keep = ""
    said: list[str] = []  # noqa: RUF012

    def run(self, works: Sequence[tuple[Piece, str]]) -> Iterator[tuple[str, dict[str, Any]]]:
        with pytest.raises(StateUnusable) as other:
            check_here(works[0][0].path, keep=self.keep)
        self.said.append(str(other.value))
        yield from super().run(works)


@pytest.mark.skipif(os.name == "nt", reason="files are locked by `flock`")
def test_two_runs_do_not_write_the_same_output_at_once(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", [row(), row(1)])
    Meanwhile.keep = keep = str(tmp_path / "clean.jsonl")
    for _ in range(2):
        report = check_here(path, keep=keep, engine=Meanwhile)
        assert (report.passing, len(Path(keep).read_text().splitlines())) == (1, 1)
    assert Meanwhile.said == [f"another run is writing {keep}: wait for it, or write elsewhere"] * 2


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", [row()])
    other = tmp_path / "clean.jsonl.unfinished"
    other.mkdir()
    (other / "thesis.txt").write_text("mine")
    with pytest.raises(StateUnusable):
        check_here(tmp_path / "a.jsonl", keep=str(tmp_path / "clean.jsonl"))
    assert (other / "thesis.txt").read_text() == "mine"


def test_paths_that_are_not_there(tmp_path: Path) -> None:
    for path in ("nothing.parquet", "*.parquet"):
        with pytest.raises(PathMissing):
            check_here(tmp_path / path)


@pytest.mark.parametrize(
    ("path", "split"),
    [
        ("data/train-00000-of-00002.parquet", "train"),
        ("data/test/part-0.parquet", "test"),
        ("data/my_dev.jsonl", "validation"),
        ("training/rows.jsonl", "train"),
        ("contest/latest.jsonl", ""),
        ("trainer.jsonl", ""),
    ],
)
def test_the_split_of_a_file(path: str, split: str) -> None:
    assert split_of(path) == split


def test_a_file_of_one_column_of_structs_shares_its_keys(tmp_path: Path) -> None:
    other = {
        "type": "function",
        "function": {
            "name": "spell",
            "description": "Says how a word is spelled.",
            "parameters": {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
        },
    }
    rows = [{**row("Bern"), "tools": [TOOL]}, {**row("Chur"), "tools": [TOOL, other]}]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "structs.parquet")
    write_parquet(tmp_path / "texts.parquet", rows)
    report = check_here(tmp_path / "structs.parquet")
    assert [(each.code, each.example.row) for each in report.whole] == [("DATASET_TOOLS_STRUCT", 1)]
    assert report.whole[0].message.startswith("in 2 rows")
    assert check_here(tmp_path / "texts.parquet").whole == []


def test_names_that_change_are_counted_by_the_way_they_do(tmp_path: Path) -> None:
    rows = [row("a", "findRain"), row("b", "weather-find_rain"), row("c", "find_Rain"), row("d"), row("e", "other")]
    rows.append(row("f"))
    rows[-1]["messages"][2]["name"] = "FindRain"
    write_lines(tmp_path / "a.jsonl", rows)
    report = check_here(tmp_path)
    assert [(each.code, each.example.row, each.message) for each in report.whole] == [
        (
            "DATASET_NAME_CHANGES",
            1,
            "in 2 rows, calls write names in another way than definitions: `findRain` for `find_rain`",
        ),
        (
            "DATASET_NAME_CHANGES",
            2,
            "in 1 row, calls write names in another way than definitions: `weather-find_rain` for `find_rain`",
        ),
        (
            "DATASET_NAME_CHANGES",
            6,
            "in 1 row, results write names in another way than calls: `FindRain` for `find_rain`",
        ),
    ]


def test_a_split_leaks_a_conversation_or_a_task(tmp_path: Path) -> None:
    same = row("Bern")
    alike = row("Chur")
    again = row("Chur")
    again["messages"][3]["content"] = "In other words."
    write_lines(tmp_path / "train.jsonl", [same, alike, row("Basel")])
    write_lines(tmp_path / "test.jsonl", [row("Thun"), same, again])
    report = check_here(tmp_path)
    train = tmp_path / "train.jsonl"
    assert [(each.code, each.example.row, each.message) for each in report.whole] == [
        (
            "DATASET_SPLIT_LEAK",
            2,
            f"in 1 row of `test`, the conversation is also in `train`: in the first of them, {train}:1",
        ),
        (
            "DATASET_SPLIT_LEAK",
            2,
            f"in 2 rows of `test`, question and calls are also in `train`: in the first of them, {train}:1",
        ),
    ]


def test_the_column_split_says_it_too(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", [row(split="train"), row(split="test"), row("Chur", split="odd")])
    report = check_here(tmp_path)
    assert [(each.code, each.example.row) for each in report.whole] == [("DATASET_SPLIT_LEAK", 2)]


def test_rules_of_the_whole_dataset_are_selected_and_severe_as_others(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", [row(), row()])
    settings = tmp_path / "toolsurface.toml"
    settings.write_text('[severity]\nDATASET_DUPLICATE_CONVERSATION = "error"\n', encoding="utf-8")
    assert check_here(tmp_path / "a.jsonl", linter=Linter(ignore=["DATASET"])).whole == []
    report = check_here(tmp_path / "a.jsonl", linter=Linter(config=str(settings)))
    assert [each.severity for each in report.whole] == ["error"]
    assert report.fails


def test_columns_may_be_named(tmp_path: Path) -> None:
    given = row(7)
    write_lines(tmp_path / "a.jsonl", [{"turns": json.dumps(given["messages"]), "meta": {"tools": given["tools"]}}])
    assert check_here(tmp_path).conversations == 0
    report = check_here(tmp_path, linter=Linter(columns={"messages": "turns", "tools": "meta.tools"}))
    assert [(each.code, each.pointer) for each in report.codes] == [
        ("CALL_INVALID_ARGUMENTS", "/turns/1/tool_calls/0/function/arguments/town")
    ]


def test_the_benchmark_finds_all_that_was_seeded_and_nothing_else(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    folder, findings = tmp_path / "toucan", tmp_path / "findings.parquet"
    benchmark.make(folder, rows=2000, processes=1)
    report = check_here(folder, findings=str(findings))
    assert benchmark.verify(folder, findings) == []
    assert dict(report.schemas) == {"Toucan": 2000}
    assert report.whole == []
    assert sum(each.findings for each in report.codes) == 20
