"""What each provider refuses in a parameter schema: keywords, structures and sizes.

Each demand says where it was read, when, and how that is known. Those that are only remembered are left out, and so is
what a provider merely ignores.
"""

# No `from __future__ import annotations`: `NamedTuple` compiles annotations that are strings, each of them at every start.

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from toolsurface_lint.knowledge import words
from toolsurface_lint.knowledge.provider_names import TITLES, Provider
from toolsurface_lint.knowledge.sources import CODE, DOCUMENTED, EVERY, OBSERVED, Source, Versions


class Demand(NamedTuple):
    """Something that one provider demands of the schema of one tool.

    `rejected` are keywords that fail anywhere, `rejected_at_root` those that fail at the top; `allowed`, if given, are the
    only keywords there may be. `structures` names further demands. `formats` are the values of `format` that are accepted,
    by type; under the empty name those of any other type. Limits are None where none is known: `depth` counts nested objects
    and arrays, `texts` the characters of property names, enum values and constants.
    """

    source: Source
    rejected: frozenset[str] = frozenset()
    rejected_at_root: frozenset[str] = frozenset()
    allowed: frozenset[str] | None = None
    structures: frozenset[str] = frozenset()
    formats: Mapping[str, frozenset[str]] = MappingProxyType({})
    depth: int | None = None
    properties: int | None = None
    enum_values: int | None = None
    texts: int | None = None
    property_name: str | None = None
    versions: Versions = EVERY


class Profile(NamedTuple):
    """All that one provider demands of a schema, in one form: `title` is what people call it."""

    title: str
    demands: tuple[Demand, ...]


_CONTAINS = "contains minContains maxContains"
_COUNTS = "minProperties maxProperties patternProperties propertyNames dependentRequired dependentSchemas"
_CONDITIONS = "oneOf not if then else"
_BOUNDS = "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf"

_OPENAI_ITEMS = Demand(
    Source("API error: array schema missing items", "2026-03", OBSERVED), structures=words("array-items")
)
_OPENAI = (
    Demand(
        Source(
            "API error: schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level, in "
            "langchain-ai/langchainjs#9804",
            "2026-01",
            OBSERVED,
        ),
        rejected_at_root=words("oneOf anyOf allOf enum const not"),
    ),
    Demand(
        Source("API error: object schema missing properties, in github/copilot-cli#1825", "2026-03", OBSERVED),
        structures=words("object-properties"),
    ),
    _OPENAI_ITEMS,
)
_CLOSED = Demand(
    Source(
        "API error: 'additionalProperties' is required to be supplied and to be false, in docker/docker-agent#2168",
        "2026-03",
        OBSERVED,
    ),
    structures=words("closed-objects"),
)
_ALL_REQUIRED = Demand(
    Source(
        "API error: 'required' is required to be an array including every key in properties, in anomalyco/opencode#13737",
        "2026-02",
        OBSERVED,
    ),
    structures=words("all-required"),
)
_OPENAI_STRICT = (
    Demand(
        Source("PyPI pydantic-ai-slim 2.68.0, profiles/openai.py", "2026-11", CODE),
        rejected=words(
            f"oneOf allOf not if then else uniqueItems {_CONTAINS} {_COUNTS} unevaluatedProperties unevaluatedItems"
        ),
        rejected_at_root=words("anyOf"),
        structures=words("lone-ref local-ref typed-items no-lookaround"),
        formats={"": words("date-time time date duration email hostname ipv4 ipv6 uuid")},
    ),
    Demand(
        Source(
            "OpenAI, guide to structured outputs; PyPI pydantic-ai-slim 2.68.0, profiles/openai.py",
            "2026-11",
            DOCUMENTED,
        ),
        depth=10,
        properties=5000,
        enum_values=1000,
        texts=120_000,
    ),
    _OPENAI_ITEMS,
    _CLOSED,
    _ALL_REQUIRED,
)
_AZURE_STRICT = (
    *(demand for demand in _OPENAI_STRICT if demand.depth is None),
    Demand(
        Source("API error: 'default' is not permitted, in openai/openai-agents-python#4390", "2026-08", OBSERVED),
        structures=words("no-default"),
    ),
    Demand(
        Source("Azure OpenAI, documentation of structured outputs", "2026-06", DOCUMENTED),
        depth=5,
        properties=100,
    ),
)
_ANTHROPIC_NAMES = Demand(
    Source("API error: property keys should match pattern, in anthropics/claude-code#79418", "2026-07", OBSERVED),
    property_name=r"[a-zA-Z0-9_.-]{1,64}",
)
_ANTHROPIC = (
    Demand(
        Source(
            "API error: input_schema does not support oneOf, allOf, or anyOf at the top level, in anomalyco/opencode#46628",
            "2026-09",
            OBSERVED,
        ),
        rejected_at_root=words("oneOf allOf anyOf"),
    ),
    _ANTHROPIC_NAMES,
)
_ANTHROPIC_STRICT = (
    Demand(
        Source(
            "PyPI anthropic 2.12.0, lib/_parse/_transform.py; npm @ai-sdk/anthropic 3.0.138; PyPI litellm 1.109.1; "
            "pydantic-ai-slim 2.68.0",
            "2026-11",
            CODE,
        ),
        rejected=words(
            f"prefixItems {_CONDITIONS} minLength maxLength {_BOUNDS} maxItems uniqueItems {_CONTAINS} {_COUNTS} "
            "unevaluatedProperties"
        ),
        rejected_at_root=words("allOf anyOf"),
        structures=words("few-min-items primitive-enum no-recursion"),
        formats={"": words("date-time time date duration email hostname uri ipv4 ipv6 uuid")},
    ),
    Demand(
        Source(
            "API error: for 'object' type, 'additionalProperties' must be explicitly set to false, in vercel/ai#20681",
            "2026-09",
            OBSERVED,
        ),
        structures=words("closed-objects"),
    ),
    _ANTHROPIC_NAMES,
)

