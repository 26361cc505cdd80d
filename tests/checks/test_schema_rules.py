"""The schema rules one by one: fields, help and what stays silent; and the demands of each provider, row by row."""

from __future__ import annotations

import json
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from toolsurface_lint.checks import Checks
from toolsurface_lint.checks.contract import DEFINITION, SCHEMA, TOOL_LISTS
from toolsurface_lint.checks.tool import (
    _refusals,
    schema_defaults,
    schema_invalid,
    schema_prose,
    schema_python_types,
    schema_references,
    schema_types,
    schema_unsatisfiable,
    schema_unsupported_keyword,
)
from toolsurface_lint.checks.tool._tool_schema import schema_of
from toolsurface_lint.knowledge import provider_schemas
from toolsurface_lint.knowledge.provider_names import providers_of
from toolsurface_lint.model.diagnostics import Finding
from toolsurface_lint.model.target import Target
from toolsurface_lint.readers.loading import load_document
from toolsurface_lint.source.text import Span

NOBODY = Target()
STRUCTURE = (schema_types, schema_unsatisfiable, schema_defaults, schema_references)
NAME = {"name": "find", "description": "Finds things."}


def definition(format: str, schema: Any, strict: bool = False) -> Any:
    extra = {"strict": True} if strict else {}
    match format:
        case "openai":
            return {"type": "function", "function": {**NAME, "parameters": schema, **extra}}
        case "anthropic":
            return {**NAME, "input_schema": schema, **extra}
        case "gemini":
            return {"functionDeclarations": [{**NAME, "parameters": schema}]}
        case "gemini-json":
            return {"functionDeclarations": [{**NAME, "parametersJsonSchema": schema}]}
        case "bedrock":
            return {"toolSpec": {**NAME, "inputSchema": {"json": schema}, **extra}}
        case "mcp":
            return {**NAME, "inputSchema": schema}
        case _:
            return {**NAME, "parameters": schema}


def findings(
    modules: ModuleType | tuple[ModuleType, ...], definitions: list[Any], target: Target = NOBODY, odd: bool = False
) -> Iterator[Finding]:
    data = json.dumps(definitions).encode()
    document = load_document("tools.json", "tools.json", "json", kind="tools", max_size=1 << 20, data=data)
    assert odd or document.tool_lists
    names = {module.__name__ for module in (modules if isinstance(modules, tuple) else (modules,))}
    checks = Checks(lambda rule: f"toolsurface_lint.checks.{rule.module}" in names)
    for tools in document.tool_lists:
        for tool in tools:
            yield from checks.run(DEFINITION, tool.name_place, tool, target)
            schema = schema_of(tool)
            if schema is not None:
                yield from checks.run(SCHEMA, tool.name_place, schema, target)
    if document.tool_lists:
        yield from checks.run(TOOL_LISTS, document.place(Span(0, 0)), document.tool_lists, target)


def pointed(finding: Finding) -> str:
    span, source = finding.place.span(), finding.place.source
    assert span is not None
    assert source is not None
    return source.text[span.start : span.end]


def reported(
    module: ModuleType | tuple[ModuleType, ...], schema: Any, format: str = "mcp"
) -> list[tuple[str, str | None, str | None]]:
    found = sorted(findings(module, [definition(format, schema)]), key=lambda one: one.place.span() or ())
    return [(pointed(one), one.field, one.help) for one in found]


