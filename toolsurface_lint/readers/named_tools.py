"""Tools named in prose: what `check` finds in a prompt beyond the calls that the specification knows.

A name speaks for a tool by what it is (`Vocabulary.kind`) and by what stands around it. Strong: `the X tool`,
`use X`, an entry of a list of tools, `functions.X`, `mcp__SERVER__X`, a call as a JSON object or in tags. Medium: code
that is nearly a declared name. Everything else stays silent, and so does what the words around it call a field, a file
or another thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toolsurface_lint.knowledge.prompt_words import (
    CALL_VERBS,
    FILLERS,
    HEADING_WORDS,
    INSTEAD,
    NO_TOOL_NOUNS,
    OLD,
    TOOL_KINDS_OF_PROGRAMS,
    TOOL_NOUNS,
    USE_VERBS,
)
from toolsurface_lint.model.prompt import ASIDE, DENIAL, MEDIUM, PROHIBITION, STRONG, USE, WEAK, Reference
from toolsurface_lint.model.vocabulary import CLOSE, COMPOUND, DECLARED, NOTHING, PLAIN, SHAPED, Vocabulary, style_of
from toolsurface_lint.readers.prose import Binding, stance

CODE, BOLD, QUOTED, BARE = "code", "bold", "quoted", "bare"
"""How a name is set off from the prose."""

PROSE, LIST, QUALIFIED, CALL, JSON_CALL, TAG = "prose", "list", "qualified", "call", "json", "tag"
"""The forms of references that are found here; see `Reference.form`."""


def find_named_tools(
    text: str, calls: Sequence[Reference], vocabulary: Vocabulary, markdown: bool = True, exact: bool = False
) -> list[Reference]:
    """The tools that a prompt names outside of `calls`, in order; the calls of names with dots and dashes too.

    `text` is uniform; `calls` is what the specification finds in it.
    """
    candidates = _candidates(text, vocabulary)
    # Where the fences are is asked only of a text that may name a tool at all.
    if not _may_name_tools(text, candidates, vocabulary):
        return []
    binding = Binding(text, markdown, exact)
    if binding.hidden:
        candidates = _candidates(binding.text, vocabulary)
    text = binding.text
    found = [*_dotted_calls(binding, vocabulary), *_json_calls(text, vocabulary), *_tags(text, vocabulary)]
    taken = sorted((call.start, call.call_end) for call in (*calls, *found))
    candidates = [candidate for candidate in candidates if not _within(candidate.start, taken)]
    listed = _listed(text, vocabulary)
    for group in _groups(text, candidates):
        found.extend(_references(text, group, vocabulary, listed))
    named = {reference.start for reference in found}
    found.extend(reference for start, reference in listed.items() if start not in named and not _within(start, taken))
    return _apart(found)


_NEAR_BEFORE, _NEAR_AFTER = 40, 48
# Parts of the words that say that a name is a tool, or is used.
_TOOL_SIGN, _USE_SIGNS = "ool", re.compile("[uU]s|all|nvok|un|xecut|via")


def _may_name_tools(text: str, candidates: Sequence[Candidate], vocabulary: Vocabulary) -> bool:
    """Whether there may be anything to find: a look that costs little and misses nothing."""
    return (
        any(_may_speak(text, [candidate]) for candidate in candidates)
        or _heads_a_list(text)
        or vocabulary.has_compound_separators
        or "functions." in text
        or "<function=" in text
        or "<invoke" in text
        or "<tool_use" in text
        or _JSON_CALL.search(text) is not None
    )


def _may_speak(text: str, group: Sequence[Candidate]) -> bool:
    """Whether the words around names, or the names themselves, may say that they are tools."""
    kind = group[0].kind if len(group) == 1 else max(candidate.kind for candidate in group)
    if kind == NOTHING:
        return False
    if kind >= CLOSE:
        return True
    for candidate in group:
        if "/" in candidate.name or "__" in candidate.name:
            return True
    left, right = group[0].left, group[-1].right
    if text.find(_TOOL_SIGN, right, right + _NEAR_AFTER) >= 0:
        return True
    start = max(left - _NEAR_BEFORE, 0)
    if kind >= COMPOUND and _USE_SIGNS.search(text, start, left):
        return True
    return text.find(_TOOL_SIGN, start, left) >= 0


def _apart(found: list[Reference]) -> list[Reference]:
    """References in order; of those that overlap, the first."""
    found.sort(key=lambda reference: (reference.start, -reference.end))
    apart: list[Reference] = []
    for reference in found:
        if not apart or reference.start >= apart[-1].end:
            apart.append(reference)
    return apart


def _within(offset: int, taken: Sequence[tuple[int, int]]) -> bool:
    low, high = 0, len(taken)
    while low < high:
        middle = (low + high) // 2
        if taken[middle][0] <= offset:
            low = middle + 1
        else:
            high = middle
    return low > 0 and offset < taken[low - 1][1]


# --- candidates ---------------------------------------------------------------------------------------------------


class Candidate(NamedTuple):
    """A name and the marks around it: `left` and `right` are the outer bounds of the marks."""

    start: int
    end: int
    left: int
    right: int
    name: str
    mark: str
    kind: int


# Each begins with a literal, which `re` looks for at the speed of memchr.
_IN_CODE = re.compile(r"`([A-Za-z_][A-Za-z0-9_]*+(?:[-.:/]++[A-Za-z0-9_]++)*+)`")
_IN_BOLD = re.compile(r"\*\*([A-Za-z_][A-Za-z0-9_]*+(?:[-.][A-Za-z0-9_]++)*+)\*\*")
_UNDERSCORE = re.compile(r"_(?<=[A-Za-z0-9]_)[A-Za-z0-9_]++")
_DASH = re.compile(r"-(?<=[A-Za-z0-9]-)[A-Za-z0-9_-]++")
_BEFORE_TOOL = re.compile(r"(?<=[A-Za-z0-9_]['\"])\s+tools?\b")
_QUOTED_NAME = re.compile(r"(['\"])([A-Za-z_][A-Za-z0-9_.-]*)\1\Z")
_FUNCTIONS = re.compile(r"functions\.(?<![A-Za-z0-9_.]functions\.)([A-Za-z_][A-Za-z0-9_]*+)(?!\.[A-Za-z])")
_NAME_WINDOW = 128
_WORD_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789"
_OPENERS = " \t\n([{,;:\"'*>|\u2014\u2013"
_CLOSERS = " \t\n)]},;:.!?\"'*<|\u2014\u2013"


def _candidates(text: str, vocabulary: Vocabulary) -> list[Candidate]:
    kind_of = vocabulary.kind
    found = []
    for match in _IN_CODE.finditer(text):
        start, end = match.span(1)
        found.append(Candidate(start, end, start - 1, end + 1, match[1], CODE, kind_of(match[1])))
    if "**" in text:
        for match in _IN_BOLD.finditer(text):
            start, end = match.span(1)
            found.append(Candidate(start, end, start - 2, end + 2, match[1], BOLD, kind_of(match[1])))
    found.extend(_bare(text, vocabulary, _UNDERSCORE, _WORD_LETTERS))
    if vocabulary.has_compound_separators:
        found.extend(_bare(text, vocabulary, _DASH, _WORD_LETTERS + "-"))
    if "' tool" in text or '" tool' in text:
        found.extend(_quoted(text, vocabulary))
    found.sort()
    return [candidate for index, candidate in enumerate(found) if not index or candidate.start >= found[index - 1].end]


def _bare(text: str, vocabulary: Vocabulary, anchor: re.Pattern[str], letters: str) -> Iterator[Candidate]:
    """Words with underscores (dashes) that stand in the prose as they are, if they speak for a tool at all."""
    size = len(text)
    for match in anchor.finditer(text):
        at, end = match.span()
        window = text[max(at - _NAME_WINDOW, 0) : at]
        start = at - (len(window) - len(window.rstrip(letters)))
        before, after = text[start - 1 : start], text[end : end + 1]
        if before == "`" or (before and before not in _OPENERS) or (after and after not in _CLOSERS):
            continue
        # A dot ends a sentence, or begins the ending of a file.
        if after in (".", ":") and end + 1 < size and text[end + 1] not in _CLOSERS:
            continue
        name = text[start:end]
        if not name[0].isalpha():
            continue
        kind = vocabulary.kind(name)
        if kind < COMPOUND or (anchor is _DASH and kind < CLOSE and not vocabulary.begins_like_a_tool(name)):
            continue
        if before == "*" or after == "*":
            if text[start - 2 : start] == "**":
                continue
            yield Candidate(start, end, start - 1, end + 1, name, BOLD, kind)
        elif before in ("'", '"') and before == after:
            yield Candidate(start, end, start - 1, end + 1, name, QUOTED, kind)
        else:
            yield Candidate(start, end, start, end, name, BARE, kind)


def _quoted(text: str, vocabulary: Vocabulary) -> Iterator[Candidate]:
    """Plain words in quotes before `tool`; those with underscores are found anyway."""
    for match in _BEFORE_TOOL.finditer(text):
        name = _QUOTED_NAME.search(text, max(match.start() - _NAME_WINDOW, 0), match.start())
        if name is not None and "_" not in name[2]:
            start, end = name.span(2)
            yield Candidate(start, end, start - 1, end + 1, name[2], QUOTED, vocabulary.kind(name[2]))


# --- the words around a name --------------------------------------------------------------------------------------


class Context(NamedTuple):
    """The words before and after one or more names of one clause; in lower case, without marks.

    `before` are those of the sentence, the nearest last; `joined` says whether nothing but blanks is between.
    """

    before: list[str]
    after: list[str]
    introduced: str
    """The colon or the parenthesis between the words before and the name; empty if there is none."""
    rest: str
    """The text right behind the name, to the end of its line."""


_BEFORE_SIZE, _AFTER_SIZE = 100, 70
_LINE_START = re.compile(r"\n[ \t]*(?:\n|[-*+#|>](?!\*)|[0-9]+[.)])")
_SENTENCE_END = re.compile(r"(?<!e\.g)(?<!i\.e)[.!?;](?=[\s)\"'*]*\s)")
_MARKS = "*_\"'`()[]{}<>,:"


def _context(text: str, left: int, right: int) -> Context:
    before = text[max(left - _BEFORE_SIZE, 0) : left]
    if "\n" in before:
        before = _behind_last(_LINE_START, before)
    before = _behind_last(_SENTENCE_END, before)
    trimmed = before.rstrip(" \t\n*\"'")
    introduced = trimmed[-1:] if trimmed.endswith((":", "(")) else ""
    words = [word.strip(_MARKS).lower() for word in before.split()]
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
            after.append(word.strip(_MARKS + ".;!?").lower())
            if word[-1] in ".,;:!?)":
                break
    return Context([word for word in words if word], after, introduced, tail)


def _behind_last(pattern: re.Pattern[str], text: str) -> str:
    end = 0
    for match in pattern.finditer(text):
        end = match.end()
    return text[end:]


# --- groups -------------------------------------------------------------------------------------------------------

_JOINT = re.compile(
    r"[ \t]*(?:,|/|\||&|\+|->|\u2192)?[ \t\n]*(?:and/or|and|or|then|nor)?[ \t\n]*(?:the[ \t]+|also[ \t]+)?\Z"
)


_MOST_JOINED = 20


def _groups(text: str, candidates: Sequence[Candidate]) -> Iterator[list[Candidate]]:
    """Names that share what is said of them: `a`, `b` and `c`."""
    group: list[Candidate] = []
    for candidate in candidates:
        if group:
            between = text[group[-1].right : candidate.left]
            if (
                len(group) == _MOST_JOINED
                or len(between) > 16
                or not between.strip(" \t\n")
                or not _JOINT.match(between)
            ):
                yield group
                group = []
        group.append(candidate)
    if group:
        yield group


def _references(
    text: str, group: list[Candidate], vocabulary: Vocabulary, listed: dict[int, Reference]
) -> Iterator[Reference]:
    if not _may_speak(text, group):
        return
    context = _context(text, group[0].left, group[-1].right)
    for candidate in group:
        reference = _reference(text, candidate, group, context, vocabulary)
        if candidate.start in listed:
            at = listed[candidate.start]
            if reference is None or reference.evidence != STRONG:
                reference = at
        if reference is not None:
            yield reference


def _reference(
    text: str, candidate: Candidate, group: list[Candidate], context: Context, vocabulary: Vocabulary
) -> Reference | None:
    name, known = vocabulary.resolve(candidate.name)
    kind = DECLARED if name in vocabulary else candidate.kind
    if not known or kind == NOTHING:
        return None
    start = candidate.end - len(name)
    if candidate.name.startswith("mcp__"):
        evidence = STRONG
    elif _is_other_thing(context):
        return None
    else:
        evidence = _evidence(candidate, kind, group, context, vocabulary)
    said = _stance(text, candidate, context)
    if kind != DECLARED and (said != USE or evidence == WEAK):
        return None
    form = QUALIFIED if name != candidate.name or candidate.name.startswith("mcp__") else PROSE
    return Reference(name, start, candidate.end, form, candidate.end, evidence, specified=False, stance=said)


_ADJECTIVES = frozenset(
    [
        "input",
        "output",
        "request",
        "response",
        "query",
        "optional",
        "required",
        "boolean",
        "string",
        "json",
        "yaml",
        "environment",
        "git",
        "new",
        "shell",
        "slash",
        "command-line",
        "cli",
        "url",
        "http",
        "config",
        "configuration",
        "css",
        "html",
        "react",
        "python",
        "typescript",
        "template",
        "enum",
    ]
)


def _is_other_thing(context: Context) -> bool:
    """Whether the words around a name call it a parameter, a file, a command, ..."""
    after = context.after
    if after:
        if after[0] in NO_TOOL_NOUNS:
            return True
        if after[0] in _ADJECTIVES and len(after) > 1 and after[1] in NO_TOOL_NOUNS:
            return True
        if after[0] in ("=", "=="):
            return True
    before = context.before
    return bool(before) and not context.introduced and before[-1] in NO_TOOL_NOUNS


def _evidence(candidate: Candidate, kind: int, group: list[Candidate], context: Context, vocabulary: Vocabulary) -> str:
    formatted = candidate.mark != BARE
    beside_declared = any(other.kind == DECLARED for other in group)
    # A quoted name may be any text: what follows `use` is as often a value.
    verb = _verb(context) if candidate.mark != QUOTED or kind == DECLARED else ""
    if candidate.mark == BARE and kind == SHAPED and "-" in candidate.name:
        # A compound of English words: `read-only tools` says nothing.
        alone = not context.after or context.after[0] in _CONNECTIVES
        return STRONG if (verb and alone) or _another_tool_follows(context) else WEAK
    if _another_tool_follows(context) and kind >= COMPOUND:
        return STRONG
    # `x` tools are a family; `x` and `y` tools are two tools.
    one_each = kind >= CLOSE or len(group) > 1 or "tools" not in context.after[:2]
    if one_each and _tool_follows(context.after, kind) and (kind >= COMPOUND or candidate.mark in (CODE, QUOTED)):
        return STRONG
    if _tool_precedes(context) and (kind >= COMPOUND or beside_declared or "_" in candidate.name):
        return STRONG
    if verb:
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


def _tool_follows(after: list[str], kind: int) -> bool:
    if not after:
        return False
    if after[0] in TOOL_NOUNS:
        return True
    return (
        kind >= COMPOUND
        and len(after) > 1
        and after[1] in TOOL_NOUNS
        and after[0].isalpha()
        and after[0] not in TOOL_KINDS_OF_PROGRAMS
        and after[0] not in _CONNECTIVES
    )


_CONNECTIVES = frozenset(
    [
        "and",
        "or",
        "to",
        "for",
        "with",
        "from",
        "in",
        "on",
        "of",
        "the",
        "a",
        "an",
        "is",
        "are",
        "as",
        "when",
        "if",
        "by",
        "your",
        "this",
        "that",
        "other",
        "another",
        "any",
        "these",
        "those",
        "all",
        "no",
        "which",
        "via",
        "using",
        "use",
        "calls",
        "call",
    ]
)


def _another_tool_follows(context: Context) -> bool:
    """Whether what follows is `(or another tool)`."""
    after = context.rest[:40].lstrip(" (,").lower().split()
    words = [word.strip(_MARKS + ".;!?") for word in after[:5]]
    return (
        words[:1] in (["or"], ["and"])
        and words[1:2] in (["another"], ["other"], ["similar"])
        and any(word in TOOL_NOUNS for word in words[2:5])
    )


def _tool_precedes(context: Context) -> bool:
    before = context.before
    if not before:
        return False
    if before[-1] in TOOL_NOUNS:
        return True
    if len(before) < 2:
        return False
    return (before[-1] in ("called", "named", "like", "including", "namely") and before[-2] in TOOL_NOUNS) or (
        before[-1] == "as" and before[-2] == "such" and before[-3:-2] in (["tool"], ["tools"])
    )


def _verb(context: Context) -> str:
    """The verb that says that a name is used, if there is one right before it; articles may stand between."""
    for word in reversed(context.before if context.introduced != "(" else ()):
        if word in USE_VERBS:
            return word
        if word not in FILLERS:
            return ""
    return ""


def _is_click(context: Context) -> bool:
    """Whether a name is something on a screen."""
    return bool(context.before) and context.before[-1] in ("click", "press", "select", "choose", "tap", "hit", "open")


# --- what is said about it ----------------------------------------------------------------------------------------

_CONDITIONS = frozenset({"if", "when", "whenever", "whether", "unless", "where"})
_OPTIONALLY = (
    "(if ",
    "(when ",
    "(where ",
    "if available",
    "if enabled",
    "(optional",
    "when available",
    "where available",
)
_UNAVAILABLE = frozenset({"unavailable", "disabled", "removed", "deprecated", "gone", "missing"})
_NEGATED = frozenset({"not", "never", "no", "n't"})
_IS = frozenset(
    {"is", "are", "was", "were", "isn't", "aren't", "doesn't", "does", "do", "has", "have", "cannot", "can't"}
)
_AVAILABLE = frozenset({"available", "enabled", "present", "accessible", "provided", "exist", "exists", "supported"})


def _stance(text: str, candidate: Candidate, context: Context) -> str:
    """What the clause around a name says about the tool."""
    before, after = context.before, [word for word in context.after if word not in TOOL_NOUNS]
    conditional = not _CONDITIONS.isdisjoint(before)
    if conditional and (_available(after) or _has(before)):
        return ASIDE
    if context.rest.lstrip(" \t").startswith(_OPTIONALLY):
        return ASIDE
    if after and after[0] in _IS and (_UNAVAILABLE.intersection(after[1:3]) or _negates(after)):
        return DENIAL
    said = stance(text, candidate.left)
    if said != USE:
        return ASIDE if conditional and said == DENIAL else said
    if before and (before[-1] in OLD or (before[-1] in INSTEAD and _compares(before))):
        return ASIDE
    return PROHIBITION if before and before[-1] in ("not", "nor") else USE


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


# --- lists of tools -----------------------------------------------------------------------------------------------

_HEADING = re.compile(r"\n(#{1,6})[ \t]+([^\n]*)")
_LEAD_END = re.compile(r":[ \t*]*\n")
_LIST_END = re.compile(r"\n[ \t]*\n(?![ \t]*(?:[-*+|<]|[0-9]+[.)]))")
_LEAD_SIZE = 160
_ITEM = re.compile(
    r"\n([ \t]*)(?:[-*+][ \t]+|[0-9]+[.)][ \t]+|\|[ \t]*|<tool>)"
    r"([`*\"]*)(?P<name>[A-Za-z_][A-Za-z0-9_]*+(?:[-.:/]++[A-Za-z0-9_]++)*+)([`*\"]*)"
    r"(?=[ \t]*(?:[:(|<\n\u2014\u2013]|-[ \t]|\Z))"
)
_SUBHEADING = re.compile(
    r"\n(#{1,6})[ \t]+[`*]*(?P<name>[A-Za-z_][A-Za-z0-9_]*+(?:[-.][A-Za-z0-9_]++)*+)[`*]*[ \t:]*(?=\n)"
)
_WORDS = re.compile(r"[A-Za-z-]+")


def _listed(text: str, vocabulary: Vocabulary) -> dict[int, Reference]:
    """The entries of lists of tools, by their start: what a list under a heading such as `Available tools` names."""
    found: dict[int, Reference] = {}
    if "ool" not in text:
        return found
    # Every line begins alike with one line end in front: offsets are one too large there.
    lines = "\n" + text
    for start, end, deeper in _tool_sections(lines):
        items = [
            (match.start("name") - 1, match.end("name") - 1, match["name"], vocabulary.kind(match["name"]))
            for match in (_subheadings(lines, start, end, deeper) if deeper else _items(lines, start, end))
        ]
        declared = sum(kind == DECLARED for *_, kind in items)
        for at, until, written, kind in items:
            name, known = vocabulary.resolve(written)
            if name in vocabulary:
                kind = DECLARED
            if not known or kind == NOTHING or (kind == PLAIN and 2 * declared < len(items)):
                continue
            if kind in (PLAIN, COMPOUND, SHAPED) and (not declared or vocabulary.is_argument(name)):
                continue
            found[at] = Reference(name, until - len(name), until, LIST, until, STRONG, specified=False)
    return found


def _items(lines: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """The entries of a list; not those below an entry, which are its parameters."""
    indent: int | None = None
    for match in _ITEM.finditer(lines, start, end):
        width = len(match[1].expandtabs(4))
        indent = width if indent is None else min(indent, width)
        if width == indent:
            yield match


def _subheadings(lines: str, start: int, end: int, level: int) -> Iterator[re.Match[str]]:
    for match in _SUBHEADING.finditer(lines, start, end):
        if len(match[1]) == level:
            yield match


_TOOL_LEAD = re.compile(r"ools?\b[^\n]{0,100}:[ \t*]*\n")
_TOOL_HEADING = re.compile(r"\n#{1,6}[ \t][^\n]*ool")


def _heads_a_list(text: str) -> bool:
    """Whether a heading or a line with a colon may stand above a list of tools."""
    if "ool" not in text:
        return False
    if text.startswith("#") or _TOOL_HEADING.search(text):
        return True
    return _TOOL_LEAD.search(text) is not None


def _tool_sections(lines: str) -> Iterator[tuple[int, int, int]]:
    """Start and end of each stretch of lines that lists tools, and the level of the headings that name some, or 0."""
    headings = list(_HEADING.finditer(lines)) if _TOOL_HEADING.search(lines) else []
    for index, heading in enumerate(headings):
        title = heading[2].lower()
        if "tool" not in title or not _heads_tools(title):
            continue
        level = len(heading[1])
        following = headings[index + 1] if index + 1 < len(headings) else None
        first_end = len(lines) if following is None else following.start()
        yield heading.end(), first_end, 0
        if following is not None and len(following[1]) > level:
            later = (headings[number] for number in range(index + 2, len(headings)))
            end = next((other.start() for other in later if len(other[1]) <= level), len(lines))
            yield first_end, end, len(following[1])
    resume = 0
    for lead in _LEAD_END.finditer(lines):
        if lead.start() < resume:
            continue
        line = lines[max(lead.start() - _LEAD_SIZE, 0) : lead.start()].rpartition("\n")[2]
        if "ool" in line and not line.startswith("#") and not TOOL_NOUNS.isdisjoint(_WORDS.findall(line.lower())):
            list_end = _LIST_END.search(lines, lead.end())
            resume = list_end.start() if list_end else len(lines)
            yield lead.end() - 1, resume, 0


def _heads_tools(title: str) -> bool:
    words = _WORDS.findall(title)
    return any(word in ("tool", "tools", "toolset") for word in words) and all(word in HEADING_WORDS for word in words)


# --- calls that the specification does not know -------------------------------------------------------------------

_CALL = re.compile(r"\((?<=[A-Za-z0-9_]\()")
_SEPARATED_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[-.:/][A-Za-z0-9_]+)+\Z")
_JSON_CALL = re.compile(r'\{\s*"(?:name|tool|tool_name|function|type|id|arguments|args|input)"\s*:')
_TAGGED = re.compile(r"<(?:invoke[ \t]+name=\"|function=|tool_use[ \t]+name=\")([A-Za-z_][A-Za-z0-9_.:/-]*)")


def _dotted_calls(binding: Binding, vocabulary: Vocabulary) -> Iterator[Reference]:
    """Calls of declared names, and of nearly declared ones, that hold dots or dashes: `repo.search({...})`."""
    if not vocabulary.has_compound_separators:
        return
    text = binding.text
    resume = 0
    for match in _CALL.finditer(text):
        at = match.start()
        if at < resume:
            continue
        name = _SEPARATED_NAME.search(text, max(at - _NAME_WINDOW, resume), at)
        if name is None or vocabulary.kind(name[0]) < CLOSE:
            continue
        resume = binding.call_end(at)
        start, end = name.span()
        yield Reference(
            name[0],
            start,
            end,
            CALL,
            resume,
            STRONG,
            specified=False,
            gaps=binding.gaps(start, resume),
            stance=stance(text, start),
        )


def _json_calls(text: str, vocabulary: Vocabulary) -> Iterator[Reference]:
    """Calls written as JSON objects: a name and arguments."""
    if _JSON_CALL.search(text) is None:
        return
    from toolsurface_lint.protocols.json_calls import call_objects
    from toolsurface_lint.protocols.landmarks import Landmarks

    landmarks = Landmarks(text)
    for name, arguments, span in call_objects(landmarks, None, 0, len(text)):
        # A definition looks like a call but for what its parameters are.
        if isinstance(arguments, dict) and ("properties" in arguments or arguments.get("type") == "object"):
            continue
        written = text.find(f'"{name}"', span.start, span.end)
        resolved, known = vocabulary.resolve(name)
        if written < 0 or not known or vocabulary.kind(resolved) == NOTHING:
            continue
        end = written + 1 + len(name)
        yield Reference(
            resolved,
            end - len(resolved),
            end,
            JSON_CALL,
            span.end,
            STRONG,
            specified=False,
            stance=stance(text, span.start),
        )


def _tags(text: str, vocabulary: Vocabulary) -> Iterator[Reference]:
    """Names in tool-call tags that hold the name as an attribute, and in the namespace `functions`."""
    patterns = [_FUNCTIONS] if "functions." in text else []
    if "<invoke" in text or "<function=" in text or "<tool_use" in text:
        patterns.append(_TAGGED)
    for pattern in patterns:
        for match in pattern.finditer(text):
            name, known = vocabulary.resolve(match[1])
            if known and vocabulary.kind(name) != NOTHING:
                end = match.end(1)
                form = QUALIFIED if pattern is _FUNCTIONS else TAG
                yield Reference(
                    name, end - len(name), end, form, end, STRONG, specified=False, stance=stance(text, match.start())
                )
