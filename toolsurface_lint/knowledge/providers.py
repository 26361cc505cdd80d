"""What providers and clients accept of tool names, descriptions and numbers of tools.

Each row says where it was read, when, and how that is known. What was only recalled is left out: every row here may be the
ground of an error.
"""

# No `from __future__ import annotations`: `NamedTuple` compiles annotations that are strings, each of them at every start.

from collections.abc import Iterable
from typing import NamedTuple

from toolsurface_lint.knowledge.provider_names import Provider
from toolsurface_lint.knowledge.sources import CODE, DOCUMENTED, EVERY, OBSERVED, Source, Versions


class Limit(NamedTuple):
    """A number that a provider or client takes at most, of `unit`."""

    most: int
    source: Source
    unit: str = "characters"
    versions: Versions = EVERY


class NameRule(NamedTuple):
    """The names that a provider accepts: `pattern` covers a whole one, `allowed` says the same in words."""

    most: int
    source: Source
    pattern: str = r"[a-zA-Z0-9_-]+"
    allowed: str = "letters, digits, `_` and `-`"
    versions: Versions = EVERY


NAME_RULES: dict[str, NameRule] = {
    "openai": NameRule(64, Source("PyPI openai 3.54.0, types/shared_params/function_definition.py", "2026-11", CODE)),
    "azure-openai": NameRule(64, Source("API error: string does not match pattern", "2026-03", OBSERVED)),
    "deepseek": NameRule(
        64, Source("API error: string does not match pattern, in refly-ai/refly#1794", "2025-12", OBSERVED)
    ),
    "copilot-cli": NameRule(128, Source("API error in github/copilot-cli#1879", "2026-03", OBSERVED)),
    "groq": NameRule(64, Source("PyPI groq 1.7.0, types/shared_params/function_definition.py", "2026-11", CODE)),
    "anthropic": NameRule(128, Source("API error in github/copilot-cli#1879", "2026-03", OBSERVED)),
    "gemini": NameRule(
        128,
        Source("PyPI google-genai 3.4.0, types.py, FunctionDeclaration", "2026-11", CODE),
        r"[A-Za-z_][A-Za-z0-9_.:-]*",
        "letters, digits, `_`, `.`, `:` and `-`, the first a letter or `_`",
    ),
    "bedrock": NameRule(64, Source("PyPI botocore 1.44.5, bedrock-runtime, ToolName", "2026-11", CODE)),
    "bedrock-prompt-management": NameRule(
        64,
        Source("PyPI botocore 1.44.5, bedrock-agent, ToolSpecification", "2026-11", CODE),
        r"[a-zA-Z][a-zA-Z0-9_]*",
        "letters, digits and `_`, the first a letter",
    ),
    "bedrock-agents": NameRule(
        100,
        Source("PyPI botocore 1.44.5, bedrock-agent, Function", "2026-11", CODE),
        r"(?:[0-9a-zA-Z][_-]?)+",
        "letters and digits, with single `_` and `-` between or after them",
    ),
    "agentcore": NameRule(64, Source("PyPI botocore 1.44.5, bedrock-agentcore", "2026-11", CODE)),
    "mistral": NameRule(64, Source("PyPI mistral-common 1.13.1, protocol/instruct/validator.py", "2026-11", CODE)),
    "mcp": NameRule(
        128,
        Source("Model Context Protocol 2025-11-25, server/tools", "2025-11", DOCUMENTED),
        r"[A-Za-z0-9_.-]+",
        "letters, digits, `_`, `.` and `-`",
        Versions(since=(2025, 11, 25)),
    ),
}
NAME_RULES["gemini-json-schema"] = NAME_RULES["gemini"]
NAME_RULES["vertex"] = NAME_RULES["vertex-json-schema"] = NameRule(
    64,
    Source("PyPI google-cloud-aiplatform 2.7.0, FunctionDeclaration", "2026-11", DOCUMENTED),
    r"[A-Za-z_][A-Za-z0-9_.-]*",
    "letters, digits, `_`, `.` and `-`, the first a letter or `_`",
)

