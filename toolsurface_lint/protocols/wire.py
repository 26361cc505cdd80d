"""The delimiters of tool calls on the wire: what a runtime sends instead of `<tool_call>` to models that reserve it."""

from __future__ import annotations

import re

from toolsurface_lint.knowledge.provider_names import provider_id
from toolsurface_lint.knowledge.reserved_tokens import RESERVING_MODELS
from toolsurface_lint.source.text import Span

DELIMITERS = (("<tool_call>", "[[CALL]]"), ("</tool_call>", "[[/CALL]]"))
"""Pairs of canonical and wire form; the other tags of the protocol are never remapped."""

CANONICAL = {wire: canonical for canonical, wire in DELIMITERS}
"""The canonical form of each wire form."""

_WIRE_FORM = re.compile(r"\[\[/?CALL\]\]")


def canonical_to_wire(text: str) -> str:
    """Every canonical delimiter, paired or not, in its wire form."""
    for canonical, wire in DELIMITERS:
        text = text.replace(canonical, wire)
    return text


def wire_to_canonical(text: str) -> str:
    """Every wire delimiter, paired or not, in its canonical form."""
    for canonical, wire in DELIMITERS:
        text = text.replace(wire, canonical)
    return text


def wire_forms(text: str) -> list[Span]:
    """The wire delimiters in a text; in canonical text each one comes back as a tag, so that the text is changed."""
    return [Span(*match.span()) for match in _WIRE_FORM.finditer(text)]


def reserves_tool_call_token(provider: str, model: str) -> bool:
    """Whether a provider's model has `<tool_call>` as one token of its own, so that it must not stand in its text.

    The provider decides as well: the same model may be flagged on one host and not on another. Case does not count.
    """
    model = model.strip().lower()
    return any(_matches(pattern, model) for pattern in RESERVING_MODELS.get(provider_id(provider), ()))


def _matches(pattern: str, model: str) -> bool:
    """Whether a pattern of the capability table matches: `*` at either end, or one inside, matches any text."""
    if pattern.startswith("*") and pattern.endswith("*"):
        return pattern.strip("*") in model
    if "*" not in pattern:
        return pattern == model
    before, _, after = pattern.partition("*")
    return len(model) >= len(before) + len(after) and model.startswith(before) and model.endswith(after)
