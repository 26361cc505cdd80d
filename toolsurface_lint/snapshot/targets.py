"""The servers to be asked: how each is started or reached, what it is given, and how a snapshot writes that down.

What a snapshot, a message or a prompt for consent shows of a server holds no value of a variable, a header, a query or the
user part of an address, and no argument that looks like a key.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from toolsurface_lint.model.secrets import is_secret

INHERITED = (
    ("APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE", "SYSTEMDRIVE",
     "SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE")
    if os.name == "nt"
    else ("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER")
)  # fmt: skip
"""The variables that a server gets without being named: those that programs need to start at all.

Source: mcp 2.3.0, mcp/client/stdio.py, DEFAULT_INHERITED_ENV_VARS, and those for the language and temporary files.
"""
_HIDDEN = "***"
_SHORTEST_SECRET = 8
"""Characters of a value that is looked for in what a server says: shorter ones are words of any text."""


class NotUsable(Exception):
    """An entry of a list of servers cannot be started or reached; the message says why."""


class Target(NamedTuple):
    """One server: a command to start, or a URL. `name` is None if the server is to say it itself.

    `environment` is all of the variables that the command gets, `folder` where it runs, None for here; `headers` go with
    every request to the URL. `shown` is the command or the URL as it may be shown. `secrets` are the values that no output
    may hold, each with what it is written as.
    """

    name: str | None
    command: tuple[str, ...] = ()
    url: str = ""
    environment: Mapping[str, str] = {}
    headers: Mapping[str, str] = {}
    folder: str | None = None
    shown: tuple[str, ...] = ()
    secrets: tuple[tuple[str, str], ...] = ()

    @property
    def title(self) -> str:
        """What messages call it."""
        if self.name is not None:
            return self.name
        return os.path.basename(self.shown[0]) if self.command else self.shown[0]

    def without_secrets(self, value: Any) -> Any:
        """A value of JSON, or a text, in which every secret is written as the name of what it is the value of."""
        if isinstance(value, str):
            for secret, name in self.secrets:
                value = value.replace(secret, name)
            return value
        if isinstance(value, list):
            return [self.without_secrets(item) for item in value]
        if isinstance(value, dict):
            return {self.without_secrets(key): self.without_secrets(member) for key, member in value.items()}
        return value


def inherited(named: Iterable[str]) -> dict[str, str]:
    """The variables of this process that a server gets: those that all get, and those that are named."""
    return {name: os.environ[name] for name in (*INHERITED, *named) if name in os.environ}


def command_target(name: str | None, command: Sequence[str], named: Sequence[str]) -> Target:
    """A command as it was typed, with the variables that were named."""
    given = {key: os.environ[key] for key in named}
    shown, hidden = _shown_words(command)
    return Target(name, tuple(command), environment=inherited(named), shown=shown, secrets=_secrets(given, hidden))


def url_target(name: str | None, url: str, headers: Mapping[str, str] = {}) -> Target:
    """A server at an address. Raises `NotUsable`."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        host = None
    if not host or parts.scheme not in ("http", "https"):
        raise NotUsable("its URL does not begin with http:// or https:// and a host")
    shown, hidden = _shown_url(url)
    given = {f"header {key}": value for key, value in headers.items()}
    return Target(name, url=url, headers=headers, shown=(shown,), secrets=_secrets(given, hidden))


