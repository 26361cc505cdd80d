"""The process that renders templates and reads calls back: started when the first template needs it, and used for all.

What it answers may be written by a template that has taken control of it: it is bounded, and checked for its form.
"""

from __future__ import annotations

import atexit
import json
import os
import pickle
import sys
import threading
import time
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from toolsurface_lint.chat_templates.rendering.worker import MOST_ANSWERED, MOST_RENDERED, WALL_SECONDS
from toolsurface_lint.source.text import LineIndex

if TYPE_CHECKING:
    from toolsurface_lint.chat_templates.syntax import ParsedTemplate

_STARTING = 60.0
"""Seconds for Python to start and to import jinja2, on a machine that does a lot else."""

_REASONS = {
    "time": "{} took too long",
    "memory": "{} needed too much memory",
    "output": "{} gave too much text",
    "recursion": "{} went too deep",
    "unsupported": "{} needs a pattern or an option that is not supported",
    "forbidden": "{} asked for more than a template may have",
    "death": "{} crashed the process that it ran in",
}
_READING = "reading calls by its `response_template`"


class Rendering(NamedTuple):
    """What a template makes of a conversation: `text`, or None and the `message` of the exception that it raised, such as
    `UndefinedError: 'x' is undefined`, with the template's line, from 1, or None."""

    text: str | None
    message: str
    line: int | None


class NotRendered(Exception):
    """A limit was reached, or nothing can be rendered here; the message is the reason."""


class Conversations(NamedTuple):
    """Variables of conversations as they are sent: a list in JSON, and how many there are."""

    written: str
    number: int

    @classmethod
    def of(cls, conversations: Sequence[Mapping[str, Any]]) -> Conversations:
        return cls(json.dumps(conversations), len(conversations))


def render(template: ParsedTemplate, variables: Mapping[str, Any], conversations: Conversations) -> list[Rendering]:
    """Each conversation as the template renders it, with variables for all of them. Raises `NotRendered`."""
    # Children come before their parents: pickling goes into what it has not seen, one call for each level.
    tree = b64encode(pickle.dumps(template.all_nodes[::-1], pickle.HIGHEST_PROTOCOL)).decode()
    request = json.dumps({"template": tree, "variables": variables})
    request = f'{request[:-1]}, "conversations": {conversations.written}}}'
    return _renderings(_ask(request), conversations.number, template.text)


def read_calls(response_template: Any, answers: Sequence[tuple[str, str]]) -> list[list[tuple[str, Any]] | str]:
    """The calls that `response_templates` reads in each answer, which is a prompt and the text behind it: names and
    arguments, or why it is refused. Raises `NotRendered`."""
    request = json.dumps({"response_template": response_template, "answers": answers})
    items = _items(_ask(request), "read", len(answers), _READING, _is_read)
    return [
        _clean(item) if isinstance(item, str) else [(_clean(name), value) for name, value in item] for item in items
    ]


def _renderings(answer: bytes, count: int, template: str) -> list[Rendering]:
    """The renderings in an answer. Raises `NotRendered`."""
    items = _items(answer, "renderings", count, "rendering", _is_rendering)
    lines = LineIndex(template) if any(place for _, _, place in items) else None
    return [
        Rendering(
            None if text is None else _clean(text),
            _clean(message),
            lines.line_at(place - 1) if lines is not None and place else None,
        )
        for text, message, place in items
    ]


def _items(answer: bytes, key: str, count: int, doing: str, is_item: Callable[[object], bool]) -> list[Any]:
    """The items in an answer. Raises `NotRendered` for one with a reason, and for one of a wrong form."""
    try:
        value = json.loads(answer)
    except (ValueError, RecursionError):
        value = None
    reason = "forbidden"
    if isinstance(value, dict):
        ended, items = value.get("ended"), value.get(key)
        if isinstance(items, list) and len(items) == count and all(map(is_item, items)):
            return items
        if isinstance(ended, str) and ended in _REASONS:
            reason = ended
    raise NotRendered(_REASONS[reason].format(doing))


def _is_read(item: object) -> bool:
    if isinstance(item, list):
        return all(isinstance(call, list) and len(call) == 2 and isinstance(call[0], str) for call in item)
    return isinstance(item, str) and len(item) <= 1000


def _is_rendering(item: object) -> bool:
    if not isinstance(item, list) or len(item) != 3:
        return False
    text, message, place = item
    return (
        (text is None or (isinstance(text, str) and len(text) <= MOST_RENDERED))
        and isinstance(message, str)
        and len(message) <= 1000
        and type(place) is int
        and 0 <= place < 10**9
    )


def _clean(text: str) -> str:
    """Without lone surrogates, which cannot be written to any output."""
    return text.encode("utf-8", "replace").decode()


