"""What a tool declares of its effects, against its other annotations, its name and its description."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolsurface_lint.checks.contract import DEFINITION, check
from toolsurface_lint.model.diagnostics import INFO, WARNING, Finding, Rule
from toolsurface_lint.model.effects import READS, WRITES, Declared, declared_effects, said_effect
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.words import READING_VERBS, making_verb_of, name_words, verb_of
from toolsurface_lint.source.tree import Node

CONTRADICTION = Rule(
    code="TOOL_ANNOTATION_CONTRADICTION",
    since="0.1.0",
    severity=WARNING,
    summary="Two annotations of a tool contradict each other.",
    message="`{second}` contradicts `{first}`",
    help="correct the one that is wrong: a tool is either read-only or not",
    tags=("tools",),
)


def _contradicting(tool: Tool, declared: list[Declared]) -> list[Declared]:
    """The first two declarations that contradict each other, in their order; empty if none do."""
    firsts: dict[str, Declared] = {}
    for one in declared:
        firsts.setdefault(one.effect, one)
    if len(firsts) > 1:
        return [*firsts.values()]
    # A tool that runs commands has at least the level of a process.
    node = None if tool.annotations is None else tool.annotations.node
    kind, level = (None, None) if node is None else (node.get("kind"), node.get("side_effect_level"))
    if kind is not None and level is not None and kind.value == "execute" and level.value == "read_only":
        reading = Declared(READS, "side_effect_level: read_only", level.place)
        return [Declared(WRITES, "kind: execute", kind.place), reading]
    return []


VERB_MISMATCH = Rule(
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
# `destructiveHint` is MCP's default, so only a server that sets it means it; not being read-only does not mean destroying.
_DESTRUCTIVE = ("destructiveHint", "kind: delete", "kind: edit", "kind: move", "side effect: mutate")


def _verb(tool: Tool, declared: list[Declared]) -> Iterator[Finding]:
    verb = verb_of(tool.name) or making_verb_of(tool.name)
    if verb is None or not _ABOUT_A_CHANGE.isdisjoint(name_words(tool.name)):
        return
    # Declarations that differ among themselves are reported as such.
    if len({one.effect for one in declared}) != 1:
        return
    if verb == "query":
        # A query may change what it is sent to: SQL.
        return
    if verb in READING_VERBS:
        opposed = [one for one in declared if one.effect == WRITES and one.what.startswith(_DESTRUCTIVE)]
    else:
        opposed = [one for one in declared if one.effect == READS]
    for one in opposed[:1]:
        yield VERB_MISMATCH.at(
            one.place,
            tool=tool.name,
            field="annotations",
            related=[("the name", tool.name_place)],
            declared=one.what,
            verb=verb,
        )


CONTRADICTS_EFFECTS = Rule(
    code="TOOL_DESCRIPTION_CONTRADICTS_EFFECTS",
    since="0.1.0",
    severity=WARNING,
    summary="A description contradicts the declared effects of its tool.",
    message="the description says `{said}`, and the tool declares `{declared}`",
    help="correct the one that is wrong; permissions follow the declaration, models the description",
    tags=("tools",),
)


@check(DEFINITION, CONTRADICTION, VERB_MISMATCH, CONTRADICTS_EFFECTS)
def check_definition(tool: Tool, target: Target) -> Iterator[Finding]:
    if tool.hints is None and tool.annotations is None and tool.side_effects is None:
        return
    declared = declared_effects(tool)
    if contradicting := _contradicting(tool, declared):
        first, second = contradicting
        yield CONTRADICTION.at(
            second.place,
            tool=tool.name,
            field="annotations",
            related=[(f"`{first.what}` is declared here", first.place)],
            first=first.what,
            second=second.what,
        )
    # One wrong declaration is one finding, however much speaks against it: what the code does, the name, the description.
    if _code_denies(tool):
        return
    opposed = list(_verb(tool, declared))
    yield from opposed
    if not opposed and tool.description is not None:
        yield from _description(tool, tool.description, declared)


def _code_denies(tool: Tool) -> bool:
    """Whether the code of a tool changes what its `readOnlyHint` says it only reads: `TOOL_CODE_SIDE_EFFECT_MISMATCH`."""
    hint = None if tool.hints is None else tool.hints.get("readOnlyHint")
    if hint is None or hint.value is not True or tool.side_effects is not None:
        return False
    from toolsurface_lint.model.code import CHANGE, DELETE, WRITE

    return any(effect.effect in (WRITE, CHANGE, DELETE) for effect in tool.effects)


def _description(tool: Tool, description: Node, declared: list[Declared]) -> Iterator[Finding]:
    text = description.value
    says = said_effect(text)
    if says is None:
        return
    effect, start, end = says
    opposed = [declaration for declaration in declared if declaration.effect != effect]
    # Where declarations differ among themselves, the description agrees with one of them.
    if opposed and len(opposed) == len(declared):
        yield CONTRADICTS_EFFECTS.at(
            description.text_place(start, end),
            tool=tool.name,
            field="description",
            related=[("declared here", opposed[0].place)],
            said=text[start:end],
            declared=opposed[0].what,
        )


NO_SIDE_EFFECTS = Rule(
    code="TOOL_DESCRIPTION_NO_SIDE_EFFECTS",
    since="0.1.0",
    severity=INFO,
    summary="A tool that declares effects does not say what it changes.",
    message="tool `{name}` declares `{declared}`, and its description does not say what it changes",
    help="say what it changes, and whether that can be undone",
    tags=("tools",),
    preview=True,
)

_SAYS = (
    r"(?i)\b(?:side[- ]?effects?|writ|creat|delet|remov|updat|modif|overwrit|replac|add|insert|append|edit|renam|mov|send|sent"
    r"|upload|publish|deploy|install|uninstall|drop|eras|purg|truncat|clear|reset|set|stor|sav|chang|mutat|merg|clos|cancel"
    r"|plac|start|stop|kill|terminat|execut|run|register|assign|import|copy|copies|push|commit|post|submit|enabl|disabl"
    r"|schedul|trigger|restor|revert|grant|revok|attach|link|mark|transition|destroy|irreversibl|persist|launch|click|type"
    r"|fill|drag|press|upgrad|scal|patch|appl|rebuild|roll(?:s|ed|ing)?[ -]?(?:back|out)|undo|convert|cordon|unresolv|evict"
    r"|migrat|rotat|resiz|toggl|unlock|archiv|subscrib|invit|refund|approv|reject|renew|switch)"
)
# Verbs that are nouns or say little anywhere else.
_BEGINS = (
    r"(?i)\W*(?:star|unstar|fork|pin|unpin|lock|book|order|pay|charge|buy|sell|vote|react|follow|record|clean|clear|drain"
    r"|request|resolve|reprioritize|reorder|restart|navigate|transfer|sync|synchroni[sz]e|check ?out|flush|reindex)"
    r"(?:s|es)?\b"
)


@check(DEFINITION, NO_SIDE_EFFECTS)
def check_silence(tool: Tool, target: Target) -> Iterator[Finding]:
    description = tool.description
    if description is None or not description.value.strip():
        return
    writing = next((declared for declared in declared_effects(tool) if declared.effect == WRITES), None)
    if writing is None or re.search(_SAYS, description.value) is not None:
        return
    if re.match(_BEGINS, description.value) is None:
        yield NO_SIDE_EFFECTS.at(
            description.place,
            tool=tool.name,
            field="description",
            related=[("declared here", writing.place)],
            declared=writing.what,
        )
