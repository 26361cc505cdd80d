"""Matchers of hooks that match nothing, or less than they say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from typing import Any, cast

from toolsurface_lint.checks.contract import HOOKS, check
from toolsurface_lint.checks.hook._plugins import has_known_client
from toolsurface_lint.knowledge.hooks import AGENTS, TOOLS, HookClient
from toolsurface_lint.knowledge.hooks import HOOKS as HOOK_CLIENTS
from toolsurface_lint.model.diagnostics import UNSAFE, WARNING, Finding, Rule, renaming
from toolsurface_lint.model.hooks import HookFile, Matcher
from toolsurface_lint.model.names import alike_names, close_index, close_names, folded, suggestion
from toolsurface_lint.model.permission import is_client_tool, known_names
from toolsurface_lint.model.servers import normalized
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.schemas.patterns import harmless, mistake

RULE = Rule(
    code="HOOK_MATCHER_NEVER_MATCHES",
    since="0.1.0",
    severity=WARNING,
    summary="The matcher of a hook matches nothing, or is ignored by its client.",
    message={
        "agent": "the matcher names the agent `{name}`, which is not there",
        "broken": "the matcher `{name}` is neither a list of names nor a regular expression",
        "client": "the matcher names the tool `{name}`, which {client} does not have",
        "expression": "the matcher `{name}` matches no tool of {client}",
        "ignored": "the matcher `{name}` is ignored: {client} runs hooks of `{event}` always",
        "one_word": "the matcher `{name}` never matches: {client} compares it as one word",
        "server": "the matcher names the tool `{name}`, which the server `{server}` does not serve",
        "server_expression": "the matcher `{name}` matches no tool of the server `{server}`",
        "unknown_server": "the matcher names the server `{name}`, which is not declared",
        "whole_server": "the matcher `{name}` matches no tool: it is compared with whole names",
        "word": "the matcher names `{name}`, which {client} never gives for `{event}`",
    },
    help={
        "ignored": "remove the matcher",
        "one_word": "write a group of hooks for each word",
        "whole_server": "write `{name}__.*`",
    },
    tags=("hooks",),
    fix=UNSAFE,
)

_NAMES = re.compile(r"[A-Za-z0-9_\-, |]+\Z")
"""A matcher of these signs is a list of whole names; any other is a regular expression, found anywhere in the name. Source:
code.claude.com/docs/en/hooks, 2026-10. Codex has no hyphens, blanks and commas among them, which its names do not have."""
_NAME = re.compile(r"[^|,\s][^|,]*")
_ALTERNATIVES = re.compile(r"\^?(?:\((?:\?:)?)?([A-Za-z_]++(?:\|[A-Za-z_]++)++)\)?(?:\$|\.\*)?")
_WORD = re.compile(r"[A-Za-z_]+")
_EVERYTHING = frozenset(("", "*", ".*", ".+", "^.*$"))
_SPECIFIED = re.compile(r"(\w+)\((.+)\)\Z", re.DOTALL)
_MOST_TOOLS = 256
"""So many tools of a server are tried with an expression; of more, nothing is said."""
_OF_SERVER = re.compile(r"\^?mcp__([A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*)__")


@check(HOOKS, RULE)
def check_matchers(file: HookFile, surface: Surface) -> Iterator[Finding]:
    client = HOOK_CLIENTS[file.client]
    tools = _Tools(file, surface)
    for matcher in file.matchers if has_known_client(file, surface) else ():
        text = matcher.node.value
        if text.strip() in _EVERYTHING or text == matcher.event:
            continue
        matched = client.events[matcher.event]
        if matched is None:
            yield _finding(matcher, "ignored", name=text, client=client.name, event=matcher.event)
        elif matched.of == TOOLS:
            yield from tools.check(matcher)
        elif matched.of == AGENTS:
            yield from _check_agents(matcher, file, surface)
        elif matched.values:
            yield from _check_words(matcher, client, matched.values, matched.complete)


def _check_agents(matcher: Matcher, file: HookFile, surface: Surface) -> Iterator[Finding]:
    """Users have agents of their own: only one that is nearly called like one of the project is wrong."""
    if not _NAMES.match(matcher.node.value):
        return
    for name, start in _names(matcher):
        meant = surface.client_agents.instead_of(name, file.origin)
        if meant:
            near = [other for other, _ in meant]
            yield _named(matcher, "agent", name, start, near, near, HOOK_CLIENTS[file.client])


def _finding(matcher: Matcher, kind: str, **values: str) -> Finding:
    named: dict[str, Any] = dict(values)
    return RULE.at(matcher.node.place, kind, field=matcher.field, **named)


def _names(matcher: Matcher) -> list[tuple[str, int]]:
    """The names of a matcher that is a list of names, each with where it begins."""
    found = _NAME.finditer(matcher.node.value)
    return [(match[0].rstrip(), match.start()) for match in found]


def _check_words(matcher: Matcher, client: HookClient, values: frozenset[str], complete: bool) -> Iterator[Finding]:
    """A matcher of an event that is compared with one of a few words."""
    text = matcher.node.value
    if client.exact and text not in values and "|" in text:
        yield _finding(matcher, "one_word", name=text, client=client.name)
        return
    if not _NAMES.match(text):
        return
    for name, start in _names(matcher):
        near = close_names(name, values)
        if name in values or not (complete or near):
            continue
        yield _named(matcher, "word", name, start, near or alike_names(name, values), near, client)


def _named(
    matcher: Matcher,
    kind: str,
    name: str,
    start: int,
    alike: Sequence[str],
    near: Sequence[str],
    client: HookClient,
    server: str = "",
) -> Finding:
    """The finding about one name of a matcher."""
    place = matcher.node.text_place(start, start + len(name))
    return RULE.at(
        place,
        kind,
        field=matcher.field,
        help=suggestion(alike),
        fix=renaming(place, name, near),
        name=name,
        client=client.name,
        event=matcher.event,
        server=server,
    )


@cache
def _own_tools(client: str) -> frozenset[str]:
    """The names that a matcher may have for tools of a client itself."""
    row = HOOK_CLIENTS[client]
    if row.tools:
        return row.tools
    # Of the client with expressions, names that end so are spellings of its lists alone.
    return frozenset(name for name in known_names(client) if not (row.expressions and name.endswith("Tool")))


class _Tools:
    """What the matchers of one file are compared with where they name tools."""

    def __init__(self, file: HookFile, surface: Surface) -> None:
        self._file = file
        self._client = HOOK_CLIENTS[file.client]
        self._servers = surface.servers
        self._own = _own_tools(file.client) | surface.target.builtin_tools.get(file.client, frozenset())

    @cached_property
    def _declared(self) -> frozenset[str]:
        """The servers that are declared for the file, as the names of their tools have them."""
        return frozenset(map(normalized, self._servers.declared(self._file.origin))) if self._servers else frozenset()

    @cached_property
    def _by_letters(self) -> dict[str, str]:
        return {folded(name): name for name in sorted(self._own)}

    def check(self, matcher: Matcher) -> Iterator[Finding]:
        text = matcher.node.value
        if self._client.expressions or not _NAMES.match(text):
            yield from self._check_expression(matcher)
            return
        names = _names(matcher)
        known = {name for name, _ in names if name in self._own or name.startswith("mcp")}
        for name, start in names:
            if name in self._own:
                continue
            if name.startswith("mcp__"):
                yield from self._check_server_tool(matcher, name, start)
                continue
            alike = self._by_letters.get(folded(name))
            if alike in known:
                # Both spellings are there for more than one client.
                continue
            shared = (known or self._file.shared) and is_client_tool(name)
            if alike is None and (shared or not self._client.all_tools or name.startswith("mcp")):
                continue
            near = (alike,) if alike is not None else close_names(name, self._own)
            yield _named(matcher, "client", name, start, near or alike_names(name, self._own), near, self._client)

    def _check_server_tool(self, matcher: Matcher, name: str, start: int) -> Iterator[Finding]:
        """A name of a server's tool, against the server's list if the project has it."""
        server, separator, tool = name[5:].partition("__")
        place = matcher.node.text_place(start, start + len(name))
        if not separator:
            yield RULE.at(place, "whole_server", field=matcher.field, name=name)
            return
        if self._servers is None or not tool:
            return
        served = self._servers.tools_of(server)
        if served is None:
            near = close_index(self._declared).find(server)
            if server not in self._declared and near:
                yield _named(matcher, "unknown_server", server, start + 5, near, near, self._client)
        elif tool not in served:
            near, related = self._servers.instead_of(tool, server)
            at = start + len(name) - len(tool)
            found = _named(matcher, "server", tool, at, near, near, self._client, server=server)
            yield found._replace(related=(related,))

    def _check_expression(self, matcher: Matcher) -> Iterator[Finding]:
        """A regular expression, which is wrong only if it matches nothing that is known, and means nothing else."""
        text, client = matcher.node.value, self._client
        specified = _SPECIFIED.match(text)
        if specified is not None and specified[1] in self._own and client.all_tools:
            help = f'write `"matcher": "{specified[1]}"`, and `"if": "{text}"` in the hook'
            place = matcher.node.place
            yield RULE.at(place, "expression", field=matcher.field, name=text, client=client.name, help=help)
            return
        pattern = harmless(text)
        if pattern is None:
            if mistake(text) is not None:
                yield _finding(matcher, "broken", name=text)
            return
        if any(map(pattern.matches, self._own)):
            yield from self._check_alternatives(matcher)
            return
        of_server = _OF_SERVER.match(text)
        if of_server is not None and self._servers is not None and "|" not in text:
            server = of_server[1]
            served = self._servers.tools_of(server)
            if served is None or len(served) > _MOST_TOOLS:
                return
            if not any(pattern.matches(f"mcp__{server}__{tool}") for tool in served):
                yield _finding(matcher, "server_expression", name=text, server=server)
            return
        if "mcp" in text or "discovered" in text:
            return
        names = [name for name, _ in _names(matcher)] if _NAMES.match(text) else []
        if (client.all_tools and not self._file.shared) or (
            names and all(is_client_tool(name) or close_names(name, self._own) for name in names)
        ):
            yield _finding(matcher, "expression", name=text, client=client.name)

    def _check_alternatives(self, matcher: Matcher) -> Iterator[Finding]:
        """The names in an expression that is nothing but alternatives, of which others match."""
        group = _ALTERNATIVES.fullmatch(matcher.node.value)
        for found in _WORD.finditer(group[1]) if group is not None else ():
            name = found[0]
            near = () if is_client_tool(name) or any(name in own for own in self._own) else close_names(name, self._own)
            if near:
                at = cast("re.Match[str]", group).start(1) + found.start()
                yield _named(matcher, "client", name, at, near, near, self._client)
