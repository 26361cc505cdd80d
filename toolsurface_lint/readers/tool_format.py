"""What a format of tool definitions is, registered by lying in `readers/tools/`, and making tools by it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from toolsurface_lint.model.tool import Parameter, Tool
from toolsurface_lint.readers.annotations import SPECIFIED, read_annotations
from toolsurface_lint.readers.schema import known_keys, parameters
from toolsurface_lint.source.json import JsonTree
from toolsurface_lint.source.modules import registered
from toolsurface_lint.source.shared import Shared, digest, remembered
from toolsurface_lint.source.tree import Node, Path


class ToolFormat(NamedTuple):
    """One format of a single tool definition.

    `recognises` sees an object (a dict) that has a name and says whether it is one of this format; formats are asked by
    `order`, the most telling first. `declarable` is what the format has a place for. `body` is the key of the object that
    holds the name, the description and the schema, if the definition has one, `name_key` that of the name. The schema is
    at the first of the paths `schemas` that there is; without a `schema_required`, a definition that has none declares
    none. `annotations`: the format has them, and `defer_loading`; with `hints_only`, MCP hints alone are not the Harn
    specification's annotations. `finish` reads what is particular to the format; `read_all` reads formats for which all of
    this does not hold. What is of a `weak` format may be something else: it is a definition beside others, or where the
    file's name says so.
    """

    name: str
    order: int
    recognises: Callable[[dict[str, Any]], bool]
    declarable: frozenset[str] = frozenset({"schema", "description"})
    body: str | None = None
    name_key: str = "name"
    schemas: tuple[Path, ...] = ()
    schema_required: bool = True
    annotations: bool = False
    hints_only: bool = False
    finish: Callable[[Tool, Node], None] | None = None
    read_all: Callable[[Node], Tool | None] | None = None
    weak: bool = False

    def fits(self, item: dict[str, Any]) -> bool:
        """Whether an object is a definition of this format; one without a name is not a tool."""
        body = item.get(self.body) if self.body is not None else None
        holder = body if isinstance(body, dict) else item
        return isinstance(holder.get(self.name_key), str) and self.recognises(item)

    def read(self, node: Node) -> Tool | None:
        """The tool that a node defines; None if it has no usable name."""
        if self.read_all is not None:
            return self.read_all(node)
        body = (node.get(self.body) if self.body is not None else None) or node
        tool = start_tool(body, body.get(self.name_key), self.name, self.declarable)
        if tool is None:
            return None
        tool.path = node.path
        found = (body.find(*path) for path in self.schemas)
        set_schema(tool, next((schema for schema in found if schema is not None), None))
        if tool.schema_path is None and not self.schema_required:
            tool.declarable = tool.declarable - {"schema"}
        if self.annotations:
            set_annotations(tool, node.get("annotations") or body.get("annotations"), hints_only=self.hints_only)
            set_deferred(tool, node, body)
        if self.finish is not None:
            self.finish(tool, node)
        return tool


@cache
def tool_formats() -> tuple[ToolFormat, ...]:
    """Every format, the most telling first."""
    return registered("toolsurface_lint.readers.tools", "FORMAT")


def named(name: str) -> ToolFormat:
    return next(format for format in tool_formats() if format.name == name)


def start_tool(node: Node, name: Node | None, format: str, declarable: frozenset[str]) -> Tool | None:
    """A tool of a definition with its name; None if the name is missing, empty or no text."""
    if name is None or not isinstance(name.value, str) or not name.value:
        return None
    tool = Tool(name, format, node.tree, node.path)
    tool.declarable = declarable
    tool.description = node.string("description")
    return tool


def set_schema(tool: Tool, schema: Node | None) -> None:
    """Note where the parameter schema is and what it knows; present is enough, even null."""
    if schema is None:
        return
    tool.schema_path = schema.path
    tool.known_keys, tool.parameters = _taken(schema)


_MOST_SCHEMAS = 10_000
_schemas: Shared[bytes] = Shared(_MOST_SCHEMAS)


def _taken(schema: Node) -> tuple[tuple[str, ...], tuple[Parameter, ...]]:
    """The keys that a schema knows and the parameters: of equal ones in JSON, of which there are many, the same objects."""
    content = digest(schema.value) if type(schema.tree) is JsonTree else None
    if content is None:
        return known_keys(schema.value), parameters(schema.value)
    return remembered(_schemas.of(content, 1), "taken", lambda: (known_keys(schema.value), parameters(schema.value)))


def forget_schema(tool: Tool) -> None:
    """Take the schema of a tool for one that is not known."""
    tool.schema_path, tool.known_keys, tool.parameters = None, (), ()
    tool.declarable = tool.declarable - {"schema"}


def set_annotations(tool: Tool, annotations: Node | None, *, hints_only: bool = False) -> None:
    """Read annotations; with `hints_only`, an object of MCP hints alone is not the Harn specification's."""
    if annotations is None:
        return
    if isinstance(annotations.value, dict):
        tool.hints = annotations
        if hints_only and SPECIFIED.isdisjoint(annotations.value):
            return
    elif hints_only:
        return
    tool.annotations, tool.problems = read_annotations(annotations)


def set_deferred(tool: Tool, *nodes: Node | None) -> None:
    """`defer_loading` of the first of the objects that has it as a bool."""
    for node in nodes:
        if node is not None and isinstance(node.value, dict) and isinstance(node.value.get("defer_loading"), bool):
            tool.deferred = node.value["defer_loading"]
            return
