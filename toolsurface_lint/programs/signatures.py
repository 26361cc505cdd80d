"""The schema that a framework derives from the parameters of a function."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from toolsurface_lint.programs.injected import is_injected
from toolsurface_lint.programs.python.docstrings import Documented
from toolsurface_lint.programs.python.hints import Declaration
from toolsurface_lint.programs.python.modules import Module
from toolsurface_lint.programs.schema import SIMPLE, SchemaReader
from toolsurface_lint.programs.schema_parts import empty_object
from toolsurface_lint.programs.simple_types import is_simple
from toolsurface_lint.programs.values import Function, Items, Literal, Mapping
from toolsurface_lint.source.python import Location


class ParameterFacts(NamedTuple):
    """A parameter that the model fills in; `typing` as in `CodeParameter`."""

    name: str
    typing: str
    place: Location
    hint: ast.expr | None


class Inferred(NamedTuple):
    """What a signature gives: the schema, and the parameters as written in `module`."""

    schema: Mapping
    parameters: list[ParameterFacts]
    module: Module


def read_signature(
    function: Function,
    reader: SchemaReader,
    documented: tuple[Documented, ...] = (),
    *,
    skip_first: bool = False,
    excluded: frozenset[str] = frozenset(),
) -> Inferred:
    """The schema of a function's parameters, without those that the framework fills in.

    `documented` are the docstring's parameters where the framework reads them.
    """
    module = function.scope.module
    schema = empty_object(module, function.code)
    properties, required = schema.get("properties"), schema.get("required")
    assert isinstance(properties, Mapping)
    assert isinstance(required, Items)
    facts: list[ParameterFacts] = []
    for node, default in _taken(function, skip_first):
        place = module.offsets.identifier(node, node.arg)
        parameter = Declaration(node.arg, node.annotation, default, function.scope, place)
        if node.arg in excluded or is_injected(parameter, reader.evaluator, reader.hints):
            continue
        written = reader.property(parameter)
        document = next((found for found in documented if found.name == node.arg), None)
        if document is not None and document.description and "description" not in written.schema.entries:
            written.schema.set("description", Literal(document.description, module, place))
        properties.set_at(written.name, written.schema, module, place)
        if written.required:
            required.items.append(Literal(written.name, module, place))
        facts.append(ParameterFacts(node.arg, _typing(parameter, reader), place, node.annotation))
    if not required.items:
        del schema.entries["required"]
    return Inferred(schema, facts, module)


def _taken(function: Function, skip_first: bool) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    """The parameters that a caller fills in, with their defaults."""
    arguments = function.code.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    defaults.extend(arguments.defaults)
    taken = list(zip(positional, defaults, strict=True))
    bound = function.receiver is not None and function.binding != "static"
    if taken and (bound or skip_first or (function.owner is not None and taken[0][0].arg in ("self", "cls"))):
        taken = taken[1:]
    yield from taken
    yield from zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)


def _typing(parameter: Declaration, reader: SchemaReader) -> str:
    if parameter.hint is None:
        return "untyped"
    if reader.flavour == SIMPLE and not is_simple(parameter.hint, parameter.scope, reader.hints):
        return "unsupported"
    return "typed"
