"""What definitions are written for: the providers and the model that the user named."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from toolsurface_lint.knowledge.provider_names import PORTABLE, SPECIAL, TITLES, Provider
from toolsurface_lint.model.tool import shape_of

MANY_TOOLS = 50


class Dispatcher(NamedTuple):
    """A tool whose arguments name another tool and its arguments: the keys under which they do."""

    tool: str
    name: str
    arguments: str
    server: str | None = None


class FailureValue(NamedTuple):
    """A value in the JSON of a result that means failure: where a JSON pointer leads, and what is there."""

    pointer: str
    value: str | int | float | bool


class CallRule(NamedTuple):
    """What the settings say of the calls of one tool: which tools must have succeeded before, and which results are failures.

    A text of `failure_when` is a pattern for the whole text of a result, in which `*` stands for any text.
    """

    tool: str
    requires: tuple[str, ...] = ()
    failure_when: tuple[str | FailureValue, ...] = ()


class Target(NamedTuple):
    """The providers and the model that settings or flags name for a file; none, and None, if nothing does."""

    providers: tuple[Provider, ...] = ()
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
    call_rules: tuple[CallRule, ...] = ()
    """What calls need, and what counts as their failure."""
    builtin_tools: Mapping[str, frozenset[str]] = MappingProxyType({})
    """Tools that clients have beyond the catalogue of them, by client."""
    client_versions: Mapping[str, tuple[int, ...]] = MappingProxyType({})
    """The versions of clients that are used, by client; the newest of any other."""
    template_variables: tuple[str, ...] | None = None
    """The variables that the runtime binds in templates; None if not configured."""

    @property
    def named(self) -> tuple[Provider, ...]:
        """The providers that are named one by one."""
        return tuple(provider for provider in self.providers if provider.key != PORTABLE)

    @property
    def portable(self) -> bool:
        """Whether the tools are to fit every provider."""
        return len(self.named) < len(self.providers)

    def recipients(self, format: str) -> tuple[Provider, ...]:
        """Whose rules a definition is checked against: those of the providers named, else of the format's owner.

        Other providers speak OpenAI's and Anthropic's formats too, so one that is named replaces the owner; not MCP, whose
        rules hold whoever the tools are sent to.
        """
        return _recipients(format, self.providers)


_OWNERS = frozenset(("openai", "anthropic", "gemini", "bedrock", "mcp"))
_EVERYBODY = tuple(Provider(key) for key in TITLES if key not in SPECIAL)


@lru_cache(maxsize=64)
def _recipients(format: str, providers: tuple[Provider, ...]) -> tuple[Provider, ...]:
    owner = shape_of(format)
    named = [provider for provider in providers if provider.key != PORTABLE]
    keys = {provider.key for provider in named}
    owners = [Provider(owner)] if owner == "mcp" or (owner in _OWNERS and not providers) else []
    everybody = _EVERYBODY if Provider(PORTABLE) in providers else ()
    return (
        *(provider for provider in owners if provider.key not in keys),
        *named,
        *(provider for provider in everybody if provider.key not in keys),
    )
