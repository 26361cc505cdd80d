"""The commands, as data: what each takes, and what its help says."""

from __future__ import annotations

from typing import NamedTuple

from toolsurface_lint.cli.options import (
    CHECK,
    CODE,
    COMPARE,
    DATASET,
    FILES,
    FLAG,
    FOLDERS,
    MANY,
    MANY_REQUIRED,
    READING,
    REQUIRED,
    VALUE,
    VIEW,
    Parameter,
)


class Command(NamedTuple):
    """One command: what it takes, and what its help says."""

    name: str
    summary: str
    help: str
    parameters: tuple[Parameter, ...] = ()


VIEWS = ("text", "json", "html")
"""The formats of `surface`."""

_OUTPUT = Parameter(("--output",), VALUE, "The format of the output. Default: text.", choices=("text", "json"))
_VIEW = Parameter(
    ("--output",),
    MANY,
    f"Write the surfaces in this format, to standard output or to FILE; may be repeated. "
    f"Formats: {', '.join(VIEWS)} (one page, with the findings). Default: text.",
    "FORMAT[=FILE]",
    offers=VIEW,
)
_PATHS = Parameter(("paths",), MANY, metavar="[PATH]...", offers=FILES)
SHELLS = ("bash", "zsh", "fish")
TO_WIRE, TO_CANONICAL = "to-wire", "to-canonical"

