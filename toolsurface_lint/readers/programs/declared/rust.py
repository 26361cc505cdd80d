"""Rust: the methods with the attribute `#[tool]` of rmcp, and the functions with that of rig."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from toolsurface_lint.readers.programs.declarations import ANYTHING, Declaration, DeclaringFile, Language, Text
from toolsurface_lint.readers.programs.trees import Part
from toolsurface_lint.source.string_literals import literals
from toolsurface_lint.source.syntax import Syntax
from toolsurface_lint.source.text import Span

_KEYS = frozenset((
    "name", "title", "description", "input_schema", "output_schema", "annotations", "execution", "icons", "meta", "params",
    "required", "rename", "rename_all",
))  # fmt: skip
_HINTS = {
    "read_only_hint": "readOnlyHint", "destructive_hint": "destructiveHint", "idempotent_hint": "idempotentHint",
    "open_world_hint": "openWorldHint", "title": "title",
}  # fmt: skip
_TYPES: dict[str, str] = {
    **dict.fromkeys(("String", "str", "char", "PathBuf", "Url"), "string"),
    "bool": "boolean",
    **dict.fromkeys(("f32", "f64"), "number"),
    **dict.fromkeys((f"{sign}{size}" for sign in "iu" for size in (8, 16, 32, 64, 128, "size")), "integer"),
}  # fmt: skip
_LISTS = ("Vec", "HashSet", "BTreeSet", "VecDeque", "HashMap", "BTreeMap")
_INJECTED = re.compile(r"RequestContext|Peer\b|Meta\b|Extension|ToolCallContext|CancellationToken|ClientCapabilities")
_DOC = re.compile(r"[ \t]*///(?!/)")
_BESIDE = re.compile(r"[ \t]*(?:#\[|//)")
"""What stands among the lines of a documentation comment."""


_MAX_LINES = 50
"""How many lines above a struct are looked at for its attributes."""


def _constants(node: Syntax) -> Iterator[tuple[str, Syntax]]:
    if node.kind in ("const_item", "static_item"):
        name, value = node.get("name"), node.get("value")
        if name is not None and value is not None:
            yield name.text, value


def _read(file: DeclaringFile) -> Iterator[Declaration]:
    for node in file.nodes:
        attributes: list[Syntax] = []
        after = node.lineno
        for child in node.children if node.kind in ("declaration_list", "source_file", "mod_item") else ():
            if child.kind == "attribute_item":
                attributes.append(child)
                continue
            if child.kind == "function_item":
                marked = next((each for each in attributes if _name_of(each) == "tool"), None)
                if marked is not None and not any(_is_test(each) for each in attributes):
                    yield _of_function(file, child, marked, attributes, node, after)
            attributes, after = [], child.end_lineno


def _name_of(item: Syntax) -> str:
    """The last name of an attribute: `tool` of `#[rmcp::tool(...)]`."""
    attribute = item.first("attribute")
    return "" if attribute is None or not attribute.children else attribute.children[0].text.rpartition("::")[2]


def _is_test(item: Syntax) -> bool:
    return _name_of(item) == "cfg" and "test" in item.text


def _of_function(
    file: DeclaringFile, node: Syntax, marked: Syntax, attributes: list[Syntax], holder: Syntax, after: int
) -> Declaration:
    given = _given(file, marked)
    identifier = node.get("name")
    name: Text | None = None
    if "name" in given:
        name = None if given["name"] is None else file.text(given["name"])
    elif identifier is not None:
        name = Text(identifier.text, file, file.span(identifier))
    made = Declaration(file, node, "rust-mcp", name)
    made.group = f"{holder.start}"
    documented = _doc(file, attributes[0], node, after)
    if "description" in given:
        value = given["description"]
        if value is None:
            made.unknown.add("description")
        made.describe(value)
    elif documented is not None:
        made.description = documented
    elif re.search(r"#\[doc\b|include_str", "".join(each.text for each in attributes)):
        made.unknown.add("description")
    annotations = given.get("annotations")
    if annotations is not None and annotations.kind == "token_tree":
        hints = {}
        for key, value in _pairs(file, annotations):
            if key.text in _HINTS and value is not None:
                said = file.text(value)
                plain = value.text == "true" if value.kind == "boolean_literal" else said and said.value
                if plain is not None:
                    hints[_HINTS[key.text]] = file.keyed(file.plain(plain, file.span(value)), file.span(key))
        made.hints = file.object(file.span(annotations), hints)
    elif "annotations" in given:
        made.unknown.add("hints")
    if "input_schema" not in given:
        made.schema = _schema(file, node)
    return made


def _given(file: DeclaringFile, item: Syntax) -> dict[str, Syntax | None]:
    """The arguments of an attribute by name; None for a value that is not a literal or a name."""
    attribute = item.first("attribute")
    tree = None if attribute is None else attribute.get("arguments")
    return {} if tree is None else {key.text: value for key, value in _pairs(file, tree)}


def _pairs(file: DeclaringFile, tree: Syntax) -> Iterator[tuple[Syntax, Syntax | None]]:
    children = tree.children
    for number, child in enumerate(children):
        if child.kind != "identifier" or number + 1 >= len(children):
            continue
        value = children[number + 1]
        between = file.source.text[file.span(child).end : file.span(value).start].strip()
        if between == "=" or (not between and value.kind == "token_tree" and child.text in _KEYS):
            following = children[number + 2].start if number + 2 < len(children) else tree.end - 1
            rest = file.source.text[file.span(value).end : file.offsets.of_byte(following)].strip()
            yield child, value if rest in ("", ",") else None


def _doc(file: DeclaringFile, first: Syntax, node: Syntax, after: int) -> Text | None:
    """The doc comment above the attributes of an item, and among them; what is before it ends in the line `after`."""
    source = file.source
    line = first.lineno
    while line > max(after, 1):
        start, end = source.lines.line_span(line - 1)
        if not _BESIDE.match(source.text, start, end):
            break
        line -= 1
    rows = [source.lines.line_span(number) for number in range(line, node.lineno)]
    rows = [row for row in rows if _DOC.match(source.text, row.start, row.end)]
    if not rows:
        return None
    span = Span(rows[0].start, rows[-1].end)
    margin = len(source.text[span.start : span.end]) - len(source.text[span.start : span.end].lstrip())
    span = Span(span.start + margin, span.end)
    texts = ["".join(text for text, _ in literals(source.text[row.start : row.end], "rust")).strip() for row in rows]
    return Text("\n".join(texts).strip(), file, span)


def _schema(file: DeclaringFile, node: Syntax) -> Part | None:
    parameters = node.get("parameters")
    if parameters is None:
        return None
    for parameter in parameters.all("parameter"):
        type_ = parameter.get("type")
        if type_ is None or _INJECTED.search(type_.text):
            continue
        arguments = type_.get("type_arguments")
        if type_.kind == "generic_type" and type_.text.startswith("Parameters") and arguments is not None:
            inner = arguments.children[0] if len(arguments.children) == 1 else None
            return None if inner is None else _of_type(file, inner.text, parameter)
        return None
    return file.parameters(file.span(node.get("name") or node), {}, ())


def _of_type(file: DeclaringFile, name: str, site: Syntax) -> Part | None:
    found = file.type_named(name.rpartition("::")[2])
    if found is None:
        return None
    home, struct = found
    body = struct.get("body")
    if body is None or body.kind != "field_declaration_list" or _has_attribute(home, struct, "rename_all"):
        return None
    span = file.span(site)
    properties: dict[str, Part] = {}
    required: list[str] = []
    attributes: list[Syntax] = []
    after = body.lineno
    for child in body.children:
        if child.kind == "attribute_item":
            attributes.append(child)
            continue
        name_node, type_ = child.get("name"), child.get("type")
        if child.kind == "field_declaration" and name_node is not None and type_ is not None:
            written = "".join(each.text for each in attributes)
            given: dict[str, Syntax | None] = {}
            for each in attributes:
                given.update(_given(home, each))
            if re.search(r"\bflatten\b|schema_with|schemars\(with|\btransform\b", written):
                return None
            if not re.search(r"serde\([^)(]*\bskip\b", written):
                key = name_node.text.removeprefix("r#")
                if "rename" in given:
                    renamed = None if given["rename"] is None else home.text(given["rename"])
                    if renamed is None:
                        return None
                    key = renamed.value
                said = given.get("description")
                text = (
                    home.text(said)
                    if said is not None
                    else _doc(home, attributes[0] if attributes else child, child, after)
                )
                at = home.span(child) if home is file else span
                part = file.described(_type_schema(type_), at, text)
                properties[key] = file.keyed(part, home.span(name_node)) if home is file else part
                optional = type_.text.startswith("Option<") or re.search(r"\bdefault\b", written)
                if not optional:
                    required.append(key)
        attributes, after = [], child.end_lineno
    return file.parameters(span, properties, required)


def _has_attribute(file: DeclaringFile, struct: Syntax, word: str) -> bool:
    """Whether the attributes above an item have a word."""
    line, source = struct.lineno, file.source
    while line > max(1, struct.lineno - _MAX_LINES):
        start, end = source.lines.line_span(line - 1)
        text = source.text[start:end]
        if not (_DOC.match(text) or "#[" in text or text.strip().endswith((")]", ","))):
            return False
        if word in text:
            return True
        line -= 1
    return False


def _plain(name: str) -> dict[str, Any]:
    return {"type": _TYPES[name]} if name in _TYPES else ANYTHING


def _type_schema(node: Syntax, depth: int = 0) -> dict[str, Any]:
    if node.kind == "reference_type" and node.children:
        return _type_schema(node.children[-1], depth)
    if node.kind != "generic_type":
        return _plain(node.text.rpartition("::")[2])
    name = node.get("type")
    arguments = node.get("type_arguments")
    if name is None or arguments is None or not arguments.children or depth > 20:
        return ANYTHING
    outer = name.text.rpartition("::")[2]
    if outer in ("Option", "Box", "Arc"):
        return _type_schema(arguments.children[0], depth + 1)
    if outer in _LISTS[:4]:
        return {"type": "array", "items": _type_schema(arguments.children[0], depth + 1)}
    return {"type": "object"} if outer in _LISTS else ANYTHING


LANGUAGE = Language(
    name="rust",
    signs=re.compile(r"#\[(?:\w+::)*tool\b(?!_)"),
    tests=re.compile(r"(?:\A|[\\/])tests?\.rs\Z|_tests?\.rs\Z|[\\/](?:tests|benches)[\\/]"),
    strings=frozenset(("string_literal", "raw_string_literal")),
    names=frozenset(("identifier", "scoped_identifier")),
    constants=_constants,
    types=frozenset(("struct_item",)),
    read=_read,
)
