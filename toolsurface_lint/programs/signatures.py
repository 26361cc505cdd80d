"""The schema that a framework derives from the parameters of a function."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolsurface_lint.programs.injected import is_injected
from toolsurface_lint.programs.python.docstrings import Documented
from toolsurface_lint.programs.schema import SIMPLE, SchemaReader
from toolsurface_lint.programs.schema_parts import ObjectSchema
from toolsurface_lint.programs.simple_types import is_simple
from toolsurface_lint.programs.values import NAMED, POSITIONAL, Function, Literal, Mapping, Module, Node, Parameter
from toolsurface_lint.source.python import Location


class ParameterFacts(NamedTuple):
    """A parameter that the model fills in; `typing` as in `CodeParameter`."""

    name: str
    typing: str
    place: Location
    hint: Node | None


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
    module, scope = function.scope.module, function.scope
    schema = ObjectSchema(module, function.code)
    facts: list[ParameterFacts] = []
    for parameter in _taken(function, skip_first):
        place = module.offsets.identifier(parameter.node, parameter.name)
        if parameter.name in excluded or is_injected(parameter, scope, reader.evaluator):
            continue
        name, written, required = reader.property(parameter, scope, place)
        document = next((found for found in documented if found.name == parameter.name), None)
        if document is not None and document.description and "description" not in written.entries:
            written.set("description", Literal(document.description, module, place))
        schema.add(name, written, required, module, place)
        typing = "typed"
        if parameter.hint is None:
            typing = "untyped"
        elif reader.flavour == SIMPLE and not is_simple(parameter.hint, scope, reader.read_hint):
            typing = "unsupported"
        facts.append(ParameterFacts(parameter.name, typing, place, parameter.hint))
    return Inferred(schema.made(), facts, module)


def _taken(function: Function, skip_first: bool) -> Iterator[Parameter]:
    """The parameters that a caller fills in."""
    taken = [parameter for parameter in function.parameters if parameter.kind in (POSITIONAL, NAMED)]
    bound = function.receiver is not None and function.binding != "static"
    if taken and taken[0].kind == POSITIONAL:
        own = function.owner is not None and taken[0].name in ("self", "cls")
        return iter(taken[1:] if bound or skip_first or own else taken)
    return iter(taken)
