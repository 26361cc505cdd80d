"""The tools that recorded conversations carry: read and checked once, however many conversations have them.

In a dataset nearly every row has a list of tools of its own, put together from the same few thousand definitions. So a
definition is known by its value, with what the rules say of it alone; what is said of a known one points at the row at hand.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TypeVar

from toolsurface_lint.checks import Checks
from toolsurface_lint.model.diagnostics import Finding
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.readers.tool_format import ToolFormat
from toolsurface_lint.readers.tool_list import ToolList, find_tool_lists
from toolsurface_lint.run.definitions import (
    check_active_tools,
    check_definition,
    check_definitions,
    check_lists,
    check_whole,
)
from toolsurface_lint.run.transcripts.conversation import CalledSurface
from toolsurface_lint.schemas.arguments import ArgumentSchema, argument_schema, keep_schema
from toolsurface_lint.source.shared import EQUAL
from toolsurface_lint.source.tree import Node, Path, Place, plain

_MOST = 8192
"""Definitions that are kept: more than the tools of a few hundred servers."""
_MOST_LISTS = 1024
_MOST_BYTES = 32 * 1024 * 1024
"""Bytes of definitions, and of lists, that are kept however few they are; what is read of them takes a few times as much."""
V = TypeVar("V")


class _Known:
    """A definition that was met: as it was read then, and what there is to say about it in a surface of its own."""

    def __init__(self, tool: Tool, alone: Surface, found: tuple[Finding, ...]) -> None:
        self.tool = tool
        self.found = found
        self._alone = alone

    @cached_property
    def schema(self) -> ArgumentSchema | None:
        """What it asks of its arguments; made when it is first called."""
        return argument_schema(self.tool, self._alone)


class CarriedSurface(CalledSurface):
    """The surface of conversations that carry the same tools, perhaps as they were read with another one of them.

    `is_anew`: they were read with this one, so that every place is in it.
    """

    def __init__(
        self, surface: Surface, lists: list[list[Tool]], known: Sequence[_Known], checks: Checks, is_anew: bool
    ) -> None:
        super().__init__(surface)
        self._lists = lists
        self._known = known
        self._by_name = {one.tool.name: one for one in known}
        self._checks = checks
        self.is_anew = is_anew

    def _schema_alone(self, name: str) -> ArgumentSchema | None:
        known = self._by_name.get(name)
        if known is not None:
            keep_schema(known.tool, self.surface, known.schema)
        return super()._schema_alone(name)

    @cached_property
    def definitions(self) -> Sequence[Finding]:
        """What there is to say about the tools, where they were read."""
        start = next((tools[0].name_place for tools in self._lists if tools), None)
        return () if start is None else list(self._checks.contained(start, self._definitions()))

    def _definitions(self) -> Iterator[Finding]:
        checks, target = self._checks, self.surface.target
        if self._known:
            yield from chain.from_iterable(known.found for known in self._known)
            yield from check_lists(checks, self._lists, target)
        else:
            yield from check_definitions(checks, self._lists, target)
        yield from check_active_tools(checks, self.surface)
        yield from check_whole(checks, self.surface)

    def definitions_at(self, nodes: Sequence[Node]) -> Iterator[Finding]:
        """The same, where `nodes` have the tools in the same order."""
        if self.definitions:
            here = {_key(known.tool): node for known, node in zip(self._known, nodes, strict=True)}
            for finding in self.definitions:
                yield _moved(finding, here)


class CarriedTools:
    """The definitions that were met with the conversations of one agent, whose surface is `base`."""

    def __init__(self, base: Surface, checks: Checks) -> None:
        self._base = base
        self._checks = checks
        self._known: _Kept[_Known] = _Kept(_MOST)
        self._lists: _Kept[CarriedSurface] = _Kept(_MOST_LISTS)

    @cached_property
    def nothing(self) -> CalledSurface:
        """The surface of a conversation whose tools are not known."""
        surface = Surface(self._base.name, inferred=True)
        surface.target, surface.scope = self._base.target, self._base.scope
        return CalledSurface(surface)

    def read(self, node: Node, earlier: Sequence[Tool] = ()) -> CarriedSurface:
        """The surface of a conversation that carries its tools at `node`, and has those that the settings give `base`.

        `earlier` are those of the pages of the list that came before; a list that is asked for again begins with one of
        them.
        """
        surface = Surface(self._base.name, document=True)
        lists = []
        for number, found in enumerate(find_tool_lists(node, named_tool=True)):
            tools, unseen = found.read()
            surface.add_open_reasons(unseen)
            surface.tool_search = surface.tool_search or found.searched
            for tool in tools:
                self._place(tool, number)
            surface.tools.extend(tools)
            lists.append(tools)
        if {tool.name for tool in earlier}.isdisjoint(tool.name for tool in surface.tools):
            surface.tools[:0] = earlier
        self._share(surface)
        return CarriedSurface(surface, lists, (), self._checks, is_anew=True)

    def recall(self, key: bytes, node: Callable[[], Node]) -> tuple[CarriedSurface, Sequence[Node]]:
        """The same with what is known of the tools, and where they are in `node`, if there is anything to say about them.

        `key` tells the list from others; it is empty where nothing does.
        """
        surface = self._lists.get(("", key))
        if surface is not None and not surface.definitions:
            return surface, ()
        root = node()
        found = find_tool_lists(root, named_tool=True)
        known = self._met(found[0]) if len(found) == 1 else ()
        if not known:
            return self.read(root), ()
        if surface is None:
            surface = self._put_together(known, found[0].searched)
            if key:
                self._lists.keep(("", key), surface)
        return surface, [item for item, _, _ in found[0].items]

    def _put_together(self, known: Sequence[_Known], searched: bool) -> CarriedSurface:
        surface = Surface(self._base.name, document=True)
        surface.tools.extend(one.tool for one in known)
        surface.tool_search = searched
        self._share(surface)
        return CarriedSurface(surface, [surface.tools[: len(known)]], known, self._checks, is_anew=False)

    def _place(self, tool: Tool, number: int) -> None:
        base = self._base
        tool.namespace = f"{base.name}#{number}"
        tool.origin = base.files[0] if base.files else ""

    def _share(self, surface: Surface) -> None:
        """Give a surface what the settings say of the agent."""
        base = self._base
        if not base.inferred and not base.document:
            declared = {tool.name for tool in surface.tools}
            surface.tools.extend(tool for tool in base.tools if tool.name not in declared)
            surface.add_open_reasons(base.open_reasons if base.tools else ())
        surface.tool_search = surface.tool_search or base.tool_search
        surface.policies, surface.approvals = base.policies, base.approvals
        surface.target, surface.scope = base.target, base.scope

    def _met(self, found: ToolList) -> Sequence[_Known]:
        """What is known of the tools of a list; empty if it is not a plain list of different definitions in one format."""
        formats = {format.name for _, format, _ in found.items}
        if found.others or len(formats) != 1 or any(format.weak or name for _, format, name in found.items):
            return ()
        met: dict[tuple[str, bytes], _Known] = {}
        for item, format, _ in found.items:
            try:
                key = format.name, marshal.dumps(item.value, EQUAL)
            except ValueError:
                return ()
            known = self._known.get(key)
            if known is None:
                known = self._read(item, format)
                if known is None:
                    return ()
                self._known.keep(key, known)
            met[key] = known
        return list(met.values()) if len(met) == len(found.items) else ()

    def _read(self, item: Node, format: ToolFormat) -> _Known | None:
        """A definition by itself; None if what is said of it depends on the list that it is in."""
        # What is kept must not keep the row that it came from.
        tools, unseen = ToolList([(plain(item.value), format, None)], []).read()
        if not tools or unseen or tools[0].format == "catalogue":
            return None
        tool = tools[0]
        alone = Surface(self._base.name, document=True)
        alone.tools.append(tool)
        alone.policies, alone.target = self._base.policies, self._base.target
        self._place(tool, 0)
        found = check_definition(self._checks, tool, alone.target)
        return _Known(tool, alone, tuple(self._checks.contained(tool.name_place, found)))


class _Kept(dict[tuple[str, bytes], V]):
    """What was met last, by what it is and the bytes of its value: so many, and so many bytes."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most
        self._bytes = 0

    def keep(self, key: tuple[str, bytes], value: V) -> None:
        """Keep one more, in place of the oldest; what is too large by itself is not kept."""
        size = len(key[1])
        if size > _MOST_BYTES:
            return
        self[key] = value
        self._bytes += size
        while len(self) > self._most or self._bytes > _MOST_BYTES:
            oldest = next(iter(self))
            del self[oldest]
            self._bytes -= len(oldest[1])


def _key(tool: Tool) -> tuple[int, Path]:
    return id(tool.tree), tool.path


def _moved(finding: Finding, nodes: Mapping[tuple[int, Path], Node]) -> Finding:
    """A finding about definitions that were read elsewhere, at those `nodes` that have the same values."""

    def moved(place: Place) -> Place:
        for end in range(len(place.path), -1, -1):
            node = nodes.get((id(place.tree), place.path[:end]))
            if node is not None:
                return place._replace(tree=node.tree, path=node.path + place.path[end:])
        return place

    related = tuple((message, moved(place)) for message, place in finding.related)
    # What is recorded is not changed.
    return finding._replace(place=moved(finding.place), related=related, fix=None)
