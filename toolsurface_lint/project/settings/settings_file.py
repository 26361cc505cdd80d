"""One settings file: its tree, and errors at their places in it."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

from toolsurface_lint.model.diagnostics import Skipped
from toolsurface_lint.model.names import did_you_mean
from toolsurface_lint.project.discovery.paths import display_path
from toolsurface_lint.project.settings import SettingsError
from toolsurface_lint.project.settings.selection import ALL, unknown_code
from toolsurface_lint.project.settings.values import InvalidSetting
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import SourceText, Span, Unreadable, decode
from toolsurface_lint.source.toml import read_toml
from toolsurface_lint.source.tree import Node, Path


class SettingsFile:
    """The bytes of a settings file, read; `table` is what stands under some keys, None if there is nothing.

    `path` is absolute, `shown` how people see it. Raises `SettingsError`.
    """

    def __init__(self, path: str, data: bytes, table: Path = ()) -> None:
        self.path = os.path.abspath(path)
        problems: list[Problem[Span]] = []
        try:
            text = decode(data)
        except Unreadable as unreadable:
            text = unreadable.text
            problems.append(unreadable.problem)
        self._source = SourceText(display_path(path), text)
        documents = read_toml(self._source)
        for problem in (*problems, *documents.problems):
            from toolsurface_lint.checks.input.problems import sentence

            raise self._error(sentence(problem), problem.at.start)
        self.table: Node | None = documents.trees[0].root.find(*table)

    @property
    def shown(self) -> str:
        return self._source.path

    @contextmanager
    def located(self) -> Iterator[None]:
        """Turn what is wrong with a setting into an error at its place."""
        try:
            yield
        except InvalidSetting as wrong:
            raise self._error(wrong.message, self.offset(wrong)) from None

    def offset(self, wrong: InvalidSetting) -> int:
        """Where in the text a wrong setting is; 0 if that is nowhere."""
        if self.table is None:
            return 0
        node = self.table.tree.at((*self.table.path, *wrong.path))
        place = node.key_place if wrong.key else node.place
        if wrong.at is not None:
            place = node.text_place(wrong.at, wrong.at)
        span = place.span()
        return 0 if span is None else span.start

    def skipped(self, reason: str, path: Path) -> Skipped:
        """The note that something at a place of the settings is left out."""
        position = self._source.lines.position(self.offset(InvalidSetting("", path)))
        return Skipped(self._source.path, reason, position.line, position.column)

    def _error(self, message: str, offset: int) -> SettingsError:
        position = self._source.lines.position(offset)
        return SettingsError(message, self._source.path, position.line, position.column)


_SELECTORS = ("select", "extend-select", "ignore")


def check_codes(table: dict[str, Any], known: Collection[str], is_open: bool = False) -> None:
    """Raise `InvalidSetting` for a code in a table of settings that no rule has.

    `is_open`: there are rules whose codes are not known, so that only codes of known families are wrong.
    """
    families = {code.partition("_")[0] for code in known} | {ALL}

    def may_be(code: str) -> bool:
        return is_open and code.partition("_")[0] not in families

    for path, code in _selectors(table):
        message = None if may_be(code) else unknown_code(code, known)
        if message:
            raise InvalidSetting(message, path)
    for code in table.get("severity", ()):
        if code not in known and not may_be(code):
            raise InvalidSetting(f"unknown code `{code}`{did_you_mean(code, known)}", ("severity", code), key=True)


def _selectors(table: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    """The codes and prefixes that the settings name, each with its place."""
    for key in _SELECTORS:
        yield from _strings(table.get(key, ()), (key,))
    for index, ignore in enumerate(table.get("per-file-ignores", ())):
        yield from _strings(ignore["codes"], ("per-file-ignores", index, "codes"))


def _strings(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
        return
    for index, each in enumerate(value):
        yield (*path, index), each
