"""Checks transcripts against their surfaces: every conversation turn by turn, files of any size line by line.

Nothing of a conversation is kept once it has been followed, so memory is bounded by the longest line and by the findings.
Large files are cut at line ends and shared between two processes; what comes out is the same as from one.
"""

from __future__ import annotations

import gc
import marshal
import os
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from toolsurface_lint.checks import Check, checks_of
from toolsurface_lint.checks.call.arguments import ArgumentSchema, argument_schema, fitting_tool
from toolsurface_lint.checks.input.problems import SYNTAX_ERROR, UNREADABLE
from toolsurface_lint.checks.reserved.in_text import WIRE_FORM
from toolsurface_lint.config import Selection
from toolsurface_lint.diagnostics import Diagnostic, Finding, Location, Rule, TranscriptSummary
from toolsurface_lint.engine import Outcome, Resolver, crash
from toolsurface_lint.model.names import close_names
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.target import Dispatcher
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.transcript import (
    ASSISTANT,
    JSON_TEXT,
    Call,
    CallShape,
    Mismatch,
    Pairing,
    Transcript,
    Turn,
    called_tools,
)
from toolsurface_lint.model.transcript import (
    UNREADABLE as NOT_AN_OBJECT,
)
from toolsurface_lint.plain_chat import COVERED, PlainChat, read_plain_chat
from toolsurface_lint.project import Project
from toolsurface_lint.protocols.wire import DELIMITERS, wire_forms
from toolsurface_lint.readers.tool_list import find_tool_lists
from toolsurface_lint.readers.transcript_format import (
    Envelope,
    Found,
    MessageFormat,
    envelope_of,
    find_conversation,
    read_turns,
    tools_node,
)
from toolsurface_lint.second_process import SecondProcess, may_fork
from toolsurface_lint.source.files import read_leniently
from toolsurface_lint.source.lines import LineProblem, Lines, LineSource, LineTree, joined, split_at_lines
from toolsurface_lint.source.text import Position, Range, SourceText, Span
from toolsurface_lint.source.tree import Node, Path, Place, Tree

if TYPE_CHECKING:
    from toolsurface_lint.model.response import AssistantResponse

PART = 16 * 1024 * 1024
"""Bytes of a file that are followed at a time."""

ALONE = 24 * 1024 * 1024
"""Bytes that one process reads by itself: a second one costs more than it saves."""

_HELD_BACK = 1000
_OF_THE_LAST = frozenset({"RESPONSE_MISSING_USER_RESPONSE", "RESPONSE_SENTINEL_MISSING"})
_CANONICAL = {wire: canonical for canonical, wire in DELIMITERS}
_WIRE_MARK = "CALL]]"
_WITH_SENTINEL = ("TRANSCRIPT_DONE_UNVERIFIED", "TRANSCRIPT_CALL_AFTER_DONE")


class Reported(NamedTuple):
    """A diagnostic, the path of its place in its value, and the number of the transcript that it was found in."""

    diagnostic: Diagnostic
    path: Path
    transcript: int


class Tally:
    """What was counted in one transcript; `tools` has the calls of each tool and how many of them failed."""

    __slots__ = ("calls", "clean", "conversations", "results", "tools", "turns")

    def __init__(self) -> None:
        self.conversations = 0
        self.clean = 0
        self.turns = 0
        self.calls = 0
        self.results = 0
        self.tools: dict[str, list[int]] = {}

    def plain(self, chat: PlainChat) -> None:
        """Count a conversation in which there is nothing to find."""
        self.conversations += 1
        self.clean += 1
        self.turns += chat.turns
        self.calls += len(chat.calls)
        self.results += chat.results
        for name in chat.calls:
            counted = self.tools.get(name)
            if counted is None:
                counted = self.tools[name] = [0, 0]
            counted[0] += 1
        for name in chat.failures:
            self.tools[name][1] += 1

    def add(self, other: Tally) -> None:
        self.conversations += other.conversations
        self.clean += other.clean
        self.turns += other.turns
        self.calls += other.calls
        self.results += other.results
        for name, (calls, failures) in other.tools.items():
            mine = self.tools.setdefault(name, [0, 0])
            mine[0] += calls
            mine[1] += failures


