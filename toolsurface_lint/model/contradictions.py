"""Rules of one permission file that decide the same calls otherwise, found without comparing each with all."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from toolsurface_lint.model.permission import GLOB, PATH, PermissionRule

MOST_COMPARED = 200
"""So many rules of one file that no index can find are compared with all others; see `uncompared`."""


def contradictions(rules: Sequence[PermissionRule]) -> Iterator[tuple[PermissionRule, PermissionRule]]:
    """The rules that another of a higher or the same rank decides otherwise, each with the first such rule.

    First come the rules for the same tool with the same text in parentheses, then broader ones by their action. A rule
    of the same rank contradicts an earlier one only if both match the same calls.
    """
    # Most files hold rules of one kind, which cannot contradict each other.
    if len({rule.action for rule in rules}) < 2:
        return
    index = _Index(rules)
    for position, rule in enumerate(rules):
        _, first = min(index.against(rule, position), default=(0, None))
        if first is not None:
            yield rule, rules[first]


def uncompared(rules: Sequence[PermissionRule]) -> list[PermissionRule]:
    """The rules beyond `MOST_COMPARED` that no index can find: with several `*`, or with further conditions.

    They are compared with rules that match the same calls by the same words, and with no others.
    """
    return [rule for rule in rules if _is_intricate(rule)][MOST_COMPARED:]


def _is_intricate(rule: PermissionRule) -> bool:
    if rule.conditions:
        return True
    if rule.specifier is None:
        return rule.tool.count("*") > 1
    return rule.matching == GLOB and rule.specifier.count("*") > 1


def _key(rule: PermissionRule) -> tuple[str, str | None, frozenset[tuple[str, frozenset[str]]]]:
    return rule.tool, rule.specifier, frozenset(rule.conditions.items())


class _Same:
    """The rules that match the same calls by the same words."""

    def __init__(self, one: PermissionRule) -> None:
        self.one = one
        self._ranks: dict[str, dict[int, int]] = {}
        """By action and rank, the position of the first rule."""
        self._higher: dict[str, tuple[list[int], list[int]]] = {}
        """By action: the negated ranks, the highest first, and from each of them upwards the first position."""

    def add(self, rule: PermissionRule, position: int) -> None:
        self._ranks.setdefault(rule.action, {}).setdefault(rule.rank, position)

    def before(self, rule: PermissionRule, position: int) -> int | None:
        """The position of the first rule that decides differently from `rule`, which is one of these."""
        equal = (
            first
            for action, ranks in self._ranks.items()
            if action != rule.action and (first := ranks.get(rule.rank, position)) < position
        )
        return min((*equal, *(found for _, found in self.above(rule))), default=None)

    def above(self, rule: PermissionRule) -> Iterator[tuple[str, int]]:
        """For each other action the position of the first rule of a higher rank than `rule`."""
        for action in self._ranks:
            if action != rule.action:
                ranks, first = self._higher.get(action) or self._sort(action)
                count = bisect_left(ranks, -rule.rank)
                if count:
                    yield action, first[count - 1]

    def _sort(self, action: str) -> tuple[list[int], list[int]]:
        ranks: list[int] = []
        first: list[int] = []
        for rank, position in sorted(self._ranks[action].items(), reverse=True):
            ranks.append(-rank)
            first.append(min(position, first[-1]) if first else position)
        self._higher[action] = ranks, first
        return ranks, first


class _Patterns:
    """Rules by a pattern with one `*`: by what comes before it, then by what comes after it."""

    def __init__(self) -> None:
        self._by_start: dict[str, tuple[dict[str, _Same], set[int]]] = {}
        self._sizes: set[int] = set()

    def add(self, pattern: str, same: _Same) -> None:
        start, _, end = pattern.partition("*")
        ends, sizes = self._by_start.setdefault(start, ({}, set()))
        ends[end] = same
        sizes.add(len(end))
        self._sizes.add(len(start))

    def matching(self, text: str) -> Iterator[_Same]:
        size = len(text)
        for before in self._sizes:
            found = self._by_start.get(text[:before]) if before <= size else None
            if found is not None:
                ends, sizes = found
                for behind in sizes:
                    same = ends.get(text[size - behind :]) if before + behind <= size else None
                    if same is not None:
                        yield same


class _Index:
    def __init__(self, rules: Sequence[PermissionRule]) -> None:
        self._same: dict[object, _Same] = {}
        self._tools = _Patterns()
        self._commands: dict[str, _Patterns] = {}
        self._paths: dict[str, _Patterns] = {}
        self._actions: dict[str, int] = {}
        """The actions of broad rules, in order."""
        self._intricate: list[tuple[int, PermissionRule]] = []
        for position, rule in enumerate(rules):
            if rule.specifier is None or "*" in rule.tool or "*" in rule.specifier:
                self._actions.setdefault(rule.action, len(self._actions) + 1)
            if _is_intricate(rule) and len(self._intricate) < MOST_COMPARED:
                self._intricate.append((position, rule))
            key = _key(rule)
            same = self._same.get(key)
            if same is None:
                same = self._same[key] = _Same(rule)
                if not _is_intricate(rule):
                    self._add(rule, same)
            same.add(rule, position)

    def _add(self, rule: PermissionRule, same: _Same) -> None:
        tool, specifier = rule.tool, rule.specifier
        if specifier is None:
            if "*" in tool:
                self._tools.add(tool, same)
        elif rule.matching == GLOB and "*" in specifier:
            self._commands.setdefault(tool, _Patterns()).add(specifier, same)
        elif rule.matching == PATH and specifier.endswith("/**"):
            self._paths.setdefault(tool, _Patterns()).add(specifier[:-1], same)

    def against(self, rule: PermissionRule, position: int) -> Iterator[tuple[int, int]]:
        """How early each rule that decides otherwise comes: its kind of match, and its position in the file."""
        own = self._same[_key(rule)]
        if own.one.covers(rule):
            first = own.before(rule, position)
            if first is not None:
                yield 0, first
        for same in self._broader(rule):
            if same is not own and same.one.covers(rule):
                alike = (same.one.tool, same.one.specifier) == (rule.tool, rule.specifier)
                yield from ((0 if alike else self._actions[action], first) for action, first in same.above(rule))
        for first, other in self._intricate:
            if other.action != rule.action and other.rank > rule.rank and other.covers(rule):
                alike = (other.tool, other.specifier) == (rule.tool, rule.specifier)
                yield 0 if alike else self._actions[other.action], first

    def _broader(self, rule: PermissionRule) -> Iterable[_Same]:
        """Rules that may cover a rule, all that do but for the intricate ones among them."""
        tool, specifier = rule.tool, rule.specifier
        keys = [(tool, specifier), (tool, None)]
        if specifier is not None:
            # A command pattern that ends in ` *` also matches nothing in place of it.
            keys.append((tool, f"{specifier} *"))
        for key in keys:
            same = self._same.get((*key, frozenset()))
            if same is not None:
                yield same
        yield from self._tools.matching(tool)
        if specifier is not None:
            for patterns in (self._commands, self._paths):
                if tool in patterns:
                    yield from patterns[tool].matching(specifier)
