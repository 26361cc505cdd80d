"""What was recognised and found, as one HTML page that needs nothing but itself.

The browser loads nothing: the page's policy (CSP) admits its own style and script, by their digests, and no others. All
of it can be read without the script, which only filters, sorts and opens.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

from toolsurface_lint import __version__
from toolsurface_lint.model.diagnostics import SEVERITIES, Report
from toolsurface_lint.reporters import HOME
from toolsurface_lint.reporters.account import Remark, account, remarks
from toolsurface_lint.reporters.characters import escape_commands, no_commands
from toolsurface_lint.reporters.page.findings import Findings, location_place, rule_link, worst
from toolsurface_lint.reporters.page.markup import Child, Markup, code, element, message, table
from toolsurface_lint.reporters.page.surface import SurfacePart
from toolsurface_lint.reporters.page.words import OUTCOMES, Word, badge, count, severity_badge

_FOLDER = Path(__file__).parent
_FEW_SURFACES = 30


def render(described: dict[str, Any], report: Report) -> str:
    """The page of a description (`describe_surfaces`) and the report of the same run."""
    findings = Findings(report)
    # Of a large project, many hold a prompt and nothing else.
    surfaces = sorted(described["surfaces"], key=lambda surface: not surface["tools"])
    parts = [SurfacePart(surface, f"surface-{number}", findings) for number, surface in enumerate(surfaces, 1)]
    others = findings.rest()
    body = element(
        "body",
        element("a", "Skip to the surfaces", href="#main", class_="skip"),
        _header(described, report, parts),
        _filter(described) if any(surface["tools"] for surface in described["surfaces"]) else None,
        element(
            "main",
            [part.section() for part in parts] or element("p", "No surface was recognised."),
            _section("Findings outside of the surfaces", "others", findings.listed(others), "filtered")
            if others
            else None,
            _suppressed(report),
            _skipped(described),
            id="main",
            tabindex="-1",
        ),
        element(
            "footer",
            element("a", "toolsurface-lint", href=HOME, rel="noreferrer"),
            f" {__version__}. This page loads nothing and sends nothing.",
        ),
        element("script", _asset("page.js")),
    )
    page = f"<!doctype html>\n{element('html', _head(described), body, lang='en')}\n"
    # On standard output a runner would take these for commands.
    return no_commands(escape_commands(page, "&#35;"), colon="&#58;")


def _asset(name: str) -> Markup:
    return Markup((_FOLDER / name).read_text(encoding="utf-8"))


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _head(described: dict[str, Any]) -> Markup:
    style, script = _asset("page.css"), _asset("page.js")
    # `data:` is for the empty icon, without which a browser asks a server for one.
    policy = (
        f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="referrer", content="no-referrer"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", f"{_title(described)} · toolsurface-lint"),
        element("link", rel="icon", href="data:,"),
        element("style", style),
    )


def _title(described: dict[str, Any]) -> str:
    surfaces = described["surfaces"]
    return f"Tool surface {surfaces[0]['name']}" if len(surfaces) == 1 else count(len(surfaces), "tool surface")


def _header(described: dict[str, Any], report: Report, parts: list[SurfacePart]) -> Markup:
    surfaces = described["surfaces"]
    single = len(surfaces) == 1
    found = [severity_badge(severity, number) for severity in SEVERITIES if (number := report.summary[severity])]
    return element(
        "header",
        element("p", "toolsurface-lint", class_="brand"),
        element("h1", "Tool surface" if single else _title(described)),
        element("p", found or badge(Word("no problems", "good")), class_="verdict"),
        element("p", account(report), class_="quiet"),
        [_remark(remark) for remark in remarks(report)],
        None if single else _contents(parts),
    )


def _remark(remark: Remark) -> Child:
    reasons = element("ul", (element("li", reason) for reason in remark.reasons)) if remark.reasons else None
    return element("div", element("p", remark.text), reasons, class_="quiet")


def _contents(parts: list[SurfacePart]) -> Child:
    if not parts:
        return None
    items = (
        element(
            "li",
            element("a", code(part.surface["name"]), href=f"#{part.anchor}"),
            " ",
            element("span", count(len(part.surface["tools"]), "tool"), class_="quiet"),
            [" ", severity_badge(severity)] if (severity := worst(part.taken)) else None,
        )
        for part in parts
    )
    listed = element("ul", items)
    if len(parts) > _FEW_SURFACES:
        listed = element("details", element("summary", element("span", "All surfaces", class_="name")), listed)
    return element("nav", listed, aria_label="Surfaces")


def _filter(described: dict[str, Any]) -> Markup:
    """The controls that narrow the page down: shown by the script, as it does nothing without it."""
    outcomes = {tool["outcome"] for surface in described["surfaces"] for tool in surface["tools"]}
    options = [
        element("option", "any", value=""),
        *(element("option", word.text, value=name) for name, word in OUTCOMES.items() if name and name in outcomes),
        element("option", OUTCOMES[None].text, value="none") if None in outcomes else None,
    ]
    severities = [
        element("option", "any", value=""),
        *(element("option", severity, value=severity) for severity in (*SEVERITIES, "none")),
    ]
    return element(
        "search",
        element(
            "div",
            _field("Find", "find", element("input", type="search", id="find", autocomplete="off", spellcheck="false")),
            _field("Outcome", "outcome", element("select", options, id="outcome")),
            _field("Findings", "severity", element("select", severities, id="severity")),
            element("button", "Open all tools", type="button", id="open", aria_pressed="false"),
            element("output", id="shown", for_="find outcome severity"),
            class_="controls",
        ),
        id="filter",
        hidden=True,
        aria_label="Tools and findings",
    )


def _field(title: str, name: str, control: Markup) -> Markup:
    return element("div", element("label", title, for_=name), control, class_="field")


def _section(title: str, anchor: str, content: Child, kind: str | None = None) -> Markup:
    return element("section", element("h2", title, id=anchor), content, class_=kind, aria_labelledby=anchor)


def _suppressed(report: Report) -> Child:
    if not report.suppressed:
        return None
    rows = (
        (
            rule_link(hidden.diagnostic),
            message(hidden.diagnostic.message),
            location_place(hidden.diagnostic.location),
            f"{hidden.by}: {hidden.reason}" if hidden.reason else hidden.by,
        )
        for hidden in report.suppressed
    )
    return _section("Suppressed", "suppressed", table("Suppressed findings", ("Rule", "Finding", "Place", "By"), rows))


def _skipped(described: dict[str, Any]) -> Child:
    skipped = described["skipped"]
    if not skipped:
        return None
    rows = (
        (code(":".join(str(item[key]) for key in ("path", "line", "column") if key in item)), item["reason"])
        for item in skipped
    )
    return _section("Skipped", "skipped", table("Files that were not checked", ("File", "Reason"), rows))
