"""`toolsurface-lint dataset`: check the rows of a dataset, and sort them."""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Mapping, Sequence

from toolsurface_lint.cli.check import CLEAN, FAILURE, FINDINGS, progress_bar, read_jobs
from toolsurface_lint.cli.stream import CommandError, complain, write, write_file
from toolsurface_lint.model.diagnostics import SEVERITIES

TEXT, JSON, PARQUET = "text", "json", "parquet"
OUTPUTS = (TEXT, JSON, PARQUET)
_FAIL_ON = "error"
INTERRUPTED = 130


def dataset(
    paths: Sequence[str],
    *,
    output: Sequence[str],
    fail_on: str | None,
    keep: str | None,
    drop: str | None,
    map: str | None,
    sample: str | None,
    shard: str | None,
    ray: str | None,
    jobs: str | None,
    select: Sequence[str],
    extend_select: Sequence[str],
    ignore: Sequence[str],
    config: str | None,
    provider: Sequence[str],
    protocol: str | None,
    model: str | None,
    done_sentinel: str | None,
    tool_search: bool | None,
) -> int:
    """Run the command and return its exit code. Raises `CommandError`, `SettingsError` and `PathMissing`."""
    reports, findings = _read_outputs(output)
    severity = fail_on or _FAIL_ON
    failing = tuple(SEVERITIES[: SEVERITIES.index(severity) + 1]) if severity in SEVERITIES else ()
    if (keep is not None or drop is not None) and not failing:
        raise CommandError("`--keep` and `--drop` sort rows by `--fail-on`, which is `never`")
    number = read_jobs(jobs)
    size, part = _read_sample(sample), _read_shard(shard)
    columns = _read_map(map)
    _refuse_targets([path for path in (findings, keep, drop, *(file for _, file in reports)) if path is not None])

    from toolsurface_lint.dataset.engine import EngineMissing, start
    from toolsurface_lint.dataset.remote import EngineFailed, EngineStopped
    from toolsurface_lint.run.rows import Linter

    try:
        start(ray)
    except (EngineMissing, EngineFailed) as error:
        raise CommandError(str(error)) from None
    gc.enable()
    linter = Linter(
        config=config,
        protocol=protocol,
        done_sentinel=done_sentinel,
        model=model,
        provider=provider or None,
        tool_search=tool_search,
        columns=columns,
        select=select or None,
        extend_select=extend_select or None,
        ignore=ignore or None,
    )
    from toolsurface_lint.dataset.rendering import render_json, render_text
    from toolsurface_lint.dataset.run import NotSorted, Request, check_dataset
    from toolsurface_lint.dataset.state import StateUnusable

    bar = progress_bar()
    request = Request(tuple(paths), failing, findings, keep, drop, size, part, number, ray)
    try:
        report = check_dataset(request, linter, bar)
    except EngineStopped as error:
        complain(f"{error}; the same command goes on from here" if request.outputs else str(error))
        return INTERRUPTED
    except (EngineFailed, NotSorted, StateUnusable) as error:
        raise CommandError(str(error)) from None
    finally:
        if bar is not None:
            bar.clear()
    for form, file in reports:
        text = render_json(report) if form == JSON else render_text(report)
        if file is None:
            write(text)
        else:
            write_file(file, text)
    if not report.conversations:
        complain("no conversation was recognised in any row: say where it is with `--map messages=COLUMN,tools=COLUMN`")
        return FAILURE
    return FINDINGS if report.fails else CLEAN


def _read_outputs(values: Sequence[str]) -> tuple[list[tuple[str, str | None]], str | None]:
    """The reports, each with its file, None for standard output; and the file for the findings of each row."""
    reports: list[tuple[str, str | None]] = []
    findings: str | None = None
    for value in values:
        form, equals, file = value.partition("=")
        if form not in OUTPUTS:
            raise CommandError(f"unknown format `{form}` of --output: it must be one of {', '.join(OUTPUTS)}")
        if equals and not file:
            raise CommandError(f"--output {form}= needs a file")
        if form != PARQUET:
            reports.append((form, file or None))
        elif not file or findings is not None:
            raise CommandError("`--output parquet=FILE` needs one file, for the findings of all rows")
        else:
            findings = file
    if sum(file is None for _, file in reports) > 1:
        raise CommandError("two reports on standard output: give one of them a file (--output json=FILE)")
    return reports or [(TEXT, None)], findings


def _read_sample(text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and 0 < len(text) < 13 and int(text)):
        raise CommandError(f"`--sample` needs a number of rows, not `{text}`")
    return int(text)


def _read_shard(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise CommandError(f"`--shard` needs I/N with I from 1 to N, such as 2/8, not `{text}`")
    return int(found[1]), int(found[2])


def _read_map(text: str | None) -> Mapping[str, str] | None:
    if text is None:
        return None
    columns: dict[str, str] = {}
    for part in text.split(","):
        name, _, column = part.partition("=")
        if name not in ("messages", "tools") or not column or name in columns:
            raise CommandError(f"`--map` needs messages=COLUMN or messages=COLUMN,tools=COLUMN, not `{text}`")
        columns[name] = column
    if "messages" not in columns:
        raise CommandError("`--map` must say where the messages are: messages=COLUMN")
    return columns


def _refuse_targets(paths: Sequence[str]) -> None:
    """Refuse, before anything is read, what cannot be written."""
    seen: set[str] = set()
    for path in paths:
        real = os.path.realpath(path)
        if "://" in path:
            raise CommandError(f"cannot write {path}: name a file or a folder that every worker reaches")
        if real in seen:
            raise CommandError(f"two things cannot be written to {path}")
        seen.add(real)
        folder = os.path.dirname(real)
        if not os.path.isdir(folder):
            raise CommandError(f"cannot write {path}: {folder} is not a folder")
