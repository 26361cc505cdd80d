"""The formats of tool definitions, one a file; see `readers/tool_format.py`."""
