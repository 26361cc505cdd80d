"""Lists of MCP servers in the files of clients: under which key, with which fields, over which transports.

Each row says where it was read, as of 2026-11. Clients add fields every month, and one file is often read by several: what
is not among the fields is wrong only if it is nearly one of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from toolsurface_lint.knowledge import ADDRESSES, words

STARTED, REACHED = "started", "reached"
"""What a client does with a server: it starts it by a command, or reaches one that runs at an address."""


class ServerList(NamedTuple):
    """How a client writes its servers.

    `key` is the member of the file that holds them. `types` say what each `type` needs; with `all_types`, the client takes
    no other. `needs_type`: the client takes a server without a `type` for one that is started. `command_type` and
    `text_values`: what a command must be, and whether the values of variables and headers must be texts.
    """

    name: str
    key: str
    source: str
    fields: frozenset[str]
    types: Mapping[str, str] = {}
    all_types: bool = False
    needs_type: bool = False
    command_type: type = str
    text_values: bool = False
    others: Mapping[str, str] = {"cmd": "command", "arg": "args", "arguments": "args", "environment": "env"}
    """Names that a field has in other programs, which the client does not read."""


_JSON = words(
    # Claude Code: npm @anthropic-ai/claude-agent-sdk 0.3.330, sdk.d.ts; code.claude.com/docs/en/mcp.
    "type command args env url headers headersHelper oauth timeout alwaysLoad tools "
    # VS Code: code.visualstudio.com/docs/agents/reference/mcp-configuration.
    "cwd envFile dev gallery version sandbox sandboxEnabled "
    # Cursor: cursor.com/docs/mcp.
    "auth "
    # Gemini CLI: npm @google/gemini-cli-core 0.61.0, config.d.ts.
    "httpUrl tcp trust description includeTools excludeTools extension authProviderType targetAudience "
    "targetServiceAccount "
    # Windsurf, Cline, Roo Code, Amazon Q and Kiro: their documentation of `mcp_config.json`, `mcp.json` and `mcp_settings.json`.
    "serverUrl disabled disabledTools autoApprove alwaysAllow transportType watchPaths oauthScopes "
    # What libraries and gateways that read such files have beside these.
    "name title icon enabled transport roots bearerToken bearer_token env_file metadata instructions id shell "
    # Claude Code has no switch, and starts servers with `disabled` all the same (anthropics/claude-code, issue 33958, 2.1.74);
    # none is known of Cursor, VS Code and Gemini CLI: there, nothing is meant for these.
    "disable enable"
)
_TYPES = {
    "stdio": STARTED,
    "local": STARTED,
    **dict.fromkeys(
        ("http", "sse", "ws", "streamable-http", "streamableHttp", "streamable_http", "remote", "websocket"), REACHED
    ),
}

SERVER_LISTS: dict[str, ServerList] = {
    "claude-code": ServerList(
        "Claude Code",
        "mcpServers",
        "npm @anthropic-ai/claude-agent-sdk 0.3.330, sdk.d.ts; github.com/anthropics/claude-code/issues/73885 and"
        " github.com/huggingface/skills/pull/160: servers without `type`, up to 2.1.198",
        _JSON,
        {"stdio": STARTED, "local": STARTED, **dict.fromkeys(("http", "sse", "ws", "streamable-http"), REACHED)},
        all_types=True,
        needs_type=True,
        text_values=True,
    ),
    "claude-desktop": ServerList(
        "Claude Desktop", "mcpServers", "modelcontextprotocol.io/docs/develop/connect-local-servers", _JSON, _TYPES
    ),
    "vscode": ServerList(
        "VS Code",
        "servers",
        "code.visualstudio.com/docs/agents/reference/mcp-configuration, 2026-10",
        _JSON,
        {"stdio": STARTED, "http": REACHED, "sse": REACHED},
        all_types=True,
    ),
    "cursor": ServerList("Cursor", "mcpServers", "cursor.com/docs/mcp, 2026", _JSON, _TYPES),
    "gemini-cli": ServerList(
        "Gemini CLI", "mcpServers", "npm @google/gemini-cli-core 0.61.0, config/config.d.ts", _JSON, _TYPES
    ),
    "zed": ServerList(
        "Zed", "context_servers", "zed.dev/docs/ai/mcp", words("settings source remote").union(_JSON), _TYPES
    ),
    "codex": ServerList(
        "Codex",
        "mcp_servers",
        "openai/codex, codex-rs/config/src/mcp_types.rs, 2026",
        words(
            "command args env env_vars cwd http_headers env_http_headers url bearer_token bearer_token_env_var "
            "experimental_environment startup_timeout_sec startup_timeout_ms tool_timeout_sec enabled required "
            "supports_parallel_tool_calls default_tools_approval_mode enabled_tools disabled_tools scopes oauth "
            "oauth_resource name tools type transport environment_id auth"
        ),
    ),
    "opencode": ServerList(
        "OpenCode",
        "mcp",
        "opencode.ai/docs/mcp-servers and opencode.ai/v2/docs/mcp-servers, 2026-10",
        words("type command environment enabled disabled timeout cwd url headers oauth"),
        {"local": STARTED, "remote": REACHED},
        all_types=True,
        command_type=list,
        others={"cmd": "command", "env": "environment"},
    ),
    "": ServerList("any client", "mcpServers", "the rows above", _JSON, _TYPES, others={}),
}

SWITCHES = {"enabled": False, "disabled": True}
"""What says that a server is not to be started, in one client or another.

Source: `enabled`: opencode.ai/docs/mcp-servers, 2026-11, and openai/codex, codex-rs/config/src/mcp_types.rs, 2026; `disabled`:
RooCodeInc/Roo-Code cb83656, src/services/mcp/McpHub.ts, 2026-04.
"""
WAYS = ("command", *ADDRESSES, "tcp")
"""The fields that say how a server is started or reached."""
