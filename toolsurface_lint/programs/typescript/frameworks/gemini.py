"""Gemini: `functionDeclarations` and the `config` of a request.

@google/genai 2.32.0 (`dist/genai.d.ts`), @google/generative-ai with `getGenerativeModel`.
"""

from __future__ import annotations

from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.typescript.agents import make_request, of_mapping
from toolsurface_lint.programs.typescript.tool_maker import ScriptMaker, options
from toolsurface_lint.programs.values import Call, Entry, External, Items, Literal, Made, Mapping, Method, Value


def _request(maker: ScriptMaker, method: Method, call: Call) -> Value | None:
    """`ai.models.generateContent({ contents, config: { tools, systemInstruction } })`"""
    config = options(call).value("config")
    if not isinstance(config, Mapping):
        return None
    request = make_request(maker, FRAMEWORK, method, of_mapping(config, call), ("systemInstruction",))
    return None if request is None else Made(f"@google/genai.{method.name}", call)


def _model(maker: ScriptMaker, method: Method, call: Call) -> Value | None:
    """`genAI.getGenerativeModel({ model, tools, systemInstruction })`"""
    if not isinstance(call.first_value, Mapping):
        return None
    make_request(maker, FRAMEWORK, method, options(call), ("systemInstruction",))
    return Made("@google/generative-ai.GenerativeModel", call)


def _recognises(mapping: Mapping, made_by: str) -> Mapping | None:
    """A declaration whose schema has the types of the package: `type: Type.OBJECT`. Others are plain definitions."""
    schema = mapping.get("parameters")
    if not isinstance(schema, Mapping) or "name" not in mapping.entries or not _is_type(schema.get("type")):
        return None
    mapping.entries["parameters"] = mapping.entries["parameters"]._replace(value=_spelled(schema))
    return mapping


def _is_type(value: Value | None) -> bool:
    return isinstance(value, External) and ".Type." in value.path.replace(".SchemaType.", ".Type.")


def _spelled(schema: Value, depth: int = 0) -> Value:
    """A schema with its types as texts."""
    if isinstance(schema, External) and _is_type(schema):
        return Literal(schema.last.lower(), schema.module, schema.node)
    if depth > _MAX_DEPTH:
        return schema
    if isinstance(schema, Items):
        items = [_spelled(item, depth + 1) for item in schema.items]
        return Items(items, schema.module, schema.node, schema.kind, schema.missing)
    if isinstance(schema, Mapping):
        entries = {key: Entry(entry.key, _spelled(entry.value, depth + 1)) for key, entry in schema.entries.items()}
        return Mapping(schema.module, schema.node, entries, schema.complete)
    return schema


_MAX_DEPTH = 20

FRAMEWORK = Framework(
    "typescript-gemini",
    recognises=_recognises,
    method_calls={
        "generateContent": _request,
        "generateContentStream": _request,
        "create": _request,
        "getGenerativeModel": _model,
    },
)
