"""What processes of the search do, each in a process of its own kind: code that counts cannot share one with code that
does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tests.growth.patterns import Pattern


class Found(NamedTuple):
    """What a task has come to: how many cases it tried, the worst growth that is no hit, the hits, and of how many cases
    it cannot say, as they are left to the long search.
    """

    cases: int
    worst: float
    hits: list[str]
    left: int = 0


def all_patterns() -> list[Pattern]:
    from tests.growth.patterns import package_patterns

    return package_patterns()


def patterns(own: Sequence[Pattern], short: bool) -> Found:
    """Regular expressions are the cases."""
    from tests.growth.patterns import ENDS, WINDOWS, growth

    found = [growth(pattern, ENDS[:1] if short else ENDS) for pattern in own]
    hits = [each for each in found if each is not None and each.is_hit and each.name not in WINDOWS]
    others = [each.ratio for each in found if each is not None and not each.is_hit]
    return Found(len(own), max(others, default=0.0), [f"{hit.name}: {hit.steps} steps for {hit.text}" for hit in hits])


_installed = False


def document(name: str, short: bool) -> Found:
    """The cases of a document, by the work of places of the code."""
    global _installed
    from tests.growth import search

    if not _installed:
        search.install()
        _installed = True
    outcome = search.search(search.cases_of(search.BY_NAME[name], short=short))
    return Found(outcome.runs, outcome.worst, [str(hit) for hit in outcome.hits], outcome.left)


def timed(name: str) -> Found:
    """The same, by processor time and without counting."""
    from tests.growth import search

    outcome = search.timed(search.BY_NAME[name])
    return Found(outcome.runs, outcome.worst, [str(hit) for hit in outcome.hits])
