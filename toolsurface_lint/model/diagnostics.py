"""What checks yield and reporters print: rules, findings, diagnostics and fixes."""

# No `from __future__ import annotations`: `NamedTuple` compiles annotations that are strings, each of them at every start.

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from toolsurface_lint.model.names import suggestion
from toolsurface_lint.model.unseen import Unseen, ranked
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Range, SourceText, Span
from toolsurface_lint.source.tree import Place

if TYPE_CHECKING:
    from toolsurface_lint.model.coverage import Coverage, Loss

ERROR, WARNING, INFO = "error", "warning", "info"
SEVERITIES = (ERROR, WARNING, INFO)
"""Most severe first."""

SAFE, UNSAFE = "safe", "unsafe"

INTERNAL_ERROR = "INTERNAL_ERROR"
"""The code for a crash of the linter itself: always enabled and never hidden, as what went unchecked is unknown."""


class Rule(NamedTuple):
    """What one diagnostic code means. Python is the authority for these fields, the page in `rules/` for the prose.

    `message` is a format string, or one for each kind of problem that the rule reports; the finding's values fill its
    fields. Lower case, no full stop, names in backticks. `help` is an imperative, written the same way, for all kinds or
    for some; so is `title`, for the fix that a problem brings along. `since` is the version that the rule came with. `fix`
    is `safe`, `unsafe` or None: the least safe fix that the rule ever offers; `reveals` are the codes of findings that may
    appear once it is applied. A `preview` rule is off by default and enabled by its full code or by `ALL`, never by a
    prefix; `group` is the name by which several of them are enabled together, in lower case. `harn` is the place of the
    code in the order in which the Harn specification reports; 0 for a rule beyond it.
    A rule that is not built in has no page in `rules/`: its `page` is Markdown, and its `url` an address with more, empty if
    there is none.
    The methods make findings: they are for checks, and not part of the stable API.
    """

    code: str
    severity: str
    summary: str
    message: str | Mapping[str, str]
    since: str
    tags: tuple[str, ...] = ()
    fix: str | None = None
    help: str | Mapping[str, str] = ""
    reveals: tuple[str, ...] = ()
    preview: bool = False
    harn: int = 0
    title: str | Mapping[str, str] = ""
    group: str = ""
    page: str = ""
    url: str | None = None

    def at(
        self,
        place: Place,
        kind: str = "",
        /,
        *,
        tool: str | None = None,
        field: str | None = None,
        related: Iterable[tuple[str, Place]] = (),
        help: str | None = None,
        fix: "Fix | None" = None,
        **values: Any,
    ) -> "Finding":
        """A finding of this rule at a place; `kind` chooses the message, `values` fill its fields.

        `tool` and `field` are those of the Harn specification's reports, `related` pairs a message with a place, `help` says
        what to do, in place of the rule's own. A message about a `{name}` that is not given is about the tool's.
        """
        message = self.message if isinstance(self.message, str) else self.message[kind]
        if "{name}" in message:
            values.setdefault("name", tool)
        if help is None:
            help = _of_kind(self.help, kind).format(**values) or None
        named = ((name, values.get(name)) for name in _named(message))
        parameters = (kind, *(f"{name}={value}" for name, value in named if isinstance(value, str)))
        return Finding(self, place, message.format(**values), tool, field, tuple(related), help, fix, parameters)

    def of(
        self, problem: Problem[Any], place: Place | Callable[[Any], Place] | None = None, **options: Any
    ) -> "Finding":
        """The finding that reports a problem; `options` are those of `at`.

        `place` is what its `at` means, if that is not a place itself, or the function that finds out: then the finding has
        its related places and its edits too. What the author may have meant gives a help and a fix that are not given.
        """
        values = dict(problem.values)
        if isinstance(place, Place):
            at = place
        else:
            locate: Callable[[Any], Place] = place if place is not None else lambda at: at
            at = locate(problem.at)
            if problem.related:
                related = [(self.sentence(Problem(kind, at, values)), locate(at)) for kind, at in problem.related]
                options = {"related": related, **options}
            if problem.edits:
                edits = tuple(Edit(locate(at), text) for at, text in problem.edits)
                title = _of_kind(self.title, problem.kind).format(**values)
                options = {"fix": Fix(title, self.fix == SAFE, edits), **options}
        near: Any = values.pop("near", ())
        meant: Any = values.pop("meant", near[0] if len(near) == 1 else None)
        if near:
            options = {"help": suggestion(near), **options}
        if meant is not None:
            fix = renaming(at, at.reads() or "", (meant,)) if at.aspect == "key" else rewriting(at, meant)
            options = {"fix": fix, **options}
        return self.at(at, problem.kind, **{"field": problem.field, **options, **values})

    def sentence(self, problem: Problem[Any]) -> str:
        """What the rule says of a problem."""
        message = self.message if isinstance(self.message, str) else self.message[problem.kind]
        return message.format(**problem.values)