_GEMINI_FIELDS = (
    "type format title description nullable enum items maxItems minItems properties required minProperties "
    "maxProperties minimum maximum minLength maxLength pattern example anyOf propertyOrdering default"
)
_GEMINI_TYPES = Demand(
    Source(
        "API error: Proto field is not repeating, cannot start list, in zed-industries/zed#53919", "2026-04", OBSERVED
    ),
    structures=words("single-type single-items"),
)
_GEMINI_VALUES = Demand(
    Source("PyPI google-adk 2.13.0, tools/_gemini_schema_util.py", "2026-11", CODE),
    structures=words("text-enum no-boolean-schema no-recursion"),
)
_GEMINI_REQUIRED = Demand(
    Source("API error: property is not defined, in Kilo-Org/kilocode#11955", "2026-07", OBSERVED),
    structures=words("declared-required"),
)
_GEMINI_ITEMS = Demand(
    Source("API error: items: missing field, in cline/cline#7339", "2025-11", OBSERVED), structures=words("array-items")
)
_GEMINI_NUMBERS = {"integer": words("int32 int64"), "number": words("float double")}
_GEMINI = (
    Demand(
        Source(
            "API error: Unknown name, Cannot find field, in zed-industries/zed#44875, promptfoo/promptfoo#6902 and "
            "router-for-me/CLIProxyAPI#97; PyPI google-ai-generativelanguage 0.12.1, class Schema",
            "2026-08",
            OBSERVED,
        ),
        allowed=words(_GEMINI_FIELDS),
    ),
    Demand(
        Source(
            "API error: only 'enum' and 'date-time' are supported for STRING type, in weave-os/router#387",
            "2026-06",
            OBSERVED,
        ),
        formats={"string": words("enum date-time"), **_GEMINI_NUMBERS},
    ),
    Demand(
        Source("API error: should be non-empty for OBJECT type", "2025-06", OBSERVED),
        structures=words("object-properties"),
    ),
    Demand(
        Source(
            "API error: field predicate failed: $type == Type.ARRAY, in NousResearch/hermes-agent#38972",
            "2026-06",
            OBSERVED,
        ),
        structures=words("items-of-arrays"),
    ),
    Demand(
        Source("API error: type: must be specified, in vercel/ai#19002", "2026-08", OBSERVED),
        structures=words("typed-properties"),
    ),
    _GEMINI_ITEMS,
    _GEMINI_TYPES,
    _GEMINI_VALUES,
    _GEMINI_REQUIRED,
)
_VERTEX = (
    Demand(
        Source(
            "API error: Unknown name, Cannot find field, in Oaklight/llm-rosetta#76; PyPI google-cloud-aiplatform 2.7.0, "
            "aiplatform_v1/types/openapi.py",
            "2026-03",
            OBSERVED,
        ),
        allowed=words(f"{_GEMINI_FIELDS} additionalProperties ref defs"),
    ),
    Demand(
        Source("PyPI google-cloud-aiplatform 2.7.0, aiplatform_v1/types/openapi.py", "2026-11", DOCUMENTED),
        formats={"string": words("enum email byte date date-time password"), **_GEMINI_NUMBERS},
    ),
    Demand(
        Source(
            "API error: when using any_of, it must be the only field set, in anomalyco/opencode#15795",
            "2026-03",
            OBSERVED,
        ),
        structures=words("lone-any-of"),
    ),
    Demand(
        Source(
            "API error: schema didn't specify the schema type field, in oOo0oOo/lean-lsp-mcp#185", "2026-04", OBSERVED
        ),
        structures=words("typed-parts"),
    ),
    _GEMINI_ITEMS,
    _GEMINI_TYPES,
    _GEMINI_VALUES,
    _GEMINI_REQUIRED,
)
_GEMINI_JSON_SCHEMA = (
    Demand(
        Source(
            "API error: if a schema node has $ref set, then only description and default can be set alongside it, in "
            "su-kaka/gcli2api#374",
            "2026-05",
            OBSERVED,
        ),
        structures=words("described-ref"),
    ),
)
_BEDROCK_STRICT = (
    Demand(
        Source("PyPI pydantic-ai-slim 2.68.0, providers/bedrock.py (tried against the API)", "2026-11", CODE),
        rejected=words(f"{_BOUNDS} maxItems"),
        structures=words("few-min-items no-lookaround"),
    ),
    Demand(
        Source(
            "API error: for 'object' type, 'additionalProperties' must be explicitly set to false, in vercel/ai#20681",
            "2026-09",
            OBSERVED,
        ),
        structures=words("closed-objects"),
    ),
)
_GROQ = (
    Demand(
        Source(
            "API error: 'required' present but 'properties' is missing, in usestrix/strix#1088", "2026-08", OBSERVED
        ),
        structures=words("properties-for-required"),
    ),
)
_GROQ_STRICT = (
    Demand(
        Source("Groq, documentation of structured outputs", "2026-07", DOCUMENTED),
        structures=words("closed-objects all-required"),
    ),
    *_GROQ,
)
_DEEPSEEK_STRICT = (
    Demand(
        Source("DeepSeek, guide to tool calls, strict mode (beta)", "2026-06", DOCUMENTED),
        rejected=words("minLength maxLength minItems maxItems"),
        structures=words("closed-objects all-required"),
    ),
)
_XAI = (
    Demand(
        Source("xAI, documentation of structured outputs, which hold for tools", "2026-06", DOCUMENTED),
        structures=words("single-all-of no-recursion"),
    ),
)
_MISTRAL = (
    Demand(
        Source("API error: failed to compile JSON schema, in BerriAI/litellm#13389", "2025-08", OBSERVED),
        rejected=words("$id $schema"),
    ),
)
_LLAMA_CPP = (
    Demand(
        Source("error: failed to parse grammar, in codefuturist/email-mcp#58", "2026-07", OBSERVED),
        structures=words("no-lookaround"),
    ),
)
_XGRAMMAR = (
    Demand(
        Source("vllm-project/vllm, v1/structured_output/backend_xgrammar.py", "2026-08", CODE),
        rejected=words(f"multipleOf uniqueItems {_CONTAINS}"),
        formats={
            "string": words(
                "email date time date-time duration ipv4 ipv6 hostname uuid uri uri-reference uri-template json-pointer "
                "relative-json-pointer"
            )
        },
    ),
    Demand(Source("PyPI xgrammar 0.2.8, regular expressions", "2026-11", CODE), structures=words("no-lookaround")),
)
_AGENTCORE = (
    Demand(
        Source("PyPI botocore 1.44.5, bedrock-agentcore-control, SchemaDefinition", "2026-11", CODE),
        allowed=words("type properties required items description"),
        structures=words("single-type"),
    ),
)
# What it does not support is not refused but ignored: farion1231/cc-switch#6614 moves what is beside `$ref` into `allOf`.
# The lower limits of its documentation are those of its validator before 2026-06.
_MOONSHOT = (
    Demand(
        Source("MoonshotAI/walle, conf.go, keyword_validators.go", "2026-06", CODE),
        structures=words("declared-required single-items plain-definitions plain-enum"),
        properties=3000,
    ),
    Demand(
        Source("API error: type is not defined, in duolahypercho/codex-router#641", "2026-09", OBSERVED),
        structures=words("typed-parts"),
    ),
    Demand(
        Source(
            "API error: references must start with #/$defs/, in CommandCodeAI/command-code#594", "2026-07", OBSERVED
        ),
        structures=words("defs-ref"),
    ),
    Demand(
        Source(
            "API error: when using $ref, type should be defined in the referenced schema, in router-for-me/CLIProxyAPI#5316",
            "2026-08",
            OBSERVED,
        ),
        structures=words("untyped-ref"),
    ),
    Demand(
        Source(
            "API error: when using anyOf, type should be defined in anyOf items, in MoonshotAI/kimi-code#2661",
            "2026-08",
            OBSERVED,
        ),
        structures=words("untyped-any-of"),
    ),
    Demand(
        Source(
            "API error: detected infinite recursion without termination condition, in lidge-jun/opencodex#5464",
            "2026-09",
            OBSERVED,
        ),
        structures=words("ending-recursion"),
    ),
    Demand(
        Source("API error: property schema must be an object, in can1357/oh-my-pi#5952", "2026-07", OBSERVED),
        structures=words("no-boolean-schema"),
    ),
)
_ELEVENLABS = (
    Demand(
        Source("PyPI pydantic-ai-slim 2.68.0, realtime/elevenlabs_agents.py (tried against the API)", "2026-11", CODE),
        rejected=words("additionalProperties anyOf $ref"),
        structures=words("described"),
    ),
)
_COPILOT = (
    Demand(
        Source(
            "API error: object schema missing properties, in github/copilot-cli#1825 and #2223", "2026-03", OBSERVED
        ),
        structures=words("object-properties"),
    ),
)
_CLAUDE_CODE = (
    Demand(
        Source("npm @anthropic-ai/claude-code 2.1.330: drops the tool", "2026-11", CODE),
        property_name=r"[a-zA-Z0-9_.-]{1,64}",
    ),
)

