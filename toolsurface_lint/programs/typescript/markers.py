"""Which TypeScript and JavaScript files are worth parsing: decided on their text."""

from __future__ import annotations

import re

_PATTERNS = (
    # Each begins with plain text, which is searched for at memory speed.
    re.compile(r"tool(?:s|Task|Spec)?\??[ \t]*(?:<[^<>()\n]{0,100}>)?\("),
    re.compile(r"Tool(?:s|Task|Spec)?\??[ \t]*(?:<[^<>()\n]{0,100}>)?\("),
    re.compile(r"ListToolsRequestSchema"),
    re.compile(r"tools/list"),
    re.compile(r"ToolMetadata\b"),
    re.compile(r"extends[ \t]+\w*Tool\b"),
    re.compile(r"tools[ \t]*[:=][ \t]*[\[{]"),
    re.compile(r"input_?[sS]chema[\"']?[ \t]*:"),
    re.compile(r"function_?[dD]eclarations[\"']?[ \t]*:"),
    re.compile(r"parametersJsonSchema[\"']?[ \t]*:"),
    re.compile(r"type[\"']?[ \t]*:[ \t]*[\"']function[\"']"),
    re.compile(r"parameters[\"']?[ \t]*:[ \t]*(?:z\.|\{[ \t\n]*[\"']?type[\"']?[ \t]*:[ \t]*[\"']object[\"'])"),
    re.compile(r"\b(?:createReactAgent|createAgent|generateText|streamText|definePrompt)\("),
    re.compile(r"claude-(?:agent-sdk|code)[\"']"),
    re.compile(r"new[ \t]+(?:\w{1,60}\.)?\w{0,60}(?:Agent|McpServer|FastMCP)[ \t]*(?:<[^<>()\n]{0,100}>)?\("),
)


def may_define_tools(text: str) -> bool:
    """Whether a text could define tools or make an agent; false means that it need not be parsed."""
    if "ool" not in text and "gent" not in text and "function" not in text:
        return False
    return any(pattern.search(text) is not None for pattern in _PATTERNS)
