"""Which response protocol a text follows, and reading it by that protocol."""

from __future__ import annotations

import re
from typing import Any

from toolsurface_lint.protocols.calls import known_names
from toolsurface_lint.protocols.response import Response

TAGGED, FENCED_JSON = PROTOCOLS = ("tagged", "fenced-json")

_BLOCK_TAG = re.compile(r"^[ \t]*<(?:tool_call|assistant_prose|user_response|done)>", re.MULTILINE)
_TOOL_FENCE = re.compile(r"^[ \t]*```tool[ \t]*\r?$", re.MULTILINE)


def recognise_protocol(text: str) -> str | None:
    """The protocol that a text plainly follows: the one whose opener alone begins a line; None if neither or both."""
    tagged = _BLOCK_TAG.search(text) is not None
    fenced = _TOOL_FENCE.search(text) is not None
    if tagged == fenced:
        return None
    return TAGGED if tagged else FENCED_JSON


def parse_response(
    text: str, protocol: str, *, tools: Any = None, done_sentinel: str | None = None, final: bool = False
) -> Response:
    """Read one assistant response by its protocol, `tagged` or `fenced-json`; any text is a response.

    `tools`: names, tool dicts, or a surface; None where they are not known. `done_sentinel`: None where it is not
    known, so that only `##DONE##` is recognised inside call blocks; empty where there is none, so that any `<done>` is
    a break. `final`: the response is known to be the last one of its conversation. Raises ValueError for any other
    protocol.
    """
    if protocol == TAGGED:
        from toolsurface_lint.protocols.tagged import parse_tagged

        return parse_tagged(text, known_names(tools), done_sentinel=done_sentinel, final=final)
    if protocol == FENCED_JSON:
        from toolsurface_lint.protocols.fenced_json import parse_fenced_json

        return parse_fenced_json(text, known_names(tools), done_sentinel=done_sentinel, final=final)
    raise ValueError(f"unknown response protocol {protocol!r}: expected one of {', '.join(PROTOCOLS)}")
