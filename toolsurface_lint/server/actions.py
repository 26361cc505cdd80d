"""What the editor may do about a diagnostic: its fix, or a suppression of it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from typing import NamedTuple

from toolsurface_lint.config import OWN_FILE, TABLE, Settings
from toolsurface_lint.diagnostics import AppliedFix, Diagnostic
from toolsurface_lint.model.document import Document
from toolsurface_lint.source.markdown import layout
from toolsurface_lint.source.text import LineIndex, Span

_COMMENTS = {
    "markdown": "<!-- {} -->",
    "text": "<!-- {} -->",
    "yaml": "# {}",
    "toml": "# {}",
    "python": "# {}",
    "json": "// {}",
    "template": "{{{{# {} #}}}}",
}
_NEVER_SUPPRESSED = ("SUPPRESSION_", "INTERNAL_ERROR", "INPUT_")


class Insertion(NamedTuple):
    """A text to insert into a document at an offset."""

    offset: int
    text: str


def safe_fixes(diagnostics: Iterable[Diagnostic]) -> list[AppliedFix]:
    """The safe fixes that can be applied together: of those whose edits meet, the first one."""
    chosen: list[AppliedFix] = []
    taken: list[tuple[str, Span]] = []
    for diagnostic in diagnostics:
        fix = diagnostic.fix
        if fix is None or not fix.safe or fix in chosen:
            continue
        spans = [(edit.location.path, edit.location.span) for edit in fix.edits]
        if not any(_meet(one, other) for one in spans for other in taken):
            chosen.append(fix)
            taken.extend(spans)
    return chosen


def _meet(one: tuple[str, Span], other: tuple[str, Span]) -> bool:
    return one[0] == other[0] and one[1].start <= other[1].end and other[1].start <= one[1].end


def suppression(diagnostic: Diagnostic, document: Document, text: str) -> Insertion | None:
    """A comment above a diagnostic's line that hides it there; None where no comment can stand, or none would count.

    `text` is the document's text. A comment is no comment inside of a string: the values must stay the same.
    """
    if diagnostic.code.startswith(_NEVER_SUPPRESSED) or diagnostic.location is None:
        return None
    comment = _COMMENTS.get("template" if document.templates else document.language)
    if comment is None or (document.language == "json" and not document.has_comments):
        return None
    lines = LineIndex(text)
    line = lines.line_span(lines.line_at(diagnostic.location.span.start))
    if document.language in ("markdown", "text"):
        fenced = any(fence.start <= line.start < fence.end for fence in layout(text, exact=True).fences)
        if fenced or line.start < _front_matter_end(document, text):
            return None
    indent = _INDENT.match(text, line.start, line.end)
    line_end = "\r\n" if "\r\n" in text else "\n"
    directive = comment.format(f"toolsurface-lint: ignore-next-line[{diagnostic.code}]")
    inserted = Insertion(line.start, f"{indent[0] if indent else ''}{directive}{line_end}")
    return inserted if _means_the_same(document, text, inserted) else None


_INDENT = re.compile(r"[ \t]*")


def _front_matter_end(document: Document, text: str) -> int:
    """The end of a prompt file's front matter, in which Markdown has no comments; 0 if there is none."""
    if document.language != "markdown" or not text.startswith("---"):
        return 0
    from toolsurface_lint.readers.front_matter import read_front_matter

    matter = read_front_matter(document.source)
    return 0 if matter is None else matter.body


def _means_the_same(document: Document, text: str, inserted: Insertion) -> bool:
    """Whether a document still has the same values with a comment inserted."""
    if document.language in ("markdown", "text"):
        return True
    changed = text[: inserted.offset] + inserted.text + text[inserted.offset :]
    return _values(document.language, text) == _values(document.language, changed)


def _values(language: str, text: str) -> object:
    if language == "python":
        import ast

        try:
            return ast.dump(ast.parse(text))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    from toolsurface_lint.source.text import SourceText

    source = SourceText("", text)
    if language == "json":
        from toolsurface_lint.source.json import read_json

        found = read_json(source)
    elif language == "yaml":
        from toolsurface_lint.source.yaml import read_yaml

        found = read_yaml(source)
    else:
        from toolsurface_lint.source.toml import read_toml

        found = read_toml(source)
    kinds = sorted({problem.kind for problem in found.problems})
    return json.dumps([[tree.value for tree in found.trees], kinds], default=str)


def settings_ignore(diagnostic: Diagnostic, path: str, settings: Settings) -> tuple[str, str] | None:
    """A `[[per-file-ignores]]` table that hides a diagnostic's code in the file at an absolute path.

    The result is the absolute path of the settings file, which need not be there yet, and the text to add at its end.
    None for a file outside of what the settings speak of.
    """
    if diagnostic.code == "INTERNAL_ERROR":
        return None
    relative = os.path.relpath(path, settings.root).replace(os.sep, "/")
    if relative.startswith("../") or os.path.isabs(relative):
        return None
    file = settings.path or os.path.join(settings.root, OWN_FILE)
    table = "per-file-ignores" if os.path.basename(file) == OWN_FILE else f"tool.{TABLE}.per-file-ignores"
    # Letters that mean something in a glob are put in brackets.
    glob = re.sub(r"([*?\[{}])", r"[\1]", relative)
    return (
        file,
        f"[[{table}]]\npath = {json.dumps(glob, ensure_ascii=False)}\ncodes = [{json.dumps(diagnostic.code)}]\n",
    )
