"""What may be written at the cursor: names of tools, keys of their arguments, and codes in suppressions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from lsprotocol import types

from toolsurface_lint.model.document import Document
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.source.text import Span

TRIGGERS = ("`", '"', "{", "(", ",", "[")

_WORD_END = re.compile(r"[A-Za-z0-9_.:/-]*\Z")
_KEY_END = re.compile(r"[A-Za-z0-9_]*\Z")
_CODES = re.compile(r"toolsurface-lint: ignore-[a-z-]+\[(?:[A-Z0-9_]+[ ,]+)*\Z")
_CALL = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)[ \t]*\Z")
_KEY = re.compile(r"""["']?([A-Za-z_][A-Za-z0-9_]*)["']?[ \t\n\r]*[:=]""")
_IN_POLICY = re.compile(r"""(?:["'\[,]|^[ \t]*-)[ \t]*\Z""", re.MULTILINE)
_ARG_KEY = re.compile(r"""arg_key["']?[ \t]*[:=][ \t]*["']?\Z""")
_WINDOW = 2000
_POLICIES = frozenset({"policy", "approval-policy", "permissions"})


class Candidates(NamedTuple):
    """Items to offer in place of the text at `span`."""

    span: Span
    items: list[types.CompletionItem]


def candidates(
    document: Document,
    surfaces: Sequence[Surface],
    text: str,
    offset: int,
    read_offset: int,
    *,
    asked: bool,
    codes: Iterable[str],
) -> Candidates | None:
    """What may be written at an offset of a text; `asked`: somebody pressed the key for it.
    `codes` are those of all rules.

    `document` may be what was read of the text before it was broken; `read_offset` is the offset in that.
    None where we have nothing to offer: in prose, a name is offered only once its beginning is typed.
    """
    before = text[max(offset - _WINDOW, 0) : offset]
    start = offset - len(_word(before, _KEY_END))
    rest = before[: len(before) - (offset - start)]
    if _CODES.search(rest):
        constant = types.CompletionItemKind.Constant
        return Candidates(Span(start, offset), [types.CompletionItem(label=code, kind=constant) for code in codes])
    in_policy = not _POLICIES.isdisjoint(document.kinds)
    if not any(surface.tools for surface in surfaces) or not (in_policy or _in_prompt(document, surfaces, read_offset)):
        return None
    call = _open_call(rest, surfaces)
    if call is not None:
        tools, given = call
        return Candidates(Span(start, offset), _keys(tools, given))
    if in_policy and _ARG_KEY.search(rest):
        every = [tool for surface in surfaces for tool in surface.tools]
        return Candidates(Span(start, offset), _keys(every, set()))
    word = _word(before, _WORD_END)
    start = offset - len(word)
    rest = before[: len(before) - len(word)]
    marked = _IN_POLICY.search(rest) is not None if in_policy else rest.endswith("`")
    if not (marked or word or asked):
        return None
    names = _tools(surfaces)
    if not marked and not asked:
        names = {name: tool for name, tool in names.items() if name.lower().startswith(word.lower())}
    return Candidates(Span(start, offset), [_tool(name, tool) for name, tool in names.items()]) if names else None


def _in_prompt(document: Document, surfaces: Iterable[Surface], offset: int) -> bool:
    """Whether an offset lies in a text that is written for a model."""
    if document.language in ("markdown", "text"):
        return True
    prompts = {id(prompt): prompt for surface in surfaces for prompt in surface.prompts}
    spans = [prompt.node.place.span() for prompt in prompts.values() if prompt.origin == document.path]
    return any(span is not None and span.start < offset < span.end for span in spans)


def _word(text: str, pattern: re.Pattern[str]) -> str:
    match = pattern.search(text)
    return match[0] if match else ""


def _tools(surfaces: Iterable[Surface]) -> dict[str, Tool]:
    names: dict[str, Tool] = {}
    for surface in surfaces:
        for tool in surface.tools:
            names.setdefault(tool.name, tool)
    return names


def _open_call(before: str, surfaces: Sequence[Surface]) -> tuple[list[Tool], set[str]] | None:
    """The tools that a call not yet closed at the end of a text may mean, if a key may begin there, and its keys so far."""
    depth = 0
    for index in range(len(before) - 1, -1, -1):
        character = before[index]
        if character == ")":
            depth += 1
        elif character == "(":
            if depth:
                depth -= 1
                continue
            name = _CALL.search(before[:index])
            tools = [tool for surface in surfaces for tool in surface.by_name.get(name[1], ())] if name else []
            inside = before[index + 1 :]
            if not tools or not _may_begin_key(inside):
                return None
            return tools, set(_KEY.findall(inside))
        elif character == "\n" and before[index - 1 : index] == "\n":
            return None
    return None


def _may_begin_key(inside: str) -> bool:
    """Whether a key may follow the text inside a call: at its start, or after a comma or the brace of its object."""
    text = inside.rstrip(" \t\r\n\"'")
    braces = inside.count("{") - inside.count("}")
    return braces <= 1 and text[-1:] in ("", "{", ",")


def _keys(tools: Iterable[Tool], given: set[str]) -> list[types.CompletionItem]:
    items: dict[str, types.CompletionItem] = {}
    for tool in tools:
        for parameter in tool.parameters:
            if parameter.name in given or parameter.name in items:
                continue
            items[parameter.name] = types.CompletionItem(
                label=parameter.name,
                kind=types.CompletionItemKind.Property,
                detail=parameter.type,
                documentation=tool.description_of(parameter.name),
                # The required ones first.
                sort_text=f"{int(not parameter.required)}{len(items):04}",
            )
    return list(items.values())


def _tool(name: str, tool: Tool) -> types.CompletionItem:
    return types.CompletionItem(
        label=name,
        kind=types.CompletionItemKind.Function,
        detail=", ".join(one.name + ("" if one.required else "?") for one in tool.parameters) or None,
        documentation=None if tool.description is None else str(tool.description.value),
    )
