"""A name whose verb says the opposite of the annotations."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import DEFINITION, check
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.effects import READS, WRITES, Declared, declared_effects
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.words import READING_VERBS, making_verb_of, name_words, verb_of

RULE = Rule(
    code="TOOL_ANNOTATION_VERB_MISMATCH",
    since="0.1.0",
    severity=WARNING,
    summary="A tool's annotations say the opposite of its name.",
    message="`{name}` is declared `{declared}`, but its name says `{verb}`",
    help="correct the annotation, or rename the tool",
    tags=("tools",),
)

# Behind such words a name speaks about a change without making it.
_ABOUT_A_CHANGE = frozenset(
    {"preview", "plan", "dry", "status", "history", "log", "logs", "info", "simulate", "estimate"}
)
# `destructiveHint` is MCP's default, so only a server that sets it means it; not being read-only is no destruction.
_DESTRUCTIVE = ("destructiveHint", "kind: delete", "kind: edit", "kind: move", "side effect: mutate")


@check(DEFINITION, RULE)
def check_definition(tool: Tool, target: Target) -> Iterator[Finding]:
    if tool.hints is None and tool.annotations is None and tool.side_effects is None:
        return
    verb = verb_of(tool.name) or making_verb_of(tool.name)
    if verb is None or not _ABOUT_A_CHANGE.isdisjoint(name_words(tool.name)):
        return
    declared = declared_effects(tool)
    # Declarations that differ among themselves are reported as such.
    if len({one.effect for one in declared}) != 1:
        return
    opposed = _opposed(verb, declared)
    if opposed is not None:
        yield RULE.at(
            opposed.place,
            tool=tool.name,
            field="annotations",
            related=[("the name", tool.name_place)],
            name=tool.name,
            declared=opposed.what,
            verb=verb,
        )


def _opposed(verb: str, declared: list[Declared]) -> Declared | None:
    for one in declared:
        if verb not in READING_VERBS and one.effect == READS:
            return one
        if verb in READING_VERBS and one.effect == WRITES and one.what.startswith(_DESTRUCTIVE):
            return one
    return None
