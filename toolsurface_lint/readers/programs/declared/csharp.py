"""C#: `[McpServerTool]` of the MCP SDK and `[KernelFunction]` of Semantic Kernel."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from toolsurface_lint.readers.programs.declarations import ANYTHING, Declaration, DeclaringFile, Language, Text
from toolsurface_lint.readers.programs.trees import Part
from toolsurface_lint.source.syntax import Syntax

_FORMATS = {"McpServerTool": "csharp-mcp", "KernelFunction": "csharp-semantic-kernel"}
_HINTS = {
    "ReadOnly": "readOnlyHint", "Destructive": "destructiveHint", "Idempotent": "idempotentHint", "OpenWorld": "openWorldHint",
}  # fmt: skip
_TYPES: dict[str, str] = {
    **dict.fromkeys(("string", "String", "char", "Guid", "Uri", "DateTime", "DateTimeOffset"), "string"),
    **dict.fromkeys(("int", "long", "short", "byte", "uint", "ulong", "ushort"), "integer"),
    **dict.fromkeys(("float", "double", "decimal"), "number"), "bool": "boolean",
}  # fmt: skip
_INJECTED = re.compile(
    r"CancellationToken|I?McpServer\b|RequestContext<|IProgress<|ClaimsPrincipal|IServiceProvider|ILogger|IHttpClientFactory"
    r"|HttpClient\b|Kernel\b|KernelArguments|CultureInfo|IHttpContextAccessor|I?McpClient\b|AIFunctionArguments"
)
_ASYNC = re.compile(r"(?:[\w.]*\.)?(?:Task|ValueTask|IAsyncEnumerable)(?:<|\Z)")
# Where `JsonNamingPolicy.SnakeCaseLower` puts an underscore: before a capital that begins a word, and before digits' end.
_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def served_name(method: str, *, is_async: bool) -> str:
    """The name that the MCP SDK gives a tool by its method (`AIFunctionMcpServerTool.DeriveName`)."""
    if is_async and method.endswith("Async") and method != "Async":
        method = method.removesuffix("Async")
    name = re.sub(r"[^0-9A-Za-z]+", "_", method).strip("_") or method
    return _WORD.sub("_", name).lower()


def _constants(node: Syntax) -> Iterator[tuple[str, Syntax]]:
    if node.kind != "variable_declarator":
        return
    name = node.get("name")
    if name is not None and len(node.children) > 1:
        yield name.text, node.children[-1]


def _read(file: DeclaringFile) -> Iterator[Declaration]:
    for node in file.nodes:
        if node.kind == "invocation_expression":
            function = node.get("function")
            if function is not None and function.text == "McpServerTool.Create":
                yield _of_call(file, node)
        if node.kind != "method_declaration":
            continue
        attributes = _attributes(node)
        for marked, format in _FORMATS.items():
            if marked in attributes:
                yield _of_method(file, node, attributes, marked, format)


def _attributes(node: Syntax) -> dict[str, Syntax]:
    """The attributes of a method or a parameter, by name."""
    found: dict[str, Syntax] = {}
    for each in node.all("attribute_list"):
        for attribute in each.all("attribute"):
            name = attribute.get("name")
            if name is not None:
                found[name.text.rpartition(".")[2].removesuffix("Attribute")] = attribute
    return found


def _given(attribute: Syntax | None) -> dict[str, Syntax]:
    """The arguments of an attribute by name; the first without one is called `value`."""
    arguments = None if attribute is None else attribute.first("attribute_argument_list")
    found: dict[str, Syntax] = {}
    for each in arguments.all("attribute_argument") if arguments is not None else ():
        name = each.get("name")
        if each.children:
            found.setdefault("value" if name is None else name.text, each.children[-1])
    return found


def _of_method(
    file: DeclaringFile, node: Syntax, attributes: dict[str, Syntax], marked: str, format: str
) -> Declaration:
    given = _given(attributes[marked])
    identifier, returns = node.get("name"), node.get("returns")
    is_async = returns is not None and _ASYNC.match(returns.text) is not None
    name: Text | None = None
    written = given.get("Name") or (given.get("value") if format != "csharp-mcp" else None)
    if written is not None:
        name = file.text(written)
    elif identifier is not None:
        method = identifier.text
        if format == "csharp-mcp":
            method = served_name(method, is_async=is_async)
        elif is_async and method != "Async":
            method = method.removesuffix("Async")
        name = Text(method, file, file.span(identifier))
    made = Declaration(file, node, format, name)
    made.group = file.holders[node.start]
    made.describe(_given(attributes.get("Description")).get("value"))
    if made.description is None and any(each.text == "partial" for each in node.all("modifier")):
        # The description is made of the documentation comment.
        made.unknown.add("description")
    hints = {
        _HINTS[key]: file.plain(value.text == "true", file.span(value))
        for key, value in given.items()
        if key in _HINTS and value.kind == "boolean_literal"
    }
    if hints:
        made.hints = file.object(file.span(attributes[marked]), hints)
    made.schema = _schema(file, node)
    return made


def _of_call(file: DeclaringFile, node: Syntax) -> Declaration:
    """`McpServerTool.Create(method, new() { Name = "...", Description = "..." })`"""
    given: dict[str, Syntax] = {}
    arguments = node.get("arguments")
    for argument in arguments.all("argument") if arguments is not None else ():
        made = argument.first("implicit_object_creation_expression", "object_creation_expression")
        written = None if made is None else made.first("initializer_expression") or made.get("initializer")
        for each in written.all("assignment_expression") if written is not None else ():
            left, right = each.get("left"), each.get("right")
            if left is not None and right is not None:
                given[left.text] = right
    found = Declaration(file, node, "csharp-mcp", file.text(given["Name"]) if "Name" in given else None)
    found.describe(given.get("Description"))
    # The method that it calls may have attributes.
    found.unknown.add("hints")
    if found.description is None:
        found.unknown.add("description")
    return found


def _schema(file: DeclaringFile, node: Syntax) -> Part | None:
    parameters = node.get("parameters")
    if parameters is None:
        return None
    properties: dict[str, Part] = {}
    required: list[str] = []
    for each in parameters.all("parameter"):
        type_, name = each.get("type"), each.get("name")
        attributes = _attributes(each)
        if name is None or type_ is None:
            return None
        if _INJECTED.search(type_.text) or "FromKeyedServices" in attributes or "FromServices" in attributes:
            continue
        schema = _type_schema(type_)
        if schema is ANYTHING and "Description" not in attributes:
            # It may be a service, which the model does not give.
            return None
        said = _given(attributes.get("Description")).get("value")
        text = None if said is None else file.text(said)
        part = file.described(schema, file.span(each), text)
        properties[name.text] = file.keyed(part, file.span(name))
        if "=" not in each.tokens:
            required.append(name.text)
    return file.parameters(file.span(node.get("name") or node), properties, required)


def _plain(name: str) -> dict[str, Any]:
    return {"type": _TYPES[name]} if name in _TYPES else ANYTHING


def _type_schema(node: Syntax, depth: int = 0) -> dict[str, Any]:
    inner = node.get("type")
    if node.kind in ("nullable_type", "array_type") and inner is not None and depth < 20:
        found = _type_schema(inner, depth + 1)
        return {"type": "array", "items": found} if node.kind == "array_type" else found
    arguments = node.first("type_argument_list")
    if arguments is not None and arguments.children and node.children and depth < 20:
        outer = node.children[0].text
        if outer in ("List", "IList", "IEnumerable", "IReadOnlyList", "ICollection", "HashSet", "IReadOnlyCollection"):
            return {"type": "array", "items": _type_schema(arguments.children[0], depth + 1)}
        return {"type": "object"} if outer in ("Dictionary", "IDictionary", "IReadOnlyDictionary") else ANYTHING
    return _plain(node.text)


LANGUAGE = Language(
    name="csharp",
    signs=re.compile(r"\b(?:McpServerTool|KernelFunction)(?:Attribute)?[\](,]|\bMcpServerTool\.Create\("),
    tests=re.compile(r"Tests?\.cs\Z|[\\/](?:bin|obj)[\\/]"),
    strings=frozenset(("string_literal", "verbatim_string_literal", "raw_string_literal")),
    names=frozenset(("identifier", "member_access_expression")),
    constants=_constants,
    types=frozenset(("class_declaration",)),
    read=_read,
)
