"""Tools and arguments that policies name, against those that are active."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import APPROVAL_PATTERN, CONSTRAINT, check
from toolsurface_lint.model.diagnostics import UNSAFE, WARNING, Finding, Rule, renaming
from toolsurface_lint.model.names import close_names, suggestion
from toolsurface_lint.model.policy import ApprovalPattern, ArgConstraint, CapabilityPolicy
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool

APPROVAL_PATTERN_NO_MATCH = Rule(
    code="TOOL_SURFACE_APPROVAL_PATTERN_NO_MATCH",
    since="0.1.0",
    harn=9,
    severity=WARNING,
    summary="An approval policy names a tool that is not active.",
    message={
        "unknown": "the approval policy names `{pattern}` in `{where}`, which is not an active tool",
        "empty": "the approval policy has an empty name in `{where}`",
    },
    tags=("specification", "policies"),
    fix=UNSAFE,
)


@check(APPROVAL_PATTERN, APPROVAL_PATTERN_NO_MATCH)
def check_approval(pattern: ApprovalPattern, surface: Surface) -> Iterator[Finding]:
    text = str(pattern.node.value)
    if "*" in text or text in surface.active_names or surface.open:
        return
    near = surface.close_active.find(text)
    yield APPROVAL_PATTERN_NO_MATCH.at(
        pattern.node.place,
        "unknown" if text else "empty",
        field=f"approval_policy.{pattern.field}",
        pattern=text,
        where=pattern.field,
        help=suggestion(near),
        fix=renaming(pattern.node.place, text, near),
    )


UNKNOWN_TOOL = Rule(
    code="TOOL_SURFACE_UNKNOWN_ARG_CONSTRAINT_TOOL",
    since="0.1.0",
    harn=7,
    severity=WARNING,
    summary="An argument constraint is for a tool that is not active.",
    message={
        "unknown": "the argument constraint names `{name}`, which is not an active tool",
        "empty": "the argument constraint has an empty tool name",
    },
    tags=("specification", "policies"),
    fix=UNSAFE,
)

UNKNOWN_KEY = Rule(
    code="TOOL_SURFACE_UNKNOWN_ARG_CONSTRAINT_KEY",
    since="0.1.0",
    harn=8,
    severity=WARNING,
    summary="An argument constraint names an argument that the tool does not accept.",
    message={
        "unknown": "the argument constraint names `{key}`, which tool `{name}` does not accept",
        "empty": "the argument constraint of tool `{name}` has an empty argument name",
    },
    tags=("specification", "policies"),
    fix=UNSAFE,
)


_MOST = 100
"""Tools that one constraint is checked against: otherwise each `*` of a long policy would be checked against all."""


@check(CONSTRAINT, UNKNOWN_TOOL, UNKNOWN_KEY)
def check_constraint(constraint: ArgConstraint, policy: CapabilityPolicy, surface: Surface) -> Iterator[Finding]:
    pattern = str(constraint.tool.value)
    matched, count = surface.active_matching(pattern, _MOST)
    if not matched and "*" not in pattern and not surface.open:
        near = surface.close_active.find(pattern)
        yield UNKNOWN_TOOL.at(
            constraint.tool.place,
            "unknown" if pattern else "empty",
            tool=pattern,
            field="tool_arg_constraints.tool",
            help=suggestion(near),
            fix=renaming(constraint.tool.place, pattern, near),
        )
    key = constraint.arg_key
    if key is None:
        return
    name = str(key.value)
    taken = [(tool, _argument_names(tool, surface)) for tool in matched]
    # The constraint may be for several tools, and the one key must suit all of them.
    common = frozenset.intersection(*(known for _, known in taken)) if taken else frozenset()
    bound = f"only the first {_MOST} of the {count} tools that match are checked" if count > _MOST else None
    mistaken = not any(name in known for _, known in taken)
    for tool, known in taken:
        if name not in known:
            near = close_names(name, known)
            help = " ".join(filter(None, (suggestion(near), bound)))
            yield UNKNOWN_KEY.at(
                key.place,
                "unknown" if name else "empty",
                tool=tool.name,
                field=f"tool_arg_constraints.{name}",
                related=[(f"tool `{tool.name}` is declared here", tool.name_place)],
                key=name,
                help=help or None,
                fix=renaming(key.place, name, near) if mistaken and common.issuperset(near) else None,
            )


def _argument_names(tool: Tool, surface: Surface) -> frozenset[str]:
    annotations = surface.annotations(tool)
    if annotations is None:
        return frozenset(tool.known_keys)
    aliases = annotations.aliases
    return frozenset((*tool.known_keys, *annotations.path_params, *annotations.required, *aliases, *aliases.values()))
