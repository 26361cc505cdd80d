"""Where a fact about a provider or a client was read, and for which of its versions it holds."""

# No `from __future__ import annotations`: `NamedTuple` compiles annotations that are strings, each of them at every start.

from typing import NamedTuple

OBSERVED, DOCUMENTED, CODE = "observed", "documented", "code"
"""How a fact is known: an error message or a behaviour that people report; a page of documentation or a specification; the
code of a published package or repository.
"""

Version = tuple[int, ...]
"""A version, or a date of release, as numbers: `2.1.166`, `2025-11-25`."""


class Source(NamedTuple):
    """Where a fact was read: `text` names the page, the thread or the package and its file, `date` is a year and month."""

    text: str
    date: str
    verified: str

    def __str__(self) -> str:
        return f"{self.text} ({self.date}, {self.verified})"


class Versions(NamedTuple):
    """The versions from `since` on and `before` another one; None where there is no such end."""

    since: Version | None = None
    before: Version | None = None

    def holds(self, version: Version | None) -> bool:
        """Whether a version is one of them; None is the newest one."""
        if version is None:
            return self.before is None
        number = _padded(version)
        return (self.since is None or number >= _padded(self.since)) and (
            self.before is None or number < _padded(self.before)
        )


def _padded(version: Version) -> Version:
    """A version with zeros at its end: `2` and `2.0` are one."""
    return version + (0,) * (4 - len(version))


EVERY = Versions()


def shown(version: Version) -> str:
    """A version as people write it: a release that begins with a year is a date."""
    if len(version) == 3 and version[0] > 1999:
        return "{}-{:02}-{:02}".format(*version)
    return ".".join(map(str, version))
