"""Rules of one permission file that decide the same calls otherwise, found without comparing each with all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

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
    broad = (rule.action for rule in rules if rule.specifier is None or "*" in rule.tool or "*" in rule.specifier)
    order = {action: number for number, action in enumerate(dict.fromkeys(broad), 1)}
    intricate = [(position, rule) for position, rule in enumerate(rules) if _is_intricate(rule)][:MOST_COMPARED]
    found: dict[int, int] = {}
    higher = _Index()
    for _, positions in groupby(sorted(range(len(rules)), key=lambda at: -rules[at].rank), lambda at: rules[at].rank):
        equal: dict[object, _First] = {}
        added: list[int] = []
        for position in positions:
            rule = rules[position]
            same = equal.setdefault(_key(rule), {})
            others = [(0, first) for action, first in same.items() if action != rule.action and rule.covers(rule)]
            for one, firsts in higher.covering(rule):
                others += _ranked(one, rule, order, firsts.items())
            for first, one in intricate:
                if one.rank > rule.rank and one.covers(rule):
                    others += _ranked(one, rule, order, [(one.action, first)])
            if others:
                found[position] = min(others)[1]
            same.setdefault(rule.action, position)
            added.append(position)
        for position in added:
            higher.add(rules[position], position)
    for position in sorted(found):
        yield rules[position], rules[found[position]]


def _ranked(
    one: PermissionRule, rule: PermissionRule, order: Mapping[str, int], firsts: Iterable[tuple[str, int]]
) -> Iterator[tuple[int, int]]:
    """How early rules come that match like `one` and decide otherwise than `rule`: the kind of match, and the position."""
    alike = (one.tool, one.specifier) == (rule.tool, rule.specifier)
    return ((0 if alike else order[action], first) for action, first in firsts if action != rule.action)


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


_First = dict[str, int]
"""By action, the position of the first rule."""

_Same = tuple[PermissionRule, _First]
"""The rules that match the same calls by the same words: one of them, and the first of each action."""


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
                for after in sizes:
                    same = ends.get(text[size - after :]) if before + after <= size else None
                    if same is not None:
                        yield same


class _Index:
    """Rules to be asked which of them cover another, but for the intricate ones among them that are not equal to it."""

    def __init__(self) -> None:
        self._same: dict[object, _Same] = {}
        self._tools = _Patterns()
        self._commands: dict[str, _Patterns] = {}
        self._paths: dict[str, _Patterns] = {}

    def add(self, rule: PermissionRule, position: int) -> None:
        key = _key(rule)
        if key not in self._same:
            self._same[key] = (rule, {})
            if not _is_intricate(rule):
                self._add_patterns(rule, self._same[key])
        firsts = self._same[key][1]
        firsts[rule.action] = min(firsts.get(rule.action, position), position)

    def _add_patterns(self, rule: PermissionRule, same: _Same) -> None:
        tool, specifier = rule.tool, rule.specifier
        if specifier is None:
            if "*" in tool:
                self._tools.add(tool, same)
        elif rule.matching == GLOB and "*" in specifier:
            self._commands.setdefault(tool, _Patterns()).add(specifier, same)
        elif rule.matching == PATH and specifier.endswith("/**"):
            self._paths.setdefault(tool, _Patterns()).add(specifier[:-1], same)

    def covering(self, rule: PermissionRule) -> Iterator[_Same]:
        tool, specifier = rule.tool, rule.specifier
        found: list[_Same | None] = [self._same.get(_key(rule))]
        found += [self._same.get((*words, frozenset())) for words in ((tool, specifier), (tool, None))]
        found.extend(self._tools.matching(tool))
        if specifier is not None:
            # A command pattern that ends in ` *` also matches nothing in place of it.
            found.append(self._same.get((tool, f"{specifier} *", frozenset())))
            for patterns in (self._commands, self._paths):
                if tool in patterns:
                    found.extend(patterns[tool].matching(specifier))
        return (same for same in found if same is not None and same[0].covers(rule))
