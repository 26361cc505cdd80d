"""Reading an object field by field against what is expected there, collecting what is not."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, cast

from toolsurface_lint.model.names import close_names, likely_meant, slip
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Node, Place

_NAMES = {bool: "true or false", str: "a string", list: "a list", dict: "an object"}


def describe(value: Any) -> str:
    """What a value is, for a message: `a string`, `a list`, ..."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    for kind, name in _NAMES.items():
        if isinstance(value, kind):
            return name
    return "a number" if isinstance(value, int | float) else f"a {type(value).__name__}"


def shown(value: Any) -> str:
    """A value in a message: a string as it is, in backticks, or what else it is."""
    return f"`{value}`" if isinstance(value, str) else describe(value)


def listed(words: Iterable[str]) -> str:
    """Words in a message, each in backticks."""
    return ", ".join(f"`{word}`" for word in words)


def may_be(node: Node, fields: Iterable[str]) -> bool:
    """Whether what a user calls an object of a kind can be one: it has a field of it or a near miss, or is empty."""
    known = tuple(fields)
    return isinstance(node.value, dict) and (
        not node.value or any(key in known or close_names(key, known) for key in node.value)
    )


class Shape:
    """The object at a node, read with expectations; null counts as absent, as in Harn.

    `problems` are of the kinds `KIND/...` (a wrong shape) and `field` (an unknown field, at its key).
    """

    def __init__(
        self,
        node: Node,
        problems: list[Problem[Place]] | None = None,
        *,
        kind: str = "shape",
        null_is_absent: bool = True,
    ) -> None:
        self.node = node
        self.problems = [] if problems is None else problems
        self._kind = kind
        self._null_is_absent = null_is_absent

    def is_object(self, what: str, fields: Iterable[str]) -> bool:
        """Whether it is an object, called `what` in messages; fields of it that are not among `fields` are problems."""
        if isinstance(self.node.value, dict):
            self.unknown_fields(self.node, what, fields)
            return True
        if self.node.value is not None:
            values = {"name": what, "got": describe(self.node.value)}
            self.problems.append(Problem(f"{self._kind}/object", self.node.place, values))
        return False

    def unknown_fields(
        self, node: Node, what: str, fields: Iterable[str], *, close: bool = False, others: Mapping[str, str] = {}
    ) -> None:
        """Add the fields of an object, called `what` in messages, that are not among `fields`.

        `close`: only those that are nearly one of them, which is not there beside it, for files whose readers may know
        more, and `others`, the names that some have elsewhere.
        """
        known = tuple(fields)
        for key, member in node.members():
            if key not in known and not key.startswith("_"):
                near = likely_meant(key, known) if close else slip(key, known)
                if close and not near:
                    # Elsewhere it has another name, which may be misspelled too.
                    near = tuple(others[other] for other in ([key] if key in others else likely_meant(key, others)))
                if not close or (near and near[0] not in node.value):
                    values = {"name": key, "owner": what, "near": near}
                    self.problems.append(Problem("field", member.key_place, values, key))

    def require(self, node: Node, prefix: str, fields: Iterable[str], before: int = 0) -> None:
        """Add the fields of an object that are missing; not those of which a problem after the first `before` says how they
        are misspelled."""
        problems = self.problems[before:]
        misspelled = {near for each in problems for near in cast("tuple[str, ...]", each.values.get("near", ()))}
        for field in fields:
            if field not in node.value and field not in misspelled:
                self.add("missing", node.place, f"{prefix}{field}")

    def add(self, kind: str, place: Place, field: str, **values: object) -> None:
        """Add a value of a wrong shape."""
        self.problems.append(Problem(f"{self._kind}/{kind}", place, {"name": field, **values}, field))

    def expect(self, kind: str, node: Node, field: str) -> None:
        """Add a value that is something else than was expected."""
        self.add(kind, node.place, field, got=describe(node.value))

    def text(self, field: str) -> Node | None:
        """The text of a field; None if it is absent or, which is a problem, something else."""
        member = self._expected(field, "string", str)
        return member if member is not None and isinstance(member.value, str) else None

    def texts(self, field: str) -> tuple[Node, ...]:
        """The texts of a field that is a list, as `text_list` reads it; empty if it is absent."""
        member = self._present(field)
        return () if member is None else self.text_list(member, field)

    def text_list(self, node: Node, field: str) -> tuple[Node, ...]:
        """The texts of a list at a node; anything else in it is a problem and left out."""
        if not isinstance(node.value, list | tuple):
            self.expect("strings", node, field)
            return ()
        for item in node.elements():
            if not isinstance(item.value, str):
                self.expect("item", item, field)
        return tuple(item for item in node.elements() if isinstance(item.value, str))

    def members(self, field: str) -> Iterator[tuple[str, Node]]:
        """The members of a field that is an object; anything else has none and is a problem."""
        member = self._expected(field, "object", dict)
        return iter(()) if member is None else member.members()

    def elements(self, field: str) -> Iterator[Node]:
        """The elements of a field that is a list; anything else has none and is a problem."""
        member = self._expected(field, "list", list, tuple)
        return iter(()) if member is None else member.elements()

    def _present(self, field: str) -> Node | None:
        member = self.node.get(field)
        return None if member is None or (member.value is None and self._null_is_absent) else member

    def _expected(self, field: str, kind: str, *types: type) -> Node | None:
        """A field that is there, of whatever type; another than `types` is a problem."""
        member = self._present(field)
        if member is not None and not isinstance(member.value, types):
            self.expect(kind, member, field)
        return member

    def boolean(self, field: str) -> bool:
        """Whether a field is true; anything but a boolean is a problem."""
        member = self._expected(field, "boolean", bool)
        return member is not None and member.value is True

    def word(self, field: str, words: Collection[str]) -> str | None:
        """The text of a field that has one of a few words; None if it is absent or, which is a problem, has another."""
        member = self.text(field)
        if member is None or member.value in words:
            return None if member is None else member.value
        self.add("word", member.place, field, value=member.value, words=listed(words), near=slip(member.value, words))
        return None
