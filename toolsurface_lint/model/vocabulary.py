"""What the names of a surface make of the names in a prompt: declared, close, shaped like a tool's, or nothing."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from types import MappingProxyType

from toolsurface_lint.knowledge import words
from toolsurface_lint.knowledge.clients import CLIENT_TOOLS
from toolsurface_lint.knowledge.prompt_words import (
    DATA_NOUNS,
    FLAG_VERBS,
    MCP_REQUESTS,
    NO_TOOL_NOUNS,
    NOT_NAMES,
    OWN_TOOL_PREFIXES,
    PROGRAMS,
    TOOL_AGENTS,
    TOOL_VERBS,
)
from toolsurface_lint.model.names import CloseNames, close_index, close_names, folded
from toolsurface_lint.model.servers import server_names
from toolsurface_lint.model.tool import FindFormer, Tool, no_former
from toolsurface_lint.source.shared import Shared

NOTHING, PLAIN, COMPOUND, SHAPED, CLOSE, DECLARED = range(6)
"""How much a name by itself speaks for a tool, from nothing to all.

`NOTHING`: it is certainly something else, whatever the text says of it. `PLAIN`: any other word. `COMPOUND`: of several
words with underscores. `SHAPED`: also made as names of tools are made. `CLOSE`: nearly a declared name.
`DECLARED`: the name of a tool that is declared, or was in an earlier commit.
"""

_SEGMENT = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")
_SEPARATORS = re.compile(r"[-.:/]")
_MOST_TEXT = 4 * 1024 * 1024
"""Characters of the texts of which it is remembered what they name."""
_MOST_NAMES = 100_000
"""Names of which it is remembered what they are."""
_HANDS_OVER = "transfer_to_"
_CLEAR_VERBS = words("calculate check compute fetch find get lookup retrieve")
"""Verbs that data is not called by, whatever else is in its name."""


class Vocabulary:
    """The names of one surface, asked about one name of a prompt after the other; it remembers its answers."""

    def __init__(
        self,
        by_name: Mapping[str, Sequence[Tool]],
        specified: bool = False,
        served: Mapping[str, Container[str]] = MappingProxyType({}),
        former: FindFormer = no_former,
        elsewhere: Collection[str] = frozenset(),
    ) -> None:
        """`elsewhere` are the names of tools that other agents of the program have."""
        self.by_name = by_name
        self._elsewhere = elsewhere
        self._former = former
        self._served = served
        """The tools of servers that are not declared for it, by the folded name of the server."""
        self.specified = specified
        """Whether only calls count, as in the Harn specification."""
        self._kinds: dict[str, int] = {}
        self._near: dict[str, tuple[str, ...]] = {}
        self._close = [CloseNames(by_name)]
        """Together the declared names, to be asked which of them a name may be meant for."""
        self.texts: Shared[str] = Shared(_MOST_TEXT)
        """What texts mean by these names."""

    def with_client(self, own: frozenset[str], served: Mapping[str, Container[str]]) -> Vocabulary:
        """The same names and those of the tools that a client has of its own, or that its servers have."""
        joined = Vocabulary({**dict.fromkeys(own, ()), **self.by_name}, served=served, former=self._former)
        # Those of the client are the same for all surfaces, and those of the surface for all of its prompts.
        joined._close = [*self._close, close_index(own)] if self.by_name else [close_index(own)]
        return joined

    def __contains__(self, name: object) -> bool:
        return name in self.by_name

    @property
    def is_empty(self) -> bool:
        """Whether no tool is known, neither declared ones nor those of other agents."""
        return not (self.by_name or self._elsewhere)

    def was_declared(self, name: str) -> bool:
        """Whether a name is a declared one, or was one in an earlier commit."""
        return self.kind(name) == DECLARED

    def kind(self, name: str) -> int:
        """One of the six kinds above."""
        kind = self._kinds.get(name)
        if kind is None:
            if len(self._kinds) >= _MOST_NAMES:
                self._kinds.clear()
                self._near.clear()
            kind = self._kinds[name] = self._judge(name)
        return kind

    def _judge(self, name: str) -> int:
        if name in self.by_name:
            return DECLARED
        if not _may_be_a_tool(name):
            return NOTHING
        if self._former(name) is not None:
            return DECLARED
        if self.near(name):
            return CLOSE
        if name in PROGRAMS or name in MCP_REQUESTS:
            return NOTHING
        if name in self._elsewhere:
            return SHAPED
        segments = [segment.lower() for segment in _SEGMENT.findall(name)]
        style = style_of(name)
        if style in ("word", "mixed") or len(segments) < 2:
            return PLAIN
        if style != "snake" and style not in self.styles:
            return PLAIN if style in ("camel", "pascal") else NOTHING
        if style == "dotted" and _SEPARATORS.split(name, maxsplit=1)[0] not in self._namespaces:
            return NOTHING
        first, last = segments[0], segments[-1]
        if last in DATA_NOUNS and first not in TOOL_VERBS:
            return PLAIN
        edges = self.edges
        shaped = first in TOOL_VERBS or last in TOOL_VERBS or last in TOOL_AGENTS or first in edges or last in edges
        if not shaped:
            # What is between underscores in a declared one: `deploy_check` in `get_deploy_check_report`.
            shaped = _any_starts_with(self._ends, f"{name}_")
        return SHAPED if shaped else COMPOUND if style == "snake" else PLAIN

    @cached_property
    def _ends(self) -> list[str]:
        return sorted({end for other in self.by_name for end in _ends(other)})

    @cached_property
    def styles(self) -> frozenset[str]:
        """How the declared names are written; see `style_of`."""
        return frozenset(map(style_of, self.by_name))

    @cached_property
    def edges(self) -> frozenset[str]:
        """The first and last words of declared names of several words, but for those that data is called by."""
        found: set[str] = set()
        for name in self.by_name:
            segments = _SEGMENT.findall(name)
            if len(segments) > 1:
                found.update((segments[0].lower(), segments[-1].lower()))
        return frozenset(found - DATA_NOUNS)

    def near(self, name: str) -> tuple[str, ...]:
        """The declared names that a name may be meant for, closest first, whichever of two ways it is written in."""
        found = self._near.get(name)
        if found is None:
            found = self._find_close(name)
            if not found and style_of(name) in ("camel", "pascal", "kebab"):
                found = self._find_close("_".join(segment.lower() for segment in _SEGMENT.findall(name)))
            self._near[name] = found
        return found

    def _find_close(self, name: str) -> tuple[str, ...]:
        found = [names.find(name) for names in self._close]
        return found[0] if len(found) == 1 else close_names(name, chain.from_iterable(found))

    def shares_an_edge(self, name: str) -> bool:
        """Whether a name begins or ends with a word with which a declared name of several words begins or ends."""
        segments = [segment.lower() for segment in _SEGMENT.findall(name)]
        return segments[0] in self.edges or segments[-1] in self.edges

    def begins_with_a_verb(self, name: str) -> bool:
        """Whether a name says what a tool does: `get_alert`."""
        return _SEGMENT.findall(name)[0].lower() in TOOL_VERBS

    def ends_like_data(self, name: str) -> bool:
        """Whether the last word of a name is one that names of parameters and fields end with: `search_query`."""
        return _SEGMENT.findall(name)[-1].lower() in DATA_NOUNS

    def is_made_like_a_tool(self, name: str) -> bool:
        """Whether a name says what a tool does and not what data is: `get_price`, `check_name`, but not `start_date`.

        The names of other agents' tools are such, whatever their words.
        """
        if name in self._elsewhere:
            return "_" in name
        if self.kind(name) != SHAPED or style_of(name) not in {*self.styles, "snake"}:
            return False
        segments = [segment.lower() for segment in _SEGMENT.findall(name)]
        first, last = segments[0], segments[-1]
        if first not in TOOL_VERBS or first in FLAG_VERBS:
            return False
        return first in _CLEAR_VERBS or (last not in DATA_NOUNS and last not in NO_TOOL_NOUNS)

    def begins_like_another(self, name: str) -> bool:
        """Whether a name is made like a tool's, and begins with the verb of a declared one."""
        return self.is_made_like_a_tool(name) and _SEGMENT.findall(name)[0].lower() in self._verbs

    @cached_property
    def _verbs(self) -> frozenset[str]:
        """The verbs that declared names begin with."""
        found = (_SEGMENT.findall(other) for other in self.by_name)
        return frozenset(segments[0].lower() for segments in found if len(segments) > 1) & TOOL_VERBS

    def hands_over(self, name: str) -> bool:
        """Whether a name is made like those of the tools that hand over to another agent, of which there are some."""
        return name.startswith(_HANDS_OVER) and _any_starts_with(self._beginnings, _HANDS_OVER)

    def is_respelled(self, name: str) -> bool:
        """Whether a name may be another spelling of a declared one: one of several words, and no client's own tool."""
        near = self.near(name)
        if not near or (name in CLIENT_TOOLS and style_of(name) not in self.styles):
            return False
        return style_of(near[0]) not in ("word", "mixed") or folded(near[0]) != folded(name)

    def begins_like_a_tool(self, name: str) -> bool:
        """Whether a name is shaped like a tool's, and its first word is that of a declared name."""
        if self.kind(name) != SHAPED:
            return False
        return _any_starts_with(self._beginnings, _SEGMENT.findall(name)[0].lower())

    @cached_property
    def _beginnings(self) -> list[str]:
        return sorted(other.lower() for other in self.by_name)

    @property
    def has_compound_separators(self) -> bool:
        """Whether a declared name holds a character that ends an ordinary name: `-`, `.`, `:` or `/`."""
        return not self.styles.isdisjoint(("kebab", "dotted"))

    @cached_property
    def _namespaces(self) -> frozenset[str]:
        # A name without a separator is its own namespace, which it does not share.
        parts = ((other, _SEPARATORS.split(other, maxsplit=1)[0]) for other in self.by_name)
        return frozenset(namespace for other, namespace in parts if other != namespace)

    def is_argument(self, name: str) -> bool:
        """Whether a name is that of a parameter, at any depth, or an enum value, of any tool."""
        return name in self._arguments

    @cached_property
    def _arguments(self) -> frozenset[str]:
        return frozenset[str]().union(*(tool.argument_words for tools in self.by_name.values() for tool in tools))

    def resolve(self, name: str) -> tuple[str, bool]:
        """What a name with the prefix of a server stands for: a declared name if there is one, and whether it is known.

        `mcp__S__T` is known to be absent only if the list of the server S is part of the surface or given with it. Names
        without such a prefix stay as they are.
        """
        if name in self.by_name or name in self._elsewhere:
            return name, True
        if name.startswith("mcp__"):
            server, _, tool = name[5:].partition("__")
            listed = self._served.get(folded(server), self.servers.get(folded(server)))
            if listed is not None:
                return (tool, True) if tool in listed else (name, True)
            return (tool, False) if tool in self.by_name else (name, False)
        for separator in ("__", "/"):
            tool = name.rpartition(separator)[2]
            if tool != name and tool in self.by_name:
                return tool, True
        if name.startswith("mcp_"):
            # Clients that join server and tool with one underscore: where the server's name ends is unknown.
            return next(((tool, False) for tool in _tails(name[4:]) if tool in self.by_name), (name, False))
        return name, True

    @cached_property
    def servers(self) -> dict[str, frozenset[str]]:
        """The tools of each server that a list of the surface belongs to, by the folded name of the server.

        A server is known by the prefix `mcp__S__` of declared names, and by the name of the file that lists its tools, or
        of that file's folder.
        """
        found: dict[str, set[str]] = {}
        for name, tools in self.by_name.items():
            if name.startswith("mcp__"):
                server, _, tool = name[5:].partition("__")
                found.setdefault(folded(server), set()).add(tool)
            for tool_of in tools:
                for server in server_names(tool_of.origin):
                    found.setdefault(server, set()).add(name)
        return {server: frozenset(names) for server, names in found.items()}


