r"""Orders to use a tool by a name in capitals, as Claude Code's are: `Use WebFetch to`, `run the Bash tool`, `with \`Edit\``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from toolsurface_lint.knowledge.prompt_words import BY_MEANS, LAUNCHED, SHOWN_USE
from toolsurface_lint.model.texts import sentence_around


class Order(NamedTuple):
    """One name that a text orders to use; offsets are into the text.

    `called_tool`: the text says that it is a tool. `code`: the name is written as code.
    """

    name: str
    start: int
    end: int
    called_tool: bool
    code: bool


_VERB = r"\b(?:[Uu]s(?:e|ing)|[Cc]all(?:ing)?|[Ii]nvok(?:e|ing)|[Rr]un(?:ning)?|[Ww]ith|[Vv]ia) (?:the |your )?"
_CAPITALS = "([A-Z][A-Za-z]+)"
_TOOL = re.compile(_VERB + rf"(?:`{_CAPITALS}`|\*\*{_CAPITALS}\*\*|{_CAPITALS}) tool\b(?!s| (?:is|if|when|where))")
_AFTER = r"(?= (?:to|for|on|and|with|in|when|first)\b|[ \t]*(?:[.,;:)]|$))"
_NAME = re.compile(
    r"\b(?:[Uu]se|[Cc]all|[Ii]nvoke|[Rr]un|[Ww]ith|[Vv]ia) (?:`([A-Z][A-Za-z]+)`|([A-Z][a-z]+(?:[A-Z][a-z]+)+)\b)"
    + _AFTER,
    re.MULTILINE,
)
"""In code, or of several words: anything else may be an English one."""
_ASIDE = re.compile(
    rf"{SHOWN_USE}|\b(?:{'|'.join(LAUNCHED)}) (?:{'|'.join(BY_MEANS)})\b|"
    r"\b(?:not|never|don['’]t|avoid|without|cannot|can['’]t|instead of|rather than|if (?:available|you have)|"
    r"(?:where|when) available|unavailable|(?:assistant|users?)(?: is| are)? using)\b",
    re.IGNORECASE,
)


def orders(text: str) -> Iterator[Order]:
    """The orders of a text, outside of fences, in no order; none of what it forbids, shows or leaves to others."""
    found = [(match, match.lastindex or 1, True) for match in _TOOL.finditer(text)]
    found += [(match, match.lastindex or 1, False) for match in _NAME.finditer(text)]
    if not found:
        return
    from toolsurface_lint.source.markdown import layout

    is_fenced = layout(text).is_fenced
    for match, group, called_tool in found:
        start, end = match.span(group)
        if not is_fenced(start) and not _ASIDE.search(sentence_around(text, start, end)):
            yield Order(match[group], start, end, called_tool, text[start - 1] == "`")


def is_own_word(name: str) -> bool:
    """Whether a name is more than one word, and no product's, so that prose and code mean the tool by it."""
    return name != "PowerShell" and ("_" in name.strip("_") or sum(map(str.isupper, name[1:])) > 0)
