"""The files that coding clients read as something of their own, such as agents and commands: the keys of their front matter.

A key that is not in a row has no effect there; people add their own, so that only one close to a known key is a mistake.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from toolsurface_lint.knowledge import words
from toolsurface_lint.knowledge.clients import (
    AGENT,
    ANY_CLIENT,
    COMMAND,
    PROMPT,
    RULE,
    SKILL,
    STYLE,
    Standing,
    readers_of,
)


class FileKind(NamedTuple):
    """One kind of file of one client.

    `name` is for people, with its article. `lists` are the keys for lists of tools: first what gives tools, then what takes
    some away. `spellings` are others of its keys that it reads too, and that are slips elsewhere. `not_in_plugins` are the
    keys that the client ignores where a plugin brings the file along. `values` are the words that a key may have; later
    versions may know more.
    """

    name: str
    keys: frozenset[str]
    source: str
    lists: tuple[str, ...] = ()
    spellings: frozenset[str] = frozenset()
    not_in_plugins: frozenset[str] = frozenset()
    values: Mapping[str, frozenset[str]] = {}


_SPECIFIED = words("name description license compatibility metadata allowed-tools")
_CLAUDE_SKILL = _SPECIFIED | words(
    "when_to_use argument-hint arguments disable-model-invocation user-invocable disallowed-tools model effort context "
    "agent hooks paths shell version display-name default-enabled fallback display_name displayName default_enabled "
    "defaultEnabled"
)
_CLAUDE_SKILL_SOURCE = (
    "npm @anthropic-ai/claude-code 2.1.50, cli.js; what it does not read (`disallowed-tools`, `effort`, `paths`, `shell`) is"
    " in summaries of code.claude.com/docs/en/skills, 2026; the last seven: anthropics/claude-code, CHANGELOG.md, 2.1.186"
)

FILE_KINDS: Mapping[tuple[str, str], FileKind] = {
    ("claude-code", AGENT): FileKind(
        "a Claude Code agent",
        words(
            "name description tools disallowedTools model permissionMode maxTurns skills mcpServers hooks memory background "
            "effort isolation color initialPrompt forkContext"
        ),
        "npm @anthropic-ai/claude-code 2.1.50, cli.js; `color` and `initialPrompt` are in summaries of"
        " code.claude.com/docs/en/sub-agents, 2026; what plugins' agents cannot have:"
        " code.claude.com/docs/en/plugins-reference, 2026-08",
        ("tools", "disallowedTools"),
        not_in_plugins=words("hooks mcpServers permissionMode"),
        # npm @anthropic-ai/claude-agent-sdk 0.3.330, sdk.d.ts, `AgentDefinition`; cli.js 2.1.50 says that it ignores others.
        # `manual` is in agents of public repositories, 2026-11, and `delegate` and `bubble` are recalled.
        values={
            "permissionMode": words("default acceptEdits bypassPermissions plan dontAsk auto manual delegate bubble"),
            "memory": words("user project local"),
            "isolation": words("worktree remote"),
            "effort": words("low medium high xhigh max"),
        },
    ),
    ("claude-code", COMMAND): FileKind(
        "a Claude Code command", _CLAUDE_SKILL, _CLAUDE_SKILL_SOURCE, ("allowed-tools", "disallowed-tools")
    ),
    ("claude-code", SKILL): FileKind(
        "a Claude Code skill", _CLAUDE_SKILL, _CLAUDE_SKILL_SOURCE, ("allowed-tools", "disallowed-tools")
    ),
    # Of any client: Claude Code's keys do no harm elsewhere.
    ("", SKILL): FileKind("a skill", _CLAUDE_SKILL, "agentskills.io/specification, 2026", ("allowed-tools",)),
    ("claude-code", STYLE): FileKind(
        "a Claude Code output style",
        words("name description keep-coding-instructions force-for-plugin"),
        "code.claude.com/docs/en/output-styles, 2026; npm @anthropic-ai/claude-code 2.1.50, cli.js",
    ),
    ("claude-code", RULE): FileKind(
        "a Claude Code rule",
        words("paths description"),
        "npm @anthropic-ai/claude-code 2.1.50, cli.js: `paths` is all it reads",
    ),
    ("copilot", AGENT): FileKind(
        "a GitHub Copilot agent",
        words(
            "name description argument-hint tools agents model user-invocable user-invokable disable-model-invocation infer "
            "target mcp-servers metadata handoffs hooks advancedOptions"
        ),
        "code.visualstudio.com/docs/agents/reference/custom-agent-file-reference, 2026-10; microsoft/vscode 01a5990,"
        " promptValidator.ts; microsoft/vscode-docs 036c663, custom-agents.md; `metadata` and `hooks`: stbenjam/skillsaw, 2026",
        ("tools",),
    ),
    ("copilot", PROMPT): FileKind(
        "a GitHub Copilot prompt",
        words("name description argument-hint agent mode model tools"),
        "microsoft/vscode 01a5990, promptValidator.ts",
        ("tools",),
    ),
    ("copilot", RULE): FileKind(
        "a GitHub Copilot instructions file",
        words("name description applyTo excludeAgent"),
        "microsoft/vscode 01a5990, promptValidator.ts",
    ),
    ("cursor", RULE): FileKind(
        "a Cursor rule",
        words("description globs alwaysApply"),
        "stbenjam/skillsaw on Cursor's rules, 2026; public repositories",
    ),
    ("windsurf", RULE): FileKind(
        "a Windsurf rule", words("trigger description globs"), "rules in public repositories, 2026"
    ),
    ("opencode", AGENT): FileKind(
        "an OpenCode agent",
        words(
            "name description mode model variant prompt temperature top_p tools permission permissions disable disabled hidden "
            "color steps maxSteps"
        ),
        "opencode.ai/docs/agents and opencode.ai/v2/docs/agents, 2026-11",
        ("tools",),
    ),
    ("opencode", SKILL): FileKind(
        "an OpenCode skill",
        _SPECIFIED - {"allowed-tools"},
        "opencode.ai/v1/docs/skills and anomalyco/opencode, packages/web/src/content/docs/skills.mdx, 2026-11",
    ),
    ("opencode", COMMAND): FileKind(
        "an OpenCode command",
        words("description agent model subtask template variant"),
        "opencode.ai/v2/docs/commands, 2026; `subtask`: summaries of opencode.ai/docs/commands",
    ),
    ("gemini-cli", AGENT): FileKind(
        "a Gemini CLI agent",
        words(
            "kind name description display_name tools model temperature max_turns timeout_mins policy mcp_servers "
            "agent_card_url auth"
        ),
        "google-gemini/gemini-cli 03c6714, packages/core/src/agents/agentLoader.ts",
        ("tools",),
    ),
    ("gemini-cli", COMMAND): FileKind(
        "a Gemini CLI command",
        words("prompt description"),
        "google-gemini/gemini-cli 5411f11, packages/cli/src/services/FileCommandLoader.ts, 2026-08",
    ),
    ("codex", PROMPT): FileKind(
        "a Codex prompt",
        words("description argument-hint"),
        "openai/codex, codex-rs/core/src/custom_prompts.rs as of pull request 4456, 2025-09",
        spellings=words("argument_hint"),
    ),
}
"""By client and kind of file; the client is empty where any client may read the file."""

ALL_KEYS = words("disabled options").union(*(kind.keys for kind in FILE_KINDS.values()))
"""The keys of all kinds: one that another client reads may be there for that client.

