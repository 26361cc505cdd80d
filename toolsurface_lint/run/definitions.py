"""What the rules say of lists of tools, wherever these stand: in a document, or beside a recorded conversation."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

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
from toolsurface_lint.model.diagnostics import Finding
from toolsurface_lint.model.mentions import mentions_of
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool


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
    from toolsurface_lint.checks.tool._tool_schema import output_schema_of, schema_of

    run = checks.run
    yield from run(DEFINITION, tool.name_place, tool, target)
    schema = schema_of(tool)
    if schema is not None:
        yield from run(SCHEMA, tool.name_place, schema, target)
    output = output_schema_of(tool)
    if output is not None:
        yield from run(OUTPUT_SCHEMA, tool.name_place, output, target)
    if python:
        yield from run(PYTHON_DEFINITION, tool.name_place, tool, target)
    # Rules about surfaces ask for them, when the tool's texts are no longer at hand.
    mentions_of(tool)


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
