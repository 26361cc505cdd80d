"""Java: `@Tool` of LangChain4j, Spring AI and Quarkus, `@McpTool`, and the builders of `McpSchema.Tool`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from toolsurface_lint.readers.programs.declarations import ANYTHING, Declaration, DeclaringFile, Language, Text
from toolsurface_lint.readers.programs.trees import Part
from toolsurface_lint.source.syntax import Syntax

_FORMATS = (("dev.langchain4j", "java-langchain4j"), ("org.springframework.ai", "java-spring"), ("mcp", "java-mcp"))
_PARAMETER = ("P", "ToolParam", "McpToolParam", "ToolArg", "McpArg")
_BUILDERS = re.compile(r"(?:McpSchema\s*\.\s*)?Tool|ToolSpecification")
_INJECTED = re.compile(
    r"ToolContext|McpSyncServerExchange|McpAsyncServerExchange|Mcp\w{0,40}RequestContext|McpMeta|McpTransportContext|CallToolRequest"
    r"|InvocationParameters|InvocationContext|McpLog|Progress|Cancellation|RequestId|McpConnection|Roots|Sampling|Elicitation"
)
_LEFT_OUT = ("ToolMemoryId", "McpProgressToken", "MemoryId")
_TYPES: dict[str, str] = {
    **dict.fromkeys(("String", "char", "Character", "CharSequence", "UUID"), "string"),
    **dict.fromkeys(("int", "long", "short", "byte", "Integer", "Long", "Short", "Byte", "BigInteger"), "integer"),
    **dict.fromkeys(("float", "double", "Float", "Double", "BigDecimal", "Number"), "number"),
    **dict.fromkeys(("boolean", "Boolean"), "boolean"),
}  # fmt: skip
_HINTS = {
    "readOnlyHint": "readOnlyHint", "destructiveHint": "destructiveHint", "idempotentHint": "idempotentHint",
    "openWorldHint": "openWorldHint", "title": "title",
}  # fmt: skip
_IMPORT = re.compile(r"^import[ \t]+(?:static[ \t]+)?([\w.]+)(?:\.\*)?[ \t]*;", re.MULTILINE)


def _constants(node: Syntax) -> Iterator[tuple[str, Syntax]]:
    if node.kind not in ("field_declaration", "constant_declaration"):
        return
    for each in node.all("variable_declarator"):
        name, value = each.get("name"), each.get("value")
        if name is not None and value is not None:
            yield name.text, value


def _read(file: DeclaringFile) -> Iterator[Declaration]:
    format = _format(file)
    for node in file.nodes:
        if node.kind == "method_declaration":
            modifiers = node.first("modifiers")
            for each in modifiers.all("annotation", "marker_annotation") if modifiers is not None else ():
                name = _name_of(each)
                if name == "McpTool" or (name == "Tool" and format is not None):
                    yield _of_method(file, node, each, "java-mcp" if name == "McpTool" else format or "")
        elif node.kind == "object_creation_expression":
            type_, arguments = node.get("type"), node.get("arguments")
            if type_ is not None and type_.text.replace(" ", "") == "McpSchema.Tool" and arguments is not None:
                yield _of_call(
                    file, node, dict(zip(("name", "description", "schema"), arguments.children, strict=False))
                )
        elif node.kind == "method_invocation" and _called(node) == "build":
            parts: dict[str, Syntax] = {}
            start: Syntax | None = node.get("object")
            while start is not None and start.kind == "method_invocation" and _called(start) != "builder":
                arguments = start.get("arguments")
                if arguments is not None and arguments.children:
                    parts.setdefault(_called(start), arguments.children[0])
                start = start.get("object")
            holder = None if start is None else start.get("object")
            if holder is not None and start is not None and _BUILDERS.fullmatch(holder.text):
                initial = start.get("arguments")
                for key, value in zip(("name", "schema"), [] if initial is None else initial.children, strict=False):
                    parts.setdefault(key, value)
                if "name" in parts:
                    yield _of_call(file, node, parts)


def _format(file: DeclaringFile) -> str | None:
    """The framework that `@Tool` is of, by the imports of a file."""
    imports = [match[1] for match in _IMPORT.finditer(file.source.text)]
    return next((format for part, format in _FORMATS if any(part in each for each in imports)), None)


def _called(node: Syntax) -> str:
    name = node.get("name")
    return "" if name is None else name.text


def _name_of(annotation: Syntax) -> str:
    name = annotation.get("name")
    return "" if name is None else name.text.rpartition(".")[2]


def _given(annotation: Syntax) -> dict[str, Syntax]:
    """The arguments of an annotation; one alone is its `value`."""
    arguments = annotation.get("arguments")
    found: dict[str, Syntax] = {}
    for each in arguments.children if arguments is not None else ():
        key, value = each.get("key"), each.get("value")
        if each.kind == "element_value_pair" and key is not None and value is not None:
            found[key.text] = value
        else:
            found["value"] = each
    return found


def _text(file: DeclaringFile, node: Syntax) -> Text | None:
    """The text of a value; those of a list are lines."""
    if node.kind != "element_value_array_initializer":
        return file.text(node)
    parts = [file.text(each) for each in node.children]
    known = [part for part in parts if part is not None]
    return Text("\n".join(part.value for part in known), file, file.span(node)) if len(known) == len(parts) else None


def _of_method(file: DeclaringFile, node: Syntax, annotation: Syntax, format: str) -> Declaration:
    given = _given(annotation)
    identifier = node.get("name")
    name = None if identifier is None else Text(identifier.text, file, file.span(identifier))
    if "name" in given:
        name = file.text(given["name"])
    made = Declaration(file, node, format, name)
    made.group = file.holders[node.start]
    said = given.get("description") or given.get("value")
    if said is not None:
        made.description = _text(file, said)
        if made.description is None:
            made.unknown.add("description")
    annotations = given.get("annotations")
    if annotations is not None:
        hints = {
            _HINTS[key]: file.plain(value.text == "true" if key != "title" else value.text.strip('"'), file.span(value))
            for key, value in _given(annotations).items()
            if key in _HINTS
        }
        made.hints = file.object(file.span(annotations), hints)
    made.schema = _schema(file, node)
    return made


def _schema(file: DeclaringFile, node: Syntax) -> Part | None:
    parameters = node.get("parameters")
    if parameters is None:
        return None
    properties: dict[str, Part] = {}
    required: list[str] = []
    for each in parameters.children:
        type_, name = each.get("type"), each.get("name")
        if each.kind != "formal_parameter" or type_ is None or name is None:
            return None
        modifiers = each.first("modifiers")
        annotations = modifiers.all("annotation", "marker_annotation") if modifiers is not None else []
        if _INJECTED.search(type_.text) or any(_name_of(one) in _LEFT_OUT for one in annotations):
            continue
        key, text, is_required, is_text_known = name.text, None, True, True
        for one in annotations:
            given = _given(one)
            if _name_of(one) in _PARAMETER:
                said = given.get("description") or given.get("value")
                text = None if said is None else _text(file, said)
                is_text_known = said is None or text is not None
                is_required = "required" not in given or given["required"].text != "false"
                renamed = None if "name" not in given else file.text(given["name"])
                key = key if renamed is None else renamed.value
            elif _name_of(one) == "Nullable":
                is_required = False
        if type_.text.startswith("Optional"):
            is_required = False
        schema = _type_schema(type_) if is_text_known else ANYTHING
        properties[key] = file.keyed(file.described(schema, file.span(each), text), file.span(name))
        if is_required:
            required.append(key)
    return file.parameters(file.span(node.get("name") or node), properties, required)


def _plain(name: str) -> dict[str, Any]:
    return {"type": _TYPES[name]} if name in _TYPES else ANYTHING


def _type_schema(node: Syntax, depth: int = 0) -> dict[str, Any]:
    if node.kind == "array_type" and node.children and depth < 20:
        return {"type": "array", "items": _type_schema(node.children[0], depth + 1)}
    if node.kind == "generic_type" and len(node.children) == 2 and depth < 20:
        outer, inner = node.children[0].text, node.children[1].children
        if outer in ("List", "Set", "Collection", "Iterable") and inner:
            return {"type": "array", "items": _type_schema(inner[0], depth + 1)}
        if outer == "Optional" and inner:
            return _type_schema(inner[0], depth + 1)
        return {"type": "object"} if outer == "Map" else ANYTHING
    return _plain(node.text)


def _of_call(file: DeclaringFile, node: Syntax, parts: dict[str, Syntax]) -> Declaration:
    made = Declaration(file, node, "java-mcp", file.text(parts["name"]) if "name" in parts else None)
    made.describe(parts.get("description"))
    if "annotations" in parts:
        made.unknown.add("hints")
    schema = parts.get("inputSchema") or parts.get("schema")
    text = None if schema is None else file.text(schema)
    if text is not None:
        try:
            value = json.loads(text.value)
        except (ValueError, RecursionError):
            return made
        if isinstance(value, dict):
            made.schema = file.plain(value, text.span if text.file is file else file.span(node))
    return made


LANGUAGE = Language(
    name="java",
    signs=re.compile(
        r"@(?:\w+\.)*(?:Mcp)?Tool\b(?!Param)|McpSchema\.Tool\b|\bTool\.builder\(|ToolSpecification\.builder\("
    ),
    tests=re.compile(r"(?:Tests?|IT)\.java\Z"),
    strings=frozenset(("string_literal",)),
    names=frozenset(("identifier", "field_access")),
    constants=_constants,
    types=frozenset(("class_declaration",)),
    read=_read,
)
