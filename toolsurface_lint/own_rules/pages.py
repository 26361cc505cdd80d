"""The page of a rule as data, in Markdown: made of what the rule says."""

from __future__ import annotations

import json

from toolsurface_lint.own_rules.language import Definition


def page(definition: Definition) -> str:
    """What `rule CODE`, the editor and SARIF show of it."""
    summary = definition.summary or definition.message
    parts = [
        f"# {definition.code}",
        summary[:1].upper() + summary[1:] + ("" if summary.endswith((".", "!", "?")) else "."),
    ]
    parts.append(f"`{definition.severity}` · about every {definition.subject} · from `{definition.origin}`")
    if definition.help:
        parts += ["## How to fix", definition.help[:1].upper() + definition.help[1:]]
    if definition.url:
        parts.append(f"<{definition.url}>")
    for title, examples in (("Reported", definition.fires), ("Not reported", definition.silent)):
        if examples:
            parts.append(f"## {title}")
        for files in examples:
            parts += [_fenced(path, text) for path, text in files.items()]
    return "\n\n".join(parts) + "\n"


def _fenced(path: str, text: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence} path={json.dumps(path)}\n{text.rstrip()}\n{fence}"
