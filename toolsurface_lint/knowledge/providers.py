"""What providers and clients take of tool names, descriptions and numbers of tools.

Each row says where it was read and how sure that is: `source` (read in the named package or repository), `docs` (a
specification page, an issue thread, or the recorded text of an API error). What was only recalled is left out: every
row here may be the ground of an error. As of 2026-11.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from toolsurface_lint.knowledge import DOCS, SOURCE, renamed


class Limit(NamedTuple):
    """A number that a provider or client takes at most, of `unit`; `owner` is its name for people."""

    owner: str
    most: int
    source: str
    confidence: str
    unit: str = "characters"


class NameRule(NamedTuple):
    """The names that a provider takes: `pattern` covers a whole one, `allowed` says the same in words."""

    owner: str
    most: int
    source: str
    confidence: str
    pattern: str = r"[a-zA-Z0-9_-]+"
    allowed: str = "letters, digits, `_` and `-`"


NAME_RULES: dict[str, NameRule] = {
    "openai": NameRule("OpenAI", 64, "PyPI openai 3.54.0, types/shared_params/function_definition.py", SOURCE),
    "azure-openai": NameRule("Azure OpenAI", 64, "API error text: string does not match pattern", DOCS),
    "deepseek": NameRule("DeepSeek", 64, "API error text: string does not match pattern", DOCS),
    "groq": NameRule("Groq", 64, "PyPI groq 1.7.0, function definition", SOURCE),
    "anthropic": NameRule(
        "Anthropic", 128, "PyPI litellm 1.109.1, llms/anthropic; github/copilot-cli issue 1879", SOURCE
    ),
    "gemini": NameRule(
        "Gemini",
        128,
        "PyPI google-genai 3.4.0, types.py FunctionDeclaration",
        SOURCE,
        r"[A-Za-z_][A-Za-z0-9_.:-]*",
        "letters, digits, `_`, `.`, `:` and `-`, the first a letter or `_`",
    ),
    "bedrock": NameRule("Bedrock", 64, "PyPI botocore 1.44.5, bedrock-runtime ToolName", SOURCE),
    "bedrock-prompt-management": NameRule(
        "Bedrock Prompt Management",
        64,
        "PyPI botocore 1.44.5, bedrock-agent ToolSpecification",
        SOURCE,
        r"[a-zA-Z][a-zA-Z0-9_]*",
        "letters, digits and `_`, the first a letter",
    ),
    "bedrock-agents": NameRule(
        "Bedrock Agents",
        100,
        "PyPI botocore 1.44.5, bedrock-agent Function",
        SOURCE,
        r"(?:[0-9a-zA-Z][_-]?)+",
        "letters and digits, with single `_` and `-` between or after them",
    ),
    "agentcore": NameRule("AgentCore", 64, "PyPI botocore 1.44.5, bedrock-agentcore", SOURCE),
    "mistral": NameRule("Mistral", 64, "PyPI mistral-common 1.13.1, protocol/instruct/validator.py", SOURCE),
    "mcp": NameRule(
        "the Model Context Protocol",
        128,
        "Model Context Protocol 2025-11-25, server/tools",
        SOURCE,
        r"[A-Za-z0-9_.-]+",
        "letters, digits, `_`, `.` and `-`",
    ),
}

MCP_NAMES_SINCE = "2025-11-25"
"""The first protocol version of MCP that says what a tool name may be."""


CLIENT_PREFIXES: dict[str, tuple[str, Limit]] = {
    "claude-code": (
        "mcp__s__",
        Limit("Claude Code", 64, "anthropics/claude-code CHANGELOG; drupal.org mcp issue 3569862", DOCS),
    ),
    "cursor": ("s", Limit("Cursor", 60, "sparfenyuk/mcp-proxy issue 45; ComposioHQ/composio issue 2788", DOCS)),
    "vscode": ("mcp_s_", Limit("VS Code", 64, "microsoft/vscode issue 243602", DOCS)),
}
"""What a client puts before the names of MCP tools, here for a server with a name of one letter, the shortest there is.

