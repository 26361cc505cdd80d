"""The pieces of a dataset, checked in this process: what an engine does, without one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from toolsurface_lint import Linter
from toolsurface_lint.dataset.piece import Plan, check_piece
from toolsurface_lint.dataset.pieces import Piece
from toolsurface_lint.dataset.report import DatasetReport
from toolsurface_lint.dataset.run import Request, check_dataset


class Here:
    """Takes the place of `Engine`: what it gives goes through JSON, as it does there."""

    def __init__(self, plan: Plan, jobs: int, ray: str | None = None) -> None:
        self._plan = plan

    def run(self, works: Sequence[tuple[Piece, str]]) -> Iterator[tuple[str, dict[str, Any]]]:
        for piece, key in works:
            yield key, json.loads(json.dumps(check_piece(self._plan, piece, key)))


def check_here(*paths: Path | str, linter: Linter | None = None, engine: Any = Here, **request: Any) -> DatasetReport:
    """Check a dataset by `Request` of these options; rows with an error fail."""
    asked = Request(tuple(map(str, paths)), **{"failing": ("error",), **request})
    return check_dataset(asked, linter or Linter(), engine=engine)


def lines(report: DatasetReport) -> str:
    """What a report has found, a line each."""
    found = [
        f"{each.example}: {each.severity}[{each.code}] {each.message}\n" for each in (*report.codes, *report.whole)
    ]
    return "".join(found)


TOOL = {
    "type": "function",
    "function": {
        "name": "find_rain",
        "description": "Says how much rain falls in a town on one day.",
        "parameters": {
            "type": "object",
            "properties": {"town": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["town"],
        },
    },
}


def row(town: Any = "Bern", name: str = "find_rain", **columns: Any) -> dict[str, Any]:
    """A row with one call; a town that is not a text breaks the schema."""
    function = {"name": name, "arguments": json.dumps({"town": town})}
    messages = [
        {"role": "user", "content": f"Rain in {town}?"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": "c1", "content": "2 mm"},
        {"role": "assistant", "content": "It rains."},
    ]
    return {"messages": messages, "tools": [TOOL], **columns}


def write_lines(path: Path, rows: Sequence[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in rows), encoding="utf-8"
    )
    return path


def write_parquet(path: Path, rows: Sequence[dict[str, Any]], group: int = 1000) -> Path:
    """The rows with their columns as JSON text."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path.parent.mkdir(parents=True, exist_ok=True)
    names = list(rows[0])
    columns = [
        [each[name] if isinstance(each[name], str) else json.dumps(each[name]) for each in rows] for name in names
    ]
    pq.write_table(pa.table(dict(zip(names, columns, strict=True))), path, row_group_size=group)
    return path
