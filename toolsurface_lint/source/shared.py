"""What is found in one content, for all its copies: repositories hold the same text and the same definition many times.

A content is known by what it holds, never by where: what is remembered of it must follow from it alone. What looks at
anything else while it is asked about a content says so (`look_around`), and its answer is not remembered.
"""

from __future__ import annotations

import marshal
from _thread import _local, allocate_lock
from collections.abc import Callable, Hashable
from functools import wraps
from hashlib import blake2b
from typing import Any, Generic, ParamSpec, TypeVar, cast

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
P = ParamSpec("P")

EQUAL = 2
"""The version of `marshal` in which equal values are equal bytes: later ones also say which objects are shared."""


def digest(value: Any) -> bytes | None:
    """What is the same for equal values of JSON, and for no others; None for what is not such a value."""
    try:
        return blake2b(marshal.dumps(value, EQUAL), digest_size=20).digest()
    except ValueError:
        return None


class Shared(Generic[K]):
    """What was found in the contents that were asked about last, as far as together they are no larger than `most`."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = 0
        self._known: dict[K, tuple[int, dict[Hashable, Any]]] = {}
        self._lock = allocate_lock()

    def of(self, content: K, size: int) -> dict[Hashable, Any]:
        """What is known of a content, by question; to be added to. `size` is what keeping it costs."""
        with self._lock:
            known = self._known.pop(content, None)
            if known is None:
                known = size, {}
                self._size += size
            # The last one asked about is the last to go.
            self._known[content] = known
            while self._size > self._most and len(self._known) > 1:
                self._size -= self._known.pop(next(iter(self._known)))[0]
            return known[1]


class _Looked(_local):
    """How often this thread has looked around."""

    times = 0


_looked = _Looked()


def look_around() -> None:
    """To be called where more than the content that is asked about decides."""
    _looked.times += 1


def remembered(known: dict[Hashable, Any], question: Hashable, answer: Callable[[], T]) -> T:
    """The answer to a question about a content; remembered in `known`, unless something else decided it."""
    if question in known:
        return cast(T, known[question])
    before = _looked.times
    found = answer()
    if before == _looked.times:
        known[question] = found
    return found


_MOST_TEXT = 4 * 1024 * 1024
"""Characters of the texts of which something is remembered."""
_texts: Shared[str] = Shared(_MOST_TEXT)


def shared(function: Callable[P, T]) -> Callable[P, T]:
    """A function of a text, and of hashable values, that answers once for all equal texts; nobody may change the answer."""

    @wraps(function)
    def answer(*arguments: P.args, **named: P.kwargs) -> T:
        text = cast(str, arguments[0])
        known = _texts.of(text, len(text))
        question = (function, *arguments[1:], *named.items())
        return remembered(known, question, lambda: function(*arguments, **named))

    return answer
