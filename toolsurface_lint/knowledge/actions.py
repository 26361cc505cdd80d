"""GitHub actions that run a coding client: which of their inputs hold prompts, settings and lists of tools.

Source: anthropics/claude-code-action at 24dcd50 (2026-08): `action.yml`, `base-action/action.yml`, the migration guide, and
what parses `claude_args` and starts servers in `base-action/src` and `src/mcp`; google-github-actions/run-gemini-cli at
3ca2577 (2026-04), `action.yml`; the documentation of openai/codex-action, 2026-08.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from toolsurface_lint.knowledge import words


class Action(NamedTuple):
    """One action.

    `client` is a key of `knowledge.clients.CLIENTS`. `prompts`, `settings`, `arguments`, `allowed`, `disallowed` and `servers`
    are inputs: texts for the model, settings of the client as JSON, arguments of its command line, lists of tools, and a list
    of MCP servers as JSON. `removed` are inputs that version 1 does not have, each with what takes its place there. `own` are
    the servers that the action starts by itself, with their tools; None where the action runs a published server.
    """

    client: str
    prompts: tuple[str, ...]
    settings: str | None = None
    arguments: str | None = None
    allowed: str | None = None
    disallowed: str | None = None
    servers: str | None = None
    removed: Mapping[str, str] = {}
    own: Mapping[str, frozenset[str] | None] = {}


_REMOVED = {
    "allowed_tools": "write `--allowedTools` in `claude_args`",
    "disallowed_tools": "write `--disallowedTools` in `claude_args`",
    "custom_instructions": "write `--append-system-prompt` in `claude_args`",
    "direct_prompt": "write it as `prompt`",
    "override_prompt": "write it as `prompt`",
    "max_turns": "write `--max-turns` in `claude_args`",
    "model": "write `--model` in `claude_args`",
    "mcp_config": "write `--mcp-config` in `claude_args`",
    "claude_env": "write it as `env` of `settings`",
    "timeout_minutes": "write it as `timeout-minutes` of the job",
    "mode": "leave it out: the action finds the mode itself",
}

ACTIONS: Mapping[str, Action] = {
    "anthropics/claude-code-action": Action(
        "claude-code",
        ("prompt", "direct_prompt", "override_prompt", "custom_instructions"),
        settings="settings",
        arguments="claude_args",
        allowed="allowed_tools",
        disallowed="disallowed_tools",
        servers="mcp_config",
        removed=_REMOVED,
        own={
            "github": None,
            "github_ci": words("get_ci_status get_workflow_run_details download_job_log"),
            "github_comment": words("update_claude_comment"),
            # The last one is what versions before 1 had in place of `github_comment`.
            "github_file_ops": words("commit_files delete_files update_claude_comment"),
            "github_inline_comment": words("create_inline_comment"),
        },
    ),
    # No version 1 of it is published, and `@beta` has moved on to `claude_args`: what a reference means is not known.
    "anthropics/claude-code-base-action": Action(
        "claude-code",
        ("prompt", "system_prompt", "append_system_prompt"),
        settings="settings",
        arguments="claude_args",
        allowed="allowed_tools",
        disallowed="disallowed_tools",
        servers="mcp_config",
    ),
    "google-github-actions/run-gemini-cli": Action("gemini-cli", ("prompt",), settings="settings"),
    "openai/codex-action": Action("codex", ("prompt",)),
}
"""By the name in `uses`, in lower case."""
