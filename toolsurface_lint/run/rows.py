"""Conversations as plain data, one at a time: what `check` finds in a file, without the file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from threading import local
from typing import Any, NamedTuple

from toolsurface_lint.checks.input.problems import UNREADABLE, WRONG_KIND
from toolsurface_lint.model.diagnostics import Finding
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.transcript import Call, Turn
from toolsurface_lint.project.roles import target_of
from toolsurface_lint.project.settings import Settings, SettingsError
from toolsurface_lint.project.settings.loading import MAX_SETTINGS, load_settings, override
from toolsurface_lint.project.settings.selection import Selection
from toolsurface_lint.readers.conversations import mapped
from toolsurface_lint.readers.transcript_format import DatasetSchema, FoundConversation
from toolsurface_lint.run.transcripts.carried import CarriedTools
from toolsurface_lint.run.transcripts.conversation import CalledSurface, ConversationChecks
from toolsurface_lint.run.transcripts.plain_chat import Tally
from toolsurface_lint.run.transcripts.reader import TranscriptReader
from toolsurface_lint.source.files import read_bytes
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import MAX_DEPTH
from toolsurface_lint.source.tree import Node, Path, Place, depth_exceeds, plain


class RowFinding(NamedTuple):
    """One finding in a row: plain data that can be pickled, compared and written to a table.

    `pointer` is the JSON pointer of its place in the row, through columns and arguments that are JSON text; empty for the row
    as a whole. `tool` is the tool that it is about, `call` the number of the call in the conversation, from 0; None if it
    is about none.
    """

    code: str
    severity: str
    pointer: str
    message: str
    tool: str | None = None
    call: int | None = None


class RowReading(NamedTuple):
    """What a row holds: its findings, its turns in order, and what was counted in it.

    Nothing is counted in a row in which no conversation was recognised. A conversation that plainly has no finding is
    followed, and has `turns`, only if all are wanted. `conversation` is where its messages and tools are, the last if it has
    several, None if it is in pieces or there is none; `declared` are the tools of that, by name.
    """

    findings: list[RowFinding]
    turns: list[Turn]
    tally: Tally
    conversation: FoundConversation | None = None
    declared: Mapping[str, Sequence[Tool]] = {}

    @property
    def calls(self) -> list[Call]:
        """The calls of the turns, in order."""
        return [call for turn in self.turns for call in turn.calls]


class Linter:
    """Checks conversations that are plain data, as `toolsurface-lint check` checks those in files.

    The options are those of `check_paths`. `config` is a settings file: of what it says, the rules, their severities and what it
    says about the agent count; without it, no settings are read. `columns` says where rows have their `messages` and `tools`,
    by the names of columns or of members in them (`metadata.tools`); without it, that is recognised. Nothing else is read,
    written or started. A linter may be used by several threads at once, and pickles as its options. Raises `SettingsError`
    for unusable settings and options.
    """

    def __init__(
        self,
        *,
        config: str | None = None,
        protocol: str | None = None,
        done_sentinel: str | None = None,
        model: str | None = None,
        provider: str | Sequence[str] | None = None,
        tool_search: bool | None = None,
        columns: Mapping[str, str] | None = None,
        select: Sequence[str] | None = None,
        extend_select: Sequence[str] | None = None,
        ignore: Sequence[str] | None = None,
    ) -> None:
        agent = {
            "protocol": protocol,
            "done_sentinel": done_sentinel,
            "model": model,
            "provider": provider,
            "tool_search": tool_search,
        }
        rules = {"select": select, "extend_select": extend_select, "ignore": ignore}
        if columns is not None and not ({"messages"} <= set(columns) <= {"messages", "tools"}):
            raise SettingsError("`columns` must say where `messages` are, and may say where `tools` are")
        texts = None if config is None else _settings_texts(config)
        self.__setstate__((config, texts, agent, rules, None if columns is None else dict(columns)))

    def __getstate__(self) -> tuple[Any, ...]:
        return self._state

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._state = state
        config, texts, agent, rules, columns = state
        if config is None:
            settings = Settings(os.sep)
        else:
            # Where it is unpickled, the file need not be.
            settings = load_settings((), config, unsaved=texts)
        settings = override(settings, **agent)
        self._selection = Selection(settings, **rules)
        self._checks = ConversationChecks(self._selection)
        base = Surface("row", inferred=True)
        base.target = target_of(settings, None)
        base.tool_search = bool(settings.tool_search)
        self._surface = CalledSurface(base)
        self._mapping = None if columns is None else _mapping(columns)
        self._of_thread = local()

    def row(self, messages: Any, tools: Any = None) -> list[RowFinding]:
        """What is wrong with one conversation, and with the tools that it was held with.

        `messages` is a list in any of the formats of transcripts, or the JSON text of one; `tools` are definitions in any
        of the formats of tools, or the JSON text of them. Pointers begin with `/messages` or `/tools`. Nothing is raised for
        data of a wrong shape: what holds no conversation is itself a finding.
        """
        row = {"messages": messages} if tools is None else {"messages": messages, "tools": tools}
        return self._read(plain(row), None).findings

    def rows(self, rows: Iterable[Mapping[str, Any]]) -> Iterator[list[RowFinding]]:
        """The findings of each row of a dataset, in order; `rows` are mappings from the names of columns to their values."""
        return (read_row(self, row).findings for row in rows)

    def _read(self, root: Node, mapping: DatasetSchema | None, exact: bool = False) -> RowReading:
        found: list[Finding] = []
        turns: list[Turn] = []
        if depth_exceeds(root.value, MAX_DEPTH):
            problem = Problem("unreadable/nesting", root.place, {"most": MAX_DEPTH})
            found.append(UNREADABLE.of(problem))
            tally = Tally()
            last = None
        else:
            reader = TranscriptReader(
                self._surface,
                self._checks,
                found.append,
                definitions=found.append,
                carried=self._carried(),
                turns=turns,
                mapping=mapping,
                exact=exact,
            )
            reader.value(root.tree)
            reader.end()
            tally = reader.tally
            last = reader.last
            if not tally.conversations and not found:
                found.append(WRONG_KIND.of(Problem("wrong_kind/row", root.place)))
        reported = self._reported(found, turns)
        if last is None:
            return RowReading(reported, turns, tally)
        return RowReading(reported, turns, tally, last[0], last[1].declared)

    @property
    def passes_plain_chats(self) -> bool:
        """Whether a conversation in which user and assistant only speak, without calls, has no finding by these options."""
        return self._checks.quick(self._surface.surface)

    def _carried(self) -> CarriedTools:
        """The tools that this thread has met."""
        known: CarriedTools | None = getattr(self._of_thread, "carried", None)
        if known is None:
            known = self._of_thread.carried = CarriedTools(self._surface.surface, self._checks)
        return known

    def _reported(self, found: Sequence[Finding], turns: Sequence[Turn]) -> list[RowFinding]:
        """The findings that are enabled, each once, in the order of their places."""
        if not found:
            return []
        index = _CallIndex([call for turn in turns for call in turn.calls])
        reported: dict[tuple[str, str, str, int | None], RowFinding] = {}
        for finding in found:
            severity = self._selection.severity(finding.rule)
            if severity is not None:
                pointer, call = finding.place.pointer, index.find(finding.place)
                row = RowFinding(finding.rule.code, severity, pointer, finding.message, finding.tool, call)
                reported.setdefault((row.code, row.pointer, row.message, row.call), row)
        return list(reported.values())


def read_row(linter: Linter, row: Any, columns: Mapping[str, str] | None = None, *, exact: bool = False) -> RowReading:
    """What one row of a dataset holds, for those who need to know more than its findings.

    `columns` says where its messages and tools are, in place of the linter's own. `exact`: every turn is wanted.
    """
    return linter._read(plain(row), linter._mapping if columns is None else _mapping(columns), exact)


def selection_of(linter: Linter) -> Selection:
    """Which rules are enabled, and how severe they are."""
    return linter._selection


def _mapping(columns: Mapping[str, str]) -> DatasetSchema:
    return mapped(columns["messages"], columns.get("tools"))


def _settings_texts(config: str) -> dict[str, bytes]:
    """The bytes of a settings file, and of those that it extends, by absolute path. Raises `SettingsError`."""
    settings = load_settings((), config)
    return {os.path.abspath(config): read_bytes(config, MAX_SETTINGS), **settings.sources}


class _CallIndex:
    """Which call of a conversation a place is in."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self._by_tree: dict[tuple[int, Path], int] = {}
        self._by_path: dict[Path, int] = {}
        for number, call in enumerate(calls):
            self._by_tree.setdefault((id(call.tree), call.path), number)
            self._by_path.setdefault(call.tree.full_path(call.path), number)

    def find(self, place: Place) -> int | None:
        tree, path = id(place.tree), place.path
        for length in range(len(path), -1, -1):
            if (tree, path[:length]) in self._by_tree:
                return self._by_tree[tree, path[:length]]
        path = place.tree.full_path(path)
        return next((self._by_path[path[:end]] for end in range(len(path), 0, -1) if path[:end] in self._by_path), None)