class _Process:
    """A running worker. It belongs to the process that has started it, and ends with it: its input is closed then."""

    def __init__(self) -> None:
        """Raises `NotRendered`."""
        import signal

        self.owner = os.getpid()
        self.is_usable = False
        command = [sys.executable, "-I", "-S", "-B", _script(), *_folders()]
        request_end, self._requests = os.pipe()
        self._answers, answer_end = os.pipe()
        try:
            self._number = os.posix_spawn(
                command[0],
                command,
                {},
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, request_end, 0),
                    (os.POSIX_SPAWN_DUP2, answer_end, 1),
                    (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
                ],
                # What a program that uses us ignores or blocks, its children would, too.
                setsigdef=(signal.SIGCHLD, signal.SIGPROF, signal.SIGXCPU),
                setsigmask=(),
                # The group is what ends when it does not answer: the process and those that it has forked.
                setpgroup=0,
            )
        except OSError as error:
            self._close()
            raise NotRendered(f"the process for rendering cannot be started: {error.strerror or error}") from None
        finally:
            os.close(request_end)
            os.close(answer_end)
        self.is_usable = True
        first = self._answer(_STARTING)
        if first != b'{"ready": true}':
            self.end()
            raise NotRendered(_why_not(first))

    def ask(self, request: bytes) -> bytes:
        """The answer to a request; if there is none, that it died, and it is not usable any more."""
        data = len(request).to_bytes(4, "big") + request
        try:
            while data:
                data = data[os.write(self._requests, data[: 2**16]) :]
            answer = self._answer(WALL_SECONDS * 2)
        except OSError:
            answer = None
        if answer is None:
            self.end()
            return b'{"ended": "death"}'
        return answer

    def _answer(self, seconds: float) -> bytes | None:
        """The next answer; None if it does not come in time, is too long or is cut off."""
        deadline = time.monotonic() + seconds
        length = self._read(4, deadline)
        if length is None or int.from_bytes(length, "big") > MOST_ANSWERED:
            return None
        return self._read(int.from_bytes(length, "big"), deadline)

    def _read(self, count: int, deadline: float) -> bytes | None:
        import select

        parts = []
        while count:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._answers], [], [], left)[0]:
                return None
            part = os.read(self._answers, count)
            if not part:
                return None
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def end(self) -> None:
        """End it and all that it has started; in another process than its owner, only let go of it."""
        if not self.is_usable:
            return
        self.is_usable = False
        self._close()
        if self.owner != os.getpid():
            return
        import signal

        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._number, signal.SIGKILL)
        # A program that uses us may collect its children itself.
        with suppress(ChildProcessError):
            os.waitpid(self._number, 0)

    def _close(self) -> None:
        os.close(self._requests)
        os.close(self._answers)


_running: _Process | None = None
_refused: str | None = None
"""Why no process can be had here; it is asked for once."""


_asking = threading.Lock()
"""Threads share the process, and each waits for its answer."""


def _ask(request: str) -> bytes:
    """The answer to a request. Raises `NotRendered`."""
    with _asking:
        return _process().ask(request.encode())


def _process() -> _Process:
    """Raises `NotRendered`."""
    global _running, _refused
    if _refused is not None:
        raise NotRendered(_refused)
    if _running is not None and _running.is_usable and _running.owner == os.getpid():
        return _running
    if _running is None:
        atexit.register(end)
    else:
        # A fork has a copy of the pipes of its parent's.
        _running.end()
    try:
        _running = _Process()
    except NotRendered as error:
        _refused = str(error)
        raise
    return _running


def end() -> None:
    """End the process, if there is one; the next template starts another."""
    if _running is not None:
        _running.end()


def _script() -> str:
    """The path of the worker. Raises `NotRendered` where it is not a file, as in a zipped package."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.py")
    if not hasattr(os, "posix_spawn") or os.name == "nt":
        raise NotRendered("this system does not limit what a process may do")
    if not sys.executable or not os.path.isfile(path):
        raise NotRendered("Python cannot be started a second time")
    return path


def _folders() -> list[str]:
    """The folders of `response_templates`, jinja2 and markupsafe. Raises `NotRendered`."""
    found = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
    for name in ("jinja2", "markupsafe"):
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            raise NotRendered(f"{name} is not installed")
        found.append(os.path.dirname(os.path.dirname(os.path.abspath(spec.origin))))
    return list(dict.fromkeys(found))


def _why_not(first: bytes | None) -> str:
    with suppress(ValueError, TypeError):
        value = json.loads(first or b"")
        if isinstance(value, dict) and isinstance(value.get("unlimited"), str):
            return str(value["unlimited"])[:200]
    return "the process for rendering does not start"
