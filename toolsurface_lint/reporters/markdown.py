"""A summary for a pull request, or for the summary of a GitHub job: counts, and a table of the most severe findings."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial

from toolsurface_lint.checks import pages as rule_pages
from toolsurface_lint.checks.change import SCHEMA, WAS
from toolsurface_lint.model.diagnostics import SEVERITIES, Diagnostic, Location, Report
from toolsurface_lint.reporters import RenderOptions
from toolsurface_lint.reporters.account import account, checked_anything, remarks, severities
from toolsurface_lint.reporters.characters import visible
from toolsurface_lint.reporters.paths import from_root

# Comments of GitHub have at most 65,536 characters.
_MAX_ROWS = 100
_MAX_CELL = 300
_MAX_PLACES = 4

_QUOTED = re.compile(r"`([^`]*)`")
# What may have a meaning inside a line; an underscore between letters has none. Hosts make links of addresses, mentions
# (`@a`, `#1`, `!1`, `%1`, `GH-1`) and commits, and pictures of `:names:`.
_PUNCTUATION = re.compile(
    r"[#$&*<>@\[\\\]`|~]|(?<![^\W_])_|_(?![^\W_])"
    r"|:(?=//|[\w+-]+:)|(?<=mailto):|(?<=xmpp):|(?<=\w)\.(?=\w)|[!%](?=[\w\"])|(?<=\bgh)-(?=\d)"
    r"|\b[0-9a-f]{7,40}\b",
    re.IGNORECASE,
)


def render(report: Report, options: RenderOptions) -> str:
    """A heading, the closing lines of the other formats, and a row for each finding, most severe first."""
    known_as = cache(partial(from_root, root=options.root))
    ranked = sorted(report.diagnostics, key=lambda diagnostic: SEVERITIES.index(diagnostic.severity))
    clean = "no problems" if report.compared is None else "no breaking changes"
    verdict = severities(report) or (clean if checked_anything(report) else "nothing was checked")
    lines = [f"### toolsurface-lint: {verdict}", ""]
    if ranked:
        compared = report.compared is not None
        lines += [
            "| severity | rule | place | finding |" + " breaks |" * compared,
            "|---|---|---|---|" + "---|" * compared,
        ]
        lines += [_row(diagnostic, known_as, compared) for diagnostic in ranked[:_MAX_ROWS]]
        lines.append("")
        if len(ranked) > _MAX_ROWS:
            lines += [f"{len(ranked) - _MAX_ROWS} more are not shown.", ""]
    lines.append(_literal(account(report)))
    for remark in remarks(report):
        lines += ["", _literal(remark.text)]
        lines += ["", *(f"- {_literal(reason)}" for reason in remark.reasons)] if remark.reasons else []
    return "\n".join(lines) + "\n"


def _row(diagnostic: Diagnostic, known_as: Callable[[str], str], compared: bool) -> str:
    place = "" if diagnostic.location is None else _place(diagnostic.location, known_as)
    message = _prose(diagnostic.message)
    if diagnostic.help:
        message += f"<br>{_prose(diagnostic.help)}"
    url = rule_pages.built_in_url(diagnostic)
    rule = f"[{diagnostic.code}]({url})" if url else f"`{diagnostic.code}`"
    row = f"| {diagnostic.severity} | {rule} | {place} | {message} |"
    return f"{row} {_breaks(diagnostic, known_as)} |" if compared else row


def _place(location: Location, known_as: Callable[[str], str]) -> str:
    return _code(f"{known_as(location.path)}:{location.range.start.line}")


def _breaks(diagnostic: Diagnostic, known_as: Callable[[str], str]) -> str:
    """The places that break by a change, or are concerned by it, the first few of many."""
    places = [_place(each.location, known_as) for each in diagnostic.related if each.message not in (WAS, SCHEMA)]
    found = list(dict.fromkeys(places))
    more = f"<br>and {len(found) - _MAX_PLACES} more" if len(found) > _MAX_PLACES else ""
    return "<br>".join(found[:_MAX_PLACES]) + more


def _prose(text: str) -> str:
    """A message with what it quotes as code; quoted text is somebody else's, and must not become markup or a mention."""
    if len(text) > _MAX_CELL:
        text = text[: _MAX_CELL - 3] + "..."
    return "".join(_code(part) if index % 2 else _literal(part) for index, part in enumerate(_QUOTED.split(text)))


def _code(text: str) -> str:
    """Code in a table cell: as an element, since a code span can hold no `|` and no backtick."""
    return f"<code>{_literal(text)}</code>" if text else ""


def _literal(text: str) -> str:
    """Text in which no character has a meaning: references are never markup. A comment keeps hosts, which look at the
    text once it is rendered, from reading `@name`, `#12` and addresses in it."""
    return _PUNCTUATION.sub(_reference, visible(text))


def _reference(match: re.Match[str]) -> str:
    character = match.group()
    if character.isalnum():
        # No host takes fewer than seven digits for a commit.
        return "<!-- -->".join(character[start : start + 6] for start in range(0, len(character), 6))
    apart = character in "@#:!%-" or (character == "." and match.string[: match.start()].lower().endswith("www"))
    return f"&#{ord(character)};{'<!-- -->' if apart else ''}"
