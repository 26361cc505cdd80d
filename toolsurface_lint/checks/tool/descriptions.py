"""Descriptions that are missing, too short, or too long for the provider."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from toolsurface_lint.checks.contract import DEFINITION, TOOL_LISTS, check
from toolsurface_lint.checks.tool._recipients import listed, sourced
from toolsurface_lint.knowledge.provider_names import Provider
from toolsurface_lint.knowledge.providers import DESCRIPTION_LIMITS, Strictest, strictest
from toolsurface_lint.model.diagnostics import INFO, WARNING, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.words import name_words, stem

MISSING = Rule(
    code="TOOL_DESCRIPTION_MISSING",
    since="0.1.0",
    severity=WARNING,
    summary="A tool has no description.",
    message={
        "none": "tool `{name}` has no description",
        "blank": "tool `{name}` has a blank description",
        "refused": "tool `{name}` has no docstring: its decorator raises an error",
    },
    help="say what it does, when to use it, and what it changes",
    tags=("tools",),
)


@check(DEFINITION, MISSING)
def check_presence(tool: Tool, target: Target) -> Iterator[Finding]:
    description = tool.description
    if not _is_undescribed(tool) or _describes_alone(tool):
        return
    # A catalogue of MCP tools may list hints alone: the served definition, with its description, is elsewhere.
    if description is None and tool.format == "mcp" and tool.schema_path is None:
        return
    # What an example leaves out is not what it shows.
    if description is None and tool.is_example and tool.code is None:
        return
    refused = tool.code is not None and tool.code.needs_docstring
    yield MISSING.at(
        tool.name_place if description is None else description.place,
        "refused" if refused else "none" if description is None else "blank",
        tool=tool.name,
        field="description",
    )


DOCSTRING_MISSING = Rule(
    code="TOOL_CODE_DOCSTRING_MISSING",
    since="0.1.0",
    severity=INFO,
    summary="A Python function that is a tool has no docstring.",
    message="tool `{name}` is a function without a docstring",
    help="say in a docstring what it does, when to use it, and what it changes",
    tags=("tools", "python"),
)


@check(TOOL_LISTS, DOCSTRING_MISSING)
def check_docstrings(lists: list[list[Tool]], target: Target) -> Iterator[Finding]:
    """Functions without a docstring, once for a file: what serves them may describe them in its own way."""
    # A function in two lists is two tools.
    found = {tool.name: tool for tools in lists for tool in tools if _is_undescribed(tool) and _describes_alone(tool)}
    if found:
        first, *others = found.values()
        yield DOCSTRING_MISSING.at(
            first.name_place,
            tool=first.name,
            field="description",
            related=[(f"`{other.name}` has none either", other.name_place) for other in others],
        )


def _is_undescribed(tool: Tool) -> bool:
    """Whether a tool that can have a description has none, or a blank one."""
    return "description" in tool.declarable and (tool.description is None or not tool.description.value.strip())


def _describes_alone(tool: Tool) -> bool:
    code = tool.code
    if code is None:
        return False
    return code.describes_alone or (tool.is_example and tool.description is None and not code.needs_docstring)


TOO_SHORT = Rule(
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


@check(DEFINITION, TOO_SHORT)
def check_substance(tool: Tool, target: Target) -> Iterator[Finding]:
    description = tool.description
    if description is None:
        return
    text = description.value.strip()
    # Nobody repeats a name in many more characters than it has.
    if not text or (len(text) >= _SHORT and len(text) > 3 * len(tool.name)):
        return
    if {stem(word) for word in name_words(text)} - _EMPTY_WORDS <= {stem(word) for word in name_words(tool.name)}:
        kind = "repeats"
    elif len(text) < _SHORT:
        kind = "short"
    else:
        return
    yield TOO_SHORT.at(description.place, kind, tool=tool.name, field="description", length=len(text))


TOO_LONG = Rule(
    code="TOOL_DESCRIPTION_TOO_LONG",
    since="0.1.0",
    severity=WARNING,
    summary="A description is longer than the configured provider accepts.",
    message="the description has {length} {unit}, over the {most} accepted by {owner}",
    help="shorten it, or move details to the descriptions of its parameters",
    tags=("tools", "providers"),
)


@check(DEFINITION, TOO_LONG)
def check_length(tool: Tool, target: Target) -> Iterator[Finding]:
    description = tool.description
    if not target.providers or description is None:
        return
    text = description.value
    for limit in _limits(tool.format, target.providers):
        # A character takes four bytes at most.
        if len(text) * 4 <= limit.most:
            continue
        in_characters = limit.unit == "characters"
        encoded = text.encode("utf-8", "replace")
        fits = limit.most if in_characters else len(encoded[: limit.most].decode("utf-8", "ignore"))
        if fits < len(text):
            yield TOO_LONG.at(
                description.text_place(fits, len(text)),
                tool=tool.name,
                field="description",
                length=len(text) if in_characters else len(encoded),
                unit=limit.unit,
                owner=listed([owner.title for owner, _ in limit.owners]),
                help=f"{TOO_LONG.help}; {sourced([(owner.title, source) for owner, source in limit.owners])}",
                most=limit.most,
            )
            return


@lru_cache(maxsize=64)
def _limits(format: str, providers: tuple[Provider, ...]) -> list[Strictest]:
    """The lowest limits of those who receive a definition, that in characters first."""
    found = strictest(DESCRIPTION_LIMITS, Target(providers).recipients(format))
    return sorted(found, key=lambda limit: limit.unit, reverse=True)