PROFILES: dict[str, tuple[Demand, ...]] = {
    "openai": _OPENAI,
    "azure-openai": _OPENAI,
    "anthropic": _ANTHROPIC,
    "gemini": _GEMINI,
    "gemini-json-schema": _GEMINI_JSON_SCHEMA,
    "vertex": _VERTEX,
    "vertex-json-schema": _GEMINI_JSON_SCHEMA,
    "groq": _GROQ,
    "xai": _XAI,
    "mistral": _MISTRAL,
    "llama-cpp": _LLAMA_CPP,
    "lmstudio": _LLAMA_CPP,
    "vllm-xgrammar": _XGRAMMAR,
    "agentcore": _AGENTCORE,
    "moonshot": _MOONSHOT,
    "elevenlabs": _ELEVENLABS,
    "vscode": _COPILOT,
    "copilot-cli": _COPILOT,
    "claude-code": _CLAUDE_CODE,
    "gemini-cli": _GEMINI_JSON_SCHEMA,
}
"""What each demands of every schema, by its key. Bedrock Converse and MCP accept any valid one."""

STRICT_PROFILES: dict[str, tuple[Demand, ...]] = {
    "openai": _OPENAI_STRICT,
    "azure-openai": _AZURE_STRICT,
    "groq": _GROQ_STRICT,
    "deepseek": _DEEPSEEK_STRICT,
    "anthropic": _ANTHROPIC_STRICT,
    "bedrock": _BEDROCK_STRICT,
}
"""What holds in place of the others for a tool that says `strict: true`."""

