"""Logs of Inspect in archives: `.eval` files, zip archives with a member `samples/ID_epoch_N.json` for each sample.

A sample's places lie in the text of its member, which is shown as a file below the archive.
Source: inspect_ai 0.3.285, `log/_recorders/eval.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from toolsurface_lint.model.document import Document
from toolsurface_lint.model.transcript import Transcript
from toolsurface_lint.model.unseen import Unseen
from toolsurface_lint.source import disk
from toolsurface_lint.source.archive import Archive, is_archive, plain_names
from toolsurface_lint.source.files import KEPT_ELSEWHERE, LFS_POINTER, open_file
from toolsurface_lint.source.json import read_json
from toolsurface_lint.source.json_lines import LinePlace, LineSource
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import SourceText, Span, Unreadable, decode
from toolsurface_lint.source.tree import Tree

_LOG = ("header.json", "_journal/start.json")
"""What the archive of a log has, finished or not."""


def load_archived_log(path: str, display: str, location: str, max_size: int, data: bytes | None = None) -> Document:
    """The document of a log in an archive, of whose members each may have `max_size` bytes; they are read when it is checked."""
    document = Document(display, SourceText(display, ""), "inspect", location)
    if not is_archive(path, data):
        document.unread = Unseen(_pointed_to(path) if data is None else _OTHER, display)
        return document
    try:
        with Archive(path, data) as archive:
            names = archive.names
    except Unreadable as error:
        document.problems.append(error.problem)
        return document
    if not any(name in names for name in _LOG):
        document.unread = Unseen(_OTHER, display)
        return document
    samples = list(plain_names(names, "samples/", ".json"))
    if not samples:
        document.unread = Unseen("a log of Inspect without samples", display)
        return document
    document.kinds.append("transcript")
    values = partial(_values, path, display, samples, max_size, data)
    document.transcripts.append(Transcript(display, size=_size(path) if data is None else len(data), archived=values))
    return document


_OTHER = "not a log of Inspect"


def _size(path: str) -> int:
    try:
        return disk.stat(path).st_size
    except OSError:
        return 0


def _pointed_to(path: str) -> str:
    try:
        with open_file(path, 0) as file:
            return KEPT_ELSEWHERE if file.read(len(LFS_POINTER)) == LFS_POINTER.encode() else _OTHER
    except OSError:
        return _OTHER


def _values(
    path: str, display: str, names: list[str], max_size: int, data: bytes | None
) -> Iterator[Tree | Problem[LinePlace]]:
    """The value of each sample, or why it cannot be read."""
    try:
        archive = Archive(path, data)
    except Unreadable as error:
        yield _problem(error.problem, display, "")
        return
    with archive:
        for name in names:
            shown = f"{display}/{name}"
            try:
                text = decode(archive.read(name, max_size))
                source = SourceText(shown, text, partial(_read_again, path, name, max_size, data))
            except Unreadable as error:
                yield _problem(error.problem, shown, error.text)
                continue
            except KeyError:
                continue
            read = read_json(source)
            bad = next((problem for problem in read.problems if problem.kind != "duplicate_key"), None)
            if bad is not None:
                yield _problem(bad, shown, source.text)
            else:
                yield from read.trees


def _read_again(path: str, name: str, max_size: int, data: bytes | None) -> str:
    """The text of a member that was read before; empty if it cannot be read any more."""
    try:
        with Archive(path, data) as archive:
            return decode(archive.read(name, max_size))
    except (Unreadable, KeyError):
        return ""


def _problem(problem: Problem[Span], shown: str, text: str) -> Problem[LinePlace]:
    return Problem(problem.kind, LinePlace(LineSource(shown, text, 1, 0), problem.at, 1), problem.values)
