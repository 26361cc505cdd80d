"""What a value in a settings file may be: each reader gives the value that it means, or raises `InvalidSetting`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from toolsurface_lint.model.diagnostics import SEVERITIES
from toolsurface_lint.model.names import close_names, did_you_mean, suggestion
from toolsurface_lint.project.discovery.globs import MAX_LENGTH, GlobTooLong, written_out
from toolsurface_lint.project.settings import KINDS, TABLE
from toolsurface_lint.project.settings.selection import unknown_code
from toolsurface_lint.source.tree import Path

_T = TypeVar("_T")

Reader = Callable[[Any, Path], _T]
"""Takes a value and the path of keys and indexes to it."""


class InvalidSetting(Exception):
    """A message about the value at a path of keys in the settings file, or about its last key."""

    def __init__(self, message: str, path: Path, key: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.key = key


def table(value: Any, path: Path) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidSetting(f"{named(path)} must be a table", path)
    return value


def string(value: Any, path: Path) -> str:
    if not isinstance(value, str):
        raise InvalidSetting(f"{named(path)} must be a string", path)
    return value


def boolean(value: Any, path: Path) -> bool:
    if not isinstance(value, bool):
        raise InvalidSetting(f"{named(path)} must be true or false", path)
    return value


def number(of: str) -> Reader[int]:
    """The reader of a number of something, which is at least 1."""

    def read(value: Any, path: Path) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
            raise InvalidSetting(f"{named(path)} must be a number of {of} above 0", path)
        return value

    return read


def choice(*choices: str) -> Reader[str]:
    """The reader of one of some words."""

    def read(value: Any, path: Path) -> str:
        if value not in choices:
            name = value if isinstance(value, str) else ""
            raise InvalidSetting(f"{named(path)} must be {either(choices)}{did_you_mean(name, choices)}", path)
        return str(value)

    return read


def either(choices: Sequence[str]) -> str:
    """How a message lists what may be said."""
    quoted = [f'"{choice}"' for choice in choices]
    return f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def strings(value: Any, path: Path) -> tuple[str, ...]:
    """An array of strings, or one string alone."""
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list):
        raise InvalidSetting(f"{named(path)} must be a string or an array of strings", path)
    return tuple(string(item, (*path, index)) for index, item in enumerate(value))


def glob(value: Any, path: Path) -> str:
    text = string(value, path)
    _require_short(text, path)
    return text


def globs(value: Any, path: Path) -> tuple[str, ...]:
    """An array of globs, or one alone."""
    found = strings(value, path)
    for index, text in enumerate(found):
        _require_short(text, (*path, index) if isinstance(value, list) else path)
    return found


def _require_short(text: str, path: Path, key: bool = False) -> None:
    try:
        written_out(text)
    except GlobTooLong:
        start = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
        limit = f"more than {MAX_LENGTH:,} characters once its braces are expanded"
        raise InvalidSetting(f"the glob `{start}` has {limit}", path, key) from None


_SHOWN = 60


def codes(value: Any, path: Path) -> tuple[str, ...]:
    """Codes of rules, prefixes of them, or `ALL`."""
    found = strings(value, path)
    for index, code in enumerate(found):
        message = unknown_code(code)
        if message:
            raise InvalidSetting(message, (*path, index) if isinstance(value, list) else path)
    return found


def severities(value: Any, path: Path) -> dict[str, str]:
    """Severities, or `off`, by code."""
    from toolsurface_lint.checks.index import RULES

    members = table(value, path)
    read = choice(*SEVERITIES, "off")
    for code in members:
        if code not in RULES:
            raise InvalidSetting(f"unknown code `{code}`{did_you_mean(code, RULES)}", (*path, code), key=True)
    return {code: read(severity, (*path, code)) for code, severity in members.items()}


def provider(value: Any, path: Path) -> str:
    name = string(value, path)
    message = unknown_provider(name)
    if message:
        raise InvalidSetting(message, path)
    return name


def unknown_provider(name: str) -> str | None:
    """What is wrong with a provider's name: that nothing is known of it, but of one that is close; None otherwise.

    A provider that is close to none may well exist: then only what is common to all providers is checked.
    """
    from toolsurface_lint.knowledge.provider_names import PROVIDERS
    from toolsurface_lint.knowledge.providers import provider_id

    key = provider_id(name)
    close = () if key in PROVIDERS else close_names(key, PROVIDERS)
    return f"unknown provider `{name}`, {suggestion(close)}" if close else None


def kinds(value: Any, path: Path) -> tuple[tuple[str, str], ...]:
    """Pairs of a glob and the kind of the files that it matches."""
    read = choice(*KINDS)
    members = table(value, path)
    for text in members:
        _require_short(text, (*path, text), key=True)
    return tuple((text, read(kind, (*path, text))) for text, kind in members.items())


def builtin_tools(value: Any, path: Path) -> dict[str, frozenset[str]]:
    """Names of tools by client."""
    from toolsurface_lint.knowledge.clients import CLIENTS

    members = table(value, path)
    for client in members:
        if client not in CLIENTS:
            raise InvalidSetting(f"unknown client `{client}`{did_you_mean(client, CLIENTS)}", (*path, client), key=True)
    return {client: frozenset(strings(names, (*path, client))) for client, names in members.items()}


def array_of_tables(value: Any, path: Path) -> list[Any]:
    if not isinstance(value, list):
        raise InvalidSetting(f"{named(path)} must be an array of tables, written [[{path[-1]}]]", path)
    return value


def pointer(value: Any, path: Path) -> str:
    text = string(value, path)
    if text and not text.startswith("/"):
        raise InvalidSetting(f"{named(path)} must be a JSON pointer, which is empty or begins with `/`", path)
    return text


def day(value: Any, path: Path) -> str:
    """A day, as TOML writes it or as text: both come as text."""
    from toolsurface_lint.source.dates import is_day

    if not isinstance(value, str) or not is_day(value):
        raise InvalidSetting(f"{named(path)} must be a day, written YYYY-MM-DD", path)
    return value


def named(path: Path) -> str:
    """How a message calls the value at a path: by its key, or by the key of the array that it is in."""
    if not path:
        return f"`[tool.{TABLE}]`"
    keys = [step for step in path if isinstance(step, str)]
    return f"`{keys[-1]}`" if isinstance(path[-1], str) else f"each item of `{keys[-1]}`"
