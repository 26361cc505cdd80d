"""What each provider refuses in a parameter schema: keywords, structures and sizes.

Rows that are only remembered, and rows of a provider that merely ignores a keyword, are left out. Confidence of the rest:
`source`, read in the code of a published package or repository; `docs`, from a specification, a vendor's page, or the
text of an API error quoted in public. State: November 2026.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from toolsurface_lint.knowledge import DOCS, SOURCE, words


class Profile(NamedTuple):
    """One provider's demands on the schema of one tool.

    `rejected` are keywords that fail anywhere, `rejected_at_root` those that fail at the top; `allowed`, if given, are the
    only keywords there may be. `structures` names further demands, each with its confidence. `formats` are the values of
    `format` that are taken, None for any; `formats_of` those of one type. Limits are None where none is known: `depth`
    counts nested objects and arrays, `texts` the characters of property names, enum values and constants.
    """

    title: str
    source: str
    confidence: str
    rejected: frozenset[str] = frozenset()
    rejected_at_root: frozenset[str] = frozenset()
    allowed: frozenset[str] | None = None
    structures: frozenset[str] = frozenset()
    formats: frozenset[str] | None = None
    formats_of: Mapping[str, frozenset[str]] = MappingProxyType({})
    depth: int | None = None
    properties: int | None = None
    enum_values: int | None = None
    texts: int | None = None
    property_name: str | None = None


_CONTAINS = "contains minContains maxContains"
_COUNTS = "minProperties maxProperties patternProperties propertyNames dependentRequired dependentSchemas"
_CONDITIONS = "oneOf not if then else"
_BOUNDS = "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf"

OPENAI = Profile(
    "OpenAI",
    "OpenAI API error texts; microsoft/vscode-copilot-chat, toolSchemaNormalizer.ts",
    DOCS,
    rejected_at_root=words("oneOf anyOf allOf enum const not"),
    structures=words("array-items object-properties"),
)
OPENAI_STRICT = Profile(
    "OpenAI with `strict: true`",
    "openai 3.54.0, lib/_pydantic.py; pydantic-ai-slim 2.68.0, profiles/openai.py; openai-agents 0.24.0, strict_schema.py",
    SOURCE,
    rejected=words(
        f"oneOf allOf not if then else minLength maxLength uniqueItems {_CONTAINS} {_COUNTS} "
        "unevaluatedProperties unevaluatedItems"
    ),
    rejected_at_root=words("anyOf"),
    structures=words("closed-objects all-required lone-ref local-ref typed-items no-lookaround"),
    formats=words("date-time time date duration email hostname ipv4 ipv6 uuid"),
    depth=10,
    properties=5000,
    enum_values=1000,
    texts=120_000,
)
ANTHROPIC = Profile(
    "Anthropic",
    "anthropic 2.12.0, types/tool_param.py; Anthropic API error texts",
    DOCS,
    rejected_at_root=words("oneOf allOf anyOf"),
    property_name=r"[a-zA-Z0-9_.-]{1,64}",
)
ANTHROPIC_STRICT = Profile(
    "Anthropic with `strict: true`",
    "anthropic 2.12.0, lib/_parse/_transform.py; @ai-sdk/anthropic 3.0.138; litellm 1.109.1; pydantic-ai-slim 2.68.0",
    SOURCE,
    rejected=words(
        f"prefixItems {_CONDITIONS} minLength maxLength {_BOUNDS} maxItems uniqueItems {_CONTAINS} {_COUNTS} "
        "unevaluatedProperties"
    ),
    rejected_at_root=words("allOf anyOf"),
    structures=words("closed-objects few-min-items primitive-enum no-recursion"),
    formats=words("date-time time date duration email hostname uri ipv4 ipv6 uuid"),
    property_name=r"[a-zA-Z0-9_.-]{1,64}",
)
GEMINI = Profile(
    "Gemini",
    "google-genai 3.4.0, types.py, class Schema; google-adk 2.13.0, _gemini_schema_util.py; Gemini API error texts",
    SOURCE,
    rejected=words(
        "prefixItems const oneOf allOf not if then else definitions $schema $id $anchor $comment examples "
        "exclusiveMinimum exclusiveMaximum multipleOf uniqueItems contains minContains maxContains patternProperties "
        "propertyNames dependentRequired dependentSchemas unevaluatedProperties unevaluatedItems discriminator"
    ),
    structures=words(
        "array-items object-properties text-enum single-type no-boolean-schema declared-required no-recursion"
    ),
    formats_of=MappingProxyType(
        {"string": words("enum date-time"), "integer": words("int32 int64"), "number": words("float double")}
    ),
)
GEMINI_JSON_SCHEMA = Profile(
    "Gemini", "google-genai 3.4.0, types.py, response_json_schema", SOURCE, structures=words("lone-ref")
)
BEDROCK_STRICT = Profile(
    "Amazon Bedrock with `strict: true`",
    "pydantic-ai-slim 2.68.0, providers/bedrock.py (tried against the API)",
    SOURCE,
    rejected=words(f"{_BOUNDS} maxItems"),
    structures=words("closed-objects few-min-items no-lookaround"),
)
AGENTCORE = Profile(
    "Amazon Bedrock AgentCore gateway",
    "botocore 1.44.5, bedrock-agentcore-control, SchemaDefinition",
    SOURCE,
    allowed=words("type properties required items description"),
    structures=words("single-type"),
)
MOONSHOT = Profile(
    "Moonshot",
    "MoonshotAI/walle, docs; Moonshot API error texts",
    SOURCE,
    rejected=words(
        "prefixItems const oneOf allOf not if then else definitions $schema $anchor $comment examples format pattern "
        "exclusiveMinimum exclusiveMaximum multipleOf uniqueItems contains minContains maxContains minProperties "
        "maxProperties patternProperties propertyNames dependentRequired dependentSchemas unevaluatedProperties "
        "unevaluatedItems nullable propertyOrdering discriminator"
    ),
    structures=words("typed-parts lone-ref local-ref declared-required"),
    depth=5,
    properties=100,
    enum_values=500,
)
ELEVENLABS = Profile(
    "ElevenLabs",
    "pydantic-ai-slim 2.68.0, realtime/elevenlabs_agents.py (tried against the API)",
    SOURCE,
    rejected=words("additionalProperties anyOf $ref"),
    structures=words("described"),
)

PROFILES: dict[str, Profile] = {
    "openai": OPENAI,
    "azure-openai": OPENAI,
    "anthropic": ANTHROPIC,
    "gemini": GEMINI,
    "agentcore": AGENTCORE,
    "moonshot": MOONSHOT,
    "elevenlabs": ELEVENLABS,
}
"""By the key of the provider, as `providers.provider_id` gives it. Mistral, Bedrock Converse and MCP take any valid schema."""

HEADER = "x-mcp-header"
"""What makes a header of a parameter's value; a schema that breaks its rules makes clients leave the whole tool out.

modelcontextprotocol, specification 2026-07-28, transports/streamable-http (source).
"""
HEADER_NAME = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"
"""A token of RFC 9110, section 5.6.2."""
HEADER_TYPES = frozenset(("string", "integer", "boolean"))

STRICT_PROFILES: dict[str, Profile] = {
    "openai": OPENAI_STRICT,
    "anthropic": ANTHROPIC_STRICT,
    "bedrock": BEDROCK_STRICT,
}
"""By the format whose tools can say `strict: true`."""