Only clients that then refuse or drop the tool; others shorten the name themselves. The limit is that of the whole name.
"""

RESERVED_NAMES: dict[str, frozenset[str]] = {
    # PyPI anthropic 2.12.0, types/*tool*_param.py (source).
    "anthropic": frozenset(
        {
            *("web_search", "web_fetch", "code_execution", "bash", "memory", "computer", "str_replace_editor"),
            *("str_replace_based_edit_tool", "tool_search_tool_regex", "tool_search_tool_bm25", "advisor"),
        }
    ),
    # Names that models write on their own: error library entry 10046 of Portkey (docs).
    "openai": frozenset({"multi_tool_use.parallel", "functions", "python", "browser"}),
    # Namespaces and channels of the chat format: PyPI openai-harmony 0.0.8 (source).
    "gpt-oss": frozenset({"functions", "browser", "python", "container", "analysis", "commentary", "final"}),
    # npm @anthropic-ai/claude-code 2.1.197 (source).
    "claude-code": frozenset({"Bash", "Read", "Edit", "Write", "Agent", "Task", "Skill", "ToolSearch"}),
}

RESERVED_PREFIXES: dict[str, tuple[str, ...]] = {
    "claude-code": ("mcp__",),
    "codex": ("mcp__",),
    # google-gemini/gemini-cli, docs/reference/policy-engine.md (source).
    "gemini-cli": ("mcp_", "discovered_tool_"),
}


TOOL_LIMITS: dict[str, Limit] = {
    "openai": Limit("OpenAI", 128, "API error text: array too long, maximum length 128", DOCS, "tools"),
    "azure-openai": Limit("Azure OpenAI", 128, "API error text: array too long, maximum length 128", DOCS, "tools"),
    "groq": Limit("Groq", 128, "PyPI groq 1.7.0, chat completions", SOURCE, "tools"),
    "gemini": Limit("Gemini", 512, "PyPI google-genai 3.4.0, types.py Tool", SOURCE, "tools"),
    "vscode": Limit("VS Code", 128, "microsoft/vscode-copilot-chat 0.42.0; VS Code documentation", SOURCE, "tools"),
}

DESCRIPTION_LIMITS: dict[str, Limit] = {
    "openai": Limit("OpenAI", 1024, "API error text: string too long, maximum length 1024", DOCS),
    "azure-openai": Limit("Azure OpenAI", 1024, "API error text: string too long, maximum length 1024", DOCS),
    "bedrock-agents": Limit("Bedrock Agents", 1200, "PyPI botocore 1.44.5, bedrock-agent Function", SOURCE),
    "agentcore": Limit("AgentCore", 4096, "PyPI botocore 1.44.5, bedrock-agentcore", SOURCE),
    "claude-code": Limit("Claude Code", 2048, "anthropics/claude-code CHANGELOG: cut at 2 KB", SOURCE, "bytes"),
}

ALIASES = renamed(
    "azure=azure-openai claude=anthropic vertex-anthropic=anthropic google=gemini google-genai=gemini "
    "google-ai=gemini vertex=gemini vertex-ai=gemini vertexai=gemini aws-bedrock=bedrock amazon-bedrock=bedrock "
    "bedrock-converse=bedrock bedrock-agentcore=agentcore kimi=moonshot mistralai=mistral copilot=vscode "
    "vs-code=vscode"
)

_OWNERS = frozenset(("openai", "anthropic", "gemini", "bedrock", "mcp"))


@lru_cache(maxsize=16)
def provider_id(name: str) -> str:
    """The key of a provider or client in these tables, however the user spells it (`Azure OpenAI`, `azure_openai`)."""
    key = re.sub(r"[\s_]+", "-", name.strip().lower())
    return ALIASES.get(key, key)


@lru_cache(maxsize=64)
def providers_of(format: str, configured: str | None) -> tuple[str, ...]:
    """Whose rules a definition is held to: the configured provider's, else those of the format's owner.

    Other providers speak OpenAI's and Anthropic's formats too, so a configured one replaces the owner; not MCP, whose
    rules hold whoever the tools are sent to.
    """
    owner = format.removeprefix("python-")
    if configured is None:
        return (owner,) if owner in _OWNERS else ()
    chosen = provider_id(configured)
    return (owner, chosen) if owner == "mcp" and chosen != "mcp" else (chosen,)


def strictest(limits: dict[str, Limit], providers: Iterable[str]) -> Limit | None:
    """The lowest limit that any of these providers sets; None if none does."""
    found = [limits[provider] for provider in providers if provider in limits]
    return min(found, key=lambda limit: limit.most, default=None)
