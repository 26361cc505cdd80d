"""Words of a command line as a shell splits it, each character with where it was written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolsurface_lint.source.text import GAP


class Word(NamedTuple):
    """One word without its quotes: `offsets` are where its characters are in the text, and where the last one ends."""

    text: str
    offsets: list[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where a range of the word is in the text."""
        return self.offsets[start], self.offsets[end - 1] + 1 if end > start else self.offsets[start]

    @property
    def is_verbatim(self) -> bool:
        """Whether the word stands in the text as it is."""
        return self.offsets[-1] - self.offsets[0] == len(self.text)


def shell_words(text: str) -> Iterator[Word]:
    """The words of a text. Quotes and backslashes are those of a shell; parentheses and the like are plain characters.

    An expression of GitHub, `${{ ... }}`, is a `GAP`: its value is not known.

    A line that begins with `#` is a comment, even between quotes. Source: anthropics/claude-code-action at 24dcd50 (2026-08),
    base-action/src/parse-sdk-options.ts, which splits `claude_args` so.
    """
    characters: list[str] = []
    offsets: list[int] = []
    begun = False
    quote = ""
    position, end = _after_comments(text, 0), len(text)
    last_closing = text.rfind("}}")
    while position < end:
        character = text[position]
        if position < last_closing and text.startswith("${{", position):
            characters.append(GAP)
            offsets.append(position)
            begun = True
            position = text.index("}}", position) + 2
            continue
        if character == "\\" and quote != "'" and position + 1 < end and (not quote or text[position + 1] in '"\\$`'):
            characters.append(text[position + 1])
            offsets.append(position + 1)
            begun = True
            position += 2
            continue
        if character == quote:
            quote = ""
        elif not quote and character in "'\"":
            quote = character
            begun = True
        elif not quote and character.isspace():
            if begun:
                yield Word("".join(characters), [*offsets, (offsets[-1] + 1) if offsets else position])
            characters, offsets, begun = [], [], False
        else:
            characters.append(character)
            offsets.append(position)
            begun = True
        position += 1
        if character == "\n":
            position = _after_comments(text, position)
    if begun:
        yield Word("".join(characters), [*offsets, (offsets[-1] + 1) if offsets else end])


def _after_comments(text: str, position: int) -> int:
    """The start of the first line, of those from an offset on, that is no comment."""
    while position < len(text):
        end = text.find("\n", position)
        end = len(text) if end < 0 else end + 1
        if not text[position:end].lstrip().startswith("#"):
            return position
        position = end
    return position
