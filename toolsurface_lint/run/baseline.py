"""Baselines: the findings that a project had when it took up the linter, so that only new ones show.

An entry is known by its fingerprint, which is made of content and not of lines, and by how often it occurs. Paths are
relative to the folder of the baseline file, so that it holds wherever the command is started.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from toolsurface_lint.model.diagnostics import BASELINE, INTERNAL_ERROR, Diagnostic, Report, StaleEntry, Suppressed
from toolsurface_lint.project.discovery.paths import Given
from toolsurface_lint.reporters.characters import visible
from toolsurface_lint.reporters.fingerprints import Fingerprints
from toolsurface_lint.reporters.json import dump
from toolsurface_lint.reporters.paths import from_root
from toolsurface_lint.source.files import MAX_FILE_SIZE, read_bytes
from toolsurface_lint.source.text import Unreadable, decode

VERSION = 2
"""1 had fingerprints that depended on the wording of messages."""


class BaselineError(Exception):
    """A file that is missing, or not a baseline."""


class OtherVersion(BaselineError):
    """A baseline that another release has written."""


class BaselineEntry(NamedTuple):
    """Findings that are alike: there are `times` of them in the file `path`; `message` is for people who read the file."""

    path: str
    code: str
    fingerprint: str
    times: int
    message: str


class Baseline(NamedTuple):
    """The entries of one baseline file, whose folder is `root`."""

    root: str
    entries: tuple[BaselineEntry, ...]

    def hide(self, report: Report, given: Sequence[str]) -> Report:
        """The report without what the baseline lists.

        Entries that nothing matches any more are stale. Only those are counted whose file lies in the `given` files and
        folders, and whose rule was enabled: of the others this run knows nothing.
        """
        left = Counter({entry.fingerprint: entry.times for entry in self.entries})
        hidden: list[Suppressed] = []
        kept: list[Diagnostic] = []
        for diagnostic, fingerprint, _ in _fingerprinted(report, self.root):
            if left[fingerprint] > 0 and diagnostic.code != INTERNAL_ERROR:
                left[fingerprint] -= 1
                hidden.append(Suppressed(diagnostic, BASELINE))
            else:
                kept.append(diagnostic)
        return report.behind_baseline(tuple(kept), tuple(hidden), self._stale(left, report, given))

    def _stale(self, left: Counter[str], report: Report, given: Sequence[str]) -> tuple[StaleEntry, ...]:
        remaining = [entry for entry in self.entries if left[entry.fingerprint] > 0]
        if not remaining:
            return ()
        # A code that no rule has any more is stale, one that was not asked for is not.
        from toolsurface_lint.checks.index import RULES

        asked = {rule.code for rule in report.rules}
        known = RULES.keys() | report.own_codes
        scope = Given(given)
        return tuple(
            StaleEntry(entry.path, entry.code, entry.message)
            for entry in remaining
            if (entry.code in asked or entry.code not in known)
            and scope.holds(os.path.abspath(os.path.join(self.root, entry.path)))
        )


def _fingerprinted(report: Report, root: str) -> Iterator[tuple[Diagnostic, str, str]]:
    """Each diagnostic with its fingerprint, without the number that separates equal ones, and its path."""
    fingerprints = Fingerprints(report)
    for diagnostic in report.diagnostics:
        path = "" if diagnostic.location is None else from_root(diagnostic.location.path, root)
        yield diagnostic, fingerprints.next(diagnostic, path).partition(":")[0], path


def make_baseline(path: str, report: Report) -> Baseline:
    """The baseline that hides every finding of a report, to be written to `path`."""
    root = _root(path)
    found: dict[str, BaselineEntry] = {}
    for diagnostic, fingerprint, place in _fingerprinted(report, root):
        if diagnostic.code != INTERNAL_ERROR:
            entry = found.get(
                fingerprint, BaselineEntry(place, diagnostic.code, fingerprint, 0, visible(diagnostic.message))
            )
            found[fingerprint] = entry._replace(times=entry.times + 1)
    return Baseline(root, tuple(sorted(found.values())))


def written(baseline: Baseline) -> str:
    """The text of a baseline file: an entry a line, in an order that does not depend on the run."""
    return dump({"version": VERSION, "findings": [entry._asdict() for entry in baseline.entries]}, 2) + "\n"


def read_baseline(path: str) -> Baseline:
    """The baseline in a file. Raises `BaselineError`."""
    return _baseline(path, _text(path))


def refuse_others(path: str) -> None:
    """Raise `BaselineError` if a file holds something else than a baseline of whatever version; it may be empty, or missing."""
    text = _text(path) if os.path.exists(path) else ""
    if text.strip():
        with suppress(OtherVersion):
            _baseline(path, text)


def _text(path: str) -> str:
    try:
        return decode(read_bytes(path, MAX_FILE_SIZE))
    except OSError as error:
        raise BaselineError(f"cannot read the baseline {path}: {error.strerror}") from None
    except Unreadable as error:
        from toolsurface_lint.checks.input.problems import sentence

        raise BaselineError(f"cannot read the baseline {path}: {sentence(error.problem)}") from None


def _baseline(path: str, text: str) -> Baseline:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise BaselineError(f"{path} is not a baseline: it is not JSON") from None
    if not isinstance(value, dict) or not isinstance(value.get("findings"), list):
        raise BaselineError(f"{path} is not a baseline: its `findings` are not a list")
    if value.get("version") != VERSION:
        raise OtherVersion(
            f"{path} is a baseline of another version of toolsurface-lint: write it again with --write-baseline"
        )
    return Baseline(_root(path), tuple(_entry(path, item) for item in value["findings"]))


def _entry(path: str, item: Any) -> BaselineEntry:
    try:
        entry = BaselineEntry(**item)
    except TypeError:
        raise BaselineError(
            f"{path} is not a baseline: an entry has other fields than {', '.join(BaselineEntry._fields)}"
        ) from None
    texts = (entry.path, entry.code, entry.fingerprint, entry.message)
    if type(entry.times) is not int or not all(isinstance(text, str) for text in texts):
        raise BaselineError(f"{path} is not a baseline: an entry has a value of the wrong type")
    return entry


def _root(path: str) -> str:
    return os.path.dirname(os.path.abspath(path))
