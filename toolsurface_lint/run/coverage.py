"""What a run checked: counted in what was read, and by the checks as they were asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from toolsurface_lint.checks.contract import CRASH, DATASET, DIRECTIVE, DOCUMENT, Indexed
from toolsurface_lint.checks.index import RULES
from toolsurface_lint.model.coverage import AGAINST, FIGURES, OPEN, Coverage, FileCoverage, OpenSurface
from toolsurface_lint.model.diagnostics import INTERNAL_ERROR, Report
from toolsurface_lint.model.document import Document
from toolsurface_lint.model.unseen import by_place
from toolsurface_lint.project.discovery.globs import matches
from toolsurface_lint.project.project import Project
from toolsurface_lint.project.settings.selection import of_changes
from toolsurface_lint.source.tree import Path, Tree

_IN_EVERY_FILE = {CRASH.name, DIRECTIVE.name}
"""What is a problem that was found: it is looked for in every file."""

_Key = tuple[int, Path]


def coverage_of(project: Project, report: Report, enabled: Callable[[Indexed], bool]) -> Coverage:
    """What the run that gave this report checked. All that it read is in `project`."""
    counted = _Counted(project, report)
    files = {
        document.path: counted.file(document)
        for document in project.documents
        if project.reports(project.absolute(document))
    }
    rules = {
        code: rule
        for code, rule in RULES.items()
        if code != INTERNAL_ERROR and DATASET.name not in rule.subjects and not of_changes(code)
    }
    reported = [*project.surfaces, *(workflow.scopes[0] for workflow in project.workflows)]
    return Coverage(
        dict(sorted(files.items())),
        tuple((skipped.path, skipped.reason) for skipped in report.skipped),
        report.asked,
        {code: _subjects(rule) for code, rule in rules.items() if enabled(rule)},
        tuple(code for code, rule in rules.items() if not enabled(rule)),
        tuple(sorted({target for path in files for target in _targets(project, path)})),
        len(reported),
        tuple(
            sorted(
                OpenSurface(surface.name, tuple(sorted(set(surface.files))), str(by_place(surface.open_reasons)[0]))
                for surface in reported
                if surface.open and surface.tools
            )
        ),
    )


def _subjects(rule: Indexed) -> tuple[str, ...]:
    subjects = (DOCUMENT.name if subject in _IN_EVERY_FILE else subject for subject in rule.subjects)
    return tuple(dict.fromkeys(subjects))


def _targets(project: Project, path: str) -> Iterable[str]:
    target = project.readings[project.full_path(path)].target
    yield from (f"provider {provider.key}" for provider in target.providers)
    for what, name in (("model", target.model), ("protocol", target.protocol)):
        if name:
            yield f"{what} {name}"


class _Met(NamedTuple):
    """Whether something meets tools in a surface, and whether there is no reason to think that this has others."""

    tools: bool
    closed: bool


class _Counted:
    """What the surfaces of a project say of its files."""

    def __init__(self, project: Project, report: Report) -> None:
        self._project = project
        self._names: dict[str, dict[_Key, str]] = {}
        self._met: dict[str, dict[str, dict[_Key, _Met]]] = {}
        self._recorded: dict[str, dict[str, int]] = {}
        calls = {summary.path: summary.calls for summary in report.transcripts}
        undeclared = dict(calls)
        for summary in report.transcripts:
            undeclared[summary.path] = min(undeclared[summary.path], summary.undeclared)
        for surface in project.scopes:
            has_tools = bool(surface.tools)
            # Conversations may bring tools of their own, and clients have some.
            met = _Met(has_tools, not (has_tools and surface.open))
            for tool in surface.tools:
                self._note("tools", tool.tree, tool.path, met)
                self._names.setdefault(tool.tree.origin, {})[id(tool.tree), tool.path] = tool.name
            for prompt in surface.prompts:
                self._note("prompts", prompt.tree, prompt.path, met._replace(tools=surface.has_tools_for(prompt)))
            for node in (*(each.node for each in surface.policies), *(each.node for each in surface.approvals)):
                self._note("policies", node.tree, node.path, met)
            for response in surface.responses:
                self._count(response.origin, "responses", 1)
                self._count_calls(response.origin, response.calls, response.calls if has_tools else 0, met)
            for path in {transcript.path for transcript in surface.transcripts}:
                if path in calls:
                    self._count_calls(path, calls[path], calls[path] - undeclared[path], met)
        for summary in report.transcripts:
            self._count(summary.path, "conversations", summary.conversations)
            self._count(summary.path, "results", summary.results)

    def _note(self, kind: str, tree: Tree, path: Path, met: _Met) -> None:
        """Take note of something in a file, and of what it meets in one more surface."""
        of_file = self._met.setdefault(tree.origin, {}).setdefault(kind, {})
        key = id(tree), path
        before = of_file.get(key, _Met(False, False))
        of_file[key] = _Met(before.tools or met.tools, before.closed or (met.tools and met.closed))

    def _count(self, path: str, key: str, number: int) -> None:
        """Take note of what a recording holds; what lies in several surfaces counts where the most of it was checked."""
        counted = self._recorded.setdefault(path, {})
        counted[key] = max(counted.get(key, 0), number)

    def _count_calls(self, path: str, calls: int, against: int, met: _Met) -> None:
        self._count(path, "calls", calls)
        self._count(path, f"calls{AGAINST}", against)
        self._count(path, "calls in closed surfaces", against if met.closed else 0)

    def file(self, document: Document) -> FileCoverage:
        """What was checked of one file."""
        path = document.path
        names = self._names.get(path, {})
        for scope in document.scopes:
            names |= {(id(tool.tree), tool.path): tool.name for tool in scope.tools}
        for tools in document.tool_lists:
            names |= {(id(tool.tree), tool.path): tool.name for tool in tools}
        met, recorded = self._met.get(path, {}), self._recorded.get(path, {})
        figures = {
            **recorded,
            "tools": len(names),
            "agents": sum(not agent.serves for agent in document.agents),
            "permissions": len(document.permissions),
            "hooks": len(document.hooks),
            "client_files": int(document.client_file is not None),
            "manifests": len(document.manifests),
            "templates": len(document.templates),
            "chat_templates": len(document.chat_templates),
            "server_commands": len(document.launches),
        }
        for key in ("prompts", "policies"):
            figures[key] = len(met.get(key, ()))
            figures[f"{key}{AGAINST}"] = sum(each.tools for each in met.get(key, {}).values())
        for key in ("tools", "prompts", "policies"):
            figures[f"{key}{OPEN}"] = sum(each.tools and not each.closed for each in met.get(key, {}).values())
        if f"calls{AGAINST}" in recorded:
            figures[f"calls{OPEN}"] = recorded[f"calls{AGAINST}"] - recorded["calls in closed surfaces"]
        relative = self._project.relative(path)
        ignored = {
            code
            for ignore in self._project.settings.per_file_ignores
            if ignore.pointer is None and matches(ignore.path, relative)
            for code in ignore.codes
        }
        return FileCoverage(
            {key: figures[key] for key in FIGURES if figures.get(key)},
            tuple(sorted(names.values())),
            tuple(sorted(ignored)),
        )
