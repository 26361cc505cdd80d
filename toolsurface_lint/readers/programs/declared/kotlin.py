"""Kotlin: `addTool` and `Tool(...)` of the MCP SDK, and the annotations of Koog, Spring AI and LangChain4j."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from toolsurface_lint.readers.programs.declarations import ANYTHING, Declaration, DeclaringFile, Language, Text
from toolsurface_lint.readers.programs.trees import Part
from toolsurface_lint.source.syntax import Syntax

_FORMATS = (
    ("ai.koog", "kotlin-koog"), ("dev.langchain4j", "kotlin-langchain4j"), ("org.springframework.ai", "kotlin-spring"),
    ("mcp", "kotlin-mcp"),
)  # fmt: skip
_DESCRIBES = ("LLMDescription", "P", "ToolParam", "McpToolParam", "ToolArg")
_INJECTED = re.compile(r"ToolContext|McpSyncServerExchange|McpAsyncServerExchange|McpMeta|InvocationParameters")
_TYPES: dict[str, str] = {
    **dict.fromkeys(("String", "Char"), "string"), "Boolean": "boolean",
    **dict.fromkeys(("Int", "Long", "Short", "Byte"), "integer"),
    **dict.fromkeys(("Float", "Double"), "number"),
}  # fmt: skip
_IMPORT = re.compile(r"^import[ \t]+([\w.]+)", re.MULTILINE)


def _constants(node: Syntax) -> Iterator[tuple[str, Syntax]]:
    if node.kind != "property_declaration":
        return
    declared = node.first("variable_declaration")
    name = None if declared is None else declared.first("identifier")
    value = node.children[-1]
    if name is not None and value is not declared and "=" in node.tokens:
        yield name.text, value


def _read(file: DeclaringFile) -> Iterator[Declaration]:
    imports = [match[1] for match in _IMPORT.finditer(file.source.text)]
    format = next((format for part, format in _FORMATS if any(part in each for each in imports)), None)
    for node in file.nodes:
        if node.kind == "function_declaration" and format is not None:
            annotations = _annotations(node)
            for name in ("Tool", "McpTool"):
                if name in annotations:
                    yield _of_function(file, node, annotations, name, format)
        elif node.kind == "call_expression" and node.children:
            called = node.children[0]
            last = (
                called.children[-1].text if called.kind == "navigation_expression" and called.children else called.text
            )
            arguments = node.first("value_arguments")
            if arguments is not None and called.kind in ("navigation_expression", "identifier"):
                is_tool = last == "addTool" or (last == "Tool" and format == "kotlin-mcp")
                given = _given(arguments, ("name", "description", "inputSchema")) if is_tool else {}
                if "name" in given and len(given) > 1:
                    yield _of_call(file, node, given)


def _annotations(node: Syntax) -> dict[str, Syntax | None]:
    """The annotations of a function or a parameter by name, each with its arguments."""
    found: dict[str, Syntax | None] = {}
    for modifiers in (node, *node.all("modifiers", "parameter_modifiers")):
        for each in modifiers.all("annotation"):
            made = each.first("constructor_invocation")
            type_ = (made or each).first("user_type")
            if type_ is not None:
                found[type_.text.rpartition(".")[2]] = None if made is None else made.first("value_arguments")
    return found


def _given(arguments: Syntax | None, positions: tuple[str, ...]) -> dict[str, Syntax]:
    """The arguments of a call by name; `positions` names those that have none."""
    found: dict[str, Syntax] = {}
    for number, each in enumerate(arguments.all("value_argument") if arguments is not None else ()):
        if "=" in each.tokens and len(each.children) == 2:
            found[each.children[0].text] = each.children[1]
        elif each.children and number < len(positions):
            found[positions[number]] = each.children[-1]
    return found


def _of_function(
    file: DeclaringFile, node: Syntax, annotations: dict[str, Syntax | None], marked: str, format: str
) -> Declaration:
    is_named = format == "kotlin-koog"
    given = _given(annotations[marked], ("customName" if is_named else "value",))
    identifier = node.get("name")
    name = None if identifier is None else Text(identifier.text, file, file.span(identifier))
    written = given.get("customName") or given.get("name")
    if written is not None:
        name = file.text(written)
    made = Declaration(file, node, format, name)
    made.group = file.holders[node.start]
    said = given.get("description") or given.get("value")
    if said is None:
        said = _given(annotations.get("LLMDescription"), ("description",)).get("description")
    made.describe(said)
    made.schema = _schema(file, node)
    return made


def _schema(file: DeclaringFile, node: Syntax) -> Part | None:
    parameters = node.first("function_value_parameters")
    if parameters is None:
        return None
    properties: dict[str, Part] = {}
    required: list[str] = []
    annotations: dict[str, Syntax | None] = {}
    last = ""
    for each in parameters.children:
        if each.kind == "parameter_modifiers":
            annotations = _annotations(each)
            continue
        if each.kind != "parameter":
            # The default of the parameter before it.
            if last in required:
                required.remove(last)
            continue
        name, type_ = (each.children[0], each.children[-1]) if len(each.children) == 2 else (None, None)
        if name is None or type_ is None:
            return None
        if _INJECTED.search(type_.text) is None:
            text = None
            is_required = type_.kind != "nullable_type"
            for marked in _DESCRIBES:
                given = _given(annotations.get(marked), ("description",))
                said = given.get("description") or given.get("value")
                text = file.text(said) if said is not None else text
                is_required = is_required and not ("required" in given and given["required"].text == "false")
            last = name.text
            properties[last] = file.keyed(file.described(_type_schema(type_), file.span(each), text), file.span(name))
            if is_required:
                required.append(last)
        annotations = {}
    return file.parameters(file.span(node.get("name") or node), properties, required)


def _plain(name: str) -> dict[str, Any]:
    return {"type": _TYPES[name]} if name in _TYPES else ANYTHING


def _type_schema(node: Syntax, depth: int = 0) -> dict[str, Any]:
    if node.kind == "nullable_type" and node.children:
        return _type_schema(node.children[0], depth)
    arguments = node.first("type_arguments")
    if arguments is not None and node.children and depth < 20:
        outer = node.children[0].text
        inner = next((each.children[0] for each in arguments.all("type_projection") if each.children), None)
        if outer in ("List", "Set", "Collection", "Array"):
            return {"type": "array", "items": ANYTHING if inner is None else _type_schema(inner, depth + 1)}
        return {"type": "object"} if outer == "Map" else ANYTHING
    return _plain(node.text)


def _of_call(file: DeclaringFile, node: Syntax, given: dict[str, Syntax]) -> Declaration:
    made = Declaration(file, node, "kotlin-mcp", file.text(given["name"]))
    made.describe(given.get("description"))
    hints = given.get("toolAnnotations") or given.get("annotations")
    if hints is not None:
        made.unknown.add("hints")
    return made


LANGUAGE = Language(
    name="kotlin",
    signs=re.compile(r"@(?:\w+\.)*(?:Mcp)?Tool\b(?!Param)|\baddTool\(|\bTool\("),
    tests=re.compile(r"Tests?\.kt\Z"),
    # A literal whose lines are trimmed is a call.
    strings=frozenset(("string_literal", "multiline_string_literal", "call_expression")),
    names=frozenset(("identifier", "navigation_expression")),
    constants=_constants,
    types=frozenset(("class_declaration",)),
    read=_read,
)
