"""What the rules about the template language share: words of other languages, and fixes that leave a template that parses."""

from __future__ import annotations

from collections.abc import Sequence

from toolsurface_lint.model.diagnostics import Edit, Fix
from toolsurface_lint.model.template import PromptTemplate
from toolsurface_lint.protocols.template_parser import parse_template
from toolsurface_lint.protocols.templates import TemplateError
from toolsurface_lint.source.text import Span

END_WORDS = frozenset({"endif", "endfor", "endeach", "endforeach", "endwith", "endinclude", "fi", "endraw"})
ELSE_WORDS = frozenset({"elseif", "elsif", "else_if"})


def parses(text: str, edits: Sequence[tuple[Span, str]] = ()) -> bool:
    """Whether a template, after edits in the order of the text, parses."""
    parts = []
    at = 0
    for span, written in edits:
        parts += [text[at : span.start], written]
        at = span.end
    try:
        parse_template("".join(parts) + text[at:])
    except TemplateError:
        return False
    return True


def fix_of(template: PromptTemplate, edits: Sequence[tuple[Span, str]], *, safe: bool = False) -> Fix | None:
    """The fix that writes texts into a template, None without edits; safe only if it renders the same."""
    if not edits:
        return None
    words = " and ".join(dict.fromkeys(f"`{text}`" for _, text in edits))
    return Fix(f"write {words}", safe, tuple(Edit(template.place(span), text) for span, text in edits))
