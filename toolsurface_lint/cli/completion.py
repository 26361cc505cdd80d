"""Shell completion: click's own, which knows the commands, the options and their choices; here are the other values.

The scripts hold no names: they ask the installed program, so that they never grow stale.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    get_completion_class,
)

from toolsurface_lint.cli.command_table import VIEWS
from toolsurface_lint.cli.options import CODE, CODES, COMPLETION, FILES, FOLDERS, FORMAT, PROTOCOL, PROVIDER, VIEW
from toolsurface_lint.cli.stream import write
from toolsurface_lint.reporters import FORMATS

if TYPE_CHECKING:
    from toolsurface_lint.model.diagnostics import Rule

    # Before click 8.5 the class takes no parameter.
    Items = list[CompletionItem[str]]


def completion(shell: str) -> int:
    """Print the script of a shell for the program that is running, which the script asks by an environment variable."""
    shells = get_completion_class(shell)
    program = click.get_current_context().find_root()
    assert shells is not None
    assert program.info_name is not None
    write(shells(program.command, {}, program.info_name, COMPLETION).source())
    return 0


def values(offers: str | None) -> Callable[[click.Context, click.Parameter, str], Items] | None:
    """What click asks for the values of a parameter, by what it offers; None if its type says so."""
    found = _VALUES.get(offers or "")
    return None if found is None else lambda context, parameter, start: found(start)


def _paths(kind: str) -> Callable[[str], Items]:
    return lambda start: [CompletionItem(start, type=kind)]


def _words(words: Iterable[str], file: bool = False) -> Callable[[str], Items]:
    """The words that go on as the value begins; with `file`, paths after `WORD=`."""

    def items(start: str) -> Items:
        if file and "=" in start:
            return [CompletionItem(start.partition("=")[2], type="file")]
        return [CompletionItem(word) for word in words if word.startswith(start)]

    return items


def _codes(start: str) -> Items:
    # From their pages, which are quicker read than the rules are imported.
    from toolsurface_lint.checks.index import RULES
    from toolsurface_lint.checks.pages import first_paragraph, page

    pages = {code: page(code) or "" for code in RULES if code.startswith(start)}
    pages |= {rule.code: rule.page for rule in _own_rules() if rule.code.startswith(start)}
    return [CompletionItem(code, help=first_paragraph(text).rstrip(".")) for code, text in pages.items()]


def _own_rules() -> Iterable[Rule]:
    """The rules of the settings of the working directory, as far as these can be used."""
    from toolsurface_lint.project.settings import SettingsError
    from toolsurface_lint.project.settings.loading import load_settings
    from toolsurface_lint.project.settings.selection import other_rules

    try:
        return other_rules(load_settings((".",)))
    except SettingsError:
        return ()


def _groups() -> list[str]:
    from toolsurface_lint.checks.index import RULES
    from toolsurface_lint.project.settings.selection import groups

    return sorted(groups(RULES))


def _several_codes(start: str) -> Items:
    before, comma, last = start.rpartition(",")
    taken = before.split(",")
    found = [item for item in _codes(last) if item.value not in taken]
    if "ALL".startswith(last):
        found.append(CompletionItem("ALL", help="Every rule"))
    found += [CompletionItem(group, help="A group of rules") for group in _groups() if group.startswith(last)]
    for item in found:
        item.value = before + comma + item.value
    return found


def _protocols(start: str) -> Items:
    from toolsurface_lint.protocols.choosing import protocol_names

    return [CompletionItem(name) for name in protocol_names() if name.startswith(start)]


def _providers(start: str) -> Items:
    from toolsurface_lint.knowledge.provider_names import ALIASES, PORTABLE, TITLES

    before, comma, last = start.rpartition(",")
    taken = before.split(",")
    known = sorted((*TITLES, *ALIASES, PORTABLE))
    found = [CompletionItem(name) for name in known if name.startswith(last) and name not in taken]
    for item in found:
        item.value = before + comma + item.value
    return found


_VALUES: dict[str, Callable[[str], Items]] = {
    FILES: _paths("file"),
    FOLDERS: _paths("dir"),
    CODE: _codes,
    CODES: _several_codes,
    FORMAT: _words(FORMATS, file=True),
    VIEW: _words(VIEWS, file=True),
    PROTOCOL: _protocols,
    PROVIDER: _providers,
}


class _Bash(BashComplete):
    def get_completion_args(self) -> tuple[list[str], str]:
        # Readline takes `=` for a word of its own.
        words, current = super().get_completion_args()
        return [word for word in words if word != "="], current


class _WholeWord(ShellComplete):
    """For shells that put the candidate in place of a whole word `--option=value`, of which click gives the value."""

    def get_completions(self, args: list[str], incomplete: str) -> Items:
        option, equals, _ = incomplete.partition("=")
        found = super().get_completions(args, incomplete)
        if equals and option.startswith("-"):
            for item in found:
                item.value = f"{option}={item.value}"
        return found


class _Zsh(_WholeWord, ZshComplete):
    pass


class _Fish(_WholeWord, FishComplete):
    pass


for _shell in (_Bash, _Zsh, _Fish):
    add_completion_class(_shell)
