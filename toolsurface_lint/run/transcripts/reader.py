"""Follows what the values of a transcript hold: whole conversations, or the events of logs, a piece of one at a time.

The formats are those of `readers.transcripts`; here is decided which conversation a value belongs to, which tools that one
has, and whether it is plain enough not to be followed.
"""

from __future__ import annotations

import marshal
import re
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from toolsurface_lint.model.diagnostics import Finding
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.transcript import Turn
from toolsurface_lint.readers.conversations import (
    definitions,
    envelope_of,
    find_conversation,
    log_lists,
    marked_envelope,
    read_turns,
    tools_node,
)
from toolsurface_lint.readers.transcript_format import (
    DatasetSchema,
    Envelope,
    FoundConversation,
    MessageFormat,
    ModelRequest,
    QuickLog,
    ReadEvent,
    TranscriptEntry,
)
from toolsurface_lint.run.transcripts.beside import RowsBeside
from toolsurface_lint.run.transcripts.carried import CarriedSurface, CarriedTools
from toolsurface_lint.run.transcripts.conversation import (
    CalledSurface,
    Conversation,
    ConversationChecks,
)
from toolsurface_lint.run.transcripts.plain_chat import CANNOT_SAY, Plain, Tally, read_plain
from toolsurface_lint.run.transcripts.requests import Requests
from toolsurface_lint.run.transcripts.session import Session
from toolsurface_lint.source.json_lines import LineTree
from toolsurface_lint.source.shared import EQUAL
from toolsurface_lint.source.text import SourceText
from toolsurface_lint.source.tree import Node, Path, Place, Tree

_find_wired = re.compile(r"CALL\]\]").search
_MOST_PAGES = 20
"""So many pages of one list of tools are put together: each one anew with all before it."""


Sink = Callable[[Finding], None]


