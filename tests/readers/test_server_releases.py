"""Which published server an entry of a list of servers runs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.model.published import ANY, Release
from toolsurface_lint.readers.documents.mcp_servers import releases_of
from toolsurface_lint.source.tree import plain


def run(command: str, *arguments: str) -> dict[str, Any]:
    return {"command": command, "args": list(arguments)}


@pytest.mark.parametrize(
    ("server", "release"),
    [
        (run("npx", "-y", "@upstash/context7-mcp"), Release("npm", "@upstash/context7-mcp")),
        (run("npx", "-y", "@upstash/context7-mcp@latest"), Release("npm", "@upstash/context7-mcp")),
        (run("npx", "-y", "@upstash/context7-mcp@1.0.17", "--x"), Release("npm", "@upstash/context7-mcp", "1.0.17")),
        (run("npx", "@upstash/context7-mcp@^1.0.0"), Release("npm", "@upstash/context7-mcp", ANY)),
        (run("npx", "@upstash/context7-mcp@${V}"), Release("npm", "@upstash/context7-mcp", ANY)),
        (run("cmd", "/c", "npx", "-y", "tavily-mcp"), Release("npm", "tavily-mcp")),
        (run("C:\\node\\npx.cmd", "-y", "tavily-mcp"), Release("npm", "tavily-mcp")),
        (run("pnpm", "dlx", "tavily-mcp@0.2.0"), Release("npm", "tavily-mcp", "0.2.0")),
        (run("uvx", "mcp-server-git==2025.1.14"), Release("pypi", "mcp-server-git", "2025.1.14")),
        (run("uvx", "--from", "mcp-server-git>=0.6", "mcp-server-git"), Release("pypi", "mcp-server-git", ANY)),
        (run("uv", "tool", "run", "mcp-server-git"), Release("pypi", "mcp-server-git")),
        (run("python3", "-m", "mcp_server_fetch"), Release("pypi", "mcp-server-fetch", ANY)),
        (run("docker", "run", "-i", "--rm", "-e", "A", "mcp/github"), Release("image", "mcp/github")),
        (
            run("docker", "run", "ghcr.io/github/github-mcp-server:v0.5.0"),
            Release("image", "ghcr.io/github/github-mcp-server", "0.5.0"),
        ),
        (run("docker", "run", "mcp/github@sha256:00"), Release("image", "mcp/github", ANY)),
        ({"type": "http", "url": "https://mcp.context7.com/mcp"}, Release("address", "mcp.context7.com")),
        ({"httpUrl": "https://API.githubcopilot.com/mcp/"}, Release("address", "api.githubcopilot.com")),
        (run("npx", "mcp-remote", "https://mcp.sentry.dev/mcp"), Release("address", "mcp.sentry.dev")),
        (run("node", "dist/index.js"), None),
        (run("python", "server.py"), None),
        (run("python", "-m", "weather.server"), None),
        (run("./run.sh"), None),
        ({"url": "${SERVER}"}, None),
        ({"url": 3}, None),
        ({}, None),
        (None, None),
    ],
)
def test_release(server: Any, release: Release | None) -> None:
    assert releases_of(plain({"s": server})).get("s") == release


TEXTS = st.one_of(
    st.text(max_size=30),
    st.sampled_from(["npx", "uvx", "docker", "run", "-m", "python", "--from", "@a/b@1.0", "x:v1", "a==1"]),
)
ENTRIES = st.fixed_dictionaries(
    {},
    optional={
        "command": st.one_of(TEXTS, st.lists(TEXTS), st.none()),
        "args": st.lists(st.one_of(TEXTS, st.integers())),
        "url": TEXTS,
    },
)


@given(st.dictionaries(TEXTS, st.one_of(ENTRIES, TEXTS, st.none())))
def test_any_list_of_servers_is_read(servers: dict[str, Any]) -> None:
    for name, release in releases_of(plain(servers)).items():
        assert name in servers
        assert release.package
