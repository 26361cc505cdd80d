"""Which runs are the same: what a report depends on besides what the run looks at."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from toolsurface_lint import __version__

_VARIABLES = (
    "HOME",
    "XDG_CONFIG_HOME",
    "USERPROFILE",
    "PATH",
    "SYSTEMROOT",
    "DEVELOPER_DIR",
    "TOOLSURFACE_LINT_PLUGINS",
)
"""What a run takes from the environment: where git is and what the user ignores, and which folder is the home; and whether it
loads plugins."""


def identity(here: str, paths: Sequence[str], options: Mapping[str, Any]) -> str:
    """The name of a run on `paths`, from the working directory `here`, as a digest.

    `options` are those that decide what is found, as plain data. How many processes share the work has no part in it.
    """
    import json

    known = [
        __version__,
        sys.version,
        _installed(),
        here,
        list(paths),
        sorted((name, value) for name, value in options.items()),
        [os.environ.get(name) for name in _VARIABLES],
    ]
    return blake2b(json.dumps(known).encode(), digest_size=16).hexdigest()


def _installed() -> list[Any]:
    """What changes when this program or a package that it imports is replaced.

    Whatever installs a package adds to a folder of the search path, or takes away from it. A package that lies in none of
    those folders by itself is being worked on: then all its files count.
    """
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    found: list[Any] = []
    for folder in dict.fromkeys([os.path.dirname(package), *sys.path]):
        try:
            found.append([folder, os.stat(folder or os.curdir).st_mtime_ns if _holds_packages(folder) else None])
        except OSError:
            found.append([folder, None])
    if not _holds_packages(os.path.dirname(package)):
        found.extend(sorted(_files(package)))
    return found


def _holds_packages(folder: str) -> bool:
    return os.path.basename(folder) in ("site-packages", "dist-packages")


def _files(folder: str) -> Iterator[list[Any]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _files(entry.path)
            else:
                status = entry.stat()
                yield [entry.path, status.st_size, status.st_mtime_ns]
