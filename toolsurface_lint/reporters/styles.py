"""Colours and links, for terminals."""

from __future__ import annotations

from toolsurface_lint.model.diagnostics import ERROR, INFO, WARNING, Diagnostic, Rule
from toolsurface_lint.reporters import RenderOptions

_STYLES = {
    ERROR: "1;31",
    WARNING: "1;33",
    INFO: "1;36",
    "strong": "1",
    "gutter": "1;34",
    "note": "1;36",
    "help": "1;32",
}


def paint(text: str, style: str, options: RenderOptions) -> str:
    """A text in the colour of a severity or of a part of the report, if colours are wanted."""
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if options.colour else text


def linked(rule: Rule | Diagnostic, options: RenderOptions) -> str:
    """The code of a rule as a link to its page (OSC 8), if links are wanted and there is one."""
    if not options.links:
        return rule.code
    from toolsurface_lint.checks.pages import built_in_url

    url = built_in_url(rule)
    return rule.code if url is None else f"\x1b]8;;{url}\x1b\\{rule.code}\x1b]8;;\x1b\\"
