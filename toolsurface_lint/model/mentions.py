"""Names of other tools in the text of a definition, with the evidence that they are meant as tools.

A description is prose about fields, values, files and products, so most identifiers in it are no tools: a name counts
only with words about calling it beside it, or written as code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from toolsurface_lint.source.tree import Place

TOOL, USE, NEAR, CALL, CODE = "tool", "use", "near", "call", "code"
"""The evidence: "the `x` tool", "use `x`", "with x", "x(...)", or only code formatting; the first is the strongest."""


class Mention(NamedTuple):
    """One name in a text. `evidence` is one of the five; `coded`: it stands in quotes or backticks."""

    name: str
    place: Place
    field: str
    evidence: str
    coded: bool


class Found(NamedTuple):
    """The same, with offsets into the text."""

    name: str
    start: int
    end: int
    evidence: str
    coded: bool


_LETTER = "A-Za-z0-9"
# The separator comes first as a literal, and the name is looked for around it: most texts have few.
_SNAKE = re.compile(rf"_(?<=[{_LETTER}]_)(?=[{_LETTER}])")
_KEBAB = re.compile(r"-(?<=[a-z0-9]-)(?=[a-z])")
_CODED_TOOL = re.compile(r"`(?<=[A-Za-z0-9]`) (?:MCP )?tools?\b")
_NAME_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
_REST = re.compile(rf"[{_LETTER}_]*")
_KEBAB_REST = re.compile(rf"[{_LETTER}-]*")
_WINDOW = 80
_QUOTES = "`'\"*"

_TOOL_BEHIND = re.compile(r"(?:\(\))?[`'\"*]*\s+(?:MCP\s+)?tools?\b(?![-_])")
# Nouns that say what a name is, if not a tool.
_OTHER_BEHIND = re.compile(
    r"[`'\"*]*\s+(?:API|APIs|endpoints?|fields?|flags?|columns?|param(?:eter)?s?|arg(?:ument)?s?|options?|events?|keys?|"
    r"propert(?:y|ies)|attributes?|headers?|values?|modes?|methods?|operations?|actions?|commands?|permissions?|scopes?|"
    r"roles?|tables?|variables?|objects?|types?|errors?|status(?:es)?|responses?|labels?|class(?:es)?|files?|sections?|"
    r"tokens?|settings?|nodes?|modules?|packages?|librar(?:y|ies)|hooks?|scripts?|recipes?|functions?|filters?|enums?|"
    r"strings?|formats?|orders?|requests?|resources?|results?|queries|query|statements?|schemas?|workflows?|skills?|"
    r"prompts?|agents?|subagents?|servers?|plugins?|extensions?|services?)\b"
)
_USES = re.compile(
    r"\b(?:us(?:e|es|ing)|call(?:s|ing)?|invok(?:e|es|ing)|run(?:s|ning)?|via|prefer|instead of|rather than|than|"
    r"followed by|proceed to|alternative to)"
    r"(?: the| calling| using)?(?: output of| result of| results of)?\s*\Z",
    re.IGNORECASE,
)
_NEARS = re.compile(
    r"\b(?:with|from|by|see|before|after|first|then|or|and|to|try|returned by|obtained from)(?: the)?\s*\Z",
    re.IGNORECASE,
)
_NOUN_BEFORE = re.compile(
    r"\b(?:fields?|flags?|columns?|param(?:eter)?s?|arg(?:ument)?s?|options?|events?|keys?|propert(?:y|ies)|attributes?|"
    r"headers?|values?|modes?|methods?|operations?|actions?|commands?|types?|variables?|labels?|tables?|files?)"
    r"(?: named| called| is| like)?:?\s*\Z",
    re.IGNORECASE,
)
_TOOL_BEFORE = re.compile(r"\b(?:MCP )?tools?(?: named| called)?:?\s*\Z", re.IGNORECASE)
# Said of tools that are not there, or not to be used: no reference.
_DENIED = re.compile(
    r"(?:\b(?:no|not|never|avoid|without|formerly|previously|deprecated|replac(?:es|ed)|renamed from|isn['’]t|don['’]t)"
    r"|n['’]t)(?:\s+(?:us(?:e|ing)|call(?:ing)?|invoke|invoking|run(?:ning)?|a|an|the|any|such|have|need|to))*\s*\Z",
    re.IGNORECASE,
)
_CALL_BEHIND = re.compile(r"\((?!s\)|\))")


def mentions(text: str, *, kebab: bool = False) -> Iterator[Found]:
    """The names in a text that may be tools, in order. `kebab`: names with hyphens count too."""
    if "_" in text:
        yield from _separated(text, _SNAKE, _REST, _NAME_CHARACTERS)
    if kebab and "-" in text:
        yield from _separated(text, _KEBAB, _KEBAB_REST, _NAME_CHARACTERS.replace("_", "-"))
    if "` " in text:
        for match in _CODED_TOOL.finditer(text):
            end = match.start()
            start = text.rfind("`", max(end - _WINDOW, 0), end) + 1
            name = text[start:end]
            if start and name.isidentifier() and "_" not in name and len(name) > 2:
                found = _judged(text, start, end)
                if found is not None:
                    yield found


def _separated(text: str, separator: re.Pattern[str], rest: re.Pattern[str], letters: str) -> Iterator[Found]:
    position = 0
    for match in separator.finditer(text):
        at = match.start()
        if at < position:
            continue
        before = text[max(at - _WINDOW, position) : at]
        start = at - (len(before) - len(before.rstrip(letters)))
        tail = rest.match(text, at)
        position = end = at if tail is None else tail.end()
        end = start + len(text[start:end].rstrip("_-"))
        if start < at and text[start].isalpha() and not text[start:end].isupper():
            found = _judged(text, start, end)
            if found is not None:
                yield found


def _judged(text: str, start: int, end: int) -> Found | None:
    """What the words around a name say about it; None if they say that it is no tool, or nothing."""
    outer_start, outer_end = start, end
    while outer_start and text[outer_start - 1] in _QUOTES:
        outer_start -= 1
    while outer_end < len(text) and text[outer_end] in _QUOTES:
        outer_end += 1
    coded = outer_start < start and outer_end > end
    name = text[start:end]
    behind = _TOOL_BEHIND.match(text, end)
    before = text[max(outer_start - _WINDOW, 0) : outer_start]
    if behind is None and not _stands_alone(text, outer_start, outer_end):
        return None
    if _DENIED.search(before):
        return None
    if behind is not None:
        return Found(name, start, end, TOOL, coded)
    if _OTHER_BEHIND.match(text, end) or _NOUN_BEFORE.search(before):
        return None
    if coded and _TOOL_BEFORE.search(before):
        return Found(name, start, end, TOOL, coded)
    if _USES.search(before):
        return Found(name, start, end, USE, coded)
    if text[end : end + 1] == "(" and _CALL_BEHIND.match(text, end):
        return Found(name, start, end, CALL, coded)
    if _NEARS.search(before) or before.endswith("("):
        return Found(name, start, end, NEAR, coded)
    return Found(name, start, end, CODE, coded) if coded else None


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a name is no part of a path, a member, a placeholder, an assignment, a key or a glob."""
    if text[start - 1 : start] in (".", "/", "\\", "$", "@", "#", "-", "{", "<", "%", "=", "&", "?", ":", "_", "["):
        return start == 0
    behind = text[end : end + 2]
    if behind[:1] in ("/", "\\", "=", ":", "}", ">", "*", "-", "@", "[", "_"):
        return behind == ": "
    return not (behind[:1] == "." and behind[1:].isalnum())
