"""What Go says of parameters: schemas that are written as maps, structs or JSON, and the fields of an input's struct."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any

from toolsurface_lint.readers.programs.declarations import ANYTHING, DeclaringFile, Text
from toolsurface_lint.readers.programs.trees import Part
from toolsurface_lint.source.syntax import Syntax
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Spans

_TYPES = {
    "string": "string", "bool": "boolean",
    **dict.fromkeys(("float32", "float64"), "number"),
    **dict.fromkeys((f"{sign}int{size}" for sign in ("", "u") for size in ("", 8, 16, 32, 64)), "integer"),
}  # fmt: skip
_TAG = re.compile(r'(json|jsonschema|description):"((?:[^"\\]|\\.)*+)"')
_SAID = re.compile(r"(?:^|,)description=((?:[^,\\]|\\++.)*+)")
_DEPTH = 30


def called_name(call: Syntax) -> str:
    function = call.get("function")
    if function is None:
        return ""
    last = function.get("field") if function.kind == "selector_expression" else function
    return last.text if last is not None and last.kind in ("identifier", "field_identifier") else ""


def operand_of(call: Syntax) -> str:
    function = call.get("function")
    operand = None if function is None else function.get("operand")
    return "" if operand is None else operand.text


def arguments_of(call: Syntax) -> list[Syntax]:
    arguments = call.get("arguments")
    return [] if arguments is None else arguments.children


def struct_at(node: Syntax) -> Syntax:
    """A struct whose address may be taken."""
    operand = node.get("operand") if node.kind == "unary_expression" else None
    return node if operand is None else operand


def fields_of(body: Syntax) -> dict[str, tuple[Syntax, Syntax]]:
    """The fields of a struct literal: the nodes of each name and value."""
    found: dict[str, tuple[Syntax, Syntax]] = {}
    for element in body.all("keyed_element"):
        key, value = element.get("key"), element.get("value")
        if key is not None and value is not None:
            found[key.text] = key, value.children[0] if value.children else value
    return found


def json_schema(file: DeclaringFile, node: Syntax) -> Part | None:
    """A schema that is written as JSON, as a map or as a struct."""
    found = value_of(file, node)
    if found is not None and isinstance(found.value, str):
        try:
            found = file.plain(json.loads(found.value), file.span(node))
        except (ValueError, RecursionError):
            return None
    return found if found is not None and isinstance(found.value, dict) else None


def value_of(file: DeclaringFile, node: Syntax, depth: int = 0) -> Part | None:
    """A literal as plain data; None if a part of it is not known."""
    if depth > _DEPTH:
        return None
    node = struct_at(node)
    span = file.span(node)
    if node.kind == "literal_element" and node.children:
        return value_of(file, node.children[0], depth + 1)
    if node.kind in ("int_literal", "float_literal", "true", "false", "nil"):
        try:
            return file.plain(json.loads(file.raw(node).replace("_", "").replace("nil", "null")), span)
        except ValueError:
            return None
    if node.kind in ("composite_literal", "literal_value"):
        body = node if node.kind == "literal_value" else node.get("body")
        if body is None or any(child.kind not in ("keyed_element", "literal_element") for child in body.children):
            return None
        if body.all("literal_element") or (node.get("type") is not None and "slice" in (node.get("type") or node).kind):
            items = [value_of(file, child, depth + 1) for child in body.children]
            known = [item for item in items if item is not None]
            if len(known) < len(items):
                return None
            return Part([item.value for item in known], Spans(*span, [item.spans for item in known]))
        return _object(file, body, span, depth)
    if node.kind == "call_expression":
        arguments = arguments_of(node)
        called = called_name(node)
        if (
            called in ("Ptr", "ToBoolPtr", "RawMessage", "any", "ToPtr", "string", "float64", "int")
            and len(arguments) == 1
        ):
            return value_of(file, arguments[0], depth + 1)
    if node.kind == "type_conversion_expression" and node.children:
        return value_of(file, node.children[-1], depth + 1)
    text = file.text(node)
    return None if text is None else file.plain(text.value, text.span if text.file is file else span)


_FIELD_NAMES = {"Type", "Properties", "Description", "Items", "Enum", "Required", "Minimum", "Maximum", "Default",
    "AdditionalProperties", "MinLength", "MaxLength", "MinItems", "MaxItems", "Pattern", "Format", "Title", "OneOf",
    "AnyOf", "AllOf", "Const", "Examples", "UniqueItems", "Defs"}  # fmt: skip


def _object(file: DeclaringFile, body: Syntax, span: Span, depth: int) -> Part | None:
    entries: dict[str, Part] = {}
    for element in body.children:
        key, value = element.get("key"), element.get("value")
        if key is None or value is None:
            return None
        word = key.text
        text = file.text(key.children[0] if key.children else key)
        name = text.value if text is not None else (word[0].lower() + word[1:] if word in _FIELD_NAMES else None)
        if name is None:
            return None
        part = value_of(file, value, depth + 1)
        if part is None:
            if name in ("description", "default", "examples"):
                continue
            if name in ("properties", "type", "required", "enum", "items"):
                return None
            part = file.plain(ANYTHING, file.span(value))
        entries[name] = file.keyed(part, file.span(key))
    default = entries.get("default")
    if default is not None and isinstance(default.value, str) and '"type"' not in default.value:
        # `json.RawMessage` has the default as JSON.
        with suppress(ValueError, RecursionError):
            entries["default"] = file.plain(json.loads(default.value), Span(default.spans.start, default.spans.end))
    return file.object(span, entries)


class InputStruct:
    """The parameters that the struct of a handler's input has."""

    def __init__(self, file: DeclaringFile) -> None:
        self._file = file

    def of_handler(self, handler: Syntax, site: Syntax, *, optional_by_tag: bool = False) -> Part | None:
        """By what a handler takes: the struct that is the last of its parameters but for the call itself."""
        file, parameters = self._file, handler.get("parameters")
        if handler.kind == "identifier":
            return self._of_function(handler.text, site, optional_by_tag)
        if handler.kind != "func_literal" or parameters is None:
            return None
        return self._of_parameters(file, parameters, site, optional_by_tag)

    def of_type_argument(self, call: Syntax) -> Part | None:
        arguments = call.get("type_arguments")
        name = "" if arguments is None or not arguments.children else arguments.children[0].text
        return self._of_type(name, call, False)

    def _of_function(self, name: str, site: Syntax, optional_by_tag: bool) -> Part | None:
        for file in self._file.folder.files_with(name, "", self._file):
            parameters = file.functions[name].get("parameters") if name in file.functions else None
            if parameters is not None:
                return self._of_parameters(file, parameters, site, optional_by_tag)
        return None

    def _of_parameters(
        self, file: DeclaringFile, parameters: Syntax, site: Syntax, optional_by_tag: bool
    ) -> Part | None:
        for each in reversed(parameters.all("parameter_declaration")):
            type_ = each.get("type")
            if type_ is not None and type_.kind == "type_identifier":
                return self._of_type(type_.text, site, optional_by_tag)
        return None

    def _of_type(self, name: str, site: Syntax, optional_by_tag: bool) -> Part | None:
        found = self._file.type_named(name)
        if found is None:
            return None
        home, declared = found
        struct = declared.get("type")
        fields = None if struct is None or struct.kind != "struct_type" else struct.first("field_declaration_list")
        if fields is None:
            return None
        file, span = self._file, self._file.span(site)
        properties: dict[str, Part] = {}
        required: list[str] = []
        for field in fields.all("field_declaration"):
            name_node, type_, tag = field.get("name"), field.get("type"), field.get("tag")
            if name_node is None or type_ is None:
                # What is embedded has fields of its own.
                return None
            raw = "" if tag is None else home.raw(tag)
            tags = {match[1]: match for match in _TAG.finditer(raw)}
            key, *flags = (tags["json"][2] if "json" in tags else name_node.text).split(",")
            if key == "-" or not name_node.text[:1].isupper():
                continue
            text = None if tag is None else _said(home, tag, tags)
            at = home.span(field) if home is file else span
            schema = dict(_type_schema(type_))
            schema_tag = tags["jsonschema"][2] if "jsonschema" in tags else ""
            values = [each[5:] for each in schema_tag.split(",") if each.startswith("enum=")]
            if values and schema.get("type") == "string":
                schema["enum"] = values
            part = file.described(schema, at, text)
            properties[key or name_node.text] = file.keyed(part, home.span(name_node)) if home is file else part
            optional = "omitempty" in flags or "omitzero" in flags
            if "required" in schema_tag.split(",") if optional_by_tag else not optional:
                required.append(key or name_node.text)
        return file.parameters(span, properties, required)


