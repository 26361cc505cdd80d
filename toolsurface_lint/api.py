"""The public API: what the command does, and the Harn specification's calls on plain Python data."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

from toolsurface_lint.checks import HARN_CODES
from toolsurface_lint.model.diagnostics import Diagnostic, Finding, Report
from toolsurface_lint.model.policy import CapabilityPolicy
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.project.grouping import finish
from toolsurface_lint.project.project import Planned, Project, Reading, plan_readings, read
from toolsurface_lint.project.settings import KINDS
from toolsurface_lint.project.settings.loading import load_settings, override, require_choice
from toolsurface_lint.project.settings.selection import Selection
from toolsurface_lint.run.analysis import Analysis, Walk
from toolsurface_lint.run.parallel import usable
from toolsurface_lint.run.reporting import FollowedTranscripts, Resolver
from toolsurface_lint.source.tree import plain

if TYPE_CHECKING:
    from datetime import date

_BEYOND = ("POLICY_INVALID", "TOOL_ANNOTATION_INVALID")
_STRUCTURE = ("WORKFLOW_INVALID_GRAPH", "WORKFLOW_UNREACHABLE_NODE", "WORKFLOW_CEILING_EXCEEDED")


def tool_surface_validate(surface: Any, options: Any = None) -> Report:
    """The Harn specification's call: is this surface coherent?

    `surface` and `options` are mappings with any of `tools`, `native_tools`, `policy`, `approval_policy`, `system`,
    `prompt`, `prompts` and `tool_search`; for each key the surface is asked first. The report has the 14 specified codes in
    the specified order, then `POLICY_INVALID` and `TOOL_ANNOTATION_INVALID`; its diagnostics have no location. Directives in
    the texts hide lines, except those that name codes or a last day. Nothing is raised for data of a wrong shape, and no
    settings are read.
    """
    from toolsurface_lint.readers.surfaces import read_surface

    described = read_surface(plain(surface), None if options is None else plain(options), specified=True)
    return _report(_surface_findings(described), [described])


def workflow_validate(graph: Any, ceiling: Any = None) -> Report:
    """The same for a workflow graph: the surface of the whole, then of each node in the order of names, then the structure.

    `graph` is a mapping with `nodes`, `edges`, `entry` and policies; `ceiling` a capability policy that the policies of the
    graph must not exceed. Each diagnostic has a `scope`: `workflow` or `node ID`.
    """
    from toolsurface_lint.readers.documents.policy import read_policy
    from toolsurface_lint.readers.documents.workflow import read_workflow

    workflow = read_workflow(plain(graph))
    found: list[tuple[Finding, Surface]] = []
    for scope in workflow.scopes:
        scope.specified = True
        found.extend((finding, scope) for finding, _ in _surface_findings(scope))
    walk = Walk(lambda rule: rule.code in _STRUCTURE)
    limit = None if ceiling is None else read_policy(plain(ceiling))
    found.extend((finding, workflow.scopes[0]) for finding in walk.workflow(workflow, limit))
    if limit is not None:
        found.extend((finding, workflow.scopes[0]) for finding in _ceiling_findings(limit))
    return _report(found, workflow.scopes[:1])


def _surface_findings(surface: Surface) -> list[tuple[Finding, Surface]]:
    specified = Walk(lambda rule: rule.code in HARN_CODES)
    beyond = Walk(lambda rule: rule.code in _BEYOND)
    return [(finding, surface) for walk in (specified, beyond) for finding in walk.surface(surface)]


def _ceiling_findings(ceiling: CapabilityPolicy) -> Iterator[Finding]:
    """What is wrong with the ceiling itself: of the wrong shape, it would let everything pass."""
    holder = Surface("ceiling")
    holder.policies.append(ceiling)
    for finding in Walk(lambda rule: rule.code == "POLICY_INVALID").surface(holder):
        field = None if finding.field is None else "ceiling" + finding.field.removeprefix("policy")
        yield finding._replace(field=field, message=f"in the ceiling: {finding.message}")


def _report(found: Iterable[tuple[Finding, Surface]], surfaces: Sequence[Surface]) -> Report:
    from toolsurface_lint.model.diagnostics import SurfaceSummary

    resolver = Resolver()
    diagnostics: list[Diagnostic] = []
    for finding, surface in found:
        diagnostic = resolver.diagnostic(finding)
        diagnostics.append(diagnostic._replace(surface=surface.name, scope=surface.scope))
    valid = all(diagnostic.severity != "error" for diagnostic in diagnostics)
    summaries = tuple(
        SurfaceSummary(surface.name, valid, surface.open, tuple(tool.name for tool in surface.tools), ())
        for surface in surfaces
    )
    counts = {
        "surfaces": len(surfaces),
        "tools": sum(len(surface.tools) for surface in surfaces),
        "prompts": sum(len(surface.prompts) for surface in surfaces),
        "policies": sum(len(surface.policies) + len(surface.approvals) for surface in surfaces),
    }
    return Report(tuple(diagnostics), surfaces=summaries, counts=counts)


def check_paths(
    paths: Sequence[str],
    *,
    config: str | None = None,
    isolated: bool = False,
    kind: str | None = None,
    protocol: str | None = None,
    done_sentinel: str | None = None,
    final: bool = False,
    model: str | None = None,
    provider: str | Sequence[str] | None = None,
    tool_search: bool | None = None,
    select: Sequence[str] | None = None,
    extend_select: Sequence[str] | None = None,
    ignore: Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    stdin: bytes | None = None,
    stdin_filename: str | None = None,
    unsaved: Mapping[str, bytes] | None = None,
    progress: Callable[[int, int], None] | None = None,
    today: date | None = None,
    jobs: int = 1,
    coverage: bool = False,
) -> Report:
    """Check files and folders, as the command `toolsurface-lint check` does.

    `paths` is a sequence of paths: one path alone goes into a list. `kind`, `protocol`, `done_sentinel`, `final`, `model`,
    `provider`, `tool_search`, `select`, `extend_select`, `ignore` and `exclude` are the options of the command, `provider` and
    `exclude` with one name or glob, or several; without them, the settings decide.
    `config` is a settings file, `isolated` reads none. `stdin` is the content of one more file, treated as if it stood
    at `stdin_filename`; `unsaved` holds the contents of files, by absolute path, in place of those on disk. `progress`
    is called with how many of how many bytes have been read, while transcripts are. `today` decides which suppressions
    have expired, in place of the clock's day in UTC. `jobs` is the number of processes, 0 means one for each core.
    `coverage` asks for what was checked, in the report's `coverage`.
    Raises `SettingsError` for unusable settings and options, `PathMissing` for a path that does not exist, `TypeError`
    for `paths` that are one string, and `ValueError` for negative `jobs`; whatever is wrong inside the files is in the
    report.
    """
    return check_project(**locals(), whole=False)[1]


def check_project(
    paths: Sequence[str],
    *,
    whole: bool = True,
    select: Sequence[str] | None = None,
    extend_select: Sequence[str] | None = None,
    ignore: Sequence[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
    today: date | None = None,
    jobs: int = 1,
    coverage: bool = False,
    **options: Any,
) -> tuple[Project, Report]:
    """The same as `check_paths`, for those who need to know what was read, too.

    `options` are its other options, and `planned`, which is called with what will be read before anything is. Unless the
    project is needed `whole`, as `coverage` needs it, other processes may read parts of it, and only the report is complete.
    """
    jobs = usable(jobs)
    project, readings = _plan(paths, **options)
    selection = Selection(project.settings, select=select, extend_select=extend_select, ignore=ignore)
    analysis = Analysis(selection, today)
    project.visit = analysis.visit
    divided = None
    if jobs > 1 and not (whole or coverage):
        from toolsurface_lint.run.groups import check_groups, divide

        divided = divide(project, readings, jobs)
        report = None if divided is None else check_groups(project, readings, divided, analysis)
        if report is not None:
            return project, _with_other_languages(project, report)
    with ExitStack() as stack:
        if divided is None:
            analysis.jobs = jobs
            read(project, readings, after_data=partial(analysis.walk_ahead, project, stack))
        finish(project)
        transcripts = _follow(project, selection, progress, jobs)
        report = _with_other_languages(project, analysis.report(project, transcripts=transcripts))
    if coverage:
        from toolsurface_lint.run.coverage import coverage_of

        report.coverage = coverage_of(project, report, selection.enabled)
    return project, report


def compare_paths(
    old: str,
    new: str | None = None,
    *,
    config: str | None = None,
    isolated: bool = False,
    select: Sequence[str] | None = None,
    extend_select: Sequence[str] | None = None,
    ignore: Sequence[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
    today: date | None = None,
) -> Report:
    """What changed between two versions and whom it breaks, as the command `toolsurface-lint compare` reports it.

    `old` and `new` are files, folders or git revisions (`HEAD~1`, `HEAD~1:src`); without `new`, the working tree. The other
    arguments are those of `check_paths`. `compared` of the report says what was compared and what could not be. Raises
    `SettingsError`, and `PathMissing` for what is neither a path nor a commit that is there.
    """
    return compare_projects(**locals())[1]


def compare_projects(
    old: str,
    new: str | None = None,
    *,
    config: str | None = None,
    isolated: bool = False,
    select: Sequence[str] | None = None,
    extend_select: Sequence[str] | None = None,
    ignore: Sequence[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
    today: date | None = None,
    planned: Planned | None = None,
) -> tuple[Project, Report]:
    """The same as `compare_paths`, with the new version; `planned` as in `check_project`, for each version on disk."""
    from toolsurface_lint.project.versions import find_versions, read_versions
    from toolsurface_lint.run.comparing import compare_versions

    before, after = read_versions(find_versions(old, new), config, isolated, planned)
    options = {"select": select, "extend_select": extend_select, "ignore": ignore}
    selection = Selection(after.project.settings, **options, comparing=True)
    return after.project, compare_versions(before, after, selection, today=today, progress=progress)


def _with_other_languages(project: Project, report: Report) -> Report:
    """The report; of a folder without tools that are read, it says where there are others."""
    if project.walked and not report.summary["tools"]:
        from toolsurface_lint.model.unseen import by_place
        from toolsurface_lint.project.other_languages import tools_in_other_languages

        report.unread_tools = by_place((*report.unread_tools, *tools_in_other_languages(project)))
    return report


def _follow(
    project: Project, selection: Selection, progress: Callable[[int, int], None] | None, jobs: int
) -> FollowedTranscripts | None:
    """Check the transcripts of a project; without any, nothing that it takes is loaded."""
    if not any(document.transcripts for document in project.documents):
        return None
    from toolsurface_lint.run.transcripts import check_transcripts

    return check_transcripts(project, selection, progress, jobs)


def transcript_validate(messages: Sequence[Any]) -> dict[str, list[str]]:
    """Which results and calls of a conversation do not pair: `orphan_results` and `unanswered_calls`, both lists of ids.

    `messages` is a list in any of the formats of transcripts. A call or result without an id is listed by its tool's
    name. Calls of the last turn count too. Nothing is raised for data of a wrong shape.
    """
    from toolsurface_lint.model.transcript import ORPHAN, Pairing
    from toolsurface_lint.run.rows import Linter, read_row

    pairing = Pairing(strict=True)
    turns = read_row(Linter(select=["TRANSCRIPT"]), {"messages": messages}, exact=True).turns
    mismatches = [mismatch for turn in turns for mismatch in pairing.add(turn)]
    orphans = [mismatch.result for mismatch in mismatches if mismatch.kind == ORPHAN and mismatch.result is not None]
    return {
        "orphan_results": [result.id or result.name or "" for result in orphans],
        "unanswered_calls": [call.id or call.name for call in pairing.waiting()],
    }


def transcript_stats(transcript: Any) -> dict[str, int]:
    """The Harn specification's counts of a transcript: its messages by role, its calls, its visible events.

    `transcript` is a mapping with `messages` and `events`; anything else counts as empty. Messages of the roles `tool` and
    `tool_result` are results, those of user and assistant face the user (semantics 8.4 of Harn).
    """
    from collections import Counter

    transcript = transcript if isinstance(transcript, Mapping) else {}
    messages = [item for item in _listed(transcript.get("messages")) if isinstance(item, Mapping)]
    events = [item for item in _listed(transcript.get("events")) if isinstance(item, Mapping)]
    roles = Counter(role for message in messages if isinstance(role := message.get("role"), str))
    return {
        "message_count": len(messages),
        "user_facing_message_count": roles["user"] + roles["assistant"],
        "tool_result_message_count": roles["tool"] + roles["tool_result"],
        "tool_call_count": sum(len(_listed(message.get("tool_calls"))) for message in messages),
        "assistant_message_count": roles["assistant"],
        "user_message_count": roles["user"],
        "visible_event_count": sum(event.get("visibility") == "visible" for event in events),
    }


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def inspect_paths(paths: Sequence[str], *, jobs: int = 1, **options: Any) -> dict[str, Any]:
    """What was recognised in files and folders: the surfaces, as `surface --output json` writes them.

    Takes the options of `check_paths` that say what files are, and raises what it raises.
    """
    from toolsurface_lint.run.inspection import describe_surfaces

    jobs = usable(jobs)
    project, readings = _plan(paths, **options)
    read(project, readings)
    finish(project)
    followed = _follow(project, Selection(project.settings), None, jobs)
    return describe_surfaces(project, () if followed is None else followed.summaries)


def _plan(
    paths: Sequence[str],
    *,
    config: str | None = None,
    isolated: bool = False,
    kind: str | None = None,
    stdin: bytes | None = None,
    stdin_filename: str | None = None,
    unsaved: Mapping[str, bytes] | None = None,
    planned: Planned | None = None,
    **overrides: Any,
) -> tuple[Project, list[Reading]]:
    """A project with its settings, and how each of its files is to be read; `overrides` are settings."""
    if kind is not None:
        require_choice("kind", kind, KINDS)
    if isinstance(paths, str):
        raise TypeError(f"paths must be a sequence of paths, not the string {paths!r}")
    starts = paths if stdin_filename is None else [*paths, stdin_filename]
    project = Project(override(load_settings(starts, config, isolated, unsaved), **overrides))
    piped = None
    if stdin is not None:
        path = stdin_filename or "<stdin>"
        piped = os.path.abspath(path)
        paths, unsaved = [*paths, path], {**(unsaved or {}), piped: stdin}
    readings = plan_readings(project, paths, kind=kind, unsaved=unsaved, piped=piped)
    if planned is not None:
        planned(project, readings)
    return project, readings
