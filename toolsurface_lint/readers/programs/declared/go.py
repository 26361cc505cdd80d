"""Go: mcp-go, the official SDK, and the tools of agents that say what they are in a struct.

Calls and structs are known by their names; the package that they are taken from may have any name in a file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from toolsurface_lint.readers.programs.declarations import ANYTHING, Declaration, DeclaringFile, Language, Text
from toolsurface_lint.readers.programs.trees import Part
from toolsurface_lint.source.syntax import Syntax
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Spans

_CALLS = {
    "NewTool": "go-mcp", "NewToolWithRawSchema": "go-mcp", "MustTool": "go-mcp", "ConvertTool": "go-mcp",
    "NewAgentTool": "go", "NewParallelAgentTool": "go",
}  # fmt: skip
_STRUCTS = {"mcp.Tool": "go-mcp", "ToolInfo": "go", "tools.ToolInfo": "go", "fantasy.ToolInfo": "go"}
_TYPES = {
    "string": {"type": "string"}, "bool": {"type": "boolean"},
    **dict.fromkeys(("float32", "float64"), {"type": "number"}),
    **dict.fromkeys((f"{sign}int{size}" for sign in ("", "u") for size in ("", 8, 16, 32, 64)), {"type": "integer"}),
}  # fmt: skip
_PROPERTIES = {"String": "string", "Number": "number", "Integer": "integer", "Boolean": "boolean", "Object": "object", "Array": "array"}
_LIMITS = {
    "MinLength": "minLength", "MaxLength": "maxLength", "Pattern": "pattern", "Min": "minimum", "Max": "maximum",
    "Title": "title", "Description": "description", "MinItems": "minItems", "MaxItems": "maxItems", "Enum": "enum",
    "DefaultString": "default", "DefaultNumber": "default", "DefaultBool": "default", "Items": "items",
}  # fmt: skip
_HINT = re.compile(r"With(ReadOnly|Destructive|Idempotent|OpenWorld)HintAnnotation")
_TAG = re.compile(r'(json|jsonschema|description):"((?:[^"\\]|\\.)*+)"')
_SAID = re.compile(r"(?:^|,)description=((?:[^,\\]|\\.)*+)")
_DEPTH = 30


def _constants(node: Syntax) -> Iterator[tuple[str, Syntax]]:
    if node.kind not in ("const_spec", "var_spec"):
        return
    values = node.get("value")
    names = [child for child in node.children if child.field == "name"]
    for name, value in zip(names, values.children if values is not None else (), strict=False):
        yield name.text, value


def _read(file: DeclaringFile) -> Iterator[Declaration]:
    handlers: dict[int, Syntax] = {}
    for node in file.nodes:
        if node.kind == "call_expression":
            arguments = _arguments(node)
            called = _called(node)
            if called == "AddTool" and len(arguments) == 3:
                handlers[_struct(arguments[1]).start] = arguments[2]
            elif called in _CALLS and len(arguments) > (called == "NewTool" and _operand(node) != "mcp"):
                yield _of_call(file, node, called, arguments)
        elif node.kind == "composite_literal":
            type_ = node.get("type")
            body = node.get("body")
            if type_ is None or body is None:
                continue
            if type_.kind == "slice_type" and type_.children:
                format = _STRUCTS.get(type_.children[0].text.lstrip("*"))
                for element in body.children if format is not None else ():
                    literal = _struct(element.children[0]) if element.children else element
                    if literal.kind == "literal_value":
                        yield from _of_struct(file, literal, literal, format or "", None)
            elif (format := _STRUCTS.get(type_.text)) is not None:
                yield from _of_struct(file, node, body, format, handlers.get(node.start))


def _called(call: Syntax) -> str:
    function = call.get("function")
    if function is None:
        return ""
    last = function.get("field") if function.kind == "selector_expression" else function
    return last.text if last is not None and last.kind in ("identifier", "field_identifier") else ""


def _operand(call: Syntax) -> str:
    function = call.get("function")
    operand = None if function is None else function.get("operand")
    return "" if operand is None else operand.text


def _arguments(call: Syntax) -> list[Syntax]:
    arguments = call.get("arguments")
    return [] if arguments is None else arguments.children


def _struct(node: Syntax) -> Syntax:
    """A struct whose address may be taken."""
    operand = node.get("operand") if node.kind == "unary_expression" else None
    return node if operand is None else operand


def _of_call(file: DeclaringFile, node: Syntax, called: str, arguments: list[Syntax]) -> Declaration:
    made = Declaration(file, node, _CALLS[called], file.text(arguments[0]))
    schema = _Fields(file)
    if called == "NewTool":
        # Hints that are not given have defaults, which are served.
        made.unknown.add("hints")
        options = arguments[1:]
    else:
        made.describe(arguments[1] if len(arguments) > 1 else None)
        options = arguments[3:]
        handler = arguments[2] if len(arguments) > 2 else None
        if called != "NewToolWithRawSchema" and handler is not None:
            made.schema = schema.of_handler(handler, node, optional_by_tag=called in ("MustTool", "ConvertTool"))
        elif handler is not None:
            made.schema = _json_schema(file, handler)
    properties: dict[str, Part] = {}
    required: list[str] = []
    hints: dict[str, Part] = {}
    is_known = called == "NewTool"
    for option in options:
        name, inner = (_called(option), _arguments(option)) if option.kind == "call_expression" else ("", [])
        span = file.span(option)
        hint = _HINT.fullmatch(name)
        if name == "WithDescription" and inner:
            made.describe(inner[0])
        elif hint is not None and inner and (value := file.raw(inner[0])) in ("true", "false"):
            key = hint[1][0].lower() + hint[1][1:] + "Hint"
            hints[key] = file.keyed(file.plain(value == "true", file.span(inner[0])), span)
        elif name == "WithTitleAnnotation":
            pass
        elif name.startswith("With") and name[4:] in _PROPERTIES and inner:
            key_text = file.text(inner[0])
            if key_text is None:
                is_known = False
                continue
            part, is_required = _property(file, option, _PROPERTIES[name[4:]], inner[1:])
            properties[key_text.value] = file.keyed(part, file.span(inner[0]))
            if is_required:
                required.append(key_text.value)
        elif name == "WithInputSchema":
            made.schema = schema.of_type_argument(option)
            is_known = False
        elif name not in ("WithOutputSchema", "WithTaskSupport", "WithIcons"):
            is_known = False
            if name not in ("WithRawInputSchema", "WithSchemaAdditionalProperties"):
                # An option of the program itself may be anything.
                made.unknown.update(("hints", "description") if made.description is None else ("hints",))
    if is_known:
        made.schema = file.parameters(file.span(node), properties, required)
    if hints:
        made.hints = file.object(file.span(node), hints)
        made.unknown.discard("hints")
    return made


def _property(file: DeclaringFile, node: Syntax, type_: str, options: list[Syntax]) -> tuple[Part, bool]:
    """The schema of `mcp.WithString("path", mcp.Required(), ...)`, and whether the parameter is required."""
    span = file.span(node)
    entries = {"type": file.plain(type_, span)}
    is_required = False
    for option in options:
        name, inner = (_called(option), _arguments(option)) if option.kind == "call_expression" else ("", [])
        keyword = _LIMITS.get(name)
        if name == "Required":
            is_required = True
        elif keyword == "enum":
            values = [_value(file, each) for each in inner]
            if None not in values:
                known = [each for each in values if each is not None]
                entries["enum"] = Part(
                    [each.value for each in known], Spans(*file.span(option), [each.spans for each in known])
                )
            else:
                return file.object(span, {"anyOf": file.plain([{}], span)}), is_required
        elif keyword is not None and inner:
            value = _value(file, inner[0])
            if value is not None:
                entries[keyword] = file.keyed(value, file.span(option))
            elif keyword == "items":
                entries["items"] = file.plain(ANYTHING, span)
        elif name.startswith("With") and name.endswith("Items"):
            inner_type = _PROPERTIES.get(name[4:-5])
            entries["items"] = file.plain({"type": inner_type} if inner_type else ANYTHING, file.span(option))
        elif name in ("Properties", "PropertyNames", "AdditionalProperties") or not name:
            return file.object(span, {"anyOf": file.plain([{}], span)}), is_required
    return file.object(span, entries), is_required


def _of_struct(
    file: DeclaringFile, node: Syntax, body: Syntax, format: str, handler: Syntax | None
) -> Iterator[Declaration]:
    fields = _fields(body)
    name = fields.get("Name")
    if name is None:
        return
    made = Declaration(file, node, format, file.text(name[1]))
    if "Description" in fields:
        made.describe(fields["Description"][1])
    for key in ("InputSchema", "Parameters", "RawInputSchema"):
        if key in fields:
            made.schema = _json_schema(file, fields[key][1])
            if made.schema is not None and key == "Parameters":
                made.schema = _with_required(file, made.schema, fields)
    if made.schema is None and handler is not None and "InputSchema" not in fields:
        made.schema = _Fields(file).of_handler(handler, node)
    annotations = fields.get("Annotations")
    if annotations is not None:
        made.hints = _hints(file, annotations[1])
        if made.hints is None:
            made.unknown.add("hints")
    yield made


def _fields(body: Syntax) -> dict[str, tuple[Syntax, Syntax]]:
    """The fields of a struct literal: the nodes of each name and value."""
    found: dict[str, tuple[Syntax, Syntax]] = {}
    for element in body.all("keyed_element"):
        key, value = element.get("key"), element.get("value")
        if key is not None and value is not None:
            found[key.text] = key, value.children[0] if value.children else value
    return found


def _with_required(file: DeclaringFile, properties: Part, fields: dict[str, tuple[Syntax, Syntax]]) -> Part:
    """The schema of a tool that names its parameters and those that are required in two fields."""
    if "properties" in properties.value:
        return properties
    span = Span(properties.spans.start, properties.spans.end)
    entries = {"type": file.plain("object", span), "properties": properties}
    if "Required" in fields:
        required = _value(file, fields["Required"][1])
        if required is None:
            return file.object(span, entries)
        entries["required"] = required
    return file.object(span, entries)


def _hints(file: DeclaringFile, node: Syntax) -> Part | None:
    node = _struct(node)
    body = node if node.kind == "literal_value" else node.get("body")
    if body is None:
        return None
    entries: dict[str, Part] = {}
    for name, (key, value) in _fields(body).items():
        raw = file.raw(value)
        truth = re.search(r"\b(true|false)\b", raw)
        if name.endswith("Hint") and truth is not None and len(raw) < 40:
            entries[name[0].lower() + name[1:]] = file.keyed(file.plain(truth[1] == "true", file.span(value)), file.span(key))
        elif name == "Title" and (title := _value(file, value)) is not None:
            entries["title"] = file.keyed(title, file.span(key))
        elif name.endswith("Hint"):
            return None
    return file.object(file.span(node), entries)


def _json_schema(file: DeclaringFile, node: Syntax) -> Part | None:
    """A schema that is written as JSON, as a map or as a struct."""
    found = _value(file, node)
    if found is not None and isinstance(found.value, str):
        try:
            found = file.plain(json.loads(found.value), file.span(node))
        except (ValueError, RecursionError):
            return None
    return found if found is not None and isinstance(found.value, dict) else None


def _value(file: DeclaringFile, node: Syntax, depth: int = 0) -> Part | None:
    """A literal as plain data; None if a part of it is not known."""
    if depth > _DEPTH:
        return None
    node = _struct(node)
    span = file.span(node)
    if node.kind == "literal_element" and node.children:
        return _value(file, node.children[0], depth + 1)
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
            items = [_value(file, child, depth + 1) for child in body.children]
            known = [item for item in items if item is not None]
            if len(known) < len(items):
                return None
            return Part([item.value for item in known], Spans(*span, [item.spans for item in known]))
        return _object(file, body, span, depth)
    if node.kind == "call_expression":
        arguments = _arguments(node)
        called = _called(node)
        if called in ("Ptr", "ToBoolPtr", "RawMessage", "any", "ToPtr", "string", "float64", "int") and len(arguments) == 1:
            return _value(file, arguments[0], depth + 1)
    if node.kind == "type_conversion_expression" and node.children:
        return _value(file, node.children[-1], depth + 1)
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
        part = _value(file, value, depth + 1)
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
        try:
            entries["default"] = file.plain(json.loads(default.value), Span(default.spans.start, default.spans.end))
        except (ValueError, RecursionError):
            pass
    return file.object(span, entries)


class _Fields:
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
        for file in [self._file, *(each for each in self._file.folder.files if each is not self._file)]:
            if f"func {name}(" in file.source.text:
                for node in file.nodes:
                    if node.kind == "function_declaration" and (found := node.get("name")) and found.text == name:
                        parameters = node.get("parameters")
                        return None if parameters is None else self._of_parameters(file, parameters, site, optional_by_tag)
        return None

    def _of_parameters(self, file: DeclaringFile, parameters: Syntax, site: Syntax, optional_by_tag: bool) -> Part | None:
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
            part = file.described(_type_schema(type_), at, text)
            properties[key or name_node.text] = file.keyed(part, home.span(name_node)) if home is file else part
            schema_tag = tags["jsonschema"][2] if "jsonschema" in tags else ""
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
        return Text(re.sub(r"\\+,", ",", part[1]), file, Span(offset + part.start(1), offset + part.end(1)))
    if re.match(r"\w+=|required\b", match[2]):
        return None
    return Text(match[2], file, Span(start + match.start(2), start + match.end(2)))


def _type_schema(node: Syntax, depth: int = 0) -> dict[str, Any]:
    if node.kind == "pointer_type" and node.children:
        return _type_schema(node.children[0], depth)
    if node.kind in ("slice_type", "array_type") and depth < _DEPTH:
        element = node.get("element")
        return {"type": "array", "items": ANYTHING if element is None else _type_schema(element, depth + 1)}
    if node.kind == "map_type":
        return {"type": "object"}
    return _TYPES.get(node.text, ANYTHING) if node.kind == "type_identifier" else ANYTHING


def _unwrap(file: DeclaringFile, node: Syntax) -> Syntax | None:
    """The text in `t("KEY", "text")`, which a translation may replace."""
    arguments = _arguments(node) if node.kind == "call_expression" else []
    is_translation = len(arguments) == 2 and _called(node) in ("t", "T", "translate")
    if is_translation and all(argument.kind in LANGUAGE.strings for argument in arguments):
        return arguments[1]
    return None


LANGUAGE = Language(
    name="go",
    signs=re.compile(r"\bNewTool\(|\bNewToolWithRawSchema\(|\b(?:MustTool|ConvertTool)[(\[]|mcp\.Tool\{|AgentTool\(|\bToolInfo\{"),
    tests=re.compile(r"_test\.go\Z"),
    strings=frozenset(("interpreted_string_literal", "raw_string_literal")),
    names=frozenset(("identifier", "selector_expression")),
    constants=_constants,
    types=frozenset(("type_spec",)),
    read=_read,
    unwrap=_unwrap,
)
