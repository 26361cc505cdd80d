"""One walk over the subschemas of a schema, in the order in which they are written."""

from __future__ import annotations

from typing import Any

from toolsurface_lint.schemas.dialects import LIST, MAP, ONE
from toolsurface_lint.source.tree import Path

ROOT, PROPERTY, ITEM, BRANCH, NEGATED, DEFINITION, OTHER = range(7)
"""What a subschema is to the one that it is in; `BRANCH` is about the same value, as one condition of several."""

_ROLES: dict[str, int] = {
    **dict.fromkeys(ONE, OTHER),
    **dict.fromkeys(LIST, BRANCH),
    **dict.fromkeys(MAP, OTHER),
    "properties": PROPERTY,
    "items": ITEM,
    "prefixItems": ITEM,
    "additionalItems": ITEM,
    "$defs": DEFINITION,
    "definitions": DEFINITION,
    "dependentSchemas": BRANCH,
    "if": BRANCH,
    "then": BRANCH,
    "else": BRANCH,
    "not": NEGATED,
}


class Subschema:
    """One object of a schema that is a schema itself.

    `path` leads to it from the root; `parent` is the one that it is in. `negated`: under a `not` or an `if`, so that
    what it forbids is not a defect. `conditional`: one of several alternatives, or a part of one.
    """

    __slots__ = ("conditional", "negated", "parent", "path", "role", "schema")

    def __init__(self, schema: dict[str, Any], path: Path, role: int, parent: Subschema | None) -> None:
        self.schema = schema
        self.path = path
        self.role = role
        self.parent = parent
        self.negated = False
        self.conditional = False

    @property
    def name(self) -> str | None:
        """The property that it describes, if it describes one itself."""
        return str(self.path[-1]) if self.role == PROPERTY else None


def subschemas(root: Any) -> list[Subschema]:
    """Every subschema that is an object, the root first; lenient: what is not a schema is left out.

    A definition is one of them where it is written; references are not followed.
    """
    if type(root) is not dict:
        return []
    found: list[Subschema] = []
    pending = [Subschema(root, (), ROOT, None)]
    roles = _ROLES
    while pending:
        current = pending.pop()
        found.append(current)
        schema, path = current.schema, current.path
        inner: list[Subschema] = []
        for key, value in schema.items():
            if key not in roles:
                continue
            role = roles[key]
            if type(value) is dict:
                if key in MAP:
                    for name, part in value.items():
                        if type(part) is dict:
                            inner.append(Subschema(part, (*path, key, name), role, current))
                elif key not in LIST:
                    inner.append(Subschema(value, (*path, key), role, current))
            elif type(value) is list and (key in LIST or key == "items"):
                for index, part in enumerate(value):
                    if type(part) is dict:
                        inner.append(Subschema(part, (*path, key, index), role, current))
        if inner:
            for part in inner:
                if current.negated or current.conditional or part.role in (BRANCH, NEGATED):
                    keyword = part.path[len(path)]
                    part.negated = current.negated or keyword in ("not", "if")
                    part.conditional = current.conditional or (part.role == BRANCH and keyword != "allOf")
            inner.reverse()
            pending.extend(inner)
    return found
