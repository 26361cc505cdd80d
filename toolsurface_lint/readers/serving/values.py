"""Launches in YAML: containers with an image, a command and arguments, strings that are commands, and tables of options.

What is read is known by the options in it, whatever the file is for: compose files, manifests of Kubernetes, values of Helm
charts, workflows of GitHub, vLLM's own `--config`, and the recipes and deployments of those who wrap the servers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolsurface_lint.knowledge.serving_engines import ENGINES, READ_OPTIONS
from toolsurface_lint.model.serving import SGLANG, VLLM, Launch, Option
from toolsurface_lint.readers.serving.launches import (
    NOTHING,
    Argument,
    Around,
    arguments_of,
    container_launches,
    image_of,
    plain_argument,
    read_command,
    read_fragment,
    read_script,
)
from toolsurface_lint.readers.serving.marks import MARKS
from toolsurface_lint.readers.serving.shell import commands
from toolsurface_lint.source.text import GAP
from toolsurface_lint.source.tree import Node

_ENTRIES = ("entrypoint", "command")
_ARGUMENTS = ("args", "command")
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_TEMPLATE = re.compile(r"\{\{[^{}]*\}\}|\$\{[^{}]*\}|\$\([^()]*\)|\$[A-Za-z_]\w*")


def read_values(root: Node) -> Iterator[Launch]:
    """The launches below a node, in the order of the file."""
    waiting: list[tuple[Node, Around]] = [(root, NOTHING)]
    while waiting:
        node, around = waiting.pop()
        value = node.value
        if isinstance(value, str):
            if MARKS.search(value) is not None:
                yield from read_script(node, around)
        elif isinstance(value, list):
            texts = [item for item in value if isinstance(item, str)]
            if len(texts) == len(value) and any(MARKS.search(text) is not None for text in texts):
                yield from _read_list(node, around)
            else:
                waiting.extend((item, around) for item in reversed([*node.elements()]))
        elif isinstance(value, dict):
            around = _around(node, around)
            read: set[str] = set()
            for launch, keys in _read_container(node, around):
                read.update(keys)
                if launch is not None:
                    yield launch
            yield from _read_table(node, around)
            waiting.extend((child, around) for key, child in reversed([*node.members()]) if key not in read)


def _read_container(node: Node, around: Around) -> Iterator[tuple[Launch | None, tuple[str, ...]]]:
    """The launches of a container, each with the keys of a table that it was read from."""
    entry = next((key for key in _ENTRIES if key in node.value), None)
    arguments = next((key for key in _ARGUMENTS if key in node.value and key != entry), None)
    keys = tuple(key for key in (entry, arguments) if key is not None)
    if not keys or (len(keys) == 1 and _image(node) is None):
        return
    words: list[Argument] = []
    for key in keys:
        found = _words(node.get(key))
        if found is None:
            return
        words.extend(found)
    if not any(MARKS.search(word.text) is not None for word in words):
        return
    for launch in container_launches(words, around):
        yield launch, keys
    yield None, keys


def _words(node: Node | None) -> list[Argument] | None:
    """The words of a command, which is a list or a string; None for what is neither, or several commands."""
    if node is None or node.value is None:
        return []
    if isinstance(node.value, str):
        read = commands(node.value)
        return arguments_of(read[0], node) if len(read) == 1 else None
    if isinstance(node.value, list):
        return _items(node)
    return None


def _items(node: Node) -> list[Argument]:
    found = []
    for item in node.elements():
        if not isinstance(item.value, str):
            # A number stands for one word, a list for any.
            found.append(Argument(GAP, item, [0, 0], opens=isinstance(item.value, (dict, list))))
            continue
        if item.value.startswith("--") and " " in item.value.strip():
            # Several words in one: what reads them parts them, or the server refuses them.
            read = commands(item.value)
            if len(read) == 1:
                found.extend(arguments_of(read[0], item))
                continue
        if "{{" in item.value or "$" in item.value:
            text, offsets = _without_templates(item.value)
            found.append(Argument(text, item, offsets, opens=text == GAP))
        else:
            found.append(plain_argument(item))
    return found


def _without_templates(text: str) -> tuple[str, list[int]]:
    """A text with a `GAP` for each part that is filled in elsewhere, and where its characters are."""
    pieces: list[str] = []
    offsets: list[int] = []
    at = 0
    for match in _TEMPLATE.finditer(text):
        pieces += [text[at : match.start()], GAP]
        offsets += [*range(at, match.start() + 1)]
        at = match.end()
    return "".join((*pieces, text[at:])), [*offsets, *range(at, len(text) + 1)]


def _read_list(node: Node, around: Around) -> Iterator[Launch]:
    words = _items(node)
    found = [*read_command(words, around)]
    if not found and any(MARKS.search(word.text) is not None for word in words):
        found = [*read_fragment(words, around)]
    yield from found


def _image(node: Node) -> Around | None:
    """What a table says of the image in it; None if it says nothing of any."""
    image = node.get("image")
    if image is not None and isinstance(image.value, str):
        return image_of(image.value)
    holder = node if image is None else image
    name, tag = holder.string("repository"), holder.string("tag")
    return None if name is None else image_of(f"{name.value}:{tag.value}" if tag is not None else name.value)


_MODEL_KEYS = (
    *(
        "model",
        "model_id",
        "modelURL",
        "model_url",
        "model_name_or_path",
        "huggingface_repo_id",
        "huggingface_model_id",
    ),
    *("model_scope_model_id", "hf_model_id", "url"),
)


def _around(node: Node, outer: Around) -> Around:
    """What a table says of the commands in it, beside what is said around it."""
    image = _image(node)
    found = outer if image is None or image.engine is None else image._replace(model=outer.model)
    for key in _MODEL_KEYS:
        model = node.string(key)
        if model is not None and "/" in model.value:
            start = model.value.startswith("hf://") * len("hf://")
            if "://" not in model.value[start:]:
                place = model.text_place(start, len(model.value))
                return found._replace(model=Option("model", model.value[start:], place, place))
    return found


def _read_table(node: Node, around: Around) -> Iterator[Launch]:
    """The launch that a table of options is for, with the names of the command line as keys."""
    named = {}
    for key, member in node.members():
        name = _CAPITAL.sub("-", key).lower().replace("_", "-")
        if name in READ_OPTIONS:
            named[name] = member
    if not any(name.endswith("call-parser") or name == "reasoning-parser" for name in named):
        return
    engine = around.engine
    if engine is None and "enable-auto-tool-choice" in named:
        engine = VLLM
    elif engine is None and "model-path" in node.value:
        # As its own `--config` has it; with an underscore, it is anybody's.
        engine = SGLANG
    if engine is None:
        return
    launch = Launch(engine, node.place)
    launch.version, launch.complete, launch.open = around.version, False, True
    for name, member in named.items():
        value = member.value if isinstance(member.value, str) else None
        known = None if value is None or _TEMPLATE.search(value) is not None or not value else value
        place = member.text_place(0, len(value)) if value else member.place
        launch.options.append(Option(name, known, member.key_place, place))
    launch.model = launch.last(*ENGINES[engine].model) or around.model
    yield launch
