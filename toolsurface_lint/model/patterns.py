"""Patterns of tool names: whether one matches, and which of many do without trying each."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import chain
from operator import itemgetter
from typing import Generic, TypeVar

T = TypeVar("T")


def glob_match(pattern: str, name: str) -> bool:
    """The Harn specification's pattern rule: `*`, `prefix*`, `*suffix`, else equal text. Case counts; nothing else is special."""
    if pattern == "*":
        return True
    if pattern.endswith("*"):
        return name.startswith(pattern[:-1])
    if pattern.startswith("*"):
        return name.endswith(pattern[1:])
    return pattern == name


def wildcard_match(pattern: str, text: str) -> bool:
    """Whether a pattern in which `*` stands for any text matches a whole text.

    A `*` in the text is a letter like others, so that a pattern which matches another pattern covers it.
    """
    if "*" not in pattern:
        return pattern == text
    first, *middle, last = pattern.split("*")
    if len(first) + len(last) > len(text) or not text.startswith(first) or not text.endswith(last):
        return False
    position, end = len(first), len(text) - len(last)
    for part in middle:
        found = text.find(part, position, end)
        if found < 0:
            return False
        position = found + len(part)
    return True


def command_covers(pattern: str, other: str) -> bool:
    """The same for command patterns, where ` *` at the end also matches nothing: `git *` covers `git`."""
    return wildcard_match(pattern, other) or (pattern.endswith(" *") and wildcard_match(pattern[:-2], other))


class PatternSet:
    """Patterns of `glob_match`, to be asked which of them match a name.

    `wildcards`: they are those of `wildcard_match`. Patterns with a `*` inside are then tried one by one.
    """

    def __init__(self, patterns: Iterable[str], *, wildcards: bool = False) -> None:
        self._patterns = dict.fromkeys(patterns)
        self._tried = [each for each in self._patterns if wildcards and has_inner_wildcard(each)]
        simple = self._patterns.keys() - self._tried
        self._sizes = [
            sorted({len(pattern) - 1 for pattern in simple if pattern.endswith("*")}),
            sorted({len(pattern) - 1 for pattern in simple if pattern.startswith("*")}),
        ]

    def matching(self, name: str) -> list[str]:
        """The distinct patterns that match a name, in no order."""
        size = len(name)
        asked = {name} if name[-1:] != "*" != name[:1] else set()
        asked.update(name[:length] + "*" for length in self._sizes[0] if length <= size)
        asked.update("*" + name[size - length :] for length in self._sizes[1] if length <= size)
        asked.difference_update(self._tried)
        found = [pattern for pattern in asked if pattern in self._patterns and glob_match(pattern, name)]
        return found + [pattern for pattern in self._tried if wildcard_match(pattern, name)]


class PatternMap(Generic[T]):
    """Entries, each under a pattern, to be asked for those that match a name; `wildcards` as for `PatternSet`."""

    def __init__(self, entries: Iterable[tuple[str, T]], *, wildcards: bool = False) -> None:
        self._entries: dict[str, list[tuple[int, T]]] = {}
        for position, (pattern, entry) in enumerate(entries):
            self._entries.setdefault(pattern, []).append((position, entry))
        self._patterns = PatternSet(self._entries, wildcards=wildcards)

    def matching(self, name: str) -> list[T]:
        """The entries that match a name, in order."""
        found = chain(*(self._entries[pattern] for pattern in self._patterns.matching(name)))
        return [entry for _, entry in sorted(found, key=itemgetter(0))]

    def first(self, name: str) -> T | None:
        """The first entry that matches a name."""
        found = (self._entries[pattern][0] for pattern in self._patterns.matching(name))
        return min(found, key=itemgetter(0), default=(0, None))[1]


def has_inner_wildcard(pattern: str) -> bool:
    """Whether a pattern is more than a text, a prefix or a suffix."""
    return "*" in (pattern[:-1] if pattern.endswith("*") else pattern[1:])


class NameIndex:
    """Names in an order, ready to be asked which of them many patterns of `glob_match` match."""

    def __init__(self, names: Iterable[str]) -> None:
        self._forwards = sorted((name, position) for position, name in enumerate(names))
        self._backwards = sorted((name[::-1], position) for name, position in self._forwards)

    def matched(self, pattern: str, most: int) -> tuple[list[int], int]:
        """The positions of names that a pattern matches, in order and `most` of them at most, and how many there are."""
        names, start, whole = self._forwards, pattern, True
        if pattern.endswith("*"):
            start, whole = pattern[:-1], False
        elif pattern.startswith("*"):
            names, start, whole = self._backwards, pattern[:0:-1], False
        low = bisect_left(names, (start,))
        size = None if whole else len(start)
        high = bisect_right(names, start, low, key=lambda each: each[0][:size])
        return sorted(position for _, position in names[low : min(high, low + most)]), high - low
