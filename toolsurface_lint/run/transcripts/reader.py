"""Follows what the values of a transcript hold: whole conversations, or the events of logs, a piece of one at a time.

The formats are those of `readers.transcripts`; here is decided which conversation a value belongs to, which tools that one
has, and whether it is plain enough not to be followed.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Hashable
from typing import Any

from toolsurface_lint.checks.input.problems import rule_of, unreadable_lines
from toolsurface_lint.model.diagnostics import Diagnostic, Finding
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.readers.transcript_format import (
    Envelope,
    MessageFormat,
    MessageList,
    ModelRequest,
    TranscriptEntry,
    envelope_of,
    find_conversation,
    log_lists,
    marked_envelope,
    read_turns,
    tools_node,
)
from toolsurface_lint.run.reporting import Resolver
from toolsurface_lint.run.transcripts.conversation import (
    CalledSurface,
    Conversation,
    ConversationChecks,
    carried_surface,
)
from toolsurface_lint.run.transcripts.plain_chat import Tally, makes_calls_in_text, read_plain_chat
from toolsurface_lint.run.transcripts.requests import Requests
from toolsurface_lint.source.json_lines import LinePlace, LineTree
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import SourceText
from toolsurface_lint.source.tree import Node, Path, Place, TextTree, Tree

_WIRE_MARK = "CALL]]"
_MANY_TOOL_LISTS = 64
_MOST_PAGES = 20
"""So many pages of one list of tools are put together: each one anew with all before it."""


class TranscriptReader:
    """Follows the conversations in one part of one transcript: given its values in order, then its `end`."""

    def __init__(self, surface: CalledSurface, checks: ConversationChecks) -> None:
        self._surface = surface
        self._checks = checks
        self._carried: dict[bytes, tuple[CalledSurface, Tree]] = {}
        """The surfaces of conversations that carry their tools, by those, and the value that each was read from."""
        self._sessions: dict[Hashable, Conversation] = {}
        self._pages: dict[Hashable, tuple[int, list[Tool]]] = {}
        """The lists of tools of which there is another page: how many were read, and what they hold."""
        self._format: MessageFormat | None = None
        self._envelope: Envelope | None = None
        self._wired = False
        self._source: SourceText | None = None
        self._resolver = Resolver(checks.severity)
        self.tally = Tally()
        self.found: list[Diagnostic] = []
        self._requests = Requests(surface, checks, self.tally, self._report)

    def value(self, tree: Tree) -> None:
        """Follow what one value holds: conversations, or a part of one. A crash is reported at the value."""
        try:
            self._value(tree)
        except Exception as error:
            self._report(self._checks.crash("check", tree.root.place, error))

    def crash(self, place: Place, error: Exception) -> None:
        """Report that the file could not be read to its end."""
        self._report(self._checks.crash("file", place, error))

    def _value(self, tree: Tree) -> None:
        value = tree.value
        source = tree.source
        if isinstance(tree, LineTree):
            self._wired = _WIRE_MARK in tree.text
        elif source is not self._source:
            # Of many values in one file, each has all of its text.
            self._source = source
            self._wired = source is not None and _WIRE_MARK in source.text
        envelope = self._envelope
        if envelope is not None and type(value) is dict and envelope.recognises(value):
            self._event(tree, (), value, envelope)
            return
        envelope = marked_envelope(value)
        found = find_conversation(value, self._format) if envelope is None else None
        if found is not None:
            self._conversation(tree, found)
            return
        envelope = envelope or envelope_of(value)
        if envelope is not None:
            self._envelope = envelope
            self._event(tree, (), value, envelope)
            return
        for path, items in log_lists(value):
            for index, item in enumerate(items):
                self._item(tree, (*path, index), item)

    def end(self) -> None:
        """No value follows."""
        _end(self._sessions, self._requests)

    def problem(self, problem: Problem[LinePlace], what: str = "line") -> None:
        """Report lines that cannot be read, or whatever `what` says."""
        if rule_of(problem).code not in self._checks.enabled:
            return
        place = Place(TextTree(problem.at.source), (), "text", *problem.at.span)
        self._report(unreadable_lines(problem, place, what))

    def _report(self, finding: Finding) -> None:
        self.found.append(self._resolver.diagnostic(finding))

    def _item(self, tree: Tree, path: Path, item: Any) -> None:
        """One item of a list: an event of a log, or a conversation."""
        envelope = envelope_of(item)
        if envelope is not None:
            self._event(tree, path, item, envelope)
            return
        found = find_conversation(item, self._format)
        if found is not None:
            tools = None if found.tools is None else (*path, *found.tools)
            self._conversation(tree, found._replace(path=(*path, *found.path), tools=tools))

    def _event(self, tree: Tree, path: Path, event: dict[str, Any], envelope: Envelope) -> None:
        sessions, requests = self._sessions, self._requests
        if envelope.whole:
            sessions, requests = {}, Requests(self._surface, self._checks, self.tally, self._report)
        for entry in envelope.read(tree, path, event):
            if isinstance(entry, ModelRequest):
                requests.add(entry, self._wired)
                continue
            conversation = sessions.get(entry.conversation)
            if conversation is None:
                conversation = Conversation(self._surface, self._checks, self.tally, self._report, entry.starts)
                sessions[entry.conversation] = conversation
            if entry.tools is not None:
                conversation.tools(self._listed(tree.at(entry.tools), entry))
            if entry.turn is not None:
                conversation.wired = self._wired
                conversation.turn(entry.turn)
        if envelope.whole:
            _end(sessions, requests)

    def _listed(self, node: Node, entry: TranscriptEntry) -> CalledSurface:
        """The surface of a conversation that lists its tools, page by page."""
        surface = carried_surface(node, self._surface.surface)
        pages, earlier = self._pages.pop(entry.conversation, (0, []))
        # A list that is asked for again begins with tools that are known.
        if {tool.name for tool in earlier}.isdisjoint(tool.name for tool in surface.tools):
            surface.tools[:0] = earlier
        else:
            pages = 0
        if entry.more_tools and pages < _MOST_PAGES:
            self._pages[entry.conversation] = pages + 1, surface.tools
        return CalledSurface(surface)

    def _conversation(self, tree: Tree, found: MessageList) -> None:
        self._format = found.format
        surface = self._surface
        node = tools_node(tree, found)
        elsewhere = False
        if node is not None:
            key = marshal.dumps(node.value)
            known = self._carried.get(key)
            if known is None:
                known = (self._with_tools(node), tree)
                if len(self._carried) < _MANY_TOOL_LISTS:
                    self._carried[key] = known
            surface = known[0]
            elsewhere = known[1] is not tree
        if not elsewhere:
            self._follow(tree, found, surface, self._report)
            return
        before = Tally()
        before.add(self.tally)
        findings: list[Finding] = []
        self._follow(tree, found, surface, findings.append)
        if findings and node is not None:
            # The tools are on this line too: what is said of them points here.
            self.tally = before
            self._follow(tree, found, self._with_tools(node), self._report)

    def _follow(self, tree: Tree, found: MessageList, surface: CalledSurface, sink: Callable[[Finding], None]) -> None:
        if found.format.quick and not self._wired and self._checks.quick(surface.surface):
            plain = read_plain_chat(found.messages, surface.accepts)
            if plain is not None and not makes_calls_in_text(found.messages):
                self.tally.add(plain)
                return
        conversation = Conversation(surface, self._checks, self.tally, sink, found.from_start)
        conversation.wired = self._wired
        for turn in read_turns(tree, found):
            conversation.turn(turn)
        conversation.end()

    def _with_tools(self, node: Node) -> CalledSurface:
        return CalledSurface(carried_surface(node, self._surface.surface))


def _end(sessions: dict[Hashable, Conversation], requests: Requests) -> None:
    """Nothing follows in some conversations."""
    for conversation in sessions.values():
        conversation.end()
    sessions.clear()
    requests.end()
