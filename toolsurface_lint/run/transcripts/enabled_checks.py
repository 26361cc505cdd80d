"""The checks that the selected rules call for, looked up once for all conversations of a run."""

from __future__ import annotations

from toolsurface_lint.checks import Check, checks_of
from toolsurface_lint.model.diagnostics import Finding, Rule
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.project.settings.selection import Selection
from toolsurface_lint.run.analysis import crash
from toolsurface_lint.run.transcripts.plain_chat import COVERED
from toolsurface_lint.source.tree import Place

_WITH_SENTINEL = ("TRANSCRIPT_DONE_UNVERIFIED", "TRANSCRIPT_CALL_AFTER_DONE")


class EnabledChecks:
    """The checks of conversations, of calls and of responses that have an enabled rule; `crashed` once one has failed."""

    def __init__(self, selection: Selection) -> None:
        self.crashed = False
        self._selection = selection
        self._severities: dict[str, str | None] = {}
        self.conversation = self._checks("transcript", "conversation")
        self.call = self._checks("call", "call")
        self.response = [*self._checks("response", "response"), *self._checks("reserved", "response")]
        enabled = (rule.code for check in self.conversation for rule in check.rules if self.severity(rule) is not None)
        self._covered = COVERED.issuperset(code for code in enabled if code not in _WITH_SENTINEL)

    def _checks(self, family: str, subject: str) -> list[Check]:
        return [
            check
            for check in checks_of(family)
            if check.subject == subject and any(self.severity(rule) is not None for rule in check.rules)
        ]

    def quick(self, surface: Surface) -> bool:
        """Whether a plain conversation on a surface needs no more than to be recognised as one."""
        return self._covered and not surface.target.done_sentinel and surface.target.protocol is None

    def severity(self, rule: Rule) -> str | None:
        """The severity of a rule's findings; None if the rule is not enabled."""
        if rule.code not in self._severities:
            self._severities[rule.code] = self._selection.severity(rule)
        return self._severities[rule.code]

    def crash(self, check: Check, place: Place, error: Exception) -> Finding:
        """The finding that says that a check failed at a place."""
        self.crashed = True
        return crash(check, place, error)
