"""`toolsurface-lint check`: lint, write the reports, say by the exit code how it went."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toolsurface_lint.cli.stream import CommandError, colour, complain, links, width, write, write_file
from toolsurface_lint.model.diagnostics import SEVERITIES, Report
from toolsurface_lint.reporters import FORMATS, RenderOptions, render
from toolsurface_lint.source.files import MAX_FILE_SIZE, read_stream

if TYPE_CHECKING:
    from datetime import date

    from toolsurface_lint.cli.cache import KeptRun
    from toolsurface_lint.cli.progress import Progress
    from toolsurface_lint.project.project import Planned, Project
    from toolsurface_lint.run.add_suppressions.notes import Note
    from toolsurface_lint.run.baseline import Baseline
    from toolsurface_lint.run.fixes import Outcome

CLEAN, FINDINGS, FAILURE = 0, 1, 2

_PROSE = ("text", "concise", "github", "markdown", "stats")
"""Formats in which one report can follow another; any other is a document of its own."""

_kept: Project | None = None
"""What the last run has read: to free it would take longer than all that is left to do before the process ends."""


def check(
    paths: Sequence[str],
    *,
    output: Sequence[str] = (),
    fail_on: str | None = None,
    allow_empty: bool = False,
    no_snippets: bool = False,
    color: str | None = None,
    explain: bool = False,
    sarif_category: str | None = None,
    stdin_filename: str | None = None,
    select: Sequence[str] = (),
    fix: bool = False,
    unsafe_fixes: bool = False,
    add_suppressions: str | None = None,
    diff: bool = False,
    baseline: str | None = None,
    write_baseline: str | None = None,
    cache_dir: str | None = None,
    no_cache: bool = False,
    **options: Any,
) -> int:
    """Run the command and return its exit code. Raises `CommandError`, `SettingsError` and `PathMissing`."""
    outputs = parse_outputs(output or ("text",))
    options["jobs"] = read_jobs(options.get("jobs"))
    paths, stdin = read_input(paths, stdin_filename)
    planned = find_targets(outputs, paths, stdin_filename, options.get("config"), baseline, write_baseline)
    refuse_useless(outputs, explain and not diff, explain, select)
    suppress = add_suppressions is not None
    _refuse_contradictions(fix, diff, unsafe_fixes, suppress, baseline, write_baseline, stdin)
    today = read_today()
    note = None if add_suppressions is None else _read_note(add_suppressions, today)
    known = None if baseline is None else _read_baseline(baseline)
    bar = progress_bar()

    def run(unsaved: Mapping[str, bytes] | None = None) -> tuple[Project, Report]:
        from toolsurface_lint.api import check_project

        try:
            project, report = check_project(
                paths,
                whole=note is not None,
                stdin=stdin,
                stdin_filename=stdin_filename,
                select=select or None,
                unsaved=unsaved,
                progress=bar,
                today=today,
                planned=planned,
                **options,
            )
        finally:
            if bar is not None:
                bar.clear()
        global _kept
        _kept = project
        return project, report

    def hide(report: Report) -> Report:
        return report if known is None else known.hide(report, paths)

    outcome: Outcome | None = None
    kept: KeptRun | None = None
    if note is not None:
        from toolsurface_lint.run.add_suppressions import add_suppressions as add

        def run_and_hide(unsaved: Mapping[str, bytes] | None = None) -> tuple[Project, Report]:
            project, report = run(unsaved)
            return project, hide(report)

        outcome = add(run_and_hide, paths, note, isolated=bool(options.get("isolated")))
        report = outcome.report
    elif fix or diff:
        from toolsurface_lint.run.fixes import fix as fix_files

        outcome = fix_files(lambda unsaved: hide(run(unsaved)[1]), paths, unsafe=unsafe_fixes)
        report = outcome.report
    elif stdin is not None:
        report = hide(run()[1])
    else:
        from toolsurface_lint.cli.cache import KeptRun, cache_for

        cache = cache_for(paths, {**options, "select": select}, today, cache_dir, no_cache)
        kept = KeptRun(cache, _files(outputs, write_baseline))
        report = hide(kept.report(lambda: run()[1]))
    failed = False
    if outcome is not None:
        from toolsurface_lint.cli.fix import show_fixes, write_fixes

        verb = "fix" if note is None else "suppress"
        if diff:
            done = show_fixes(outcome, verb) and not report.internal_errors
            return FAILURE if not done else FINDINGS if outcome.changes else CLEAN
        failed = not write_fixes(outcome, verb)
        if failed and outcome.changes:
            # Some of it may not have been written: report on the files as they are.
            report = hide(run()[1])
    if write_baseline is not None:
        report = _write_baseline(write_baseline, report, paths)
    write_reports(report, outputs, not no_snippets, color, explain, sarif_category)
    if outcome is None and ("text", None) in outputs:
        _suggest_fixes(report)
    for entry in report.stale or ():
        complain(f"stale in the baseline: {entry.path}: [{entry.code}] {entry.message}")
    if not allow_empty:
        for folder in report.empty_folders:
            complain(f"{folder}: nothing to check was recognised in this folder (--allow-empty accepts that)")
    if kept is not None:
        kept.store()
    failed = failed or report.internal_errors or bool(report.empty_folders and not allow_empty)
    return FAILURE if failed else outcome_of(report, fail_on or report.fail_on)


def refuse_useless(
    outputs: Sequence[tuple[str, str | None]], explains: bool, explain: bool, select: Sequence[str]
) -> None:
    """Raise `CommandError` for options that would have no effect; `explains`: reports are written."""
    if explain and not (explains and any(form in ("text", "concise") for form, _ in outputs)):
        raise CommandError("--explain needs the output text or concise")
    if select and not any(codes.strip(", ") for codes in select):
        raise CommandError("--select names no code: nothing would be checked")


def write_reports(
    report: Report,
    outputs: Sequence[tuple[str, str | None]],
    snippets: bool,
    color: str | None,
    explain: bool,
    sarif_category: str | None,
) -> None:
    """Write a report in every form that was asked for."""
    for form, file in outputs:
        text = render(form, report, _render_options(form, file, snippets, color, explain, sarif_category))
        if form == "sarif":
            _report_limit(report)
        if file is None:
            write(text)
        else:
            write_file(file, text)


def _refuse_contradictions(
    fix: bool,
    diff: bool,
    unsafe_fixes: bool,
    suppress: bool,
    baseline: str | None,
    write_baseline: str | None,
    stdin: bytes | None,
) -> None:
    apart = "run one after the other"
    alone = "--write-baseline lists all findings: it cannot be combined with"
    for wrong, message in (
        (fix and diff, "--fix writes what --diff only shows: give one of them"),
        (unsafe_fixes and not (fix or diff), "--unsafe-fixes needs --fix or --diff"),
        (stdin is not None and (fix or diff), "standard input cannot be fixed: give a file"),
        (write_baseline and diff, f"{alone} --diff"),
        (write_baseline and baseline is not None, f"{alone} --baseline"),
        (suppress and fix, f"--add-suppressions cannot be combined with --fix: {apart}"),
        (suppress and unsafe_fixes, f"--add-suppressions cannot be combined with --unsafe-fixes: {apart}"),
        (suppress and write_baseline, f"--add-suppressions cannot be combined with --write-baseline: {apart}"),
        (suppress and stdin is not None, "no suppressions can be added to standard input: give a file"),
    ):
        if wrong:
            raise CommandError(message)


def read_today() -> date | None:
    """The day that `SOURCE_DATE_EPOCH` gives, so that a run can be repeated; None for that of the clock."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    if not seconds:
        return None
    from toolsurface_lint.source.dates import day_of_epoch

    try:
        return day_of_epoch(seconds)
    except ValueError as error:
        raise CommandError(f"SOURCE_DATE_EPOCH: {error}") from None


