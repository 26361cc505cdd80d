"""`toolsurface-lint check --watch`: check again whenever something changes that the report depends on.

What changes is found by looking at the files' times and sizes every half second. That takes 70 ms for 10,000 files (the
walk included, measured), needs no library, no descriptors and no threads, notices new files and other settings by the
same look, and works on network file systems and in containers, where notifications do not. The pause grows with the
time that a look takes, so that no more than a tenth of one processor is spent on looking.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from toolsurface_lint.cli.check import FAILURE, check_once, find_targets, parse_outputs
from toolsurface_lint.cli.stream import CommandError, complain, complain_of_defect, on_terminal, write
from toolsurface_lint.project.discovery import PathMissing
from toolsurface_lint.project.discovery.paths import display_path
from toolsurface_lint.project.project import files_of
from toolsurface_lint.project.settings import Settings, SettingsError
from toolsurface_lint.project.settings.loading import load_settings, override, settings_files
from toolsurface_lint.project.settings.selection import Selection
from toolsurface_lint.reporters import count
from toolsurface_lint.run.second_process import run_apart

_PAUSE = 0.5
"""Seconds between two looks at the files."""

_SHARE = 0.1
"""The share of the time that may be spent on looking."""

_SETTLING = 0.1
"""Seconds without another change after which a change is taken for complete: tools that write many files take a while."""

_PATIENCE = 20
"""How often a change is waited for to be complete: some files never come to rest."""

_MOST_NAMED = 3
_CLEAR = "\x1b[H\x1b[2J"

_Stamp = tuple[int, int, int] | None
_Snapshot = dict[str, _Stamp]


def watch(paths: Sequence[str], options: Mapping[str, Any]) -> int:
    """Check paths with the options of `check` until interrupted, which is no failure: the exit code is 0 then.

    Raises `CommandError`, `SettingsError` and `PathMissing` for what no change of a file can cure.
    """
    _refuse_contradictions(paths, options)
    gc.enable()
    files = _Files(paths or (".",), options)
    seen = files.look()
    news = f"watching {count(len(files.known), 'file')}"
    try:
        while not _reader_is_gone():
            if on_terminal() and os.environ.get("TERM") != "dumb":
                write(_CLEAR)
            complain(f"{time.strftime('%H:%M:%S')} {news}")
            # In a process of its own: whatever a check leaves in memory, or breaks, is gone with it.
            code = run_apart(_check, tuple(paths), dict(options))
            if code < 0:
                complain(f"the check was ended by signal {-code}")
            complain("waiting for changes (Ctrl-C ends)")
            before, seen = seen, files.wait(seen)
            news = _changes(before, seen)
    except KeyboardInterrupt:
        pass
    return 0


def _refuse_contradictions(paths: Sequence[str], options: Mapping[str, Any]) -> None:
    if "-" in paths or options.get("stdin_filename") is not None:
        raise CommandError("--watch watches files: it cannot be combined with standard input")
    for name in ("fix", "diff", "unsafe_fixes", "add_suppressions", "write_baseline"):
        if options.get(name) not in (None, False):
            flag = name.replace("_", "-")
            raise CommandError(f"--watch only reports, again and again: it cannot be combined with --{flag}")
    # What no change of a file cures is told at once, not with every report.
    outputs = parse_outputs(options.get("output") or ())
    find_targets(outputs, paths, None, options.get("config"), options.get("baseline"))
    settings = override(Settings(os.curdir), **{name: options.get(name) for name in ("protocol", "provider")})
    Selection(
        settings,
        select=options.get("select") or None,
        extend_select=options.get("extend_select"),
        ignore=options.get("ignore"),
    )


def _check(paths: Sequence[str], options: Mapping[str, Any]) -> int:
    try:
        return check_once(paths, **options)
    except (CommandError, PathMissing, SettingsError) as error:
        complain(str(error))
    except Exception:
        complain_of_defect()
    return FAILURE


class _Files:
    """The files that a report depends on: those checked and their surfaces', the settings, the baseline."""

    def __init__(self, paths: Sequence[str], options: Mapping[str, Any]) -> None:
        self._paths = paths
        self._config = options.get("config")
        self._isolated = bool(options.get("isolated"))
        self._baseline = options.get("baseline")
        # What a run writes is no reason for another.
        self._written = {
            os.path.abspath(file) for _, file in parse_outputs(options.get("output") or ()) if file is not None
        }
        self._settings = Settings(os.getcwd())
        self._settings_stamps: _Snapshot | None = None
        self.known: list[str] = []
        try:
            load_settings(paths, self._config, self._isolated)
        except SettingsError as error:
            if error.path is None:
                raise
        for path in paths:
            if not os.path.lexists(path):
                raise PathMissing(path)

    def look(self) -> _Snapshot:
        """What the files are now: the time, size and number of each by absolute path, None for one that is not there."""
        stamps = _stamps(settings_files(self._paths, self._config, self._isolated))
        if stamps != self._settings_stamps:
            self._settings_stamps = stamps
            # The report says what is wrong with them. Until that is mended, those before say what to watch.
            with suppress(SettingsError):
                self._settings = load_settings(self._paths, self._config, self._isolated)
        # While a given path is not there, the report says so, and nothing else is to be found.
        with suppress(PathMissing):
            self.known = files_of(self._paths, self._settings)
        named = [os.path.abspath(path) for path in (*self._paths, *([self._baseline] if self._baseline else []))]
        found = _stamps({*self.known, *(path for path in named if not os.path.isdir(path))} - self._written)
        return {**found, **stamps}

    def wait(self, before: _Snapshot) -> _Snapshot:
        """Wait until the files are no longer what they were before; what they are when they have come to rest."""
        while True:
            start = time.monotonic()
            now = self.look()
            if now != before:
                break
            time.sleep(max(_PAUSE, (time.monotonic() - start) / _SHARE))
        for _ in range(_PATIENCE):
            time.sleep(_SETTLING)
            last, now = now, self.look()
            if now == last:
                break
        return now


def _stamps(paths: Iterable[str]) -> _Snapshot:
    return {path: _stamp(path) for path in paths}


def _stamp(path: str) -> _Stamp:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _changes(before: _Snapshot, now: _Snapshot) -> str:
    """Which files have changed, come or gone, a few of them by name."""
    there = {path for path, stamp in before.items() if stamp is not None}
    here = {path for path, stamp in now.items() if stamp is not None}
    kinds = {
        "changed": sorted(path for path in there & here if before[path] != now[path]),
        "new": sorted(here - there),
        # What the settings leave out from now on is still there.
        "gone": sorted(path for path in there - here if not os.path.lexists(path)),
    }
    parts = []
    for kind, paths in kinds.items():
        if paths:
            named = [display_path(path) for path in paths[:_MOST_NAMED]]
            more = [f"{len(paths) - _MOST_NAMED} more"] if len(paths) > _MOST_NAMED else []
            parts.append(f"{kind}: {', '.join([*named, *more])}")
    return "; ".join(parts) or "other files are checked"


def _reader_is_gone() -> bool:
    """Whether standard output is a pipe that nobody reads any more."""
    try:
        from select import POLLERR, POLLNVAL, poll
    except ImportError:
        return False
    watched = poll()
    try:
        watched.register(sys.stdout.fileno(), 0)
    except (AttributeError, OSError, ValueError):
        return False
    return any(events & (POLLERR | POLLNVAL) for _, events in watched.poll(0))
