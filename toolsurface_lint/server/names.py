"""The places of a surface that name its tools: definitions, prompts and policies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from toolsurface_lint.model.patterns import glob_match, wildcard_match
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Node, Place

DECLARATION, MENTION, PATTERN, PERMISSION = "declaration", "mention", "pattern", "permission"


class Naming(NamedTuple):
    """One place that names a tool, or tools by a pattern.

    `role`: `declaration`; `mention` (in a prompt, or as another tool's reader); `pattern` of a policy; entry of a client's
    `permission` file, in which a `*` may be anywhere.
    """

    name: str
    place: Place
    role: str
    surface: Surface

    def names(self, tool: str) -> bool:
        """Whether it means a tool of this name."""
        if self.role == PATTERN:
            return glob_match(self.name, tool)
        return wildcard_match(self.name, tool) if self.role == PERMISSION else self.name == tool

    @property
    def tools(self) -> list[Tool]:
        """The declared tools that it names, in the order of declaration."""
        if "*" not in self.name:
            return self.surface.by_name.get(self.name, [])
        return [tool for name, tools in self.surface.by_name.items() if self.names(name) for tool in tools]

    @property
    def span(self) -> Span | None:
        """The span of the name, without quotes."""
        return without_quotes(self.place)


def namings(surface: Surface) -> Iterator[Naming]:
    """Every place of a surface that names a tool."""
    for tool in surface.tools:
        yield Naming(tool.name, tool.name_place, DECLARATION, surface)
        if tool.annotations is not None:
            for node in tool.annotations.result_readers:
                yield Naming(str(node.value), node.place, MENTION, surface)
    for node in _patterns(surface):
        yield Naming(str(node.value), node.place, PATTERN, surface)
    for policy in surface.policies:
        for name, given in policy.annotations.items():
            yield Naming(name, given.node.key_place, MENTION, surface)
    for permissions in surface.permissions:
        for rule in permissions.rules:
            yield Naming(rule.tool, rule.place, PERMISSION, surface)
    for prompt in (*surface.prompts, *(prompt for template in surface.templates for prompt in template.prompts)):
        for reference in prompt.named(surface.vocabulary):
            yield Naming(reference.name, prompt.place(reference.start, reference.end), MENTION, surface)


def _patterns(surface: Surface) -> Iterator[Node]:
    for policy in surface.policies:
        yield from policy.tools
        yield from (constraint.tool for constraint in policy.constraints)
    for approval in surface.approvals:
        yield from (pattern.node for pattern in approval.patterns())


def namings_at(surfaces: Iterable[Surface], path: str, offset: int) -> list[Naming]:
    """What the file at a displayed path names at an offset, in each of the surfaces that it is part of."""
    return [
        naming
        for surface in surfaces
        for naming in namings(surface)
        if (source := naming.place.source) is not None
        and source.path == path
        and (span := naming.span) is not None
        and span.start <= offset <= span.end
    ]


def without_quotes(place: Place) -> Span | None:
    """The span of a place, without the quotes of a string; None for plain data."""
    span, source = place.span(), place.source
    if span is None or source is None:
        return None
    text = source.text
    quoted = span.end - span.start > 1 and text[span.start] in "\"'" and text[span.end - 1] == text[span.start]
    return Span(span.start + 1, span.end - 1) if quoted else span
