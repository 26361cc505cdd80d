"""The few types that the decorator of the tool chapter knows; everything else becomes a string there."""

from __future__ import annotations

from collections.abc import Callable

from toolsurface_lint.programs.schema_parts import SCALARS
from toolsurface_lint.programs.values import Literal, Mapping, Node, Scope, TypeHint
from toolsurface_lint.source.python import Located

_KNOWN = ("str", "int", "float", "bool")
_MAX_DEPTH = 20
Reader = Callable[[Node, Scope], TypeHint]


def simple_schema(hint: Node | None, scope: Scope, place: Located, read: Reader) -> Mapping:
    """The schema of a parameter that is written at `place`."""
    module = scope.module
    schema = Mapping(module, hint or place)
    kind = Literal("string", module, hint or place)
    inner = None if hint is None else _inner(hint, scope, read)
    if inner is not None:
        if inner.head in _KNOWN:
            kind.value = SCALARS[inner.head]
        elif inner.inside and inner.head in ("list", "List"):
            kind.value = "array"
            schema.set("items", simple_schema(inner.inside[0], inner.scope, place, read))
    schema.set("type", kind)
    return schema


def is_simple(hint: Node, scope: Scope, read: Reader) -> bool:
    """Whether a hint names one of these types."""
    inner = _inner(hint, scope, read)
    if inner.inside:
        return inner.head in ("list", "List") and is_simple(inner.inside[0], inner.scope, read)
    return inner.head in _KNOWN


def _inner(hint: Node, scope: Scope, read: Reader) -> TypeHint:
    """A hint without `Annotated`, and without `None` where one type is left."""
    found = read(hint, scope)
    for _ in range(_MAX_DEPTH):
        others = [part for part in found.alternatives if read(*part).head != "None"]
        if len(others) != 1 or others[0][0] is found.node:
            break
        found = read(*others[0])
    return found
