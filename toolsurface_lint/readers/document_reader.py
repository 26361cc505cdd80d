"""What a reader of documents is: a recogniser and a reader, registered by lying in `readers/documents/`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from toolsurface_lint.model.document import Document
from toolsurface_lint.source.modules import registered
from toolsurface_lint.source.tree import Node, Tree


class DocumentReader(NamedTuple):
    """One kind of structured document.

    Readers are asked in their `order` about every value of a file that is of the types `values`. `recognises` sees the value
    and the document, whose `kinds` hold what the user said that it is; it gives what `read` adds to the document, or True
    for the value itself. An `exclusive` reader ends the search. Of a file that cannot be read, the regular expression
    `names` finds in its path, which is in lower case and begins with a slash, whether it was to be of this kind.
    """

    kind: str
    order: int
    exclusive: bool
    recognises: Callable[[Node, Document], Any]
    read: Callable[[Any, Document], None]
    values: tuple[type, ...] = (dict,)
    names: str | None = None


@cache
def document_readers() -> tuple[DocumentReader, ...]:
    """Every reader, in the order in which they are asked."""
    return registered("toolsurface_lint.readers.documents", "READER")


def names_document(path: str) -> bool:
    """Whether the name of a file, with its folder, says that it is a document of some reader's kind."""
    path = "/" + path.replace(os.sep, "/").lower()
    return any(reader.names is not None and re.search(reader.names, path) for reader in document_readers())


def begins_document(document: Document, value: Any) -> bool:
    """Whether a value that broke off holds enough to be recognised; empty ones say nothing."""
    root = Node(Tree(None, value), (), value)
    return bool(value) and any(
        isinstance(value, reader.values) and reader.recognises(root, document) for reader in document_readers()
    )


def read_values(document: Document, kind: str | None) -> bool:
    """Read every value of a document by the readers that recognise it, or by the reader of `kind` alone.

    True if any reader took any value; for a given `kind`, if its reader took all of them.
    """
    taken = 0
    for tree in document.trees:
        root = tree.root
        took = False
        for reader in document_readers():
            if kind is not None and not _serves(reader, kind):
                continue
            found = isinstance(root.value, reader.values) and reader.recognises(root, document)
            if not found:
                continue
            reader.read(root if found is True else found, document)
            if reader.kind not in document.kinds:
                document.kinds.append(reader.kind)
            took = took or kind in (None, reader.kind) or reader.kind == _PERMISSIONS
            if reader.exclusive or (kind is not None and reader.kind == _PERMISSIONS):
                break
        taken += took
    return taken == len(document.trees) if kind is not None else taken > 0


_POLICIES = ("policy", "approval-policy")
_PERMISSIONS = "permissions"


def _serves(reader: DocumentReader, kind: str) -> bool:
    """Whether a reader reads what the user calls a document of a kind.

    One document may hold both policies, whichever it is called by, and a client's permissions are a policy too.
    """
    return reader.kind == kind or (kind in _POLICIES and reader.kind in (*_POLICIES, _PERMISSIONS))
