"""The click side of the command line: help, wrong usage, and everything that the quick parser leaves to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import click

from toolsurface_lint import __version__
from toolsurface_lint.cli.check import FAILURE
from toolsurface_lint.cli.command_table import COMMANDS, Command, CommandArgument
from toolsurface_lint.cli.completion import values
from toolsurface_lint.cli.options import FLAG, MANY, OPTIONAL, SWITCH, Option
from toolsurface_lint.cli.stream import complain, draw, write
from toolsurface_lint.model.names import did_you_mean

PROGRAM = "toolsurface-lint"
_INTERRUPTED = 130


def run_click(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code; wrong usage goes to standard error."""
    try:
        code = program.main(list(arguments), prog_name=PROGRAM, standalone_mode=False)
    except click.exceptions.Exit as finished:
        return finished.exit_code
    except click.Abort:
        return _INTERRUPTED
    except click.exceptions.NoArgsIsHelpError as error:
        draw(f"{error.format_message()}\n")
        return FAILURE
    except click.ClickException as error:
        complain(_told(error))
        return FAILURE
    return code if isinstance(code, int) else 0


def _told(error: click.ClickException) -> str:
    """What is wrong with the usage, on one line, and where the help is."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    message = error.format_message().rstrip(".")
    if isinstance(error, click.NoSuchOption):
        flags = [] if context is None else _flags(context)
        message = f"no such option `{error.option_name}`{did_you_mean(error.option_name, flags)}"
    return message if context is None else f"{message} (help: {context.command_path} --help)"


def _flags(context: click.Context) -> list[str]:
    return [flag for one in context.command.get_params(context) for flag in (*one.opts, *one.secondary_opts)]


def _say(text: Callable[[click.Context], str]) -> Callable[[click.Context, click.Parameter, bool], None]:
    """What a flag does that only shows a text. click's own would fail where the text cannot be written."""

    def show(context: click.Context, _: click.Parameter, given: bool) -> None:
        if given and not context.resilient_parsing:
            write(f"{text(context)}\n")
            context.exit()

    return show


class _Helping(click.Command):
    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        option = super().get_help_option(ctx)
        if option is not None:
            option.callback = _say(click.Context.get_help)
        return option


class _Program(_Helping, click.Group):
    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not ctx.resilient_parsing and name not in self.commands and not name.startswith("-"):
            raise click.UsageError(f"no such command `{name}`{did_you_mean(name, self.commands)}", ctx)
        return super().resolve_command(ctx, args)


class _Choice(click.Choice[str]):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value in self.choices:
            return str(value)
        near = did_you_mean(value, self.choices)
        allowed = near or f": it must be one of {', '.join(self.choices)}"
        of = f" of {param.opts[-1]}" if isinstance(param, click.Option) else ""
        raise click.UsageError(f"unknown value `{value}`{of}{allowed}", ctx)

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:
        # The metavar lists the choices already.
        return ""


class _Optional(click.Option):
    """An option that has a value only after `=`."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        return f"{self.opts[0]}[={self.metavar}]", self.help or ""


class _Command(_Helping):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # click would take what follows, which may be a path, for the value.
        flags = {flag for option in self.params if isinstance(option, _Optional) for flag in option.opts}
        last = args.index("--") if "--" in args else len(args)
        given = [f"{arg}=" if arg in flags and index < last else arg for index, arg in enumerate(args)]
        return super().parse_args(ctx, given)


@click.group(cls=_Program, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_say(lambda _: f"{PROGRAM} {__version__}"),
    help="Show the version and exit.",
)
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
    form = _Optional if option.form == OPTIONAL else click.Option
    return form(
        flags,
        type=_Choice(option.choices) if option.choices else None,
        multiple=option.form == MANY,
        metavar=option.metavar or "|".join(option.choices or ()),
        help=option.help,
        shell_complete=values(option.offers),
    )


def _click_argument(argument: CommandArgument) -> click.Argument:
    # To click, a default of None is not the same as no default.
    default = {} if argument.default is None else {"default": argument.default}
    return click.Argument(
        [argument.name],
        nargs=-1 if argument.many else 1,
        required=argument.required,
        type=_Choice(argument.choices) if argument.choices else None,
        metavar=argument.metavar,
        shell_complete=values(argument.offers),
        **default,
    )


def _click_command(command: Command) -> click.Command:
    """The command; its function has the name of its module, which is imported when it is called."""

    arguments = [] if command.argument is None else [_click_argument(command.argument)]

    def run(**given: Any) -> Any:
        return getattr(import_module(f"toolsurface_lint.cli.{command.name}"), command.name)(**given)

    return _Command(
        command.name,
        callback=run,
        params=[*arguments, *map(_click_option, command.options)],
        short_help=command.summary,
        help=command.help,
    )


for _command in COMMANDS:
    program.add_command(_click_command(_command))
