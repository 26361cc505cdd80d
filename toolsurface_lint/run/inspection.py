"""What was recognised: the surfaces of a project as plain data, as `surface --output json` writes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from toolsurface_lint.model.decisions import (
    ABOVE_CEILING,
    ALLOWED,
    APPROVED,
    OUTSIDE,
    Decision,
    approval_outcome,
    decide_approval,
    decide_permission,
    decide_policy,
    policy_outcome,
)
from toolsurface_lint.model.diagnostics import TranscriptSummary
from toolsurface_lint.model.patterns import NameIndex, wildcard_match
from toolsurface_lint.model.permission import PermissionFile
from toolsurface_lint.model.policy import ApprovalPolicy, CapabilityPolicy
from toolsurface_lint.model.prompt import USE, Prompt
from toolsurface_lint.model.secrets import shows_secret
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Annotations, Tool
from toolsurface_lint.model.transcript import called_tools
from toolsurface_lint.project.project import Project
from toolsurface_lint.run.reporting import Resolver
from toolsurface_lint.source.excerpts import excerpt
from toolsurface_lint.source.tree import Node, Place


def describe_surfaces(project: Project, transcripts: Sequence[TranscriptSummary] = ()) -> dict[str, Any]:
    """Version 1 of the description: every surface with its tools, policies, prompts and references, and what was skipped.

    `transcripts` is what was counted in the project's transcripts; what they hold of the others is null.
    """
    permissions = [
        file
        for document in project.documents
        for file in document.permissions
        if file.asks_for_servers and not file.closed
    ]
    counted = {summary.path: summary for summary in transcripts}
    described = []
    for surface in project.scopes:
        described.append(_Description(surface, counted, permissions).surface())
        project.release(surface)
    return {
        "version": 1,
        "surfaces": described,
        "skipped": [skipped.to_dict() for skipped in sorted(project.skipped)],
    }


class _Description:
    """One surface, described: what several of its parts ask for is found once."""

    def __init__(
        self, surface: Surface, counted: dict[str, TranscriptSummary], permissions: Sequence[PermissionFile] = ()
    ) -> None:
        self._surface = surface
        self._of_servers = permissions
        """The settings of clients that speak of the tools of servers, which may be these."""
        resolver = Resolver()
        self._where = partial(_where, resolver=resolver)
        self._declared = list(surface.by_name)
        self._names = NameIndex(self._declared)
        self._mentions = list(_mentions(surface, resolver))
        self._by_name: dict[str, list[dict[str, Any]]] = {}
        for mention in self._mentions:
            shown = {key: value for key, value in mention.items() if key not in ("name", "declared")}
            self._by_name.setdefault(mention["name"], []).append(shown)
        paths = dict.fromkeys(transcript.path for transcript in surface.transcripts)
        self._transcripts = {path: counted.get(path) for path in paths}
        self._calls: dict[str, list[int]] = {}
        for summary in self._transcripts.values():
            for name, (calls, failures) in ({} if summary is None else summary.tools).items():
                for tool in {tool.name for tool in called_tools(name, surface.by_name)}:
                    counts = self._calls.setdefault(tool, [0, 0])
                    counts[0] += calls
                    counts[1] += failures

    def surface(self) -> dict[str, Any]:
        surface = self._surface
        return {
            "name": surface.name if surface.scope in (None, "workflow") else f"{surface.name}: {surface.scope}",
            "open": surface.open,
            "open_reasons": [str(reason) for reason in surface.open_reasons],
            "agents": self._agents(),
            "tools": [self._tool(tool) for tool in surface.tools],
            "policies": [
                *map(self._policy, surface.policies),
                *map(self._approval, surface.approvals),
                *map(self._permissions, surface.permissions),
            ],
            "prompts": self._places(surface.prompts),
            "templates": [{"path": path} for path in dict.fromkeys(entry.origin for entry in surface.templates)],
            "transcripts": [_transcript(path, summary) for path, summary in self._transcripts.items()],
            "references": [
                {key: mention[key] for key in ("name", "path", "line", "column", "declared", "excerpt")}
                for mention in self._mentions
                if mention["stance"] == USE
            ],
            "files": list(surface.files),
            "scope": surface.scope,
        }

    def _agents(self) -> list[dict[str, Any]]:
        """The agents that it is of, or that are made in its files."""
        told: dict[str, list[Prompt]] = {}
        for prompt in self._surface.prompts:
            for key in prompt.told_to:
                told.setdefault(key, []).append(prompt)
        return [
            {
                "name": agent.name or None,
                "made_by": agent.made_by,
                **self._where(agent.place),
                "tools": [tool.name for tool in agent.tools],
                "ready_made": sorted(agent.ready_made),
                "hands_over_to": agent.handoffs,
                "prompts": self._places(told.get(agent.key, ())),
                "open_reasons": [str(reason) for reason in agent.open_reasons],
            }
            for agent in self._surface.agents or self._surface.others
        ]

    def _places(self, prompts: Iterable[Prompt]) -> list[dict[str, Any]]:
        """Where prompts begin; a file with several of them is there several times."""
        places = (self._where(prompt.place(0, 0)) for prompt in prompts)
        return list({tuple(place.values()): place for place in places}.values())

    def _tool(self, tool: Tool) -> dict[str, Any]:
        surface = self._surface
        annotations = surface.annotations(tool)
        policies = [decide_policy(policy, tool, surface) for policy in surface.policies]
        approvals = [decide_approval(approval, tool.name) for approval in surface.approvals]
        permissions = [decide_permission(file, tool.name) for file in surface.permissions]
        if surface.servers is not None:
            for file in self._of_servers:
                permissions += [decide_permission(file, name) for name in surface.servers.names_at(file.origin, tool)]
        approvals.extend(decision for decision in permissions if decision is not None)
        policy, approval = policy_outcome(policies), approval_outcome(approvals)
        calls, failures = self._calls.get(tool.name, (0, 0))
        followed = any(summary is not None for summary in self._transcripts.values())
        return {
            "name": tool.name,
            "description": None if tool.description is None else tool.description.value,
            **self._where(tool.name_place),
            "format": tool.format,
            "active": tool.name in surface.active_names and not tool.optional,
            "deferred": tool.deferred,
            "kind": None if annotations is None else annotations.kind,
            "side_effect_level": None if annotations is None else annotations.level,
            "parameters": [
                {
                    "name": parameter.name,
                    "required": parameter.required,
                    "type": parameter.type,
                    "description": tool.description_of(parameter.name),
                }
                for parameter in tool.parameters
            ],
            "estimated_tokens": tool.estimated_tokens,
            "outcome": _outcome(policy, approval),
            "policy": None if policy is None else self._decided(policy, policies),
            "approval": None if approval is None else self._decided(approval, approvals),
            "references": self._by_name.get(tool.name, []),
            "results": None if annotations is None else self._results(tool, annotations),
            "calls": {"calls": calls, "failures": failures} if followed else None,
        }

    def _decided(self, outcome: str, decisions: Iterable[Decision]) -> dict[str, Any]:
        return {
            "outcome": outcome,
            "decisions": [
                {
                    **{key: getattr(decision, key) for key in ("outcome", "field", "pattern", "ceiling")},
                    **self._where(decision.place),
                }
                for decision in decisions
            ],
        }

    def _results(self, tool: Tool, annotations: Annotations) -> dict[str, Any] | None:
        """What becomes of what a tool emits; None for a tool that says nothing of it.

        `readers` are those that it declares; where none of them is active, those that can read it all the same.
        """
        if not (annotations.emits_artifacts or annotations.inline_result or annotations.result_readers):
            return None
        surface = self._surface
        active = surface.active_names
        readers = [
            {"name": str(reader.value), "declared": True, "active": reader.value in active, **self._where(reader.place)}
            for reader in annotations.result_readers
        ]
        if annotations.emits_artifacts and not any(reader["active"] for reader in readers):
            readers.extend(
                {"name": other.name, "declared": False, "active": True, **self._where(other.name_place)}
                for other in surface.active
                if other is not tool and surface.reads(other)
            )
        return {
            "emits_artifacts": annotations.emits_artifacts,
            "inline": annotations.inline_result,
            "readers": readers,
        }

    def _policy(self, policy: CapabilityPolicy) -> dict[str, Any]:
        entries = [self._glob(node, "tools") for node in policy.tools]
        for constraint in policy.constraints:
            entry = self._glob(constraint.tool, "tool_arg_constraints")
            entry["argument"] = None if constraint.arg_key is None else str(constraint.arg_key.value)
            entry["argument_patterns"] = [str(pattern.value) for pattern in constraint.arg_patterns]
            entries.append(entry)
        ceiling = policy.ceiling
        return {
            **self._holder(policy.node),
            "kind": "capability",
            "ceiling": None if ceiling is None else {"level": str(ceiling.value), **self._where(ceiling.place)},
            "entries": entries,
        }

    def _approval(self, approval: ApprovalPolicy) -> dict[str, Any]:
        entries = [self._glob(pattern.node, pattern.field) for pattern in approval.patterns()]
        actions = {f"rules[{rule.position}].tool": rule.action for rule in approval.rules}
        for entry in entries:
            if entry["field"] in actions:
                entry["action"] = actions[entry["field"]]
        return {**self._holder(approval.node), "kind": "approval", "entries": entries}

    def _permissions(self, permissions: PermissionFile) -> dict[str, Any]:
        return {
            **self._holder(permissions.node),
            "kind": "permissions",
            "entries": [
                {**self._entry(rule.text, rule.field, rule.place, self._covered(rule.tool)), "action": rule.action}
                for rule in permissions.rules
            ],
        }

    def _holder(self, node: Node) -> dict[str, Any]:
        """The file that a policy is, or where in a file it begins."""
        return self._where(node.place) if node.path else {"path": node.tree.origin, "line": None, "column": None}

    def _entry(self, pattern: str, field: str, place: Place, tools: list[str]) -> dict[str, Any]:
        return {"pattern": pattern, "field": field, **self._where(place), "tools": tools}

    def _glob(self, node: Node, field: str) -> dict[str, Any]:
        """The entry of a pattern of a capability or approval policy."""
        pattern = str(node.value)
        return self._entry(pattern, field, node.place, self._matched(pattern))

    def _matched(self, pattern: str) -> list[str]:
        """The names of the declared tools that a pattern of a policy matches."""
        positions, _ = self._names.matched(pattern, len(self._declared))
        return [self._declared[position] for position in positions]

    def _covered(self, pattern: str) -> list[str]:
        """The same for a permission, in which `*` may be anywhere: those with one inside are tried on each name."""
        if "*" not in pattern[1:-1] and pattern.count("*") < 2:
            return self._matched(pattern)
        return [name for name in self._declared if wildcard_match(pattern, name)]


def _outcome(policy: str | None, approval: str | None) -> str | None:
    """What comes of both for one tool: what the capability policy refuses, nothing approves; None without any policy."""
    if policy in (OUTSIDE, ABOVE_CEILING):
        return policy
    if approval in (None, APPROVED):
        return ALLOWED if policy or approval else None
    return approval


def _transcript(path: str, summary: TranscriptSummary | None) -> dict[str, Any]:
    counted = (None,) * 5 if summary is None else summary[1:6]
    names = ("conversations", "clean", "turns", "calls", "results")
    return {"path": path, **dict(zip(names, counted, strict=True))}


def _where(place: Place, resolver: Resolver) -> dict[str, Any]:
    location = resolver.location(place)
    if location is None:
        return {"path": None, "line": None, "column": None}
    start = location.range.start
    return {"path": location.path, "line": start.line, "column": start.column}


def _mentions(surface: Surface, resolver: Resolver) -> Iterator[dict[str, Any]]:
    """The places of prompts and templates that name tools, each once, with what they say about the tool and their line."""
    templates = (prompt for template in surface.templates for prompt in template.prompts)
    seen: set[tuple[Any, ...]] = set()
    prompts: Iterable[Prompt] = (*surface.prompts, *templates)
    for prompt in prompts:
        for reference in prompt.named(surface.vocabulary):
            if not surface.may_speak_of(reference, prompt):
                continue
            place = prompt.place(reference.start, reference.end)
            where = _where(place, resolver)
            # A template renders to several texts, which share most of their lines.
            key = (reference.name, *where.values())
            if key in seen and where["path"] is not None:
                continue
            seen.add(key)
            span, source = place.span(), place.source
            shown = None
            if span is not None and source is not None and not shows_secret(source, span):
                shown = excerpt(source, span)._asdict()
            yield {
                "name": reference.name,
                **where,
                "declared": reference.name in surface.by_name,
                "stance": reference.stance,
                "excerpt": shown,
            }
