"""Approval policies: which calls are approved, refused or asked about; as three lists, as rules, or both.

Source: semantics 3.3 of Harn.
"""

from __future__ import annotations

from typing import Any

from toolsurface_lint.model.document import Document
from toolsurface_lint.model.names import slip
from toolsurface_lint.model.policy import ApprovalPolicy, ApprovalRule
from toolsurface_lint.readers.document_reader import DocumentReader
from toolsurface_lint.readers.documents.policy import POLICY_FILE
from toolsurface_lint.readers.shape import Shape, may_be
from toolsurface_lint.source.tree import Node

FIELDS = ("auto_approve", "auto_deny", "require_approval", "write_path_allowlist", "rules")
_TELLING = frozenset(FIELDS) - {"rules"}

_ACTIONS = {
    "allow": "approve",
    "approve": "approve",
    "auto_approve": "approve",
    "ask": "ask",
    "approval": "ask",
    "require_approval": "ask",
    "requires_approval": "ask",
    "deny": "deny",
    "block": "deny",
    "auto_deny": "deny",
}
_SHORTHANDS = {"allow": "approve", "ask": "ask", "require_approval": "ask", "deny": "deny"}
_MATCHERS = ("match", "matches", "when")
_TOOL_FIELDS = ("tool", "tools")
_MATCHER_FIELDS = (
    *_TOOL_FIELDS,
    "tool_kind",
    "side_effect",
    "path",
    "command",
    "command_identity",
    "url",
    "domain",
    "http_method",
    "mcp_server",
    "mcp_tool",
    "agent",
    "persona",
    "mode",
    "env_mode",
    "capability",
    "repeat_count_at_least",
)
_RULE_FIELDS = ("id", "name", "reason", "source", "approval", "action", *_MATCHERS, *_SHORTHANDS)


def read_approval_policy(node: Node) -> ApprovalPolicy:
    """The approval policy at a node; what is of the wrong shape is a problem, and the rest is used."""
    policy = ApprovalPolicy(node)
    shape = Shape(node)
    if shape.is_object("approval_policy", FIELDS):
        policy.auto_approve = shape.texts("auto_approve")
        policy.auto_deny = shape.texts("auto_deny")
        policy.require_approval = shape.texts("require_approval")
        shape.texts("write_path_allowlist")
        policy.rules = tuple(_read_rule(item, index, shape) for index, item in enumerate(shape.elements("rules")))
    policy.problems = tuple(shape.problems)
    return policy


def _read_rule(item: Node, index: int, shape: Shape) -> ApprovalRule:
    field = f"rules[{index}]"
    if not isinstance(item.value, dict):
        shape.expect("object", item, field)
        return ApprovalRule(item, index, None, (), False)
    shape.unknown_fields(item, field, (*_RULE_FIELDS, *_MATCHER_FIELDS))
    shorthands = [key for key in _SHORTHANDS if key in item.value]
    matchers = [key for key in _MATCHERS if key in item.value]
    strays = [key for key in _MATCHER_FIELDS if key in item.value]
    action = item.get("action")
    matcher: Node | None = None
    decided: str | None = None
    if shorthands:
        matcher = item.get(shorthands[0])
        decided = _SHORTHANDS[shorthands[0]]
        mixed = [*shorthands[1:], *(["action"] if action is not None else []), *matchers, *strays]
        if mixed:
            other = item.get(mixed[0]) or item
            shape.add("mixed", other.key_place, field, one=shorthands[0], other=mixed[0])
    elif action is None:
        shape.add("no_action", item.place, field)
        matcher = item.get(matchers[0]) if matchers else None
    else:
        decided = _ACTIONS.get(action.value) if isinstance(action.value, str) else None
        if decided is None:
            shape.add("action", action.place, f"{field}.action", near=slip(action.value, _ACTIONS))
        if strays:
            stray = item.get(strays[0]) or item
            shape.add("stray", stray.key_place, field, key=strays[0])
        matcher = item.get(matchers[0]) if matchers else None
        if matcher is None and not strays:
            shape.add("no_match", item.place, field)
    tools, only_tools = _matched_tools(matcher, field, shape)
    return ApprovalRule(item, index, decided, tools, only_tools)


def _matched_tools(matcher: Node | None, field: str, shape: Shape) -> tuple[tuple[Node, ...], bool]:
    """The tool globs of a matcher, and whether it asks for nothing else."""
    if matcher is None:
        return (), False
    value: Any = matcher.value
    if value is True:
        return (), True
    if isinstance(value, str | list | tuple):
        return _globs(matcher, f"{field}.tool", shape), True
    if not isinstance(value, dict):
        shape.expect("matcher", matcher, field)
        return (), False
    shape.unknown_fields(matcher, field, _MATCHER_FIELDS)
    members = [member for key in _TOOL_FIELDS if (member := matcher.get(key)) is not None]
    tools = [tool for member in members for tool in _globs(member, f"{field}.{member.key}", shape)]
    return tuple(tools), set(value) <= set(_TOOL_FIELDS)


def _globs(node: Node, field: str, shape: Shape) -> tuple[Node, ...]:
    """One glob, or a list of them."""
    if isinstance(node.value, str):
        return (node,)
    if isinstance(node.value, list | tuple):
        return shape.text_list(node, field)
    shape.expect("string_or_strings", node, field)
    return ()


def _is_rule(value: Any) -> bool:
    return isinstance(value, dict) and (
        any(key in value for key in _SHORTHANDS)
        or (
            isinstance(value.get("action"), str)
            and value["action"] in _ACTIONS
            and any(key in value for key in _MATCHERS)
        )
    )


def _fits(node: Node) -> bool:
    if any(isinstance(node.value.get(field), list) for field in _TELLING):
        return True
    rules = node.get("rules")
    if rules is not None and set(node.value) <= {*FIELDS, "version", "name", "description"}:
        return any(_is_rule(rule.value) for rule in rules.elements())
    return not _TELLING.isdisjoint(node.value) and set(node.value) <= set(FIELDS)


def _policy(root: Node, document: Document) -> Node | None:
    if _fits(root):
        return root
    wrapped = root.get("approval_policy")
    if wrapped is not None and isinstance(wrapped.value, dict) and set(root.value) <= POLICY_FILE:
        return wrapped
    return root if "approval-policy" in document.kinds and may_be(root, FIELDS) else None


def _read(policy: Node, document: Document) -> None:
    document.approvals.append(read_approval_policy(policy))


READER = DocumentReader("approval-policy", 60, False, _policy, _read)
