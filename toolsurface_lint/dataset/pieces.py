"""A piece of a dataset: a part of a file that a worker checks at once, and what the name of a file says of it."""

from __future__ import annotations

import re
from typing import NamedTuple

PARQUET, LINES, ARROW = "parquet", "lines", "arrow"

FORMS = {
    ".parquet": (PARQUET, ""),
    ".pq": (PARQUET, ""),
    ".jsonl": (LINES, ""),
    ".ndjson": (LINES, ""),
    ".jsonl.gz": (LINES, "gz"),
    ".ndjson.gz": (LINES, "gz"),
    ".jsonl.zst": (LINES, "zst"),
    ".ndjson.zst": (LINES, "zst"),
    ".arrow": (ARROW, ""),
    ".ipc": (ARROW, ""),
    ".feather": (ARROW, ""),
}
"""What a file is, by the end of its name: its form, and how it is compressed."""

_REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


class Piece(NamedTuple):
    """A part of a file that is checked at once: the row groups or the bytes from `start` to `end`, all of it if that is 0.

    `name` is how the file is shown; `part` counts the pieces of one file, from 0. `identity` tells the content of the file
    from what it was at another time: its size and the time of its last change, as far as they are known. `split` is the part
    of the dataset that the names of file and folder say it is; empty if they say nothing. At most `limit` of its rows are
    checked, all of them if that is None.
    """

    path: str
    name: str
    form: str
    compression: str
    size: int
    identity: str
    split: str
    part: int = 0
    start: int = 0
    end: int = 0
    limit: int | None = None


def is_remote(path: str) -> bool:
    """Whether a path is not one of this machine, so that the engine reads it."""
    return _REMOTE.match(path) is not None and not path.startswith("file://")


def form_of(name: str) -> tuple[str, str] | None:
    """What a file is by the end of its name, None if it is none that is read."""
    name = name.lower()
    return next((form for end, form in FORMS.items() if name.endswith(end)), None)


_SPLIT = re.compile(
    r"(?:^|[/\\_.-])(train|training|test|testing|eval|evaluation|val|valid|validation|dev)(?=[/\\_.\d-]|$)",
    re.IGNORECASE,
)
SPLITS = {
    "train": "train",
    "training": "train",
    "test": "test",
    "testing": "test",
    "eval": "test",
    "evaluation": "test",
    "val": "validation",
    "valid": "validation",
    "validation": "validation",
    "dev": "validation",
}


def split_of(path: str) -> str:
    """The split that the names of a file and its folder say; the last word of them that is one. Empty if there is none."""
    near = "/".join(path.replace("\\", "/").split("/")[-2:])
    words = _SPLIT.findall(near)
    return SPLITS[words[-1].lower()] if words else ""
