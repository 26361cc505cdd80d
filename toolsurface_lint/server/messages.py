"""Messages as they arrive on standard input, each read whole or refused with a reason."""

from __future__ import annotations

import json
import re
from typing import Any, BinaryIO

from pygls.exceptions import JsonRpcInvalidRequest, JsonRpcParseError

LARGEST = 256 * 1024 * 1024
"""Bytes of a message that is read."""

_LINE = 64 * 1024
# Anywhere in a line: if a message was longer or shorter than it said, the next header follows a rest of it.
_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*([0-9]+)[ \t]*\r?\n\Z", re.IGNORECASE)


def next_body(stream: BinaryIO) -> bytes:
    """The body of the next message; empty at the end of the stream.

    Raises `JsonRpcInvalidRequest` for a header without a usable length; whatever follows is skipped up to the next header.
    """
    size = 0
    is_header = False
    while line := stream.readline(_LINE):
        length = _LENGTH.search(line)
        if length is not None:
            size = int(length[1][-20:])
            if size > LARGEST or len(length[1]) > 20:
                raise JsonRpcInvalidRequest(f"a message of more than {LARGEST:,} bytes")
        elif not line.strip():
            if size:
                return stream.read(size)
            if is_header:
                raise JsonRpcInvalidRequest("a header without `Content-Length`")
            continue
        is_header = True
    return b""


def parse(body: bytes) -> dict[str, Any]:
    """The object that a body holds. Raises `JsonRpcParseError`, and `JsonRpcInvalidRequest` for anything but an object."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise JsonRpcParseError(f"a message that is not JSON: {error}") from None
    if not isinstance(message, dict):
        raise JsonRpcInvalidRequest("a message that is not an object")
    return message
