"""Python tools: one module for each step from source text to the facts of its tools."""
