"""Which rows of a dataset are the same: exactly, in as much memory as a part of the digests takes, the rest in files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import groupby
from struct import Struct
from typing import NamedTuple

from toolsurface_lint.dataset.facts import CONVERSATION, DIGEST, SPLIT_NAMES
from toolsurface_lint.source.files import read_bytes

_ENTRY = Struct(">16sBIIB")
"""A digest, what it is a digest of, the piece, the row in it, and the split. Entries sort in the order of their rows."""
_KEY = 17
_PARTS = 256
_BUFFER = 1 << 16

At = tuple[int, int]
"""A piece and a row in it."""


class Same(NamedTuple):
    """Rows that are the same as others: how many, the first of them, and the one that it repeats."""

    number: int
    first: At
    like: At


class Digests:
    """The digests of all rows, in files of a folder: a part of them in each, by how they begin."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._held = [bytearray() for _ in range(_PARTS)]
        os.makedirs(folder, exist_ok=True)

    def add(self, piece: int, digests: bytes) -> None:
        """Take in the digests of a piece."""
        number = piece.to_bytes(4, "big")
        for start in range(0, len(digests), DIGEST.size):
            held = self._held[digests[start]]
            held += digests[start : start + _KEY]
            held += number
            held += digests[start + _KEY : start + DIGEST.size]
            if len(held) > _BUFFER:
                self._write(digests[start])

    def _write(self, part: int) -> None:
        with open(os.path.join(self._folder, f"{part:02x}"), "ab") as file:
            file.write(self._held[part])
        self._held[part].clear()

    def same(self) -> tuple[Same | None, dict[tuple[int, str, str], Same]]:
        """Rows that repeat one of their split; and those that another split has: by kind, split and the other one."""
        duplicates: Same | None = None
        leaks: dict[tuple[int, str, str], Same] = {}
        for part in range(_PARTS):
            for kind, rows in self._groups(part):
                splits: dict[int, At] = {}
                for at, split in rows:
                    first = splits.setdefault(split, at)
                    if first is not at and kind == CONVERSATION:
                        duplicates = _with(duplicates, at, first)
                for at, split in rows if len(splits) > 1 else ():
                    for other, like in splits.items():
                        if other and split and _is_less(split, other):
                            key = kind, SPLIT_NAMES[split], SPLIT_NAMES[other]
                            leaks[key] = _with(leaks.get(key), at, like)
        return duplicates, leaks

    def _groups(self, part: int) -> Iterator[tuple[int, list[tuple[At, int]]]]:
        path = os.path.join(self._folder, f"{part:02x}")
        data = bytes(self._held[part])
        if os.path.exists(path):
            data = read_bytes(path, 1 << 40) + data
        entries = sorted(data[start : start + _ENTRY.size] for start in range(0, len(data), _ENTRY.size))
        for key, group in groupby(entries, lambda entry: entry[:_KEY]):
            alike = list(group)
            if len(alike) > 1:
                yield key[16], list(_read(alike))


def _read(entries: Iterable[bytes]) -> Iterator[tuple[At, int]]:
    for entry in entries:
        _, _, piece, row, split = _ENTRY.unpack(entry)
        yield (piece, row), split


def _with(same: Same | None, at: At, like: At) -> Same:
    if same is None:
        return Same(1, at, like)
    return Same(same.number + 1, at, like) if at < same.first else same._replace(number=same.number + 1)


_ORDER = ("train", "validation", "test")


def _is_less(split: int, other: int) -> bool:
    """Whether what both have is to be reported for `split`: for that which is to be measured on."""
    return _ORDER.index(SPLIT_NAMES[split]) > _ORDER.index(SPLIT_NAMES[other])
