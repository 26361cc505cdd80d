"""One piece of a dataset, checked where the engine runs this: its findings, what is counted in it, and its rows sorted.

What comes of it is plain data that JSON can hold: it goes from worker to engine, and into the files of a run that goes on later.
Rows are counted from 1 within the piece; `run` adds what comes before it in the file.
"""

from __future__ import annotations

import base64
import gc
import os
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from toolsurface_lint.dataset.facts import RowFacts
from toolsurface_lint.dataset.pieces import Piece
from toolsurface_lint.dataset.rows import Bad, Batch, End, Sorted, read_rows, said
from toolsurface_lint.run.rows import Linter, RowReading, read_row

MEMORY = 3 * 1024 * 1024 * 1024
"""Bytes that a worker may ask of the system: a file that needs more is not read, and does not end the run."""


class Plan(NamedTuple):
    """What is to be done with every piece: `failing` are the severities of rows that do not pass.

    `keep` and `drop` are the folders for the rows that pass and for those that do not; `listed`: every finding is wanted;
    `tasks`: there are files of several splits.
    """

    linter: Linter
    failing: tuple[str, ...]
    keep: str | None = None
    drop: str | None = None
    listed: bool = False
    tasks: bool = False


def check_piece(plan: Plan, piece: Piece, key: str) -> dict[str, Any]:
    """Check every row of a piece. Nothing is raised for what its file holds; files of its rows are called `key`."""
    result = _Result(piece, plan)
    outputs = [
        Sorted(os.path.join(folder, f"{key}.part"), piece) if folder is not None else None
        for folder in (plan.keep, plan.drop)
    ]
    try:
        _check_rows(plan, piece, result, outputs)
    except Exception as error:
        result.broken(said(error))
    for output, folder in zip(outputs, (plan.keep, plan.drop), strict=True):
        if output is not None and folder is not None:
            output.close()
            if output.rows:
                os.replace(os.path.join(folder, f"{key}.part"), os.path.join(folder, key))
    return result.done([output is not None and bool(output.rows) for output in outputs])


def _check_rows(plan: Plan, piece: Piece, result: _Result, outputs: Sequence[Sorted | None]) -> None:
    keep, drop = outputs
    left = piece.limit
    for part in read_rows(piece):
        if isinstance(part, End):
            result.lines = part.row
            result.ended = True
            continue
        if not isinstance(part, Batch):
            result.lost(part.row, part.rows, part.reason)
            continue
        passing: list[int] = []
        others: list[int] = []
        for index, (number, value) in enumerate(zip(part.numbers, part.values, strict=True)):
            if left is not None and index >= left:
                break
            (passing if result.row(number, value) else others).append(index)
        if keep is not None and passing:
            keep.add(part, passing)
        if drop is not None and others:
            drop.add(part, others)
        if left is not None:
            left -= len(passing) + len(others)
            if left <= 0:
                return


class _Result:
    def __init__(self, piece: Piece, plan: Plan) -> None:
        self._plan = plan
        self._facts = RowFacts(piece.split, plan.tasks)
        self.lines = 0
        self.ended = False
        self._rows = 0
        self._passing = 0
        self._unread: dict[str, list[int]] = {}
        self._codes: dict[str, dict[str, Any]] = {}
        self._findings: list[list[Any]] = []
        self._counts = dict.fromkeys(("conversations", "turns", "calls", "results"), 0)
        self._schemas: dict[str, int] = {}
        self._bytes = 0

    def row(self, number: int, value: Any) -> bool:
        """Take in one row; whether it passes."""
        self._rows += 1
        self.lines = max(self.lines, number)
        if isinstance(value, Bad):
            self._count_unread(value.reason, number, 1)
            return False
        if type(value) is not dict:
            self._count_unread("it is not an object", number, 1)
            return False
        reading = read_row(self._plan.linter, value)
        self._count(reading)
        self._facts.add(number, value, reading)
        passes = True
        codes: set[str] = set()
        for finding in reading.findings:
            counted = self._codes.get(finding.code)
            if counted is None:
                example = [number, finding.pointer, finding.message, finding.tool, finding.call]
                counted = {"severity": finding.severity, "rows": 0, "findings": 0, "example": example}
                self._codes[finding.code] = counted
            counted["findings"] += 1
            counted["rows"] += finding.code not in codes
            codes.add(finding.code)
            passes = passes and finding.severity not in self._plan.failing
            if self._plan.listed:
                self._findings.append([number, *finding])
        self._passing += passes
        return passes

    def _count(self, reading: RowReading) -> None:
        tally = reading.tally
        for name in self._counts:
            self._counts[name] += getattr(tally, name)
        for name, number in tally.schemas.items():
            self._schemas[name] = self._schemas.get(name, 0) + number

    def _count_unread(self, reason: str, number: int, rows: int) -> None:
        counted = self._unread.setdefault(reason, [number, 0])
        counted[1] += rows

    def lost(self, row: int, rows: int, reason: str) -> None:
        """Take in that rows were not read."""
        self._rows += rows
        self.lines = max(self.lines, row + rows - 1)
        self._count_unread(reason, row, rows)

    def broken(self, reason: str) -> None:
        """Take in that nothing was read from here on."""
        self._unread.setdefault(reason, [self.lines + 1, 0])

    def done(self, written: Sequence[bool]) -> dict[str, Any]:
        return {
            "rows": self._rows,
            "ended": self.ended,
            "lines": self.lines,
            "passing": self._passing,
            "unread": self._unread,
            "codes": self._codes,
            "findings": self._findings,
            "counts": self._counts,
            "schemas": self._schemas,
            "facts": self._facts.done(),
            "digests": base64.b85encode(bytes(self._facts.digests)).decode(),
            "written": list(written),
            "memory": _peak(),
        }


def bound_memory() -> None:
    """Let the system refuse what would take all of the machine's memory: the reader then fails, and the run goes on.

    What is known of thousands of tools is kept, so that a look for garbage is dear: it comes less often.
    """
    gc.set_threshold(100_000)
    with suppress(ImportError, OSError, ValueError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        if most == resource.RLIM_INFINITY or most > MEMORY:
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, most))


def _peak() -> int:
    """The greatest memory of this process so far, in KiB; 0 where the system does not say."""
    with suppress(ImportError):
        import resource

        return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return 0
