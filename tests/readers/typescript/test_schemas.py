"""The JSON Schemas of tools whose programs write them in the words of a library, with the places of their parts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.long import examples
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.readers.programs.tools import read_programs
from toolsurface_lint.source.text import SourceText
from toolsurface_lint.source.tree import Node

HEAD = """\
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
import * as v from "valibot";
import { Type } from "@sinclair/typebox";
import { type } from "arktype";
import { zodToJsonSchema } from "zod-to-json-schema";
import { label, hidden } from "somewhere-else";
const server = new McpServer({ name: "shop", version: "1.0.0" });
"""
GAP = {"anyOf": [{}]}


def tool_with(schema: str, before: str = "", head: str = HEAD) -> Tool:
    """The one tool of a program, registered with a schema."""
    text = f'{head}{before}\nserver.registerTool("find", {{ description: "Finds", inputSchema: {schema} }}, find);\n'
    tools = read_programs([SourceText("server.ts", text)], language="typescript").tools
    assert [tool.name for tool in tools] == ["find"]
    return tools[0]


def schema_with(schema: str, before: str = "", head: str = HEAD) -> Any:
    return tool_with(schema, before, head).definition.value.get("inputSchema")


def property_of(expression: str, before: str = "") -> tuple[Any, bool]:
    """The schema of a property, and whether it is required."""
    found = schema_with(f"{{ part: {expression} }}", before)
    return found["properties"]["part"], "part" in found.get("required", ())


STRING = {"type": "string"}
NULL = {"type": "null"}

REQUIRED = {
    "z.string()": STRING,
    "z.number()": {"type": "number"},
    "z.number().int()": {"type": "integer"},
    "z.int().min(2)": {"type": "integer", "minimum": 2},
    "z.boolean()": {"type": "boolean"},
    "z.bigint()": {"type": "integer"},
    "z.null()": NULL,
    "z.date()": {"type": "string", "format": "date-time"},
    "z.string().describe('What to find')": {"type": "string", "description": "What to find"},
    "z.string({ description: 'What to find' })": {"type": "string", "description": "What to find"},
    "z.string().meta({ title: 'Query', description: 'What to find', id: 'q' })": {
        "type": "string",
        "title": "Query",
        "description": "What to find",
    },
    "z.string().min(1).max(20)": {"type": "string", "minLength": 1, "maxLength": 20},
    "z.string().length(3)": {"type": "string", "minLength": 3, "maxLength": 3},
    "z.string().nonempty().trim().toLowerCase()": {"type": "string", "minLength": 1},
    "z.string().regex(/^[a-z]+\\d$/i)": {"type": "string", "pattern": "^[a-z]+\\d$"},
    "z.string().startsWith('a.b')": {"type": "string", "pattern": "^a\\.b"},
    "z.string().endsWith('.md')": {"type": "string", "pattern": "\\.md$"},
    "z.string().email()": {"type": "string", "format": "email"},
    "z.email()": {"type": "string", "format": "email"},
    "z.string().url()": {"type": "string", "format": "uri"},
    "z.string().uuid()": {"type": "string", "format": "uuid"},
    "z.string().datetime({ offset: true })": {"type": "string", "format": "date-time"},
    "z.iso.date()": {"type": "string", "format": "date"},
    "z.number().gt(0).lt(1.5)": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1.5},
    "z.number().gte(1).lte(5).multipleOf(2)": {"type": "number", "minimum": 1, "maximum": 5, "multipleOf": 2},
    "z.number().positive()": {"type": "number", "exclusiveMinimum": 0},
    "z.number().nonnegative().finite().safe()": {"type": "number", "minimum": 0},
    "z.number().min(-1)": {"type": "number", "minimum": -1},
    "z.number().max(hidden)": {"type": "number"},
    "z.coerce.number()": {"type": "number"},
    "z.string().nullable()": {"anyOf": [STRING, NULL]},
    "z.string().describe('Or null').nullable()": {"anyOf": [STRING, NULL], "description": "Or null"},
    "z.enum(['a', 'b'])": {"type": "string", "enum": ["a", "b"]},
    "z.enum(['a', 'b', 'c']).exclude(['b'])": {"type": "string", "enum": ["a", "c"]},
    "z.enum(['a', 'b', 'c']).extract(['b', 'c'])": {"type": "string", "enum": ["b", "c"]},
    "z.enum(hidden)": STRING,
    "z.literal('a')": {"type": "string", "const": "a"},
    "z.literal([1, 2])": {"type": "integer", "enum": [1, 2]},
    "z.union([z.string(), z.number()])": {"anyOf": [STRING, {"type": "number"}]},
    "z.string().or(z.number())": {"anyOf": [STRING, {"type": "number"}]},
    "z.union([z.literal('a'), z.literal('b')])": {"type": "string", "enum": ["a", "b"]},
    "z.intersection(z.object({ a: z.string() }), z.object({}))": {
        "allOf": [
            {"type": "object", "properties": {"a": STRING}, "required": ["a"]},
            {"type": "object", "properties": {}},
        ]
    },
    "z.discriminatedUnion('k', [z.object({ k: z.literal('a') }), z.object({ k: z.literal('b'), n: z.number() })])": {
        "anyOf": [
            {"type": "object", "properties": {"k": {"type": "string", "const": "a"}}, "required": ["k"]},
            {
                "type": "object",
                "properties": {"k": {"type": "string", "const": "b"}, "n": {"type": "number"}},
                "required": ["k", "n"],
            },
        ]
    },
    "z.array(z.string()).min(1).max(9)": {"type": "array", "items": STRING, "minItems": 1, "maxItems": 9},
    "z.string().array().nonempty()": {"type": "array", "items": STRING, "minItems": 1},
    "z.array(hidden)": {"type": "array", "items": GAP},
    "z.set(z.string())": {"type": "array", "items": STRING, "uniqueItems": True},
    "z.tuple([z.string(), z.number()])": {
        "type": "array",
        "prefixItems": [STRING, {"type": "number"}],
        "minItems": 2,
        "maxItems": 2,
    },
    "z.record(z.number())": {"type": "object", "additionalProperties": {"type": "number"}},
    "z.record(z.string(), z.unknown())": {"type": "object", "additionalProperties": {}},
    "z.strictObject({ a: z.string() })": {
        "type": "object",
        "properties": {"a": STRING},
        "required": ["a"],
        "additionalProperties": False,
    },
    "z.object({ a: z.string() }).passthrough()": {
        "type": "object",
        "properties": {"a": STRING},
        "required": ["a"],
        "additionalProperties": True,
    },
    "z.object({}).catchall(z.string())": {"type": "object", "properties": {}, "additionalProperties": STRING},
    "z.object({ a: z.string() }).keyof()": {"type": "string", "const": "a"},
    "z.string().transform((text) => text.length).pipe(z.number())": STRING,
    "z.string().refine((text) => text !== '').brand().readonly()": STRING,
    "z.preprocess((given) => given, z.number())": {"type": "number"},
    "z.lazy(() => z.string())": STRING,
    "z.optional(z.string()).unwrap()": STRING,
    "z.string().optional().nonoptional()": STRING,
    "z.string().optional().nullable().unwrap().unwrap()": STRING,
    "v.pipe(v.string(), v.description('What to find'), v.minLength(2))": {
        "type": "string",
        "description": "What to find",
        "minLength": 2,
    },
    "v.pipe(v.string(), v.transform(Number), v.number(), v.minValue(2))": STRING,
    "v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(5))": {"type": "integer", "minimum": 1, "maximum": 5},
    "v.picklist(['a', 'b'])": {"type": "string", "enum": ["a", "b"]},
    "v.nullable(v.array(v.string()))": {"anyOf": [{"type": "array", "items": STRING}, NULL]},
    "v.union([v.string(), v.literal(3)])": {"anyOf": [STRING, {"type": "integer", "const": 3}]},
    "v.omit(v.strictObject({ a: v.string(), b: v.number() }), ['b'])": {
        "type": "object",
        "properties": {"a": STRING},
        "required": ["a"],
        "additionalProperties": False,
    },
    "v.record(v.string(), v.boolean())": {"type": "object", "additionalProperties": {"type": "boolean"}},
}


@pytest.mark.parametrize("expression", REQUIRED)
def test_a_value_that_must_be_sent(expression: str) -> None:
    assert property_of(expression) == (REQUIRED[expression], True)


OPTIONAL = {
    "z.string().optional()": STRING,
    "z.optional(z.string())": STRING,
    "z.string().nullish()": {"anyOf": [STRING, NULL]},
    "z.string().default('a').describe('A letter')": {"type": "string", "default": "a", "description": "A letter"},
    "z.array(z.string()).default([])": {"type": "array", "items": STRING, "default": []},
    "z.array(z.string()).default(() => ['a'])": {"type": "array", "items": STRING, "default": ["a"]},
    "z.number().catch(5)": {"type": "number", "default": 5},
    "z.number().optional().catch(undefined)": {"type": "number"},
    "z.number().default(() => undefined)": {"type": "number"},
    "z.any()": {},
    "z.unknown().describe('Anything')": {"description": "Anything"},
    "z.union([z.string(), z.undefined()])": STRING,
    "z.function()": GAP,
    "hidden": GAP,
    "hidden.optional()": GAP,
    "v.optional(v.string(), 'a')": {"type": "string", "default": "a"},
    "v.nullish(v.string())": {"anyOf": [STRING, NULL]},
}


@pytest.mark.parametrize("expression", OPTIONAL)
def test_a_value_that_need_not_be_sent(expression: str) -> None:
    assert property_of(expression) == (OPTIONAL[expression], False)


BASE = """
const KINDS = ["book", "film"] as const;
enum Color { Red = "red", Blue = "blue" }
const LEVELS = { low: 1, high: 2 } as const;
const page = z.number().int().min(1);
const limited = (most: number) => z.number().max(most).describe(`At most ${most}`);
const Base = z.object({ id: z.string(), page: page.optional() });
const paged = { page: page.default(1) };
type Tree = { name: string; children: Tree[] };
const Tree: z.ZodType<Tree> = z.object({ name: z.string(), children: z.array(z.lazy(() => Tree)) });
const Node = z.object({ name: z.string(), get next() { return Node.optional(); } });
"""
ID = {"id": STRING}
PAGE = {"type": "integer", "minimum": 1}

OBJECTS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "Base.shape": ({**ID, "page": PAGE}, ["id"]),
    "Base": ({**ID, "page": PAGE}, ["id"]),
    "{ ...Base.shape, more: Base.shape.id }": ({**ID, "page": PAGE, "more": STRING}, ["id", "more"]),
    "Base.extend(paged)": ({**ID, "page": {**PAGE, "default": 1}}, ["id"]),
    "Base.merge(z.object({ page }))": ({**ID, "page": PAGE}, ["id", "page"]),
    "Base.pick({ page: true })": ({"page": PAGE}, []),
    "Base.omit({ page: true }).describe('One')": (ID, ["id"]),
    "Base.partial()": ({**ID, "page": PAGE}, []),
    "Base.required()": ({**ID, "page": PAGE}, ["id", "page"]),
    "Base.partial({ id: true }).shape": ({**ID, "page": PAGE}, []),
    "{ kind: z.enum(KINDS) }": ({"kind": {"type": "string", "enum": ["book", "film"]}}, ["kind"]),
    "{ color: z.nativeEnum(Color) }": ({"color": {"type": "string", "enum": ["red", "blue"]}}, ["color"]),
    "{ level: z.nativeEnum(LEVELS) }": ({"level": {"type": "integer", "enum": [1, 2]}}, ["level"]),
    "{ most: limited(9) }": ({"most": {"type": "number", "maximum": 9, "description": "At most 9"}}, ["most"]),
    "{ first: z.array(page).element }": ({"first": PAGE}, ["first"]),
    "{ page: Base.shape.page.unwrap() }": ({"page": PAGE}, ["page"]),
    "{ Kind: z.enum(z.enum(KINDS).options) }": ({"Kind": {"type": "string", "enum": ["book", "film"]}}, ["Kind"]),
    "{}": ({}, []),
    "Type.Object({ a: Type.String({ minLength: 1 }), b: Type.Optional(Type.Integer()) })": (
        {"a": {"type": "string", "minLength": 1}, "b": {"type": "integer"}},
        ["a"],
    ),
    "Type.Partial(Type.Object({ a: Type.Array(Type.Union([Type.Literal('x'), Type.Literal('y')])) }))": (
        {"a": {"type": "array", "items": {"type": "string", "enum": ["x", "y"]}}},
        [],
    ),
    "Type.Pick(Type.Object({ a: Type.String(), b: Type.Number() }), ['b'])": ({"b": {"type": "number"}}, ["b"]),
    "v.object({ ...v.object({ a: v.string() }).entries, b: v.optional(v.number()) })": (
        {"a": STRING, "b": {"type": "number"}},
        ["a"],
    ),
    "type({ name: 'string', 'age?': 'number > 0', tags: 'string[]' })": (
        {"name": STRING, "age": {"type": "number", "exclusiveMinimum": 0}, "tags": {"type": "array", "items": STRING}},
        ["name", "tags"],
    ),
    "type({ n: '0 < number.integer <= 10', kind: \"'a' | 'b'\", or: 'string | null', most: 'number = 5' })": (
        {
            "n": {"type": "integer", "exclusiveMinimum": 0, "maximum": 10},
            "kind": {"type": "string", "enum": ["a", "b"]},
            "or": {"anyOf": [STRING, NULL]},
            "most": {"type": "number", "default": 5},
        },
        ["n", "kind", "or"],
    ),
    "type({ inner: { mail: 'string.email' }, list: '(string | number)[] >= 1', odd: 'some<thing>' })": (
        {
            "inner": {
                "type": "object",
                "properties": {"mail": {"type": "string", "format": "email"}},
                "required": ["mail"],
            },
            "list": {"type": "array", "items": {"anyOf": [STRING, {"type": "number"}]}, "minItems": 1},
            "odd": GAP,
        },
        ["inner", "list"],
    ),
    "zodToJsonSchema(Base)": ({**ID, "page": PAGE}, ["id"]),
    "z.toJSONSchema(Base)": ({**ID, "page": PAGE}, ["id"]),
    "Base.toJSONSchema()": ({**ID, "page": PAGE}, ["id"]),
    "{ type: 'object', properties: zodToJsonSchema(Base).properties }": ({**ID, "page": PAGE}, []),
    "{ type: 'object', properties: { own: Type.String() } }": ({"own": STRING}, []),
    "{ type: 'object' as const, properties: { id: { type: 'string' } }, required: ['id'] }": (ID, ["id"]),
}


@pytest.mark.parametrize("expression", OBJECTS)
def test_the_schema_of_a_tool(expression: str) -> None:
    found = schema_with(expression, BASE)
    assert (found["type"], found["properties"], found.get("required", [])) == ("object", *OBJECTS[expression])


def test_a_schema_that_is_part_of_itself_ends() -> None:
    found = schema_with("{ tree: Tree }", BASE)["properties"]["tree"]
    # Once as a part of itself, where it allows anything.
    assert found["properties"]["children"]["items"]["properties"]["children"] == {"type": "array", "items": GAP}
    assert schema_with("{ node: Node }", BASE)["properties"]["node"]["properties"]["name"] == STRING


def test_ways_of_importing_zod() -> None:
    server = HEAD.splitlines()[0]
    ways = {
        'import z from "zod";': "z.string()",
        'import * as z from "zod";': "z.string()",
        'import { z } from "zod/v3";': "z.string()",
        'import { z } from "zod/v4";': "z.string()",
        'import { string } from "zod";': "string()",
        'import * as z from "zod/mini";': "z.string().check(z.minLength(2))",
        'import { z as shape } from "genkit";': "shape.string()",
        'const { z } = require("zod");': "z.string()",
    }
    for way, expression in ways.items():
        head = f'{server}\n{way}\nconst server = new McpServer({{ name: "shop", version: "1" }});\n'
        found = schema_with(f"{{ part: {expression} }}", head=head)
        assert found["required"] == ["part"], way
        assert found["properties"]["part"]["type"] == "string", way


@pytest.mark.parametrize(
    "expression", ["{ ...hidden, own: z.string() }", "hidden", "z.object(hidden)", "Type.Object(hidden)", "label(3)"]
)
def test_what_may_have_other_properties_is_not_known(expression: str) -> None:
    tool = tool_with(expression)
    assert "inputSchema" not in tool.definition.value
    assert "schema" not in tool.declarable


def place_of(node: Node, *, key: bool = False) -> str:
    span = (node.key_place if key else node.place).span()
    assert span is not None
    return node.tree.source.text[slice(*span)]


def test_the_places_of_the_parts_of_a_schema() -> None:
    tool = tool_with(
        "{ query: z.string().min(MOST).describe('What to find'), kind: z.enum(['a', 'b']), ...Base.shape }",
        "const MOST = 3;\nconst Base = z.object({ id: z.string().describe(`The id`) });",
    )

    def found(*path: str | int) -> Node:
        return tool.definition.tree.at((*tool.definition.path, "inputSchema", "properties", *path))

    assert place_of(found("query"), key=True) == "query"
    assert place_of(found("query")) == "z.string()"
    assert place_of(found("query", "description")) == "'What to find'"
    assert place_of(found("query", "minLength")) == "3"
    assert [place_of(found("kind", "enum", at)) for at in (0, 1)] == ["'a'", "'b'"]
    assert place_of(found("id"), key=True) == "id"
    assert place_of(found("id", "description")) == "`The id`"


def deep(size: int) -> str:
    return "z.object({ a: " * size + "z.string()" + " })" * size


HOSTILE = {
    "nested objects": (deep(60), ""),
    "nested deeper than expressions are followed": (deep(5_000), ""),
    "a long chain": ("{ a: z.string()" + ".optional()" * 5_000 + " }", ""),
    "a chain that loops make": (
        "{ a: s }",
        (
            f"const many = [{'1, ' * 400}];\nlet s = z.string();\n"
            "for (const n of many) for (const m of many) { s = s.optional(); s.shape; }"
        ),
    ),
    "constants that use each other twice": (
        "c39",
        "const c0 = z.object({ a: z.string() });\n"
        + "".join(f"const c{n} = z.object({{ a: c{n - 1}, b: c{n - 1} }});\n" for n in range(1, 40)),
    ),
    "a union of thousands": (f"{{ a: z.union([{'z.string(), ' * 5_000}]) }}", ""),
    "an enumeration of thousands": ("{ a: z.enum([" + ", ".join(f"'{n}'" for n in range(5_000)) + "]) }", ""),
    "functions that call each other": (
        "{ a: z.lazy(one) }",
        "function one() { return z.array(z.lazy(two)); }\nfunction two() { return z.array(z.lazy(one)); }",
    ),
    "an object that holds itself": (
        "o",
        "const o = { type: 'object', properties: {} };\no.properties.a = o;\no.properties.b = o;",
    ),
    "a long text of a type": ("type({ a: '" + "(" * 900 + "' })", ""),
    "methods of nothing": ("z().a.b().c", ""),
    "arguments that are missing": (
        "{ a: z.array(), b: z.union(), c: z.record(), d: z.enum(), e: z.object().pick() }",
        "",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_schemas_end(name: str) -> None:
    schema, before = HOSTILE[name]
    text = f'{HEAD}{before}\nserver.registerTool("find", {{ description: "Finds", inputSchema: {schema} }}, find);\n'
    tools = read_programs([SourceText("server.ts", text)], language="typescript").tools
    assert [tool.name for tool in tools] in (["find"], [])


TYPES = st.sampled_from(["z.string()", "z.number().int()", "z.boolean()", "z.any()", "z.enum(['a'])", "hidden", "page"])
EXPRESSIONS = st.recursive(
    TYPES,
    lambda inner: st.one_of(
        inner.map(lambda part: f"z.array({part})"),
        st.tuples(inner, st.sampled_from(["optional()", "nullable()", "describe('x')", "default(1)", "min(1)"])).map(
            lambda pair: f"{pair[0]}.{pair[1]}"
        ),
        st.lists(inner, max_size=3).map(lambda parts: f"z.union([{', '.join(parts)}])"),
        st.lists(inner, max_size=3).map(
            lambda parts: f"z.object({{ {', '.join(f'p{n}: {part}' for n, part in enumerate(parts))} }})"
        ),
    ),
    max_leaves=8,
)


@settings(max_examples=examples(60), deadline=None)
@given(EXPRESSIONS)
def test_a_schema_of_any_parts_is_a_schema(expression: str) -> None:
    from jsonschema import Draft202012Validator

    found, _ = property_of(expression, "const page = z.number();")
    Draft202012Validator.check_schema(found)
