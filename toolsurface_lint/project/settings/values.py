"""What a value in a settings file may be: each reader gives the value that it means, or raises `InvalidSetting`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from toolsurface_lint.model.diagnostics import SEVERITIES
from toolsurface_lint.model.names import did_you_mean
from toolsurface_lint.project.discovery.globs import MAX_LENGTH, GlobTooLong, written_out
from toolsurface_lint.project.settings import KINDS, TABLE
from toolsurface_lint.source.dates import is_day
from toolsurface_lint.source.tree import Path

_T = TypeVar("_T")

Reader = Callable[[Any, Path], _T]
"""Takes a value and the path of keys and indexes to it."""


class InvalidSetting(Exception):
    """A message about the value at a path of keys in the settings file, or about its last key.

    `at` is an offset in the text that stands there, in code points; None for all of it.
    """

    def __init__(self, message: str, path: Path, key: bool = False, at: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.key = key
        self.at = at


def _must_be(requirement: str, accepts: Callable[[Any], bool]) -> Reader[Any]:
    """The reader of a value that is taken as it is; `requirement` is what messages say about others."""

    def read(value: Any, path: Path) -> Any:
        if not accepts(value):
            raise InvalidSetting(f"{named(path)} must be {requirement}", path)
        return value

    return read


table: Reader[dict[str, Any]] = _must_be("a table", lambda value: isinstance(value, dict))
string: Reader[str] = _must_be("a string", lambda value: isinstance(value, str))
boolean: Reader[bool] = _must_be("true or false", lambda value: isinstance(value, bool))
pointer: Reader[str] = _must_be(
    "a JSON pointer, which is empty or begins with `/`", lambda value: isinstance(value, str) and value[:1] in ("", "/")
)
scalar: Reader[str | int | float | bool] = _must_be(
    "a string, a number or a boolean", lambda value: isinstance(value, str | int | float | bool)
)
# Days that TOML writes without quotes come as text, too.
day: Reader[str] = _must_be("a day, written YYYY-MM-DD", lambda value: isinstance(value, str) and is_day(value))

natural: Reader[int] = _must_be("a whole number, 0 or more", lambda value: type(value) is int and value >= 0)


def number(of: str) -> Reader[int]:
    """The reader of a number of something, which is at least 1."""
    return _must_be(f"a number of {of} above 0", lambda value: type(value) is int and value > 0)


def choice(*choices: str) -> Reader[str]:
    """The reader of one of some words."""

    def read(value: Any, path: Path) -> str:
        if value not in choices:
            name = value if isinstance(value, str) else ""
            raise InvalidSetting(f"{named(path)} must be {either(choices)}{did_you_mean(name, choices)}", path)
        return str(value)

    return read


def protocol(value: Any, path: Path) -> str:
    """The name of a response protocol."""
    name = string(value, path)
    message = unknown_protocol(name)
    if message:
        raise InvalidSetting(message, path)
    return name


def unknown_protocol(name: str) -> str | None:
    """What is wrong with the name of a protocol; None if there is one of that name."""
    from toolsurface_lint.protocols.choosing import protocol_names, unread_parser

    names = protocol_names()
    if name in names:
        return None
    engine = unread_parser(name)
    if engine is not None:
        return f"the format of {engine}'s parser `{name}` is not read"
    wanted = "it must be tagged, fenced-json, or the parser of a model's raw output, such as hermes"
    return f"unknown protocol `{name}`{did_you_mean(name, names) or f': {wanted}'}"


VERSION = r"\d{1,9}(?:\.\d{1,9}){0,3}"


def version(value: Any, path: Path) -> tuple[int, ...]:
    """The numbers of a version of a client."""
    import re

    text = string(value, path)
    if not re.fullmatch(VERSION, text, re.ASCII):
        raise InvalidSetting(f'{named(path)} must be a version, such as "2.1.169"', path)
    return tuple(map(int, text.split(".")))


def either(choices: Sequence[str]) -> str:
    """How a message lists what may be said."""
    quoted = [f'"{choice}"' for choice in choices]
    return f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def _checked(problem: Callable[[str], str | None]) -> Reader[str]:
    """The reader of a string; `problem` says what is wrong with it, None if nothing is."""

    def read(value: Any, path: Path) -> str:
        text = string(value, path)
        message = problem(text)
        if message:
            raise InvalidSetting(message, path)
        return text

    return read


def _list_of(read: Reader[str]) -> Reader[tuple[str, ...]]:
    """The reader of an array of strings, or of one string alone."""

    def read_all(value: Any, path: Path) -> tuple[str, ...]:
        if isinstance(value, str):
            return (read(value, path),)
        if not isinstance(value, list):
            raise InvalidSetting(f"{named(path)} must be a string or an array of strings", path)
        return tuple(read(item, (*path, index)) for index, item in enumerate(value))

    return read_all


def _by_key(problem: Callable[[str], str | None], read: Reader[_T]) -> Reader[dict[str, _T]]:
    """The reader of a table whose keys anybody may choose; `problem` says what is wrong with one, None if nothing is."""

    def read_all(value: Any, path: Path) -> dict[str, _T]:
        for key in table(value, path):
            message = problem(key)
            if message:
                raise InvalidSetting(message, (*path, key), key=True)
        return {key: read(member, (*path, key)) for key, member in value.items()}

    return read_all


def _too_long(glob: str) -> str | None:
    try:
        written_out(glob)
    except GlobTooLong:
        start = glob if len(glob) <= _SHOWN else f"{glob[:_SHOWN]}…"
        return f"the glob `{start}` has more than {MAX_LENGTH:,} characters once its braces are expanded"
    return None


_SHOWN = 60


def _unknown_client(client: str) -> str | None:
    from toolsurface_lint.knowledge.clients import CLIENTS

    return None if client in CLIENTS else f"unknown client `{client}`{did_you_mean(client, CLIENTS)}"


def unknown_provider(text: str) -> str | None:
    """What is wrong with the names of providers in a text, between commas, each with or without a version; None if nothing is."""
    from toolsurface_lint.knowledge.provider_names import names_in

    return next(filter(None, map(_unknown_provider, names_in(text))), None)


def _unknown_provider(text: str) -> str | None:
    from toolsurface_lint.knowledge.provider_names import (
        ALIASES,
        NUMBERED,
        PORTABLE,
        RELEASES,
        TITLES,
        provider_id,
        version_of,
    )
    from toolsurface_lint.knowledge.sources import shown

    name, at, written = (part.strip() for part in text.partition("@"))
    key = provider_id(name)
    if key != PORTABLE and key not in TITLES:
        return f"unknown provider `{name}`{did_you_mean(key, (*TITLES, *ALIASES, PORTABLE))}"
    if not at:
        return None
    releases = RELEASES.get(key)
    if releases is None and key not in NUMBERED:
        return f"`{name}` has no versions that are known: leave `@{written}` out"
    version = version_of(written)
    if version is None or not (releases is None or version in releases):
        known = [shown(release) for release in releases or ()]
        return f"unknown version `{written}` of `{name}`{did_you_mean(written, known)}"
    return None


strings = _list_of(string)
glob = _checked(_too_long)
globs = _list_of(glob)
providers = _list_of(_checked(unknown_provider))
# Whether there are rules of these codes is only known once all of the settings are read.
codes = strings
severities = _by_key(lambda code: None, choice(*SEVERITIES, "off"))
kinds = _by_key(_too_long, choice(*KINDS))
client_versions = _by_key(_unknown_client, version)
builtin_tools = _by_key(_unknown_client, lambda value, path: frozenset(strings(value, path)))


Readers = dict[str, Reader[Any]]
"""The keys of a table, each with what reads its value."""


def fields(value: Any, path: Path, readers: Readers) -> dict[str, Any]:
    """A table's values by the names of the attributes that they set; a key that is not in `readers` is wrong."""
    for key in table(value, path):
        if key not in readers:
            raise InvalidSetting(f"unknown setting `{key}`{did_you_mean(key, readers)}", (*path, key), key=True)
    return {attribute_of(key): readers[key](value[key], (*path, key)) for key in value}