def _read_note(text: str, today: date | None) -> Note:
    from toolsurface_lint.run.add_suppressions.notes import read_note
    from toolsurface_lint.source.dates import is_past

    try:
        note = read_note(text)
    except ValueError as error:
        raise CommandError(f"--add-suppressions cannot write this reason: {error}") from None
    if note.until is not None and is_past(note.until, today):
        raise CommandError(f"--add-suppressions: {note.until} has passed already")
    return note


def _read_baseline(path: str) -> Baseline:
    from toolsurface_lint.run.baseline import BaselineError, read_baseline

    try:
        return read_baseline(path)
    except BaselineError as error:
        raise CommandError(str(error)) from None


def _write_baseline(path: str, report: Report, paths: Sequence[str]) -> Report:
    """List all findings of a report in a baseline; the report that is left."""
    from toolsurface_lint.run.baseline import make_baseline, written

    baseline = make_baseline(path, report)
    write_file(path, written(baseline))
    return baseline.hide(report, paths)


def _report_limit(report: Report) -> None:
    """Say on standard error what SARIF has no place for."""
    from toolsurface_lint.reporters.sarif import MAX_RESULTS

    found = len(report.diagnostics)
    if found > MAX_RESULTS:
        complain(f"{found} results; SARIF holds the {MAX_RESULTS} most severe, the limit of code scanning")


def _suggest_fixes(report: Report) -> None:
    """Say on standard error how many of the findings have a fix."""
    fixes = [diagnostic.fix for diagnostic in report.diagnostics if diagnostic.fix is not None]
    safe = sum(fix.safe for fix in fixes)
    unsafe = len(fixes) - safe
    parts = [f"{safe} with --fix"] if safe else []
    parts += [f"{unsafe} {'more ' if safe else ''}with --fix --unsafe-fixes"] if unsafe else []
    if parts:
        complain(f"can be fixed: {', '.join(parts)} (--diff shows how)")