class TranscriptReader:
    """Follows the conversations in one part of one transcript: given its values in order, then its `end`.

    What is found goes to `sink`; what there is to say about the tools that conversations carry to `definitions`, if that is
    asked for, but for those that were checked with their document, where the values are `documents`. `carried` are the
    tools that other readers have met, and `turns` takes the turns of those that are followed.
    `mapping` is the schema of the values by what a user says; without one it is recognised. `beside` finds the rows of other
    files that belong to those of this one. `exact`: every turn is followed, also where a quick look shows that there is
    nothing to find.
    """

    def __init__(
        self,
        surface: CalledSurface,
        checks: ConversationChecks,
        sink: Sink,
        *,
        definitions: Sink | None = None,
        documents: bool = False,
        carried: CarriedTools | None = None,
        turns: list[Turn] | None = None,
        mapping: DatasetSchema | None = None,
        beside: RowsBeside | None = None,
        exact: bool = False,
    ) -> None:
        self._surface = surface
        self._checks = checks
        self._report = sink
        self._define = definitions
        self._documents = documents
        self._tree: Tree | None = None
        self._carried = carried or CarriedTools(surface.surface, checks)
        self._turns = turns
        self._mapping = mapping
        self._beside = beside
        self._exact = exact
        self._last: tuple[bytes, CarriedSurface] | None = None
        """The tools that the conversation before carried, and their surface."""
        self._sessions: dict[Hashable, Session] = {}
        self._pages: dict[Hashable, tuple[int, Sequence[Tool]]] = {}
        """The lists of tools of which there is another page: how many were read, and what they hold."""
        self._format: MessageFormat | None = None
        self._schema: DatasetSchema | None = None
        self._envelope: Envelope | None = None
        self._reads: dict[Envelope, ReadEvent] = {}
        """What reads the events of each kind of log that the file holds."""
        self._wired = False
        self._source: SourceText | None = None
        self.tally = Tally()
        self._requests = Requests(self._new, self._carried.read)
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
        self._tree = tree
        if isinstance(tree, LineTree):
            self._wired = _find_wired(tree.text) is not None
        elif tree.source is not self._source:
            # Of many values in one file, each has all of its text.
            self._source = source = tree.source
            self._wired = source is not None and _find_wired(source.text) is not None
        if self._mapping is not None:
            mapped = self._mapping.read(tree.root, self._format)
            if mapped is not None:
                self._conversation(tree, mapped._replace(schema=self._mapping))
            return
        envelope = self._envelope
        if envelope is not None and type(value) is dict:
            if envelope.quick is not None and not self._exact and self._sees(tree, value, envelope, envelope.quick):
                return
            if envelope.recognises(value):
                self._event(tree, (), value, envelope)
                return
        envelope = marked_envelope(value)
        found = find_conversation(tree.root, self._format, self._schema) if envelope is None else None
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

    def _item(self, tree: Tree, path: Path, item: Any) -> None:
        """One item of a list: an event of a log, or a conversation."""
        envelope = envelope_of(item)
        if envelope is not None:
            self._event(tree, path, item, envelope)
            return
        found = find_conversation(Node(tree, path, item), self._format, self._schema)
        if found is not None:
            self._conversation(tree, found)

    def _sees(self, tree: Tree, event: dict[str, Any], envelope: Envelope, quick: QuickLog) -> bool:
        """Whether there is nothing to find in an event, as far as can be seen quickly."""
        if self._wired or (isinstance(tree, LineTree) and tree.before):
            return False
        try:
            found = quick.glance(event)
        except CANNOT_SAY:
            return False
        if found is None:
            return True
        key, starts, glance = found
        session = self._sessions.get(key)
        if session is None:
            session = self._sessions[key] = self._session(key, envelope, starts)
        length = len(tree.text) if isinstance(tree, LineTree) else 1
        return session.sees(glance, tree, (), event, length)

    def _session(self, key: Hashable, envelope: Envelope, starts: bool) -> Session:
        conversation = self._begin(self._surface, self._report, starts)
        return Session(key, conversation, envelope, lambda: self._plain(conversation.surface, envelope.quick))

    def _plain(self, surface: CalledSurface, quick: QuickLog | None) -> Plain | None:
        if quick is None or self._exact or surface.rules or not self._checks.quick(surface.surface):
            return None
        accepts = surface.accepts_served if quick.contract.wire else surface.accepts
        return Plain(quick.contract, accepts, surface.is_known)

    def _event(self, tree: Tree, path: Path, event: dict[str, Any], envelope: Envelope) -> None:
        sessions, requests = self._sessions, self._requests
        if envelope.whole:
            sessions, requests = {}, Requests(self._new, self._carried.read)
        read = self._reads.get(envelope)
        if read is None:
            read = self._reads[envelope] = envelope.begin()
        for entry in read(tree, path, event):
            if isinstance(entry, ModelRequest):
                requests.add(entry, self._wired)
                continue
            session = sessions.get(entry.conversation)
            if session is None:
                session = sessions[entry.conversation] = self._session(entry.conversation, envelope, entry.starts)
            if entry.tools is not None:
                session.tools(self._listed(tree.at(entry.tools), entry))
            if entry.turn is not None:
                session.turn(entry.turn, self._wired)
        if envelope.whole:
            _end(sessions, requests)

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
        if not self._was_checked(node):
            self._say_definitions(called)
        return called

    def _was_checked(self, node: Node) -> bool:
        """Whether tools were checked with their document: those beside its messages, not those of rows in a list or in a text."""
        return self._documents and node.tree is self._tree and not isinstance(node.path[0] if node.path else "", int)

    def _conversation(self, tree: Tree, found: FoundConversation) -> None:
        self._format, self._schema = found.format, found.schema
        if found.tools is None and self._beside is not None and found.schema is not None:
            found = self._beside.joined(tree.root, found, found.schema)
        node = tools_node(found)
        if node is None and found.schema is not None and found.schema.join is not None:
            # Its tools are in another file, which is not here: those of the folder have nothing to do with it.
            self._follow(found, self._carried.nothing, self._report)
        elif node is None:
            self._follow(found, self._surface, self._report)
        else:
            self._follow_with_tools(found, node)
        if found.schema is not None:
            schemas = self.tally.schemas
            schemas[found.schema.name] = schemas.get(found.schema.name, 0) + 1

    def _follow_with_tools(self, found: FoundConversation, node: Node) -> None:
        """Follow a conversation that carries its tools at `node`, as it writes them."""
        carried, is_here = self._surface_of(found, node)
        if is_here:
            self._follow(found, carried, self._report)
            return
        tally, self.tally = self.tally, Tally()
        findings: list[Finding] = []
        turns = 0 if self._turns is None else len(self._turns)
        self._follow(found, carried, findings.append)
        tentative, self.tally = self.tally, tally
        if not findings:
            tally.add(tentative)
            return
        # The tools are on this line too: what is said of them points here.
        if self._turns is not None:
            del self._turns[turns:]
        self._follow(found, self._carried.read(definitions(found, node)), self._report)

    def _surface_of(self, found: FoundConversation, node: Node) -> tuple[CarriedSurface, bool]:
        """The surface of a conversation that carries its tools, of which all has been said, and whether it was read at `node`."""
        if self._was_checked(node):
            return self._carried.read(definitions(found, node)), True
        try:
            # One text may mean different tools in different schemas.
            key = marshal.dumps((None if found.schema is None else found.schema.name, node.value), EQUAL)
        except ValueError:
            key = b""
        if key and self._last is not None and self._last[0] == key:
            return self._last[1], False
        surface, nodes = self._carried.recall(key, lambda: definitions(found, node))
        self._last = key, surface
        self._say_definitions(surface, nodes)
        return surface, surface.is_anew

    def _follow(self, found: FoundConversation, surface: CalledSurface, sink: Sink) -> None:
        self.last = found, surface
        quick = None if self._exact else found.quick
        if quick is not None and not self._wired and self._checks.quick(surface.surface):
            plain = read_plain(found.messages, quick, surface.accepts, surface.is_known)
            if plain is not None:
                self.tally.add_plain(plain, plain.mark())
                self.tally.conversations += 1
                self.tally.clean += 1
                return
        conversation = self._begin(surface, sink, found.from_start)
        conversation.wired = self._wired
        for turn in read_turns(found):
            conversation.turn(turn)
        conversation.end()

    def _begin(self, surface: CalledSurface, sink: Sink, from_start: bool) -> Conversation:
        return Conversation(surface, self._checks, self.tally, sink, from_start, self._turns)

    def _new(self, from_start: bool) -> Conversation:
        """A conversation of which more comes later."""
        return self._begin(self._surface, self._report, from_start)

    def _say_definitions(self, surface: CarriedSurface, nodes: Sequence[Node] = ()) -> None:
        if self._define is not None:
            for finding in surface.definitions_at(nodes) if nodes else surface.definitions:
                self._define(finding)


def _end(sessions: dict[Hashable, Session], requests: Requests) -> None:
    """Nothing follows in some conversations."""
    for session in sessions.values():
        session.end()
    sessions.clear()
    requests.end()
