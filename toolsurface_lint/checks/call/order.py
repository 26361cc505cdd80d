"""Calls that come before what they need, as the settings say."""

from __future__ import annotations

from collections.abc import Iterable

from toolsurface_lint.checks.contract import CONVERSATION, Follow, check
from toolsurface_lint.model.diagnostics import ERROR, Finding, Rule
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.transcript import Call, Mismatch, Turn, meant_by

BEFORE_REQUIRED = Rule(
    code="CALL_BEFORE_REQUIRED",
    since="0.1.0",
    severity=ERROR,
    summary="A call comes before another one that the settings require to have succeeded.",
    message="the call of `{name}` comes before a successful call of `{required}`, which the settings require",
    tags=("calls", "transcripts"),
)


@check(CONVERSATION, BEFORE_REQUIRED)
def check_order(surface: Surface) -> Follow | None:
    rules = {rule.tool: rule for rule in surface.target.call_rules if rule.requires}
    if not rules:
        return None
    missing = {required: required for rule in rules.values() for required in rule.requires}
    tried: dict[str, Call] = {}

    def succeeded(name: str) -> None:
        found = meant_by(name, missing)
        if found is not None:
            del missing[found]

    def follow(turn: Turn | None, _: list[Mismatch]) -> Iterable[Finding]:
        if turn is None:
            return
        for result in turn.results:
            if result.name is not None and not result.failed:
                succeeded(result.name)
        for call in turn.calls:
            rule = meant_by(call.name, rules)
            for required in rule.requires if rule is not None else ():
                if required in missing:
                    related = (
                        [("it was called here, without success", tried[required].place)] if required in tried else []
                    )
                    yield BEFORE_REQUIRED.at(call.place, tool=call.name, related=related, required=required)
        for call in turn.calls:
            if not turn.contract.answered:
                # Its results are text: whether it succeeded cannot be known.
                succeeded(call.name)
            else:
                of_rule = meant_by(call.name, missing)
                if of_rule is not None:
                    tried.setdefault(of_rule, call)

    return follow
