r"""Orders to use a tool by a name in capitals, as Claude Code's are: `Use WebFetch to`, `run the Bash tool`, `with \`Edit\``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from toolsurface_lint.knowledge.prompt_words import BY_MEANS, IMPERATIVES, LAUNCHED, SHOWN_USE
from toolsurface_lint.model.texts import sentence_around
from toolsurface_lint.source.shared import shared


class Order(NamedTuple):
    """One name that a text orders to use; offsets are into the text.

    `called_tool`: the text says that it is a tool. `code`: the name is written as code. `as_means`: it is one word in capitals
    that something is to be done with, and so a tool if there is one of that name.
    """

    name: str
    start: int
    end: int
    called_tool: bool
    code: bool
    as_means: bool = False

    @property
    def names_a_known_tool(self) -> bool:
        """Whether it is a tool by its name and the words around it if there is one of that name."""
        return self.called_tool or self.code or self.as_means or is_own_word(self.name)


_LONGEST = 160
"""Characters of an order up to the word `tool`."""
_CAPITALS = "([A-Z][A-Za-z]+)"
_TOOL = re.compile(r" tool\b(?<=[A-Za-z`*] tool)(?!s| (?:is|if|when|where))")
_ORDER = re.compile(
    r"\b(?:[Uu]s(?:e|ing)|[Cc]all(?:ing)?|[Ii]nvok(?:e|ing)|[Rr]un(?:ning)?|[Ww]ith|[Vv]ia) (?:the |your )?"
    rf"(?:`{_CAPITALS}`|\*\*{_CAPITALS}\*\*|{_CAPITALS})\Z"
)
"""What stands before that."""
_NAME = re.compile(
    # `re` looks for a space at the speed of memchr, and for a verb by trying each letter.
    r" (?=[`A-Z])(?:(?<=\b[Uu]se )|(?<=\b[Cc]all )|(?<=\b[Ii]nvoke )|(?<=\b[Rr]un )|(?<=\b[Ww]ith )|(?<=\b[Vv]ia ))"
    r"(?:`([A-Z][A-Za-z]+)`|([A-Z][a-z]+(?:[A-Z][a-z]+)+)\b)"
    r"(?= (?:to|for|on|and|with|in|when|first)\b|[ \t]*(?:[.,;:)]|$))",
    re.MULTILINE,
)
"""In code, or of several words: anything else may be an English one."""
_MEANS = re.compile(r"Use ([A-Z][a-z]+) to [a-z]")
"""Of one word: `Use Grep to find all callers`, where no verb or noun stands in capitals."""
_MARK = re.compile(r"(?:[.:;!*-]|\d\)) \Z")
_WITH = re.compile(
    r"(?:with|using|via) (?:(?<=\bwith )|(?<=\busing )|(?<=\bvia ))(?:the )?"
    r"(?P<quote>`?)(?:(?P<looks>Bash|Grep|Glob)|(?P<writes>Write|Edit))(?P=quote)(?: tool)?"
    r"(?=,? (?:(?:to|then)\b|(?:if|when) (?!it\b|you\b|the tool|allowed|enabled|granted|permitted))"
    r"|,? and (?P<next>[a-z]{1,20})\b|[.;:)](?:\s|\Z)|[ \t]*(?:\Z|\n[ \t]*(?:\Z|\n|[-*] |\d)))"
)
"""`Run the tests with Bash and open`, where what follows makes the name no language, right or mode."""
_DONE_WITH = re.compile(
    r"[ \t]*(?:[-*] )?(?:(?P<looks>Run|Execute|Search|Find|List|Check|Look|Count|Fetch|Inspect)"
    r"|(?P<writes>Write|Save|Edit|Change|Update|Fix))\b"
)
"""The beginning of a sentence that orders what those tools do."""
_NOT_DONE_WITH = re.compile(
    r"\b(?:no|nothing|none|that|which|who|whose|written|made|built|implemented|created|configured|shipped)\b"
)
"""What may stand before it where something else is done: `find the scripts that are written with Bash`."""
_ASIDE = re.compile(
    rf"{SHOWN_USE}|\b(?:{'|'.join(LAUNCHED)}) (?:{'|'.join(BY_MEANS)})\b|"
    r"\b(?:not|never|don['’]t|avoid|without|cannot|can['’]t|instead of|rather than|if (?:available|you have)|"
    r"(?:where|when) available|unavailable|(?:assistant|users?)(?: is| are)? using)\b",
    re.IGNORECASE,
)


@shared
def orders(text: str) -> tuple[Order, ...]:
    """The orders of a text, outside of fences, in no order; none of what it forbids, shows or leaves to others."""
    return tuple(_orders(text))


def _orders(text: str) -> Iterator[Order]:
    found = [(match, _WITH) for match in _WITH.finditer(text)]
    if "Use " in text:
        found.extend((match, _MEANS) for match in _MEANS.finditer(text) if _begins_an_order(text, match.start()))
    found.extend((match, _NAME) for match in _NAME.finditer(text))
    for tool in _TOOL.finditer(text):
        match = _ORDER.search(text, max(tool.start() - _LONGEST, 0), tool.start())
        if match is not None:
            found.append((match, _TOOL))
    if not found:
        return
    from toolsurface_lint.source.markdown import layout

    is_fenced = layout(text).is_fenced
    for match, pattern in found:
        if pattern is _WITH:
            group: int | str = "looks" if match["looks"] else "writes"
        else:
            group = match.lastindex or 1
        start, end = match.span(group)
        sentence = sentence_around(text, start, end)
        if is_fenced(start) or _ASIDE.search(sentence) or (pattern is _WITH and not _is_done_with(match, sentence)):
            continue
        yield Order(match[group], start, end, pattern is _TOOL, text[start - 1] == "`", pattern in (_MEANS, _WITH))


def _begins_an_order(text: str, start: int) -> bool:
    """Whether what starts here begins a line, a sentence or an entry of a list."""
    if _MARK.search(text[max(start - 3, 0) : start]):
        return True
    while start and text[start - 1] in " \t":
        start -= 1
    return not start or text[start - 1] == "\n"


def _is_done_with(match: re.Match[str], sentence: str) -> bool:
    """Whether a sentence orders to do something with the tool that `_WITH` found in it, and goes on with another order."""
    begun = _DONE_WITH.match(sentence)
    if begun is None or begun.lastgroup != ("looks" if match["looks"] else "writes"):
        return False
    before = sentence[: sentence.find(match[0])]
    return _NOT_DONE_WITH.search(before) is None and (match["next"] is None or match["next"] in IMPERATIVES)


def is_own_word(name: str) -> bool:
    """Whether a name is more than one word, and no product's, so that prose and code mean the tool by it."""
    return name != "PowerShell" and ("_" in name.strip("_") or sum(map(str.isupper, name[1:])) > 0)
