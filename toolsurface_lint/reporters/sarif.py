"""SARIF 2.1.0, as GitHub code scanning and other consumers read it.

Contract: the OASIS standard, and "SARIF support for code scanning" of GitHub's documentation, which refuses or drops
much that the standard allows. Two runs over the same files give the same bytes: no times, no identifiers made up.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cache, partial
from typing import Any
from urllib.parse import quote

import attr
import sarif_om as om

from toolsurface_lint import __version__
from toolsurface_lint.checks import pages as rule_pages
from toolsurface_lint.model.diagnostics import (
    ERROR,
    INFO,
    INLINE,
    INTERNAL_ERROR,
    SEVERITIES,
    WARNING,
    AppliedFix,
    Diagnostic,
    Location,
    Report,
    Rule,
    Suppressed,
)
from toolsurface_lint.reporters import HOME, RenderOptions
from toolsurface_lint.reporters.characters import visible
from toolsurface_lint.reporters.fingerprints import Fingerprints, line_hashes
from toolsurface_lint.reporters.json import dump
from toolsurface_lint.reporters.paths import any_path, from_root
from toolsurface_lint.source.text import Position

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

_LEVELS = {ERROR: "error", WARNING: "warning", INFO: "note"}

_PROBLEM_SEVERITIES = {ERROR: "error", WARNING: "warning", INFO: "recommendation"}
# GitHub's scores for security findings: high, medium, low.
_SECURITY_SEVERITIES = {ERROR: "8.0", WARNING: "5.0", INFO: "3.0"}

# GitHub refuses a whole file over these limits, and cuts descriptions.
MAX_RESULTS = 25_000
_MAX_RELATED = 1_000
_MAX_TAGS = 20
_MAX_DESCRIPTION = 1_024

# Links in the text of a result; more of them would bury the message.
_MAX_LINKS = 3

# Down to here each member has its own line: every rule and every field of a result.
_DEPTH = 6

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


def render(report: Report, options: RenderOptions) -> str:
    """The report as one run. Above GitHub's limit the most severe results are kept, and standard error says so."""
    log = _plain(om.SarifLog(runs=[_Run(report, options).build()], version="2.1.0", schema_uri=SCHEMA))
    return dump({name: log[name] for name in ("$schema", "version", "runs")}, _DEPTH) + "\n"


