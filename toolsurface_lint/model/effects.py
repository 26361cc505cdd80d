"""What a definition declares of a tool's effects, in whatever words its format has for them, and what its description says."""

from __future__ import annotations

import re
from typing import NamedTuple

from toolsurface_lint.model.texts import sentence_around
from toolsurface_lint.model.tool import Annotations, Tool
from toolsurface_lint.source.tree import Place

READS, WRITES = "read-only", "writing"

MCP_HINTS = frozenset({"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"})
"""The hints that the Model Context Protocol lets a tool give about itself, all of them booleans."""

_WRITING_KINDS = ("edit", "delete", "move")
_READING_KINDS = ("read", "search", "think")
_WRITING_LEVELS = ("workspace_write", "process_exec", "desktop_control")
_WRITING_TAGS = ("write", "mutate")


class Declared(NamedTuple):
    """One declaration: `effect` is `READS` or `WRITES`, `what` quotes it."""

    effect: str
    what: str
    place: Place


def declared_effects(tool: Tool) -> list[Declared]:
    """What the hints, the annotations and the effect tags of a tool say; silence says nothing.

    A network level says neither: what is sent may change things at the other end.
    """
    found: list[Declared] = []
    hints = tool.hints
    if hints is not None and isinstance(hints.value, dict):
        for hint, means, effect in _HINTS:
            node = hints.get(hint)
            if node is not None and node.value is means:
                found.append(Declared(effect, f"{hint}: {str(means).lower()}", node.place))
    annotations = tool.annotations
    if annotations is not None:
        for field, reading, writing in (
            ("kind", _READING_KINDS, _WRITING_KINDS),
            ("side_effect_level", ("read_only",), _WRITING_LEVELS),
        ):
            word = annotations.node.string(field)
            if word is not None and (word.value in reading or word.value in writing):
                effect = READS if word.value in reading else WRITES
                found.append(Declared(effect, f"{field}: {word.value}", word.place))
    effects = tool.side_effects
    if effects is not None:
        tags = [node for node in effects.elements() if isinstance(node.value, str)]
        writing_tag = next((node for node in tags if node.value in _WRITING_TAGS), None)
        if writing_tag is not None:
            found.append(Declared(WRITES, f"side effect: {writing_tag.value}", writing_tag.place))
        elif any(node.value == "read" for node in tags):
            found.append(Declared(READS, "side effects: read", effects.place))
    return found


_HINTS = (("readOnlyHint", True, READS), ("readOnlyHint", False, WRITES), ("destructiveHint", True, WRITES))


def hinted_annotations(tool: Tool) -> Annotations | None:
    """What the MCP hints of a tool say in the words of annotations: the least level that they admit; None without hints.

    `destructiveHint` counts only where the tool is not read-only, as MCP has it.
    """
    hints = tool.hints
    if hints is None or not isinstance(hints.value, dict) or MCP_HINTS.isdisjoint(hints.value):
        return None
    annotations = Annotations(hints)
    read_only = hints.value.get("readOnlyHint")
    if read_only is True:
        annotations.level = "read_only"
    elif read_only is False or hints.value.get("destructiveHint") is True:
        annotations.level = _WRITING_LEVELS[0]
    return annotations


_READ_ONLY_HINTS = (
    *("ead-only", "ead only", "ide effect", "ide-effect"),
    *("not modif", "not chang", "not writ", "ever modif"),
)
# Only what speaks of the tool as a whole: `read-only` alone may be said of a mode, a file, a query or one of many actions.
_SAYS_READS = (
    r"\b[Tt]his (?:tool|function|operation|command) is (?:strictly |completely |entirely |purely )?(?P<is>read[- ]only)\b"
    r"|\A\s*[\[(]?(?P<begins>[Rr]ead[- ]only)(?=[\])]|[.:]|\s+(?:tool|operation|lookup|access to)\b)"
    r"|\A[^\n.]*\((?P<ends>[Rr]ead[- ]only)\)\.?\s*\Z"
    # A sentence of its own, unless it is one about something in a list: a parameter, a mode.
    r"|(?:[.!?)][ \t]+|\n[ \t]*)(?P<sentence>Read[- ]only)(?=[.!;,]|\s*\Z)"
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


def said_effect(text: str) -> tuple[str, int, int] | None:
    """What a text says of the tool's effects, and where."""
    if any(hint in text for hint in _READ_ONLY_HINTS):
        match = re.search(_SAYS_READS, text)
        if match is not None:
            start, end = match.span(match.lastgroup or 0)
            is_limited = re.search(_LIMITED, sentence_around(text, start, end)) is not None
            if not is_limited and not (match["sentence"] and _is_in_list(text, start)):
                return READS, start, end
    words = text[:80].lower().split()
    verb = words[0].lstrip("*_#[(") if words else ""
    if verb in _WRITING and len(words) > 1 and words[1] not in _ABOUT and words[1][0].isalpha():
        start = text.lower().index(verb)
        return WRITES, start, start + len(verb)
    return None


def _is_in_list(text: str, start: int) -> bool:
    """Whether a list has begun before a place in a text, or the line of the place is an item."""
    line = text[text.rfind("\n", 0, start) + 1 : start].lstrip()
    return ":" in line or line.startswith(("-", "*", "•")) or re.search(r"(?m):[ \t]*$", text[:start]) is not None
