"""What processes of the search do, each in a process of its own kind: code that counts cannot share one with code that does not.

Each gives how many cases it tried, the worst growth that is no hit, and the hits.
"""

from __future__ import annotations

Found = tuple[int, float, list[str]]


def patterns(part: int, parts: int, short: bool) -> Found:
    """How many regular expressions were looked at, the worst growth of one that is no hit, and the hits."""
    from tests.growth.patterns import ENDS, WINDOWS, growth, package_patterns

    own = package_patterns()[part::parts]
    found = [growth(pattern, ENDS[:1] if short else ENDS) for pattern in own]
    hits = [each for each in found if each is not None and each.is_hit and each.name not in WINDOWS]
    others = [each.ratio for each in found if each is not None and not each.is_hit]
    return len(own), max(others, default=0.0), [f"{hit.name}: {hit.steps} steps for {hit.text}" for hit in hits]


_installed = False


def document(name: str, short: bool) -> Found:
    """How many cases of a document were run, the worst growth of a place of the code that is no hit, and the hits."""
    global _installed
    from tests.growth import search

    if not _installed:
        search.install()
        _installed = True
    outcome = search.search(search.cases_of(search.BY_NAME[name], short=short))
    return outcome.runs, outcome.worst, [str(hit) for hit in outcome.hits]


def timed(name: str) -> Found:
    """The same, by processor time and without counting."""
    from tests.growth import search

    outcome = search.timed(search.BY_NAME[name])
    return outcome.runs, outcome.worst, [str(hit) for hit in outcome.hits]