The first are recalled of Claude Code's and OpenCode's agents: they are no mistakes, and nothing is meant for them.
"""

BUILTIN_AGENTS = words(
    "general-purpose Explore Plan statusline-setup claude-code-guide Bash magic-docs fork general explore build plan scout"
)
"""The agents that clients have of their own: those of Claude Code up to `fork`, then of OpenCode.

Source: npm @anthropic-ai/claude-code 2.1.50, cli.js; anthropics/claude-code, CHANGELOG.md, 2.1.232: `fork`;
code.claude.com/docs/en/sub-agents and opencode.ai/docs/agents, 2026.
"""
FORMER_AGENTS = words("output-style-setup worker")
"""Agents that Claude Code had, as files of public repositories have it, 2026-11: nothing is meant for them."""

_BY_ENDING = {
    ".agent.md": AGENT,
    ".chatmode.md": AGENT,
    ".prompt.md": PROMPT,
    ".instructions.md": RULE,
    ".mdc": RULE,
}
_BY_FOLDER = {
    "agent": AGENT,
    "agents": AGENT,
    "command": COMMAND,
    "commands": COMMAND,
    "output-styles": STYLE,
    "prompts": PROMPT,
    "rules": RULE,
    # In the folder of a skill, its `SKILL.md` alone is one.
    "skills": "",
}
_CLIENT_FOLDERS = (".claude", ".opencode", ".gemini", ".codex", ".windsurf", ".cursor")


def kind_of(path: str) -> str:
    """What a markdown file is to its client: by its name, else by its folders; empty if they disagree.

    In a client's own folder, the first folder decides. Elsewhere it is not known at which one a project begins, so that in
    `agents/web/commands` either may be a name of the author's.
    """
    *folders, name = path.lower().split("/")
    if name == "skill.md":
        return SKILL
    found = next((kind for ending, kind in _BY_ENDING.items() if name.endswith(ending)), None)
    if found is not None:
        return found
    own = next((at for at, folder in enumerate(folders) if folder in _CLIENT_FOLDERS), None)
    if own is not None:
        folders = folders[own + 1 : own + 2]
    elif ".github" in folders:
        return AGENT if folders[folders.index(".github") + 1 :][:1] == ["agents"] else ""
    kinds = {_BY_FOLDER[folder] for folder in folders if folder in _BY_FOLDER}
    return kinds.pop() if len(kinds) == 1 else ""


def standing_of(path: str) -> Standing:
    """The standing of a markdown file by its path alone."""
    return Standing(kind_of(path), readers_of(path))


PLUGIN_FOLDERS: Mapping[str, str] = {
    "commands": COMMAND,
    "agents": AGENT,
    "skills": SKILL,
    "outputStyles": STYLE,
}
"""The fields of a plugin of Claude Code that name its files, with what these are.

