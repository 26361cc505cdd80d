"""Workflows and composite actions of GitHub that run a coding client: the tools that they allow it, and its prompts.

Source: the documentation of workflow syntax, and of the actions in `knowledge.actions`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from toolsurface_lint.model.document import Document
from toolsurface_lint.model.names import slip
from toolsurface_lint.model.permission import ALLOW, DENY, PermissionFile
from toolsurface_lint.readers.document_reader import DocumentReader
from toolsurface_lint.readers.permissions import CLAUDE_CODE, listed_rules, read_claude_rule
from toolsurface_lint.readers.prompts import prompts_in
from toolsurface_lint.source.embedded import EmbeddedTree
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import GAP, SourceText, Span
from toolsurface_lint.source.tree import Node, Place

if TYPE_CHECKING:
    from toolsurface_lint.knowledge.actions import Action
    from toolsurface_lint.readers.shell_words import Word


class Step(NamedTuple):
    """One step that runs a client; `version` is the major version of its action, None if the reference does not say."""

    action: Action
    name: str
    version: int | None
    inputs: Node


def _steps(root: Node, document: Document) -> list[Step]:
    """The steps of a workflow, or of a composite action, that run a client."""
    holders = [job for _, job in root.members("jobs")]
    runs = root.get("runs")
    holders.extend([] if runs is None else [runs])
    return [
        step for holder in holders for node in holder.elements("steps") if (step := _step(node, document)) is not None
    ]


def _step(node: Node, document: Document) -> Step | None:
    uses, inputs = node.get("uses"), node.get("with")
    if uses is None or not isinstance(uses.value, str) or inputs is None or not isinstance(inputs.value, dict):
        return None
    from toolsurface_lint.knowledge.actions import ACTIONS

    name, _, reference = uses.value.partition("@")
    action = ACTIONS.get(name.lower())
    return None if action is None else Step(action, name, _version(reference, uses, document), inputs)


_MAJOR = re.compile(r"v?(\d{1,4})(?:\.\d+)*\Z")
_COMMENT = re.compile(r"['\"]?[ \t]*#[ \t]*(?:ratchet:\S+@|tag=)?(v?\d{1,4}(?:\.\d+)*)\b")


def _version(reference: str, uses: Node, document: Document) -> int | None:
    """The major version that a reference means: by its name, or of a commit by the comment behind it."""
    if reference == "main":
        return 1
    if reference == "beta":
        return 0
    major = _MAJOR.match(reference)
    if major is None and re.fullmatch(r"[0-9a-f]{40}", reference) is not None:
        span = uses.place.span()
        comment = None if span is None else _COMMENT.match(document.source.text, span.end)
        major = None if comment is None else _MAJOR.match(comment[1])
    return None if major is None else int(major[1])


def _read(steps: list[Step], document: Document) -> None:
    for step in steps:
        action, inputs = step.action, step.inputs
        document.prompts.extend(prompts_in(inputs, action.prompts, frozenset({action.client})))
        file = PermissionFile(inputs, action.client)
        file.in_workflow, file.provided = True, action.own
        _note_removed(file, step)
        if action.client == CLAUDE_CODE:
            _read_claude(file, step)
        document.permissions.append(file)
        if action.settings is not None:
            _read_settings(step, action.settings, document)
    document.complete = True


def _note_removed(file: PermissionFile, step: Step) -> None:
    """Note the inputs that the version of the action does not have."""
    if step.version is None or step.version < 1:
        return
    for name, instead in step.action.removed.items():
        node = step.inputs.get(name)
        if node is not None:
            owner = f"{step.name.rpartition('/')[2]}@v{step.version}"
            file.add("input", node.key_place, f"with.{name}", name=name, owner=owner, instead=instead)


def _read_claude(file: PermissionFile, step: Step) -> None:
    action, inputs = step.action, step.inputs
    if step.version in (None, 0):
        for key, does in ((action.allowed, ALLOW), (action.disallowed, DENY)):
            node = inputs.string(key) if key is not None else None
            if node is not None:
                _read_list(file, node, does, f"with.{key}")
        node = inputs.string(action.servers) if action.servers is not None else None
        if node is not None:
            _read_servers(file, node, 0, node.value)
    node = inputs.string(action.arguments) if action.arguments is not None else None
    if node is not None:
        _read_arguments(file, node, f"with.{action.arguments}")


def _read_list(file: PermissionFile, node: Node, action: str, field: str) -> None:
    """The rules of a list."""
    for start, end in listed_rules(node.value):
        _read_rule(file, node.value[start:end], node.text_place(start, end), action, field)


def _read_rule(file: PermissionFile, text: str, place: Place, action: str, field: str) -> None:
    if "${{" in text or GAP in text:
        return
    rule = read_claude_rule(file, text, place, action, field, settings=False)
    if rule is not None:
        file.rules.append(rule)


# --- Arguments of Claude Code ---------------------------------------------------------------------------------------

_LISTS = {
    "--allowedTools": ALLOW,
    "--allowed-tools": ALLOW,
    "--disallowedTools": DENY,
    "--disallowed-tools": DENY,
}
_SERVERS = "--mcp-config"


def _read_arguments(file: PermissionFile, node: Node, field: str) -> None:
    """The lists of tools and servers among the arguments of Claude Code's command line."""
    from toolsurface_lint.readers.shell_words import Word, shell_words

    words = list(shell_words(node.value))
    position = 0
    while position < len(words):
        word = words[position]
        flag, equals, _ = word.text.partition("=")
        position += 1
        if not flag.startswith("--") or GAP in flag:
            continue
        start = position
        while not equals and position < len(words) and not words[position].text.startswith("--"):
            position += 1
        values = words[start:position]
        if equals:
            # The only value stands in the word of the flag.
            start -= 1
            values = [Word(word.text[len(flag) + 1 :], word.offsets[len(flag) + 1 :])]
        if flag in _LISTS:
            others = words[position : position + _FARTHEST]
            position = max(position, start + _read_words(file, node, values, others, _LISTS[flag], field))
        elif flag == _SERVERS:
            for value in values:
                _read_server_word(file, node, value)
        elif near := slip(flag, _LISTS):
            place = node.text_place(*word.span(0, len(flag)))
            file.add("option", place, field, name=flag, owner="Claude Code", near=near)