RESERVED_NAMES: dict[str, tuple[frozenset[str], Source]] = {
    "anthropic": (
        frozenset(
            {
                *("web_search", "web_fetch", "code_execution", "bash", "memory", "computer", "str_replace_editor"),
                *("str_replace_based_edit_tool", "tool_search_tool_regex", "tool_search_tool_bm25", "advisor"),
            }
        ),
        Source("PyPI anthropic 2.12.0, types/*tool*_param.py", "2026-11", CODE),
    ),
    # Names that models write on their own.
    "openai": (
        frozenset({"multi_tool_use.parallel", "functions", "python", "browser"}),
        Source("error library of Portkey, entry 10046", "2026-03", OBSERVED),
    ),
    # Namespaces and channels of the chat format.
    "gpt-oss": (
        frozenset({"functions", "browser", "python", "container", "analysis", "commentary", "final"}),
        Source("PyPI openai-harmony 0.0.8", "2026-11", CODE),
    ),
    "claude-code": (
        frozenset({"Bash", "Read", "Edit", "Write", "Agent", "Task", "Skill", "ToolSearch"}),
        Source("npm @anthropic-ai/claude-code 2.1.197", "2026-11", CODE),
    ),
}
"""The names of a provider's or client's own tools."""

RESERVED_PREFIXES: dict[str, tuple[tuple[str, ...], Source]] = {
    "claude-code": (("mcp__",), Source("npm @anthropic-ai/claude-code 2.1.197", "2026-11", CODE)),
    "codex": (("mcp__",), Source("openai/codex, codex-rs/core", "2026-08", CODE)),
    "gemini-cli": (
        ("mcp_", "discovered_tool_"),
        Source("google-gemini/gemini-cli, docs/reference/policy-engine.md", "2026-08", DOCUMENTED),
    ),
}

_TOO_LONG_ARRAY = Source("API error: array too long, expected maximum length 128", "2026-03", OBSERVED)
_TOO_LONG_STRING = Source("API error: string too long, expected maximum length 1024", "2026-03", OBSERVED)

TOOL_LIMITS: dict[str, Limit] = {
    "openai": Limit(128, _TOO_LONG_ARRAY, "tools"),
    "azure-openai": Limit(128, _TOO_LONG_ARRAY, "tools"),
    "groq": Limit(128, Source("PyPI groq 1.7.0, chat completions", "2026-11", CODE), "tools"),
    "gemini": Limit(512, Source("PyPI google-genai 3.4.0, types.py, Tool", "2026-11", CODE), "tools"),
    "vscode": Limit(128, Source("microsoft/vscode-copilot-chat 0.42.0, package.json", "2026-08", CODE), "tools"),
    "xai": Limit(200, Source("xAI, guide to function calling", "2026-06", DOCUMENTED), "tools"),
    "cursor": Limit(
        40,
        Source("Cursor, documentation quoted in RyanCardin15/AzureDevOps-MCP#8", "2025-06", DOCUMENTED),
        "tools",
        Versions(before=(1, 0)),
    ),
    "windsurf": Limit(
        100,
        Source("error: would exceed max limit of 100, in DaxianLee/cocos-mcp-server#11", "2026-02", OBSERVED),
        "tools",
    ),
}
TOOL_LIMITS["vertex"] = TOOL_LIMITS["gemini-json-schema"] = TOOL_LIMITS["vertex-json-schema"] = TOOL_LIMITS["gemini"]

DESCRIPTION_LIMITS: dict[str, Limit] = {
    "openai": Limit(1024, _TOO_LONG_STRING),
    "azure-openai": Limit(1024, _TOO_LONG_STRING),
    "bedrock-agents": Limit(1200, Source("PyPI botocore 1.44.5, bedrock-agent, Function", "2026-11", CODE)),
    "agentcore": Limit(4096, Source("PyPI botocore 1.44.5, bedrock-agentcore", "2026-11", CODE)),
    "claude-code": Limit(
        2048, Source("anthropics/claude-code, CHANGELOG: cut at 2 KB", "2026-08", DOCUMENTED), "bytes"
    ),
}


class Strictest(NamedTuple):
    """The lowest of several limits, and all who set it, each with its own source."""

    most: int
    unit: str
    owners: list[tuple[Provider, Source]]


def strictest(limits: dict[str, Limit], providers: Iterable[Provider]) -> list[Strictest]:
    """The lowest limits that any of these providers sets, one of each unit."""
    lowest: dict[str, Strictest] = {}
    for provider in providers:
        limit = limits.get(provider.key)
        if limit is None or not limit.versions.holds(provider.version):
            continue
        known = lowest.get(limit.unit)
        if known is None or limit.most < known.most:
            lowest[limit.unit] = known = Strictest(limit.most, limit.unit, [])
        if limit.most == known.most:
            known.owners.append((provider, limit.source))
    return list(lowest.values())
