"""The values that a followed template works on: plain data, and what Jinja has beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from jinja2 import nodes

Value = Any
"""A string, number, boolean or None; a list, tuple or dict of values; or one of the classes below."""

MAX_TEXT = 100_000
"""Code points of one string."""

MAX_SIZE = 20_000
"""Strings, numbers and containers in one value."""

MAX_LEVELS = 40
"""How deeply a value may nest."""


class NotFollowed(Exception):
    """A limit is reached, or something happens that is not modelled."""


class Message(dict[str, Value]):
    """A message of the conversation, at an index from 0."""

    index = -1


class Call(dict[str, Value]):
    """A call in a message."""


class Tool(dict[str, Value]):
    """A definition of a tool."""


class Role(str):
    """The role of the message at an index, `of`."""

    __slots__ = ("of",)
    of: int


class Undefined:
    """What is not there, under the name that was asked for."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __bool__(self) -> bool:
        return False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Undefined)

    __hash__ = object.__hash__

    def __iter__(self) -> Iterator[Value]:
        return iter(())

    def __len__(self) -> int:
        return 0


class Safe(str):
    """What `safe` and `escape` give: `+` escapes what is put beside it."""

    __slots__ = ()


class Lazy(list[Value]):
    """What `map`, `select` and the like give: it has items, but neither a length nor a form in JSON."""

    def __bool__(self) -> bool:
        return True


class Function(NamedTuple):
    """A function that templates are given."""

    name: str


FUNCTIONS = {name: Function(name) for name in ("raise_exception", "namespace", "dict", "range", "strftime_now")}


class Namespace:
    """`namespace(...)`, whose attributes can be set."""

    __slots__ = ("attributes",)

    def __init__(self, attributes: dict[str, Value]) -> None:
        self.attributes = attributes


class Loop:
    """The variable `loop`, at one of the items."""

    __slots__ = ("at", "items")

    def __init__(self, items: list[Value]) -> None:
        self.items = items
        self.at = 0

    def attribute(self, name: str) -> Value:
        at, count = self.at, len(self.items)
        match name:
            case "index":
                return at + 1
            case "index0":
                return at
            case "revindex":
                return count - at
            case "revindex0":
                return count - at - 1
            case "first":
                return at == 0
            case "last":
                return at == count - 1
            case "length":
                return count
            case "previtem":
                return self.items[at - 1] if at else Undefined(name)
            case "nextitem":
                return self.items[at + 1] if at + 1 < count else Undefined(name)
            case "cycle":
                return Method(self, name)
        raise NotFollowed


class Method:
    """A method of a value, by its name."""

    __slots__ = ("name", "owner")

    def __init__(self, owner: Value, name: str) -> None:
        self.owner = owner
        self.name = name


class Macro:
    """A macro, or what a block of `call` gives to one, with the scopes that it was defined in."""

    __slots__ = ("node", "scopes")

    def __init__(self, node: nodes.Macro | nodes.CallBlock, scopes: list[dict[str, Value]]) -> None:
        self.node = node
        self.scopes = scopes


def measure(value: Value) -> int:
    """How much work a value is: one for each value in it, and one more for every 50 code points.

    Raises `NotFollowed` if it is too large. The same list may be in a value a million times.
    """
    size = 0
    level = [value]
    for _ in range(MAX_LEVELS):
        inner: list[Value] = []
        for each in level:
            size += 1
            if isinstance(each, str):
                size += len(each) // 50
            elif isinstance(each, dict):
                inner.extend(each.values())
                size += len(each)
            elif isinstance(each, list | tuple):
                inner.extend(each)
            if size + len(inner) > MAX_SIZE:
                raise NotFollowed
        if not inner:
            return size
        level = inner
    raise NotFollowed


def bounded(text: str) -> str:
    if len(text) > MAX_TEXT:
        raise NotFollowed
    return text


def conversation_values(variables: Mapping[str, Value]) -> dict[str, Value]:
    """The variables of a conversation (`messages`, `tools`, ...), its messages, calls and tools each of its class."""
    found = dict(variables)
    found["messages"] = []
    for index, given in enumerate(variables["messages"]):
        message = Message(given)
        message.index = index
        role = Role(given["role"])
        role.of = index
        message["role"] = role
        if given.get("tool_calls"):
            message["tool_calls"] = list(map(Call, given["tool_calls"]))
        found["messages"].append(message)
    if variables.get("tools"):
        found["tools"] = list(map(Tool, variables["tools"]))
    return found
