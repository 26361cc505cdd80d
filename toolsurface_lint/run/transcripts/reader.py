"""Follows what the values of a transcript hold: whole conversations, or the events of logs, a piece of one at a time.

The formats are those of `readers.transcripts`; here is decided which conversation a value belongs to, which tools that one
has, and whether it is plain enough not to be followed.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from toolsurface_lint.checks.input.problems import rule_of, unreadable_lines
from toolsurface_lint.model.diagnostics import Finding
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.transcript import Call
from toolsurface_lint.readers.transcript_format import (
    DatasetSchema,
    Envelope,
    FoundConversation,
    MessageFormat,
    TranscriptEntry,
    definitions,
    envelope_of,
    find_conversation,
    log_lists,
    read_turns,
    tools_node,
)
from toolsurface_lint.run.transcripts.carried import EQUAL, CarriedSurface, CarriedTools
from toolsurface_lint.run.transcripts.conversation import (
    CalledSurface,
    Conversation,
    ConversationChecks,
)
from toolsurface_lint.run.transcripts.plain_chat import Tally, makes_calls_in_text, read_plain_chat
from toolsurface_lint.source.json_lines import LinePlace, LineTree
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import SourceText
from toolsurface_lint.source.tree import Node, Path, Place, TextTree, Tree

_WIRE_MARK = "CALL]]"
_MOST_PAGES = 20
"""So many pages of one list of tools are put together: each one anew with all before it."""


Sink = Callable[[Finding], None]


class TranscriptReader:
    """Follows the conversations in one part of one transcript: given its values in order, then its `end`.

    What is found goes to `sink`; what there is to say about the tools that conversations carry to `definitions`, if that is
    asked for. `carried` are the tools that other readers have met, and `calls` takes every call. `mapping` is the schema of the
    values by what a user says; without one it is recognised.
    """

    def __init__(
        self,
        surface: CalledSurface,
        checks: ConversationChecks,
        sink: Sink,
        *,
        definitions: Sink | None = None,
        carried: CarriedTools | None = None,
        calls: list[Call] | None = None,
        mapping: DatasetSchema | None = None,
    ) -> None:
        self._surface = surface
        self._checks = checks
        self._report = sink
        self._define = definitions
        self._carried = carried or CarriedTools(surface.surface, checks)
        self._calls = calls
        self._mapping = mapping
        self._last: tuple[bytes, CarriedSurface] | None = None
        """The tools that the conversation before carried, and their surface."""
        self._sessions: dict[Hashable, Conversation] = {}
        self._pages: dict[Hashable, tuple[int, Sequence[Tool]]] = {}
        """The lists of tools of which there is another page: how many were read, and what they hold."""
        self._format: MessageFormat | None = None
        self._schema: DatasetSchema | None = None
        self._envelope: Envelope | None = None
        self._wired = False
        self._source: SourceText | None = None
        self.tally = Tally()
        self.last: tuple[FoundConversation, CalledSurface] | None = None
        """The conversation that was followed last as a whole, and its surface."""

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
        if self._mapping is not None:
            mapped = self._mapping.read(tree.root)
            if mapped is not None:
                self._conversation(tree, mapped._replace(schema=self._mapping))
            return
        envelope = self._envelope
        if envelope is not None and type(value) is dict and envelope.recognises(value):
            self._event(tree, (), value, envelope)
            return
        found = find_conversation(tree.root, self._format, self._schema)
        if found is not None:
            self._conversation(tree, found)
            return
        envelope = envelope_of(value)
        if envelope is not None:
            self._envelope = envelope
            self._event(tree, (), value, envelope)
            return
        for path, items in log_lists(value):
            for index, item in enumerate(items):
                self._item(tree, (*path, index), item)

    def end(self) -> None:
        """No value follows."""
        for conversation in self._sessions.values():
            conversation.end()
        self._sessions.clear()

    def problem(self, problem: Problem[LinePlace]) -> None:
        """Report lines that cannot be read."""
        if rule_of(problem).code not in self._checks.enabled:
            return
        place = Place(TextTree(problem.at.source), (), "text", *problem.at.span)
        self._report(unreadable_lines(problem, place))

    def _item(self, tree: Tree, path: Path, item: Any) -> None:
        """One item of a list: an event of a log, or a conversation."""
        envelope = envelope_of(item)
        if envelope is not None:
            self._event(tree, path, item, envelope)
            return
        found = find_conversation(Node(tree, path, item), self._format, self._schema)
        if found is not None:
            self._conversation(tree, found)

    def _event(self, tree: Tree, path: Path, event: dict[str, Any], envelope: Envelope) -> None:
        for entry in envelope.read(tree, path, event):
            conversation = self._sessions.get(entry.conversation)
            if conversation is None:
                conversation = self._begin(self._surface, self._report, entry.starts)
                self._sessions[entry.conversation] = conversation
            if entry.tools is not None:
                conversation.tools(self._listed(tree.at(entry.tools), entry))
            if entry.turn is not None:
                conversation.wired = self._wired
                conversation.turn(entry.turn)

    def _listed(self, node: Node, entry: TranscriptEntry) -> CalledSurface:
        """The surface of a conversation that lists its tools, page by page."""
        pages, earlier = self._pages.pop(entry.conversation, (0, ()))
        called = self._carried.read(node, earlier)
        surface = called.surface
        if surface.tools[: len(earlier)] != list(earlier):
            # It was asked for again.
            pages = 0
        if entry.more_tools and pages < _MOST_PAGES:
            self._pages[entry.conversation] = pages + 1, surface.tools
        self._say_definitions(called)
        return called

    def _conversation(self, tree: Tree, found: FoundConversation) -> None:
        self._format, self._schema = found.format, found.schema
        surface = self._surface
        node = tools_node(found)
        if node is None:
            self._follow(found, surface, self._report)
        else:
            self._follow_with_tools(found, node)
        if found.schema is not None:
            schemas = self.tally.schemas
            schemas[found.schema.name] = schemas.get(found.schema.name, 0) + 1

    def _follow_with_tools(self, found: FoundConversation, node: Node) -> None:
        """Follow a conversation that carries its tools at `node`, as it writes them."""
        carried = self._surface_of(found, node)
        if carried.is_anew:
            self._follow(found, carried, self._report)
            return
        before = Tally()
        before.add(self.tally)
        findings: list[Finding] = []
        called = 0 if self._calls is None else len(self._calls)
        self._follow(found, carried, findings.append)
        if findings:
            # The tools are on this line too: what is said of them points here.
            self.tally = before
            if self._calls is not None:
                del self._calls[called:]
            self._follow(found, self._carried.read(definitions(found, node)), self._report)

    def _surface_of(self, found: FoundConversation, node: Node) -> CarriedSurface:
        """The surface of a conversation that carries its tools, about which what there is to say has been said."""
        try:
            # One text may mean different tools in different schemas.
            key = marshal.dumps((None if found.schema is None else found.schema.name, node.value), EQUAL)
        except ValueError:
            key = b""
        if key and self._last is not None and self._last[0] == key:
            return self._last[1]
        surface, nodes = self._carried.recall(key, lambda: definitions(found, node))
        self._last = key, surface
        self._say_definitions(surface, nodes)
        return surface

    def _follow(self, found: FoundConversation, surface: CalledSurface, sink: Sink) -> None:
        self.last = found, surface
        if found.quick and not self._wired and self._checks.quick(surface.surface):
            plain = read_plain_chat(found.messages, surface.accepts)
            if plain is not None and not makes_calls_in_text(found.messages):
                self.tally.add(plain)
                return
        conversation = self._begin(surface, sink, found.from_start)
        conversation.wired = self._wired
        for turn in read_turns(found):
            conversation.turn(turn)
        conversation.end()

    def _begin(self, surface: CalledSurface, sink: Sink, from_start: bool) -> Conversation:
        return Conversation(surface, self._checks, self.tally, sink, from_start, self._calls)

    def _say_definitions(self, surface: CarriedSurface, nodes: Sequence[Node] = ()) -> None:
        if self._define is not None:
            for finding in surface.definitions_at(nodes) if nodes else surface.definitions:
                self._define(finding)
