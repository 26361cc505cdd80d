"""What the rules that found something say in general: once a rule, for people who meet it for the first time."""

from __future__ import annotations

from textwrap import wrap

from toolsurface_lint.checks.pages import first_paragraph, page
from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.reporters import RenderOptions
from toolsurface_lint.reporters.characters import visible
from toolsurface_lint.reporters.styles import linked, paint

_WIDTH = 100
_INDENT = "  "
_WHY = "\n## Why it matters\n"


def explanations(report: Report, options: RenderOptions) -> list[str]:
    """For each code of a report, in order, a block: its summary, why it matters, and the command that shows more."""
    width = min(options.width or _WIDTH, _WIDTH)
    blocks = []
    own = {rule.code: rule for rule in report.rules if rule.page}
    for code, diagnostic in sorted({diagnostic.code: diagnostic for diagnostic in report.diagnostics}.items()):
        text = own[code].page if code in own else page(code)
        if text is None:
            continue
        lines = [f"{paint(linked(diagnostic, options), 'strong', options)}: {visible(first_paragraph(text))}"]
        lines += wrap(_why(text), width, initial_indent=_INDENT, subsequent_indent=_INDENT, break_on_hyphens=False)
        lines.append(f"{_INDENT}{paint('more:', 'help', options)} toolsurface-lint rule {code}")
        blocks.append("\n".join(lines))
    return blocks


def _why(page: str) -> str:
    """The first paragraph of the section that says why a rule is there; empty if the page has none."""
    _, found, rest = page.partition(_WHY)
    return first_paragraph(rest.split("\n## ")[0]) if found else ""
