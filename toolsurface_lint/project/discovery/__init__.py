"""From paths to candidate files: those that are given, and those below given folders whose names say enough."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from toolsurface_lint.project.discovery.globs import covers, matches
from toolsurface_lint.project.discovery.listing import list_folder
from toolsurface_lint.project.discovery.names import candidate_kind, names_prompt
from toolsurface_lint.project.discovery.paths import display_path, relative_to, with_parents
from toolsurface_lint.project.discovery.repositories import Repositories
from toolsurface_lint.source import disk

if TYPE_CHECKING:
    from toolsurface_lint.project.settings import Settings


class PathMissing(Exception):
    """A path given by name that does not exist: `path`, as it was given."""

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


def discover(
    paths: Iterable[str],
    settings: Settings,
    unsaved: Collection[str] = (),
    wanted: Callable[[str], object] = candidate_kind,
) -> list[Candidate]:
    """The files to look at, those given and those below given folders, by absolute path; none twice.

    Files below a folder count if their name is `wanted`, or if the settings name them as a kind or as part
    of a surface. What the settings exclude is left out; a given file among it stays, marked, because its absence has to
    be accounted for, and so does a file that was found under another name as well. `unsaved` are the absolute paths of
    files that somebody has open, which need not be on disk yet. The order of `paths` has no part in the result.
    Raises `PathMissing` for a path that does not exist.
    """
    found: dict[str, Candidate] = {}
    real: dict[str, str] = {}
    # A folder comes before all that lies below it, so that one file has one name however often it is named.
    for absolute, path in sorted({(os.path.abspath(path), path) for path in paths}):
        if absolute not in unsaved and _is_folder(path):
            for candidate in _walked(path, absolute, settings, unsaved, wanted, real):
                found.setdefault(candidate.path, candidate)
        else:
            skip = "excluded" if _meant(absolute, settings, settings.exclude, covers) else None
            known = found.get(absolute)
            display = display_path(path) if known is None else known.display
            found[absolute] = Candidate(absolute, display, True, skip)
            real[absolute] = disk.realpath(absolute)
    _mark_aliases(found, real)
    return [found[path] for path in sorted(found)]


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(disk.stat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise PathMissing(path) from None
    except OSError:
        # It is there but cannot be looked at: whoever reads it reports that.
        return False


def _walked(
    path: str,
    absolute: str,
    settings: Settings,
    unsaved: Collection[str],
    wanted: Callable[[str], object],
    real: dict[str, str],
) -> list[Candidate]:
    """What lies below a folder; the real paths of files that have another one are added to `real`."""
    listing = list_folder(absolute)
    listing.add_new(absolute, unsaved)
    base = os.path.join(absolute, "")
    named = settings.named_globs()
    names = [
        name
        for name in listing.names
        if (wanted(name) or _meant(base + name, settings, named, matches))
        and not _meant(base + name, settings, settings.exclude, covers)
    ]
    real_base = os.path.join(disk.realpath(absolute), "")
    for name in names:
        if name in listing.links:
            real[base + name] = disk.realpath(base + name)
        elif real_base != base:
            real[base + name] = real_base + name
    display = display_path(path)
    prefix = "" if display == "." else display.rstrip("/") + "/"
    found = [Candidate(base + name, prefix + name, False) for name in names]
    for name, remark in listing.remarks.items():
        shown = prefix + name if name else display
        found.append(Candidate(base + name, shown, False, remark))
    return found


def _mark_aliases(found: dict[str, Candidate], real: Mapping[str, str]) -> None:
    """Of the names of one file keep one, the file's own rather than a link's, and mark the others.

    A link whose own name alone makes a prompt of the file is kept beside it.
    """
    if not real:
        return
    names: dict[str, list[Candidate]] = {}
    for candidate in found.values():
        names.setdefault(real.get(candidate.path, candidate.path), []).append(candidate)
    repositories = Repositories()
    for target, candidates in names.items():
        if len(candidates) < 2:
            continue
        candidates.sort(key=lambda each: (each.skip is not None, each.path != target, each.path))
        kept = candidates[0]
        is_prompt = names_prompt(repositories.relative(kept.path))
        for other in candidates[1:]:
            if other.skip is not None or (not is_prompt and names_prompt(repositories.relative(other.path))):
                continue
            found[other.path] = other._replace(given=False, skip="another name of a file that is found")
            # Whoever named the link asked for the file.
            kept = found[kept.path] = kept._replace(given=kept.given or other.given)


def outermost(paths: Iterable[str]) -> list[str]:
    """The folders among paths that lie in no other one of them, as absolute paths, sorted."""
    folders = {os.path.abspath(path) for path in paths if disk.isdir(path)}
    return sorted(folder for folder in folders if folders.isdisjoint(list(with_parents(folder))[1:]))


def _meant(path: str, settings: Settings, globs: Sequence[str], matching: Callable[[str, str], bool]) -> bool:
    """Whether any of some globs of the settings means an absolute path; no path outside their root is meant."""
    relative = relative_to(path, settings.root) if globs else None
    return relative is not None and any(matching(glob, relative) for glob in globs)
