"""Which Python files are worth parsing: decided on their text, before anything that parses is even imported."""

from __future__ import annotations

import re

from toolsurface_lint.programs.framework import names

# What a file that defines tools has somewhere: a decorator, a constructor, a registration, a base class, or a schema.
# Plain texts and patterns that begin with one are searched for at memory speed.
_PATTERNS = (
    re.compile(r"@[\w. \t]*tool(?:_[a-z]+)?\b"),
    re.compile(r"Tool\.from_(?:function|tool|defaults|schema)"),
    re.compile(r"\.(?:as_)?tool(?:_plain)?[ \t]*\("),
    re.compile(r"Tool(?:Param)?[ \t]*[(),\[\]]"),
    re.compile(r"tools(?:[\"'][ \t]*:|[ \t]*\+?=)[ \t]*[\[(]"),
    re.compile(r"\.tools\.(?:append|extend|insert)[ \t]*\("),
)
_FUNCTIONS = re.compile(r"functions(?:\.(?:append|extend|insert)[ \t]*\(|[ \t]*\+?=[ \t]*[\[(])")
"""The same of an agent under the name that OpenAI gave tools first."""
_HANDED = re.compile(r"tools[ \t]*=[ \t]*\w")
_TAKER = re.compile(r"(?:Agent|_agent|Toolset|ToolNode|GenerateContentConfig|super\(\)\.__init__)[ \t]*\(")
"""A list under a name may hold plain functions, which are tools once something takes it."""
_OBJECT = r"[\"']?[ \t]*[:=][ \t]*\{\s*[\"']type[\"'][ \t]*:[ \t]*[\"']object[\"']"
_SCHEMAS = (re.compile("parameters" + _OBJECT), re.compile("schema" + _OBJECT))
_DICT = re.compile(r"[\"']type[\"'][ \t]*:[ \t]*[\"']function[\"']|[\"']function[\"'][ \t]*:[ \t]*\{")


def may_define_tools(text: str) -> bool:
    """Whether a Python text could define tools; false means that it need not be parsed."""
    if "tool" in text or "Tool" in text:
        if any(pattern.search(text) for pattern in _PATTERNS):
            return True
        if _HANDED.search(text) is not None and _TAKER.search(text) is not None:
            return True
    if any(map(text.__contains__, names("signs"))):
        return True
    if ("agent" in text or "Agent" in text) and _FUNCTIONS.search(text) is not None:
        return True
    if any(pattern.search(text) for pattern in _SCHEMAS):
        return True
    return ('"function"' in text or "'function'" in text) and _DICT.search(text) is not None
