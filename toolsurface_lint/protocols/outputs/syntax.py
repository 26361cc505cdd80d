"""The grammars of raw outputs, as data: what a protocol has to say so that the reader of its grammar can read it.

Every marker is written as it stands in the text, special tokens too. An empty string stands for a marker that the
protocol does not have. `openers` are the markers that begin a call or a section of calls.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple


class Pair(NamedTuple):
    """The markers around something."""

    open: str
    close: str


NOTHING = Pair("", "")


@dataclass(frozen=True, slots=True)
class JsonCalls:
    """Calls as JSON, an object or a list of them, between markers.

    `<tool_call>{"name": "NAME", "arguments": {…}}</tool_call>`

    `call` are the markers that may stand around; without a closing one the value ends by itself. `name_keys` and
    `argument_keys` are the keys that hold the name and the arguments, the first that is there wins; without name keys
    each object maps the name of a tool to its arguments.
    """

    grammar: ClassVar[str] = "json"
    call: tuple[Pair, ...]
    name_keys: tuple[str, ...] = ("name",)
    argument_keys: tuple[str, ...] = ("arguments", "parameters")

    @property
    def openers(self) -> tuple[str, ...]:
        return tuple(pair.open for pair in self.call if pair.open)


@dataclass(frozen=True, slots=True)
class BareJson:
    """JSON objects that are all of the response, with `separator` between them and one of `prefixes` before them."""

    grammar: ClassVar[str] = "bare-json"
    prefixes: tuple[str, ...] = ()
    separator: str = ";"
    name_keys: tuple[str, ...] = ("name",)
    argument_keys: tuple[str, ...] = ("parameters", "arguments")

    @property
    def openers(self) -> tuple[str, ...]:
        return self.prefixes


@dataclass(frozen=True, slots=True)
class NamedTags:
    """A tag that names the tool, and in it one for each argument.

    `<tool_call><function=NAME><parameter=KEY>VALUE</parameter></function></tool_call>`

    The name stands between the two markers of `call`, a key between those of `argument`. `section` stands around all
    calls, or around each of them; `inner` may stand next to a call in it. Names may be quoted. `typed` is the attribute
    that says whether a value is a string (`true`) or JSON; without it the tool's schema says it. `frames_lines`: the
    line feeds next to the tags belong to the tags.
    """

    grammar: ClassVar[str] = "named-tags"
    section: Pair
    call: Pair
    call_close: str
    argument: Pair
    argument_close: str
    typed: str = ""
    frames_lines: bool = False
    inner: tuple[str, ...] = ()

    @property
    def openers(self) -> tuple[str, ...]:
        return tuple(opener for opener in (self.section.open, self.call.open) if opener)


@dataclass(frozen=True, slots=True)
class KeyValueTags:
    """The name as text, then a tag for each key and one for its value, all in a tag.

    `<tool_call>NAME<arg_key>KEY</arg_key><arg_value>VALUE</arg_value></tool_call>`

    `name_close` ends the name where it is more than the first tag or the end of the line; `type` may stand between key
    and value.
    """

    grammar: ClassVar[str] = "key-value-tags"
    call: Pair
    key: Pair
    value: Pair
    section: Pair = NOTHING
    name_close: str = ""
    type: Pair = NOTHING

    @property
    def openers(self) -> tuple[str, ...]:
        return tuple(opener for opener in (self.section.open, self.call.open) if opener)


@dataclass(frozen=True, slots=True)
class NamedJson:
    """The name as text, a separator, the arguments as JSON.

    `<|tool_call_begin|>NAME<|sep|>{…}<|tool_call_end|>`

    `section` stands around all calls. `name_open` stands between the opening marker and the name, `fence` around the
    arguments. `numbered`: the name is written `functions.NAME:INDEX`. `id` may stand before
    the separator, followed by an id. `listed`: in place of a name there may be a JSON list of calls.
    """

    grammar: ClassVar[str] = "named-json"
    call: Pair
    separator: str
    section: Pair = NOTHING
    name_open: str = ""
    fence: Pair = NOTHING
    numbered: bool = False
    id: str = ""
    listed: bool = False

    @property
    def openers(self) -> tuple[str, ...]:
        return tuple(opener for opener in (self.section.open, self.call.open) if opener)


@dataclass(frozen=True, slots=True)
class Channels:
    """OpenAI's Harmony: messages with a header of role, recipient and channel; a call is a message to `functions.NAME`."""

    grammar: ClassVar[str] = "channels"

    @property
    def openers(self) -> tuple[str, ...]:
        return ("<|channel|>", "<|start|>")


@dataclass(frozen=True, slots=True)
class PythonicCalls:
    """Calls of Python with keyword arguments: `[NAME(key="value"), …]`, between `markers` or as all of the response.

    `lines`: one call a line in place of a list.
    """

    grammar: ClassVar[str] = "pythonic"
    markers: Pair = NOTHING
    required: bool = False
    lines: bool = False

    @property
    def openers(self) -> tuple[str, ...]:
        return (self.markers.open,) if self.markers.open else ()


@dataclass(frozen=True, slots=True)
class CallNotation:
    """Google's notation: `call:NAME{key:VALUE, …}` between markers, with `quote` on both sides of each string."""

    grammar: ClassVar[str] = "call-notation"
    call: Pair
    quote: str

    @property
    def openers(self) -> tuple[str, ...]:
        return (self.call.open,)


@dataclass(frozen=True, slots=True)
class AttributeTokens:
    """Moonshot's XTML, elements opened and closed by tokens: `<|open|>call tool="NAME"<|sep|>…<|close|>call<|sep|>`."""

    grammar: ClassVar[str] = "attribute-tokens"

    @property
    def openers(self) -> tuple[str, ...]:
        return ("<|open|>",)


Syntax = (
    JsonCalls
    | BareJson
    | NamedTags
    | KeyValueTags
    | NamedJson
    | Channels
    | PythonicCalls
    | CallNotation
    | AttributeTokens
)
