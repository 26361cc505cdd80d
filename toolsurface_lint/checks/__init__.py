"""The rules: one folder a family, one file a rule (or the few that share one walk).

A module declares `RULE` or `RULES` and functions named after what they look at, which the engine calls for each such thing
of a surface, in this order; each gives its findings, as a generator or, where it is asked about millions, as a tuple:

    check_definition(tool, target)               every tool by itself, while its file is at hand
    check_lists(lists, target)                   the tool lists of a file, while it is at hand
    check_text(prompt, target)                   every prompt, and every branch of a template, while its file is at hand
    check_template(template, target)             every template, while its file is at hand
    check_tool(tool, surface)                    every active tool
    check_constraint(constraint, policy, surface)
    check_approval(pattern, surface)             every tool pattern of the approval policies
    check_reference(reference, prompt, surface)  every reference of a prompt
    check_prompt(prompt, surface)
    check_policy(policy, surface)
    check_approval_policy(approval, surface)
    check_permissions(file, surface)             every permission file, and every tool list of an agent
    check_surface(surface)
    check_workflow(workflow, ceiling)
    check_document(document)
    check_call(call, tool, surface)              every recorded call; `tool` is None if none of that name is declared
    check_response(response, surface)            every assistant response, read by its protocol
    check_conversation(surface)                  once a conversation: gives a function, or None if it has nothing to say,
                                                 that is called for each turn, and with None when it ends

Severity belongs to the rule and to the settings, never to the check.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any, NamedTuple

from toolsurface_lint.model.diagnostics import Finding, Rule
from toolsurface_lint.source.modules import import_folder

FAMILIES = (
    "call",
    "code",
    "input",
    "policy",
    "prompt",
    "reserved",
    "response",
    "suppression",
    "surface",
    "template",
    "tool",
    "transcript",
    "workflow",
)

SUBJECTS = (
    "definition",
    "lists",
    "text",
    "template",
    "tool",
    "constraint",
    "approval",
    "reference",
    "prompt",
    "policy",
    "approval_policy",
    "permissions",
    "surface",
    "workflow",
    "document",
    "call",
    "response",
    "conversation",
)

SPECIFIED = tuple(
    f"TOOL_SURFACE_{name}"
    for name in (
        "MISSING_SCHEMA",
        "MISSING_ANNOTATIONS",
        "MISSING_SIDE_EFFECT_LEVEL",
        "MISSING_EXECUTOR",
        "MISSING_RESULT_READER",
        "UNKNOWN_RESULT_READER",
        "UNKNOWN_ARG_CONSTRAINT_TOOL",
        "UNKNOWN_ARG_CONSTRAINT_KEY",
        "APPROVAL_PATTERN_NO_MATCH",
        "UNKNOWN_PROMPT_TOOL",
        "PROMPT_TOOL_NOT_IN_POLICY",
        "DEFERRED_TOOL_PROMPT_REFERENCE",
        "DEPRECATED_ARG_ALIAS",
        "SIDE_EFFECT_CEILING_EXCEEDED",
    )
)
"""The codes of the specification, in the order in which it reports them about one thing."""


class Check(NamedTuple):
    """One function of a rule file: what it looks at, the rules that it may report, and the function."""

    subject: str
    rules: tuple[Rule, ...]
    run: Callable[..., Iterable[Finding]]


_loaded: dict[str, tuple[tuple[Rule, ...], tuple[Check, ...]]] = {}


def rules_of(family: str) -> tuple[Rule, ...]:
    """The rules of a family, by code."""
    return _load(family)[0]


def checks_of(family: str) -> tuple[Check, ...]:
    """The checks of a family, in the specification's order, those beyond it after them by code."""
    return _load(family)[1]


def all_rules() -> tuple[Rule, ...]:
    """Every rule there is, by code."""
    return tuple(sorted((rule for family in FAMILIES for rule in rules_of(family)), key=lambda rule: rule.code))


def _load(family: str) -> tuple[tuple[Rule, ...], tuple[Check, ...]]:
    if family not in _loaded:
        folder = os.path.join(os.path.dirname(__file__), family)
        rules: list[Rule] = []
        checks: list[Check] = []
        for module in import_folder(f"{__name__}.{family}", folder):
            declared = _declared(module)
            rules.extend(declared)
            for subject in SUBJECTS:
                run: Any = getattr(module, f"check_{subject}", None)
                if run is not None:
                    checks.append(Check(subject, declared, run))
        checks.sort(key=_order)
        _loaded[family] = (tuple(sorted(rules, key=lambda rule: rule.code)), tuple(checks))
    return _loaded[family]


def _declared(module: ModuleType) -> tuple[Rule, ...]:
    rule = getattr(module, "RULE", None)
    return (rule,) if rule is not None else tuple(module.RULES)


def _order(check: Check) -> tuple[int, str]:
    code = check.rules[0].code
    return (SPECIFIED.index(code) if code in SPECIFIED else len(SPECIFIED), code)
