"""Configurations that start servers of models, wherever they are written."""

from __future__ import annotations

import os

from toolsurface_lint.knowledge.serving_engines import READ_OPTIONS
from toolsurface_lint.model.document import Document
from toolsurface_lint.model.serving import Option
from toolsurface_lint.readers.serving.marks import is_marked
from toolsurface_lint.source.tree import TextTree

_TELLING = sorted(READ_OPTIONS - {"model", "model-path", "hf-repo", "config", "jinja", "no-jinja"})
"""The options without which there is nothing to say of a launch."""


def read_serving(document: Document, path: str) -> None:
    """Add the launches of a document; its kind is `serving` if it has any."""
    if not is_marked(document.source.text):
        return
    if document.language == "yaml":
        from toolsurface_lint.readers.serving.values import read_values

        found = [launch for tree in document.trees for launch in read_values(tree.root)]
    else:
        from toolsurface_lint.readers.serving.texts import read_text

        tree = TextTree(document.source)
        if not document.trees:
            document.trees.append(tree)
        found = [*read_text(tree.root, os.path.basename(path), document.language)]
    # What a variable holds may be shown and run.
    seen: set[tuple[Option, ...]] = set()
    for launch in found:
        options = tuple(launch.options)
        if launch.last(*_TELLING) is not None and options not in seen:
            seen.add(options)
            document.launches.append(launch)
    if document.launches:
        document.kinds.append("serving")
