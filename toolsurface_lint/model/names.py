"""Names that are nearly alike: the same but for case and separators, or a small edit apart."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from zlib import crc32

_ALIKE = 0.75
"""The share of letters in common from which on a name is suggested in place of a wrong one."""


def folded(name: str) -> str:
    """The letters and digits of a name, without case and separators: `Read-File` and `readFile` fold alike."""
    letters = name.replace("_", "")
    # Nearly all names have no other separators, and looking at each letter takes ten times as long.
    return (letters if letters.isalnum() else "".join(filter(str.isalnum, letters))).casefold()


@lru_cache(maxsize=1 << 12)
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
        # One edit takes away at most one kind of letter and adds at most one: most names are distinguished without a loop.
        if abs(len(name) - len(other)) > allowed or len(letters ^ other_letters) > 2 * allowed:
            continue
        distance = edit_distance(name, other, allowed)
        if distance is not None:
            found[other] = distance
    found.pop(name, None)
    return tuple(sorted(found, key=lambda other: (found[other], other)))


def edit_distance(left: str, right: str, limit: int) -> int | None:
    """The number of letters to insert, delete or replace that make one name the other; None if more than `limit`.

    For small limits only: it tries each edit at the first difference. rapidfuzz takes 0.3 us a pair instead of 7, but
    15 ms to import, a fourth of a run on one file; few pairs are left to compare once lengths and letters have been.
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


def suggestion(near: Sequence[str]) -> str | None:
    """The help for an unknown name: a question for the first of the names close to it; None if none is."""
    return f"did you mean `{near[0]}`?" if near else None


def slip(value: object, words: Iterable[str]) -> tuple[str, ...]:
    """The words that a value which is not one of them may be meant for, closest first."""
    return close_names(value, words) if isinstance(value, str) else ()


def likely_meant(name: str, candidates: Iterable[str]) -> tuple[str, ...]:
    """The candidates that a name is surely a slip in writing of: those close to it; if none is, short ones.

    A short one, of four letters to seven, begins alike and differs by a letter left out or doubled, or two swapped ones.
    """
    known = tuple(candidates)
    return close_names(name, known) or tuple(sorted(other for other in known if _short_slip(name, other)))


def _short_slip(name: str, other: str) -> bool:
    return 4 <= min(len(name), len(other)) <= max(len(name), len(other)) <= 7 and is_one_slip(name, other)


def swapped_in(name: str, known: Container[str]) -> tuple[str, ...]:
    """The known names of up to seven letters that a name is with two neighbours swapped, but for the first.

    In longer ones a swap is as near as any two edits: `CloseNames` finds those.
    """
    if not 4 <= len(name) <= 7:
        return ()
    swaps = (name[:at] + name[at + 1] + name[at] + name[at + 2 :] for at in range(1, len(name) - 1))
    return tuple(other for other in swaps if other != name and other in known)


def is_one_slip(name: str, other: str) -> bool:
    """Whether a name begins like another and differs by a letter left out or doubled, or two swapped ones."""
    if not name or name[:1] != other[:1] or name == other:
        return False
    if len(name) == len(other):
        at = next(index for index in range(len(name)) if name[index] != other[index])
        return name[at + 1 : at + 2] + name[at] == other[at : at + 2] and name[at + 2 :] == other[at + 2 :]
    return edit_distance(name, other, 1) is not None


def alike_names(name: str, candidates: Iterable[str]) -> Sequence[str]:
    """The candidates that an unknown name may be meant for, likeliest first.

    Guesses more freely than `close_names`, short names included: for a hint about what is wrong for another reason.
    """
    from difflib import get_close_matches

    known = sorted(candidates)
    alike = [one for one in known if folded(one) == folded(name)]
    return alike or close_names(name, known) or get_close_matches(name, known, 1, _ALIKE)


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """The end of a message about an unknown name: the likeliest known one as a question; empty if none is alike."""
    alike = alike_names(name, candidates)
    return f", {suggestion(alike)}" if alike else ""


