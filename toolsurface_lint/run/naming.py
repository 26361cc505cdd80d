"""The places of a surface that name its tools: definitions, prompts, policies, and everything else that is checked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from toolsurface_lint.model.hooks import HookFile
from toolsurface_lint.model.manifest import Manifest
from toolsurface_lint.model.mentions import mentions_in
from toolsurface_lint.model.patterns import glob_match, wildcard_match
from toolsurface_lint.model.permission import PermissionFile, PermissionRule
from toolsurface_lint.model.prompt import QUALIFIED, WEAK, Prompt
from toolsurface_lint.model.servers import TOOL_OF_SERVER
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.texts import described
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Node, Place

DECLARATION, MENTION, PATTERN, PERMISSION = "declaration", "mention", "pattern", "permission"

DEFINITION, PROMPT, DESCRIPTION, POLICY, PERMISSIONS = (
    "definition",
    "prompt",
    "description",
    "policy",
    "permission file",
)
HOOK, MANIFEST, PROGRAM, SETTINGS = "hook", "manifest", "program", "settings"
"""What holds a naming."""


class Naming(NamedTuple):
    """One place that names a tool, or tools by a pattern.

    `role`: `declaration`; `mention` (in a text, or anywhere else where the name alone counts); `pattern` of a policy; entry
    of a client's `permission` file, in which a `*` may be anywhere. `holder` is one of those above. `served` has the tools
    that it may mean where these are those of one server, by name; None if they are those of the surface. `sure` is false where
    prose around it says little, and the name might be something else.
    """

    name: str
    place: Place
    role: str
    surface: Surface
    holder: str = PROMPT
    served: Mapping[str, Tool] | None = None
    sure: bool = True

    def names(self, tool: str) -> bool:
        """Whether it means a tool of this name."""
        if self.role == PATTERN:
            return glob_match(self.name, tool)
        return wildcard_match(self.name, tool) if self.role == PERMISSION else self.name == tool

    @property
    def is_pattern(self) -> bool:
        """Whether it is more than one name."""
        return self.role in (PATTERN, PERMISSION) and "*" in self.name

    @property
    def tools(self) -> list[Tool]:
        """The declared tools that it names, in the order of declaration."""
        if self.served is not None:
            return [tool for name, tool in self.served.items() if self.names(name)]
        if not self.is_pattern:
            return self.surface.by_name.get(self.name, [])
        return [tool for name, tools in self.surface.by_name.items() if self.names(name) for tool in tools]

    def means(self, tool: Tool) -> bool:
        """Whether it names a declared tool, alone or among others. Patterns are compared with its name alone."""
        if self.served is not None:
            served = self.served.get(tool.name)
            return served is not None and served.name_place == tool.name_place and self.names(tool.name)
        if self.is_pattern:
            return self.names(tool.name)
        return any(named.name_place == tool.name_place for named in self.tools)

    @property
    def span(self) -> Span | None:
        """The span of the name, without quotes."""
        return without_quotes(self.place)


def namings(surface: Surface) -> Iterator[Naming]:
    """Every place of a surface that names a tool."""
    for tool in surface.tools:
        yield Naming(tool.name, tool.name_place, DECLARATION, surface, DEFINITION)
        if tool.annotations is not None:
            for node in tool.annotations.result_readers:
                yield Naming(str(node.value), node.place, MENTION, surface, DEFINITION)
        yield from _in_texts(tool, surface)
    yield from _dispatched(surface)
    for node in _patterns(surface):
        yield Naming(str(node.value), node.place, PATTERN, surface, POLICY)
    for policy in surface.policies:
        for name, given in policy.annotations.items():
            yield Naming(name, given.node.key_place, MENTION, surface, POLICY)
    for permissions in surface.permissions:
        for rule in permissions.rules:
            yield _permitted(rule, permissions, surface)
    for hooks in surface.hooks:
        yield from _matched(hooks, surface)
    for manifest in surface.manifests:
        yield from _listed(manifest, surface)
    for prompt in prompts_of(surface):
        yield from _in_prompt(prompt, surface)


def _in_texts(tool: Tool, surface: Surface) -> Iterator[Naming]:
    """What the texts of a definition name: other tools, and the tool itself."""
    for node in texts_of(tool):
        for mention in mentions_in(node.value, tool.known_keys, kebab="-" in tool.name):
            if mention.name in surface.by_name:
                place = node.text_place(mention.start, mention.end)
                yield Naming(mention.name, place, MENTION, surface, DESCRIPTION, sure=mention.coded)


def texts_of(tool: Tool) -> Iterator[Node]:
    """The descriptions of a tool and of its parameters."""
    if tool.description is not None and isinstance(tool.description.value, str):
        yield tool.description
    yield from (part.node(tool) for part in described(tool))


def prompts_of(surface: Surface) -> Iterator[Prompt]:
    """The prompts of a surface, and what its templates render to."""
    yield from surface.prompts
    for template in surface.templates:
        yield from template.prompts


def _dispatched(surface: Surface) -> Iterator[Naming]:
    """What the code that calls the tools has their names for."""
    for dispatch in {id(tool.dispatch): tool.dispatch for tool in surface.tools}.values():
        for name, place in () if dispatch is None else dispatch.handled.items():
            # The place is that of an expression; a name in it is one if it is in quotes.
            text = place.reads() or ""
            at = text.find(name)
            if at > 0 and text[at - 1] in "\"'" and text[at + len(name) :][:1] == text[at - 1]:
                yield Naming(name, place.part(at, at + len(name)), MENTION, surface, PROGRAM)


def _patterns(surface: Surface) -> Iterator[Node]:
    for policy in surface.policies:
        yield from policy.tools
        yield from (constraint.tool for constraint in policy.constraints)
    for approval in surface.approvals:
        yield from (pattern.node for pattern in approval.patterns())


def _permitted(rule: PermissionRule, file: PermissionFile, surface: Surface) -> Naming:
    """The tool of an entry: of a server, where the entry says which, else of the surface."""
    served = None if rule.server is None else _served(rule, file, surface)
    tool = rule.tool if served is None or rule.server_tool is None else rule.server_tool
    name = rule.text.partition("(")[0].rstrip()
    if served is not None and rule.server_tool is None:
        # A pattern, which has the name of the server before it.
        tool = rule.tool[rule.tool.rfind("__") + 2 :] if "__" in rule.tool else "*"
    start = len(name) - len(tool)
    inside = start >= 0 and name.endswith(tool)
    place = rule.place.part(start, len(name)) if inside else rule.place
    return Naming(tool, place, PERMISSION, surface, PERMISSIONS, served)


def _served(rule: PermissionRule, file: PermissionFile, surface: Surface) -> Mapping[str, Tool] | None:
    """The tools of the server that an entry names, if they are known."""
    assert rule.server is not None
    if surface.servers is None:
        return None
    if rule.server in file.started and rule.server not in file.servers:
        return surface.servers.started_for(file.origin, file.started[rule.server])
    return surface.servers.tools_of(rule.server)


_SERVED = re.compile(r"(?<![A-Za-z0-9_-])mcp__([A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*)__([A-Za-z0-9_-]+)(?![A-Za-z0-9_*-])")


def _matched(file: HookFile, surface: Surface) -> Iterator[Naming]:
    """The tools of servers that the matchers of hooks have by their whole names, in lists and in expressions."""
    for matcher in file.matchers if surface.servers is not None else ():
        for found in _SERVED.finditer(matcher.node.value):
            yield from _of_server(found, matcher.node, surface, HOOK)


def _of_server(found: re.Match[str], node: Node | Prompt, surface: Surface, holder: str) -> Iterator[Naming]:
    """The tool of a server that a text names, if the tools of the server are known."""
    server, name = found[1], found[2]
    served = None if surface.servers is None else surface.servers.tools_of(server)
    if served is not None and name in served:
        place = (node.place if isinstance(node, Prompt) else node.text_place)(*found.span(2))
        yield Naming(name, place, MENTION, surface, holder, served)


def _listed(manifest: Manifest, surface: Surface) -> Iterator[Naming]:
    served = None
    if manifest.names and surface.servers is not None:
        served = surface.servers.started_by(manifest.origin, manifest.programs, manifest.package)
    for node in manifest.names if served else ():
        yield Naming(str(node.value), node.place, MENTION, surface, MANIFEST, served)


def _in_prompt(prompt: Prompt, surface: Surface) -> Iterator[Naming]:
    """The tools that a prompt names, whatever it says of them; those of servers by `mcp__SERVER__TOOL` too."""
    apart: set[int] = set()
    if surface.servers is not None and "mcp__" in prompt.text:
        for found in TOOL_OF_SERVER.finditer(prompt.text):
            if not found["more"]:
                for naming in _of_server(found, prompt, surface, PROMPT):
                    apart.add(found.start(2))
                    yield naming
    for reference in prompt.named(surface.vocabulary_for(prompt)):
        if reference.evidence == WEAK or reference.start in apart:
            continue
        sure = reference.specified or reference.form == QUALIFIED or reference.called_tool
        place = prompt.place(reference.start, reference.end)
        yield Naming(reference.name, place, MENTION, surface, PROMPT, sure=sure)


def namings_at(surfaces: Iterable[Surface], path: str, offset: int) -> list[Naming]:
    """What the file at a displayed path names at an offset, in each of the surfaces that it is part of."""
    return [
        naming
        for surface in surfaces
        for naming in namings(surface)
        if (source := naming.place.source) is not None
        and source.path == path
        and (span := naming.span) is not None
        and span.start <= offset <= span.end
    ]


def without_quotes(place: Place) -> Span | None:
    """The span of a place, without the quotes of a string; None for plain data."""
    span, source = place.span(), place.source
    if span is None or source is None:
        return None
    text = source.text
    quoted = span.end - span.start > 1 and text[span.start] in "\"'" and text[span.end - 1] == text[span.start]
    return Span(span.start + 1, span.end - 1) if quoted else span
