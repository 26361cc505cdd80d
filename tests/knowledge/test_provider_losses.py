"""What clients leave out of schemas: every row with its source, and nobody in both tables."""

from __future__ import annotations

import re

import pytest

from toolsurface_lint.knowledge.provider_losses import LOSSES, losses_of
from toolsurface_lint.knowledge.provider_names import NUMBERED, TITLES, Provider, provider_id
from toolsurface_lint.knowledge.provider_schemas import PROFILES, STRICT_PROFILES
from toolsurface_lint.knowledge.sources import CODE, DOCUMENTED, OBSERVED


def test_every_row_has_its_source() -> None:
    for key, losses in LOSSES.items():
        assert provider_id(key) == key
        assert key in TITLES
        for loss in losses:
            assert loss.keywords
            assert len(loss.source.text) > 10
            assert re.fullmatch("20[0-9]{2}-[01][0-9]", loss.source.date)
            assert loss.source.verified in (OBSERVED, DOCUMENTED, CODE)
            assert loss.versions == loss.versions.__class__() or key in NUMBERED


def test_whoever_refuses_a_keyword_does_not_lose_it() -> None:
    """Otherwise one place would have two findings that say the same."""
    for key, losses in LOSSES.items():
        lost = frozenset().union(*(loss.keywords for loss in losses))
        for demand in (*PROFILES.get(key, ()), *STRICT_PROFILES.get(key, ())):
            assert lost.isdisjoint(demand.rejected)
            assert demand.allowed is None or lost <= demand.allowed


@pytest.mark.parametrize(
    ("provider", "loses"),
    [
        (Provider("vscode"), True),
        (Provider("vscode", (1, 105)), True),
        (Provider("codex"), False),
        (Provider("codex", (0, 133, 9)), True),
        (Provider("codex", (0, 134, 0)), False),
        (Provider("openai"), False),
    ],
)
def test_versions(provider: Provider, loses: bool) -> None:
    assert bool(list(losses_of(provider))) == loses
