"""What depends on a tool of a surface: the prompts, policies, permissions, hooks and manifests that name or call it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from functools import cached_property
from typing import Any, NamedTuple

from toolsurface_lint.checks.prompt._call_examples import example_of, refusal
from toolsurface_lint.model.decisions import APPROVED, decide_approval, decide_permission
from toolsurface_lint.model.patterns import NameIndex, PatternMap
from toolsurface_lint.model.permission import is_client_tool
from toolsurface_lint.model.prompt import WEAK, Prompt, Reference
from toolsurface_lint.model.servers import TOOL_OF_SERVER, Servers
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.source.tree import Place

Related = tuple[str, Place]
"""What is said of a place, and the place."""

_CODED = re.compile(r"`([^`\s]{1,128})`")
_LONGEST_LINE = 2000
"""Characters of a line in which the names of parameters are looked for."""


class _Naming(NamedTuple):
    """A reference in a prompt; `server` is the one that it is written with, empty for a bare name."""

    surface: Surface
    prompt: Prompt
    reference: Reference
    server: str


class _Entry(NamedTuple):
    """An entry that names a tool; `server` as in `_Naming`."""

    surface: Surface
    sentence: str
    place: Place
    server: str = ""


class _Arguments(NamedTuple):
    """What prompts and policies say of the arguments of one tool.

    `named`: where a parameter is passed, constrained or explained; `complete`: the names that each call passes which
    leaves nothing open, and where it is; `values`: the literal values of each parameter.
    """

    named: dict[str, list[Related]]
    complete: list[tuple[frozenset[str], Place]]
    values: dict[str, list[tuple[Any, Place]]]


class Dependents:
    """Everything in the new version that may depend on a tool; each surface has in `earlier` the tools that it had."""

    def __init__(self, surfaces: Sequence[Surface], earlier_servers: Servers | None) -> None:
        self._surfaces = surfaces
        self._servers = earlier_servers
        self._found: dict[tuple[int, int], _Arguments] = {}

    # Whoever names a tool

    def naming(self, tool: Tool) -> Iterator[Related]:
        """What names a tool that the new version does not have under this name."""
        for entry in (*self._prompts_naming(tool), *self._entries.get(tool.name, ())):
            if self._means(entry, tool):
                if isinstance(entry, _Naming):
                    reference = entry.reference
                    yield "this prompt names it", entry.prompt.place(reference.start, reference.end)
                else:
                    yield entry.sentence, entry.place
        for surface in self._holders(tool):
            for place in self._only_matching.get(id(surface), PatternMap[Place](())).matching(tool.name):
                yield "this pattern matches no other tool", place

    def _holders(self, tool: Tool) -> list[Surface]:
        return self._holding.get(id(tool), [])

    @cached_property
    def _holding(self) -> dict[int, list[Surface]]:
        """The surfaces that had each tool, by its identity."""
        found: dict[int, list[Surface]] = {}
        for surface in self._surfaces:
            for tool in () if surface.earlier is None else surface.earlier.tools:
                found.setdefault(id(tool), []).append(surface)
        return found

    @cached_property
    def _had(self) -> dict[int, frozenset[int]]:
        """The identities of the tools that each surface had."""
        return {
            id(surface): frozenset(map(id, () if surface.earlier is None else surface.earlier.tools))
            for surface in self._surfaces
        }

    def _means(self, entry: _Naming | _Entry, tool: Tool) -> bool:
        """Whether what a name of the tool stands for was that tool, and is nothing now."""
        served = None if self._servers is None or not entry.server else self._servers.tools_of(entry.server)
        if served is not None:
            now = None if entry.surface.servers is None else entry.surface.servers.tools_of(entry.server)
            return served.get(tool.name) is tool and (now is None or tool.name not in now)
        if id(tool) not in self._had[id(entry.surface)]:
            return False
        return tool.name not in entry.surface.by_name

    def _prompts_naming(self, tool: Tool) -> list[_Naming]:
        return self._references.get(tool.name, [])

    @cached_property
    def _references(self) -> dict[str, list[_Naming]]:
        """The references of all prompts by the name of the tool, each once; those that deny or forbid one among them."""
        found: dict[str, list[_Naming]] = {}
        seen: set[tuple[object, ...]] = set()
        for surface in self._surfaces:
            prompts = (*surface.prompts, *(prompt for template in surface.templates for prompt in template.prompts))
            if not prompts:
                continue
            either = self._with_both(surface)
            for prompt in prompts:
                for reference in prompt.named(either.vocabulary_for(prompt)):
                    key = (id(surface), id(prompt.tree), prompt.path, reference.start)
                    if reference.evidence != WEAK and key not in seen:
                        seen.add(key)
                        naming = _Naming(surface, prompt, reference, _server_before(prompt.text, reference.start))
                        found.setdefault(reference.name, []).append(naming)
        return found

    def _with_both(self, surface: Surface) -> Surface:
        """A surface that has the tools of both versions, to be asked which names a prompt may mean."""
        either = copy(surface)
        either.forget()
        earlier = surface.earlier
        gone = () if earlier is None else (tool for tool in earlier.tools if tool.name not in surface.by_name)
        either.tools = [*surface.tools, *gone]
        either.servers = self._servers or surface.servers
        return either

    @cached_property
    def _entries(self) -> dict[str, list[_Entry]]:
        """The entries that name one tool, by its name."""
        found: dict[str, list[_Entry]] = {}
        seen: set[tuple[int, object]] = set()
        for surface in self._surfaces:
            for name, entry in _entries_of(surface):
                key = (id(entry.place.tree), (entry.place.path, entry.place.start, entry.place.aspect, id(surface)))
                if key not in seen:
                    seen.add(key)
                    found.setdefault(name, []).append(entry)
        return found

    @cached_property
    def _only_matching(self) -> dict[int, PatternMap[Place]]:
        """The patterns with a `*` that no tool of a surface matches now."""
        found: dict[int, PatternMap[Place]] = {}
        for surface in self._surfaces:
            index = NameIndex(surface.by_name)
            nodes = [node for policy in surface.policies for node in policy.tools]
            nodes += [pattern.node for approval in surface.approvals for pattern in approval.patterns()]
            found[id(surface)] = PatternMap(
                (str(node.value), node.place)
                for node in nodes
                if str(node.value) != "*" and "*" in str(node.value) and not index.matched(str(node.value), 1)[1]
            )
        return found

    # Whoever passes an argument

    def passing(self, tool: Tool, name: str, *, was: Tool) -> Iterable[Related]:
        """What passes, constrains or explains the parameter `name` of a tool, which was `was`."""
        return self._arguments(tool, was).named.get(name, ())

    def leaving_out(self, tool: Tool, name: str, *, was: Tool) -> Iterator[Related]:
        """The calls in prompts that do not pass a parameter."""
        for passed, place in self._arguments(tool, was).complete:
            if name not in passed:
                yield "this call leaves it out", place

    def refused(self, tool: Tool, name: str, *, was: Tool) -> Iterator[Related]:
        """The values in calls of prompts that a parameter took and takes no more."""
        for value, place in self._arguments(tool, was).values.get(name, ()):
            if refusal(was, name, value) is None and refusal(tool, name, value) is not None:
                yield "this call passes a value that is refused now", place

    def _arguments(self, tool: Tool, was: Tool) -> _Arguments:
        key = (id(tool), id(was))
        if key not in self._found:
            self._found[key] = self._find_arguments(tool, was)
        return self._found[key]

    def _find_arguments(self, tool: Tool, was: Tool) -> _Arguments:
        found = _Arguments({}, [], {})
        for entry in dict.fromkeys((*self._prompts_naming(was), *self._prompts_naming(tool))):
            if id(was) not in self._had[id(entry.surface)]:
                continue
            prompt, reference = entry.prompt, entry.reference
            is_call = reference.call_end > reference.end and not reference.gaps
            example = example_of(reference, prompt) if is_call else None
            if example is None:
                for name, related in _explaining(entry):
                    found.named.setdefault(name, []).append(related)
                continue
            for argument in example.arguments:
                place = prompt.place(*argument.key_span)
                found.named.setdefault(argument.key, []).append(("this call passes it", place))
                if argument.is_literal:
                    place = prompt.place(*argument.value_span)
                    found.values.setdefault(argument.key, []).append((argument.value, place))
            if example.complete:
                passed = frozenset(argument.key for argument in example.arguments)
                found.complete.append((passed, prompt.place(reference.start, reference.end)))
        for surface in self._holders(was):
            for policy in surface.policies:
                for constraint in policy.constraining.matching(tool.name):
                    if constraint.arg_key is not None:
                        place = constraint.arg_key.place
                        name = str(constraint.arg_key.value)
                        found.named.setdefault(name, []).append(("this constraint is on it", place))
        return found

    # Whoever lets a tool run

    def allowing(self, tool: Tool, *, was: Tool) -> Iterator[Related]:
        """What lets every call of a tool run without asking anybody."""
        for surface in self._holders(was):
            for approval in surface.approvals:
                decision = decide_approval(approval, tool.name)
                if decision.outcome == APPROVED and decision.pattern is not None:
                    yield "approved here without asking", decision.place
        for surface in self._surfaces:
            for permissions in surface.permissions:
                names = [] if surface.servers is None else surface.servers.names_at(permissions.origin, tool)
                names += [tool.name] if id(was) in self._had[id(surface)] and not is_client_tool(tool.name) else []
                for name in names:
                    allowed = decide_permission(permissions, name)
                    if allowed is not None and allowed.outcome == APPROVED:
                        yield "allowed here without asking", allowed.place


def _server_before(text: str, start: int) -> str:
    """The server in whose form `mcp__SERVER__` a name in a text is written; empty if it stands alone."""
    head = re.search(r"\bmcp__([A-Za-z0-9_-]{1,64})__\Z", text[max(start - 80, 0) : start])
    found = None if head else re.match(r"mcp__([A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*?)__", text[start : start + 80])
    match = head or found
    return "" if match is None else match[1]


def _explaining(entry: _Naming) -> Iterator[tuple[str, Related]]:
    """The names in backticks in the line that names the tool, each with its place."""
    text, reference = entry.prompt.text, entry.reference
    start = text.rfind("\n", max(reference.start - _LONGEST_LINE, 0), reference.start) + 1
    start = max(start, reference.start - _LONGEST_LINE)
    end = text.find("\n", reference.end, reference.end + _LONGEST_LINE)
    end = reference.end + _LONGEST_LINE if end < 0 else end
    for match in _CODED.finditer(text, start, end):
        yield match[1], ("this prompt explains it", entry.prompt.place(match.start(1), match.end(1)))


def _entries_of(surface: Surface) -> Iterator[tuple[str, _Entry]]:
    """The entries of a surface that name one tool, by its own name."""
    for policy in surface.policies:
        for node in policy.tools:
            yield str(node.value), _Entry(surface, "the policy names it", node.place)
        for constraint in policy.constraints:
            yield str(constraint.tool.value), _Entry(surface, "the policy constrains it", constraint.tool.place)
        for name, annotated in policy.annotations.items():
            yield name, _Entry(surface, "the policy annotates it", annotated.node.key_place)
    for approval in surface.approvals:
        for pattern in approval.patterns():
            yield str(pattern.node.value), _Entry(surface, "the approval policy names it", pattern.node.place)
    for permissions in surface.permissions:
        for rule in permissions.rules:
            if rule.server is not None and rule.server_tool is not None:
                yield rule.server_tool, _Entry(surface, "the permission rule names it", rule.place, rule.server)
            elif rule.server is None and not is_client_tool(rule.tool):
                yield rule.tool, _Entry(surface, "the permission rule names it", rule.place)
    for hooks in surface.hooks:
        for matcher in hooks.matchers:
            for match in TOOL_OF_SERVER.finditer(str(matcher.node.value)):
                if not match["more"]:
                    place = matcher.node.text_place(match.start(), match.end())
                    yield match["tool"], _Entry(surface, "this hook is for it", place, match["server"])
    for manifest in surface.manifests:
        for node in manifest.names:
            yield str(node.value), _Entry(surface, "the manifest lists it", node.place)
    for tool in surface.tools:
        given = surface.annotations(tool)
        for reader in () if given is None else given.result_readers:
            yield str(reader.value), _Entry(surface, "a tool names it as a reader of its results", reader.place)


def shown(found: Iterable[Related], most: int = 20) -> list[Related]:
    """The first of some related places, each once."""
    kept: dict[object, Related] = {}
    for sentence, place in found:
        kept.setdefault((id(place.tree), place.path, place.aspect, place.start, place.end), (sentence, place))
        if len(kept) == most:
            break
    return list(kept.values())
