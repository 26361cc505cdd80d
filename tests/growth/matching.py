"""A backtracking matcher of regular expressions that counts its steps, which `re` does not tell.

It takes the tree that `re` itself parses and tries alternatives in the order in which `re` does, so that its steps grow as
those of `re` do; only how long a step takes is different.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

_MANY = 64
"""Repetitions from which on a repeat counts as one without a bound."""
_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)

Next = Callable[[int], bool]
Node = Callable[[int, Next], bool]


class TooManySteps(Exception):
    """A match took more steps than it may."""


def parsed(pattern: re.Pattern[Any]) -> Any:
    """The tree of a compiled pattern, a sequence of `(operation, value)`."""
    source = pattern.pattern
    text = source.decode("latin-1") if isinstance(source, bytes) else source
    return parser.parse(text, pattern.flags & ~re.DEBUG)


def is_bounded(pattern: re.Pattern[Any]) -> bool:
    """Whether a match looks at no more than a fixed number of characters."""
    return not any(True for _ in repeats(parsed(pattern)))


def repeats(tree: Any) -> Iterable[Any]:
    """The repeats of a tree that have no bound, or a large one."""
    for operation, value in tree:
        if operation in _REPEATS and value[1] > _MANY:
            yield value
        yield from (found for part in parts(operation, value) for found in repeats(part))


def parts(operation: Any, value: Any) -> list[Any]:
    """The sequences inside one item of a tree."""
    if operation in _REPEATS:
        return [value[2]]
    if operation is op.BRANCH:
        return list(value[1])
    if operation is op.SUBPATTERN:
        return [value[3]]
    if operation is op.ATOMIC_GROUP:
        return [value]
    if operation in (op.ASSERT, op.ASSERT_NOT):
        return [value[1]]
    if operation is op.GROUPREF_EXISTS:
        return [part for part in value[1:] if part is not None]
    return []


def takes(operation: Any, value: Any, flags: int) -> Callable[[str], bool] | None:
    """What decides whether one character is taken by an item; None for an item that is no single character."""
    ignore = bool(flags & re.IGNORECASE)

    def same(code: int) -> Callable[[str], bool]:
        expected = chr(code)
        if ignore:
            return lambda character: character.lower() == expected.lower()
        return lambda character: character == expected

    if operation is op.LITERAL:
        return same(value)
    if operation is op.NOT_LITERAL:
        other = same(value)
        return lambda character: not other(character)
    if operation is op.ANY:
        return (lambda character: True) if flags & re.DOTALL else (lambda character: character != "\n")
    if operation is op.IN:
        # The set as its own expression: `re` knows its categories best.
        return _set_of(value, flags)
    return None


def _first(tree: Any, flags: int) -> Callable[[str], bool] | None:
    """What decides whether a tree can match anything that begins with a character; None where it may match nothing."""
    for operation, value in tree:
        single = takes(operation, value, flags)
        if single is not None:
            return single
        if operation is op.SUBPATTERN:
            return _first(value[3], (flags | value[1]) & ~value[2])
        if operation is op.ATOMIC_GROUP:
            return _first(value, flags)
        if operation in _REPEATS and value[0] > 0:
            return _first(value[2], flags)
        if operation is op.BRANCH:
            firsts = [_first(part, flags) for part in value[1]]
            if None in firsts:
                return None
            return lambda character: any(first(character) for first in firsts if first is not None)
        if operation not in (op.ASSERT, op.ASSERT_NOT, op.AT):
            return None
    return None


def _set_of(items: Any, flags: int) -> Callable[[str], bool]:
    known: dict[str, bool] = {}
    negated = any(operation is op.NEGATE for operation, _ in items)

    def one(character: str) -> bool:
        forms = {character, character.lower(), character.upper()} if flags & re.IGNORECASE else {character}
        for operation, value in items:
            if operation is op.LITERAL and chr(value) in forms:
                return True
            if operation is op.RANGE and any(len(form) == 1 and value[0] <= ord(form) <= value[1] for form in forms):
                return True
            if operation is op.CATEGORY and _in_category(character, value, flags):
                return True
        return False

    def taken(character: str) -> bool:
        found = known.get(character)
        if found is None:
            found = known[character] = one(character) is not negated
        return found

    return taken


def _in_category(character: str, category: Any, flags: int) -> bool:
    name = str(category)
    ascii_only = bool(flags & re.ASCII)
    if "DIGIT" in name:
        found = character in "0123456789" if ascii_only else unicodedata.category(character) == "Nd"
    elif "SPACE" in name:
        found = character in " \t\n\r\f\v" if ascii_only else character.isspace()
    else:
        found = (character.isalnum() or character == "_") and (character.isascii() or not ascii_only)
    return found is not ("NOT" in name)


class Matcher:
    """One pattern; `match` and `search` give the number of steps that they took.

    `ends` are the ends of what was found last: as many as matches, the first for `match` alone.
    """

    def __init__(self, pattern: re.Pattern[Any]) -> None:
        self._flags = pattern.flags
        self._groups: dict[int, tuple[int, int]] = {}
        self._text = ""
        self._end = self._steps = self._limit = 0
        tree = parsed(pattern)
        self.ends: list[int] = []
        self._start = self._sequence(tree)
        self._first = _first(tree, pattern.flags)

    def match(self, text: str, start: int, end: int, limit: int, *, whole: bool = False) -> int:
        """The steps of one match from `start`; up to `end` if it is to be the `whole`. Raises `TooManySteps` beyond `limit`."""
        self._begin(text, end, limit)
        self._start(start, lambda position: (position == end or not whole) and self._ended(position))
        return self._steps

    def _ended(self, position: int) -> bool:
        self.ends.append(position)
        return True

    def search(self, text: str, limit: int) -> int:
        """The steps of finding every match in a text. Raises `TooManySteps` beyond `limit`."""
        self._begin(text, len(text), limit)
        position = 0
        while position <= len(text):
            self._step()
            if self._first is not None and (position == len(text) or not self._first(text[position])):
                position += 1
                continue
            found = self._start(position, self._ended)
            position = max(self.ends[-1], position + 1) if found else position + 1
        return self._steps

    def _begin(self, text: str, end: int, limit: int) -> None:
        sys.setrecursionlimit(max(sys.getrecursionlimit(), 200_000))
        self._text, self._end, self._limit, self._steps = text, end, limit, 0
        self._groups.clear()
        self.ends = []

    def _step(self) -> None:
        self._steps += 1
        if self._steps > self._limit:
            raise TooManySteps

    def _sequence(self, items: Sequence[Any]) -> Node:
        nodes = [self._node(operation, value) for operation, value in items]
        if len(nodes) == 1:
            return nodes[0]

        def run(position: int, following: Next, index: int = 0) -> bool:
            if index == len(nodes):
                return following(position)
            return nodes[index](position, lambda after: run(after, following, index + 1))

        return run

    def _node(self, operation: Any, value: Any) -> Node:
        single = takes(operation, value, self._flags)
        if single is not None:
            return self._single(single)
        if operation in _REPEATS:
            return self._repeat(operation, *value)
        if operation is op.BRANCH:
            return self._branch(value[1])
        if operation is op.SUBPATTERN:
            return self._group(value)
        if operation is op.ATOMIC_GROUP:
            return self._atomic(self._sequence(value))
        if operation in (op.ASSERT, op.ASSERT_NOT):
            return self._assertion(value[0], self._sequence(value[1]), value[1], operation is op.ASSERT)
        if operation is op.AT:
            return lambda position, following: self._is_at(value, position) and following(position)
        if operation is op.GROUPREF:
            return self._reference(value)
        raise NotImplementedError(str(operation))

    def _single(self, taken: Callable[[str], bool]) -> Node:
        def run(position: int, following: Next) -> bool:
            self._step()
            return position < self._end and taken(self._text[position]) and following(position + 1)

        return run

    def _branch(self, parts: Sequence[Any]) -> Node:
        branches = [(_first(part, self._flags), self._sequence(part)) for part in parts]
        fitting: dict[str, list[Node]] = {}

        def run(position: int, following: Next) -> bool:
            self._step()
            character = self._text[position] if position < self._end else ""
            chosen = fitting.get(character)
            if chosen is None:
                chosen = fitting[character] = [
                    branch for first, branch in branches if first is None or (character != "" and first(character))
                ]
            return any(branch(position, following) for branch in chosen)

        return run

    def _group(self, value: Any) -> Node:
        number, added, removed, body = value
        flags, self._flags = self._flags, (self._flags | added) & ~removed
        inner = self._sequence(body)
        self._flags = flags
        if number is None:
            return inner

        def run(position: int, following: Next) -> bool:
            def ended(after: int) -> bool:
                before = self._groups.get(number)
                self._groups[number] = (position, after)
                if following(after):
                    return True
                if before is None:
                    del self._groups[number]
                else:
                    self._groups[number] = before
                return False

            return inner(position, ended)

        return run

    def _atomic(self, inner: Node) -> Node:
        def run(position: int, following: Next) -> bool:
            ends: list[int] = []
            return inner(position, lambda after: ends.append(after) or True) and following(ends[0])  # type: ignore[func-returns-value]

        return run

    def _assertion(self, direction: int, inner: Node, items: Any, wanted: bool) -> Node:
        width = items.getwidth()[0] if direction < 0 else 0

        def run(position: int, following: Next) -> bool:
            start = position - width
            found = start >= 0 and inner(start, lambda after: direction > 0 or after == position)
            return found is wanted and following(position)

        return run

    def _reference(self, number: int) -> Node:
        def run(position: int, following: Next) -> bool:
            if number not in self._groups:
                return False
            start, end = self._groups[number]
            text = self._text[start:end]
            self._steps += len(text)
            self._step()
            return self._text.startswith(text, position) and following(position + len(text))

        return run

    def _is_at(self, where: Any, position: int) -> bool:
        self._step()
        name, text = str(where), self._text
        multiline = bool(self._flags & re.MULTILINE)
        if "BOUNDARY" in name:
            before = position > 0 and _in_category(text[position - 1], "WORD", self._flags)
            after = position < self._end and _in_category(text[position], "WORD", self._flags)
            return (before is not after) is not ("NON" in name)
        if "BEGINNING" in name:
            return position == 0 or (multiline and "STRING" not in name and text[position - 1] == "\n")
        if position == self._end:
            return True
        if "STRING" in name:
            return False
        return text[position] == "\n" and (multiline or position == self._end - 1)

    def _repeat(self, operation: Any, low: int, high: int, body: Any) -> Node:
        single = takes(*body[0], self._flags) if len(body) == 1 else None
        lazy = operation is op.MIN_REPEAT
        if single is not None:
            return self._repeat_single(single, low, high, lazy=lazy, possessive=operation is op.POSSESSIVE_REPEAT)
        inner = self._sequence(body)

        def run(position: int, following: Next, count: int = 0) -> bool:
            def again() -> bool:
                return count < high and inner(
                    position, lambda after: (after > position or count < low) and run(after, following, count + 1)
                )

            self._step()
            if count < low:
                return again()
            return following(position) or again() if lazy else again() or following(position)

        return self._atomic(run) if operation is op.POSSESSIVE_REPEAT else run

    def _repeat_single(
        self, taken: Callable[[str], bool], low: int, high: int, *, lazy: bool, possessive: bool
    ) -> Node:
        def run(position: int, following: Next) -> bool:
            text, end = self._text, self._end
            last = position + low if lazy else min(end, position + high)
            after = position
            while after < min(last, end) and taken(text[after]):
                self._step()
                after += 1
            if after < position + low:
                return False
            if possessive:
                return following(after)
            while not lazy:
                if following(after):
                    return True
                after -= 1
                if after < position + low:
                    return False
                self._step()
            while not following(after):
                self._step()
                if after >= min(end, position + high) or not taken(text[after]):
                    return False
                after += 1
            return True

        return run
