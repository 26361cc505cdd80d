"""Launches in texts: scripts, Dockerfiles, units of systemd, recipes of make, and code blocks of Markdown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from toolsurface_lint.knowledge import words
from toolsurface_lint.model.serving import Launch
from toolsurface_lint.readers.serving.launches import (
    NOTHING,
    Argument,
    Around,
    arguments_of,
    container_launches,
    image_of,
    plain_argument,
    read_command,
)
from toolsurface_lint.readers.serving.shell import commands
from toolsurface_lint.source.embedded import EmbeddedTree
from toolsurface_lint.source.markdown import layout
from toolsurface_lint.source.tree import Node

_DOCKERFILE = re.compile(r"(?:dockerfile|containerfile)", re.IGNORECASE)
_FROM = re.compile(r"^[ \t]*FROM[ \t]+(?:--\S+[ \t]+)?(\S+)", re.MULTILINE | re.IGNORECASE)
_EXEC_FORM = re.compile(
    r"^[ \t]*(ENTRYPOINT|CMD)[ \t]+(\[(?:[^\]\n\\]|\\\r?\n(?![ \t]*(?:ENTRYPOINT|CMD)\b)|\\.){0,2000}+\])[ \t]*\r?$",
    re.MULTILINE,
)
_UNIT_IMAGE = re.compile(r"^Image=(\S+)", re.MULTILINE)
_UNIT_COMMAND = re.compile(r"^Exec(?:\w+=[-@:+!|]*|=)((?:[^\n\\]|\\\r?\n|\\.)*)", re.MULTILINE)
_SHELLS = words("bash sh shell console zsh shell-session shellscript text")
_INFO = re.compile(r"[ \t>]*[`~]+[ \t{.]*([\w+-]*)")


def read_text(root: Node, name: str, language: str) -> Iterator[Launch]:
    """The launches in a whole file, which is called `name`."""
    if language == "markdown":
        for start, end in _blocks(root.value):
            yield from _read_part(root, start, end)
    elif _DOCKERFILE.search(name) is not None:
        yield from _read_dockerfile(root)
    elif name.endswith((".service", ".container")):
        yield from _read_unit(root)
    else:
        yield from _read_part(root, 0, len(root.value))


def _read_part(root: Node, start: int, end: int, around: Around = NOTHING) -> Iterator[Launch]:
    offsets = range(start, end + 1)
    for command in commands(root.value[start:end]):
        yield from read_command(arguments_of(command, root, offsets), around)


def _read_unit(root: Node) -> Iterator[Launch]:
    named = _UNIT_IMAGE.search(root.value)
    around = NOTHING if named is None else image_of(named[1])
    for match in _UNIT_COMMAND.finditer(root.value):
        for command in commands(match[1]):
            given = arguments_of(command, root, range(match.start(1), match.end(1) + 1))
            yield from container_launches(given, around if given[0].text.startswith("-") else NOTHING)


def _read_dockerfile(root: Node) -> Iterator[Launch]:
    text = root.value
    stages = [*_FROM.finditer(text)]
    starts = [0, *(stage.start() for stage in stages[1:]), len(text)] if stages else [0, len(text)]
    for index, start in enumerate(starts[:-1]):
        end = starts[index + 1]
        image = image_of(stages[index][1]) if stages else NOTHING
        forms: dict[str, list[Argument]] = {}
        for match in _EXEC_FORM.finditer(text, start, end):
            forms[match[1].upper()] = _exec_form(root, match)
        if any(forms.values()):
            entry = forms.get("ENTRYPOINT", [])
            yield from container_launches([*entry, *forms.get("CMD", [])], NOTHING if entry else image)
        for command in commands(_EXEC_FORM.sub(lambda match: " " * len(match[0]), text[start:end])):
            yield from read_command(arguments_of(command, root, range(start, end + 1)))


def _exec_form(root: Node, match: re.Match[str]) -> list[Argument]:
    # A line that goes on is one: two blanks instead, so that places stay.
    text = re.sub(r"\\\r?\n", lambda end: " " * len(end[0]), match[2])
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return []
    tree = EmbeddedTree(root.tree, root.path, text, value, match.start(2))
    return [plain_argument(item) for item in tree.root.elements() if isinstance(item.value, str)]


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """The insides of the code blocks that may hold commands."""
    for fence in layout(text).fences:
        info = _INFO.match(text, fence.start)
        start = text.find("\n", fence.start, fence.end)
        if info is not None and start >= 0 and (not info[1] or info[1].lower() in _SHELLS):
            yield start + 1, max(start + 1, text.rfind("\n", start, fence.end - 1) + 1)
