"""What the settings say about a file: which surface it is part of, as what, and what its tools are sent to."""

from __future__ import annotations

from toolsurface_lint.knowledge.provider_names import providers_of
from toolsurface_lint.model.target import MANY_TOOLS, Target
from toolsurface_lint.project.discovery.globs import matches
from toolsurface_lint.project.discovery.names import TEXT_LANGUAGES
from toolsurface_lint.project.settings import ROLES, Settings, SurfaceSettings
from toolsurface_lint.source.languages import PROGRAMS

_KIND_OF_ROLE = {
    "policy": "policy",
    "approval_policy": "approval-policy",
    "prompts": "prompt",
    "templates": "template",
}


def kind_of(role: str, language: str | None) -> str | None:
    """The kind that a file is because of its role in a surface; None if only its content says that."""
    # A transcript that is plain text is one response.
    if role == "transcripts" and language in TEXT_LANGUAGES:
        return "response"
    # A program among the prompts holds prompts, but is not one.
    return None if role == "prompts" and language in PROGRAMS else _KIND_OF_ROLE.get(role)


def role_of(relative: str, settings: Settings) -> tuple[SurfaceSettings, str] | None:
    """The first configured surface that a path belongs to, and as what."""
    for surface in settings.surfaces:
        for role in ROLES:
            if any(matches(glob, relative) for glob in getattr(surface, role)):
                return surface, role
    return None


def surfaces_of(path: str, settings: Settings) -> frozenset[str]:
    """The names of the configured surfaces that a file belongs to."""
    if not settings.surfaces:
        return frozenset()
    relative = settings.relative(path)
    return frozenset(
        surface.name for surface in settings.surfaces if any(matches(glob, relative) for glob in surface.globs)
    )


def is_final(relative: str, settings: Settings) -> bool:
    """Whether the settings say that a response in a file ends its conversation."""
    role = role_of(relative, settings)
    globs = (settings if role is None else role[0]).final_responses
    return any(matches(glob, relative) for glob in globs or ())


def target_of(settings: Settings, surface: SurfaceSettings | None) -> Target:
    """What the settings of a surface, or else the settings at large, say about the model that it is for."""
    own = settings if surface is None else surface
    return Target(
        providers_of(own.provider or (), settings.client_versions),
        own.model,
        surface is not None and bool(surface.wire_remap),
        own.many_tools or MANY_TOOLS,
        own.context_budget,
        own.protocol,
        own.done_sentinel,
        () if surface is None else surface.dispatchers,
        own.call_rules or (),
        settings.builtin_tools,
        settings.client_versions,
        own.template_variables,
    )
