"""Options of servers that others decide: what vLLM refuses or ignores, and what is given twice."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import SERVING, check
from toolsurface_lint.model.diagnostics import ERROR, WARNING, Finding, Rule
from toolsurface_lint.model.serving import VLLM, Launch

MISSING = Rule(
    code="SERVE_PARSER_MISSING",
    since="0.1.0",
    severity=ERROR,
    summary="Automatic tool choice is enabled in vLLM without a tool-call parser.",
    message="vLLM does not start: `--enable-auto-tool-choice` requires `--tool-call-parser`",
    help="add `--tool-call-parser` with the parser of the model",
    tags=("serving",),
)

IGNORED = Rule(
    code="SERVE_PARSER_IGNORED",
    since="0.1.0",
    severity=WARNING,
    summary="A tool-call parser is given to vLLM without automatic tool choice.",
    message="vLLM ignores `--tool-call-parser`: `--enable-auto-tool-choice` is missing",
    help="add `--enable-auto-tool-choice`",
    tags=("serving",),
)

REPEATED = Rule(
    code="SERVE_OPTION_REPEATED",
    since="0.1.0",
    severity=WARNING,
    summary="An option of a server is given twice, with different values.",
    message="`--{option}` is given again as `{last}`: `{name}` is ignored",
    help="remove one of them",
    tags=("serving",),
)

_SINGLE = ("tool-call-parser", "reasoning-parser", "chat-template", "chat-template-file")
_SWITCH = "enable-auto-tool-choice"


@check(SERVING, MISSING, IGNORED)
def check_auto_choice(launch: Launch) -> Iterator[Finding]:
    if launch.engine != VLLM or launch.open or not launch.complete:
        return
    switch, parser = launch.last(_SWITCH), launch.last("tool-call-parser")
    if switch is not None and parser is None:
        yield MISSING.at(switch.key, field=_SWITCH)
    elif parser is not None and switch is None and launch.last(f"no-{_SWITCH}") is None:
        yield IGNORED.at(parser.key, field="tool-call-parser")


@check(SERVING, REPEATED)
def check_repeated(launch: Launch) -> Iterator[Finding]:
    for name in _SINGLE:
        given = [*launch.given(name)]
        if len(given) < 2 or not all(option.sure for option in given):
            continue
        last = given[-1]
        for option in given[:-1]:
            if option.value is not None and last.value is not None and option.value != last.value:
                related = [(f"`{last.value}` is given here", last.place)]
                yield REPEATED.at(
                    option.place, field=name, name=option.value, option=name, last=last.value, related=related
                )
