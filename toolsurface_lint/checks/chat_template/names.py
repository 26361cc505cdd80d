"""Chat templates that do not parse, and names in them that nobody gives a value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from toolsurface_lint.checks.contract import CHAT_TEMPLATE, check
from toolsurface_lint.knowledge.template_engines import BOUND, ENGINES
from toolsurface_lint.model.chat_template import ChatTemplate
from toolsurface_lint.model.diagnostics import ERROR, UNSAFE, WARNING, Finding, Rule, renaming
from toolsurface_lint.model.names import CloseNames, suggestion
from toolsurface_lint.model.target import Target
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span

SYNTAX = Rule(
    code="CHAT_TEMPLATE_SYNTAX",
    since="0.1.0",
    severity=ERROR,
    summary="A chat template does not parse.",
    message={
        "syntax": "the template does not parse: {reason}",
        "unclosed": "the template ends before the last `{{% {name} %}}` is closed",
        "unexpected_tag": "`{{% {name} %}}` is not expected here",
        "unexpected_tag/in": "`{{% {name} %}}` is not expected here: the block that is open is `{{% {block} %}}`",
        "too_long": "the template has more than {limit:,} characters, and was not read",
        "too_deep": "nested deeper than {limit} levels: the template was not read",
    },
    tags=("chat-templates",),
)


@check(CHAT_TEMPLATE, SYNTAX)
def check_syntax(template: ChatTemplate, target: Target) -> Iterator[Finding]:
    if template.error is not None:
        yield SYNTAX.of(_worded(template.error), template.place, field=template.key or None)


_BLOCK = r"(?:.* needs to be closed is '(?P<block>\w+)'\.)?"
_WORDINGS = (
    (re.compile(rf"\AEncountered unknown tag '(?P<name>\w+)'\.{_BLOCK}", re.DOTALL), "unexpected_tag"),
    (re.compile(r"\AUnexpected end of template\..* needs to be closed is '(?P<name>\w+)'\.", re.DOTALL), "unclosed"),
)


def _worded(problem: Problem[Span]) -> Problem[Span]:
    """The same problem in our words, where jinja2 takes several sentences."""
    reason = str(problem.values.get("reason", ""))
    for pattern, kind in _WORDINGS:
        match = pattern.match(reason)
        if match is not None:
            names = {key: value for key, value in match.groupdict().items() if value is not None}
            return problem._replace(kind=f"{kind}/in" if "block" in names else kind, values=names)
    if problem.kind != "syntax":
        return problem
    sentence = reason[:1].lower() + reason[1:].partition(". ")[0].rstrip(".")
    return problem._replace(values={"reason": re.sub(r"'([^'`]+)'", r"`\1`", sentence)})


UNDEFINED_VARIABLE = Rule(
    code="CHAT_TEMPLATE_UNDEFINED_VARIABLE",
    since="0.1.0",
    severity=WARNING,
    summary="A chat template uses a name that nobody gives a value.",
    message={
        "variable": "`{name}` has no value: the template does not set it, and no engine passes it",
        "function": "`{name}` cannot be called: the template does not define it, and no engine has such a function",
    },
    help={"variable": "ask `{name} is defined` first, if callers are to pass it"},
    tags=("chat-templates",),
    fix=UNSAFE,
)

_FUNCTIONS = frozenset().union(*(engine.functions for engine in ENGINES.values()))


@check(CHAT_TEMPLATE, UNDEFINED_VARIABLE)
def check_names(template: ChatTemplate, target: Target) -> Iterator[Finding]:
    if template.parsed is None:
        return
    from toolsurface_lint.chat_templates.names import names_in

    names = names_in(template.parsed)
    passed = {*BOUND, *template.tokens.special, *(target.template_variables or ())}
    known = _FUNCTIONS | passed | names.made
    close = CloseNames(passed | names.made)
    for name in names.used:
        # Processors of images and sounds pass tokens of their own.
        if name.name in known or name.name.endswith("_token"):
            continue
        near = close.find(name.name)
        if name.name in names.asked and BOUND.isdisjoint(near):
            continue
        place = template.place(template.parsed.span(name))
        kind = "function" if id(name) in names.called else "variable"
        help = suggestion(near)
        options: dict[str, Any] = {} if help is None else {"help": help}
        fix = renaming(place, name.name, near)
        yield UNDEFINED_VARIABLE.at(place, kind, field=template.key or None, name=name.name, fix=fix, **options)
