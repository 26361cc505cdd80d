"""Launches among the words of a command: which server it starts, and with which options."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from toolsurface_lint.knowledge.serving_engines import (
    ENGINES,
    READ_OPTIONS,
    SHORT_OPTIONS,
    SWITCHES,
    VALUED_OPTIONS,
)
from toolsurface_lint.model.serving import LLAMA_CPP, VLLM, Launch, Option
from toolsurface_lint.readers.serving.shell import Command, commands
from toolsurface_lint.source.text import GAP
from toolsurface_lint.source.tree import Node, Place

PARSERS = re.compile(r"--(?:tool[-_]call[-_]parser|enable[-_]auto[-_]tool[-_]choice|reasoning[-_]parser)\b")
_STARTS = re.compile(r"\bvllm\b|\bsglang\b|llama-server")
_SCRIPT_FOLLOWS = re.compile(r"-[a-z]*c")
_DEEPEST = 3
"""How deep commands in words of commands are read."""


class Argument(NamedTuple):
    """A word of a command, with the string that it is a part of and where its characters are in that."""

    text: str
    node: Node
    offsets: Sequence[int]
    sure: bool = True
    opens: bool = False

    def place(self, start: int = 0, end: int | None = None) -> Place:
        """Where a range of the word is."""
        last = len(self.text) if end is None else end
        first = self.offsets[min(start, len(self.offsets) - 1)]
        return self.node.text_place(first, max(first, self.offsets[last - 1] + 1) if last > start else first)


class Around(NamedTuple):
    """What is said around a command: by the image of its container, the engine in it, None if no known one, and its version,
    if that is said; and the model that a table names.
    """

    engine: str | None = None
    version: tuple[int, ...] | None = None
    model: Option | None = None


NOTHING = Around()
_VERSION = re.compile(r":v?(\d{1,4}(?:\.\d{1,4}){1,2})(?![\w.]*\d{6})")


def image_of(name: str) -> Around:
    """What the name of an image says."""
    lowered = name.lower()
    for engine, known in ENGINES.items():
        if known.image.search(lowered) is not None:
            version = _VERSION.search(lowered)
            # The images of others count their own versions.
            own = version is not None and "vllm-openai" in lowered
            return Around(engine, tuple(map(int, version[1].split("."))) if version is not None and own else None)
    return NOTHING


def plain_argument(node: Node) -> Argument:
    """A string of a list as one word."""
    return Argument(node.value, node, range(len(node.value) + 1))


def arguments_of(command: Command, node: Node, offsets: Sequence[int] | None = None) -> list[Argument]:
    """The words of a command in a string; `offsets` are those of the text that was read, if it is not that string itself."""
    found = []
    for part in command:
        places = part.word.offsets
        if offsets is not None:
            last = len(offsets) - 1
            places = [offsets[min(place, last)] for place in places]
        found.append(Argument(part.text, node, places, part.sure, part.opens))
    return found


def read_script(node: Node, around: Around = NOTHING) -> Iterator[Launch]:
    """The launches in the text of a string."""
    for command in commands(node.value):
        yield from read_command(arguments_of(command, node), around)


def read_command(arguments: Sequence[Argument], around: Around = NOTHING, depth: int = 0) -> Iterator[Launch]:
    """The launches of one command."""
    nested = False
    for index, argument in enumerate(arguments if depth < _DEEPEST else ()):
        if _STARTS.search(argument.text) is not None and re.search(r"\s", argument.text) is not None:
            is_script = index > 0 and _SCRIPT_FOLLOWS.fullmatch(arguments[index - 1].text) is not None
            for command in commands(argument.text):
                inner = arguments_of(command, argument.node, argument.offsets)
                for launch in read_command(inner, around, depth + 1):
                    nested = True
                    if is_script and launch.open and index + 2 < len(arguments):
                        # To a script, the words behind it are `$0` and `$@`.
                        given = read_options(arguments, index + 2, around._replace(engine=launch.engine))
                        launch.options += given.options
                        launch.model = given.model or launch.model
                    yield launch
    if nested:
        return
    start, found = _start(arguments)
    if found.engine is not None:
        version = around.version if found.version is None and found.engine == around.engine else found.version
        yield read_options(arguments, start, Around(found.engine, version, around.model))
    elif any(PARSERS.match(argument.text) for argument in arguments):
        yield from read_fragment(arguments, around)


def container_launches(words: Sequence[Argument], around: Around) -> Iterator[Launch]:
    """The launches of the words that a container is started with: the program among them, else what the image runs."""
    found = [*read_command(words, around)]
    if found and found[0].complete:
        yield from found
    elif around.engine is not None and words and words[0].text.startswith("-"):
        yield read_options(words, 0, around)
    else:
        yield from found


def read_fragment(arguments: Sequence[Argument], around: Around) -> Iterator[Launch]:
    """What is given to a command that is written elsewhere, if it is known which engine that is."""
    engine = around.engine
    words = [argument.text.replace("_", "-") for argument in arguments]
    # A program of another name may have the options of vLLM, and parsers of its own.
    serves_itself = any(word == "serve" and not before.startswith("-") for before, word in pairwise(words))
    if engine is None and not serves_itself and any("auto-tool-choice" in word for word in words):
        engine = VLLM
    if engine is not None:
        launch = read_options(arguments, 0, around._replace(engine=engine))
        launch.complete = False
        launch.open = True
        yield launch


def _start(arguments: Sequence[Argument]) -> tuple[int, Around]:
    """The first word after what starts a server, and the engine; the program decides, else the image that is run."""
    by_image: tuple[int, Around] | None = None
    for index, argument in enumerate(arguments):
        text = argument.text
        following = arguments[index + 1].text if index + 1 < len(arguments) else ""
        if text == "-m":
            engine = next((name for name, known in ENGINES.items() if following in known.modules), None)
            if engine is not None:
                return index + 2, Around(engine)
            continue
        program = re.split(r"[/=@]", text)[-1]
        for name, known in ENGINES.items():
            if program == known.program and (not known.follows or following == known.follows):
                return index + (2 if known.follows else 1), Around(name)
        if ("/" in text or ":" in text) and not text.startswith("-") and by_image is None and index:
            image = image_of(text)
            if image.engine is not None and ("vllm-openai" in text or image.engine == LLAMA_CPP):
                by_image = index + 1, image
    return by_image or (0, NOTHING)


def read_options(arguments: Sequence[Argument], start: int, around: Around) -> Launch:
    """The launch of an engine with the words from an index on."""
    engine = around.engine or VLLM
    first = arguments[min(start, len(arguments) - 1)]
    launch = Launch(engine, first.place())
    launch.version = around.version
    index = start
    while index < len(arguments):
        argument = arguments[index]
        index += 1
        text = argument.text
        name, equals, value = text.partition("=")
        if engine == LLAMA_CPP and text in SHORT_OPTIONS:
            name = "--" + SHORT_OPTIONS[text]
        if not name.startswith("--") or GAP in name:
            if index == start + 1 and engine == VLLM and not text.startswith("-"):
                known = None if GAP in text else text
                launch.model = Option("model", known, argument.place(), argument.place(), argument.sure)
            launch.open = launch.open or argument.opens or (GAP in name and name.startswith("-"))
            continue
        name = name[2:].replace("_", "-")
        if name not in READ_OPTIONS:
            if name in VALUED_OPTIONS and not equals:
                index += 1
            continue
        key = argument.place(0, len(text) - len(value) - len(equals))
        place, sure, known = key, argument.sure, None
        if equals:
            place, known = argument.place(len(text) - len(value)), value
        elif name not in SWITCHES and index < len(arguments):
            given = arguments[index]
            index += 1
            place, sure, known = given.place(), sure and given.sure, given.text
        if name not in SWITCHES and (known is None or GAP in known):
            known = None
        if name == "config":
            launch.open = True
        launch.options.append(Option(name, known, key, place, sure))
    launch.model = launch.last(*ENGINES[engine].model) or launch.model or around.model
    return launch
