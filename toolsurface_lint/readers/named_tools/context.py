"""The words around a name: whether they call it a tool, and what they say about it."""

from __future__ import annotations

import re
from typing import NamedTuple

from toolsurface_lint.knowledge.prompt_words import (
    BY_MEANS,
    CALL_VERBS,
    CODE_NOUNS,
    CONNECTIVES,
    FILLERS,
    INSTEAD,
    LAUNCHED,
    NO_TOOL_ADJECTIVES,
    NO_TOOL_NOUNS,
    OLD,
    ORDER_VERBS,
    SEQUENCE_WORDS,
    SHOWN_USE,
    TOOL_KINDS_OF_PROGRAMS,
    TOOL_NOUNS,
    USE_VERBS,
)
from toolsurface_lint.model.prompt import ASIDE, DENIAL, MEDIUM, PROHIBITION, STRONG, USE, WEAK
from toolsurface_lint.model.vocabulary import CLOSE, COMPOUND, DECLARED, PLAIN, SHAPED, Vocabulary, style_of
from toolsurface_lint.readers.named_tools.candidates import BARE, CODE, QUOTED, Candidate
from toolsurface_lint.readers.stance import is_limited, stance


class Context(NamedTuple):
    """The words before and after one or more names of one clause; in lower case, without marks.

    `before` are those of the sentence, the nearest last.
    """

    before: list[str]
    after: list[str]
    introduced: str
    """The colon or the parenthesis between the words before and the name; empty if there is none."""
    rest: str
    """The text right after the name, to the end of its line."""
    said: str
    """The text before, of the sentence, with single spaces; `CUT` is before it if more of the sentence is."""

    @property
    def states(self) -> bool:
        """Whether the words before say who uses it, and do not tell the reader to: `when access patterns use`."""
        return re.search(_STATEMENT, self.said, re.IGNORECASE) is not None

    @property
    def orders(self) -> bool:
        """Whether the words before tell the reader to call it: `first use the`, `you must call`."""
        return re.search(_ORDER, self.said, re.IGNORECASE) is not None

    @property
    def by_others(self) -> bool:
        """Whether the words before speak of a use by others: `show the assistant using`, `you are launched via`."""
        if _launches([word for word in self.before[-3:] if word not in FILLERS]):
            return True
        # Few texts end like this, and the whole pattern takes long to compile.
        if _SHOWN.isdisjoint(self.before[-2:]):
            return False
        return re.search(_DEMONSTRATION, self.said, re.IGNORECASE) is not None


def _launches(words: list[str]) -> bool:
    return not BY_MEANS.isdisjoint(words[-1:]) and not LAUNCHED.isdisjoint(words[-2:-1])


CUT = "\u2026"
_BEFORE_SIZE, _AFTER_SIZE = 100, 70
_LINE_START = re.compile(r"\n[ \t]*(?:\n|[-*+#|>](?!\*)|[0-9]+[.)])")
_SENTENCE_END = re.compile(r"(?<!e\.g)(?<!i\.e)[.!?;](?=[\s)\"'*]*\s)")
WORD_MARKS = "*_\"'`()[]{}<>,:"


def read_context(text: str, left: int, right: int) -> Context:
    window = before = text[max(left - _BEFORE_SIZE, 0) : left]
    if "\n" in before:
        before = _behind_last(_LINE_START, before)
    before = _behind_last(_SENTENCE_END, before)
    cut_off = left > _BEFORE_SIZE and len(before) == len(window)
    trimmed = before.rstrip(" \t\n*\"'")
    introduced = trimmed[-1:] if trimmed.endswith((":", "(")) else ""
    words = [word.strip(WORD_MARKS).lower() for word in before.split()]
    if trimmed.endswith(","):
        words.append(",")
    rest = text[right : right + _AFTER_SIZE]
    cut = _LINE_START.search(rest)
    if cut is not None:
        rest = rest[: cut.start()]
    tail = rest.lstrip("*\"'")
    after: list[str] = []
    if tail[:1].isspace():
        for word in tail.split()[:5]:
            after.append(word.strip(WORD_MARKS + ".;!?").lower())
            if word[-1] in ".,;:!?)":
                break
    said = " ".join(before.split())
    return Context([word for word in words if word], after, introduced, tail, f"{CUT} {said}" if cut_off else said)


