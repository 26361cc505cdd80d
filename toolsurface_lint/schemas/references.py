"""Where a `$ref` leads inside its own schema; nothing is ever fetched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple


class Target(NamedTuple):
    """The schema that a reference leads to; `value` is a dict or a bool in a valid schema."""

    value: Any


def resolve(root: Any, reference: str) -> Target | None:
    """What a reference leads to in `root`: a JSON pointer, an anchor, or an `$id` of the schema with either after it.

    None if it leads nowhere in it.
    """
    base, _, fragment = reference.partition("#")
    if base:
        identified = next((schema for schema in objects(root) if _same_base(schema.get("$id"), base)), None)
        if identified is None:
            return None
        root = identified
    if not fragment:
        return Target(root)
    if fragment.startswith("/"):
        return at_pointer(root, fragment)
    for schema in objects(root):
        if fragment in (schema.get("$anchor"), schema.get("$dynamicAnchor")) or schema.get("$id") == f"#{fragment}":
            return Target(schema)
    return None


def at_pointer(value: Any, pointer: str) -> Target | None:
    """The value that a JSON pointer (RFC 6901, percent-encoded as in a URI) leads to."""
    for step in pointer.split("/")[1:]:
        if "%" in step:
            from urllib.parse import unquote

            step = unquote(step)
        step = step.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return Target(value)


def leaves_document(reference: str) -> bool:
    """Whether a reference is an absolute URL, which only the network could answer."""
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", reference) is not None


def _same_base(identifier: Any, base: str) -> bool:
    if not isinstance(identifier, str):
        return False
    identifier = identifier.rstrip("#")
    return base in (identifier, identifier.rpartition("/")[2])


def objects(value: Any) -> Iterator[dict[str, Any]]:
    pending = [value]
    while pending:
        current = pending.pop()
        if isinstance(current, dict):
            yield current
            pending.extend(current.values())
        elif isinstance(current, list):
            pending.extend(current)
