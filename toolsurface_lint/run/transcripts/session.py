"""One conversation of a log, which comes event by event: followed exactly, but for the stretches in which nothing stands out.

The events that may matter for what comes are kept until it has come: those since the last call, and the round of calls and
results before it. Where something stands out, they are followed after all; what came before them is only counted.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from toolsurface_lint.model.transcript import USER, Turn
from toolsurface_lint.readers.transcript_format import Envelope, Glance, TranscriptEntry
from toolsurface_lint.run.transcripts.conversation import CalledSurface, Conversation
from toolsurface_lint.run.transcripts.plain_chat import Plain
from toolsurface_lint.source.tree import Path, Tree

_MOST_EVENTS = 200
_MOST_CHARACTERS = 4 * 1024 * 1024
"""So much is kept to be followed after all; where that is not enough, it is followed at once."""


class Session:
    """The conversation `key` of a log; `plain` makes what looks at it quickly, None where it is to be followed exactly."""

    def __init__(
        self, key: Hashable, conversation: Conversation, envelope: Envelope, plain: Callable[[], Plain | None]
    ) -> None:
        self.conversation = conversation
        self._key = key
        self._envelope = envelope
        self._make_plain = plain
        self._plain = plain()
        self._kept: list[tuple[Tree, Path, dict[str, Any]]] = []
        self._round = 0
        """Where in them the last round of calls and results begins."""
        self._mark = (0, 0, 0, 0)
        """What had been counted there,"""
        self._characters = 0
        self._skipped = False
        """and whether anything has been counted only since the conversation was last followed."""

    def sees(self, found: Glance, tree: Tree, path: Path, event: dict[str, Any], length: int) -> bool:
        """Whether there is nothing to find in an event of so many characters; else what is kept has been followed."""
        plain = self._plain
        if plain is None:
            return False
        _, calls, results, _ = found
        if not plain.waits and not results:
            if calls:
                self._forget(self._round)
                self._round = len(self._kept)
                self._mark = plain.mark()
            elif found[0] == USER:
                self._mark = plain.mark()
                self._forget(len(self._kept))
        self._characters += length
        if len(self._kept) < _MOST_EVENTS and self._characters < _MOST_CHARACTERS and plain.fits(found):
            self._kept.append((tree, path, event))
            return True
        self.follow()
        return False

    def _forget(self, number: int) -> None:
        """Count the first of the events that are kept, which cannot matter any more."""
        if number:
            assert self._plain is not None
            self.conversation.count(self._plain, self._mark)
            self._plain.forget(self._mark)
            del self._kept[:number]
            self._characters = 0
            self._round = 0
            self._mark = (0, 0, 0, 0)
            self._skipped = True

    def tools(self, surface: CalledSurface) -> None:
        """From here on the conversation has these tools."""
        self.follow()
        self.conversation.tools(surface)
        if self.conversation.is_quiet:
            self._plain = self._make_plain()

    def turn(self, turn: Turn, wired: bool) -> None:
        """Follow a turn exactly; `wired` says whether it may hold delimiters in their wire form."""
        self.follow()
        self.conversation.wired = wired
        self.conversation.turn(turn)
        asked = turn.role == USER and not turn.results
        if (asked or turn.contract.wire) and self.conversation.is_quiet:
            self._plain = self._make_plain()

    def follow(self) -> None:
        """Follow what is kept, and from here on every turn, until nothing waits any more."""
        if self._plain is None:
            return
        self._catch_up()
        self._plain = None
        kept, self._kept = self._kept, []
        self._round, self._mark, self._characters = 0, (0, 0, 0, 0), 0
        self.conversation.wired = False
        for tree, path, event in kept:
            for entry in self._envelope.begin()(tree, path, event):
                if isinstance(entry, TranscriptEntry) and entry.turn is not None and entry.conversation == self._key:
                    self.conversation.turn(entry.turn)

    def _catch_up(self) -> None:
        if self._skipped and self._plain is not None:
            self.conversation.skip(self._plain)
            self._skipped = False

    def end(self) -> None:
        """No event follows."""
        plain = self._plain
        if plain is not None and plain.ends:
            self.conversation.count(plain, plain.mark())
            self.conversation.skip(plain)
        else:
            self.follow()
        self.conversation.end()