_STATEMENT = (
    r"\b(?:if|that|when|where|whether|which|while)"
    r"(?: (?!(?:you|we|i|to|and|or|then|must|should|can|could|may|might|will|shall|always)\b)[a-z-]+){0,3}"
    r" (?:uses?|calls?|invokes?|runs?|executes?)(?: an?| the)?[ `*\"']*\Z"
)
_ORDER = (
    r"(?:(?:\A|[,;:] |\b(?:please|then|first|next|finally|always|also|instead|immediately) "
    r"|\Afor (?:(?!that |which |who )[a-z-]+ ){1,4}"
    r"|(?<!if )(?<!when )\byou (?:(?:must|should|can|may|will|need to|have to) )?(?:[a-z]+ly |always |first |then )?"
    # `Call x, and use y`: what goes on with an order is one.
    r"|\A(?:(?:then|first|next|finally|always) )?(?:use|call|invoke|run|execute) .{1,90}? and (?:then )?)"
    r"(?:use|call|invoke|run|execute)|\A(?:start|begin|finish|end) by (?:using|calling|invoking|running|executing))"
    r"(?: an?| the)?(?: tool)?[ `*\"']*\Z"
)
_DEMONSTRATION = SHOWN_USE + r"(?: the)?[ `*\"']*\Z"
_SHOWN = frozenset({"using", "calling", "running"})


def _behind_last(pattern: re.Pattern[str], text: str) -> str:
    end = 0
    for match in pattern.finditer(text):
        end = match.end()
    return text[end:]


# --- what shows a tool -------------------------------------------------------------------------------------------


def is_other_thing(context: Context) -> bool:
    """Whether the words around a name call it a parameter, a file, a command, ..."""
    first, second = [*context.after, "", ""][:2]
    if first in NO_TOOL_NOUNS or (first in NO_TOOL_ADJECTIVES and second in NO_TOOL_NOUNS) or first in ("=", "=="):
        return True
    return not context.introduced and not NO_TOOL_NOUNS.isdisjoint(context.before[-1:])


