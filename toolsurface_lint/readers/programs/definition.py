"""The definition of a registered tool as a value in the shape of an MCP tool, from what its framework serves of it."""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from toolsurface_lint.programs import framework as kinds
from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.framework import CLEAN, STRIPPED, SUMMARY, Framework, names
from toolsurface_lint.programs.operations import plain, text_of, truth
from toolsurface_lint.programs.python.docstrings import read_docstring
from toolsurface_lint.programs.registry import Registration
from toolsurface_lint.programs.schema import ANYTHING, Property, SchemaReader, build, object_schema
from toolsurface_lint.source.python import clean_docstring


class Inferred(NamedTuple):
    """What a signature gives: the schema, and the parameters that the model fills in, with their `CodeParameter.typing`."""

    schema: v.Mapping
    parameters: list[tuple[v.Parameter, str]]


def description_text(registration: Registration) -> str | None:
    """The description as it is served; None if there is none, or if it is not known."""
    written = registration.description
    text = None if written is None or v.is_none(written) else text_of(written)
    function = registration.function
    if text is None or written is None or function is None or function.docstring.node is not written.node:
        return text
    kind = registration.framework.text
    if kind == STRIPPED:
        return text.strip()
    if kind == CLEAN:
        return clean_docstring(text)[0]
    if kind == SUMMARY:
        return clean_docstring(text[: read_docstring(text).summary_end])[0].strip()
    return text


def infer_schema(registration: Registration, evaluator: Evaluator) -> Inferred | None:
    """What the signature of the tool's function gives, without the parameters that the framework fills in."""
    function, framework = registration.function, registration.framework
    if function is None or registration.display is not None or registration.schema is not None or framework.nameless:
        return None
    if function.is_rewritten:
        return None
    text = plain(function.docstring)
    documented = read_docstring(text).parameters if framework.documented and isinstance(text, str) else ()
    # The first of a name counts.
    descriptions = {found.name: found.description for found in reversed(documented)}
    reader = SchemaReader(evaluator, framework)
    module, scope = function.scope.module, function.scope
    properties: list[Property] = []
    parameters: list[tuple[v.Parameter, str]] = []
    for parameter in _taken(function, registration.skip_first):
        name = parameter.name
        if name in registration.excluded or name in framework.injected_names:
            continue
        if _is_injected(parameter, scope, evaluator):
            continue
        found = reader.property(parameter, scope)
        if descriptions.get(name) and "description" not in found.schema.entries:
            found.schema.set("description", v.Literal(descriptions[name], module, found.key.node))
        properties.append(found)
        typing = "typed" if found.supported else "unsupported"
        if parameter.hint is None:
            # A program's own decorator may go by the docstring, or leave the parameter out.
            typing = "typed" if framework.untyped or framework is kinds.OTHER else "untyped"
        parameters.append((parameter, typing))
    schema = object_schema(properties, module, function.code)
    reshape = registration.reshape or framework.reshape
    if reshape is not None:
        schema = reshape(schema, any(parameter.kind == v.NAMED_REST for parameter in function.parameters))
    return Inferred(schema, parameters)


def _taken(function: v.Function, skip_first: bool) -> list[v.Parameter]:
    """The parameters that a caller fills in."""
    taken = [parameter for parameter in function.parameters if parameter.kind in (v.POSITIONAL, v.NAMED)]
    if not taken or taken[0].kind != v.POSITIONAL:
        return taken
    bound = function.receiver is not None and function.binding != "static"
    own = function.owner is not None and taken[0].name in ("self", "cls")
    return taken[1:] if bound or skip_first or own else taken


def _is_injected(parameter: v.Parameter, scope: v.Scope, evaluator: Evaluator) -> bool:
    """Whether the type, what is said of it, or the default of a parameter is one that only the framework knows."""
    if parameter.default is not None:
        default = evaluator.evaluate(parameter.default, scope)
        if isinstance(default, v.Made) and default.last in names("injected_defaults"):
            return True
    if parameter.hint is None:
        return False
    hint = scope.module.read_hint(parameter.hint, scope, evaluator)
    for value in hint.metadata:
        name = value.last if isinstance(value, v.Outside) else value.name if isinstance(value, v.Class) else ""
        if name in names("injected_metadata"):
            return True
    types = names("injected_types")
    for name, value in scope.module.hinted(hint.node, hint.scope, evaluator):
        if isinstance(value, v.Class):
            own = any(kinds.own_path(cls) and cls.name in types for cls in value.lineage())
            if own or value.derives(*types) is not None:
                return True
        elif (value.last if isinstance(value, v.External) else name) in types:
            return True
    return False


