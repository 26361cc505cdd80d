"""The forms in which a report is written: one module each, imported when it is used."""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

from toolsurface_lint.model.diagnostics import Report

FORMATS = ("text", "concise", "json", "sarif", "github", "gitlab", "junit", "rdjson", "markdown", "stats", "coverage")
"""The module of each has a function `render(report, options) -> str`."""

COMPARING = tuple(format for format in FORMATS if format != "coverage")
"""Those in which a comparison of two versions can be written."""

HOME = "https://github.com/toolsurface-lint/toolsurface-lint"


class RenderOptions(NamedTuple):
    """How to write a report.

    `width` is the number of columns for source lines, None for a width that suits files. `root` is the folder that
    URIs are relative to, the root of the repository, None for the working directory; the paths of a report are relative
    to the working directory. `sarif_category` keeps the uploads of one repository apart. `sarif_suppressed` adds the
    suppressed diagnostics, which code scanning would show as open.

    For people: `links` makes links of codes, for terminals; `explain` adds what the rules say in general; `statistics` counts
    the findings of each rule in their place, and beside them in JSON; `quiet` leaves out the closing lines.
    """

    colour: bool = False
    snippets: bool = True
    width: int | None = None
    sarif_category: str | None = None
    root: str | None = None
    sarif_suppressed: bool = False
    links: bool = False
    explain: bool = False
    statistics: bool = False
    quiet: bool = False


DEFAULTS = RenderOptions()

_IRREGULAR = {"policy": "policies", "info": "info", "loss": "losses"}


def count(number: int, noun: str, form: str = "d") -> str:
    """How many of something there are, in words for people: `1 tool`, `2 tools`. `form` is how the number is written."""
    return f"{number:{form}} {noun if number == 1 else _IRREGULAR.get(noun, noun + 's')}"


def render(format: str, report: Report, options: RenderOptions = DEFAULTS) -> str:
    """The report in one of `FORMATS`, ending with a line end."""
    text: str = import_module(f"{__name__}.{format}").render(report, options)
    if format in ("text", "concise", "stats", "coverage"):
        from toolsurface_lint.reporters.characters import no_commands

        return no_commands(text)
    return text
