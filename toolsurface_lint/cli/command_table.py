"""The commands, as data: what each takes, and what its help says."""

from __future__ import annotations

from typing import NamedTuple

from toolsurface_lint.cli.options import CHECK, CODE, FILES, FLAG, FOLDERS, MANY, READING, VALUE, VIEW, Option


class CommandArgument(NamedTuple):
    """The arguments of a command that are not options: one, or as many as are given."""

    name: str
    metavar: str | None = None
    many: bool = False
    required: bool = False
    default: str | None = None
    choices: tuple[str, ...] | None = None
    offers: str | None = None


class Command(NamedTuple):
    """One command: what it takes, and what its help says."""

    name: str
    summary: str
    help: str
    options: tuple[Option, ...] = ()
    argument: CommandArgument | None = None


VIEWS = ("text", "json", "html")
"""The formats of `surface`."""

_OUTPUT = Option(("--output",), "output", VALUE, "The format of the output. Default: text.", choices=("text", "json"))
_VIEW = Option(
    ("--output",),
    "output",
    MANY,
    f"Write the surfaces in this format, to standard output or to FILE; may be repeated. "
    f"Formats: {', '.join(VIEWS)} (one page, with the findings). Default: text.",
    "FORMAT[=FILE]",
    offers=VIEW,
)
_PATHS = CommandArgument("paths", "[PATH]...", many=True, offers=FILES)
SHELLS = ("bash", "zsh", "fish")
TO_WIRE, TO_CANONICAL = "to-wire", "to-canonical"

COMMANDS = (
    Command(
        "check",
        "Check files and folders.",
        """Check files and folders; PATH defaults to the current directory, - is standard input.

        CODES are codes or prefixes of codes, separated by commas; ALL means every rule.

        Exit code 0: nothing at or above --fail-on; 1: something; 2: wrong usage or settings, a PATH that does not
        exist, a folder in which nothing was recognised, or an internal error.""",
        CHECK,
        _PATHS,
    ),
    Command(
        "rule",
        "Show the page of a rule, or all rules.",
        "Show the page of a rule; without CODE, the table of all rules.",
        (_OUTPUT,),
        CommandArgument("code", offers=CODE),
    ),
    Command(
        "surface",
        "Show what is recognised.",
        """Show what is recognised: the surfaces, their tools, policies and prompts, and where each comes from.

        PATH defaults to the current directory, - is standard input.""",
        (_VIEW, *READING),
        _PATHS,
    ),
    Command(
        "config",
        "Show the settings in effect.",
        "Show the settings in effect for PATH, the current directory by default, and where each comes from.",
        (_OUTPUT, *(option for option in READING if option.name in ("config", "isolated"))),
        _PATHS,
    ),
    Command(
        "init",
        "Write a settings file.",
        """Write a commented toolsurface.toml for what is found in FOLDER, the current directory by default.

        A settings file that is there already is never changed.""",
        argument=CommandArgument("folder", "[FOLDER]", default=".", offers=FOLDERS),
    ),
    Command(
        "wire",
        "Remap the delimiters of tool calls.",
        """Remap the delimiters of tool calls, from standard input to standard output.

        to-wire turns <tool_call> and </tool_call> into [[CALL]] and [[/CALL]], to-canonical turns them back.""",
        argument=CommandArgument("direction", required=True, choices=(TO_WIRE, TO_CANONICAL)),
    ),
    Command(
        "server",
        "Run the language server.",
        """Run the language server on standard input and output, for editors.

        It needs pygls: pip install 'toolsurface-lint[lsp]'.""",
        (Option(("--stdio",), "stdio", FLAG, "Use standard input and output, which is the only way."),),
    ),
    Command(
        "completion",
        "Print a completion script.",
        """Print the script by which a shell completes commands, options, their values, codes and paths.

        The script asks the installed version at each completion: it need not be made again after an upgrade.

        \b
        bash  eval "$(toolsurface-lint completion bash)"  in ~/.bashrc
        zsh   eval "$(toolsurface-lint completion zsh)"   in ~/.zshrc, below compinit
        fish  toolsurface-lint completion fish > ~/.config/fish/completions/toolsurface-lint.fish""",
        argument=CommandArgument("shell", required=True, choices=SHELLS),
    ),
)
"""Every command there is."""