class _Rules:
    """The checks of one run: which are enabled, and what crashed."""

    def __init__(self, selection: Selection) -> None:
        self.selection = selection
        self.crashed = False
        self._severities: dict[str, str | None] = {}
        self.conversation = self._checks("transcript", "conversation")
        self.call = self._checks("call", "call")
        self.response = [*self._checks("response", "response"), *self._checks("reserved", "response")]
        enabled = (rule.code for check in self.conversation for rule in check.rules if self.severity(rule) is not None)
        self._covered = COVERED.issuperset(code for code in enabled if code not in _WITH_SENTINEL)

    def _checks(self, family: str, subject: str) -> list[Check]:
        return [
            check
            for check in checks_of(family)
            if check.subject == subject and any(self.severity(rule) is not None for rule in check.rules)
        ]

    def quick(self, surface: Surface) -> bool:
        """Whether a plain conversation on a surface needs no more than to be recognised as one."""
        return self._covered and not surface.target.done_sentinel and surface.target.protocol is None

    def severity(self, rule: Rule) -> str | None:
        if rule.code not in self._severities:
            self._severities[rule.code] = self.selection.severity(rule)
        return self._severities[rule.code]

    def crash(self, check: Check, place: Place, error: Exception) -> Finding:
        self.crashed = True
        return crash(check, place, error)


class _Against:
    """One surface as calls meet it: which need no more than a look at their arguments."""

    def __init__(self, surface: Surface) -> None:
        self.surface = surface
        self.declared = surface.by_name
        self.dispatchers = {dispatcher.tool: dispatcher for dispatcher in surface.target.dispatchers}
        self.plain: dict[str, ArgumentSchema] = {}
        """Tools for which there is nothing to check but the arguments."""
        self.accepts: dict[str, Callable[[Any], bool]] = {}
        """The quick judges of their arguments, for conversations that are plain all through."""
        if surface.policies or surface.approvals:
            return
        for name, tools in self.declared.items():
            if len(tools) == 1 and name not in self.dispatchers and (surface.tool_search or not tools[0].deferred):
                schema = argument_schema(tools[0], surface)
                if schema is not None and not schema.aliases:
                    self.plain[name] = schema
                    if schema.accepts is not None:
                        self.accepts[name] = schema.accepts


