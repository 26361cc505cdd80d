"""One tool, and the instructions of one server, as they were and as they are."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

from toolsurface_lint.checks._schema_words import alternatives
from toolsurface_lint.checks.change import WAS
from toolsurface_lint.checks.change._dependents import Dependents, Related
from toolsurface_lint.model.prompt import Prompt
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Annotations, Tool
from toolsurface_lint.schemas.arguments import read_schema
from toolsurface_lint.schemas.comparing import Comparison, Undecided, compare_schemas
from toolsurface_lint.source.text import GAP
from toolsurface_lint.source.tree import Path, Place

_NOTHING = Comparison((), ())
_UNKNOWN = Comparison((), (Undecided((), (), ""),))
_ANY_OBJECT: dict[str, Any] = {"type": "object"}
_HAS_SCHEMA, _HAS_DESCRIPTION = "schema", "description"


class ToolChange:
    """A tool of two versions; `old` or `new` is None if only the other one has it.

    `place` is where to speak of the whole tool; `shows_old`: places in the old version can be shown. `earlier` and `surface`
    are those that it was and is in.
    """

    def __init__(
        self,
        old: Tool | None,
        new: Tool | None,
        place: Place,
        dependents: Dependents,
        earlier: Surface | None,
        surface: Surface | None,
        *,
        shows_old: bool,
        file: str | None = None,
    ) -> None:
        self.old = old
        self.new = new
        self.place = place
        self.dependents = dependents
        self.shows_old = shows_old
        self.file = file
        """The file that it was in, if the new version does not have that either."""
        self._earlier = earlier
        self._surface = surface

    def was_at(self, place: Place | None) -> list[Related]:
        """What to show of the old version."""
        return [(WAS, place)] if self.shows_old and place is not None else []

    @cached_property
    def inputs(self) -> Comparison:
        """What calls may pass: the old schema against the new one."""
        old, new = self.old, self.new
        if old is None or new is None:
            return _NOTHING
        schemas = [read_schema(tool) for tool in (old, new)]
        if all(schema is None for schema in schemas):
            return _NOTHING
        for tool, schema in zip((old, new), schemas, strict=True):
            if schema is None and _HAS_SCHEMA not in tool.declarable:
                return _UNKNOWN
        before, after = (_ANY_OBJECT if schema is None else schema for schema in schemas)
        return compare_schemas(before, after)

    @cached_property
    def outputs(self) -> Comparison:
        """What results may hold: the new schema against the old one, as it is the readers who must take what comes."""
        old = None if self.old is None else self.old.output_schema
        new = None if self.new is None else self.new.output_schema
        return _NOTHING if old is None or new is None else compare_schemas(new.value, old.value)

    @cached_property
    def unread_texts(self) -> bool:
        """Whether a description is made in a way that only a run can tell, so that nobody knows whether it has changed."""
        if self.old is None or self.new is None:
            return False
        texts = [_text(tool) for tool in (self.old, self.new)]
        unknown = any(
            tool.description is None and _HAS_DESCRIPTION not in tool.declarable for tool in (self.old, self.new)
        )
        return any(GAP in text for text in texts) or (unknown and any(texts))

    def input_place(self, at: Path) -> Place:
        """The place of a path in the new parameter schema."""
        tool = self.new
        assert tool is not None
        return tool.name_place if tool.schema_path is None else schema_place(tool, tool.schema_path, at)

    def old_input_place(self, was: Path) -> Place | None:
        tool = self.old
        return None if tool is None or tool.schema_path is None else schema_place(tool, tool.schema_path, was)

    @property
    def annotations(self) -> tuple[Annotations | None, Annotations | None]:
        """What is said of its effects in words of the Harn specification, by itself or by a policy, in both versions."""
        return _annotated(self.old, self._earlier), _annotated(self.new, self._surface)


class InstructionsChange(NamedTuple):
    """What a server says about itself; `old` is None if it said nothing."""

    old: Prompt | None
    new: Prompt


def schema_place(tool: Tool, schema: Path, path: Path) -> Place:
    """The place of a path in a schema of a tool: of a property, and of what holds many, by its name, else by the value."""
    by_name = not path or path[-1] in ("properties", "required") or path[-2:-1] == ("properties",)
    return Place(tool.tree, (*schema, *path), "key" if by_name else "value")


def spelled_schema_path(path: Path) -> str:
    """The value that a path in a schema is about, as code would write it: `filters.state`, `tags[]`; empty for the whole."""
    steps: list[str] = []
    at = 0
    while at < len(path):
        step = path[at]
        if step == "properties" and at + 1 < len(path):
            steps.append(f".{path[at + 1]}")
            at += 1
        elif step in ("items", "prefixItems"):
            steps.append("[]")
        elif step in ("$defs", "definitions") and at + 1 < len(path):
            steps = [f".{path[at + 1]}"]
            at += 1
        at += 1
    return "".join(steps).removeprefix(".")


def first_name(path: Path) -> str | None:
    """The parameter that a path in a schema leads through."""
    return str(path[1]) if len(path) > 1 and path[0] == "properties" else None


def type_words(names: list[str]) -> str:
    """Types as a message names them."""
    return alternatives(["anything" if name == "any" else name for name in names])


def _text(tool: Tool) -> str:
    value = None if tool.description is None else tool.description.value
    return value if isinstance(value, str) else ""


def _annotated(tool: Tool | None, surface: Surface | None) -> Annotations | None:
    if tool is None or tool.annotations is not None or surface is None:
        return None if tool is None else tool.annotations
    given = (policy.annotations.get(tool.name) for policy in surface.policies)
    return next((each for each in given if each is not None), None)
