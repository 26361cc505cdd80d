"""The click side of the command line: help, completion, and everything that the quick parser leaves to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from toolsurface_lint import __version__
from toolsurface_lint.cli.check import FAILURE, check
from toolsurface_lint.cli.options import CHECK, FLAG, MANY, READING, SWITCH, Option

PROGRAM = "toolsurface-lint"
_INTERRUPTED = 130


def run_click(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code; wrong usage is told on standard error."""
    try:
        code = program.main(list(arguments), prog_name=PROGRAM, standalone_mode=False)
    except click.exceptions.Exit as finished:
        return finished.exit_code
    except click.Abort:
        return _INTERRUPTED
    except click.ClickException as error:
        error.show()
        return FAILURE
    return code if isinstance(code, int) else 0


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="%(prog)s %(version)s")
def program() -> None:
    """Find the mismatches between an LLM agent's tools, policies, prompts, templates and transcripts.

    Nothing that is linted is run, imported or sent anywhere.
    """


def _click_option(option: Option) -> click.Option:
    flags = [*option.flags, option.name]
    if option.form == SWITCH:
        flags = ["/".join(option.flags), option.name]
        return click.Option(flags, default=None, help=option.help)
    if option.form == FLAG:
        return click.Option(flags, is_flag=True, help=option.help)
    choices = click.Choice(option.choices) if option.choices else None
    metavar = option.metavar or "|".join(option.choices or ())
    return click.Option(flags, type=choices, multiple=option.form == MANY, metavar=metavar, help=option.help)


def _paths() -> click.Argument:
    return click.Argument(["paths"], nargs=-1, metavar="[PATH]...")


def _surface(**options: Any) -> int:
    from toolsurface_lint.cli.surface import surface

    return surface(**options)


def _wire(direction: str) -> int:
    from toolsurface_lint.cli.wire import wire

    return wire(direction)


def _server(stdio: bool) -> int:
    from toolsurface_lint.cli.server import server

    return server()


def _config(**options: Any) -> int:
    from toolsurface_lint.cli.config import config

    return config(**options)


def _init(folder: str) -> int:
    from toolsurface_lint.cli.init import init

    return init(folder)


def _rule(code: str | None, output: str) -> int:
    from toolsurface_lint.cli.rule import rule

    return rule(code, output)


program.add_command(
    click.Command(
        "check",
        callback=check,
        params=[_paths(), *map(_click_option, CHECK)],
        short_help="Check files and folders.",
        help="""Check files and folders; PATH defaults to the current directory, - is standard input.

        CODES are codes or prefixes of codes, separated by commas; ALL means every rule.

        Exit code 0: nothing at or above --fail-on; 1: something; 2: wrong usage or settings, a PATH that does not
        exist, a folder in which nothing was recognised, or an internal error.""",
    )
)
program.add_command(
    click.Command(
        "rule",
        callback=_rule,
        params=[
            click.Argument(["code"], required=False),
            click.Option(["--output"], type=click.Choice(["text", "json"]), default="text", metavar="text|json"),
        ],
        short_help="Show the page of a rule, or all rules.",
        help="Show the page of a rule; without CODE, the table of all rules.",
    )
)
program.add_command(
    click.Command(
        "surface",
        callback=_surface,
        params=[
            _paths(),
            click.Option(["--output"], type=click.Choice(["text", "json"]), default="text", metavar="text|json"),
            *map(_click_option, READING),
        ],
        short_help="Show what is recognised.",
        help="""Show what is recognised: the surfaces, their tools, policies and prompts, and where each comes from.

        PATH defaults to the current directory, - is standard input.""",
    )
)
program.add_command(
    click.Command(
        "config",
        callback=_config,
        params=[
            _paths(),
            click.Option(["--output"], type=click.Choice(["text", "json"]), default="text", metavar="text|json"),
            *(_click_option(option) for option in READING if option.name in ("config", "isolated")),
        ],
        short_help="Show the settings that hold.",
        help="""Show the settings that hold for PATH, the current directory by default, and where each comes from.""",
    )
)
program.add_command(
    click.Command(
        "init",
        callback=_init,
        params=[click.Argument(["folder"], required=False, default=".", metavar="[FOLDER]")],
        short_help="Write a settings file.",
        help="""Write a commented toolsurface.toml for what is found in FOLDER, the current directory by default.

        A settings file that is there already is never changed.""",
    )
)
program.add_command(
    click.Command(
        "wire",
        callback=_wire,
        params=[click.Argument(["direction"], type=click.Choice(["to-wire", "to-canonical"]))],
        short_help="Remap the delimiters of tool calls.",
        help="""Remap the delimiters of tool calls, from standard input to standard output.

        to-wire turns <tool_call> and </tool_call> into [[CALL]] and [[/CALL]], to-canonical turns them back.""",
    )
)
program.add_command(
    click.Command(
        "server",
        callback=_server,
        params=[click.Option(["--stdio"], is_flag=True, help="Use standard input and output, which is the only way.")],
        short_help="Run the language server.",
        help="""Run the language server on standard input and output, for editors.

        It needs pygls: pip install 'toolsurface-lint[lsp]'.""",
    )
)
