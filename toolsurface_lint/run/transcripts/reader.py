"""Follows what the values of a transcript hold: whole conversations, or the events of logs, a piece of one at a time.

The formats are those of `readers.transcripts`; here is decided which conversation a value belongs to, which tools that one
has, and whether it is plain enough not to be followed.
"""

from __future__ import annotations

import marshal
import re
from collections.abc import Callable, Hashable
from typing import Any

from toolsurface_lint.checks.input.problems import rule_of, unreadable_lines
from toolsurface_lint.model.diagnostics import Diagnostic, Finding
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.readers.transcript_format import (
    DatasetSchema,
    Envelope,
    FoundConversation,
    MessageFormat,
    QuickLog,
    TranscriptEntry,
    definitions,
    envelope_of,
    find_conversation,
    log_lists,
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
from toolsurface_lint.run.transcripts.plain_chat import CANNOT_SAY, Plain, Tally, read_plain
from toolsurface_lint.run.transcripts.session import Session
from toolsurface_lint.source.json_lines import LinePlace, LineTree
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import SourceText
from toolsurface_lint.source.tree import Node, Path, Place, TextTree, Tree

_find_wired = re.compile(r"CALL\]\]").search
_MANY_TOOL_LISTS = 64
_MOST_PAGES = 20
"""So many pages of one list of tools are put together: each one anew with all before it."""


class TranscriptReader:
    """Follows the conversations in one part of one transcript: given its values in order, then its `end`.

    `mapping` is the schema of the values by what a user says; without one it is recognised.
    """

    def __init__(
        self, surface: CalledSurface, checks: ConversationChecks, mapping: DatasetSchema | None = None
    ) -> None:
        self._surface = surface
        self._checks = checks
        self._mapping = mapping
        self._carried: dict[bytes, tuple[CalledSurface, Tree]] = {}
        """The surfaces of conversations that carry their tools, by those, and the value that each was read from."""
        self._sessions: dict[Hashable, Session] = {}
        self._pages: dict[Hashable, tuple[int, list[Tool]]] = {}
        """The lists of tools of which there is another page: how many were read, and what they hold."""
        self._format: MessageFormat | None = None
        self._schema: DatasetSchema | None = None
        self._envelope: Envelope | None = None
        self._wired = False
        self._source: SourceText | None = None
        self._resolver = Resolver(checks.severity)
        self.tally = Tally()
        self.found: list[Diagnostic] = []

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
        if isinstance(tree, LineTree):
            self._wired = _find_wired(tree.text) is not None
        elif tree.source is not self._source:
            # Of many values in one file, each has all of its text.
            self._source = source = tree.source
            self._wired = source is not None and _find_wired(source.text) is not None
        if self._mapping is not None:
            mapped = self._mapping.read(tree.root)
            if mapped is not None:
                self._conversation(tree, mapped._replace(schema=self._mapping))
            return
        envelope = self._envelope
        if envelope is not None and type(value) is dict:
            if envelope.quick is not None and self._sees(tree, value, envelope, envelope.quick):
                return
            if envelope.recognises(value):
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
        for session in self._sessions.values():
            session.end()
        self._sessions.clear()

    def problem(self, problem: Problem[LinePlace]) -> None:
        """Report lines that cannot be read."""
        if rule_of(problem).code not in self._checks.enabled:
            return
        place = Place(TextTree(problem.at.source), (), "text", *problem.at.span)
        self._report(unreadable_lines(problem, place))

    def _report(self, finding: Finding) -> None:
        self.found.append(self._resolver.diagnostic(finding))

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
        if self._wired:
            return False
        try:
            found = quick.glance(event)
        except CANNOT_SAY:
            return False
        if found is None:
            return True
        key, starts, glance = found
        session = self._sessions.get(key) or self._session(key, envelope, starts)
        length = len(tree.text) if isinstance(tree, LineTree) else 1
        return session.sees(glance, tree, (), event, length)

    def _session(self, key: Hashable, envelope: Envelope, starts: bool) -> Session:
        conversation = Conversation(self._surface, self._checks, self.tally, self._report, starts)
        session = Session(key, conversation, envelope, lambda: self._plain(conversation.surface, envelope.quick))
        self._sessions[key] = session
        return session

    def _plain(self, surface: CalledSurface, quick: QuickLog | None) -> Plain | None:
        if quick is None or surface.rules or not self._checks.quick(surface.surface):
            return None
        accepts = surface.accepts_served if quick.contract.wire else surface.accepts
        return Plain(quick.contract, accepts, surface.is_known)

    def _event(self, tree: Tree, path: Path, event: dict[str, Any], envelope: Envelope) -> None:
        for entry in envelope.read(tree, path, event):
            session = self._sessions.get(entry.conversation) or self._session(
                entry.conversation, envelope, entry.starts
            )
            if entry.tools is not None:
                session.tools(self._listed(tree.at(entry.tools), entry))
            if entry.turn is not None:
                session.turn(entry.turn, self._wired)

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

    def _conversation(self, tree: Tree, found: FoundConversation) -> None:
        self._format, self._schema = found.format, found.schema
        surface = self._surface
        node = tools_node(found)
        elsewhere = False
        if node is not None:
            key = marshal.dumps(node.value)
            known = self._carried.get(key)
            if known is None:
                known = (self._with_tools(found, node), tree)
                if len(self._carried) < _MANY_TOOL_LISTS:
                    self._carried[key] = known
            surface = known[0]
            elsewhere = known[1] is not tree
        if not elsewhere:
            self._follow(found, surface, self._report)
        else:
            before = Tally()
            before.add(self.tally)
            findings: list[Finding] = []
            self._follow(found, surface, findings.append)
            if findings and node is not None:
                # The tools are on this line too: what is said of them points here.
                self.tally = before
                self._follow(found, self._with_tools(found, node), self._report)
        if found.schema is not None:
            schemas = self.tally.schemas
            schemas[found.schema.name] = schemas.get(found.schema.name, 0) + 1

    def _follow(self, found: FoundConversation, surface: CalledSurface, sink: Callable[[Finding], None]) -> None:
        quick = found.quick
        if quick is not None and not self._wired and self._checks.quick(surface.surface):
            plain = read_plain(found.messages, quick, surface.accepts, surface.is_known)
            if plain is not None:
                self.tally.add_plain(plain, plain.mark())
                self.tally.conversations += 1
                self.tally.clean += 1
                return
        conversation = Conversation(surface, self._checks, self.tally, sink, found.from_start)
        conversation.wired = self._wired
        for turn in read_turns(found):
            conversation.turn(turn)
        conversation.end()

    def _with_tools(self, found: FoundConversation, node: Node) -> CalledSurface:
        return CalledSurface(carried_surface(definitions(found, node), self._surface.surface))
