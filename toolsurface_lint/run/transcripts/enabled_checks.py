"""The checks that the selected rules call for, looked up once for all conversations of a run."""

from __future__ import annotations

from toolsurface_lint.checks import Checks
from toolsurface_lint.checks.contract import CONVERSATION
from toolsurface_lint.model.diagnostics import Rule
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.project.settings.selection import Selection
from toolsurface_lint.run.transcripts.plain_chat import COVERED

_WITH_SENTINEL = ("TRANSCRIPT_DONE_UNVERIFIED", "TRANSCRIPT_CALL_AFTER_DONE")


class EnabledChecks(Checks):
    """The checks that have an enabled rule, and the severities of their findings."""

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection.enabled)
        self._selection = selection
        self._severities: dict[str, str | None] = {}
        followed = {rule.code for check in self.of(CONVERSATION) for rule in check.rules} & self.enabled
        self._covered = COVERED.issuperset(followed - set(_WITH_SENTINEL))

    def quick(self, surface: Surface) -> bool:
        """Whether a plain conversation on a surface needs no more than to be recognised as one."""
        return self._covered and not surface.target.done_sentinel and surface.target.protocol is None

    def severity(self, rule: Rule) -> str | None:
        """The severity of a rule's findings; None if the rule is not enabled."""
        if rule.code not in self._severities:
            self._severities[rule.code] = self._selection.severity(rule)
        return self._severities[rule.code]
