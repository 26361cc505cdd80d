"""Workflow graphs: a surface for the whole, one for each node, and the structure that runs them.

Source: semantics 3.5 of Harn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from toolsurface_lint.model.document import Document
from toolsurface_lint.model.names import slip
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.workflow import Workflow
from toolsurface_lint.readers.document_reader import DocumentReader
from toolsurface_lint.readers.documents.approval_policy import read_approval_policy
from toolsurface_lint.readers.documents.policy import read_policy
from toolsurface_lint.readers.prompts import prompts_in
from toolsurface_lint.readers.shape import describe, may_be
from toolsurface_lint.readers.tool_format import set_schema
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Node, Path, Place

_GRAPH_FIELDS = ("nodes", "edges", "entry", "act", "verify", "repair", "capability_policy", "approval_policy")
_OLD_NODES = ("act", "verify", "repair")
_NODE_MARKS = frozenset({"tools", "prompt", "system", "kind", "capability_policy", "approval_policy", "mode"})


def read_workflow(root: Node) -> Workflow:
    """The graph at a node, with its scopes and the problems of its structure."""
    from toolsurface_lint.readers.surfaces import read_native
    from toolsurface_lint.readers.tool_list import is_tool_search

    name = root.string("name") or root.string("id")
    workflow = Workflow(root, name.value if name is not None and name.value else "workflow")
    nodes = dict(sorted(_nodes(root)))
    whole = _add_scope(workflow, "workflow", root)
    tools = [read_native(item, top_level_name=True) for node in nodes.values() for item in _tool_items(node)]
    for policy in whole.policies:
        tools += [
            _annotated_tool(given.node, annotated)
            for annotated, given in policy.annotations.items()
            if annotated and not is_tool_search(annotated)
        ]
    by_name: dict[str, Tool] = {}
    for tool in tools:
        if tool is not None:
            by_name.setdefault(tool.name, tool)
    whole.tools.extend(by_name.values())
    for name_of_node, node in nodes.items():
        scope = _add_scope(workflow, f"node {name_of_node}", node)
        scope.tools = [tool for item in _tool_items(node) if (tool := read_native(item)) is not None]
        scope.prompts = list(prompts_in(node, ("system", "prompt")))
    workflow.problems.extend(_structure(root, nodes))
    return workflow


def _nodes(root: Node) -> Iterator[tuple[str, Node]]:
    nodes = root.get("nodes")
    named = ((name, root.get(name)) for name in _OLD_NODES) if nodes is None else nodes.members()
    for name, node in named:
        if node is not None and isinstance(node.value, dict):
            yield name, node


def _tool_items(node: Node) -> list[Node]:
    """A node's tools: a list of provider tools, or one object that is a tool itself (so a registry is one, without a name)."""
    tools = node.get("tools")
    items = [tools] if tools is not None and isinstance(tools.value, dict) else node.elements("tools")
    return [item for item in items if isinstance(item.value, dict)]


def _annotated_tool(annotations: Node, name: str) -> Tool:
    """The tool that an entry of `tool_annotations` means: of this name, with an object schema."""
    tool = Tool(Node(annotations.tree, annotations.path, name), "native", annotations.tree, annotations.path)
    tool.name_place = annotations.key_place
    tool.declarable = frozenset({"schema", "annotations"})
    set_schema(tool, Node(annotations.tree, annotations.path, {"type": "object"}))
    return tool


def _add_scope(workflow: Workflow, name: str, node: Node) -> Surface:
    """Add the surface of the whole or of a node, with its policies."""
    surface = Surface(workflow.name, document=True)
    surface.scope = name
    workflow.scopes.append(surface)
    policy = node.get("capability_policy")
    if policy is not None and policy.value is not None:
        surface.policies.append(read_policy(policy))
        workflow.policies.append((name, surface.policies[0]))
    approval = node.get("approval_policy")
    if approval is not None and approval.value is not None:
        surface.approvals.append(read_approval_policy(approval))
    return surface