def _said(file: DeclaringFile, tag: Syntax, tags: dict[str, re.Match[str]]) -> Text | None:
    """What a field's tag says of it: the whole of it, or a part of it."""
    start = file.span(tag).start
    match = tags.get("description")
    if match is not None:
        return Text(match[2], file, Span(start + match.start(2), start + match.end(2)))
    match = tags.get("jsonschema")
    if match is None or not match[2]:
        return None
    part = _SAID.search(match[2])
    if part is not None:
        offset = start + match.start(2)
        return Text(re.sub(r"(?<!\\)\\++,", ",", part[1]), file, Span(offset + part.start(1), offset + part.end(1)))
    if re.match(r"\w+=|required\b", match[2]):
        return None
    return Text(match[2], file, Span(start + match.start(2), start + match.end(2)))


def _plain(name: str) -> dict[str, Any]:
    return {"type": _TYPES[name]} if name in _TYPES else ANYTHING


def _type_schema(node: Syntax, depth: int = 0) -> dict[str, Any]:
    if node.kind == "pointer_type" and node.children:
        return _type_schema(node.children[0], depth)
    if node.kind in ("slice_type", "array_type") and depth < _DEPTH:
        element = node.get("element")
        return {"type": "array", "items": ANYTHING if element is None else _type_schema(element, depth + 1)}
    if node.kind == "map_type":
        return {"type": "object"}
    return _plain(node.text) if node.kind == "type_identifier" else ANYTHING
