"""What the names of tools say, whatever the words: `get_order` and `fetch_order_info` say the same."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from toolsurface_lint.knowledge import synonyms
from toolsurface_lint.model.words import name_words, stem

VERBS = {verb: min(verbs) for verbs in synonyms.SAME_VERBS for verb in verbs}
"""Verbs, and the one that stands for it and those that mean the same."""
ONE, MANY = min(synonyms.ONE_VERBS), min(synonyms.MANY_VERBS)


class Meaning(NamedTuple):
    """What a name says: two names that say the same are equal. `before` are words before the verb, `verb` stands for it
    and those that mean the same, and `object` are the words after it, without those that say nothing."""

    before: tuple[str, ...]
    verb: str
    object: tuple[str, ...]


@lru_cache(maxsize=1 << 12)
def meaning_of(name: str) -> Meaning | None:
    """What the name of a tool says; None if none of its first three words is one of the known verbs."""
    words = name_words(name)
    at = next((at for at, word in enumerate(words[:3]) if word in VERBS), None)
    if at is None:
        return None
    verb, rest = VERBS[words[at]], words[at + 1 :]
    if words[at] in synonyms.READING:
        told = tuple(word for word in rest if word not in synonyms.SAYS_NOTHING)
        many = verb == MANY or (verb == ONE and (rest[-1:] == ("list",) or rest[:1] == ("all",) or _is_plural(told)))
        if many:
            verb, told = MANY, (*told[:-1], *(stem(word) for word in told[-1:]))
        # `get_info` and `get_data` are not about one thing.
        return Meaning(words[:at], verb, told) if told or verb != ONE else Meaning(words[:at], verb, rest)
    return Meaning(words[:at], verb, rest)


def _is_plural(words: tuple[str, ...]) -> bool:
    return words[-1:] != () and words[-1].endswith("s") and not words[-1].endswith(("ss", "us", "is"))
