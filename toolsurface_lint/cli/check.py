"""`toolsurface-lint check`: lint, write the reports, say by the exit code how it went."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toolsurface_lint.cli.stream import CommandError, colour, complain, width, write, write_file
from toolsurface_lint.diagnostics import SEVERITIES, Report
from toolsurface_lint.reporters import FORMATS, RenderOptions, render

if TYPE_CHECKING:
    from toolsurface_lint.baseline import Baseline
    from toolsurface_lint.cli.progress import Progress
    from toolsurface_lint.fixes import Outcome

CLEAN, FINDINGS, FAILURE = 0, 1, 2


def check(
    paths: Sequence[str],
    *,
    output: Sequence[str] = (),
    fail_on: str | None = None,
    allow_empty: bool = False,
    no_snippets: bool = False,
    sarif_category: str | None = None,
    stdin_filename: str | None = None,
    select: Sequence[str] = (),
    fix: bool = False,
    unsafe_fixes: bool = False,
    diff: bool = False,
    baseline: str | None = None,
    write_baseline: str | None = None,
    **options: Any,
) -> int:
    """Run the command and return its exit code. Raises `CommandError`, `SettingsError` and `PathMissing`."""
    outputs = parse_outputs(output or ("text",))
    paths, stdin = read_input(paths, stdin_filename)
    _refuse_contradictions(fix, diff, unsafe_fixes, baseline, write_baseline, stdin)
    known = None if baseline is None else _read_baseline(baseline)
    from toolsurface_lint.api import check_paths

    bar = _progress_bar()

    def run(unsaved: Mapping[str, bytes] | None = None) -> Report:
        report = check_paths(
            paths,
            stdin=stdin,
            stdin_filename=stdin_filename,
            select=select or None,
            unsaved=unsaved,
            progress=bar,
            **options,
        )
        return report if known is None else known.hide(report, paths)

    outcome: Outcome | None = None
    try:
        if fix or diff:
            from toolsurface_lint.fixes import fix as fix_files

            outcome = fix_files(run, paths, unsafe=unsafe_fixes)
            report = outcome.report
        else:
            report = run()
    finally:
        if bar is not None:
            bar.clear()
    failed = False
    if outcome is not None:
        from toolsurface_lint.cli.fix import show_fixes, write_fixes

        if diff:
            done = show_fixes(outcome) and not report.internal_errors
            return FAILURE if not done else FINDINGS if outcome.changes else CLEAN
        failed = not write_fixes(outcome)
    if write_baseline is not None:
        report = _write_baseline(write_baseline, report, paths)
    for form, file in outputs:
        text = render(form, report, _render_options(form, file, not no_snippets, sarif_category))
        if file is None:
            write(text)
        else:
            write_file(file, text)
    if outcome is None and ("text", None) in outputs:
        _suggest_fixes(report)
    for entry in report.stale or ():
        complain(f"stale in the baseline: {entry.path}: [{entry.code}] {entry.message}")
    if not allow_empty:
        for folder in report.empty_folders:
            complain(f"{folder}: nothing to check was recognised in this folder (--allow-empty accepts that)")
    failed = failed or report.internal_errors or bool(report.empty_folders and not allow_empty)
    return FAILURE if failed else _outcome(report, fail_on or report.fail_on)


def _refuse_contradictions(
    fix: bool, diff: bool, unsafe_fixes: bool, baseline: str | None, write_baseline: str | None, stdin: bytes | None
) -> None:
    if fix and diff:
        raise CommandError("--fix writes what --diff only shows: give one of them")
    if unsafe_fixes and not (fix or diff):
        raise CommandError("--unsafe-fixes needs --fix or --diff")
    if stdin is not None and (fix or diff):
        raise CommandError("standard input cannot be fixed: give a file")
    if write_baseline is not None and (baseline is not None or diff):
        raise CommandError(
            f"--write-baseline lists all findings: it cannot be combined with --{'diff' if diff else 'baseline'}"
        )


def _read_baseline(path: str) -> Baseline:
    from toolsurface_lint.baseline import BaselineError, read_baseline

    try:
        return read_baseline(path)
    except BaselineError as error:
        raise CommandError(str(error)) from None


def _write_baseline(path: str, report: Report, paths: Sequence[str]) -> Report:
    """List all findings of a report in a baseline; the report that is left."""
    from toolsurface_lint.baseline import make_baseline, written

    baseline = make_baseline(path, report)
    write_file(path, written(baseline))
    return baseline.hide(report, paths)


def _suggest_fixes(report: Report) -> None:
    """Say on standard error how many of the findings have a fix."""
    fixes = [diagnostic.fix for diagnostic in report.diagnostics if diagnostic.fix is not None]
    safe = sum(fix.safe for fix in fixes)
    unsafe = len(fixes) - safe
    parts = [f"{safe} with --fix"] if safe else []
    parts += [f"{unsafe} {'more ' if safe else ''}with --fix --unsafe-fixes"] if unsafe else []
    if parts:
        complain(f"can be fixed: {', '.join(parts)} (--diff shows how)")


def _progress_bar() -> Progress | None:
    """A bar for long runs if standard error is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        return None
    from toolsurface_lint.cli.progress import Progress

    return Progress()


def parse_outputs(values: Sequence[str]) -> list[tuple[str, str | None]]:
    """The formats asked for and the file of each, None for standard output. Raises `CommandError`."""
    outputs = []
    for value in values:
        form, equals, file = value.partition("=")
        if form not in FORMATS:
            from toolsurface_lint.config import did_you_mean

            raise CommandError(
                f"unknown output format `{form}`{did_you_mean(form, FORMATS)}: it must be one of {', '.join(FORMATS)}"
            )
        if equals and not file:
            raise CommandError(f"--output {value}: the name of the file is missing")
        outputs.append((form, file or None))
    return outputs


def read_input(paths: Sequence[str], stdin_filename: str | None) -> tuple[Sequence[str], bytes | None]:
    """The paths to check, the working directory if none, and the bytes of standard input if `-` asks for it."""
    if "-" not in paths:
        if stdin_filename is not None:
            raise CommandError("--stdin-filename needs - as PATH")
        return paths or (".",), None
    if len(paths) > 1:
        raise CommandError("- cannot be checked together with other paths")
    return (), sys.stdin.buffer.read() if sys.stdin is not None else b""


def _render_options(form: str, file: str | None, snippets: bool, category: str | None) -> RenderOptions:
    if form == "text":
        shown = file is None
        return RenderOptions(colour=shown and colour(), snippets=snippets, width=width() if shown else None)
    if form == "concise":
        return RenderOptions(colour=file is None and colour())
    from toolsurface_lint.discovery import repository_root

    return RenderOptions(snippets=snippets, sarif_category=category, root=repository_root("."))


def _outcome(report: Report, fail_on: str) -> int:
    if fail_on not in SEVERITIES:
        return CLEAN
    grave = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
    return FINDINGS if any(report.summary[severity] for severity in grave) else CLEAN
