"""Permission files: what each client's reader makes of its entries, and which rules cover which."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.long import examples
from toolsurface_lint.knowledge.client_versions import holds
from toolsurface_lint.knowledge.clients import ANY_CLIENT, CLIENTS
from toolsurface_lint.model.contradictions import contradictions
from toolsurface_lint.model.document import Document
from toolsurface_lint.model.patterns import command_covers, wildcard_match
from toolsurface_lint.model.permission import (
    ALLOW,
    ASK,
    DENY,
    GLOB,
    PATH,
    PermissionFile,
    PermissionRule,
    known_names,
)
from toolsurface_lint.readers.loading import begins_like_an_agent, load_document
from toolsurface_lint.readers.permissions import names_of, read_claude_rule
from toolsurface_lint.source.tree import plain

LANGUAGES = {".json": "json", ".jsonc": "json", ".toml": "toml", ".md": "markdown"}


def load(folder: Path, name: str, text: str, kind: str | None = None) -> Document:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return load_document(str(path), name, LANGUAGES[path.suffix], kind=kind, max_size=1 << 20)


def rules(document: Document) -> list[tuple[str, str, str, str | None]]:
    return [
        (rule.field, rule.action, rule.tool, rule.specifier) for file in document.permissions for rule in file.rules
    ]


def problems(document: Document) -> list[tuple[str, str | None, object]]:
    return [
        (problem.kind, problem.field, problem.values.get("got"))
        for file in document.permissions
        for problem in file.problems
    ]


def at(document: Document) -> list[str]:
    """The text at the place of each rule."""
    found = []
    for file in document.permissions:
        for rule in file.rules:
            span = rule.place.span()
            assert span is not None
            found.append(document.source.text[span.start : span.end])
    return found


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ("Read, Edit,Bash(git add:*, git commit:*)", ["Read", "Edit", "Bash(git add:*, git commit:*)"]),
        ("Read Edit Bash(git status:*)", ["Read", "Edit", "Bash(git status:*)"]),
        ("Read\n  Edit", ["Read", "Edit"]),
        ("[Read, 'Edit']", ["Read", "Edit"]),
        (["Read", "Azure MCP/documentation", "a, b"], ["Read", "Azure MCP/documentation", "a", "b"]),
        (["Read", 12, None, "", {"a": "b"}], ["Read"]),
        ("", []),
        (" , ,", []),
        (")Read(", [")Read("]),
        ({"write": False}, []),
        (True, []),
    ],
)
def test_a_list_of_names_in_any_spelling(value: Any, names: list[str]) -> None:
    assert [text for text, _ in names_of(plain(value))] == names


@given(st.text(st.sampled_from("ab, ()[]'\"\n"), max_size=30))
def test_names_lie_where_they_are_said_to_lie(text: str) -> None:
    for name, place in names_of(plain(text)):
        assert text[place.start : place.end] == name


# --- covering -------------------------------------------------------------------------------------------------------


@given(st.text("ab*", max_size=6), st.text("ab", max_size=6))
def test_a_star_stands_for_any_text(pattern: str, text: str) -> None:
    def match(pattern: str, text: str) -> bool:
        if not pattern:
            return not text
        if pattern[0] == "*":
            return any(match(pattern[1:], text[start:]) for start in range(len(text) + 1))
        return bool(text) and text[0] == pattern[0] and match(pattern[1:], text[1:])

    assert wildcard_match(pattern, text) == match(pattern, text)


@pytest.mark.slow
@settings(max_examples=examples(400))
@given(
    st.text("a *", max_size=6), st.text("a *", max_size=6), st.lists(st.text("a ", max_size=3), min_size=6, max_size=6)
)
def test_what_a_covered_command_matches_the_covering_one_matches(one: str, other: str, fillings: list[str]) -> None:
    if command_covers(one, other):
        command = other
        for filling in fillings:
            command = command.replace("*", filling, 1)
        assert command_covers(one, command.replace("*", ""))


def rule(
    tool: str, specifier: str | None = None, action: str = ALLOW, matching: str = GLOB, rank: int = 0
) -> PermissionRule:
    made = PermissionRule(tool, plain(tool).place, action, "rules")
    made.tool, made.specifier, made.matching, made.rank = tool, specifier, matching, rank
    return made


@pytest.mark.parametrize(
    ("one", "other", "covers"),
    [
        (rule("Bash"), rule("Bash", "git *"), True),
        (rule("Bash", "git *"), rule("Bash"), False),
        (rule("Bash", "git *"), rule("Bash", "git push *"), True),
        (rule("Bash", "git *"), rule("Bash", "git"), True),
        (rule("Bash", "git *"), rule("Bash", "github"), False),
        (rule("Bash", "git *"), rule("PowerShell", "git push"), False),
        (rule("*"), rule("Read", "a"), True),
        (rule("mcp__notes__*"), rule("mcp__notes__read"), True),
        (rule("mcp__notes__read"), rule("mcp__notes__*"), False),
        (rule("Read", "src/**", matching=PATH), rule("Read", "src/a/b.py", matching=PATH), True),
        (rule("Read", "src/**", matching=PATH), rule("Read", "srcs/a.py", matching=PATH), False),
        (rule("Read", "src/**", matching=PATH), rule("Read", "src/../secret", matching=PATH), False),
        (rule("Read", "*/**", matching=PATH), rule("Read", "src/a", matching=PATH), False),
        (rule("WebFetch", "domain:a", matching="exact"), rule("WebFetch", "domain:a", matching="exact"), True),
        (rule("WebFetch", "domain:*", matching="exact"), rule("WebFetch", "domain:a", matching="exact"), False),
    ],
)
def test_which_rules_cover_which(one: PermissionRule, other: PermissionRule, covers: bool) -> None:
    assert one.covers(other) is covers


def test_conditions_narrow_a_rule() -> None:
    one, other = rule("*"), rule("Read")
    one.conditions = {"modes": frozenset(("plan", "yolo"))}
    assert not one.covers(other)
    other.conditions = {"modes": frozenset(("plan",)), "interactive": frozenset(("True",))}
    assert one.covers(other)
    other.conditions = {"modes": frozenset(("plan", "default"))}
    assert not one.covers(other)


def test_the_first_contradicting_rule_is_named_once() -> None:
    allow, deny, ask = rule("Bash", "a", rank=1), rule("Bash", action=DENY, rank=3), rule("Bash", "a", ASK, rank=2)
    found = [(one.action, other.action) for one, other in contradictions([deny, ask, allow])]
    assert found == [("ask", "deny"), ("allow", "ask")]


def test_rules_of_one_rank_contradict_each_other_only_if_they_match_the_same_calls() -> None:
    first, second, third = rule("a"), rule("*", action=DENY), rule("a", action=DENY)
    assert list(contradictions([first, second])) == []
    assert list(contradictions([first, third])) == [(third, first)]


@pytest.mark.slow
def test_thousands_of_rules_are_compared_in_no_time() -> None:
    many = [rule("Bash", f"command-{number} *", rank=1) for number in range(20_000)]
    many += [rule("Bash", f"other-{number} *", DENY, rank=3) for number in range(20)]
    assert list(contradictions(many)) == []


# --- catalogues -------------------------------------------------------------------------------------------------------


def test_every_catalogue_says_where_it_comes_from() -> None:
    for client in CLIENTS.values():
        assert client.name
        assert client.source
        assert client.confidence in ("source", "docs")
        assert client.tools


def test_names_that_grant_a_tool() -> None:
    assert CLIENTS["claude-code"].spellings("Agent") >= {"Agent", "Task"}
    assert CLIENTS["claude-code"].spellings("Read") == {"Read", "NotebookRead"}
    assert {"read_file", "readFile", "read"} <= CLIENTS["copilot"].spellings("read_file")
    assert "runinterminal" in known_names("copilot")
    assert "Task" in known_names("claude-code")


# --- Claude Code ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "tool", "specifier", "server", "server_tool"),
    [
        ("Bash", "Bash", None, None, None),
        ("Bash(*)", "Bash", None, None, None),
        ("Bash(git:*)", "Bash", "git *", None, None),
        ("Bash(git * main)", "Bash", "git * main", None, None),
        ("Bash(a \\( b)", "Bash", "a \\( b", None, None),
        ("Read(./.env)", "Read", "./.env", None, None),
        ("Agent(Explore)", "Agent", "Explore", None, None),
        ("mcp__notes", "mcp__notes__*", None, "notes", None),
        ("mcp__notes__*", "mcp__notes__*", None, "notes", None),
        ("mcp__notes__read_note", "mcp__notes__read_note", None, "notes", "read_note"),
        ("mcp__notes__get_*", "mcp__notes__get_*", None, "notes", None),
        ("mcp__a__b__c", "mcp__a__b__c", None, "a", "b__c"),
    ],
)
def test_a_rule_of_claude_code(
    text: str, tool: str, specifier: str | None, server: str | None, server_tool: str | None
) -> None:
    file = PermissionFile(plain({}), "claude-code")
    read = read_claude_rule(file, text, plain(text).place, DENY, "permissions.deny", settings=True)
    assert [problem.kind for problem in file.problems if holds(problem.kind, {})] == []
    assert read is not None
    assert (read.tool, read.specifier, read.server, read.server_tool) == (tool, specifier, server, server_tool)


PARTS = st.sampled_from(["Bash", "Read", "mcp__", "WebFetch", "a", "(", ")", "*", ":", " ", "\\", "_"])


@given(st.lists(PARTS, max_size=8).map("".join))
def test_no_rule_makes_it_fail(text: str) -> None:
    for action in (ALLOW, ASK, DENY):
        for in_settings in (True, False):
            file = PermissionFile(plain({}), "claude-code")
            read = read_claude_rule(file, text, plain(text).place, action, "field", settings=in_settings)
            assert read is not None or file.problems or not in_settings


def test_settings_of_claude_code(tmp_path: Path) -> None:
    text = (
        '{"permissions": {"deny": ["Bash(rm:*)"], "ask": "Bash", "allow": ["Read", 12, "mcp__n__t"], "defaultMode": "free"},'
        ' "enabledMcpjsonServers": ["n"]}'
    )
    document = load(tmp_path, "settings.json", text)
    assert document.kinds == ["permissions"]
    assert document.complete
    assert rules(document) == [
        ("permissions.deny", DENY, "Bash", "rm *"),
        ("permissions.allow", ALLOW, "Read", None),
        ("permissions.allow", ALLOW, "mcp__n__t", None),
    ]
    assert at(document) == ['"Bash(rm:*)"', '"Read"', '"mcp__n__t"']
    assert problems(document) == [
        ("shape/strings", "permissions.ask", "a string"),
        ("shape/item", "permissions.allow", "a number"),
        ("shape/choice", "permissions.defaultMode", "`free`"),
    ]
    assert [node.value for node, _ in document.permissions[0].named_servers] == ["n"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cli.json", {"permissions": {"allow": ["Shell(ls)", "Read(src/**)", "Mcp(notes, *)"]}}),
        ("manifest.json", {"permissions": ["storage", "tabs"]}),
        ("roles.json", {"permissions": {"allow": ["users.read"], "deny": ["users.write"]}}),
        ("a.json", {"permissions": {}}),
        ("b.json", {"permissions": None, "tools": ["a"]}),
        ("tsconfig.json", {"compilerOptions": {}}),
        ("servers.json", {"servers": {"a": {"port": 1}}}),
        ("config.json", {"tools": {"a": 1}}),
    ],
)
def test_what_is_no_permission_file(tmp_path: Path, name: str, value: Any) -> None:
    document = load(tmp_path, name, json.dumps(value))
    assert document.permissions == []
    assert document.server_files == []


def test_a_client_s_permissions_are_a_policy_to_the_user(tmp_path: Path) -> None:
    text = '{"tools": {"allowed": ["read_file"]}}'
    document = load(tmp_path, "settings.json", text, kind="policy")
    assert document.problems == []
    assert rules(document) == [("tools.allowed", ALLOW, "read_file", None)]
    assert document.policies == []


# --- the others -------------------------------------------------------------------------------------------------------


def test_a_policy_of_gemini_cli(tmp_path: Path) -> None:
    text = """\
