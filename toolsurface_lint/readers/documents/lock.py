"""The lock, `toolsurface.lock`, which `toolsurface-lint lock` writes. Recognised by its name alone."""

from __future__ import annotations

import posixpath
import re

from toolsurface_lint.model.document import Document
from toolsurface_lint.model.files import LOCK_FILE
from toolsurface_lint.readers.document_reader import DocumentReader
from toolsurface_lint.source.tree import Node


def _recognises(root: Node, document: Document) -> bool:
    return posixpath.basename(document.path) == LOCK_FILE


def _read(root: Node, document: Document) -> None:
    from toolsurface_lint.readers.lock import read_lock

    # They would be lost when it is written anew.
    document.takes_comments = False
    document.lock = read_lock(root, document)


READER = DocumentReader("lock", 1, True, _recognises, _read, names=rf"/{re.escape(LOCK_FILE)}\Z")
