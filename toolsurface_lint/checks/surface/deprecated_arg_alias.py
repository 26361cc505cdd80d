"""A call in a prompt uses an argument alias instead of the canonical key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from toolsurface_lint.checks.contract import PROMPT, check
from toolsurface_lint.model.diagnostics import SAFE, WARNING, Edit, Finding, Fix, Rule
from toolsurface_lint.model.prompt import Prompt, Reference
from toolsurface_lint.model.surface import Surface

RULE = Rule(
    code="TOOL_SURFACE_DEPRECATED_ARG_ALIAS",
    since="0.1.0",
    harn=13,
    severity=WARNING,
    summary="A prompt passes an argument by an alias of its name.",
    message="the call of `{name}` passes `{alias}`, an alias of `{canonical}`",
    help="write `{canonical}`",
    tags=("specification", "prompts"),
    fix=SAFE,
)


@check(PROMPT, RULE)
def check_prompt(prompt: Prompt, surface: Surface) -> Iterator[Finding]:
    calls: dict[str, list[Reference]] = {}
    for reference in prompt.uses(surface.vocabulary):
        if reference.call_end > reference.end:
            calls.setdefault(reference.name, []).append(reference)
    for tool in surface.declared(calls):
        annotations = surface.annotations(tool)
        if annotations is None or not annotations.aliases:
            continue
        aliases = annotations.aliases
        meant = {name: {name} for name in aliases.values()}
        for alias in aliases:
            meant.setdefault(alias, set()).add(aliases[alias])
        uses_of: dict[str, list[tuple[int, int, bool]]] = {}
        for call in calls[tool.name]:
            found = prompt.alias_uses(call, meant)
            # How often a call passes an argument, by whichever of its names.
            passed = Counter(argument for name, _, _ in found for argument in meant[name])
            for alias, start, end in found:
                if alias in aliases:
                    replaceable = passed[aliases[alias]] == 1 and _is_own_argument(prompt, call, start)
                    uses_of.setdefault(alias, []).append((start, end, replaceable))
        for alias, uses in sorted(uses_of.items()):
            canonical = aliases[alias]
            # The Harn specification says once a text that an alias is used; only a person wants to see every place.
            for start, end, replaceable in uses[:1] if surface.specified else uses:
                place = prompt.place(start, end)
                yield RULE.at(
                    place,
                    tool=tool.name,
                    field=f"arg_schema.arg_aliases.{alias}",
                    related=[(f"tool `{tool.name}` is declared here", tool.name_place)],
                    alias=alias,
                    canonical=canonical,
                    fix=Fix(f"replace `{alias}` with `{canonical}`", True, (Edit(place, canonical),))
                    if replaceable
                    else None,
                )


def _is_own_argument(prompt: Prompt, call: Reference, start: int) -> bool:
    """Whether what starts here is an argument of the call itself."""
    before = prompt.text[call.end : start]
    return before.count("{") - before.count("}") <= 1
