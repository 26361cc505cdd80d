"""A name that a provider or a client keeps for its own."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import DEFINITION, check
from toolsurface_lint.knowledge.providers import NAME_RULES, RESERVED_NAMES, RESERVED_PREFIXES, providers_of
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool

RULE = Rule(
    code="TOOL_NAME_RESERVED",
    since="0.1.0",
    severity=WARNING,
    summary="A tool has a name that its provider keeps for its own.",
    message={
        "name": "the name `{reserved}` is {owner}'s own",
        "prefix": "the prefix `{reserved}` is {owner}'s own",
    },
    help="choose another name: the two collide, or the model mistakes one for the other",
    tags=("tools", "providers"),
)

_OWNERS = {
    "claude-code": "Claude Code",
    "codex": "Codex",
    "gemini-cli": "Gemini CLI",
    "gpt-oss": "gpt-oss",
}


@check(DEFINITION, RULE)
def check_definition(tool: Tool, target: Target) -> Iterator[Finding]:
    if not tool.declarable:
        # The provider's own tool, which is declared by its type.
        return
    name = tool.name
    owners = providers_of(tool.format, target.provider)
    if target.model is not None and "gpt-oss" in target.model:
        owners = (*owners, "gpt-oss")
    for owner in owners:
        reserved = name if name in RESERVED_NAMES.get(owner, ()) else None
        kind = "name"
        if reserved is None:
            reserved = next((prefix for prefix in RESERVED_PREFIXES.get(owner, ()) if name.startswith(prefix)), None)
            kind = "prefix"
        if reserved is not None:
            rule = NAME_RULES.get(owner)
            yield RULE.at(
                tool.name_place,
                kind,
                tool=name,
                field="name",
                reserved=reserved,
                owner=_OWNERS[owner] if rule is None else rule.owner,
            )
            return