def within(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def test_an_invalid_type_is_cured_where_it_stands() -> None:
    schema = within(a={"type": "int"}, b=within(c={"type": ["string", "strng"]}), d={"type": "any"}, e={"type": "x"})
    assert reported(schema_invalid, schema) == [
        ('"int"', "parameters.a", "use `integer`"),
        ('"strng"', "parameters.b.c", "use `string`"),
        ('"any"', "parameters.d", "leave `type` out: without it any value is allowed"),
        ('"x"', "parameters.e", None),
    ]


def test_common_wrong_shapes_have_help() -> None:
    schema = within(
        a={"type": "string", "required": True},
        b={"type": "array", "items": [{"type": "string"}]},
        c={"type": "integer", "exclusiveMinimum": True},
        d="string",
    )
    assert reported(schema_invalid, schema) == [
        ("true", "parameters.a", "list the name in `required` of the object that has this property"),
        (
            '[{"type": "string"}]',
            "parameters.b",
            "write `prefixItems`, which has held schemas by position since 2020-12",
        ),
        ("true", "parameters.c", "write the bound itself, as since draft-06"),
        ('"string"', "parameters.d", 'write `{"type": "string"}`'),
    ]


def test_python_types_are_reported_once_a_file_where_no_provider_owns_the_format() -> None:
    schema = {"type": "dict", "properties": {"a": {"type": "float"}, "b": {"type": "tuple", "items": {}}}}
    found = list(findings(schema_python_types, [definition("function", schema)] * 3))
    assert [(pointed(one), one.help) for one in found] == [
        ('"dict"', "write `object` for `dict`, `number` for `float`, `array` for `tuple`")
    ]
    assert found[0].message == "`dict` is not a JSON Schema type; 2 more tools in this file use Python's type names"
    assert len(list(findings(schema_invalid, [definition("openai", schema)] * 3))) == 9


def test_python_types_are_read_as_what_they_mean() -> None:
    schema = {"type": "dict", "properties": {"a": {"type": "float", "default": "x"}, "b": {"type": "any"}}}
    found = list(findings(STRUCTURE, [definition("function", schema)]))
    assert [(one.rule.code, one.message) for one in found] == [
        ("TOOL_SCHEMA_DEFAULT_INVALID", 'the default of `a` must be a number, not `"x"`')
    ]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (within(user_id={}) | {"required": ["user_ids"]}, ('"user_ids"', "parameters", "did you mean `user_id`?")),
        (within(a={"default": 5}), ('"a"', "parameters.a", "give it the type of its default, `5`")),
        (
            within(a={"$ref": "https://example.com/s"}),
            (
                '"https://example.com/s"',
                "parameters.a",
                "put the definition into `$defs` of the schema: nobody fetches it",
            ),
        ),
        (
            {**within(a={"$ref": "#/$defs/D/anyOf"}), "$defs": {"D": {"anyOf": [{"type": "string"}]}}},
            ('"#/$defs/D/anyOf"', "parameters.a", None),
        ),
        (
            within(a={"type": "array", "items": within(b={"type": "array"})}),
            ('"array"', "parameters.a.b", "say what an item is: `items: {type: string}`"),
        ),
        (
            {"type": "object", "$defs": {"D": {"type": "array"}}},
            ('"array"', "parameters", "say what an item is: `items: {type: string}`"),
        ),
    ],
    ids=lambda value: json.dumps(value)[:50],
)
def test_field_and_cure(schema: Any, expected: tuple[str, str, str | None]) -> None:
    assert expected in reported(STRUCTURE, schema)


@pytest.mark.parametrize("format", ["openai", "anthropic", "bedrock", "mcp"])
@pytest.mark.parametrize("root", [{"type": "string"}, {"properties": {}}, {}], ids=json.dumps)
def test_roots_that_are_no_objects(format: str, root: Any) -> None:
    codes = [found.rule.code for found in findings(STRUCTURE, [definition(format, root)])]
    assert codes == ["TOOL_SCHEMA_ROOT_NOT_OBJECT"]


