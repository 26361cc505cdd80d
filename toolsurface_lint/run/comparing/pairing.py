"""Which tool of one version is which of the other: by list and name, whatever file it lies in now; then renamed ones."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from toolsurface_lint.model.names import CloseNames
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.words import name_words, stem
from toolsurface_lint.project.versions import Version

_PLACE = re.compile(r":\d+:\d+(?=:|$)")
_FEW_WORDS = 6
"""`Gets a user by id.` and `Deletes a user by id.` have most of their words in common."""
_TELLING = 12
"""Characters of a description that is not shared by chance."""


class Pairing(NamedTuple):
    """The pairs of tools, the renamed ones among them, then those that only one version has; all in the order of the files."""

    pairs: list[tuple[Tool, Tool]]
    removed: list[Tool]
    added: list[Tool]


class _Side:
    """The tools of one version, and the lists that they are in."""

    def __init__(self, version: Version) -> None:
        self._version = version
        self.tools = list(version.tools())
        self.lists = {self.list_of(tool) for tool in self.tools}
        self.servers = {tool.server for tool in self.tools} - {""}

    def list_of(self, tool: Tool) -> str:
        """The list that a tool is in: its file, or of a program its server, wherever in the file that is made."""
        origin = tool.origin or tool.tree.origin
        if tool.namespace.startswith(f"{origin}:"):
            return self._version.relative(_PLACE.sub("", tool.namespace))
        return self._version.relative(origin)


def pair_tools(old: Version, new: Version) -> Pairing:
    """Pair the tools of two versions."""
    before, after = _Side(old), _Side(new)
    pairs: dict[int, tuple[Tool, Tool]] = {}
    left, fresh = before.tools, after.tools

    def join(key_before: Callable[[Tool], Hashable], key_after: Callable[[Tool], Hashable]) -> None:
        nonlocal left, fresh
        waiting: dict[Hashable, list[Tool]] = {}
        for tool in fresh:
            waiting.setdefault(key_after(tool), []).append(tool)
        for tools in waiting.values():
            tools.reverse()
        for tool in left:
            others = waiting.get(key_before(tool))
            if others:
                other = others.pop()
                pairs[id(other)] = tool, other
        paired = {id(tool) for pair in pairs.values() for tool in pair}
        left = [tool for tool in left if id(tool) not in paired]
        fresh = [tool for tool in fresh if id(tool) not in paired]

    def unless_unnamed(tool: Tool) -> Hashable:
        return (tool.name, tool.server) if tool.server else id(tool)

    join(
        lambda tool: (tool.name, before.list_of(tool), tool.server),
        lambda tool: (tool.name, after.list_of(tool), tool.server),
    )
    join(unless_unnamed, unless_unnamed)
    join(lambda tool: (tool.name, before.list_of(tool)), lambda tool: (tool.name, after.list_of(tool)))
    join(_content, _content)
    # Files of one folder meet in one surface.
    join(partial(_in_folder, before), partial(_in_folder, after))
    # A list that both versions have has lost its tool, whatever another one has got.
    join(
        lambda tool: tool.name if before.list_of(tool) not in after.lists else (tool.name, "left"),
        lambda tool: tool.name,
    )
    join(
        lambda tool: tool.name,
        lambda tool: tool.name if after.list_of(tool) not in before.lists else (tool.name, "fresh"),
    )
    for one, other in _renamed(before, left, after, fresh):
        pairs[id(other)] = one, other
    for one, other in _replaced(before, after, {id(one): id(other) for one, other in pairs.values()}):
        pairs[id(other)] = one, other
    paired = {id(tool) for pair in pairs.values() for tool in pair}
    return Pairing(
        [pairs[id(tool)] for tool in after.tools if id(tool) in pairs],
        [tool for tool in before.tools if id(tool) not in paired],
        [tool for tool in after.tools if id(tool) not in paired],
    )


def _value(tool: Tool, part: str) -> Any:
    node = {"schema": tool.schema, "output": tool.output_schema, "description": tool.description}[part]
    return None if node is None else node.value


def _in_folder(side: _Side, tool: Tool) -> Hashable:
    return id(tool) if tool.server else (tool.name, os.path.dirname(side.list_of(tool)))


def _content(tool: Tool) -> Hashable:
    return tool.name, _dumped([_value(tool, part) for part in ("description", "schema", "output")])


def _dumped(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _renamed(
    before: _Side, removed: Sequence[Tool], after: _Side, added: Sequence[Tool]
) -> Iterable[tuple[Tool, Tool]]:
    """The tools that plainly have another name: of one list, with the same description or the same parameters.

    The most telling evidence is looked at first, and what two tools have says nothing.
    """
    moved = {before.list_of(tool) for tool in removed} - after.lists
    come = {after.list_of(tool) for tool in added} - before.lists
    left, fresh = list(removed), list(added)
    for evidence in (_same_all, _same_description, _same_parameters):
        groups: dict[Hashable, tuple[list[Tool], list[Tool]]] = {}
        for side, tools, unknown, at in ((before, left, moved, 0), (after, fresh, come, 1)):
            for tool in tools:
                found = evidence(tool)
                if found is not None:
                    where = side.list_of(tool)
                    key = ("" if where in unknown else where, found)
                    groups.setdefault(key, ([], []))[at].append(tool)
        joined: set[int] = set()
        for ones, others in groups.values():
            if not ones or not others:
                continue
            for one, other in _likely(ones, others, sure=evidence is not _same_parameters):
                joined.update((id(one), id(other)))
                yield one, other
        left = [tool for tool in left if id(tool) not in joined]
        fresh = [tool for tool in fresh if id(tool) not in joined]


def _replaced(before: _Side, after: _Side, kept: Mapping[int, int]) -> list[tuple[Tool, Tool]]:
    """The tools that stand alone between the same neighbours in both versions, and are described much alike.

    `kept` has the identities of the tools that both versions have, in the old one and in the new one.
    """
    stretches = _alone(after, {new: new for new in kept.values()})
    return [
        (tool, stretches[place])
        for place, tool in _alone(before, kept).items()
        if place in stretches and _resemble(tool, stretches[place])
    ]


def _alone(side: _Side, kept: Mapping[int, int]) -> dict[Hashable, Tool]:
    """The tools that only one version has, and that stand alone between two that both have, by these and their list."""
    lists: dict[str, list[Tool]] = {}
    for tool in side.tools:
        lists.setdefault(side.list_of(tool), []).append(tool)
    found: dict[Hashable, Tool] = {}
    for name, tools in lists.items():
        ends = [None, *(kept.get(id(tool), 0) for tool in tools), None]
        for before, tool, after in zip(ends, tools, ends[2:], strict=False):
            if id(tool) not in kept and 0 not in (before, after):
                found[name, before, after] = tool
    return found


def _resemble(one: Tool, other: Tool) -> bool:
    """Whether the descriptions of two tools have more than half of their words in common, and not just a few."""
    words, others = (Counter(str(_value(tool, "description") or "").split()) for tool in (one, other))
    common = (words & others).total()
    return common >= _FEW_WORDS and common * 2 > max(words.total(), others.total())


def _likely(ones: Sequence[Tool], others: Sequence[Tool], *, sure: bool) -> Iterable[tuple[Tool, Tool]]:
    """The pairs among tools that share their evidence: the only two, or those whose names are close to one another's alone.

    Of tools that share their parameters only, the names have to be of the same words: `get_user` and `set_user` are close.
    """
    if sure and len(ones) == len(others) == 1:
        yield ones[0], others[0]
        return
    names = {tool.name: tool for tool in others}
    close = CloseNames(names)
    by_words: dict[frozenset[str], list[str]] = {}
    for name in names:
        by_words.setdefault(frozenset(map(stem, name_words(name))), []).append(name)
    taken: set[str] = set()
    for one in ones:
        words = frozenset(map(stem, name_words(one.name)))
        found = [name for name in (close.find(one.name) if sure else by_words.get(words, ())) if name not in taken]
        if len(found) == 1:
            taken.add(found[0])
            yield one, names[found[0]]


def _same_all(tool: Tool) -> Hashable | None:
    description = _value(tool, "description")
    return (description, _dumped(_value(tool, "schema"))) if description else None


def _same_description(tool: Tool) -> Hashable | None:
    description = _value(tool, "description")
    return description if isinstance(description, str) and len(description) >= _TELLING else None


def _same_parameters(tool: Tool) -> Hashable | None:
    if not tool.parameters:
        return None
    return tuple(sorted((one.name, one.required, one.type or "", str(one.enum)) for one in tool.parameters))
