"""What providers take: names accepted and refused by each, limits, and how providers are called."""

import re

import pytest

from toolsurface_lint.knowledge.client_naming import CUT, CUT_INSIDE, NAMINGS
from toolsurface_lint.knowledge.clients import BUILTIN_TOOLS
from toolsurface_lint.knowledge.provider_names import (
    ALIASES,
    NUMBERED,
    RELEASES,
    SPECIAL,
    TITLES,
    Provider,
    provider_id,
    providers_of,
)
from toolsurface_lint.knowledge.provider_schemas import HEADER_SOURCE, PROFILES, STRICT_FORMATS, STRICT_PROFILES
from toolsurface_lint.knowledge.providers import (
    DESCRIPTION_LIMITS,
    NAME_RULES,
    RESERVED_NAMES,
    RESERVED_PREFIXES,
    TOOL_LIMITS,
    strictest,
)
from toolsurface_lint.knowledge.reserved_tokens import FLAG_DECIDES, HOSTS
from toolsurface_lint.knowledge.sources import CODE, DOCUMENTED, OBSERVED, Source, Versions, shown
from toolsurface_lint.model.target import Target

PLAIN = ("openai", "azure-openai", "deepseek", "groq", "bedrock", "agentcore", "mistral")
GEMINI = ("gemini", "gemini-json-schema")
VERTEX = ("vertex", "vertex-json-schema")
ANTHROPIC = ("anthropic", "copilot-cli")
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
        ("read-file", {*PLAIN, *ANTHROPIC, *GEMINI, *VERTEX, "mcp", "bedrock-agents"}),
        ("1st", {*PLAIN, *ANTHROPIC, "mcp", "bedrock-agents"}),
        ("_x", {*PLAIN, *ANTHROPIC, *GEMINI, *VERTEX, "mcp"}),
        ("-x", {*PLAIN, *ANTHROPIC, "mcp"}),
        ("a__b", {*PLAIN, *ANTHROPIC, *GEMINI, *VERTEX, "mcp", "bedrock-prompt-management"}),
        ("a.b", {*GEMINI, *VERTEX, "mcp"}),
        ("a:b", {*GEMINI}),
        ("x" * 65, {*ANTHROPIC, *GEMINI, "mcp", "bedrock-agents"}),
        ("x" * 101, {*ANTHROPIC, *GEMINI, "mcp"}),
        ("x" * 128, {*ANTHROPIC, *GEMINI, "mcp"}),
    ],
)
def test_who_takes_a_name(name: str, providers: set[str]) -> None:
    assert {provider for provider in NAME_RULES if takes(provider, name)} == providers


def sources() -> list[Source]:
    """Those of all rows."""
    demands = [*PROFILES.values(), *STRICT_PROFILES.values()]
    return [
        HEADER_SOURCE,
        *(row.source for table in (NAME_RULES, TOOL_LIMITS, DESCRIPTION_LIMITS) for row in table.values()),
        *(naming.source for naming in NAMINGS.values()),
        *(source for table in (RESERVED_NAMES, RESERVED_PREFIXES) for _, source in table.values()),
        *(demand.source for profile in demands for demand in profile),
    ]


def test_every_row_says_where_it_was_read() -> None:
    for text, date, verified in sources():
        assert len(text) > 5
        assert re.fullmatch("20[2-9][0-9]-(0[1-9]|1[0-2])", date)
        # What was only recalled must not make an error.
        assert verified in (OBSERVED, DOCUMENTED, CODE)


def test_limits_are_numbers_of_something() -> None:
    for row in (*NAME_RULES.values(), *TOOL_LIMITS.values(), *DESCRIPTION_LIMITS.values()):
        assert row.most > 0
    for demand in (demand for profile in PROFILES.values() for demand in profile):
        assert all(most is None or most > 0 for most in (demand.depth, demand.properties, demand.texts))


def test_keys_are_as_users_may_spell_them() -> None:
    tables = (NAME_RULES, TOOL_LIMITS, DESCRIPTION_LIMITS, NAMINGS, RESERVED_NAMES, RESERVED_PREFIXES)
    for table in (*tables, PROFILES, STRICT_PROFILES, TITLES, dict.fromkeys((*SPECIAL, *NUMBERED, *RELEASES))):
        assert {*table} <= {*TITLES}
        assert all(provider_id(key) == key for key in table)
    assert {*ALIASES.values()} <= {*TITLES}
    assert not {*ALIASES} & {*TITLES}
    assert {provider_id(host) for host in HOSTS | FLAG_DECIDES} <= {*TITLES}
    assert all(each <= {*STRICT_PROFILES} for each in STRICT_FORMATS.values())
    assert NUMBERED.isdisjoint(RELEASES)


@pytest.mark.parametrize(
    ("spelt", "key"),
    [
        ("openai", "openai"),
        (" OpenAI ", "openai"),
        ("azure_openai", "azure-openai"),
        ("Azure", "azure-openai"),
        ("google", "gemini"),
        ("Vertex AI", "vertex"),
        ("amazon-bedrock", "bedrock"),
        ("ollama", "ollama"),
        ("Kimi", "moonshot"),
    ],
)
def test_provider_id(spelt: str, key: str) -> None:
    assert provider_id(spelt) == key


