"""Coverage baselines: what a run checked, written down, so that a later run that checks less says so.

It holds figures and names, file by file, and nothing of what was found. Paths are relative to the folder of the baseline, so
that it holds wherever the command is started.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from toolsurface_lint.checks.index import RULES
from toolsurface_lint.model.coverage import (
    AGAINST,
    CLOSED,
    FIGURES,
    OPEN,
    Coverage,
    FileCoverage,
    Loss,
    asked_of,
    by_family,
    named,
)
from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.project.discovery.globs import covers
from toolsurface_lint.project.discovery.paths import Given, relative_to, with_parents
from toolsurface_lint.project.project import Project
from toolsurface_lint.project.settings.selection import names_code
from toolsurface_lint.reporters import count
from toolsurface_lint.reporters.json import dump
from toolsurface_lint.source.files import MAX_FILE_SIZE, read_source
from toolsurface_lint.source.json import read_json
from toolsurface_lint.source.text import Span, Unreadable
from toolsurface_lint.source.tree import Node

VERSION = 1

_PARTS = (AGAINST, OPEN)

_MOST_PATHS = 5

_LARGEST = 10**12

_ABSOLUTE = re.compile(r"[/\\]|[A-Za-z]:")


class CoverageError(Exception):
    """A file that is missing, or not a coverage baseline."""


class OtherVersion(CoverageError):
    """A coverage baseline that another release has written."""


class CoverageBaseline(NamedTuple):
    """What a run checked: files by absolute path, the rules that looked at anything, and what for."""

    files: Mapping[str, FileCoverage]
    rules: frozenset[str]
    targets: frozenset[str]


class Comparison(NamedTuple):
    """What came of a comparison: what is checked less, and whether anything is checked that the baseline does not know."""

    losses: tuple[Loss, ...]
    is_more: bool


def coverage_text(coverage: Coverage, path: str) -> str:
    """The text of the coverage baseline to be written to `path`: a file or a rule a line, in the order of their names."""
    root = _root(path)
    files = {_relative(each, root): file for each, file in coverage.files.items()}
    value = {
        "version": VERSION,
        "totals": {
            "files": len(files),
            "surfaces": coverage.surfaces,
            "open_surfaces": len(coverage.open_surfaces),
            **coverage.totals,
        },
        "skipped": coverage.reasons,
        "targets": coverage.targets,
        "asked": coverage.asked,
        "rules": coverage.rules,
        "disabled": coverage.disabled,
        "files": {path: files[path].to_dict() for path in sorted(files)},
    }
    return dump({key: list(each) if isinstance(each, tuple) else each for key, each in value.items()}, 2) + "\n"


def _root(path: str) -> str:
    return os.path.dirname(os.path.abspath(path))


def _relative(path: str, root: str) -> str:
    """A displayed path relative to a folder, with forward slashes; on another drive, without the drive."""
    full = os.path.abspath(path)
    try:
        return os.path.relpath(full, root).replace(os.sep, "/")
    except ValueError:
        return os.path.splitdrive(full)[1].replace(os.sep, "/").lstrip("/")


# Reading


def read_coverage(path: str) -> CoverageBaseline:
    """The coverage baseline in a file. Raises `CoverageError`, which says where."""
    root = _document(path)
    if root is None:
        raise CoverageError(f"{path} is not a coverage baseline: it is empty")
    return _baseline(root, _root(path))


def refuse_others(path: str) -> None:
    """Raise `CoverageError` if a file is no coverage baseline, of whatever version; it may be empty, or missing."""
    if os.path.exists(path):
        with suppress(OtherVersion):
            root = _document(path)
            if root is not None:
                _baseline(root, _root(path))


def _document(path: str) -> Node | None:
    """The value of a file; None of an empty one."""
    from toolsurface_lint.checks.input.problems import sentence

    try:
        source = read_source(path, path, MAX_FILE_SIZE)
    except Unreadable as error:
        reason = error.problem.values.get("reason") or sentence(error.problem)
        raise CoverageError(f"cannot read the coverage baseline {path}: {reason}") from None
    documents = read_json(source)
    for problem in documents.problems:
        at = source.lines.position(problem.at.start)
        raise CoverageError(f"{path}:{at.line}:{at.column}: not a coverage baseline: {sentence(problem)}")
    if len(documents.trees) > 1:
        raise CoverageError(f"{path} is not a coverage baseline: it holds several values")
    return documents.trees[0].root if documents.trees else None


def _wrong(node: Node, message: str) -> CoverageError:
    source, span = node.place.source, node.place.span() or Span(0, 0)
    assert source is not None
    at = source.lines.position(span.start)
    return CoverageError(f"{source.path}:{at.line}:{at.column}: not a coverage baseline: {message}")


def _baseline(root: Node, folder: str) -> CoverageBaseline:
    version = root.get("version")
    if version is None or type(version.value) is not int or not isinstance(root.get("files"), Node):
        raise _wrong(root, "it has no `version` and no `files`")
    if version.value != VERSION:
        message = "it is of another version of toolsurface-lint: write it again with --write-coverage-baseline"
        raise OtherVersion(str(_wrong(version, message)))
    files = {}
    for name, node in _members(root, "files"):
        if _ABSOLUTE.match(name) or not name:
            raise _wrong(node, f"`{name}` is not a relative path")
        files[os.path.normpath(os.path.join(folder, name))] = _file(node)
    asked = {subject: _number(node) for subject, node in _members(root, "asked")}
    rules = (code for code, node in _members(root, "rules") if asked_of(_listed(node, "what a rule looks at"), asked))
    return CoverageBaseline(files, frozenset(rules), frozenset(_texts(root, "targets")))


def _file(node: Node) -> FileCoverage:
    if not isinstance(node.value, dict):
        raise _wrong(node, "what was checked of a file must be an object")
    tools = tuple(sorted(_texts(node, "tools")))
    figures = {"tools": len(tools)} if tools else {}
    figures |= {key: _number(found) for key in FIGURES if key != "tools" and (found := node.get(key)) is not None}
    return FileCoverage(figures, tools, tuple(_texts(node, "ignored")))


def _members(node: Node, key: str) -> Iterator[tuple[str, Node]]:
    found = node.get(key)
    if found is None:
        return
    if not isinstance(found.value, dict):
        raise _wrong(found, f"`{key}` must be an object")
    for name in found.value:
        member = found.get(name)
        assert member is not None
        yield name, member


def _number(node: Node) -> int:
    value: Any = node.value
    if type(value) is not int or not 0 <= value <= _LARGEST:
        raise _wrong(node, f"a figure must be a whole number up to {_LARGEST:,}")
    return value


def _texts(node: Node, key: str) -> list[str]:
    found = node.get(key)
    return [] if found is None else _listed(found, f"`{key}`")


def _listed(node: Node, what: str) -> list[str]:
    value: Any = node.value
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise _wrong(node, f"{what} must be a list of texts")
    return value


# Comparing


def compare_coverage(baseline: CoverageBaseline, project: Project, report: Report) -> Comparison:
    """What this run checks less than a baseline says, in order: files, surfaces, ignores, targets, rules.

    `report` has the coverage of the run, and all that was read is in `project`.
    """
    coverage = report.coverage
    assert coverage is not None
    return _Comparing(baseline, coverage, project, report).compare()


class _Comparing:
    def __init__(self, baseline: CoverageBaseline, coverage: Coverage, project: Project, report: Report) -> None:
        self._before = baseline
        self._coverage = coverage
        self._project = project
        self._now = {project.full_path(path): file for path, file in coverage.files.items()}
        self._displayed = {project.full_path(path): path for path in coverage.files}
        self._skipped = {os.path.abspath(skipped.path): skipped.reason for skipped in report.skipped}
        self._skipped_names: dict[str, list[str]] = {}
        for skipped in self._skipped:
            self._skipped_names.setdefault(os.path.basename(skipped), []).append(skipped)
        self._broken = {project.full_path(path) for path, _ in report.broken}
        self._given = Given(project.paths)
        before = baseline.files
        new = {path: file for path, file in self._now.items() if path not in before}
        self._moves = _moves(
            {path: file for path, file in before.items() if path not in self._now and not os.path.lexists(path)},
            new,
            before,
        )
        self._found_elsewhere: Counter[str] = Counter()
        """The names of tools that files have beyond what the baseline says of them: some may come from other files."""
        moved = {path: old for old, path in self._moves.items()}
        for path, file in self._now.items():
            old = before.get(moved.get(path, path), FileCoverage())
            self._found_elsewhere.update(Counter(file.tools) - Counter(old.tools))

    def compare(self) -> Comparison:
        losses = (*self._files(), *self._surfaces(), *self._ignored(), *self._targets(), *self._rules())
        return Comparison(losses, self._is_more())

    def _pairs(self) -> Iterator[tuple[str, FileCoverage, FileCoverage]]:
        """Each file that is still checked, where it is now: its path, what was checked of it, and what is."""
        for path, before in sorted(self._before.files.items()):
            here = self._moves.get(path, path)
            if here in self._now:
                yield here, before, self._now[here]

    def _files(self) -> Iterator[Loss]:
        """What is lost with files, then in files; what is the same for several is said once."""
        unchecked: dict[str, list[str]] = {}
        less: dict[str, list[str]] = {}
        for path, before in sorted(self._before.files.items()):
            here = self._moves.get(path, path)
            now = self._now.get(here)
            if now is not None:
                message = self._less(here, before, now)
                if message:
                    less.setdefault(message, []).append(self._displayed[here])
            elif not self._is_elsewhere(path, before):
                unchecked.setdefault(self._why(path), []).append(path)
        for why, paths in unchecked.items():
            shown = tuple(map(_shown_path, paths))
            are = "is" if len(paths) == 1 else "are"
            yield Loss(f"{_shown(shown)} {are} not checked any more: {why}{self._what_was_in(paths)}", shown)
        for message, displayed in less.items():
            yield Loss(f"{_shown(displayed)}: {message}", tuple(displayed))

    def _is_elsewhere(self, path: str, before: FileCoverage) -> bool:
        """Whether a file that is gone was split, or put together with another: all that it had are tools of other files now."""
        if os.path.lexists(path) or set(before.figures).difference(("tools", f"tools{OPEN}")):
            return False
        return bool(before.tools) and not self._gone(before, FileCoverage())

    def _what_was_in(self, paths: Sequence[str]) -> str:
        figures: Counter[str] = Counter()
        tools: list[str] = []
        for path in paths:
            figures.update(self._before.files[path].figures)
            tools += self._before.files[path].tools
        had = [count(figures[key], noun) for key, noun in FIGURES.items() if figures[key] and not key.endswith(_PARTS)]
        if tools:
            had[0] += f" ({named(sorted(tools))})"
        return f"; {'it' if len(paths) == 1 else 'they'} had {', '.join(had)}" if had else ""

    def _less(self, path: str, before: FileCoverage, now: FileCoverage) -> str:
        """What is lost in a file; empty if nothing is."""
        parts = []
        gone = self._gone(before, now)
        if gone:
            parts.append(f"the tool {named(gone)} is gone" if len(gone) == 1 else f"the tools {named(gone)} are gone")
        for key, noun in FIGURES.items():
            was, number = before.figures.get(key, 0), now.figures.get(key, 0)
            if key == "tools" or key.endswith(OPEN) or number >= was:
                continue
            whole = key.removesuffix(AGAINST)
            against = " checked against tools" if whole != key else ""
            if against and before.figures.get(whole, 0) - now.figures.get(whole, 0) >= was - number:
                # It went with the rest.
                continue
            parts.append(f"{count(number, noun)}{against}, {was} before")
        if parts and path in self._broken:
            parts.append("the file cannot be read, or not to its end")
        return "; ".join(parts)

    def _gone(self, before: FileCoverage, now: FileCoverage) -> list[str]:
        """The names of the tools of a file that are neither there any more, nor have come up elsewhere."""
        left = []
        for name in (Counter(before.tools) - Counter(now.tools)).elements():
            if self._found_elsewhere[name] > 0:
                self._found_elsewhere[name] -= 1
            else:
                left.append(name)
        return left

    def _why(self, path: str) -> str:
        """Why nothing is checked of a file."""
        project = self._project
        if not os.path.lexists(path):
            others = self._skipped_names.get(os.path.basename(path), ())
            if len(others) != 1:
                return "no such file"
            folder = _shown_path(os.path.dirname(others[0]))
            return f"no such file, and the one of that name in {folder} is skipped ({self._skipped[others[0]]})"
        for around in with_parents(path):
            reason = self._skipped.get(around)
            if reason is not None:
                return f"skipped ({reason})"
        relative = relative_to(path, project.settings.root)
        glob = next(
            (glob for glob in project.settings.exclude if relative is not None and covers(glob, relative)), None
        )
        if glob is not None:
            return f"excluded by `{glob}`"
        if not self._given.holds(path):
            return "outside of what was to be checked"
        return "ignored by git, or in a folder that is left out"

    def _surfaces(self) -> Iterator[Loss]:
        opened = {self._displayed[path] for path, before, now in self._pairs() if now.opened(before)}
        for surface in self._coverage.open_surfaces:
            files = [path for path in surface.files if path in opened]
            if files:
                opened.difference_update(files)
                yield Loss(
                    f"the surface `{surface.name}` is open now, so unknown names are not reported in "
                    f"{_shown(files)}: {surface.reason}",
                    tuple(files),
                )
        for path in sorted(opened):
            yield Loss(f"{path}: its surface is open now, so unknown names are not reported there", (path,))

    def _ignored(self) -> Iterator[Loss]:
        hidden: dict[str, list[str]] = {}
        for path, before, now in self._pairs():
            for code in now.ignored:
                if not any(names_code(known, code) for known in before.ignored):
                    hidden.setdefault(code, []).append(self._displayed[path])
        for code, files in sorted(hidden.items()):
            yield Loss(f"per-file-ignores hides what `{code}` finds now in {_shown(files)}", tuple(files))

    def _targets(self) -> Iterator[Loss]:
        for target in sorted(self._before.targets.difference(self._coverage.targets)):
            yield Loss(f"nothing is checked for the {target} any more")

    def _rules(self) -> Iterator[Loss]:
        asked, coverage = sorted(self._before.rules), self._coverage
        removed = [code for code in asked if code not in RULES]
        disabled = [code for code in asked if code in RULES and code not in coverage.rules]
        silent = [code for code in asked if code in coverage.rules and not coverage.number(code)]
        for codes, *are in (
            (disabled, "is disabled now", "are disabled now"),
            (silent, "has nothing to look at now", "have nothing to look at now"),
            (removed, "is unknown to this version", "are unknown to this version"),
        ):
            if codes:
                shown = named(by_family(codes, asked))
                yield Loss(f"{count(len(codes), 'rule')} {are[len(codes) > 1]}: {shown}")

    def _is_more(self) -> bool:
        """Whether anything is checked that the baseline does not have, or has elsewhere."""
        known = self._before
        if any(path not in known.files for path in self._now) or set(self._coverage.targets) - known.targets:
            return True
        if any(code not in known.rules and self._coverage.number(code) for code in self._coverage.rules):
            return True
        return any(
            Counter(now.tools) - Counter(before.tools)
            or any(number > before.figures.get(key, 0) for key, number in now.figures.items() if not key.endswith(OPEN))
            or any(now.closed(key) > before.closed(key) for key in CLOSED)
            for _, before, now in self._pairs()
        )


def _shown_path(path: str) -> str:
    """An absolute path as people know it: from the working directory."""
    return _relative(path, os.getcwd())


def _shown(paths: Sequence[str]) -> str:
    """The displayed paths of files in a sentence, the first ones of many."""
    if len(paths) == 1:
        return paths[0]
    return f"{len(paths)} files ({', '.join(paths[:_MOST_PATHS])}{', ...' if len(paths) > _MOST_PATHS else ''})"


def _moves(
    gone: Mapping[str, FileCoverage], new: Mapping[str, FileCoverage], before: Mapping[str, FileCoverage]
) -> dict[str, str]:
    """Where files that are gone are now: at the path of a new file with the same tools, or else with the same end.

    The end of a path is its name and that of its folder; the name alone if it is that of no other file.
    """
    moves: dict[str, str] = {}
    free = dict(new)

    def match(keys: Mapping[str, Any], new_keys: Mapping[str, Any]) -> None:
        by_key: dict[Any, list[str]] = {}
        for path in sorted(free, reverse=True):
            if new_keys.get(path):
                by_key.setdefault(new_keys[path], []).append(path)
        for path in sorted(gone):
            if path not in moves and keys.get(path) and by_key.get(keys[path]):
                moves[path] = by_key[keys[path]].pop()
                del free[moves[path]]

    def with_tools(files: Mapping[str, FileCoverage]) -> dict[str, Any]:
        return {path: (os.path.basename(path), file.tools) for path, file in files.items() if file.tools}

    def ends(files: Mapping[str, FileCoverage]) -> dict[str, Any]:
        return {path: tuple(path.split(os.sep)[-2:]) for path in files}

    match(with_tools(gone), with_tools(new))
    match({path: file.tools for path, file in gone.items()}, {path: file.tools for path, file in new.items()})
    match(ends(gone), ends(new))
    names = Counter(map(os.path.basename, before))
    new_names = Counter(map(os.path.basename, new))
    match(
        {path: name for path in gone if names[name := os.path.basename(path)] == 1},
        {path: name for path in new if new_names[name := os.path.basename(path)] == 1 and names[name] == 1},
    )
    return moves