# The tools of a client are asked about for each surface that its files belong to.
@lru_cache(maxsize=1024)
def style_of(name: str) -> str:
    """How a name is written: `snake`, `kebab`, `dotted` (`.`, `:` and `/` too), `camel`, `pascal`, `word` or `mixed`."""
    if any(separator in name for separator in ".:/"):
        return "dotted"
    if "-" in name:
        return "kebab"
    if "_" in name.strip("_"):
        return "snake"
    if name.islower():
        return "word"
    if name.isupper():
        return "mixed"
    humps = sum(map(str.isupper, name))
    if name[:1].isupper():
        return "pascal" if humps > 1 else "word"
    return "camel"


_LONGEST = 128
_FILE_ENDINGS = words(
    "c cc cfg cjs conf cpp cs css csv diff env go h htm html ini ipynb java js json jsonc jsonl jsx kt lock log "
    "lua md mdc mdx mjs pdf php png ps1 py pyi rb rs sh sql svg swift tf toml ts tsv tsx txt vue xml yaml yml zip "
    "com dev io net org"
)


def _may_be_a_tool(name: str) -> bool:
    """Whether a name is not an environment variable, a dunder name, a file or a word about names."""
    if not 1 < len(name) <= _LONGEST or name.endswith("_") or name.startswith(("_", *OWN_TOOL_PREFIXES)):
        return False
    lower = name.lower()
    if lower in NOT_NAMES or (name.isupper() and "-" not in name):
        return False
    return not is_file_name(name)


def is_file_name(name: str) -> bool:
    return "." in name and name.rpartition(".")[2].lower() in _FILE_ENDINGS


def _ends(name: str) -> Iterator[str]:
    """A name and an underscore from each of its parts on, as far as a name of a prompt can reach."""
    whole = f"{name}_"
    for start in (0, *(match.end() for match in re.finditer("_", name))):
        yield whole[start : start + _LONGEST + 1]


def _any_starts_with(ordered: Sequence[str], beginning: str) -> bool:
    """Whether any of some sorted texts starts with another."""
    at = bisect_left(ordered, beginning)
    return at < len(ordered) and ordered[at].startswith(beginning)


def _tails(name: str) -> Iterator[str]:
    """What is left of a name after each of its underscores, the longest first."""
    position = name.find("_")
    while position >= 0:
        yield name[position + 1 :]
        position = name.find("_", position + 1)