def weigh(
    candidate: Candidate, kind: int, group: list[Candidate], context: Context, chained: bool, vocabulary: Vocabulary
) -> str:
    """The evidence that a name is a tool's. `chained`: arrows are between the names of the group."""
    if kind != DECLARED and context.after[:1] == ["from"] and any(word in vocabulary for word in context.after[1:2]):
        # `use x from search_notes`: a part of what a tool gives.
        return WEAK
    formatted = candidate.mark != BARE
    beside_declared = any(other.kind == DECLARED for other in group)
    # A quoted name may be any text: what follows `use` is as often a value.
    verb = verb_before(context) if candidate.mark != QUOTED or kind == DECLARED else ""
    if candidate.mark == BARE and kind in (SHAPED, CLOSE) and "-" in candidate.name:
        # A compound of English words: `read-only tools` says nothing.
        alone = not context.after or context.after[0] in CONNECTIVES
        return STRONG if (verb and alone) or _another_tool_follows(context) else WEAK
    if _another_tool_follows(context) and kind >= COMPOUND:
        return STRONG
    # `x` tools are a family; `x` and `y` tools are two tools.
    one_each = kind >= CLOSE or len(group) > 1 or "tools" not in context.after[:2]
    if one_each and tool_follows(context.after, kind) and (kind >= COMPOUND or candidate.mark in (CODE, QUOTED)):
        return STRONG
    alike = kind >= CLOSE or (kind == SHAPED and vocabulary.shares_an_edge(candidate.name))
    if alike and kind != DECLARED and (context.after[:1] and context.after[0] in CODE_NOUNS):
        return STRONG
    if chained and (alike or (kind == SHAPED and beside_declared)):
        return STRONG
    if _tool_precedes(context) and (kind >= COMPOUND or beside_declared or "_" in candidate.name):
        return STRONG
    if verb in SEQUENCE_WORDS:
        verb = ""
        if alike and not vocabulary.is_argument(candidate.name):
            return STRONG
    if not verb and kind in (SHAPED, CLOSE) and candidate.mark == CODE and _continues_a_use(context, vocabulary):
        return WEAK if vocabulary.is_argument(candidate.name) else STRONG
    if kind < CLOSE and (context.states or context.before[-1:] in (["a"], ["an"])):
        # `via an x`: one of several things of that name.
        verb = ""
    if candidate.mark == BARE and style_of(candidate.name) == "pascal" and verb not in ORDER_VERBS:
        # `Use PowerShell`, `use OpenAI`: products are written so too.
        verb = verb if vocabulary.begins_with_a_verb(candidate.name) and not candidate.name[-2:].isupper() else ""
    if verb:
        if "_" in candidate.name and verb in ORDER_VERBS and not vocabulary.is_argument(candidate.name):
            return STRONG
        if kind in (SHAPED, CLOSE) and (verb in CALL_VERBS or not vocabulary.is_argument(candidate.name)):
            return STRONG
        if kind == DECLARED and (candidate.mark != BARE or style_of(candidate.name) != "word"):
            return STRONG
        if kind == COMPOUND and formatted and (verb in CALL_VERBS or context.after[:1] == ["to"]):
            return STRONG
        if kind == PLAIN and beside_declared and formatted and not vocabulary.is_argument(candidate.name):
            return STRONG
    if candidate.mark == CODE and not vocabulary.is_argument(candidate.name):
        if kind == CLOSE and not _is_click(context):
            return MEDIUM
        if kind == DECLARED and style_of(candidate.name) != "word":
            return MEDIUM
    return WEAK


_USED_FOR = frozenset({"to", "for", "when", "if", "once", "after", "before"})
_USED_BEFORE = (
    r"\b(?:use|call|invoke|run) (?:the )?`(?P<name>[^`\s]+)`,? "
    rf"(?:{'|'.join(sorted(_USED_FOR))})\b[^`]*,? (?:and|or)(?: the)?[ `]*\Z"
)


def _continues_a_use(context: Context, vocabulary: Vocabulary) -> bool:
    """Whether the sentence goes on about the use of tools: ``use `find_note` to search and `get_note` to read``.

    The first must be a declared one, and both must be followed by what they are for: after "and", a value may follow.
    """
    if _USED_FOR.isdisjoint(context.after[:1]) or not {"and", "or", "the"}.intersection(context.before[-1:]):
        return False
    used = re.search(_USED_BEFORE, context.said, re.IGNORECASE)
    return used is not None and used["name"] in vocabulary


def calls_it_a_tool(context: Context) -> bool:
    """Whether the word "tool" is right next to a name, or all but."""
    follows = context.after[1:] if context.after[:1] == ["mcp"] else context.after
    return not TOOL_NOUNS.isdisjoint(follows[:1]) or _tool_precedes(context)


def tool_follows(after: list[str], kind: int) -> bool:
    first, second = [*after, "", ""][:2]
    return first in TOOL_NOUNS or (
        kind >= COMPOUND
        and second in TOOL_NOUNS
        and first.isalpha()
        and first not in TOOL_KINDS_OF_PROGRAMS
        and first not in CONNECTIVES
    )


def _another_tool_follows(context: Context) -> bool:
    """Whether what follows is `(or another tool)`."""
    after = context.rest[:40].lstrip(" (,").lower().split()
    words = [word.strip(WORD_MARKS + ".;!?") for word in after[:5]]
    return (
        words[:1] in (["or"], ["and"])
        and words[1:2] in (["another"], ["other"], ["similar"])
        and any(word in TOOL_NOUNS for word in words[2:5])
    )


