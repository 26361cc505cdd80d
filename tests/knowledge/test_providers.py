"""What providers take: names accepted and refused by each, limits, and how providers are called."""

import re

import pytest

from toolsurface_lint.knowledge.clients import BUILTIN_TOOLS
from toolsurface_lint.knowledge.provider_schemas import PROFILES
from toolsurface_lint.knowledge.providers import (
    CLIENT_PREFIXES,
    DESCRIPTION_LIMITS,
    DOCS,
    NAME_RULES,
    RESERVED_NAMES,
    RESERVED_PREFIXES,
    SOURCE,
    TOOL_LIMITS,
    provider_id,
    providers_of,
    strictest,
)

PLAIN = ("openai", "azure-openai", "deepseek", "groq", "bedrock", "agentcore", "mistral")
"""Letters, digits, `_` and `-`, up to 64."""


def takes(provider: str, name: str) -> bool:
    rule = NAME_RULES[provider]
    return len(name) <= rule.most and re.fullmatch(rule.pattern, name) is not None


@pytest.mark.parametrize("provider", sorted(NAME_RULES))
def test_names_that_everybody_takes(provider: str) -> None:
    for name in ("read_file", "a", "Z9", "x" * 64):
        assert takes(provider, name)


@pytest.mark.parametrize("provider", sorted(NAME_RULES))
def test_names_that_nobody_takes(provider: str) -> None:
    for name in ("", "read file", "läs", "a/b", "a\n", "a,b", "x" * 129):
        assert not takes(provider, name)


@pytest.mark.parametrize(
    ("name", "providers"),
    [
        ("read-file", {*PLAIN, "anthropic", "gemini", "mcp", "bedrock-agents"}),
        ("1st", {*PLAIN, "anthropic", "mcp", "bedrock-agents"}),
        ("_x", {*PLAIN, "anthropic", "gemini", "mcp"}),
        ("-x", {*PLAIN, "anthropic", "mcp"}),
        ("a__b", {*PLAIN, "anthropic", "gemini", "mcp", "bedrock-prompt-management"}),
        ("a.b", {"gemini", "mcp"}),
        ("a:b", {"gemini"}),
        ("x" * 65, {"anthropic", "gemini", "mcp", "bedrock-agents"}),
        ("x" * 101, {"anthropic", "gemini", "mcp"}),
        ("x" * 128, {"anthropic", "gemini", "mcp"}),
    ],
)
def test_who_takes_a_name(name: str, providers: set[str]) -> None:
    assert {provider for provider in NAME_RULES if takes(provider, name)} == providers


def test_every_row_says_where_it_was_read() -> None:
    rows = [*NAME_RULES.values(), *TOOL_LIMITS.values(), *DESCRIPTION_LIMITS.values()]
    rows += [limit for _, limit in CLIENT_PREFIXES.values()]
    for row in rows:
        assert row.source
        # What was only recalled must not make an error.
        assert row.confidence in (SOURCE, DOCS)
        assert row.most > 0


def test_keys_are_as_users_may_spell_them() -> None:
    tables = (NAME_RULES, TOOL_LIMITS, DESCRIPTION_LIMITS, CLIENT_PREFIXES, RESERVED_NAMES, RESERVED_PREFIXES, PROFILES)
    for table in tables:
        assert all(provider_id(key) == key for key in table)


@pytest.mark.parametrize(
    ("spelt", "key"),
    [
        ("openai", "openai"),
        (" OpenAI ", "openai"),
        ("azure_openai", "azure-openai"),
        ("Azure", "azure-openai"),
        ("google", "gemini"),
        ("Vertex AI", "gemini"),
        ("amazon-bedrock", "bedrock"),
        ("ollama", "ollama"),
        ("Kimi", "moonshot"),
    ],
)
def test_provider_id(spelt: str, key: str) -> None:
    assert provider_id(spelt) == key


@pytest.mark.parametrize(
    ("format", "configured", "expected"),
    [
        ("openai", None, ("openai",)),
        ("python-anthropic", None, ("anthropic",)),
        ("function", None, ()),
        ("harn", "Gemini", ("gemini",)),
        ("openai", "ollama", ("ollama",)),
        ("anthropic", "bedrock", ("bedrock",)),
        ("mcp", None, ("mcp",)),
        ("mcp", "openai", ("mcp", "openai")),
        ("mcp", "mcp", ("mcp",)),
        ("python-mcp", "claude-code", ("mcp", "claude-code")),
    ],
)
def test_providers_of(format: str, configured: str | None, expected: tuple[str, ...]) -> None:
    assert providers_of(format, configured) == expected


def test_strictest() -> None:
    lowest = strictest(TOOL_LIMITS, ("gemini", "openai", "ollama"))
    assert lowest is TOOL_LIMITS["openai"]
    assert strictest(TOOL_LIMITS, ("anthropic", "mcp")) is None


def test_limits() -> None:
    assert {key: limit.most for key, limit in TOOL_LIMITS.items()} == {
        "openai": 128,
        "azure-openai": 128,
        "groq": 128,
        "gemini": 512,
        "vscode": 128,
    }
    assert {key: (limit.most, limit.unit) for key, limit in DESCRIPTION_LIMITS.items()} == {
        "openai": (1024, "characters"),
        "azure-openai": (1024, "characters"),
        "bedrock-agents": (1200, "characters"),
        "agentcore": (4096, "characters"),
        "claude-code": (2048, "bytes"),
    }


def test_builtin_tools_are_names_that_a_description_may_use() -> None:
    assert {"run_in_terminal", "tool_search_tool_regex", "str_replace_editor"} <= BUILTIN_TOOLS
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in BUILTIN_TOOLS)
