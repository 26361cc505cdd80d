"""Tool annotations as the specification knows them, with what is wrong in them."""

from __future__ import annotations

from typing import Any

from toolsurface_lint.model.names import slip
from toolsurface_lint.model.tool import KINDS, SIDE_EFFECT_LEVELS, Annotations
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Node, Place

SPECIFIED = frozenset(
    {
        "kind",
        "side_effect_level",
        "arg_schema",
        "capabilities",
        "emits_artifacts",
        "result_readers",
        "inline_result",
        "completion_evidence_role",
    }
)
"""The fields that make an object the specification's annotations rather than a set of MCP hints."""

HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
_EVIDENCE_ROLES = ("observation", "mutation", "verification")
_NAMES = {bool: "true or false", str: "a string", list: "a list", dict: "an object"}


def read_annotations(node: Node) -> tuple[Annotations | None, tuple[Problem[Place], ...]]:
    """The annotations at a node and the problems in them, of the kinds `annotation/...`.

    None for null, which means absent, and for anything else than an object, which is a problem. A bad value inside is a
    problem, and the rest of the object is used: the reference drops all of it, in silence.
    """
    if node.value is None:
        return None, ()
    if not isinstance(node.value, dict):
        return None, (_expected("object", node, "annotations"),)
    reading = _Reading(node)
    return reading.annotations, tuple(reading.problems)


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


def texts(node: Node | None) -> tuple[Node, ...]:
    """The texts of a list, without what else stands in it."""
    return tuple(item for item in node.elements() if isinstance(item.value, str)) if node is not None else ()


class _Reading:
    """One pass over an annotations object: fills `annotations`, collects `problems`."""

    def __init__(self, node: Node) -> None:
        self.problems: list[Problem[Place]] = []
        self.annotations = annotations = Annotations(node)
        kind = self._word(node, "kind", KINDS)
        annotations.kind = kind if kind is not None else "other"
        annotations.level = self._word(node, "side_effect_level", SIDE_EFFECT_LEVELS, "none")
        annotations.emits_artifacts = self._boolean(node, "emits_artifacts") is True
        annotations.inline_result = self._boolean(node, "inline_result") is True
        annotations.result_readers = self._texts(node, "result_readers")
        self._word(node, "completion_evidence_role", _EVIDENCE_ROLES)
        for hint in HINTS:
            self._boolean(node, hint)
        for _, operations in self._object(node, "capabilities"):
            self._text_list(operations, f"capabilities.{operations.key}")
        for field, member in self._object(node, "arg_schema"):
            if field == "arg_aliases":
                self._aliases(member)
            elif field in ("path_params", "required", "dependency_key_params"):
                values = tuple(str(text.value) for text in self._text_list(member, f"arg_schema.{field}"))
                if field == "path_params":
                    annotations.path_params = values
                elif field == "required":
                    annotations.required = values

    def _aliases(self, node: Node) -> None:
        if not isinstance(node.value, dict):
            self._expect("object", node, "arg_schema.arg_aliases")
            return
        for alias, target in node.members():
            if isinstance(target.value, str):
                self.annotations.aliases[alias] = target.value
            else:
                self._expect("alias", target, f"arg_schema.arg_aliases.{alias}")

    def _object(self, node: Node, field: str) -> list[tuple[str, Node]]:
        member = node.get(field)
        if member is None:
            return []
        if not isinstance(member.value, dict):
            self._expect("object", member, field)
        return list(member.members())

    def _texts(self, node: Node, field: str) -> tuple[Node, ...]:
        member = node.get(field)
        return () if member is None else self._text_list(member, field)

    def _text_list(self, node: Node, field: str) -> tuple[Node, ...]:
        if not isinstance(node.value, list | tuple):
            self._expect("strings", node, field)
            return ()
        for item in node.elements():
            if not isinstance(item.value, str):
                self._expect("item", item, field)
        return texts(node)

    def _boolean(self, node: Node, field: str) -> Any:
        member = node.get(field)
        if member is None or isinstance(member.value, bool):
            return None if member is None else member.value
        self._expect("boolean", member, field)
        return None

    def _word(self, node: Node, field: str, words: tuple[str, ...], absent: str | None = None) -> str | None:
        member = node.get(field)
        if member is None:
            return absent
        if not isinstance(member.value, str):
            self._expect("string", member, field)
            return None
        if member.value not in words:
            listed = ", ".join(f"`{word}`" for word in words)
            values = {"name": field, "value": member.value, "words": listed, "near": slip(member.value, words)}
            self.problems.append(Problem("annotation/word", member.place, values, field))
            return None
        return member.value

    def _expect(self, kind: str, node: Node, field: str) -> None:
        self.problems.append(_expected(kind, node, field))


def _expected(kind: str, node: Node, field: str) -> Problem[Place]:
    return Problem(f"annotation/{kind}", node.place, {"name": field, "got": describe(node.value)}, field)
