"""Which response protocol a text follows, and reading it by that protocol, or for its bare calls alone."""

from __future__ import annotations

import re
from typing import Any

from toolsurface_lint.protocols.calls import BUILT_IN_TOOLS, Calls, scan_calls
from toolsurface_lint.protocols.landmarks import Landmarks
from toolsurface_lint.protocols.response import Response

TAGGED, FENCED_JSON = PROTOCOLS = ("tagged", "fenced-json")
"""The protocols of the Harn specification; those of models' raw outputs are in `outputs.rows`."""

_CALL_TAG = "<tool_call>"
_OTHER_TAGS = ("<assistant_prose>", "<user_response>", "<done>")
_OTHER_TAG = re.compile(rf"^[ \t]*(?:{'|'.join(_OTHER_TAGS)})", re.MULTILINE)
_CALL_LINE = re.compile(rf"^[ \t]*{_CALL_TAG}", re.MULTILINE)
_TOOL_FENCE = re.compile(r"^[ \t]*```tool[ \t]*\r?$", re.MULTILINE)


def recognise_protocol(text: str) -> str | None:
    """The protocol that a text plainly follows; None if none or several.

    A protocol of the Harn specification is recognised by its opener at the beginning of a line, one of a model's raw
    output by its markers and the calls that it reads there, if they are not quoted.
    """
    # Plain searches first, which are many times faster than patterns.
    tags = "<" in text
    others = tags and any(tag in text for tag in _OTHER_TAGS) and _OTHER_TAG.search(text) is not None
    tagged = others or (tags and _CALL_TAG in text and _CALL_LINE.search(text) is not None)
    if "`" in text and "```tool" in text and _TOOL_FENCE.search(text) is not None:
        return None if tagged else FENCED_JSON
    if others:
        return TAGGED
    return recognise_raw(text) or (TAGGED if tagged else None)


def recognise_raw(text: str) -> str | None:
    """The protocol of a model's raw output that a text plainly is."""
    from toolsurface_lint.protocols.outputs.parsing import recognise_output

    found = recognise_output(text)
    return None if found is None else found.row.name


def parse_response(
    text: str,
    protocol: str,
    *,
    tools: Any = None,
    done_sentinel: str | None = None,
    final: bool = False,
    reasoning: bool | None = None,
) -> Response:
    """Read one assistant response by its protocol; any text is a response.

    `protocol`: `tagged`, `fenced-json`, or the name of a raw output's protocol or of an engine's parser for it. `tools`:
    names, tool dicts, or a surface; None where they are not known; the schemas of tool dicts type what a raw output
    writes without a type. `done_sentinel`: None where it is not known, so that only `##DONE##` is recognised inside call
    blocks; empty where there is none, so that any `<done>` is a break. `final`: the response is known to be the last one
    of its conversation. `reasoning`: whether the prompt of a raw output has opened the reasoning; None where that is not
    known. Raises ValueError for any other protocol.
    """
    if protocol == TAGGED:
        from toolsurface_lint.protocols.tagged import TaggedParser

        return TaggedParser(text, protocol, known_names(tools), done_sentinel, final).parse()
    if protocol == FENCED_JSON:
        from toolsurface_lint.protocols.fenced_json import FencedJsonParser

        return FencedJsonParser(text, protocol, known_names(tools), done_sentinel, final).parse()
    from toolsurface_lint.protocols.outputs.rows import PROTOCOLS as OUTPUTS
    from toolsurface_lint.protocols.outputs.rows import parser_named

    row = parser_named(protocol)
    if row is None:
        names = ", ".join((*PROTOCOLS, *OUTPUTS))
        raise ValueError(f"unknown response protocol {protocol!r}: expected one of {names}")
    from toolsurface_lint.protocols.outputs.parsing import parse_output

    return parse_output(text, row, known_names(tools), tools, reasoning)


def parse_calls(text: str, tools: Any = None) -> Calls:
    """The bare calls of a text and their syntax errors.

    `tools` says which names are tools: names, tool dicts, or a surface; None takes every name for one. A text without
    any call or error may still hold a provider's JSON list of calls, which runtimes run.
    """
    known = known_names(tools)
    landmarks = Landmarks(text)
    found = scan_calls(landmarks, known, 0, len(text))
    if not found.calls and not found.errors:
        from toolsurface_lint.protocols.json_calls import provider_calls

        calls, errors = provider_calls(landmarks, known, 0, len(text))
        found.calls.extend(calls)
        found.errors.extend(errors)
        found.consumed.extend(call.span for call in calls)
    return found


def known_names(tools: Any) -> frozenset[str] | None:
    """The names of tools given as names, tool dicts, a registry dict or a surface, and of the built-in tools.

    None stays None: nothing is known. A surface is anything with `tools`, each with its name in `name`.
    """
    if tools is None:
        return None
    if isinstance(tools, dict):
        tools = tools["tools"] if isinstance(tools.get("tools"), list) else [tools]
    elif not isinstance(tools, (str, bytes)) and hasattr(tools, "tools"):
        tools = [tool.name for tool in tools.tools]
    names = set(BUILT_IN_TOOLS)
    for tool in [tools] if isinstance(tools, str) else tools:
        name = tool
        if isinstance(tool, dict):
            function = tool.get("function")
            name = function.get("name") if isinstance(function, dict) else tool.get("name")
        if isinstance(name, str):
            names.add(name)
    return frozenset(names)
