"""What definitions are written for: the provider and the model that the user named."""

from __future__ import annotations

from typing import NamedTuple

MANY_TOOLS = 50


class Target(NamedTuple):
    """The provider and model that settings or flags name for a file, each None if nothing does."""

    provider: str | None = None
    model: str | None = None
    wire_remap: bool = False
    """Whether the runtime swaps the canonical delimiters for models that reserve them."""
    many_tools: int = MANY_TOOLS
    """The number of tools offered at once that is worth a remark when it is passed."""
    context_budget: int | None = None
    """The estimated tokens that the tools offered at once may take; None if nobody has said."""
