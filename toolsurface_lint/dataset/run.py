"""One run over a dataset: its pieces through the engine, what came of them put together, and the files of its rows."""

from __future__ import annotations

import base64
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from toolsurface_lint import __version__
from toolsurface_lint.checks import Checks
from toolsurface_lint.checks.contract import DATASET
from toolsurface_lint.dataset.engine import Engine
from toolsurface_lint.dataset.facts import CONVERSATION
from toolsurface_lint.dataset.inputs import Inputs, find_inputs, sampled
from toolsurface_lint.dataset.piece import Plan
from toolsurface_lint.dataset.pieces import LINES, Piece, form_of
from toolsurface_lint.dataset.remote import EngineFailed, EngineStopped
from toolsurface_lint.dataset.repeats import At, Digests, Same
from toolsurface_lint.dataset.report import Address, CodeCount, DatasetReport, NotRead, WholeFinding, Written
from toolsurface_lint.dataset.rows import count_lines, joined
from toolsurface_lint.dataset.state import DROPPED, KEPT, State
from toolsurface_lint.model.dataset import DatasetFacts, Leak, NameChange, Repeated, Rows
from toolsurface_lint.model.diagnostics import SEVERITIES
from toolsurface_lint.run.rows import Linter, selection_of
from toolsurface_lint.source.tree import plain


class NotSorted(Exception):
    """The rows cannot be written where they should be; the message says why."""


class Request(NamedTuple):
    """What is asked of a run.

    `failing` are the severities of rows that do not pass. `findings`, `keep` and `drop` are the files to write: the findings, the
    rows that pass, those that do not; a path that does not end like a file of rows is a folder, which gets a file for each that
    was read. `shard` is the number of a part, from 1, and how many there are.
    """

    paths: Sequence[str]
    failing: tuple[str, ...]
    findings: str | None = None
    keep: str | None = None
    drop: str | None = None
    sample: int | None = None
    shard: tuple[int, int] | None = None
    jobs: int = 0
    ray: str | None = None

    @property
    def outputs(self) -> list[str]:
        return [path for path in (self.findings, self.keep, self.drop) if path is not None]


Progress = Callable[[int, int], None]


def check_dataset(
    request: Request, linter: Linter, progress: Progress | None = None, *, engine: type[Engine] = Engine
) -> DatasetReport:
    """Check a dataset and write what is asked for.

    `progress` is called with the bytes that are done and that there are; `engine` runs the pieces. Raises `PathMissing`,
    `EngineFailed`, `EngineStopped`, `NotSorted` and `StateUnusable`.
    """
    inputs = find_inputs(request.paths, request.outputs)
    pieces = inputs.pieces
    if request.shard is not None:
        pieces = pieces[request.shard[0] - 1 :: request.shard[1]]
    if request.sample is not None:
        pieces = sampled(pieces, request.sample)
    for path in (request.keep, request.drop):
        _refuse_other_form(path, pieces)
    with tempfile.TemporaryDirectory(prefix="toolsurface-lint-") as temporary:
        run = _Run(request, linter, inputs, pieces, temporary)
        try:
            return run.run(engine, progress)
        finally:
            run.close()


def _refuse_other_form(path: str | None, pieces: Sequence[Piece]) -> None:
    form = None if path is None else form_of(path)
    other = next((piece for piece in pieces if form is not None and piece.form != form[0]), None)
    if other is not None:
        ends = {"parquet": ".parquet", "lines": ".jsonl", "arrow": ".arrow"}
        raise NotSorted(
            f"cannot write {path}: rows stay in the form of their file: name one that ends in {ends[other.form]}, or a folder"
        )


