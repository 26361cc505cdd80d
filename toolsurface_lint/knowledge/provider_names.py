"""The providers and clients that any of the tables knows something of: what completion offers, and what a typo is near."""

from __future__ import annotations

from toolsurface_lint.knowledge import provider_schemas, providers, reserved_tokens

PROVIDERS: frozenset[str] = frozenset().union(
    providers.NAME_RULES,
    providers.CLIENT_PREFIXES,
    providers.RESERVED_NAMES,
    providers.RESERVED_PREFIXES,
    providers.TOOL_LIMITS,
    providers.DESCRIPTION_LIMITS,
    providers.ALIASES,
    provider_schemas.PROFILES,
    reserved_tokens.HOSTS,
    reserved_tokens.FLAG_DECIDES,
)
"""Their keys, and the other ways to write them."""
