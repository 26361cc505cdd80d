"""The texts of a tool definition: every string in it, and the descriptions of its parameters with their schemas."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from toolsurface_lint.model.tool import Tool
from toolsurface_lint.source.tree import Node, Path, Tree

_MAPS = ("properties", "patternProperties", "$defs", "definitions")
_SCHEMAS = ("items", "additionalProperties", "contains", "not")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
# Their values are data of the author's, whose keys and texts are not about the schema.
_DATA = frozenset({"default", "const", "enum", "examples", "example"})


class Described(NamedTuple):
    """A parameter, or a part of one, and its description.

    `name` is the parameter's dotted path (`filter.labels`), empty for the schema as a whole; `text_path` is the place of
    the description in the tool's tree, `path` that of `schema`.
    """

    name: str
    path: Path
    schema: dict[str, Any]
    text_path: Path
    text: str

    @property
    def field(self) -> str:
        return f"parameters.{self.name}" if self.name else "parameters"

    def node(self, tool: Tool) -> Node:
        """The description as a node of the tool's tree."""
        return Node(tool.tree, self.text_path, self.text)


# Several rules ask about one tool after the other.
@lru_cache(maxsize=1)
def described(tool: Tool) -> tuple[Described, ...]:
    """The described parameters of a tool, those inside of others too, in the order of the definition."""
    if tool.format == "arguments":
        return tuple(_arguments(tool))
    if tool.schema_path is None:
        return ()
    value = tool.tree.at(tool.schema_path).value
    return tuple(_walk(value, tool.schema_path)) if isinstance(value, dict) else ()


def _arguments(tool: Tool) -> Iterator[Described]:
    arguments = tool.definition.get("arguments")
    for argument in arguments.elements() if arguments is not None else ():
        for key in ("desc", "description"):
            text = argument.string(key)
            if text is not None:
                yield Described(str(argument.value.get("name")), argument.path, argument.value, text.path, text.value)


def _walk(schema: dict[str, Any], path: Path) -> list[Described]:
    found: list[Described] = []
    waiting: list[tuple[str, Path, dict[str, Any]]] = [("", path, schema)]
    if "type" not in schema and "properties" not in schema and "$ref" not in schema:
        # A flat map from names to definitions.
        waiting = [(name, (*path, name), value) for name, value in schema.items() if type(value) is dict]
        waiting.reverse()
    while waiting:
        name, path, schema = waiting.pop()
        text = schema.get("description")
        if type(text) is str:
            found.append(Described(name, path, schema, (*path, "description"), text))
        below: list[tuple[str, Path, dict[str, Any]]] = []
        for key, value in schema.items():
            kind = type(value)
            if kind is dict:
                if key in _MAPS:
                    prefix = f"{name}." if name else ""
                    below.extend(
                        (prefix + inner, (*path, key, inner), child)
                        for inner, child in value.items()
                        if type(child) is dict
                    )
                elif key in _SCHEMAS:
                    below.append((f"{name}[]" if key == "items" else name, (*path, key), value))
            elif kind is list and key in _LISTS:
                below.extend((name, (*path, key, at), child) for at, child in enumerate(value) if type(child) is dict)
        if below:
            below.reverse()
            waiting.extend(below)
    return found


def strings(node: Node) -> Iterator[tuple[Path, str, bool]]:
    """Every string of a value, in order, and whether it is a key: the path of the key's member then."""
    waiting: list[tuple[Path, Any, str | None]] = [(node.path, node.value, None)]
    while waiting:
        path, value, key = waiting.pop()
        if key is not None:
            yield path, key, True
        kind = type(value)
        if kind is str:
            yield path, value, False
        elif kind is dict:
            waiting.extend(((*path, inner), value[inner], inner) for inner in reversed(value) if type(inner) is str)
        elif kind is list:
            waiting.extend(((*path, at), value[at], None) for at in range(len(value) - 1, -1, -1))


def names_in(schema: Any) -> set[str]:
    """Every name and value that a schema speaks of: properties at any depth, and the texts of enums and other data."""
    names: set[str] = set()
    waiting = [schema]
    while waiting:
        value = waiting.pop()
        if type(value) is dict:
            for key, child in value.items():
                if key in _DATA:
                    names.update(text for _, text, _ in strings(Tree(None, child).root))
                elif type(child) is dict:
                    if key in _MAPS:
                        names.update(child)
                    waiting.append(child)
                elif type(child) is list:
                    waiting.append(child)
        elif type(value) is list:
            waiting.extend(value)
    return names


_FARTHEST = 400
"""Characters on either side in which a sentence begins and ends: a text may be one line."""


def sentence_around(text: str, start: int, end: int) -> str:
    """The sentence, within its line, that holds the text between two offsets, as far as it is near."""
    first, last = max(start - _FARTHEST, 0), end + _FARTHEST
    low = max(text.rfind(". ", first, start), text.rfind("\n", first, start), first - 1) + 1
    ends = [at for at in (text.find(". ", end, last), text.find("\n", end, last)) if at >= 0]
    return text[low : min(ends, default=last)]
