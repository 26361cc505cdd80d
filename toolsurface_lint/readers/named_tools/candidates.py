"""The names in a prose that may be meant as tools, each with the marks that set it off, and those named together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from toolsurface_lint.model.vocabulary import CLOSE, COMPOUND, Vocabulary

CODE, BOLD, QUOTED, BARE = "code", "bold", "quoted", "bare"
"""How a name is set off from the prose."""


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
_FROM_HUMP = re.compile(r"[A-Z][A-Za-z0-9]*+")
_BEFORE_TOOL = re.compile(r"(?<=[A-Za-z0-9_]['\"])\s+tools?\b")
_QUOTED_NAME = re.compile(r"(['\"])([A-Za-z_][A-Za-z0-9_.-]*)\1\Z")
# Of each byte, whether it is a capital, another letter or a digit, or neither.
_CASES = bytes(
    ord("A" if chr(byte).isupper() else "a" if chr(byte).isalnum() else " ") if byte < 128 else 32
    for byte in range(256)
)
NAME_WINDOW = 128
_WORD_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789"
_OPENERS = " \t\n([{,;:\"'*>|\u2014\u2013"
_CLOSERS = " \t\n)]},;:.!?\"'*<|\u2014\u2013"


# `{{ tool_name }}`, `{% if has_tools %}`, `{# a remark #}`, `{tool_name}`: none reaches into another, so that each letter
# is read once.
_PLACEHOLDER = re.compile(
    r"\{\{[-~]?[ \t]*[A-Za-z_][^{}\n]*\}\}|\{%[^%\n]*%\}|\{#[^#\n]*#\}|\{[A-Za-z_][A-Za-z0-9_.]*\}"
)
_NO_NAME = str.maketrans(dict.fromkeys("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_", "0"))


def without_placeholders(text: str) -> str:
    """A text without the names of what a program puts into it, each of their letters a digit: a variable is not a tool."""
    if "{" not in text:
        return text
    return _PLACEHOLDER.sub(lambda match: match[0].translate(_NO_NAME), text)


def find_candidates(text: str, vocabulary: Vocabulary) -> list[Candidate]:
    kind_of = vocabulary.kind
    found = []
    for match in _IN_CODE.finditer(text):
        start, end = match.span(1)
        found.append(Candidate(start, end, start - 1, end + 1, match[1], CODE, kind_of(match[1])))
    if "**" in text:
        for match in _IN_BOLD.finditer(text):
            start, end = match.span(1)
            found.append(Candidate(start, end, start - 2, end + 2, match[1], BOLD, kind_of(match[1])))
    found.extend(_bare(text, vocabulary, _UNDERSCORE.finditer(text), _WORD_LETTERS))
    found.extend(_bare(text, vocabulary, _DASH.finditer(text), _WORD_LETTERS + "-"))
    found.extend(_bare(text, vocabulary, _humps(text), _WORD_LETTERS))
    if "' tool" in text or '" tool' in text:
        found.extend(_quoted(text, vocabulary))
    found.sort()
    return [candidate for index, candidate in enumerate(found) if not index or candidate.start >= found[index - 1].end]


def _humps(text: str) -> Iterator[re.Match[str]]:
    """What begins with a capital after another letter or a digit, `Files` in `readFiles`, found at memory speed."""
    cases = text.encode("ascii", "replace").translate(_CASES)
    at = cases.find(b"aA")
    while at >= 0 and (match := _FROM_HUMP.match(text, at + 1)) is not None:
        yield match
        at = cases.find(b"aA", match.end())


def _bare(text: str, vocabulary: Vocabulary, matches: Iterable[re.Match[str]], letters: str) -> Iterator[Candidate]:
    """Words with underscores, dashes or inner capitals in prose without marks, if they may mean a tool at all."""
    size = len(text)
    for match in matches:
        anchor = match.re
        at, end = match.span()
        after = text[end : end + 1]
        # Most names are in code, or called; those are found elsewhere.
        if after and after not in _CLOSERS:
            continue
        # A dot ends a sentence, or begins the ending of a file.
        if after in (".", ":") and end + 1 < size and text[end + 1] not in _CLOSERS:
            continue
        window = text[at - NAME_WINDOW if at > NAME_WINDOW else 0 : at]
        start = at - (len(window) - len(window.rstrip(letters)))
        before = text[start - 1 : start]
        if before == "`" or (before and before not in _OPENERS):
            continue
        name = text[start:end]
        if not name[0].isalpha():
            continue
        kind = vocabulary.kind(name)
        if kind < COMPOUND or (anchor is _DASH and kind < CLOSE and not vocabulary.begins_like_a_tool(name)):
            continue
        # `GitHub` is not a spelling of `github`, and `WebSearch` is what a client calls its own tool.
        if kind == CLOSE and anchor is not _UNDERSCORE and not vocabulary.is_respelled(name):
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
        name = _QUOTED_NAME.search(text, max(match.start() - NAME_WINDOW, 0), match.start())
        if name is not None and "_" not in name[2]:
            start, end = name.span(2)
            yield Candidate(start, end, start - 1, end + 1, name[2], QUOTED, vocabulary.kind(name[2]))


_JOINT = re.compile(
    r"[ \t]*(?:,|/|\||&|\+|->|\u2192)?[ \t\n]*(?:and/or|and|or|then|nor)?[ \t\n]*(?:the[ \t]+|also[ \t]+)?\Z"
)


_MOST_JOINED = 20


def grouped(text: str, candidates: Sequence[Candidate]) -> Iterator[list[Candidate]]:
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
