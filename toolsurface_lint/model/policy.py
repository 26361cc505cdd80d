"""Policies: which tools an agent may use, and which of its calls somebody must approve."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from toolsurface_lint.model.tool import SIDE_EFFECT_LEVELS, Annotations, Defect, rank
from toolsurface_lint.source.tree import Node


class ArgConstraint(NamedTuple):
    """A constraint on one argument of the tools that a pattern matches."""

    node: Node
    tool: Node
    arg_key: Node | None
    arg_patterns: tuple[Node, ...]


class CapabilityPolicy:
    """What the tools of a surface may do. An empty `tools` allows every tool."""

    __slots__ = (
        "_admitting",
        "_constraining",
        "annotations",
        "ceiling",
        "constraints",
        "defects",
        "node",
        "origin",
        "tools",
    )

    def __init__(self, node: Node) -> None:
        self.node = node
        self.origin = ""
        self.tools: tuple[Node, ...] = ()
        """The patterns of `tools`, as string nodes."""
        self.constraints: tuple[ArgConstraint, ...] = ()
        self.annotations: dict[str, Annotations] = {}
        """`tool_annotations` by tool name; `Annotations.node.key_place` is the name's place."""
        self.ceiling: Node | None = None
        """`side_effect_level`, a string node."""
        self.defects: tuple[Defect, ...] = ()
        self._admitting: tuple[tuple[Node, ...], FirstMatch] | None = None
        self._constraining: (
            tuple[tuple[ArgConstraint, ...], Patterns, dict[str, list[tuple[int, ArgConstraint]]]] | None
        ) = None

    def constraints_on(self, name: str) -> list[ArgConstraint]:
        """The constraints on the arguments of a tool, in order."""
        if self._constraining is None or self._constraining[0] is not self.constraints:
            by_pattern: dict[str, list[tuple[int, ArgConstraint]]] = {}
            for position, constraint in enumerate(self.constraints):
                by_pattern.setdefault(str(constraint.tool.value), []).append((position, constraint))
            self._constraining = self.constraints, Patterns(by_pattern), by_pattern
        _, patterns, by_pattern = self._constraining
        found = sorted(chain(*(by_pattern[pattern] for pattern in patterns.matching(name))), key=itemgetter(0))
        return [constraint for _, constraint in found]

    def activates(self, name: str) -> bool:
        """Whether the policy leaves a tool of this name active."""
        return not self.tools or self.admitting(name) is not None

    def admitting(self, name: str) -> Node | None:
        """The first pattern of `tools` that matches a name; None also where there are no patterns, which admits all."""
        if self._admitting is None or self._admitting[0] is not self.tools:
            self._admitting = self.tools, FirstMatch([pattern.value for pattern in self.tools])
        position = self._admitting[1].find(name)
        return None if position is None else self.tools[position]

    @property
    def ceiling_level(self) -> str | None:
        """The ceiling as a level, None if there is none.

        A text that is not a level ranks as `none`, in the reference and here; POLICY_UNKNOWN_SIDE_EFFECT_LEVEL names it.
        """
        if self.ceiling is None:
            return None
        return self.ceiling.value if self.ceiling.value in SIDE_EFFECT_LEVELS else "none"

    def is_above_ceiling(self, level: str | None) -> bool:
        """Whether a side-effect level ranks above the ceiling; never without a ceiling, or without a level."""
        ceiling = self.ceiling_level
        return ceiling is not None and level is not None and rank(level) > rank(ceiling)


class ApprovalRule(NamedTuple):
    """One entry of `rules`, at a position from 0.

    `action` is `approve`, `ask` or `deny` (None if unreadable); `tools` are the globs of its matcher.
    """

    node: Node
    position: int
    action: str | None
    tools: tuple[Node, ...]
    only_tools: bool
    """Whether the matcher asks for nothing but the tool: then it decides every call of that tool."""


class ApprovalPattern(NamedTuple):
    """One pattern of an approval policy and the field that it stands in, such as `auto_deny` or `rules[0].tool`."""

    node: Node
    field: str


