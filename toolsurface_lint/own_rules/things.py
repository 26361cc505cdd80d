"""The things that rules of one's own look at, made of what checks are called with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from toolsurface_lint.own_rules.subjects import (
    EntryThing,
    ParameterThing,
    PermissionThing,
    ReferenceThing,
    Thing,
    pointed,
    pointer_path,
)
from toolsurface_lint.schemas.references import at_pointer
from toolsurface_lint.schemas.walk import PROPERTY, Subschema
from toolsurface_lint.source.tree import Node, Place

if TYPE_CHECKING:
    from toolsurface_lint.checks.tool._tool_schema import ToolSchema
    from toolsurface_lint.model.client_file import ClientFile
    from toolsurface_lint.model.permission import PermissionFile
    from toolsurface_lint.model.policy import ApprovalPolicy, CapabilityPolicy
    from toolsurface_lint.model.prompt import Prompt
    from toolsurface_lint.model.surface import Surface
    from toolsurface_lint.model.tool import Tool


def tool_things(tool: Tool, surface: Surface | None) -> Iterator[Thing]:
    yield Thing(tool, tool.name_place, tool.definition, tool, surface)


def list_of(thing: Thing) -> tuple[str, str]:
    """The list that a thing is in: that of its tool, as `TOOL_SURFACE_DUPLICATE_TOOL` tells lists apart, or the one surface."""
    tool, surface = thing.tool, thing.surface
    if tool is None or thing.item is not tool or surface is None:
        return "", ""
    # Files of one tool each may lie side by side as variants.
    apart = surface.inferred and not tool.is_in_program
    return tool.namespace, tool.origin if apart else ""


_MOST_REFERENCES = 10


def parameter_things(tool: Tool, surface: Surface | None) -> Iterator[Thing]:
    """The properties of a schema; of a format without one, the parameters that the definition lists."""
    from toolsurface_lint.checks.tool._tool_schema import parameter_of, schema_of
    from toolsurface_lint.checks.tool.schema_prose import said_in_docstring

    documented = said_in_docstring(tool)
    schema = schema_of(tool)
    if schema is None:
        # Other formats without a schema have no place for what is said of a parameter.
        for index, parameter in enumerate(tool.parameters if tool.format == "arguments" else ()):
            place = Place(tool.tree, (*tool.path, "arguments", index, "name"))
            entry = tool.definition.find("arguments", index)
            described = None if entry is None else entry.get("desc") or entry.get("description")
            if described is not None and not (isinstance(described.value, str) and described.value.strip()):
                described = None
            item = ParameterThing(
                parameter.name, parameter.name, 0, None, described, parameter.required, parameter.name in documented
            )
            yield Thing(item, place, None, tool, surface)
        return
    for part in schema.subschemas:
        if part.role != PROPERTY or part.negated or part.conditional:
            continue
        name = str(part.path[-1])
        path = parameter_of(part) or name
        node = Node(tool.tree, schema.path + part.path, schema.as_written(part))
        required = None if part.parent is None else part.parent.schema.get("required")
        item = ParameterThing(
            name,
            path,
            _depth(part),
            node,
            _description(schema, part),
            isinstance(required, list) and name in required,
            name in documented,
        )
        yield Thing(item, schema.place(part.path, "key"), node, tool, surface)


def _depth(part: Subschema) -> int:
    depth, current = 0, part.parent
    while current is not None:
        depth += current.role == PROPERTY
        current = current.parent
    return depth


def _description(schema: ToolSchema, part: Subschema) -> Node | None:
    """The description of a parameter, its own or that of the definition that it refers to; a blank one is none."""
    root = Node(schema.tool.tree, schema.path, schema.value)
    path, current = part.path, part.schema
    for _ in range(_MOST_REFERENCES):
        description = current.get("description")
        if isinstance(description, str) and not description.strip():
            return None
        if isinstance(description, str):
            return Node(root.tree, (*root.path, *path, "description"), description)
        reference = current.get("$ref")
        # An anchor would have to be looked for in all of the schema, for each parameter.
        if not isinstance(reference, str) or not reference.startswith("#/"):
            return None
        target = at_pointer(root.value, reference[1:])
        if target is None or not isinstance(target.value, dict):
            return None
        found = pointed(root, pointer_path(reference[1:]))
        path, current = () if found is None else found.path[len(root.path) :], target.value
    return None


def prompt_things(prompt: Prompt, surface: Surface) -> Iterator[Thing]:
    yield Thing(prompt, prompt.place(0, 0), None, None, surface)


def reference_things(prompt: Prompt, surface: Surface) -> Iterator[Thing]:
    """The names that plainly mean tools, whatever the text says of them."""
    for reference in prompt.named(surface.vocabulary_for(prompt)):
        if surface.may_speak_of(reference, prompt):
            tools = surface.by_name.get(reference.name)
            place = prompt.place(reference.start, reference.end)
            yield Thing(ReferenceThing(reference, prompt), place, None, tools[0] if tools else None, surface)


def policy_things(policy: CapabilityPolicy, surface: Surface) -> Iterator[Thing]:
    for pattern in policy.tools:
        yield Thing(EntryThing(pattern, "tools"), pattern.place, pattern, None, surface)
    for constraint in policy.constraints:
        item = EntryThing(
            constraint.tool, "tool_arg_constraints", None, constraint.arg_key, tuple(constraint.arg_patterns)
        )
        yield Thing(item, constraint.tool.place, constraint.node, None, surface)
    if policy.ceiling is not None:
        yield Thing(
            EntryThing(policy.ceiling, "side_effect_level"), policy.ceiling.place, policy.ceiling, None, surface
        )


def approval_things(approval: ApprovalPolicy, surface: Surface) -> Iterator[Thing]:
    for pattern in approval.patterns():
        name, _, position = pattern.field.partition("[")
        rule = approval.rules[int(position.partition("]")[0])] if position else None
        item = EntryThing(pattern.node, name, None if rule is None else rule.action)
        yield Thing(item, pattern.node.place, pattern.node if rule is None else rule.node, None, surface)


def permission_things(file: PermissionFile, surface: Surface) -> Iterator[Thing]:
    for rule in file.rules:
        yield Thing(PermissionThing(rule, file), rule.place, None, None, surface)


def file_things(file: ClientFile, surface: Surface) -> Iterator[Thing]:
    head = file.head
    place: Any = file.body.place(0, 0) if head is None else head.place
    yield Thing(file, place, head, None, surface)


def surface_things(surface: Surface) -> Iterator[Thing]:
    if surface.start is not None:
        yield Thing(surface, surface.start, None, None, surface)
