"""Policies: which tools an agent may use, and which of its calls must be approved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from toolsurface_lint.model.patterns import PatternSet
from toolsurface_lint.model.tool import SIDE_EFFECT_LEVELS, Annotations, rank
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Node, Place


class ArgConstraint(NamedTuple):
    """A constraint on one argument of the tools that a pattern matches."""

    node: Node
    tool: Node
    arg_key: Node | None
    arg_patterns: tuple[Node, ...]


class CapabilityPolicy:
    """What the tools of a surface may do. An empty `tools` allows every tool."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.origin = node.tree.origin
        self.tools: tuple[Node, ...] = ()
        """The patterns of `tools`, as string nodes."""
        self.constraints: tuple[ArgConstraint, ...] = ()
        self.annotations: dict[str, Annotations] = {}
        """`tool_annotations` by tool name; `Annotations.node.key_place` is the name's place."""
        self.ceiling: Node | None = None
        """`side_effect_level`, a string node."""
        self.problems: tuple[Problem[Place], ...] = ()
        self._admitting: tuple[tuple[Node, ...], PatternSet] | None = None
        self._constraining: (
            tuple[tuple[ArgConstraint, ...], PatternSet, dict[str, list[tuple[int, ArgConstraint]]]] | None
        ) = None

    def constraints_on(self, name: str) -> list[ArgConstraint]:
        """The constraints on the arguments of a tool, in order."""
        if self._constraining is None or self._constraining[0] is not self.constraints:
            by_pattern: dict[str, list[tuple[int, ArgConstraint]]] = {}
            for position, constraint in enumerate(self.constraints):
                by_pattern.setdefault(str(constraint.tool.value), []).append((position, constraint))
            self._constraining = self.constraints, PatternSet(by_pattern), by_pattern
        _, patterns, by_pattern = self._constraining
        found = sorted(chain(*(by_pattern[pattern] for pattern in patterns.matching(name))), key=itemgetter(0))
        return [constraint for _, constraint in found]

    def activates(self, name: str) -> bool:
        """Whether the policy leaves a tool of this name active."""
        return not self.tools or self.admitting(name) is not None

    def admitting(self, name: str) -> Node | None:
        """The first pattern of `tools` that matches a name; None also where there are no patterns, which admits all."""
        if self._admitting is None or self._admitting[0] is not self.tools:
            self._admitting = self.tools, PatternSet([pattern.value for pattern in self.tools])
        position = self._admitting[1].first(name)
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

    def __init__(self, node: Node) -> None:
        self.node = node
        self.origin = node.tree.origin
        self.auto_approve: tuple[Node, ...] = ()
        self.auto_deny: tuple[Node, ...] = ()
        self.require_approval: tuple[Node, ...] = ()
        self.rules: tuple[ApprovalRule, ...] = ()
        self.problems: tuple[Problem[Place], ...] = ()
        self._lists: dict[str, tuple[tuple[Node, ...], PatternSet]] = {}
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
            index = self._lists[field] = patterns, PatternSet([str(node.value) for node in patterns])
        position = index[1].first(name)
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

    def __init__(self, rules: Sequence[ApprovalRule]) -> None:
        self._patterns = [(rule, node) for rule in rules for node in rule.tools or (None,)]
        # A rule without patterns concerns every tool.
        self._matching = PatternSet(["*" if node is None else str(node.value) for _, node in self._patterns])

    def first(self, name: str) -> tuple[ApprovalRule, Node | None] | None:
        position = self._matching.first(name)
        return None if position is None else self._patterns[position]
