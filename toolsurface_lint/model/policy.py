"""Policies: which tools an agent may use, and which of its calls somebody must approve."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
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

    __slots__ = ("_admitting", "annotations", "ceiling", "constraints", "defects", "node", "origin", "tools")

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

    __slots__ = ("auto_approve", "auto_deny", "defects", "node", "origin", "require_approval", "rules")

    def __init__(self, node: Node) -> None:
        self.node = node
        self.origin = ""
        self.auto_approve: tuple[Node, ...] = ()
        self.auto_deny: tuple[Node, ...] = ()
        self.require_approval: tuple[Node, ...] = ()
        self.rules: tuple[ApprovalRule, ...] = ()
        self.defects: tuple[Defect, ...] = ()

    def patterns(self) -> Iterator[ApprovalPattern]:
        """Every tool pattern: the three lists, then the rules."""
        for field in ("auto_approve", "auto_deny", "require_approval"):
            for node in getattr(self, field):
                yield ApprovalPattern(node, field)
        for rule in self.rules:
            for node in rule.tools:
                yield ApprovalPattern(node, f"rules[{rule.position}].tool")


class FirstMatch:
    """The first of several patterns that matches a name, found without trying each; see `glob_match`."""

    __slots__ = ("_beginnings", "_ends", "_names", "_sizes")

    def __init__(self, patterns: Sequence[str]) -> None:
        self._names: dict[str, int] = {}
        self._beginnings: dict[str, int] = {}
        self._ends: dict[str, int] = {}
        for position, pattern in enumerate(patterns):
            if pattern.endswith("*"):
                self._beginnings.setdefault(pattern[:-1], position)
            elif pattern.startswith("*"):
                self._ends.setdefault(pattern[1:], position)
            else:
                self._names.setdefault(pattern, position)
        self._sizes = [sorted({len(part) for part in parts}) for parts in (self._beginnings, self._ends)]

    def find(self, name: str) -> int | None:
        size = len(name)
        found = [self._names.get(name)]
        found.extend(self._beginnings.get(name[:length]) for length in self._sizes[0] if length <= size)
        found.extend(self._ends.get(name[size - length :]) for length in self._sizes[1] if length <= size)
        return min((position for position in found if position is not None), default=None)


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
