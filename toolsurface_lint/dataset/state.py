"""What a run has done so far, in a folder beside its output: a run that begins again goes on from there.

A piece is known by its file, what of it, the settings and the version, so that nothing is taken over that would come out
otherwise now. When all is done, the folder goes.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any

from toolsurface_lint.dataset.inputs import UNFINISHED
from toolsurface_lint.dataset.pieces import Piece
from toolsurface_lint.run.writing import NotWritten, lock, overwrite
from toolsurface_lint.source.files import read_bytes

_MARK = "of-toolsurface-lint"
_MOST = 1 << 31
KEPT, DROPPED = "kept", "dropped"


class StateUnusable(Exception):
    """The folder for what is unfinished cannot be used; the message says why."""


class State:
    """The folder of one run, beside the file or folder `output`; of no other at the same time."""

    def __init__(self, output: str, settings: Sequence[Any]) -> None:
        self.folder = f"{os.path.abspath(output).rstrip(os.sep)}{UNFINISHED}"
        self._settings = repr(settings)
        if os.path.isdir(self.folder) and os.listdir(self.folder) and not os.path.exists(self._path(_MARK)):
            raise StateUnusable(f"{self.folder} is not of an earlier run: remove it, or write elsewhere")
        try:
            for name in ("results", KEPT, DROPPED):
                os.makedirs(self._path(name), exist_ok=True)
            # Open, and so locked, until the process ends or lets go of it.
            self._mark = os.open(self._path(_MARK), os.O_WRONLY | os.O_CREAT, 0o666)
        except OSError as error:
            raise StateUnusable(f"cannot write {self.folder}: {error.strerror}") from None
        try:
            lock(self._mark)
        except OSError:
            os.close(self._mark)
            raise StateUnusable(f"another run is writing {output}: wait for it, or write elsewhere") from None

    def _path(self, *names: str) -> str:
        return os.path.join(self.folder, *names)

    def key(self, piece: Piece) -> str:
        """What a piece is called in the folder."""
        return sha256(json.dumps([self._settings, *piece]).encode("utf-8", "surrogatepass")).hexdigest()[:40]

    def rows_of(self, key: str, sort: str) -> str:
        """Where the rows of a piece are, of those that were kept or dropped."""
        return self._path(sort, key)

    def load(self, key: str) -> dict[str, Any] | None:
        """The result of a piece that is done; None if it is not, or not wholly."""
        try:
            result = json.loads(read_bytes(self._path("results", key), _MOST))
        except (OSError, ValueError):
            return None
        if type(result) is not dict or type(result.get("written")) is not list:
            return None
        for sort, is_written in zip((KEPT, DROPPED), result["written"], strict=False):
            if is_written and not os.path.exists(self.rows_of(key, sort)):
                return None
        return result

    def save(self, key: str, result: dict[str, Any]) -> None:
        """Keep the result of a piece. Raises `StateUnusable`."""
        try:
            overwrite(self._path("results", key), json.dumps(result).encode(), "the state of the run")
        except NotWritten as error:
            raise StateUnusable(str(error)) from None

    def close(self) -> None:
        """Let another run have the folder."""
        os.close(self._mark)

    def remove(self) -> None:
        """Remove all of it."""
        with suppress(OSError):
            shutil.rmtree(self.folder)