def _read_words(
    file: PermissionFile, node: Node, values: list[Word], others: list[Word], action: str, field: str
) -> int:
    """Read the rules in the words after a flag; returns how many words they take, with those of rules that fall apart.

    Of these, only the first is a problem: quotes around the list mend them all.
    """
    from toolsurface_lint.readers.shell_words import Word

    taken = 0
    split = False
    words = [*values, *others]
    while taken < len(values):
        word = words[taken]
        taken += 1
        for start, end in listed_rules(word.text):
            text = word.text[start:end]
            place = node.text_place(*word.span(start, end))
            if end == len(word.text) and text.count("(") > text.count(")") and GAP not in text:
                closing = _closing(words, taken, text.count("(") - text.count(")"))
                if closing is not None:
                    last, until = closing
                    place = node.text_place(word.span(start, end)[0], words[last].span(0, until)[1])
                    written = " ".join([text, *(each.text for each in words[taken:last]), words[last].text[:until]])
                    if not split:
                        file.add("rejected/split", place, field, rule=written)
                    split = True
                    rest = words[last]
                    words[last] = Word(rest.text[until:], rest.offsets[until:])
                    taken = last
                    continue
            _read_rule(file, text, place, action, field)
    return taken


_FARTHEST = 12
"""Words that a rule in parentheses has at most: beyond them, it was never closed."""


def _closing(words: list[Word], position: int, depth: int) -> tuple[int, int] | None:
    """The word, and the offset in it, at which open parentheses are closed, if a word before it does not end the list."""
    for index in range(position, min(len(words), position + _FARTHEST)):
        for offset, character in enumerate(words[index].text):
            depth += (character == "(") - (character == ")")
            if not depth:
                return index, offset + 1
            if character == "," or depth < 0:
                return None
    return None


def _read_server_word(file: PermissionFile, node: Node, word: Word) -> None:
    if word.is_verbatim:
        _read_servers(file, node, word.offsets[0], word.text)


def _read_servers(file: PermissionFile, node: Node, start: int, text: str) -> None:
    """The names of the servers in a list that is written as JSON."""
    value = _json(text)
    if not isinstance(value, dict):
        return
    root = EmbeddedTree(node.tree, node.path, text, value, start).root
    for name, definition in root.members("mcpServers"):
        file.servers[name] = definition.key_place


def _json(text: str) -> object:
    """The value of a JSON text; None for any other."""
    try:
        return json.loads(text) if text.lstrip().startswith("{") else None
    except (ValueError, RecursionError):
        return None


# --- Settings -------------------------------------------------------------------------------------------------------


def _read_settings(step: Step, key: str, document: Document) -> None:
    """The settings of the client in an input; anything but an object in JSON is the path of a file."""
    node = step.inputs.string(key)
    if node is None or not node.value.lstrip().startswith("{"):
        return
    text: str = node.value
    value = _json(text)
    if not isinstance(value, dict):
        if "${{" not in text:
            document.problems.extend(_moved(node, text))
        return
    root = EmbeddedTree(node.tree, node.path, text, value).root
    if step.action.client == CLAUDE_CODE:
        from toolsurface_lint.readers.documents.claude_settings import read_settings
    else:
        from toolsurface_lint.readers.documents.gemini_settings import read_settings
    read_settings(root, document)


def _moved(node: Node, text: str) -> Iterator[Problem[Span]]:
    """The syntax errors of a JSON text in a string, at their places in the file."""
    from toolsurface_lint.source.json import read_json

    for problem in read_json(SourceText("", text), comments_allowed=False).problems:
        if problem.code == "syntax":
            span = node.text_place(problem.at.start, problem.at.end).span()
            if span is not None:
                yield Problem(problem.kind, span, problem.values, problem.field)


READER = DocumentReader("permissions", 38, False, _steps, _read)
