"""Definitions in the shape of another provider than the one that reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from toolsurface_lint.checks.contract import TOOL_LISTS, check
from toolsurface_lint.checks.tool._recipients import listed, sourced
from toolsurface_lint.model.diagnostics import UNSAFE, WARNING, Finding, Rule, renaming
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool, remembered

if TYPE_CHECKING:
    from toolsurface_lint.knowledge.definition_shapes import Request

FOREIGN = Rule(
    code="TOOL_FORMAT_FOREIGN",
    since="0.1.0",
    severity=WARNING,
    summary="A definition is in the shape of another provider.",
    message={
        "key": "`{key}` is not read in {place}: {owner} reads the schema from `{right}`",
        "json": "`inputSchema` is not read without `json` in it: Amazon Bedrock reads the schema from `inputSchema.json`",
        "form": "`{key}`, {said}, is not accepted by {reader}",
    },
    tags=("tools", "schemas", "providers"),
    fix=UNSAFE,
)

_GROUPS = ("functionDeclarations", "function_declarations")
_SCHEMA = ("type", "properties", "$ref", "anyOf", "oneOf", "allOf")


@check(TOOL_LISTS, FOREIGN)
def check_lists(lists: list[list[Tool]], target: Target) -> Iterator[Finding]:
    # Harn reads a provider's tool in a document of its own leniently, by its own words.
    written = [
        [tool for tool in tools if "native_tools" not in tool.path and isinstance(tool.definition.value, dict)]
        for tools in lists
    ]
    misplaced = set()
    for tools in written:
        for tool in tools:
            found = _in_wrong_key(tool) if _is_in_wrong_key(tool) else None
            if found is not None:
                misplaced.add(tool.name)
                yield found
    for tools in written:
        # In a program, what is in `function` may be read once more as a definition of its own.
        others = [tool for tool in tools if tool.name not in misplaced]
        foreign = _in_request(others) or _for_providers(others, target)
        if foreign is not None:
            yield foreign


@remembered
def _is_in_wrong_key(tool: Tool) -> bool:
    return _in_wrong_key(tool) is not None


def _in_wrong_key(tool: Tool) -> Finding | None:
    """A schema under a key that nobody reads there."""
    value = tool.definition.value
    path: tuple[str, ...] = ()
    holder = ""
    if isinstance(value.get("function"), dict):
        holder, path = "function", ("function",)
    elif isinstance(value.get("toolSpec"), dict):
        holder, path = "toolSpec", ("toolSpec",)
    elif value.get("type") == "function":
        holder = "flat"
    elif len(tool.path) > 1 and tool.path[-2] in _GROUPS:
        holder = str(tool.path[-2])
    elif tool.path[:2] == ("result", "tools") and "jsonrpc" in tool.tree.root.value:
        holder = "result"
    if not holder:
        return None
    from toolsurface_lint.knowledge.definition_shapes import HOLDERS, SCHEMA_KEYS

    body = value[path[0]] if path else value
    known = HOLDERS[holder]
    source = sourced([(known.owner, known.source)])
    if any(key in body for key in known.keys):
        schema = body.get("inputSchema")
        if holder != "toolSpec" or not isinstance(schema, dict) or "json" in schema:
            return None
        if not any(key in schema for key in _SCHEMA):
            return None
        node = tool.definition.find(*path, "inputSchema")
        assert node is not None
        return FOREIGN.at(
            node.key_place, "json", tool=tool.name, field="parameters", help=f"put the schema under `json`; {source}"
        )
    key = next((key for key in SCHEMA_KEYS if isinstance(body.get(key), dict)), None)
    if key is None:
        return None
    node = tool.definition.find(*path, key)
    assert node is not None
    right = known.keys[0]
    return FOREIGN.at(
        node.key_place,
        "key",
        tool=tool.name,
        field="parameters",
        help=f"write `{right}` for `{key}`; {source}",
        fix=None if holder == "toolSpec" else renaming(node.key_place, key, (right,)),
        key=key,
        place=known.place,
        owner=known.owner,
        right=right,
    )


def _shape(tool: Tool) -> int | None:
    """The shape of a definition, if it has one that only its API reads."""
    from toolsurface_lint.knowledge import definition_shapes as shapes

    value = tool.definition.value
    if len(tool.path) > 1 and tool.path[-2] in _GROUPS:
        return shapes.GEMINI
    if isinstance(value.get("function"), dict):
        return shapes.CHAT
    if isinstance(value.get("toolSpec"), dict):
        return shapes.BEDROCK
    if isinstance(value.get("input_schema"), dict):
        return shapes.ANTHROPIC
    if isinstance(value.get("inputSchema"), dict):
        return shapes.MCP
    if isinstance(value.get("parameters"), dict) and isinstance(value.get("name"), str):
        return shapes.RESPONSES if value.get("type") == "function" else shapes.LEGACY if "type" not in value else None
    return None


def _in_request(tools: list[Tool]) -> Finding | None:
    """The first definition of another shape in a request, which says by its other keys which API it is sent to."""
    request = _request_of(tools[0]) if tools else None
    if request is None:
        return None
    for tool in tools:
        shape = _shape(tool)
        if shape is not None and shape != request.shape:
            root = tool.tree.root
            telling = next(node for key in request.telling if (node := root.get(key)) is not None)
            return _foreign(
                tool,
                shape,
                related=[(f"this is in a request to {request.title}", telling.key_place)],
                help=f"write {request.written}; {sourced([(request.title, request.source)])}",
                reader=request.title,
            )
    return None


def _request_of(tool: Tool) -> Request | None:
    root = tool.tree.root.value
    if not isinstance(root, dict):
        return None
    from toolsurface_lint.knowledge import definition_shapes as shapes

    if tool.path[:2] == ("toolConfig", "tools"):
        return shapes.BEDROCK_REQUEST
    # A namespace has tools of its own.
    if tool.path[:1] != ("tools",) or "tools" in tool.path[2:]:
        return None
    model = root.get("model")
    is_openai = isinstance(model, str) and re.fullmatch(shapes.OPENAI_MODEL, model) is not None
    if is_openai and _fits(root, shapes.RESPONSES_REQUEST):
        return shapes.RESPONSES_REQUEST if isinstance(root["input"], str | list) else None
    if is_openai and _fits(root, shapes.CHAT_REQUEST):
        said = not shapes.CHAT_ALONE.isdisjoint(root) or any(role in shapes.ROLES for role in _roles(root["messages"]))
        return shapes.CHAT_REQUEST if said else None
    if _fits(root, shapes.ANTHROPIC_REQUEST):
        own = isinstance(model, str) and model.startswith("claude-") and "system" in root
        return shapes.ANTHROPIC_REQUEST if own or "anthropic_version" in root else None
    if _fits(root, shapes.GEMINI_REQUEST):
        contents = root["contents"]
        first = contents[0] if isinstance(contents, list) and contents else None
        return shapes.GEMINI_REQUEST if isinstance(first, dict) and "parts" in first else None
    return None


def _fits(root: dict[str, Any], request: Request) -> bool:
    """Whether an object has the keys of a request, and no others: a record of a dataset or of a log has."""
    return root.keys() >= request.required and all(key in request.required or key in request.optional for key in root)


def _roles(messages: Any) -> Iterator[Any]:
    for message in messages if isinstance(messages, list) else ():
        role = message.get("role") if isinstance(message, dict) else None
        if isinstance(role, str):
            yield role


def _for_providers(tools: list[Tool], target: Target) -> Finding | None:
    """The first definition in a native shape that none of the named providers accepts.

    Who names others too, a proxy or a client, has something that converts definitions.
    """
    if not target.named:
        return None
    from toolsurface_lint.knowledge import definition_shapes as shapes

    named = [(provider, shapes.NATIVE.get(provider.key)) for provider in target.named]
    known = [(provider.title, native) for provider, native in named if native is not None]
    if len(known) < len(named):
        return None
    for tool in tools:
        shape = _shape(tool)
        if shape in (shapes.ANTHROPIC, shapes.GEMINI, shapes.BEDROCK) and not any(
            shape in native.shapes for _, native in known
        ):
            return _foreign(
                tool,
                shape,
                help=f"convert the definitions; {sourced([(title, native.source) for title, native in known])}",
                reader=listed([title for title, _ in known]),
            )
    return None


def _foreign(tool: Tool, shape: int, **values: Any) -> Finding:
    from toolsurface_lint.knowledge.definition_shapes import GEMINI, SHAPES

    key, said = SHAPES[shape]
    node = tool.tree.at(tool.path[:-1]) if shape == GEMINI else tool.definition.get(key)
    key = str(node.key) if node is not None and shape == GEMINI else key
    place = tool.name_place if node is None else node.key_place
    return FOREIGN.at(place, "form", tool=tool.name, field="parameters", key=key, said=said, **values)
