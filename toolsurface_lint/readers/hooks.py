"""The hooks of one file, in the form of their client: which events, matchers, timeouts and scripts there are."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple, cast

from toolsurface_lint.knowledge.hooks import HOOKS, HookClient
from toolsurface_lint.model.document import Document
from toolsurface_lint.model.hooks import HookFile, Matcher, Script
from toolsurface_lint.model.names import slip
from toolsurface_lint.readers.commands import scripts_of
from toolsurface_lint.readers.shape import Shape, describe, listed, shown
from toolsurface_lint.source.tree import Node


class Folders(NamedTuple):
    """What a command may write for a folder, by the path of that folder from the file of the hook.

    `variables` are named without `$`; `here` are the folders that a relative path may begin in.
    """

    variables: Mapping[str, str]
    here: tuple[str, ...] = ()


_PROJECT = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR")
"""Source: code.claude.com/docs/en/hooks, geminicli.com/docs/hooks, cursor.com/docs/agent/hooks, 2026-10."""
_TOP = "$(git rev-parse --show-toplevel)"


def project_folders(path: str, *here: str) -> Folders:
    """Of a file of the project whose folder is at `path` from it; relative paths begin there, or where `here` says."""
    return Folders({**dict.fromkeys(_PROJECT, path), _TOP: path}, here or (path,))


def plugin_folders(path: str) -> Folders:
    """Of a file of the plugin whose folder is at `path` from it. Which project it will run in is not known."""
    return Folders(dict.fromkeys((client.plugin[0] for client in HOOKS.values()), path))


def read_hooks(node: Node, client: str, folders: Folders, *, shared: bool = False) -> HookFile:
    """The hooks of an object of events; `shared` as in `HookFile`."""
    variable = HOOKS[client].plugin[0]
    named = not shared or re.search(rf"\$\{{?{variable}\b", str(node.value)) is not None
    return _Reader(HookFile(node, client, shared=shared, named=named), folders).read()


_BELOW_PLUGIN = frozenset({"agents", "commands", "skills"})


def read_head_hooks(document: Document, head: Node) -> None:
    """Read the hooks at the head of an agent, a command or a skill of Claude Code, which run while it is active.

    Source: code.claude.com/docs/en/hooks, on hooks in skills and agents, 2026-10.
    """
    hooks = head.get("hooks")
    if hooks is None or not isinstance(hooks.value, dict):
        return
    events = HOOKS["claude-code"].events
    if not any(event in events or slip(event, events) for event in hooks.value):
        return
    folders = document.location.split("/")[:-1]
    at = next((at for at, name in enumerate(folders) if name == ".claude"), -1)
    below = [index for index, name in enumerate(folders) if name in _BELOW_PLUGIN]
    if at >= 0:
        # Where a relative path begins is the project's folder for agents; of skills it is not said.
        found = project_folders("../" * (len(folders) - at))._replace(here=())
    elif below:
        found = plugin_folders("../" * (len(folders) - below[-1]))
    else:
        return
    document.hooks.append(read_hooks(hooks, "claude-code", found))


_NOT_EVENTS = frozenset({"description", "comment", "version"})


class _Reader:
    def __init__(self, file: HookFile, folders: Folders) -> None:
        self._node = file.node
        self._file = file
        self._client: HookClient = HOOKS[file.client]
        self._folders = folders

    def read(self) -> HookFile:
        if not isinstance(self._node.value, dict):
            self._wrong("object", self._node, "hooks")
            return self._file
        for event, member in self._node.members():
            if event in self._client.other or event in _NOT_EVENTS or not event[:1].isalpha():
                continue
            self._file.events.append((event, member.key_place))
            # What nothing runs may have any form.
            if event in self._client.events:
                self._read_event(event, member)
        return self._file

    def _read_event(self, event: str, member: Node) -> None:
        field = f"hooks.{event}"
        if not isinstance(member.value, list):
            self._wrong("list", member, field)
            return
        for index, group in enumerate(member.elements()):
            where = f"{field}[{index}]"
            if not isinstance(group.value, dict):
                self._wrong("object", group, where)
                continue
            matcher = group.get("matcher")
            if matcher is not None and matcher.value is not None:
                if isinstance(matcher.value, str):
                    self._file.matchers.append(Matcher(matcher, event, f"{where}.matcher"))
                else:
                    self._wrong("string", matcher, f"{where}.matcher")
            if self._client.flat:
                self._read_handler(group, where)
            else:
                self._read_group(group, where)

    def _read_group(self, group: Node, field: str) -> None:
        hooks = group.get("hooks")
        before = len(self._file.problems)
        if hooks is None:
            # Before there were groups, or as another client writes them.
            own = next((key for key in ("command", "prompt", "type") if key in group.value), None)
            if own is not None:
                self._file.add("hook/flat", group.place, field, name=field, key=own)
                return
            self._unknown(group, field, self._client.group)
            if len(self._file.problems) == before:
                self._file.add("hook/missing", group.place, field, name=f"{field}.hooks")
            return
        self._unknown(group, field, self._client.group)
        if not isinstance(hooks.value, list):
            self._wrong("list", hooks, f"{field}.hooks")
            return
        for index, handler in enumerate(hooks.elements()):
            where = f"{field}.hooks[{index}]"
            if isinstance(handler.value, dict):
                self._read_handler(handler, where)
            else:
                self._wrong("object", handler, where)

    def _read_handler(self, handler: Node, field: str) -> None:
        client = self._client
        before = len(self._file.problems)
        self._unknown(handler, field, client.handler)
        kind = handler.get("type")
        if kind is None:
            if not client.flat and not self._is_misspelled("type", before):
                self._file.add("hook/missing", handler.place, field, name=f"{field}.type")
            name = "command" if client.flat and "prompt" not in handler.value else ""
        elif not isinstance(kind.value, str):
            self._wrong("string", kind, f"{field}.type")
            name = ""
        else:
            name = kind.value
            near = slip(name, client.required)
            if name not in client.required and (near or (client.complete and not self._file.shared)):
                values = {"name": f"{field}.type", "got": shown(name), "words": listed(client.required), "near": near}
                self._file.add("hook/choice", kind.place, field, **values)
        for key in sorted(client.required.get(name, ())):
            value = handler.get(key)
            if value is None:
                if not self._is_misspelled(key, before):
                    self._file.add("hook/missing", handler.place, field, name=f"{field}.{key}")
            elif not isinstance(value.value, str):
                self._wrong("string", value, f"{field}.{key}")
        timeout = handler.get("timeout")
        if timeout is not None and timeout.value is not None:
            if isinstance(timeout.value, int | float) and not isinstance(timeout.value, bool):
                self._file.timeouts.append((timeout, f"{field}.timeout"))
            else:
                self._wrong("number", timeout, f"{field}.timeout")
        self._file.scripts.extend(self._scripts(handler, field))

    def _is_misspelled(self, key: str, before: int) -> bool:
        """Whether a key that is missing is there, misspelled: one of the problems after the first `before` says so."""
        problems = self._file.problems[before:]
        return any(
            problem.kind == "field" and key in cast("tuple[str, ...]", problem.values["near"]) for problem in problems
        )

    def _scripts(self, handler: Node, field: str) -> Iterator[Script]:
        command = handler.string("command")
        if command is None:
            return
        arguments = [item for item in handler.elements("args") if isinstance(item.value, str)]
        if arguments:
            # In this form no shell parts the words.
            for item in (command, *arguments[:1]):
                yield from self._script(item.value, item, 0, len(item.value), f"{field}.command")
            return
        for word in scripts_of(command.value):
            if word.literal and "$" in word.text:
                continue
            start, end = word.start, word.end
            if command.value[start] in "\"'" and command.value[end - 1] == command.value[start]:
                start, end = start + 1, end - 1
            yield from self._script(word.text, command, start, end, f"{field}.command")

    def _script(self, text: str, node: Node, start: int, end: int, field: str) -> Iterator[Script]:
        paths = tuple(_paths(text, self._folders))
        if paths:
            yield Script(text, node.text_place(start, end), field, paths)

    def _unknown(self, node: Node, field: str, known: frozenset[str]) -> None:
        Shape(node, self._file.problems).unknown_fields(node, field, known, close=True)

    def _wrong(self, kind: str, node: Node, field: str) -> None:
        self._file.add(f"hook/{kind}", node.place, field, name=field, got=describe(node.value))


_NAMED = re.compile(r"\$\{?(\w+)(?::-[^}]*)?\}?(?=/)")
_SPECIAL = re.compile(r"[\s$`*?\[\]{}<>~%\\|&;()\"'!]")
_EXTENSION = re.compile(r"\.\w+\Z")
_TELLING = frozenset({"hooks", "scripts", ".claude"})


def _paths(text: str, folders: Folders) -> Iterator[str]:
    """The paths that a word of a command means, from the folder of its file; none if it is not literally a file's."""
    starts: tuple[str, ...] = folders.here
    rest = text
    if text.startswith(_TOP + "/"):
        starts, rest = (folders.variables[_TOP],) if _TOP in folders.variables else (), text[len(_TOP) + 1 :]
    elif (named := _NAMED.match(text)) is not None:
        variable = named[1]
        starts = (folders.variables[variable],) if variable in folders.variables else ()
        rest = text[named.end() + 1 :]
    elif text.startswith("/"):
        return
    if not rest or _SPECIAL.search(rest) or rest.endswith("/"):
        return
    # A program without an ending may be one that is built.
    if _EXTENSION.search(rest) is None and _TELLING.isdisjoint(rest.split("/")[:-1]):
        return
    for start in starts:
        yield posixpath.normpath(posixpath.join(start, rest))
