"""Commands that start a server for a model, with the options that say how its tool calls are read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from toolsurface_lint.source.tree import Place

if TYPE_CHECKING:
    from toolsurface_lint.model.chat_template import ChatTemplate

VLLM, SGLANG, LLAMA_CPP = "vllm", "sglang", "llama.cpp"


class Option(NamedTuple):
    """One option of a command as it is given.

    `name` has dashes between its words and none before them; `value` is None for a switch and for what is only known when the
    command runs. `key` is the place of the option itself, `place` that of its value, where it has one. `sure`: the command
    has it in any case, and not only if a script takes one of several ways.
    """

    name: str
    value: str | None
    key: Place
    place: Place
    sure: bool = True


class Launch:
    """One command, or what is given to one that is written elsewhere (`complete` is False then).

    `engine` is one of the names above. `open`: it may have options that cannot be seen. `version` is that of the engine where
    an image names one, as numbers.
    """

    def __init__(self, engine: str, place: Place) -> None:
        self.engine = engine
        self.place = place
        self.model: Option | None = None
        self.options: list[Option] = []
        self.open = False
        self.complete = True
        self.version: tuple[int, ...] | None = None
        self.template: ChatTemplate | None = None
        """The chat template that it names, where that is a file of the project."""

    def given(self, *names: str) -> Iterator[Option]:
        """The options of some names, in the order in which they are given."""
        return (option for option in self.options if option.name in names)

    def last(self, *names: str) -> Option | None:
        """The option that counts, where one of some names is given; the last one decides."""
        return next((option for option in reversed(self.options) if option.name in names), None)