class CloseNames:
    """Names in an index that finds those close to a name without comparing it with all of them.

    Whatever two edits do to a name, one of its three parts stays whole, the first where it was, the last as far from the
    end: names are found by their parts. Where more than 256 names share a part with one, as numbered ones do, those a single edit
    away are found by the places of that edit, and of the others only the 8 that share the longest beginning and the 8
    that share the longest end, on either side in the alphabet, are compared; no more than 9 are given for each edit.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = tuple(names)
        self._by_key: dict[str, list[str]] | None = None
        self._by_part: dict[int, list[dict[str, list[str]]]] = {}
        """By the length of the names, for each of their three parts."""
        self._found: dict[str, tuple[str, ...]] = {}
        self._by_edit: array[int] | None = None
        """For each edit of each name a key of the edit and, in the lower half, the name's index among those in order:
        as texts in a table they would take several hundred times the memory of the names."""
        self._ordered: tuple[list[str], list[str]] = ([], [])

    def find(self, name: str) -> tuple[str, ...]:
        """What `close_names` gives for all of the names."""
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = self._search(name)
        return found

    def _search(self, name: str) -> tuple[str, ...]:
        if len(self._names) <= _FEW:
            return close_names(name, self._names)
        if self._by_key is None:
            self._build()
            assert self._by_key is not None
        key, limit, _ = _traits(name)
        if limit < 0:
            return ()
        found = [self._by_key.get(key, [])]
        for longer in range(-limit, limit + 1):
            length = len(name) - longer
            by_part = self._by_part.get(length)
            if by_part is None:
                continue
            for (start, end), named, shifts in zip(_parts(length), by_part, _shifts(limit, longer), strict=True):
                for shift in shifts:
                    part = name[start + shift : end + shift]
                    if part in named:
                        found.append(named[part])
        if not any(found):
            return ()
        if sum(map(len, found)) > _CROWD:
            found = self._nearest(name, key)
        return close_names(name, set(chain.from_iterable(found)))

    def _nearest(self, name: str, key: str) -> list[list[str]]:
        """Names to compare with one that shares its parts with too many."""
        assert self._by_key is not None
        if self._by_edit is None:
            self._ordered = sorted(self._names), sorted(one[::-1] for one in self._names)
            short = ((index, one) for index, one in enumerate(self._ordered[0]) if len(one) <= _LONGEST_EDITED)
            self._by_edit = array("Q", sorted(_key(edit) | index for index, one in short for edit in _edits(one)))
        found = [self._by_key.get(key, [])[:_NEIGHBOURS]]
        ahead, behind = self._ordered
        for edit in map(_key, _edits(name) if len(name) <= _LONGEST_EDITED else ()):
            at = bisect_left(self._by_edit, edit)
            # Nearly no edit is that of another name.
            if at < len(self._by_edit) and self._by_edit[at] - edit <= _INDEX:
                alike = self._by_edit[at : at + _NEIGHBOURS + 1]
                found.append([ahead[each - edit] for each in alike if each - edit <= _INDEX])
        at, back = bisect_left(ahead, name), bisect_left(behind, name[::-1])
        found.append(ahead[max(at - _NEIGHBOURS, 0) : at + _NEIGHBOURS])
        found.append([one[::-1] for one in behind[max(back - _NEIGHBOURS, 0) : back + _NEIGHBOURS]])
        return found

    def _build(self) -> None:
        self._by_key = {}
        for name in sorted(self._names):
            key, limit, _ = _traits(name)
            if limit >= 0:
                self._by_key.setdefault(key, []).append(name)
                by_part = self._by_part.setdefault(len(name), [{}, {}, {}])
                for (start, end), named in zip(_parts(len(name)), by_part, strict=True):
                    named.setdefault(name[start:end], []).append(name)


@lru_cache(maxsize=8)
def close_index(names: frozenset[str]) -> CloseNames:
    """The index of some names. The last ones are kept: most agents of a project have the tools of the same clients."""
    return CloseNames(names)


_FEW = 8
"""So few names are compared one by one, which takes less than an index of them."""
_CROWD = 256
_NEIGHBOURS = 8
_LONGEST_EDITED = 128
"""Longer names would have too many places for an edit."""


def _edits(name: str) -> Iterator[str]:
    """A name with a mark for one edit at each place: two names share one if, and only if, they are one edit apart."""
    for place in range(len(name)):
        yield f"{name[:place]}\0{name[place + 1 :]}"
        yield f"{name[:place]}\0{name[place:]}"
    yield f"{name}\0"


_INDEX = (1 << 32) - 1


def _key(edit: str) -> int:
    """A number that is the same for the same edit, and for few others; its lower half is free."""
    return crc32(edit.encode("utf-8", "surrogatepass")) << 32


@lru_cache(maxsize=32)
def _shifts(limit: int, longer: int) -> tuple[tuple[int, ...], ...]:
    """How far each third of a name may have moved if it is whole, after `limit` edits that make the name so much longer.

    A letter put in between two thirds is an edit of the one behind it, so that nothing moves the first third, and nothing
    moves the last one from the end. What the first third has lost or won moves the middle one, the rest is the last one's.
    """
    middle = (shift for shift in range(-limit, limit + 1) if abs(shift) + abs(longer - shift) <= limit)
    return (0,), tuple(middle), (longer,)


@lru_cache(maxsize=256)
def _parts(length: int) -> tuple[tuple[int, int], ...]:
    """The thirds of a name of this length."""
    first, second = length // 3, 2 * length // 3
    return ((0, first), (first, second), (second, length))
