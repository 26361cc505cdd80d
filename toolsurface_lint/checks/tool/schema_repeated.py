"""The same parts of schemas again and again: tokens that every request pays for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolsurface_lint.checks.contract import TOOL_LISTS, check
from toolsurface_lint.model.diagnostics import INFO, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.source.tree import Path, Place

RULE = Rule(
    code="TOOL_SCHEMA_REPEATED",
    since="0.1.0",
    severity=INFO,
    summary="Much of what the tools of a list take are copies of the same parts of schemas.",
    message="{share} % of the estimated {tokens} tokens of these {count} tools are copies: {name} appears {copies} times",
    help="split the list, leave out optional parameters, shorten what is repeated, or defer the loading of tools",
    tags=("tools", "schemas"),
    preview=True,
)

_SMALLEST = 120
"""Characters: copies of less are not counted."""
_FEWEST = 16_000
"""Characters, about 4,000 tokens: 2 % of a window of 200,000."""
_LEAST_SHARE = 20
_DEEPEST = 100
_SHOWN = 3


@check(TOOL_LISTS, RULE)
def check_lists(lists: list[list[Tool]], target: Target) -> Iterator[Finding]:
    for tools in lists:
        offered = [tool for tool in tools if not tool.deferred and not tool.optional and tool.schema_path is not None]
        source = offered[0].tree.source if offered else None
        # In JSON, what is copied is written out.
        if source is None or not source.text.startswith(("{", "[")) or len(source.text) >= _FEWEST:
            yield from _copies(offered)


def _copies(tools: list[Tool]) -> Iterator[Finding]:
    schemas = [
        (tool, schema.path, schema.value)
        for tool in tools
        if (schema := tool.schema) is not None and type(schema.value) is dict
    ]
    parts = _Parts()
    total = sum(parts.sizes[parts.add(value)] for _, _, value in schemas)
    costs = {
        number: (copies - 1) * size
        for number, (copies, size) in enumerate(zip(parts.copies, parts.sizes, strict=True))
        if copies > 1 and size >= _SMALLEST
    }
    copied = sum(costs.values())
    if copied < _FEWEST:
        return
    total += sum(len(tool.name) + (0 if tool.description is None else len(tool.description.value)) for tool in tools)
    share = 100 * copied // total
    if share < _LEAST_SHARE:
        return
    worst = sorted(costs, key=lambda number: -costs[number])[:_SHOWN]
    found = _first(schemas, parts, worst)
    shown = [(*found[number], parts.copies[number], parts.sizes[number]) for number in worst if number in found]
    if shown:
        name, tool, place, copies, _ = shown[0]
        yield RULE.at(
            place,
            tool=tool.name,
            field="parameters",
            related=[
                (f"{name} appears {copies} times, about {size // 4} tokens each", place)
                for name, _, place, copies, size in shown
            ],
            share=share,
            tokens=total // 4,
            count=len(schemas),
            name=name,
            copies=copies,
        )


def _first(
    schemas: list[tuple[Tool, Path, Any]], parts: _Parts, wanted: list[int]
) -> dict[int, tuple[str, Tool, Place]]:
    """Where each of some parts is first: what it is called, the tool, and the place."""
    found: dict[int, tuple[str, Tool, Place]] = {}
    seen: set[int] = set()
    for tool, root, value in schemas:
        waiting: list[tuple[str, Path, Any]] = [("the whole schema", root, value)]
        while waiting and len(found) < len(wanted):
            name, path, value = waiting.pop()
            number = parts.numbers.get(id(value))
            if number is None or number in seen:
                continue
            seen.add(number)
            if number in wanted:
                found[number] = (name, tool, Place(tool.tree, path))
            items = list(value.items() if type(value) is dict else enumerate(value))
            named = path[-1:] == ("properties",) and len(path) > len(root)
            waiting.extend((f"`{key}`" if named else name, (*path, key), inner) for key, inner in reversed(items))
    return found


class _Parts:
    """The objects and arrays of some schemas by number: equal ones have the same.

    `copies` says how often a part is there by itself: what lies in the copy of another part is not counted again. `sizes`
    are about the characters that it takes as compact JSON.
    """

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}
        """By identity: the trees keep their values alive, and what aliases share is read once."""
        self.copies: list[int] = []
        self.sizes: list[int] = []
        self._by_key: dict[str, int] = {}

    def add(self, schema: Any) -> int:
        """Take in one schema; gives its number."""
        number = self._number(schema, 0)
        self.copies[number] += 1
        return number

    def _number(self, value: Any, depth: int) -> int:
        number = self.numbers.get(id(value))
        if number is not None:
            return number
        if depth >= _DEEPEST:
            return self._new(0)
        own: Any = value
        if type(value) is dict:
            held = [(name, one) for name, one in value.items() if type(one) is dict or type(one) is list]
        else:
            held = [(at, one) for at, one in enumerate(value) if type(one) is dict or type(one) is list]
        inner: list[int] = []
        if held:
            own = value.copy()
            for name, one in held:
                part = self._number(one, depth + 1)
                inner.append(part)
                own[name] = (part,)
        # A text, as nobody can choose texts of one hash; data has no tuples.
        key = repr(own)
        number = self._by_key.get(key)
        if number is None:
            # Only the first of several equal ones holds parts of its own.
            size = len(key) - len(value)
            for part in inner:
                self.copies[part] += 1
                size += self.sizes[part]
            number = self._by_key[key] = self._new(size)
        self.numbers[id(value)] = number
        return number

    def _new(self, size: int) -> int:
        self.copies.append(0)
        self.sizes.append(size)
        return len(self.sizes) - 1
