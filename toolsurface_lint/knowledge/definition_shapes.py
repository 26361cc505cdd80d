"""The shapes of definitions: where each provider looks for a schema, and whose requests have which shape.

OpenAI's chat shape and MCP's are a common language: libraries and proxies convert them for every provider. The native shapes
of Anthropic, Gemini and Bedrock are not: who is sent another one refuses the request, or silently drops the schema.
"""

# No `from __future__ import annotations`: `NamedTuple` compiles annotations that are strings, each of them at every start.

from typing import NamedTuple

from toolsurface_lint.knowledge import words
from toolsurface_lint.knowledge.sources import CODE, DOCUMENTED, OBSERVED, Source

CHAT, RESPONSES, LEGACY, ANTHROPIC, GEMINI, BEDROCK, MCP = range(7)
"""The shapes of a definition; `LEGACY` is that of OpenAI's `functions`, before there were `tools`."""


class Shape(NamedTuple):
    """The key that gives a shape away, and whose it is."""

    key: str
    said: str


SHAPES: dict[int, Shape] = {
    CHAT: Shape("function", "the form of OpenAI's Chat Completions API"),
    RESPONSES: Shape("parameters", "outside of `function` the form of OpenAI's Responses API"),
    LEGACY: Shape("parameters", "without `type` the form of OpenAI's former `functions`"),
    ANTHROPIC: Shape("input_schema", "Anthropic's form"),
    GEMINI: Shape("functionDeclarations", "Gemini's form"),
    BEDROCK: Shape("toolSpec", "Amazon Bedrock's form"),
    MCP: Shape("inputSchema", "MCP's form"),
}

SCHEMA_KEYS = ("input_schema", "inputSchema", "parameters", "parametersJsonSchema", "parameters_json_schema")
"""Where a schema is in one shape or another."""


class Holder(NamedTuple):
    """An object with a name whose schema is under one of `keys`, and is lost under any other; `place` says which object."""

    keys: tuple[str, ...]
    place: str
    owner: str
    source: Source


_FUNCTION = Source("PyPI openai 3.54.0, types/shared_params/function_definition.py", "2026-11", CODE)
_GEMINI = Source("only the name and the description arrive, in BerriAI/litellm#35685", "2026-08", OBSERVED)
_BEDROCK = Source("PyPI botocore 1.44.5, bedrock-runtime, ToolSpecification", "2026-11", CODE)

HOLDERS: dict[str, Holder] = {
    "function": Holder(("parameters",), "`function`", "OpenAI", _FUNCTION),
    "flat": Holder(
        ("parameters", "inputSchema"),
        "a definition of the type `function`",
        "OpenAI",
        Source("PyPI openai 3.54.0, types/responses/function_tool_param.py", "2026-11", CODE),
    ),
    "functionDeclarations": Holder(
        ("parametersJsonSchema", "parameters", "parameters_json_schema"), "`functionDeclarations`", "Gemini", _GEMINI
    ),
    "function_declarations": Holder(
        ("parameters_json_schema", "parameters", "parametersJsonSchema"), "`function_declarations`", "Gemini", _GEMINI
    ),
    "toolSpec": Holder(("inputSchema",), "`toolSpec`", "Amazon Bedrock", _BEDROCK),
    "result": Holder(
        ("inputSchema",),
        "a result of `tools/list`",
        "MCP",
        Source("Model Context Protocol 2025-11-25, schema, Tool", "2025-11", DOCUMENTED),
    ),
}
"""Those objects, by the key that holds them."""


class Request(NamedTuple):
    """A request to one API. It has all `required` keys, none but these and `optional`, and accepts one shape alone.

    `title` is what the API is called, `written` a definition of its shape. `telling` are keys that show which API it is.
    """

    title: str
    shape: int
    required: frozenset[str]
    optional: frozenset[str]
    written: str
    telling: tuple[str, ...]
    source: Source


_SAMPLING = "temperature top_p stream tools tool_choice metadata"

