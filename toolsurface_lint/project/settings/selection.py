"""Which rules the settings and the command line leave enabled, and how severe their findings are."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from toolsurface_lint.model.diagnostics import INTERNAL_ERROR, Rule, selects
from toolsurface_lint.project.settings import Settings, SettingsError

if TYPE_CHECKING:
    from toolsurface_lint.checks.contract import Check, Indexed

ALL = "ALL"
"""The selector of every rule, preview rules among them."""


class Selection:
    """Which rules are enabled, and how severe their findings are.

    `select` replaces the default set and the settings' own `select`; `extend_select` and `ignore` add to the settings'.
    `comparing`: two versions are compared, for which there are rules of their own; without it, none of these is enabled.
    What is ignored, or `off`, is never enabled. A preview rule is enabled by its full code, its group or `ALL`, never by a
    prefix. Each takes codes, prefixes or groups, also several in one string. Raises `SettingsError` for one that names no
    rule.
    """

    def __init__(
        self,
        settings: Settings,
        select: Iterable[str] | None = None,
        extend_select: Iterable[str] | None = None,
        ignore: Iterable[str] | None = None,
        *,
        comparing: bool = False,
    ) -> None:
        self._comparing = comparing
        codes = all_codes(settings)
        self.others = other_checks(settings)
        """The checks of rules that are not built in."""
        self._selected = settings.select if select is None else _known(select, codes)
        if self._selected and not any(_names_any(code, comparing) for code in self._selected):
            if select is not None:
                raise SettingsError(_OF_CHANGES if comparing else _NOT_OF_CHANGES)
            if comparing:
                # The settings are those of `check`.
                self._selected = None
        self._added = settings.extend_select + _known(extend_select or (), codes)
        self._ignored = settings.ignore + _known(ignore or (), codes)
        self._severities = settings.severity
        self._found: dict[str, str | None] = {}

    def enabled(self, rule: Rule | Indexed) -> bool:
        return self.severity(rule) is not None

    def severity(self, rule: Rule | Indexed) -> str | None:
        """The severity of a rule's findings; None if the rule is not enabled."""
        # Asked for every finding.
        if rule.code not in self._found:
            self._found[rule.code] = self._find(rule)
        return self._found[rule.code]

    def _find(self, rule: Rule | Indexed) -> str | None:
        if rule.code == INTERNAL_ERROR:
            return rule.severity
        if of_changes(rule.code) != self._comparing:
            return None
        if any(names_code(selector, rule.code) for selector in self._ignored):
            return None
        chosen = not rule.preview if self._selected is None else _chosen(self._selected, rule)
        if not chosen and not _chosen(self._added, rule):
            return None
        severity = self._severities.get(rule.code, rule.severity)
        return None if severity == "off" else severity


_OF_CHANGES = (
    "none of the selected rules is about changes: `compare` reports those that begin with CHANGE_, and no others"
)
_NOT_OF_CHANGES = "the selected rules are about changes: `toolsurface-lint compare` reports them, and `check` does not"


def _names_any(selector: str, comparing: bool) -> bool:
    """Whether a selector names a rule of the command that is run."""
    return selector == ALL or of_changes(f"{selector.rstrip('_')}_") == comparing


def of_changes(code: str) -> bool:
    """Whether a rule is about what changed between two versions: `compare` reports it, and nothing else does."""
    return code.startswith("CHANGE_")


def other_checks(settings: Settings) -> tuple[Check, ...]:
    """The checks of rules that are not built in."""
    return () if settings.others is None else settings.others()


def other_rules(settings: Settings) -> tuple[Rule, ...]:
    """The rules that are not built in, by code."""
    rules = {rule.code: rule for check in other_checks(settings) for rule in check.rules}
    return tuple(rule for _, rule in sorted(rules.items()))


def all_codes(settings: Settings) -> Collection[str]:
    """The codes of all rules that there are by some settings."""
    from toolsurface_lint.checks.index import RULES

    return RULES.keys() | settings.own_codes if settings.own_codes else RULES


def _known(selectors: Iterable[str], known: Collection[str]) -> tuple[str, ...]:
    codes = split_codes((selectors,) if isinstance(selectors, str) else selectors)
    for code in codes:
        message = unknown_code(code, known)
        if message:
            raise SettingsError(message)
    return codes


def _chosen(selectors: tuple[str, ...], rule: Rule | Indexed) -> bool:
    if rule.preview:
        return not {rule.code, rule.group or rule.code, ALL}.isdisjoint(selectors)
    return any(names_code(selector, rule.code) for selector in selectors)


def names_code(selector: str, code: str) -> bool:
    """Whether a code, a prefix of codes, or what directives do not know, `ALL` and the name of a group, means this code."""
    return selector == ALL or selects(selector, code) or (selector.islower() and selector in groups((code,)))


def split_codes(values: Iterable[str]) -> tuple[str, ...]:
    """The codes in strings that each hold one or several, between commas."""
    return tuple(code for value in values for code in (part.strip() for part in value.split(",")) if code)


def unknown_code(code: str, known: Collection[str]) -> str | None:
    """What is wrong with a code or prefix that is to select some of the known rules; None if it names any."""
    from toolsurface_lint.model.names import did_you_mean

    if any(names_code(code, one) for one in known):
        return None
    near = did_you_mean(code, {*known, *prefixes(known), *groups(known), ALL})
    return f"unknown code or prefix `{code}`{near}"


def groups(codes: Iterable[str]) -> set[str]:
    """The names of the groups that some of the codes are in."""
    from toolsurface_lint.checks.index import RULES

    return {RULES[code].group for code in codes if code in RULES} - {""}


def prefixes(codes: Iterable[str]) -> set[str]:
    """Every prefix that names some of the codes, without the underscore that it ends at."""
    words = [code.split("_") for code in codes]
    return {"_".join(parts[:count]) for parts in words for count in range(1, len(parts))}
