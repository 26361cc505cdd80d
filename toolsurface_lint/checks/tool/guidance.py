"""What descriptions leave out that models can use: what comes back, where a tool ends, and when to take it.

The rules of the group `guidance`. None is enabled by default: descriptions that say more are better on average, but also
longer, and some agents did worse with them (see `knowledge.smells`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from toolsurface_lint.checks.contract import DEFINITION, SURFACE, check
from toolsurface_lint.knowledge import synonyms, words
from toolsurface_lint.model.diagnostics import INFO, Finding, Rule
from toolsurface_lint.model.meanings import VERBS
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.texts import described
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.words import name_words
from toolsurface_lint.source.tree import Node

NO_RETURNS = Rule(
    code="TOOL_DESCRIPTION_NO_RETURNS",
    since="0.1.0",
    severity=INFO,
    summary="A description does not say what the tool returns.",
    message="the description of `{name}` does not say what it returns",
    help="say what comes back, and what it is needed for, such as the id of what was made",
    tags=("tools",),
    preview=True,
    group="guidance",
)

_OUTPUT_KEYS = ("outputSchema", "output_schema", "response", "responseJsonSchema", "returns")
"""Where formats have the schema of a result: MCP and its SDKs, Gemini (both forms), catalogues."""

_RETURNS = re.compile(
    r"\b(?:return\w*|yield\w*|outputs?|respon[ds]\w*|results?|emits?|produces?|gives?|provides)\b"
    r"|\b(?:as|in) (?:json|xml|markdown|csv|text)\b",
    re.IGNORECASE,
)
_MAKES = words(
    "create add make new insert register upload submit schedule start launch trigger run execute invoke deploy clone copy import"
)
"""Verbs of what leaves something that the model needs next: an id, a link, an output, whether it worked."""


@check(DEFINITION, NO_RETURNS)
def check_returns(tool: Tool, target: Target) -> Iterator[Finding]:
    description = _english(tool)
    # The libraries behind these make the schema of a result from the return type, which is not read.
    if description is None or tool.format == "python-mcp":
        return
    if _RETURNS.search(description.value) or not _has_verb(tool.name, _MAKES):
        return
    definition = tool.definition
    if isinstance(definition.value, dict) and any(key in definition.value for key in _OUTPUT_KEYS):
        return
    yield NO_RETURNS.at(description.place, tool=tool.name, field="description")


def _has_verb(name: str, verbs: frozenset[str]) -> bool:
    """Whether a name begins with one of some verbs, or has one after a word that may be a server's name."""
    return not verbs.isdisjoint(name_words(name)[:2])


NO_LIMITS = Rule(
    code="TOOL_DESCRIPTION_NO_LIMITS",
    since="0.1.0",
    severity=INFO,
    summary="Neither the descriptions nor the schema of a tool say where it ends.",
    message="nothing says what `{name}` cannot do, or how much it accepts",
    help="say what it does not do, what it needs first, or how much it accepts and returns",
    tags=("tools",),
    preview=True,
    group="guidance",
)

_LIMITS = re.compile(
    r"\b(?:only|must|cannot|can not|not|never|\w+n['’]t|no|nor|without|unless|except|instead|limit\w*|max\w*|min\w*"
    r"|at (?:most|least)|up to|(?:more|less|fewer|longer|larger) than|range|between|before|after|until|exactly|either|one of"
    r"|requir\w*|needs?|support\w*|restrict\w*|permi\w*|default\w*|optional\w*|valid|allowed|fails?|errors?|timeout|rate"
    r"|page)\b",
    re.IGNORECASE,
)
_BOUNDS = words(
    "enum const maximum minimum exclusiveMaximum exclusiveMinimum maxLength maxItems minItems pattern format default"
)
_LIMITING = words("limit limits page pages size count offset cursor top max min timeout num number first last")
"""Words in the names of parameters that set a limit."""
_MUCH = words(
    "list search find query read download export scan crawl scrape fetch execute run upload import analyze analyse generate"
)
"""Verbs of what can come to too much, or be asked for too much."""