def _tool_precedes(context: Context) -> bool:
    third, second, last = ["", "", "", *context.before][-3:]
    if last in TOOL_NOUNS or (last in ("called", "named", "namely") and second in TOOL_NOUNS):
        return True
    given = 2 if last in ("like", "including") and second in TOOL_NOUNS else 0
    if last == "as" and second == "such" and third in TOOL_NOUNS:
        given = 3
    if not given:
        return False
    # `use x with radio tools like`: what x is used with are programs.
    earlier = context.before[:-given]
    return "with" not in earlier[-2:] or USE_VERBS.isdisjoint(earlier)


def verb_before(context: Context) -> str:
    """The verb that says that a name is used, if there is one right before it; articles may come between.

    Without a verb, the word that makes it a step of several.
    """
    step = ""
    for word in reversed(context.before if context.introduced != "(" else ()):
        if word in USE_VERBS:
            return word
        if word in SEQUENCE_WORDS:
            step = word
        if word not in FILLERS:
            break
    return step


def _is_click(context: Context) -> bool:
    """Whether a name is something on a screen."""
    return bool(context.before) and context.before[-1] in ("click", "press", "select", "choose", "tap", "hit", "open")


# --- what is said about it -----------------------------------------------------------------------------------------

_CONDITIONS = frozenset({"if", "when", "whenever", "whether", "unless", "where"})
_OPTIONALLY = (
    "(if ",
    "(when ",
    "(where ",
    "(optional",
    "if available",
    "if enabled",
    "when available",
    "where available",
)
_TOOL_BEHIND = r"\A[ \t]*(?:tools?[ \t]+)?"
_UNAVAILABLE = frozenset({"unavailable", "disabled", "removed", "deprecated", "gone", "missing"})
_NEGATED = frozenset({"not", "never", "no", "n't"})
_IS = frozenset(
    ["is", "are", "was", "were", "isn't", "aren't", "doesn't", "does", "do", "has", "have", "cannot", "can't"]
)
_AVAILABLE = frozenset({"available", "enabled", "present", "accessible", "provided", "exist", "exists", "supported"})


def stance_of(text: str, left: int, context: Context) -> str:
    """What the clause around names says about the tools; `left` is where the first of them begins."""
    before, after = context.before, [word for word in context.after if word not in TOOL_NOUNS]
    conditional = not _CONDITIONS.isdisjoint(before)
    if conditional and (_available(after) or _has(before) or before[-4:-1].count("available")):
        return ASIDE
    if context.by_others or _is_optional(context.rest):
        return ASIDE
    if after and after[0] in _IS and (_UNAVAILABLE.intersection(after[1:3]) or _negates(after)):
        return DENIAL
    said = stance(text, left)
    if said == PROHIBITION and is_limited(context.rest):
        return USE
    if said != USE:
        return ASIDE if conditional and said == DENIAL else said
    if before and (before[-1] in OLD or (before[-1] in INSTEAD and _compares(before))):
        return ASIDE
    return PROHIBITION if before and before[-1] in ("not", "nor") else USE


def _is_optional(rest: str) -> bool:
    """Whether what follows a name begins with a condition under which there is such a tool."""
    if not any(condition in rest for condition in _OPTIONALLY):
        return False
    return re.sub(_TOOL_BEHIND, "", rest).startswith(_OPTIONALLY)


def _available(after: list[str]) -> bool:
    return not (_AVAILABLE.isdisjoint(after[:4]) and _UNAVAILABLE.isdisjoint(after[:4]))


def _has(before: list[str]) -> bool:
    """Whether somebody has the tool, or access to it."""
    words = [word for word in before if word not in FILLERS]
    return words[-1:] == ["have"] or words[-2:] == ["access", "to"]


def _negates(after: list[str]) -> bool:
    negated = after[0].endswith("n't") or after[0] == "cannot" or bool(_NEGATED.intersection(after[1:2]))
    return negated and bool(_AVAILABLE.intersection(after[1:4]))


def _compares(before: list[str]) -> bool:
    """Whether the words before a name say that something else takes its place."""
    if before[-1] in ("of", "than"):
        return before[-2:-1] in (["instead"], ["rather"])
    return before[-1] != "from" or before[-2:-1] in (["renamed"], ["migrated"])
