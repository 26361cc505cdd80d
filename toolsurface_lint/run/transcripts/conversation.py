"""What is checked in one conversation, turn by turn: its order, its responses, and every call against its tool.

Knows nothing of files or logs: turns come from a `reader`, findings go to whoever takes them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from toolsurface_lint.checks import Checks
from toolsurface_lint.checks.call.arguments import NOT_JSON
from toolsurface_lint.checks.call.tools import UNKNOWN_TOOL
from toolsurface_lint.checks.contract import CALL, CONVERSATION, EVERY_CALL, EVERY_RESULT, RESPONSE, RESULT, Check
from toolsurface_lint.checks.reserved.in_text import WIRE_FORM
from toolsurface_lint.model.diagnostics import Finding
from toolsurface_lint.model.names import folded
from toolsurface_lint.model.outcomes import means_failure
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.target import Dispatcher
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.transcript import (
    ASSISTANT,
    DUPLICATE,
    JSON_TEXT,
    UNREADABLE,
    USER,
    Call,
    CallShape,
    Mismatch,
    Pairing,
    Turn,
    called_tools,
    meant_by,
)
from toolsurface_lint.project.settings.selection import Selection
from toolsurface_lint.protocols.choosing import choose_protocol
from toolsurface_lint.protocols.recognition import PROTOCOLS, recognise_raw
from toolsurface_lint.protocols.wire import CANONICAL, wire_forms
from toolsurface_lint.run.transcripts.plain_chat import COVERED, Plain, Tally
from toolsurface_lint.schemas.arguments import ArgumentSchema, argument_schema, fitting_tool
from toolsurface_lint.source.tree import Node, Place, Tree

_HELD_BACK = 1000
_OF_THE_LAST = frozenset({"RESPONSE_MISSING_USER_RESPONSE", "RESPONSE_SENTINEL_MISSING"})


_FROM_THE_START = frozenset({"CALL_BEFORE_REQUIRED", "CALL_USES_FAILED_RESULT"})
"""Rules that argue from what was not said before."""
_WITH_SENTINEL = frozenset({"TRANSCRIPT_DONE_UNVERIFIED", "TRANSCRIPT_CALL_AFTER_DONE"})


class ConversationChecks(Checks):
    """The checks that have an enabled rule, and the severities of their findings (None where a rule is not enabled)."""

    def __init__(self, selection: Selection) -> None:
        super().__init__(selection.enabled, selection.others)
        self.severity = selection.severity
        followed = {rule.code for check in self.of(CONVERSATION) for rule in check.rules} & self.enabled
        looks_at_all = bool(self.of(EVERY_CALL) or self.of(EVERY_RESULT))
        self._covered = followed - _WITH_SENTINEL <= COVERED and not looks_at_all

    def quick(self, surface: Surface) -> bool:
        """Whether a plain conversation on a surface needs no more than to be recognised as one."""
        target = surface.target
        return self._covered and not target.done_sentinel and target.protocol is None


def _is_cut_off(call: Call, turn: Turn) -> bool:
    return turn.cut_off and turn.calls[-1] is call


class CalledSurface:
    """One surface as calls meet it: which need no more than a look at their arguments."""

    def __init__(self, surface: Surface) -> None:
        self.surface = surface
        self.declared = surface.by_name
        self.dispatchers = {dispatcher.tool: dispatcher for dispatcher in surface.target.dispatchers}
        self.rules = {rule.tool: rule for rule in surface.target.call_rules}
        self._plain: dict[str, ArgumentSchema | None] = {}
        self._is_restricted = bool(surface.policies or surface.approvals)

    def plain(self, name: str) -> ArgumentSchema | None:
        """What the arguments of a tool must be, if there is nothing else to check about its calls.

        Made when the tool is first called: a row of a dataset brings many tools and calls few.
        """
        if name not in self.declared:
            return None
        if name not in self._plain:
            self._plain[name] = self._schema_alone(name)
        return self._plain[name]

    def _schema_alone(self, name: str) -> ArgumentSchema | None:
        surface, tools = self.surface, self.declared[name]
        if self._is_restricted or len(tools) > 1 or name in self.dispatchers:
            return None
        if tools[0].deferred and not surface.tool_search:
            return None
        schema = argument_schema(tools[0], surface)
        return None if schema is None or schema.aliases else schema

    def accepts(self, name: str) -> Callable[[Any], bool] | None:
        """The quick judge of a plain tool's arguments, for conversations that are plain all through."""
        schema = self.plain(name)
        return None if schema is None or meant_by(name, self.rules) is not None else schema.accepts

    def accepts_served(self, name: str) -> Callable[[Any], bool] | None:
        """The same in a log that has what servers gave, which is checked where a tool says what it gives."""
        accepts = self.accepts(name)
        return None if accepts is None or self.declared[name][0].output_path is not None else accepts

    def is_known(self, name: str) -> bool:
        """Whether a call of this name may mean a tool of the surface, or one that it had before, or that settings speak of."""
        earlier = self.surface.earlier
        return (
            bool(called_tools(name, self.declared))
            or (earlier is not None and bool(called_tools(name, earlier.by_name)))
            or meant_by(name, self.rules) is not None
        )

    @cached_property
    def served(self) -> dict[str, dict[str, list[Tool]]]:
        """The tools of each server, by its folded name and theirs: those of a file or a folder that is named like it."""
        served: dict[str, dict[str, list[Tool]]] = {}
        for tool in self.surface.tools:
            *folders, file = tool.origin.replace("\\", "/").split("/")
            for server in {folded(step) for step in (*folders, file.rsplit(".", 1)[0])}:
                served.setdefault(server, {}).setdefault(tool.name, []).append(tool)
        return served


