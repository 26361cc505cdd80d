"""A call in a prompt uses an argument alias instead of the canonical key."""

from __future__ import annotations

from collections.abc import Container, Iterator

from toolsurface_lint.diagnostics import SAFE, WARNING, Edit, Finding, Fix, Rule
from toolsurface_lint.model.prompt import Prompt, Reference
from toolsurface_lint.model.surface import Surface

RULE = Rule(
    code="TOOL_SURFACE_DEPRECATED_ARG_ALIAS",
    severity=WARNING,
    summary="A prompt passes an argument by an alias of its name.",
    message="the call of `{name}` passes `{alias}`, an alias of `{canonical}`",
    tags=("specification", "prompts"),
    fix=SAFE,
)


def check_prompt(prompt: Prompt, surface: Surface) -> Iterator[Finding]:
    calls: dict[str, list[Reference]] = {}
    for reference in prompt.uses(surface.vocabulary):
        if reference.call_end > reference.end:
            calls.setdefault(reference.name, []).append(reference)
    for tool in surface.tools:
        annotations = surface.annotations(tool)
        if annotations is None or not annotations.aliases or tool.text not in calls:
            continue
        for alias in sorted(annotations.aliases):
            canonical = annotations.aliases[alias]
            same = {canonical, *(other for other, meant in annotations.aliases.items() if meant == canonical)}
            uses = [(call, use) for call in calls[tool.text] for use in prompt.alias_uses(call, (alias,))]
            # The specification says once a text that an alias is used; only a person wants to see every place.
            for call, (_, start, end) in uses[:1] if surface.specified else uses:
                place = prompt.place(start, end)
                yield RULE.at(
                    place,
                    tool=tool.text,
                    field=f"arg_schema.arg_aliases.{alias}",
                    related=[(f"tool `{tool.text}` is declared here", tool.name_place)],
                    name=tool.text,
                    alias=alias,
                    canonical=canonical,
                    help=f"write `{canonical}`",
                    fix=Fix(f"replace `{alias}` with `{canonical}`", True, (Edit(place, canonical),))
                    if _is_only_argument(prompt, call, start, same)
                    else None,
                )


def _is_only_argument(prompt: Prompt, call: Reference, start: int, names: Container[str]) -> bool:
    """Whether what starts here is an argument of the call itself, and the only one by one of these names."""
    before = prompt.text[call.end : start]
    return before.count("{") - before.count("}") <= 1 and len(prompt.alias_uses(call, names)) == 1
