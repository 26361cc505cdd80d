"""Values of Python programs as plain data, each part with its place in the file that it is shown in."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.flow import ImportGroup, OutOfSteps
from toolsurface_lint.programs.framework import SCHEMA_KEYS
from toolsurface_lint.programs.schema import SchemaReader
from toolsurface_lint.programs.values import Class, Items, Literal, Made, Mapping, Member, Module, Value
from toolsurface_lint.source.program_tree import Located, Offsets, ProgramTree
from toolsurface_lint.source.text import SourceText, Span
from toolsurface_lint.source.tree import Node, Place, Spans

# Keywords that a schema can lose without meaning something else.
_DROPPABLE = frozenset((
    "description", "default", "title", "examples", "example", "deprecated", "$comment", "minimum", "maximum",
    "exclusiveMinimum", "exclusiveMaximum", "pattern", "format",
))  # fmt: skip
_SCHEMAS = frozenset((*SCHEMA_KEYS, "outputSchema"))
"""The keys of a definition under which it may have a schema in another shape: an object of those of its properties."""
_MAX_DEPTH = 60


class Shown(Protocol):
    """A file that values are shown in: a module that is followed, or one whose declarations are read."""

    source: SourceText

    @property
    def offsets(self) -> Offsets: ...
    @property
    def tree_class(self) -> type[ProgramTree]: ...


class FileTree:
    """The tree of one file while it is put together: definitions, and other places that tools refer to."""

    def __init__(self, module: Shown) -> None:
        self.module = module
        self._tools: list[Any] = []
        self._places: list[Any] = []
        self._tool_spans: list[Spans] = []
        self._place_spans: list[Spans] = []
        self._texts: dict[tuple[Located, str], Node] = {}
        size = len(module.source.text)
        root = Spans(0, size, {"tools": Spans(0, size, self._tool_spans), "places": Spans(0, size, self._place_spans)})
        self.tree = module.tree_class(module.source, {"tools": self._tools, "places": self._places}, root)

    def span(self, node: Located) -> Span:
        return self.module.offsets.span(node)

    def add_tool(self, definition: Part) -> tuple[str, int]:
        """Add a definition; its path in the tree."""
        self._tools.append(definition.value)
        self._tool_spans.append(definition.spans)
        return ("tools", len(self._tools) - 1)

    def node(self, value: Any, span: Span) -> Node:
        self._places.append(value)
        self._place_spans.append(Spans(span.start, span.end))
        return Node(self.tree, ("places", len(self._places) - 1), value)

    def text(self, node: Located, text: str) -> Node:
        """The text that a syntax node stands for, once however often it is asked for."""
        if (node, text) not in self._texts:
            self._texts[node, text] = self.node(text, self.span(node))
        return self._texts[node, text]

    def place(self, node: Located) -> Place:
        span = self.span(node)
        return self.node(self.module.source.text[slice(*span)], span).place


class Part(NamedTuple):
    """A plain value and its spans."""

    value: Any
    spans: Spans


class Converter:
    """Makes plain data of values as they are shown in one file, as long as `group` has parts left."""

    def __init__(self, evaluator: Evaluator, module: Module, group: ImportGroup) -> None:
        self._evaluator = evaluator
        self._module = module
        self._group = group
        self.has_gaps = False
        """Whether anything inside what was converted is not known, and left out or allows anything."""

    def convert(self, value: Value, site: Span, depth: int = 0) -> Part | None:
        """A value with its spans; what was written elsewhere lies at `site`. None if it is not known.

        Raises `OutOfSteps`.
        """
        self._group.parts -= 1
        if self._group.parts < 0:
            raise OutOfSteps
        if depth > _MAX_DEPTH:
            return None
        if isinstance(value, Member):
            value = value.value
        span = site
        if value.module is self._module and value.node is not None:
            span = self._module.offsets.span(value.node)
        if isinstance(value, Literal):
            plain = isinstance(value.value, str | int | float | bool | None)
            return Part(value.value, Spans(*span)) if plain else None
        if isinstance(value, Items):
            return self._items(value, span, depth) if value.complete else None
        if isinstance(value, Mapping):
            return self._mapping(value, span, depth) if value.complete else None
        if isinstance(value, Made) and value.path == "model_json_schema":
            model = value.arguments.first_value
            if isinstance(model, Class):
                schema = SchemaReader(self._evaluator).model(model, value.arguments.node, value.arguments.module)
                return self.convert(schema, span, depth + 1)
        if isinstance(value, Made):
            made = self._module.schema_of(value, self._evaluator)
            return None if made is None else self.convert(made, span, depth + 1)
        return None

    def _items(self, items: Items, span: Span, depth: int) -> Part | None:
        parts: list[Part] = []
        for item in items.items:
            part = self.convert(item, span, depth + 1)
            if part is None:
                return None
            parts.append(part)
        return Part([part.value for part in parts], Spans(*span, [part.spans for part in parts]))

    def _mapping(self, mapping: Mapping, span: Span, depth: int) -> Part | None:
        values: dict[str, Any] = {}
        items: dict[str, Spans] = {}
        for key, entry in mapping.entries.items():
            given = entry.value
            if depth <= 1 and key in _SCHEMAS and isinstance(given, Mapping):
                given = self._module.schema_of(given, self._evaluator) or given
            part = self.convert(given, span, depth + 1)
            if part is None:
                # A keyword that says nothing about validity, or a part of the definition itself, may be missing.
                self.has_gaps = self.has_gaps or depth > 0
                if key in _DROPPABLE or depth == 0:
                    continue
                # Where a dict maps names to schemas, one that is not known allows anything.
                if not all(isinstance(each.value, Mapping) for each in mapping.entries.values()):
                    return None
                part = Part({"anyOf": [{}]}, Spans(*span, {"anyOf": Spans(*span, [Spans(*span, {})])}))
            name = str(key)
            # What `ANYTHING` has in it.
            self.has_gaps = self.has_gaps or (name == "anyOf" and part.value == [{}])
            values[name] = part.value
            items[name] = part.spans
            written = entry.key
            if written.module is self._module and written.node is not None:
                part.spans.key_start, part.spans.key_end = self._module.offsets.span(written.node)
        return Part(values, Spans(*span, items))