# A field between backticks, alone or with others.
_QUOTED = re.compile(r"`((?:[^`{}]*\{\w+\})+)[^`{}]*`")
_FIELD = re.compile(r"\{(\w+)\}")


@cache
def _named(message: str) -> list[str]:
    """The fields of a message that stand for names: those in backticks. What the others hold is wording, or a measurement."""
    return sorted({field for quoted in _QUOTED.findall(message) for field in _FIELD.findall(quoted)})


def _of_kind(texts: str | Mapping[str, str], kind: str) -> str:
    return texts if isinstance(texts, str) else texts.get(kind, "")


def selects(selector: str, code: str) -> bool:
    """Whether a code, or a prefix of codes, which ends at an underscore of theirs, means this code."""
    return selector == code or code.startswith(selector.rstrip("_") + "_")


class Edit(NamedTuple):
    """Let a place (a string, a range in one, or a key) read `text`; how that is written, its syntax decides."""

    place: Place
    text: str


class Fix(NamedTuple):
    """Edits that correct one finding; `safe` when they cannot change what the author meant."""

    title: str
    safe: bool
    edits: tuple[Edit, ...]


def renaming(place: Place, name: str, near: Sequence[str]) -> Fix | None:
    """The fix for a misspelled name: the one name that is close to it, in its place.

    Unsafe, as only the author knows what was meant. None if no name is close, if several are, if what the place reads
    is not the name alone, and if its object has a key of that name already, which would be lost.
    """
    if len(near) != 1 or place.source is None or place.reads() != name:
        return None
    if place.aspect == "key" and place.tree.at(place.path[:-1]).get(near[0]) is not None:
        return None
    return Fix(f"replace `{name}` with `{near[0]}`", False, (Edit(place, near[0]),))


def rewriting(place: Place, text: str) -> Fix | None:
    """The fix that makes a string, or a part of one, read another text: only the letters that differ are edited.

    Unsafe, for the same reason. None where there is no string, and where it reads so already.
    """
    old = place.reads()
    if old is None or old == text or place.source is None or place.aspect == "key":
        return None
    most = min(len(old), len(text))
    same = next((at for at in range(most) if old[at] != text[at]), most)
    tail = next((at for at in range(most - same) if old[-at - 1] != text[-at - 1]), most - same)
    edit = Edit(place.part(same, len(old) - tail), text[same : len(text) - tail])
    title = f"replace `{old}` with `{text}`" if text else f"remove `{old}`"
    return Fix(title, False, (edit,))


class Finding(NamedTuple):
    """What a check yields: a rule broken at a place. The engine makes a `Diagnostic` of it."""

    rule: Rule
    place: Place
    message: str
    tool: str | None = None
    field: str | None = None
    related: tuple[tuple[str, Place], ...] = ()
    help: str | None = None
    fix: Fix | None = None
    parameters: tuple[str, ...] = ()
    """What distinguishes two findings of a rule at one place, however they are worded: the kind, and the texts that the
    message puts into backticks, which are names. Numbers are measurements: they change while the finding stays the same."""