@pytest.mark.parametrize("format", ["openai", "anthropic", "bedrock", "mcp", "gemini", "gemini-json", "function"])
def test_an_ordinary_tool_is_clean_in_every_format(format: str) -> None:
    upper = format == "gemini"
    kind = {name: name.upper() if upper else name for name in ("object", "string", "integer", "array")}
    schema = {
        "type": kind["object"],
        "properties": {
            "path": {"type": kind["string"], "description": "The file."},
            "limit": {"type": kind["integer"], "description": "How many.", "minimum": 1, "default": 10},
            "tags": {"type": kind["array"], "description": "Some.", "items": {"type": kind["string"]}, "default": []},
            "mode": {"type": kind["string"], "description": "How.", "enum": ["a", "b"], "default": "a"},
        },
        "required": ["path"],
    }
    for module in (schema_invalid, STRUCTURE, schema_prose, schema_unsupported_keyword):
        assert list(findings(module, [definition(format, schema)])) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "schema",
    [
        {"type": "int"},
        {"type": "object", "properties": 5, "required": "a", "enum": 3, "items": [1, None]},
        {"type": "object", "properties": {"a": None, "b": 1, "c": {"enum": [[]], "type": 7, "default": {}, "$ref": 1}}},
        {"type": "object", "required": [1, None, {}], "patternProperties": {"(": 1}, "$defs": []},
        {"type": "object", "properties": {"a": {"minimum": "x", "maximum": [], "default": 1, "required": {}}}},
        {"type": "object", "properties": {"a": {"$ref": "#/properties/a", "default": 1}}},
        {"type": ["object"], "anyOf": [1], "allOf": {}, "not": [], "if": 1},
        True,
        [],
        "text",
        7,
    ],
    ids=json.dumps,
)
@pytest.mark.parametrize("format", ["openai", "mcp", "gemini", "function", "bedrock"])
def test_no_schema_is_too_odd(schema: Any, format: str) -> None:
    for module in (schema_invalid, STRUCTURE, schema_prose, schema_unsupported_keyword):
        for provider in ("", "portable", *provider_schemas.PROFILES):
            list(
                findings(module, [definition(format, schema, strict=True)], Target(providers_of([provider])), odd=True)
            )


def closed(**properties: Any) -> dict[str, Any]:
    return {**within(**properties), "required": [*properties], "additionalProperties": False}