def _secrets(given: Mapping[str, str], hidden: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """The values that are looked for in outputs, the longest first: one may be a part of another."""
    values = {**dict.fromkeys(hidden, _HIDDEN), **{value: f"${{{name}}}" for name, value in given.items()}}
    long = ((value, name) for value, name in values.items() if len(value) >= _SHORTEST_SECRET)
    return tuple(sorted(long, key=lambda item: -len(item[0])))


def _shown_words(words: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """A command as it is shown, and what is left out: arguments that look like keys, and parts of addresses."""
    shown: list[str] = []
    hidden: list[str] = []
    before = ""
    for word in words:
        flag, equals, value = word.partition("=")
        left_out: list[str] = []
        if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", word):
            form, left_out = _shown_url(word)
        elif equals and "://" in value:
            address, left_out = _shown_url(value)
            form = f"{flag}={address}"
        elif equals and (is_secret(flag, value) or is_secret("", word)):
            form, left_out = f"{flag}={_HIDDEN}", [value]
        elif is_secret(before.lstrip("-"), word):
            form, left_out = _HIDDEN, [word]
        else:
            form = word
        shown.append(form)
        hidden += left_out
        before = word if word.startswith("-") else ""
    return tuple(shown), hidden


def _shown_url(url: str) -> tuple[str, list[str]]:
    """An address as it is shown, and what is left out: its user part, its query and its fragment, and keys in its path."""
    scheme, _, rest = url.partition("://")
    place, *after = re.split(r"[?#]", rest, maxsplit=1)
    authority, slash, path = place.partition("/")
    user, _, host = authority.rpartition("@")
    steps = path.split("/")
    keys = [step for step in steps if is_secret("token", step)]
    shown = f"{scheme}://{host}{slash}{'/'.join(_HIDDEN if step in keys else step for step in steps)}"
    hidden = [*keys, *user.split(":", 1), *(part for each in after for part in re.split(r"[&#]", each))]
    hidden += [part.partition("=")[2] for part in hidden]
    return shown, [*hidden, *map(unquote, hidden)]


_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}{]*+))?\}")


def listed_target(name: str, entry: Any, named: Sequence[str]) -> Target:
    """A server of a `.mcp.json`. Raises `NotUsable`.

    `${NAME}` stands for a variable, if every server gets that or it is named, and `${NAME:-text}` for a text else (source:
    Claude Code's documentation of `.mcp.json`). What the entry gives as `env` is added to what every server gets.
    """
    if not isinstance(entry, dict):
        raise NotUsable("it is not an object")
    known = inherited(named)
    passed = {key: known[key] for key in named}
    missing: dict[str, None] = {}

    def filled(text: str) -> str:
        def value(found: re.Match[str]) -> str:
            if found[1] in known:
                return known[found[1]]
            if found[2] is None:
                missing[found[1]] = None
            return found[2] or ""

        return _VARIABLE.sub(value, text)

    kind, url, command = entry.get("type"), entry.get("url"), entry.get("command")
    if isinstance(url, str) and command is None:
        if kind not in (None, "http", "streamable-http", "streamableHttp"):
            raise NotUsable(f"it is reached by `{kind}`, not by streamable HTTP")
        headers = {key: filled(value) for key, value in _texts(entry, "headers").items()}
        target = url_target(name, filled(url), headers)
        target = target._replace(shown=(_shown_url(url)[0],), secrets=(*target.secrets, *_secrets(passed, ())))
    else:
        arguments = entry.get("args", [])
        words = [command, *arguments] if isinstance(arguments, list) else []
        if not words or not all(isinstance(word, str) for word in words):
            raise NotUsable("it has no `command` that is a text with a list of texts as `args`, and no `url`")
        folder = entry.get("cwd")
        if not isinstance(folder, str | None):
            raise NotUsable("its `cwd` is not a text")
        given = {key: filled(value) for key, value in _texts(entry, "env").items()}
        shown, hidden = _shown_words(words)
        target = Target(
            name,
            tuple(map(filled, words)),
            environment={**known, **given},
            folder=None if folder is None else filled(folder),
            shown=shown,
            secrets=_secrets({**passed, **given}, hidden),
        )
    if missing:
        raise NotUsable(f"it needs {' and '.join(f'`{each}`' for each in missing)}: pass {_options(missing)}")
    return target


def _options(names: Iterable[str]) -> str:
    return " ".join(f"--env {name}" for name in names)


def _texts(entry: dict[str, Any], key: str) -> dict[str, str]:
    """The members of a table of texts. Raises `NotUsable`."""
    table = entry.get(key) or {}
    if not isinstance(table, dict) or not all(isinstance(value, str) for value in table.values()):
        raise NotUsable(f"its `{key}` is not an object of texts")
    return table
