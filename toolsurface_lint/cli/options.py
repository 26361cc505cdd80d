"""The options that commands take, as data: click's commands and the quick parser are made of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from toolsurface_lint.cli.stream import WHEN
from toolsurface_lint.project.settings import FAIL_ON, KINDS
from toolsurface_lint.reporters import COMPARING, FORMATS

COMPLETION = "_TOOLSURFACE_LINT_COMPLETE"
"""The environment variable by which a completion script asks click, named after the program."""

VALUE, REQUIRED, MANY, FLAG, SWITCH, OPTIONAL = "value", "required", "many", "flag", "switch", "optional"
MANY_REQUIRED = "many-required"
"""One value; one that must be given; several, in order; a flag that sets true; a pair of flags, the second of which sets
false; a flag that may have a value after `=`, and sets an empty one without; several, at least one of them.
"""

FILES, FOLDERS, CODE, CODES, PROTOCOL, PROVIDER = "files", "folders", "code", "codes", "protocol", "provider"
FORMAT, VIEW = "format", "view"
"""What completion offers for a value without choices: paths; one code; codes between commas; the protocols; the
providers that something is known of; a format of a report, or of the surfaces, and its file.
"""


class Parameter(NamedTuple):
    """An option of a command, or an argument, whose only flag is its name: how it is written, and what it takes."""

    flags: tuple[str, ...]
    form: str
    help: str = ""
    metavar: str | None = None
    choices: tuple[str, ...] | None = None
    offers: str | None = None

    @property
    def name(self) -> str:
        """The argument of the command's function that it sets."""
        return self.flags[0].removeprefix("--").replace("-", "_")

    @property
    def default(self) -> Any:
        """What the argument is when nothing is given."""
        return {MANY: (), FLAG: False}.get(self.form)


READING = (
    Parameter(("--config",), VALUE, "Read the settings from this file.", "FILE", offers=FILES),
    Parameter(("--isolated",), FLAG, "Read no settings."),
    Parameter(
        ("--kind",),
        VALUE,
        f"What the files given by name are: {', '.join(KINDS)}. Default: recognised by content, then by name.",
        "KIND",
        KINDS,
    ),
    Parameter(
        ("--protocol",),
        VALUE,
        "How the model calls tools in its text: tagged, fenced-json, or by the name of an engine's parser for its raw output, "
        "such as hermes or qwen3_coder. Default: the model's own, or what the text plainly is.",
        "NAME",
        offers=PROTOCOL,
    ),
    Parameter(("--done-sentinel",), VALUE, "The text that ends a completed response.", "TEXT"),
    Parameter(("--final",), FLAG, "Each response in a file ends its conversation."),
    Parameter(("--model",), VALUE, "The model that the tools are sent to.", "ID"),
    Parameter(
        ("--provider",),
        MANY,
        "The providers and clients that the tools are sent to, such as openai,gemini or cursor@2.3; `portable` means all. "
        "May be repeated.",
        "IDS",
        offers=PROVIDER,
    ),
    Parameter(("--tool-search", "--no-tool-search"), SWITCH, "Whether deferred tools can be searched for."),
    Parameter(
        ("--exclude",),
        MANY,
        "Leave out the files and folders that GLOB matches, as the setting `exclude` does. May be repeated.",
        "GLOB",
        offers=FILES,
    ),
    Parameter(("--stdin-filename",), VALUE, "With - as PATH: treat standard input as this file.", "PATH", offers=FILES),
    Parameter(("--jobs",), VALUE, "How many processes share the work. Default: one for each core.", "N"),
)
"""Options that say what is read and what is known about it."""


def _output(formats: Sequence[str]) -> Parameter:
    return Parameter(
        ("--output",),
        MANY,
        f"Write the report in this format, to standard output or to FILE; may be repeated. "
        f"Formats: {', '.join(formats)}. Default: text.",
        "FORMAT[=FILE]",
        offers=FORMAT,
    )


