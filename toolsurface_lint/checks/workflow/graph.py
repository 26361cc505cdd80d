"""The structure of a workflow graph, and its policies against the ceiling that it runs under."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import WORKFLOW, check
from toolsurface_lint.model.diagnostics import ERROR, UNSAFE, WARNING, Finding, Rule
from toolsurface_lint.model.policy import CapabilityPolicy
from toolsurface_lint.model.workflow import Workflow
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Node, Place

INVALID_GRAPH = Rule(
    code="WORKFLOW_INVALID_GRAPH",
    since="0.1.0",
    severity=ERROR,
    summary="A workflow graph cannot run as it is drawn.",
    message={
        "graph/branch": "`branch` of an edge must be a string, not {got}",
        "graph/branches": "condition node `{name}` has no `true` and no `false` edge",
        "graph/condition": "condition node `{name}` has no `{branch}` edge",
        "graph/edge": "an edge must be an object, not {got}",
        "graph/edge_from": "an edge leads from `{name}`, which is not a node",
        "graph/edge_to": "an edge leads to `{name}`, which is not a node",
        "graph/edges": "`edges` must be a list, not {got}",
        "graph/entry": "the entry `{name}` is not a node of the graph",
        "graph/fork": "fork node `{name}` has fewer than two outgoing edges",
        "graph/inputs": "node `{name}` needs at least {least} inputs and accepts at most {most}",
        "graph/map": "map node `{name}` has nothing to map over",
        "graph/member": "`{key}` of node `{name}` must be an object, not {got}",
        "graph/no_end": "an edge needs the name of a node as `{end}`",
        "graph/node": "node `{name}` must be an object, not {got}",
        "graph/nodes": "`nodes` must be an object, not {got}",
        "graph/number": "`{key}` of node `{name}` must be a whole number, not {got}",
        "graph/object": "a workflow graph must be an object, not {got}",
        "graph/string": "`{key}` of node `{name}` must be a string, not {got}",
        "graph/unquoted": "`branch` of an edge must be a string, not {got}",
    },
    help={"graph/unquoted": 'write "{got}", in quotes'},
    tags=("workflows",),
    fix=UNSAFE,
)

UNREACHABLE_NODE = Rule(
    code="WORKFLOW_UNREACHABLE_NODE",
    since="0.1.0",
    severity=WARNING,
    summary="A node of a workflow graph is never reached, or lacks what its kind expects.",
    message={
        "join": "join node `{name}` has fewer than two incoming edges",
        "reduce": "reduce node `{name}` names no input kinds",
        "unreachable": "node `{name}` cannot be reached from the entry `{entry}`",
    },
    tags=("workflows",),
)

CEILING_EXCEEDED = Rule(
    code="WORKFLOW_CEILING_EXCEEDED",
    since="0.1.0",
    severity=ERROR,
    summary="A workflow's policy requires more than the ceiling that it runs under.",
    message={
        "tool": "the policy of {owner} requires the tool `{name}`, beyond the ceiling",
        "capability": "the policy of {owner} requires the capability `{name}`, beyond the ceiling",
        "operation": "the policy of {owner} requires `{name}` of the capability `{capability}`, beyond the ceiling",
    },
    tags=("workflows", "policies"),
)


@check(WORKFLOW, INVALID_GRAPH, UNREACHABLE_NODE, CEILING_EXCEEDED)
def check_workflow(workflow: Workflow, ceiling: CapabilityPolicy | None) -> Iterator[Finding]:
    for rule in (INVALID_GRAPH, UNREACHABLE_NODE):
        for problem in workflow.problems:
            if problem.kind in rule.message:
                yield rule.of(problem)
    if ceiling is None:
        return
    for scope, policy in workflow.policies:
        for problem in _excess(policy, ceiling):
            owner = "the workflow" if scope == "workflow" else f"node `{scope.removeprefix('node ')}`"
            yield CEILING_EXCEEDED.of(problem, field="capability_policy", owner=owner)


def _excess(policy: CapabilityPolicy, ceiling: CapabilityPolicy) -> Iterator[Problem[Place]]:
    allowed = {tool.value for tool in ceiling.tools}
    for tool in policy.tools:
        if allowed and tool.value not in allowed:
            yield Problem("tool", tool.place, {"name": tool.value})
    granted = _capabilities(ceiling.node)
    if not granted:
        return
    for capability, operations in _capabilities(policy.node).items():
        if capability not in granted:
            yield Problem("capability", operations.key_place, {"name": capability})
            continue
        known = {operation.value for operation in granted[capability].elements()}
        for operation in operations.elements():
            if operation.value not in known:
                values = {"name": operation.value, "capability": capability}
                yield Problem("operation", operation.place, values)


def _capabilities(node: Node) -> dict[str, Node]:
    capabilities = node.get("capabilities")
    return {} if capabilities is None else dict(capabilities.members())
