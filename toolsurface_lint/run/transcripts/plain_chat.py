"""What is counted in conversations, and the quick way through those with nothing to find: the bulk of real logs.

It only ever accepts. A conversation that it accepts has no finding of any check in `COVERED`; every
other one, whatever it is that stands out, is followed turn by turn. It is an order of magnitude faster than that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from toolsurface_lint.knowledge import words
from toolsurface_lint.model.transcript import ASSISTANT, TOOL, USER, Contract
from toolsurface_lint.protocols.outputs.protocol import hints_in
from toolsurface_lint.protocols.recognition import recognise_raw
from toolsurface_lint.readers.transcript_format import Glance, GlancedCall, NotPlain, Quick
from toolsurface_lint.source.json_values import scan_value

COVERED = words(
    "TRANSCRIPT_ORPHAN_RESULT TRANSCRIPT_UNANSWERED_CALL TRANSCRIPT_DUPLICATE_CALL_ID "
    "TRANSCRIPT_RESULT_NOT_ADJACENT TRANSCRIPT_ROLE_ORDER TRANSCRIPT_UNKNOWN_ROLE TRANSCRIPT_REPEATED_CALL "
    "TRANSCRIPT_UNPARSED_CALL CALL_BEFORE_REQUIRED"
)
"""The rules about conversations that hold for whatever is accepted; those about calls hold for plain tools."""


class Tally:
    """What was counted, found or not.

    `undeclared` are the calls of tools that nobody declares, `served` the results that an MCP server gave of others.
    `tools` has the calls of each tool and how many of them failed, `protocols` the messages read by each response protocol,
    `schemas` the conversations by the schema of the dataset that they are rows of.
    """

    def __init__(self) -> None:
        self.conversations = 0
        self.clean = 0
        self.turns = 0
        self.calls = 0
        self.results = 0
        self.duplicate_ids = 0
        self.undeclared = 0
        self.served = 0
        self.tools: dict[str, list[int]] = {}
        self.protocols: dict[str, int] = {}
        self.schemas: dict[str, int] = {}

    def add_plain(self, plain: Plain, mark: tuple[int, int, int, int]) -> None:
        """Count what was seen up to a mark."""
        turns, results, called, failed = mark
        self.turns += turns
        self.calls += called
        self.results += results
        if plain.strange:
            self.undeclared += sum(name in plain.strange for name in plain.called[:called])
        if plain.contract.wire and plain.knows:
            self.served += results
        tools = self.tools
        for name in plain.called[:called]:
            counted = tools.get(name)
            if counted is None:
                counted = tools[name] = [0, 0]
            counted[0] += 1
        for name in plain.failed[:failed]:
            tools[name][1] += 1

    def add(self, other: Tally) -> None:
        """Count what was counted elsewhere too."""
        self.conversations += other.conversations
        self.clean += other.clean
        self.turns += other.turns
        self.calls += other.calls
        self.results += other.results
        self.duplicate_ids += other.duplicate_ids
        self.undeclared += other.undeclared
        self.served += other.served
        for name, (calls, failures) in other.tools.items():
            mine = self.tools.setdefault(name, [0, 0])
            mine[0] += calls
            mine[1] += failures
        for protocol, number in other.protocols.items():
            self.protocols[protocol] = self.protocols.get(protocol, 0) + number
        for schema, number in other.schemas.items():
            self.schemas[schema] = self.schemas.get(schema, 0) + number


CANNOT_SAY = (NotPlain, LookupError, TypeError, ValueError, AttributeError, StopIteration, RecursionError)
"""What a glance at a message raises that is not plain, whatever stands where something else is expected."""


class Plain:
    """Looks at the messages of one conversation, in order, by glances at them, as long as nothing stands out.

    `accepts` gives, for a tool about which there is nothing to check but the arguments, the function that accepts them;
    `is_known` says whether anything is known of a name: of all other tools, a client may have some that nobody declares.
    """

    def __init__(
        self,
        contract: Contract,
        accepts: Callable[[str], Callable[[Any], bool] | None],
        is_known: Callable[[str], bool],
    ) -> None:
        self.contract = contract
        self._accepts = accepts
        self._is_known = is_known
        self._takes_turns: Callable[[Glance], bool] | None = None
        """Whether a turn may come after the one before, where a format restricts that."""
        if contract.alternates:
            self._takes_turns = self._alternate
        elif contract.prompted:
            self._takes_turns = self._is_prompted
        self._open: dict[str, str] = {}
        """The calls that wait for their results, by their ids: the names of their tools."""
        self._without_id: dict[str, int] = {}
        """How many there are without an id, by name."""
        self._late: dict[str, str] = {}
        """Those that wait although other turns have come, where that is allowed,"""
        self._lost = False
        """and whether any are among them that have no id, which no result finds any more."""
        self._waits = False
        """Whether there may be calls that wait, other than late ones."""
        self._answers = False
        """Whether the turn before had results."""
        self._last: Glance | None = None
        self._call: tuple[str, Any] = ("", None)
        self.turns = 0
        self.results = 0
        self.called: list[str] = []
        """The names of the tools that were called, one for each call,"""
        self.failed: list[str] = []
        """and for each that failed."""
        self.skipped: set[str] = set()
        """The names of those that have been left out since,"""
        self.knows = False
        """and whether a tool that is declared has been called."""
        self.strange: set[str] = set()
        """The names that were called and that nobody declares."""

    def fits(self, found: Glance) -> bool:
        """Whether there is nothing to find in the next message; if there may be, all of it is to be followed exactly."""
        try:
            return self._fits(found)
        except CANNOT_SAY:
            return False

    @property
    def waits(self) -> bool:
        """Whether any call waits for its result."""
        return self._lost or bool(self._open or self._without_id or self._late)

    def mark(self) -> tuple[int, int, int, int]:
        """How many turns, results, calls and failed calls have been seen."""
        return self.turns, self.results, len(self.called), len(self.failed)

    def forget(self, mark: tuple[int, int, int, int]) -> None:
        """Leave out what was seen up to a mark, which has been counted."""
        turns, results, called, failed = mark
        self.turns -= turns
        self.results -= results
        self.skipped.update(self.called[:called])
        del self.called[:called]
        del self.failed[:failed]

    @property
    def ends(self) -> bool:
        """Whether there is nothing to find if no message follows: only calls of the last turn may wait."""
        return self.contract.wire or (not self._late and not self._lost)

    def _fits(self, found: Glance) -> bool:
        role, calls, results, texts = found
        self.turns += 1
        if self._takes_turns is not None and not self._takes_turns(found):
            return False
        if results:
            if calls or role not in self.contract.result_roles:
                return False
            for result in results:
                self._answer(*result)
            return True
        if self._waits and not self._passes(calls):
            return False
        self._answers = False
        if role != ASSISTANT:
            return not calls
        for text in texts:
            if hints_in(text) and recognise_raw(text) is not None:
                return False
        for call in calls:
            self._calls(*call)
        return True

    def _passes(self, calls: Sequence[GlancedCall]) -> bool:
        """Whether a turn without results may come while calls wait."""
        if self.contract.itemised and calls and not self._answers:
            return True
        if self._open or self._without_id:
            if self.contract.adjacent:
                return False
            self._late.update(self._open)
            self._lost |= bool(self._without_id)
            self._open.clear()
            self._without_id.clear()
        self._waits = False
        return True

    def _alternate(self, found: Glance) -> bool:
        last, self._last = self._last, found
        return found[0] == (USER if last is None or last[0] == ASSISTANT else ASSISTANT)

    def _is_prompted(self, found: Glance) -> bool:
        last, self._last = self._last, found
        return not found[1] or last is None or bool(last[2]) or last[0] in (USER, TOOL)

    def _calls(self, id: str | None, name: str, arguments: Any) -> None:
        accepts = self._accepts(name)
        if accepts is not None:
            value = arguments
            if type(value) is str:
                value, end = scan_value(arguments, 0)
                if end != len(arguments):
                    raise NotPlain
            if type(value) is not dict or not accepts(value):
                raise NotPlain
            self.knows = True
        else:
            tools = self.contract.client_tools
            if type(name) is not str or (tools is not None and name not in tools) or self._is_known(name):
                raise NotPlain
            self.strange.add(name)
        # Twice the same: whether it is a third time is for others to say.
        before, self._call = self._call, (name, arguments)
        if self._call == before and not self.contract.wire:
            raise NotPlain
        self._waits = True
        if id is None:
            self._without_id[name] = self._without_id.get(name, 0) + 1
        elif type(id) is not str or not id:
            raise NotPlain
        else:
            if self.contract.wire:
                # Ids may begin anew: from here on it means the new call.
                self._late.pop(id, None)
            elif id in self._open or id in self._late:
                raise NotPlain
            self._open[id] = name
        self.called.append(name)

    def _answer(self, id: str | None, name: str | None, failed: bool) -> None:
        if id is not None:
            found = self._open.pop(id, None) or self._late.pop(id, None)
            if found is None:
                if self.contract.wire:
                    # Of another request than a call.
                    return
                raise NotPlain
            name = found
        elif self._open or (failed and name is None and len(self._without_id) > 1):
            # Which of them it answers is a matter of names, or of their order.
            raise NotPlain
        else:
            name = next(iter(self._without_id)) if name is None else name
            waiting = self._without_id.pop(name)
            if waiting > 1:
                self._without_id[name] = waiting - 1
        self._answers = True
        self.results += 1
        if failed:
            self.failed.append(name)


def read_plain(
    messages: list[Any],
    quick: Quick,
    accepts: Callable[[str], Callable[[Any], bool] | None],
    is_known: Callable[[str], bool],
) -> Plain | None:
    """What a whole conversation holds, if there is nothing to find in it, else None."""
    plain = Plain(quick.contract, accepts, is_known)
    glance, fits = quick.glance, plain._fits
    try:
        for message in messages:
            if type(message) is dict:
                found = glance(message)
                if found is not None and not fits(found):
                    return None
    except CANNOT_SAY:
        return None
    return plain if plain.ends else None
