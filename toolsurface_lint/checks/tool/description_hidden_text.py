"""Characters in a definition that a model reads and a person does not see.

Ground: OWASP MCP03 (tool poisoning) and the Trojan Source attack, which hide instructions from reviewers. Only artefacts
that can be decided are reported; a clean result says nothing about the intent of a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from toolsurface_lint.checks.contract import DEFINITION, check
from toolsurface_lint.model.diagnostics import ERROR, UNSAFE, WARNING, Edit, Finding, Fix, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.texts import strings
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.source.text import SourceText, Span
from toolsurface_lint.source.tree import Node, Path, Place

HIDDEN_TEXT = Rule(
    code="TOOL_DESCRIPTION_HIDDEN_TEXT",
    since="0.1.0",
    severity=ERROR,
    summary="A definition holds text that a model reads and a person does not see.",
    message={
        "hidden/control": "`{where}` hides a directional control ({character}){more}",
        "hidden/escape": "`{where}` hides a terminal escape sequence{more}",
        "hidden/message": "`{where}` hides Unicode tag characters that say `{said}`{more}",
        "hidden/override": "`{where}` hides a directional override ({character}){more}",
        "hidden/run": "`{where}` hides a run of {length} invisible characters{more}",
        "hidden/selectors": "`{where}` hides a run of {length} variation selectors{more}",
        "hidden/tags": "`{where}` hides Unicode tag characters{more}",
    },
    help="remove it: nobody who reviews the definition sees it",
    tags=("tools", "security"),
    fix=UNSAFE,
    reveals=("TOOL_DESCRIPTION_TOO_SHORT",),
)

INVISIBLE_CHARACTER = Rule(
    code="TOOL_DESCRIPTION_INVISIBLE_CHARACTER",
    since="0.1.0",
    severity=WARNING,
    summary="A definition holds a character that nobody sees.",
    message={"invisible": "`{where}` holds an invisible character, {character}{more}"},
    help="remove it: nobody who reviews the definition sees it",
    tags=("tools", "security"),
    fix=UNSAFE,
)

# What a file must hold, itself or as an escape of JSON, YAML or Python, for a string in it to hide anything.
_CHARACTERS = frozenset(
    chr(code)
    for first, last in (
        *((0x00, 0x08), (0x0B, 0x0C), (0x0E, 0x1F), (0x7F, 0x84), (0x86, 0x9F), (0xAD, 0xAD), (0x61C, 0x61C)),
        *((0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x2064), (0x2066, 0x2069), (0xFE00, 0xFE0E), (0xFEFF, 0xFEFF)),
        *((0xE0000, 0xE007F), (0xE0100, 0xE01EF)),
    )
    for code in range(first, last + 1)
)
_RAW_CONTROLS = ("\x1b", "\x08", "\x00", "\x0c", "\x7f")
_ESCAPED = (
    r"\\(?:u(?:00[0189]|007[fF]|00[aA][dD]|061[cC]|200[b-fB-F]|202[a-eA-E]|206|[fF][eE]0|[fF][eE][fF][fF]|[dD][bB]40)"
    r"|[bfevaxUN0])"
)
# One of them belongs to many emoji.
_EMOJI_RUN = "\ufe0f\ufe0f\ufe0f"
_CHUNK = 256


@check(DEFINITION, HIDDEN_TEXT, INVISIBLE_CHARACTER)
def check_definition(tool: Tool, target: Target) -> Iterator[Finding]:
    source = tool.tree.source
    if source is not None and not _may_hide(source):
        return
    name, description = tool.name_node, tool.description
    yield from _check(tool, "name", name, None if tool.name_place.aspect != "key" else tool.name_place)
    seen = {(name.tree, name.path)}
    if description is not None:
        yield from _check(tool, "description", description, None, prose=True)
        seen.add((description.tree, description.path))
    for path, text, is_key in strings(tool.definition):
        if _may_be_unseen(text):
            node = Node(tool.tree, path, text)
            if is_key:
                yield from _check(tool, _field(tool, path), node, Place(tool.tree, path, "key"))
            elif (tool.tree, path) not in seen:
                yield from _check(tool, _field(tool, path), node, None, prose=path[-1] in _PROSE)


# The tools of a file come one after the other, and most files hide nothing.
@lru_cache(maxsize=1)
def _may_hide(source: SourceText) -> bool:
    text = source.text
    if not text.isascii():
        for start in range(0, len(text), _CHUNK):
            chunk = text[start : start + _CHUNK]
            # Letters beyond ASCII are few in most files, and a look at every letter takes a hundred times as long.
            if not chunk.isascii() and not _CHARACTERS.isdisjoint(chunk):
                return True
    if any(control in text for control in _RAW_CONTROLS) or _EMOJI_RUN in text:
        return True
    return "\\" in text and re.search(_ESCAPED, text) is not None


def _may_be_unseen(text: str) -> bool:
    return not _CHARACTERS.isdisjoint(text) or _EMOJI_RUN in text


def _field(tool: Tool, path: Path) -> str:
    """The place of a string in a definition, for people: its keys, without those that lead to the schema."""
    start = tool.schema_path if tool.schema_path == path[: len(tool.schema_path or ())] else None
    steps = path[len(tool.path) :] if start is None else ("parameters", *path[len(start) :])
    return ".".join(str(step) for step in steps if step != "properties")


_PROSE = ("description", "title")


def _check(tool: Tool, field: str, node: Node, place: Place | None, *, prose: bool = False) -> Iterator[Finding]:
    """The findings in the string of a node, one of each rule; at `place`, or else at the characters.

    `prose`: nothing refers to the string by its text, so that it may be changed.
    """
    if not _may_be_unseen(node.value):
        return
    from toolsurface_lint.checks.tool._hidden_characters import unseen

    runs = list(unseen(node.value))
    for rule in (HIDDEN_TEXT, INVISIBLE_CHARACTER):
        found = [problem for problem in runs if problem.kind in rule.message]
        for problem in found[:1]:
            yield rule.of(
                problem,
                node.text_place(*problem.at) if place is None else place,
                tool=tool.name,
                field=field,
                where=field,
                more=f", and {len(found) - 1} more" if len(found) > 1 else "",
                fix=_removal(node, [each.at for each in found]) if prose else None,
            )


_CONTROLS_END = "\xa0"


def _removal(node: Node, runs: list[Span]) -> Fix | None:
    """The fix that removes characters from a text.

    None for control characters: they hide what is next to them, or an escape (`\\b`, `\\f`) was meant as two letters.
    """
    if any(character < _CONTROLS_END for start, end in runs for character in node.value[start:end]):
        return None
    count = sum(end - start for start, end in runs)
    title = "remove the invisible character" if count == 1 else f"remove {count} invisible characters"
    return Fix(title, False, tuple(Edit(node.text_place(start, end), "") for start, end in runs))
