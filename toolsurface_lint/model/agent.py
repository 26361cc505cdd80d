"""Agents as programs make them: what one call gives an agent, or a request to a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from toolsurface_lint.model.tool import Tool
    from toolsurface_lint.model.unseen import Unseen
    from toolsurface_lint.source.tree import Place


class Agent(NamedTuple):
    """A call that gives tools to an agent, or to a request to a model, and tells it something.

    `key` tells it from others, `name` is the one that the program gives it, empty if it has none; `made_by` is what is
    called (`Agent`, `create_react_agent`), `place` where. `other_names` are those of tools that are not defined in the
    program: what the provider runs, what hands over to another agent. `open_reasons` say why there may be more tools.
    """

    key: str
    name: str
    made_by: str
    place: Place
    tools: list[Tool]
    other_names: frozenset[str]
    open_reasons: list[Unseen]

    @property
    def is_closed(self) -> bool:
        """Whether all its tools are known, and it has any: what has none may be given some by whoever uses it."""
        return bool(self.tools) and not self.open_reasons

    @property
    def title(self) -> str:
        """What to call it, behind the word "agent" or in its place."""
        return f"the agent `{self.name}`" if self.name else f"what `{self.made_by}` makes"
