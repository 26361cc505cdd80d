"""One recorded result of an MCP server against the tool that was called."""
