"""Types of parameters in the words of published datasets, put into JSON Schema.

`NAMES` is the table of the Berkeley Function Calling Leaderboard, of which most others are made, with the names of Python
that xLAM has; what it does not have, such as `any` or the name of a class, is any type. A list may have the type of its
elements in brackets (`List[int]`).
Sources: PyPI bfcl-eval 2026.3.23, `constants/type_mappings.py`, where `any` stands for a text, but has numbers as expected
values; NVIDIA-NeMo/Automodel, `components/datasets/llm/xlam.py`: what has a default is not required. Of a type the words
after the comma, `str, optional`, say the same.
"""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from typing import Any

from toolsurface_lint.source.derived import DerivedTree
from toolsurface_lint.source.tree import Node, Path, Tree

NAMES = {
    "array": "array", "list": "array", "tuple": "array", "set": "array", "arraylist": "array", "queue": "array",
    "stack": "array", "sequence": "array", "object": "object", "dict": "object", "hashmap": "object",
    "hashtable": "object", "string": "string", "str": "string", "char": "string", "integer": "integer",
    "int": "integer", "byte": "integer", "short": "integer", "long": "integer", "bigint": "integer",
    "number": "number", "float": "number", "double": "number", "boolean": "boolean", "bool": "boolean",
    "null": "null", "none": "null", "nonetype": "null",
}  # fmt: skip
_ANY = {"type": ["string", "number", "boolean", "object", "array", "null"]}
_MOST = 200
_OPTIONAL = re.compile(r",\s*(?:optional\b|default\b)", re.IGNORECASE)


@lru_cache(maxsize=1024)
def read_type(written: str) -> tuple[dict[str, Any], bool]:
    """The schema of a type in words, which must not be changed, and whether it says that the parameter may be left out."""
    if written in NAMES:
        return {"type": NAMES[written]}, False
    optional = _OPTIONAL.search(written)
    hint = written[: optional.start()] if optional is not None else written
    known = NAMES.get(hint.strip().lower())
    if known is not None:
        return {"type": known}, optional is not None
    if len(hint) > _MOST:
        return _ANY, optional is not None
    try:
        schema = _schema(ast.parse(hint.strip(), mode="eval").body) or _ANY
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        schema = _ANY
    return schema, optional is not None or hint.lstrip().startswith("Optional[")


def _schema(hint: ast.expr) -> dict[str, Any]:
    """The schema of a type hint; empty if it says nothing about JSON."""
    if isinstance(hint, ast.Constant) and hint.value is None:
        return {"type": "null"}
    if isinstance(hint, ast.Name | ast.Attribute):
        known = NAMES.get((hint.id if isinstance(hint, ast.Name) else hint.attr).lower())
        return {} if known is None else {"type": known}
    if isinstance(hint, ast.BinOp) and isinstance(hint.op, ast.BitOr):
        return _any_of([_schema(hint.left), _schema(hint.right)])
    if not isinstance(hint, ast.Subscript) or not isinstance(hint.value, ast.Name):
        return {}
    name = hint.value.id.lower()
    inner = hint.slice.elts if isinstance(hint.slice, ast.Tuple) else [hint.slice]
    if name in ("optional", "union"):
        return _any_of([*map(_schema, inner), *([{"type": "null"}] if name == "optional" else [])])
    if name == "literal":
        values = [each.value for each in inner if isinstance(each, ast.Constant)]
        return {"enum": values} if len(values) == len(inner) else {}
    kind = NAMES.get(name)
    if kind == "array" and len(inner) == 1 and name != "tuple":
        element = _schema(inner[0])
        return {"type": "array", "items": element} if element else {"type": "array"}
    return {} if kind is None else {"type": kind}


def _any_of(options: list[dict[str, Any]]) -> dict[str, Any]:
    if not all(options):
        return {}
    if all(option.keys() == {"type"} and type(option["type"]) is str for option in options):
        return {"type": [option["type"] for option in options]}
    return {"anyOf": options}


_DATA = frozenset({"default", "enum", "const", "examples", "example", "required"})


def _translated(schema: Any) -> Any:
    """A schema with the types of JSON Schema; the paths in it are those of the original."""
    if type(schema) is list:
        return [_translated(item) for item in schema]
    if type(schema) is not dict:
        return schema
    copy: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "type" and type(value) is str:
            copy |= {name: part for name, part in read_type(value)[0].items() if name not in schema or name == "type"}
        elif key == "properties" and type(value) is dict:
            copy[key] = {name: _translated(member) for name, member in value.items()}
        else:
            copy[key] = value if key in _DATA else _translated(value)
    return copy


def standard_tools(tools: Node, closed: bool = False) -> Node:
    """Definitions whose types are words of a dataset, and whose parameters may be a map without a schema around it.

    A map has all parameters that there are; of `closed` definitions, so has a schema.
    """
    if type(tools.value) is not list:
        return tools
    flat: set[tuple[str | int, ...]] = set()
    value = [_standard(item, (index,), flat, closed) for index, item in enumerate(tools.value)]

    def where(path: Path) -> tuple[Tree, Path]:
        for length in (2, 3):
            if path[:length] in flat:
                inner = path[length:]
                path = path[:length] + (inner[1:] if inner[:1] == ("properties",) else ())
        return tools.tree, tools.path + path

    return DerivedTree(tools.tree, value, where).root


def _standard(tool: Any, path: Path, flat: set[tuple[str | int, ...]], closed: bool) -> Any:
    if type(tool) is not dict:
        return tool
    if type(tool.get("function")) is dict:
        return {**tool, "function": _standard(tool["function"], (*path, "function"), flat, closed)}
    parameters = tool.get("parameters")
    if type(parameters) is not dict:
        return tool
    if type(parameters.get("properties")) is dict or type(parameters.get("type")) is str:
        return {
            **tool,
            "parameters": {**({"additionalProperties": False} if closed else {}), **_translated(parameters)},
        }
    if not all(type(member) is dict for member in parameters.values()):
        return tool
    flat.add((*path, "parameters"))
    required = [name for name, member in parameters.items() if "default" not in member and not _may_be_left_out(member)]
    properties = {name: _translated(member) for name, member in parameters.items()}
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {**tool, "parameters": schema}


def _may_be_left_out(parameter: dict[str, Any]) -> bool:
    stated = parameter.get("type")
    return parameter.get("required") is False or (type(stated) is str and read_type(stated)[1])
