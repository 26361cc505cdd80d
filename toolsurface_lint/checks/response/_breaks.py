"""What the rules for breaks of a protocol share: each stands for one code of the grammars."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from toolsurface_lint.model.diagnostics import ERROR, Finding, Fix, Rule
from toolsurface_lint.model.response import AssistantResponse
from toolsurface_lint.protocols.violation import Violation


def break_rule(name: str, summary: str, severity: str = ERROR, fix: str | None = None) -> Rule:
    """The rule for one break; its message is the grammar's, which says what becomes of the call."""
    code = f"RESPONSE_{name}"
    return Rule(code=code, severity=severity, summary=summary, message="{problem}", tags=("responses",), fix=fix)


def findings(
    response: AssistantResponse,
    violations: Iterable[Violation],
    rules: dict[str, Rule],
    help: dict[str, str],
    fix: Callable[[AssistantResponse, Violation], Fix | None] = lambda response, violation: None,
) -> Iterator[Finding]:
    """A finding for each violation whose code is one of `rules`; `help` has the cures, by the same codes."""
    for violation in violations:
        rule = rules.get(violation.code)
        if rule is not None:
            yield rule.at(
                response.place(violation.span),
                tool=violation.name or None,
                help=help.get(violation.code),
                fix=fix(response, violation),
                problem=violation.sentence,
            )
