"""From paths to candidate files: those that are given, and those below given folders whose names say enough."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, NamedTuple

from toolsurface_lint.discovery.globs import covers, matches
from toolsurface_lint.discovery.listing import list_folder
from toolsurface_lint.discovery.names import candidate_kind, names_prompt
from toolsurface_lint.discovery.paths import display_path, relative_to

if TYPE_CHECKING:
    from toolsurface_lint.config import Settings


class PathMissing(Exception):
    """A path given by name that does not exist."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path or repr(path)}: no such file or folder")
        self.path = path


class Candidate(NamedTuple):
    """A file to look at.

    `path` is absolute; `display` is how it is shown; `given` means by name, not found by walking. `skip` is the reason
    why it must not be read, for the report's account, None for files to read.
    """

    path: str
    display: str
    given: bool
    skip: str | None = None


def discover(paths: Iterable[str], settings: Settings, unsaved: Collection[str] = ()) -> list[Candidate]:
    """The files to look at: those given, in the order given, and those below given folders, sorted; none twice.

    Files below a folder count if `candidate_kind` knows their name, or if the settings name them as a kind or as part
    of a surface. What the settings exclude is left out; a given file among it stays, marked, because its absence has to
    be accounted for. `unsaved` are the absolute paths of files that somebody has open, which need not be on disk yet.
    Raises `PathMissing` for a path that does not exist.
    """
    found: dict[str, Candidate] = {}
    for path in paths:
        absolute = os.path.abspath(path)
        if absolute not in unsaved and _is_folder(path):
            for candidate in _walked(path, absolute, settings, unsaved):
                found.setdefault(candidate.path, candidate)
        else:
            skip = "excluded by the settings" if _excluded(absolute, settings) else None
            found[absolute] = Candidate(absolute, display_path(path), True, skip)
    return list(found.values())


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise PathMissing(path) from None
    except OSError:
        # It is there but cannot be looked at: whoever reads it reports that.
        return False


def _walked(path: str, absolute: str, settings: Settings, unsaved: Collection[str]) -> list[Candidate]:
    listing = list_folder(absolute)
    listing.add_new(absolute, unsaved)
    base = os.path.join(absolute, "")
    named = settings.named_globs()
    wanted = [name for name in listing.names if candidate_kind(name) or _in_settings(base + name, settings, named)]
    if settings.exclude:
        wanted = [name for name in wanted if not _excluded(base + name, settings)]
    aliases = _aliases(absolute, listing.links, wanted)
    display = display_path(path)
    prefix = "" if display == "." else display.rstrip("/") + "/"
    found = [Candidate(base + name, prefix + name, False) for name in wanted if name not in aliases]
    for name, remark in listing.remarks.items():
        shown = prefix + name if name else display
        found.append(Candidate(base + name, shown, False, remark))
    return found


def _aliases(folder: str, links: set[str], names: list[str]) -> set[str]:
    """The links to files that are among `names` themselves, but not those whose own name alone makes them prompts."""
    links = links.intersection(names)
    if not links:
        return links
    real_folder = os.path.realpath(folder)
    targets = set(names) - links
    aliases = set()
    for link in links:
        target = relative_to(os.path.realpath(os.path.join(folder, link)), real_folder)
        if target in targets and names_prompt(target) >= names_prompt(link):
            aliases.add(link)
    return aliases


def _excluded(path: str, settings: Settings) -> bool:
    relative = relative_to(path, settings.root)
    return relative is not None and any(covers(glob, relative) for glob in settings.exclude)


def _in_settings(path: str, settings: Settings, globs: tuple[str, ...]) -> bool:
    relative = relative_to(path, settings.root) if globs else None
    return relative is not None and any(matches(glob, relative) for glob in globs)