[[rule]]
toolName = ["write_file", "replace"]
decision = "ask_user"
priority = 10
modes = ["plan"]

[[rule]]
mcpName = "notes"
toolName = "read_note"
decision = "allow"
priority = 20

[[rule]]
mcpName = "notes"
decision = "deny"
priority = 30
"""
    document = load(tmp_path, "rules.toml", text)
    assert rules(document) == [
        ("rule[0].toolName", ASK, "write_file", None),
        ("rule[0].toolName", ASK, "replace", None),
        ("rule[1].toolName", ALLOW, "mcp_notes_read_note", None),
        ("rule[2].toolName", DENY, "mcp_notes_*", None),
    ]
    assert [one.rank for one in document.permissions[0].rules] == [10, 10, 20, 30]
    assert [one.server_tool for one in document.permissions[0].rules] == [None, None, "read_note", None]
    assert at(document) == ['"write_file"', '"replace"', '"read_note"', '"notes"']
    assert document.permissions[0].rules[0].conditions == {"modes": frozenset(("plan",))}


def test_settings_of_gemini_cli(tmp_path: Path) -> None:
    text = (
        '{"tools": {"core": ["ReadFileTool"], "allowed": ["ShellTool(git)"], "exclude": ["write_file"]},'
        ' "mcpServers": {"notes": {"includeTools": ["read"], "excludeTools": ["drop"]}}}'
    )
    document = load(tmp_path, ".gemini/settings.json", text)
    assert rules(document) == [
        ("tools.core", ALLOW, "read_file", None),
        ("tools.allowed", ALLOW, "run_shell_command", "git *"),
        ("tools.exclude", DENY, "write_file", None),
        ("mcpServers.notes.includeTools", ALLOW, "mcp_notes_read", None),
        ("mcpServers.notes.excludeTools", DENY, "mcp_notes_drop", None),
    ]
    assert list(document.permissions[0].servers) == ["notes"]


def test_permissions_of_opencode(tmp_path: Path) -> None:
    text = (
        '{"permission": {"bash": {"*": "ask", "git *": "allow"}, "edit": "deny"},'
        ' "agent": {"plan": {"permission": "deny"}}}'
    )
    document = load(tmp_path, "opencode.json", text)
    assert rules(document) == [
        ("permission.bash", ASK, "bash", None),
        ("permission.bash", ALLOW, "bash", "git *"),
        ("permission.edit", DENY, "edit", None),
        ("agent.plan.permission", DENY, "*", None),
    ]
    assert len(document.permissions) == 2
    assert at(document)[:3] == ['"*"', '"git *"', '"edit"']


def test_configuration_of_codex(tmp_path: Path) -> None:
    text = '[mcp_servers.notes]\nenabled_tools = ["read"]\ndisabled_tools = ["drop"]\n'
    document = load(tmp_path, "config.toml", text)
    assert rules(document) == [
        ("mcp_servers.notes.enabled_tools", ALLOW, "mcp__notes__read", None),
        ("mcp_servers.notes.disabled_tools", DENY, "mcp__notes__drop", None),
    ]


def test_an_agent_of_amazon_q(tmp_path: Path) -> None:
    text = (
        '{"prompt": "Be brief.", "tools": ["fs_read", "@notes", "@builtin"], "allowedTools": ["@notes/read_*", "fs_*"]}'
    )
    document = load(tmp_path, "agent.json", text)
    assert problems(document) == []
    assert rules(document) == [
        ("tools", ALLOW, "fs_read", None),
        ("tools", ALLOW, "@notes/*", None),
        ("tools", ALLOW, "@builtin", None),
        ("allowedTools", ALLOW, "@notes/read_*", None),
        ("allowedTools", ALLOW, "fs_*", None),
    ]
    assert [prompt.text for prompt in document.prompts] == ["Be brief."]
    assert document.permissions[0].closed


def test_settings_of_vs_code(tmp_path: Path) -> None:
    text = '{"chat.tools.terminal.autoApprove": {"make": true, "rm": false, "cp": null, "mv": {"approve": true}}}'
    document = load(tmp_path, ".vscode/settings.json", text)
    assert [(action, specifier) for _, action, _, specifier in rules(document)] == [
        (ALLOW, "make"),
        (DENY, "rm"),
        (ALLOW, "mv"),
    ]
    assert problems(document) == []


def test_lists_of_servers(tmp_path: Path) -> None:
    text = (
        '{"mcpServers": {"notes": {"command": "run", "tools": ["read", "*"]}, "web": {"url": "https://example.org"}}}'
    )
    document = load(tmp_path, ".mcp.json", text)
    assert [list(file.servers) for file in document.server_files] == [["notes", "web"]]
    assert rules(document) == [("mcpServers.notes.tools", ALLOW, "notes/read", None)]


KEYS = (
    *(
        "permissions",
        "allow",
        "deny",
        "ask",
        "defaultMode",
        "tools",
        "allowedTools",
        "core",
        "exclude",
        "mcpServers",
        "mcp_servers",
    ),
    *(
        "permission",
        "bash",
        "*",
        "agent",
        "rule",
        "toolName",
        "mcpName",
        "decision",
        "priority",
        "modes",
        "commandPrefix",
        "servers",
    ),
    *(
        "includeTools",
        "enabled_tools",
        "approval_policy",
        "chat.tools.terminal.autoApprove",
        "toolAliases",
        "command",
        "prompt",
    ),
    *(
        "enabledMcpjsonServers",
        "approval_mode",
        "commandRegex",
        "argsPattern",
        "toolAnnotations",
        "additionalDirectories",
    ),
)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-1, 1000), st.sampled_from(["Bash(", "allow", "@a/b", "*", "mcp__a", ""])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)),
)
NAMES = (
    ".claude/settings.json",
    ".gemini/settings.json",
    "opencode.json",
    ".amazonq/cli-agents/a.json",
    ".mcp.json",
    "a.json",
)


@pytest.mark.slow
@settings(max_examples=examples(300), deadline=None)
@given(st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=5), st.sampled_from(NAMES))
def test_no_shape_of_a_file_makes_a_reader_fail(value: dict[str, Any], name: str) -> None:
    data = json.dumps(value).encode("utf-8")
    document = load_document(name, name, "json", kind=None, max_size=1 << 20, data=data)
    for file in document.permissions:
        for problem in file.problems:
            assert problem.at.span() is not None
        assert len(list(contradictions(file.rules))) <= len(file.rules)


# --- agents' markdown -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "tools", "client"),
    [
        (".claude/agents/a.md", "tools: one", "claude-code"),
        ("agents/a.md", "tools: Read, Grep, something", "claude-code"),
        ("agents/a.md", "tools: Read, one, two, three", None),
        ("agents/a.md", "tools: [Read]", None),
        ("agents/a.md", "tools: [Read, Grep, 'notes/*']", None),
        ("skills/a/SKILL.md", "allowed-tools: Read Edit Bash(git:*)", "claude-code"),
        ("a.agent.md", "tools: [Read, Grep]", "copilot"),
        (".github/prompts/a.prompt.md", "tools: ['search']", "copilot"),
        ("a.chatmode.md", "tools: ['search']", "copilot"),
        (".gemini/agents/a.md", "tools: [read_file]", "gemini-cli"),
        (".opencode/agents/a.md", "tools:\n  write: false", "opencode"),
        ("agents/a.md", "tools: [read_note]", None),
        ("agents/a.md", "description: b\ntools: Read", "claude-code"),
        ("commands/a.md", "description: b\nallowed-tools: Bash(git:*)", "claude-code"),
        ("agents/a.md", "description: b\ntools: read_note", None),
        ("agents/a.md", "description: b\nmodel: sonnet\ntools: read_note", "claude-code"),
        ("notes/a.md", "description: b\ntools: Read", None),
        ("agents/a.md", "description: b\nmodel: gpt-5\ntools: Read", None),
    ],
)
def test_whose_file_it_is(tmp_path: Path, name: str, tools: str, client: str | None) -> None:
    document = load(tmp_path, name, f"---\nname: a\n{tools}\n---\nText.\n")
    assert [file.client for file in document.permissions] == [client]
    assert document.complete is (client is not None)
    assert [prompt.text for prompt in document.prompts] == ["Text.\n"]


@pytest.mark.parametrize(
    ("name", "head", "own"),
    [
        (".claude/agents/a.md", "description: b", True),
        (".claude/commands/a.md", "description: b", True),
        ("agents/a.md", "description: b\nmodel: inherit", True),
        ("agents/a.md", "description: b\nmodel: gpt-5", False),
        ("agents/a.md", "description: b\nmodel: [sonnet]", False),
        ("agents/a.md", "description: b", False),
        (".claude/skills/a/SKILL.md", "description: b", False),
    ],
)
def test_an_agent_without_a_list_is_as_much_a_surface_of_its_own_as_one_with_a_list(
    tmp_path: Path, name: str, head: str, own: bool
) -> None:
    document = load(tmp_path, name, f"---\nname: a\n{head}\n---\nText.\n")
    assert document.permissions == []
    assert document.complete is own
    assert [reason.reason for reason in document.open_reasons] == [
        "Claude Code reads this file, and has tools that no file declares"
    ] * own


def test_lists_of_an_agent(tmp_path: Path) -> None:
    text = "---\nname: a\ntools: Read, Bash(git:*), mcp__n__t\ndisallowedTools:\n  - Write\n---\nText.\n"
    document = load(tmp_path, ".claude/agents/a.md", text)
    assert rules(document) == [
        ("tools", ALLOW, "Read", None),
        ("tools", ALLOW, "Bash", "git *"),
        ("tools", ALLOW, "mcp__n__t", None),
        ("disallowedTools", DENY, "Write", None),
    ]
    assert at(document) == ["Read", "Bash(git:*)", "mcp__n__t", "Write"]
    assert document.permissions[0].closed


@pytest.mark.parametrize(
    ("name", "key", "instead"),
    [
        (".claude/commands/deploy/fix.md", "tools", "allowed-tools"),
        (".claude/commands/fix.md", "allowed_tools", "allowed-tools"),
        (".claude/commands/fix.md", "allowed-tools", None),
        (".claude/commands/agents/fix.md", "tools", "allowed-tools"),
        (".claude/skills/fix/SKILL.md", "tools", "allowed-tools"),
        (".claude/skills/fix/agents/reader.md", "tools", None),
        (".claude/agents/commands/fix.md", "tools", None),
        (".claude/agents/fix.md", "allowed-tools", "tools"),
        (".claude/agents/fix.md", "disallowed-tools", "disallowedTools"),
        ("plugin/commands/fix.md", "tools", "allowed-tools"),
        ("plugin/agents/fix.md", "tools", None),
        # Which of these folders a project begins with is not known; a skill's name says enough.
        ("templates/agents/web/commands/fix.md", "allowed-tools", None),
        ("templates/commands/agents/fix.md", "tools", None),
        ("templates/agents/web/skills/fix/SKILL.md", "allowed-tools", None),
        ("templates/agents/web/fix/SKILL.md", "tools", "allowed-tools"),
        (".gemini/agents/fix.md", "allowed-tools", "tools"),
        (".kiro/agents/fix.md", "allowed-tools", None),
        (".github/prompts/fix.prompt.md", "tools", None),
        (".github/agents/fix.agent.md", "allowed-tools", "tools"),
    ],
)
def test_a_list_that_this_kind_of_file_does_not_have_is_one_problem(
    tmp_path: Path, name: str, key: str, instead: str | None
) -> None:
    document = load(tmp_path, name, f"---\nname: a\n{key}: [Read, Grep]\n---\nText.\n")
    (file,) = document.permissions
    problems = [] if document.client_file is None else document.client_file.problems
    assert [problem.values["instead"] for problem in problems] == ([] if instead is None else [instead])
    assert len(file.rules) == (2 if instead is None else 0)
    assert file.closed is (instead is None and key == "tools")


@pytest.mark.parametrize(
    ("name", "key"),
    [
        (".opencode/skills/fix/SKILL.md", "allowed-tools"),
        (".opencode/skill/fix/SKILL.md", "allowed_tools"),
        (".opencode/command/fix.md", "tools"),
        (".claude/output-styles/fix.md", "tools"),
    ],
)
def test_a_list_that_its_client_does_not_read_says_nothing(tmp_path: Path, name: str, key: str) -> None:
    document = load(tmp_path, name, f"---\nname: fix\ndescription: Fix it.\n{key}: [Write, Grep]\n---\nText.\n")
    assert [file.rules for file in document.permissions] == [[]]
    assert document.client_file is not None
    assert not document.client_file.problems


@pytest.mark.parametrize(
    ("name", "head", "found"),
    [
        (".claude/agents/fix.md", "tols: Read", [("list", "tols", "tools")]),
        (".claude/agents/fix.md", "toosl: Read", [("list", "toosl", "tools")]),
        (".claude/agents/fix.md", "tooth: Read", []),
        (".claude/agents/fix.md", "tols:", []),
        (".claude/agents/fix.md", "permission-mode: plan", [("key", "permission-mode", "permissionMode")]),
        (".claude/agents/fix.md", "mode: subagent\nagents: [a]\nglobs: a", []),
        ("agents/fix.md", "description: b\nmodel: opus\ntols: Read", [("list", "tols", "tools")]),
        ("agents/fix.md", "description: b\nmodel: gpt-6\ntols: Read", []),
        ("agents/fix.md", "description: b\nmodel: [opus, sonnet]\ntols: Read", []),
        ("agents/fix.md", "description: b\nmodel: {a: opus}\ntols: Read", []),
        ("skills/fix/SKILL.md", "allowed_tools: Read", [("list", "allowed_tools", "allowed-tools")]),
        ("skills/fix/SKILL.md", "tools: Read", []),
        ("skills/fix/notes.md", "allowed_tools: Read", []),
        (".cursor/rules/fix.md", "applyAlways: true\nalways_apply: true", [("key", "always_apply", "alwaysApply")]),
        (".github/fix.instructions.md", "applyto: a", [("key", "applyto", "applyTo")]),
        (".claude/output-styles/fix.md", "descripton: a", [("key", "descripton", "description")]),
        (".claude/skills/fix/SKILL.md", "display_name: a\ndefault-enabled: true\nfallback: a", []),
        (".claude/rules/fix.md", "path: a", [("key", "path", "paths")]),
        (".codex/prompts/fix.md", "argument_hint: a\nargument-hnt: b", [("key", "argument-hnt", "argument-hint")]),
        # A key that nobody has seen there is not what another is meant for.
        (".opencode/agents/fix.md", "optins: a\ndisabled: true\noptions: {}", []),
    ],
)
def test_a_key_that_stands_for_one_that_the_client_reads(
    tmp_path: Path, name: str, head: str, found: list[tuple[str, str, str]]
) -> None:
    document = load(tmp_path, name, f"---\nname: a\n{head}\n---\nText.\n")
    problems = [] if document.client_file is None else document.client_file.problems
    assert [
        (problem.kind, problem.values["name"], problem.values.get("instead") or problem.values["near"][0])
        for problem in problems
    ] == found


def test_switches_of_an_opencode_agent(tmp_path: Path) -> None:
    text = "---\nname: a\ntools:\n  write: false\n  read: true\npermission:\n  bash: ask\n---\nText.\n"
    document = load(tmp_path, ".opencode/agent/a.md", text)
    assert rules(document) == [
        ("permission.bash", ASK, "bash", None),
        ("tools", DENY, "write", None),
        ("tools", ALLOW, "read", None),
    ]
    assert not any(file.closed for file in document.permissions)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("---\nname: a\ndescription: b\ntools: Read\n---\n", True),
        ("\ufeff---\r\ndescription: b\r\nallowed-tools: Read\r\n---\r\n", True),
        ("---\ndescription: b\nargument-hint: [file]\n---\n", True),
        ("---\nname: a\ntools: Read\n---\n", False),
        ("---\ndescription: b\n---\ntools: Read\n", False),
        ("# Title\n\ntools: Read\ndescription: b\n", False),
        ("", False),
    ],
)
def test_a_file_that_begins_like_an_agent_is_looked_at_whatever_its_name(
    tmp_path: Path, text: str, found: bool
) -> None:
    path = tmp_path / "writer.md"
    path.write_bytes(text.encode("utf-8"))
    assert begins_like_an_agent(str(path)) is found
    assert not begins_like_an_agent(str(tmp_path / "gone.md"))


HEAD = "---\nname: a\ndescription: b\n---\n"


@pytest.mark.parametrize(
    ("name", "text", "audience"),
    [
        ("CLAUDE.md", "", {"claude-code"}),
        ("sub/GEMINI.md", "", {"gemini-cli"}),
        (".cursor/rules/style.mdc", "", {"cursor"}),
        (".clinerules/style.md", "", {"cline"}),
        (".roo/rules-code/style.md", "", {"roo"}),
        (".kiro/steering/style.md", "", {"amazon-q"}),
        (".github/copilot-instructions.md", "", {"copilot"}),
        ("docs/style.instructions.md", "", {"copilot"}),
        (".codex/prompts/fix.md", "", {"codex"}),
        (".claude/skills/pdf/SKILL.md", HEAD, {"claude-code"}),
        ("AGENTS.md", "", ANY_CLIENT),
        ("AGENT.md", "", ANY_CLIENT),
        ("skills/pdf/SKILL.md", HEAD, ANY_CLIENT),
        (".any/commands/fix.md", "", ANY_CLIENT),
        ("plugin/agents/writer.md", HEAD, ANY_CLIENT),
        ("plugin/agents/writer.md", "---\ntools: Read, Grep\n---\n", {"claude-code"}),
        ("plugin/commands/fix.md", "---\nallowed-tools: read_note\n---\n", ANY_CLIENT),
        ("plugin/commands/fix.md", "---\nargument-hint: [issue]\n---\n", ANY_CLIENT),
        ("team/writer.md", "---\nname: a\ndescription: <example>b</example>\ntools: Write\n---\n", ANY_CLIENT),
        # These speak to the agent of an application.
        ("agents/writer.md", "", set()),
        ("agents/agent.md", "", set()),
        ("agents/writer.md", "---\nname: a\ndescription: b\ntools: [read_note]\n---\n", set()),
        ("prompts/system.md", "", set()),
        ("prompts/system.md", HEAD, set()),
        ("src/instructions.md", "", set()),
    ],
)
def test_who_reads_a_prompt(tmp_path: Path, name: str, text: str, audience: set[str]) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(f"{text}Text.\n", encoding="utf-8")
    document = load_document(str(tmp_path / name), name, "markdown", kind=None, max_size=1 << 20)
    assert [prompt.audience for prompt in document.prompts] == [audience]


COLON = "description: Use it when: always\n"
HINTS = "argument-hint: [file] [line] | --all # twice\n"


@pytest.mark.parametrize(
    ("name", "head", "reported"),
    [
        # Claude Code puts the quotes there by itself.
        (".claude/agents/writer.md", f"name: a\n{COLON}", False),
        (".claude/commands/fix.md", HINTS, False),
        ("plugin/agents/writer.md", f"name: a\n{COLON}", False),
        ("plugin/commands/fix.md", HINTS, False),
        ("writers/writer.md", f"name: a\n{COLON}tools: Read, Grep\n", False),
        ("team/system.md", "name: a\ndescription: Use it. <example>user: 'Write.'</example>\n", False),
        # Quotes are not what is missing here, or not all.
        (".claude/agents/writer.md", f"name: a\n{COLON}  Example: this\n", True),
        (".claude/agents/writer.md", "name: a\ndescription: b\ntools: [Read, Grep\n", True),
        # Others read these too, or instead.
        ("skills/pdf/SKILL.md", f"name: a\n{COLON}", True),
        (".github/agents/writer.agent.md", f"name: a\n{COLON}", True),
        ("prompts/writer.md", f"name: a\n{COLON}", True),
    ],
)
def test_front_matter_is_reported_if_a_client_that_reads_it_refuses_it(
    tmp_path: Path, name: str, head: str, reported: bool
) -> None:
    document = load(tmp_path, name, f"---\n{head}---\nText.\n")
    assert [problem.code for problem in document.problems] == ["front_matter"] * reported


@pytest.mark.parametrize(
    ("server", "programs"),
    [
        ({"command": "python", "args": ["serve.py"]}, ("serve.py",)),
        ({"command": "uv", "args": ["run", "--directory", "${workspaceFolder}/src", "serve.py"]}, ("src/serve.py",)),
        ({"command": "fastmcp", "args": ["run", "./notes/serve.py:app"]}, ("./notes/serve.py",)),
        ({"command": "python", "args": ["-m", "notes.serve"]}, ("notes/serve.py", "notes/serve/__main__.py")),
        ({"command": "python", "args": ["serve.py"], "cwd": "src"}, ("src/serve.py",)),
        ({"command": "npx", "args": ["-y", "notes", 5]}, ()),
        ({"url": "https://notes.example/serve.py"}, ()),
        ({"command": "python", "args": "serve.py"}, ()),
        ({"command": ["python"], "args": ["-m", "../serve"], "cwd": 5}, ()),
    ],
)
def test_the_programs_that_a_server_may_be_started_from(
    tmp_path: Path, server: dict[str, Any], programs: tuple[str, ...]
) -> None:
    document = load(tmp_path, ".mcp.json", json.dumps({"mcpServers": {"notes": server}}))
    assert [file.programs for file in document.server_files] == [{"notes": programs}]


@pytest.mark.parametrize(
    ("command", "package"),
    [
        ("notes-mcp", "notes-mcp"),
        ("npx -y @acme/notes-mcp@latest --all", "notes-mcp"),
        ("cmd /c npx notes-mcp", "notes-mcp"),
        ("uvx --python 3.12 notes_mcp[cli]==1.2 src", "notes_mcp"),
        ("uvx --from acme.notes-mcp serve", "acme.notes-mcp"),
        ("uv run --directory src notes-mcp", "notes-mcp"),
        ("docker run -i --rm -e TOKEN -v /a:/b registry.example:5000/acme/notes:1.2", "notes"),
        ("python serve.py", None),
        ("python3.12 -m notes --all", "notes"),
        ("python3.12 -m notes.serve", None),
        ("uv run python -m notes", "notes"),
        ("docker run -m 512m acme/notes", "notes"),
        ("uvx --from . notes-server", "notes-server"),
        ("uvx --from git+https://example.org/a/b notes-server", "notes-server"),
        ("node dist/index.js", None),
        ("./bin/notes", None),
        ("npx", None),
        ("uvx --from", None),
    ],
)
def test_the_package_that_a_server_is_started_from(tmp_path: Path, command: str, package: str | None) -> None:
    first, *arguments = command.split(" ")
    server = {"command": first, "args": arguments}
    document = load(tmp_path, ".mcp.json", json.dumps({"mcpServers": {"notes": server}}))
    assert [file.packages for file in document.server_files] == [{} if package is None else {"notes": package}]
