"""The side effects that a Python tool declares: none, unknown ones, others than its code has."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import PYTHON_DEFINITION, check
from toolsurface_lint.model.code import NETWORK, PROCESS, SIDE_EFFECTS, WRITE, Effect
from toolsurface_lint.model.diagnostics import ERROR, UNSAFE, WARNING, Finding, Rule, renaming
from toolsurface_lint.model.names import close_names, suggestion
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.source.tree import Place

UNDECLARED = Rule(
    code="TOOL_CODE_SIDE_EFFECTS_UNDECLARED",
    since="0.1.0",
    severity=WARNING,
    summary="A Python tool does not declare its side effects, though its decorator takes them.",
    message="the tool `{name}` declares no side effects",
    tags=("tools", "python"),
)

UNKNOWN = Rule(
    code="TOOL_CODE_UNKNOWN_SIDE_EFFECT",
    since="0.1.0",
    severity=ERROR,
    summary="A Python tool declares a side effect that is not one of the known tags.",
    message="`{name}` is not a side effect",
    tags=("tools", "python"),
    fix=UNSAFE,
)

MISMATCH = Rule(
    code="TOOL_CODE_SIDE_EFFECT_MISMATCH",
    since="0.1.0",
    severity=WARNING,
    summary="The code of a Python tool does what its declaration excludes.",
    message="`{name}` {does} (`{what}`), but declares {declared}",
    tags=("tools", "python"),
)

_TAGS = "`read`, `write`, `network`, `mutate`"

_DOES = {WRITE: "changes files", NETWORK: "uses the network", PROCESS: "starts processes"}

# What may be meant by doing so: `mutate` is an effect on the outside that needs files, the network or processes, and a
# process may do anything that a tag is for but merely read.
_ADMITTED_BY = {
    WRITE: frozenset(("write", "mutate")),
    NETWORK: frozenset(("network", "mutate")),
    PROCESS: frozenset(("write", "network", "mutate")),
}


@check(PYTHON_DEFINITION, UNDECLARED, UNKNOWN, MISMATCH)
def check_definition(tool: Tool, target: Target) -> Iterator[Finding]:
    if tool.side_effects is not None:
        yield from _unknown(tool)
    elif "side_effects" in tool.declarable:
        yield UNDECLARED.at(
            tool.name_place,
            tool=tool.name,
            field="side_effects",
            help=f"declare what it does with `side_effects`: any of {_TAGS}",
        )
    if tool.code is not None and tool.code.effects:
        yield from _mismatch(tool, tool.code.effects)


def _unknown(tool: Tool) -> Iterator[Finding]:
    assert tool.side_effects is not None
    given = [tag.value for tag in tool.side_effects.elements()]
    for tag in tool.side_effects.elements():
        if tag.value in SIDE_EFFECTS:
            continue
        near = close_names(tag.value, SIDE_EFFECTS) if isinstance(tag.value, str) else ()
        yield UNKNOWN.at(
            tag.place,
            tool=tool.name,
            field="side_effects",
            name=tag.value,
            help=suggestion(near) or f"the tags are {_TAGS}",
            fix=renaming(tag.place, tag.value, [other for other in near if other not in given]),
        )


def _mismatch(tool: Tool, effects: tuple[Effect, ...]) -> Iterator[Finding]:
    seen: set[str] = set()
    for effect in effects:
        if effect.effect in seen:
            continue
        excluded = _excluding(tool, effect.effect)
        if excluded is None:
            continue
        seen.add(effect.effect)
        declared, place, help = excluded
        done = f"`{effect.what}` is called here" + (f", in `{effect.through}`" if effect.through else "")
        yield MISMATCH.at(
            place,
            tool=tool.name,
            field="side_effects" if tool.side_effects is not None else "annotations",
            related=[(done, effect.place)],
            declared=declared,
            does=_DOES[effect.effect],
            what=effect.what,
            help=help,
        )


def _excluding(tool: Tool, effect: str) -> tuple[str, Place, str] | None:
    """The declaration that excludes an effect, in words, its place, and what to do; None if nothing does.

    A hint that a tool only reads says nothing about the network or about processes, by which one may read too.
    """
    if tool.side_effects is not None:
        tags = [tag.value for tag in tool.side_effects.elements()]
        # What an unknown tag stands for is not known.
        if any(tag not in SIDE_EFFECTS for tag in tags) or not _ADMITTED_BY[effect].isdisjoint(tags):
            return None
        declared = "only " + ", ".join(f"`{tag}`" for tag in sorted(tags)) if tags else "no side effects"
        return declared, tool.side_effects.place, f"add `{'write' if effect == PROCESS else effect}`"
    read_only = None if tool.hints is None else tool.hints.get("readOnlyHint")
    if effect == WRITE and read_only is not None and read_only.value is True:
        return "`readOnlyHint: true`", read_only.place, "clients call read-only tools without asking: correct the hint"
    return None