class _Run:
    def __init__(
        self, request: Request, linter: Linter, inputs: Inputs, pieces: Sequence[Piece], temporary: str
    ) -> None:
        self._request = request
        self._linter = linter
        self._inputs = inputs
        self._pieces = pieces
        splits = {piece.split for piece in pieces} - {""}
        settings = (__version__, linter.__getstate__(), request.failing, bool(request.findings), len(splits) > 1)
        outputs = (request.keep is not None, request.drop is not None)
        self._state = State(request.outputs[0], (*settings, *outputs)) if request.outputs else None
        self._plan = Plan(
            linter,
            request.failing,
            keep=self._rows_folder(KEPT, request.keep),
            drop=self._rows_folder(DROPPED, request.drop),
            listed=request.findings is not None,
            tasks=len(splits) > 1,
        )
        self._digests = Digests(os.path.join(temporary, "digests"))
        self._keys = [self._state.key(piece) if self._state else str(index) for index, piece in enumerate(pieces)]
        self._lines: dict[tuple[str, int], int] = {}
        self._lines_before: dict[Piece, int] = {}
        self._counts: Counter[str] = Counter()
        self._schemas: Counter[str] = Counter()
        self._codes: dict[str, dict[str, Any]] = {}
        self._unread: list[tuple[At, int, str]] = []
        self._names: dict[tuple[str, str], list[Any]] = {}
        self._numbered: dict[str, tuple[int, At]] = {}
        self._with_tools = 0
        self._memory = 0
        self._resumed = 0

    def _rows_folder(self, sort: str, path: str | None) -> str | None:
        return None if path is None or self._state is None else os.path.dirname(self._state.rows_of("", sort))

    def run(self, engine: type[Engine], progress: Progress | None) -> DatasetReport:
        total = sum(map(_weight, self._pieces))
        done = 0
        waiting: dict[str, int] = {}
        for index, key in enumerate(self._keys):
            result = self._state.load(key) if self._state is not None else None
            if result is None:
                waiting[key] = index
            else:
                self._resumed += 1
                done += _weight(self._pieces[index])
                self._add(index, result)
        if waiting:
            workers = engine(self._plan, self._request.jobs, self._request.ray)
            for key, result in _run_all(workers, [(self._pieces[index], key) for key, index in waiting.items()]):
                index = waiting[key]
                if self._state is not None and not result.get("failed"):
                    self._state.save(key, result)
                self._add(index, result)
                done += _weight(self._pieces[index])
                if progress is not None:
                    progress(done, total)
        report = self._report()
        if self._state is not None:
            report = report._replace(written=self._write())
            self._state.remove()
        return report

    def close(self) -> None:
        if self._state is not None:
            self._state.close()

    def _add(self, index: int, result: dict[str, Any]) -> None:
        """Take in what came of a piece."""
        if result["ended"]:
            piece = self._pieces[index]
            self._lines[piece.path, piece.part] = result["lines"]
        self._counts.update({"rows": result["rows"], "passing": result["passing"], **result["counts"]})
        self._schemas.update(result["schemas"])
        self._memory = max(self._memory, result["memory"])
        for reason, (row, rows) in result["unread"].items():
            self._unread.append(((index, row), rows, reason))
        for code, counted in result["codes"].items():
            mine = self._codes.setdefault(code, {"rows": 0, "findings": 0, "severity": counted["severity"]})
            mine["rows"] += counted["rows"]
            mine["findings"] += counted["findings"]
            at = index, counted["example"][0]
            if "at" not in mine or at < mine["at"]:
                mine |= {"at": at, "example": counted["example"]}
        self._add_facts(index, result["facts"])
        self._digests.add(index, base64.b85decode(result["digests"]))

    def _add_facts(self, index: int, facts: dict[str, Any]) -> None:
        self._with_tools += facts["with_tools"]
        for name in ("without_tools", "shared_keys"):
            if facts[name]:
                number, row = facts[name]
                before = self._numbered.get(name, (0, (index, row)))
                self._numbered[name] = before[0] + number, min(before[1], (index, row))
        for where, how, number, row, name, written in facts["names"]:
            mine = self._names.setdefault((where, how), [0, (index, row), name, written])
            mine[0] += number
            if (index, row) < mine[1]:
                mine[1:] = [(index, row), name, written]

    def _address(self, at: At) -> Address:
        index, row = at
        piece = self._pieces[index]
        return Address(piece.name, row + (self._before(index) if row else 0))

    def _before(self, index: int) -> int:
        """How many lines of its file come before a piece; those of other forms know the numbers of their rows."""
        piece = self._pieces[index]
        if piece.form != LINES or not piece.part:
            return 0
        if piece not in self._lines_before:
            parts = [self._lines.get((piece.path, part)) for part in range(piece.part)]
            known = [lines for lines in parts if lines is not None]
            # Of a sample, of another shard, or not read to its end.
            self._lines_before[piece] = sum(known) if len(known) == len(parts) else count_lines(piece)
        return self._lines_before[piece]

    def _report(self) -> DatasetReport:
        codes = [
            CodeCount(
                code, each["severity"], each["rows"], each["findings"], self._address(each["at"]), *each["example"][1:]
            )
            for code, each in self._codes.items()
        ]
        codes.sort(key=lambda each: (SEVERITIES.index(each.severity), -each.rows, each.code))
        request = self._request
        return DatasetReport(
            files=len({piece.path for piece in self._pieces}),
            rows=self._counts["rows"],
            passing=self._counts["passing"],
            conversations=self._counts["conversations"],
            calls=self._counts["calls"],
            schemas=dict(self._schemas),
            codes=codes,
            whole=list(self._whole()),
            not_read=[NotRead(self._address(at), rows, reason) for at, rows, reason in sorted(self._unread)],
            skipped=[NotRead(Address(each.name, 0), 0, each.reason) for each in self._inputs.unread],
            written=(),
            failing=request.failing,
            pieces=len(self._pieces),
            resumed=self._resumed,
            memory=self._memory,
            sample=request.sample,
            shard=None if request.shard is None else f"{request.shard[0]}/{request.shard[1]}",
        )

    def _whole(self) -> Iterator[WholeFinding]:
        """What the rules say of the dataset as a whole."""
        addresses: dict[str, Address] = {}

        def rows(number: int, at: At) -> Rows:
            address = self._address(at)
            addresses[str(address)] = address
            return Rows(number, plain(str(address)).place)

        def repeated(same: Same) -> Repeated:
            return Repeated(rows(same.number, same.first), str(self._address(same.like)))

        duplicates, leaks = self._digests.same()
        shared, without = self._numbered.get("shared_keys"), self._numbered.get("without_tools")
        kinds = {True: "conversation", False: "task"}
        facts = DatasetFacts(
            rows=self._counts["rows"],
            shared_keys=None if shared is None else rows(*shared),
            without_tools=None if without is None else rows(*without),
            with_tools=self._with_tools,
            name_changes=[
                NameChange(where, how, name, written, rows(number, at))
                for (where, how), (number, at, name, written) in sorted(self._names.items())
            ],
            duplicates=None if duplicates is None else repeated(duplicates),
            leaks=[
                Leak(kinds[kind == CONVERSATION], split, other, repeated(same))
                for (kind, split, other), same in sorted(leaks.items())
                # What is shared as a whole is shared in part.
                if kind == CONVERSATION or _number(leaks.get((CONVERSATION, split, other))) < same.number
            ],
        )
        selection = selection_of(self._linter)
        nowhere = plain("").place
        for finding in Checks(selection.enabled, selection.others).run(DATASET, nowhere, facts):
            severity = selection.severity(finding.rule)
            if severity is not None:
                address = addresses.get(finding.place.tree.value, Address("", 0))
                yield WholeFinding(finding.rule.code, severity, finding.message, address, finding.help)

    def _write(self) -> list[Written]:
        """Write the files of findings and rows."""
        written = []
        if self._request.findings is not None:
            written.append(Written("output", self._request.findings, self._write_findings(self._request.findings)))
        for option, path, sort, place in (
            ("keep", self._request.keep, KEPT, 0),
            ("drop", self._request.drop, DROPPED, 1),
        ):
            if path is not None:
                passing = self._counts["passing"]
                rows = passing if sort == KEPT else self._counts["rows"] - passing
                self._write_rows(path, sort, place)
                written.append(Written(option, path, rows))
        return written

    def _results(self) -> Iterator[tuple[int, dict[str, Any]]]:
        assert self._state is not None
        for index, key in enumerate(self._keys):
            result = self._state.load(key)
            if result is not None:
                yield index, result

    def _write_findings(self, path: str) -> int:
        import pyarrow as pa
        import pyarrow.parquet as pq

        schema = pa.schema(
            [
                ("file", pa.string()),
                ("row", pa.int64()),
                ("code", pa.string()),
                ("severity", pa.string()),
                ("pointer", pa.string()),
                ("message", pa.string()),
                ("tool", pa.string()),
                ("call", pa.int32()),
            ]
        )
        number = 0
        draft = self._draft(path)
        with pq.ParquetWriter(draft, schema, compression="zstd") as writer:
            for index, result in self._results():
                name, before = self._pieces[index].name, self._before(index)
                rows = [[name, row + before, *rest] for row, *rest in result["findings"]]
                columns = list(zip(*rows, strict=True)) or [()] * len(schema)
                writer.write_table(
                    pa.table(
                        [_column(each, field.type) for each, field in zip(columns, schema, strict=True)], schema=schema
                    )
                )
                number += len(rows)
        self._move(draft, path)
        return number

    def _draft(self, path: str) -> str:
        assert self._state is not None
        return os.path.join(self._state.folder, f"draft-{os.path.basename(path)}")

    def _move(self, draft: str, path: str) -> None:
        try:
            os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
            try:
                os.replace(draft, path)
            except OSError:
                # Another file system: one more copy, beside what it replaces.
                beside = f"{path}.draft"
                shutil.copyfile(draft, beside)
                os.replace(beside, path)
        except OSError as error:
            raise NotSorted(f"cannot write {path}: {error.strerror}") from None

    def _write_rows(self, path: str, sort: str, place: int) -> None:
        assert self._state is not None
        parts: dict[str, list[str]] = {}
        forms: dict[str, tuple[str, str]] = {}
        form = form_of(path)
        names = _names_below([piece.path for piece in self._pieces])
        for index, result in self._results():
            piece = self._pieces[index]
            target = path if form is not None else os.path.join(path, names[piece.path])
            forms.setdefault(target, form or (piece.form, piece.compression))
            if result["written"][place]:
                parts.setdefault(target, []).append(self._state.rows_of(self._keys[index], sort))
        for target, files in parts.items():
            draft = self._draft(target)
            try:
                joined(files, draft, *forms[target])
            except ValueError as error:
                raise NotSorted(f"cannot write {target}: {error}") from None
            self._move(draft, target)


