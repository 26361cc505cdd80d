"""The files that a command in a shell runs, as far as its words say so without a shell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from toolsurface_lint.knowledge import words

LONGEST = 10_000
"""Characters of a command that is looked at."""


class Word(NamedTuple):
    """A word of a command without its quotes, and where it is written; an operator between commands has `ends`.

    `literal`: some of it is in single quotes, where nothing stands for anything else.
    """

    text: str
    start: int
    end: int
    ends: bool = False
    literal: bool = False


_RUNNERS = words(
    "bash sh zsh dash ksh python python3 py node nodejs deno bun bunx ruby perl php pwsh powershell powershell.exe tsx "
    "ts-node npx uv env exec nohup time timeout source . run x"
)
_SHELLS = words("bash sh zsh dash ksh")
_PROGRAM_FOLLOWS = words("-c -m --eval -p --print -Command --command -lc -ic")
_PYTHON = re.compile(r"python\d[\d.]*\Z")
_SCRIPT = re.compile(r"\.(?:sh|bash|zsh|py|[cm]?[jt]s|rb|pl|ps1|php|cmd|bat)\Z")
_REDIRECTION = re.compile(r"[<>]+[&|]?")
_ASSIGNS = re.compile(r"\w+=")
_DURATION = re.compile(r"\d+[smh]?\Z")
_TESTS = words("[ [[ test if while case command which type")
"""With these, a command finds out for itself what is there."""


def scripts_of(command: str) -> Iterator[Word]:
    """The words of a command that name a file which is run: the program itself, or what is given to an interpreter.

    A command that looks first whether something is there, or that cannot be parted into words, gives none. What lies in
    another folder because the command goes there has that folder before it.
    """
    parts = words_of(command)
    if parts is None:
        return
    commands: list[list[Word]] = [[]]
    for word in parts:
        if word.ends:
            commands.append([])
        else:
            commands[-1].append(word)
    if any(one[0].text in _TESTS for one in commands if one):
        return
    folder: str | None = ""
    for one in commands:
        if one and one[0].text == "cd":
            folder = one[1].text.rstrip("/") + "/" if len(one) == 2 and folder is not None else None
            continue
        script = _script(one)
        if script is None:
            continue
        if folder and not script.text.startswith(("$", "/", "~")):
            script = script._replace(text=folder + script.text.removeprefix("./"))
        elif folder is None and not script.text.startswith("$"):
            continue
        yield script


def _script(command: list[Word]) -> Word | None:
    runner = ""
    for word in command:
        name = word.text.rpartition("/")[2]
        if not runner and _ASSIGNS.match(word.text):
            continue
        if runner and word.text.startswith("-"):
            if word.text in _PROGRAM_FOLLOWS or (word.text == "-e" and runner not in _SHELLS):
                return None
            continue
        if _SCRIPT.search(name) is not None:
            return word if runner or "/" in word.text else None
        if name in _RUNNERS or _PYTHON.match(name):
            runner = name
            continue
        if runner and (_DURATION.match(word.text) or _ASSIGNS.match(word.text)):
            continue
        return word if "/" in word.text and not runner else None
    return None


def words_of(command: str) -> list[Word] | None:
    """The words of a command and the operators between them, without redirections.

    None if a quote is left open, if a text follows in the next lines (`<<`), or if it is too long.
    """
    if len(command) > LONGEST:
        return None
    found: list[Word] = []
    text: list[str] = []
    start = -1
    literal = target = False
    at, size = 0, len(command)

    def finish(end: int) -> None:
        nonlocal start, literal, target
        if start >= 0:
            if not target:
                found.append(Word("".join(text), start, end, literal=literal))
            target = False
        text.clear()
        start, literal = -1, False

    while at < size:
        sign = command[at]
        if sign in " \t":
            finish(at)
        elif sign in "<>":
            if command.startswith("<<", at):
                return None
            if "".join(text).isdecimal():
                text.clear()
                start = -1
            finish(at)
            # What follows is where the output goes, or where the input comes from.
            target = True
            at = _REDIRECTION.match(command, at).end()  # type: ignore[union-attr]
            continue
        elif sign in "\n;&|()":
            finish(at)
            target = False
            found.append(Word(sign, at, at + 1, ends=True))
        elif sign == "#" and start < 0:
            end = command.find("\n", at)
            at = size if end < 0 else end
            continue
        else:
            start = at if start < 0 else start
            end = _quoted(command, at)
            if end < 0:
                return None
            if end > at:
                literal = literal or sign == "'"
                text.append(command[at:end] if sign == "$" else command[at + 1 : end - 1])
                at = end
                continue
            text.append(sign)
        at += 1
    finish(size)
    return found


def _quoted(command: str, at: int) -> int:
    """The end of what a quote, or `$(`, begins; `at` if nothing is quoted there, -1 if it does not end."""
    sign = command[at]
    if sign == "$" and command.startswith("$(", at):
        end = command.find(")", at)
        return end + 1 if end >= 0 else -1
    if sign == "$" and command.startswith("${", at):
        end = command.find("}", at)
        return end + 1 if end >= 0 else -1
    if sign not in "\"'":
        return at
    end = command.find(sign, at + 1)
    return end + 1 if end >= 0 else -1
