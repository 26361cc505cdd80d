"""An agent is told to use a tool that its own list leaves out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from toolsurface_lint.checks.contract import PERMISSIONS, check
from toolsurface_lint.knowledge.clients import CLIENTS
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.names import alike_names, close_names, folded
from toolsurface_lint.model.patterns import PatternSet
from toolsurface_lint.model.permission import DENY, PermissionFile, known_names
from toolsurface_lint.model.prompt import LIST, STRONG, Prompt, Reference
from toolsurface_lint.model.servers import TOOL_OF_SERVER, normalized
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.vocabulary import Vocabulary

RULE = Rule(
    code="PROMPT_TOOL_NOT_GRANTED",
    since="0.1.0",
    severity=WARNING,
    summary="A text tells its agent to use a tool that the agent's own list leaves out.",
    message="the text uses the tool `{name}`, which `{list}` at the head of the file leaves out",
    help="add `{name}` to the list, or leave it out of the text",
    tags=("prompts", "policies"),
)


@check(PERMISSIONS, RULE)
def check_permissions(file: PermissionFile, surface: Surface) -> Iterator[Finding]:
    if not file.closed or not any(rule.action != DENY for rule in file.rules):
        return
    prompts = surface.prompts_of(file.origin)
    if not prompts:
        return
    granted = _granted(file.client, frozenset(rule.tool for rule in file.rules if rule.action != DENY))
    missing = _missing(file, surface, granted)
    for prompt in prompts:
        text = prompt.text
        # Most texts name none of them, and a look is cheap.
        names = {name: surface.by_name.get(name, []) for name in missing if name in text}
        served = [match[0] for match in TOOL_OF_SERVER.finditer(text) if not match["more"]] if "mcp__" in text else ()
        # One that its server does not serve is reported as that.
        lacks = surface.servers.lacks_any if surface.servers is not None else set[str]().__contains__
        names.update((name, []) for name in served if name not in granted and not lacks(name))
        if names:
            for reference in _found(prompt, names):
                if _is_meant(reference.name, file, surface):
                    continue
                place = prompt.place(reference.start, reference.end)
                yield RULE.at(
                    place,
                    tool=reference.name,
                    field=file.rules[0].field,
                    related=[("the list is here", file.node.place)],
                    list=file.rules[0].field,
                )


def _missing(file: PermissionFile, surface: Surface, granted: _Granted) -> frozenset[str]:
    """The tools that there are, and that the list leaves out."""
    if file.client is None:
        return frozenset(name for name in surface.by_name if name not in granted) if not surface.open else frozenset()
    return granted.left_out(surface.target.builtin_tools.get(file.client, frozenset()))


class _Granted:
    """The tools that the entries of an agent's list grant."""

    def __init__(self, client: str | None, entries: frozenset[str]) -> None:
        self._client = None if client is None else CLIENTS[client]
        self._folds = self._client is not None and self._client.folds
        self._all = "*" in entries
        # `set/tool` grants the tool; what is granted of `server/tool` is the server's.
        tools = {entry.rpartition("/")[2] for entry in entries}
        self._names = frozenset(map(folded, tools)) if self._folds else tools
        self._patterns = PatternSet(tools, wildcards=True)
        self._left_out: dict[frozenset[str], frozenset[str]] = {}

    def left_out(self, own: frozenset[str]) -> frozenset[str]:
        """The tools of the client, and its `own` by the settings, that it does not grant."""
        if own not in self._left_out:
            found = self._client
            assert found is not None
            names = (found.tools | frozenset(found.legacy) | own) - found.sets.keys()
            if found.sets:
                # Of a tool that no set is known to hold, nobody can tell what grants it.
                names = frozenset(name for name in names if not found.spellings(name).isdisjoint(found.sets))
            self._left_out[own] = frozenset(name for name in names if name not in self)
        return self._left_out[own]

    def __contains__(self, name: str) -> bool:
        wanted = frozenset((name,)) if self._client is None else self._client.spellings(name)
        if self._folds:
            wanted = frozenset(map(folded, wanted))
        return self._all or not wanted.isdisjoint(self._names) or any(map(self._patterns.matching, wanted))


# Most agents of a project have the same few lists.
@lru_cache(maxsize=256)
def _granted(client: str | None, entries: frozenset[str]) -> _Granted:
    return _Granted(client, entries)


def _is_meant(name: str, file: PermissionFile, surface: Surface) -> bool:
    """Whether an entry that names no tool is meant for this one: it is reported itself, and corrected grants the tool."""
    server, _, tool = name[5:].partition("__") if name.startswith("mcp__") else ("", "", name)
    for rule in file.rules:
        if rule.action == DENY:
            continue
        if rule.server is None:
            known = known_names(file.client) if file.client is not None and not server else {rule.tool}
            if known.isdisjoint((rule.tool, folded(rule.tool))) and alike_names(rule.tool, (name,)):
                return True
        elif rule.server_tool is not None and surface.servers is not None:
            entry = f"mcp__{rule.server}__{rule.server_tool}"
            same = normalized(rule.server) == server
            if (
                surface.servers.lacks(entry)
                if same
                else rule.server_tool == tool and close_names(rule.server, (server,))
            ):
                return True
    return False


_NEAR = 160
_OTHERS = re.compile(
    r"\b(?:orchestrator|caller|coordinator|parent|main (?:agent|session|conversation|thread))\b", re.IGNORECASE
)
_TOOL_BEHIND = re.compile(r"[`*\"']*\s+tool\b")


def _found(prompt: Prompt, names: dict[str, list[Tool]]) -> list[Reference]:
    """The references that order a call of one of these tools, in order."""
    from toolsurface_lint.checks.prompt._orders import is_own_word, orders

    text = prompt.text
    # To look for a name that says alone that it is a tool, or for what calls it one, takes less than to read the text.
    may_be_used = any(is_own_word(name) or _is_called_a_tool(name, text) for name in names)
    vocabulary = Vocabulary(names) if any(names.values()) else _undeclared(frozenset(names))
    found = {
        reference.start: reference
        for reference in (prompt.uses(vocabulary) if may_be_used else ())
        if reference.name in names
        and reference.evidence == STRONG
        # A list says which tools there are, for this agent or for those that it writes.
        and reference.form != LIST
        and (is_own_word(reference.name) or _TOOL_BEHIND.match(text, reference.end))
        and not _is_by_others(text, reference.start)
    }
    for order in orders(text):
        if order.name in names and order.names_a_known_tool and not _is_by_others(text, order.start):
            found[order.start] = Reference(order.name, order.start, order.end, "prose", order.end, specified=False)
    return [found[start] for start in sorted(found)]


def _is_called_a_tool(name: str, text: str) -> bool:
    at = text.find(name)
    while at >= 0:
        if _TOOL_BEHIND.match(text, at + len(name)):
            return True
        at = text.find(name, at + 1)
    return False


@lru_cache(maxsize=64)
def _undeclared(names: frozenset[str]) -> Vocabulary:
    """The names of tools that a client has of its own: their agents are asked about the same ones again and again."""
    return Vocabulary(dict.fromkeys(sorted(names), ()))


def _is_by_others(text: str, start: int) -> bool:
    """Whether the sentence says that somebody else uses what is named at an offset: who started the agent."""
    before = text[max(start - _NEAR, 0) : start]
    return _OTHERS.search(before, max(map(before.rfind, ".!?\n")) + 1) is not None