class ApprovalPolicy:
    """Which calls are approved, refused or asked about."""

    __slots__ = (
        "_by_action",
        "_lists",
        "auto_approve",
        "auto_deny",
        "defects",
        "node",
        "origin",
        "require_approval",
        "rules",
    )

    def __init__(self, node: Node) -> None:
        self.node = node
        self.origin = ""
        self.auto_approve: tuple[Node, ...] = ()
        self.auto_deny: tuple[Node, ...] = ()
        self.require_approval: tuple[Node, ...] = ()
        self.rules: tuple[ApprovalRule, ...] = ()
        self.defects: tuple[Defect, ...] = ()
        self._lists: dict[str, tuple[tuple[Node, ...], FirstMatch]] = {}
        self._by_action: tuple[tuple[ApprovalRule, ...], dict[tuple[str | None, bool], _Rules]] | None = None

    def patterns(self) -> Iterator[ApprovalPattern]:
        """Every tool pattern: the three lists, then the rules."""
        for field in ("auto_approve", "auto_deny", "require_approval"):
            for node in getattr(self, field):
                yield ApprovalPattern(node, field)
        for rule in self.rules:
            for node in rule.tools:
                yield ApprovalPattern(node, f"rules[{rule.position}].tool")

    def first(self, field: str, name: str) -> Node | None:
        """The first pattern of `auto_deny`, `auto_approve` or `require_approval` that matches a name."""
        patterns: tuple[Node, ...] = getattr(self, field)
        index = self._lists.get(field)
        if index is None or index[0] is not patterns:
            index = self._lists[field] = patterns, FirstMatch([str(node.value) for node in patterns])
        position = index[1].find(name)
        return None if position is None else patterns[position]

    def first_rule(self, action: str | None, name: str, *, only_tools: bool) -> tuple[ApprovalRule, Node | None] | None:
        """The first rule of an action that asks for a tool of this name, with the pattern that matches, if it has any."""
        if self._by_action is None or self._by_action[0] is not self.rules:
            groups: dict[tuple[str | None, bool], list[ApprovalRule]] = {}
            for rule in self.rules:
                groups.setdefault((rule.action, rule.only_tools), []).append(rule)
            self._by_action = self.rules, {key: _Rules(rules) for key, rules in groups.items()}
        rules = self._by_action[1].get((action, only_tools))
        return None if rules is None else rules.first(name)


class _Rules:
    """Rules in an order, to be asked for the first that concerns a tool."""

    __slots__ = ("_matching", "_patterns")

    def __init__(self, rules: Sequence[ApprovalRule]) -> None:
        self._patterns = [(rule, node) for rule in rules for node in rule.tools or (None,)]
        # A rule without patterns concerns every tool.
        self._matching = FirstMatch(["*" if node is None else str(node.value) for _, node in self._patterns])

    def first(self, name: str) -> tuple[ApprovalRule, Node | None] | None:
        position = self._matching.find(name)
        return None if position is None else self._patterns[position]


class Patterns:
    """Distinct patterns, to be asked which of them match a name without trying each; see `glob_match`."""

    __slots__ = ("_patterns", "_sizes")

    def __init__(self, patterns: Iterable[str]) -> None:
        self._patterns = frozenset(patterns)
        self._sizes = [
            sorted({len(pattern) - 1 for pattern in self._patterns if pattern.endswith("*")}),
            sorted({len(pattern) - 1 for pattern in self._patterns if pattern.startswith("*")}),
        ]

    def matching(self, name: str) -> list[str]:
        """The patterns that match a name, in no order."""
        size = len(name)
        asked = {name} if name[-1:] != "*" != name[:1] else set()
        asked.update(name[:length] + "*" for length in self._sizes[0] if length <= size)
        asked.update("*" + name[size - length :] for length in self._sizes[1] if length <= size)
        return [pattern for pattern in asked if pattern in self._patterns and glob_match(pattern, name)]


class FirstMatch:
    """The first of several patterns that matches a name, found without trying each; see `glob_match`."""

    __slots__ = ("_patterns", "_positions")

    def __init__(self, patterns: Sequence[str]) -> None:
        self._positions: dict[str, int] = {}
        for position, pattern in enumerate(patterns):
            self._positions.setdefault(pattern, position)
        self._patterns = Patterns(self._positions)

    def find(self, name: str) -> int | None:
        return min(map(self._positions.__getitem__, self._patterns.matching(name)), default=None)


class Names:
    """Names in an order, ready to be asked which of them many patterns of `glob_match` match."""

    __slots__ = ("_backwards", "_forwards")

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


def glob_match(pattern: str, name: str) -> bool:
    """The specification's pattern rule: `*`, `prefix*`, `*suffix`, else equal text. Case counts; nothing else is special."""
    if pattern == "*":
        return True
    if pattern.endswith("*"):
        return name.startswith(pattern[:-1])
    if pattern.startswith("*"):
        return name.endswith(pattern[1:])
    return pattern == name