ROWS: list[tuple[str, str, bool, Any, list[str]]] = [
    # provider, format, strict, schema, the keys or values that are refused; sources: knowledge/provider_schemas.py
    ("openai", "openai", False, within(a={"type": "string", "minLength": 1, "default": "ab"}), []),
    ("openai", "openai", False, {**within(), "anyOf": [{}]}, ['"anyOf"']),
    ("openai", "openai", False, {"type": "object"}, ['{"type": "object"}']),
    ("openai", "mcp", False, {**within(), "oneOf": [{}]}, ['"oneOf"']),
    ("Azure OpenAI", "mcp", False, {**within(), "oneOf": [{}]}, ['"oneOf"']),
    ("", "openai", False, {**within(), "anyOf": [{}]}, []),
    ("", "openai", True, {**within(), "additionalProperties": False}, []),
    ("", "openai", True, within(), ['{"type": "object", "properties": {}}']),
    ("", "openai", True, {**within(a={"type": "string"}), "additionalProperties": False}, ['"a"']),
    ("ollama", "openai", True, within(a={"type": "string", "minLength": 1}), []),
    # Of OpenAI it is said both ways that lengths are refused.
    ("", "openai", True, closed(a={"type": "string", "minLength": 1, "default": "b"}), []),
    ("", "openai", True, closed(a={"type": "array", "prefixItems": [{"type": "string"}]}), ['"prefixItems"']),
    (
        "azure",
        "openai",
        True,
        closed(a={"type": "string", "default": "b"}, b={"type": ["string", "null"], "default": None}),
        ['"default"'],
    ),
    ("groq", "openai", False, within(a={"type": "object", "required": ["b"]}), ['"required"']),
    ("groq", "openai", True, within(), ['{"type": "object", "properties": {}}']),
    ("deepseek", "openai", True, closed(a={"type": "string", "minLength": 1}), ['"minLength"']),
    ("xai", "openai", False, within(a={"allOf": [{"type": "string"}]}), []),
    ("xai", "openai", False, within(a={"allOf": [{"type": "string"}, {"minLength": 1}]}), ['"allOf"']),
    ("llama.cpp", "openai", False, within(a={"type": "string", "pattern": "^(?!x)y$"}), ['"^(?!x)y$"']),
    ("vllm", "openai", False, within(a={"type": "integer", "multipleOf": 2}), []),
    ("vllm-xgrammar", "openai", False, within(a={"type": "integer", "multipleOf": 2}), ['"multipleOf"']),
    (
        "copilot-cli",
        "mcp",
        False,
        {"type": "object", "additionalProperties": False},
        ['{"type": "object", "additionalProperties": false}'],
    ),
    ("claude-code", "mcp", False, within(**{"a[]": {"type": "string"}}), ['"a[]"']),
    ("openai", "mcp", True, within(a={"type": "string", "minLength": 1}), []),
    ("anthropic", "anthropic", False, {**within(), "allOf": [{}]}, ['"allOf"']),
    ("anthropic", "anthropic", False, within(**{"a b": {"type": "string"}}), ['"a b"']),
    ("anthropic", "mcp", False, within(a={"oneOf": [{"type": "string"}]}), []),
    (
        "",
        "anthropic",
        True,
        {**within(a={"type": "integer", "minimum": 1}), "additionalProperties": False},
        ['"minimum"'],
    ),
    (
        "",
        "anthropic",
        True,
        {**within(a={"type": "array", "items": {"type": "string"}, "minItems": 2}), "additionalProperties": False},
        ["2"],
    ),
    (
        "",
        "anthropic",
        True,
        {
            **within(a={"$ref": "#/$defs/A"}),
            "additionalProperties": False,
            "$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}]}},
        },
        ['"#/$defs/A"'],
    ),
    ("gemini", "gemini", False, {"type": "OBJECT", "properties": {"a": {"type": "STRING"}}}, []),
    ("gemini", "gemini", False, {"type": "OBJECT", "properties": {"a": {"type": "INTEGER", "enum": [1]}}}, ["1"]),
    ("gemini", "gemini", False, {"type": "OBJECT", "properties": {"a": {"type": "STRING", "const": "x"}}}, ['"const"']),
    ("gemini", "gemini", False, {"type": "OBJECT", "properties": {}}, ['{"type": "OBJECT", "properties": {}}']),
    (
        "gemini",
        "gemini",
        False,
        {"type": "OBJECT", "properties": {"a": {"type": ["STRING", "NULL"]}}},
        ['["STRING", "NULL"]'],
    ),
    ("gemini", "gemini", False, {"type": "OBJECT", "properties": {"a": {"type": "STRING", "format": "date-time"}}}, []),
    (
        "gemini",
        "gemini",
        False,
        {"type": "OBJECT", "properties": {"a": {"type": "STRING", "format": "uri"}}},
        ['"uri"'],
    ),
    ("gemini", "gemini", False, {"type": "OBJECT", "properties": {"a": {"type": "INTEGER", "format": "int64"}}}, []),
    (
        "gemini",
        "gemini",
        False,
        {"type": "OBJECT", "properties": {"a": {"type": "NUMBER", "format": "int64"}}},
        ['"int64"'],
    ),
    ("gemini", "gemini", False, {"type": "OBJECT", "properties": {"a": {"type": "STRING", "$id": "x"}}}, ['"$id"']),
    ("gemini", "gemini-json", False, within(a={"type": "string", "format": "uri"}), []),
    ("gemini", "gemini-json", False, within(a={"type": "string", "const": "x"}), []),
    ("gemini", "gemini-json", False, within(a={"$ref": "#", "description": "x"}), []),
    ("gemini", "gemini-json", False, within(a={"$ref": "#", "title": "x"}), ['"title"']),
    ("gemini", "mcp", False, within(a={"type": ["string", "null"], "const": "x"}), ['"const"', '["string", "null"]']),
    (
        "gemini",
        "openai",
        False,
        within(a={"oneOf": [{"type": "integer", "exclusiveMinimum": 0}]}),
        ['"oneOf"', '"exclusiveMinimum"'],
    ),
    ("gemini", "anthropic", False, within(a={"type": "string", "not": {"enum": [""]}}), ['"not"', '""']),
    (
        "gemini",
        "mcp",
        False,
        {**within(), "additionalProperties": False, "$schema": "x"},
        ['"additionalProperties"', '"$schema"'],
    ),
    ("gemini", "mcp", False, {"type": "object"}, ['{"type": "object"}']),
    ("gemini", "mcp", False, within(a={"type": "string", "format": "uri"}), ['"uri"']),
    ("gemini", "mcp", False, within(a={"description": "Anything."}, b={"type": "array", "items": {}}), ['"a"']),
    ("gemini", "mcp", False, within(a={"type": "string", "minItems": 1}), ['"minItems"']),
    ("gemini", "mcp", False, within(a={"type": "array", "items": [{"type": "string"}]}), ['"items"']),
    ("gemini", "mcp", False, {**within(a={"$ref": "#/$defs/A"}), "$defs": {"A": {"type": "string"}}}, ['"$defs"']),
    ("gemini", "mcp", False, within(a={"anyOf": [{"type": "string"}], "description": "x"}), []),
    ("gemini-json-schema", "mcp", False, within(a={"type": ["string", "null"], "const": "x"}), []),
    ("vertex", "mcp", False, {**within(a={"type": "string", "format": "date"}), "additionalProperties": False}, []),
    ("vertex", "mcp", False, within(a={"anyOf": [{"type": "string"}], "description": "x"}), ['"description"']),
    ("vertex", "mcp", False, within(a={"type": "array", "items": {}}), ["{}"]),
    ("vertex", "gemini-json", False, within(a={"oneOf": [{"type": "string"}]}), []),
    ("bedrock", "bedrock", False, within(a={"type": "integer", "minimum": 1}), []),
    (
        "bedrock",
        "bedrock",
        True,
        {**within(a={"type": "integer", "minimum": 1, "minLength": 1}), "additionalProperties": False},
        ['"minimum"'],
    ),
    ("agentcore", "mcp", False, within(a={"type": "string", "enum": ["x"]}), ['"enum"']),
    ("mistral", "openai", False, {**within(a={"type": "string", "const": "x"}), "anyOf": [{}]}, []),
    ("mistral", "openai", False, {**within(), "$schema": "http://json-schema.org/draft-07/schema#"}, ['"$schema"']),
    ("mcp", "mcp", False, {**within(a={"not": {}}), "oneOf": [{}]}, []),
    (
        "",
        "mcp",
        False,
        within(a={"type": "string", "x-mcp-header": "Region"}, b={"type": "integer", "x-mcp-header": "Zone"}),
        [],
    ),
    ("", "mcp", False, within(a={"type": "object", "properties": {"b": {"type": "boolean", "x-mcp-header": "B"}}}), []),
    ("", "mcp", False, within(a={"type": ["string", "null"], "x-mcp-header": "Region"}), []),
    ("", "mcp", False, within(a={"type": "string", "x-mcp-header": ""}), ['""']),
    ("", "mcp", False, within(a={"type": "string", "x-mcp-header": "My Region"}), ['"My Region"']),
    ("", "mcp", False, within(a={"type": "string", "x-mcp-header": True}), ["true"]),
    ("", "mcp", False, within(a={"type": "number", "x-mcp-header": "Size"}), ['"x-mcp-header"']),
    ("", "mcp", False, within(a={"x-mcp-header": "Size"}), ['"x-mcp-header"']),
    ("", "mcp", False, within(a={"type": [{}], "x-mcp-header": "Size"}), ['"x-mcp-header"']),
    (
        "",
        "mcp",
        False,
        within(a={"type": "array", "items": {"type": "string", "x-mcp-header": "A"}}),
        ['"x-mcp-header"'],
    ),
    ("", "mcp", False, within(a={"anyOf": [{"type": "string", "x-mcp-header": "A"}]}), ['"x-mcp-header"']),
    (
        "",
        "mcp",
        False,
        within(a={"type": "string", "x-mcp-header": "Region"}, b={"type": "string", "x-mcp-header": "REGION"}),
        ['"REGION"'],
    ),
    ("", "openai", False, within(a={"type": "number", "x-mcp-header": ""}), []),
    # What Moonshot does not support it ignores.
    ("moonshot", "openai", False, {**within(a={"type": "string", "pattern": "a"}), "$schema": "x"}, []),
    ("moonshot", "openai", False, within(a={"allOf": [{"type": "string", "const": "x"}]}), []),
    ("moonshot", "openai", False, {**within(), "additionalProperties": {}}, []),
    ("moonshot", "openai", False, within(additionalProperties={}), ['"additionalProperties"']),
    ("moonshot", "openai", False, within(a={"type": "array", "items": [{"type": "string"}]}), ['"items"']),
    (
        "moonshot",
        "openai",
        False,
        {
            **within(a={"$ref": "#/$defs/A/properties/b", "description": "x"}),
            "$defs": {"A": within(b={"type": "null"})},
        },
        [],
    ),
    (
        "moonshot",
        "openai",
        False,
        {**within(a={"$ref": "#/definitions/A", "type": "null"}), "definitions": {"A": {"type": "null"}}},
        ['"#/definitions/A"', '"type"'],
    ),
    (
        "moonshot",
        "openai",
        False,
        {**within(a={"$ref": "#/$defs/A", "anyOf": [{"type": "null"}]}), "$defs": {"A": {"type": "null"}}},
        ['"anyOf"'],
    ),
    (
        "moonshot",
        "openai",
        False,
        {**within(**{"a/b": {"type": "null"}}), "$defs": {"c/d": within(**{"e/f": {"type": "null"}})}},
        ['"c/d"', '"e/f"'],
    ),
    ("moonshot", "openai", False, within(required={"type": ["boolean", "null"], "default": None}), []),
    ("moonshot", "openai", False, within(a={"type": "string", "enum": []}), ['"enum"']),
    ("moonshot", "openai", False, within(a={"type": ["string", "integer"], "enum": ["x", 1]}), ['"enum"']),
    ("moonshot", "openai", False, within(a={"type": ["string", "null"], "enum": ["x", None]}), []),
    ("moonshot", "openai", False, closed(a={"type": "array", "items": {"$ref": "#"}}), ['"required"']),
    ("moonshot", "openai", False, closed(a={"anyOf": [{"$ref": "#"}, {"type": "null"}]}), []),
    ("moonshot", "openai", False, closed(a={"$ref": "#"}, b={"type": "string"}), []),
    ("moonshot", "openai", False, within(a={"$ref": "#"}), []),
    ("moonshot", "openai", False, {**closed(a={"$ref": "#/$defs/A"}), "$defs": {"A": {"$ref": "#"}}}, ['"required"']),
    ("moonshot", "openai", False, within(a={"type": "string", "anyOf": [{"type": "string"}]}), ['"type"']),
    ("moonshot", "openai", False, within(a=True), ["true"]),
    ("kimi", "openai", False, within(a={"enum": ["x"]}), ['"a"']),
    (
        "elevenlabs",
        "openai",
        False,
        {**within(a={"type": "string"}), "additionalProperties": False},
        ['"additionalProperties"', '"a"'],
    ),
]