class _Following:
    """One conversation that is being followed."""

    __slots__ = (
        "_against",
        "_follows",
        "_held",
        "_knows",
        "_last_text",
        "_pairing",
        "_rules",
        "_sink",
        "_tally",
        "found",
        "wired",
    )

    def __init__(
        self, against: _Against, rules: _Rules, tally: Tally, sink: Callable[[Finding], None], from_start: bool
    ) -> None:
        self._against = against
        self._rules = rules
        self._tally = tally
        self._sink = sink
        self._pairing = Pairing(from_start=from_start)
        self._follows = []
        for check in rules.conversation:
            follow: Any = check.run(against.surface)
            if follow is not None:
                self._follows.append((check, follow))
        self._knows = not against.surface.inferred
        self._held: list[Call] = []
        self._last_text: Node | None = None
        """The last text of the last turn, if that is a response in a text protocol."""
        self.found = False
        self.wired = False
        """Whether what comes may hold delimiters in their wire form."""

    def tools(self, against: _Against) -> None:
        """From here on the conversation has these tools."""
        self._against = against
        self._knows = True

    def turn(self, turn: Turn) -> None:
        tally = self._tally
        tally.turns += 1
        protocol = self._against.surface.target.protocol
        self._last_text = None
        if protocol is not None and turn.role == ASSISTANT and not turn.calls:
            self._responses(turn, protocol)
        if self.wired:
            self._wire_forms(turn)
        mismatches = self._pairing.add(turn)
        self._follow(turn, mismatches)
        for result in turn.results:
            tally.results += 1
            if result.failed and result.name is not None:
                tally.tools.setdefault(result.name, [0, 0])[1] += 1
        if not turn.calls:
            return
        plain = self._against.plain
        for call in turn.calls:
            tally.calls += 1
            counted = tally.tools.get(call.name)
            if counted is None:
                counted = tally.tools[call.name] = [0, 0]
            counted[0] += 1
            schema = plain.get(call.name)
            if schema is not None:
                value = call.value
                if value is not NOT_AN_OBJECT and not schema.errors(value):
                    if not self._knows:
                        self._learn()
                    continue
            self._call(call, turn)

    def _response(self, response: AssistantResponse, text: Node) -> Iterator[Finding]:
        for check in self._rules.response:
            try:
                yield from check.run(response, self._against.surface)
            except Exception as error:
                self._sink(self._rules.crash(check, text.place, error))

    def _end_of_responses(self) -> None:
        """What only the last response of a conversation must have."""
        protocol = self._against.surface.target.protocol
        if self._last_text is None or protocol is None:
            return
        from toolsurface_lint.readers.responses import read_response

        response = read_response(self._last_text, protocol, self._against.surface, final=True)
        for finding in self._response(response, self._last_text):
            if finding.rule.code in _OF_THE_LAST:
                self._report(finding)

    def _responses(self, turn: Turn, protocol: str) -> None:
        """Hold the texts of a turn to a response protocol, and give it the calls that they make.

        The results of such calls are text too, and not paired.
        """
        from toolsurface_lint.protocols.calls import BUILT_IN_TOOLS
        from toolsurface_lint.readers.responses import read_response

        surface = self._against.surface
        calls: list[Call] = []
        for text in turn.said():
            self._last_text = text
            response = read_response(text, protocol, surface)
            for finding in self._response(response, text):
                self._report(finding)
            calls.extend(response.calls)
        if calls:
            turn.calls = calls
            turn.contract = turn.contract._replace(answered=False, client_tools=BUILT_IN_TOOLS)

    def _wire_forms(self, turn: Turn) -> None:
        """What is stored has the canonical delimiters: their wire form would come back as something else."""
        for text in turn.said():
            for start, end in wire_forms(text.value):
                wire = text.value[start:end]
                self._report(WIRE_FORM.at(text.text_place(start, end), wire=wire, canonical=_CANONICAL[wire]))

    def _follow(self, turn: Turn | None, mismatches: list[Mismatch]) -> None:
        for check, follow in self._follows:
            try:
                for finding in follow(turn, mismatches):
                    self._report(finding)
            except Exception as error:
                place = None if turn is None else Place(turn.tree, turn.path)
                self._sink(self._rules.crash(check, place or self._against.surface.start or _nowhere(), error))

    def _report(self, finding: Finding) -> None:
        if self._rules.severity(finding.rule) is not None:
            self.found = True
            self._sink(finding)

    def _call(self, call: Call, turn: Turn) -> None:
        """A call that is more than plainly right."""
        surface = self._against.surface
        tools = called_tools(call.name, self._against.declared)
        if not tools:
            client = turn.contract.client_tools
            if client is None or call.name in client:
                return
            if not self._knows and not close_names(call.name, self._against.declared):
                # Nothing yet says that this conversation was held on this surface.
                if len(self._held) < _HELD_BACK:
                    self._held.append(call)
                return
        elif not self._knows:
            self._learn()
        if turn.cut_off and turn.calls[-1] is call:
            return
        tool = fitting_tool(call, tools, surface)
        self._check(call, tool, surface)
        dispatcher = self._against.dispatchers.get(call.name)
        if dispatcher is not None:
            self._dispatch(call, dispatcher, surface)

    def _learn(self) -> None:
        """A declared tool is called: what was held back can be told."""
        self._knows = True
        held, self._held = self._held, []
        for call in held:
            self._check(call, None, self._against.surface)

    def _check(self, call: Call, tool: Tool | None, surface: Surface) -> None:
        for check in self._rules.call:
            try:
                for finding in check.run(call, tool, surface):
                    self._report(finding)
            except Exception as error:
                self._sink(self._rules.crash(check, call.place, error))

    def _dispatch(self, call: Call, dispatcher: Dispatcher, surface: Surface) -> None:
        """The call that a dispatcher's arguments make."""
        value = call.value
        if value is NOT_AN_OBJECT or not isinstance(value.get(dispatcher.name), str):
            return
        node = call.arguments_node
        shape = CallShape((), (dispatcher.name,), (dispatcher.arguments,), JSON_TEXT)
        inner = Call(node.tree, node.path, shape, None, value[dispatcher.name], value.get(dispatcher.arguments))
        declared = self._against.declared
        if dispatcher.server is not None:
            server = value.get(dispatcher.server)
            served = [tool for tool in surface.tools if isinstance(server, str) and _serves(tool, server)]
            if not served:
                return
            declared = {}
            for tool in served:
                declared.setdefault(tool.text, []).append(tool)
        self._check(inner, fitting_tool(inner, called_tools(inner.name, declared), surface), surface)

    def end(self) -> None:
        mismatches = self._pairing.end()
        self._follow(None, mismatches)
        self._end_of_responses()
        self._tally.conversations += 1
        self._tally.clean += not self.found