@check(DEFINITION, NO_LIMITS)
def check_limits(tool: Tool, target: Target) -> Iterator[Finding]:
    description = _english(tool)
    if description is None or not _has_verb(tool.name, _MUCH) or _LIMITS.search(description.value):
        return
    if any(parameter.enum or parameter.default or parameter.bounds != (None, None) for parameter in tool.parameters):
        return
    if any(not _LIMITING.isdisjoint(name_words(parameter.name)) for parameter in tool.parameters):
        return
    if any(_LIMITS.search(part.text) for part in described(tool)) or _has_bounds(tool):
        return
    yield NO_LIMITS.at(description.place, tool=tool.name, field="description")


def _has_bounds(tool: Tool) -> bool:
    """Whether the schema of a parameter says which values it accepts, more than by their type."""
    properties = None if tool.schema is None else tool.schema.get("properties")
    values = properties.value if properties is not None and isinstance(properties.value, dict) else {}
    return any(isinstance(each, dict) and not _BOUNDS.isdisjoint(each) for each in values.values())


NO_USAGE = Rule(
    code="TOOL_DESCRIPTION_NO_USAGE",
    since="0.1.0",
    severity=INFO,
    summary="A tool's name begins that of another tool, and its description does not say when to use which.",
    message="the description of `{name}` does not say when to use it rather than `{other}`",
    help="say when to use it, and which other tool to use when not",
    tags=("tools",),
    preview=True,
    group="guidance",
)

_USAGE = re.compile(
    r"\b(?:us(?:e|ed|eful|ing|age)|when|whenever|if|instead|prefer\w*|before|after|first|then|once|unless|unlike|rather than"
    r"|ideal|suitable|helps?|helpful|intended|meant|designed|recommended|call (?:this|it)|so that|in order to|e\.g|examples?"
    r"|typical\w*)\b",
    re.IGNORECASE,
)


_MOST_WORDS = 8
"""Of a name's object, more words are not compared."""


@check(SURFACE, NO_USAGE)
def check_usage(surface: Surface) -> Iterator[Finding]:
    looking: list[tuple[Tool, _Look]] = []
    longer: dict[_Look, Tool] = {}
    for tool in surface.active:
        look = None if tool.optional else _look(tool)
        if look is not None:
            looking.append((tool, look))
            for count in range(len(look.object)):
                longer.setdefault(look._replace(object=look.object[:count]), tool)
    for tool, look in looking:
        other, description = longer.get(look), _english(tool)
        if other is None or description is None or _USAGE.search(description.value):
            continue
        if not any(said != tool.name and said in surface.by_name for said in _NAME.findall(description.value)):
            related = [(f"`{other.name}` is declared here", other.name_place)]
            yield NO_USAGE.at(description.place, tool=tool.name, field="description", related=related, other=other.name)


class _Look(NamedTuple):
    """What the name of a tool that looks says: one verb for those that mean the same, and the words after it."""

    namespace: str
    before: tuple[str, ...]
    verb: str
    object: tuple[str, ...]


def _look(tool: Tool) -> _Look | None:
    words = name_words(tool.name)
    at = next((at for at, word in enumerate(words[:3]) if word in VERBS), None)
    if at is None or words[at] not in synonyms.READING:
        return None
    return _Look(tool.namespace, words[:at], VERBS[words[at]], words[at + 1 :][:_MOST_WORDS])


_NAME = re.compile(r"[A-Za-z_][\w.-]*[\w]")
_ENGLISH = re.compile(r"\b(?:a|an|the|of|for|to|and|with|in|by|from|on|all)\b", re.IGNORECASE)
_FOREIGN = re.compile(
    r"\b(?:der|das|den|ein|eine|und|für|mit|le|les|des|du|un|une|et|pour|dans|avec|sur|el|los|las|una|para|con|del|um|uma|os|il|gli|di|per|que)\b",
    re.IGNORECASE,
)


def _english(tool: Tool) -> Node | None:
    """The description of a tool, if it is one in English prose; the words of others are not known."""
    description = tool.description
    # A catalogue without schemas is not the definition that a model reads.
    if description is None or tool.is_example or tool.schema_path is None or "description" not in tool.declarable:
        return None
    return description if _is_english(description.value) else None


# Every rule asks about one tool.
@lru_cache(maxsize=4)
def _is_english(text: str) -> bool:
    return len(_FOREIGN.findall(text)) < len(_ENGLISH.findall(text)) and sum(map(str.isascii, text)) > 0.9 * len(text)
