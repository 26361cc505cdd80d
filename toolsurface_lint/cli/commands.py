"""The click side of the command line: help, wrong usage, and everything that the quick parser leaves to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import click

from toolsurface_lint import __version__
from toolsurface_lint.cli.check import FAILURE
from toolsurface_lint.cli.command_table import COMMANDS, Command
from toolsurface_lint.cli.completion import values
from toolsurface_lint.cli.options import FLAG, MANY, MANY_REQUIRED, OPTIONAL, REQUIRED, SWITCH, Parameter
from toolsurface_lint.cli.stream import complain, draw, write
from toolsurface_lint.model.names import did_you_mean

PROGRAM = "toolsurface-lint"


def run_click(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code; wrong usage goes to standard error."""
    try:
        return int(program.main(list(arguments), prog_name=PROGRAM, standalone_mode=False))
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.exceptions.NoArgsIsHelpError as error:
        draw(f"{error.format_message()}\n")
        return FAILURE
    except click.ClickException as error:
        complain(_sentence(error))
        return FAILURE


def _sentence(error: click.ClickException) -> str:
    """What is wrong with the usage, on one line, and where the help is."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    message = error.format_message().rstrip(".")
    if isinstance(error, click.NoSuchOption):
        parameters = [] if context is None else context.command.get_params(context)
        flags = [flag for one in parameters for flag in (*one.opts, *one.secondary_opts)]
        message = f"no such option `{error.option_name}`{did_you_mean(error.option_name, flags)}"
    return message if context is None else f"{message} (help: {context.command_path} --help)"


def _showing(flags: list[str], text: Callable[[click.Context], str], help: str) -> click.Option:
    """A flag that only shows a text. click's own would fail where the text cannot be written."""

    def show(context: click.Context, _: click.Parameter, given: bool) -> None:
        if given and not context.resilient_parsing:
            write(f"{text(context)}\n")
            context.exit()

    return click.Option(flags, is_flag=True, is_eager=True, expose_value=False, callback=show, help=help)


class _Program(click.Group):
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


class _Command(click.Command):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # click would take what follows, which may be a path, for the value.
        flags = {flag for option in self.params if isinstance(option, _Optional) for flag in option.opts}
        last = args.index("--") if "--" in args else len(args)
        given = [f"{arg}=" if arg in flags and index < last else arg for index, arg in enumerate(args)]
        return super().parse_args(ctx, given)


def _click_parameter(parameter: Parameter) -> click.Parameter:
    if parameter.form in (FLAG, SWITCH):
        return click.Option(["/".join(parameter.flags)], is_flag=True, default=parameter.default, help=parameter.help)
    several = parameter.form in (MANY, MANY_REQUIRED)
    common: dict[str, Any] = {
        "type": _Choice(parameter.choices) if parameter.choices else None,
        "shell_complete": values(parameter.offers),
    }
    if not parameter.flags[0].startswith("-"):
        required = parameter.form in (REQUIRED, MANY_REQUIRED)
        metavar = parameter.metavar
        return click.Argument(parameter.flags, nargs=-1 if several else 1, required=required, metavar=metavar, **common)
    metavar = parameter.metavar or "|".join(parameter.choices or ())
    form = _Optional if parameter.form == OPTIONAL else click.Option
    return form(parameter.flags, multiple=several, metavar=metavar, help=parameter.help, **common)


_HELP = _showing(["-h", "--help"], click.Context.get_help, "Show this message and exit.")


def _click_command(command: Command) -> click.Command:
    """The command; its function has the name of its module, which is imported when it is called."""

    def run(**given: Any) -> Any:
        return getattr(import_module(f"toolsurface_lint.cli.{command.name}"), command.name)(**given)

    return _Command(
        command.name,
        callback=run,
        params=[*map(_click_parameter, command.parameters), _HELP],
        short_help=command.summary,
        help=command.help,
        add_help_option=False,
    )


program = _Program(
    commands=list(map(_click_command, COMMANDS)),
    params=[_showing(["--version"], lambda _: f"{PROGRAM} {__version__}", "Show the version and exit."), _HELP],
    help="""Find the mismatches between an LLM agent's tools, policies, prompts, templates and transcripts.

    Nothing that is linted is run, imported or sent anywhere. Only snapshot starts servers, those that it is given.
    """,
    add_help_option=False,
    context_settings={"max_content_width": 100},
)
