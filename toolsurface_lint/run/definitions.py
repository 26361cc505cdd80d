"""What the rules say of lists of tools, wherever these stand: in a document, or beside a recorded conversation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from toolsurface_lint.checks import Checks
from toolsurface_lint.checks.contract import (
    ACTIVE_TOOL,
    DEFINITION,
    OUTPUT_SCHEMA,
    PYTHON_DEFINITION,
    SCHEMA,
    SURFACE,
    TOOL_LISTS,
)
from toolsurface_lint.model.diagnostics import Edit, Finding
from toolsurface_lint.model.mentions import mentions_of
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Mention, Tool
from toolsurface_lint.source.json import JsonTree
from toolsurface_lint.source.shared import digest, remembered
from toolsurface_lint.source.tree import Path, Place, Tree, plain


def check_definitions(
    checks: Checks, lists: list[list[Tool]], target: Target, *, python: bool = False
) -> Iterator[Finding]:
    """Every definition by itself, then the lists; to be asked while what they were read from is in memory.

    `python`: Python code defines the tools.
    """
    for tool in chain.from_iterable(lists):
        yield from check_definition(checks, tool, target, python=python)
    yield from check_lists(checks, lists, target)


def check_definition(checks: Checks, tool: Tool, target: Target, *, python: bool = False) -> Iterator[Finding]:
    """One definition by itself."""
    said_of_others = None if python else checks.said_of(target)
    content = None if said_of_others is None else _content(tool)
    if said_of_others is None or content is None:
        yield from _check_anew(checks, tool, target, python=python)
        return
    known = said_of_others.of(content, 1)
    anew: list[tuple[list[Finding], dict[str, int]]] = []

    def say() -> _Said | None:
        with checks.counting() as asked:
            found = list(_check_anew(checks, tool, target))
        anew.append((found, asked))
        return _said(tool, found, asked)

    said = remembered(known, "definition", say)
    if anew:
        found, asked = anew[0]
        checks.count(asked)
        yield from found
        return
    if said is None:
        yield from _check_anew(checks, tool, target)
        return
    checks.count(said.asked)
    if tool.mentions is None:
        tool.mentions = tuple(
            (field, _moved(place, _NOWHERE, (), tool.tree, tool.path), mention)
            for field, place, mention in said.mentions
        )
    for finding in said.findings:
        yield _finding_moved(finding, _NOWHERE, (), tool.tree, tool.path)


def _check_anew(checks: Checks, tool: Tool, target: Target, *, python: bool = False) -> Iterator[Finding]:
    from toolsurface_lint.checks.tool._tool_schema import output_schema_of, schema_of

    yield from checks.run(DEFINITION, tool.name_place, tool, target)
    schema = schema_of(tool)
    if schema is not None:
        yield from checks.run(SCHEMA, tool.name_place, schema, target)
    output = output_schema_of(tool)
    if output is not None:
        yield from checks.run(OUTPUT_SCHEMA, tool.name_place, output, target)
    if python:
        yield from checks.run(PYTHON_DEFINITION, tool.name_place, tool, target)
    # Rules about surfaces ask for them, when the tool's texts are no longer at hand.
    mentions_of(tool)


class _Said(NamedTuple):
    """What was said of a definition, with all places in a tree of which it is the root."""

    findings: tuple[Finding, ...]
    mentions: tuple[tuple[str, Place, Mention], ...]
    asked: Mapping[str, int]
    """What was looked at for that, as `Checks.count` takes it."""


_NOWHERE = plain(None).tree


def _content(tool: Tool) -> tuple[object, ...] | None:
    """What tells a definition from others of which something else may be said; None if more than itself decides that."""
    path = tool.path
    # A key is among those of other tools; what is written in other ways than JSON may hold one value in many places.
    if (
        type(tool.tree) is not JsonTree
        or tool.name_place.aspect != "value"
        or tool.name_place.path[: len(path)] != path
    ):
        return None
    content = digest(tool.definition.value)
    if content is None:
        return None
    return (
        content,
        tool.format,
        tool.name,
        tool.server,
        tool.executor,
        tool.deferred,
        tool.optional,
        tool.is_example,
        tool.declarable,
        tool.gaps,
        None if tool.schema_path is None else tool.schema_path[len(path) :],
        None if tool.output_path is None else tool.output_path[len(path) :],
        len(tool.parameters),
    )


class _Elsewhere(Exception):
    """A place is not in the definition that it is said of."""


def _said(tool: Tool, findings: list[Finding], asked: Mapping[str, int]) -> _Said | None:
    """What may be said of all equal definitions; None if it points at anything else."""
    origin = tool.tree, tool.path, _NOWHERE, ()
    try:
        return _Said(
            tuple(_finding_moved(finding, *origin) for finding in findings),
            tuple((field, _moved(place, *origin), mention) for field, place, mention in mentions_of(tool)),
            asked,
        )
    except _Elsewhere:
        return None


def _moved(place: Place, tree: Tree, path: Path, to_tree: Tree, to_path: Path) -> Place:
    """A place below one node as the same place below another. Raises `_Elsewhere`."""
    depth = len(path)
    if place.tree is not tree or place.path[:depth] != path:
        raise _Elsewhere
    return Place(to_tree, to_path + place.path[depth:], place.aspect, place.start, place.end)


def _finding_moved(finding: Finding, tree: Tree, path: Path, to_tree: Tree, to_path: Path) -> Finding:
    ways = tree, path, to_tree, to_path
    fix = finding.fix
    return finding._replace(
        place=_moved(finding.place, *ways),
        related=tuple((message, _moved(place, *ways)) for message, place in finding.related),
        fix=None if fix is None else fix._replace(edits=tuple(Edit(_moved(at, *ways), text) for at, text in fix.edits)),
    )


def check_lists(checks: Checks, lists: list[list[Tool]], target: Target) -> Iterator[Finding]:
    """The lists of one file or conversation."""
    first = next((tools[0] for tools in lists if tools), None)
    if first is not None:
        yield from checks.run(TOOL_LISTS, first.name_place, lists, target)


def check_active_tools(checks: Checks, surface: Surface) -> Iterator[Finding]:
    """Every active tool of a surface."""
    for tool in surface.active:
        yield from checks.run(ACTIVE_TOOL, tool.name_place, tool, surface)


def check_whole(checks: Checks, surface: Surface) -> Iterator[Finding]:
    """What the tools and policies of a surface are together."""
    start = surface.start
    if start is not None and (surface.tools or surface.policies):
        yield from checks.run(SURFACE, start, surface)