def attribute_of(key: str) -> str:
    """The attribute of `Settings`, or of one of its parts, that a key sets."""
    return {"surface": "surfaces", "rule": "rules"}.get(key) or key.replace("-", "_")


def tables(make: Callable[..., _T], readers: Readers, *required: str) -> Reader[tuple[_T, ...]]:
    """The reader of an array of tables, each of which makes something of its values."""

    def read(value: Any, path: Path) -> tuple[_T, ...]:
        made = []
        for index, each in enumerate(array_of_tables(value, path)):
            here = (*path, index)
            made.append(make(**complete(fields(each, here, readers), here, required)))
        return tuple(made)

    return read


def array_of_tables(value: Any, path: Path) -> list[Any]:
    if not isinstance(value, list):
        raise InvalidSetting(f"{named(path)} must be an array of tables, written [[{path[-1]}]]", path)
    return value


def complete(read: dict[str, Any], path: Path, required: Sequence[str]) -> dict[str, Any]:
    """The same fields, with all keys that are required."""
    for key in required:
        if attribute_of(key) not in read:
            raise InvalidSetting(f"{named(path)} needs a `{key}`", path)
    return read


def named(path: Path) -> str:
    """How a message calls the value at a path: by its key, or by the key of the array that it is in."""
    if not path:
        return f"`[tool.{TABLE}]`"
    keys = [step for step in path if isinstance(step, str)]
    return f"`{keys[-1]}`" if isinstance(path[-1], str) else f"each item of `{keys[-1]}`"
