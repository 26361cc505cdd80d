"""A description that denies the effects that its tool declares, or the reverse."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolsurface_lint.checks.contract import DEFINITION, check
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.effects import READS, WRITES, declared_effects
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool

RULE = Rule(
    code="TOOL_DESCRIPTION_CONTRADICTS_EFFECTS",
    since="0.1.0",
    severity=WARNING,
    summary="A description says otherwise about a tool's effects than its declaration.",
    message="the description says `{said}`, and the tool declares `{declared}`",
    help="correct the one that is wrong; permissions follow the declaration, models the description",
    tags=("tools",),
)

_READ_ONLY_HINTS = (
    "ead-only",
    "ead only",
    "ide effect",
    "ide-effect",
    "not modif",
    "not chang",
    "not writ",
    "ever modif",
)
# Only what speaks of the tool as a whole: `read-only` alone may be said of a mode, a file, a query or one of many actions.
_SAYS_READS = (
    r"\b[Tt]his (?:tool|function|operation|command) is (?:strictly |completely |entirely |purely )?(?P<is>read[- ]only)\b"
    r"|\A\s*[\[(]?(?P<begins>[Rr]ead[- ]only)(?=[\])]|[.:]|\s+(?:tool|operation|lookup|access to)\b)"
    r"|\A[^\n.]*\((?P<ends>[Rr]ead[- ]only)\)\.?\s*\Z"
    r"|\b(?P<none>[Ss]ide[- ][Ee]ffects?: ?[Nn]one)\b(?!\s+(?:if|when|unless|except|but))"
    r"|\b(?:[Hh]as|[Ww]ith|[Pp]roduces) (?P<has>no side[- ]effects)\b"
    r"|\b(?P<never>(?:[Ii]t |[Tt]his tool |[Tt]his )?(?:(?:[Dd]oes|[Ww]ill) not|[Dd]oesn['’]t|[Nn]ever) "
    r"(?:modif(?:y|ies)|changes?|alters?|writes?) (?:anything|any (?:data|files?|state|resources?|records?|settings?)|data)"
    r")\b"
)
_LIMITED = r"(?i)\b(?:if|when|unless|except|mode|default|dry|preview|only for|until|otherwise|but)\b"
_WRITING = frozenset(
    {
        *("delete", "deletes", "overwrite", "overwrites", "drop", "drops", "erase", "erases", "truncate", "truncates"),
        *("update", "updates", "insert", "inserts", "upload", "uploads", "publish", "publishes", "deploy", "deploys"),
        *("rename", "renames", "modify", "modifies", "edit", "edits", "uninstall", "uninstalls", "terminate"),
        *("terminates", "purge", "purges"),
    }
)
# Behind such a verb they make it speak about a change, or of a noun: `Update history of a page`.
_ABOUT = frozenset({"history", "log", "logs", "status", "information", "info", "details", "preview", "marker", "or"})


@check(DEFINITION, RULE)
def check_definition(tool: Tool, target: Target) -> Iterator[Finding]:
    description = tool.description
    if description is None or (tool.hints is None and tool.annotations is None and tool.side_effects is None):
        return
    text = description.value
    says = _statement(text)
    if says is None:
        return
    effect, start, end = says
    declared = declared_effects(tool)
    opposed = [declaration for declaration in declared if declaration.effect != effect]
    # Where declarations differ among themselves, the description agrees with one of them.
    if opposed and len(opposed) == len(declared):
        yield RULE.at(
            description.text_place(start, end),
            tool=tool.name,
            field="description",
            related=[("declared here", opposed[0].place)],
            said=text[start:end],
            declared=opposed[0].what,
        )


def _statement(text: str) -> tuple[str, int, int] | None:
    """What a text says of the tool's effects, and where."""
    if any(hint in text for hint in _READ_ONLY_HINTS):
        match = re.search(_SAYS_READS, text)
        if match is not None and not _limited(text, match):
            start, end = match.span(match.lastgroup or 0)
            return READS, start, end
    words = text[:80].lower().split()
    verb = words[0].lstrip("*_#[(") if words else ""
    if verb in _WRITING and len(words) > 1 and words[1] not in _ABOUT and words[1][0].isalpha():
        start = text.lower().index(verb)
        return WRITES, start, start + len(verb)
    return None


def _limited(text: str, match: re.Match[str]) -> bool:
    """Whether the sentence limits what it says to some cases."""
    start = max(text.rfind(". ", 0, match.start()), text.rfind("\n", 0, match.start()), 0)
    ends = [at for at in (text.find(". ", match.end()), text.find("\n", match.end())) if at >= 0]
    return re.search(_LIMITED, text[start : min(ends, default=len(text))]) is not None
