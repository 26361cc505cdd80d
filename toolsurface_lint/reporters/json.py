"""The output for programs: `Report.to_dict` as JSON, one diagnostic a line, and the statistics if they are wanted."""

from __future__ import annotations

import json
import re
from typing import Any

from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.reporters import RenderOptions
from toolsurface_lint.reporters.characters import escape_commands

# Every escape is matched, so that a backslash that is escaped itself cannot be taken for the start of one.
_ESCAPE = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u[dD][89a-fA-F]..|\\.")


def render(report: Report, options: RenderOptions) -> str:
    value = report.to_dict()
    if options.statistics:
        from toolsurface_lint.reporters.code_counts import code_counts

        value["statistics"] = code_counts(report)
    return dump(value, 2) + "\n"


def dump(value: Any, depth: int) -> str:
    r"""JSON in ASCII, with a line for each member down to a depth of `depth`; what lies deeper is on one line.

    ASCII, because it passes through every terminal and code page unharmed. A lone surrogate becomes U+FFFD: JSON can
    say `\ud800`, but strict readers refuse the whole document for it.
    """
    text = escape_commands(_layout(value, depth, "\n"), "\\u0023")
    if "\\ud" not in text:
        return text
    return _ESCAPE.sub(lambda found: "\\ufffd" if len(found[0]) == len("\\ud800") else found[0], text)


def _layout(value: Any, depth: int, line_end: str) -> str:
    if not depth or not value or not isinstance(value, dict | list):
        return json.dumps(value)
    inner = line_end + "  "
    if isinstance(value, dict):
        members = [f"{json.dumps(key)}: {_layout(member, depth - 1, inner)}" for key, member in value.items()]
        return "{" + inner + f",{inner}".join(members) + line_end + "}"
    return "[" + inner + f",{inner}".join(_layout(item, depth - 1, inner) for item in value) + line_end + "]"
