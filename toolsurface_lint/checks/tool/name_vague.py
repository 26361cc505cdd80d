"""A name whose verb says nothing about what the tool does to the world."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import DEFINITION, check
from toolsurface_lint.model.diagnostics import INFO, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.words import name_words

RULE = Rule(
    code="TOOL_NAME_VAGUE",
    since="0.1.0",
    severity=INFO,
    summary="A tool's name says nothing about its effects.",
    message="`{word}` does not say whether `{name}` reads or changes anything",
    help="name the effect: `read_file` instead of `open_file`",
    tags=("tools",),
    preview=True,
)

_VAGUE = frozenset({"open", "handle", "process", "do", "manage", "perform", "operate"})
_VAGUE_ALONE = frozenset({"run", "execute", "call", "invoke", "start", "action", "apply", "go", "tool", "main", "task"})


@check(DEFINITION, RULE)
def check_definition(tool: Tool, target: Target) -> Iterator[Finding]:
    words = name_words(tool.name)
    if (
        not words
        or words[:2] == ("do", "not")
        or not (words[0] in _VAGUE or (len(words) == 1 and words[0] in _VAGUE_ALONE))
    ):
        return
    yield RULE.at(
        tool.name_place,
        tool=tool.name,
        field="name",
        word=words[0],
        name=tool.name,
    )