class Location(NamedTuple):
    """A place in a file, for people (`range`, from 1, in code points) and for programs (`span`, offsets from 0)."""

    path: str
    range: Range
    span: Span


class Related(NamedTuple):
    message: str
    location: Location


class TextEdit(NamedTuple):
    location: Location
    text: str


class AppliedFix(NamedTuple):
    """A fix whose places have been resolved."""

    title: str
    safe: bool
    edits: tuple[TextEdit, ...]


class Diagnostic(NamedTuple):
    """One reported finding. `severity` is after settings; `location` is None for plain data handed to the API.

    `scope` is `workflow` or `node ID` for diagnostics of a workflow graph, else None. `pointer` is the JSON pointer of
    its place in the value of its file, None for the whole value and for text. `parameters` are those of the finding, `url` is
    that of its rule.
    """

    code: str
    severity: str
    message: str
    location: Location | None
    related: tuple[Related, ...] = ()
    tool: str | None = None
    field: str | None = None
    surface: str | None = None
    scope: str | None = None
    help: str | None = None
    fix: AppliedFix | None = None
    pointer: str | None = None
    parameters: tuple[str, ...] = ()
    url: str | None = None


INLINE, SETTINGS, BASELINE = "inline", "settings", "baseline"


class Suppressed(NamedTuple):
    """A diagnostic that is not reported: `by` says what hides it, `reason` is what its author wrote there."""

    diagnostic: Diagnostic
    by: str
    reason: str | None = None


class StaleEntry(NamedTuple):
    """An entry of a baseline that no finding matches any more."""

    path: str
    code: str
    message: str


class Skipped(NamedTuple):
    """A file that was looked at and not checked; the line and the column, from 1, at which it stopped being readable."""

    path: str
    reason: str
    line: int | None = None
    column: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data, without a position where there is none."""
        return {key: value for key, value in self._asdict().items() if value is not None}


class SurfaceSummary(NamedTuple):
    """One surface of a report: the names of its tools and the paths of its documents, both in order."""

    name: str
    valid: bool
    open: bool
    tools: tuple[str, ...]
    files: tuple[str, ...]


class TranscriptSummary(NamedTuple):
    """What was counted in one file of transcripts.

    `clean` are the conversations without a finding, `duplicate_ids` the calls whose id another call without a result has
    too, `undeclared` the calls of tools that nobody declares, `findings` the number of findings by code (before ignores and
    suppressions), `tools` the calls of each tool and how many of them failed, `protocols` the messages whose text was read by
    each response protocol, `schemas` the conversations that are rows of a published dataset, by the name of its schema.
    """

    path: str
    conversations: int
    clean: int
    turns: int
    calls: int
    results: int
    duplicate_ids: int
    undeclared: int
    findings: dict[str, int]
    tools: dict[str, tuple[int, int]]
    protocols: dict[str, int]
    schemas: dict[str, int]


class Compared(NamedTuple):
    """What two versions were compared: how the user calls them, their numbers of tools, and what could not be compared."""

    old: str
    new: str
    old_tools: int
    new_tools: int
    undecided: tuple[Unseen, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        places = [{"reason": each.reason, "path": each.path, "line": each.line} for each in self.undecided]
        return {**self._asdict(), "undecided": places}


COUNTS = (
    "error",
    "warning",
    "info",
    "files",
    "surfaces",
    "tools",
    "prompts",
    "policies",
    "templates",
    "chat_templates",
    "server_commands",
    "transcripts",
    "turns",
    "calls",
    "open_surfaces",
    "prompts_without_tools",
    "policies_without_tools",
    "suppressed",
)
"""The keys of a report's summary, in the order in which they are written."""


