"""What of the findings on whole repositories is right: what `check .` reports, against findings that somebody judged.

    python benchmarks/judgements.py CHECKOUTS JUDGEMENTS... [--new FILE] [--only NAME]... [--linter ROOT]

CHECKOUTS holds a folder for each repository, named OWNER+NAME. A file of JUDGEMENTS has an object on each line: `repository`,
`path`, `line`, `column`, `code`, `severity`, `message`, `run` (`default`, or the conditions under which it was reported),
`verdict` (`true`, `arguable` or `false`; an empty one counts as not judged) and `why`. In each folder `check . --output json`
runs with its default settings, one after the other. A judgement belongs to the finding of the same repository, path, code
and line; columns only decide between findings on one line, messages never count.

Prints for each repository the seconds, those of the processor, the memory of the largest process, the exit code and how many
findings have which verdict. Then, by code, what of each verdict is still reported and what is gone; judgements of another
`run` have a table of their own. Then how much of what is reported is right, by the severity that it has now, and the places
that matter: true ones that are gone or have another severity, and false ones that are still reported. A judgement is counted
apart as not measured if its checkout is missing or lacks the file, or if there was no report.

`judged.jsonl`, beside this script, has judgements of what 52 public repositories gave beyond those judged first.

    --new FILE      write the findings that nobody judged, in the same format with an empty verdict: fill it in, and give
                    the file as a further one of JUDGEMENTS
    --only NAME     only the repositories whose name contains NAME
    --linter ROOT   the linter of another commit, or of the checkout in another folder
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from compare_commits import checkout

REPOSITORY = Path(__file__).resolve().parents[1]
TIMEOUT = 900
"""Seconds for one repository."""

VERDICTS = ("true", "arguable", "false")
DEFAULT = "default"


class Row(NamedTuple):
    """A finding as a line of a file of judgements; one that nobody judged has an empty verdict."""

    repository: str
    path: str
    line: int | None
    column: int | None
    code: str
    severity: str
    message: str
    run: str
    verdict: str
    why: str

    def at_line(self) -> tuple[object, ...]:
        return self.repository, self.path, self.code, self.line

    def at_column(self) -> tuple[object, ...]:
        return *self.at_line(), self.column


class Run(NamedTuple):
    """What `check` did in a folder: without a report, `error` is why there is none."""

    report: dict[str, Any]
    error: str
    code: int
    seconds: float
    processor: float
    """Seconds of all its processes, which depend less on what else the machine does."""
    memory: float
    """MiB of the largest process."""


class Result(NamedTuple):
    """Judgements with their findings, judgements without one, findings without a judgement, judgements not measured."""

    kept: list[tuple[Row, Row]]
    gone: list[Row]
    new: list[Row]
    missed: list[Row]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("judgements", type=Path, nargs="+")
    parser.add_argument("--new", type=Path)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--linter", default=str(REPOSITORY))
    options = parser.parse_args(arguments)
    judged: dict[str, list[Row]] = defaultdict(list)
    for path in options.judgements:
        for row in read_rows(path):
            judged[row.repository].append(row)
    names = judged.keys() | {path.name.replace("+", "/", 1) for path in options.checkouts.iterdir() if path.is_dir()}
    if options.only:
        names = {name for name in names if any(part in name for part in options.only)}
    with tempfile.TemporaryDirectory() as folder:
        root = checkout(options.linter, Path(folder))
        result = measure(root, options.checkouts, {name: judged[name] for name in sorted(names, key=str.lower)})
    show(result)
    if options.new is not None:
        write_rows(options.new, result.new)
    return 0


def read_rows(path: Path) -> list[Row]:
    """The judgements of a file, without those whose verdict is empty."""
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = Row(**json.loads(line))
        except (TypeError, ValueError) as error:
            raise SystemExit(f"{path}:{number}: not a judgement: {error}") from None
        if row.verdict not in ("", *VERDICTS):
            raise SystemExit(f"{path}:{number}: the verdict is `{row.verdict}`, not one of {', '.join(VERDICTS)}")
        if row.verdict:
            rows.append(row)
    return rows


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    # In ASCII: a path may hold what UTF-8 cannot write.
    lines = [json.dumps(row._asdict()) + "\n" for row in rows]
    path.write_text("".join(lines), encoding="utf-8")


def measure(root: Path, checkouts: Path, judged: dict[str, list[Row]]) -> Result:
    """Run the linter in `root` on every repository, and print a line for each."""
    total = Result([], [], [], [])
    alarms = Counter[bool]()
    heads = f"{'seconds':>7} {'CPU':>6} {'MiB':>5} {'exit':>4} {'true':>5} {'arguable':>8} {'false':>5} {'new':>5}"
    print(f"{'':44} {heads}")
    for name, rows in judged.items():
        folder = checkouts / name.replace("/", "+", 1)
        run = check(root, folder) if folder.is_dir() else Run({}, "no checkout", 0, 0.0, 0.0, 0.0)
        if run.error:
            print(f"{name:44} {run.error}; judgements not measured: {len(rows)}", flush=True)
            total.missed.extend(rows)
            continue
        result = match([row for row in rows if (folder / row.path).is_file()], findings(name, run.report))
        result.missed.extend(row for row in rows if not (folder / row.path).is_file())
        for everywhere, here in zip(total, result, strict=True):
            everywhere.extend(here)
        verdicts = Counter(row.verdict for row, _ in result.kept)
        figures = f"{run.seconds:7.2f} {run.processor:6.2f} {run.memory:5.0f} {run.code:4}"
        counts = f"{verdicts['true']:5} {verdicts['arguable']:8} {verdicts['false']:5} {len(result.new):5}"
        absent = f"   files missing; judgements not measured: {len(result.missed)}" if result.missed else ""
        print(f"{name:44} {figures} {counts}{absent}", flush=True)
        if run.code == 1:
            alarms[any(row.verdict == "true" and finding.severity == "error" for row, finding in result.kept)] += 1
    print(
        f"repositories with exit code 1: {alarms.total()}, of these {alarms[True]} with an error that was judged true"
    )
    return total


def check(root: Path, folder: Path) -> Run:
    environment = {**os.environ, "PYTHONPATH": str(root), "TOOLSURFACE_LINT_NO_CACHE": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    # `-P`: nothing is imported from the folder that is looked at.
    words = [sys.executable, "-P", "-m", "toolsurface_lint", "check", ".", "--output", "json"]
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        process = subprocess.Popen(words, cwd=folder, env=environment, stdout=output, stderr=errors)
        alarm = threading.Timer(TIMEOUT, process.kill)
        alarm.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        alarm.cancel()
        process.returncode = code = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        error = ""
        try:
            report = json.load(output)
        except ValueError:
            report = {}
            last = errors.read().decode(errors="replace").strip().rpartition("\n")[2]
            error = f"exit code {code} and no report after {seconds:.0f} s ({last})"
    # The unit is KiB, but on macOS bytes.
    memory = usage.ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024)
    return Run(report, error, code, seconds, usage.ru_utime + usage.ru_stime, memory)


def findings(repository: str, report: dict[str, Any]) -> list[Row]:
    rows = []
    for diagnostic in report["diagnostics"]:
        start = diagnostic["range"]["start"] if diagnostic["range"] else {"line": None, "column": None}
        facts = {key: diagnostic[key] for key in ("path", "code", "severity", "message")}
        rows.append(Row(**facts, **start, repository=repository, run=DEFAULT, verdict="", why=""))
    return rows


def match(judged: Iterable[Row], found: Iterable[Row]) -> Result:
    """Which finding each judgement is about: one at the same column before others on the line, default runs first."""
    kept = []
    gone = sorted(judged, key=lambda row: row.run != DEFAULT)
    places: tuple[Callable[[Row], tuple[object, ...]], ...] = (Row.at_column, Row.at_line)
    for place in places:
        waiting: dict[tuple[object, ...], deque[Row]] = defaultdict(deque)
        for finding in found:
            waiting[place(finding)].append(finding)
        rest, gone = gone, []
        for row in rest:
            if waiting[place(row)]:
                kept.append((row, waiting[place(row)].popleft()))
            else:
                gone.append(row)
        found = [finding for queue in waiting.values() for finding in queue]
    return Result(kept, gone, list(found), [])


def show(result: Result) -> None:
    others = {row.run for row in (*(row for row, _ in result.kept), *result.gone)} - {DEFAULT}
    for run in (DEFAULT, *sorted(others)):
        kept = [row for row, _ in result.kept if row.run == run]
        table(run, kept, [row for row in result.gone if row.run == run], result.new if run == DEFAULT else [])
    precision(result)
    moved = [pair for pair in result.kept if pair[0].verdict == "true" and pair[0].severity != pair[1].severity]
    places("true and gone", [(row, row.why) for row in result.gone if row.verdict == "true"])
    places("true with another severity", [(row, f"now {finding.severity}") for row, finding in moved])
    places("false and still reported", [(row, row.why) for row, _ in result.kept if row.verdict == "false"])
    places("not measured", [(row, "") for row in result.missed])


def table(run: str, kept: Iterable[Row], gone: Iterable[Row], new: Iterable[Row]) -> None:
    counts: dict[str, Counter[str]] = {}
    for verdict in VERDICTS:
        counts[f"{verdict} kept"] = Counter(row.code for row in kept if row.verdict == verdict)
        counts[f"{verdict} gone"] = Counter(row.code for row in gone if row.verdict == verdict)
    counts["new"] = Counter(row.code for row in new)
    print(f"\n{'run: ' + run:34}  " + "  ".join(counts))
    for code in sorted(set().union(*counts.values())):
        print(f"{code:34}  " + "  ".join(f"{number[code]:{len(name)}}" for name, number in counts.items()))
    print(f"{'all':34}  " + "  ".join(f"{number.total():{len(name)}}" for name, number in counts.items()))


def precision(result: Result) -> None:
    """How much of what is reported is right; which run the judgement is from does not matter here."""
    print(
        f"\n{'severity':10} {'reported':>8} {'judged':>6} {'true':>5} {'arguable':>8} {'false':>5} {'% true':>7}  % not false"
    )
    for severity in ("error", "warning", "info"):
        verdicts = Counter(row.verdict for row, finding in result.kept if finding.severity == severity)
        judged = verdicts.total()
        reported = judged + sum(row.severity == severity for row in result.new)
        true, arguable, false = (verdicts[verdict] for verdict in VERDICTS)
        shares = [f"{100 * part / judged:.1f}" if judged else "-" for part in (true, true + arguable)]
        print(f"{severity:10} {reported:8} {judged:6} {true:5} {arguable:8} {false:5} {shares[0]:>7} {shares[1]:>12}")


def places(title: str, rows: Collection[tuple[Row, str]]) -> None:
    print(f"\n{title}: {len(rows)}")
    for row, note in sorted(rows, key=lambda pair: (pair[0].repository.lower(), pair[0].path, pair[0].line or 0)):
        print(f"  {row.repository} {row.path}:{row.line} {row.code} {row.severity}{': ' if note else ''}{note}")


if __name__ == "__main__":
    sys.exit(main())