CHECK = (
    _output(FORMATS),
    Parameter(("--fail-on",), VALUE, "Exit with 1 from this severity on. Default: error.", choices=FAIL_ON),
    Parameter(("--select",), MANY, "Enable these rules instead of the default ones.", "CODES", offers=CODES),
    Parameter(("--extend-select",), MANY, "Enable these rules too.", "CODES", offers=CODES),
    Parameter(("--ignore",), MANY, "Disable these rules.", "CODES", offers=CODES),
    *READING,
    Parameter(("--allow-empty",), FLAG, "Accept a folder in which nothing is recognised."),
    Parameter(
        ("--color",),
        VALUE,
        "Whether to colour what is written to standard output. Default: auto, on terminals.",
        choices=WHEN,
    ),
    Parameter(("--explain",), FLAG, "Explain each rule that found something, below the findings."),
    Parameter(
        ("--statistics",), FLAG, "Count the findings of each rule, in place of the findings; in json, beside them."
    ),
    Parameter(("--quiet",), FLAG, "Print the findings alone: no closing lines, no notes."),
    Parameter(("--no-snippets",), FLAG, "Leave source lines out of the text output."),
    Parameter(("--fix",), FLAG, "Fix what can be fixed safely, then report what is left."),
    Parameter(("--unsafe-fixes",), FLAG, "With --fix or --diff: also fixes that may change what is meant."),
    Parameter(
        ("--add-suppressions",),
        OPTIONAL,
        "Suppress every finding shown at its place: by a comment, or by a table in the settings where no comment is possible. "
        "REASON may hold until=YYYY-MM-DD.",
        "REASON",
        # After the option, not after its `=`: what follows is an argument.
        offers=FILES,
    ),
    Parameter(
        ("--diff",),
        FLAG,
        "Write no file: print what --fix, or --add-suppressions if given, would change, and exit with 1 if there is a change.",
    ),
    Parameter(("--baseline",), VALUE, "Hide the findings that this file lists.", "FILE", offers=FILES),
    Parameter(("--write-baseline",), VALUE, "List all findings in this file.", "FILE", offers=FILES),
    Parameter(
        ("--coverage-baseline",),
        VALUE,
        "Say what is checked less than this file says, and exit with 1 if anything is.",
        "FILE",
        offers=FILES,
    ),
    Parameter(("--write-coverage-baseline",), VALUE, "Write down in this file what is checked.", "FILE", offers=FILES),
    Parameter(("--sarif-category",), VALUE, "Keep several SARIF uploads apart.", "NAME"),
    Parameter(
        ("--cache-dir",),
        VALUE,
        "Keep runs in this folder instead of the user's cache folder. TOOLSURFACE_LINT_CACHE_DIR sets it too.",
        "DIR",
        offers=FOLDERS,
    ),
    Parameter(
        ("--no-cache",), FLAG, "Take no run from the cache and keep none. TOOLSURFACE_LINT_NO_CACHE=1 sets it too."
    ),
)
"""The options of `check`."""


_COMPARING = (
    *(
        "--fail-on",
        "--select",
        "--extend-select",
        "--ignore",
        "--config",
        "--isolated",
        "--color",
        "--explain",
    ),
    *("--statistics", "--quiet", "--no-snippets", "--sarif-category"),
)
COMPARE = (_output(COMPARING), *(option for option in CHECK if option.flags[0] in _COMPARING))
"""The options of `compare`: those of `check` that say what is reported, and how."""


def parse_quickly(arguments: Sequence[str], options: Sequence[Parameter]) -> dict[str, Any] | None:
    """What click would make of well-formed arguments, without the time that click takes to import.

    The result has `paths` and the name of each option. None for everything that is not plain: then click has to look,
    and has the last word.
    """
    by_flag = {flag: option for option in options for flag in option.flags}
    values: dict[str, Any] = {option.name: option.default for option in options}
    paths: list[str] = []
    waiting = list(reversed(arguments))
    while waiting:
        argument = waiting.pop()
        if argument == "-" or not argument.startswith("-"):
            paths.append(argument)
            continue
        flag, equals, value = argument.partition("=")
        option = by_flag.get(flag)
        if option is None:
            return None
        if option.form in (FLAG, SWITCH):
            if equals:
                return None
            values[option.name] = flag == option.flags[0]
            continue
        if option.form == OPTIONAL:
            values[option.name] = value
            continue
        if not equals:
            if not waiting:
                return None
            value = waiting.pop()
            if value.startswith("-"):
                return None
        if option.choices is not None and value not in option.choices:
            return None
        values[option.name] = (*values[option.name], value) if option.form == MANY else value
    return {"paths": tuple(paths), **values}


_DATASET = (
    *("--fail-on", "--select", "--extend-select", "--ignore", "--config", "--protocol", "--done-sentinel", "--model"),
    *("--provider", "--tool-search", "--jobs"),
)
DATASET = (
    Parameter(
        ("--output",),
        MANY,
        "Write the report in this format, to standard output or to FILE; with parquet, the findings of each row to FILE. May be "
        "repeated. Formats: text, json, parquet. Default: text.",
        "FORMAT[=FILE]",
    ),
    Parameter(("--keep",), VALUE, "Write the rows that pass --fail-on to this file or folder.", "TARGET", offers=FILES),
    Parameter(("--drop",), VALUE, "Write the rows that do not pass to this file or folder.", "TARGET", offers=FILES),
    Parameter(
        ("--map",),
        VALUE,
        "Where the rows have their messages and tools: columns, or members of them (metadata.tools). Default: recognised.",
        "messages=COLUMN,tools=COLUMN",
    ),
    Parameter(("--sample",), VALUE, "Check only so many rows, the first ones of each file.", "N"),
    Parameter(("--shard",), VALUE, "Check only part I of N, to share the work by hand.", "I/N"),
    Parameter(("--ray",), VALUE, "Check on this Ray cluster: auto, or an address.", "ADDRESS"),
    *(option for option in CHECK if option.flags[0] in _DATASET),
)
"""The options of `dataset`."""
