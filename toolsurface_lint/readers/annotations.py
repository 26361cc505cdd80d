"""Tool annotations as the Harn specification knows them, with what is wrong in them."""

from __future__ import annotations

from toolsurface_lint.knowledge import words
from toolsurface_lint.model.effects import MCP_HINTS
from toolsurface_lint.model.tool import KINDS, SIDE_EFFECT_LEVELS, Annotations
from toolsurface_lint.readers.shape import Shape
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Node, Place

SPECIFIED = words(
    "kind side_effect_level arg_schema capabilities emits_artifacts result_readers inline_result "
    "completion_evidence_role"
)
"""The fields that make an object the Harn specification's annotations rather than a set of MCP hints."""

_EVIDENCE_ROLES = ("observation", "mutation", "verification")


def read_annotations(node: Node) -> tuple[Annotations | None, tuple[Problem[Place], ...]]:
    """The annotations at a node and the problems in them, of the kinds `annotation/...`.

    None for null, which means absent, and for anything else than an object, which is a problem. A bad value inside is a
    problem, and the rest of the object is used: Harn silently drops all of it.
    """
    if node.value is None:
        return None, ()
    shape = Shape(node, kind="annotation", null_is_absent=False)
    if not isinstance(node.value, dict):
        shape.expect("object", node, "annotations")
        return None, tuple(shape.problems)
    annotations = Annotations(node)
    kind = shape.word("kind", KINDS)
    annotations.kind = "other" if kind is None else kind
    level = shape.word("side_effect_level", SIDE_EFFECT_LEVELS)
    annotations.level = level if "side_effect_level" in node.value else "none"
    annotations.emits_artifacts = shape.boolean("emits_artifacts")
    annotations.inline_result = shape.boolean("inline_result")
    annotations.result_readers = shape.texts("result_readers")
    shape.word("completion_evidence_role", _EVIDENCE_ROLES)
    for hint in sorted(MCP_HINTS):
        shape.boolean(hint)
    for capability, operations in shape.members("capabilities"):
        shape.text_list(operations, f"capabilities.{capability}")
    for field, member in shape.members("arg_schema"):
        if field == "arg_aliases":
            annotations.aliases = _aliases(shape, member)
        elif field in ("path_params", "required", "dependency_key_params"):
            values = tuple(str(text.value) for text in shape.text_list(member, f"arg_schema.{field}"))
            if field == "path_params":
                annotations.path_params = values
            elif field == "required":
                annotations.required = values
    return annotations, tuple(shape.problems)


def _aliases(shape: Shape, node: Node) -> dict[str, str]:
    if not isinstance(node.value, dict):
        shape.expect("object", node, "arg_schema.arg_aliases")
    for alias, target in node.members():
        if not isinstance(target.value, str):
            shape.expect("alias", target, f"arg_schema.arg_aliases.{alias}")
    return {alias: target.value for alias, target in node.members() if isinstance(target.value, str)}
