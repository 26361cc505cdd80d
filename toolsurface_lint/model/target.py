"""What definitions are written for: the provider and the model that the user named."""

from __future__ import annotations

from typing import NamedTuple


class Target(NamedTuple):
    """The provider and model that settings or flags name for a file, each None if nothing does."""

    provider: str | None = None
    model: str | None = None
    wire_remap: bool = False
    """Whether the runtime swaps the canonical delimiters for models that reserve them."""
