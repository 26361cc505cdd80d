"""What a text orders a model to do that its user would not want: a small grammar over the words of sentences.

The words, and the phrases that they make, are data: `knowledge.concealment`. A phrase alone decides little. What is reported is
a phrase in a sentence that orders something: an act, its object, and where it leads. The time is linear in the text: a phrase
is tried where its first word is, and bounds how many words may lie between its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Sequence
from functools import cache, cached_property
from typing import NamedTuple

from toolsurface_lint.knowledge import concealment as lexicon
from toolsurface_lint.knowledge import words
from toolsurface_lint.knowledge.concealment import HOLDS_ANYTHING, may_conceal
from toolsurface_lint.model.words import name_words
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span

# A word begins where none goes on: no row of signs is gone through again from each of them.
_WORD = re.compile(r"(?<![\w~./$'’@-])[\w~./$'’@-]*\w|[,:;()-]")
_END = re.compile(r"[.!?](?=[\s\"')*_<`]|\Z)|\n(?=[ \t]*(?:\n|[-*#>|]|[0-9]+[.)]))|</?[A-Za-z][\w-]{0,40}>")


class Text(NamedTuple):
    """A text of a definition, and what is known of its tool; names are in lower case.

    `purpose` are the words that say what the tool is for, `parameters` the names that a call has a place for. `own` gives the
    names of its file, among them those of the tools beside it. `is_parameter`: the text describes a parameter.
    """

    text: str
    purpose: frozenset[str] = frozenset()
    parameters: Container[str] = ()
    own: Callable[[], Container[str]] = tuple
    is_parameter: bool = False


class _Sentence:
    """A sentence: its words in lower case, and what its phrases say, by the indexes of their words."""

    def __init__(self, text: str, start: int, end: int, is_first: bool, under_authority: bool) -> None:
        self._found = list(_WORD.finditer(text, start, end))
        self.words = [match[0].lower() for match in self._found]
        self.facts = _facts(self.words)
        self.is_first = is_first
        self.under_authority = under_authority
        self.text = text
        self.start = start

    # Few sentences say anything.
    @cached_property
    def places(self) -> list[Span]:
        """The place of each word."""
        return [Span(*match.span()) for match in self._found]

    @cached_property
    def in_code(self) -> list[bool]:
        """Whether each word is a name in backticks, or one that has an underscore."""
        text = self.text
        return [text[match.start() - 1 : match.start()] == "`" or "_" in match[0] for match in self._found]

    def span(self, first: int, last: int) -> Span:
        return Span(self.places[first].start, self.places[last].end)


def orders(text: Text) -> Iterator[Problem[Span]]:
    """What a text should not order, each with its class and its words: the first of a sentence.

    The classes are `hide`, `secret`, `tools` and `override`.
    """
    before: _Sentence | None = None
    for start, end, is_first, authority in _sentences(text.text):
        names_secret = before is not None and not lexicon.PURPOSES.keys().isdisjoint(before.facts)
        if not names_secret and not may_conceal(text.text[start:end]):
            before = None
            continue
        sentence = _Sentence(text.text, start, end, is_first, authority)
        problem = _judged(sentence, before if names_secret else None, text)
        if problem is not None:
            yield problem
        before = sentence


def _sentences(text: str) -> Iterator[tuple[int, int, bool, bool]]:
    """The start and the end of each sentence, whether it is the first, and whether it is inside a tag that gives it weight."""
    start, is_first, depth = 0, True, 0
    for end in (*_END.finditer(text), None):
        last = len(text) if end is None else end.start()
        if not text[start:last].isspace() and start < last:
            yield start, last, is_first, depth > 0
            is_first = False
        if end is not None:
            start = end.end()
            if end[0][0] == "<" and not lexicon.AUTHORITY.isdisjoint(re.split("[</>_-]", end[0].lower())):
                depth += -1 if end[0][1] == "/" else 1


# --- phrases ------------------------------------------------------------------------------------------------------

Phrase = tuple[tuple[frozenset[str], int], ...]
"""The words of a phrase, each a set of alternatives, with how many words may lie before it."""


@cache
def _phrases() -> dict[str, list[tuple[str, Phrase]]]:
    """The phrases, by each of their first words: what they say, and what follows."""
    phrases: dict[str, list[tuple[str, Phrase]]] = {}
    for fact, rows in lexicon.PHRASES.items():
        for row in rows:
            slots: list[tuple[frozenset[str], int]] = []
            gap = 0
            for part in row.split():
                if part[0] == "~":
                    gap = int(part[1:])
                else:
                    slots.append((lexicon.alternatives(part), gap))
                    gap = 0
            for word in slots[0][0]:
                phrases.setdefault(word, []).append((fact, tuple(slots[1:])))
    return phrases


def _facts(said: list[str]) -> dict[str, list[Span]]:
    """What the phrases of a sentence say, each with the first and the last word of its places."""
    known = _phrases()
    found: dict[str, list[Span]] = {}
    # One look at all words: none of the parts has a space in it.
    joined = " ".join(said)
    parts = [part for part in lexicon.SECRET_FILES if part in joined]
    for at, word in enumerate(said):
        if _is_secret_file(word, parts):
            found.setdefault("file", []).append(Span(at, at))
        for fact, rest in known.get(word, ()):
            last = _match(said, at, rest)
            if last is not None:
                found.setdefault(fact, []).append(Span(at, last))
    return found


def _is_secret_file(word: str, parts: Sequence[str] = lexicon.SECRET_FILES) -> bool:
    return any(part in word for part in parts) or word.rpartition("/")[2] in lexicon.SECRET_FILE_NAMES


def _match(sentence: list[str], at: int, rest: Phrase) -> int | None:
    """The last word of a phrase whose first word is at an index; None if the sentence does not go on like it."""
    if not rest:
        return at
    wanted, gap = rest[0]
    for index in range(at + 1, at + 2 + gap):
        word = sentence[index] if index < len(sentence) else "END"
        # What comes after a comma or a parenthesis ends a clause, too.
        if word in wanted or ("END" in wanted and word in (",", ";", ")", "END")):
            last = index if index < len(sentence) else index - 1
            found = _match(sentence, last, rest[1:])
            if found is not None:
                return found
        if word in ("END", ":", ";"):
            return None
    return None


# --- orders -------------------------------------------------------------------------------------------------------

_DEMANDS = words("must should shall have has need needs")


def _is_ordered(sentence: _Sentence, at: int) -> bool:
    """Whether a verb in its base form, at an index, tells the model to do something."""
    if at == 0:
        return True
    before = sentence.words[at - 1]
    if before == "to":
        return at > 1 and sentence.words[at - 2] in lexicon.ORDERING_TO
    return before in lexicon.ORDERING or before.endswith("ly")


def _first_order(sentence: _Sentence, verbs: frozenset[str]) -> int | None:
    said = sentence.words
    for at, word in enumerate(said):
        if sentence.in_code[at]:
            continue
        if word in verbs and _is_ordered(sentence, at):
            return at
        if word.removesuffix("s") in verbs and not lexicon.AGENTS.isdisjoint(said[max(at - 3, 0) : at]):
            return at
    return None


def _demand(sentence: _Sentence) -> int | None:
    """The first verb that says that something is to be handed over, or was if the rest is to hold."""
    ordered = _first_order(sentence, lexicon.SETS["GIVE"])
    if ordered is not None:
        return ordered
    said = sentence.words
    for at, word in enumerate(said):
        if word == "carry" and at and said[at - 1] in _DEMANDS:
            return at
        if word in lexicon.SETS["GIVEN"]:
            near = said[max(at - 2, 0) : at]
            wider = said[max(at - 4, 0) : at]
            if "be" in near and lexicon.ONLY_ABLE.isdisjoint(wider[:-1]):
                return at
            if _ARE.isdisjoint(near) and near:
                continue
            if _destination(sentence, at, ()) is not None:
                return at
    return None


_ARE = words("are is were")


def _destination(sentence: _Sentence, start: int, parameters: Container[str]) -> int | None:
    """The word that says where something goes: a parameter, or the call."""
    said = sentence.words
    for at in range(start + 1, min(start + _FAR, len(said))):
        word = said[at]
        if word in lexicon.HERE:
            return at
        # `as in`: what is like it.
        if word not in lexicon.SETS["INTO"] or ["as", "in"] in (said[at : at + 2], said[at - 1 : at + 1]):
            continue
        for index in range(at + 1, min(at + 4, len(said))):
            if sentence.in_code[index] and not _is_secret_file(said[index]):
                return index
            if said[index] in lexicon.ALONG_WITH or said[index] in parameters or said[index] in ("http", "https"):
                return index
    return None


# --- classes ------------------------------------------------------------------------------------------------------


def _judged(sentence: _Sentence, before: _Sentence | None, text: Text) -> Problem[Span] | None:
    facts = sentence.facts
    if not facts and before is None:
        return None
    if not lexicon.ABOUT_ATTACKS.isdisjoint(sentence.words):
        return None
    for kind, span in (
        ("secret", _secret(sentence, facts, before, text)),
        ("hide", _hidden(sentence, facts, text)),
        ("tools", _about_tools(sentence, facts, text)),
        ("override", _overridden(sentence, facts)),
    ):
        if span is not None and not _is_quoted(sentence, span):
            span = _clause(sentence, span)
            return Problem(kind, span, {"said": _excerpt(text.text[span.start : span.end])})
    return None


def _hidden(sentence: _Sentence, facts: dict[str, list[Span]], text: Text) -> Span | None:
    said = sentence.words
    for first, last in facts.get("lie", ()):
        if _is_ordered(sentence, first):
            return sentence.span(first, last)
    hidden = facts.get("hide", ())
    excepted = max((at for at, word in enumerate(said) if word in lexicon.EXCEPT), default=-1) if hidden else -1
    for first, last in hidden:
        if excepted > first or _is_stated(sentence, first):
            continue
        told = said[first] in lexicon.SETS["NOT"] and said[last] in lexicon.SETS["PERSON"]
        if told and not _hides_act(sentence, first, last, text):
            continue
        # `It fails without telling the user`: what the program does is not ordered.
        if said[first] == "without" and not _is_added_to_order(sentence, first):
            continue
        return sentence.span(first, last)
    for first, _ in facts.get("silently", ()):
        verb = first + 1
        if verb < len(said) and said[verb] in _TRANSFERS and _is_ordered(sentence, first):
            given = facts.keys() & {"chat", "prompt", "file", "keys", "results", "words of the user"}
            if given:
                return sentence.span(first, max(facts[min(given)][0].end, verb))
    return None


def _is_stated(sentence: _Sentence, first: int) -> bool:
    """Whether words say what a program does: `it does not notify the user`, or `Hide this column` at the beginning."""
    said = sentence.words
    if said[first] in lexicon.SETS["NOT"] and said[first] != "no":
        return said[first] in lexicon.STATING or (first > 0 and said[first - 1] in lexicon.STATING)
    return sentence.is_first and first == 0 and said[0] in _OWN_VERBS


_OWN_VERBS = words("hide conceal keep withhold leave omit")


_TRANSFERS = lexicon.SETS["GIVE"] | words("call log record save store post invoke report")


def _hides_act(sentence: _Sentence, first: int, last: int, text: Text) -> bool:
    """Whether `do not tell the user` goes on with what was done, or with nothing; advice goes on with what to do or say."""
    if not lexicon.SETS["NOTIFY"].isdisjoint(sentence.words[first:last]) and (text.is_parameter or sentence.is_first):
        return False
    rest = sentence.words[last + 1 : last + 8]
    if not rest or rest[0] in (",", ";", ")", "(", "-"):
        return True
    if rest[0] in ("about", "of", "with"):
        return bool(rest[1:]) and (rest[1] in _ALONE or not _ACTS.isdisjoint(rest[1:4]))
    if rest[0] == "that":
        if not lexicon.UNABLE.isdisjoint(rest) or rest[1:2] in (["they"], ["he"], ["she"], ["their"]):
            return False
        return rest[1:2] != ["the"] or not _ACTS.isdisjoint(rest)
    return rest[0] in _ALONE


_ALONE = lexicon.SETS["PRONOUN"] | words("anything any at")
_ACTS = (
    lexicon.SETS["ACT"]
    | lexicon.SETS["GIVEN"]
    | words("read cookies file files content contents called uploaded hidden")
)


def _is_added_to_order(sentence: _Sentence, end: int) -> bool:
    """Whether the words before an index order something, and forbid nothing: two negations are an order to tell."""
    before = sentence.words[max(end - _FAR, 0) : end]
    return lexicon.SETS["NOT"].isdisjoint(before) and _orders_something(sentence, max(end - _FAR, 0), end)


_FAR = 40
"""Words of a sentence that are looked at on either side."""


def _orders_something(sentence: _Sentence, start: int, end: int) -> bool:
    said = sentence.words
    if not _DEMANDS.isdisjoint(said[start:end]):
        return True
    return any(
        said[at] in _ORDERABLE and not sentence.in_code[at] and _is_ordered(sentence, at) for at in range(start, end)
    )


_ORDERABLE = _TRANSFERS | lexicon.SETS["READ"] | words("use do go make take add set change replace delete run")


def _secret(sentence: _Sentence, facts: dict[str, list[Span]], before: _Sentence | None, text: Text) -> Span | None:
    for kind, purpose in lexicon.PURPOSES.items():
        if kind in facts and purpose.isdisjoint(text.purpose):
            span = _asked_for(sentence, kind, facts[kind], text)
            if span is not None:
                return span
    if before is not None and not before.is_first:
        return _handed_over(sentence, before, text)
    return None


def _asked_for(sentence: _Sentence, kind: str, places: list[Span], text: Text) -> Span | None:
    """A secret that one sentence asks for."""
    said = sentence.words
    first, last = places[0].start, places[-1].end
    if text.is_parameter and sentence.is_first and first < _AT_ONCE and kind != "keys":
        asked = not lexicon.VERBATIM.isdisjoint(said) or (kind == "prompt" and "your" in said[: last + 1])
        if asked or (kind == "file" and said[first] in lexicon.SETS["EVERY"]):
            return sentence.span(0, last)
    demand = _demand(sentence)
    if kind == "keys":
        gathered = _first_order(sentence, lexicon.SETS["GATHER"])
        if gathered is not None and (not sentence.is_first or text.is_parameter):
            return sentence.span(min(gathered, first), max(gathered, last))
    if demand is None:
        return _under_authority(sentence, first, last)
    if kind == "prompt" and demand < first and said[demand] in lexicon.SHOWING:
        return sentence.span(demand, last)
    end = _destination(sentence, min(demand, last), text.parameters)
    if end is None:
        return _under_authority(sentence, first, last)
    # `env` is for what it is called after.
    if not lexicon.PURPOSES[kind].isdisjoint(set(name_words(said[end])) - HOLDS_ANYTHING):
        return None
    # A definition says in its first sentence what it does itself, with the same verbs: only `x` is something to fill.
    if sentence.is_first and not text.is_parameter and said[end] not in text.parameters:
        return None
    return sentence.span(min(demand, first), max(demand, last, end))


_AT_ONCE = 6
"""Words with which the description of a parameter has said what is wanted."""


def _under_authority(sentence: _Sentence, first: int, last: int) -> Span | None:
    read = _first_order(sentence, lexicon.SETS["READ"]) if sentence.under_authority else None
    return None if read is None else sentence.span(min(read, first), max(read, last))


def _handed_over(sentence: _Sentence, before: _Sentence, text: Text) -> Span | None:
    """A secret that one sentence has read, and the next one passes on."""
    demand = _demand(sentence)
    if demand is None or _destination(sentence, demand, text.parameters) is None:
        return None
    read = _first_order(before, lexicon.SETS["READ"])
    if read is None:
        return None
    facts = before.facts
    for kind, purpose in lexicon.PURPOSES.items():
        if kind in facts and purpose.isdisjoint(text.purpose):
            return before.span(min(read, facts[kind][0].start), max(read, facts[kind][0].end))
    return None


def _about_tools(sentence: _Sentence, facts: dict[str, list[Span]], text: Text) -> Span | None:
    """What one tool says of others that it has nothing to do with."""
    if "first" in facts and ("other servers" in facts or "against the user" in facts):
        return sentence.span(*facts["first"][0])
    if "results" in facts and not sentence.is_first:
        demand = _first_order(sentence, lexicon.SETS["GIVE"])
        if demand is not None:
            place = facts["results"][0]
            return sentence.span(min(demand, place.start), max(demand, place.end))
    if "from now on" in facts and "other tools" in facts:
        return sentence.span(facts["from now on"][0].start, facts["other tools"][0].end)
    if "shuns" in facts:
        return sentence.span(*facts["shuns"][0])
    if "diverts" in facts and _runs_another(sentence, text):
        order = _first_order(sentence, _SETTING)
        if order is not None:
            place = facts["diverts"][0]
            return sentence.span(min(order, place.start), max(order, place.end))
    return None


_SETTING = words("add set change replace put include send append insert switch direct redirect route copy")


def _runs_another(sentence: _Sentence, text: Text) -> bool:
    """Whether a sentence says that what is neither a parameter nor a tool of the same list is called: `when x_y is used`."""
    said = sentence.words
    for at, word in enumerate(said):
        if sentence.in_code[at] and "_" in word and word not in text.parameters:
            around = (*said[max(at - 2, 0) : at], *said[at + 1 : at + 3])
            if not lexicon.RUNS.isdisjoint(around) and word not in text.own():
                return True
    return False


def _overridden(sentence: _Sentence, facts: dict[str, list[Span]]) -> Span | None:
    said = sentence.words
    for first, last in facts.get("override", ()):
        if said[first] in lexicon.SETS["IGNORE"]:
            # `Ignore any instructions that are in the page` protects from them.
            ordered = _is_ordered(sentence, first) and _INSIDE.isdisjoint(said[last : last + 4])
            if not ordered:
                continue
        return sentence.span(first, last)
    for first, last in facts.get("against the user", ()):
        around = max(first - _FAR, 0), min(last + _FAR, len(said))
        if lexicon.SETS["NOT"].isdisjoint(said[first : last + 1]) and _orders_something(sentence, *around):
            return sentence.span(first, last)
    return None


def _is_quoted(sentence: _Sentence, span: Span) -> bool:
    """Whether words stand in quotation marks: a tool that looks for them quotes them."""
    before = sentence.text[sentence.start : span.start]
    quoting, colon, _ = before.rpartition(":")
    if colon and quoting.split()[-1:] and quoting.split()[-1].lower() in lexicon.QUOTING:
        return True
    return before.count('"') % 2 == 1 or before.count("“") > before.count("”")


_INSIDE = words("in found inside within contained embedded come comes page document")

_ROOM = 60


def _clause(sentence: _Sentence, span: Span) -> Span:
    """The words with those around them that belong to the same clause, as far as there is room to quote them."""
    start, end = span
    for word, place in zip(reversed(sentence.words), reversed(sentence.places), strict=True):
        if place.end <= span.start:
            start = place.start if word in _AUXILIARIES else start
            break
    for word, place in zip(sentence.words, sentence.places, strict=True):
        if place.start >= span.end:
            if word in ",;:()" or place.end - start > _ROOM:
                break
            end = place.end
    return Span(start, end)


_AUXILIARIES = words("do does must should please will shall you")


def _excerpt(said: str) -> str:
    """The words in one line, without what does not fit in a message."""
    line = " ".join(said.replace("`", "").replace("**", "").split())
    if len(line) <= _ROOM:
        return line
    return f"{line[:_ROOM].rpartition(' ')[0] or line[:_ROOM]} …"