class _Run:
    """The parts of one run, which share the rules' indexes, the URIs and the text of the files."""

    def __init__(self, report: Report, options: RenderOptions) -> None:
        self.report = report
        self.options = options
        self.suppressed = report.suppressed if options.sarif_suppressed else ()
        self.shown = (*report.diagnostics, *(hidden.diagnostic for hidden in self.suppressed))
        rules = {one.code: Rule(one.code, one.severity, one.code, "", "") for one in self.shown}
        rules.update((rule.code, rule) for rule in report.rules)
        self.rules = dict(sorted(rules.items()))
        self.indexes = {code: index for index, code in enumerate(self.rules)}
        self.known_as = cache(partial(from_root, root=options.root))
        self.astral = cache(self.find_astral)
        self.fingerprints = Fingerprints(report)
        self.hashes = self.line_hashes()

    def build(self) -> Any:
        kept = self.kept()
        results = [self.result(diagnostic) for diagnostic in kept]
        results += [self.result(each.diagnostic, each) for each in self.suppressed[: MAX_RESULTS - len(kept)]]
        # What left something unchecked.
        failures = [
            one
            for one in kept
            if one.code == INTERNAL_ERROR or (one.code.startswith("INPUT_") and one.severity == ERROR)
        ]
        failed = {code: index for index, code in enumerate(sorted({diagnostic.code for diagnostic in failures}))}
        notifications = [self.notification(diagnostic, failed[diagnostic.code]) for diagnostic in failures]
        category = self.options.sarif_category
        return om.Run(
            tool=om.Tool(
                driver=om.ToolComponent(
                    name="toolsurface-lint",
                    version=__version__,
                    semantic_version=__version__,
                    information_uri=HOME,
                    rules=[_descriptor(rule) for rule in self.rules.values()],
                    notifications=[_descriptor(self.rules[code]) for code in failed] or None,
                )
            ),
            # Never false: code scanning may then drop the results, and what failed is a result itself.
            invocations=[
                om.Invocation(execution_successful=True, tool_execution_notifications=notifications or None),
            ],
            # Only when it is asked for: the upload action sets its own category if there is none. Without the
            # slash GitHub takes the whole text for the name of one run.
            automation_details=om.RunAutomationDetails(id=category.rstrip("/") + "/") if category else None,
            column_kind="utf16CodeUnits",
            newline_sequences=["\r\n", "\n", "\r"],
            results=results,
            properties={
                "summary": dict(self.report.summary),
                "skipped": [
                    skipped._replace(path=visible(skipped.path), reason=visible(skipped.reason)).to_dict()
                    for skipped in self.report.skipped
                ],
                **_shown(self.report.unchecked()),
            },
        )

    def kept(self) -> tuple[Diagnostic, ...]:
        """The diagnostics that become results, in the order of the report."""
        diagnostics = self.report.diagnostics
        if len(diagnostics) <= MAX_RESULTS:
            return diagnostics
        ranked = sorted(range(len(diagnostics)), key=lambda index: SEVERITIES.index(diagnostics[index].severity))
        return tuple(diagnostics[index] for index in sorted(ranked[:MAX_RESULTS]))

    def line_hashes(self) -> dict[tuple[str, int], str]:
        """GitHub's hash for each path and line with a result.

        Files that could not be decoded are left out: their text is not what GitHub reads.
        """
        lines: dict[str, set[int]] = {}
        unreadable = set()
        for diagnostic in self.shown:
            if diagnostic.location:
                lines.setdefault(diagnostic.location.path, set()).add(diagnostic.location.range.start.line)
                if diagnostic.code == "INPUT_UNREADABLE":
                    unreadable.add(diagnostic.location.path)
        return {
            (path, line): value
            for path, wanted in lines.items()
            if path in self.report.sources and path not in unreadable
            for line, value in line_hashes(self.report.sources[path].text, wanted).items()
        }

    def result(self, diagnostic: Diagnostic, suppressed: Suppressed | None = None) -> Any:
        related = diagnostic.related[:_MAX_RELATED]
        path = diagnostic.location.path if diagnostic.location else any_path(self.report, diagnostic)
        fingerprints = {"toolsurfaceLint/v2": self.fingerprints.next(diagnostic, self.known_as(path) if path else "")}
        if diagnostic.location:
            value = self.hashes.get((diagnostic.location.path, diagnostic.location.range.start.line))
            if value is not None:
                fingerprints = {"primaryLocationLineHash": value, **fingerprints}
        details = {"tool": diagnostic.tool, "field": diagnostic.field, "surface": diagnostic.surface}
        # A plain object: sarif-om calls the field `state`, as a draft of the standard did.
        suppression = {}
        if suppressed:
            suppression = {"kind": "inSource" if suppressed.by == INLINE else "external", "status": "accepted"}
            if suppressed.reason:
                suppression["justification"] = visible(suppressed.reason)
        return om.Result(
            rule_id=diagnostic.code,
            rule_index=self.indexes[diagnostic.code],
            level=_LEVELS[diagnostic.severity],
            message=om.Message(text=_text(diagnostic)),
            locations=[self.location(diagnostic.location, path)],
            related_locations=[
                self.location(note.location, note.location.path, id=number, message=_sentence(note.message))
                for number, note in enumerate(related, 1)
            ]
            or None,
            partial_fingerprints=fingerprints,
            fixes=[self.fix(diagnostic.fix)] if diagnostic.fix else None,
            suppressions=[suppression] if suppression else None,
            properties={name: visible(value) for name, value in details.items() if value is not None} or None,
        )

    def location(self, location: Location | None, path: str | None, id: int = -1, message: str | None = None) -> Any:
        if path is None:
            return om.Location(logical_locations=[om.LogicalLocation(name="surface", kind="object")])
        region = (
            self.region(location) if location else om.Region(start_line=1, start_column=1, end_line=1, end_column=1)
        )
        return om.Location(
            id=id,
            message=om.Message(text=message) if message else None,
            physical_location=om.PhysicalLocation(artifact_location=self.artifact(path), region=region),
        )

    def artifact(self, path: str) -> Any:
        return om.ArtifactLocation(uri=quote(self.known_as(path).encode("utf-8", "surrogateescape"), safe="/"))

    def region(self, location: Location) -> Any:
        start, end = location.range
        return om.Region(
            start_line=start.line,
            start_column=self.column(location.path, location.span.start, start),
            end_line=end.line,
            end_column=self.column(location.path, location.span.end, end),
        )

    def column(self, path: str, offset: int, position: Position) -> int:
        """The column, in UTF-16 units, of a code-point offset whose line and code-point column are known."""
        astral = self.astral(path)
        line_start = offset - (position.column - 1)
        return position.column + bisect_left(astral, offset) - bisect_left(astral, line_start)

    def find_astral(self, path: str) -> list[int]:
        """The offsets of the characters of a file that take two UTF-16 units."""
        source = self.report.sources.get(path)
        text = source.text if source else ""
        return [] if text.isascii() else [match.start() for match in _ASTRAL.finditer(text)]

    def fix(self, fix: AppliedFix) -> Any:
        changes: dict[str, list[Any]] = {}
        for edit in fix.edits:
            changes.setdefault(edit.location.path, []).append(
                om.Replacement(
                    deleted_region=self.region(edit.location),
                    inserted_content=om.ArtifactContent(text=edit.text),
                )
            )
        return om.Fix(
            description=om.Message(text=_sentence(fix.title)),
            artifact_changes=[
                om.ArtifactChange(artifact_location=self.artifact(path), replacements=replacements)
                for path, replacements in changes.items()
            ],
            properties={"safe": fix.safe},
        )

    def notification(self, diagnostic: Diagnostic, index: int) -> Any:
        return om.Notification(
            message=om.Message(text=_sentence(diagnostic.message)),
            level="error",
            descriptor=om.ReportingDescriptorReference(id=diagnostic.code, index=index),
            locations=[self.location(diagnostic.location, diagnostic.location.path)] if diagnostic.location else None,
        )


