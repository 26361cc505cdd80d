"""What a tool says of its results."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.schemas.validation import SchemaValidator

_validators: WeakKeyDictionary[Surface, dict[int, SchemaValidator | None]] = WeakKeyDictionary()


def output_validator(tool: Tool, surface: Surface) -> SchemaValidator | None:
    """Checks results of a tool of a surface, ready for many; None if nothing says what they are."""
    of_surface = _validators.setdefault(surface, {})
    key = id(tool)
    if key not in of_surface:
        node = tool.output_schema
        usable = node is not None and isinstance(node.value, dict)
        of_surface[key] = SchemaValidator(node.value) if node is not None and usable else None
    return of_surface[key]
