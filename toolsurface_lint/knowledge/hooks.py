"""Hooks of coding clients: the events, what a matcher of each is compared with, and in which unit time is counted.

Each row says where it was read, as of 2026-11.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from toolsurface_lint.knowledge import DOCS, SOURCE, words

TOOLS, AGENTS = "tools", "agents"
"""What a matcher names where its values cannot be listed: tools of the client and of servers, or agents."""


class Matched(NamedTuple):
    """What the matcher of an event is compared with: one of some words, or what `of` says.

    `complete`: there are no other words, and one that is not among them never matches.
    """

    values: frozenset[str] = frozenset()
    complete: bool = False
    of: str = ""


class HookClient(NamedTuple):
    """The hooks of one client.

    `events` say of each event what a matcher is compared with: None if the client ignores it there, an empty row if its
    values are not known. `complete`: every event, and every type of hook in `required`, is listed. `tools` are the names that
    matchers have for the client's own tools, where they are not those of the client's catalogue; `all_tools`: there are no
    others. `expressions`: every matcher of a tool is a regular expression, also one of plain names; `exact`: any other
    matcher is one word, without alternatives. `flat`: a hook is an entry of its event, without a group around it. A timeout
    counts in `unit`; one below `least` is plainly meant in another. `group` and `handler` are the keys of a group and of a
    hook, `required` those that a hook of each type needs. `other` are the keys beside the events.
    """

    name: str
    events: Mapping[str, Matched | None]
    source: str
    confidence: str
    complete: bool = False
    tools: frozenset[str] = frozenset()
    all_tools: bool = False
    expressions: bool = False
    exact: bool = False
    flat: bool = False
    unit: str = "seconds"
    least: float = 0
    group: frozenset[str] = words("matcher hooks")
    handler: frozenset[str] = frozenset()
    required: Mapping[str, frozenset[str]] = {}
    other: frozenset[str] = frozenset()
    plugin: tuple[str, str] = ("", "")
    """What says that a plugin is for the client: the variable with its folder, and what lies in that folder."""


def _words(text: str, complete: bool = True) -> Matched:
    return Matched(words(text), complete)


_TOOLS, _AGENTS, _UNKNOWN = Matched(of=TOOLS), Matched(of=AGENTS), Matched()
_COMPACTION = _words("manual auto")

HOOKS: dict[str, HookClient] = {
    "claude-code": HookClient(
        "Claude Code",
        {
            **dict.fromkeys(
                ("PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied"), _TOOLS
            ),
            **dict.fromkeys(("SubagentStart", "SubagentStop"), _AGENTS),
            "SessionStart": _words("startup resume clear compact fork"),
            "SessionEnd": _words("clear resume logout prompt_input_exit bypass_permissions_disabled other", False),
            "Setup": _words("init maintenance", False),
            "PreCompact": _COMPACTION,
            "PostCompact": _COMPACTION,
            "Notification": _words(
                "permission_prompt idle_prompt auth_success elicitation_dialog elicitation_complete elicitation_response",
                False,
            ),
            "ConfigChange": _words("user_settings project_settings local_settings policy_settings skills", False),
            "InstructionsLoaded": _words("session_start nested_traversal path_glob_match include compact", False),
            "StopFailure": _words(
                "rate_limit overloaded authentication_failed billing_error invalid_request server_error "
                "max_output_tokens unknown",
                False,
            ),
            **dict.fromkeys(
                (
                    "UserPromptExpansion",
                    "FileChanged",
                    "Elicitation",
                    "ElicitationResult",
                    "PreModelSwitch",
                    "PostModelSwitch",
                    "DirectoryAdded",
                    "MessageDisplay",
                ),
                _UNKNOWN,
            ),
            **dict.fromkeys(
                (
                    "UserPromptSubmit",
                    "Stop",
                    "PostToolBatch",
                    "TeammateIdle",
                    "TaskCreated",
                    "TaskCompleted",
                    "WorktreeCreate",
                    "WorktreeRemove",
                    "CwdChanged",
                )
            ),
        },
        "npm @anthropic-ai/claude-agent-sdk 0.3.330 (Claude Code 2.1.330), sdk.d.ts: the events, the settings and the inputs"
        " of hooks; code.claude.com/docs/en/hooks, 2026-10: how matchers are compared",
        SOURCE,
        complete=True,
        all_tools=True,
        plugin=("CLAUDE_PLUGIN_ROOT", ".claude-plugin"),
        handler=words(
            "type command args if shell timeout onFailure statusMessage once async asyncRewake rewakeMessage rewakeSummary "
            "prompt model continueOnBlock url headers allowedEnvVars server tool input"
        ),
        required={
            "command": frozenset({"command"}),
            "prompt": frozenset({"prompt"}),
            "agent": frozenset({"prompt"}),
            "http": frozenset({"url"}),
            "mcp_tool": frozenset({"server", "tool"}),
        },
    ),
    "gemini-cli": HookClient(
        "Gemini CLI",
        {
            "BeforeTool": _TOOLS,
            "AfterTool": _TOOLS,
            "SessionStart": _words("startup resume clear"),
            "SessionEnd": _words("exit clear logout prompt_input_exit other"),
            "PreCompress": _COMPACTION,
            **dict.fromkeys(
                ("BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeToolSelection", "Notification")
            ),
        },
        "npm @google/gemini-cli-core 0.61.0, hooks/types.js, hookRegistry.js, hookPlanner.js and hookRunner.js",
        SOURCE,
        complete=True,
        expressions=True,
        exact=True,
        unit="milliseconds",
        least=100,
        group=words("matcher sequential hooks"),
        plugin=("extensionPath", "gemini-extension.json"),
        handler=words("type command name description timeout env source"),
        required={"command": frozenset({"command"})},
        other=words("enabled disabled notifications"),
    ),
    "codex": HookClient(
        "Codex",
        {
            **dict.fromkeys(("PreToolUse", "PostToolUse", "PermissionRequest"), _TOOLS),
            **dict.fromkeys(("SubagentStart", "SubagentStop"), _UNKNOWN),
            "SessionStart": _words("startup resume clear compact", False),
            **dict.fromkeys(("SessionEnd", "PreCompact", "PostCompact"), _UNKNOWN),
            **dict.fromkeys(("UserPromptSubmit", "Stop")),
            "Interrupt": _UNKNOWN,
        },
        "openai/codex, codex-rs/config/src/hook_config.rs and codex-rs/hooks/src/events/common.rs, 2026;"
        " developers.openai.com/codex/hooks, 2026-09: the later events",
        DOCS,
        tools=words("Bash apply_patch Edit Write"),
        plugin=("PLUGIN_ROOT", ".codex-plugin"),
        handler=words(
            "type command timeout async statusMessage visibilityHint commandWindows command_windows "
            "additionalContextLimit server tool input prompt model"
        ),
        required={"command": frozenset({"command"}), "mcp_tool": frozenset({"server", "tool"})},
        other=words("state"),
    ),
    "cursor": HookClient(
        "Cursor",
        {
            **dict.fromkeys(("preToolUse", "postToolUse", "postToolUseFailure"), _TOOLS),
            **dict.fromkeys(
                (
                    "sessionStart",
                    "sessionEnd",
                    "stop",
                    "preCompact",
                    "beforeShellExecution",
                    "afterShellExecution",
                    "beforeMCPExecution",
                    "afterMCPExecution",
                    "beforeReadFile",
                    "afterFileEdit",
                    "beforeSubmitPrompt",
                    "afterAgentResponse",
                    "afterAgentThought",
                    "subagentStart",
                    "subagentStop",
                    "beforeTabFileRead",
                    "afterTabFileEdit",
                    "workspaceOpen",
                ),
                _UNKNOWN,
            ),
        },
        "cursor.com/docs/agent/hooks, 2026-08",
        DOCS,
        tools=words("Shell Read Write Grep Delete Task Edit"),
        flat=True,
        plugin=("CURSOR_PLUGIN_ROOT", ".cursor-plugin"),
        handler=words("type command prompt model matcher timeout failClosed loop_limit"),
        required={"command": frozenset({"command"}), "prompt": frozenset({"prompt"})},
    ),
}


EVENTS = {event: client.name for client in reversed(HOOKS.values()) for event in client.events}
"""Every event of any client, with the name of a client that has it."""

MOST_SECONDS = 1000
"""From here on, a round number of seconds is one of milliseconds: the longest default of any client is ten minutes."""