def make_definition(
    registration: Registration, name: str, inferred: Inferred | None, evaluator: Evaluator
) -> v.Mapping:
    """The whole definition; what is not known is left out."""
    definition = v.Mapping(registration.module, registration.node)
    definition.set("name", v.Literal(name, registration.name.module, registration.name.node))
    if registration.title is not None:
        definition.give("title", registration.title)
    text = description_text(registration)
    if text is not None and registration.description is not None:
        definition.set("description", v.Literal(text, registration.description.module, registration.description.node))
    schema = _given_schema(registration, evaluator)
    if schema is None and inferred is not None:
        schema = inferred.schema
    if schema is not None:
        definition.set("inputSchema", schema)
    output = registration.output
    if output is not None and registration.framework.is_mcp and isinstance(output.value, v.Mapping):
        definition.set("outputSchema", output.value)
    given = registration.annotations
    hints = None if given is None else _hints(registration, given)
    if given is not None and hints is not None:
        definition.give("annotations", given._replace(value=hints))
    if registration.side_effects is not None:
        definition.give("side_effects", registration.side_effects)
    return definition


def _given_schema(registration: Registration, evaluator: Evaluator) -> v.Mapping | None:
    given = registration.schema
    if given is None:
        return None
    value: v.Value | None = given.value
    reader = SchemaReader(evaluator, registration.framework)
    if isinstance(value, v.Made) and value.path == "model_json_schema":
        value = value.arguments.first_value
    if isinstance(value, v.Class):
        return reader.model(value, given.site, given.module)
    if isinstance(value, v.Mapping) and registration.framework.typed_keys and "type" not in value.entries:
        return _typed_keys(value, reader, registration.framework)
    return value if isinstance(value, v.Mapping) else None


def _hints(registration: Registration, given: v.Argument) -> v.Mapping | None:
    """The annotations as an object; `ToolAnnotations(...)` of the MCP SDK 2 has its fields in snake case."""
    value = given.value
    if isinstance(value, v.Mapping):
        return value
    if not isinstance(value, v.Made) or value.last != "ToolAnnotations":
        return None
    hints = v.Mapping(given.module, given.site)
    path = registration.server.path if registration.server is not None else ""
    snake_case = not path.startswith(("mcp.server.fastmcp", "fastmcp"))
    for key, argument in value.arguments.keywords.items():
        name = re.sub(r"_([a-z])", lambda found: found.group(1).upper(), key) if snake_case else key
        hints.give(name, argument)
    return hints


def _without_own_type(schema: v.Mapping, framework: Framework) -> v.Mapping:
    if plain(schema.get("type")) not in framework.own_types:
        return schema
    served = build(ANYTHING, schema.module, schema.node)
    served.entries.update((key, entry) for key, entry in schema.entries.items() if key != "type")
    return served


def _typed_keys(given: v.Mapping, reader: SchemaReader, framework: Framework) -> v.Mapping:
    """A schema of a dict that maps each parameter to its type, or (smolagents) to its own schema."""
    properties = v.Mapping(given.module, given.node, complete=given.complete)
    required = v.Items([], given.module, given.node)
    for key, entry in given.entries.items():
        module, node = entry.value.module, entry.value.node
        if isinstance(entry.value, v.Mapping):
            written = _without_own_type(entry.value, framework)
        elif isinstance(node, ast.expr) and module is not None:
            written = reader.schema(node, module.scope)
        else:
            written = v.Mapping(given.module, given.node, complete=False)
        nullable = entry.value.get("nullable") if isinstance(entry.value, v.Mapping) else None
        properties.entries[key] = v.Entry(entry.key, written)
        if nullable is None or not truth(nullable)[0]:
            required.items.append(v.Literal(key, entry.key.module, entry.key.node))
    return build({"type": "object", "properties": properties, "required": required}, given.module, given.node)
