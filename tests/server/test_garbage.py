"""Collections of garbage, put off while something is read."""

import gc
from collections.abc import Iterator

import pytest

from toolsurface_lint.server.folders import no_collections


@pytest.fixture(autouse=True)
def collecting() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


def test_none_meanwhile_and_then_again() -> None:
    with no_collections():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_whatever_is_raised() -> None:
    with pytest.raises(KeyError), no_collections():
        raise KeyError
    assert gc.isenabled()


def test_a_collector_that_is_off_stays_off() -> None:
    gc.disable()
    with no_collections():
        pass
    assert not gc.isenabled()
