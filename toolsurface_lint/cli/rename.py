"""`toolsurface-lint rename`: give a tool or an argument another name, in everything that names it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from toolsurface_lint.cli.check import CLEAN, FAILURE, FINDINGS, progress_bar, read_today
from toolsurface_lint.cli.stream import CommandError, complain, on_terminal, write, write_bytes
from toolsurface_lint.reporters import count
from toolsurface_lint.reporters.characters import no_commands, visible, visible_lines
from toolsurface_lint.run.fixes import diff as diff_of
from toolsurface_lint.run.renaming import Refused, Renaming
from toolsurface_lint.run.renaming import rename as rename_in
from toolsurface_lint.run.renaming import write as write_changes
from toolsurface_lint.run.writing import NotWritten

if TYPE_CHECKING:
    from toolsurface_lint.model.diagnostics import Diagnostic, Report
    from toolsurface_lint.project.project import Project

_MOST = 20
"""So many places of one kind are listed; of more, it is said how many."""


def rename(
    old: str,
    new: str,
    paths: Sequence[str] = (),
    *,
    argument_of: str | None = None,
    all: bool = False,
    diff: bool = False,
    config: str | None = None,
    isolated: bool = False,
) -> int:
    """Run the command and return its exit code. Raises `CommandError`, `PathMissing` and `SettingsError`."""
    from toolsurface_lint.api import check_project

    paths = paths or (os.curdir,)
    if "-" in paths:
        raise CommandError("nothing can be renamed in standard input: give files or folders")
    bar = progress_bar()
    today = read_today()

    def check(unsaved: Mapping[str, bytes]) -> tuple[Project, Report]:
        try:
            return check_project(paths, config=config, isolated=isolated, unsaved=unsaved, progress=bar, today=today)
        finally:
            if bar is not None:
                bar.clear()

    try:
        found = rename_in(check, paths, old, new, argument_of=argument_of, every=all)
        if not diff:
            write_changes(found.changes)
    except (Refused, NotWritten) as error:
        raise CommandError(str(error)) from None
    if diff:
        _show(found)
    else:
        write(no_commands("".join(f"{line}\n" for line in _written(found))))
    _account(found, "would rename" if diff else "renamed")
    if any(diagnostic.code == "INTERNAL_ERROR" for diagnostic in found.findings):
        return FAILURE
    return FINDINGS if found.plan.left or (diff and found.changes) else CLEAN


def _show(found: Renaming) -> None:
    text = "".join(map(diff_of, found.changes))
    if on_terminal():
        write(visible_lines(text))
    else:
        write_bytes(text.encode("utf-8"))


def _written(found: Renaming) -> Iterator[str]:
    """One line for each file: how often the name was in it, and in what."""
    for path, edits in found.plan.edits.items():
        holders = dict.fromkeys(edit.holder for edit in edits)
        yield f"{visible(path)}: {count(len(edits), 'place')} ({', '.join(holders)})"


def _account(found: Renaming, verb: str) -> None:
    """Say on standard error what was done, what was left, and what is new."""
    plan = found.plan
    what = f"`{plan.old}`" if plan.argument is None else f"the argument `{plan.old}` of `{plan.subject.name}`"
    complain(f"{verb} {what} to `{plan.new}`: {count(plan.size, 'place')} in {count(len(plan.edits), 'file')}")
    _list(f"{left.where} is left: {left.why}" for left in plan.left)
    if plan.patterns:
        complain(f"{count(plan.patterns, 'pattern')} {'matches' if plan.patterns == 1 else 'match'} both names")
    _list(f"{path} is left: a recording, which has the name {_times(number)}" for path, number in plan.evidence.items())
    _list(
        f"{rest.path}:{rest.line} still has `{plan.old}`, {_times(rest.times)} in the file: not recognised as the tool's name"
        for rest in found.leftovers
    )
    if found.findings:
        complain(
            f"{count(len(found.findings), 'finding')} that {'was' if len(found.findings) == 1 else 'were'} not there:"
        )
        _list(map(_line, found.findings))


def _line(found: Diagnostic) -> str:
    at = found.location
    place = "" if at is None else f"{at.path}:{at.range.start.line}:{at.range.start.column}: "
    return f"  {place}{found.severity}[{found.code}] {found.message}"


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _list(lines: Iterable[str]) -> None:
    every = list(lines)
    for line in every[:_MOST]:
        complain(line)
    if len(every) > _MOST:
        complain(f"and {len(every) - _MOST} more like the last one")
