"""The quick parser and click agree: what the quick one takes, click takes, and both make the same of it."""

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.cli.commands import program
from toolsurface_lint.cli.options import CHECK, FLAG, MANY, OPTIONAL, SWITCH, VALUE, parse_quickly

CLICK = program.commands["check"]
VALUES = ["error", "tools", "tagged", "x", "", "-", "--", "-x", "--isolated", "a=b", "a b", "json=f", "\u00e9"]
FLAGS = [flag for option in CHECK for flag in option.flags]
ARGUMENTS = st.lists(
    st.one_of(
        st.sampled_from(FLAGS),
        st.sampled_from(VALUES),
        st.tuples(st.sampled_from(FLAGS), st.sampled_from(VALUES)).map("=".join),
        st.sampled_from(["-h", "--help", "--outpu", "--unknown"]),
    ),
    max_size=6,
)


def with_click(arguments: list[str]) -> dict[str, object] | None:
    """What click makes of arguments; None if it refuses them or shows its help."""
    try:
        return CLICK.make_context("check", list(arguments)).params
    except (click.ClickException, click.exceptions.Exit):
        return None


@given(ARGUMENTS)
def test_what_the_quick_parser_takes_click_takes_alike(arguments: list[str]) -> None:
    quick = parse_quickly(arguments, CHECK)
    if quick is not None:
        assert quick == with_click(arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["a.json", "b"],
        ["-"],
        ["--output", "json", "x", "--output=sarif=out.sarif"],
        ["--fail-on", "info", "--fail-on", "never"],
        ["--select", "A,B", "--select", "C"],
        ["--isolated", "--allow-empty", "--no-snippets"],
        ["--tool-search"],
        ["--add-suppressions", "a.md"],
        ["--add-suppressions=the host has it", "a.md"],
        ["--tool-search", "--no-tool-search"],
        ["--stdin-filename", "a b.md", "-", "--kind", "prompt", "--done-sentinel="],
    ],
)
def test_plain_arguments_need_no_click(arguments: list[str]) -> None:
    quick = parse_quickly(arguments, CHECK)
    assert quick is not None
    assert quick == with_click(arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["-h"],
        ["--"],
        ["--output"],
        ["--fail-on", "hint"],
        ["--kind=tool"],
        ["--isolated=1"],
        ["--select", "-x"],
        ["--unknown"],
        ["-xy"],
    ],
)
def test_everything_else_is_left_to_click(arguments: list[str]) -> None:
    assert parse_quickly(arguments, CHECK) is None


def test_every_option_has_its_form() -> None:
    for option in CHECK:
        assert option.form in (VALUE, MANY, FLAG, SWITCH, OPTIONAL)
        assert (len(option.flags) == 2) == (option.form == SWITCH)
        assert option.help.endswith(".")
