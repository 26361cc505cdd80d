"""`toolsurface-lint check`: lint, write the reports, say by the exit code how it went."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toolsurface_lint.cli.stream import CommandError, colour, complain, links, width, write, write_file
from toolsurface_lint.model.diagnostics import SEVERITIES, Report
from toolsurface_lint.reporters import FORMATS, RenderOptions, count, render
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

_PROSE = ("text", "concise", "github", "markdown", "stats", "coverage")
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
    statistics: bool = False,
    quiet: bool = False,
    sarif_category: str | None = None,
    stdin_filename: str | None = None,
    select: Sequence[str] = (),
    fix: bool = False,
    unsafe_fixes: bool = False,
    add_suppressions: str | None = None,
    diff: bool = False,
    baseline: str | None = None,
    write_baseline: str | None = None,
    coverage_baseline: str | None = None,
    write_coverage_baseline: str | None = None,
    cache_dir: str | None = None,
    no_cache: bool = False,
    **options: Any,
) -> int:
    """Run the command and return its exit code. Raises `CommandError`, `SettingsError` and `PathMissing`."""
    outputs = parse_outputs(output or ("text",))
    options["jobs"] = read_jobs(options.get("jobs"))
    paths, stdin = read_input(paths, stdin_filename)
    planned = find_targets(
        outputs,
        paths,
        stdin_filename,
        options.get("config"),
        baseline,
        write_baseline,
        coverage_baseline,
        write_coverage_baseline,
    )
    wanted = RenderOptions(
        snippets=not no_snippets, explain=explain, statistics=statistics, quiet=quiet, sarif_category=sarif_category
    )
    refuse_useless(() if diff else outputs, wanted, select)
    suppress = add_suppressions is not None
    _refuse_contradictions(fix, diff, unsafe_fixes, suppress, baseline, write_baseline, stdin)
    holds_coverage = coverage_baseline is not None or write_coverage_baseline is not None
    wants_coverage = holds_coverage or any(form == "coverage" for form, _ in outputs)
    _refuse_with_coverage(holds_coverage, coverage_baseline, write_coverage_baseline, diff, stdin)
    today = read_today()
    note = None if add_suppressions is None else _read_note(add_suppressions, today)
    known = None if baseline is None else _read_baseline(baseline)
    if holds_coverage:
        from toolsurface_lint.cli import coverage
    before = None if coverage_baseline is None else coverage.read_known(coverage_baseline)
    bar = None if quiet else progress_bar()

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
                coverage=wants_coverage,
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
    elif stdin is not None or wants_coverage:
        # What was counted is not a part of a report in the cache.
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
            done = show_fixes(outcome, verb, quiet) and not report.internal_errors
            return FAILURE if not done else FINDINGS if outcome.changes else CLEAN
        failed = not write_fixes(outcome, verb, quiet)
        if failed and outcome.changes:
            # Some of it may not have been written: report on the files as they are.
            report = hide(run()[1])
    if write_baseline is not None:
        report = _write_baseline(write_baseline, report, paths, quiet)
    if write_coverage_baseline is not None:
        coverage.write_coverage(write_coverage_baseline, report, quiet)
    is_more = False
    if before is not None:
        assert _kept is not None
        is_more = coverage.compare(before, _kept, report)
    write_reports(report, outputs, color, wanted)
    if outcome is None and ("text", None) in outputs and not quiet:
        _suggest_fixes(report)
    for entry in () if quiet else report.stale or ():
        complain(f"stale in the baseline: {entry.path}: [{entry.code}] {entry.message}")
    if coverage_baseline is not None:
        coverage.say_losses(report, coverage_baseline, is_more and not quiet)
    if not allow_empty:
        for folder in report.empty_folders:
            complain(f"{folder}: nothing to check was recognised in this folder (--allow-empty accepts that)")
    if kept is not None:
        kept.store()
    failed = failed or report.internal_errors or bool(report.empty_folders and not allow_empty)
    return FAILURE if failed else outcome_of(report, fail_on or report.fail_on)


def refuse_useless(outputs: Sequence[tuple[str, str | None]], wanted: RenderOptions, select: Sequence[str]) -> None:
    """Raise `CommandError` for options that would have no effect on what is written in the `outputs`."""
    written = {form for form, _ in outputs}
    for given, option, forms in (
        (wanted.explain, "--explain", ("text", "concise")),
        (wanted.statistics, "--statistics", ("text", "concise", "json")),
    ):
        if given and written.isdisjoint(forms):
            raise CommandError(f"{option} needs the output {', '.join(forms[:-1])} or {forms[-1]}")
    if select and not any(codes.strip(", ") for codes in select):
        raise CommandError("--select names no code: nothing would be checked")


def write_reports(
    report: Report, outputs: Sequence[tuple[str, str | None]], color: str | None, wanted: RenderOptions
) -> None:
    """Write a report in every form that was asked for; `wanted` is what was asked for in all of them."""
    for form, file in outputs:
        text = render(form, report, _render_options(form, file, color, wanted))
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


def _refuse_with_coverage(
    holds: bool, baseline: str | None, write_baseline: str | None, diff: bool, stdin: bytes | None
) -> None:
    option = "--coverage-baseline" if write_baseline is None else "--write-coverage-baseline"
    for wrong, message in (
        (
            baseline is not None and write_baseline is not None,
            "--write-coverage-baseline accepts what is checked now: it cannot be combined with --coverage-baseline",
        ),
        (holds and diff, f"{option} cannot be combined with --diff, which reports nothing"),
        (holds and stdin is not None, f"{option} is about files: it cannot be combined with standard input"),
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


def _write_baseline(path: str, report: Report, paths: Sequence[str], quiet: bool) -> Report:
    """List all findings of a report in a baseline; the report that is left."""
    from toolsurface_lint.run.baseline import make_baseline, written

    baseline = make_baseline(path, report)
    write_file(path, written(baseline))
    if not quiet:
        listed = sum(entry.times for entry in baseline.entries)
        complain(f"wrote {path}: {count(listed, 'finding')}, hidden by --baseline {path}")
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
    coverage_baseline: str | None = None,
    write_coverage_baseline: str | None = None,
) -> Planned | None:
    """What refuses, once it is known, that what a run reads is written as well; None if the run writes nothing.

    Raises `CommandError` for what cannot be written to, or is named for reading.
    """
    files = _files(outputs, write_baseline, write_coverage_baseline)
    if not files:
        return None
    from toolsurface_lint.cli.targets import READ, Targets

    read = {path: READ for path in (*paths, stdin_filename) if path is not None and not os.path.isdir(path)}
    read |= {config: "it holds the settings of this run"} if config is not None else {}
    read |= {baseline: "it is the baseline of this run"} if baseline is not None else {}
    read |= {coverage_baseline: "it is the coverage baseline of this run"} if coverage_baseline is not None else {}
    targets = Targets(files, read)
    if write_baseline is not None:
        from toolsurface_lint.run.baseline import BaselineError, refuse_others

        try:
            refuse_others(write_baseline)
        except BaselineError as error:
            raise CommandError(f"cannot write the baseline: {error}") from None
    if write_coverage_baseline is not None:
        from toolsurface_lint.cli.coverage import refuse_target

        refuse_target(write_coverage_baseline)
    return targets.refuse_read


def _files(outputs: Sequence[tuple[str, str | None]], *others: str | None) -> list[str]:
    """The files that a run writes: its reports, and others."""
    return [file for file in (*(file for _, file in outputs), *others) if file is not None]


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


def _render_options(form: str, file: str | None, color: str | None, wanted: RenderOptions) -> RenderOptions:
    if form in ("text", "concise"):
        coloured = file is None and colour(color)
        return wanted._replace(colour=coloured, links=coloured and links(), width=width() if file is None else None)
    from toolsurface_lint.project.discovery.repositories import repository_root

    return wanted._replace(root=repository_root("."))


def outcome_of(report: Report, fail_on: str) -> int:
    if fail_on not in SEVERITIES:
        return CLEAN
    severe = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
    return FINDINGS if report.losses or any(report.summary[severity] for severity in severe) else CLEAN