class Conversation:
    """One conversation that is being followed: given its turns in order, then its `end`.

    What is found goes to `sink`, what is counted into `tally`, every turn into `turns` if they are asked for. `from_start`: the
    first turn given is known to be the first that there was.
    """

    def __init__(
        self,
        surface: CalledSurface,
        checks: ConversationChecks,
        tally: Tally,
        sink: Callable[[Finding], None],
        from_start: bool,
        turns: list[Turn] | None = None,
    ) -> None:
        self._surface = surface
        self._turns = turns
        self._checks = checks
        self._tally = tally
        self._sink = sink
        self._pairing = Pairing(from_start=from_start)
        self._from_start = from_start
        self._begun = False
        self._follows = self._followers()
        self._knows = not surface.surface.inferred
        self._held: list[Call] = []
        self._last_text: Node | None = None
        """The last text of the last turn, if that is a response in a text protocol."""
        self._in_text = False
        """Whether the last answer made its calls in its text."""
        self._said: set[tuple[str, str, str]] | None = None
        self.found = False
        self.wired = False
        """Whether what comes may hold delimiters in their wire form."""

    def _followers(self) -> list[tuple[Check, Any]]:
        followers: list[tuple[Check, Any]] = []
        for check in self._checks.of(CONVERSATION):
            if self._from_start or _FROM_THE_START.isdisjoint(rule.code for rule in check.rules):
                follow: Any = check.run(self._surface.surface)
                if follow is not None:
                    followers.append((check, follow))
        return followers

    def tools(self, surface: CalledSurface) -> None:
        """From here on the conversation has these tools."""
        self._surface = surface
        self._knows = True
        if not self._begun:
            self._follows = self._followers()

    def turn(self, turn: Turn) -> None:
        """Follow the next turn."""
        tally = self._tally
        tally.turns += 1
        self._begun = True
        if self._turns is not None:
            self._turns.append(turn)
        protocol = self._surface.surface.target.protocol
        self._last_text = None
        if turn.role == ASSISTANT:
            if protocol in PROTOCOLS:
                if not turn.calls:
                    self._responses(turn, protocol)
            else:
                self._raw_outputs(turn, protocol)
        elif turn.results and self._in_text:
            # What answers calls in a text has no call to be joined to.
            tally.results += len(turn.results)
            turn.results = ()
        if self.wired:
            self._wire_forms(turn)
        mismatches = self._pairing.add(turn)
        tally.duplicate_ids += sum(mismatch.kind == DUPLICATE for mismatch in mismatches)
        if self._surface.rules:
            self._find_failures()
        self._follow(turn, mismatches)
        for result in turn.results:
            if result.name is None and turn.contract.wire:
                # Of another request than a call.
                continue
            tally.results += 1
            if result.failed and result.name is not None:
                tally.tools.setdefault(result.name, [0, 0])[1] += 1
        for call in self._pairing.answered:
            self._result(call)
        if not turn.calls:
            return
        # What is wrong with one of several calls of which any is right is mostly wrong with all of them.
        self._said = set() if turn.alternatives else None
        plain = self._surface.plain
        declared = self._surface.declared
        for call in turn.calls:
            tally.calls += 1
            counted = tally.tools.get(call.name)
            if counted is None:
                counted = tally.tools[call.name] = [0, 0]
            counted[0] += 1
            self._every_call(call, turn)
            schema = plain(call.name)
            if schema is not None:
                value = call.value
                if value is not UNREADABLE and not schema.errors(value):
                    if not self._knows:
                        self._learn()
                    continue
            elif not called_tools(call.name, declared):
                tally.undeclared += 1
            self._call(call, turn)
        for call in turn.alternatives:
            self._call(call, turn)
        self._said = None

    @property
    def surface(self) -> CalledSurface:
        return self._surface

    @property
    def is_quiet(self) -> bool:
        """Whether nothing that was said so far waits for what comes."""
        return self._pairing.is_quiet and not self._in_text

    def count(self, plain: Plain, mark: tuple[int, int, int, int]) -> None:
        """Count turns in which there is nothing to find, without following them."""
        self._tally.add_plain(plain, mark)

    def skip(self, plain: Plain) -> None:
        """Go on after turns that were only counted: all that is to be known of them is which tools were called."""
        names = sorted({*plain.skipped, *plain.called})
        self._begun = True
        self._pairing.skip(bool(names))
        if plain.knows and not self._knows:
            self._learn()
        tree, contract = Tree(None, None), plain.contract
        calls = [Call(tree, (), CallShape((), (), ()), None, name, None) for name in names]
        for turn in (Turn(tree, (), ASSISTANT, None, contract, calls), Turn(tree, (), USER, None, contract)):
            self._follow(turn, [])

    def end(self) -> None:
        """No turn follows."""
        mismatches = self._pairing.end()
        self._follow(None, mismatches)
        protocol = self._surface.surface.target.protocol
        if self._last_text is not None and protocol in PROTOCOLS:
            self._response(self._last_text, protocol, final=True)
        self._tally.conversations += 1
        self._tally.clean += not self.found

    def _report(self, finding: Finding) -> None:
        if finding.rule.code not in self._checks.enabled:
            return
        if self._said is not None:
            key = finding.rule.code, finding.place.pointer, finding.message
            if key in self._said:
                return
            self._said.add(key)
        self.found = True
        self._sink(finding)

    def _follow(self, turn: Turn | None, mismatches: list[Mismatch]) -> None:
        for check, follow in self._follows:
            try:
                for finding in follow(turn, mismatches):
                    self._report(finding)
            except Exception as error:
                place = None if turn is None else Place(turn.tree, turn.path)
                place = place or self._surface.surface.start or Place(Tree(None, None), ())
                self._sink(self._checks.check_crash(check, place, error))

    # Responses in a text protocol

    def _responses(self, turn: Turn, protocol: str) -> None:
        """Check the texts of a turn against a response protocol, and give it the calls that they make.

        The results of such calls are text too, and not paired.
        """
        from toolsurface_lint.protocols.calls import BUILT_IN_TOOLS

        calls: list[Call] = []
        for text in turn.said():
            self._last_text = text
            calls.extend(self._response(text, protocol))
        if calls:
            turn.calls = calls
            turn.contract = turn.contract._replace(answered=False, client_tools=BUILT_IN_TOOLS)

    def _raw_outputs(self, turn: Turn, protocol: str | None) -> None:
        """Give a turn the calls that its texts make as the raw output of a model, and check these unless it has others.

        By a protocol that somebody names every text is read, otherwise those that plainly are raw outputs.
        """
        target = self._surface.surface.target
        self._in_text = False
        if turn.calls and turn.contract.calls_in_text:
            return
        calls: list[Call] = []
        for text in turn.said():
            plain = recognise_raw(text.value)
            if plain is None and (protocol is None or turn.calls):
                continue
            used = choose_protocol(protocol, target.model, plain)
            if used is not None:
                calls.extend(self._response(text, used, reported=not turn.calls))
        if not calls:
            return
        turn.text_calls = calls
        if not turn.calls:
            self._in_text = True
            turn.calls = calls
            turn.contract = turn.contract._replace(answered=False)

    def _response(self, text: Node, protocol: str, *, final: bool = False, reported: bool = True) -> list[Call]:
        """Report on a response, or if it is `final` what only the last of a conversation must have; its calls.

        One that is not `reported` is read for its calls alone.
        """
        from toolsurface_lint.readers.responses import read_response

        surface = self._surface.surface
        response = read_response(text, protocol, surface, final=final)
        if not reported:
            return response.calls
        if not final:
            used = response.read.protocol
            self._tally.protocols[used] = self._tally.protocols.get(used, 0) + 1
        for finding in self._checks.run(RESPONSE, text.place, response, surface):
            if not final or finding.rule.code in _OF_THE_LAST:
                self._report(finding)
        return response.calls

    def _wire_forms(self, turn: Turn) -> None:
        """What is stored has the canonical delimiters: their wire form would come back as something else."""
        for text in turn.said():
            for start, end in wire_forms(text.value):
                wire = text.value[start:end]
                self._report(WIRE_FORM.at(text.text_place(start, end), wire=wire, canonical=CANONICAL[wire]))

    # Calls

    def _call(self, call: Call, turn: Turn) -> None:
        """A call that is more than plainly right."""
        surface = self._surface.surface
        tools = called_tools(call.name, self._surface.declared)
        if not tools:
            client = turn.contract.client_tools
            if client is None or call.name in client:
                return
            earlier = surface.earlier
            if earlier is not None and called_tools(call.name, earlier.by_name):
                self._learn()
            elif not self._knows and not surface.close_names(call.name):
                # Nothing yet says that this conversation was held on this surface.
                if call.value is UNREADABLE:
                    self._unreadable(call, turn)
                elif len(self._held) < _HELD_BACK:
                    self._held.append(call)
                return
        elif not self._knows:
            self._learn()
        if _is_cut_off(call, turn):
            return
        tool = fitting_tool(call, tools, surface)
        self._check(call, tool, surface)
        dispatcher = self._surface.dispatchers.get(call.name)
        if dispatcher is not None:
            self._dispatch(call, dispatcher, surface)

    def _every_call(self, call: Call, turn: Turn) -> None:
        """A call, whatever is known of its tool."""
        if self._checks.of(EVERY_CALL) and not _is_cut_off(call, turn):
            surface = self._surface.surface
            tool = fitting_tool(call, called_tools(call.name, self._surface.declared), surface)
            for finding in self._checks.run(EVERY_CALL, call.place, call, tool, surface):
                self._report(finding)

    def _unreadable(self, call: Call, turn: Turn) -> None:
        """Arguments that no tool can take, whatever its parameters are."""
        if not _is_cut_off(call, turn):
            for finding in self._checks.run(CALL, call.place, call, None, self._surface.surface):
                if finding.rule is NOT_JSON:
                    self._report(finding)

    def _learn(self) -> None:
        """A declared tool is called: what was held back can be reported."""
        self._knows = True
        held, self._held = self._held, []
        for call in held:
            self._check(call, None, self._surface.surface)

    def _check(self, call: Call, tool: Tool | None, surface: Surface) -> None:
        for finding in self._checks.run(CALL, call.place, call, tool, surface):
            self._report(finding)

    def _find_failures(self) -> None:
        """Count results as failures that the settings say are."""
        for call in self._pairing.answered:
            rule = meant_by(call.name, self._surface.rules)
            if rule is not None and call.result is not None and not call.result.failed:
                call.result.failed = means_failure(call.result, rule)

    def _result(self, call: Call) -> None:
        """A result that has found its call."""
        result = call.result
        if result is None or (result.served is None and not self._checks.of(EVERY_RESULT)):
            return
        surface = self._surface.surface
        tool = fitting_tool(call, called_tools(call.name, self._surface.declared), surface)
        if self._checks.of(EVERY_RESULT):
            for finding in self._checks.run(EVERY_RESULT, result.place, call, result, tool, surface):
                self._report(finding)
        if tool is not None and result.served is not None:
            self._tally.served += 1
            for finding in self._checks.run(RESULT, result.place, call, result, tool, surface):
                self._report(finding)

    def _dispatch(self, call: Call, dispatcher: Dispatcher, surface: Surface) -> None:
        """The call that a dispatcher's arguments make."""
        value = call.value
        if value is UNREADABLE or not isinstance(value.get(dispatcher.name), str):
            return
        node = call.arguments_node
        shape = CallShape((), (dispatcher.name,), (dispatcher.arguments,), JSON_TEXT)
        inner = Call(node.tree, node.path, shape, None, value[dispatcher.name], value.get(dispatcher.arguments))
        declared = self._surface.declared
        if dispatcher.server is not None:
            server = node.string(dispatcher.server)
            if server is None:
                return
            if folded(server.value) not in self._surface.served:
                if not surface.open:
                    related = surface.declared_instead(())
                    at, name = server.place, inner.name
                    self._report(UNKNOWN_TOOL.at(at, "server", tool=name, related=related, server=server.value))
                return
            declared = self._surface.served[folded(server.value)]
        self._check(inner, fitting_tool(inner, called_tools(inner.name, declared), surface), surface)