def _nowhere() -> Place:
    return Place(Tree(None, None), ())


def _serves(tool: Tool, server: str) -> bool:
    """Whether a tool comes from the file or the folder that is named like a server."""
    steps = tool.origin.replace("\\", "/").split("/")
    return server in steps[:-1] or steps[-1].rsplit(".", 1)[0] == server


class _Reader:
    """Follows the conversations of one part of one transcript."""

    def __init__(self, number: int, surface: Surface, rules: _Rules, against: Callable[[Surface], _Against]) -> None:
        self._number = number
        self._surface = surface
        self._rules = rules
        self._against_of = against
        self._against = against(surface)
        self._own: dict[bytes, tuple[_Against, Tree]] = {}
        self._sessions: dict[Hashable, _Following] = {}
        self._format: MessageFormat | None = None
        self._envelope: Envelope | None = None
        self._wired = False
        self._resolver = LineResolver()
        self.tally = Tally()
        self.reported: list[Reported] = []

    def report(self, finding: Finding) -> None:
        severity = self._rules.severity(finding.rule) or finding.rule.severity
        diagnostic = self._resolver.diagnostic(finding, severity)
        self.reported.append(Reported(diagnostic, finding.place.path, self._number))

    def value(self, tree: Tree) -> None:
        """Follow what one value holds: conversations, or a part of one."""
        value = tree.value
        self._wired = _WIRE_MARK in _text(tree)
        envelope = self._envelope
        if envelope is not None and type(value) is dict and envelope.recognises(value):
            self._event(tree, (), value, envelope)
            return
        found = find_conversation(value, self._format)
        if found is not None:
            self._conversation(tree, found)
            return
        envelope = envelope_of(value)
        if envelope is not None:
            self._envelope = envelope
            self._event(tree, (), value, envelope)
            return
        for path, items in _lists(value):
            for index, item in enumerate(items):
                self._item(tree, (*path, index), item)

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
        for entry in envelope.read(tree, path, event):
            following = self._sessions.get(entry.conversation)
            if following is None:
                following = self._begin(self._against, self.report, entry.starts)
                self._sessions[entry.conversation] = following
            if entry.tools is not None:
                following.tools(self._with_tools(tree.at(entry.tools)))
            if entry.turn is not None:
                following.wired = self._wired
                following.turn(entry.turn)

    def _begin(self, against: _Against, sink: Callable[[Finding], None], from_start: bool) -> _Following:
        return _Following(against, self._rules, self.tally, sink, from_start)

    def _conversation(self, tree: Tree, found: Found) -> None:
        self._format = found.format
        against = self._against
        node = tools_node(tree, found)
        elsewhere = False
        if node is not None:
            key = marshal.dumps(node.value)
            known = self._own.get(key)
            if known is None:
                known = (self._with_tools(node), tree)
                if len(self._own) < 64:
                    self._own[key] = known
            against = known[0]
            elsewhere = known[1] is not tree
        if not elsewhere:
            self._follow(tree, found, against, self.report)
            return
        before = Tally()
        before.add(self.tally)
        findings: list[Finding] = []
        self._follow(tree, found, against, findings.append)
        if findings and node is not None:
            # The tools stand on this line too: what is said of them points here.
            self.tally = before
            self._follow(tree, found, self._with_tools(node), self.report)

    def _follow(self, tree: Tree, found: Found, against: _Against, sink: Callable[[Finding], None]) -> None:
        if found.format.name == "openai" and not self._wired and self._rules.quick(against.surface):
            plain = read_plain_chat(found.messages, against.accepts)
            if plain is not None:
                self.tally.plain(plain)
                return
        following = self._begin(against, sink, found.from_start)
        following.wired = self._wired
        for turn in read_turns(tree, found):
            following.turn(turn)
        following.end()

    def _with_tools(self, node: Node) -> _Against:
        """The surface of a conversation that carries its tools: those, and what settings add to them."""
        base = self._surface
        surface = Surface(base.name, document=True)
        for number, found in enumerate(find_tool_lists(node, named_tool=True)):
            for tool in found.read():
                tool.namespace = f"{base.name}#{number}"
                tool.origin = base.files[0] if base.files else ""
                surface.tools.append(tool)
            if found.unread:
                surface.open_reasons.append("a tool definition that could not be read")
        if not base.inferred and not base.document:
            declared = {tool.text for tool in surface.tools}
            surface.tools.extend(tool for tool in base.tools if tool.text not in declared)
            surface.open_reasons.extend(base.open_reasons if base.tools else ())
        surface.policies = base.policies
        surface.approvals = base.approvals
        surface.tool_search = base.tool_search
        surface.target = base.target
        surface.scope = base.scope
        return _Against(surface)

    def end(self) -> None:
        for following in self._sessions.values():
            following.end()
        self._sessions.clear()

    def problem(self, problem: LineProblem) -> None:
        rule = SYNTAX_ERROR if problem.kind == "syntax" else UNREADABLE
        if self._rules.severity(rule) is None:
            return
        message = problem.message
        if problem.lines > 1:
            more = problem.lines - 1
            message += f"; the {'next line' if more == 1 else f'{more} lines after it'} cannot be read either"
        tree = Tree(problem.source, "", lambda: _whole(problem.source))
        self.report(rule.at(Place(tree, (), "text", *problem.span), problem=message))


