"""Globs of the settings, as regular expressions that run in time proportional to the lengths of glob and path.

wcmatch and pathspec make regular expressions that do not: on `**/a/` ten times over and a path of forty folders `a` both
run for more than 20 s, and pathspec on `*a` ten times over as well. Here either takes a millisecond.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

MAX_LENGTH = 20_000
"""Characters that a glob may have once its braces are expanded: `a{b,c}` is `ab` and `ac`."""

_MATCHING: dict[str, re.Pattern[str]] = {}
_COVERING: dict[str, re.Pattern[str]] = {}


class GlobTooLong(ValueError):
    """A glob that has more than `MAX_LENGTH` characters once its braces are expanded."""


def matches(glob: str, path: str) -> bool:
    """Whether a glob matches a whole relative path with forward slashes.

    `*` and `?` stay within one name, `**` as a whole name stands for any number of folders, `[...]` and `[!...]` for
    one character, `{a,b}` for alternatives, which are written out before anything else is looked at. A glob that ends
    with a slash matches everything below that folder. Raises `GlobTooLong`.
    """
    pattern = _MATCHING.get(glob)
    if pattern is None:
        relative = _from_root(glob)
        below = "**" if relative.endswith("/") else ""
        pattern = _MATCHING[glob] = _compiled([text + below for text in written_out(relative)], r"\Z")
    return pattern.match(path) is not None


def covers(glob: str, path: str) -> bool:
    """Whether a glob matches a relative path or one of the folders that it lies in; without a slash, at any depth.

    Raises `GlobTooLong`.
    """
    pattern = _COVERING.get(glob)
    if pattern is None:
        folder = glob.rstrip("/")
        above = "" if "/" in folder else "**/"
        globs = [above + text for text in written_out(_from_root(folder))] if folder else ["**"]
        pattern = _COVERING[glob] = _compiled(globs, r"(?:/.*)?\Z")
    return pattern.match(path) is not None


def _from_root(glob: str) -> str:
    return glob.removeprefix("./").removeprefix("/")


def written_out(glob: str) -> list[str]:
    """The globs without braces that a glob stands for, each once. Raises `GlobTooLong`."""
    if len(glob) > MAX_LENGTH:
        raise GlobTooLong
    tokens = list(_tokens(glob))
    paired = _paired_braces(tokens)
    level = _Level()
    around: list[_Level] = []
    for index, token in enumerate(tokens):
        if token == "{" and index in paired:
            around.append(level)
            level = _Level()
        elif token == "," and around:
            level.end_alternative()
        elif token == "}" and around:
            inside, level = level, around.pop()
            level.add(inside)
        else:
            level.texts.append(token)
    return level.written_out()


class _Level:
    """What stands between two braces, or in a whole glob: alternatives, the last of which is being read.

    `heads` are what the last alternative may begin with, `texts` what follows in all of them: strings, and lists of such.
    They are put together when something else needs them, since each text would be copied for each brace around it.
    """

    def __init__(self) -> None:
        self.alternatives: list[str] = []
        self.heads = [""]
        self.texts: list[Any] = []

    def end_alternative(self) -> None:
        self._put_together()
        self.alternatives += self.heads
        self.heads = [""]

    def add(self, inside: _Level) -> None:
        """Add what stands in braces."""
        if not inside.alternatives and inside.heads == [""]:
            self.texts.append(inside.texts)
            return
        choices = inside.written_out()
        if len(choices) == 1:
            self.texts.append(choices[0])
        else:
            self._put_together()
            self.heads = _product(self.heads, choices)

    def written_out(self) -> list[str]:
        self._put_together()
        return list(dict.fromkeys(self.alternatives + self.heads))

    def _put_together(self) -> None:
        text = "".join(_flat(self.texts))
        self.texts = []
        if text:
            self.heads = _product(self.heads, [text])


def _flat(texts: list[Any]) -> Iterator[str]:
    """The strings in nested lists, in order; the lists may be nested deeper than Python's stack."""
    left = [iter(texts)]
    while left:
        for each in left[-1]:
            if isinstance(each, list):
                left.append(iter(each))
                break
            yield each
        else:
            left.pop()


