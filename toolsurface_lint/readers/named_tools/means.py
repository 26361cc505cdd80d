"""Tools named as the means of what is done: ``check it with `get_price` ``, ``take the list from `list_orders` ``.

Prose names values, fields and flags with the same words: ``answer with `needs_review` ``, ``sort by `due` ``. So the name must be
made as tools are, nothing of the sentence may say that it is written, compared or passed to a call, and only a text whose
reader is known is judged by it.
"""

from __future__ import annotations

import re

from toolsurface_lint.knowledge.prompt_words import (
    FILLERS,
    IMPERATIVES,
    MEANS,
    NO_MEANS,
    NO_MEANS_HERE,
    SUBJECT_VERBS,
    USE_VERBS,
    WORDS_OF_ORDERS,
)
from toolsurface_lint.model.vocabulary import Vocabulary
from toolsurface_lint.readers.named_tools.context import CUT, WORD_MARKS, Context


def is_means(name: str, context: Context, vocabulary: Vocabulary) -> bool:
    """Whether something is done by means of what a name in code stands for, or it is said what that does."""
    if context.introduced or vocabulary.is_argument(name):
        return False
    if not context.before or context.before[-1] == ",":
        return vocabulary.begins_like_another(name) and not SUBJECT_VERBS.isdisjoint(context.after[:1])
    if not vocabulary.is_made_like_a_tool(name):
        return False
    clause, _ = _clause(context)
    while clause and clause[-1] in FILLERS:
        clause.pop()
    if not clause or clause[-1] not in MEANS or any("`" in word for word in clause):
        return False
    words = frozenset(clause)
    here = clause[_verb_at(clause)], clause[-2:][0]
    return words.isdisjoint(NO_MEANS) and words.isdisjoint(USE_VERBS) and NO_MEANS_HERE.isdisjoint(here)


_NEXT = r"(?:\A|[,;:] |\band )then[ `*]*\Z"
_CODE = re.compile(r"`([^`\s]+)`")
_GOES_ON = frozenset({"again", "and", "as", "before", "for", "if", "on", "or", "to", "until", "when", "with"})


def is_next_step(name: str, context: Context, vocabulary: Vocabulary) -> bool:
    """Whether a name in code is the next of several steps: ``look it up in `find_note`, then `get_note` ``.

    What things are sorted by, and what an answer holds, follow each other too: a sentence that goes on with a step must name a
    declared tool.
    """
    said = context.said
    if re.search(_NEXT, said, re.IGNORECASE) is None or "_" not in name.strip("_") or vocabulary.is_argument(name):
        return False
    if context.after and context.after[0] not in _GOES_ON:
        return False
    words = frozenset(word.strip(WORD_MARKS) for word in said.lower().split())
    if not (words.isdisjoint(NO_MEANS) and words.isdisjoint(NO_MEANS_HERE)):
        return False
    steps = _CODE.findall(said)
    return len(words) == 1 or any(step.partition("(")[0] in vocabulary for step in steps)


def orders_by_means(context: Context) -> bool:
    """Whether the clause before a name tells its reader to do something: `then check it with`."""
    clause, whole = _clause(context)
    return whole and bool(clause) and clause[_verb_at(clause)] in IMPERATIVES


def _verb_at(clause: list[str]) -> int:
    """Where the verb of a clause is if it tells its reader to do something."""
    return next((at for at, word in enumerate(clause) if word not in WORDS_OF_ORDERS), len(clause) - 1)


def _clause(context: Context) -> tuple[list[str], bool]:
    """The words of the clause before a name, in lower case, with the marks of code; and whether all of it is at hand."""
    words: list[str] = []
    for word in reversed(context.said.lower().split()):
        if word == CUT:
            return words[::-1], False
        if words and word[-1] in ",;:)":
            break
        words.append(word.strip(WORD_MARKS) if "`" not in word else word)
    return words[::-1], True