CHAT_REQUEST = Request(
    "OpenAI's Chat Completions API",
    CHAT,
    words("model messages tools"),
    words(
        f"{_SAMPLING} max_tokens max_completion_tokens n stop seed logprobs top_logprobs logit_bias user store modalities "
        "presence_penalty frequency_penalty parallel_tool_calls response_format stream_options reasoning_effort "
        "service_tier verbosity prediction audio prompt_cache_key safety_identifier web_search_options"
    ),
    '`{"type": "function", "function": {"name", "description", "parameters"}}`',
    ("messages",),
    Source(
        "API error: Missing required parameter: 'tools[0].type', in openai/openai-cookbook#1248", "2024-06", OBSERVED
    ),
)
RESPONSES_REQUEST = Request(
    "OpenAI's Responses API",
    RESPONSES,
    words("model input tools"),
    words(
        f"{_SAMPLING} instructions max_output_tokens max_tool_calls parallel_tool_calls previous_response_id reasoning "
        "store text include truncation background conversation prompt user service_tier top_logprobs stream_options "
        "prompt_cache_key safety_identifier"
    ),
    '`{"type": "function", "name", "description", "parameters"}`',
    ("input",),
    Source("API error: Missing required parameter: 'tools[0].name', in microsoft/autogen#6935", "2025-08", OBSERVED),
)
ANTHROPIC_REQUEST = Request(
    "Anthropic's Messages API",
    ANTHROPIC,
    words("messages max_tokens tools"),
    words(
        f"{_SAMPLING} model anthropic_version anthropic_beta system stop_sequences top_k thinking service_tier container "
        "context_management mcp_servers cache_control"
    ),
    '`{"name", "description", "input_schema"}`',
    ("anthropic_version", "system"),
    Source("API error: input_schema: Field required, in mnfst/llm-gateway#1886", "2026-05", OBSERVED),
)
GEMINI_REQUEST = Request(
    "Gemini's API",
    GEMINI,
    words("contents tools"),
    words(
        "model toolConfig tool_config systemInstruction system_instruction generationConfig generation_config "
        "safetySettings safety_settings cachedContent cached_content labels"
    ),
    '`{"functionDeclarations": [{"name", "description", "parametersJsonSchema"}]}`',
    ("contents",),
    _GEMINI,
)
BEDROCK_REQUEST = Request(
    "Amazon Bedrock's Converse API",
    BEDROCK,
    words("toolConfig"),
    frozenset(),
    '`{"toolSpec": {"name", "description", "inputSchema": {"json"}}}`',
    ("toolConfig",),
    _BEDROCK,
)

ROLES = words("system developer tool function")
"""Roles that messages of OpenAI's chat have, and Anthropic's do not."""

CHAT_ALONE = words(
    "max_completion_tokens n stop seed logprobs top_logprobs logit_bias user presence_penalty frequency_penalty "
    "parallel_tool_calls response_format stream_options reasoning_effort"
)
"""Keys of requests to OpenAI's chat that those to Anthropic do not have. Proxies accept the others for every model."""

OPENAI_MODEL = r"(?:gpt-[345]|chatgpt-|o[134](?:-|\Z))[a-z0-9.:-]*"
"""Models as OpenAI calls them; those of proxies have a provider before the name."""


class Native(NamedTuple):
    """The native shapes that a provider accepts, and where it was read that it does not accept the others."""

    shapes: frozenset[int]
    source: Source


_TOOLS_OF_OPENAI = Source("PyPI openai 3.54.0, types/chat/chat_completion_function_tool_param.py", "2026-11", CODE)

NATIVE: dict[str, Native] = {
    "openai": Native(frozenset(), _TOOLS_OF_OPENAI),
    "azure-openai": Native(
        frozenset(),
        Source("API error: Missing required parameter: 'tools[0].type', in BerriAI/litellm#35685", "2026-08", OBSERVED),
    ),
    "groq": Native(frozenset(), Source("PyPI groq 1.7.0, types/shared_params", "2026-11", CODE)),
    "mistral": Native(
        frozenset(), Source("API error: extra_forbidden, in mistralai/client-python#91", "2024-05", OBSERVED)
    ),
    "gemini": Native(frozenset((GEMINI,)), _GEMINI),
    "vertex": Native(frozenset((GEMINI,)), _GEMINI),
    "anthropic": Native(
        frozenset((ANTHROPIC,)),
        Source("API error: input_schema: Field required, in mnfst/llm-gateway#1886", "2026-05", OBSERVED),
    ),
    # Its other API, InvokeModel, hands on what Anthropic's models take.
    "bedrock": Native(frozenset((BEDROCK, ANTHROPIC)), _BEDROCK),
}
"""Providers whose one API is known to accept nothing else; many others accept Anthropic's form too."""

NATIVE["gemini-json-schema"] = NATIVE["gemini"]
NATIVE["vertex-json-schema"] = NATIVE["vertex"]
