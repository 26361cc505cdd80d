"""What running MCP servers serve, asked with the official client: the only room that starts something besides git."""