The folder of each has the name of the field, `output-styles` for the last. Source: code.claude.com/docs/en/plugins-reference,
2026-08; npm @anthropic-ai/claude-code 2.1.50, cli.js.
"""
PLUGIN_MARKS: Mapping[str, tuple[str, frozenset[str]]] = {
    # Its commands and agents have no lists of tools: what is in one is for Claude Code.
    ".cursor-plugin": ("cursor", frozenset({SKILL})),
    ".codex-plugin": ("codex", frozenset({SKILL})),
    ".github/plugin": ("copilot", frozenset({AGENT, SKILL})),
    "gemini-extension.json": ("gemini-cli", frozenset({AGENT, SKILL})),
}
"""What else in the folder of a plugin says that another client reads it too, and which kinds of its files.

Source: public plugins for several clients, 2026-11; geminicli.com/docs/extensions/reference, 2026-10.
"""


def standing_in_plugin(kind: str, marks: Collection[str]) -> Standing:
    """The standing of a file that a plugin of Claude Code brings along; `marks` are those of `PLUGIN_MARKS` beside it."""
    others = {client for mark, (client, kinds) in PLUGIN_MARKS.items() if mark in marks and kind in kinds}
    readers = ANY_CLIENT if others and kind == SKILL else frozenset({"claude-code", *others})
    return Standing(kind, readers, in_plugin=True)
