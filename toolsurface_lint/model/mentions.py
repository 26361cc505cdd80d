"""Names of other tools in the text of a definition, with the evidence that they are meant as tools.

A description is prose about fields, values, files and products, so most identifiers in it are not tools: a name counts
only with words about calling it around it, or written as code.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Container, Iterator
from functools import cache

from toolsurface_lint.knowledge import words
from toolsurface_lint.model.texts import described
from toolsurface_lint.model.tool import Mention, Tool
from toolsurface_lint.model.words import LOOKS_LIKE_A_FIELD, name_words
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Place

TOOL, USE, NEAR, CALL, CODE = "tool", "use", "near", "call", "code"
"""The evidence: "the `x` tool", "use `x`", "with x", "x(...)", or only code formatting; the first is the strongest."""


_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
# The separator comes first as a literal, and the name is looked for around it: most texts have few.
_SNAKE = re.compile(r"_(?<=[A-Za-z0-9]_)[A-Za-z0-9][A-Za-z0-9_]*")
_KEBAB = re.compile(r"-(?<=[a-z0-9]-)[a-z][A-Za-z0-9-]*")
_HUMP = re.compile(r"[a-z0-9][A-Z]")
_WINDOW = 80
_QUOTES = "`'\"*"
_ARROWS = ("\u2192 ", "-> ")
_PUNCTUATION = "`'\"*.,;:!?()[]"

_USES = words("use uses using call calls calling invoke invokes invoking run runs running via prefer than")
_NEARS = frozenset({"with", "from", "by", "see", "before", "after", "first", "then", "or", "and", "to", "try"})
# Of two words, as the last says too little.
_USE_PAIRS = frozenset({("instead", "of"), ("output", "of"), ("result", "of"), ("results", "of"), ("proceed", "to")})
_ARTICLES = frozenset({"the", "a", "an", "any", "such"})
# Nouns that say what a name is, if not a tool.
_OTHERS = words(
    "api endpoint field flag column param parameter arg argument option event key property attribute header value "
    "mode method operation action command permission scope role table variable object type error status response "
    "label class file section token setting node module package library hook script recipe function filter enum "
    "string format order request resource result query statement schema workflow skill prompt agent subagent "
    "server plugin extension service properties libraries queries classes statuses"
)
_ITEM = r"[`'\"*]++[\w-]++[`'\"*]++(?:\s*+\([^()]*+\))?+"
_LIST = rf":\s++{_ITEM}(?:(?:,\s++(?:(?:and|or)\s++)?+|\s++(?:and|or)\s++){_ITEM})++"
# Said of tools that are not there, not to be used, or part of another service: no reference.
_DENIALS = words(
    "no not never avoid without hypothetical formerly previously deprecated replaces replaced replacing supersedes superseding "
    "consolidates consolidating combines combining merges merging absorbs absorbing legacy legacy's legacy’s built-in "
    "builtin don't don’t isn't isn’t mustn't shouldn't cannot can't"
)
# Before `by`, of what the program does by itself.
_HANDLED = words("handled managed performed implemented enforced")
# After a name, of what a call gave: data.
_GIVEN = words("returned received obtained provided given extracted")
# Said of a tool that a client may have.
_IF_THERE = re.compile(r"\s+tools?\s+(?:is|are)\s+(?:not\s+|un)?(?:available|enabled|installed|present)\b")
_BETWEEN = _USES | _ARTICLES | {"have", "need", "to", "be", "ever", "separate"}


def mentions_of(tool: Tool) -> tuple[tuple[str, Place, Mention], ...]:
    """The names in a tool's texts that may be other tools, each with its field and place.

    Remembered by the tool: its file need be at hand only for the first time.
    """
    if tool.mentions is None:
        tool.mentions = tuple(_read_mentions(tool))
    return tool.mentions


def _read_mentions(tool: Tool) -> Iterator[tuple[str, Place, Mention]]:
    kebab = "-" in tool.name
    description = tool.description
    texts = [] if description is None else [("description", description)]
    texts.extend(
        (part.field, part.node(tool)) for part in described(tool) if "_" in part.text or kebab or " tool" in part.text
    )
    own = frozenset((tool.name, *tool.known_keys))
    for field, node in texts:
        for mention in mentions_in(node.value, own, kebab=kebab):
            yield field, node.text_place(mention.start, mention.end), mention


def mentions_in(text: str, skip: Container[str] = (), *, kebab: bool = False) -> Iterator[Mention]:
    """The names in a text that may be tools, without those to skip. `kebab`: names with hyphens count too."""
    others: list[int] | None = None
    for start, end in _candidates(text, kebab):
        if text[start:end] in skip or (found := _judged(text, start, end)) is None:
            continue
        if found.coded and found.evidence in (NEAR, CODE):
            others = _lists_of_others(text) if others is None else others
            if bisect(others, start) % 2:
                continue
        yield found


@cache
def _list_pattern() -> re.Pattern[str]:
    return re.compile(_LIST)


def _lists_of_others(text: str) -> list[int]:
    """Where lists in code start and end whose noun says that they are not of tools: `Actions: 'add' (text), 'drop' (id)`."""
    found: list[int] = []
    for match in _list_pattern().finditer(text):
        before = text[max(match.start() - _WINDOW, 0) : match.start()]
        if before[len(before.rstrip(_LETTERS)) :].lower().removesuffix("s") in _OTHERS:
            found += match.span()
    return found


def _candidates(text: str, kebab: bool) -> Iterator[Span]:
    if "_" in text:
        yield from _separated(text, _SNAKE, _LETTERS + "_")
    if kebab and "-" in text:
        yield from _separated(text, _KEBAB, _LETTERS + "-")
    yield from _called_tools(text)


def _called_tools(text: str) -> Iterator[Span]:
    """Words that are called a tool: those in backticks, and others with inner capitals."""
    at = text.find(" tool")
    while at >= 0:
        before = text[max(at - _WINDOW, 0) : at]
        bare = before.rstrip(_QUOTES)
        name = bare[len(bare.rstrip(_LETTERS)) :]
        end = at - (len(before) - len(bare))
        start = end - len(name)
        mark = text[start - 1 : start]
        if mark == "`":
            is_word = len(name) > 2 and text[end:at] == "`"
        else:
            is_word = name[:1].isalpha() and mark not in ("_", "-", ".", "/") and _HUMP.search(name) is not None
        if is_word:
            yield Span(start, end)
        at = text.find(" tool", at + 1)


def _separated(text: str, pattern: re.Pattern[str], letters: str) -> Iterator[Span]:
    position = 0
    for match in pattern.finditer(text):
        at = match.start()
        before = text[max(at - _WINDOW, position) : at]
        start = at - (len(before) - len(before.rstrip(letters)))
        position = match.end()
        end = start + len(text[start:position].rstrip("_-"))
        name = text[start:end]
        if start < at and name[0].isalpha() and not name.isupper():
            yield Span(start, end)


def _judged(text: str, start: int, end: int) -> Mention | None:
    """What the words around a name say about it; None if they say that it is not a tool, or nothing."""
    outer_start, outer_end = start, end
    while outer_start and text[outer_start - 1] in _QUOTES:
        outer_start -= 1
    while outer_end < len(text) and text[outer_end] in _QUOTES:
        outer_end += 1
    coded = outer_start < start and outer_end > end
    name = text[start:end]
    called = text[end : end + 1] == "(" and text[end + 1 : end + 2] not in (")", "s", "")
    after = _words_after(text, outer_end + 2 if text.startswith("()", outer_end) else outer_end)
    is_tool = after[:1] in (["tool"], ["tools"]) or after in (["mcp", "tool"], ["mcp", "tools"])
    before = text[max(outer_start - _WINDOW, 0) : outer_start]
    if coded and text[outer_end : outer_end + 1] == ":" and before.rstrip()[-1:] in ("{", ","):
        # A key of an object.
        return None
    words = [word.lstrip("(") for word in before.lower().split()[-6:]]
    if len(words) > 1 and words[-1] in _ARTICLES:
        words.pop()
    last = words[-1] if words else ""
    # Nearly all names have nothing around them that speaks of tools.
    near = last in _NEARS or before.endswith(_ARROWS)
    # After a name in code, parentheses say when it counts: "`limit` (list_notes, query)".
    near = near or (before.endswith((" (", "\n(")) and before[:-2].rstrip()[-1:] not in _QUOTES)
    used = last in _USES or tuple(words[-2:]) in _USE_PAIRS
    if not (is_tool or called or coded or near or used) or (near and _is_done_by(words)):
        return None
    if _is_denied(words) or not (is_tool or _stands_alone(text, outer_start, outer_end)):
        return None
    if is_tool:
        return None if _IF_THERE.match(text, outer_end) else Mention(name, start, end, TOOL, coded)
    if last in ("and", "or") and _is_field(words):
        return None
    if _GIVEN.intersection(after[:1]):
        return None
    noun = "" if called else last.strip(_PUNCTUATION)
    if not _OTHERS.isdisjoint((*after[:1], *(word.removesuffix("s") for word in (*after[:1], noun)))):
        return None
    if coded and noun in ("tool", "tools"):
        return Mention(name, start, end, TOOL, coded)
    return Mention(name, start, end, USE if used else CALL if called else NEAR if near else CODE, coded)


def _words_after(text: str, end: int) -> list[str]:
    """The two words right after a name, in lower case; none if something other than white space comes first."""
    if not text[end : end + 1].isspace():
        return []
    return [word.strip(_PUNCTUATION) for word in text[end : end + 40].lower().split()[:2]]


def _is_denied(words: list[str]) -> bool:
    """Whether the words before a name end in a denial or a prohibition: `do not use the`, `there is no "x" or`."""
    other = False
    for word in reversed(words):
        if word in _DENIALS:
            return True
        # What is said of one alternative is said of the other.
        if not (word in _BETWEEN or word == "or" or (other and "_" in word)):
            return False
        other = word == "or"
    return False


def _is_field(words: list[str]) -> bool:
    """Whether a name comes after that of a field: "including `thread_id` and `reply_to`"."""
    joined = name_words(words[-2].strip(_PUNCTUATION)) if len(words) > 1 else ()
    return len(joined) > 1 and joined[-1] in LOOKS_LIKE_A_FIELD


def _is_done_by(words: list[str]) -> bool:
    """Whether the words before a name say which code of the program does something: `handled by a and`."""
    while len(words) > 2 and words[-1] in ("and", "or") and "_" in words[-2]:
        words = words[:-2]
    return len(words) > 1 and words[-1] == "by" and words[-2] in _HANDLED


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a name is not part of a path, a member, a placeholder, an assignment, a key or a glob."""
    if start and text[start - 1] in "./\\$@#-{<%=&?:_[":
        return False
    after = text[end : end + 2]
    if after[:1] in ("/", "\\", "=", ":", "}", ">", "*", "-", "@", "[", "_"):
        return after == ": "
    return not (after[:1] == "." and after[1:].isalnum())
