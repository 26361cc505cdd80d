"""Keys and passwords in texts: what no output quotes."""

from __future__ import annotations

import re
from collections import Counter
from math import log2

from toolsurface_lint.source.text import SourceText, Span

# Each is the beginning that a service gives its keys, and the least and the most that follows.
_KEYS = (
    r"sk-ant-(?:api|admin|oat)\d\d-[\w-]{40,}",
    r"sk-proj-[\w-]{40,}",
    r"sk-or-v1-[0-9a-f]{64}",
    r"sk-[A-Za-z0-9]{32,}",
    r"gh[pousr]_[A-Za-z0-9]{36,}",
    r"github_pat_[A-Za-z0-9_]{60,}",
    r"glpat-[\w-]{20,}",
    r"xox[abeprs]-[0-9A-Za-z-]{20,}",
    r"xapp-\d-[0-9A-Za-z-]{30,}",
    r"(?:AKIA|ASIA)[0-9A-Z]{16}",
    r"AIza[\w-]{35}",
    r"npm_[A-Za-z0-9]{36}",
    r"hf_[A-Za-z0-9]{30,}",
    r"[rs]k_(?:live|test)_[A-Za-z0-9]{20,}",
    r"SG\.[\w-]{20,}\.[\w-]{30,}",
    r"ntn_[A-Za-z0-9]{40,}",
    r"lin_api_[A-Za-z0-9]{36,}",
    r"figd_[\w-]{36,}",
    r"sbp_[0-9a-f]{40}",
    r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{28,}",
    r"fc-[0-9a-f]{32}",
    r"pplx-[A-Za-z0-9]{40,}",
    r"gsk_[A-Za-z0-9]{40,}",
    r"dop_v1_[0-9a-f]{64}",
    r"apify_api_[A-Za-z0-9]{30,}",
    r"ATATT3[\w=-]{60,}",
    r"shpat_[0-9a-f]{32}",
    r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}",
)
# Compiled when they are used: few texts hold secrets.
_SECRET_NAME = r"(?i)token|secret|passw|api_?-?key|apikey|credential|authorization|private_?key|access_?key"
_SECRET_SIGNS = ("token", "secret", "passw", "key", "credential", "authorization")
"""One of these is in every such name."""
_PUBLIC_NAME = r"(?i)public|publishable|anon|path|file|url|_id\Z|name|header|limit|max|count|expir|type"
_RANDOM = r"(?:Bearer |Basic |Token )?([A-Za-z0-9+/=_.~-]{20,})\Z"
_PLACEHOLDER = (
    r"(?i)[<>${}*%…\s]|\.\.\.|x{4,}|your|example|placeholder|change|replace|insert|dummy|fake|sample|demo|test|here|todo"
    r"|redacted|secret_?key|api_?key|token|password|12345|abcde|0{5,}|c3VwYWJhc2UtZGVtb"
)
_VARIABLE = r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z"
_MOST = 4096
"""Characters of a value that is looked at."""

_NAMED = (
    # One name may be the value of another: `"env": "NOTES_TOKEN=..."`.
    r"""(?<![\w.-])(?=([\w.-]{1,64})["'`\\]{0,3}\s{0,8}[:=]\s{0,8}["'`\\]{0,3}"""
    r"""((?:Bearer |Basic |Token )?[A-Za-z0-9+/=_.~-]{20,}))"""
)
"""A name and its value in a text: a member, a header, a variable, a flag, a parameter of an address."""
_NEAR = 1024
"""Characters on each side of a place that are looked at: more than any output shows."""


def shows_secret(source: SourceText, span: Span) -> bool:
    """Whether the part of a line that is shown around a span may hold a key or a password, whichever rules are enabled."""
    text = source.text
    line = text.rfind("\n", 0, span.start)
    # The name of a value may be on the line before it.
    first = max(text.rfind("\n", 0, max(line, 0)) + 1, span.start - _NEAR)
    last = text.find("\n", span.start, span.start + _NEAR)
    return is_secret("", text[first : span.start + _NEAR if last < 0 else last])


def is_secret(name: str, text: str) -> bool:
    """Whether the text of a member is a secret, or holds one."""
    if is_key(text) or _is_random(name, text):
        return True
    folded = text.casefold()
    # Most texts name nothing like it, and a look is cheap.
    if not any(sign in folded for sign in _SECRET_SIGNS):
        return False
    return any(_is_random(*each) for each in re.findall(_NAMED, text[:_MOST]))


def is_key(text: str) -> bool:
    """Whether a text holds what a service gives out as a key."""
    if len(text) > _MOST:
        return False
    found = (match[0] for match in re.finditer(rf"(?<![\w-])(?:{'|'.join(_KEYS)})(?![\w-])", text))
    return any(_varied(key) and not re.search(_PLACEHOLDER, re.sub(r"\A[rs]k_test_", "", key)) for key in found)


def _is_random(name: str, text: str) -> bool:
    """Whether the value of a variable or a header that is named like a secret is as random as one."""
    if len(text) > _MOST or not re.search(_SECRET_NAME, name) or re.search(_PUBLIC_NAME, name):
        return False
    match = re.match(_RANDOM, text)
    if match is None or re.search(_PLACEHOLDER, match[1]) or "/" in match[1][:2] or re.match(_VARIABLE, match[1]):
        return False
    return sum(map(str.isdigit, match[1])) >= 3 and any(map(str.isalpha, match[1])) and _varied(match[1])


def _varied(text: str) -> bool:
    """Whether a text has as many different signs as one that nobody thought up: 3.2 bits each."""
    counts = Counter(text).values()
    return sum(count * log2(len(text) / count) for count in counts) / len(text) >= 3.2