COMMANDS = (
    Command(
        "check",
        "Check files and folders.",
        """Check files and folders; PATH defaults to the current directory, - is standard input.

        CODES are codes, prefixes of codes or groups, separated by commas; ALL means every rule.

        Exit code 0: nothing at or above --fail-on; 1: something, or less is checked than --coverage-baseline says; 2:
        wrong usage or settings, a PATH that does not exist, a folder in which nothing was recognised, or an internal error.""",
        (_PATHS, *CHECK),
    ),
    Command(
        "compare",
        "Report what changed, and whom it breaks.",
        """Report what changed from one version of a surface to another, and which prompts, policies and calls break by it.

        OLD and NEW are files, folders, or git revisions such as HEAD~1 or HEAD~1:src; NEW defaults to the working tree.

        CODES are codes that begin with CHANGE_, or prefixes of them; see `check`.

        Exit code 0: nothing at or above --fail-on; 1: something; 2: wrong usage or settings, a version that does not
        exist, two versions without any tool, or an internal error.""",
        (
            Parameter(("old",), REQUIRED, metavar="OLD", offers=FILES),
            Parameter(("new",), VALUE, metavar="[NEW]", offers=FILES),
            *COMPARE,
        ),
    ),
    Command(
        "dataset",
        "Check the rows of a dataset.",
        """Check every row of Parquet, JSON Lines (also .gz and .zst) and Arrow files, and sort the rows by what is found.

        PATH is a file, a folder, a pattern, or an address that the engine reads, such as hf://datasets/NAME or
        s3://BUCKET/NAME. Columns are recognised; of others, say where they are with --map.

        --keep and --drop write rows as they are: into one file if TARGET ends like one, else into a folder with a file
        for each that was read. Beside it lies what is done so far: the same command goes on from there.

        It needs an engine: pip install 'toolsurface-lint[dataset]'.

        Exit code 0: nothing at or above --fail-on; 1: something, or rows that cannot be read; 2: wrong usage or settings,
        a PATH that does not exist, no conversation in any row, or an internal error.""",
        (Parameter(("paths",), MANY_REQUIRED, metavar="PATH...", offers=FILES), *DATASET),
    ),
    Command(
        "rule",
        "Show the page of a rule, or all rules.",
        """Show the page of a rule; without CODE, the table of all rules, those of the settings among them.

        With `test` as CODE, check the examples of the rules that the settings define.

        Exit code 0: shown, and no example is wrong; 1: an example is wrong; 2: wrong usage or settings, or a code that no rule
        has.""",
        (
            Parameter(("code",), VALUE, offers=CODE),
            _OUTPUT,
            *(option for option in READING if option.name in ("config", "isolated")),
        ),
    ),
    Command(
        "surface",
        "Show what is recognised.",
        """Show what is recognised: the surfaces, their tools, policies and prompts, and where each comes from.

        PATH defaults to the current directory, - is standard input.""",
        (_PATHS, _VIEW, *READING),
    ),
    Command(
        "snapshot",
        "Write down what MCP servers serve.",
        """Start or reach MCP servers, and write down what they serve as one document that the other commands read.

        This is the only command that starts what it is given: COMMAND after --, or the servers of .mcp.json in the
        current directory with --all. A server gets few variables of the environment, and none of its tools is called.

        It needs the client of MCP: pip install 'toolsurface-lint[snapshot]'.

        Exit code 0: every server answered; 2: one did not, or wrong usage. What the others serve is written.""",
        (
            Parameter(("command",), MANY, metavar="[-- COMMAND...]", offers=FILES),
            Parameter(("--url",), VALUE, "Reach a server by streamable HTTP at this address.", "URL"),
            Parameter(("--all",), FLAG, "Start or reach the servers of .mcp.json, after showing what that runs."),
            Parameter(("--yes",), FLAG, "With --all: do not ask."),
            Parameter(("--name",), VALUE, "What the server is called. Default: as it calls itself.", "NAME"),
            Parameter(
                ("--env",), MANY, "Give the servers this variable of the environment; may be repeated.", "VARIABLE"
            ),
            Parameter(("--timeout",), VALUE, "How long each server may take. Default: 60.", "SECONDS"),
            Parameter(
                ("--output",), VALUE, "Write the document to this file. Default: standard output.", "FILE", offers=FILES
            ),
        ),
    ),
    Command(
        "config",
        "Show the settings in effect.",
        "Show the settings in effect for PATH, the current directory by default, and where each comes from.",
        (_PATHS, _OUTPUT, *(option for option in READING if option.name in ("config", "isolated"))),
    ),
    Command(
        "init",
        "Write a settings file.",
        """Write a commented toolsurface.toml for what is found in FOLDER, the current directory by default.

        A settings file that is there already is never changed.""",
        (Parameter(("folder",), VALUE, metavar="[FOLDER]", offers=FOLDERS),),
    ),
    Command(
        "lock",
        "Write down the tools that are accepted.",
        """Write toolsurface.lock: digests of all tools of the project, from which check reports what differs.

        PATH is any file or folder of the project, the current directory by default. The lock lies where the settings
        do, or at the root of the repository.""",
        (
            Parameter(("path",), VALUE, metavar="[PATH]", offers=FILES),
            Parameter(
                ("--update",), VALUE, "Show what has changed of one tool, and accept that alone.", "[SERVER/]TOOL"
            ),
            *(option for option in READING if option.name in ("config", "isolated")),
        ),
    ),
    Command(
        "rename",
        "Rename a tool, or an argument of one.",
        """Rename the tool OLD to NEW in everything that names it: definitions, prompts, policies, permission files, hooks,
        manifests and settings. With --argument-of, OLD and NEW are arguments of TOOL.

        PATH, the current directory by default, says which tool is meant where several have the name, and what may be
        written. Transcripts, snapshots, locks and other recordings are never changed. All files are written, or none.

        Exit code 0: renamed; 1: something that has the name is left to be looked at, or with --diff, there is a change;
        2: nothing is renamed, and why, wrong usage or settings, or a PATH that does not exist.""",
        (
            Parameter(("old",), REQUIRED, metavar="OLD"),
            Parameter(("new",), REQUIRED, metavar="NEW"),
            _PATHS,
            Parameter(("--argument-of",), VALUE, "Rename an argument of this tool.", "TOOL"),
            Parameter(("--all",), FLAG, "Rename every tool that is called OLD, whether they belong together or not."),
            Parameter(("--diff",), FLAG, "Write no file: print what would change."),
            *(option for option in READING if option.name in ("config", "isolated")),
        ),
    ),
    Command(
        "wire",
        "Remap the delimiters of tool calls.",
        """Remap the delimiters of tool calls, from standard input to standard output.

        to-wire turns <tool_call> and </tool_call> into [[CALL]] and [[/CALL]], to-canonical turns them back.""",
        (Parameter(("direction",), REQUIRED, choices=(TO_WIRE, TO_CANONICAL)),),
    ),
    Command(
        "server",
        "Run the language server.",
        """Run the language server on standard input and output, for editors.

        It needs pygls: pip install 'toolsurface-lint[lsp]'.""",
        (Parameter(("--stdio",), FLAG, "Use standard input and output, which is the only way."),),
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
        (Parameter(("shell",), REQUIRED, choices=SHELLS),),
    ),
)
"""Every command there is."""