class Report:
    """The outcome of one run.

    `diagnostics` are what is reported, by path, position and code; `surfaces` and `transcripts` what was counted in
    each, `skipped` the files that were not checked. `summary` counts by severity and by what was read. `sources` gives
    the text of a reported path, for reporters that show lines. `rules` are the rules that were enabled, in the order of
    their codes, collected on demand; `codes` are those, if
    known, `own_codes` the codes of all that are not built in. `suppressed` are the diagnostics that something hides.
    `fail_on` is the severity, or `never`, from which on the settings want the run to fail; `empty_folders` are the given
    folders in which nothing was recognised. `stale` are the entries of the baseline that nothing matches; None without a
    baseline. `compared` says what was compared; None unless two versions were. `broken` says of files what is wrong with
    them as files (path and problem), whether or not a rule that reports it is enabled. `protocols` says how many responses
    were read by each protocol, `asked` how many
    things of each subject of rules were looked at. `coverage` is what was checked, None unless that was asked for;
    `losses` are what is checked less than a coverage baseline says, None without one.

    What could not be checked: `open_reasons` says of the surfaces that have tools why they may have more, each surface with
    each kind of reason once; `without_tools` are the files whose prompts and policies were checked against no tools;
    `unread_tools` are places of code that looks like tools, in files of which no tool was read; `not_locked` is what
    could not be compared with a lock, of locked tools; `not_rendered` are the chat templates whose rendering was
    stopped, with the reason.
    """

    def __init__(
        self,
        diagnostics: tuple[Diagnostic, ...],
        *,
        surfaces: tuple[SurfaceSummary, ...] = (),
        skipped: tuple[Skipped, ...] = (),
        counts: dict[str, int] | None = None,
        rules: tuple[Rule, ...] | Callable[[], tuple[Rule, ...]] = (),
        codes: frozenset[str] | None = None,
        suppressed: tuple[Suppressed, ...] = (),
        sources: dict[str, SourceText] | None = None,
        fail_on: str = ERROR,
        empty_folders: tuple[str, ...] = (),
        open_reasons: tuple[Unseen, ...] = (),
        without_tools: tuple[str, ...] = (),
        unread_tools: tuple[Unseen, ...] = (),
        not_locked: tuple[Unseen, ...] = (),
        not_rendered: tuple[Unseen, ...] = (),
        transcripts: tuple[TranscriptSummary, ...] = (),
        broken: frozenset[tuple[str, str]] = frozenset(),
        protocols: dict[str, int] | None = None,
        asked: Mapping[str, int] | None = None,
        own_codes: frozenset[str] = frozenset(),
    ) -> None:
        self.diagnostics = diagnostics
        self.surfaces = surfaces
        self.skipped = skipped
        self._rules = rules
        self.codes = codes
        self.suppressed = suppressed
        self.fail_on = fail_on
        self.empty_folders = empty_folders
        self.open_reasons = open_reasons
        self.without_tools = without_tools
        self.unread_tools = unread_tools
        self.not_locked = not_locked
        self.not_rendered = not_rendered
        self.transcripts = transcripts
        self.broken = broken
        self.protocols = protocols or {}
        self.asked = asked or {}
        self.coverage: Coverage | None = None
        self.losses: tuple[Loss, ...] | None = None
        self.own_codes = own_codes
        self.stale: tuple[StaleEntry, ...] | None = None
        self.compared: Compared | None = None
        self.sources = sources or {}
        self.summary = dict.fromkeys(COUNTS, 0)
        self.summary.update(counts or {})
        self._count()

    def _count(self) -> None:
        self.summary.update(dict.fromkeys(SEVERITIES, 0))
        for diagnostic in self.diagnostics:
            self.summary[diagnostic.severity] += 1

    @property
    def internal_errors(self) -> bool:
        """Whether the linter itself crashed at something."""
        return any(diagnostic.code == INTERNAL_ERROR for diagnostic in self.diagnostics)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules that were enabled, by code; their modules are imported on first use."""
        if not isinstance(self._rules, tuple):
            self._rules = self._rules()
        return self._rules

    def behind_baseline(
        self, kept: tuple[Diagnostic, ...], hidden: tuple[Suppressed, ...], stale: tuple[StaleEntry, ...]
    ) -> "Report":
        """The same report with its diagnostics parted into those to report and those that a baseline hides."""
        invalid = {diagnostic.surface for diagnostic in kept if diagnostic.severity == ERROR}
        from copy import copy

        report = copy(self)
        report.diagnostics = kept
        report.surfaces = tuple(
            surface._replace(valid=surface.valid or surface.name not in invalid) for surface in self.surfaces
        )
        report.suppressed = self.suppressed + hidden
        report.stale = stale
        report.summary = {**self.summary, "suppressed": self.summary["suppressed"] + len(hidden)}
        report._count()
        return report

    @property
    def valid(self) -> bool:
        """Whether no diagnostic is an error, after settings, ignores and suppressions."""
        return not self.summary[ERROR]

    def to_dict(self) -> dict[str, Any]:
        """The report as the JSON output writes it (`version` 1); absent values are None."""
        report: dict[str, Any] = {
            "version": 1,
            "valid": self.valid,
            "summary": dict(self.summary),
            "skipped": [skipped.to_dict() for skipped in self.skipped],
            **({"protocols": self.protocols} if self.protocols else {}),
            **self.unchecked(),
            "surfaces": [
                {**surface._asdict(), "tools": list(surface.tools), "files": list(surface.files)}
                for surface in self.surfaces
            ],
            "diagnostics": [_diagnostic(diagnostic) for diagnostic in self.diagnostics],
        }
        if self.stale is not None:
            report["stale"] = [entry._asdict() for entry in self.stale]
        if self.losses is not None:
            report["losses"] = [loss.to_dict() for loss in self.losses]
        if self.compared is not None:
            report["compared"] = self.compared.to_dict()
        if self.transcripts:
            report["transcripts"] = [_transcript(summary) for summary in self.transcripts]
        return report

    def unchecked(self) -> dict[str, Any]:
        """What could not be checked, as plain data: `open_reasons`, `without_tools`, `unread_tools`.

        Also `not_locked` and `not_rendered`, if there is anything.
        """
        unchecked: dict[str, Any] = {
            "open_reasons": [
                {"reason": reason, "surfaces": number, "path": first.path, "line": first.line}
                for reason, number, first in ranked(self.open_reasons)
            ],
            "without_tools": list(self.without_tools),
            "unread_tools": [
                {"reason": unseen.reason, "path": unseen.path, "line": unseen.line} for unseen in self.unread_tools
            ],
        }
        for name, found in (("not_locked", self.not_locked), ("not_rendered", self.not_rendered)):
            if found:
                unchecked[name] = [
                    {"reason": unseen.reason, "path": unseen.path, "line": unseen.line} for unseen in found
                ]
        return unchecked


def _diagnostic(diagnostic: Diagnostic) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        **_location(diagnostic.location),
        "tool": diagnostic.tool,
        "field": diagnostic.field,
        "surface": diagnostic.surface,
        "related": [{"message": related.message, **_location(related.location)} for related in diagnostic.related],
        "fix": None,
    }
    if diagnostic.scope is not None:
        fields["scope"] = diagnostic.scope
    fix = diagnostic.fix
    if fix is not None:
        edits = [{**_location(edit.location), "text": edit.text} for edit in fix.edits]
        fields["fix"] = {"title": fix.title, "safe": fix.safe, "edits": edits}
    return fields


def _transcript(summary: TranscriptSummary) -> dict[str, Any]:
    tools = {name: {"calls": calls, "failures": failures} for name, (calls, failures) in summary.tools.items()}
    return {**summary._asdict(), "tools": tools}


def _location(location: Location | None) -> dict[str, Any]:
    if location is None:
        return {"path": None, "range": None}
    start, end = location.range
    return {"path": location.path, "range": {"start": start._asdict(), "end": end._asdict()}}
