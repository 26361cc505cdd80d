"""What programs tell models, as prompts: each text as far as it is known, with a place for each of its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate
from typing import Any, NamedTuple

from toolsurface_lint.model.prompt import Prompt, PromptFile
from toolsurface_lint.programs.registry import Server, Told
from toolsurface_lint.programs.texts import files, pieces
from toolsurface_lint.programs.values import Literal, Module, Piece, Text, Value
from toolsurface_lint.readers.programs.trees import FileTree
from toolsurface_lint.readers.prompts import read_prompt

FREE_TEXT, TEXT_A_CHARACTER = 100_000, 10
"""Characters of texts put together that are read in one project: so many, and so many for each of the files they are made in.

A function that puts something into a long text makes another one for each of its callers.
"""


class ToldTexts(NamedTuple):
    """What servers, agents and requests are told.

    `files` are those that the texts are read from, by the program that reads them; `left_out` are texts for which there was
    no room, by the file in which they are put together: the first of each.
    """

    prompts: list[Prompt]
    files: dict[Module, list[PromptFile]]
    left_out: dict[Module, Value]


def read_told(
    told: Iterable[Told],
    entries: Mapping[tuple[Module, str], Mapping[str, Server]],
    file_of: Callable[[Module], FileTree],
) -> ToldTexts:
    """Read the texts, and which files hold others; `entries` as in `Registry`."""
    reader = _Reader(file_of)
    for server, text in told:
        reader.add(server, text)
    files: dict[Module, list[PromptFile]] = {}
    for (module, path), keys in reader.files.items():
        files.setdefault(module, []).append(PromptFile(path, tuple(keys)))
    for (module, path), agents in entries.items():
        by_agent = {name: server.key for name, server in agents.items()}
        files.setdefault(module, []).append(PromptFile(path, (), by_agent))
    return ToldTexts(reader.prompts(), files, reader.left_out)


class _Reader:
    def __init__(self, file_of: Callable[[Module], FileTree]) -> None:
        self.files: dict[tuple[Module, str], dict[str, None]] = {}
        """The keys of who is told what a program reads from a file."""
        self.left_out: dict[Module, Value] = {}
        self._file_of = file_of
        self._told_to: dict[tuple[Piece, ...], dict[str, Value]] = {}
        self._of_text: dict[Value, list[dict[str, Any]]] = {}
        """Where to note who is told a text: any number of agents may be told one that is very long."""
        self._modules: set[Module] = set()
        self._left = FREE_TEXT

    def add(self, server: Server, text: Value) -> None:
        noted_in = self._of_text.get(text)
        if noted_in is None:
            noted_in = self._of_text[text] = self._start(text) if self._has_room(text) else []
        for told_to in noted_in:
            told_to[server.key] = text

    def _has_room(self, text: Value) -> bool:
        """Whether a text is read: as it is written, or put together as long as there have not been too many of them."""
        if not isinstance(text, Literal | Text) or len(text.parts) < 2 or text.module is None:
            return True
        if text.module not in self._modules:
            self._modules.add(text.module)
            self._left += TEXT_A_CHARACTER * len(text.module.source.text)
        self._left -= text.size if isinstance(text, Text) else len(text.value)
        if self._left < 0:
            self.left_out.setdefault(text.module, text)
        return self._left >= 0

    def _start(self, text: Value) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = [
            self.files.setdefault((read.module, read.file.path), {}) for read in files(text) if read.module is not None
        ]
        made_of = tuple(pieces(text))
        if any(piece.node is not None for piece in made_of):
            found.append(self._told_to.setdefault(made_of, {}))
        return found

    def prompts(self) -> list[Prompt]:
        prompts = []
        for made_of, told_to in self._told_to.items():
            prompt = self._read(made_of, next(iter(told_to.values())))
            prompt.told_to = tuple(told_to)
            prompts.append(prompt)
        return prompts

    def _read(self, made_of: tuple[Piece, ...], text: Value) -> Prompt:
        written = [piece for piece in made_of if piece.node is not None]
        first = written[0]
        assert first.module is not None
        assert first.node is not None
        if len(made_of) == 1 and first.text == first.whole:
            file = self._file_of(first.module)
            return read_prompt(file.tree, file.text(first.node, first.whole).path, "instructions")
        # In the file that all of it is written in, if there is one: else where it is put together.
        module, node = first.module, first.node
        if text.module is not None and text.node is not None and {piece.module for piece in written} != {module}:
            module, node = text.module, text.node
        starts = accumulate((len(piece.text) for piece in made_of), initial=0)
        parts = [
            (
                start,
                self._file_of(piece.module)
                .text(piece.node, piece.whole)
                .text_place(piece.start, piece.start + len(piece.text)),
            )
            for start, piece in zip(starts, made_of, strict=False)
            if piece.node is not None and piece.module is not None
        ]
        file = self._file_of(module)
        whole = file.node("".join(piece.text for piece in made_of), file.span(node))
        file.tree.put_together(whole.path, parts)
        return read_prompt(file.tree, whole.path, "instructions")
