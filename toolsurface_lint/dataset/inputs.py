"""Which files a dataset has, and the pieces in which they are checked."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from toolsurface_lint.dataset.pieces import LINES, PARQUET, Piece, form_of, is_remote, split_of
from toolsurface_lint.dataset.remote import EngineFailed, list_remote
from toolsurface_lint.dataset.rows import opened_parquet
from toolsurface_lint.project.discovery import PathMissing
from toolsurface_lint.source.files import NotRegular, open_file
from toolsurface_lint.source.json_lines import split_at_lines

PIECE = 128 * 1024 * 1024
"""Bytes of a file that are worth a piece of their own."""

_WILD = re.compile(r"[*?\[]")

UNFINISHED = ".unfinished"
"""The end of the names of folders in which a run keeps what it has not finished."""


class Unread(NamedTuple):
    """A file, or rows of one, that were not checked, and why; `row` is the first of them, 0 for the file as a whole."""

    name: str
    row: int
    reason: str
    rows: int = 0


class Inputs(NamedTuple):
    """The pieces of a dataset in order, how many files they are of, and what is no part of it."""

    pieces: list[Piece]
    files: int
    unread: list[Unread]


def find_inputs(paths: Sequence[str], outputs: Sequence[str]) -> Inputs:
    """The files at these paths: files, folders and patterns, here or where the engine reads them.

    What lies at or below one of `outputs` is left out. Raises `PathMissing`.
    """
    unread: list[Unread] = []
    pieces: list[Piece] = []
    seen: set[str] = set()
    written = [os.path.realpath(path) for path in outputs]
    for given in paths:
        found = _remote(given) if is_remote(given) else _local(given.removeprefix("file://"), unread)
        for path, size, identity in found:
            real = path if is_remote(path) else os.path.realpath(path)
            if real in seen:
                continue
            seen.add(real)
            if any(real == each or real.startswith(each + os.sep) for each in written):
                unread.append(Unread(path, 0, "this run writes it"))
                continue
            form = form_of(path)
            if form is None:
                unread.append(Unread(path, 0, "its name does not end like one of Parquet, JSON Lines or Arrow"))
                continue
            pieces += _cut(Piece(path, path, *form, size, identity, split_of(path)))
    return Inputs(pieces, len({piece.path for piece in pieces}), unread)


def _local(path: str, unread: list[Unread]) -> Iterator[tuple[str, int, str]]:
    if os.path.lexists(path):
        names = _walk(path) if os.path.isdir(path) else [path]
    elif _WILD.search(path):
        found = sorted(glob.glob(path, recursive=True))
        names = [name for each in found for name in (_walk(each) if os.path.isdir(each) else [each])]
        if not names:
            raise PathMissing(f"no file matches {path}")
    else:
        raise PathMissing(f"no such file or folder: {path}")
    for name in names:
        try:
            with open_file(name) as file:
                status = os.fstat(file.fileno())
        except NotRegular:
            unread.append(Unread(name, 0, "not a regular file"))
        except OSError as error:
            unread.append(Unread(name, 0, error.strerror or str(error)))
        else:
            yield name, status.st_size, f"{status.st_size}-{status.st_mtime_ns}"


def _walk(folder: str) -> Iterator[str]:
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if not each.startswith(".") and not each.endswith(UNFINISHED))
        shown = (name for name in sorted(names) if form_of(name) or not name.startswith("."))
        yield from (os.path.normpath(os.path.join(root, name)) for name in shown)


def _remote(path: str) -> Iterator[tuple[str, int, str]]:
    pattern = path if _WILD.search(path) or form_of(path) else f"{path.rstrip('/')}/**"
    try:
        found = list_remote(pattern)
    except EngineFailed as error:
        raise PathMissing(f"cannot list {path}: {error}") from None
    if not found:
        raise PathMissing(f"no file at {path}")
    for name, size in sorted(found):
        yield name, size, str(size)


def _cut(whole: Piece) -> Iterator[Piece]:
    """The pieces of a file. One that cannot be cut is one piece: whoever reads it says why."""
    bounds: list[tuple[int, int]] = []
    if whole.size > PIECE:
        try:
            if whole.form == PARQUET:
                bounds = _row_groups(whole)
            elif whole.form == LINES and not whole.compression and not is_remote(whole.path):
                bounds = split_at_lines(whole.path, whole.size, PIECE)
        except Exception:
            bounds = []
    if len(bounds) < 2:
        yield whole
        return
    for part, (start, end) in enumerate(bounds):
        yield whole._replace(part=part, start=start, end=end)


def _row_groups(whole: Piece) -> list[tuple[int, int]]:
    with opened_parquet(whole) as file:
        sizes = [_compressed(file.metadata.row_group(index)) for index in range(file.metadata.num_row_groups)]
    bounds: list[tuple[int, int]] = []
    start, held = 0, 0
    for index, size in enumerate(sizes):
        if held and held + size > PIECE:
            bounds.append((start, index))
            start, held = index, 0
        held += size
    return [*bounds, (start, len(sizes))]


def _compressed(group: Any) -> int:
    return sum(max(0, group.column(index).total_compressed_size) for index in range(group.num_columns))


def sampled(pieces: Sequence[Piece], rows: int) -> list[Piece]:
    """The pieces with `rows` rows of them in all: the first rows of each, as evenly as may be."""
    each, more = divmod(rows, max(1, len(pieces)))
    limits = [each + (index < more) for index in range(len(pieces))]
    return [piece._replace(limit=limit) for piece, limit in zip(pieces, limits, strict=True) if limit]