def _structure(root: Node, nodes: dict[str, Node]) -> Iterator[Problem[Place]]:
    """What keeps the graph from running, or leaves part of it unused."""
    if not isinstance(root.value, dict):
        yield Problem("graph/object", root.place, {"got": describe(root.value)})
        return
    holder = root.get("nodes")
    if holder is not None and not isinstance(holder.value, dict):
        yield Problem("graph/nodes", holder.place, {"got": describe(holder.value)}, "nodes")
    elif holder is not None:
        for name, node in holder.members():
            if not isinstance(node.value, dict):
                yield Problem("graph/node", node.place, {"name": name, "got": describe(node.value)}, "nodes")
    entry = root.get("entry")
    start: str | None = None
    if entry is not None and entry.value is not None:
        if not isinstance(entry.value, str) or (entry.value not in nodes and entry.value != ""):
            yield _no_node("entry", entry, "entry", nodes)
        elif entry.value:
            start = entry.value
    for name, node in nodes.items():
        yield from _node_types(name, node)
    yield from _edge_types(root)
    outgoing: dict[str, list[Node]] = {name: [] for name in nodes}
    incoming: dict[str, list[Node]] = {name: [] for name in nodes}
    for edge in root.elements("edges"):
        if not isinstance(edge.value, dict):
            continue
        for end, ends in (("from", outgoing), ("to", incoming)):
            target = edge.get(end)
            if target is None or not isinstance(target.value, str):
                place = edge.place if target is None else target.place
                yield Problem("graph/no_end", place, {"end": end}, "edges")
            elif target.value not in nodes:
                yield _no_node(f"edge_{end}", target, "edges", nodes)
            else:
                ends[target.value].append(edge)
    for name, node in nodes.items():
        yield from _node_structure(name, node, outgoing[name], incoming[name])
    if start is not None:
        reachable = _reachable(start, outgoing)
        for name, node in nodes.items():
            if name not in reachable:
                yield Problem("unreachable", node.key_place, {"name": name, "entry": start})


def _no_node(kind: str, name: Node, field: str, nodes: Iterable[str]) -> Problem[Place]:
    """A name that is not one of the graph's nodes."""
    return Problem(f"graph/{kind}", name.place, {"name": name.value, "near": slip(name.value, nodes)}, field)


_NODE_FIELDS: tuple[tuple[Path, type, str], ...] = (
    (("kind",), str, "string"),
    (("system",), str, "string"),
    (("prompt",), str, "string"),
    (("input_contract",), dict, "member"),
    (("map_policy",), dict, "member"),
    (("input_contract", "min_inputs"), int, "number"),
    (("input_contract", "max_inputs"), int, "number"),
)


def _node_types(name: str, node: Node) -> Iterator[Problem[Place]]:
    """The fields of a node whose values are of another type than is read; null is absent."""
    for path, type, kind in _NODE_FIELDS:
        value = None if (member := node.find(*path)) is None else member.value
        if member is not None and value is not None and (not isinstance(value, type) or isinstance(value, bool)):
            yield Problem(
                f"graph/{kind}", member.place, {"key": path[-1], "name": name, "got": describe(value)}, "nodes"
            )


def _edge_types(root: Node) -> Iterator[Problem[Place]]:
    edges = root.get("edges")
    if edges is None or edges.value is None:
        return
    if not isinstance(edges.value, list | tuple):
        yield Problem("graph/edges", edges.place, {"got": describe(edges.value)}, "edges")
    for edge in edges.elements():
        branch = edge.get("branch")
        if not isinstance(edge.value, dict):
            yield Problem("graph/edge", edge.place, {"got": describe(edge.value)}, "edges")
        elif branch is not None and branch.value is not None and not isinstance(branch.value, str):
            kind = "graph/unquoted" if isinstance(branch.value, bool) else "graph/branch"
            yield Problem(kind, branch.place, {"got": describe(branch.value)}, "edges")


