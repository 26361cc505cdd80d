"""What was recognised: the surfaces of a project as plain data, as `surface --output json` writes them."""

from __future__ import annotations

from typing import Any

from toolsurface_lint.engine import Resolver
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tokens import estimated_tokens
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.project import Project
from toolsurface_lint.source.tree import Place


def describe_surfaces(project: Project) -> dict[str, Any]:
    """Version 1 of the description: every surface with its tools, policies, prompts and references, and what was skipped."""
    resolver = Resolver()
    surfaces = [*project.surfaces, *(scope for workflow in project.workflows for scope in workflow.scopes)]
    return {
        "version": 1,
        "surfaces": [_surface(surface, resolver) for surface in surfaces],
        "skipped": [{"path": skipped.path, "reason": skipped.reason} for skipped in sorted(project.skipped)],
    }


def _surface(surface: Surface, resolver: Resolver) -> dict[str, Any]:
    policies = [
        *({"path": policy.origin, "kind": "capability"} for policy in surface.policies),
        *({"path": approval.origin, "kind": "approval"} for approval in surface.approvals),
        *({"path": permissions.origin, "kind": "permissions"} for permissions in surface.permissions),
    ]
    name = surface.name if surface.scope in (None, "workflow") else f"{surface.name}: {surface.scope}"
    return {
        "name": name,
        "open": surface.open,
        "open_reasons": list(surface.open_reasons),
        "tools": [_tool(tool, surface, resolver) for tool in surface.tools],
        "policies": policies,
        "prompts": [{"path": path} for path in dict.fromkeys(prompt.origin for prompt in surface.prompts)],
        "templates": [{"path": path} for path in dict.fromkeys(entry.origin for entry in surface.templates)],
        "transcripts": [{"path": path} for path in dict.fromkeys(entry.path for entry in surface.transcripts)],
        "references": _references(surface, resolver),
    }


def _tool(tool: Tool, surface: Surface, resolver: Resolver) -> dict[str, Any]:
    annotations = surface.annotations(tool)
    return {
        "name": tool.text,
        "description": None if tool.description is None else tool.description.value,
        **_where(tool.name_place, resolver),
        "format": tool.format,
        "active": tool.text in surface.active_names and not tool.optional,
        "deferred": tool.deferred,
        "kind": None if annotations is None else annotations.kind,
        "side_effect_level": None if annotations is None else annotations.level,
        "parameters": [
            {"name": parameter.name, "required": parameter.required, "type": parameter.type}
            for parameter in tool.parameters
        ],
        "estimated_tokens": estimated_tokens(tool),
    }


def _where(place: Place, resolver: Resolver) -> dict[str, Any]:
    location = resolver.location(place)
    if location is None:
        return {"path": None, "line": None, "column": None}
    start = location.range.start
    return {"path": location.path, "line": start.line, "column": start.column}


def _references(surface: Surface, resolver: Resolver) -> list[dict[str, Any]]:
    found = []
    for prompt in surface.prompts:
        prompt.refine()
        for reference in prompt.uses(surface.vocabulary):
            place = prompt.place(reference.start, reference.end)
            declared = reference.name in surface.by_name
            found.append({"name": reference.name, **_where(place, resolver), "declared": declared})
    return found