def progress_bar() -> Progress | None:
    """A bar for long runs if standard error is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        return None
    from toolsurface_lint.cli.progress import Progress

    return Progress()


def parse_outputs(values: Sequence[str], formats: Collection[str] = FORMATS) -> list[tuple[str, str | None]]:
    """The formats asked for and the file of each, None for standard output. Raises `CommandError`."""
    outputs = []
    for value in values:
        form, equals, file = value.partition("=")
        if form not in formats:
            from toolsurface_lint.model.names import did_you_mean

            near = did_you_mean(form, formats) or f": it must be one of {', '.join(formats)}"
            raise CommandError(f"unknown output format `{form}`{near}")
        if equals and not file:
            raise CommandError(f"--output {value}: the name of the file is missing")
        if file == "-":
            raise CommandError(f"--output {value}: a report without a file goes to standard output: leave out =-")
        outputs.append((form, file or None))
    printed = [form for form, file in outputs if file is None]
    document = next((form for form in printed if form not in _PROSE), None)
    if len(printed) > 1 and document is not None:
        advice = f"give all but one a file (--output {document}=FILE)"
        raise CommandError(f"two reports on standard output, {document} among them: {advice}")
    return outputs


def find_targets(
    outputs: Sequence[tuple[str, str | None]],
    paths: Sequence[str],
    stdin_filename: str | None,
    config: str | None,
    baseline: str | None = None,
    write_baseline: str | None = None,
) -> Planned | None:
    """What refuses, once it is known, that what a run reads is written as well; None if the run writes nothing.

    Raises `CommandError` for what cannot be written to, or is named for reading.
    """
    files = _files(outputs, write_baseline)
    if not files:
        return None
    from toolsurface_lint.cli.targets import READ, Targets

    read = {path: READ for path in (*paths, stdin_filename) if path is not None and not os.path.isdir(path)}
    read |= {config: "it holds the settings of this run"} if config is not None else {}
    read |= {baseline: "it is the baseline of this run"} if baseline is not None else {}
    targets = Targets(files, read)
    if write_baseline is not None:
        from toolsurface_lint.run.baseline import BaselineError, refuse_others

        try:
            refuse_others(write_baseline)
        except BaselineError as error:
            raise CommandError(f"cannot write the baseline: {error}") from None
    return targets.refuse_read


def _files(outputs: Sequence[tuple[str, str | None]], write_baseline: str | None) -> list[str]:
    """The files that a run writes."""
    return [
        *(file for _, file in outputs if file is not None),
        *([write_baseline] if write_baseline is not None else []),
    ]


def read_input(paths: Sequence[str], stdin_filename: str | None) -> tuple[Sequence[str], bytes | None]:
    """The paths to check, the working directory if none, and the bytes of standard input if `-` asks for it."""
    if "-" not in paths:
        if stdin_filename is not None:
            raise CommandError("--stdin-filename needs - as PATH")
        return paths or (".",), None
    if len(paths) > 1:
        raise CommandError("- cannot be checked together with other paths")
    if stdin_filename is not None and os.path.isdir(stdin_filename):
        raise CommandError(f"--stdin-filename names a folder: {stdin_filename}")
    if sys.stdin is None:
        return (), b""
    try:
        return (), read_stream(sys.stdin.buffer, MAX_FILE_SIZE)
    except OSError as error:
        raise CommandError(f"cannot read standard input: {error.strerror}") from None


def read_jobs(number: str | None) -> int:
    """How many processes are asked for; 0 is one for each core. Raises `CommandError`."""
    if number is not None and not (number.isascii() and number.isdigit() and len(number) < 5):
        raise CommandError(f"--jobs needs a whole number from 0 to 9999, not `{number}`")
    return 0 if number is None else int(number)


def _render_options(
    form: str, file: str | None, snippets: bool, color: str | None, explain: bool, category: str | None
) -> RenderOptions:
    if form in ("text", "concise"):
        coloured = file is None and colour(color)
        return RenderOptions(
            colour=coloured,
            links=coloured and links(),
            snippets=snippets,
            width=width() if file is None else None,
            explain=explain,
        )
    from toolsurface_lint.project.discovery.repositories import repository_root

    return RenderOptions(snippets=snippets, sarif_category=category, root=repository_root("."))


def outcome_of(report: Report, fail_on: str) -> int:
    if fail_on not in SEVERITIES:
        return CLEAN
    severe = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
    return FINDINGS if any(report.summary[severity] for severity in severe) else CLEAN