@pytest.mark.parametrize(("provider", "format", "strict", "schema", "refused"), ROWS, ids=lambda value: str(value)[:40])
def test_what_each_provider_refuses(provider: str, format: str, strict: bool, schema: Any, refused: list[str]) -> None:
    target = Target(providers_of([provider]))
    found = list(findings(schema_unsupported_keyword, [definition(format, schema, strict)], target))
    assert sorted(pointed(one) for one in found) == sorted(refused)


def test_the_sizes_of_strict_openai_tools() -> None:
    def refused(schema: Any) -> list[str]:
        return [found.message for found in findings(schema_unsupported_keyword, [definition("openai", schema, True)])]

    deep: dict[str, Any] = {"type": "string"}
    for _ in range(9):
        deep = closed(a=deep)
    owner = "OpenAI with `strict: true`"
    assert refused(closed(a=deep)) == []
    assert refused(closed(a=closed(a=deep))) == [
        f"the schema has more than 10 levels of nesting, the most accepted by {owner}"
    ]
    many = [f"v{number}" for number in range(1001)]
    assert refused(closed(a={"type": "string", "enum": many[:1000]})) == []
    assert refused(closed(a={"type": "string", "enum": many})) == [
        f"the schema has more than 1000 enum values, the most accepted by {owner}"
    ]
    long = closed(a={"type": "string", "enum": ["x" * 120_001]})
    assert refused(long) == [
        f"names and enum values have more than 120000 characters in all, the most accepted by {owner}"
    ]


