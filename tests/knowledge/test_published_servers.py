"""The catalogue of published servers: each row by itself."""

from __future__ import annotations

import re

import pytest

from benchmarks.published_servers import SOURCES
from toolsurface_lint.knowledge.published_servers import SERVERS, PublishedServer, order_of, server_of, servers_named
from toolsurface_lint.model.names import folded


@pytest.mark.parametrize("server", SERVERS, ids=lambda server: server.title)
def test_a_row_is_sound(server: PublishedServer) -> None:
    versions = list(map(order_of, server.history))
    assert versions == sorted(set(versions))
    assert versions[-1] <= order_of(server.newest)
    assert re.fullmatch(r"20\d\d-(?:0[1-9]|1[0-2])", server.read)
    assert server.source
    assert all(name == folded(name) for name in server.names)
    assert server.tools_at()
    assert server.title in SOURCES
    there: set[str] = set()
    for changes in server.history.values():
        added = {change for change in changes.split() if not change.startswith("-")}
        dropped = dict(change[1:].partition("=")[::2] for change in changes.split() if change.startswith("-"))
        assert not added & there
        assert dropped.keys() <= there
        there = (there | added) - dropped.keys()
        assert {new for new in dropped.values() if new} <= there
    assert there == server.tools_at()
    assert server.dropped.keys() == server.ever - there
    assert all(new == "" or new in there for _, new in server.dropped.values())


def test_titles_and_packages_are_those_of_one_row() -> None:
    packages = [package for server in SERVERS for package in server.packages]
    assert len(set(packages)) == len(packages)
    assert len({server.title for server in SERVERS}) == len(SERVERS) == len(SOURCES)


def test_a_server_is_found_by_its_package_and_by_its_name() -> None:
    context7 = server_of("npm", "@upstash/context7-mcp")
    assert context7 is not None
    assert servers_named("context7") == (context7,)
    assert server_of("pypi", "@upstash/context7-mcp") is None
    assert [server.title for server in servers_named("github")] == ["GitHub", "GitHub (archived reference server)"]
    assert servers_named("notes") == ()


def test_versions() -> None:
    context7 = server_of("npm", "@upstash/context7-mcp")
    playwright = server_of("npm", "@playwright/mcp")
    assert context7 is not None
    assert playwright is not None
    assert context7.tools_at("1.0.17") == {"resolve-library-id", "get-library-docs"}
    assert context7.tools_at() == context7.tools_at("2.0.0") == {"resolve-library-id", "query-docs"}
    assert context7.dropped["get-library-docs"] == ("2.0.0", "query-docs")
    # What took its place is gone too, and something is there instead of that; or nothing is.
    assert context7.dropped["get-library-documentation"] == ("1.0.7", "query-docs")
    assert playwright.dropped["browser_go_forward"] == ("0.0.10", "")
