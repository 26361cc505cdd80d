"""The fixes of rules as data: a text rewritten by a pattern, where nothing else refers to it."""

from __future__ import annotations

import re

from toolsurface_lint.model.diagnostics import Fix, rewriting
from toolsurface_lint.own_rules.judging import Failure
from toolsurface_lint.own_rules.language import Definition
from toolsurface_lint.own_rules.patterns import TooMuch, compiled
from toolsurface_lint.source.excerpts import beginning
from toolsurface_lint.source.tree import Place

_WORDS = re.compile(r"\w+")
_TITLE = 60


def rewriting_fix(definition: Definition, failure: Failure, name: Place | None) -> Fix | None:
    """The fix of a finding: what its place reads, rewritten. None where nothing would change, and for the `name` of a tool.

    Safe where a text is only read, and keeps its words: letter case, white space and punctuation may change. Anything
    else changes what somebody wrote, and only the author knows whether it still says what is meant.
    """
    rewrite, text = definition.fix, failure.place.reads()
    if rewrite is None or text is None or (name is not None and failure.place.path == name.path):
        return None
    try:
        new = compiled(rewrite.replace).replaced(text, rewrite.with_)
    except TooMuch:
        return None
    fix = rewriting(failure.place, new)
    if fix is None:
        return None
    title = f"replace `{_short(text)}` with `{_short(new)}`" if new else f"remove `{_short(text)}`"
    return Fix(title, failure.prose and _words(text) == _words(new), fix.edits)


def _short(text: str) -> str:
    return beginning(" ".join(text.split()), _TITLE)


def _words(text: str) -> list[str]:
    return _WORDS.findall(text.casefold())
