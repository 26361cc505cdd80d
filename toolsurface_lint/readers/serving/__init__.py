"""Configurations that start servers of models, wherever they are written."""

from __future__ import annotations

import os

from toolsurface_lint.model.document import Document
from toolsurface_lint.readers.serving.marks import MARKS
from toolsurface_lint.source.tree import TextTree


def read_serving(document: Document, path: str) -> None:
    """Add the launches of a document; its kind is `serving` if it has any."""
    if MARKS.search(document.source.text) is None:
        return
    if document.language == "yaml":
        from toolsurface_lint.readers.serving.values import read_values

        for tree in document.trees:
            document.launches.extend(read_values(tree.root))
    else:
        from toolsurface_lint.readers.serving.texts import read_text

        tree = TextTree(document.source)
        document.launches.extend(read_text(tree.root, os.path.basename(path), document.language))
    if document.launches:
        document.kinds.append("serving")
