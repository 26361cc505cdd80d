"""What the body of a model, a dataclass or a typed dict declares."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from toolsurface_lint.programs.python.hints import Declaration, arguments
from toolsurface_lint.programs.values import Class
from toolsurface_lint.source.python import Location


def has_fields(cls: Class) -> bool:
    """Whether a class is one whose annotated names are the fields of its instances."""
    if cls.derives("BaseModel", "TypedDict", "NamedTuple", "RootModel", "BaseSettings", "SQLModel") is not None:
        return True
    return any("dataclass" in ast.dump(part) for part in cls.code.decorator_list)


def is_root(cls: Class) -> bool:
    """Whether a class is a model that is one value: `class Ids(RootModel[list[int]])`."""
    return cls.derives("RootModel") is not None


def root_hint(cls: Class) -> ast.expr | None:
    """The type of the one value of such a model, in the scope of the class; None if it is not written there."""
    for statement in cls.code.body:
        target = statement.target if isinstance(statement, ast.AnnAssign) else None
        if isinstance(statement, ast.AnnAssign) and isinstance(target, ast.Name) and target.id == "root":
            return statement.annotation
    for base in cls.code.bases:
        if isinstance(base, ast.Subscript):
            return arguments(base)[0]
    return None


def is_partial(cls: Class) -> bool:
    """Whether a typed dict says `total=False`: its keys may be missing."""
    return any(
        keyword.arg == "total" and isinstance(keyword.value, ast.Constant) and keyword.value.value is False
        for keyword in cls.code.keywords
    )


def declared_fields(cls: Class) -> Iterator[Declaration]:
    """The annotated names of a class, those of its farthest ancestors first."""
    for ancestor in reversed(cls.ancestors()):
        if not isinstance(ancestor, Class):
            continue
        for statement in ancestor.code.body:
            if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
                continue
            name = statement.target
            if not name.id.startswith("_") and name.id != "model_config":
                place = Location(name.lineno, name.col_offset, name.lineno, name.end_col_offset or name.col_offset)
                yield Declaration(name.id, statement.annotation, statement.value, ancestor.scope, place)
