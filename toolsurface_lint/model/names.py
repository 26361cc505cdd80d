"""Names that are nearly alike: the same but for case and separators, or a small edit apart."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache


def folded(name: str) -> str:
    """The letters and digits of a name, without case and separators: `Read-File` and `readFile` fold alike."""
    return "".join(filter(str.isalnum, name)).casefold()


@lru_cache(maxsize=1 << 16)
def _traits(name: str) -> tuple[str, int, frozenset[str]]:
    """The folded name, the edit distance up to which names of its length are close, and its kinds of letters.

    Kept, because a surface is asked about one name after the other.
    """
    key = folded(name)
    limit = -1 if len(key) < 5 else 1 if len(key) < 8 else 2
    return key, limit, frozenset(name)


def close_names(name: str, candidates: Iterable[str]) -> tuple[str, ...]:
    """The candidates close to `name`, closest first, then in the order of the alphabet; never `name` itself.

    Close means an edit distance of at most 1 for names of 5 to 7 letters and digits (the shorter of the two counts)
    and at most 2 from 8 on, or a difference in case and separators only; shorter names are never close.
    """
    key, limit, letters = _traits(name)
    if limit < 0:
        return ()
    found: dict[str, int] = {}
    for other in candidates:
        other_key, other_limit, other_letters = _traits(other)
        if other_key == key:
            found[other] = 0
            continue
        allowed = min(limit, other_limit)
        # One edit takes away at most one kind of letter and adds at most one: most names are told apart without a loop.
        if abs(len(name) - len(other)) > allowed or len(letters ^ other_letters) > 2 * allowed:
            continue
        distance = edit_distance(name, other, allowed)
        if distance is not None:
            found[other] = distance
    found.pop(name, None)
    return tuple(sorted(found, key=lambda other: (found[other], other)))


def edit_distance(left: str, right: str, limit: int) -> int | None:
    """The number of letters to insert, delete or replace that make one name the other; None if more than `limit`.

    For small limits only: it tries each edit at the first difference.
    """
    if left == right:
        return 0
    if limit <= 0 or abs(len(left) - len(right)) > limit:
        return None
    shorter = min(len(left), len(right))
    first = 0
    while first < shorter and left[first] == right[first]:
        first += 1
    left_rest, right_rest = left[first + 1 :], right[first + 1 :]
    distances = (
        edit_distance(left_rest, right_rest, limit - 1),
        edit_distance(left[first:], right_rest, limit - 1),
        edit_distance(left_rest, right[first:], limit - 1),
    )
    return min((distance + 1 for distance in distances if distance is not None), default=None)
