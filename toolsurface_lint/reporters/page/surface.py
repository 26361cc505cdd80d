"""One surface on the page: its matrix, its findings, every tool in detail, its policies and its texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolsurface_lint.reporters.page.findings import Findings, tool_rows, total
from toolsurface_lint.reporters.page.markup import Child, Markup, code, element, table, term
from toolsurface_lint.reporters.page.matrix import matrix
from toolsurface_lint.reporters.page.texts import mentions, texts
from toolsurface_lint.reporters.page.tool import details
from toolsurface_lint.reporters.page.words import absent, place

_LISTED = ("policies", "prompts", "templates", "transcripts")
_ACTIONS = {"approve": "allow"}


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
        self._rows = tool_rows(surface["tools"], self.taken, anchor)

    def section(self) -> Markup:
        surface = self.surface
        name, policies, found = surface["name"], surface["policies"], texts(surface)
        holdings = table(f"Texts of {name}", ("File", "Kind", "Holds"), found)
        return element(
            "section",
            element(
                "h2",
                code(name),
                element("span", "open", class_="tag") if surface["open"] else None,
                id=self.anchor,
            ),
            _facts(surface),
            self._reasons(),
            self._part("Agents", "agents", len(surface["agents"]), _agents(surface)),
            _filtered(self._part("Tools", "tools", len(self._rows), matrix(name, self._rows))),
            _filtered(self._part("Findings", "findings", total(self.taken), self._findings.listed(self.taken))),
            _filtered(
                [
                    element("h3", "Tools in detail", id=f"{self.anchor}-details"),
                    element("div", map(details, self._rows), class_="details"),
                ]
                if self._rows
                else None
            ),
            self._part("Policies", "policies", len(policies), map(_policy, policies)),
            self._part("Prompts, templates and transcripts", "texts", len(found), holdings),
            self._undeclared(),
            class_="surface",
            aria_labelledby=self.anchor,
        )

    def _part(self, title: str, part: str, number: int, content: Child) -> Child:
        """A part below a heading that says how much it lists; nothing if that is nothing."""
        if not number:
            return None
        shown = element("span", f"{number:,}", class_="number")
        return [element("h3", title, " ", shown, id=f"{self.anchor}-{part}"), content]

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
            element("div", mentions(references), class_="body"),
            class_="aside",
        )


def _filtered(part: Child) -> Child:
    """A part that the script hides, with its heading, when its filter leaves nothing in it."""
    return None if part is None else element("div", part, class_="filtered")


def _facts(surface: dict[str, Any]) -> Markup:
    tools = surface["tools"]
    active = sum(tool["active"] for tool in tools)
    facts = [
        ("Tools", f"{len(tools):,}" if active == len(tools) else f"{len(tools):,}, {active:,} active"),
        ("Estimated tokens", f"{sum(tool['estimated_tokens'] for tool in tools if tool['active']):,}"),
        *((key.capitalize(), f"{len(surface[key]):,}") for key in _LISTED if surface[key]),
    ]
    return element("dl", (term(title, value) for title, value in facts), class_="facts")


def _agents(surface: dict[str, Any]) -> Markup:
    """The agents that programs make, each with what it is given."""
    rows = (
        (
            code(agent["name"]) if agent["name"] else absent("no name"),
            [code(agent["made_by"]), " ", place(agent)],
            _names(agent["tools"]),
            _names(agent["ready_made"]),
            _names(agent["hands_over_to"]),
            [[" " if index else None, place(prompt)] for index, prompt in enumerate(agent["prompts"])]
            or absent("not known"),
            [[element("br") if index else None, reason] for index, reason in enumerate(agent["open_reasons"])]
            or "all known",
        )
        for agent in surface["agents"]
    )
    titles = ("Name", "Made by", "Tools", "Run by the provider", "Hands over to", "Told", "May have more tools")
    return table(f"Agents of {surface['name']}", titles, rows)


def _names(names: Sequence[str]) -> Child:
    return [[", " if index else None, code(name)] for index, name in enumerate(names)] if names else absent("none")


def _policy(policy: dict[str, Any]) -> Markup:
    """A policy with its ceiling and its entries."""
    ceiling = policy.get("ceiling")
    return element(
        "div",
        element(
            "h4",
            place(policy) if policy["line"] else code(policy["path"]),
            " ",
            element("span", policy["kind"], class_="tag"),
        ),
        element("p", "Ceiling of side effects ", code(ceiling["level"]), " ", place(ceiling)) if ceiling else None,
        _entries(policy) if policy["entries"] else element("p", "No entries that name tools.", class_="quiet"),
        class_="policy",
    )


def _entries(policy: dict[str, Any]) -> Markup:
    rows = (
        (code(entry["pattern"]), _says(entry), _matched(entry["tools"]), place(entry)) for entry in policy["entries"]
    )
    return table(f"Entries of {policy['path']}", ("Entry", "Says", "Tools", "Place"), rows, "list entries")


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
