"""A description that the configured provider refuses or cuts off."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import DEFINITION, check
from toolsurface_lint.knowledge.providers import DESCRIPTION_LIMITS, Limit, providers_of, strictest
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool

RULE = Rule(
    code="TOOL_DESCRIPTION_TOO_LONG",
    since="0.1.0",
    severity=WARNING,
    summary="A description is longer than the configured provider takes.",
    message="the description has {length} {unit}, {owner} takes {most}",
    help="shorten it, or move details to the descriptions of its parameters",
    tags=("tools", "providers"),
)


@check(DEFINITION, RULE)
def check_definition(tool: Tool, target: Target) -> Iterator[Finding]:
    description = tool.description
    if target.provider is None or description is None:
        return
    text = description.value
    limit = strictest(DESCRIPTION_LIMITS, providers_of(tool.format, target.provider))
    # A character takes four bytes at most.
    if limit is None or len(text) * 4 <= limit.most:
        return
    fits = _fits(text, limit)
    if fits < len(text):
        yield RULE.at(
            description.text_place(fits, len(text)),
            tool=tool.name,
            field="description",
            length=len(text) if limit.unit == "characters" else len(_encoded(text)),
            unit=limit.unit,
            owner=limit.owner,
            most=limit.most,
        )


def _fits(text: str, limit: Limit) -> int:
    """How many characters of a text fit."""
    if limit.unit == "characters":
        return min(len(text), limit.most)
    return len(_encoded(text)[: limit.most].decode("utf-8", "ignore"))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")
