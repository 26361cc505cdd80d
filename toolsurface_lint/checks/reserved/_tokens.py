"""Which texts are tokens of a provider's model."""

from __future__ import annotations

from functools import lru_cache

from toolsurface_lint.knowledge.reserved_tokens import FAMILIES, FLAG_DECIDES, HOSTS
from toolsurface_lint.model.target import Target
from toolsurface_lint.protocols.wire import DELIMITERS, reserves_tool_call_token

_CANONICAL = tuple(canonical for canonical, _ in DELIMITERS)


def colliding_tokens(target: Target) -> tuple[str, ...]:
    """The texts that must not stand in what is sent to a target; empty where nothing is known of it.

    Delimiters that the runtime remaps are not a collision.
    """
    if target.provider is None or target.model is None:
        return ()
    tokens = reserved_tokens(target.provider, target.model)
    if target.wire_remap and reserves_tool_call_token(target.provider, target.model):
        return tuple(token for token in tokens if token not in _CANONICAL)
    return tokens


@lru_cache(maxsize=16)
def reserved_tokens(provider: str, model: str) -> tuple[str, ...]:
    """The tokens of a provider's model. Case does not count, nor does the maker before the last slash of the model."""
    provider = provider.strip().lower()
    flagged = reserves_tool_call_token(provider, model)
    tokens = _tokens(model) if provider in HOSTS else ()
    if provider in FLAG_DECIDES and "qwen" in model.lower():
        tokens = tuple(token for token in tokens if token not in _CANONICAL)
    return (*_CANONICAL, *tokens) if flagged and _CANONICAL[0] not in tokens else tokens


def _tokens(model: str) -> tuple[str, ...]:
    """The tokens of the family whose pattern says most about a model's name."""
    name = model.strip().lower().rpartition("/")[2].replace("-", "")
    best = ""
    found: tuple[str, ...] = ()
    for family in FAMILIES:
        for pattern in family.models:
            start = pattern.rstrip("*").replace("-", "")
            covers = name.startswith(start) if pattern.endswith("*") else name.partition(":")[0] == start
            if covers and len(start) > len(best):
                best, found = start, family.tokens
    return found
