"""Rules about lists of MCP servers."""
