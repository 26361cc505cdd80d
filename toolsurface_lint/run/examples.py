"""The examples of rules of one's own: each is checked as the project that its files are, in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from toolsurface_lint.model.diagnostics import INTERNAL_ERROR, Diagnostic
from toolsurface_lint.own_rules.checks import Judge
from toolsurface_lint.own_rules.language import Definition
from toolsurface_lint.project.grouping import finish
from toolsurface_lint.project.project import Project, plan_contents, read
from toolsurface_lint.project.settings import Settings
from toolsurface_lint.project.settings.selection import Selection
from toolsurface_lint.run.analysis import Analysis
from toolsurface_lint.run.transcripts import check_transcripts


class Outcome(NamedTuple):
    """What came of one example, the `number`th of its kind: `found` is what the rule reports in its files.

    `wrong` says why that is not what the example is for; None if it is.
    """

    code: str
    fires: bool
    number: int
    found: tuple[Diagnostic, ...]
    wrong: str | None = None


def check_examples(definition: Definition) -> Iterator[Outcome]:
    """Check every example of a rule."""
    for fires, examples in ((True, definition.fires), (False, definition.silent)):
        for number, files in enumerate(examples, 1):
            found, judge = _check(definition, files)
            wrong = _wrong(fires, found, judge, definition) or (_unsettled(definition, files, found) if fires else None)
            yield Outcome(definition.code, fires, number, found, wrong)


def _wrong(fires: bool, found: tuple[Diagnostic, ...], judge: Judge, definition: Definition) -> str | None:
    crash = next((each for each in found if each.code == INTERNAL_ERROR), None)
    if crash is not None:
        return crash.message
    if not judge.seen:
        return f"no {definition.subject} is recognised in its files"
    if fires and not judge.met:
        return f"no {definition.subject} in its files meets `where`"
    if fires != bool(found):
        return "it does not fire" if fires else "it fires"
    return None


def _check(definition: Definition, files: Mapping[str, str]) -> tuple[tuple[Diagnostic, ...], Judge]:
    """What a rule alone reports in files, which are displayed by their paths."""
    folder = _folder()
    settings = Settings(folder)
    judge = Judge(definition)
    checks = tuple(judge.checks())
    settings.others = lambda: checks
    settings.own_codes = frozenset((definition.code,))
    settings.severity = {}
    contents = {_full(path): text.encode("utf-8", "replace") for path, text in files.items()}
    project = Project(settings)
    selection = Selection(settings, select=[definition.code])
    analysis = Analysis(selection)
    project.visit = analysis.visit
    read(project, plan_contents(project, contents, folder))
    finish(project)
    report = analysis.report(project, transcripts=check_transcripts(project, selection))
    return report.diagnostics, judge


def _folder() -> str:
    return os.path.join(os.getcwd(), "example")


def _full(path: str) -> str:
    return os.path.join(_folder(), *path.split("/"))


def _unsettled(definition: Definition, files: Mapping[str, str], found: tuple[Diagnostic, ...]) -> str | None:
    """What is wrong with the fixes of findings; None if each settles its finding, or if there is none."""
    edits = [edit for each in found if each.fix is not None for edit in each.fix.edits]
    fixed = dict(files)
    paths = {_full(path): path for path in files}
    ends: dict[str, int] = {}
    for edit in sorted(edits, key=lambda edit: edit.location.span, reverse=True):
        path = paths[os.path.abspath(edit.location.path)]
        start, end = edit.location.span
        if end <= ends.get(path, end):
            fixed[path] = fixed[path][:start] + edit.text + fixed[path][end:]
            ends[path] = start
    fixable = sum(each.fix is not None for each in found)
    left = len(_check(definition, fixed)[0]) if fixable else 0
    return f"{left} findings are left by its fix" if left > len(found) - fixable else None
