"""The places that name an argument of a tool."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolsurface_lint.checks.prompt._call_examples import example_of
from toolsurface_lint.model.prompt import WEAK, Prompt
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.protocols.call_example import ExampleArgument
from toolsurface_lint.run.naming import DEFINITION, POLICY, PROMPT, prompts_of, without_quotes
from toolsurface_lint.run.renaming.subject import Subject, arguments_of
from toolsurface_lint.source.tree import Node, Place

ArgumentPlace = tuple[Place, str, bool]
"""The place, what holds it as in `Naming`, and whether it is the declaration."""


def argument_places(subject: Subject, argument: str) -> Iterator[ArgumentPlace]:
    """Every place that names the argument: in the definitions and their annotations, in policies and in calls of prompts."""
    for tool in subject.tools.values():
        yield from _in_definition(tool, argument)
    for surface in subject.surfaces:
        for policy in surface.policies:
            for constraint in policy.constraints:
                key = constraint.arg_key
                if key is not None and key.value == argument and constraint.tool.value == subject.name:
                    yield key.place, POLICY, False
            given = policy.annotations.get(subject.name)
            if given is not None:
                yield from _in_annotations(given.node, argument)
        for prompt in prompts_of(surface):
            yield from _in_prompt(prompt, surface, subject, argument)


def _in_definition(tool: Tool, argument: str) -> Iterator[ArgumentPlace]:
    for name, place, is_declaration in _named(tool):
        if name == argument:
            yield place, DEFINITION, is_declaration
    if tool.annotations is not None:
        yield from _in_annotations(tool.annotations.node, argument)


def _named(tool: Tool) -> Iterator[tuple[str, Place, bool]]:
    """The names of arguments in a definition, and whether each is a declaration."""
    schema = tool.schema
    if schema is None:
        for key in ("arguments", "parameters"):
            for entry in tool.definition.elements(key):
                name = entry.string("name") if isinstance(entry.value, dict) else None
                if name is not None:
                    yield name.value, name.place, True
        return
    # In the flat form, the parameters are the keys themselves.
    flat = schema.get("properties") is None
    known = frozenset(arguments_of(tool))
    for key, property in schema.members() if flat else schema.members("properties"):
        if key in known:
            yield key, property.key_place, True
    for key in () if flat else ("required", "propertyOrdering"):
        for item in schema.elements(key):
            if isinstance(item.value, str):
                yield item.value, item.place, False


def _in_annotations(annotations: Node, argument: str) -> Iterator[ArgumentPlace]:
    schema = annotations.get("arg_schema")
    if schema is None:
        return
    lists = (item for key in ("path_params", "required", "dependency_key_params") for item in schema.elements(key))
    aliases = (target for _, target in schema.members("arg_aliases"))
    for node in (*lists, *aliases):
        if node.value == argument:
            yield node.place, DEFINITION, False


def _in_prompt(prompt: Prompt, surface: Surface, subject: Subject, argument: str) -> Iterator[ArgumentPlace]:
    for tools, passed in passed_in(prompt, surface):
        if passed.key == argument and all(tool.name_place in subject.tools for tool in tools):
            yield prompt.place(*passed.key_span), PROMPT, False


def passed_in(prompt: Prompt, surface: Surface) -> Iterator[tuple[list[Tool], ExampleArgument]]:
    """The arguments that the calls in a prompt pass, each with the declared tools that the call means."""
    for reference in prompt.named(surface.vocabulary_for(prompt)):
        tools = surface.by_name.get(reference.name)
        if tools and reference.evidence != WEAK and reference.call_end > reference.end:
            example = example_of(reference, prompt)
            for passed in () if example is None else example.arguments:
                yield tools, passed


def arguments_at(surfaces: Iterable[Surface], path: str, offset: int) -> Iterator[tuple[Tool, str, Place]]:
    """The arguments that the file at a displayed path names at an offset, each with a tool that has it."""
    for surface in surfaces:
        for tool in surface.tools:
            if tool.tree.origin == path:
                for argument, place, _ in _named(tool):
                    if _holds(place, offset):
                        yield tool, argument, place
        for prompt in prompts_of(surface):
            if prompt.origin == path:
                for tools, passed in passed_in(prompt, surface):
                    place = prompt.place(*passed.key_span)
                    if _holds(place, offset):
                        yield tools[0], passed.key, place


def _holds(place: Place, offset: int) -> bool:
    span = without_quotes(place)
    return span is not None and span.start <= offset <= span.end
