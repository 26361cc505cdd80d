"""Commands of a shell, each as its words, with what the text itself gives to variables put in their place.

Not a shell: what is known only when a script runs is a `GAP`. Lines of other languages that hold commands (Dockerfiles, recipes
of make) are read in the same way; what is not a command there has no words that mean anything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from toolsurface_lint.readers.shell_words import Word
from toolsurface_lint.source.text import GAP

LONGEST = 10_000
"""Characters of a value that is put in the place of a variable; a longer one is not known."""
_NEAR = 2_000
"""Characters within which `${`, `{{` or a backtick is closed."""
_MOST = 100_000
"""Characters that are put in the place of variables, beside as many as the text has; a word counts as some more."""
_LONGEST_QUOTE = 4_000
"""Characters within which a quote is closed; otherwise it is an apostrophe in a text that is not a command."""


class Part(NamedTuple):
    """A word of a command. `sure` is False for what a variable gives that is set in one of several ways.

    `opens`: the word may be several, options among them, when the command runs.
    """

    word: Word
    sure: bool = True
    opens: bool = False

    @property
    def text(self) -> str:
        return self.word.text


Command = list[Part]

_NAME = re.compile(r"[A-Za-z_]\w*")
_PLACEHOLDER = re.compile(r"<[A-Za-z][\w./:-]{0,80}(?: [\w./:-]{1,80}){0,6}>")
"""`<model>`, as documentation writes what the reader puts there: to a shell, two redirections."""
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(\+?)=")
_BRACES = re.compile(r"\$\{([A-Za-z_]\w*)(?:\[[@*]\])?(?:(:?[-=?+])([^{}]*))?\}")
_DECLARES = frozenset(("export", "local", "readonly", "declare", "typeset", "ENV", "ARG", "-x", "-r", "-a"))
_BEGINS = frozenset(("if", "case", "for", "while", "until", "{"))
_ENDS = frozenset(("fi", "esac", "done", "}"))
_KEYWORDS = _BEGINS | _ENDS | frozenset(("then", "else", "elif", "do", "!", "function"))


def commands(text: str) -> list[Command]:
    """The commands of a text, in order."""
    return _Reader(text).read()


class _Value:
    """What a variable is set to: the words, and how many characters they have."""

    def __init__(self, parts: list[Part], is_list: bool) -> None:
        self.parts = parts
        self.is_list = is_list
        self.sure = True
        """Whether no way of the script leaves it out."""
        self.size = sum(len(part.text) for part in parts)

    def add(self, parts: list[Part], is_list: bool) -> None:
        self.is_list = self.is_list or is_list
        self.size += sum(len(part.text) for part in parts)
        if self.size <= LONGEST:
            self.parts.extend(parts)


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._values: dict[str, _Value] = {}
        self._depth = 0
        self._budget = len(text) + _MOST
        self._found: list[Command] = []
        self._command: Command = []
        self._characters: list[str] = []
        self._offsets: list[int] = []
        self._begun = self._sure = self._quoted = self._spreads = False
        self._skips = False
        self._target: tuple[str, bool] | None = None
        """The variable whose list is being read, and whether that is added to."""
        self._list: list[Part] = []

    def read(self) -> list[Command]:
        text, size = self._text, len(self._text)
        at = 0
        quote = ""
        self._sure = True
        while at < size:
            sign = text[at]
            if sign == "\\" and quote != "'" and at + 1 < size:
                at = self._escaped(at, quote)
            elif quote and sign == quote:
                quote = ""
                at += 1
            elif not quote and sign in "\"'" and text.find(sign, at + 1, at + _LONGEST_QUOTE) >= 0:
                quote = sign
                self._begun = self._quoted = True
                at += 1
            elif sign == "$" and quote != "'":
                at = self._variable(at, bool(quote))
            elif (sign == "`" and quote != "'") or text.startswith("{{", at):
                at = self._unknown(at, "`" if sign == "`" else "}}", bool(quote))
            elif quote:
                self._add(sign, at)
                at += 1
            elif sign in " \t\r":
                self._end_word(at)
                at += 1
            elif sign == "#" and not self._begun:
                end = text.find("\n", at)
                at = size if end < 0 else end
            elif sign in "\n;&|()":
                at = self._operator(sign, at)
            elif sign in "<>":
                placeholder = _PLACEHOLDER.match(text, at)
                at = self._redirection(at) if placeholder is None else self._placeholder(at, placeholder.end())
            else:
                self._add(sign, at)
                at += 1
        self._end_command(size)
        return self._found

    # --- Characters ---------------------------------------------------------------------------------------------------

    def _add(self, character: str, at: int) -> None:
        self._characters.append(character)
        self._offsets.append(at)
        self._begun = True

    def _escaped(self, at: int, quote: str) -> int:
        following = self._text[at + 1]
        if following == "\n" or self._text.startswith("\r\n", at + 1):
            return at + (2 if following == "\n" else 3)
        if following in " \t" and not quote:
            # A blank behind a backslash that was to end the line: the shell ends the command there, its author does not.
            end = at + 1
            while end < len(self._text) and self._text[end] in " \t\r":
                end += 1
            if self._text.startswith("\n", end):
                return end + 1
        if quote and following not in '"\\$`':
            self._add("\\", at)
            return at + 1
        self._add(following, at + 1)
        return at + 2

    def _unknown(self, at: int, closing: str, quoted: bool) -> int:
        """What stands for something that is not known: until `closing`, if that comes soon."""
        end = self._text.find(closing, at + len(closing), at + _NEAR)
        self._add(GAP, at)
        self._quoted = self._quoted or quoted
        return at + len(closing) if end < 0 else end + len(closing)

    def _variable(self, at: int, quoted: bool) -> int:
        text = self._text
        if text.startswith("${{", at):
            return self._unknown(at + 1, "}}", quoted)
        if text.startswith("$(", at):
            self._add(GAP, at)
            return self._closings.get(at + 1, at + 1) + 1
        braces = _BRACES.match(text, at, at + _NEAR) if text.startswith("${", at) else None
        if braces is not None:
            self._spreads = self._spreads or (
                "[" in braces[0][: braces.end(1) - at + 1] and braces[1] not in self._values
            )
            name, default = braces[1], braces[3] if braces[2] in (":-", "-", ":=", "=") else None
            self._expand(name, at, quoted, default, braces.start(3))
            return braces.end()
        if text.startswith("${", at):
            return self._unknown(at + 1, "}", quoted)
        name_match = _NAME.match(text, at + 1)
        if name_match is not None:
            self._expand(name_match[0], at, quoted, None, 0)
            return name_match.end()
        if at + 1 < len(text) and text[at + 1] in "@*0123456789?#$!":
            self._add(GAP, at)
            # All that the script was given.
            self._spreads = self._spreads or text[at + 1] in "@*"
            self._quoted = self._quoted or quoted
            return at + 2
        self._add("$", at)
        return at + 1

    def _expand(self, name: str, at: int, quoted: bool, default: str | None, start: int) -> None:
        value = self._values.get(name)
        if value is None:
            if default is None or GAP in default or "$" in default or "`" in default:
                self._add(GAP, at)
                self._quoted = self._quoted or quoted
                return
            word = Word(default.strip("\"'"), [])
            first = start + default.find(word.text)
            word = word._replace(offsets=list(range(first, first + len(word.text) + 1)))
            value = _Value([Part(word)], False)
        self._budget -= value.size + 16 * len(value.parts)
        if self._budget < 0:
            self._add(GAP, at)
            return
        pieces = value.parts
        if not value.is_list and not quoted:
            pieces = [piece for part in value.parts for piece in _split(part)]
        elif quoted and not value.is_list:
            self._begun = self._quoted = True
        for index, piece in enumerate(pieces):
            if index:
                self._end_word(at)
            self._characters.extend(piece.text)
            self._offsets.extend(piece.word.offsets[: len(piece.text)])
            self._begun = True
            self._sure = self._sure and piece.sure and value.sure
            self._quoted = self._quoted or (value.is_list and not piece.opens)

    @cached_property
    def _closings(self) -> dict[int, int]:
        """Where each parenthesis of the text is closed, whatever is quoted."""
        found: dict[int, int] = {}
        opened: list[int] = []
        for match in re.finditer(r"[()]", self._text):
            if match[0] == "(":
                opened.append(match.start())
            elif opened:
                found[opened.pop()] = match.start()
        return found

    # --- Words and commands -------------------------------------------------------------------------------------------

    def _part(self, end: int) -> Part | None:
        if not self._begun:
            return None
        text = "".join(self._characters)
        offsets = [*self._offsets, self._offsets[-1] + 1 if self._offsets else end]
        opens = (self._spreads or not self._quoted) and text.replace(GAP, "") == "" and bool(text)
        part = Part(Word(text, offsets), self._sure, opens)
        self._characters, self._offsets = [], []
        self._begun = self._quoted = self._spreads = False
        self._sure = True
        return part

    def _end_word(self, end: int) -> None:
        part = self._part(end)
        if part is None:
            return
        if self._skips:
            self._skips = False
        elif self._target is not None:
            self._list.append(part._replace(sure=part.sure and not self._depth))
        else:
            self._command.append(part)

    def _end_command(self, end: int) -> None:
        self._end_word(end)
        self._skips = False
        command = self._command
        self._command = []
        while command and command[0].text in _KEYWORDS:
            word = command.pop(0).text
            self._depth += (word in _BEGINS) - (word in _ENDS)
        self._depth = max(self._depth, 0)
        if command and command[-1].text == "{":
            self._depth += 1
            command.pop()
        if command and not self._assign(command):
            self._found.append(command)

    def _operator(self, sign: str, at: int) -> int:
        if sign == "(" and self._begun and self._target is None:
            assignment = _ASSIGNMENT.fullmatch("".join(self._characters))
            if assignment is not None:
                self._part(at)
                self._target = assignment[1], bool(assignment[2])
                self._list = []
                return at + 1
        self._end_word(at)
        if self._target is not None:
            if sign == ")":
                name, adds = self._target
                self._target = None
                self._set(name, self._list, adds, True)
            return at + 1
        self._end_command(at)
        return at + 1

    def _placeholder(self, at: int, end: int) -> int:
        self._add(GAP, at)
        # Several words may come in its place, as for `<options>`, if it does not say that it is one.
        self._quoted = self._quoted or not self._text[at:end].lower().endswith(("s>", "s...>"))
        return end

    def _redirection(self, at: int) -> int:
        if "".join(self._characters).isdecimal():
            self._part(at)
        self._end_word(at)
        end = at + 1
        while end < len(self._text) and self._text[end] in "<>&-":
            end += 1
        self._skips = self._text[end - 1] != "-"
        return end

    def _assign(self, command: Command) -> bool:
        """Take note of what a command that only sets variables sets them to."""
        words = [part for part in command if part.text not in _DECLARES]
        if not words:
            return False
        if command[0].text == "ENV" and len(words) == 2 and _NAME.fullmatch(words[0].text):
            self._set(words[0].text, [words[1]], False, False)
            return True
        found = [_ASSIGNMENT.match(part.text) for part in words]
        if not all(found):
            return False
        for part, match in zip(words, found, strict=True):
            if match is None:
                continue
            start = match.end()
            word = Word(part.text[start:], part.word.offsets[start:])
            parts = [part._replace(word=word)] if word.text else []
            self._set(match[1], parts, bool(match[2]), False)
        return True

    def _set(self, name: str, parts: Sequence[Part], adds: bool, is_list: bool) -> None:
        if sum(len(part.text) for part in parts) > LONGEST:
            parts = [Part(Word(GAP, [*parts[0].word.offsets[:1], parts[0].word.offsets[0] + 1]), False, True)]
        sure = not self._depth
        found = [part._replace(sure=part.sure and sure) for part in parts]
        old = self._values.get(name)
        if old is not None and adds:
            old.add(found, is_list)
        elif old is not None and not sure and not found:
            # Left out in one of the ways.
            old.sure = False
        else:
            self._values[name] = _Value(found, is_list)


def _split(part: Part) -> list[Part]:
    """The words that a shell makes of a value that is not quoted."""
    return [
        Part(
            Word(match[0], part.word.offsets[match.start() : match.end() + 1]),
            part.sure,
            part.opens or match[0] == GAP,
        )
        for match in re.finditer(r"\S+", part.text)
    ]
