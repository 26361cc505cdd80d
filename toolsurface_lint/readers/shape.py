"""Reading an object field by field against what is expected there, collecting what is not."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from toolsurface_lint.model.names import close_names, slip
from toolsurface_lint.model.tool import Defect
from toolsurface_lint.readers.annotations import describe, texts
from toolsurface_lint.source.tree import Node, Place


def looks_like(value: dict[str, Any], telling: Collection[str]) -> bool:
    """Whether an object has one of the fields that tell its kind."""
    return not value.keys().isdisjoint(telling)


def may_be(node: Node, fields: Iterable[str]) -> bool:
    """Whether what a user calls an object of a kind can be one: it has a field of it or a near miss, or is empty."""
    known = tuple(fields)
    return isinstance(node.value, dict) and (
        not node.value or any(key in known or close_names(key, known) for key in node.value)
    )


class Shape:
    """The object at a node, read with expectations; null counts as absent, as in the reference.

    `defects` are of kind `shape` (a wrong shape) and `field` (an unknown field, at its key).
    """

    def __init__(self, node: Node, what: str, fields: Iterable[str]) -> None:
        self.node = node
        self.defects: list[Defect] = []
        self.is_object = isinstance(node.value, dict)
        if self.is_object:
            self.unknown_fields(node, what, fields)
        elif node.value is not None:
            self.defects.append(
                Defect("shape", node.place, f"{_quoted(what)} must be an object, not {describe(node.value)}")
            )

    def unknown_fields(self, node: Node, what: str, fields: Iterable[str]) -> None:
        """Add the fields of an object, called `what` in messages, that are none of `fields`."""
        known = tuple(fields)
        for key, member in node.members():
            if key not in known and not key.startswith("_"):
                help, meant = slip(key, known)
                message = f"`{key}` is no field of {_a(what)}"
                free = None if meant in node.value else meant
                self.defects.append(Defect("field", member.key_place, message, key, help, free))

    def add(self, node: Node, field: str, message: str) -> None:
        """Add a value of a wrong shape; the message goes on from the name of the field."""
        self.add_at(node.place, field, message)

    def add_at(self, place: Place, field: str, message: str) -> None:
        self.defects.append(Defect("shape", place, f"`{field}` {message}", field))

    def add_slip(self, node: Node, field: str, message: str, words: Iterable[str]) -> None:
        """Add a value that is none of some words, which it may be a slip of the pen for."""
        help, meant = slip(node.value, words)
        self.defects.append(Defect("shape", node.place, f"`{field}` {message}", field, help, meant))

    def text(self, field: str) -> Node | None:
        """The text of a field; None if it is absent or, which is a defect, no text."""
        member = self._present(field)
        if member is None or isinstance(member.value, str):
            return member
        self.add(member, field, f"must be a text, not {describe(member.value)}")
        return None

    def texts(self, field: str) -> tuple[Node, ...]:
        """The texts of a field that is a list, as `text_list` reads it; empty if it is absent."""
        member = self._present(field)
        return () if member is None else self.text_list(member, field)

    def text_list(self, node: Node, field: str) -> tuple[Node, ...]:
        """The texts of a list at a node; what is no text is a defect and left out."""
        if not isinstance(node.value, list | tuple):
            self.add(node, field, f"must be a list of texts, not {describe(node.value)}")
            return ()
        for item in node.elements():
            if not isinstance(item.value, str):
                self.add(item, field, f"must hold texts, not {describe(item.value)}")
        return texts(node)

    def members(self, field: str) -> Iterator[tuple[str, Node]]:
        """The members of a field that is an object; anything else has none and is a defect."""
        member = self._present(field)
        if member is None:
            return
        if not isinstance(member.value, dict):
            self.add(member, field, f"must be an object, not {describe(member.value)}")
        yield from member.members()

    def elements(self, field: str) -> Iterator[Node]:
        """The elements of a field that is a list; anything else has none and is a defect."""
        member = self._present(field)
        if member is None:
            return
        if not isinstance(member.value, list | tuple):
            self.add(member, field, f"must be a list, not {describe(member.value)}")
        yield from member.elements()

    def _present(self, field: str) -> Node | None:
        member = self.node.get(field)
        return None if member is None or member.value is None else member


def _a(what: str) -> str:
    return f"an {what}" if what[0] in "aeiou" else _quoted(what) if "[" in what else f"a {what}"


def _quoted(what: str) -> str:
    """Names of entries, such as `rules[0]`, are the author's; other names are plain words."""
    return f"`{what}`" if "[" in what else what
