"""One tool definition by itself."""