def _whole(source: LineSource) -> Any:
    from toolsurface_lint.source.tree import Spans

    return Spans(0, len(source.text))


def _text(tree: Tree) -> str:
    """The text that a value was read from."""
    if isinstance(tree, LineTree):
        return tree.text
    return "" if tree.source is None else tree.source.text


def _lists(value: Any) -> Iterator[tuple[Path, list[Any]]]:
    """The lists of events or conversations in a value."""
    if type(value) is list:
        yield (), value
    elif type(value) is dict and type(value.get("loglines")) is list:
        yield ("loglines",), value["loglines"]


class LineResolver(Resolver):
    """Resolves places in single lines to locations in their file."""

    def location(self, place: Place) -> Location | None:
        location = super().location(place)
        source = place.source
        if location is None or not isinstance(source, LineSource):
            return location
        span = Span(location.span.start + source.offset, location.span.end + source.offset)
        return location._replace(span=span)


class _Task(NamedTuple):
    """A part of a transcript, from byte to byte."""

    transcript: int
    start: int
    end: int


class _Done(NamedTuple):
    """What came of a task: with lines and offsets counted from the beginning of its part."""

    reported: list[Reported]
    problems: list[LineProblem]
    tally: Tally
    lines: int
    characters: int
    crashed: bool
    unreadable: str | None


