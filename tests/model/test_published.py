"""Tools against the catalogue of published servers."""

from __future__ import annotations

import pytest

from toolsurface_lint.model.published import ANY, Release, outdated, own_name, version_of


@pytest.mark.parametrize(
    ("server", "tool", "dropped", "instead"),
    [
        ("context7", "get-library-docs", "2.0.0", ("query-docs",)),
        ("Context7", "get-library-docs", "2.0.0", ("query-docs",)),
        ("plugin_docs_context7", "get-library-docs", "2.0.0", ("query-docs",)),
        ("claude_ai_Context7", "get-library-docs", "2.0.0", ("query-docs",)),
        ("context7", "resolve_library_id", "", ("resolve-library-id",)),
        ("context7", "get_library_docs", "", ("query-docs",)),
        ("context7", "nothing_like_it", "", ()),
        ("playwright", "navigate", "", ("browser_navigate",)),
        ("playwright", "browser_install", "0.0.69", ()),
        # Only the official one of two ever had it.
        ("github", "get_issue_comments", "0.20.0", ("issue_read",)),
    ],
)
def test_by_the_name_alone(server: str, tool: str, dropped: str, instead: tuple[str, ...]) -> None:
    found = outdated(server, tool, None)
    assert found is not None
    assert (found.tool, found.dropped, found.instead) == (tool, dropped, instead)


@pytest.mark.parametrize(
    ("server", "tool"),
    [
        ("context7", "query-docs"),
        # The archived server of that name has it; the other has tools that nobody sees.
        ("github", "get_issue"),
        ("github", "run_secret_scanning"),
        # Another server of that name has it.
        ("playwright", "playwright_navigate"),
        # Everybody's own server may be called so.
        ("memory", "store"),
        ("my_context7", "get-library-docs"),
        ("weather", "get_alert"),
    ],
)
def test_nothing_is_said_by_the_name_alone(server: str, tool: str) -> None:
    assert outdated(server, tool, None) is None


CONTEXT7 = ("npm", "@upstash/context7-mcp")


@pytest.mark.parametrize(
    ("releases", "tool", "dropped"),
    [
        ([Release(*CONTEXT7)], "get-library-docs", "2.0.0"),
        ([Release(*CONTEXT7, "3.1.0")], "get-library-docs", "2.0.0"),
        ([Release(*CONTEXT7, "1.0.17")], "get-library-docs", None),
        ([Release(*CONTEXT7, "1.0.17")], "query-docs", None),
        ([Release(*CONTEXT7, ANY)], "get-library-docs", None),
        ([Release(*CONTEXT7, ANY)], "get_library_docs", ""),
        ([Release(*CONTEXT7, version_of("1.0"))], "get-library-docs", None),
        ([Release(*CONTEXT7, "99.1.0")], "get-library-docs", "2.0.0"),
        ([Release(*CONTEXT7, "99.1.0")], "search-docs", None),
        ([Release(*CONTEXT7), Release(*CONTEXT7, "1.0.17")], "get-library-docs", None),
        ([Release(*CONTEXT7), None], "get-library-docs", None),
        ([Release("npm", "somebody-elses")], "get-library-docs", None),
        ([Release("image", "ghcr.io/github/github-mcp-server")], "get_issue", "0.20.0"),
        ([Release("image", "ghcr.io/github/github-mcp-server", "0.5.0")], "get_issue", None),
    ],
)
def test_by_what_the_project_runs(releases: list[Release | None], tool: str, dropped: str | None) -> None:
    found = outdated("docs", tool, releases)
    assert (None if found is None else found.dropped) == dropped


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("", ""),
        ("latest", ""),
        ("1.0.17", "1.0.17"),
        ("v0.5.0", "0.5.0"),
        ("2", ANY),
        ("1.0", ANY),
        ("1.0.0.1", "1.0.0.1"),
        ("^1.0.0", ANY),
        ("next", ANY),
        ("1.0.0-beta.1", ANY),
        ("${VERSION}", ANY),
        ("9" * 5000 + ".1", ANY),
    ],
)
def test_version_of(text: str, version: str) -> None:
    assert version_of(text) == version


def test_own_name() -> None:
    assert own_name("plugin_a_b") == "b"
    assert own_name("claude_ai_Linear") == "Linear"
    assert own_name("my_b") == "my_b"
