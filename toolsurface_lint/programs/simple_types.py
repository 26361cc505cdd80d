"""The few types that the decorator of the tool chapter knows; everything else becomes a string there."""

from __future__ import annotations

import ast

from toolsurface_lint.programs.python.hints import MAX_DEPTH, HintReader, arguments, is_text, parsed
from toolsurface_lint.programs.schema_parts import SCALARS
from toolsurface_lint.programs.values import Literal, Mapping, Scope
from toolsurface_lint.source.python import Location

_KNOWN = ("str", "int", "float", "bool")


def simple_schema(annotation: ast.expr | None, scope: Scope, place: Location, hints: HintReader) -> Mapping:
    """The schema of a parameter that is written at `place`."""
    module = scope.module
    schema = Mapping(module, annotation or place)
    inner, inner_scope = (None, scope) if annotation is None else _inner(annotation, scope, hints)
    kind: Literal = Literal("string", module, annotation or place)
    if inner is not None:
        name = hints.head(inner, inner_scope)
        if name in _KNOWN:
            kind.value = SCALARS[name]
        elif isinstance(inner, ast.Subscript) and name in ("list", "List"):
            kind.value = "array"
            schema.set("items", simple_schema(arguments(inner)[0], inner_scope, place, hints))
    schema.set("type", kind)
    return schema


def is_simple(annotation: ast.expr, scope: Scope, hints: HintReader) -> bool:
    """Whether a hint names one of these types."""
    inner, inner_scope = _inner(annotation, scope, hints)
    name = hints.head(inner, inner_scope)
    if isinstance(inner, ast.Subscript):
        return name in ("list", "List") and is_simple(arguments(inner)[0], inner_scope, hints)
    return name in _KNOWN


def _inner(annotation: ast.expr, scope: Scope, hints: HintReader) -> tuple[ast.expr, Scope]:
    """A hint without `Annotated`, and without `None` where one type is left."""
    for _ in range(MAX_DEPTH):
        if is_text(annotation):
            annotation = parsed(annotation) or annotation
        inner, scope, _metadata = hints.unwrap(annotation, scope)
        others = [part for part in hints.alternatives(inner, scope) if hints.head(part[0], part[1]) != "None"]
        if len(others) != 1 or others[0][0] is annotation:
            return inner, scope
        annotation, scope = others[0]
    return annotation, scope