def _tokens(glob: str) -> Iterator[str]:
    """The parts of a glob that brace expansion distinguishes: braces, commas, and other text with whole `[...]` in it."""
    start = at = 0
    open_until = 0
    text: list[str] = []
    while at < len(glob):
        char = glob[at]
        if char == "[":
            end = -1 if at < open_until else _class_end(glob, at)
            if end >= 0:
                at = end
                continue
            # No `[` in this name is closed: each stands for itself, whatever braces put beside it.
            if at >= open_until:
                slash = glob.find("/", at)
                open_until = len(glob) if slash < 0 else slash
            text += glob[start:at], "[[]"
        elif char in "{},":
            yield "".join((*text, glob[start:at]))
            yield char
            text.clear()
        else:
            at += 1
            continue
        at += 1
        start = at
    yield "".join((*text, glob[start:]))


def _class_end(glob: str, start: int) -> int:
    """The offset after the `[...]` at an offset; -1 if it is not closed within its name."""
    # A `]` that comes first is a member.
    end = glob.find("]", start + 2 + glob.startswith(("!", "^"), start + 1))
    return end + 1 if end >= 0 and glob.find("/", start, end) < 0 else -1


def _paired_braces(tokens: list[str]) -> frozenset[int]:
    """The indexes of the braces that are closed; the others stand for themselves."""
    opened: list[int] = []
    paired: list[int] = []
    for index, token in enumerate(tokens):
        if token == "{":
            opened.append(index)
        elif token == "}" and opened:
            paired.append(opened.pop())
    return frozenset(paired)


def _product(heads: list[str], tails: list[str]) -> list[str]:
    if heads == [""]:
        return tails
    length = len(tails) * sum(map(len, heads)) + len(heads) * sum(map(len, tails))
    if length + len(heads) * len(tails) > MAX_LENGTH + 1:
        raise GlobTooLong
    return [head + tail for head in heads for tail in tails]


def _compiled(globs: Iterable[str], end: str) -> re.Pattern[str]:
    """The regular expression of any of some globs without braces; `end` is what must follow the last name."""
    names: list[str] = []
    regexes: list[str] = []
    for glob in globs:
        parts = glob.split("/")
        # Most alternatives are names at any depth: their folders are passed once.
        if end == r"\Z" and len(parts) == 2 and parts[0] == "**" != parts[1]:
            names.append(_between_stars(_fixed_texts(parts[1]), "[^/]"))
        else:
            regexes.append(_path(parts, end))
    if names:
        regexes.append(rf"{_FOLDERS}*+(?:{'|'.join(names)})\Z")
    return re.compile("|".join(regexes), re.DOTALL)


_FOLDERS = "(?:[^/]++/)"


def _path(parts: list[str], end: str) -> str:
    """The regular expression of a glob without braces, by its names."""
    runs = [""]
    for part in parts:
        if part == "**":
            runs.append("")
        else:
            runs[-1] += f"{_between_stars(_fixed_texts(part), '[^/]')}/"
    runs[-1] = runs[-1][:-1] + end if runs[-1] else ".*"
    return _between_stars(runs, _FOLDERS)


def _between_stars(regexes: list[str], any_one: str) -> str:
    """The regular expression of texts or names with a star between any two, which is any number of `any_one`.

    Between two stars, a text is looked for where it occurs first and never again: what follows can only come after it.
    So no star is tried at more than one place for any other star.
    """
    first, *others = regexes
    if not others:
        return first
    *between, last = others
    return first + "".join(f"(?>{any_one}*?{regex})" for regex in between if regex) + f"{any_one}*{last}"


_PART = re.compile(r"\[([!^]?)(\][^\]]*|[^\]]+)\]|(\?)|(\*+)|([^\[?*]+)")


def _fixed_texts(name: str) -> list[str]:
    """The regular expressions of the texts between the stars of a name; each matches texts of one length."""
    texts = [""]
    for found in _PART.finditer(name):
        negated, members, any_one, stars, text = found.groups()
        if members is not None:
            texts[-1] += _character_class(negated, members)
        elif any_one:
            texts[-1] += "[^/]"
        elif stars:
            texts.append("")
        else:
            texts[-1] += re.escape(text)
    return texts


def _character_class(negated: str, body: str) -> str:
    members: list[str] = []
    index = 0
    while index < len(body):
        if body[index + 1 : index + 2] == "-" and index + 2 < len(body):
            first, last = body[index], body[index + 2]
            # A range that runs backwards is empty.
            if first <= last:
                members.append(f"{re.escape(first)}-{re.escape(last)}")
            index += 3
        else:
            members.append(re.escape(body[index]))
            index += 1
    if negated:
        return f"[^/{''.join(members)}]"
    return f"[{''.join(members)}]" if members else "(?!)"
