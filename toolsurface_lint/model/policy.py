"""Policies: which tools an agent may use, and which of its calls must be approved."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from toolsurface_lint.model.patterns import PatternMap
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

    @cached_property
    def constraining(self) -> PatternMap[ArgConstraint]:
        """The constraints, by the patterns of the tools on whose arguments they are."""
        return PatternMap((str(constraint.tool.value), constraint) for constraint in self.constraints)

    def activates(self, name: str) -> bool:
        """Whether the policy leaves a tool of this name active."""
        return not self.tools or self.admitting.first(name) is not None

    @cached_property
    def admitting(self) -> PatternMap[Node]:
        """The patterns of `tools`; to have none admits all."""
        return PatternMap((pattern.value, pattern) for pattern in self.tools)

    @property
    def ceiling_level(self) -> str | None:
        """The ceiling as a level, None if there is none.

        A text that is not a level ranks as `none`, in Harn and here; POLICY_UNKNOWN_SIDE_EFFECT_LEVEL names it.
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
    """One pattern of an approval policy and the field that holds it, such as `auto_deny` or `rules[0].tool`."""

    node: Node
    field: str


_LISTS = ("auto_approve", "auto_deny", "require_approval")


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

    def patterns(self) -> Iterator[ApprovalPattern]:
        """Every tool pattern: the three lists, then the rules."""
        for field in _LISTS:
            for node in getattr(self, field):
                yield ApprovalPattern(node, field)
        for rule in self.rules:
            for node in rule.tools:
                yield ApprovalPattern(node, f"rules[{rule.position}].tool")

    @cached_property
    def lists(self) -> dict[str, PatternMap[Node]]:
        """The patterns of `auto_deny`, `auto_approve` and `require_approval`."""
        return {field: PatternMap((str(node.value), node) for node in getattr(self, field)) for field in _LISTS}

    def first_rule(self, action: str | None, name: str, *, only_tools: bool) -> tuple[ApprovalRule, Node | None] | None:
        """The first rule of an action that asks for a tool of this name, with the pattern that matches, if it has any."""
        rules = self._by_action.get((action, only_tools))
        return None if rules is None else rules.first(name)

    @cached_property
    def _by_action(self) -> dict[tuple[str | None, bool], PatternMap[tuple[ApprovalRule, Node | None]]]:
        groups: dict[tuple[str | None, bool], list[tuple[str, tuple[ApprovalRule, Node | None]]]] = {}
        for rule in self.rules:
            # A rule without patterns concerns every tool.
            patterns = [("*" if node is None else str(node.value), (rule, node)) for node in rule.tools or (None,)]
            groups.setdefault((rule.action, rule.only_tools), []).extend(patterns)
        return {key: PatternMap(entries) for key, entries in groups.items()}
