"""Ollama: functions given to `chat`; a parameter without a type hint is a string (ollama 0.6.3, `_utils.py`)."""

from toolsurface_lint.programs.framework import SUMMARY, Framework

FRAMEWORK = Framework(
    "python-ollama", packages={"ollama": ("Client", "AsyncClient")}, text=SUMMARY, documented=True, untyped="string"
)
