"""The Claude Agent SDK: `@tool(name, description, {"city": str})`, served by an MCP server in the same process."""

from __future__ import annotations

from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.tool_maker import ToolMaker
from toolsurface_lint.programs.values import Call, External, Value


def _server(maker: ToolMaker, function: External, call: Call) -> Value:
    server = maker.registry.server_at(FRAMEWORK, function.path, *call.at)
    maker.take_tools(server, call.get("tools", 2), call)
    return server


FRAMEWORK = Framework(
    "python-claude-agent-sdk",
    packages={"claude_agent_sdk": ("create_sdk_mcp_server",), "claude_code_sdk": ("create_sdk_mcp_server",)},
    constructors=("SdkMcpTool",),
    calls={"create_sdk_mcp_server": _server},
    positions=("name", "description", "input_schema"),
    decorator_positions=("name", "description", "input_schema"),
    text_metadata=True,
    typed_keys=True,
)
