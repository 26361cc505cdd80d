"""Tools in languages that are not read: that there are some is seen by a look at the bytes of their files, and no more."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from toolsurface_lint.model.unseen import Unseen
from toolsurface_lint.project.discovery import Candidate, discover
from toolsurface_lint.project.project import Project, is_test
from toolsurface_lint.source.files import open_file

MAX_FILES = 1_000
MAX_BYTES = 1 << 18
"""How many files are looked at, those whose paths speak of tools first, and how much of each."""

_LANGUAGES: dict[str, tuple[str, tuple[bytes, ...]]] = {
    ".ipynb": ("a notebook", (b"@tool", b"@function_tool", b"tools=[", b"tools = [", b"FunctionTool(")),
    ".rb": ("Ruby", (b"MCP::Tool", b"< RubyLLM::Tool", b"FastMcp::Tool")),
    ".php": ("PHP", (b"#[McpTool",)),
    ".swift": ("Swift", (b"ListTools.self",)),
}
"""By the ends of file names: the language, and what a file that registers tools has somewhere."""

_TELLING = re.compile(r"tool|mcp", re.IGNORECASE)
_LEFT_OUT = re.compile(r"[._-](?:test|spec)\.\w+\Z|Tests?\.\w+\Z")


_NAME = re.compile(rb"""(?:\([\s{]{0,99}+|\b[Nn]ame["']?\s{0,9}+[:=]\s{0,9}+)["'`]([A-Za-z_][\w.-]{1,63})["'`]""")
"""A text that begins the arguments of a call, or is called a name."""


def tools_in_other_languages(project: Project) -> list[Unseen]:
    """The places, one in each file, that register tools below the folders that were asked for."""
    return [
        Unseen(f"tools in {language}, which is not read", candidate.display, data.count(b"\n", 0, at) + 1)
        for candidate, language, data, at in _programs(project, project.walked)
    ]


def names_in_other_languages(project: Project) -> Iterator[str]:
    """What may be the name of a tool in the files that register some, wherever tools are looked for."""
    for _, _, data, _ in _programs(project, project.roots):
        yield from (match[1].decode() for match in _NAME.finditer(data))


def _programs(project: Project, folders: Iterable[str]) -> Iterator[tuple[Candidate, str, bytes, int]]:
    """The files that register tools, each with its language, its first bytes, and where in them the first tool is."""
    found = discover(folders, project.settings, wanted=lambda name: _extension(name) in _LANGUAGES)
    programs = [candidate for candidate in found if candidate.skip is None and _may_register(project, candidate)]
    programs.sort(key=lambda candidate: (_TELLING.search(candidate.display) is None, candidate.path))
    for candidate in programs[:MAX_FILES]:
        language, signs = _LANGUAGES[_extension(candidate.path)]
        try:
            with open_file(candidate.path, 0) as file:
                data = file.read(MAX_BYTES)
        except OSError:
            continue
        places = [at for sign in signs if (at := data.find(sign)) >= 0]
        if places:
            yield candidate, language, data, min(places)


def _extension(path: str) -> str:
    return os.path.splitext(path)[1]


def _may_register(project: Project, candidate: Candidate) -> bool:
    path = candidate.path
    return _extension(path) in _LANGUAGES and _LEFT_OUT.search(path) is None and not is_test(project, path)
