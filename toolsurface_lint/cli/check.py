"""`toolsurface-lint check`: lint, write the reports, say by the exit code how it went."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from toolsurface_lint.cli.stream import CommandError, colour, complain, width, write, write_file
from toolsurface_lint.diagnostics import SEVERITIES, Report
from toolsurface_lint.reporters import FORMATS, RenderOptions, render

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
    **options: Any,
) -> int:
    """Run the command and return its exit code. Raises `CommandError`, `SettingsError` and `PathMissing`."""
    outputs = parse_outputs(output or ("text",))
    paths, stdin = read_input(paths, stdin_filename)
    from toolsurface_lint.api import check_paths

    report = check_paths(paths, stdin=stdin, stdin_filename=stdin_filename, select=select or None, **options)
    for form, file in outputs:
        text = render(form, report, _render_options(form, file, not no_snippets, sarif_category))
        if file is None:
            write(text)
        else:
            write_file(file, text)
    if not allow_empty:
        for folder in report.empty_folders:
            complain(f"{folder}: nothing to check was recognised in this folder (--allow-empty accepts that)")
    failed = report.internal_errors or (report.empty_folders and not allow_empty)
    return FAILURE if failed else _outcome(report, fail_on or report.fail_on)


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
