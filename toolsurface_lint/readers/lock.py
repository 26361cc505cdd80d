"""What a lock says: `version` and, for each server and tool, the digests in `model.digests`.

[servers.orders.find_order]
sha256 = "..."
description = "..."
schema = "..."
output_schema = "none"
annotations = "unknown"
"""

from __future__ import annotations

import re

from toolsurface_lint.model.digests import NONE, PARTS, SHORT, UNKNOWN, WHOLE
from toolsurface_lint.model.document import Document
from toolsurface_lint.model.lock import LOCK_VERSION, Lock, LockedTool
from toolsurface_lint.readers.shape import describe
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Node, Place

_DIGEST = re.compile(r"[0-9a-f]{64}")
_SHORT = re.compile(rf"[0-9a-f]{{{SHORT}}}|{NONE}|{UNKNOWN}")
_FIELDS = {WHOLE: _DIGEST, **dict.fromkeys(PARTS, _SHORT)}


class _Malformed(Exception):
    def __init__(self, kind: str, place: Place, **values: object) -> None:
        self.problem = Problem(kind, place, values)


def read_lock(root: Node, document: Document) -> Lock:
    """The lock at the root of a document; the first thing in it that is not as it is written makes it unusable."""
    lock = Lock(root)
    try:
        _check_version(root, document)
        for server, _ in _tables(root, "servers"):
            for name, tool in _tables(root, "servers", server):
                lock.tools[server, name] = _read_tool(tool)
    except _Malformed as error:
        lock.tools.clear()
        lock.problem = error.problem
    return lock


def _check_version(root: Node, document: Document) -> None:
    version = root.get("version")
    if version is None:
        raise _Malformed("missing", document.place(Span(0, 0)), key="version")
    if type(version.value) is not int:
        raise _Malformed("shape", version.place, key="version", expected="a number", got=describe(version.value))
    if version.value != LOCK_VERSION:
        raise _Malformed("version", version.place, got=version.value, version=LOCK_VERSION)


def _tables(root: Node, *path: str) -> list[tuple[str, Node]]:
    node = root.find(*path)
    if node is not None and not isinstance(node.value, dict):
        raise _Malformed("shape", node.place, key=path[-1], expected="a table", got=describe(node.value))
    return list(root.members(*path))


def _read_tool(tool: Node) -> LockedTool:
    if not isinstance(tool.value, dict):
        raise _Malformed("shape", tool.place, key=tool.key, expected="a table", got=describe(tool.value))
    for field, pattern in _FIELDS.items():
        node = tool.get(field)
        if node is None:
            raise _Malformed("missing", tool.key_place, key=field)
        if not isinstance(node.value, str) or pattern.fullmatch(node.value) is None:
            got = "another text" if isinstance(node.value, str) else describe(node.value)
            raise _Malformed("shape", node.place, key=field, expected="a digest", got=got)
    return LockedTool(tool.value[WHOLE], {part: tool.value[part] for part in PARTS}, tool)
