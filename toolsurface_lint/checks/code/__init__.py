"""The Python code behind a tool against what the tool declares."""
