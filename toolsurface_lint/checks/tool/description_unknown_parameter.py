"""A description that calls a parameter by a wrong name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from toolsurface_lint.checks.contract import DEFINITION, check
from toolsurface_lint.model.diagnostics import UNSAFE, WARNING, Finding, Rule, renaming
from toolsurface_lint.model.names import CloseNames, suggestion
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.texts import described, names_in
from toolsurface_lint.model.tool import Tool

RULE = Rule(
    code="TOOL_DESCRIPTION_UNKNOWN_PARAMETER",
    since="0.1.0",
    severity=WARNING,
    summary="A description names a parameter that does not exist, close to one that does.",
    message="the description names the parameter `{name}`, which `{tool_name}` does not declare",
    tags=("tools",),
    fix=UNSAFE,
)

# Compiled when a text first needs them, which most do not.
_NOUN = r"(?<![A-Za-z0-9_])(?:param(?:eter)?s?|arguments?|args?)\b(?!\s+(?:of|on|in|from)\s+(?!this\b))"
_IDENTIFIER = r"[A-Za-z_][A-Za-z0-9_-]*"
_WORD = rf"({_IDENTIFIER})([`'\"*]*)\s+\Z"
_NEXT = rf"\s+(?:named |called )?([`'\"*]*)({_IDENTIFIER})(?![.(])"
_INNER_CASE = r"[a-z0-9][A-Z]|[A-Za-z0-9][_-][A-Za-z0-9]"
_SECTION = r"(?m)^[ \t]*(?:Args|Arguments|Parameters|Params)[ \t]*:[ \t]*\n"
_ENTRY = rf"[ \t]++[-*]?[ \t]*+`?({_IDENTIFIER})`?[ \t]*+(?:\([^()\n]*+\)[ \t]*+)?:"
# What is said of a parameter alone: that it is given, and by whom; where a value comes from is said of a field.
_GIVERS = ("set", "pass", "provide", "specify", "supply", "omit", "leave", "fill")
_GIVEN = (
    rf"(?i)\b(?:set|pass|provide|specify|supply|omit|leave|fill in)\s+(?:the\s+)?`({_IDENTIFIER})`"
    r"(?!\s+(?:[a-z]+\s+)?(?:from|returned)\b)"
)
_TO_GIVE = (
    rf"`({_IDENTIFIER})`\s+(?:is|are|must\s+be|should\s+be|can\s+be|may\s+be)\s+"
    r"(?:set|passed|given|provided|specified|supplied|omitted|left)\b"
)
_WINDOW = 80


@check(DEFINITION, RULE)
def check_definition(tool: Tool, target: Target) -> Iterator[Finding]:
    if not tool.known_keys:
        return
    known: set[str] | None = None
    declared = frozenset(tool.known_keys)
    has_capitals = any(key != key.lower() for key in declared)
    close = CloseNames(tool.known_keys)
    # What a docstring's section names is TOOL_CODE_DOCSTRING_PARAMETER_UNKNOWN's.
    reported = set() if tool.code is None else {documented.name for documented in tool.code.documented}
    texts = [] if tool.description is None else [("description", tool.description)]
    texts.extend((part.field, part.node(tool)) for part in described(tool))
    for field, node in texts:
        text = node.value
        if "`" not in text and not any(word in text for word in ("param", "rgument", "args", "Args", "Param")):
            continue
        for name, start, end in (*_named_parameters(text), *_given(text, declared)):
            # `Products`, where all are in small letters, is what a form calls it.
            if name in declared or name in reported or (name.istitle() and not has_capitals):
                continue
            schema = tool.schema
            if known is None:
                # Names that it may use without meaning a parameter by another name.
                known = {tool.name} if schema is None else {tool.name, *names_in(schema.value)}
            near = () if name in known else close.find(name)
            if not near:
                continue
            reported.add(name)
            place = node.text_place(start, end)
            meant = None if schema is None else schema.find("properties", near[0]) or schema.get(near[0])
            yield RULE.at(
                place,
                tool=tool.name,
                field=field,
                related=[] if meant is None else [(f"`{near[0]}` is declared here", meant.key_place)],
                name=name,
                tool_name=tool.name,
                help=suggestion(near),
                fix=renaming(place, name, near),
            )


def _named_parameters(text: str) -> Iterator[tuple[str, int, int]]:
    """The names that a text calls parameters: beside that word, or in a section that lists them."""
    if not any(word in text for word in ("param", "arg", "Param", "Arg")):
        return
    for noun in re.finditer(_NOUN, text):
        low = max(noun.start() - _WINDOW, 0)
        before = re.search(_WORD, text[low : noun.start()])
        if before is not None:
            start = low + before.start(1)
            if _is_name(text, start, before[1], before[2]):
                yield before[1], start, start + len(before[1])
        behind = re.compile(_NEXT).match(text, noun.end())
        if behind is not None and behind[1] and text[behind.end() : behind.end() + 1] == behind[1][-1]:
            yield behind[2], *behind.span(2)
    seen: set[tuple[int, int]] = set()
    for section in re.finditer(_SECTION, text):
        yield from _entries(text, section.end(), seen)


def _given(text: str, declared: Collection[str]) -> Iterator[tuple[str, int, int]]:
    """The names in code that a text says to give: parameters, unless a setting or one of many is meant."""
    if "`" not in text:
        return
    # The first pattern is tried at every letter.
    folded = text.casefold()
    patterns = (_GIVEN, _TO_GIVE) if any(giver in folded for giver in _GIVERS) else (_TO_GIVE,)
    for pattern in patterns:
        for given in re.finditer(pattern, text):
            name = given[1]
            if not name.isupper() and f"{name}s" not in declared and name.removesuffix("s") not in declared:
                yield name, *given.span(1)


def _is_name(text: str, start: int, name: str, quote: str) -> bool:
    """Whether a word before `parameter` is a name and no adjective: quoted, or written as no word is."""
    if quote:
        return text[start - 1 : start] == quote[0]
    return (
        text[start - 1 : start] in ("", " ", "\n", "(") and re.search(_INNER_CASE, name) is not None and "-" not in name
    )


def _entries(text: str, position: int, seen: set[tuple[int, int]]) -> Iterator[tuple[str, int, int]]:
    """The names of a docstring's section, which ends with its indentation.

    `seen` are the lines of earlier sections, each with the indentation of its section: what one heading in another's
    section would give again is left out.
    """
    indent = None
    while position < len(text):
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        line = text[position:end]
        width = len(line) - len(line.lstrip(" \t"))
        if line.strip():
            if indent is None:
                indent = width
            if width < indent or width == 0 or (position, indent) in seen:
                return
            seen.add((position, indent))
            entry = re.match(_ENTRY, line) if width == indent else None
            if entry is not None:
                yield entry[1], position + entry.start(1), position + entry.end(1)
        position = end + 1
