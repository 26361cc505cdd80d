"""How findings name those that refuse a definition, and where that was read."""

from __future__ import annotations

from collections.abc import Sequence

from toolsurface_lint.knowledge.sources import Source

_MOST = 3
"""So many are named; the page of the rule lists all."""


def listed(titles: Sequence[str]) -> str:
    """Names in a sentence: `Gemini`, `Gemini and OpenAI`, `Anthropic, Gemini, OpenAI and 4 others`."""
    names = list(dict.fromkeys(titles))
    if len(names) > _MOST + 1:
        return f"{', '.join(names[:_MOST])} and {len(names) - _MOST} others"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def sourced(rows: Sequence[tuple[str, Source]]) -> str:
    """Where the refusals of some were read, one source once: `source: Gemini, API error: ... (2026-09, observed)`."""
    owners: dict[Source, list[str]] = {}
    for title, source in rows:
        owners.setdefault(source, []).append(title)
    shown = [
        str(source) if source.text.startswith(titles[0]) else f"{listed(titles)}, {source}"
        for source, titles in list(owners.items())[:_MOST]
    ]
    return f"{'source' if len(shown) == 1 else 'sources'}: {'; '.join(shown)}"
