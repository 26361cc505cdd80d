"""Instructions in a definition that its user would not want to be followed.

Ground: OWASP MCP03 (tool poisoning). Only plain wordings are seen, and a clean result says nothing about the intent of a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache, partial

from toolsurface_lint.checks.contract import DEFINITION, check
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.texts import described
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.words import name_words
from toolsurface_lint.source.shared import look_around
from toolsurface_lint.source.text import SourceText

RULE = Rule(
    code="TOOL_DESCRIPTION_CONCEALMENT",
    since="0.1.0",
    severity=WARNING,
    summary="A description tells the model to hide, leak, divert or override something behind the user's back.",
    message={
        "hide": "`{where}` tells the model to conceal something: `{said}`",
        "secret": "`{where}` asks for secrets or the conversation: `{said}`",
        "tools": "`{where}` changes how other tools are used: `{said}`",
        "override": "`{where}` overrides the user or other instructions: `{said}`",
    },
    help={
        "hide": "say what the tool does to whoever uses it, and remove the instruction",
        "secret": "remove it, or make it the stated purpose of the tool",
        "tools": "describe this tool only",
        "override": "remove it: a description says what a tool does",
    },
    tags=("tools", "security"),
)


@check(DEFINITION, RULE)
def check_definition(tool: Tool, target: Target) -> Iterator[Finding]:
    from toolsurface_lint.knowledge.concealment import HOLDS_ANYTHING, may_conceal

    parts = described(tool)
    own = "" if tool.description is None else tool.description.value
    # All texts at once: nearly always that is all there is to do.
    if not may_conceal("\n".join((own, *(part.text for part in parts)))):
        return
    texts = [] if tool.description is None else [("", own, "description", tool.description)]
    texts.extend((part.name, part.text, part.field, part.node(tool)) for part in parts if may_conceal(part.text))
    for parameter, text, field, node in texts:
        if not parameter and not may_conceal(text):
            continue
        from toolsurface_lint.checks.tool._concealment import Text, orders

        purpose = _purpose(tool) | (frozenset(name_words(parameter)) - HOLDS_ANYTHING)
        parameters = frozenset(map(str.lower, tool.known_keys))
        for problem in orders(Text(text, purpose, parameters, partial(_named_beside, tool), bool(parameter))):
            yield RULE.of(problem, node.text_place(*problem.at), tool=tool.name, field=field, where=field)


def _named_beside(tool: Tool) -> frozenset[str]:
    look_around()
    return _named_in(tool.tree.source)


# The tools of a file come one after the other, and few speak of others.
@lru_cache(maxsize=1)
def _named_in(source: SourceText | None) -> frozenset[str]:
    """The names that a file has as values, keys or functions: those of its own tools are among them."""
    return frozenset() if source is None else frozenset(map(str.lower, re.findall(_NAMED, source.text)))


_NAMED = r"""(?:["']|\bdef )([A-Za-z_]\w{0,99})(?=["'(])"""


def _purpose(tool: Tool) -> frozenset[str]:
    """The words of a tool's name, and of the first sentence of its description."""
    said = "" if tool.description is None else tool.description.value.strip().partition("\n")[0].partition(". ")[0]
    return frozenset((*name_words(tool.name), *name_words(tool.server), *name_words(said)))
