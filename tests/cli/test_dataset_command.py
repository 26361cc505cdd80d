"""`toolsurface-lint dataset` as a process, with its engine."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.dataset_here import row, write_lines, write_parquet

pytest.importorskip("daft")
pq = pytest.importorskip("pyarrow.parquet")


def run(
    *arguments: str, cwd: Path, env: dict[str, str] | None = None, code: str = "", timeout: int = 300
) -> subprocess.CompletedProcess[str]:
    start = f"sys.argv[1:] = {['dataset', *arguments]!r}\nmain()"
    program = f"{code}\nimport sys\nfrom toolsurface_lint.__main__ import main\n{start}"
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **(env or {})},
        capture_output=True,
        text=True,
        timeout=timeout,
    )


def write_dataset(folder: Path) -> None:
    for name in ("train-0", "train-1", "test-0"):
        write_parquet(folder / f"{name}.parquet", [row(f"{name} {number}") for number in range(3)])
    write_parquet(folder / "train-2.parquet", [row(7), row("Bern")])


@pytest.mark.slow
def test_a_dataset_is_checked_and_cleaned(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data")
    options = ["--jobs", "2", "--output", "json", "--output", "parquet=found.parquet", "--keep", "clean.parquet"]
    done = run("data", *options, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    report = json.loads(done.stdout)
    assert (report["files"], report["rows"], report["passing"]) == (4, 11, 10)
    (found,) = report["codes"]
    assert (found["code"], found["example"]["file"], found["example"]["row"]) == (
        "CALL_INVALID_ARGUMENTS",
        str(Path("data", "train-2.parquet")),
        1,
    )
    assert pq.read_metadata(tmp_path / "clean.parquet").num_rows == 10
    assert [each["row"] for each in pq.read_table(tmp_path / "found.parquet").to_pylist()] == [1]
    again = run("clean.parquet", cwd=tmp_path)
    assert again.returncode == 0
    assert "10 rows (100.0 %) have no error; 0 do not pass." in again.stdout


@pytest.mark.slow
def test_the_engine_says_nothing_on_a_terminal(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data")
    controller, terminal = pty.openpty()
    program = [sys.executable, "-m", "toolsurface_lint", "dataset", "data", "--jobs", "1"]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(program, cwd=tmp_path, env=env, stdout=subprocess.DEVNULL, stderr=terminal, timeout=300)
    # A run that ends before its bar is due writes nothing, and a terminal that nobody holds cannot be read.
    os.write(terminal, b"\rend")
    said = b""
    while not said.endswith(b"\rend"):
        said += os.read(controller, 1 << 16)
    os.close(terminal)
    os.close(controller)
    assert done.returncode == 1
    said_lines = said.removesuffix(b"\rend").decode().replace("\x1b[K", "").split("\r")
    assert {line.strip()[:1] for line in said_lines} <= {"", "["}


@pytest.mark.slow
def test_the_commands_of_the_page(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "datasets.md").read_text(encoding="utf-8")
    write_dataset(tmp_path / "runs")
    lines = [line.split() for line in page.splitlines() if line.startswith("toolsurface-lint dataset runs/")]
    assert len(lines) == 3
    sample, whole, mapped = (run(*line[2:], cwd=tmp_path) for line in lines)
    assert (sample.returncode, whole.returncode) == (1, 1)
    assert "11 rows" in whole.stdout
    assert pq.read_metadata(tmp_path / "clean.parquet").num_rows == 10
    assert pq.read_metadata(tmp_path / "findings.parquet").num_rows == 1
    assert (mapped.returncode, mapped.stderr.count("\n")) == (2, 1)


@pytest.mark.slow
def test_what_lies_in_a_bucket_is_read_by_the_engine(tmp_path: Path) -> None:
    pytest.importorskip("moto.server")
    folder = tmp_path / "data"
    write_parquet(folder / "a.parquet", [row(7), row("Bern")])
    write_lines(folder / "b.jsonl", [row("Chur"), row(8)])

    def there(*arguments: str) -> tuple[int, str, str]:
        command = [sys.executable, "-m", "tests.bucket", str(folder), "dataset", *arguments]
        env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300, check=True)
        code, output, errors = json.loads(done.stdout.splitlines()[-1])
        return code, output, errors

    code, output, errors = there("s3://rains/data", "--output", "json", "--keep", "clean")
    assert code == 1, errors
    report = json.loads(output)
    assert (report["files"], report["rows"], report["passing"]) == (2, 4, 2)
    assert report["codes"][0]["example"]["file"] == "s3://rains/data/a.parquet"
    assert sorted(each.name for each in (tmp_path / "clean").iterdir()) == ["a.parquet", "b.jsonl"]
    code, output, errors = there("s3://rains/nothing.parquet")
    assert (code, output) == (2, "")
    assert "s3://rains/nothing.parquet" in errors
    assert "Traceback" not in errors


@pytest.mark.slow
def test_a_cluster_of_ray_finds_the_same(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    write_dataset(tmp_path / "data")
    here = run("data", "--output", "json", cwd=tmp_path)
    there = run("data", "--output", "json", "--ray", "local", "--jobs", "2", cwd=tmp_path)
    assert there.returncode == 1, there.stderr
    assert json.loads(there.stdout) == json.loads(here.stdout)


def test_without_an_engine_it_says_how_to_get_one(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", [row()])
    done = run("a.jsonl", cwd=tmp_path, code="import sys; sys.modules['daft'] = None")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "toolsurface-lint: dataset needs an engine: install it with `pip install 'toolsurface-lint[dataset]'`\n"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Missing argument"),
        (["a.jsonl", "--sample", "0"], "`--sample` needs a number of rows, not `0`"),
        (["a.jsonl", "--shard", "3/2"], "`--shard` needs I/N with I from 1 to N, such as 2/8, not `3/2`"),
        (["a.jsonl", "--map", "tools=a"], "`--map` must say where the messages are: messages=COLUMN"),
        (["a.jsonl", "--map", "turns"], "`--map` needs messages=COLUMN or messages=COLUMN,tools=COLUMN, not `turns`"),
        (["a.jsonl", "--output", "sarif"], "unknown format `sarif` of --output: it must be one of text, json, parquet"),
        (["a.jsonl", "--output", "parquet"], "`--output parquet=FILE` needs one file, for the findings of all rows"),
        (["a.jsonl", "--keep", "no/clean.jsonl"], "is not a folder"),
        (["a.jsonl", "--output", "json=no/report.json"], "is not a folder"),
        (["a.jsonl", "--keep", "s3://rains/clean"], "name a file or a folder that every worker reaches"),
        (["a.jsonl", "--keep", "b.jsonl", "--drop", "b.jsonl"], "two things cannot be written to b.jsonl"),
        (["a.jsonl", "--keep", "b.jsonl", "--fail-on", "never"], "`--keep` and `--drop` sort rows by `--fail-on`"),
        (["nothing.jsonl"], "no such file or folder: nothing.jsonl"),
    ],
)
def test_wrong_usage_is_said_on_one_line(tmp_path: Path, arguments: list[str], said: str) -> None:
    write_lines(tmp_path / "a.jsonl", [row()])
    done = run(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
