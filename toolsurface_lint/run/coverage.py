"""What a run checked: counted in what was read, and by the checks as they were asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from toolsurface_lint.checks.contract import CRASH, DATASET, DIRECTIVE, DOCUMENT, Indexed
from toolsurface_lint.checks.index import RULES
from toolsurface_lint.model.coverage import FIGURES, Coverage, FileCoverage, OpenSurface
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


class _Counted:
    """What the surfaces of a project say of its files."""

    def __init__(self, project: Project, report: Report) -> None:
        self._project = project
        self._prompts: dict[str, dict[_Key, bool]] = {}
        self._policies: dict[str, dict[_Key, bool]] = {}
        self._calls: dict[str, dict[str, int]] = {}
        self._closed: dict[str, bool] = {}
        for surface in project.scopes:
            for prompt in surface.prompts:
                _note(self._prompts, prompt.tree, prompt.path, surface.has_tools_for(prompt))
            policies = (*(policy.node for policy in surface.policies), *(policy.node for policy in surface.approvals))
            for node in policies:
                _note(self._policies, node.tree, node.path, bool(surface.tools))
            if surface.tools:
                for path in surface.files:
                    self._closed[path] = self._closed.get(path, True) and not surface.open
            for response in surface.responses:
                against = response.calls if surface.tools else 0
                self._count(response.origin, responses=1, calls=response.calls, calls_against_tools=against)
        for summary in report.transcripts:
            self._count(
                summary.path,
                conversations=summary.conversations,
                calls=summary.calls,
                calls_against_tools=summary.calls - summary.undeclared,
                results=summary.results,
            )

    def _count(self, path: str, **figures: int) -> None:
        """Take note of what a recording holds; what lies in several surfaces counts where the most of it was checked."""
        counted = self._calls.setdefault(path, {})
        for key, number in figures.items():
            counted[key] = max(counted.get(key, 0), number)

    def file(self, document: Document) -> FileCoverage:
        """What was checked of one file."""
        path = document.path
        lists = [*document.tool_lists, *(scope.tools for scope in document.scopes)]
        tools = {(id(tool.tree), tool.path): tool.name for tools in lists for tool in tools}
        prompts, policies = self._prompts.get(path, {}), self._policies.get(path, {})
        figures = {
            "tools": len(tools),
            "agents": len(document.agents),
            "prompts": len(prompts),
            "prompts_against_tools": sum(prompts.values()),
            "policies": len(policies),
            "policies_against_tools": sum(policies.values()),
            "permissions": len(document.permissions),
            "hooks": len(document.hooks),
            "client_files": int(document.client_file is not None),
            "manifests": len(document.manifests),
            "templates": len(document.templates),
            "chat_templates": len(document.chat_templates),
            "server_commands": len(document.launches),
            **self._calls.get(path, {}),
        }
        relative = self._project.relative(path)
        ignored = {
            code
            for ignore in self._project.settings.per_file_ignores
            if ignore.pointer is None and matches(ignore.path, relative)
            for code in ignore.codes
        }
        return FileCoverage(
            {key: figures[key] for key in FIGURES if figures.get(key)},
            tuple(sorted(tools.values())),
            self._closed.get(path),
            tuple(sorted(ignored)),
        )


def _note(found: dict[str, dict[_Key, bool]], tree: Tree, path: Path, met: bool) -> None:
    """Take note of something in a file, and whether it meets tools in any surface."""
    of_file = found.setdefault(tree.origin, {})
    key = id(tree), path
    of_file[key] = of_file.get(key, False) or met
