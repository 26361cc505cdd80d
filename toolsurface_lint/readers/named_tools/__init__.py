"""Tools named in prose: what `check` finds in a prompt beyond the calls that the Harn specification knows.

A name speaks for a tool by what it is (`Vocabulary.kind`) and by the words around it. Strong: `the X tool`,
`use X`, an entry of a list of tools, `functions.X`, `mcp__SERVER__X`, a call as a JSON object or in tags. Medium: code
that is nearly a declared name, or made like one and the means of what is done. Everything else stays silent, and so does
what the words around it call a field, a file or another thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from toolsurface_lint.model.prompt import MEDIUM, PROSE, QUALIFIED, STRONG, USE, WEAK, Reference
from toolsurface_lint.model.vocabulary import CLOSE, COMPOUND, DECLARED, NOTHING, SHAPED, Vocabulary
from toolsurface_lint.readers.binding import Binding
from toolsurface_lint.readers.named_tools.calls import dotted_calls, json_calls, tags
from toolsurface_lint.readers.named_tools.candidates import (
    CODE,
    Candidate,
    find_candidates,
    grouped,
    without_placeholders,
)
from toolsurface_lint.readers.named_tools.context import (
    Context,
    calls_it_a_tool,
    is_other_thing,
    read_context,
    stance_of,
    weigh,
)
from toolsurface_lint.readers.named_tools.lists import find_listed
from toolsurface_lint.readers.named_tools.means import is_means, is_next_step, orders_by_means
from toolsurface_lint.readers.named_tools.past import is_past
from toolsurface_lint.source.text import is_within


def find_named_tools(text: str, calls: Sequence[Reference], vocabulary: Vocabulary) -> list[Reference]:
    """The tools that a prompt names outside of `calls`, in order; the calls of names with dots and dashes too.

    `text` is uniform; `calls` is what the Harn specification finds in it.
    """
    binding = Binding(text)
    text = without_placeholders(binding.text)
    candidates = find_candidates(text, vocabulary)
    found = [*dotted_calls(binding, vocabulary), *json_calls(text, vocabulary), *tags(text, vocabulary)]
    taken = sorted((call.start, call.call_end) for call in (*calls, *found))
    candidates = [candidate for candidate in candidates if not is_within(candidate.start, taken)]
    listed = find_listed(text, vocabulary)
    for group in grouped(text, candidates):
        found.extend(_references(text, group, vocabulary, listed))
    if any(reference.evidence == MEDIUM and reference.name not in vocabulary for reference in found):
        # A key of an example is not a tool.
        keys = frozenset(_KEY.findall(text))
        found = [reference for reference in found if reference.evidence != MEDIUM or reference.name not in keys]
    named = {reference.start for reference in found}
    found.extend(reference for start, reference in listed.items() if start not in named and not is_within(start, taken))
    return _apart(found)


_KEY = re.compile(r'"([A-Za-z_][A-Za-z0-9_]*+)"[ \t]*+:')
_NEAR_BEFORE, _NEAR_AFTER = 40, 48
# Parts of the words that say that a name is a tool, or is used.
_TOOL_SIGN, _USE_SIGNS = (
    "ool",
    ("us", "Us", "all", "nvok", "un", "xecut", "via", "hen", "irst", "ext", "inally", "refer"),
)


def _may_speak(text: str, group: Sequence[Candidate]) -> bool:
    """Whether the words around names, or the names themselves, may say that they are tools."""
    # Loops, because this is asked of every name in code, and nearly every group is of one.
    kind = NOTHING
    for candidate in group:
        kind = max(kind, candidate.kind)
    if kind == NOTHING:
        return False
    if kind >= CLOSE or (kind >= SHAPED and group[0].mark == CODE):
        return True
    for candidate in group:
        if "/" in candidate.name or "__" in candidate.name:
            return True
    left, right = group[0].left, group[-1].right
    if text.find(_TOOL_SIGN, right, right + _NEAR_AFTER) >= 0 or _is_chain(text, group):
        return True
    if kind >= SHAPED and text.find(" function", right, right + _NEAR_AFTER) >= 0:
        return True
    before = text[max(left - _NEAR_BEFORE, 0) : left]
    if _TOOL_SIGN in before or (kind >= SHAPED and before[-5:].rstrip().endswith((" and", " or", " the"))):
        return True
    # What is called may be of any words: `Call `; so is what has data for its last word.
    return (kind >= COMPOUND or "all" in before or "nvok" in before) and any(sign in before for sign in _USE_SIGNS)


def _is_chain(text: str, group: Sequence[Candidate]) -> bool:
    """Whether arrows lead from one name to the next."""
    return len(group) > 1 and (
        "\u2192" in text[group[0].right : group[1].left] or "->" in text[group[0].right : group[1].left]
    )


def _apart(found: list[Reference]) -> list[Reference]:
    """References in order; of those that overlap, the first."""
    found.sort(key=lambda reference: (reference.start, -reference.end))
    apart: list[Reference] = []
    for reference in found:
        if not apart or reference.start >= apart[-1].end:
            apart.append(reference)
    return apart


def _references(
    text: str, group: list[Candidate], vocabulary: Vocabulary, listed: dict[int, Reference]
) -> Iterator[Reference]:
    if not _may_speak(text, group):
        return
    context = read_context(text, group[0].left, group[-1].right)
    chained = _is_chain(text, group)
    past = is_past(context)
    for candidate in group:
        if past and vocabulary.resolve(candidate.name)[0] not in vocabulary:
            listed.pop(candidate.start, None)
            continue
        reference = _reference(text, candidate, group, context, chained, vocabulary)
        if reference is None or reference.evidence != STRONG:
            reference = listed.get(candidate.start, reference)
        if reference is not None:
            yield reference


def _reference(
    text: str, candidate: Candidate, group: list[Candidate], context: Context, chained: bool, vocabulary: Vocabulary
) -> Reference | None:
    name, known = vocabulary.resolve(candidate.name)
    kind = DECLARED if name in vocabulary else candidate.kind
    if not known or kind == NOTHING:
        return None
    start = candidate.end - len(name)
    other = None
    if candidate.name.startswith("mcp__"):
        evidence = STRONG
    elif is_other_thing(context):
        return None
    else:
        evidence = weigh(candidate, kind, group, context, chained, vocabulary)
        if evidence != STRONG and kind in (SHAPED, CLOSE) and candidate.mark == CODE:
            other = _by_other_words(name, kind, context, vocabulary)
            evidence = other or evidence
    next_step = kind in (SHAPED, CLOSE) and _is_next_step(text, candidate, name, vocabulary)
    if next_step and evidence == WEAK:
        alike = vocabulary.shares_an_edge(name) and not vocabulary.ends_like_data(name)
        evidence = STRONG if alike else MEDIUM if vocabulary.is_made_like_a_tool(name) else WEAK
    said = stance_of(text, group[0].left, context)
    if kind != DECLARED and (said != USE or evidence == WEAK):
        return None
    form = QUALIFIED if name != candidate.name or candidate.name.startswith("mcp__") else PROSE
    return Reference(
        name,
        start,
        candidate.end,
        form,
        candidate.end,
        evidence,
        specified=False,
        stance=said,
        called_tool=form == QUALIFIED or calls_it_a_tool(context) or other == STRONG,
        ordered=kind != DECLARED and (context.orders or next_step or (other is not None and orders_by_means(context))),
    )


def _is_next_step(text: str, candidate: Candidate, name: str, vocabulary: Vocabulary) -> bool:
    left = candidate.left
    if candidate.mark != CODE or not text[max(left - 8, 0) : left].rstrip().lower().endswith("then"):
        return False
    # The words before all names of a group are not those right before this one.
    return is_next_step(name, read_context(text, left, candidate.right), vocabulary)


def _by_other_words(name: str, kind: int, context: Context, vocabulary: Vocabulary) -> str | None:
    """The evidence of what neither a verb nor the word "tool" calls one: a hand-over, or the means of what is done."""
    if vocabulary.hands_over(name):
        return STRONG
    return MEDIUM if kind == SHAPED and is_means(name, context, vocabulary) else None