def _reachable(start: str, outgoing: dict[str, list[Node]]) -> set[str]:
    seen = {start}
    waiting = [start]
    while waiting:
        for edge in outgoing[waiting.pop()]:
            target = edge.value.get("to")
            if isinstance(target, str) and target in outgoing and target not in seen:
                seen.add(target)
                waiting.append(target)
    return seen


def _node_structure(name: str, node: Node, outgoing: list[Node], incoming: list[Node]) -> Iterator[Problem[Place]]:
    contract = ("input_contract",)
    least, most = node.find(*contract, "min_inputs"), node.find(*contract, "max_inputs")
    if least is not None and most is not None and _is_count(least) and _is_count(most) and least.value > most.value:
        yield Problem("graph/inputs", least.place, {"name": name, "least": least.value, "most": most.value})
    kind = node.string("kind")
    if kind is None:
        return
    if kind.value == "condition":
        # A branch that lacks only its quotes is reported by itself.
        said = (edge.value.get("branch") for edge in outgoing)
        branches = {describe(word) if isinstance(word, bool) else word for word in said if isinstance(word, str | bool)}
        missing = [branch for branch in ("true", "false") if branch not in branches]
        if missing:
            values = {"name": name, "branch": missing[0]}
            yield Problem("graph/condition" if len(missing) == 1 else "graph/branches", kind.place, values)
    elif kind.value == "fork" and len(outgoing) < 2:
        yield Problem("graph/fork", kind.place, {"name": name})
    elif kind.value == "join" and len(incoming) < 2:
        yield Problem("join", kind.place, {"name": name})
    elif kind.value == "map" and not any(_has(node, *path) for path in _MAPPED):
        yield Problem("graph/map", kind.place, {"name": name})
    elif kind.value == "reduce" and not _has(node, "input_contract", "input_kinds"):
        yield Problem("reduce", kind.place, {"name": name})


_MAPPED = (("map_policy", "items"), ("map_policy", "item_artifact_kind"), ("input_contract", "input_kinds"))


def _is_count(node: Node) -> bool:
    return isinstance(node.value, int) and not isinstance(node.value, bool)


def _has(node: Node, *path: str) -> bool:
    found = node.find(*path)
    return found is not None and bool(found.value)


def _has_edges(value: dict[str, Any]) -> bool:
    """Whether it has a list of edges of this kind: other programs keep those of their graphs under the same word."""
    edges = value.get("edges")
    if not isinstance(edges, list):
        return False
    return not edges or any(isinstance(edge, dict) and ("from" in edge or "to" in edge) for edge in edges)


def _recognises(root: Node, document: Document) -> bool:
    value = root.value
    if "workflow" in document.kinds:
        return may_be(root, _GRAPH_FIELDS)
    if value.get("_type") == "workflow_graph":
        return True
    nodes = value.get("nodes")
    return (
        isinstance(nodes, dict)
        and bool(nodes)
        and all(isinstance(node, dict) for node in nodes.values())
        and any(not _NODE_MARKS.isdisjoint(node) for node in nodes.values())
        # Other programs keep the edges in the nodes.
        and (_has_edges(value) or ("entry" in value and len(nodes) == 1) or "capability_policy" in value)
    )


def _read(root: Node, document: Document) -> None:
    from toolsurface_lint.readers.surfaces import read_native
    from toolsurface_lint.readers.tool_list import unread

    workflow = read_workflow(root)
    whole, *scopes = workflow.scopes
    for scope, (_, node) in zip(scopes, sorted(_nodes(root)), strict=True):
        scope.add_open_reasons(unread(item for item in _tool_items(node) if read_native(item) is None))
        whole.add_open_reasons(scope.open_reasons)
    document.workflows.append(workflow)


READER = DocumentReader("workflow", 10, True, _recognises, _read)