def test_profiles_demand_what_is_checked() -> None:
    for profile in (*provider_schemas.PROFILES.values(), *provider_schemas.STRICT_PROFILES.values()):
        for demand in profile:
            assert demand.structures <= {*_refusals._STRUCTURES}
    used = {
        structure
        for profile in (*provider_schemas.PROFILES.values(), *provider_schemas.STRICT_PROFILES.values())
        for demand in profile
        for structure in demand.structures
    }
    assert used == {*_refusals._STRUCTURES}


def test_one_finding_says_who_refuses_a_place() -> None:
    schema = {**within(a={"type": "string", "format": "uri"}), "oneOf": [{}]}
    target = Target(providers_of(["openai", "gemini", "anthropic"]))
    found = list(findings(schema_unsupported_keyword, [definition("mcp", schema)], target))
    assert [(one.rule.code, one.message) for one in found] == [
        ("TOOL_SCHEMA_UNSUPPORTED_KEYWORD", "`oneOf` is not accepted by Gemini, OpenAI and Anthropic"),
        ("TOOL_SCHEMA_UNSUPPORTED_KEYWORD", "the format `uri` is not accepted by Gemini"),
    ]
    assert (found[1].help or "").startswith("source: Gemini, API error: only 'enum' and 'date-time'")
    assert (found[1].help or "").endswith("(2026-06, observed)")


