"""Renaming a tool, or an argument of one, in everything that names it: planned, read and checked again, then written.

Recordings are evidence and stay as they are. What is not sure is not changed, and said.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from toolsurface_lint.model.diagnostics import Diagnostic, Report
from toolsurface_lint.project.discovery.paths import Given
from toolsurface_lint.project.project import Project
from toolsurface_lint.run.fixes import Change, distinct, encoded, new_problems, read_file
from toolsurface_lint.run.renaming.leftover import Leftover, leftovers
from toolsurface_lint.run.renaming.plan import Edit, Plan, plan_renaming
from toolsurface_lint.run.renaming.subject import Refused as Refused
from toolsurface_lint.run.renaming.subject import arguments_of, find_subject
from toolsurface_lint.run.writing import NotWritten, Reach, replace
from toolsurface_lint.source.text import Unreadable, decode

Check = Callable[[Mapping[str, bytes]], tuple[Project, Report]]
"""Checks everything, with the bytes of some files, by absolute path, in place of those on disk."""


class Renaming(NamedTuple):
    """What came of a renaming that is not yet written.

    `changes` are in the order of paths. `findings` are those that the files would have then and do not have now; `leftovers`
    the files in which the old name is still written, of a tool.
    """

    plan: Plan
    changes: tuple[Change, ...]
    findings: tuple[Diagnostic, ...]
    leftovers: Sequence[Leftover]


def rename(
    check: Check, paths: Sequence[str], old: str, new: str, *, argument_of: str | None = None, every: bool = False
) -> Renaming:
    """Rename a tool, or the argument `old` of a tool, in the files and folders at `paths`; `every` tool of the name, if so.

    Raises `Refused` where nothing may be changed: for a name that is unknown, taken or ambiguous, and for definitions that
    would not be read as they are meant.
    """
    project, before = check({})
    given, reach = Given(paths), Reach(paths)

    def is_asked(display: str) -> bool:
        return given.holds(os.path.abspath(project.full_path(display)))

    subject = find_subject(project, old if argument_of is None else argument_of, every=every, is_asked=is_asked)
    argument = None if argument_of is None else old
    plan = plan_renaming(project, subject, new, argument=argument, is_asked=is_asked)
    changes = []
    for display, edits in plan.edits.items():
        path = os.path.abspath(project.full_path(display))
        reason = reach.reason_against(path)
        if reason is not None:
            raise Refused(f"{display} has the name, and must not be written: {reason}")
        changes.append(_change(path, display, edits))
    again, after = check({change.path: change.after for change in changes})
    broken = new_problems([change.display for change in changes], before, after)
    if broken:
        raise Refused(f"{broken[0]} could not be read any more; nothing is changed")
    _verify(plan, _definitions(project), _definitions(again))
    changed = {change.display: change.after for change in changes}
    said = {tuple(left.where.rsplit(":", 2)[:2]) for left in plan.left}
    rest = leftovers(project, old, changed, plan.evidence, said) if argument is None else []
    return Renaming(plan, distinct(changes), _new_findings(plan, before, after), rest)


def _change(path: str, display: str, edits: Iterable[Edit]) -> Change:
    try:
        data = read_file(path)
        text = decode(data)
    except (OSError, Unreadable):
        text = None
    parts: list[str] = []
    position = 0
    for edit in edits:
        if text is None or text != edit.source.text:
            raise Refused(f"{display} changed while it was read")
        if edit.span.start < position:
            raise Refused(f"two changes of {display} meet at offset {edit.span.start}; nothing is changed")
        parts += (text[position : edit.span.start], edit.text)
        position = edit.span.end
    assert text is not None
    return Change(path, display, data, encoded("".join(parts) + text[position:], data))


Definitions = dict[tuple[str, str], list[frozenset[str]]]
"""The arguments of each definition, by the file that has it and its name."""


def _definitions(project: Project) -> Definitions:
    found: Definitions = {}
    tools = {tool.name_place: tool for surface in project.scopes for tool in surface.tools}
    for place, tool in tools.items():
        found.setdefault((place.tree.origin, tool.name), []).append(frozenset(arguments_of(tool)))
    return found


def _verify(plan: Plan, before: Definitions, after: Definitions) -> None:
    """Raises `Refused` unless each definition that was changed is read with the new name, and nothing else is read otherwise."""
    subject, old, new = plan.subject, plan.old, plan.new
    for path in {place.tree.origin for place in subject.tools}.intersection(plan.edits):
        was, now = before.get((path, subject.name), []), after.get((path, subject.name), [])
        if plan.argument is None:
            good = not now and len(after.get((path, new), ())) == len(was)
        else:
            good = any(new in arguments for arguments in now) and not any(old in arguments for arguments in now)
        if not good:
            raise Refused(f"{path} would not be read as declaring `{new}` instead of `{old}`; nothing is changed")


def _new_findings(plan: Plan, before: Report, after: Report) -> tuple[Diagnostic, ...]:
    """The findings of which there are more than before, by code and line."""
    known = Counter(map(_place, before.diagnostics))
    added = {path: _added_lines(edits) for path, edits in plan.edits.items()}
    found = []
    for diagnostic in after.diagnostics:
        code, path, line = _place(diagnostic)
        key = (code, path, line - bisect_left(added.get(path, ()), line))
        if known[key]:
            known[key] -= 1
        else:
            found.append(diagnostic)
    return tuple(found)


def _place(diagnostic: Diagnostic) -> tuple[str, str, int]:
    at = diagnostic.location
    return (diagnostic.code, "", 0) if at is None else (diagnostic.code, at.path, at.range.start.line)


def _added_lines(edits: Iterable[Edit]) -> list[int]:
    """The lines, as they are counted after edits, in which these have added one: what follows has moved down."""
    added: list[int] = []
    for edit in edits:
        for _ in range(edit.text.count("\n")):
            added.append(edit.source.lines.line_at(edit.span.start) + len(added))
    return added


def write(changes: Sequence[Change]) -> None:
    """Give all files their new content, or none of them. Raises `NotWritten`."""
    done: list[Change] = []
    try:
        for change in changes:
            replace(change.path, change.after, change.before, change.display)
            done.append(change)
    except (NotWritten, KeyboardInterrupt) as error:
        kept = []
        for change in reversed(done):
            assert change.before is not None
            try:
                replace(change.path, change.before, change.after, change.display)
            except NotWritten:
                kept.append(change.display)
        if kept:
            reason = str(error) or "interrupted"
            raise NotWritten(f"{reason}; the new name stays in {', '.join(kept)}, which cannot be restored") from None
        raise
