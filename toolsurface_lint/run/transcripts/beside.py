"""The rows of another file that belong to the rows of a dataset: answers lie apart from the questions that have the tools."""

from __future__ import annotations

import os
from collections.abc import Hashable

from toolsurface_lint.readers.transcript_format import DatasetSchema, FoundConversation
from toolsurface_lint.source import disk
from toolsurface_lint.source.json_lines import Lines
from toolsurface_lint.source.tree import Node


class RowsBeside:
    """Finds, for the rows of the file at the absolute `path`, those of the same `id` in the file that their schema names.

    Such a file of more than `limit` bytes is left alone.
    """

    def __init__(self, path: str, display: str, limit: int) -> None:
        self._path = path
        self._display = display
        self._limit = limit
        self._rows: dict[Hashable, Node] | None = None

    def joined(self, root: Node, found: FoundConversation, schema: DatasetSchema) -> FoundConversation:
        """The conversation of a row together with the row beside it; as it was found where there is none."""
        if schema.join is None or not self._path:
            return found
        if self._rows is None:
            self._rows = self._read(schema)
        id = root.value.get("id")
        other = self._rows.get(id) if isinstance(id, str | int) else None
        whole = None if other is None else schema.join(root, other)
        return found if whole is None else whole._replace(schema=schema)

    def _read(self, schema: DatasetSchema) -> dict[Hashable, Node]:
        rows: dict[Hashable, Node] = {}
        for path in schema.beside(self._path) if schema.beside is not None else ():
            try:
                if not disk.isfile(path) or disk.stat(path).st_size > self._limit:
                    continue
                folder = os.path.dirname(self._display)
                display = os.path.normpath(os.path.join(folder, os.path.relpath(path, os.path.dirname(self._path))))
                for tree in Lines(path, display, max_line=self._limit):
                    id = tree.value.get("id") if type(tree.value) is dict else None
                    if isinstance(id, str | int):
                        rows[id] = tree.root
            except OSError:
                continue
        return rows