def _column(values: Sequence[Any], type: Any) -> Any:
    import pyarrow as pa

    return pa.array([_sound(value) if isinstance(value, str) else value for value in values], type)


def _sound(text: str) -> str:
    """A text that UTF-8 can say."""
    return text.encode("utf-8", "replace").decode()


def _number(same: Same | None) -> int:
    return 0 if same is None else same.number


def _names_below(paths: Sequence[str]) -> dict[str, str]:
    """What each file is called in a folder of its own: by its name, with the folders in which the files differ."""
    folders = {os.path.dirname(path) for path in paths}
    common = (
        os.path.commonpath(folders) if len(folders) > 1 and len({each.startswith("/") for each in folders}) == 1 else ""
    )
    names = {}
    for path in paths:
        if len(folders) == 1:
            names[path] = os.path.basename(path)
        else:
            below = os.path.relpath(path, common) if common else path.replace("://", "/")
            names[path] = "/".join(step for step in below.replace("\\", "/").split("/") if step not in ("", ".", ".."))
    return names


def _weight(piece: Piece) -> int:
    """The bytes of a piece; the row groups of one file are taken for equal."""
    return piece.end - piece.start if piece.form == LINES and piece.end else max(1, min(piece.size, 1 << 27))


def _run_all(engine: Engine, works: Sequence[tuple[Piece, str]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The result of every piece. Where a worker dies, the pieces that are left are tried again, by halves: what is left in
    the end has no result but the reason.

    Raises `EngineFailed` if the engine does not run at all.
    """
    ran = False
    failures = 0
    waiting = [list(works)]
    while waiting:
        batch = waiting.pop()
        done: set[str] = set()
        try:
            for key, result in engine.run(batch):
                done.add(key)
                ran = True
                yield key, result
            if len(done) < len(batch):
                # Daft takes an interrupt for itself, and ends as if all were done.
                raise EngineStopped("interrupted: not all was checked, so that nothing is reported")
        except EngineFailed as error:
            left = [work for work in batch if work[1] not in done]
            if len(left) > 1:
                waiting += [left[len(left) // 2 :], left[: len(left) // 2]]
            elif left:
                failures += 1
                if not ran and (failures > 2 or len(works) == 1):
                    raise
                yield left[0][1], _failed(str(error))


def _failed(reason: str) -> dict[str, Any]:
    """The result of a piece at which the worker died."""
    return {
        "rows": 0,
        "ended": False,
        "lines": 0,
        "passing": 0,
        "unread": {f"the worker ended: {reason}": [0, 0]},
        "codes": {},
        "findings": [],
        "counts": {},
        "schemas": {},
        "facts": {"with_tools": 0, "without_tools": [], "shared_keys": [], "names": []},
        "digests": "",
        "written": [False, False],
        "memory": 0,
        "failed": True,
    }
