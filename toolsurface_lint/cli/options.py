"""The options of the commands that read files: one table, from which click's commands and the quick parser are made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from toolsurface_lint.config import FAIL_ON, KINDS, PROTOCOLS
from toolsurface_lint.reporters import FORMATS

VALUE, MANY, FLAG, SWITCH = "value", "many", "flag", "switch"
"""One value; several, in order; a flag that sets true; a pair of flags of which the second sets false."""


class Option(NamedTuple):
    """One option: how it is spelt, the argument of the command's function that it sets, and what it takes."""

    flags: tuple[str, ...]
    name: str
    form: str
    help: str
    metavar: str | None = None
    choices: tuple[str, ...] | None = None

    @property
    def default(self) -> Any:
        """What the argument is when the option is not given."""
        return {VALUE: None, MANY: (), FLAG: False, SWITCH: None}[self.form]


READING = (
    Option(("--config",), "config", VALUE, "Read the settings from this file.", "FILE"),
    Option(("--isolated",), "isolated", FLAG, "Read no settings."),
    Option(
        ("--kind",),
        "kind",
        VALUE,
        f"What the files given by name are: {', '.join(KINDS)}. Default: recognised by content, then by name.",
        "KIND",
        KINDS,
    ),
    Option(
        ("--protocol",),
        "protocol",
        VALUE,
        "Response protocol of responses, transcripts and templates.",
        choices=PROTOCOLS,
    ),
    Option(("--done-sentinel",), "done_sentinel", VALUE, "What a response that is done ends with.", "TEXT"),
    Option(("--model",), "model", VALUE, "The model that the tools are sent to.", "ID"),
    Option(("--provider",), "provider", VALUE, "The provider that the tools are sent to.", "ID"),
    Option(("--tool-search", "--no-tool-search"), "tool_search", SWITCH, "Whether deferred tools can be searched for."),
    Option(
        ("--stdin-filename",),
        "stdin_filename",
        VALUE,
        "With - as PATH: treat standard input as this file.",
        "PATH",
    ),
)
"""Options that say what is read and what is known about it."""

CHECK = (
    Option(
        ("--output",),
        "output",
        MANY,
        f"Write the report in this format, to standard output or to FILE; may be repeated. "
        f"Formats: {', '.join(FORMATS)}. Default: text.",
        "FORMAT[=FILE]",
    ),
    Option(
        ("--fail-on",),
        "fail_on",
        VALUE,
        "Exit with 1 from this severity on. Default: error.",
        choices=FAIL_ON,
    ),
    Option(("--select",), "select", MANY, "Enable these rules instead of the default ones.", "CODES"),
    Option(("--extend-select",), "extend_select", MANY, "Enable these rules too.", "CODES"),
    Option(("--ignore",), "ignore", MANY, "Disable these rules.", "CODES"),
    *READING,
    Option(("--allow-empty",), "allow_empty", FLAG, "Accept a folder in which nothing is recognised."),
    Option(("--no-snippets",), "no_snippets", FLAG, "Leave source lines out of the text output."),
    Option(("--fix",), "fix", FLAG, "Fix what can be fixed safely, then report what is left."),
    Option(
        ("--unsafe-fixes",), "unsafe_fixes", FLAG, "With --fix or --diff: also fixes that may change what is meant."
    ),
    Option(("--diff",), "diff", FLAG, "Write no file, print what --fix would change; exit with 1 if that is anything."),
    Option(("--baseline",), "baseline", VALUE, "Hide the findings that this file lists.", "FILE"),
    Option(("--write-baseline",), "write_baseline", VALUE, "List all findings in this file.", "FILE"),
    Option(("--sarif-category",), "sarif_category", VALUE, "Keeps several SARIF uploads apart.", "NAME"),
)
"""The options of `check`."""


def parse_quickly(arguments: Sequence[str], options: Sequence[Option]) -> dict[str, Any] | None:
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
