"""What came of checking a dataset: plain data, which `rendering` writes and programs read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Address(NamedTuple):
    """A row of a dataset: its file, and its number there, from 1; in JSON Lines the number of its line."""

    file: str
    row: int

    def __str__(self) -> str:
        return f"{self.file}:{self.row}" if self.row else self.file


class CodeCount(NamedTuple):
    """What one rule found: in how many rows, how often, and the first of its findings."""

    code: str
    severity: str
    rows: int
    findings: int
    example: Address
    pointer: str
    message: str
    tool: str | None
    call: int | None


class WholeFinding(NamedTuple):
    """What a rule says of the dataset as a whole; `example` is a row that shows it."""

    code: str
    severity: str
    message: str
    example: Address
    help: str | None


class NotRead(NamedTuple):
    """Rows, or a whole file, that were not checked: how many (0 if that is not known, or if it is a file), and why."""

    at: Address
    rows: int
    reason: str


class Written(NamedTuple):
    """A file or a folder that was written, and how many rows it has; None if there was none to write."""

    option: str
    path: str
    rows: int


class DatasetReport(NamedTuple):
    """What there is to say about a dataset.

    `passing` are the rows without a finding of the severities that fail; `schemas` the conversations by the schema that was
    recognised; `skipped` the files that are no part of a dataset; `resumed` the pieces that an earlier run had checked;
    `memory` the greatest of any worker, in KiB, 0 if it is not known. `sample` and `shard` are what was asked for.
    """

    files: int
    rows: int
    passing: int
    conversations: int
    calls: int
    schemas: Mapping[str, int]
    codes: Sequence[CodeCount]
    whole: Sequence[WholeFinding]
    not_read: Sequence[NotRead]
    skipped: Sequence[NotRead]
    written: Sequence[Written]
    failing: tuple[str, ...]
    pieces: int = 0
    resumed: int = 0
    memory: int = 0
    sample: int | None = None
    shard: str | None = None

    @property
    def fails(self) -> bool:
        """Whether there is anything that the severities of `failing` count."""
        return bool(self.failing) and (
            self.passing < self.rows
            or bool(self.not_read)
            or any(finding.severity in self.failing for finding in self.whole)
        )

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data, the same for the same files."""
        return {
            "files": self.files,
            "rows": self.rows,
            "passing": self.passing,
            "conversations": self.conversations,
            "calls": self.calls,
            "schemas": dict(sorted(self.schemas.items())),
            "codes": [
                {
                    "code": each.code,
                    "severity": each.severity,
                    "rows": each.rows,
                    "findings": each.findings,
                    "share": round(each.rows / self.rows, 6) if self.rows else 0.0,
                    "example": {
                        **each.example._asdict(),
                        "pointer": each.pointer,
                        "message": each.message,
                        "tool": each.tool,
                        "call": each.call,
                    },
                }
                for each in self.codes
            ],
            "dataset": [{**each._asdict(), "example": each.example._asdict()} for each in self.whole],
            "notRead": [{**each.at._asdict(), "rows": each.rows, "reason": each.reason} for each in self.not_read],
            "skipped": [{"file": each.at.file, "reason": each.reason} for each in self.skipped],
            "written": [each._asdict() for each in self.written],
            "sample": self.sample,
            "shard": self.shard,
        }
