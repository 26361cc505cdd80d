"""What definitions are written for: the provider and the model that the user named."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

MANY_TOOLS = 50


class Dispatcher(NamedTuple):
    """A tool whose arguments name another tool and its arguments: the keys under which they do."""

    tool: str
    name: str
    arguments: str
    server: str | None = None


class Target(NamedTuple):
    """The provider and model that settings or flags name for a file, each None if nothing does."""

    provider: str | None = None
    model: str | None = None
    wire_remap: bool = False
    """Whether the runtime swaps the canonical delimiters for models that reserve them."""
    many_tools: int = MANY_TOOLS
    """The number of tools offered at once that is worth a remark when it is passed."""
    context_budget: int | None = None
    """The estimated tokens that the tools offered at once may take; None if not configured."""
    protocol: str | None = None
    """The response protocol by which the model calls tools in its text; None if it does not, or nobody has said."""
    done_sentinel: str | None = None
    """What ends a run; empty if there is no such thing, None if not configured."""
    dispatchers: tuple[Dispatcher, ...] = ()
    """The tools whose arguments name another tool."""
    builtin_tools: Mapping[str, frozenset[str]] = MappingProxyType({})
    """Tools that clients have beyond the catalogue of them, by client."""
    client_versions: Mapping[str, tuple[int, ...]] = MappingProxyType({})
    """The versions of clients that are used, by client; the newest of any other."""
    template_variables: tuple[str, ...] | None = None
    """The variables that the runtime binds in templates; None if not configured."""
