"""A description that says no more than the name."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import DEFINITION, check
from toolsurface_lint.model.diagnostics import INFO, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.words import name_words

RULE = Rule(
    code="TOOL_DESCRIPTION_TOO_SHORT",
    since="0.1.0",
    severity=INFO,
    summary="A description is very short, or repeats the tool's name.",
    message={
        "repeats": "the description only repeats the name",
        "short": "the description has only {length} characters",
    },
    help="say what it does, when to use it, and what it changes",
    tags=("tools",),
    preview=True,
)

_SHORT = 20
_EMPTY_WORDS = frozenset({"a", "an", "the", "this", "tool", "function", "to", "for", "of", "in", "from", "with", "all"})


@check(DEFINITION, RULE)
def check_definition(tool: Tool, target: Target) -> Iterator[Finding]:
    description = tool.description
    if description is None:
        return
    text = description.value.strip()
    # Nobody repeats a name in many more characters than it has.
    if not text or (len(text) >= _SHORT and len(text) > 3 * len(tool.name)):
        return
    if {_stem(word) for word in name_words(text)} - _EMPTY_WORDS <= {_stem(word) for word in name_words(tool.name)}:
        kind = "repeats"
    elif len(text) < _SHORT:
        kind = "short"
    else:
        return
    yield RULE.at(description.place, kind, tool=tool.name, field="description", length=len(text))


def _stem(word: str) -> str:
    """A word without its ending: `lists`, `listing` and `list` are one."""
    for ending in ("ing", "es", "s", "ed", "e"):
        if len(word) - len(ending) >= 3 and word.endswith(ending):
            return word[: -len(ending)]
    return word