def check_transcripts(
    project: Project, selection: Selection, progress: Callable[[int, int], None] | None = None
) -> Outcome:
    """Follow every transcript of a project. `progress` is told the bytes that have been read, and that there are."""
    followed = [
        (transcript, surface)
        for surface in [*project.surfaces, *(scope for flow in project.workflows for scope in flow.scopes)]
        for transcript in surface.transcripts
        if _concerns(transcript, project)
    ]
    rules = _Rules(selection)
    run = _Run(followed, rules)
    tasks = list(_tasks(followed))
    # What there is now stays to the end: collections need not look at it again and again.
    gc.freeze()
    results: dict[_Task, _Done] = {}
    total = sum(task.end - task.start for task in tasks)
    if total > ALONE and len(tasks) > 1 and may_fork():
        results.update(_share(run, tasks, progress, total))
    else:
        read = 0
        for task in tasks:
            results[task] = run.lines(task)
            read += task.end - task.start
            if progress is not None:
                progress(read, total)
    return _merged(run, tasks, results, project)


def _concerns(transcript: Transcript, project: Project) -> bool:
    """Whether a transcript is followed: large ones beside the given files are not, as a commit must not wait for them."""
    return project.given is None or transcript.size <= PART or os.path.abspath(transcript.file) in project.given


def _tasks(followed: Sequence[tuple[Transcript, Surface]]) -> Iterator[_Task]:
    for number, (transcript, _) in enumerate(followed):
        if transcript.trees:
            continue
        parts = [(0, transcript.size)]
        if not transcript.session and transcript.size > PART:
            with suppress(OSError):
                parts = split_at_lines(transcript.file, transcript.size, PART)
        for start, end in parts:
            yield _Task(number, start, end)


class _Run:
    def __init__(self, followed: Sequence[tuple[Transcript, Surface]], rules: _Rules) -> None:
        self.followed = followed
        self.rules = rules
        self._against: dict[int, _Against] = {}

    def against(self, surface: Surface) -> _Against:
        found = self._against.get(id(surface))
        if found is None:
            found = self._against[id(surface)] = _Against(surface)
        return found

    def reader(self, number: int) -> _Reader:
        return _Reader(number, self.followed[number][1], self.rules, self.against)

    def lines(self, task: _Task) -> _Done:
        """Follow a part of a file."""
        transcript, _ = self.followed[task.transcript]
        reader = self.reader(task.transcript)
        lines = Lines(transcript.file, transcript.path, task.start, task.end)
        unreadable = None
        try:
            for tree in lines:
                reader.value(tree)
        except OSError as error:
            unreadable = f"cannot be read: {error.strerror or error}"
        reader.end()
        # What a traceback or an embedded text ties together is only freed by a collection.
        gc.collect()
        return _Done(
            reader.reported, lines.problems, reader.tally, lines.lines, lines.characters, self.rules.crashed, unreadable
        )


def _share(
    run: _Run, tasks: list[_Task], progress: Callable[[int, int], None] | None, total: int
) -> dict[_Task, _Done]:
    """Two processes follow every second task each; the second one sends what it found when it is through."""
    mine, theirs = _halves(tasks)
    second = SecondProcess(lambda: [run.lines(task) for task in theirs])
    results: dict[_Task, _Done] = {}
    read = 0
    try:
        for task in mine:
            results[task] = run.lines(task)
            read += 2 * (task.end - task.start)
            if progress is not None:
                progress(min(read, total), total)
    finally:
        done = second.result()
    results.update(zip(theirs, done, strict=True))
    return results


