"""The calls that a prompt shows against the parameters of their tools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from toolsurface_lint.checks._schema_words import PREDICATES, choice, spelled
from toolsurface_lint.checks.contract import REFERENCE, check
from toolsurface_lint.checks.prompt._call_examples import definition_of, example_of, refusal
from toolsurface_lint.model.diagnostics import INFO, UNSAFE, WARNING, Finding, Rule, renaming
from toolsurface_lint.model.names import CloseNames, suggestion
from toolsurface_lint.model.prompt import WEAK, Prompt, Reference
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool

if TYPE_CHECKING:
    from toolsurface_lint.protocols.call_example import ExampleArgument
    from toolsurface_lint.source.tree import Place

UNKNOWN = Rule(
    code="PROMPT_UNKNOWN_ARGUMENT",
    since="0.1.0",
    severity=WARNING,
    summary="A call in a prompt passes an argument that the tool does not accept.",
    message="the call of `{name}` passes `{key}`, which the tool does not accept",
    tags=("prompts",),
    fix=UNSAFE,
)

MISSING = Rule(
    code="PROMPT_MISSING_ARGUMENT",
    since="0.1.0",
    severity=INFO,
    summary="A call in a prompt leaves out an argument that the tool requires.",
    message="the call of `{name}` leaves out `{key}`, which the tool requires",
    tags=("prompts",),
)

INVALID = Rule(
    code="PROMPT_INVALID_ARGUMENT",
    since="0.1.0",
    severity=WARNING,
    summary="A call in a prompt passes a value that the tool's schema excludes.",
    message={kind: f"the call of `{{name}}` passes `{{key}}`, which {text}" for kind, text in PREDICATES.items()},
    tags=("prompts",),
    fix=UNSAFE,
)

_LISTS = frozenset({"arguments", "toolbox"})
"""The formats that list a tool's arguments."""
_COMBINATORS = frozenset({"$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "patternProperties"})


@check(REFERENCE, INVALID, MISSING, UNKNOWN)
def check_reference(reference: Reference, prompt: Prompt, surface: Surface) -> Iterator[Finding]:
    tools = surface.by_name.get(reference.name)
    if not tools or reference.evidence == WEAK or reference.call_end <= reference.end or reference.gaps:
        return
    example = example_of(reference, prompt)
    if example is None or (surface.scattered and not surface.may_call_unknown(reference, prompt)):
        return
    related = [(f"tool `{reference.name}` is declared here", tools[0].name_place)]
    annotated = [annotations for tool in tools if (annotations := surface.annotations(tool)) is not None]
    aliases = {alias: target for annotations in annotated for alias, target in annotations.aliases.items()}
    known = {*aliases, *aliases.values(), *(parameter.name for tool in tools for parameter in tool.parameters)}
    known.update(*(tool.known_keys for tool in tools))
    known.update(*((*annotations.required, *annotations.path_params) for annotations in annotated))
    close = CloseNames({key for tool in tools for key in tool.known_keys})
    passed = {argument.key for argument in example.arguments}
    unknown = [argument for argument in example.arguments if argument.key not in known]
    for argument in example.arguments:
        if argument.key in known and argument.is_literal:
            yield from _check_value(argument, aliases.get(argument.key, argument.key), tools, prompt, related)
    if unknown and any(map(_takes_others, tools)):
        unknown = []
    # Each may be meant for one that the call leaves out.
    meant = {argument.key: [other for other in close.find(argument.key) if other not in passed] for argument in unknown}
    missing: list[str] = []
    if example.complete:
        # Those with a default need not be passed.
        required = [{one.name for one in tool.parameters if one.required and not one.default} for tool in tools]
        given = {aliases.get(key, key) for key in passed} | {near[0] for near in meant.values() if near}
        missing = sorted(set.intersection(*required) - given)
    renamed = [argument for argument in unknown if not meant[argument.key]]
    if missing and len(missing) <= len(renamed):
        # One mistake: the call passes what is required by other names, such as those that it once had.
        if len(missing) == len(renamed) == 1:
            meant[renamed[0].key] = missing
        missing = []
    for argument in unknown:
        near = meant[argument.key]
        place = prompt.place(*argument.key_span)
        yield UNKNOWN.at(
            place,
            tool=reference.name,
            field=argument.key,
            related=related,
            key=argument.key,
            help=suggestion(near),
            fix=renaming(place, argument.key, near),
        )
    for key in missing:
        place = prompt.place(reference.start, reference.end)
        yield MISSING.at(place, tool=reference.name, field=key, related=related, key=key)


def _check_value(
    argument: ExampleArgument, key: str, tools: Sequence[Tool], prompt: Prompt, related: list[tuple[str, Place]]
) -> Iterator[Finding]:
    """A value against the parameter `key`, which the argument may name by an alias."""
    problems = [refusal(tool, key, argument.value) for tool in tools]
    if problems[0] is not None and all(problem is not None for problem in problems):
        start, end = argument.value_span
        definition = definition_of(tools[0], key) if len(tools) == 1 else None
        allowed = None if definition is None else definition.get("enum")
        yield INVALID.of(
            spelled(problems[0]),
            prompt.place(start, end),
            tool=tools[0].name,
            field=argument.key,
            related=related,
            key=argument.key,
            fix=choice(prompt.place(start + 1, end - 1), argument.value, allowed),
        )


def _takes_others(tool: Tool) -> bool:
    """Whether a tool accepts arguments that it does not name.

    A schema with `properties` that says nothing of others admits them by the letter; no tool does anything with them.
    """
    schema = tool.schema
    if schema is None:
        return not (tool.parameters and tool.format in _LISTS)
    if not isinstance(schema.value, dict) or not _COMBINATORS.isdisjoint(schema.value):
        return True
    extra = schema.value.get("additionalProperties", schema.value.get("unevaluatedProperties"))
    if extra is False:
        return False
    if extra is not None:
        return True
    if isinstance(schema.value.get("properties"), dict):
        return tool.code is not None and tool.code.takes_any
    return "type" in schema.value or not schema.value
