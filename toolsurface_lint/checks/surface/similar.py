"""Two tools of one list that do the same, as far as a model can see: only the words differ."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolsurface_lint.checks.contract import SURFACE, check
from toolsurface_lint.knowledge import synonyms
from toolsurface_lint.model.diagnostics import INFO, Finding, Rule
from toolsurface_lint.model.meanings import ONE, VERBS, Meaning, meaning_of
from toolsurface_lint.model.names import folded
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.words import name_words, stem

RULE = Rule(
    code="TOOL_SURFACE_SIMILAR_TOOLS",
    since="0.1.0",
    severity=INFO,
    summary="Two tools of one list say the same by their names, parameters and descriptions.",
    message={
        "verb": "`{name}` and `{other}` differ only in verbs that mean the same, and nothing says when to use which",
        "word": "`{name}` and `{other}` differ only in {words}, and nothing says when to use which",
    },
    help="say in both descriptions when to use it, or merge the tools",
    tags=("tools",),
    preview=True,
)


@check(SURFACE, RULE)
def check_similar(surface: Surface) -> Iterator[Finding]:
    by_meaning: dict[tuple[str, Meaning], list[Tool]] = {}
    for tool in surface.active:
        meaning = meaning_of(tool.name)
        # Of a list that leaves out schemas or descriptions, nobody knows what they would say.
        is_known = tool.schema_path is not None and "description" in tool.declarable
        if meaning is not None and is_known and not tool.optional:
            by_meaning.setdefault((tool.namespace, meaning), []).append(tool)
    for (_, meaning), tools in by_meaning.items():
        if len(tools) > 1:
            yield from _similar(tools, meaning)


_SAID = re.compile(r"\w+")
_LITTLE = {stem(word) for word in synonyms.SAYS_LITTLE}


def _similar(tools: list[Tool], meaning: Meaning) -> Iterator[Finding]:
    """Those of tools whose names say the same that also have the same parameters and say the same of themselves."""
    known: dict[tuple[frozenset[str], frozenset[str]], Tool] = {}
    of_names = {stem(word) for tool in tools for word in name_words(tool.name)}
    of_verb = {stem(verb) for verb, first in VERBS.items() if first in (meaning.verb, ONE)}
    for tool in tools:
        text = "" if tool.description is None else tool.description.value.strip()
        parameters = frozenset(folded(parameter.name) for parameter in tool.parameters)
        said = {stem(word) for word in _SAID.findall(text.casefold())} - of_names - of_verb - _LITTLE
        said -= {stem(word) for parameter in tool.parameters for word in name_words(parameter.name)}
        other = known.setdefault((parameters, frozenset(said)), tool)
        others = "" if other.description is None else other.description.value.strip()
        # The same name, or the same text, is reported as such.
        if folded(other.name) == folded(tool.name) or (text and text == others):
            continue
        verb = len(meaning.before)
        both = {*name_words(tool.name)[verb + 1 :]} ^ {*name_words(other.name)[verb + 1 :]}
        more = sorted(both & synonyms.SAYS_NOTHING)
        yield RULE.at(
            tool.name_place,
            "word" if more else "verb",
            tool=tool.name,
            field="name",
            related=[(f"`{other.name}` is declared here", other.name_place)],
            name=other.name,
            other=tool.name,
            words=", ".join(f"`{word}`" for word in more),
        )
