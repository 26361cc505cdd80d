"""Calls in sections: what the grammars share whose calls begin with a marker, alone or within another pair."""

from __future__ import annotations

from toolsurface_lint.protocols.landmarks import stripped
from toolsurface_lint.protocols.outputs.reader import OutputReader
from toolsurface_lint.protocols.outputs.syntax import KeyValueTags, NamedJson, NamedTags, Pair
from toolsurface_lint.protocols.response import LOST, RUNS, VARIES
from toolsurface_lint.source.text import Span


class SectionReader(OutputReader):
    """Reads sections; a grammar reads the calls in them."""

    inner: tuple[str, ...] = ()
    """Markers that may stand around a call in a section and say nothing."""

    @property
    def section(self) -> Pair:
        assert isinstance(self.row.syntax, (NamedTags, KeyValueTags, NamedJson))
        return self.row.syntax.section

    @property
    def call_open(self) -> str:
        assert isinstance(self.row.syntax, (NamedTags, KeyValueTags, NamedJson))
        return self.row.syntax.call.open

    def read_call(self, start: int) -> int | None:
        """Read the call whose opening marker is at `start`: the offset after it; None if it is not meant as one."""
        raise NotImplementedError

    def read_at(self, start: int, opener: str) -> int | None:
        if opener == self.section.open:
            return self._read_section(Span(start, start + len(opener)))
        after = self.read_call(start)
        if after is None or not self.section.open:
            return after
        closer = self.skip_blanks(after, self.end)
        if self.text.startswith(self.section.close, closer):
            after = closer + len(self.section.close)
        if after < self.end or self.text.startswith(self.section.close, closer):
            self.report("missing_opener", Span(start, start + len(opener)), VARIES, opener=self.section.open)
        return after

    def _read_section(self, mark: Span) -> int | None:
        section = self.section
        before = len(self.response.calls)
        position = mark.end
        while True:
            position = self._skip(position)
            called = len(self.response.calls) > before
            if position >= self.end:
                if called:
                    self.report("unclosed_section", mark, RUNS)
                elif not self.reported("cut_off"):
                    self.report("cut_off", mark, LOST)
                return self.end
            if self.text.startswith(section.close, position):
                return position + len(section.close)
            if self.text.startswith(self.call_open, position):
                after = self.read_call(position)
                if after is not None:
                    position = after
                    continue
            elif self.text.startswith(section.open, position):
                self.report("unclosed_section" if called else "nested_call", mark, RUNS if called else LOST)
                return position
            following, found = self.next_of((self.call_open, section.close, section.open), position + 1)
            if found and found != section.open:
                self._report_rest(mark, Span(position, following), found, called)
                position = following
                continue
            if not called:
                # An opening marker that is only mentioned.
                return None
            self.report("unclosed_section", mark, RUNS)
            return position

    def _report_rest(self, mark: Span, rest: Span, found: str, called: bool) -> None:
        """Report text in a section that is not a call of this protocol; `found` is the marker after it."""
        content = stripped(self.text, *rest)
        if content.start < content.end and (called or not self.report_foreign(mark.start, rest.end + len(found))):
            self.add_lost(*content)

    def _skip(self, start: int) -> int:
        while True:
            start = self.skip_blanks(start, self.end)
            marker = next((marker for marker in self.inner if self.text.startswith(marker, start)), None)
            if marker is None:
                return start
            start += len(marker)