JSON_FORMS = {"gemini": "gemini-json-schema", "vertex": "vertex-json-schema"}
"""The form of a provider that a definition asks for whose schema is under `parametersJsonSchema`."""

STRICT_FORMATS: dict[str, frozenset[str]] = {
    "openai": words("openai azure-openai groq deepseek"),
    "anthropic": words("anthropic"),
    "bedrock": words("bedrock"),
}
"""Whose strictness it is, by the format whose tools can say `strict: true`. Many more accept lists in OpenAI's format."""

HEADER = "x-mcp-header"
"""What makes a header of a parameter's value; a schema that breaks its rules makes clients leave the whole tool out."""
HEADER_SOURCE = Source("Model Context Protocol 2026-07-28, transports/streamable-http", "2026-07", DOCUMENTED)
HEADER_NAME = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"
"""A token of RFC 9110, section 5.6.2."""
HEADER_TYPES = frozenset(("string", "integer", "boolean"))


def profile_of(provider: Provider, format: str, strict: bool, json_form: bool) -> Profile:
    """What a provider demands of a definition in a format.

    `strict`: the definition says so. `json_form`: its schema is under `parametersJsonSchema`.
    """
    key = provider.key
    if strict and key in STRICT_FORMATS.get(format, ()):
        title, demands = f"{provider.title} with `strict: true`", STRICT_PROFILES[key]
    else:
        key = JSON_FORMS.get(key, key) if json_form else key
        title, demands = TITLES.get(key, provider.title), PROFILES.get(key, ())
    return Profile(title, tuple(demand for demand in demands if demand.versions.holds(provider.version)))
