"""Reading a raw output by its protocol, and finding the protocol that a text plainly follows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from typing import Any

from toolsurface_lint.protocols.outputs.protocol import HINTS, hints_in
from toolsurface_lint.protocols.outputs.reader import OutputReader, Recognised, Schemas
from toolsurface_lint.protocols.outputs.rows import PROTOCOLS, OutputProtocol
from toolsurface_lint.protocols.response import Response

_READERS = {
    "json": ("json_reader", "JsonCallsReader"),
    "bare-json": ("json_reader", "BareJsonReader"),
    "named-tags": ("tag_reader", "NamedTagsReader"),
    "key-value-tags": ("tag_reader", "KeyValueTagsReader"),
    "named-json": ("named_json_reader", "NamedJsonReader"),
    "channels": ("channel_reader", "ChannelReader"),
    "pythonic": ("literal_reader", "PythonicReader"),
    "call-notation": ("literal_reader", "CallNotationReader"),
    "attribute-tokens": ("token_reader", "AttributeTokenReader"),
}
"""The module and the class that read each grammar."""


def parse_output(
    text: str,
    row: OutputProtocol,
    known: frozenset[str] | None,
    tools: Any = None,
    reasoning: bool | None = None,
    foreign: bool = True,
) -> Response:
    """Read a raw output. `tools` type values without a type where they are dicts with schemas.

    `reasoning`: whether the prompt has opened the reasoning; None where that is not known. `foreign`: report calls of
    other protocols.
    """
    module, name = _READERS[row.grammar]
    reader: type[OutputReader] = getattr(import_module(f"toolsurface_lint.protocols.outputs.{module}"), name)
    return reader(text, row, known, tool_schemas(tools), reasoning, recognise_output if foreign else None).parse()


def recognise_output(text: str) -> Recognised | None:
    """The protocol that a text plainly follows: one by which it has calls, or is cut off in one, with the fewest violations.

    None if the first of its calls is only shown.
    """
    markers = {opener for hint in hints_in(text) for opener in _openers_with(hint) if opener in text}
    if not markers:
        return None
    # Its first calls say what a text is; many protocols are tried.
    text = text[: min(text.index(marker) for marker in markers) + _ENOUGH]
    best: tuple[tuple[bool, int], Recognised] | None = None
    for row in PROTOCOLS.values():
        if markers.isdisjoint(row.syntax.openers):
            continue
        response = parse_output(text, row, None, foreign=False)
        call = response.calls[0] if response.calls else None
        if not response.blocks or (call is None and not _begun(response)):
            continue
        rank = call is None, len(response.violations)
        if best is None or rank < best[0]:
            spans = [block.span for block in response.blocks]
            around = spans[0] if call is None else next(span for span in spans if span.end > call.span.start)
            best = rank, Recognised(row, call, around)
            if rank == (False, 0):
                break
    return None if best is None or _is_shown(text, best[1]) else best[1]


_ENOUGH = 1 << 16
"""How much of a text is looked at after its first marker, in code points."""


def _begun(response: Response) -> bool:
    """Whether a response is cut off in its first call, after more than the marker."""
    content = response.blocks[0].content
    return content.start < content.end and any(found.kind == "cut_off" for found in response.violations)


def _is_shown(text: str, found: Recognised) -> bool:
    """Whether a call is shown rather than made: in a block of code, behind a backtick or a quotation mark, or a tag within a
    sentence.
    """
    at, end = found.block
    line = text[max(text.rfind("\n", 0, at) + 1, at - 400) : at]
    before = line.rstrip()
    if line.count("`") % 2 or before[-1:] in _QUOTES:
        return True
    if before and not before.endswith(">"):
        # Half a call says little.
        if found.call is None:
            return True
        # Tokens of models stand anywhere; a plain tag is talked about unless it follows a whole sentence and ends its line.
        if _PLAIN_TAG.match(text, at) and not (_SENTENCE_END.search(before) and _REST_OF_CALLS.match(text, end)):
            return True
    return len(_FENCE.findall(text, 0, at)) % 2 == 1


_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_PLAIN_TAG = re.compile(r"<[a-z_]{1,38}[>=]")
_QUOTES = frozenset("\"'\u201c\u2018\u00ab(")
_REST_OF_CALLS = re.compile(r"[ \t\r]*(?:[\n<]|\Z)")
_SENTENCE_END = re.compile(r"(?:\w{2}\.|[!?\u2026\u3002\uff01\uff1f])\Z")
"""The end of a sentence, but not of `e.g.`."""


@lru_cache(maxsize=len(HINTS))
def _openers_with(hint: str) -> tuple[str, ...]:
    return tuple(sorted({opener for row in PROTOCOLS.values() for opener in row.syntax.openers if hint in opener}))


_SCHEMA_KEYS = ("parameters", "input_schema", "inputSchema")


def tool_schemas(tools: Any) -> Schemas:
    """The properties of tools by their names, where tools are dicts, one or a list, with JSON Schemas."""
    if isinstance(tools, Mapping):
        tools = tools["tools"] if isinstance(tools.get("tools"), list) else [tools]
    schemas: dict[str, Mapping[str, Any]] = {}
    for tool in tools if isinstance(tools, (list, tuple)) else ():
        if not isinstance(tool, Mapping):
            continue
        function = tool.get("function")
        owner = function if isinstance(function, Mapping) else tool
        schema: Mapping[str, Any] = next(
            (owner[key] for key in _SCHEMA_KEYS if isinstance(owner.get(key), Mapping)), {}
        )
        properties = schema.get("properties")
        if isinstance(owner.get("name"), str) and isinstance(properties, Mapping):
            schemas[owner["name"]] = properties
    return schemas
