"""One tool in detail: what it is declared as, what decides about it, and where it is named."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolsurface_lint.reporters.page.findings import Row, brief
from toolsurface_lint.reporters.page.markup import Child, Markup, code, element, joined, prose, table, term
from toolsurface_lint.reporters.page.texts import mentions
from toolsurface_lint.reporters.page.words import absent, count, outcome_badge, place, severity_badge


def details(row: Row) -> Markup:
    """All of a tool, folded up below its name."""
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
        # The anchor is inside, so that a browser opens what it is asked to show.
        element(
            "div",
            element("p", prose(tool["description"]), class_="description") if tool["description"] else None,
            element("dl", list(_about(tool))),
            _part("Findings", brief(row.found)) if row.found else None,
            _part("Parameters", _parameters(tool)) if tool["parameters"] else None,
            _part("Named in prompts", mentions(tool["references"])) if tool["references"] else None,
            class_="body",
            id=row.anchor,
        ),
        data_tool=row.anchor,
    )


def _part(title: str, content: Child) -> Markup:
    return joined(element("h4", title), content)


def _about(tool: dict[str, Any]) -> Iterable[Markup]:
    yield term("Declared", [place(tool) or "in data", f", {tool['format']}"])
    state = ["deferred: loaded when it is searched for"] if tool["deferred"] else []
    state += ["active" if tool["active"] else "not active"]
    yield term("State", ", ".join(reversed(state)))
    if tool["kind"] is not None:
        yield term("Kind", tool["kind"])
        yield term("Side effects", tool["side_effect_level"] or "an unknown level")
    for key, title in (("policy", "Policy"), ("approval", "Approval")):
        decisions = [] if tool[key] is None else tool[key]["decisions"]
        yield term(title, *map(_decision, decisions)) if decisions else term(title, outcome_badge(None))
    if tool["results"] is not None:
        yield term("Results", *_results(tool["results"]))
    if tool["calls"] is not None:
        yield term("Transcripts", _called(tool["calls"]["calls"], tool["calls"]["failures"]))
    yield term("Size", f"about {count(tool['estimated_tokens'], 'token')}")


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
    rows = (
        (
            code(one["name"]),
            code(one["type"]) if one["type"] else absent("no type"),
            "yes" if one["required"] else "no",
            prose(one["description"]) if one["description"] else None,
        )
        for one in tool["parameters"]
    )
    titles = ("Name", "Type", "Required", "Description")
    return table(f"Parameters of {tool['name']}", titles, rows, "list parameters")


def _called(calls: int, failures: int) -> str:
    return f"{count(calls, 'call')}, {failures:,} failed" if failures else count(calls, "call")
