"""The definition of a registered tool as a value in the shape of an MCP tool, from what its framework serves of it."""

from __future__ import annotations

import ast
import re

from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.framework import CLEAN, STRIPPED, SUMMARY
from toolsurface_lint.programs.operations import text_of, truth
from toolsurface_lint.programs.python.docstrings import read_docstring
from toolsurface_lint.programs.registry import Registration
from toolsurface_lint.programs.schema import SchemaReader
from toolsurface_lint.programs.signatures import Inferred, read_signature
from toolsurface_lint.source.python import clean_docstring


def description_text(registration: Registration) -> str | None:
    """The description as it is served; None if there is none, or if it is not known."""
    written = registration.description
    text = None if written is None or is_none(written) else text_of(written)
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
    """What the signature of the tool's function gives, if it has one that can be read."""
    function, framework = registration.function, registration.framework
    if function is None or registration.display is not None or registration.schema is not None or framework.nameless:
        return None
    text = function.docstring.value
    documented = read_docstring(text).parameters if framework.documented and isinstance(text, str) else ()
    inferred = read_signature(
        function,
        _reader(registration, evaluator),
        documented,
        skip_first=registration.skip_first,
        excluded=registration.excluded,
    )
    reshape = registration.reshape or framework.reshape
    if reshape is None:
        return inferred
    takes_any = any(parameter.kind == v.NAMED_REST for parameter in function.parameters)
    return inferred._replace(schema=reshape(inferred.schema, takes_any))


def make_definition(
    registration: Registration, name: str, inferred: Inferred | None, evaluator: Evaluator
) -> v.Mapping:
    """The whole definition; what is not known is left out."""
    definition = v.Mapping(registration.module, registration.node)
    definition.set("name", v.Literal(name, registration.name.module, registration.name.node))
    if registration.title is not None:
        definition.set_at("title", registration.title.value, registration.title.module, registration.title.key)
    text = description_text(registration)
    if text is not None and registration.description is not None:
        definition.set("description", v.Literal(text, registration.description.module, registration.description.node))
    schema = _given_schema(registration, evaluator)
    if schema is None and inferred is not None:
        schema = inferred.schema
    if schema is not None:
        definition.set("inputSchema", schema)
    given = registration.annotations
    hints = None if given is None else _hints(registration, given)
    if given is not None and hints is not None:
        definition.set_at("annotations", hints, given.module, given.key)
    given = registration.side_effects
    if given is not None:
        definition.set_at("side_effects", given.value, given.module, given.key)
    return definition


def is_none(value: v.Value) -> bool:
    return isinstance(value, v.Literal) and value.value is None


def _reader(registration: Registration, evaluator: Evaluator) -> SchemaReader:
    framework = registration.framework
    return SchemaReader(evaluator, framework.flavour, text_metadata=framework.text_metadata)


def _given_schema(registration: Registration, evaluator: Evaluator) -> v.Mapping | None:
    given = registration.schema
    if given is None:
        return None
    value: v.Value | None = given.value
    reader = _reader(registration, evaluator)
    if isinstance(value, v.Made) and value.path == "model_json_schema":
        value = value.arguments.first_value
    if isinstance(value, v.Class):
        return reader.model(value, given.site, given.module)
    if isinstance(value, v.Mapping) and registration.framework.typed_keys and "type" not in value.entries:
        return _typed_keys(value, reader)
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
        hints.set_at(name, argument.value, argument.module, argument.key)
    return hints


def _typed_keys(given: v.Mapping, reader: SchemaReader) -> v.Mapping:
    """A schema of a dict that maps each parameter to its type, or (smolagents) to its own schema."""
    schema = v.Mapping(given.module, given.node)
    properties = v.Mapping(given.module, given.node)
    required = v.Items([], given.module, given.node)
    for key, entry in given.entries.items():
        module, node = entry.value.module, entry.value.node
        if isinstance(entry.value, v.Mapping):
            written = entry.value
        elif isinstance(node, ast.expr) and module is not None:
            written = reader.schema(node, module.scope)
        else:
            written = v.Mapping(given.module, given.node)
            written.complete = False
        nullable = entry.value.get("nullable") if isinstance(entry.value, v.Mapping) else None
        properties.entries[key] = v.Entry(entry.key, written)
        if nullable is None or not truth(nullable)[0]:
            required.items.append(v.Literal(key, entry.key.module, entry.key.node))
    properties.complete = given.complete
    schema.set("type", v.Literal("object", given.module, given.node))
    schema.set("properties", properties)
    schema.set("required", required)
    return schema