def _shown(value: Any) -> Any:
    """Plain data with every text as it may be shown."""
    if isinstance(value, dict):
        return {key: _shown(member) for key, member in value.items() if member is not None}
    if isinstance(value, list):
        return [_shown(item) for item in value]
    return visible(value) if isinstance(value, str) else value


def _descriptor(rule: Rule) -> Any:
    page = rule_pages.page_of(rule)
    url = rule_pages.url_of(rule)
    prose = (rule_pages.first_paragraph(page) if page else "") or _sentence(rule.summary)
    # GitHub has two scales: one for rules about security, one for all others.
    if "security" in rule.tags:
        severity = {"security-severity": _SECURITY_SEVERITIES[rule.severity]}
    else:
        severity = {"problem.severity": _PROBLEM_SEVERITIES[rule.severity]}
    properties = {
        # A rule in preview is one that may be noisy.
        "precision": "medium" if rule.preview else "high",
        **severity,
        "tags": list(rule.tags[:_MAX_TAGS]),
    }
    return om.ReportingDescriptor(
        id=rule.code,
        name="".join(word.capitalize() for word in rule.code.split("_")),
        short_description=om.MultiformatMessageString(text=_cut(_sentence(rule.summary))),
        full_description=om.MultiformatMessageString(text=_cut(prose)),
        help=om.MultiformatMessageString(text=f"{prose}\n\n{url}" if url else prose, markdown=page),
        help_uri=url,
        default_configuration=om.ReportingConfiguration(level=_LEVELS[rule.severity]),
        properties=properties,
    )


def _text(diagnostic: Diagnostic) -> str:
    """The message, then the help, then links to the related places: code scanning shows nothing else of them."""
    sentences = [_sentence(diagnostic.message)]
    if diagnostic.help:
        sentences.append(_sentence(diagnostic.help[:1].upper() + diagnostic.help[1:]))
    links = [
        f"[{_link_text(note.message)}]({number})" for number, note in enumerate(diagnostic.related[:_MAX_LINKS], 1)
    ]
    if links:
        sentences.append(f"See {', '.join(links)}.")
    return " ".join(sentences)


def _sentence(text: str) -> str:
    """A sentence of plain text: with its full stop, and with nothing in it that a viewer takes for a link."""
    text = visible(text).replace("](", "] (")
    return text if text.endswith((".", "!", "?")) else text + "."


def _link_text(text: str) -> str:
    return re.sub(r"([\\\[\]])", r"\\\1", visible(text))


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_DESCRIPTION else text[: _MAX_DESCRIPTION - 3] + "..."


@cache
def _fields(kind: type[Any]) -> list[tuple[str, str, Any]]:
    """The fields of a class of sarif-om: the attribute, the name in SARIF, and the default that may be left out.

    A level is always written: SARIF takes a missing one from the rule, not from the default that sarif-om has.
    """
    found = []
    for field in attr.fields(kind):
        factory = getattr(field.default, "factory", None)
        default = None if field.name == "level" else factory() if factory else field.default
        found.append((field.name, field.metadata["schema_property_name"], default))
    return found


def _plain(value: Any) -> Any:
    """A tree of sarif-om objects as plain data.

    `attr.asdict` would give the names of Python and a null for every absent field, both against the schema.
    """
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if not attr.has(type(value)):
        return value
    members = ((name, getattr(value, attribute), default) for attribute, name, default in _fields(value.__class__))
    return {name: _plain(member) for name, member, default in members if member is not None and member != default}
