"""One surface on the page: its matrix, its findings, every tool in detail, its policies and its texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from toolsurface_lint.reporters.page.findings import Entry, Findings, brief, counts, total, worst
from toolsurface_lint.reporters.page.markup import Child, Markup, code, element, joined, prose
from toolsurface_lint.reporters.page.words import (
    OUTCOMES,
    absent,
    count,
    excerpt_line,
    outcome_badge,
    outcome_word,
    place,
    severity_badge,
    severity_rank,
)

_ORDER = (None, "approved", *OUTCOMES)
_STANCES = {"denial": "said to be missing", "prohibition": "forbidden", "aside": "in passing"}
_ACTIONS = {"approve": "allow"}


class _Row(NamedTuple):
    """A tool with its anchor on the page and the findings about it."""

    anchor: str
    tool: dict[str, Any]
    found: list[Entry]

    @property
    def worst(self) -> str | None:
        return worst(self.found)


class SurfacePart:
    """The section of one surface. `anchor` is its id on the page; `taken` are its findings."""

    def __init__(self, surface: dict[str, Any], anchor: str, findings: Findings) -> None:
        self.surface = surface
        self.anchor = anchor
        scope = surface["scope"]
        name = surface["name"]
        if scope not in (None, "workflow"):
            name = name.removesuffix(f": {scope}")
        self.taken = findings.take(name, scope)
        self._findings = findings
        self._rows = _rows(surface["tools"], self.taken, anchor)

    def section(self) -> Markup:
        surface = self.surface
        return element(
            "section",
            element(
                "h2",
                code(surface["name"]),
                element("span", "open", class_="tag") if surface["open"] else None,
                id=self.anchor,
            ),
            _facts(surface),
            self._reasons(),
            self._matrix() if self._rows else None,
            self._listed_findings(),
            self._details() if self._rows else None,
            self._policies(),
            self._texts(),
            self._undeclared(),
            class_="surface",
            aria_labelledby=self.anchor,
        )

    def _heading(self, title: str, part: str, number: int | None = None) -> Markup:
        shown = None if number is None else element("span", f"{number:,}", class_="number")
        return element("h3", title, " " if shown else None, shown, id=f"{self.anchor}-{part}")

    def _reasons(self) -> Child:
        reasons = self.surface["open_reasons"]
        if not reasons:
            return None
        return element(
            "div",
            element("p", "Open: there may be tools that are not seen here, so nothing is said to be missing."),
            element("ul", (element("li", reason) for reason in reasons), class_="plain"),
            class_="note",
        )

    def _matrix(self) -> Markup:
        columns = [column for column in _COLUMNS if column.always or any(map(column.filled, self._rows))]
        head = (
            element("th", column.title, scope="col", class_=column.style, data_sort=column.key) for column in columns
        )
        body = (
            element(
                "tr",
                (self._cell(column, row) for column in columns),
                data_tool=row.anchor,
                data_outcome=row.tool["outcome"] or "none",
                data_severity=row.worst or "none",
            )
            for row in self._rows
        )
        foot = (
            element("th", column.total(self._rows), scope="row")
            if column is _COLUMNS[0]
            else element("td", column.total(self._rows), class_=column.style, data_label=column.title)
            for column in columns
        )
        return joined(
            self._heading("Tools", "tools", len(self._rows)),
            element(
                "table",
                element("caption", f"Tools of {self.surface['name']}", class_="unseen"),
                element("thead", element("tr", head)),
                element("tbody", body),
                element("tfoot", element("tr", foot)),
                class_="matrix",
            ),
        )

    def _cell(self, column: _Column, row: _Row) -> Markup:
        value = column.value(row)
        if column is _COLUMNS[0]:
            return element("th", column.shown(row), scope="row", data_value=value)
        return element("td", column.shown(row), class_=column.style, data_label=column.title, data_value=value)

    def _listed_findings(self) -> Child:
        if not self.taken:
            return None
        return joined(self._heading("Findings", "findings", total(self.taken)), self._findings.listed(self.taken))

    def _details(self) -> Markup:
        return joined(
            self._heading("Tools in detail", "details"),
            element("div", map(_details, self._rows), class_="details"),
        )

    def _policies(self) -> Child:
        policies = self.surface["policies"]
        if not policies:
            return None
        return joined(self._heading("Policies", "policies", len(policies)), map(_policy, policies))

    def _texts(self) -> Child:
        surface = self.surface
        named = Counter(item["path"] for tool in _by_name(surface["tools"]) for item in tool["references"])
        prompts = [(item["path"], "prompt", _lines(named[item["path"]])) for item in surface["prompts"]]
        prompts += [(item["path"], "template", _lines(named[item["path"]])) for item in surface["templates"]]
        prompts += [(item["path"], "transcript", _conversations(item)) for item in surface["transcripts"]]
        if not prompts:
            return None
        return joined(
            self._heading("Prompts, templates and transcripts", "texts", len(prompts)),
            element(
                "table",
                element("caption", f"Texts of {surface['name']}", class_="unseen"),
                element(
                    "thead", element("tr", (element("th", title, scope="col") for title in ("File", "Kind", "Holds")))
                ),
                element(
                    "tbody",
                    (
                        element(
                            "tr",
                            element("th", code(path), scope="row"),
                            element("td", kind, data_label="Kind"),
                            element("td", holds, data_label="Holds"),
                        )
                        for path, kind, holds in prompts
                    ),
                ),
                class_="list",
            ),
        )

    def _undeclared(self) -> Child:
        references = [item for item in self.surface["references"] if not item["declared"]]
        if not references:
            return None
        return element(
            "details",
            element(
                "summary",
                element("span", "Called in prompts, declared by no tool", class_="name"),
                element("span", f"{len(references):,}", class_="number"),
            ),
            element("div", _lines_of(references), class_="body"),
            class_="aside",
        )


def _rows(tools: Sequence[dict[str, Any]], taken: Iterable[Entry], anchor: str) -> list[_Row]:
    rows = [_Row(f"{anchor}-tool-{number}", tool, []) for number, tool in enumerate(tools, 1)]
    by_name: dict[str, list[_Row]] = {}
    for row in rows:
        by_name.setdefault(row.tool["name"], []).append(row)
    for entry in taken:
        found = entry.first
        named = by_name.get(found.tool or "", [])
        # Lists of several servers may share a name: then the file of the finding tells which tool it is about.
        paths = {
            location.path for location in (found.location, *(other.location for other in found.related)) if location
        }
        here = [row for row in named if row.tool["path"] in paths] if len(named) > 1 else named
        for row in here or named:
            row.found.append(entry)
    return rows


def _by_name(tools: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """One tool of each name, as what texts say is about the name."""
    return list({tool["name"]: tool for tool in tools}.values())


# --- the matrix ---------------------------------------------------------------------------------------------------


class _Column(NamedTuple):
    """A column of the matrix: what a cell shows, what it is sorted by, and what the last row says of all tools."""

    key: str
    title: str
    shown: Callable[[_Row], Child]
    value: Callable[[_Row], str | int]
    total: Callable[[Sequence[_Row]], Child]
    filled: Callable[[_Row], bool] = lambda row: True
    always: bool = True
    style: str | None = None


def _name_cell(row: _Row) -> Child:
    tool = row.tool
    tags = ["deferred"] if tool["deferred"] else []
    tags += [] if tool["active"] else ["not active"]
    return [
        element("a", code(tool["name"]), href=f"#{row.anchor}"),
        ([" ", element("span", tag, class_="tag")] for tag in tags),
    ]


def _decided_cell(key: str) -> Callable[[_Row], Child]:
    def shown(row: _Row) -> Child:
        decided = row.tool[key]
        if decided is None:
            return absent("no policy")
        by = [decision for decision in decided["decisions"] if decision["outcome"] == decided["outcome"]]
        why = next((decision["ceiling"] or decision["pattern"] for decision in by), None)
        return [outcome_badge(decided["outcome"]), [" ", code(why, class_="by")] if why else None]

    return shown


def _decided_value(key: str) -> Callable[[_Row], int]:
    return lambda row: _ORDER.index(row.tool[key] and row.tool[key]["outcome"])


def _decided_total(key: str) -> Callable[[Sequence[_Row]], Child]:
    def total(rows: Sequence[_Row]) -> Child:
        found = Counter(row.tool[key]["outcome"] for row in rows if row.tool[key])
        ranked = sorted(found, key=_ORDER.index)
        return (
            element("ul", (element("li", f"{found[one]:,} {outcome_word(one).text}") for one in ranked), class_="plain")
            if found
            else absent("no policy")
        )

    return total


def _calls(row: _Row) -> int:
    return row.tool["calls"]["calls"] if row.tool["calls"] else 0


def _failures(row: _Row) -> int:
    return row.tool["calls"]["failures"] if row.tool["calls"] else 0


def _called(calls: int, failures: int) -> str:
    return f"{count(calls, 'call')}, {failures:,} failed" if failures else count(calls, "call")


def _calls_cell(calls: int, failures: int) -> Child:
    return [count(calls, "call"), element("span", f"{failures:,} failed", class_="by") if failures else None]


def _total_calls(rows: Sequence[_Row]) -> Child:
    if not any(row.tool["calls"] for row in rows):
        return absent("no transcripts")
    tools = {row.tool["name"]: row for row in rows}.values()
    return _calls_cell(sum(map(_calls, tools)), sum(map(_failures, tools)))


def _total_references(rows: Sequence[_Row]) -> Child:
    return f"{sum(len(tool['references']) for tool in _by_name(row.tool for row in rows)):,}"


_COLUMNS = (
    _Column(
        "name",
        "Tool",
        _name_cell,
        lambda row: row.tool["name"],
        lambda rows: f"All {count(len(rows), 'tool')}" if len(rows) > 1 else "1 tool",
    ),
    _Column(
        "kind",
        "Kind",
        lambda row: row.tool["kind"] or absent("none given"),
        lambda row: row.tool["kind"] or "",
        lambda rows: None,
        lambda row: row.tool["kind"] is not None,
        always=False,
    ),
    _Column(
        "level",
        "Side effects",
        lambda row: row.tool["side_effect_level"] or absent("none given"),
        lambda row: row.tool["side_effect_level"] or "",
        lambda rows: None,
        lambda row: row.tool["side_effect_level"] is not None,
        always=False,
    ),
    _Column("policy", "Policy", _decided_cell("policy"), _decided_value("policy"), _decided_total("policy")),
    _Column("approval", "Approval", _decided_cell("approval"), _decided_value("approval"), _decided_total("approval")),
    _Column(
        "prompts",
        "Prompts",
        lambda row: f"{len(row.tool['references']):,}" if row.tool["references"] else absent("in no prompt"),
        lambda row: len(row.tool["references"]),
        _total_references,
        style="figure",
    ),
    _Column(
        "transcripts",
        "Transcripts",
        lambda row: _calls_cell(_calls(row), _failures(row)) if _calls(row) else absent("no calls"),
        _calls,
        _total_calls,
        style="figure",
    ),
    _Column(
        "tokens",
        "Tokens",
        lambda row: f"{row.tool['estimated_tokens']:,}",
        lambda row: row.tool["estimated_tokens"],
        lambda rows: f"{sum(row.tool['estimated_tokens'] for row in rows):,}",
        style="figure",
    ),
    _Column(
        "findings",
        "Findings",
        lambda row: counts(row.found) if row.found else absent("no findings"),
        lambda row: 1_000_000 * severity_rank(row.worst) + total(row.found),
        lambda rows: None,
    ),
)


# --- one tool -----------------------------------------------------------------------------------------------------


def _details(row: _Row) -> Markup:
    tool = row.tool
    parameters = ", ".join(one["name"] + ("" if one["required"] else "?") for one in tool["parameters"])
    return element(
        "details",
        element(
            "summary",
            code(tool["name"], class_="name"),
            element("span", code(f"({parameters})"), class_="signature"),
            None if tool["outcome"] is None else outcome_badge(tool["outcome"]),
            None if row.worst is None else severity_badge(row.worst),
        ),
        # The anchor stands inside, so that a browser opens what it is asked to show.
        element(
            "div",
            element("p", prose(tool["description"]), class_="description") if tool["description"] else None,
            element("dl", list(_about(tool))),
            _part("Findings", brief(row.found)) if row.found else None,
            _part("Parameters", _parameters(tool)) if tool["parameters"] else None,
            _part("Named in prompts", _lines_of(tool["references"])) if tool["references"] else None,
            class_="body",
            id=row.anchor,
        ),
        data_tool=row.anchor,
    )


def _part(title: str, content: Child) -> Markup:
    return joined(element("h4", title), content)


def _about(tool: dict[str, Any]) -> Iterable[Markup]:
    yield _term("Declared", [place(tool) or "in data", f", {tool['format']}"])
    state = ["deferred: loaded when it is searched for"] if tool["deferred"] else []
    state += ["active" if tool["active"] else "not active"]
    yield _term("State", ", ".join(reversed(state)))
    if tool["kind"] is not None:
        yield _term("Kind", tool["kind"])
        yield _term("Side effects", tool["side_effect_level"] or "an unknown level")
    for key, title in (("policy", "Policy"), ("approval", "Approval")):
        decisions = [] if tool[key] is None else tool[key]["decisions"]
        yield _term(title, *map(_decision, decisions)) if decisions else _term(title, outcome_badge(None))
    if tool["results"] is not None:
        yield _term("Results", *_results(tool["results"]))
    if tool["calls"] is not None:
        yield _term("Transcripts", _called(tool["calls"]["calls"], tool["calls"]["failures"]))
    yield _term("Size", f"about {count(tool['estimated_tokens'], 'token')}")


def _term(title: str, *values: Child) -> Markup:
    return element("div", element("dt", title), (element("dd", value) for value in values))


def _decision(decision: dict[str, Any]) -> Child:
    return [
        outcome_badge(decision["outcome"]),
        element("span", list(_because(decision)), class_="because"),
        place(decision),
    ]


def _because(decision: dict[str, Any]) -> Iterable[Child]:
    field, pattern = decision["field"], decision["pattern"]
    if decision["outcome"] == "above_ceiling":
        yield "the ceiling is "
        yield code(decision["ceiling"])
        if pattern is not None:
            yield [", let in by ", code(pattern)]
    elif decision["outcome"] == "outside_policy":
        yield ["no pattern of ", code(field), " matches"]
    elif pattern is not None:
        yield ["by ", code(pattern), " in ", code(field)]
    elif field is None:
        yield "no entry names it"
    else:
        yield ["all tools, by ", code(field)] if field != "tools" else "the policy lists no tools, which allows all"


def _results(results: dict[str, Any]) -> Iterable[Child]:
    if results["inline"]:
        yield "complete in the result itself"
    elif results["emits_artifacts"]:
        yield "emits artifacts that another tool must read"
        if not any(reader["active"] for reader in results["readers"]):
            yield "no active tool reads them"
    for reader in results["readers"]:
        said = "reader" if reader["declared"] else "also able to read them"
        note = None if reader["active"] else element("span", "not active", class_="tag")
        yield [f"{said} ", code(reader["name"]), " ", note, " " if note else None, place(reader)]


def _parameters(tool: dict[str, Any]) -> Markup:
    return element(
        "table",
        element("caption", f"Parameters of {tool['name']}", class_="unseen"),
        element(
            "thead",
            element("tr", (element("th", title, scope="col") for title in ("Name", "Type", "Required", "Description"))),
        ),
        element(
            "tbody",
            (
                element(
                    "tr",
                    element("th", code(one["name"]), scope="row"),
                    element("td", code(one["type"]) if one["type"] else absent("no type"), data_label="Type"),
                    element("td", "yes" if one["required"] else "no", data_label="Required"),
                    element("td", prose(one["description"]) if one["description"] else None, data_label="Description"),
                )
                for one in tool["parameters"]
            ),
        ),
        class_="list parameters",
    )


def _lines_of(references: Sequence[dict[str, Any]]) -> Markup:
    """Lines of texts that name tools, each below its file."""
    files = []
    for path, items in groupby(references, lambda item: item["path"]):
        lines = [
            element(
                "li",
                element("span", f"{item['line']}:{item['column']}", class_="number"),
                excerpt_line(item["excerpt"]),
                element("span", _STANCES[stance], class_="tag")
                if (stance := item.get("stance", "use")) in _STANCES
                else None,
            )
            for item in items
        ]
        files.append(element("li", code(path or "", class_="place"), element("ul", lines, class_="lines")))
    return element("ul", files, class_="files")


# --- policies and texts -------------------------------------------------------------------------------------------


def _policy(policy: dict[str, Any]) -> Markup:
    ceiling = policy.get("ceiling")
    return element(
        "div",
        element("h4", code(policy["path"]), " ", element("span", policy["kind"], class_="tag")),
        element("p", "Ceiling of side effects ", code(ceiling["level"]), " ", place(ceiling)) if ceiling else None,
        _entries(policy) if policy["entries"] else element("p", "No entries that name tools.", class_="quiet"),
        class_="policy",
    )


def _entries(policy: dict[str, Any]) -> Markup:
    return element(
        "table",
        element("caption", f"Entries of {policy['path']}", class_="unseen"),
        element(
            "thead",
            element("tr", (element("th", title, scope="col") for title in ("Entry", "Says", "Tools", "Place"))),
        ),
        element(
            "tbody",
            (
                element(
                    "tr",
                    element("th", code(entry["pattern"]), scope="row"),
                    element("td", _says(entry), data_label="Says"),
                    element("td", _matched(entry["tools"]), data_label="Tools"),
                    element("td", place(entry), data_label="Place"),
                )
                for entry in policy["entries"]
            ),
        ),
        class_="list entries",
    )


def _says(entry: dict[str, Any]) -> Child:
    action = entry.get("action")
    if "argument" in entry:
        argument = code(entry["argument"]) if entry["argument"] else "the path"
        patterns = [[" " if index == 0 else " or ", code(one)] for index, one in enumerate(entry["argument_patterns"])]
        return [argument, " must be", patterns or " given"]
    return [code(entry["field"]), f": {_ACTIONS.get(action, action)}" if action else None]


def _matched(names: Sequence[str]) -> Child:
    if not names:
        return absent("no declared tool")
    shown = [[", " if index else None, code(name)] for index, name in enumerate(names[:5])]
    return [shown, f" and {len(names) - 5:,} more" if len(names) > 5 else None]


def _lines(number: int) -> str:
    return f"{count(number, 'mention')} of tools" if number else "no mention of tools"


def _conversations(item: dict[str, Any]) -> str:
    if item["conversations"] is None:
        return "not followed"
    named = [count(item["conversations"], "conversation"), count(item["turns"], "turn"), count(item["calls"], "call")]
    return ", ".join(named)


def _facts(surface: dict[str, Any]) -> Markup:
    tools = surface["tools"]
    active = sum(tool["active"] for tool in tools)
    facts = [
        ("Tools", f"{len(tools):,}" if active == len(tools) else f"{len(tools):,}, {active:,} active"),
        ("Estimated tokens", f"{sum(tool['estimated_tokens'] for tool in tools if tool['active']):,}"),
        *((title, f"{len(surface[key]):,}") for key, title in _NUMBERED if surface[key]),
    ]
    return element("dl", (_term(title, value) for title, value in facts), class_="facts")


_NUMBERED = (
    ("policies", "Policies"),
    ("prompts", "Prompts"),
    ("templates", "Templates"),
    ("transcripts", "Transcripts"),
)