def _halves(tasks: list[_Task]) -> tuple[list[_Task], list[_Task]]:
    """Two lists of tasks of about the same size, each in order."""
    halves: tuple[list[_Task], list[_Task]] = ([], [])
    sizes = [0, 0]
    for task in sorted(tasks, key=lambda task: task.start - task.end):
        smaller = 0 if sizes[0] <= sizes[1] else 1
        halves[smaller].append(task)
        sizes[smaller] += task.end - task.start
    for half in halves:
        half.sort()
    return halves


def _merged(run: _Run, tasks: Iterable[_Task], results: dict[_Task, _Done], project: Project) -> Outcome:
    tallies = [Tally() for _ in run.followed]
    codes: list[Counter[str]] = [Counter() for _ in run.followed]
    reported: list[tuple[Diagnostic, Path, Surface]] = []
    before: dict[int, tuple[int, int]] = {}
    problems: list[list[LineProblem]] = [[] for _ in run.followed]
    crashed = False

    def add(items: Iterable[Reported], lines: int = 0, characters: int = 0) -> None:
        for item in items:
            transcript, surface = run.followed[item.transcript]
            diagnostic = item.diagnostic
            if lines or characters:
                diagnostic = _moved(diagnostic, transcript.path, lines, characters)
            codes[item.transcript][diagnostic.code] += 1
            reported.append((diagnostic, item.path, surface))

    for task in tasks:
        done = results[task]
        lines, characters = before.get(task.transcript, (0, 0))
        add(done.reported, lines, characters)
        problems[task.transcript].extend(problem.moved(lines, characters) for problem in done.problems)
        before[task.transcript] = (lines + done.lines, characters + done.characters)
        tallies[task.transcript].add(done.tally)
        crashed = crashed or done.crashed
        if done.unreadable is not None:
            source = LineSource(run.followed[task.transcript][0].path, "", 1, 0)
            problems[task.transcript].append(LineProblem("unreadable", done.unreadable, source, Span(0, 0), 1, 1))
    for number, (transcript, _) in enumerate(run.followed):
        reader = run.reader(number)
        for problem in joined(problems[number]):
            reader.problem(problem)
        add(reader.reported)
        if transcript.trees:
            reader = run.reader(number)
            for tree in transcript.trees:
                reader.value(tree)
            reader.end()
            add(reader.reported)
            tallies[number].add(reader.tally)
    summaries = tuple(
        TranscriptSummary(
            transcript.path,
            tally.conversations,
            tally.clean,
            tally.turns,
            tally.calls,
            tally.results,
            dict(sorted(found.items())),
            {name: (calls, failures) for name, (calls, failures) in sorted(tally.tools.items())},
        )
        for (transcript, _), tally, found in zip(run.followed, tallies, codes, strict=True)
    )
    return Outcome(reported, summaries, _sources(run, project), crashed or run.rules.crashed)


def _sources(run: _Run, project: Project) -> dict[str, SourceText]:
    """The texts of the files that were read line by line, to be read whole only if somebody asks, and if they may be."""
    limit = project.settings.max_file_size
    sources = {}
    for transcript, _ in run.followed:
        if not transcript.trees and transcript.size <= limit:
            source = SourceText(transcript.path, "", partial(read_leniently, transcript.file, limit))
            source.release()
            sources[transcript.path] = source
    return sources


def _moved(diagnostic: Diagnostic, path: str, lines: int, characters: int) -> Diagnostic:
    """A diagnostic of a part of a file, with its places counted from the beginning of the file."""
    related = tuple(
        item._replace(location=_moved_location(item.location, path, lines, characters)) for item in diagnostic.related
    )
    location = diagnostic.location
    if location is not None:
        location = _moved_location(location, path, lines, characters)
    return diagnostic._replace(location=location, related=related)


def _moved_location(location: Location, path: str, lines: int, characters: int) -> Location:
    if location.path != path:
        return location
    start, end = location.range
    moved = Range(Position(start.line + lines, start.column), Position(end.line + lines, end.column))
    return Location(path, moved, Span(location.span.start + characters, location.span.end + characters))
