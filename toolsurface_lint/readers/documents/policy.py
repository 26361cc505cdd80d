"""Capability policies: which tools an agent may use, on what, up to which side effect.

Source: the Harn specification of tool surface validation; semantics 3.2 of Harn.
"""

from __future__ import annotations

from typing import Any

from toolsurface_lint.model.document import Document
from toolsurface_lint.model.policy import ArgConstraint, CapabilityPolicy
from toolsurface_lint.readers.annotations import read_annotations
from toolsurface_lint.readers.document_reader import DocumentReader
from toolsurface_lint.readers.shape import Shape, may_be
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Node, Place

FIELDS = (
    "tools",
    "capabilities",
    "workspace_roots",
    "read_only_roots",
    "side_effect_level",
    "recursion_limit",
    "tool_arg_constraints",
    "tool_annotations",
    "sandbox_profile",
    "process_sandbox",
)
_CONSTRAINT_FIELDS = ("tool", "arg_patterns", "arg_key")
_TELLING = frozenset(FIELDS) - {"tools", "capabilities"}
WRAPPERS = ("policy", "capability_policy")
POLICY_FILE = {*WRAPPERS, "approval_policy", "name", "description", "version", "$schema"}


def read_policy(node: Node) -> CapabilityPolicy:
    """The policy at a node; what is of the wrong shape is a problem, and the rest is used."""
    policy = CapabilityPolicy(node)
    shape = Shape(node)
    if not shape.is_object("policy", FIELDS):
        policy.problems = tuple(shape.problems)
        return policy
    policy.tools = shape.texts("tools")
    policy.ceiling = shape.text("side_effect_level")
    shape.texts("workspace_roots")
    shape.texts("read_only_roots")
    shape.text("sandbox_profile")
    for capability, operations in shape.members("capabilities"):
        shape.text_list(operations, f"capabilities.{capability}")
    limit = node.get("recursion_limit")
    if limit is not None and limit.value is not None and not _is_count(limit.value):
        shape.expect("count", limit, "recursion_limit")
    policy.constraints = tuple(
        constraint
        for item in shape.elements("tool_arg_constraints")
        if (constraint := _read_constraint(item, shape)) is not None
    )
    annotation_problems: list[Problem[Place]] = []
    for name, item in shape.members("tool_annotations"):
        annotations, problems = read_annotations(item)
        annotation_problems.extend(problems)
        if annotations is not None:
            policy.annotations[name] = annotations
    policy.problems = (*shape.problems, *annotation_problems)
    return policy


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _read_constraint(item: Node, shape: Shape) -> ArgConstraint | None:
    inner = Shape(item, shape.problems)
    if not inner.is_object(f"tool_arg_constraints[{item.key}]", _CONSTRAINT_FIELDS):
        return None
    tool = inner.text("tool")
    if tool is None and item.get("tool") is None:
        inner.add("missing", item.place, "tool")
    patterns = inner.texts("arg_patterns")
    key = inner.text("arg_key")
    return None if tool is None else ArgConstraint(item, tool, key, patterns)


def _policies(root: Node, document: Document) -> list[Node]:
    if _is_policy(root.value):
        return [root]
    # A run record and a persona carry policies too, as part of what happened or of a whole; they give no rule here.
    alone = set(root.value) <= POLICY_FILE
    members = (root.get(key) for key in WRAPPERS) if alone else ()
    found = [member for member in members if member is not None and _is_policy(member.value)]
    return [root] if not found and "policy" in document.kinds and may_be(root, FIELDS) else found


def _is_policy(value: Any) -> bool:
    """Whether a value has a field that only policies have, or grants `tools` by name and has no field of anything else."""
    if not isinstance(value, dict):
        return False
    if not _TELLING.isdisjoint(value):
        return True
    tools = value.get("tools")
    return isinstance(tools, list) and all(isinstance(item, str) for item in tools) and set(value) <= set(FIELDS)


def _read(policies: list[Node], document: Document) -> None:
    document.policies.extend(map(read_policy, policies))


READER = DocumentReader("policy", 50, False, _policies, _read)