@pytest.mark.parametrize(
    ("format", "named", "expected"),
    [
        ("openai", [], ("openai",)),
        ("python-anthropic", [], ("anthropic",)),
        ("function", [], ()),
        ("harn", ["Gemini"], ("gemini",)),
        ("openai", ["ollama"], ("ollama",)),
        ("anthropic", ["bedrock"], ("bedrock",)),
        ("openai", ["gemini, anthropic", "ollama"], ("gemini", "anthropic", "ollama")),
        ("mcp", [], ("mcp",)),
        ("mcp", ["openai"], ("mcp", "openai")),
        ("mcp", ["mcp"], ("mcp",)),
        ("python-mcp", ["claude-code"], ("mcp", "claude-code")),
    ],
)
def test_whose_rules_a_definition_is_checked_against(format: str, named: list[str], expected: tuple[str, ...]) -> None:
    assert tuple(provider.key for provider in Target(providers_of(named)).recipients(format)) == expected


def test_portable_is_everybody_but_those_who_are_asked_by_name() -> None:
    target = Target(providers_of(["Portable", "cursor@2.3"]))
    assert target.portable
    assert target.named == (Provider("cursor", (2, 3)),)
    found = target.recipients("openai")
    assert {provider.key for provider in found} == {*TITLES} - SPECIAL
    assert Provider("cursor", (2, 3)) in found
    assert not Target(providers_of(["openai"])).portable


def test_versions() -> None:
    assert providers_of(["mcp@2025-06-18", "cursor@2.3"]) == (
        Provider("mcp", (2025, 6, 18)),
        Provider("cursor", (2, 3)),
    )
    assert [shown(provider.version or ()) for provider in providers_of(["mcp@2025-06-18", "vllm@0.12"])] == [
        "2025-06-18",
        "0.12",
    ]
    until = Versions(before=(2, 4))
    assert (until.holds((2, 3, 9)), until.holds((2, 4)), until.holds(None)) == (True, False, False)
    since = Versions(since=(2, 4))
    assert (since.holds((2, 3, 9)), since.holds((2, 4)), since.holds(None)) == (False, True, True)
    # A version that leaves out its zeros is the same one.
    assert not Versions(before=(1, 0)).holds((1,))
    assert Versions(since=(2, 1, 0)).holds((2, 1))
    assert providers_of(["cursor @ 2.3"]) == (Provider("cursor", (2, 3)),)


def test_the_version_of_a_client_counts_where_none_is_named() -> None:
    found = providers_of(["codex, claude-code@2.0", "openai", "portable"], {"codex": (0, 133), "claude-code": (2, 1)})
    assert found == (
        Provider("codex", (0, 133)),
        Provider("claude-code", (2, 0)),
        Provider("openai"),
        Provider("portable"),
    )


def test_two_versions_of_one_provider_both_count() -> None:
    target = Target(providers_of(["cursor@0.49", "Cursor@0.49", "cursor@2.3", "mcp@2025-06-18"]))
    assert [(provider.key, provider.version) for provider in target.recipients("mcp")] == [
        ("cursor", (0, 49)),
        ("cursor", (2, 3)),
        ("mcp", (2025, 6, 18)),
    ]


def test_strictest() -> None:
    lowest = strictest(TOOL_LIMITS, map(Provider, ("gemini", "openai", "ollama")))
    assert lowest == [(128, "tools", [(Provider("openai"), TOOL_LIMITS["openai"].source)])]
    (both,) = strictest(TOOL_LIMITS, map(Provider, ("groq", "gemini", "openai")))
    assert [provider.key for provider, _ in both.owners] == ["groq", "openai"]
    assert strictest(TOOL_LIMITS, map(Provider, ("anthropic", "mcp"))) == []
    # The newest version has no limit any more.
    assert strictest(TOOL_LIMITS, [Provider("cursor")]) == []
    (old,) = strictest(TOOL_LIMITS, [Provider("cursor", (0, 49))])
    assert old.most == 40
    # Of two units neither is the lower one.
    found = strictest(DESCRIPTION_LIMITS, map(Provider, ("agentcore", "claude-code", "openai")))
    assert [(each.most, each.unit) for each in found] == [(1024, "characters"), (2048, "bytes")]


def test_limits() -> None:
    assert {key: limit.most for key, limit in TOOL_LIMITS.items()} == {
        "openai": 128,
        "azure-openai": 128,
        "groq": 128,
        **dict.fromkeys((*GEMINI, *VERTEX), 512),
        "vscode": 128,
        "xai": 200,
        "cursor": 40,
        "windsurf": 100,
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


@pytest.mark.parametrize(
    ("client", "server", "tool", "name"),
    [
        ("claude-code", "my.server", "read/note", "mcp__my_server__read_note"),
        ("cursor", "notes", "read", "mcp_notes_read"),
        ("vscode", "Notes of the Office", "read.all", "mcp_notes_of_the__read_all"),
        ("vscode", "notes", "x" * 60, "mcp_notes_" + "x" * 54),
        ("copilot-cli", "Notes", "read.all", "Notes-read.all"),
        ("gemini-cli", "notes", "read:all", "mcp_notes_read:all"),
        ("gemini-cli", "n" * 40, "t" * 40, "mcp_" + "n" * 26 + "..." + "t" * 30),
        ("roo", "my notes", "read", "mcp--mynotes--read"),
        ("openai-agents", "notes", "read.all", "read.all"),
        ("openai-agents-js", "notes", "read-all", "read_all"),
        ("librechat", "notes", "read", "read_mcp_notes"),
        ("kiro", "grafana-lab", "read", "mcp_grafana_lab_read"),
        ("zed", "notes", "t" * 70, "t" * 64),
    ],
)
def test_what_a_client_calls_a_tool(client: str, server: str, tool: str, name: str) -> None:
    assert NAMINGS[client].name(server, tool) == name


def test_a_name_is_never_longer_than_its_limit() -> None:
    for naming in NAMINGS.values():
        if naming.overflow in (CUT, CUT_INSIDE) and naming.most is not None:
            assert len(naming.name("s" * 100, "t" * 100)) == naming.most
