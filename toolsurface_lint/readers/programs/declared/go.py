"""Go: mcp-go, the official SDK, and the tools of agents that say what they are in a struct.

Calls and structs are known by their names; the package that they are taken from may have any name in a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolsurface_lint.readers.programs.declarations import ANYTHING, Declaration, DeclaringFile, Language
from toolsurface_lint.readers.programs.declared.go_schemas import (
    InputStruct,
    arguments_of,
    called_name,
    fields_of,
    json_schema,
    operand_of,
    struct_at,
    value_of,
)
from toolsurface_lint.readers.programs.trees import Part
from toolsurface_lint.source.syntax import Syntax
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Spans

_CALLS = {
    "NewTool": "go-mcp", "NewToolWithRawSchema": "go-mcp", "MustTool": "go-mcp", "ConvertTool": "go-mcp",
    "NewAgentTool": "go", "NewParallelAgentTool": "go",
}  # fmt: skip
_STRUCTS = {"mcp.Tool": "go-mcp", "ToolInfo": "go", "tools.ToolInfo": "go", "fantasy.ToolInfo": "go"}
_PROPERTIES = {
    "String": "string",
    "Number": "number",
    "Integer": "integer",
    "Boolean": "boolean",
    "Object": "object",
    "Array": "array",
}
_LIMITS = {
    "MinLength": "minLength", "MaxLength": "maxLength", "Pattern": "pattern", "Min": "minimum", "Max": "maximum",
    "Title": "title", "Description": "description", "MinItems": "minItems", "MaxItems": "maxItems", "Enum": "enum",
    "DefaultString": "default", "DefaultNumber": "default", "DefaultBool": "default", "Items": "items",
}  # fmt: skip
_HINT = re.compile(r"With(ReadOnly|Destructive|Idempotent|OpenWorld)HintAnnotation")


def _constants(node: Syntax) -> Iterator[tuple[str, Syntax]]:
    if node.kind not in ("const_spec", "var_spec"):
        return
    values = node.get("value")
    names = node.all("identifier")
    for name, value in zip(names, values.children if values is not None else (), strict=False):
        yield name.text, value


def _read(file: DeclaringFile) -> Iterator[Declaration]:
    handlers: dict[int, Syntax] = {}
    for node in file.nodes:
        if node.kind == "call_expression":
            arguments = arguments_of(node)
            called = called_name(node)
            if called == "AddTool" and len(arguments) == 3:
                handlers[struct_at(arguments[1]).start] = arguments[2]
            # A program may have a function of that name which is given something else.
            elif (
                called in _CALLS
                and arguments
                and (called != "NewTool" or operand_of(node) == "mcp" or file.text(arguments[0]) is not None)
            ):
                yield _of_call(file, node, called, arguments)
        elif node.kind == "composite_literal":
            type_ = node.get("type")
            body = node.get("body")
            if type_ is None or body is None:
                continue
            if type_.kind == "slice_type" and type_.children:
                format = _STRUCTS.get(type_.children[0].text.lstrip("*"))
                for element in body.children if format is not None else ():
                    literal = struct_at(element.children[0]) if element.children else element
                    if literal.kind == "literal_value":
                        yield from _of_struct(file, literal, literal, format or "", None)
            elif (format := _STRUCTS.get(type_.text)) is not None:
                yield from _of_struct(file, node, body, format, handlers.get(node.start))


def _of_call(file: DeclaringFile, node: Syntax, called: str, arguments: list[Syntax]) -> Declaration:
    made = Declaration(file, node, _CALLS[called], file.text(arguments[0]))
    schema = InputStruct(file)
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
            made.schema = json_schema(file, handler)
    properties: dict[str, Part] = {}
    required: list[str] = []
    hints: dict[str, Part] = {}
    is_known = called == "NewTool"
    for option in options:
        name, inner = (called_name(option), arguments_of(option)) if option.kind == "call_expression" else ("", [])
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
        name, inner = (called_name(option), arguments_of(option)) if option.kind == "call_expression" else ("", [])
        keyword = _LIMITS.get(name)
        if name == "Required":
            is_required = True
        elif keyword == "enum":
            values = [value_of(file, each) for each in inner]
            if None not in values:
                known = [each for each in values if each is not None]
                entries["enum"] = Part(
                    [each.value for each in known], Spans(*file.span(option), [each.spans for each in known])
                )
            else:
                return file.object(span, {"anyOf": file.plain([{}], span)}), is_required
        elif keyword is not None and inner:
            value = value_of(file, inner[0])
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
    fields = fields_of(body)
    name = fields.get("Name")
    if name is None:
        return
    made = Declaration(file, node, format, file.text(name[1]))
    if "Description" in fields:
        made.describe(fields["Description"][1])
    for key in ("InputSchema", "Parameters", "RawInputSchema"):
        if key in fields:
            made.schema = json_schema(file, fields[key][1])
            if made.schema is not None and key == "Parameters":
                made.schema = _with_required(file, made.schema, fields)
    if made.schema is None and handler is not None and "InputSchema" not in fields:
        made.schema = InputStruct(file).of_handler(handler, node)
    annotations = fields.get("Annotations")
    if annotations is not None:
        made.hints = _hints(file, annotations[1])
        if made.hints is None:
            made.unknown.add("hints")
    yield made


def _with_required(file: DeclaringFile, properties: Part, fields: dict[str, tuple[Syntax, Syntax]]) -> Part:
    """The schema of a tool that names its parameters and those that are required in two fields."""
    if "properties" in properties.value:
        return properties
    span = Span(properties.spans.start, properties.spans.end)
    entries = {"type": file.plain("object", span), "properties": properties}
    if "Required" in fields:
        required = value_of(file, fields["Required"][1])
        if required is None:
            return file.object(span, entries)
        entries["required"] = required
    return file.object(span, entries)


def _hints(file: DeclaringFile, node: Syntax) -> Part | None:
    node = struct_at(node)
    body = node if node.kind == "literal_value" else node.get("body")
    if body is None:
        return None
    entries: dict[str, Part] = {}
    for name, (key, value) in fields_of(body).items():
        raw = file.raw(value)
        truth = re.search(r"\b(true|false)\b", raw)
        if name.endswith("Hint") and truth is not None and len(raw) < 40:
            entries[name[0].lower() + name[1:]] = file.keyed(
                file.plain(truth[1] == "true", file.span(value)), file.span(key)
            )
        elif name == "Title" and (title := value_of(file, value)) is not None:
            entries["title"] = file.keyed(title, file.span(key))
        elif name.endswith("Hint"):
            return None
    return file.object(file.span(node), entries)


def _unwrap(file: DeclaringFile, node: Syntax) -> Syntax | None:
    """The text in `string(NAME)`, and in `t("KEY", "text")`, which a translation may replace."""
    arguments = arguments_of(node) if node.kind == "call_expression" else []
    if len(arguments) == 1 and called_name(node) == "string":
        return arguments[0]
    is_translation = len(arguments) == 2 and called_name(node) in ("t", "T", "translate")
    if is_translation and all(argument.kind in LANGUAGE.strings for argument in arguments):
        return arguments[1]
    return None


LANGUAGE = Language(
    name="go",
    signs=re.compile(
        r"\bNewTool\(|\bNewToolWithRawSchema\(|\b(?:MustTool|ConvertTool)[(\[]|mcp\.Tool\{|AgentTool\(|\bToolInfo\{"
    ),
    tests=re.compile(r"_test\.go\Z"),
    strings=frozenset(("interpreted_string_literal", "raw_string_literal")),
    names=frozenset(("identifier", "selector_expression")),
    constants=_constants,
    types=frozenset(("type_spec",)),
    read=_read,
    unwrap=_unwrap,
)