def test_what_nobody_named_refuses_is_not_portable() -> None:
    schema = {**within(a={"type": "string", "format": "uri"}), "oneOf": [{}]}
    portable = Target(providers_of(["portable", "openai"]))
    found = list(findings(schema_unsupported_keyword, [definition("mcp", schema)], portable))
    assert [one.rule.code for one in found] == ["TOOL_SCHEMA_UNSUPPORTED_KEYWORD", "TOOL_SCHEMA_NOT_PORTABLE"] + [
        "TOOL_SCHEMA_NOT_PORTABLE"
    ] * (len(found) - 2)
    assert "and " in found[0].message


@pytest.mark.slow
@pytest.mark.parametrize("more", [{}, {"additionalProperties": False}], ids=json.dumps)
def test_names_that_too_many_patterns_are_tried_on_are_named_once(more: Any) -> None:
    patterns = {f"^a{number}$": {"type": "string"} for number in range(4_000)}
    names = [f"b{number}" for number in range(6)]
    schema = {"type": "object", "patternProperties": patterns, "required": names, **more}
    found = list(findings(STRUCTURE, [definition("mcp", schema)]))
    assert [finding.place.reads() for finding in found] == ["b0", "b1", "b2"]
    assert [finding.rule is schema_unsatisfiable.UNSATISFIABLE for finding in found] == [bool(more)] * 2 + [False]
    assert [finding.help for finding in found] == [
        None,
        None,
        "this name and those below are not compared with all of `patternProperties`: 10,000 tries are used up",
    ]
