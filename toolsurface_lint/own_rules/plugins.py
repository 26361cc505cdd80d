"""Rules in Python of installed packages, which settings name.

A distribution offers them by entry points of the group `toolsurface_lint.rules`, each of which names a module that declares
checks as the built-in ones do (`checks.contract`). It is imported, and so run, only if the settings name the distribution and
nobody has turned plugins off. Nothing is ever searched for among what is installed.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from types import ModuleType
from typing import Any

from toolsurface_lint.checks.contract import Check, declared
from toolsurface_lint.checks.index import RULES
from toolsurface_lint.model.diagnostics import SEVERITIES, Rule
from toolsurface_lint.own_rules.language import CODE, LONGEST_CODE

GROUP = "toolsurface_lint.rules"
OFF = "TOOLSURFACE_LINT_PLUGINS"
"""The variable of the environment that turns plugins off with the value `off`."""


class WrongPlugin(Exception):
    """A plugin that cannot be used; the message says why."""


def plugins_are_off() -> bool:
    """Whether whoever runs the linter has turned plugins off."""
    return os.environ.get(OFF, "").strip().lower() in ("off", "0", "no", "false")


def load_plugin(name: str, taken: Collection[str]) -> tuple[Check, ...]:
    """The checks of an installed distribution, whose modules are imported; `taken` are the codes of others.

    Raises `WrongPlugin`.
    """
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        points = distribution(name).entry_points.select(group=GROUP)
    except (PackageNotFoundError, ValueError):
        raise WrongPlugin(f"the package `{name}` is not installed beside toolsurface-lint") from None
    if not points:
        raise WrongPlugin(f"the package `{name}` has no rules: no entry point of the group `{GROUP}`")
    found: list[Check] = []
    for point in points:
        try:
            module = point.load()
        except Exception as error:
            raise WrongPlugin(f"the package `{name}` cannot be loaded: {type(error).__name__}: {error}") from None
        if not isinstance(module, ModuleType):
            raise WrongPlugin(f"the entry point `{point.name}` of `{name}` must be a module")
        found.extend(_checks_of(module.__name__))
    if not found:
        raise WrongPlugin(f"the package `{name}` declares no checks")
    for rule in _rules(found):
        _check_rule(rule, name, taken)
    return tuple(found)


def _checks_of(module: str) -> Iterator[Check]:
    """The checks that a module and those below it have declared."""
    for each in sorted(declared):
        if each == module or each.startswith(f"{module}."):
            yield from declared[each]


def _rules(checks: list[Check]) -> list[Any]:
    return list({id(rule): rule for check in checks for rule in check.rules}.values())


def _check_rule(rule: Any, name: str, taken: Collection[str]) -> None:
    if not isinstance(rule, Rule) or not CODE.fullmatch(rule.code) or len(rule.code) > LONGEST_CODE:
        raise WrongPlugin(f"the package `{name}` has a rule whose code is not of the form `ACME_TOOL_VERB`")
    family = rule.code.partition("_")[0]
    if any(code.partition("_")[0] == family for code in RULES):
        raise WrongPlugin(f"`{rule.code}` of the package `{name}` begins like a built-in rule")
    if rule.code in taken:
        raise WrongPlugin(f"`{rule.code}` of the package `{name}` is the code of another rule")
    if rule.url is None:
        raise WrongPlugin(f"`{rule.code}` of the package `{name}` needs a `url`: an address, or an empty text")
    if rule.severity not in SEVERITIES:
        raise WrongPlugin(f"`{rule.code}` of the package `{name}` has no severity")
