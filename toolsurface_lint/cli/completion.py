"""`toolsurface-lint completion`: the script of each shell, and what it is answered while somebody types.

The scripts hold no names: they ask the installed program, so that they never grow stale. The answer is made without click
and without the rules, from the table of options and the pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from toolsurface_lint.cli.command_table import COMMANDS, VIEWS, Command
from toolsurface_lint.cli.options import (
    CODE,
    CODES,
    FILES,
    FLAG,
    FOLDERS,
    FORMAT,
    MANY,
    OPTIONAL,
    PROVIDER,
    SWITCH,
    VIEW,
    Option,
)
from toolsurface_lint.cli.stream import write

_HELP = (("-h", "Show this message and exit."), ("--help", "Show this message and exit."))
_VERSION = ("--version", "Show the version and exit.")


class Answer(NamedTuple):
    """What may stand at the cursor.

    `head` is the part of the current word that stays as it is. `candidates` are what may follow it, each with a few
    words about it. `paths` is `FILES` or `FOLDERS` if the shell is to offer paths there, None if not.
    """

    head: str = ""
    candidates: tuple[tuple[str, str], ...] = ()
    paths: str | None = None


def completion(shell: str) -> int:
    """Print the script of a shell."""
    from toolsurface_lint.cli.completion_scripts import SCRIPTS

    write(SCRIPTS[shell])
    return 0


def answer(arguments: Sequence[str]) -> int:
    """Answer a completion script: a shell and the words behind the program's name, the last up to the cursor.

    The first line is the number of characters of the last word that stay, and `files` or `folders` if paths are to be
    offered; then one candidate a line, in the shell's own form.
    """
    shell, *words = arguments or ("",)
    found = complete(words[:-1], words[-1] if words else "")
    if shell != "bash":
        found = _with_summaries(found)
    lines = [f"{len(found.head)} {found.paths or ''}".rstrip()]
    lines += [_FORMS.get(shell, _bash)(value, about) for value, about in found.candidates]
    write("\n".join(lines) + "\n")
    return 0


def _bash(value: str, about: str) -> str:
    return value


def _zsh(value: str, about: str) -> str:
    value = value.replace("\\", "\\\\").replace(":", "\\:")
    return f"{value}:{about}" if about else value


def _fish(value: str, about: str) -> str:
    return f"{value}\t{about}" if about else value


_FORMS = {"bash": _bash, "zsh": _zsh, "fish": _fish}


def complete(words: Sequence[str], current: str) -> Answer:
    """What may stand in place of `current`, the beginning of a word, behind other words."""
    position = next((index for index, word in enumerate(words) if not word.startswith("-")), None)
    if position is None:
        if current.startswith("-"):
            return _only(current, (*_HELP, _VERSION))
        return _only(current, ((command.name, command.summary) for command in COMMANDS))
    command = next((command for command in COMMANDS if command.name == words[position]), None)
    if command is None:
        return Answer(paths=FILES)
    return _complete_command(command, words[position + 1 :], current)


def _complete_command(command: Command, words: Sequence[str], current: str) -> Answer:
    by_flag = {flag: option for option in command.options for flag in option.flags}
    waiting: Option | None = None
    given: list[Option] = []
    positional = 0
    only_arguments = False
    for word in words:
        flag, equals, _ = word.partition("=")
        if waiting is not None:
            waiting = None
        elif only_arguments or not word.startswith("-") or word == "-":
            positional += 1
        elif word == "--":
            only_arguments = True
        elif flag in by_flag:
            given.append(by_flag[flag])
            if not equals and by_flag[flag].form not in (FLAG, SWITCH, OPTIONAL):
                waiting = by_flag[flag]
    if waiting is not None:
        return _complete_value(waiting.choices, waiting.offers, "", current)
    if current.startswith("-") and current != "-" and not only_arguments:
        flag, equals, value = current.partition("=")
        if equals and flag in by_flag and by_flag[flag].form not in (FLAG, SWITCH):
            return _complete_value(by_flag[flag].choices, by_flag[flag].offers, f"{flag}=", value)
    if current.startswith("-") and not only_arguments:
        return _only(current, (*_flags(command.options, given), *_HELP))
    argument = command.argument
    if argument is None or (positional and not argument.many):
        return Answer()
    return _complete_value(argument.choices, argument.offers, "", current)


def _flags(options: Iterable[Option], given: Sequence[Option]) -> Iterator[tuple[str, str]]:
    """The flags that may still be given."""
    for option in options:
        if option.form == MANY or option not in given:
            yield from ((flag, option.help) for flag in option.flags)


def _complete_value(choices: Sequence[str] | None, offers: str | None, head: str, value: str) -> Answer:
    if choices is not None:
        return _only(value, ((choice, "") for choice in choices), head)
    if offers in (FILES, FOLDERS):
        return Answer(head, paths=offers)
    if offers == CODE:
        return _only(value, _codes(), head)
    if offers == CODES:
        before, comma, last = value.rpartition(",")
        taken = before.split(",")
        found = [(code, about) for code, about in _codes() if code not in taken]
        return _only(last, (*found, ("ALL", "Every rule.")), head + before + comma)
    if offers in (FORMAT, VIEW):
        from toolsurface_lint.reporters import FORMATS

        form, equals, _ = value.partition("=")
        if equals:
            return Answer(f"{head}{form}=", paths=FILES)
        return _only(value, ((form, "") for form in (FORMATS if offers == FORMAT else VIEWS)), head)
    if offers == PROVIDER:
        from toolsurface_lint.knowledge.provider_names import PROVIDERS

        return _only(value, ((provider, "") for provider in sorted(PROVIDERS)), head)
    return Answer(head)


def _codes() -> list[tuple[str, str]]:
    from toolsurface_lint.checks.pages import codes

    return [(code, "") for code in sorted(codes())]


def _with_summaries(found: Answer) -> Answer:
    """The same with the summaries of the codes among the candidates: from their pages, quicker read than rules imported."""
    from toolsurface_lint.checks.pages import codes, first_paragraph, page

    known = codes() if any(value.isupper() for value, _ in found.candidates) else ()
    described = (
        (value, first_paragraph(page(value) or "").rstrip(".") if value in known else about)
        for value, about in found.candidates
    )
    return found._replace(candidates=tuple(described))


def _only(start: str, candidates: Iterable[tuple[str, str]], head: str = "") -> Answer:
    """The candidates that go on as the word begins."""
    found = ((value, about.split(". ")[0].rstrip(".")) for value, about in candidates if value.startswith(start))
    return Answer(head, tuple(found))
