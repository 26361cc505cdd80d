"""Tool annotations as the specification knows them, with what is wrong in them."""

from __future__ import annotations

from typing import Any

from toolsurface_lint.model.names import slip
from toolsurface_lint.model.tool import KINDS, SIDE_EFFECT_LEVELS, Annotations, Defect
from toolsurface_lint.source.tree import Node

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
_NAMES = {bool: "true or false", str: "a text", list: "a list", dict: "an object"}


def read_annotations(node: Node) -> tuple[Annotations | None, tuple[Defect, ...]]:
    """The annotations at a node and the defects in them.

    None for null, which means absent, and for anything that is no object, which is a defect. A bad value inside is a
    defect, and the rest of the object is used: the reference drops all of it, in silence.
    """
    if node.value is None:
        return None, ()
    if not isinstance(node.value, dict):
        return None, (Defect("annotation", node.place, f"annotations must be an object, not {describe(node.value)}"),)
    reading = _Reading(node)
    return reading.annotations, tuple(reading.defects)


def describe(value: Any) -> str:
    """What a value is, for a message: `a text`, `a list`, ..."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    for kind, name in _NAMES.items():
        if isinstance(value, kind):
            return name
    return "a number" if isinstance(value, int | float) else f"a {type(value).__name__}"


def texts(node: Node | None) -> tuple[Node, ...]:
    """The texts of a list, without what else stands in it."""
    return tuple(item for item in node.elements() if isinstance(item.value, str)) if node is not None else ()


class _Reading:
    """One pass over an annotations object: fills `annotations`, collects `defects`."""

    def __init__(self, node: Node) -> None:
        self.defects: list[Defect] = []
        self.annotations = annotations = Annotations(node)
        kind = self._word(node, "kind", KINDS)
        annotations.kind = kind if kind is not None else "other"
        annotations.level = self._word(node, "side_effect_level", SIDE_EFFECT_LEVELS, "none")
        annotations.emits_artifacts = self._typed(node, "emits_artifacts", bool) is True
        annotations.inline_result = self._typed(node, "inline_result", bool) is True
        annotations.result_readers = self._texts(node, "result_readers")
        self._word(node, "completion_evidence_role", _EVIDENCE_ROLES)
        for hint in HINTS:
            self._typed(node, hint, bool)
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
            self._defect(node, "arg_schema.arg_aliases", f"must be an object, not {describe(node.value)}")
            return
        for alias, target in node.members():
            if isinstance(target.value, str):
                self.annotations.aliases[alias] = target.value
            else:
                self._defect(target, f"arg_schema.arg_aliases.{alias}", "must name the canonical argument")

    def _object(self, node: Node, field: str) -> list[tuple[str, Node]]:
        member = node.get(field)
        if member is None:
            return []
        if not isinstance(member.value, dict):
            self._defect(member, field, f"must be an object, not {describe(member.value)}")
        return list(member.members())

    def _texts(self, node: Node, field: str) -> tuple[Node, ...]:
        member = node.get(field)
        return () if member is None else self._text_list(member, field)

    def _text_list(self, node: Node, field: str) -> tuple[Node, ...]:
        if not isinstance(node.value, list | tuple):
            self._defect(node, field, f"must be a list of texts, not {describe(node.value)}")
            return ()
        for item in node.elements():
            if not isinstance(item.value, str):
                self._defect(item, field, f"must hold texts, not {describe(item.value)}")
        return texts(node)

    def _typed(self, node: Node, field: str, kind: type) -> Any:
        member = node.get(field)
        if member is None or isinstance(member.value, kind):
            return None if member is None else member.value
        self._defect(member, field, f"must be {_NAMES[kind]}, not {describe(member.value)}")
        return None

    def _word(self, node: Node, field: str, words: tuple[str, ...], absent: str | None = None) -> str | None:
        member = node.get(field)
        if member is None:
            return absent
        if not isinstance(member.value, str):
            self._defect(member, field, f"must be a text, not {describe(member.value)}")
            return None
        if member.value not in words:
            help, meant = slip(member.value, words)
            help = help or "one of " + ", ".join(f"`{word}`" for word in words)
            message = f"`{member.value}` is no `{field}`"
            self.defects.append(Defect("annotation", member.place, message, field, help, meant))
            return None
        return member.value

    def _defect(self, node: Node, field: str, message: str) -> None:
        self.defects.append(Defect("annotation", node.place, f"`{field}` {message}", field))
